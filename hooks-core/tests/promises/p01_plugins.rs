//! Promise 1: hooks of plugins join the app's list. If a plugin failed to start, its hooks are skipped and its guards
//! refuse.

use std::sync::{Arc, Mutex};

use hook_sdk::diagnostics::{Finding, FindingKind};
use hook_sdk::kinds::ShutdownReason;
use hook_sdk::plugin::Plugin;
use hook_sdk::record::{Skip, Status};
use hook_sdk::verdict::Cause;
use serde_json::json;

use super::support::*;

#[hook(id = "linked_guard", kind = Spend, plugin = "linked_acme")]
fn linked_guard(cx: &HookContext) -> Permission {
    Permission::deny(cx.plugin().unwrap_or("nobody"))
}

#[hook(id = "linked_trail", kind = Step, plugin = "linked_acme")]
fn linked_trail(trail: &mut Trail) {
    trail.0.push("linked");
}

#[hook(id = "linked_later", kind = Step, plugin = "linked_acme")]
async fn linked_later(cx: &HookContext, mut trail: Trail) -> Trail {
    trail.0.push(if cx.plugin() == Some("linked_acme") { "linked_acme" } else { "nobody" });
    trail
}

fn run(set: &HookSet) -> Vec<&'static str> {
    set.fire_blocking(&cx(), &step(), Trail::default()).unwrap().subject.unwrap().0
}

/// What happened, in order.
type Log = Arc<Mutex<Vec<String>>>;

/// A plugin with a hook at `step` that has the name of the plugin. It logs what its `init` and `shutdown` receive.
fn plugin(name: &'static str, starts: bool, reported: &Log) -> Plugin {
    let (init, shutdown) = (Arc::clone(reported), Arc::clone(reported));
    let ids = [format!("{name}_init"), format!("{name}_shutdown")];
    let init = Hook::at::<Init>(&ids[0]).reader(move |cx, event, ()| {
        let config = &event.config;
        init.lock().unwrap().push(format!("{} starts with {config}, {:?}", cx.plugin().unwrap(), event.data_dir));
        if starts { Ok(()) } else { Err("no licence") }
    });
    let shutdown = Hook::at::<Shutdown>(&ids[1]).reader(move |_, event, ()| {
        shutdown.lock().unwrap().push(format!("{} stops: {}", event.plugin, event.reason));
    });
    Plugin::new(name).hook(init).hook(shutdown).hook(writes(name))
}

fn kinds(findings: &[Finding]) -> Vec<FindingKind> {
    findings.iter().map(Finding::kind).collect()
}

#[test]
fn a_linked_plugin_is_in_no_scope_until_it_is_installed_and_in_every_scope_afterwards() {
    let registry = Registry::empty().with(hooks![linked_guard, linked_trail]).unwrap();
    let (agent, empty) = (AgentDef::new("a"), PromptDef::new("p").hooks([] as [&str; 0]));
    let set = registry.scope(&agent, Some(&empty)).unwrap();
    assert!(!set.has::<Step>() && !set.has::<Spend>());
    let findings = registry.audit([&set]);
    assert_eq!(kinds(&findings), [FindingKind::EmptyScope, FindingKind::PluginNotInstalled]);
    assert_eq!(findings[1].about(), "linked_acme");
    assert_eq!(
        findings[1].to_string(),
        "the plugin `linked_acme` is not installed, so its hooks never run (`linked_guard`, `linked_trail`); install it with `registry.install(\"linked_acme\")`"
    );
    // A list that names one of its hooks is an error that says so, because the plugin was not installed.
    let error = registry.scope(&AgentDef::new("a").hooks(["linked_trail"]), None).unwrap_err().to_string();
    assert!(error.starts_with("agent `a` names the hook `linked_trail` ("), "{error}");
    assert!(error.ends_with(
        "of the plugin `linked_acme`, which is not installed; install it with `registry.install(\"linked_acme\")`"
    ));

    registry.install("linked_acme").unwrap();
    let set = registry.scope(&agent, Some(&empty)).unwrap();
    assert_eq!(run(&set), ["linked"]);
    let fired = set.fire_blocking(&cx(), &spend(), Trail::default()).unwrap();
    assert_eq!(fired.verdict.denial().unwrap().reason.as_str(), "linked_acme", "the context names the plugin");
    assert!(registry.audit([&set]).is_empty());
}

