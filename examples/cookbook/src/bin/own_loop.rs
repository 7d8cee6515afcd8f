//! Hooks in a loop of your own: nine kinds, each fired at its place, and a test that holds the loop to all of them.
//!
//! `cargo run -p cookbook --bin own_loop` and `cargo test -p cookbook --bin own_loop`

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that shows what it does")]

// ANCHOR: imports
use std::collections::HashSet;
use std::error::Error;

use hook_sdk::data::Block;
use hook_sdk::diagnostics::HarnessFacts;
use hook_sdk::kinds::{
    AfterCreateMessage, AfterToolCallFailure, AfterToolCallSuccess, BeforeCreateMessage, BeforeToolCall, PostModelCall,
    PreModelCall, Stop, StopReason, UserPromptSubmit,
};
use hook_sdk::prelude::*;
use hook_sdk::verdict::{Decision, PromptDecision, Question, ReplyVerdict, StopDecision};
use serde_json::json;
// ANCHOR_END: imports

// ANCHOR: fires
hook_sdk::fires![
    UserPromptSubmit [never profile, hidden],
    BeforeCreateMessage,
    AfterCreateMessage [never message_id],
    PreModelCall [never call_site, profiles],
    PostModelCall [never call_site, error, failure, will_retry, model, streamed, usage],
    BeforeToolCall,
    AfterToolCallSuccess [never history, duration, context_budget, model, dynamic_ui],
    AfterToolCallFailure [never history, duration, context_budget, model, dynamic_ui, attempt, may_retry],
    Stop [never at_iteration_cap],
];
// ANCHOR_END: fires

// ANCHOR: fire
/// What the app brings: a model, its tools, and a person to ask.
struct Agent {
    model: fn(&ModelRequest, &Messages) -> Vec<Block>,
    tool: fn(&ToolCall, &ToolInput) -> Result<String, String>,
    approve: fn(&Question) -> bool,
}

/// A turn that ended without an answer of the model.
#[derive(Debug, thiserror::Error)]
enum End {
    /// A hook refused the prompt or the answer.
    #[error("[Blocked] {0}")]
    Blocked(String),
    /// A hook halted the turn, or it took too many steps.
    #[error("[Stopped] {0}")]
    Stopped(String),
    /// A required hook failed.
    #[error(transparent)]
    Failed(#[from] DispatchError),
}

struct Turn<'a> {
    agent: &'a Agent,
    hooks: &'a HookSet,
    cx: &'a HookContext,
    /// The conversation as it is stored.
    stored: Messages,
    /// What the person sees besides the answer.
    notices: Vec<String>,
}

