//! Promise 11: each kind that the loop declares is fired, once per occurrence, and the decisions of its hooks are
//! applied.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of tests are tests too")]

use std::error::Error;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hook_sdk::data::{Block, Message, MessageUpdate, Role};
use hook_sdk::hook::BoxFuture;
use hook_sdk::kinds::SessionEndReason;
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hooks_agent::channel::{Address, Channel, Heard, Incoming};
use hooks_agent::model::{Line, ModelError, Scripted};
use hooks_agent::store::{Append, MemoryStore, MessageStore};
use hooks_agent::tool::{FnTool, ToolError, ToolSpec};
use hooks_agent::window::Window;
use hooks_agent::{Harness, HarnessBuilder, Session};
use hooks_conformance::Drive;
use serde_json::{Value, json};

use super::filled::{by_the_app, by_the_loop, puts_off};

/// The loop. Its model either streams or not, and its tools are either functions or those of a server.
struct Loop {
    streams: bool,
    tools: Tools,
}

enum Tools {
    Local,
    #[cfg(feature = "mcp")]
    Server(hooks_agent::tool::mcp::McpServer),
}

impl Tools {
    /// Adds a tool that succeeds and one that fails to `harness`. The inputs of the first one are collected in `ran`;
    /// those of a server's tool are part of its result.
    fn give(&self, harness: HarnessBuilder, ran: Arc<Mutex<Vec<String>>>) -> HarnessBuilder {
        match self {
            Self::Local => harness
                .tool(FnTool::new(ToolSpec::new("find"), move |_cx, input| {
                    ran.lock().unwrap().push(input.to_string());
                    Ok("found".to_owned())
                }))
                .tool(FnTool::new(ToolSpec::new("fails"), |_cx, _input| Err(ToolError::new("it broke")))),
            #[cfg(feature = "mcp")]
            Self::Server(server) => harness.tools(server.tools()),
        }
    }
}

/// Collects what is sent.
#[derive(Default)]
struct Mail(Mutex<Vec<String>>);

impl Channel for Mail {
    fn name(&self) -> &'static str {
        "mail"
    }

    fn send<'a>(
        &'a self,
        _address: &'a Address,
        message: &'a Message,
    ) -> BoxFuture<'a, Result<Option<String>, String>> {
        Box::pin(async move {
            self.0.lock().unwrap().push(message.text().into_owned());
            Ok(None)
        })
    }
}

impl Loop {
    /// The model's lines, so that the kind fires once.
    fn lines(&self, kind: &str) -> Vec<Line> {
        let call = |tool: &str| Line::call("1", tool, json!({ "id": "a" }));
        let end = || Line::error(ModelError::Rejected("no more".into()));
        let text = || if self.streams { Line::text("hello there").streamed() } else { Line::text("hello there") };
        match kind {
            // A turn in which the provider fails stores only the prompt.
            "before_create_message" | "after_create_message" => vec![end()],
            "after_tool_call_failure" => vec![call("fails"), text()],
            "permission_request" => vec![Line::call("asked", "find", json!({ "id": "a" })), text()],
            "before_tool_call" | "after_tool_call_success" | "after_tool_call" | "before_store_tool_result" => {
                vec![call("find"), text()]
            }
            _ => vec![text(), text()],
        }
    }
}

