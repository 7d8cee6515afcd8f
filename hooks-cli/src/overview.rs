//! Lists the rules in force here by event, with their origins and whether they run.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use hooks_rules::{Event, RuleInfo};
use serde_json::{Value, json};

use crate::args::{FilesArgs, TrustedArgs};
use crate::confidence::Confidence;
use crate::diagnostics;
use crate::exit::Exit;
use crate::inputs::{RuleInputs, Standing};
use crate::list::described;
use crate::output::{Output, json};
use crate::program::Program;
use crate::style::{BAD, FAINT, GOOD, PLACE, STRONG, line, styled};

/// The rules of the files that Claude Code would read here.
pub(crate) fn overview(program: &Program, as_json: bool) -> Output {
    // A trust file that cannot be read trusts nothing; the commands that need it say so.
    let trust = Confidence::of(&TrustedArgs::default()).unwrap_or(Confidence::By(None));
    let inputs = match RuleInputs::read(&FilesArgs::default(), &trust) {
        Ok(inputs) => inputs,
        Err(output) => return output,
    };
    let diagnostics = inputs.diagnostics(program, &inputs.rules());
    let listed = inputs.standings(&trust);
    if as_json {
        let rules: Vec<Value> = listed.iter().map(described).collect();
        let report = json!({ "version": 1, "files": files(&inputs, &trust), "rules": rules, "defects": diagnostics });
        return Output::new(json(report), Exit::SUCCESS);
    }
    let mut out = String::new();
    let mut by_event: BTreeMap<Event, Vec<&(RuleInfo, Standing)>> = BTreeMap::new();
    for rule in &listed {
        by_event.entry(rule.0.event).or_default().push(rule);
    }
    for (event, rules) in by_event {
        let _ = writeln!(out, "{}", styled(STRONG, event));
        for (rule, standing) in rules {
            out.push_str(&shown(rule, standing));
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

/// The files, for programs.
pub(crate) fn files(inputs: &RuleInputs, trust: &Confidence) -> Vec<Value> {
    let file = |(path, origin, trusted): (&std::path::Path, crate::discover::Origin, bool)| json!({ "file": path.to_string_lossy(), "origin": origin.words(), "trusted": trusted });
    inputs.origins(trust).into_iter().map(file).collect()
}

/// A rule in two lines: what it does when, and whose it is and whether it runs.
pub(crate) fn shown(rule: &RuleInfo, standing: &Standing) -> String {
    let matcher = rule.matcher.as_deref().map(|matcher| format!("{}  ", line(matcher))).unwrap_or_default();
    let filter = rule.filter.as_deref().map(|filter| format!("if {}  ", line(filter))).unwrap_or_default();
    let place = styled(PLACE, format!("{}:{}", line(&rule.file.to_string_lossy()), rule.line));
    let state = match (&standing.why_not, &rule.denies) {
        (None, None) => styled(GOOD, "runs"),
        (None, Some(why)) => styled(BAD, format!("denies: {}", line(why))),
        (Some(_), _) if !standing.trusted => styled(BAD, "not trusted: `hooks trust`"),
        (Some(why), _) => styled(BAD, format!("does not run: {}", line(why))),
    };
    let whose =
        rule.plugin.as_ref().map_or_else(|| standing.origin.to_owned(), |name| format!("plugin {}", line(name)));
    format!("  {matcher}{filter}{}\n      {}  {place}  {state}\n", line(&rule.summary), styled(FAINT, whose))
}
