//! Lists the rules in force here by event, with their origins and whether they may run.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use hooks_rules::{Event, RuleInfo, Trust};
use serde_json::{Value, json};

use crate::args::FilesArgs;
use crate::diagnostics;
use crate::discover::Origin;
use crate::exit::Exit;
use crate::inputs::RuleInputs;
use crate::output::{Output, json};
use crate::style::{BAD, FAINT, GOOD, PLACE, STRONG, line, styled};

/// The rules of the files that Claude Code would read here.
pub(crate) fn overview(as_json: bool) -> Output {
    let inputs = match RuleInputs::read(&FilesArgs::default()) {
        Ok(inputs) => inputs,
        Err(output) => return output,
    };
    let trust = Trust::user_file().and_then(|path| Trust::open(path).ok());
    let rules = inputs.rules();
    let (listed, diagnostics) = (rules.list(), inputs.diagnostics(&rules));
    let origins = inputs.origins(trust.as_ref());
    let origin = |rule: &RuleInfo| {
        let found = origins.iter().find(|(path, ..)| *path == &*rule.file);
        found.map_or((Origin::Named, false), |(_, origin, trusted)| (*origin, *trusted))
    };
    if as_json {
        let rules: Vec<Value> = listed
            .iter()
            .map(|rule| {
                let (origin, trusted) = origin(rule);
                let mut described = json!(rule);
                described["origin"] = origin.words().into();
                described["trusted"] = trusted.into();
                described
            })
            .collect();
        let files = origins.iter().map(|(path, origin, trusted)| {
            json!({ "file": path.to_string_lossy(), "origin": origin.words(), "trusted": trusted })
        });
        let files: Vec<Value> = files.collect();
        return Output::new(
            json(json!({ "version": 1, "files": files, "rules": rules, "defects": diagnostics })),
            Exit::SUCCESS,
        );
    }
    let mut out = String::new();
    let mut by_event: BTreeMap<Event, Vec<&RuleInfo>> = BTreeMap::new();
    for rule in &listed {
        by_event.entry(rule.event).or_default().push(rule);
    }
    for (event, rules) in by_event {
        let _ = writeln!(out, "{}", styled(STRONG, event));
        for rule in rules {
            let (origin, trusted) = origin(rule);
            let matcher = rule.matcher.as_deref().map(|matcher| format!("{}  ", line(matcher))).unwrap_or_default();
            let filter = rule.filter.as_deref().map(|filter| format!("if {}  ", line(filter))).unwrap_or_default();
            let _ = writeln!(out, "  {matcher}{filter}{}", line(&rule.summary));
            let place = styled(PLACE, format!("{}:{}", line(&rule.file.to_string_lossy()), rule.line));
            let state = if trusted { styled(GOOD, "runs") } else { styled(BAD, "not trusted: `hooks trust`") };
            let whose =
                rule.plugin.as_ref().map_or_else(|| origin.words().to_owned(), |name| format!("plugin {}", line(name)));
            let _ = writeln!(out, "      {}  {place}  {state}", styled(FAINT, whose));
        }
    }
    if out.is_empty() {
        out.push_str("no rules apply here: neither settings nor plugins contain any\n");
    }
    let wrong = match diagnostics.len() {
        0 => String::new(),
        number => format!("{} in these files: run `hooks check` to see them\n", diagnostics::count(number, "defect")),
    };
    let _ = write!(out, "\n{wrong}Run `hooks --help` for more commands.");
    Output::new(out, Exit::SUCCESS)
}