impl Drive for Loop {
    async fn drive(&self, kind: &str, hooks: &HookSet) -> Result<Value, Box<dyn Error + Send + Sync>> {
        let (model, store) = (Arc::new(Scripted::new(self.lines(kind))), Arc::new(MemoryStore::new()));
        let ran: Arc<Mutex<Vec<String>>> = Arc::default();
        let mut harness = Harness::builder(Registry::empty())
            .hooks(hooks.clone())
            .shared_model("main", model.clone())
            .shared_store(store.clone());
        harness = self.tools.give(harness, Arc::clone(&ran));
        if kind.contains("compact") {
            harness = harness.window(Window::new(1_000).compact_at(0));
        }
        if kind.contains("compact") || kind == "filter_messages" {
            // An earlier turn, so that there is something to remove.
            let rows = vec![Message::new(Role::User, "before"), Message::new(Role::Assistant, "yes")];
            store.append("c", Append::new(rows)).await?;
        }
        let (harness, mail) = (harness.build().unwrap(), Mail::default());
        let reported = match kind {
            "init" | "gateway_start" => harness.start("here").await.map(|()| Value::Null),
            "gateway_stop" | "shutdown" => harness.stop("done", Duration::ZERO).await.map(|_| Value::Null),
            _ => talk(kind, &harness, &store, &mail).await,
        };
        let rows = store.page("c", None, 100).await?.rows;
        let heard: Vec<_> = model.heard().into_iter().map(|call| json!([call.system_prompt, call.messages])).collect();
        Ok(json!({
            "reported": reported.map_err(|error| error.to_string())?,
            "stored": rows.iter().map(|row| &row.message).collect::<Vec<_>>(),
            "heard": heard,
            "ran": *ran.lock().unwrap(),
            "sent": *mail.0.lock().unwrap(),
        }))
    }

    fn probe(&self, id: &str, kind: &str) -> Option<Hook> {
        fn mark(message: &mut Message) {
            message.content.push(Block::from("probed"));
        }
        fn mark_all(messages: &mut Messages) {
            messages.iter_mut().for_each(mark);
        }
        fn mark_result(result: &mut ToolResult) {
            result.content.push(Block::from("probed"));
        }
        Some(match kind {
            "session_start" => Hook::at::<SessionStart>(id).reader(|_, _, ()| Contexts::from("probed")),
            "message_received" => Hook::at::<MessageReceived>(id).writer(|_, _, message| mark(message)),
            "message_sending" => Hook::at::<MessageSending>(id).writer(|_, _, message| mark(message)),
            "filter_messages" => Hook::at::<FilterMessages>(id).writer(|_, _, messages| mark_all(messages)),
            "user_prompt_submit" => Hook::at::<UserPromptSubmit>(id).writer(|_, _, messages| mark_all(messages)),
            "prefilter_llm_history" => Hook::at::<PrefilterLlmHistory>(id).writer(|_, _, messages| mark_all(messages)),
            "before_agent_start" => Hook::at::<BeforeAgentStart>(id).reader(|_, _, ()| AgentStart::context("probed")),
            "before_create_message" => Hook::at::<BeforeCreateMessage>(id).writer(|_, _, row| mark(row)),
            "before_update_message" => {
                Hook::at::<BeforeUpdateMessage>(id).writer(|_, _, update: &mut MessageUpdate| {
                    update.insert("probed".to_owned(), true.into());
                })
            }
            "pre_model_call" => Hook::at::<PreModelCall>(id).writer(|_, _, request: &mut ModelRequest| {
                request.system_prompt.push_str("probed");
            }),
            "post_model_call" => Hook::at::<PostModelCall>(id).writer(|_, _, reply: &mut ModelReply| {
                reply.content.push(Block::from("probed"));
            }),
            "before_tool_call" => Hook::at::<BeforeToolCall>(id).reader(|_, _, _| Permission::deny("probed")),
            "permission_request" => Hook::at::<PermissionRequest>(id).reader(|_, _, _| Permission::deny("probed")),
            "after_tool_call_success" => {
                Hook::at::<AfterToolCallSuccess>(id).writer(|_, _, result| mark_result(result))
            }
            "after_tool_call_failure" => {
                Hook::at::<AfterToolCallFailure>(id).writer(|_, _, result| mark_result(result))
            }
            "before_store_tool_result" => Hook::at::<BeforeStoreToolResult>(id).writer(|_, _, row: &mut ResultRow| {
                row.content.push(Block::from("probed"));
            }),
            "before_compaction" => Hook::at::<BeforeCompaction>(id).reader(|_, _, ()| Permission::deny("probed")),
            "post_compact" => Hook::at::<PostCompact>(id).writer(|_, _, rest: &mut CompactedHistory| {
                rest.summary = Some("probed".to_owned());
            }),
            "pre_policy" => contributes::<PrePolicy>(id),
            "pre_prompt_context" => contributes::<PrePromptContext>(id),
            "post_preflight_prompt_context" => contributes::<PostPreflightPromptContext>(id),
            "pre_tool_materialization" => contributes::<PreToolMaterialization>(id),
            "pre_prompt_compile" => contributes::<PrePromptCompile>(id),
            "post_turn" => contributes::<PostTurn>(id),
            "stream_delta" => Hook::at::<StreamDelta>(id).writer(|_, _, window: &mut String| {
                *window = window.replace("hello", "probed");
            }),
            "stop" => Hook::at::<Stop>(id).reader(|_, _, ()| StopVerdict::block("probed")),
            _ => return None,
        })
    }

