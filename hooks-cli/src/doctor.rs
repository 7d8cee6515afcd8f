//! Joins what the other commands say: the sources, their trust and switches, what runs, and what would stop each rule.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use crate::args::DoctorArgs;
use crate::confidence::Confidence;
use crate::diagnostics::{self, Diagnostic, count};
use crate::exit::Exit;
use crate::inputs::{RuleInputs, usage_error};
use crate::list::described;
use crate::output::{Output, json};
use crate::overview::{files, shown};
use crate::program::Program;
use crate::style::{BAD, DOUBTFUL, GOOD, STRONG, line, styled};

/// Reports all sources and rules. Runs nothing. Fails if a rule does not run or would fail.
pub(crate) fn doctor(program: &Program, args: &DoctorArgs, as_json: bool) -> Output {
    let read = Confidence::of(&args.trusted).and_then(|trust| Ok((RuleInputs::read(&args.files, &trust)?, trust)));
    let (inputs, trust) = match read {
        Ok(read) => read,
        Err(output) => return output,
    };
    if inputs.is_empty() {
        return usage_error(
            "there are no settings and no plugins here; name the files, as in `hooks doctor hooks.json`",
        );
    }
    let rules = inputs.rules();
    let mut found = inputs.diagnostics(program, &rules);
    found.extend(rules.inspect().into_iter().map(Diagnostic::from));
    let listed = inputs.standings(&trust);
    let is_well = |diagnostic: &Diagnostic| diagnostic.severity == hooks_rules::Severity::Hint;
    let well = listed.iter().all(|(_, standing)| standing.why_not.is_none()) && found.iter().all(is_well);
    let exit = if well { Exit::SUCCESS } else { Exit::FAILURE };
    let switches: BTreeMap<&Path, bool> = inputs.switched_off(&trust).into_iter().collect();
    if as_json {
        let switches =
            switches.iter().map(|(file, is_of_all)| json!({ "file": file.to_string_lossy(), "of_all": is_of_all }));
        let rules: Vec<Value> = listed.iter().map(described).collect();
        let report = json!({
            "version": 1, "files": files(&inputs, &trust), "switches": switches.collect::<Vec<_>>(), "rules": rules, "defects": found,
        });
        return Output::new(json(report), exit);
    }
    let mut out = format!("{}\n", styled(STRONG, "sources"));
    for (path, origin, trusted) in inputs.origins(&trust) {
        let state = if trusted { styled(GOOD, "trusted") } else { styled(BAD, "not trusted: `hooks trust`") };
        let switch = match switches.get(path) {
            Some(true) => "  `disableAllHooks` switches all rules off",
            Some(false) => "  `disableAllHooks` switches its rules off",
            None => "",
        };
        let _ = writeln!(
            out,
            "  {}  {}  {state}{}",
            line(&path.to_string_lossy()),
            origin.words(),
            styled(DOUBTFUL, switch)
        );
    }
    let _ = writeln!(out, "\n{}", styled(STRONG, "rules"));
    for (rule, standing) in &listed {
        let _ = write!(out, "  {}{}", rule.event, shown(rule, standing));
    }
    if !found.is_empty() {
        let _ = writeln!(out, "\n{}\n\n{}", styled(STRONG, "what would stop them"), diagnostics::all(&found));
    }
    let runs = listed.iter().filter(|(_, standing)| standing.why_not.is_none()).count();
    let _ = write!(out, "\n{runs} of {} run", count(listed.len(), "rule"));
    Output::new(out, exit)
}
