//! A kind with everything a kind can have, and one line that says what a hook did at it.
#![allow(dead_code, unreachable_pub)] // each test binary uses its part

use hooks_core::prelude::*;
use hooks_core::scope::HookRef;

/// A text is about to be published.
#[derive(Debug, HookKind)]
#[hook_kind(name = "before_publish", subject = String, verdict = Permission, removable, match(topic))]
pub struct BeforePublish {
    pub topic: String,
}

/// What a test looks at: subject, verdict, halt and failure, those that are there.
pub fn summary<K: HookKind<Verdict = Permission>>(fired: &Fired<K>, subject: &str) -> String {
    let mut parts = vec![subject.to_owned()];
    parts.extend(fired.verdict.summary().map(str::to_owned));
    parts.extend(fired.report.halt.as_ref().map(|halt| format!("halt: {}", halt.reason.as_str())));
    parts.extend(fired.report.failures.iter().map(|failure| format!("failed: {}", failure.cause)));
    parts.join(" | ")
}

/// The set of these hooks and no other.
pub fn set<const N: usize>(hooks: [HookRef; N]) -> HookSet {
    let registry = Registry::empty().with(hooks).unwrap();
    registry.scope(&AgentDef::new("agent").hooks(hooks), None).unwrap()
}

/// Fires `before_publish` with the text `draft` on the topic `news`. A sync hook must do the same without a runtime, and an
/// async one must be refused there.
pub async fn publish(hook: [HookRef; 1], is_async: bool) -> String {
    let (hooks, cx) = (set(hook), HookContext::builder().agent("ada").build());
    let event = BeforePublish { topic: "news".into() };
    let describe = |fired: &Fired<BeforePublish>| summary(fired, fired.subject.as_deref().unwrap_or("removed"));
    let fired = describe(&hooks.fire(&cx, &event, "draft".to_owned()).await.unwrap());
    match hooks.fire_blocking(&cx, &event, "draft".to_owned()) {
        Ok(blocking) => assert!(!is_async && describe(&blocking) == fired, "{blocking:?}"),
        Err(error) => assert!(is_async, "{error}"),
    }
    fired
}

/// One test: each row is a hook, whether it is async, and what it comes to.
#[macro_export]
macro_rules! table {
    ($test:ident: $($kind:ident $hook:ident => $expected:literal,)+) => {
        #[tokio::test]
        async fn $test() {
            $(
                let came_to = $crate::common::publish(hooks![$hook], table!(@ $kind)).await;
                assert_eq!(came_to, $expected, stringify!($hook));
            )+
        }
    };
    (@ sync) => { false };
    (@ waits) => { true };
}
