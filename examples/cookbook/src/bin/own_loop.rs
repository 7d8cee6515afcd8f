//! Hooks in a loop of your own: the steps of a turn, and a test that holds the loop to their hooks.
//!
//! `cargo run -p cookbook --bin own_loop` and `cargo test -p cookbook --bin own_loop`

#![allow(clippy::print_stdout, reason = "a program that shows what it does")]

// ANCHOR: imports
use std::error::Error;

use hook_sdk::data::Block;
use hook_sdk::diagnostics::HarnessFacts;
use hook_sdk::prelude::*;
use hook_sdk::protocol::{NextStep, StepError, ToolQuestion};
use serde_json::json;
// ANCHOR_END: imports

// ANCHOR: fires
hook_sdk::fires![prompt, store, model_call, tool_call, stop [never at_iteration_cap]];
// ANCHOR_END: fires

// ANCHOR: agent
/// What the app brings: a model, its tools, and a person to ask.
struct Agent {
    model: fn(&ModelRequest, &Messages) -> Vec<Block>,
    tool: fn(&ToolCall, &ToolInput) -> Result<String, String>,
    approve: fn(&ToolQuestion) -> bool,
}

/// A conversation: the messages as they are stored, and what the person sees besides the answers.
#[derive(Default)]
struct Chat {
    stored: Messages,
    notices: Vec<String>,
}
// ANCHOR_END: agent

// ANCHOR: turn
impl Agent {
    /// A turn: from a prompt to an answer.
    async fn turn(
        &self,
        hooks: &HookSet,
        cx: &HookContext,
        chat: &mut Chat,
        prompt: &str,
    ) -> Result<String, StepError> {
        let answer = self.steps(hooks, cx, chat, prompt).await;
        if let Err(error) = &answer {
            // Providers refuse a conversation in which a call has no result.
            chat.stored.extend(error.close_calls(&chat.stored));
        }
        answer
    }

