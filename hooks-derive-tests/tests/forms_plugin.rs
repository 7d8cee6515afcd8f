//! `plugin!`, `plugin` and `locked` in their forms. Hooks belong to the plugin of their crate, unless they name another.
#![allow(clippy::unwrap_used)] // hooks of tests unwrap to assert

mod common;

use common::BeforePublish;
use hook_sdk::HookContext as Cx;
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;

hook_sdk::plugin!("of_the_crate", version = "7.0.0",);

/// `plugin!` applies to the inner modules of a crate, too.
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
async fn hooks_belong_to_the_plugin_of_their_crate_unless_they_name_another() {
    let registry = Registry::discover().unwrap();
    registry.install("other").unwrap();
    registry.install("of_the_crate").unwrap();
    registry.start_plugins(&HookContext::new()).await.unwrap();
    let set = registry.scope(&AgentDef::new("a"), None).unwrap();
    let manifest = registry.manifest();
    let listed = |id: &str| {
        let hook = manifest.hooks.iter().find(|hook| hook.id.as_str() == id).unwrap();
        (hook.plugin.as_deref().unwrap().to_owned(), hook.locked)
    };
    assert_eq!(listed("silent"), ("of_the_crate".to_owned(), false));
    assert_eq!(listed("opened"), ("of_the_crate".to_owned(), true));
    assert_eq!(listed("elsewhere"), ("other".to_owned(), true));
    let event = BeforePublish { topic: "news".to_owned() };
    let fired = set.fire(&HookContext::new(), &event, "of ".to_owned()).await.unwrap();
    assert_eq!(fired.subject.as_deref(), Some("of other"));
    assert_eq!(fired.verdict.denial().unwrap().reason.as_str(), "of_the_crate");
}
