//! Tools of servers that speak the Model Context Protocol. With the feature `mcp`.

mod name;
mod result;
mod stderr;

use std::fmt;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use hooks_core::HookContext;
use hooks_core::data::{ToolCall, ToolInput, ToolResult};
use hooks_core::hook::BoxFuture;
use rmcp::model::{CallToolRequestParams, ClientCapabilities, ClientConfig, Implementation};
use rmcp::service::{RunningService, ServiceError, ServiceExt};
use rmcp::transport::TokioChildProcess;
use rmcp::{RoleClient, model};
use serde_json::Value;
use tokio::process::Command;

use super::{Tool, ToolError, ToolSpec};
use name::Names;
use stderr::StderrTail;

/// A server that runs as a process of its own and is spoken to over its standard input and output.
///
/// ```no_run
/// use std::process::Command;
///
/// use hooks_agent::model::{Line, Scripted};
/// use hooks_agent::tool::mcp::McpServer;
/// use hooks_agent::Harness;
/// use hooks_core::prelude::*;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut command = Command::new("mcp-server-time");
/// command.arg("--local-timezone=Europe/Vienna");
/// let time = McpServer::connect(command).await?;
/// let harness = Harness::builder(Registry::discover()?)
///     .model("main", Scripted::new([Line::text("It is noon.")]))
///     .tools(time.tools_named("time_"))
///     .build();
/// # Ok(())
/// # }
/// ```
///
/// The process lives as long as this handle, a clone of it or one of its tools. Then its input is closed; if it does not end
/// by itself within a few seconds, it is killed. A server that ends earlier is not started again: each call of its tools
/// fails from then on, and the model reads why.
///
/// The tools are those that the server listed when it was connected. What it asks for itself (samples of the model, roots,
/// questions to the person) is declined.
#[derive(Clone)]
pub struct McpServer {
    running: Arc<RunningService<RoleClient, ClientConfig>>,
    tools: Arc<[model::Tool]>,
}

/// Why a server could not be connected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum McpError {
    /// The process could not be started.
    #[error("the MCP server `{command}` could not be started: {error}")]
    #[non_exhaustive]
    Start {
        /// The program.
        command: String,
        /// What the system said.
        #[source]
        error: std::io::Error,
    },
    /// It was started, but it could not be agreed on how to speak, or on the list of its tools.
    #[error("the MCP server `{command}` was started, but: {message}")]
    #[non_exhaustive]
    Connect {
        /// The program.
        command: String,
        /// What went wrong.
        message: String,
    },
}

impl McpServer {
    /// Starts `command`, and asks it for its tools. It has a minute: some servers are fetched when they are first started.
    ///
    /// What it writes to its standard error goes to the log, as `debug`; where it cannot be connected, the last lines of it are
    /// in the error.
    ///
    /// # Errors
    /// [`McpError`] where the program cannot be started, or does not speak the protocol.
    pub async fn connect(command: impl Into<Command>) -> Result<Self, McpError> {
        Self::connect_within(command, Duration::from_secs(60)).await
    }

    /// As [`connect`](Self::connect), with `limit` in place of the minute.
    ///
    /// # Errors
    /// [`McpError`] where the program cannot be started, or does not speak the protocol in time.
    pub async fn connect_within(command: impl Into<Command>, limit: Duration) -> Result<Self, McpError> {
        let mut command = command.into();
        // For a runtime that shuts down, where nothing is waited for any more.
        command.kill_on_drop(true);
        let program = command.as_std().get_program().to_string_lossy().into_owned();
        let (process, said) = match TokioChildProcess::builder(command).stderr(Stdio::piped()).spawn() {
            Ok(started) => started,
            Err(error) => return Err(McpError::Start { command: program, error }),
        };
        let said = said.map(|said| StderrTail::read(said, program.clone()));
        let connected = tokio::time::timeout(limit, Self::greet(process)).await;
        let message = match connected.unwrap_or_else(|_| Err(format!("it was not ready within {limit:?}"))) {
            Ok(server) => return Ok(server),
            Err(message) => message,
        };
        let last_words = match said {
            Some(said) => said.last_words().await,
            None => String::new(),
        };
        Err(McpError::Connect { command: program, message: message + &last_words })
    }

    async fn greet(process: TokioChildProcess) -> Result<Self, String> {
        let this = Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        let client = ClientConfig::new(ClientCapabilities::default(), this);
        let running = client.serve(process).await.map_err(|error| error.to_string())?;
        let tools = running.list_all_tools().await.map_err(|error| error.to_string())?;
        Ok(Self { running: Arc::new(running), tools: tools.into() })
    }

    /// Its tools, by the server's names for them.
    pub fn tools(&self) -> Vec<McpTool> {
        self.tools_named("")
    }

    /// Its tools with `prefix` before their names, for servers whose names clash or say too little. Hooks at tool calls see,
    /// and filter by, the whole name.
    ///
    /// In a name, `_` takes the place of what providers do not allow in one.
    pub fn tools_named(&self, prefix: &str) -> Vec<McpTool> {
        let mut names = Names::default();
        let tools = self.tools.iter().map(|tool| {
            let spec = ToolSpec::new(names.next(prefix, &tool.name))
                .description(tool.description.as_deref().unwrap_or_default())
                .schema(Value::Object(tool.input_schema.as_ref().clone()));
            McpTool { running: Arc::clone(&self.running), name: tool.name.to_string(), spec }
        });
        tools.collect()
    }
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
    /// The server's name for it.
    name: String,
    spec: ToolSpec,
}

impl Tool for McpTool {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    /// Where the future is dropped, the server gets a notice that nobody waits any more.
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
                _ => return Err(ToolError::new("the arguments are no object; write one that fits the tool's schema")),
            };
            self.running.call_tool(call).await.map(result::of).map_err(|error| self.failed(&error))
        })
    }
}

impl McpTool {
    fn failed(&self, error: &ServiceError) -> ToolError {
        ToolError::new(match error {
            ServiceError::McpError(error) => error.message.to_string(),
            ServiceError::TransportClosed | ServiceError::TransportSend(_) | ServiceError::Cancelled { .. } => {
                format!("the server of the tool `{}` has ended; do without it", self.spec.name)
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
