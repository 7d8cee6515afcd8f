use std::fmt;

use hook_sdk::HookContext;
use hook_sdk::data::{ToolCall, ToolInput, ToolResult};
use hook_sdk::hook::BoxFuture;
use hook_sdk::protocol::IntoToolResult;

use super::{Tool, ToolError, ToolSpec};

/// A tool made from an async function or closure, which may wait. Its output is text, JSON, a [`ToolResult`], or a
/// `Result` of one of them, whose error is a failed call.
///
/// ```
/// use hook_sdk::prelude::*;
/// use hooks_agent::tool::{AsyncTool, ToolError, ToolSpec};
///
/// async fn forecast(_cx: HookContext, input: ToolInput) -> Result<String, ToolError> {
///     let city = input["city"].as_str().ok_or_else(|| ToolError::new("`city` is missing"))?;
///     Ok(format!("sunny in {city}"))
/// }
///
/// let tool = AsyncTool::new(ToolSpec::new("forecast").description("The weather of tomorrow."), forecast);
/// ```
pub struct AsyncTool<F> {
    spec: ToolSpec,
    run: F,
}

impl<F, R> AsyncTool<F>
where
    F: Fn(HookContext, ToolInput) -> R + Send + Sync + 'static,
    R: Future<Output: IntoToolResult> + Send + 'static,
{
    /// Creates a tool that runs `run`.
    pub fn new(spec: ToolSpec, run: F) -> Self {
        Self { spec, run }
    }
}

impl<F, R> Tool for AsyncTool<F>
where
    F: Fn(HookContext, ToolInput) -> R + Send + Sync + 'static,
    R: Future<Output: IntoToolResult> + Send + 'static,
{
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    fn run<'a>(
        &'a self,
        cx: &'a HookContext,
        _call: &'a ToolCall,
        input: ToolInput,
    ) -> BoxFuture<'a, Result<ToolResult, ToolError>> {
        Box::pin(async move { Ok((self.run)(cx.clone(), input).await.into_tool_result()) })
    }
}

impl<F> fmt::Debug for AsyncTool<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AsyncTool").field("name", &self.spec.name).finish_non_exhaustive()
    }
}