    async fn drive_variants(&self, kind: &str, hooks: &HookSet) -> Result<(), Box<dyn Error + Send + Sync>> {
        let make = || Harness::builder(Registry::empty()).hooks(hooks.clone());
        by_the_loop(&make).await;
        by_the_app(&make).await;
        let _ = kind;
        Ok(())
    }

    fn required_hooks(&self, kind: &str) -> Vec<Hook> {
        match kind {
            "permission_request" => vec![puts_off("asks")],
            // The contributions of earlier phases are present.
            "pre_prompt_context"
            | "post_preflight_prompt_context"
            | "pre_tool_materialization"
            | "pre_prompt_compile"
            | "post_turn" => vec![contributes::<PrePolicy>("earlier")],
            _ => Vec::new(),
        }
    }
}

/// Contributes to the prompt and to the reply.
fn contributes<K: HookKind<Subject = (), Verdict = Contributions>>(id: &str) -> Hook {
    Hook::at::<K>(id)
        .reader(|_, _, ()| vec![Contribution::prompt_context("d", "i", "probed"), Contribution::audit("probed")])
}

async fn talk(
    kind: &str,
    harness: &Harness,
    store: &MemoryStore,
    mail: &Mail,
) -> Result<Value, hooks_agent::TurnError> {
    let session: Session = harness.session("c", AgentDef::new("a")).system_prompt("Be brief.").open().await?;
    if kind.starts_with("message_") {
        let heard = session.hear(mail, Incoming::new("ada", "hi"), None).await?;
        return Ok(json!(matches!(heard, Heard::Answered { .. })));
    }
    let reply = session.turn(None, "hi").await;
    if kind.contains("update") {
        let row = store.page("c", None, 1).await?.rows.remove(0);
        session.update(&row.id, MessageUpdate::from_iter([("content", json!("hello"))])).await?;
    }
    session.close(SessionEndReason::Shutdown).await?;
    Ok(json!([reply.to_string(), reply.contributions.audit_notes().map(|note| &*note.message).collect::<Vec<_>>()]))
}

async fn conforms(tools: impl AsyncFn() -> Tools) {
    for streams in [false, true] {
        let tested = Loop { streams, tools: tools().await };
        hooks_conformance::check(&tested).await.unwrap_or_else(|error| panic!("streams: {streams}: {error}"));
    }
}

#[tokio::test]
async fn each_kind_fires_once_and_its_outcome_is_used_with_and_without_streaming() {
    conforms(async || Tools::Local).await;
}

#[cfg(feature = "mcp")]
#[tokio::test]
async fn each_kind_fires_once_and_its_outcome_is_used_with_tools_of_a_server() {
    let command = || std::process::Command::new(env!("CARGO_BIN_EXE_hooks-agent-mcp-fixture"));
    conforms(async || Tools::Server(hooks_agent::tool::mcp::McpServer::connect(command()).await.unwrap())).await;
}
