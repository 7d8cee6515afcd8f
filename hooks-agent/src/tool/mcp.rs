//! Tools of servers that implement the Model Context Protocol. Requires the feature `mcp`.

#[cfg(feature = "mcp-http")]
mod http;
mod name;
mod result;
mod stderr;

use std::fmt;
use std::iter::successors;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use hook_sdk::HookContext;
use hook_sdk::data::{ToolCall, ToolInfo, ToolInput, ToolResult};
use hook_sdk::hook::BoxFuture;
use rmcp::model::{CallToolRequestParams, ClientCapabilities, ClientConfig, Implementation};
use rmcp::service::{RunningService, ServiceError, ServiceExt};
use rmcp::transport::{IntoTransport, TokioChildProcess};
use rmcp::{RoleClient, model};
use serde_json::Value;
use tokio::process::Command;

use super::{Tool, ToolError, ToolSpec};
#[cfg(feature = "mcp-http")]
pub use http::HttpServer;
use name::Names;
use stderr::StderrTail;

/// A connection to an MCP server: a child process over standard input and output, or a server over HTTP (`HttpServer`,
/// with the feature `mcp-http`).
///
/// ```no_run
/// use std::process::Command;
///
/// use hooks_agent::model::{Line, Scripted};
/// use hooks_agent::tool::mcp::McpServer;
/// use hooks_agent::Harness;
/// use hook_sdk::prelude::*;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut command = Command::new("mcp-server-time");
/// command.arg("--local-timezone=Europe/Vienna");
/// let time = McpServer::connect(command).await?;
/// let harness = Harness::builder(Registry::discover()?)
///     .model("main", Scripted::new([Line::text("It is noon.")]))
///     .tools(time.tools_named("time_"))
///     .build()?;
/// # Ok(())
/// # }
/// ```
///
/// The child process lives as long as this handle, a clone of it or one of its tools. When the last one is dropped, its
/// standard input is closed, and if it does not exit within a few seconds, it is killed. If a server exits earlier, it
/// is not restarted: all calls of its tools fail, and their results say why.
///
/// If the server hints that a tool is idempotent or read-only, its [`ToolSpec`] is [idempotent](ToolSpec::idempotent).
/// A retry still has to be requested by a hook.
///
/// The tools are those that the server listed when it was connected. Requests of the server to the client (sampling,
/// roots, elicitation) are declined.
#[derive(Clone)]
pub struct McpServer {
    running: Arc<RunningService<RoleClient, ClientConfig>>,
    tools: Arc<[model::Tool]>,
    /// Whether it is a child process, which cannot be reached again after it has exited.
    is_process: bool,
}

/// The error of connecting to a server.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum McpError {
    /// The process could not be started.
    #[error("the MCP server `{command}` could not be started: {error}")]
    #[non_exhaustive]
    Start {
        /// The program.
        command: String,
        /// The error of the operating system.
        #[source]
        error: std::io::Error,
    },
    /// The process was started, but the MCP handshake or listing its tools failed.
    #[error("the MCP server `{command}` was started, but: {message}")]
    #[non_exhaustive]
    Connect {
        /// The program.
        command: String,
        /// What went wrong.
        message: String,
    },
    /// The server cannot be reached over HTTP, or does not implement the protocol.
    #[error("the MCP server at `{url}` could not be connected: {message}")]
    #[non_exhaustive]
    Reach {
        /// The URL, without parts that may be secret.
        url: String,
        /// What went wrong.
        message: String,
    },
}

impl McpServer {
    /// Starts `command` and lists its tools. The limit is one minute, because some servers are downloaded at their
    /// first start.
    ///
    /// The standard error of the process is logged at the level `debug`. If the connection fails, the error contains
    /// its last lines.
    ///
    /// # Errors
    /// [`McpError`] if the program cannot be started, or does not implement the protocol.
    pub async fn connect(command: impl Into<Command>) -> Result<Self, McpError> {
        Self::connect_within(command, Duration::from_secs(60)).await
    }

    /// Like [`connect`](Self::connect), with `limit` instead of one minute.
    ///
    /// # Errors
    /// [`McpError`] if the program cannot be started, or does not complete the handshake within `limit`.
    pub async fn connect_within(command: impl Into<Command>, limit: Duration) -> Result<Self, McpError> {
        let mut command = command.into();
        // For a runtime that shuts down: nothing waits for the process then.
        command.kill_on_drop(true);
        let program = command.as_std().get_program().to_string_lossy().into_owned();
        let (process, said) = match TokioChildProcess::builder(command).stderr(Stdio::piped()).spawn() {
            Ok(started) => started,
            Err(error) => return Err(McpError::Start { command: program, error }),
        };
        let said = said.map(|said| StderrTail::read(said, program.clone()));
        let message = match Self::greet_within(process, limit, true).await {
            Ok(server) => return Ok(server),
            Err(message) => message,
        };
        let last_words = match said {
            Some(said) => said.last_words().await,
            None => String::new(),
        };
        Err(McpError::Connect { command: program, message: message + &last_words })
    }

