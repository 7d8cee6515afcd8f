//! The interface between the loop and a tool.

mod async_tool;
#[cfg(feature = "mcp")]
pub mod mcp;
#[cfg(feature = "schema")]
mod typed;

use std::fmt;
use std::sync::Arc;

use hook_sdk::HookContext;
use hook_sdk::data::{ToolCall, ToolInfo, ToolInput, ToolResult};
use hook_sdk::hook::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use async_tool::AsyncTool;
#[cfg(feature = "schema")]
pub use typed::typed;

/// The description of a tool for the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolSpec {
    /// The name with which the model calls the tool.
    pub name: String,
    /// What the tool does.
    pub description: String,
    /// The JSON Schema of the input.
    pub schema: Value,
    /// Whether calls can run concurrently. See [`parallel`](Self::parallel).
    pub parallel: bool,
    /// Whether a call can be retried. See [`idempotent`](Self::idempotent).
    pub idempotent: bool,
    /// The MCP server of the tool, and what its author says about it, for gates.
    #[serde(default, skip_serializing_if = "is_unknown")]
    pub info: ToolInfo,
    /// The tool of the harness that runs it, if a hook declared it under another name.
    #[serde(skip)]
    pub(crate) route: Option<String>,
}

impl ToolSpec {
    /// Creates a description of a tool that accepts any object.
    pub fn new(name: impl Into<String>) -> Self {
        let schema = json!({ "type": "object" });
        Self {
            name: name.into(),
            description: String::new(),
            schema,
            parallel: false,
            idempotent: false,
            info: ToolInfo::default(),
            route: None,
        }
    }

    /// Sets what the tool does.
    #[must_use]
    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.description = text.into();
        self
    }

    /// Allows calls of this tool to run concurrently with other calls of the same answer. The gates of one call then do
    /// not see the effects of another, so use this for tools that only read.
    #[must_use]
    pub fn parallel(mut self) -> Self {
        self.parallel = true;
        self
    }

    /// Allows a failed call of this tool to be retried, because running it twice has the same effect as running it
    /// once. Hooks at `after_tool_call_failure` request a retry with
    /// [`Retry::After`](hook_sdk::verdict::Retry::After). A tool that is not idempotent runs at most once per call.
    #[must_use]
    pub fn idempotent(mut self) -> Self {
        self.idempotent = true;
        self
    }

    /// The tool of the harness that runs it: this tool, or the one that a hook declared
    /// ([`ToolDeclaration::route`](hook_sdk::verdict::ToolDeclaration::route)).
    pub fn runs(&self) -> &str {
        self.route.as_deref().unwrap_or(&self.name)
    }

    /// Sets what gates read of the tool besides its schema: flags, and its MCP server.
    #[must_use]
    pub fn info(mut self, info: ToolInfo) -> Self {
        self.info = info;
        self
    }

    /// What gates read of the tool.
    pub(crate) fn seen(&self) -> ToolInfo {
        let mut info = self.info.clone().schema(self.schema.clone());
        info.idempotent = info.idempotent.or(self.idempotent.then_some(true));
        info
    }

    /// Sets the JSON Schema of the input.
    #[must_use]
    pub fn schema(mut self, schema: Value) -> Self {
        self.schema = schema;
        self
    }
}

fn is_unknown(info: &ToolInfo) -> bool {
    *info == ToolInfo::default()
}

/// A tool that a model can call.
pub trait Tool: Send + Sync + 'static {
    /// The description of the tool for the model.
    fn spec(&self) -> ToolSpec;

    /// Runs the tool. `call` is the call as the model made it. `input` is its input after the gates; it has not been
    /// validated against the schema.
    ///
    /// At the deadline, or when the turn is cancelled, the future is dropped. A panic is a failure of the tool.
    ///
    /// # Errors
    /// [`ToolError`], whose text is sent to the model.
    fn run<'a>(
        &'a self,
        cx: &'a HookContext,
        call: &'a ToolCall,
        input: ToolInput,
    ) -> BoxFuture<'a, Result<ToolResult, ToolError>>;
}

/// The error of a tool, with a text for the model.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ToolError(String);

/// As `Display`, because a `main` that returns it prints this.
impl std::fmt::Debug for ToolError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

impl ToolError {
    /// Creates an error with a text for the model.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

/// A tool made from a plain function that returns quickly. The function runs on the thread of the turn, so neither a
/// deadline nor a cancellation can stop it. A tool that waits, for example for a process or a server, is an
/// [`AsyncTool`].
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
    /// Creates a tool whose result is the text that `run` returns.
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
    /// Whether the tool is offered to the model in every turn.
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

    /// The names of all tools, including those that are offered only if a hook contributes them.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|known| known.spec.name.as_str())
    }

    /// The tools that are offered only if a hook contributes them.
    pub(crate) fn bundled(&self) -> impl Iterator<Item = &ToolSpec> {
        self.0.iter().filter(|known| !known.always).map(|known| &known.spec)
    }

    /// The tools that are offered to the model in every turn.
    pub(crate) fn specs(&self) -> impl Iterator<Item = &ToolSpec> {
        self.0.iter().filter(|known| known.always).map(|known| &known.spec)
    }
}