#[tokio::test]
async fn the_context_of_an_async_hook_names_its_plugin_too() {
    let registry = Registry::empty().with(hooks![linked_later]).unwrap();
    registry.install("linked_acme").unwrap();
    let set = registry.scope(&AgentDef::new("a"), None).unwrap();
    let fired = set.fire(&cx(), &step(), Trail::default()).await.unwrap();
    assert_eq!(fired.subject.unwrap().0, ["linked_acme"]);
    let trial = hook_sdk::testing::Trial::of(hooks![linked_later]);
    let tried = trial.run(&step(), Trail::default()).await.unwrap();
    assert_eq!(tried.subject.unwrap().0, ["linked_acme"], "a trial names the plugin, although it is not installed");
}

#[test]
fn a_plugin_s_hook_and_its_init_can_each_be_tried_alone() {
    #[hook(id = "linked_second", kind = [Init, Step], after = ["linked_trail"], plugin = "linked_acme")]
    fn linked_second(cx: &HookContext) -> Result<(), String> {
        if cx.plugin() == Some("linked_acme") { Ok(()) } else { Err("whose?".to_owned()) }
    }
    let trial = || hook_sdk::testing::Trial::of(hooks![linked_second]);
    let tried = trial().run_blocking(&step(), Trail::default()).unwrap();
    assert_eq!(
        (tried.runs().len(), tried.subject.unwrap().0.len()),
        (1, 0),
        "`linked_trail` orders it and is not tried"
    );
    let tried = trial().run_blocking(&Init::new("linked_acme"), ()).unwrap();
    assert_eq!(tried.runs()[0].status, Status::Completed);
}

#[test]
fn a_plugin_for_an_agent_is_in_force_for_that_agent_alone() {
    let registry = Registry::empty();
    registry.install(Plugin::new("acme").agent("support").agent("sales").hook(writes("acme"))).unwrap();
    let empty = PromptDef::new("p").hooks([] as [&str; 0]);
    for (agent, expected) in [("support", &["acme"][..]), ("sales", &["acme"]), ("other", &[])] {
        let set = registry.scope(&AgentDef::new(agent), Some(&empty)).unwrap();
        assert_eq!(run(&set), expected, "{agent}");
    }
}

#[test]
fn a_list_can_give_parameters_to_a_plugin_s_hook() {
    #[derive(serde::Deserialize)]
    struct Word {
        word: u8,
    }
    let says = Hook::at::<Spend>("says").reader(|cx, _, _| {
        cx.with::<Word>().map_or(Permission::NoOpinion, |with| Permission::deny(with.word.to_string()))
    });
    let registry = Registry::empty();
    registry.install(Plugin::new("acme").hook(says.parameters::<Word>())).unwrap();
    let error = registry.scope(&AgentDef::new("a"), None).unwrap_err().to_string();
    assert!(error.starts_with("plugin `acme` names the hook `says` ("), "{error}");
    assert!(error.contains("without its required parameters (`with`)"), "{error}");
    assert!(error.ends_with("name the hook in a list too, with `with`"), "{error}");
    let agent: AgentDef = serde_json::from_value(json!({"hooks": [{"id": "says", "with": {"word": 7}}]})).unwrap();
    let set = registry.scope(&agent, None).unwrap();
    let fired = set.fire_blocking(&cx(), &spend(), Trail::default()).unwrap();
    assert_eq!(fired.verdict.denial().unwrap().reason.as_str(), "7");
}

