use std::fmt::Write as _;

use hook_sdk::manifest::HookManifest;
use hooks_rules::RuleInfo;
use serde_json::json;

use crate::args::ListArgs;
use crate::diagnostics::{self, Diagnostic};
use crate::exit::Exit;
use crate::inputs::{RuleInputs, usage_error};
use crate::output::{Output, json};
use crate::program::Program;
use crate::style::{FAINT, PLACE, STRONG, line, styled};

/// Lists the rules of the files, and the compiled hooks.
pub(crate) fn list(program: &Program, args: &ListArgs, as_json: bool) -> Output {
    let inputs = match RuleInputs::read(&args.files) {
        Ok(inputs) => inputs,
        Err(output) => return output,
    };
    let hooks = program.registry.manifest().hooks;
    if inputs.is_empty() && hooks.is_empty() {
        return usage_error("there are no settings and no plugins here; name the files, as in `hooks list hooks.json`");
    }
    let rules = inputs.rules();
    let (listed, diagnostics) = (rules.list(), inputs.diagnostics(&rules));
    let exit = if diagnostics.iter().any(Diagnostic::is_error) { Exit::FAILURE } else { Exit::SUCCESS };
    if as_json {
        let report = json!({ "version": 1, "rules": listed, "hooks": hooks, "defects": diagnostics });
        return Output::new(json(report), exit);
    }
    let mut out = String::new();
    for group in listed.chunk_by(|a, b| a.file == b.file) {
        let _ = writeln!(out, "{} ({})", styled(STRONG, line(&group[0].file.to_string_lossy())), group[0].dialect);
        for rule in group {
            let _ = writeln!(out, "{}", of_rule(rule));
        }
    }
    for off in inputs.switched_off() {
        let _ = writeln!(out, "{}: `disableAllHooks` switches its rules off", line(&off.to_string_lossy()));
    }
    if !hooks.is_empty() {
        let _ = writeln!(out, "{}", styled(STRONG, "compiled hooks"));
        for hook in &hooks {
            let _ = writeln!(out, "{}", of_hook(hook));
        }
        for set in &program.sets {
            let _ = write!(out, "\n{set}");
        }
    }
    if out.is_empty() {
        out.push_str("no rules");
    }
    let output = Output::new(out, exit);
    if diagnostics.is_empty() { output } else { output.and_err(&diagnostics::all(&diagnostics)) }
}

/// Formats a rule in two lines.
fn of_rule(rule: &RuleInfo) -> String {
    let mut when = rule.event.to_string();
    if let Some(matcher) = &rule.matcher {
        let _ = write!(when, " {}", line(matcher));
    }
    if let Some(filter) = &rule.filter {
        let _ = write!(when, " if {}", line(filter));
    }
    let off = if rule.enabled { "" } else { "  (never runs here)" };
    let place = styled(PLACE, format!("line {}", rule.line));
    format!("  {}  {when}  {place}{off}\n      {}", styled(FAINT, &rule.id), line(&rule.summary))
}

/// Formats a compiled hook in two lines.
fn of_hook(hook: &HookManifest) -> String {
    let kinds = hook.at.iter().map(|at| at.kind).collect::<Vec<_>>().join(", ");
    let place = styled(PLACE, hook.origin);
    let first = hook.description.lines().next().unwrap_or_default();
    let description = if first.is_empty() { String::new() } else { format!("\n      {}", line(first)) };
    format!("  {}  {kinds}  {place}{description}", styled(STRONG, &hook.id))
}
