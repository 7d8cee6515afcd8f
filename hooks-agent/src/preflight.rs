//! The app's first look at a prompt.

use hooks_core::HookContext;
use hooks_core::data::Messages;
use hooks_core::hook::BoxFuture;
use serde::Serialize;
use serde_json::Value;

/// A first look at a prompt, before its context is put together. What it plans goes to hooks at
/// `post_preflight_prompt_context`, which read it with
/// [`read_plan`](hooks_core::kinds::PostPreflightPromptContext::read_plan).
pub trait Preflight: Send + Sync + 'static {
    /// What is planned, in a type of the app.
    type Plan: Serialize;

    /// Looks at a prompt. Where it takes longer than a call of a model may, or panics, there is no plan, and the turn tells
    /// so: `preflight.failed`.
    fn look<'a>(&'a self, cx: &'a HookContext, prompt: &'a str, history: &'a Messages) -> BoxFuture<'a, Self::Plan>;
}

/// A plain function that plans at once.
impl<P: Serialize, F: Fn(&HookContext, &str, &Messages) -> P + Send + Sync + 'static> Preflight for F {
    type Plan = P;

    fn look<'a>(&'a self, cx: &'a HookContext, prompt: &'a str, history: &'a Messages) -> BoxFuture<'a, P> {
        Box::pin(async move { self(cx, prompt, history) })
    }
}

/// A look whose plan is JSON.
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
