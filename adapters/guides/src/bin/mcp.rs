//! A server of MCP, and a guard in front of its tools.

#![allow(clippy::print_stdout, reason = "a program that shows what it does")]

use std::error::Error;

use hooks_mcp::McpGuard;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::CallToolRequestParams;
use rmcp::{ServiceExt, tool, tool_router};
use serde_json::{Value, json};
use tokio::io::DuplexStream;

/// A server that pays.
struct Till;

#[tool_router(server_handler)]
impl Till {
    #[tool(description = "Pays a refund")]
    async fn refund(&self, Parameters(input): Parameters<rmcp::model::JsonObject>) -> String {
        format!("{} cents paid", input.get("cents").unwrap_or(&Value::Null))
    }
}

// ANCHOR: tool
/// Serves the tools of `Till`, each call behind the guard. Hooks see `mcp__till__refund`.
async fn serve(transport: DuplexStream) -> Result<(), Box<dyn Error + Send + Sync>> {
    let guard = McpGuard::new(guides::hooks()?, "till")?;
    Box::pin(guard.serve(Till).serve(transport)).await?.waiting().await?;
    Ok(())
}
// ANCHOR_END: tool

async fn turn(cents: u64) -> Result<String, Box<dyn Error + Send + Sync>> {
    let (near, far) = tokio::io::duplex(1 << 16);
    tokio::spawn(serve(far));
    let client = ().serve(near).await?;
    let arguments = json!({ "cents": cents }).as_object().cloned().unwrap_or_default();
    let result = client.call_tool(CallToolRequestParams::new("refund").with_arguments(arguments)).await?;
    let text = result.content.iter().filter_map(|block| block.as_text()).map(|block| block.text.as_str());
    Ok(text.collect::<Vec<_>>().join("\n"))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    for cents in [900, 2_000, 9_900] {
        println!("{cents}: {}", turn(cents).await?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #[tokio::test]
    async fn the_guard_judges_each_call() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        assert_eq!(super::turn(900).await?, "900 cents paid");
        assert_eq!(super::turn(2_000).await?, "Denied: this refund needs a person. There is nobody to ask");
        assert_eq!(super::turn(9_900).await?, "Denied: refunds above 50.00 are not possible here");
        Ok(())
    }
}
