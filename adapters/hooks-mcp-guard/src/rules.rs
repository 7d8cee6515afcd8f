//! The hooks of a guard: those of rule files, beside those that are linked into the program.

use std::error::Error;
use std::path::PathBuf;

use hook_sdk::scope::{AgentDef, AppDef, HookUse};
use hook_sdk::{HookSet, Registry};
use hooks_rules::{Event, Rules, Severity, Trust};

/// Loads the hooks. What does not load would be a guard that is missing, so it is an error.
/// Returns too whether any of them judges results: the rules of other events have a hook there too, for the texts that they add.
pub(crate) fn load(files: &[PathBuf], project: Option<PathBuf>) -> Result<(HookSet, bool), Box<dyn Error>> {
    let registry = Registry::discover()?;
    let has = |kind: &str| registry.hooks().iter().any(|hook| hook.kinds().any(|of_hook| of_hook == kind));
    let compiled = has("after_tool_call_success") || has("after_tool_call_failure");
    let mut uses: Vec<HookUse> = registry.hooks().iter().map(|hook| HookUse::id(hook.id().as_str())).collect();
    if uses.is_empty() && files.is_empty() {
        return Err("no rules are named: `--rules FILE`".into());
    }
    let trust = Trust::user_file().map(Trust::open).transpose()?;
    let mut rules = Rules::builder().trust_all();
    rules = project.into_iter().fold(rules, hooks_rules::RulesBuilder::project_dir);
    for file in files {
        let named = |problem: &str| format!("{}: {problem}", file.display());
        let text = std::fs::read_to_string(file).map_err(|error| named(&error.to_string()))?;
        if !trust.as_ref().is_some_and(|trust| trust.allows(file, text.as_bytes())) {
            return Err(named(&format!(
                "is not trusted as it is now: review it with `hooks trust {}`",
                file.display()
            ))
            .into());
        }
        rules = rules.text(file, text);
    }
    let rules = rules.build();
    uses.extend(rules.install(&registry)?);
    // What is only a warning elsewhere is an event that never comes, a key that counts once, or a switch that is off.
    let defects: Vec<String> =
        rules.defects().iter().filter(|defect| defect.severity >= Severity::Warning).map(ToString::to_string).collect();
    if !defects.is_empty() {
        return Err(defects.join("\n").into());
    }
    for file in files {
        if !rules.list().iter().any(|rule| *rule.file == **file && rule.enabled) {
            return Err(format!("{}: none of its rules runs", file.display()).into());
        }
    }
    registry.set_app(AppDef::new("hooks-mcp-guard").hooks(uses));
    let of_results = [Event::PostToolUse, Event::PostToolUseFailure];
    let judges_results = compiled || rules.list().iter().any(|rule| of_results.contains(&rule.event));
    Ok((registry.scope(&AgentDef::new("hooks-mcp-guard"), None)?, judges_results))
}
