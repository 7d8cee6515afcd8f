//! An approval in a web page: a refund waits in the database until somebody clicks, and then the turn continues.
//!
//! `cargo run -p cookbook --bin approval_web`, then open <http://127.0.0.1:3000>

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that shows what it does")]

// ANCHOR: hooks
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Form, Path, State};
use axum::http::StatusCode;
use axum::response::Html;
use axum::routing::{get, post};
use axum::{Router, serve};
use hook_sdk::data::Block;
use hook_sdk::hook::BoxFuture;
use hook_sdk::prelude::*;
use hook_sdk::protocol::Approval;
use hooks_agent::model::{Deltas, Model, ModelAnswer, ModelCall, ModelError};
use hooks_agent::tool::{FnTool, ToolError, ToolSpec};
use hooks_agent::{Harness, Session};
use hooks_store::{Store, StoredApprover, StoredQuestion};
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
struct Refund {
    cents: u64,
}

/// Small refunds run, large ones are asked about, and what does not parse is denied.
#[hook(id = "ask_for_refunds", kind = before_tool_call, tool = "refund")]
fn ask_for_refunds(input: &ToolInput) -> Permission {
    match input.read::<Refund>() {
        Ok(refund) if refund.cents <= 5_000 => Permission::Allow,
        Ok(refund) => Permission::ask(format!("a refund of {} cents", refund.cents)),
        Err(error) => Permission::deny(error),
    }
}

struct Desk {
    harness: Harness,
    store: Store,
}

type Failed = (StatusCode, String);

/// The error of a store is for the log: it may contain an address or a password.
fn failed(error: impl std::fmt::Display) -> Failed {
    eprintln!("{error}");
    (StatusCode::INTERNAL_SERVER_ERROR, "This does not work now. Please try again later.".to_owned())
}

impl Desk {
    /// The conversation is in the store, so each request opens a session of its own.
    async fn session(&self, customer: &str) -> Result<Session, Failed> {
        let agent = AgentDef::new("support").hooks(hooks![ask_for_refunds]);
        self.harness.session(customer, agent).open().await.map_err(failed)
    }
}

/// A customer writes. Where a gate asks, the turn is suspended, and the reply says what it waits for.
async fn chat(State(desk): State<Arc<Desk>>, Path(customer): Path<String>, text: String) -> Result<String, Failed> {
    Ok(format!("{}\n", desk.session(&customer).await?.turn(None, text).await))
}

/// The open questions, each with two buttons.
async fn questions(State(desk): State<Arc<Desk>>) -> Result<Html<String>, Failed> {
    let form = |question: StoredQuestion| {
        let request = question.request;
        format!(
            "<form method=post action=/answer>{} asks for {}\n<input type=hidden name=id value=\"{}\">\
             <button name=answer value=yes>Yes</button> <button name=answer value=no>No</button></form>\n",
            escape(&request.conversation),
            escape(request.question.reason.as_str()),
            escape(&question.id),
        )
    };
    let open = desk.store.questions().await.map_err(failed)?;
    let forms: Vec<String> = open.into_iter().map(form).collect();
    Ok(Html(format!("<h1>Open questions</h1>\n{}", forms.concat())))
}

#[derive(Deserialize)]
struct Click {
    id: String,
    answer: String,
}

/// Somebody clicked. Anything but `yes` is a no.
async fn answer(State(desk): State<Arc<Desk>>, Form(click): Form<Click>) -> Result<String, Failed> {
    let answer = match click.answer.as_str() {
        "yes" => Approval::Yes,
        _ => Approval::No("a colleague declined".to_owned()),
    };
    let question =
        desk.store.answer(&click.id, &answer).await.map_err(|error| (StatusCode::CONFLICT, error.to_string()))?;
    // The gate judges the call again, finds its answer, and the tool runs once.
    let turn = question.request.suspended_turn();
    Ok(format!("{}\n", desk.session(&turn.conversation).await?.resume(None).await))
}

/// A question quotes what a model wrote, so it is escaped like any other input.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
// ANCHOR_END: hooks

/// Stands in for a model: asks for the refund that the customer names, then reports the result of the tool.
struct Clerk;

impl Model for Clerk {
    fn call<'a>(&'a self, call: &'a ModelCall, _: Deltas<'a>) -> BoxFuture<'a, Result<ModelAnswer, ModelError>> {
        Box::pin(async {
            let result = |block: &Block| match block {
                Block::ToolResult(result) => result.content.iter().find_map(Block::as_text).map(str::to_owned),
                _ => None,
            };
            let last = call.messages.last().ok_or_else(|| ModelError::Rejected("no messages".to_owned()))?;
            if let Some(text) = last.content.iter().find_map(result) {
                return Ok(ModelAnswer::text(text));
            }
            let cents: u64 = last.text().split(' ').find_map(|word| word.parse().ok()).unwrap_or(0);
            let refund = ToolCall::new(format!("call_{}", call.turn), "refund", json!({ "cents": cents }));
            Ok(ModelAnswer::new(vec![Block::ToolUse(refund)]))
        })
    }
}

// ANCHOR: main
#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().unwrap_or_else(|| "approvals.db".to_owned());
    let port = arguments.next().unwrap_or_else(|| "3000".to_owned());

    let refund = FnTool::new(ToolSpec::new("refund"), |_cx, input| {
        let refund: Refund = input.read().map_err(|error| ToolError::new(error.to_string()))?;
        Ok(format!("{} cents paid", refund.cents))
    });
    let store = Store::open(&file).await?;
    // A browser does not wait: the turn is suspended at once.
    let approver = StoredApprover::new(store.clone()).patience(Duration::ZERO);
    let harness = Harness::builder(Registry::discover()?)
        .model("main", Clerk)
        .tool(refund)
        .store(store.clone())
        .approver(approver)
        .build();
    let app = Router::new()
        .route("/", get(questions))
        .route("/answer", post(answer))
        .route("/chat/{customer}", post(chat))
        .with_state(Arc::new(Desk { harness, store }));

    let listener = tokio::net::TcpListener::bind(format!("127.0.0.1:{port}")).await?;
    println!("listening on http://{}", listener.local_addr()?);
    serve(listener, app).await?;
    Ok(())
}
// ANCHOR_END: main