#[tokio::test]
async fn each_plugin_is_started_once_and_stopped_in_reverse_order() {
    let (registry, reported) = (Registry::empty(), Log::default());
    registry.install(plugin("one", true, &reported).config(json!({"limit": 3})).data_dir("data/one")).unwrap();
    registry.install(plugin("two", true, &reported)).unwrap();
    let set = registry.scope(&AgentDef::new("a"), None).unwrap();
    let findings: Vec<String> = registry.audit([&set]).iter().map(ToString::to_string).collect();
    assert_eq!(findings.len(), 2, "{findings:?}");
    assert!(findings[0].ends_with("has `init` hooks that have not run; call `registry.start_plugins(&cx)`"));

    // The plugins do not see the app's own `init` occurrence.
    drop(set.fire(&cx(), &Init::new(""), ()).await.unwrap());
    assert!(reported.lock().unwrap().is_empty());

    registry.start_plugins(&cx()).await.unwrap();
    registry.start_plugins(&cx()).await.unwrap();
    registry.stop_plugins(&cx(), ShutdownReason::Shutdown).await.unwrap();
    registry.stop_plugins(&cx(), ShutdownReason::Shutdown).await.unwrap();
    let expected = [
        "one starts with {\"limit\":3}, Some(\"data/one\")",
        "two starts with null, None",
        "two stops: shutdown",
        "one stops: shutdown",
    ];
    assert_eq!(*reported.lock().unwrap(), expected);

    reported.lock().unwrap().clear();
    registry.start_plugins(&cx()).await.unwrap();
    registry.uninstall("one", &cx()).await.unwrap();
    assert_eq!(reported.lock().unwrap().last().unwrap(), "one stops: uninstall");
    assert_eq!(run(&registry.scope(&AgentDef::new("a"), None).unwrap()), ["two"]);
    let error = registry.uninstall("tow", &cx()).await.unwrap_err().to_string();
    assert_eq!(error, "the plugin `tow` failed to stop: it is not installed; did you mean `two`?");
}

#[tokio::test]
async fn a_plugin_that_fails_to_start_is_left_out_with_its_reason_and_the_others_run() {
    let (registry, reported) = (Registry::empty(), Log::default());
    for (name, starts) in [("one", true), ("bad", false), ("three", true)] {
        registry.install(plugin(name, starts, &reported)).unwrap();
    }
    let before = registry.scope(&AgentDef::new("a"), None).unwrap();
    let failed = registry.start_plugins(&cx()).await.unwrap_err();
    let [failure] = &failed.failures[..] else { panic!("{failed}") };
    assert_eq!(failure.plugin, "bad");
    assert_eq!(
        failed.to_string(),
        "the plugin `bad` failed to start; its guards fail closed, and its other hooks do not run: hook `bad_init` at `init` failed (error): no licence; the hook is required, so nothing after it ran"
    );
    assert_eq!(reported.lock().unwrap().len(), 3, "the one after it is started too");

    // If an agent names the hook, the hook is skipped, and the report names the plugin and the reason.
    let agent = AgentDef::new("a").hooks(["bad"]);
    let set = registry.scope(&agent, None).unwrap();
    assert_eq!(run(&set), ["one", "three"]);
    let fired = set.fire_blocking(&cx(), &step(), Trail::default()).unwrap();
    let statuses = statuses(&fired.report.record.clone().unwrap());
    assert_eq!(statuses.last().unwrap(), &("bad".to_owned(), Status::Skipped(Skip::Disabled)));
    let findings = registry.audit([&set]);
    assert_eq!(kinds(&findings), [FindingKind::PluginFailed]);
    assert_eq!(findings[0].about(), "bad");
    assert!(findings[0].to_string().contains("no licence"), "{findings:?}");
    assert!(set.to_string().contains("left out: its plugin bad failed to start"), "{set}");
    assert_eq!(run(&before), ["one", "bad", "three"], "an existing set does not change");

    reported.lock().unwrap().clear();
    registry.stop_plugins(&cx(), "shutdown").await.unwrap();
    assert_eq!(
        *reported.lock().unwrap(),
        ["three stops: shutdown", "one stops: shutdown"],
        "a plugin that was not started is not stopped"
    );
    registry.uninstall("bad", &cx()).await.unwrap();
    registry.install(plugin("bad", true, &reported)).unwrap();
    registry.start_plugins(&cx()).await.unwrap();
    assert_eq!(run(&registry.scope(&agent, None).unwrap()), ["one", "three", "bad"], "reinstalled plugins come last");
}