    async fn greet_within<T, E, A>(transport: T, limit: Duration, is_process: bool) -> Result<Self, String>
    where
        T: IntoTransport<RoleClient, E, A>,
        E: std::error::Error + Send + Sync + 'static,
    {
        let connected = tokio::time::timeout(limit, Self::greet(transport, is_process)).await;
        connected.unwrap_or_else(|_| Err(format!("it was not ready within {limit:?}")))
    }

    async fn greet<T, E, A>(transport: T, is_process: bool) -> Result<Self, String>
    where
        T: IntoTransport<RoleClient, E, A>,
        E: std::error::Error + Send + Sync + 'static,
    {
        let this = Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        let client = ClientConfig::new(ClientCapabilities::default(), this);
        let running = client.serve(transport).await.map_err(|error| error.to_string())?;
        let tools = running.list_all_tools().await.map_err(|error| error.to_string())?;
        Ok(Self { running: Arc::new(running), tools: tools.into(), is_process })
    }

    /// The tools, with the server's names.
    pub fn tools(&self) -> Vec<McpTool> {
        self.tools_named("")
    }

    /// The tools, with `prefix` in front of their names, for servers whose tool names clash or are ambiguous. Hooks see
    /// the full name and filter by it.
    ///
    /// Characters that providers do not allow in names are replaced by `_`.
    pub fn tools_named(&self, prefix: &str) -> Vec<McpTool> {
        let mut names = Names::default();
        let tools = self.tools.iter().map(|tool| {
            let spec = ToolSpec::new(names.next(prefix, &tool.name))
                .description(tool.description.as_deref().unwrap_or_default())
                .schema(Value::Object(tool.input_schema.as_ref().clone()))
                .info(self.info(tool));
            let spec = if may_repeat(tool) { spec.idempotent() } else { spec };
            let (running, is_process) = (Arc::clone(&self.running), self.is_process);
            McpTool { running, name: tool.name.to_string(), spec, is_process }
        });
        tools.collect()
    }

    /// What the server says about itself and about the tool.
    fn info(&self, tool: &model::Tool) -> ToolInfo {
        let mut info = ToolInfo::default();
        info.server = self.running.peer_info().and_then(|peer| Some(peer.server_info.as_ref()?.name.clone()));
        if let Some(hints) = &tool.annotations {
            (info.read_only, info.destructive) = (hints.read_only_hint, hints.destructive_hint);
            (info.idempotent, info.open_world) = (hints.idempotent_hint, hints.open_world_hint);
        }
        info
    }
}

/// Whether the server says that the tool is idempotent or read-only.
fn may_repeat(tool: &model::Tool) -> bool {
    let Some(hints) = &tool.annotations else { return false };
    hints.read_only_hint == Some(true) || hints.idempotent_hint == Some(true)
}

impl fmt::Debug for McpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tools: Vec<_> = self.tools.iter().map(|tool| &tool.name).collect();
        f.debug_struct("McpServer").field("tools", &tools).finish_non_exhaustive()
    }
}

/// A tool of an [`McpServer`].
#[derive(Clone)]
pub struct McpTool {
    running: Arc<RunningService<RoleClient, ClientConfig>>,
    /// The server's name of the tool.
    name: String,
    spec: ToolSpec,
    is_process: bool,
}

impl Tool for McpTool {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    /// If the future is dropped, the server gets a cancellation notice.
    fn run<'a>(
        &'a self,
        _cx: &'a HookContext,
        _call: &'a ToolCall,
        input: ToolInput,
    ) -> BoxFuture<'a, Result<ToolResult, ToolError>> {
        Box::pin(async move {
            let call = CallToolRequestParams::new(self.name.clone());
            let call = match &*input {
                Value::Object(arguments) => call.with_arguments(arguments.clone()),
                Value::Null => call,
                _ => {
                    return Err(ToolError::new(
                        "the arguments are not an object; write one that fits the tool's schema",
                    ));
                }
            };
            self.running.call_tool(call).await.map(result::of).map_err(|error| self.failed(&error))
        })
    }
}

impl McpTool {
    fn failed(&self, error: &ServiceError) -> ToolError {
        ToolError::new(match error {
            ServiceError::McpError(error) => error.message.to_string(),
            ServiceError::TransportSend(error) if !self.is_process => {
                // Only the root cause: outer errors contain the URL, which may contain a secret.
                let why = successors(error.error.source(), |error| error.source()).last().map(ToString::to_string);
                tracing::warn!(target: "hooks_agent", tool = self.spec.name, why, "an MCP server cannot be reached");
                format!("the server of the tool `{}` cannot be reached at the moment", self.spec.name)
            }
            ServiceError::TransportClosed | ServiceError::TransportSend(_) | ServiceError::Cancelled { .. } => {
                format!("the server of the tool `{}` has exited; continue without it", self.spec.name)
            }
            error => error.to_string(),
        })
    }
}

impl fmt::Debug for McpTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpTool").field("name", &self.spec.name).finish_non_exhaustive()
    }
}
