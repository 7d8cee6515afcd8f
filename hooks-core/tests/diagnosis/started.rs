//! What keeps a program from starting: mistakes in the registry, definitions, plugins and scopes.

use hook_sdk::overrides::{Override, Overrides};
use hook_sdk::plugin::Plugin;

use crate::*;

/// Not a hook, because the attribute is missing.
fn forgotten() {}

#[hook(id = "bill", kind = after_create_message, plugin = "billing")]
fn bill() {}

/// The error of an agent that names `ids`.
fn scope(hooks: impl IntoIterator<Item = Hook>, ids: &[&str]) -> String {
    only(registry(hooks).scope(&support(ids), None).unwrap_err().problems()).to_string()
}

fn read(text: &str) -> String {
    AgentDef::from_json("agent.json", text).unwrap_err().to_string()
}

fn unawaited() -> Hook {
    Hook::at::<AfterCreateMessage>("count_tokens").detached(|_, _, ()| Box::pin(async {}))
}

pub(crate) async fn ways() -> Vec<Way> {
    let (of_scope, reading) = ("`registry.scope`", "reading the file");
    let twice = registry([counts("count_tokens")]).register(counts("count_tokens")).unwrap_err();
    let not_one = Registry::empty().with(hooks![forgotten]).unwrap_err();
    let not_installed = Registry::empty().with(hooks![bill]).unwrap().scope(&support(&["bill"]), None).unwrap_err();
    let unknown_plugin = Registry::empty().with(hooks![bill]).unwrap().install(Plugin::new("biling")).unwrap_err();
    let overridden = registry([gate("guard_cancel")])
        .set_overrides([Overrides::new("ops.toml").set("gard_cancel", Override::new().enabled(true))])
        .unwrap_err();
    vec![
        Way::new(
            "another hook has its id (without `setup!()`)",
            "`Registry::discover`, `register`",
            only(twice.problems()),
        ),
        Way::new(
            "the function in `hooks![…]` has no `#[hook]`",
            "`Registry::discover`, `with`",
            only(not_one.problems()),
        ),
        Way::new("no plugin has that name", "`registry.install`", only(unknown_plugin.problems())),
        Way::new("its plugin fails to start", "`start_plugins`", {
            let fails = Hook::at::<Init>("open_ledger").reader(|_, _, ()| Err::<(), _>("no licence"));
            let registry = Registry::empty();
            registry.install(Plugin::new("billing").hook(fails).hook(counts("count_bills"))).unwrap();
            registry.start_plugins(&HookContext::new()).await.unwrap_err()
        }),
        Way::new(
            "the file has `hook` instead of `hooks`",
            reading,
            read(r#"{"name": "support", "hook": ["redact_pii"]}"#),
        ),
        Way::new("its list is in a nested table", reading, read(r#"{"agent": {"hooks": ["redact_pii"]}}"#)),
        Way::new("an override misspells its id", "`set_overrides`", only(overridden.problems())),
        Way::new("a list misspells its id", of_scope, scope([gate("guard_cancel")], &["gard_cancel"])),
        Way::new("its crate is not linked", of_scope, scope([], &["redact_pii"])),
        Way::new("a list names it, but its plugin is not installed", of_scope, only(not_installed.problems())),
        Way::new("an agent names it, but its kind fires outside of turns", of_scope, {
            scope([Hook::at::<SessionEnd>("say_bye").reader(|_, _, ()| ())], &["say_bye"])
        }),
        Way::new("it requires a hook that no list names", of_scope, {
            scope([gate("guard_cancel").requires(["know_customer"]), gate("know_customer")], &["guard_cancel"])
        }),
        Way::new("its order has a cycle", of_scope, {
            let hooks = [gate("first").after(["second"]), gate("second").after(["first"])];
            scope(hooks, &["first", "second"])
        }),
        Way::new("a list names it twice", of_scope, scope([gate("guard_cancel")], &["guard_cancel", "guard_cancel"])),
        Way::new("it runs in the background, but there is no queue for its jobs", of_scope, {
            let job = Hook::at::<AfterCreateMessage>("index").background(|_, _, ()| Box::pin(async {}));
            scope([job], &["index"])
        }),
        Way::new("it is ordered after a detached hook, for which nothing waits", of_scope, {
            scope([counts("report").after(["count_tokens"]), unawaited()], &["report", "count_tokens"])
        }),
    ]
}
