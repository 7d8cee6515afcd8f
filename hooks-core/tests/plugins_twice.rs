//! Promise 9: two plugins of one name, and a crate that is two plugins, are told with both places.
//!
//! A binary of its own: what it declares holds for all of it.
#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests too")]

use hooks_core::diagnostics::ProblemKind;
use hooks_core::kinds::*;
use hooks_core::plugin::Plugin;
use hooks_core::prelude::*;

hooks_core::plugin!("acme");
mod again {
    hooks_core::plugin!("acme");
}
mod other {
    hooks_core::plugin!("zeta");
}

#[hook(id = "guard", kind = before_tool_call)]
fn guard() {}

#[test]
fn both_places_are_told() {
    let error = Registry::discover().unwrap_err();
    let told: Vec<String> = error.problems().iter().map(ToString::to_string).collect();
    let twice = "two plugins have the name `acme`: hooks-core/tests/plugins_twice.rs:11 and hooks-core/tests/plugins_twice.rs:13; rename one";
    assert_eq!(told[0], twice);
    let expected = "one crate declares two plugins, `acme` (hooks-core/tests/plugins_twice.rs:11) and `zeta` (hooks-core/tests/plugins_twice.rs:16); keep one `plugin!`";
    assert!(told[1].starts_with(expected), "{}", told[1]);
}

#[test]
fn a_value_with_the_name_of_a_linked_plugin_is_one_too_many() {
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
fn a_plugin_that_is_installed_and_has_no_hooks_is_audited() {
    let registry = Registry::empty();
    registry.install("acme").unwrap();
    let findings: Vec<String> = registry.audit([]).iter().map(ToString::to_string).collect();
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert!(findings[0].starts_with("the plugin `acme` (hooks-core/tests/plugins_twice.rs:"), "{findings:?}");
    assert!(findings[0].ends_with("is installed but has no hooks"), "{findings:?}");
}
