//! The input is a byte for the dialect, a byte for the event, a line with the matcher, and the value.

use std::path::Path;

use hooks_rules::{Aliases, Dialect, Event, Filter, Folders, Matcher};
use serde_json::{Value, json};

pub(crate) fn check(input: &[u8]) {
    let &[form, event, ref rest @ ..] = input else { return };
    let rest = String::from_utf8_lossy(rest);
    let (written, value) = rest.split_once('\n').unwrap_or((&rest, ""));
    let (dialect, event) = (super::dialect(form), super::event(event));
    matcher(dialect, event, written, value);
    filter(written, value);
}

fn matcher(dialect: Dialect, event: Event, text: &str, value: &str) {
    // A string, or any other JSON value.
    let written = match (serde_json::from_str::<Value>(text), dialect) {
        (Ok(written), _) => written,
        (Err(_), Dialect::Claude) => json!(text),
        (Err(_), Dialect::Agentao) => json!({ if event == Event::PreCompact { "trigger" } else { "toolName" }: text }),
    };
    let matcher = match Matcher::read(dialect, event, Some(&written)) {
        Ok(matcher) => matcher,
        Err(bad) => {
            assert!(!bad.problem.is_empty() && !bad.help.is_empty(), "{bad:?}");
            assert_eq!(Matcher::read(dialect, event, Some(&written)).unwrap_err(), bad);
            return;
        }
    };
    let selects = matcher.selects(value);
    let again = Matcher::read(dialect, event, Some(&written)).expect("it was read before");
    assert_eq!((matcher.selects(value), again.selects(value)), (selects, selects), "{written} {value:?}");
    assert_eq!(matcher.selects_any([value]), selects);
    assert_eq!(matcher.selects_any([]), matcher.is_all());
    assert!(selects || !matcher.is_all());
    match dialect {
        Dialect::Claude => nested(event, &written, value, selects),
        Dialect::Agentao => flat(event, &written, value, selects),
    }
}

/// The semantics of names and lists of names in the contract.
fn nested(event: Event, written: &Value, value: &str, selects: bool) {
    let Some(pattern) = written.as_str() else { return };
    if event.spec().matched.is_none() || matches!(pattern, "" | "*") {
        assert!(selects);
    } else if pattern.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'|')) {
        assert_eq!(selects, !value.is_empty() && pattern.split('|').any(|name| name == value), "{pattern} {value:?}");
    }
}

/// The documented semantics of globs: they match the whole value, character by character.
fn flat(event: Event, written: &Value, value: &str, selects: bool) {
    if !matches!(event, Event::PreToolUse | Event::PostToolUse | Event::PostToolUseFailure) {
        return;
    }
    let Some(Value::String(pattern)) = written.as_object().and_then(|object| object.values().next()) else { return };
    if pattern.starts_with('^') || pattern.ends_with('$') {
        return;
    }
    let mut globs = pattern.split('|').map(str::trim).filter(|glob| !glob.is_empty());
    if pattern.len() * value.len() < 10_000 {
        assert_eq!(selects, globs.any(|glob| fits(glob, value)), "{pattern} {value:?}");
    }
}

/// A simple glob matcher: tracks the set of positions in the glob that each character can lead to.
fn fits(glob: &str, text: &str) -> bool {
    let glob: Vec<char> = glob.chars().collect();
    let after_stars = |mut at: Vec<bool>| {
        for i in 0..glob.len() {
            at[i + 1] |= at[i] && glob[i] == '*';
        }
        at
    };
    let mut start = vec![false; glob.len() + 1];
    start[0] = true;
    let end = text.chars().fold(after_stars(start), |at, letter| {
        let mut next = vec![false; glob.len() + 1];
        for i in (0..glob.len()).filter(|i| at[*i]) {
            next[i] |= glob[i] == '*';
            next[i + 1] |= glob[i] == '?' || (glob[i] != '*' && glob[i] == letter);
        }
        after_stars(next)
    });
    end[glob.len()]
}

/// A permission rule is either parsed or rejected, and its result is deterministic.
fn filter(written: &str, value: &str) {
    let Ok(filter) = Filter::read(written) else { return };
    let again = Filter::read(&filter.to_string()).expect("what is shown can be read");
    let aliases = Aliases::default();
    for (tool, field) in [("Bash", "command"), ("WebFetch", "url"), ("Edit", "file_path")] {
        let selects = |filter: &Filter, input: Value| {
            filter.selects(
                &aliases,
                tool,
                &input,
                Some(Folders { current: Path::new("/home"), roots: &[Path::new("/home/repo")] }),
            )
        };
        assert_eq!(selects(&filter, json!({field: value})), selects(&again, json!({field: value})), "{filter}");
        // A guard of a tool runs if its filter is undecidable. A parameter that is left out is false.
        let is_of_a_parameter = filter.to_string().split_once('(').is_some_and(|(_, detail)| detail.contains(':'));
        let runs = selects(&filter, json!({}));
        assert!(
            if is_of_a_parameter { !runs || names(&filter, tool) } else { runs == names(&filter, tool) },
            "{filter}"
        );
    }
}

/// Whether a filter is for this tool, by any of the tool's names in upper or lower case.
fn names(filter: &Filter, tool: &str) -> bool {
    let text = filter.to_string();
    let name = text.split('(').next().unwrap_or_default();
    let aliases = Aliases::default();
    aliases.names(tool).any(|known| fits(name, known) || name.eq_ignore_ascii_case(known))
}
