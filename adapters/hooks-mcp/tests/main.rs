//! A server behind a guard, and a client with one, over a pipe.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "the helpers of tests are tests too")]
#![allow(clippy::large_futures, reason = "those of a server in a test")]

mod everything;

use std::time::Duration;

use hook_sdk::kinds::BeforeToolCall;
use hook_sdk::prelude::*;
use hook_sdk::protocol::Approval;
use hook_sdk::verdict::Halt;
use hooks_mcp::{McpCall, McpGuard, ServerAnswer};
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientRequest, CustomNotification, CustomRequest, ErrorData,
    InputRequiredResult, JsonObject, ProtocolVersion, ResultType, ServerConfig, ServerResult,
};
use rmcp::service::{
    ClientLifecycleMode, ClientServiceExt, NotificationContext, RequestContext, RoleClient, RoleServer, RunningService,
    Service, ServiceExt,
};
use serde_json::{Value, json};

use everything::Everything;

#[hook(id = "judge", kind = before_tool_call)]
fn judge(event: &BeforeToolCall, mut input: ToolInput) -> Result<(ToolInput, Permission), Halt> {
    let verdict = match input["text"].as_str() {
        Some("deny") => Permission::deny("no"),
        Some("ask") => Permission::ask("may I?"),
        Some("defer") => Permission::defer("later?"),
        Some("answer") if event.call.name == "mcp__desk__structured" => {
            Permission::answer(ToolResult::new(r#"{"key":"known"}"#))
        }
        Some("answer") => Permission::answer(ToolResult::new("known")),
        Some("halt") => return Err(Halt::new("enough")),
        Some("rewrite") => {
            input["text"] = "rewritten".into();
            Permission::Allow
        }
        Some("break") => {
            input = ToolInput::from(json!("no object"));
            Permission::Allow
        }
        Some("name") => Permission::deny(format!("{} is {:?}", event.call.name, event.call.declared_as)),
        _ => Permission::NoOpinion,
    };
    Ok((input, verdict))
}

#[hook(id = "mask", kind = after_tool_call_success, on_failure = required)]
fn mask(mut result: ToolResult) -> Result<Option<ToolResult>, String> {
    match &*result.text() {
        "remove" => return Ok(None),
        "fail" => return Err("the mask has broken".to_owned()),
        "context" => result.add_context("and this"),
        _ => {}
    }
    result.rewrite_text(|text| text.contains("s3cret").then(|| text.replace("s3cret", "***")));
    Ok(Some(result))
}

fn guard() -> McpGuard {
    let hooks = Registry::discover().unwrap().scope(&AgentDef::new("test").hooks(["judge", "mask"]), None).unwrap();
    McpGuard::new(hooks, "desk").unwrap()
}

type Client = RunningService<RoleClient, ()>;

async fn connected(server: impl Service<RoleServer>) -> Client {
    let (near, far) = tokio::io::duplex(1 << 16);
    tokio::spawn(async move { server.serve(far).await.unwrap().waiting().await });
    ().serve(near).await.unwrap()
}

fn call(tool: &'static str, text: &str) -> CallToolRequestParams {
    let arguments: JsonObject = [("text".to_owned(), text.into())].into_iter().collect();
    CallToolRequestParams::new(tool).with_arguments(arguments)
}

/// The tool, its text, and the text and state of its result.
const CARRIED: &[(&str, &str, &str, bool)] = &[
    ("echo", "hi", "hi", false),
    ("echo", "deny", "Denied: no", true),
    ("echo", "ask", "Denied: may I?. There is nobody to ask", true),
    ("echo", "defer", "Denied: later?. There is nobody to ask", true),
    ("echo", "answer", "known", false),
    ("echo", "halt", "A hook ended the turn: enough", true),
    ("echo", "rewrite", "rewritten", false),
    ("echo", "break", "Denied: a hook made the arguments something else than an object", true),
    ("echo", "name", "Denied: mcp__desk__echo is Some(\"echo\")", true),
    ("echo", "s3cret", "***", false),
    ("echo", "remove", "[result removed by mask]", false),
    ("echo", "fail", "The tool ran. Its result is withheld: a required hook failed", true),
    ("echo", "context", "context|and this", false),
    ("structured", "s3cret", "see the structure|{\"key\":\"***\",\"list\":[1,2.5,null]}", false),
    ("structured", "hi", "see the structure|{\"key\":\"hi\",\"list\":[1,2.5,null]}", false),
    ("structured", "answer", "{\"key\":\"known\"}|{\"key\":\"known\"}", false),
    ("fail", "hi", "failed: hi", true),
];

fn said(result: &CallToolResult) -> (String, bool) {
    let texts = result.content.iter().filter_map(|block| block.as_text()).map(|block| block.text.clone());
    let texts: Vec<String> = texts.chain(result.structured_content.as_ref().map(Value::to_string)).collect();
    (texts.join("|"), result.is_error.unwrap_or_default())
}

#[tokio::test]
async fn every_outcome_of_hooks_reaches_the_client_of_a_guarded_server() {
    let client = connected(guard().serve(Everything)).await;
    for (tool, text, expected, is_error) in CARRIED {
        let result = client.call_tool(call(tool, text)).await.unwrap();
        assert_eq!(said(&result), ((*expected).to_owned(), *is_error), "{tool} {text}");
    }
    let error = client.call_tool(call("refuse", "hi")).await.unwrap_err();
    assert_eq!(error.to_string(), r#"Mcp error: -32602: refused: hi({"at":"hi"})"#);
}

#[tokio::test]
async fn every_outcome_of_hooks_reaches_a_guarded_client() {
    let (client, guard) = (connected(Everything).await, guard());
    for (tool, text, expected, is_error) in CARRIED {
        let result = guard.call_tool(call(tool, text), |params| client.call_tool(params)).await.unwrap();
        assert_eq!(said(&result), ((*expected).to_owned(), *is_error), "{tool} {text}");
    }
    let error = guard.call_tool(call("refuse", "hi"), |params| client.call_tool(params)).await.unwrap_err();
    assert!(error.to_string().contains("refused: hi"), "{error}");
}

#[tokio::test]
async fn a_result_of_the_guard_says_its_type_to_clients_that_expect_it() {
    for preferred in [Some(ProtocolVersion::V_2026_07_28), None] {
        let (near, far) = tokio::io::duplex(1 << 16);
        tokio::spawn(async move { guard().serve(Everything).serve(far).await.unwrap().waiting().await });
        let mode = match preferred.clone() {
            Some(version) => ClientLifecycleMode::Discover { preferred_versions: vec![version] },
            None => ClientLifecycleMode::Initialize,
        };
        let client = ().serve_with_lifecycle(near, mode).await.unwrap();
        for text in ["hi", "deny", "answer", "s3cret"] {
            let result = client.call_tool(call("echo", text)).await.unwrap();
            assert_eq!(result.result_type, preferred.as_ref().map(|_| ResultType::COMPLETE), "{preferred:?} {text}");
        }
    }
}

#[tokio::test]
async fn an_approver_is_asked() {
    for (answer, expected) in [
        (Approval::Yes, "ask"),
        (Approval::No("not today".to_owned()), "Denied: may I?. not today"),
        (Approval::Edited(json!({"text": "edited"}).into()), "edited"),
        (Approval::Answer(ToolResult::new("mine")), "mine"),
        (Approval::Suspend, "Denied: may I?. Nobody can answer later here"),
    ] {
        let guard = guard().ask(move |question| {
            assert_eq!(question.call.name, "mcp__desk__echo");
            std::future::ready(answer.clone())
        });
        let client = connected(guard.serve(Everything)).await;
        assert_eq!(said(&client.call_tool(call("echo", "ask")).await.unwrap()).0, expected);
    }
}

#[tokio::test]
async fn an_approver_that_panics_has_not_agreed() {
    fn breaks() {
        assert!(std::hint::black_box(false), "the approver has broken");
    }
    let early = guard().ask(|_| {
        breaks();
        std::future::ready(Approval::Yes)
    });
    let late = guard().ask(async |_| {
        tokio::task::yield_now().await;
        breaks();
        Approval::Yes
    });
    for guard in [early, late] {
        let client = connected(guard.serve(Everything)).await;
        let answer = tokio::time::timeout(Duration::from_secs(30), client.call_tool(call("echo", "ask"))).await;
        let (text, is_error) = said(&answer.expect("an answer").unwrap());
        assert_eq!((&*text, is_error), ("Denied: may I?. What answers questions has failed", true));
    }
}

#[tokio::test]
async fn tools_that_are_not_offered_are_neither_listed_nor_run() {
    let client = connected(guard().offer(|tool| tool != "delete").serve(Everything)).await;
    let listed = client.list_all_tools().await.unwrap();
    assert!(listed.len() > 5 && listed.iter().all(|tool| tool.name != "delete"));
    let result = client.call_tool(call("delete", "x")).await.unwrap();
    assert_eq!(said(&result), ("Denied: the tool `delete` is not offered".to_owned(), true));
}

#[tokio::test]
async fn what_is_not_guarded_is_as_without_a_guard() {
    let (bare, behind) = (connected(Everything).await, connected(guard().serve(Everything)).await);
    assert_eq!(bare.peer_info(), behind.peer_info());
    assert_eq!(bare.list_all_tools().await.unwrap(), behind.list_all_tools().await.unwrap());
    for (tool, text) in [("echo", "hi"), ("add", "x"), ("embedded", "note"), ("structured", "x"), ("fail", "x")] {
        let [bare, behind] = [&bare, &behind].map(|client| client.call_tool(call(tool, text)));
        assert_eq!(bare.await.unwrap(), behind.await.unwrap(), "{tool}");
    }
    let [bare, behind] = [bare, behind].map(|client| async move { client.list_all_prompts().await.unwrap_err() });
    assert_eq!(bare.await.to_string(), behind.await.to_string());
}

/// A server that takes anything for a call, and answers calls with what is no result.
struct Strange(fn() -> ServerResult);

impl Service<RoleServer> for Strange {
    async fn handle_request(
        &self,
        request: ClientRequest,
        cx: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        match request {
            ClientRequest::CallToolRequest(_) | ClientRequest::CustomRequest(_) => Ok(self.0()),
            other => Everything.handle_request(other, cx).await,
        }
    }

    async fn handle_notification(
        &self,
        _: rmcp::model::ClientNotification,
        _: NotificationContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    fn get_info(&self) -> ServerConfig {
        rmcp::ServerHandler::get_info(&Everything)
    }
}

#[tokio::test]
async fn a_call_that_cannot_be_read_as_one_is_refused() {
    let client = connected(guard().serve(Strange(|| ServerResult::empty(())))).await;
    for method in ["tools/call", "Tools/Call", " tools/call"] {
        let request = CustomRequest::new(method, Some(json!({"name": ["echo"]})));
        let error = client.send_request(ClientRequest::CustomRequest(request)).await.unwrap_err();
        assert!(error.to_string().contains("cannot be read"), "{error}");
        client.send_notification(CustomNotification::new(method, None).into()).await.unwrap();
    }
    let other = client.send_request(ClientRequest::CustomRequest(CustomRequest::new("other", None))).await;
    assert!(other.is_ok());
}

#[tokio::test]
async fn what_is_no_result_is_withheld_and_a_request_for_input_passes() {
    let json = |json: Value| async move {
        let run = |_| async { ServerAnswer { original: "as it was", result: Ok(json.as_object().unwrap().clone()) } };
        guard().call(McpCall::new("echo"), run).await
    };
    for withheld in [
        json!({"resultType": "task", "taskId": "1", "content": []}),
        json!({"task": {"taskId": "1"}, "content": []}),
        json!({"toolResult": "old"}),
        json!({"content": "text"}),
        json!({"content": [{"type": "tool_use", "id": "x", "name": "x", "input": {}}]}),
        json!({"content": [{"text": "without a type"}]}),
    ] {
        let hooks_mcp::GuardedCall::Changed(result) = json(withheld.clone()).await else { panic!("{withheld}") };
        assert_eq!(result["isError"], true, "{withheld}");
    }
    let input = InputRequiredResult::from_request_state("state");
    let input = serde_json::to_value(input).unwrap();
    assert_eq!(input["resultType"], "input_required");
    assert_eq!(json(input).await, hooks_mcp::GuardedCall::Unchanged("as it was"));
}

#[test]
fn a_name_that_does_not_fit_is_an_error() {
    for name in ["", "a__b", "_a", "a_", "a b", "größe"] {
        let hooks = Registry::empty().scope(&AgentDef::new("test"), None).unwrap();
        let error = McpGuard::new(hooks, name).unwrap_err();
        assert!(error.to_string().starts_with(&format!("`{name}` is no name of a server")), "{error}");
    }
    assert_eq!(guard().tool_name("files.read all"), "mcp__desk__files_read_all");
}
