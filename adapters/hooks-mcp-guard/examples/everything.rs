//! A server over standard input and output with a tool for each thing that a guard has to carry, for tests.

#[path = "../../hooks-mcp/tests/everything.rs"]
mod everything;

use rmcp::service::ServiceExt;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    everything::Everything.serve(rmcp::transport::stdio()).await?.waiting().await?;
    Ok(())
}