#[tokio::test]
async fn the_guards_of_a_plugin_that_fails_to_start_refuse_everywhere() {
    let registry = Registry::empty();
    let mut watched =
        Hook::at::<BeforeToolCall>("filtered").reader(|_, _, _| Permission::deny("never")).only("tool", "rm");
    watched = watched.plugin("guards");
    let guards = Plugin::new("guards")
        .hook(Hook::at::<Init>("starts").reader(|_, _, ()| Err::<(), _>("no licence")))
        .hook(Hook::at::<BeforeToolCall>("gate").reader(|_, _, _| Permission::Allow).only("tool", "pay"))
        .hook(watched)
        .hook(Hook::at::<BeforeCreateMessage>("redacts").writer(|_, _, _| {}).on_failure(OnFailure::Required))
        .hook(Hook::at::<AfterCreateMessage>("counts").reader(|_, _, ()| ()));
    registry.install(guards.optional()).unwrap();
    let failed = registry.start_plugins(&cx()).await.unwrap_err();
    assert!(failed.failures[0].optional);
    let set = registry.scope(&AgentDef::new("a"), None).unwrap();

    let gate = |tool: &str| {
        let event = BeforeToolCall::new(ToolCall::new("1", tool, serde_json::json!({})));
        set.fire_blocking(&cx(), &event, ToolInput::default()).unwrap().verdict
    };
    let Permission::Deny(denial) = gate("pay") else { panic!("{:?}", gate("pay")) };
    let event = BeforeToolCall::new(ToolCall::new("1", "pay", serde_json::json!({})));
    let failures = set.fire_blocking(&cx(), &event, ToolInput::default()).unwrap().report.failures.clone();
    assert!(failures[0].to_string().contains("its plugin `guards` failed to start"), "{failures:?}");
    assert!(matches!(denial.cause, Cause::CouldNotAnswer(_)));
    assert_eq!(gate("search"), Permission::NoOpinion, "its filter does not match this event");
    let row = Message::new(Role::User, "hi");
    assert!(set.fire_blocking(&cx(), &BeforeCreateMessage::new(), row).is_err());
    assert!(!set.has::<AfterCreateMessage>(), "{set}");
}

#[tokio::test]
async fn a_start_whose_future_is_dropped_leaves_the_plugin_not_started() {
    let registry = Registry::empty();
    let slow = Hook::at::<Init>("slow").async_reader(|_, _, &()| later(60_000, ()));
    registry.install(Plugin::new("acme").hook(slow)).unwrap();
    {
        let context = cx();
        let mut start = Box::pin(registry.start_plugins(&context));
        std::future::poll_fn(|task| {
            assert!(start.as_mut().poll(task).is_pending());
            std::task::Poll::Ready(())
        })
        .await;
    }
    let findings = registry.audit([]);
    assert!(kinds(&findings).contains(&FindingKind::PluginNotStarted), "{findings:?}");
}

#[test]
fn all_mistakes_of_an_installation_are_reported_at_once_and_nothing_is_installed() {
    let registry = Registry::empty().with(hooks![linked_trail]).unwrap();
    registry.register(writes("there")).unwrap();
    registry.install(Plugin::new("acme").hook(writes("acme"))).unwrap();
    let table: [(Plugin, &[&str]); 5] = [
        (
            Plugin::new("linked_acm"),
            &["there is no plugin `linked_acm`; did you mean `linked_acme`? (if its crate is not linked"],
        ),
        (Plugin::new("nowhere"), &["there is no plugin `nowhere` (if its crate is not linked"]),
        (Plugin::new("acme"), &["the plugin `acme` is already installed ("]),
        (
            Plugin::new("Acme Corp").hook(writes("fine")),
            &["`Acme Corp` is not a plugin's name: a plugin's name is `snake_case`"],
        ),
        (
            Plugin::new("other")
                .hook(writes("there"))
                .hook(writes("Bad Id"))
                .hook(writes("twice"))
                .hook(writes("twice")),
            &["two hooks have the id `there`", "`Bad Id` is not an id", "two hooks have the id `twice`"],
        ),
    ];
    for (plugin, expected) in table {
        let error = registry.install(plugin).unwrap_err();
        assert_eq!(error.problems().len(), expected.len(), "{error}");
        for (problem, expected) in error.problems().iter().zip(expected) {
            assert!(problem.to_string().contains(expected), "{problem}");
        }
    }
    assert_eq!(registry.plugins().iter().map(|name| &**name).collect::<Vec<_>>(), ["acme"]);
    assert!(registry.hooks().iter().all(|hook| hook.id().as_str() != "fine"));
}

