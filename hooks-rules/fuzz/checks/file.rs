//! The input is the text of a file.

use std::collections::BTreeSet;

use hooks_rules::{Dialect, Event, RuleFile, Severity};
use serde_json::{Value, json};

/// The maximum number of groups that are also parsed one by one.
const GROUPS: usize = 40;

pub(crate) fn check(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    for form in [None, Some(Dialect::Claude), Some(Dialect::Agentao)] {
        let file = RuleFile::read_as("hooks.json", &text, form);
        places(&file, &text);
        ids(&file, &text, form);
        alone(&file, &text);
    }
}

/// Every position is in the text, that of a rule is the beginning of its object, and every defect can be displayed.
fn places(file: &RuleFile, text: &str) {
    let lines: Vec<&str> = text.split('\n').map(|line| line.trim_start_matches('\u{feff}')).collect();
    for rule in &file.rules {
        let begins = lines[rule.line - 1].chars().nth(rule.column - 1);
        assert_eq!(begins, Some('{'), "{rule:?}");
        assert!(!rule.timeout.is_zero() && rule.timeout.as_secs() <= 3_600, "{rule:?}");
    }
    assert!(file.defects.len() <= 101, "{}", file.defects.len());
    for defect in &file.defects {
        let shown = defect.to_string();
        assert!(shown.chars().count() < 1_500, "{}", shown.len());
        assert!(!defect.problem.is_empty() && !defect.help.is_empty(), "{defect:?}");
        if defect.line == 0 {
            assert!(defect.problem.contains("more defects"), "{defect:?}");
            continue;
        }
        let line = lines.get(defect.line - 1).unwrap_or_else(|| panic!("{defect:?} is after the end"));
        assert!((1..=line.chars().count() + 1).contains(&defect.column), "{defect:?}");
    }
    if !file.readable {
        let errors = file.defects.iter().filter(|defect| defect.severity == Severity::Error);
        assert!(file.rules.is_empty() && errors.count() >= 1);
    }
}

/// Ids are unique and stable.
fn ids(file: &RuleFile, text: &str, form: Option<Dialect>) {
    let again = RuleFile::read_as("elsewhere.json", text, form);
    let named = |file: &RuleFile| file.rules.iter().map(|rule| rule.id.clone()).collect::<Vec<_>>();
    assert_eq!(named(file), named(&again));
    assert_eq!(named(file).into_iter().collect::<BTreeSet<_>>().len(), file.rules.len());
    assert_eq!(file.defects.len(), again.defects.len());
}

/// A group has the same meaning alone and among others, whatever is wrong with those.
fn alone(file: &RuleFile, text: &str) {
    let Ok(Value::Object(root)) = serde_json::from_str::<Value>(text) else { return };
    let Some(Value::Object(events)) = root.get("hooks") else { return };
    if !file.readable {
        return;
    }
    let one = |value: &Value| vec![value.clone()];
    let groups = || {
        events.iter().flat_map(|(event, list)| {
            let list = list.as_array().cloned().unwrap_or_else(|| one(list));
            list.into_iter().map(move |group| (event, group))
        })
    };
    if groups().count() > GROUPS {
        return;
    }
    let read = |text: Value| RuleFile::read_as("hooks.json", &text.to_string(), Some(file.dialect));
    let mut apart = Vec::new();
    for (event, group) in groups() {
        let alone = read(json!({"hooks": {event: [group]}}));
        let beside = read(json!({"hooks": {event: [7, group, {"hooks": 7, "type": 7}], "Nonsense": 7}}));
        assert_eq!(said(&alone), said(&beside), "{event} {group}");
        apart.extend(said(&alone));
    }
    apart.sort();
    let mut together = said(file);
    together.sort();
    assert_eq!(together, apart);
}

/// The content of rules without their positions.
fn said(file: &RuleFile) -> Vec<(Event, String, String)> {
    let words = |rule: &hooks_rules::Rule| {
        // Without the suffix of a duplicate rule.
        let name = rule.event.snake_case().len() + "_00000000".len();
        (rule.event, rule.id.as_str()[..name].to_owned(), format!("{:?} {:?}", rule.action, rule.timeout))
    };
    file.rules.iter().map(words).collect()
}
