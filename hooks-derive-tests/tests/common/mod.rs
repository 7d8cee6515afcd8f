//! A kind with every property that a kind can have, and a summary of the effect of a hook in one line.
#![allow(dead_code, unreachable_pub)] // each test binary uses a part

use hook_sdk::prelude::*;
use hook_sdk::scope::HookRef;

/// A text is about to be published.
#[derive(Debug, HookKind)]
#[hook_kind(name = "before_publish", subject = String, verdict = Permission, removable, match(topic))]
pub struct BeforePublish {
    pub topic: String,
}

/// The parts of a result that tests compare: subject, verdict, halt and failures.
pub fn summary<K: HookKind<Verdict = Permission>>(fired: &Fired<K>, subject: &str) -> String {
    let mut parts = vec![subject.to_owned()];
    parts.extend(fired.verdict.summary().map(str::to_owned));
    parts.extend(fired.report.halt.as_ref().map(|halt| format!("halt: {}", halt.reason.as_str())));
    parts.extend(fired.report.failures.iter().map(|failure| format!("failed: {}", failure.cause)));
    parts.join(" | ")
}

/// The set that contains exactly these hooks.
pub fn set<const N: usize>(hooks: [HookRef; N]) -> HookSet {
    let registry = Registry::empty().with(hooks).unwrap();
    registry.scope(&AgentDef::new("agent").hooks(hooks), None).unwrap()
}

/// Fires `before_publish` with the text `draft` on the topic `news`. A sync hook must have the same effect
/// without a runtime. An async hook must be an error there.
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

/// Defines a test. Each row is a hook, whether it is async, and the expected summary.
#[macro_export]
macro_rules! table {
    ($test:ident: $($kind:ident $hook:ident => $expected:literal,)+) => {
        #[tokio::test]
        async fn $test() {
            $(
                let actual = $crate::common::publish(hooks![$hook], table!(@ $kind)).await;
                assert_eq!(actual, $expected, stringify!($hook));
            )+
        }
    };
    (@ sync) => { false };
    (@ waits) => { true };
}