#[test]
fn a_replacement_of_a_plugin_s_hook_belongs_to_the_plugin() {
    let registry = Registry::empty();
    registry.install(Plugin::new("acme").hook(writes("a")).hook(writes("b"))).unwrap();
    registry
        .replace(Hook::at::<Step>("a").writer(|cx, _, trail| {
            trail.0.push(if cx.plugin() == Some("acme") { "anew" } else { "nobody" });
        }))
        .unwrap();
    assert_eq!(run(&registry.scope(&AgentDef::new("x"), None).unwrap()), ["anew", "b"]);
}

/// A guard at `spend` that logs its start and stop, with its configuration.
fn guards(config: u32, starts: bool, reported: &Log) -> Plugin {
    let guard = Hook::at::<Spend>("guard").reader(move |_, _, _| Permission::deny(format!("limit {config}")));
    plugin("guards", starts, reported).hook(guard).config(json!(config))
}

#[tokio::test]
async fn a_reloaded_plugin_is_shut_down_first_keeps_its_place_and_refuses_in_between() {
    let (registry, reported) = (Registry::empty(), Log::default());
    let agent = AgentDef::new("a");
    let refusal = |registry: &Registry| {
        let set = registry.scope(&agent, None).unwrap();
        let fired = set.fire_blocking(&cx(), &spend(), Trail::default()).unwrap();
        let failed = fired.report.failures.first().map(ToString::to_string);
        failed.or_else(|| Some(fired.verdict.denial()?.reason.to_string())).unwrap_or_else(|| "open".to_owned())
    };
    registry.install(guards(1, true, &reported)).unwrap();
    registry.install(plugin("last", true, &reported)).unwrap();
    registry.start_plugins(&cx()).await.unwrap();
    let before = registry.scope(&agent, None).unwrap();
    reported.lock().unwrap().clear();

    let closed = |registry: &Registry| {
        assert!(refusal(registry).contains("its plugin `guards` is being reloaded"), "{}", refusal(registry));
    };
    let handle = registry.clone();
    let (reported_too, agent_too) = (Arc::clone(&reported), agent.clone());
    let again = || {
        let (handle, agent) = (handle.clone(), agent_too.clone());
        let probe = Hook::at::<Init>("probe").reader(move |_, _, ()| {
            let set = handle.scope(&agent, None).unwrap();
            assert!(
                set.fire_blocking(&cx(), &spend(), Trail::default()).unwrap().verdict.denial().is_some(),
                "not started yet"
            );
        });
        guards(2, true, &reported_too).hook(probe)
    };
    let ((), failures) = registry
        .reload_plugins(&["guards"], &cx(), |draft| {
            closed(&registry);
            draft.install(again())
        })
        .await
        .unwrap();
    assert!(failures.is_empty(), "{failures:?}");
    assert_eq!(*reported.lock().unwrap(), ["guards stops: reload", "guards starts with 2, None"]);
    assert_eq!(refusal(&registry), "limit 2");
    assert_eq!(registry.plugins().iter().map(|name| &**name).collect::<Vec<_>>(), ["guards", "last"]);
    let old = before.fire_blocking(&cx(), &spend(), Trail::default()).unwrap();
    assert_eq!(old.verdict.denial().unwrap().reason.as_str(), "limit 1", "an existing set does not change");

    // A plugin that cannot be started refuses, and so does one that does not fit.
    let ((), failures) =
        registry.reload_plugins(&["guards"], &cx(), |draft| draft.install(guards(3, false, &reported))).await.unwrap();
    assert_eq!(failures.len(), 1);
    assert!(refusal(&registry).contains("no licence"), "{}", refusal(&registry));
    let twice = |draft: &Registry| {
        draft.install(guards(4, true, &reported))?;
        draft.install(guards(4, true, &reported))
    };
    registry.reload_plugins(&["guards"], &cx(), twice).await.unwrap_err();
    closed(&registry);
    // A plugin that the app knows it cannot start refuses too.
    let ((), failures) = registry
        .reload_plugins(&["guards"], &cx(), |draft| draft.install(guards(5, true, &reported).failed("it needs `jq`")))
        .await
        .unwrap();
    assert!(failures.is_empty(), "its `init` is not fired");
    assert!(refusal(&registry).contains("its plugin `guards` failed to start: it needs `jq`"));
    // An uninstalled plugin is gone.
    let ((), failures) = registry.reload_plugins(&["guards"], &cx(), |_| Ok::<_, ConfigError>(())).await.unwrap();
    assert_eq!((failures.len(), refusal(&registry).as_str()), (0, "open"));
}

