//! What the loop asks of a tool.

#[cfg(feature = "mcp")]
pub mod mcp;

use std::fmt;
use std::sync::Arc;

use hooks_core::HookContext;
use hooks_core::data::{ToolCall, ToolInput, ToolResult};
use hooks_core::hook::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The description of a tool for a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolSpec {
    /// The name, by which the model asks for it.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// The JSON Schema of its input.
    pub schema: Value,
    /// Whether calls of it may run beside others. See [`parallel`](Self::parallel).
    pub parallel: bool,
    /// Whether a call of it may run again. See [`idempotent`](Self::idempotent).
    pub idempotent: bool,
    /// The tool of the harness that runs it, where a hook declared it under another name.
    #[serde(skip)]
    pub(crate) route: Option<String>,
}

impl ToolSpec {
    /// A tool with any object as its input.
    pub fn new(name: impl Into<String>) -> Self {
        let schema = json!({ "type": "object" });
        Self { name: name.into(), description: String::new(), schema, parallel: false, idempotent: false, route: None }
    }

    /// What it is for.
    #[must_use]
    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.description = text.into();
        self
    }

    /// Calls of it may run beside others of the same answer: nothing that one does is to be seen by the gates of another. So
    /// it is for tools that read.
    #[must_use]
    pub fn parallel(mut self) -> Self {
        self.parallel = true;
        self
    }

    /// A call of it that failed may run again, because twice is no more than once: hooks at `after_tool_call_failure` may ask for
    /// that with [`Retry::after`](hooks_core::verdict::Retry::after). Every other tool runs at most once for a call.
    #[must_use]
    pub fn idempotent(mut self) -> Self {
        self.idempotent = true;
        self
    }

    /// The tool of the harness that runs it: its own name, or what a hook declared
    /// ([`ToolDeclaration::route`](hooks_core::verdict::ToolDeclaration::route)).
    pub fn runs(&self) -> &str {
        self.route.as_deref().unwrap_or(&self.name)
    }

    /// The JSON Schema of its input.
    #[must_use]
    pub fn schema(mut self, schema: Value) -> Self {
        self.schema = schema;
        self
    }
}

/// Something a model can ask for.
pub trait Tool: Send + Sync + 'static {
    /// Its description for the model.
    fn spec(&self) -> ToolSpec;

    /// Runs it. `call` is what the model asked for, `input` what the gate left of its input; nothing has held that against
    /// the schema.
    ///
    /// The future is dropped at the deadline and where the turn is cancelled. A panic is a failure of the tool.
    ///
    /// # Errors
    /// [`ToolError`], which the model reads.
    fn run<'a>(
        &'a self,
        cx: &'a HookContext,
        call: &'a ToolCall,
        input: ToolInput,
    ) -> BoxFuture<'a, Result<ToolResult, ToolError>>;
}

/// Why a tool failed, in words for the model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ToolError(String);

impl ToolError {
    /// A failure that the model reads as `message`.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

/// A tool made of a plain function, for what is done at once: it runs on the thread of the turn, so that neither a deadline nor
/// cancellation can end it. What waits, for a process or a server, implements [`Tool`].
///
/// ```
/// use hooks_agent::tool::{FnTool, ToolError, ToolSpec};
///
/// let double = FnTool::new(ToolSpec::new("double"), |_cx, input| {
///     let number = input["number"].as_i64().ok_or_else(|| ToolError::new("`number` is missing"))?;
///     Ok((number * 2).to_string())
/// });
/// ```
pub struct FnTool<F> {
    spec: ToolSpec,
    run: F,
}

impl<F: Fn(&HookContext, &ToolInput) -> Result<String, ToolError> + Send + Sync + 'static> FnTool<F> {
    /// A tool that answers with the text that `run` returns.
    pub fn new(spec: ToolSpec, run: F) -> Self {
        Self { spec, run }
    }
}

impl<F: Fn(&HookContext, &ToolInput) -> Result<String, ToolError> + Send + Sync + 'static> Tool for FnTool<F> {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    fn run<'a>(
        &'a self,
        cx: &'a HookContext,
        _call: &'a ToolCall,
        input: ToolInput,
    ) -> BoxFuture<'a, Result<ToolResult, ToolError>> {
        Box::pin(async move { (self.run)(cx, &input).map(ToolResult::new) })
    }
}

impl<F> fmt::Debug for FnTool<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FnTool").field("name", &self.spec.name).finish_non_exhaustive()
    }
}

/// The tools of a harness.
#[derive(Clone, Default)]
pub(crate) struct Tools(Vec<ToolEntry>);

#[derive(Clone)]
struct ToolEntry {
    spec: ToolSpec,
    tool: Arc<dyn Tool>,
    /// Whether the model is offered it in every turn.
    always: bool,
}

impl Tools {
    pub(crate) fn add(&mut self, tool: Arc<dyn Tool>, always: bool) {
        let spec = tool.spec();
        self.0.retain(|known| known.spec.name != spec.name);
        self.0.push(ToolEntry { spec, tool, always });
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.0.iter().find(|known| known.spec.name == name).map(|known| &known.tool)
    }

    /// The names of all of them, also of those that a hook has to contribute.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|known| known.spec.name.as_str())
    }

    /// Those that the model is offered only where a hook contributes them.
    pub(crate) fn bundled(&self) -> impl Iterator<Item = &ToolSpec> {
        self.0.iter().filter(|known| !known.always).map(|known| &known.spec)
    }

    /// Those that the model is offered in every turn.
    pub(crate) fn specs(&self) -> impl Iterator<Item = &ToolSpec> {
        self.0.iter().filter(|known| known.always).map(|known| &known.spec)
    }
}
