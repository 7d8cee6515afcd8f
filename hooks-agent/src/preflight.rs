use hooks_core::HookContext;
use hooks_core::data::Messages;
use hooks_core::hook::BoxFuture;

/// A first look at a prompt, before its context is put together: what it finds goes to hooks at
/// `post_preflight_prompt_context`.
pub trait Preflight: Send + Sync + 'static {
    /// What is found, in words of the app. Nothing, where it takes longer than a call of a model may, or panics.
    fn look<'a>(&'a self, cx: &'a HookContext, prompt: &'a str, history: &'a Messages) -> BoxFuture<'a, Vec<String>>;
}

/// A plain function that finds at once.
impl<F: Fn(&HookContext, &str, &Messages) -> Vec<String> + Send + Sync + 'static> Preflight for F {
    fn look<'a>(&'a self, cx: &'a HookContext, prompt: &'a str, history: &'a Messages) -> BoxFuture<'a, Vec<String>> {
        Box::pin(async move { self(cx, prompt, history) })
    }
}