#[tokio::test]
async fn a_plugin_that_is_uninstalled_is_not_started_and_none_of_its_hooks_runs() {
    let (registry, reported) = (Registry::empty(), Log::default());
    registry.install(plugin("one", true, &reported)).unwrap();
    registry.install(plugin("two", true, &reported)).unwrap();
    registry.uninstall("one", &cx()).await.unwrap();
    registry.start_plugins(&cx()).await.unwrap();
    assert_eq!(*reported.lock().unwrap(), ["two starts with null, None"]);
    assert_eq!(run(&registry.scope(&AgentDef::new("a"), None).unwrap()), ["two"]);
}

#[tokio::test]
async fn a_plugin_may_have_the_name_of_the_app_and_of_the_agent() {
    let says = |id: &str| {
        Hook::at::<Step>(id).writer(|cx, _, trail| {
            trail.0.push(if cx.plugin() == Some("desk") { "the plugin" } else { "the app" });
        })
    };
    let registry = registry([says("own")]);
    registry.set_app(AppDef::new("desk").hooks(["own"]));
    registry.install(Plugin::new("desk").hook(says("installed"))).unwrap();
    let scope = || registry.scope(&AgentDef::new("desk"), None).unwrap();
    assert_eq!(run(&scope()), ["the app", "the plugin"]);
    registry.uninstall("desk", &cx()).await.unwrap();
    assert_eq!(run(&scope()), ["the app"]);
}

#[tokio::test]
async fn a_plugin_that_is_uninstalled_takes_no_hooks_of_others_with_it() {
    let registry = Registry::empty().with(hooks![linked_trail]).unwrap();
    registry.install(plugin("one", true, &Log::default())).unwrap();
    registry.uninstall("one", &cx()).await.unwrap();
    registry.install("linked_acme").unwrap();
    let set = registry.scope(&AgentDef::new("a"), None).unwrap();
    assert!(set.has::<Step>(), "{set}");
}

#[test]
fn audit_reports_a_plugin_for_an_agent_that_no_set_belongs_to() {
    let registry = registry([writes("own")]);
    registry.install(Plugin::new("for_two").hook(writes("in_two")).agent("sales").agent("suport")).unwrap();
    let set = |agent: &str| registry.scope(&AgentDef::new(agent).hooks(["own"]), None).unwrap();
    let table: [(&[&str], &[&str]); 4] = [
        // Without sets, nobody knows the agents.
        (&[], &[]),
        (&["sales", "suport"], &[]),
        (&["sales", "support"], &["`suport`"]),
        (&["other"], &["`sales`", "`suport`"]),
    ];
    for (agents, missing) in table {
        let sets: Vec<HookSet> = agents.iter().map(|agent| set(agent)).collect();
        let findings = registry.audit(&sets);
        let for_nobody = |finding: &&Finding| finding.kind() == FindingKind::PluginForNoAgent;
        let found: Vec<String> = findings.iter().filter(for_nobody).map(ToString::to_string).collect();
        assert_eq!(found.len(), missing.len(), "{agents:?}: {found:?}");
        for (found, missing) in found.iter().zip(missing) {
            assert!(found.contains(&format!("is installed for the agent {missing}, but no set")), "{found}");
        }
    }
}
