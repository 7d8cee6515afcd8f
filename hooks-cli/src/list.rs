use std::fmt::Write as _;

use hook_sdk::manifest::HookManifest;
use hooks_rules::RuleInfo;
use serde_json::{Value, json};

use crate::args::ListArgs;
use crate::confidence::Confidence;
use crate::diagnostics::{self, Diagnostic};
use crate::exit::Exit;
use crate::inputs::{RuleInputs, Standing, usage_error};
use crate::output::{Output, json};
use crate::program::Program;
use crate::style::{FAINT, PLACE, STRONG, line, styled};

/// Lists the rules of the files, and the compiled hooks.
pub(crate) fn list(program: &Program, args: &ListArgs, as_json: bool) -> Output {
    let read = Confidence::of(&args.trusted).and_then(|trust| Ok((RuleInputs::read(&args.files, &trust)?, trust)));
    let (inputs, trust) = match read {
        Ok(read) => read,
        Err(output) => return output,
    };
    let hooks = program.registry.manifest().hooks;
    if inputs.is_empty() && hooks.is_empty() {
        return usage_error("there are no settings and no plugins here; name the files, as in `hooks list hooks.json`");
    }
    let diagnostics = inputs.diagnostics(program, &inputs.rules());
    let listed = inputs.standings(&trust);
    let exit = if diagnostics.iter().any(Diagnostic::is_error) { Exit::FAILURE } else { Exit::SUCCESS };
    if as_json {
        let report = json!({ "version": 1, "rules": listed.iter().map(described).collect::<Vec<_>>(), "hooks": hooks, "defects": diagnostics });
        return Output::new(json(report), exit);
    }
    let mut out = String::new();
    for group in listed.chunk_by(|(a, _), (b, _)| a.file == b.file) {
        let (first, _) = &group[0];
        let _ = writeln!(out, "{} ({})", styled(STRONG, line(&first.file.to_string_lossy())), first.dialect);
        for rule in group {
            let _ = writeln!(out, "{}", of_rule(rule));
        }
    }
    for (off, is_of_all) in inputs.switched_off(&trust) {
        let whose = if is_of_all { "all rules" } else { "its rules" };
        let _ = writeln!(out, "{}: `disableAllHooks` switches {whose} off", line(&off.to_string_lossy()));
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

/// A rule with what holds for it.
pub(crate) fn described((rule, standing): &(RuleInfo, Standing)) -> Value {
    let mut described = json!(rule);
    if let (Value::Object(all), Value::Object(more)) = (&mut described, json!(standing)) {
        // The reason as it is, with its words.
        let words = more.get("why_not").cloned().unwrap_or_default();
        all.extend(more.into_iter().filter(|(name, _)| name != "why_not"));
        all.insert("because".to_owned(), words);
    }
    described
}

/// Formats a rule in two lines.
fn of_rule((rule, standing): &(RuleInfo, Standing)) -> String {
    let mut when = rule.event.to_string();
    if let Some(matcher) = &rule.matcher {
        let _ = write!(when, " {}", line(matcher));
    }
    if let Some(filter) = &rule.filter {
        let _ = write!(when, " if {}", line(filter));
    }
    let off = match (&standing.why_not, &rule.denies) {
        (Some(why), _) => format!("  (does not run: {})", line(why)),
        (None, Some(why)) => format!("  (denies: {})", line(why)),
        (None, None) => String::new(),
    };
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