    async fn steps(
        &self,
        hooks: &HookSet,
        cx: &HookContext,
        chat: &mut Chat,
        prompt: &str,
    ) -> Result<String, StepError> {
        let Chat { stored, notices } = chat;
        let step = hooks.prompt(cx, prompt, stored);
        let mut messages = step.store(async |row| stored.push(row)).await?;
        let mut continued = 0;
        for _ in 0..20 {
            let request = ModelRequest::new("You are a support agent.");
            let step = hooks.model_call(cx, request, &mut messages);
            let reply = step.run(async |request, messages| (self.model)(&request, &messages)).await?;
            if reply.tool_calls().next().is_none() {
                match hooks.stop(cx, reply).continued(continued).store(async |row| stored.push(row)).await? {
                    NextStep::End { answer, notices: more } => {
                        notices.extend(more);
                        return Ok(answer.text().into_owned());
                    }
                    NextStep::Continue { answer, follow_up, notices: more } => {
                        notices.extend(more);
                        continued += 1;
                        messages.push(answer);
                        messages.push(hooks.store(cx, follow_up, async |row| stored.push(row)).await?);
                        continue;
                    }
                }
            }
            let row = hooks.store(cx, reply, async |row| stored.push(row)).await?;
            messages.push(row.clone());
            for call in row.tool_calls() {
                let step = hooks.tool_call(cx, call).history(&messages).ask(async |asked| (self.approve)(&asked));
                let result = step.run(async |input| (self.tool)(call, &input)).await?;
                for message in result.into_messages(call) {
                    messages.push(hooks.store(cx, message, async |row| stored.push(row)).await?);
                }
            }
        }
        Ok("[Stopped] too many steps".to_owned())
    }
}
// ANCHOR_END: turn

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
    match messages.last() {
        Some(last) if last.role == Role::Tool => vec!["I may not do that.".into()],
        _ => vec![Block::ToolUse(ToolCall::new("call_1", "delete_account", json!({ "id": 7 })))],
    }
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
    let mut chat = Chat::default();
    let answer = agent.turn(&hooks, &HookContext::new(), &mut chat, "delete my account").await;
    for block in chat.stored.iter().flat_map(|row| &row.content) {
        if let Block::ToolResult(result) = block {
            println!("delete_account: {}", result.content.iter().filter_map(Block::as_text).collect::<String>());
        }
    }
    match answer {
        Ok(answer) => println!("{answer}"),
        Err(end) => println!("{end}"),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use hook_sdk::kinds::*;
    use hook_sdk::verdict::Question;
    use hooks_conformance::{Drive, NotConforming};
    use serde_json::Value;

    use super::*;

    // ANCHOR: driver
    /// Makes each kind happen once, and shows everything that a hook can change.
    struct Driver(Agent);

    /// A model that asks for the tool that the prompt names, and else repeats what it was sent.
    fn echo(request: &ModelRequest, messages: &Messages) -> Vec<Block> {
        match messages.last().map(|last| last.text().into_owned()) {
            Some(tool) if tool == "find" || tool == "fail" => {
                vec![Block::ToolUse(ToolCall::new("call_1", tool, json!({ "word": "blue" })))]
            }
            _ => vec![format!("{}: {}", request.system_prompt, json!(messages)).into()],
        }
    }

    fn tool(call: &ToolCall, input: &ToolInput) -> Result<String, String> {
        if call.name == "fail" { Err(format!("no {input:?}")) } else { Ok(format!("found {input:?}")) }
    }

    impl Drive for Driver {
        async fn drive(&self, kind: &str, hooks: &HookSet) -> Result<Value, Box<dyn Error + Send + Sync>> {
            let (cx, mut chat) = (HookContext::new(), Chat::default());
            let prompt = match kind {
                "before_tool_call" | "permission_request" | "after_tool_call" | "after_tool_call_success" => "find",
                "after_tool_call_failure" => "fail",
                // A turn stores several rows; here it has to be one.
                "before_create_message" | "after_create_message" => {
                    let row = Message::new(Role::User, "one more");
                    let stored = hooks.store(&cx, row, async |row| chat.stored.push(row)).await;
                    return Ok(json!({ "ended": format!("{stored:?}"), "stored": chat.stored }));
                }
                _ => "hello",
            };
            let answer = self.0.turn(hooks, &cx, &mut chat, prompt).await;
            Ok(json!({ "answer": format!("{answer:?}"), "stored": chat.stored, "notices": chat.notices }))
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
                "prefilter_llm_history" => Hook::at::<PrefilterLlmHistory>(id)
                    .writer(|_, _, messages: &mut Messages| messages.push(Message::new(Role::User, "probed"))),
                "pre_model_call" => Hook::at::<PreModelCall>(id).writer(|_, _, request: &mut ModelRequest| {
                    request.system_prompt.push_str("probed");
                }),
                "post_model_call" => Hook::at::<PostModelCall>(id).writer(|_, _, reply: &mut ModelReply| {
                    reply.content.push("probed".into());
                }),
                "before_tool_call" => Hook::at::<BeforeToolCall>(id).reader(|_, _, _| Permission::deny("probed")),
                "permission_request" => Hook::at::<PermissionRequest>(id).reader(|_, _, _| Permission::allow()),
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

        /// A person is asked only if a gate asks.
        fn required_hooks(&self, kind: &str) -> Vec<Hook> {
            let asks = Hook::at::<BeforeToolCall>("asks").reader(|_, _, _| Permission::from(Question::new("sure?")));
            if kind == "permission_request" { vec![asks] } else { Vec::new() }
        }
    }

    #[tokio::test]
    async fn the_loop_does_what_it_declares() -> Result<(), NotConforming> {
        hooks_conformance::check(&Driver(Agent { model: echo, tool, approve: |_| false })).await
    }
    // ANCHOR_END: driver
}
