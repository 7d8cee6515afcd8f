//! An approval in a web page: a refund waits in the database until somebody clicks, and then the turn continues.
//!
//! `cargo run -p cookbook --bin approval_web`, then open <http://127.0.0.1:3000>

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that shows what it does")]

use std::error::Error;

use axum::Router;
use axum::extract::{Form, Path, State};
use axum::http::StatusCode;
use axum::response::{Html, Redirect};
use axum::routing::{get, post};
use cookbook::{Clerk, refund};
use hook_sdk::data::Role;
use hook_sdk::prelude::*;
use hook_sdk::protocol::Approval;
use hooks_agent::approve::SuspendedTurn;
use hooks_agent::{Harness, Session, TurnError, TurnRequest};
use hooks_store::{AnswerError, Store, StoredApprover, StoredQuestion};

/// Small refunds run, large ones are asked about, and what is no amount is denied.
#[hook(id = "ask_for_refunds", kind = before_tool_call, tool = "refund")]
fn ask_for_refunds(input: &ToolInput) -> Permission {
    match input["cents"].as_u64() {
        Some(..=5_000) => Permission::Allow,
        Some(cents) => Permission::ask(format!("a refund of {cents} cents")),
        None => Permission::deny("the refund has no amount"),
    }
}

/// The error of a store is for the log: it may contain an address or a password.
fn failed(error: impl std::fmt::Display) -> StatusCode {
    eprintln!("{error}");
    StatusCode::INTERNAL_SERVER_ERROR
}

/// What the model reads if the process was killed during a turn.
const CUT_OFF: &str = "The server was restarted meanwhile. Tell the customer what is known about the request.";

#[derive(Clone)]
struct Desk {
    harness: Harness,
    store: Store,
}

impl Desk {
    /// The conversation is in the store, so each request opens a session of its own.
    async fn session(&self, customer: &str) -> Result<Session, TurnError> {
        let agent = AgentDef::new("support").hooks(hooks![ask_for_refunds]);
        self.harness.session(customer, agent).open().await
    }

    /// Continues the turns whose question is answered. The gate judges the call again, finds its answer, and the tool
    /// runs once.
    async fn resume(&self) -> Result<(), Box<dyn Error + Send + Sync>> {
        let resume = async |turn: SuspendedTurn| Ok(self.session(&turn.conversation).await?.resume(None));
        let replies: Vec<Result<_, TurnError>> = self.store.resume_answered(resume).await?;
        Ok(replies.into_iter().try_for_each(|reply| reply.map(drop))?)
    }

    /// The same when the process starts, and tells customers what became of a turn that was killed.
    async fn start(&self) -> Result<(), Box<dyn Error + Send + Sync>> {
        self.resume().await?;
        for customer in self.store.cut_off().await? {
            self.session(&customer).await?.begin(TurnRequest::new(CUT_OFF).hidden()).await;
        }
        Ok(())
    }
}

/// A customer writes. If a gate asks, the turn is suspended, and the reply says what it waits for.
async fn chat(State(desk): State<Desk>, Path(customer): Path<String>, text: String) -> Result<String, StatusCode> {
    Ok(format!("{}\n", desk.session(&customer).await.map_err(failed)?.turn(None, text).await))
}

/// A customer looks. The answer of a resumed turn is a row like any other one, so it can be read at any time.
async fn look(State(desk): State<Desk>, Path(customer): Path<String>) -> Result<String, StatusCode> {
    let messages = desk.session(&customer).await.map_err(failed)?.messages().await.map_err(failed)?;
    let shown = messages.iter().filter(|said| said.role != Role::Tool && !["", CUT_OFF].contains(&&*said.text()));
    Ok(shown.map(|said| format!("{}: {}\n", said.role, said.text())).collect::<Vec<_>>().concat())
}

/// The open questions, each with two buttons.
async fn questions(State(desk): State<Desk>) -> Result<Html<String>, StatusCode> {
    let form = |question: StoredQuestion| {
        let (id, who) = (escape(&question.id), escape(&question.request.conversation));
        let what = escape(question.request.question.reason.as_str());
        format!(
            "<form method=post action=/>{who} asks for {what}\n<input type=hidden name=id value=\"{id}\">\
             <button name=answer value=yes>Yes</button> <button name=answer value=no>No</button></form>\n"
        )
    };
    let forms: String = desk.store.questions().await.map_err(failed)?.into_iter().map(form).collect();
    Ok(Html(format!("<h1>Open questions</h1>\n{forms}")))
}

/// A question quotes what a model wrote, so it is escaped like any other input.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[derive(serde::Deserialize)]
struct Click {
    id: String,
    answer: String,
}

/// Somebody clicked, perhaps twice. Anything but `yes` is a no.
async fn answer(State(desk): State<Desk>, Form(click): Form<Click>) -> Result<Redirect, StatusCode> {
    let answer = if click.answer == "yes" { Approval::Yes } else { Approval::No("a colleague declined".to_owned()) };
    desk.store.answer(&click.id, &answer).await.map_err(|error| match error {
        AnswerError::Store(error) => failed(error),
        _ => StatusCode::CONFLICT,
    })?;
    // In a task of its own, because axum drops this one if the browser disconnects.
    tokio::spawn(async move { desk.resume().await.map_err(failed) });
    Ok(Redirect::to("/"))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let argument = |at, otherwise: &str| std::env::args().nth(at).unwrap_or_else(|| otherwise.to_owned());
    let store = Store::open(&argument(1, "approvals.db")).await?;
    // A browser does not wait: the turn is suspended at once.
    let approver = StoredApprover::new(store.clone()).patience(std::time::Duration::ZERO);
    let harness = Harness::builder(Registry::discover()?).model("main", Clerk).tool(refund());
    let desk = Desk { harness: harness.store(store.clone()).approver(approver).build()?, store };
    desk.start().await?;
    let app = Router::new().route("/", get(questions).post(answer)).route("/chat/{customer}", post(chat).get(look));
    let listener = tokio::net::TcpListener::bind(format!("127.0.0.1:{}", argument(2, "3000"))).await?;
    println!("listening on http://{}", listener.local_addr()?);
    Ok(axum::serve(listener, app.with_state(desk)).await?)
}
