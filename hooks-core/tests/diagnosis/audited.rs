//! What the audit finds in sets, and the check in programs.

use hook_sdk::diagnostics::{FindingKind, HarnessFacts};
use hook_sdk::overrides::{Override, Overrides};
use hook_sdk::plugin::Plugin;

use crate::*;

#[hook(id = "index_notes", kind = after_create_message, plugin = "archive")]
fn index_notes() {}

/// The findings for an agent that names `ids`.
fn audit(registry: &Registry, ids: Option<&[&str]>) -> String {
    let agent = ids.map_or(AgentDef::new("support"), support);
    only(registry.audit([&registry.scope(&agent, None).unwrap()])).to_string()
}

fn dropped_gate() -> String {
    let registry = registry([gate("guard_cancel"), counts("count_tokens")]);
    let agent = support(&["guard_cancel"]);
    let prompt = PromptDef::new("refunds").hooks([HookUse::id("count_tokens")]);
    let sets = [registry.scope(&agent, None).unwrap(), registry.scope(&agent, Some(&prompt)).unwrap()];
    only(registry.audit(&sets)).to_string()
}

async fn failed_plugin() -> String {
    let fails = Hook::at::<Init>("open_ledger").reader(|_, _, ()| Err::<(), _>("no licence"));
    let registry = registry([counts("count_tokens")]);
    registry.install(Plugin::new("billing").hook(fails).hook(counts("count_bills"))).unwrap();
    assert!(registry.start_plugins(&HookContext::new()).await.is_err());
    audit(&registry, Some(&["count_tokens"]))
}

fn idle_plugin() -> String {
    let registry = registry([counts("count_tokens")]);
    let init = Hook::at::<Init>("open_ledger").reader(|_, _, ()| ());
    registry.install(Plugin::new("billing").hook(init)).unwrap();
    audit(&registry, Some(&["count_tokens"]))
}

/// A set that was made before the app's list named the hook.
fn outdated_set() -> String {
    let registry = registry([gate("guard_cancel"), counts("count_tokens")]);
    let set = registry.scope(&support(&["count_tokens"]), None).unwrap();
    registry.set_app(AppDef::new("desk").hooks(["guard_cancel"]));
    only(registry.audit([&set])).to_string()
}

/// A plugin for an agent, whose name is written differently.
fn plugin_for_nobody() -> String {
    let registry = registry([counts("count_tokens")]);
    registry.install(Plugin::new("billing").hook(counts("count_bills")).agent("Support")).unwrap();
    let set = registry.scope(&support(&["count_tokens"]), None).unwrap();
    let findings = registry.audit([&set]);
    // So no list names its hook.
    assert_eq!(findings.len(), 2, "{findings:?}");
    findings.into_iter().find(|finding| finding.kind() == FindingKind::PluginForNoAgent).unwrap().to_string()
}

/// The line about `what` with which the check of a program with this hook fails.
fn checked(what: &str, hook: Hook, facts: &HarnessFacts) -> String {
    let list = [HookUse::id(hook.id().as_str())];
    let registry = registry([hook]);
    let set = registry.scope(&AgentDef::new("support").hooks(list), None).unwrap();
    let failed = registry.check([&set], facts).unwrap_err().to_string();
    only(failed.lines().filter(|line| line.contains(what))).trim_start_matches([' ', '.', '1', '2', '3']).to_owned()
}

pub(crate) async fn ways() -> Vec<Way> {
    let by = "audit";
    let checks = "`audit_with`, `check`";
    let tools = HarnessFacts::new().tools(["refund", "search"]);
    let idle = HarnessFacts::new().accept(FindingKind::DisabledHook, "guard_cancel", "it is being rewritten");
    let disabled = registry([gate("guard_cancel")]);
    disabled.disable("guard_cancel").unwrap();
    let overridden = registry([gate("guard_cancel")]);
    overridden.set_overrides([Overrides::new("ops.toml").set("guard_cancel", Override::new().enabled(false))]).unwrap();
    let rewrites = Hook::at::<BeforeToolCall>("add_id").writer(|_, _, _| ());
    let outdated = registry([gate("allow_small").priority(-1), rewrites]);
    let linked = Registry::empty().with(hooks![index_notes]).unwrap();
    linked.register(counts("count_tokens")).unwrap();
    vec![
        Way::new("no list names it", by, {
            audit(&registry([gate("guard_cancel"), counts("count_tokens")]), Some(&["guard_cancel"]))
        }),
        Way::new("the list of its agent or prompt is empty", by, audit(&Registry::empty(), Some(&[]))),
        Way::new("there is no list", by, audit(&Registry::empty(), None)),
        Way::new("the prompt's list omits a guard of the agent", by, dropped_gate()),
        Way::new(
            "the program never fires its kind",
            by,
            audit(&registry([masks("redact_pii")]), Some(&["redact_pii"])),
        ),
        Way::new("it is disabled", by, audit(&disabled, Some(&["guard_cancel"]))),
        Way::new("a layer of overrides disables it", by, audit(&overridden, Some(&["guard_cancel"]))),
        Way::new("its plugin is not installed", by, audit(&linked, Some(&["count_tokens"]))),
        Way::new("its plugin failed to start", by, failed_plugin().await),
        Way::new("its plugin was never started", by, idle_plugin()),
        Way::new("its set is older than the list, the plugin or the override", by, outdated_set()),
        Way::new("its plugin is installed for an agent with another name", by, plugin_for_nobody()),
        Way::new("its allow has no effect, because a later hook changes the input", by, {
            audit(&outdated, Some(&["allow_small", "add_id"]))
        }),
        Way::new("its filter matches none of the tools", checks, {
            checked("refnd", gate("guard_cancel").only("tool", "refnd"), &tools)
        }),
        Way::new("it masks, fails, and the text passes unmasked", checks, {
            checked("rewrites", masks("redact_pii"), &HarnessFacts::new())
        }),
        Way::new("the finding that you accept is gone", "`check`", checked("accepts", gate("guard_cancel"), &idle)),
    ]
}
