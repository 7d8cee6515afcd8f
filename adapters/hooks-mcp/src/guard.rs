//! A call of a tool, judged by hooks.

use std::fmt;
use std::future::{Future, pending};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::FutureExt;
use hook_sdk::data::{ToolCall, ToolInput, ToolResult};
use hook_sdk::hook::BoxFuture;
use hook_sdk::protocol::{Approval, StepError, StepErrorKind, ToolQuestion};
use hook_sdk::{CancellationToken, HookContext, HookSet};
use serde_json::{Map, Value};

use crate::content::{asks_for_input, shown, written};

type Ask = Arc<dyn Fn(ToolQuestion) -> BoxFuture<'static, Approval> + Send + Sync>;
type Offer = Arc<dyn Fn(&str) -> bool + Send + Sync>;

/// Hooks for the tools of one MCP server. It is cheap to clone.
#[derive(Clone)]
pub struct McpGuard {
    hooks: HookSet,
    server: Arc<str>,
    cx: HookContext,
    ask: Option<Ask>,
    offer: Option<Offer>,
}

/// The name of a server is not one that a tool's name can contain.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no name of a server: write letters, digits, `-` and single `_`, as in `github`")]
pub struct ServerNameError(String);

impl fmt::Debug for McpGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpGuard").field("server", &self.server).field("hooks", &self.hooks).finish_non_exhaustive()
    }
}

/// A `tools/call`.
#[derive(Clone, Debug)]
pub struct McpCall {
    id: String,
    tool: String,
    arguments: Option<Map<String, Value>>,
    cancellation: CancellationToken,
}

impl McpCall {
    /// A call of the tool that the server calls `tool`.
    pub fn new(tool: impl Into<String>) -> Self {
        static CALLS: AtomicU64 = AtomicU64::new(1);
        let id = format!("mcp_{}", CALLS.fetch_add(1, Ordering::Relaxed));
        Self { id, tool: tool.into(), arguments: None, cancellation: CancellationToken::new() }
    }

    /// The id of the request; without it, the call gets one of its own.
    #[must_use]
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.id = id.into();
        self
    }

    /// The arguments.
    #[must_use]
    pub fn arguments(mut self, arguments: Option<Map<String, Value>>) -> Self {
        self.arguments = arguments;
        self
    }

    /// What ends the call if the client cancels it.
    #[must_use]
    pub fn cancellation(mut self, token: CancellationToken) -> Self {
        self.cancellation = token;
        self
    }
}

/// What a server said.
#[derive(Clone, Debug)]
pub struct ServerAnswer<T> {
    /// The answer in any form. It comes back if hooks leave it as it is.
    pub original: T,
    /// Its result as JSON; the error is the text of an error of the protocol.
    pub result: Result<Map<String, Value>, String>,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq)]
pub enum GuardedCall<T> {
    /// As the server said.
    Unchanged(T),
    /// With another result.
    Changed(Map<String, Value>),
}

impl McpGuard {
    /// Guards the tools of `server` with these hooks. The name is yours to choose; the server has no say in it.
    ///
    /// # Errors
    /// [`ServerNameError`] if the name does not fit into `mcp__SERVER__TOOL`.
    pub fn new(hooks: HookSet, server: impl Into<String>) -> Result<Self, ServerNameError> {
        let server = server.into();
        let is_plain = |name: &str| !name.is_empty() && name == plain(name);
        if !is_plain(&server) || server.contains("__") || server.starts_with('_') || server.ends_with('_') {
            return Err(ServerNameError(server));
        }
        Ok(Self { hooks, server: server.into(), cx: HookContext::new(), ask: None, offer: None })
    }

    /// Sets the context of each call, with the state that hooks need.
    #[must_use]
    pub fn context(mut self, cx: HookContext) -> Self {
        self.cx = cx;
        self
    }