impl Turn<'_> {
    /// Fires a kind. Two outcomes are the same at every kind: a required hook that failed and a halt end the turn.
    async fn fire<K: HookKind>(&self, event: &K, subject: K::Subject) -> Result<Fired<K>, End> {
        let fired = self.hooks.fire(self.cx, event, subject).await?;
        for failure in &fired.report.failures {
            eprintln!("{failure}");
        }
        match &fired.report.halt {
            Some(halt) => Err(End::Stopped(halt.reason.to_string())),
            None => Ok(fired),
        }
    }
    // ANCHOR_END: fire

    // ANCHOR: prompt
    /// What the model reads: the conversation, what hooks add for this turn, and the prompt.
    async fn prompt(&mut self, text: &str) -> Result<Messages, End> {
        let mut messages = self.stored.clone();
        messages.push(Message::new(Role::User, text));
        let fired = self.fire(&UserPromptSubmit::new(text, messages.clone()), messages).await?;
        match fired.verdict.decision {
            PromptDecision::Proceed => {}
            PromptDecision::Stop(reason) => return Err(End::Stopped(reason.to_string())),
            PromptDecision::Block(reason) => return Err(End::Blocked(reason.to_string())),
            // A decision that this loop does not know refuses.
            _ => return Err(End::Blocked("an unknown decision".to_owned())),
        }
        let mut messages = fired.subject; // as the hooks left it, not as it was fired
        let prompt = messages.pop().ok_or_else(|| End::Blocked("the prompt was removed".to_owned()))?;
        let prompt = self.row(prompt).await?;
        messages.extend(fired.verdict.contexts.into_iter().map(|text| Message::new(Role::User, text)));
        messages.push(prompt.clone());
        self.keep(prompt).await?;
        Ok(messages)
    }

    /// A message as it is to be stored.
    async fn row(&self, message: Message) -> Result<Message, End> {
        Ok(self.fire(&BeforeCreateMessage::new(), message).await?.subject)
    }

    /// Stores it.
    async fn keep(&mut self, row: Message) -> Result<(), End> {
        self.stored.push(row.clone());
        self.fire(&AfterCreateMessage::new(row), ()).await.map(drop)
    }
    // ANCHOR_END: prompt

    // ANCHOR: model
    /// Calls the model, and again if a hook requests it, at most three times.
    async fn call_model(&self, messages: &mut Messages) -> Result<Message, End> {
        for _ in 0..3 {
            let event = PreModelCall::new().messages(messages.clone());
            let request = self.fire(&event, ModelRequest::new("You are a support agent.")).await?.subject;
            let content = match &request.answer {
                Some(answer) => answer.clone(), // a hook answers in the model's place
                None => (self.agent.model)(&request, messages),
            };
            let stop_reason = if asks_for_tools(&content) { "tool_use" } else { "end_turn" };
            let reply = ModelReply::new(content).messages(messages.clone());
            let fired = self.fire(&PostModelCall::new(stop_reason), reply).await?;
            if fired.verdict != ReplyVerdict::Continue || asks_for_tools(&fired.subject.content) {
                return Ok(Message::of(Role::Assistant, fired.subject.content.clone()));
            }
            *messages = fired.subject.messages.clone();
        }
        Err(End::Stopped("hooks asked for the model too often".to_owned()))
    }
    // ANCHOR_END: model

    // ANCHOR: tool
    /// Judges a call, runs it if it may run, and returns what the model reads.
    async fn call_tool(&self, call: &ToolCall) -> Result<ToolResult, End> {
        let fired = self.fire(&BeforeToolCall::new(call.clone()), call.input.clone()).await?;
        let input = fired.subject; // the tool gets the input that the gates judged
        let ran = match fired.verdict.decide() {
            Decision::Run => (self.agent.tool)(call, &input).map(ToolResult::new),
            Decision::Answer(result) => Ok(result.clone()),
            Decision::Ask(question) | Decision::Defer(question) if (self.agent.approve)(question) => {
                (self.agent.tool)(call, &input).map(ToolResult::new)
            }
            Decision::Ask(question) | Decision::Defer(question) => {
                return Ok(ToolResult::error(format!("Declined: {}", question.reason)));
            }
            Decision::Refuse(denial) => return Ok(ToolResult::error(format!("Denied: {}", denial.reason))),
        };
        let result = match ran {
            Ok(result) => {
                let event = AfterToolCallSuccess::new(call.clone(), input);
                self.fire(&event, result).await?.subject
            }
            Err(error) => {
                let event = AfterToolCallFailure::new(call.clone(), input, error.as_str());
                self.fire(&event, ToolResult::error(error)).await?.subject
            }
        };
        // `None`: a hook removed the result. The call needs one all the same.
        Ok(result.unwrap_or_else(|| ToolResult::new("[removed by a hook]")))
    }
    // ANCHOR_END: tool

    // ANCHOR: turn
    async fn run(&mut self, prompt: &str) -> Result<String, End> {
        let mut messages = self.prompt(prompt).await?;
        let mut continued = 0;
        for _step in 0..20 {
            let reply = self.call_model(&mut messages).await?;
            let row = self.row(reply).await?;
            let calls: Vec<ToolCall> = row.tool_calls().cloned().collect();
            if !calls.is_empty() {
                messages.push(row.clone());
                self.keep(row).await?;
                for call in &calls {
                    for message in self.call_tool(call).await?.into_messages(call) {
                        let row = self.row(message).await?;
                        messages.push(row.clone());
                        self.keep(row).await?;
                    }
                }
                continue;
            }

            let event = Stop::new(StopReason::FinalResponse).stop_hook_active(continued > 0).last_message(row.clone());
            let verdict = self.fire(&event, ()).await?.verdict;
            self.notices.extend(verdict.system_messages);
            if !verdict.suppress_output {
                self.notices.extend(verdict.contexts.iter().map(str::to_owned));
            }
            match verdict.decision {
                StopDecision::Continue(next) if continued < 8 => {
                    continued += 1;
                    let next = self.row(Message::new(Role::User, next.as_str())).await?;
                    for row in [row, next] {
                        messages.push(row.clone());
                        self.keep(row).await?;
                    }
                }
                StopDecision::Block(reason) => {
                    let error = self.row(Message::new(Role::Assistant, format!("[Blocked] {reason}"))).await?;
                    self.keep(error).await?; // in place of the answer
                    return Err(End::Blocked(reason.to_string()));
                }
                _ => {
                    let answer = row.text().into_owned();
                    self.keep(row).await?;
                    return Ok(answer);
                }
            }
        }
        Err(End::Stopped("too many steps".to_owned()))
    }

    /// Gives each call a result, however the turn ended: providers refuse a conversation in which one has none.
    fn close_calls(&mut self) {
        let result = |block: &Block| match block {
            Block::ToolResult(result) => Some(result.call_id.clone()),
            _ => None,
        };
        let answered: HashSet<String> = self.stored.iter().flat_map(|row| &row.content).filter_map(result).collect();
        let calls = self.stored.iter().flat_map(Message::tool_calls);
        let open: Vec<ToolCall> = calls.filter(|call| !answered.contains(&call.id)).cloned().collect();
        for call in open {
            self.stored.extend(ToolResult::error("Not run: the turn ended").into_messages(&call));
        }
    }
    // ANCHOR_END: turn
}

