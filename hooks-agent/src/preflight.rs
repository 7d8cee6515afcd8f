//! The app's preflight: a first look at a prompt.

use hook_sdk::HookContext;
use hook_sdk::data::Messages;
use hook_sdk::hook::BoxFuture;
use serde::Serialize;
use serde_json::Value;

/// Looks at a prompt before its context is built. Its plan is passed to hooks at `post_preflight_prompt_context`, which
/// read it with [`read_plan`](hook_sdk::kinds::PostPreflightPromptContext::read_plan).
pub trait Preflight: Send + Sync + 'static {
    /// The type of the plan.
    type Plan: Serialize;

    /// Creates the plan for a prompt. If this panics or takes longer than [`Limits::model`](crate::Limits::model),
    /// there is no plan, and the turn reports the diagnostic `preflight.failed`.
    fn look<'a>(&'a self, cx: &'a HookContext, prompt: &'a str, history: &'a Messages) -> BoxFuture<'a, Self::Plan>;
}

/// A plain function that plans immediately.
impl<P: Serialize, F: Fn(&HookContext, &str, &Messages) -> P + Send + Sync + 'static> Preflight for F {
    type Plan = P;

    fn look<'a>(&'a self, cx: &'a HookContext, prompt: &'a str, history: &'a Messages) -> BoxFuture<'a, P> {
        Box::pin(async move { self(cx, prompt, history) })
    }
}

/// A preflight with its plan as JSON.
pub(crate) trait JsonPreflight: Send + Sync {
    fn plan<'a>(
        &'a self,
        cx: &'a HookContext,
        prompt: &'a str,
        history: &'a Messages,
    ) -> BoxFuture<'a, Result<Value, serde_json::Error>>;
}

impl<P: Preflight> JsonPreflight for P {
    fn plan<'a>(
        &'a self,
        cx: &'a HookContext,
        prompt: &'a str,
        history: &'a Messages,
    ) -> BoxFuture<'a, Result<Value, serde_json::Error>> {
        let look = self.look(cx, prompt, history);
        Box::pin(async move { serde_json::to_value(look.await) })
    }
}