    /// Sets what answers the questions of gates. Without it, a call about which a gate asks is denied.
    #[must_use]
    pub fn ask<R: Future<Output = Approval> + Send + 'static>(
        mut self,
        ask: impl Fn(ToolQuestion) -> R + Send + Sync + 'static,
    ) -> Self {
        self.ask = Some(Arc::new(move |question| Box::pin(ask(question))));
        self
    }

    /// Offers only these of the server's tools, by its own names. Lists leave the others out, and calls of them are denied
    /// before any hook.
    #[must_use]
    pub fn offer(mut self, offer: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        self.offer = Some(Arc::new(offer));
        self
    }

    /// Whether a tool may be called at all.
    pub fn is_offered(&self, tool: &str) -> bool {
        self.offer.as_ref().is_none_or(|offer| offer(tool))
    }

    /// Whether every tool of the server may be called, if the hooks let it.
    pub fn offers_all(&self) -> bool {
        self.offer.is_none()
    }

    /// The name of a tool for hooks: `mcp__SERVER__TOOL`. What is no letter, digit, `_` or `-` becomes `_`.
    pub fn tool_name(&self, tool: &str) -> String {
        format!("mcp__{}__{}", self.server, plain(tool))
    }

    /// Runs a call if it may run: `run` calls the server with the arguments that hooks left.
    pub async fn call<T, R: Future<Output = ServerAnswer<T>>>(
        &self,
        call: McpCall,
        run: impl FnOnce(Option<Map<String, Value>>) -> R,
    ) -> GuardedCall<T> {
        let McpCall { id, tool, arguments, cancellation } = call;
        if !self.is_offered(&tool) {
            return GuardedCall::Changed(refusal(&format!("Denied: the tool `{tool}` is not offered")));
        }
        let given = ToolInput::from(arguments.clone().map_or_else(|| Value::Object(Map::new()), Value::Object));
        let mut call = ToolCall::new(id, self.tool_name(&tool), given.clone());
        call.declared_as = Some(tool);
        // Ends the step without a result, where the server has not given one either.
        let open = cancellation.child_token();
        let human = self.cx.human_present() || self.ask.is_some();
        let cx = self.cx.to_builder().human_present(human).cancellation(open.clone()).build();
        let mut said: Option<(ServerAnswer<T>, ToolResult)> = None;
        let (slot, is_open) = (&mut said, &open);
        let step = self.hooks.tool_call(&cx, &call).ask(|question: ToolQuestion| answer_of(self.ask.clone(), question));
        let left = step.run(move |input: ToolInput| async move {
            let arguments = match &*input {
                _ if input == given => arguments,
                Value::Object(changed) => Some(changed.clone()),
                _ => return ToolResult::error("Denied: a hook made the arguments something else than an object"),
            };
            let answer = run(arguments).await;
            let shown = match &answer.result {
                Ok(result) if asks_for_input(result) => {
                    *slot = Some((answer, ToolResult::default()));
                    is_open.cancel();
                    return pending().await;
                }
                Ok(result) => match shown(result) {
                    Ok(shown) => shown,
                    Err(problem) => return ToolResult::error(format!("The result cannot be guarded: {problem}")),
                },
                Err(error) => ToolResult::error(error.as_str()),
            };
            *slot = Some((answer, shown.clone()));
            shown
        });
        match (left.await, said) {
            (Err(_), Some((answer, _))) if answer.result.as_ref().is_ok_and(asks_for_input) => {
                GuardedCall::Unchanged(answer.original)
            }
            (Ok(left), Some((answer, shown))) if left == shown => GuardedCall::Unchanged(answer.original),
            (Ok(left), said) => {
                let server = said.as_ref().and_then(|(answer, _)| answer.result.as_ref().ok());
                GuardedCall::Changed(written(server, &left))
            }
            (Err(end), _) => GuardedCall::Changed(refusal(&ended(&end))),
        }
    }
}

/// What the approver answers. One that panics has not agreed.
async fn answer_of(ask: Option<Ask>, question: ToolQuestion) -> Approval {
    let Some(ask) = ask else { return Approval::No("There is nobody to ask".to_owned()) };
    let answer = AssertUnwindSafe(async move { ask(question).await }).catch_unwind().await;
    answer.unwrap_or_else(|_| Approval::No("What answers questions has failed".to_owned()))
}

/// A result of a call that has none.
fn refusal(reason: &str) -> Map<String, Value> {
    written(None, &ToolResult::error(reason))
}

/// What a client reads that goes on although hooks would have ended its turn.
fn ended(end: &StepError) -> String {
    match (end.kind(), end.result()) {
        (StepErrorKind::Halted(halt), _) => format!("A hook ended the turn: {}", halt.reason),
        (StepErrorKind::Suspended(asked), _) => {
            format!("Denied: {}. Nobody can answer later here", asked.question.reason)
        }
        (_, Some(result)) => result.text().into_owned(),
        (_, None) => format!("Denied: {end}"),
    }
}

fn plain(name: &str) -> String {
    name.replace(|letter: char| !letter.is_ascii_alphanumeric() && !matches!(letter, '_' | '-'), "_")
}
