//! Tools of an MCP server over HTTP, with the reference implementation as server.
#![cfg(feature = "mcp-http")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of tests are tests too")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use hook_sdk::data::{ToolCall, ToolResult};
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hooks_agent::model::{Line, Scripted};
use hooks_agent::tool::Tool;
use hooks_agent::tool::mcp::{HttpServer, McpError, McpServer};
use hooks_agent::{Harness, Outcome, TurnEvent};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ListToolsResult, PaginatedRequestParams,
    ServerCapabilities, ServerConfig, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A server with a tool that succeeds, one that fails the first time, one that returns the caller, and one that hangs.
#[derive(Clone, Default)]
struct Tickets {
    failures: Arc<AtomicU32>,
}

impl ServerHandler for Tickets {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = || Arc::new(json!({ "type": "object" }).as_object().unwrap().clone());
        let tool = |name: &'static str| rmcp::model::Tool::new(name, format!("It {name}."), schema());
        let repeatable = ToolAnnotations::default().idempotent(true);
        let tools = vec![tool("finds"), tool("flakes").annotate(repeatable), tool("who"), tool("hangs")];
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let said = |text: String| CallToolResult::success(vec![ContentBlock::text(text)]).into();
        Ok(match &*request.name {
            "finds" => said(format!("found {}", Value::Object(request.arguments.unwrap_or_default()))),
            "flakes" if self.failures.fetch_add(1, Ordering::Relaxed) == 0 => {
                CallToolResult::error(vec![ContentBlock::text("try later")]).into()
            }
            "flakes" => said("there".to_owned()),
            "who" => {
                let parts = context.extensions.get::<http::request::Parts>().unwrap();
                let header = |name: &str| parts.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or("-");
                said(format!("{} {}", header("authorization"), header("x-team")))
            }
            "hangs" => std::future::pending().await,
            name => return Err(ErrorData::invalid_params(format!("no tool {name}"), None)),
        })
    }
}

/// Runs the server on its own port until the handle is aborted.
fn serve(listener: TcpListener) -> JoinHandle<()> {
    let tickets = Tickets::default();
    let service = StreamableHttpService::new(
        move || Ok(tickets.clone()),
        Arc::new(LocalSessionManager::default()),
        StreamableHttpServerConfig::default(),
    );
    tokio::spawn(async move {
        let mut connections = tokio::task::JoinSet::new();
        while let Ok((stream, _)) = listener.accept().await {
            let service = TowerToHyperService::new(service.clone());
            connections.spawn(async move {
                // A client may disconnect.
                drop(Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(stream), service).await);
            });
        }
    })
}

async fn started() -> (String, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    (url, serve(listener))
}

async fn run(server: &McpServer, name: &str, input: Value) -> Result<ToolResult, String> {
    let call = ToolCall::new("1", name, input);
    let tool = server.tools().into_iter().find(|tool| tool.spec().name == name).unwrap();
    let result = tool.run(&HookContext::default(), &call, call.input.clone()).await;
    result.map_err(|error| error.to_string())
}

#[tokio::test]
async fn tools_are_listed_and_run_and_the_server_gets_the_caller() {
    let (url, _serving) = started().await;
    let server =
        McpServer::connect_http(HttpServer::new(&url).bearer("secret").header("x-team", "desk")).await.unwrap();
    let specs: Vec<_> = server.tools_named("t_").into_iter().map(|tool| tool.spec()).collect();
    let reported: Vec<_> = specs.iter().map(|spec| (spec.name.as_str(), spec.idempotent)).collect();
    assert_eq!(reported, [("t_finds", false), ("t_flakes", true), ("t_who", false), ("t_hangs", false)]);
    assert_eq!(specs[0].description, "It finds.");
    assert_eq!((specs[0].info.idempotent, specs[1].info.idempotent), (None, Some(true)));
    assert!(specs.iter().all(|spec| spec.info.server.is_some()), "{:?}", specs[0].info);
    assert_eq!(run(&server, "finds", json!({ "id": 7 })).await, Ok(ToolResult::new("found {\"id\":7}")));
    assert_eq!(run(&server, "who", json!({})).await, Ok(ToolResult::new("Bearer secret desk")));
}

#[tokio::test]
async fn hooks_fire_for_tools_over_http_and_can_retry_them_and_cancelled_calls_are_not_awaited() {
    let (url, _serving) = started().await;
    let server = McpServer::connect_http(url.as_str()).await.unwrap();
    let registry = Registry::empty();
    registry
        .register(Hook::at::<BeforeToolCall>("gate").writer(|_, _, input: &mut ToolInput| input["id"] = "seen".into()))
        .unwrap();
    registry
        .register(Hook::at::<AfterToolCallFailure>("again").reader(|_, _, _| Retry::After(Duration::from_millis(1))))
        .unwrap();
    registry.set_app(AppDef::new("app").hooks(["gate", "again"]));
    let lines = ["finds", "flakes", "hangs"].map(|tool| Line::call(tool, tool, json!({})));
    let harness = Harness::builder(registry).model("main", Scripted::new(lines)).tools(server.tools()).build().unwrap();
    let session = harness.session("c", AgentDef::new("a")).open().await.unwrap();
    let mut turn = session.turn(None, "hi");
    let mut results = Vec::new();
    while let Some(event) = turn.next().await {
        match event {
            TurnEvent::ToolStarted(call) if call.name == "hangs" => turn.cancel(),
            TurnEvent::ToolFinished { result, .. } => results.push(result.text().into_owned()),
            _ => {}
        }
    }
    assert_eq!(results[..2], ["found {\"id\":\"seen\"}", "there"]);
    assert!(matches!(turn.await.outcome, Outcome::Cancelled));
    assert!(run(&server, "finds", json!({})).await.is_ok());
}

#[tokio::test]
async fn calls_fail_while_the_server_is_down_and_succeed_when_it_is_back() {
    let (url, serving) = started().await;
    let server = McpServer::connect_http(url.as_str()).await.unwrap();
    serving.abort();
    let _ = serving.await;
    let gone = run(&server, "finds", json!({})).await.unwrap_err();
    assert_eq!(gone, "the server of the tool `finds` cannot be reached at the moment");
    let address = url.trim_start_matches("http://").trim_end_matches("/mcp");
    // The server has lost the session.
    let _serving = serve(TcpListener::bind(address).await.unwrap());
    assert_eq!(run(&server, "finds", json!({})).await, Ok(ToolResult::new("found {}")));
}

#[tokio::test]
async fn a_url_without_a_server_is_an_error_that_shows_the_url_without_its_secrets() {
    let nobody = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp?key=secret", nobody.local_addr().unwrap());
    let silent = McpServer::connect_http_within(url.as_str(), Duration::from_millis(200)).await.unwrap_err();
    drop(nobody);
    let refused = McpServer::connect_http(HttpServer::new(&url).bearer("secret")).await.unwrap_err();
    let no_url = McpServer::connect_http("tools.example/mcp").await.unwrap_err();
    let header = McpServer::connect_http(HttpServer::new(&url).header("a b", "secret")).await.unwrap_err();
    for (error, why) in [
        (silent, "it was not ready within 200ms"),
        (refused, ""),
        (no_url, "this is not a URL; write one such as `https://tools.example.com/mcp`"),
        (header, "`a b` is not a valid header name, or its value is not valid"),
    ] {
        assert!(matches!(error, McpError::Reach { .. }), "{error}");
        let text = error.to_string();
        assert!(text.starts_with("the MCP server at `") && text.contains(why) && !text.contains("secret"), "{text}");
    }
}
