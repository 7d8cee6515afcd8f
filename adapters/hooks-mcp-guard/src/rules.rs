//! The hooks of a guard: those of rule files, beside those that are linked into the program.

use std::collections::HashSet;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hook_sdk::diagnostics::{Finding, FindingKind};
use hook_sdk::record::{Observer, Record, Status};
use hook_sdk::scope::{AgentDef, AppDef, HookUse};
use hook_sdk::{Hook, HookSet, Registry};
use hooks_rules::{Event, Rules, RulesBuilder, Severity, Trust};

use crate::streams::Reports;

/// Loads the hooks. What does not load would be a guard that is missing, so it is an error.
/// Returns too the rules, and whether anything judges results: the rules of other events have a hook there too, for the texts that they add.
pub(crate) fn load(
    server: &str,
    files: &[PathBuf],
    project: Option<PathBuf>,
    reports: &Reports,
) -> Result<(HookSet, (Rules, bool)), Box<dyn Error>> {
    let registry = Registry::discover()?;
    let own = own_hooks(&registry);
    if own.is_empty() && files.is_empty() {
        return Err("no rules are named: `--rules FILE`".into());
    }
    let texts = files.iter().map(|file| trusted(file)).collect::<Result<Vec<_>, _>>()?;
    let notices = reports.clone();
    let mut rules = Rules::builder().trust_all().on_notices(move |new| {
        new.messages.iter().for_each(|message| notices.notice(message));
    });
    rules = project.into_iter().fold(rules, RulesBuilder::project_dir);
    rules = files.iter().zip(&texts).fold(rules, |rules, (file, text)| rules.text(file, text.as_str()));
    let rules = rules.build();
    let installed = rules.install(&registry)?;
    // What is only a warning elsewhere is an event that never comes, a script that is missing, or a switch that is off.
    let defects = rules.defects().into_iter().chain(rules.inspect());
    let defects: Vec<String> =
        defects.filter(|defect| defect.severity >= Severity::Warning).map(|defect| defect.to_string()).collect();
    if !defects.is_empty() {
        return Err(defects.join("\n").into());
    }
    let list = rules.list();
    for file in files {
        if !list.iter().any(|rule| *rule.file == **file && rule.enabled) {
            return Err(named(file, "none of its rules runs"));
        }
    }
    let misnamed: Vec<String> = rules.audit_server(server).iter().map(ToString::to_string).collect();
    if !misnamed.is_empty() {
        return Err(format!("{}\nthe name of the server here is `--name {server}`", misnamed.join("\n")).into());
    }
    // A rule that names a hook of the program gives it its parameters.
    let of_rules: HashSet<&str> = list.iter().filter_map(|rule| rule.hook.as_deref()).collect();
    let alone = own.iter().filter(|hook| !of_rules.contains(hook.id().as_str()));
    let uses = alone.map(|hook| HookUse::id(hook.id().as_str())).chain(installed);
    registry.set_app(AppDef::new("hooks-mcp-guard").hooks(uses));
    registry.observe(Failures(reports.clone()));
    let judges = |hook: &Arc<Hook>| hook.kinds().any(|kind| kind.starts_with("after_tool_call_"));
    let named = registry.hooks().into_iter().filter(|hook| of_rules.contains(hook.id().as_str()));
    let of_results = [Event::PostToolUse, Event::PostToolUseFailure];
    let judges_results = own.iter().cloned().chain(named).any(|hook| judges(&hook))
        || list.iter().any(|rule| of_results.contains(&rule.event));
    Ok((registry.scope(&AgentDef::new("hooks-mcp-guard"), None)?, (rules, judges_results)))
}

/// The linked hooks that run without being named: all but those of a library, from which rules choose.
fn own_hooks(registry: &Registry) -> Vec<Arc<Hook>> {
    let findings = registry.audit([]);
    let unnamed = findings.iter().filter(|finding| finding.kind() == FindingKind::UnnamedHook);
    let unnamed: HashSet<&str> = unnamed.map(Finding::about).collect();
    let is_own = |hook: &Arc<Hook>| hook.of_plugin().is_some() || unnamed.contains(hook.id().as_str());
    registry.hooks().into_iter().filter(is_own).collect()
}

/// The text of a file that the person trusts as it is now.
fn trusted(file: &Path) -> Result<String, Box<dyn Error>> {
    let trust = Trust::user_file().map(Trust::open).transpose()?;
    let text = std::fs::read_to_string(file).map_err(|error| named(file, &error.to_string()))?;
    if trust.is_some_and(|trust| trust.allows(file, text.as_bytes())) {
        return Ok(text);
    }
    Err(named(file, &format!("is not trusted as it is now: review it with `hooks trust {}`", file.display())))
}

fn named(file: &Path, problem: &str) -> Box<dyn Error> {
    format!("{}: {problem}", file.display()).into()
}

/// Reports hooks that fail: the call may go on without them. Those of rules report themselves.
struct Failures(Reports);

impl Observer for Failures {
    fn dispatched(&self, record: &Record) {
        for run in record.runs.iter().filter(|run| !run.hook.as_str().starts_with("rules_")) {
            if matches!(run.status, Status::Failed | Status::TimedOut | Status::Panicked | Status::Dropped) {
                let cause = run.cause.as_deref().unwrap_or("it did not end well");
                self.0.notice(&format!("the hook `{}` failed at `{}`: {cause}", run.hook, record.kind));
            }
        }
    }
}
