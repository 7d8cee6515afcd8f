//! An agent with a model of a provider, tools of an MCP server, and a tool of its own.
//!
//! `cargo run -p hooks-agent --example provider --features genai,mcp,schema`, with the key of the provider in the
//! environment.

#![allow(clippy::print_stdout, reason = "the program prints for people")]

use std::error::Error;
use std::process::Command;

// ANCHOR: provider
use hook_sdk::prelude::*;
use hooks_agent::Harness;
use hooks_agent::model::Genai;
use hooks_agent::tool::mcp::McpServer;
use hooks_agent::tool::{ToolError, ToolSpec, typed};

/// The weather of tomorrow in a city.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Forecast {
    city: String,
}

async fn forecast(_cx: HookContext, asked: Forecast) -> Result<String, ToolError> {
    fetch(&asked.city).await.map_err(|error| ToolError::new(error.to_string()))
}

async fn harness() -> Result<Harness, Box<dyn Error>> {
    let files = McpServer::connect(Command::new("mcp-server-files")).await?;
    Ok(Harness::builder(Registry::discover()?)
        .model("main", Genai::new("claude-sonnet-4-5"))
        .model("local", Genai::new("qwen3").base_url("http://127.0.0.1:8080/v1"))
        .tools(files.tools_named("files_"))
        .tool(typed(ToolSpec::new("forecast").parallel().idempotent(), forecast))
        .build()?)
}
// ANCHOR_END: provider

async fn fetch(city: &str) -> Result<String, std::io::Error> {
    std::future::ready(Ok(format!("{city}: rain"))).await
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let session = harness().await?.session("c-1", AgentDef::new("support")).open().await?;
    println!("{}", session.turn(None, "Will it rain in Ghent tomorrow?").await);
    Ok(())
}
