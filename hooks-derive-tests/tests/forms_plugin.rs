//! `plugin!`, `plugin` and `locked` in their forms: a crate's hooks are its plugin's, unless they say otherwise.
#![allow(clippy::unwrap_used)] // hooks of tests say what they expect by unwrapping

mod common;

use common::BeforePublish;
use hooks_core::HookContext as Cx;
use hooks_core::kinds::*;
use hooks_core::prelude::*;

hooks_core::plugin!("of_the_crate", version = "7.0.0",);

/// A declaration in a module is one of its crate.
mod inner {
    use super::*;

    #[hook(id = "silent", kind = BeforePublish)]
    pub(crate) fn silent(_text: &mut String) {}

    #[hook(id = "says_where", kind = BeforePublish)]
    pub(crate) async fn says_where(cx: &Cx) -> Permission {
        tokio::task::yield_now().await;
        Permission::deny(cx.plugin().unwrap())
    }
}

#[hook(id = "elsewhere", kind = BeforePublish, plugin = "other", locked)]
fn elsewhere(cx: &'_ HookContext, text: &mut String) {
    text.push_str(cx.plugin().unwrap_or("nobody"));
}

#[hook(id = "opened", kind = init, locked,)]
fn opened(event: &Init) {
    assert_eq!((event.plugin.as_str(), event.version.as_str()), ("of_the_crate", "7.0.0"));
}

#[tokio::test]
async fn a_crate_s_hooks_are_its_plugin_s_unless_they_say_otherwise() {
    let registry = Registry::discover().unwrap();
    registry.install("other").unwrap();
    registry.install("of_the_crate").unwrap();
    registry.start_plugins(&HookContext::new()).await.unwrap();
    let set = registry.scope(&AgentDef::new("a"), None).unwrap();
    let manifest = registry.manifest();
    let told = |id: &str| {
        let hook = manifest.hooks.iter().find(|hook| hook.id.as_str() == id).unwrap();
        (hook.plugin.as_deref().unwrap().to_owned(), hook.locked)
    };
    assert_eq!(told("silent"), ("of_the_crate".to_owned(), false));
    assert_eq!(told("opened"), ("of_the_crate".to_owned(), true));
    assert_eq!(told("elsewhere"), ("other".to_owned(), true));
    let event = BeforePublish { topic: "news".to_owned() };
    let fired = set.fire(&HookContext::new(), &event, "of ".to_owned()).await.unwrap();
    assert_eq!(fired.subject.as_deref(), Some("of other"));
    assert_eq!(fired.verdict.denial().unwrap().reason.as_str(), "of_the_crate");
}
