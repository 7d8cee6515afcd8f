//! Promise 9: two plugins with one name, and two plugins in one crate, are reported with both places.
//!
//! A binary of its own, because `plugin!` applies to a whole binary.
#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests too")]

use hook_sdk::diagnostics::ProblemKind;
use hook_sdk::kinds::*;
use hook_sdk::plugin::Plugin;
use hook_sdk::prelude::*;

hook_sdk::plugin!("acme");
mod again {
    hook_sdk::plugin!("acme");
}
mod other {
    hook_sdk::plugin!("zeta");
}

#[hook(id = "guard", kind = before_tool_call)]
fn guard() {}

#[test]
fn two_plugins_of_one_name_or_crate_are_reported_with_both_places() {
    let error = Registry::discover().unwrap_err();
    let reported: Vec<String> = error.problems().iter().map(ToString::to_string).collect();
    let twice = "two plugins have the name `acme`: hooks-core/tests/plugins_twice.rs:11 and hooks-core/tests/plugins_twice.rs:13; rename one";
    assert_eq!(reported[0], twice);
    let expected = "one crate declares two plugins, `acme` (hooks-core/tests/plugins_twice.rs:11) and `zeta` (hooks-core/tests/plugins_twice.rs:16); keep one `plugin!`";
    assert!(reported[1].starts_with(expected), "{}", reported[1]);
}

#[test]
fn a_plugin_value_with_the_name_of_a_linked_plugin_is_refused() {
    let registry = Registry::empty().with(hooks![guard]).unwrap();
    let hook = Hook::at::<BeforeToolCall>("value").reader(|_, _, _| ());
    let error = registry.install(Plugin::new("acme").hook(hook)).unwrap_err();
    let found: Vec<_> = error.problems().iter().map(|problem| (problem.kind(), problem.about())).collect();
    assert_eq!(found, [(ProblemKind::PluginTwice, "acme")], "{error}");
    registry.install(Plugin::new("acme").data_dir("data")).unwrap();
    let hook = Hook::at::<BeforeToolCall>("value").reader(|_, _, _| ());
    registry.install(Plugin::new("not_linked").hook(hook)).unwrap();
    assert!(registry.scope(&AgentDef::new("a"), None).unwrap().has::<BeforeToolCall>());
}

#[test]
fn audit_reports_an_installed_plugin_without_hooks() {
    let registry = Registry::empty();
    registry.install("acme").unwrap();
    let findings: Vec<String> = registry.audit([]).iter().map(ToString::to_string).collect();
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert!(findings[0].starts_with("the plugin `acme` (hooks-core/tests/plugins_twice.rs:"), "{findings:?}");
    assert!(findings[0].ends_with("is installed but has no hooks"), "{findings:?}");
}