fn asks_for_tools(content: &[Block]) -> bool {
    content.iter().any(|block| matches!(block, Block::ToolUse(_)))
}

impl Agent {
    fn begin<'a>(&'a self, hooks: &'a HookSet, cx: &'a HookContext) -> Turn<'a> {
        Turn { agent: self, hooks, cx, stored: Messages::default(), notices: Vec::new() }
    }

    /// A turn of a conversation: its answer, or how it ended without one.
    async fn turn<'a>(
        &'a self,
        hooks: &'a HookSet,
        cx: &'a HookContext,
        prompt: &str,
    ) -> (Result<String, End>, Turn<'a>) {
        let mut turn = self.begin(hooks, cx);
        let answer = turn.run(prompt).await;
        turn.close_calls();
        (answer, turn)
    }
}

#[hook(id = "no_deletes", kind = before_tool_call, tool = "delete_*")]
fn no_deletes() -> Permission {
    Permission::deny("deleting needs a person")
}

/// Never runs here: this loop does not fire `turn_end`. The audit reports it.
#[hook(id = "log_turn", kind = turn_end)]
fn log_turn() {
    println!("the turn is over");
}

/// Stands in for a model: tries to delete, then reports the result.
fn model(_request: &ModelRequest, messages: &Messages) -> Vec<Block> {
    let result = |block: &Block| matches!(block, Block::ToolResult(_));
    if messages.iter().any(|message| message.content.iter().any(result)) {
        return vec!["I may not do that.".into()];
    }
    vec![Block::ToolUse(ToolCall::new("call_1", "delete_account", json!({ "id": 7 })))]
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    // ANCHOR: audit
    let registry = Registry::discover()?;
    let hooks = registry.scope(&AgentDef::new("support").hooks(hooks![no_deletes, log_turn]), None)?;
    for finding in registry.audit_with([&hooks], &HarnessFacts::new().tools(["find", "delete_account"])) {
        println!("{finding}");
    }
    // ANCHOR_END: audit
    let agent = Agent { model, tool: |_, _| Ok("deleted".to_owned()), approve: |_| false };
    let cx = HookContext::new();
    let (answer, turn) = agent.turn(&hooks, &cx, "delete my account").await;
    let result = |block: &Block| match block {
        Block::ToolResult(result) => result.content.iter().find_map(Block::as_text).map(str::to_owned),
        _ => None,
    };
    for text in turn.stored.iter().flat_map(|row| &row.content).filter_map(result) {
        println!("delete_account: {text}");
    }
    match answer {
        Ok(answer) => println!("{answer}"),
        Err(end) => println!("{end}"),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use hooks_conformance::{Drive, NotConforming};
    use serde_json::Value;

    use super::*;

    // ANCHOR: driver
    /// Makes each kind happen once, and shows everything that a hook can change.
    struct Driver(Agent);

    /// A model that asks for the tool that the prompt names, and else repeats what it was sent.
    fn echo(request: &ModelRequest, messages: &Messages) -> Vec<Block> {
        match messages.last() {
            Some(last) if last.role == Role::User && &*last.text() == "find" => {
                vec![Block::ToolUse(ToolCall::new("call_1", "find", json!({ "word": "blue" })))]
            }
            Some(last) if last.role == Role::User && &*last.text() == "fail" => {
                vec![Block::ToolUse(ToolCall::new("call_1", "fail", json!({ "word": "blue" })))]
            }
            _ => vec![format!("{}: {}", request.system_prompt, json!(messages)).into()],
        }
    }

    fn tool(call: &ToolCall, input: &ToolInput) -> Result<String, String> {
        if call.name == "fail" { Err(format!("no {input:?}")) } else { Ok(format!("found {input:?}")) }
    }

    impl Drive for Driver {
        async fn drive(&self, kind: &str, hooks: &HookSet) -> Result<Value, Box<dyn Error + Send + Sync>> {
            let cx = HookContext::new();
            let prompt = match kind {
                "before_tool_call" | "after_tool_call_success" => "find",
                "after_tool_call_failure" => "fail",
                // A turn stores several rows; here it has to be one.
                "before_create_message" | "after_create_message" => {
                    let mut turn = self.0.begin(hooks, &cx);
                    let stored = match turn.row(Message::new(Role::User, "one more")).await {
                        Ok(row) => turn.keep(row).await,
                        Err(end) => Err(end),
                    };
                    return Ok(json!({ "ended": format!("{stored:?}"), "stored": turn.stored }));
                }
                _ => "hello",
            };
            let (answer, turn) = self.0.turn(hooks, &cx, prompt).await;
            Ok(json!({ "answer": format!("{answer:?}"), "stored": turn.stored, "notices": turn.notices }))
        }

        /// A hook at each kind whose effect `drive` shows.
        fn probe(&self, id: &str, kind: &str) -> Option<Hook> {
            let result = |result: &mut ToolResult| result.add_context("probed");
            Some(match kind {
                "user_prompt_submit" => {
                    Hook::at::<UserPromptSubmit>(id).reader(|_, _, _| PromptVerdict::context("probed"))
                }
                "before_create_message" => Hook::at::<BeforeCreateMessage>(id).writer(|_, _, row: &mut Message| {
                    row.rewrite_text(|_| Some("probed".to_owned()));
                }),
                "pre_model_call" => Hook::at::<PreModelCall>(id).writer(|_, _, request: &mut ModelRequest| {
                    request.system_prompt.push_str("probed");
                }),
                "post_model_call" => Hook::at::<PostModelCall>(id).writer(|_, _, reply: &mut ModelReply| {
                    reply.content.push("probed".into());
                }),
                "before_tool_call" => Hook::at::<BeforeToolCall>(id).reader(|_, _, _| Permission::deny("probed")),
                "after_tool_call_success" => {
                    Hook::at::<AfterToolCallSuccess>(id).writer(move |_, _, answer| result(answer))
                }
                "after_tool_call_failure" => {
                    Hook::at::<AfterToolCallFailure>(id).writer(move |_, _, answer| result(answer))
                }
                "stop" => Hook::at::<Stop>(id).reader(|_, _, ()| StopVerdict::block("probed")),
                _ => return None,
            })
        }
    }

    #[tokio::test]
    async fn the_loop_does_what_it_declares() -> Result<(), NotConforming> {
        hooks_conformance::check(&Driver(Agent { model: echo, tool, approve: |_| false })).await
    }
    // ANCHOR_END: driver

    /// The page shows the report for a loop whose approver says yes to every question.
    #[tokio::test]
    async fn conformance_finds_an_approver_that_approves_everything() {
        let wrong = hooks_conformance::check(&Driver(Agent { model: echo, tool, approve: |_| true })).await;
        let Err(breaches) = wrong else { unreachable!("it conforms") };
        let (page, text) = (include_str!("../../../../docs/own-loop.md"), breaches.to_string());
        for line in text.lines() {
            let shown = line.split(" at examples/").next().unwrap_or(line);
            assert!(page.contains(shown), "docs/own-loop.md does not show:\n{text}");
        }
        assert_eq!(text.matches("when a hook asks").count() + text.matches("when a hook defers").count(), 2, "{text}");
    }
}
