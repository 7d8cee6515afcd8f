//! Hooks in a loop of your own: the steps of a turn, and a test that holds the loop to their hooks.
//!
//! `cargo run -p cookbook --bin own_loop` and `cargo test -p cookbook --bin own_loop`

#![allow(clippy::print_stdout, reason = "a program that shows what it does")]

// ANCHOR: imports
use std::error::Error;

use hook_sdk::data::{Block, Role};
use hook_sdk::diagnostics::HarnessFacts;
use hook_sdk::prelude::*;
use hook_sdk::protocol::{Approval, NextStep, StepError, ToolQuestion};
use serde_json::json;
// ANCHOR_END: imports

// ANCHOR: fires
hook_sdk::fires![prompt, store, model_call, tool_call, stop];
// ANCHOR_END: fires

// ANCHOR: agent
/// What the app brings: a model, its tools, a person to ask, and a store.
struct Agent<'a> {
    model: &'a (dyn Fn(&ModelRequest, &Messages) -> Vec<Block> + Sync),
    tool: &'a (dyn Fn(&ToolCall, &ToolInput) -> Result<String, String> + Sync),
    approve: &'a (dyn Fn(&ToolQuestion) -> Approval + Sync),
    append: &'a (dyn Fn(&Message) + Sync),
}

/// A conversation: the messages as they are stored, and what the person sees besides the answers.
#[derive(Default)]
struct Chat {
    stored: Messages,
    notices: Vec<String>,
}
// ANCHOR_END: agent

// ANCHOR: turn
impl Agent<'_> {
    /// A turn: from a prompt to an answer.
    async fn turn(
        &self,
        hooks: &HookSet,
        cx: &HookContext,
        chat: &mut Chat,
        prompt: &str,
    ) -> Result<String, StepError> {
        // Providers refuse a conversation in which a call has no result.
        self.close(&mut chat.stored, "No result was stored before the next prompt.");
        let answer = self.steps(hooks, cx, chat, prompt).await;
        if let Err(error) = &answer {
            // There are no rows if a call waits for an answer.
            let rows = error.close_calls(&chat.stored);
            if rows.is_empty() {
                return answer;
            }
            for row in rows {
                // If hooks refuse the row, it is not stored.
                let _refused = hooks.store(cx, row, async |row| self.keep(&mut chat.stored, row)).await;
            }
            self.close(&mut chat.stored, "Not stored.");
        }
        answer
    }

    fn close(&self, stored: &mut Messages, why: &str) {
        let open: Vec<ToolCall> = stored.open_calls().cloned().collect();
        for row in open.iter().flat_map(|call| ToolResult::error(why).into_messages(call)) {
            self.keep(stored, row);
        }
    }

    fn keep(&self, stored: &mut Messages, row: Message) {
        (self.append)(&row);
        stored.push(row);
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
        let mut messages = step.store(async |row| self.keep(stored, row)).await?;
        let mut continued = 0;
        for _ in 0..20 {
            let request = ModelRequest::new("You are a support agent.");
            let step = hooks.model_call(cx, request, &mut messages);
            let reply = step.run(async |request, messages| (self.model)(&request, &messages)).await?;
            if reply.tool_calls().next().is_none() {
                let step = hooks.stop(cx, reply, &mut continued);
                match step.store(async |row| self.keep(stored, row)).await? {
                    NextStep::End { answer, notices: more } => {
                        notices.extend(more);
                        return Ok(answer.text().into_owned());
                    }
                    NextStep::Continue { answer, follow_up, notices: more } => {
                        notices.extend(more);
                        messages.push(answer);
                        messages.push(hooks.store(cx, follow_up, async |row| self.keep(stored, row)).await?);
                        continue;
                    }
                }
            }
            // The tools get the unmasked input: hooks may mask the stored row.
            let calls: Vec<ToolCall> = reply.tool_calls().cloned().collect();
            messages.push(hooks.store(cx, reply, async |row| self.keep(stored, row)).await?);
            for call in &calls {
                let step = hooks.tool_call(cx, call).history(&messages).ask(async |asked| (self.approve)(&asked));
                let result = step.run(async |input| (self.tool)(call, &input)).await?;
                for message in result.into_messages(call) {
                    messages.push(hooks.store(cx, message, async |row| self.keep(stored, row)).await?);
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

/// Never runs here: this loop does not fire `turn_end`. The check reports it.
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
    if let Err(findings) = registry.check([&hooks], &HarnessFacts::new().tools(["find", "delete_account"])) {
        println!("{findings}");
    }
    // ANCHOR_END: audit
    let agent =
        Agent { model: &model, tool: &|_, _| Ok("deleted".to_owned()), approve: &|_| false.into(), append: &|_| {} };
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
    // ANCHOR: conformance
    use hooks_conformance::{AgentLoop, NotConforming, World, check_turns};

    use super::*;

    /// The loop, and what its approver says.
    struct OwnLoop(fn(&World, &ToolQuestion) -> Approval);

    impl AgentLoop for OwnLoop {
        async fn turn(&self, hooks: &HookSet, world: &World) {
            let agent = Agent {
                model: &|request, messages| world.model(request, messages),
                tool: &|call, input| world.tool(call, input),
                approve: &|asked| self.0(world, asked),
                append: &|row| world.store(row),
            };
            let mut chat = Chat { stored: world.stored().clone(), ..Chat::default() };
            let answer = agent.turn(hooks, &HookContext::new(), &mut chat, world.prompt()).await;
            world.show(&answer.unwrap_or_else(|error| error.to_string()));
            chat.notices.iter().for_each(|text| world.show(text));
        }
    }

    #[tokio::test]
    async fn the_loop_acts_on_everything_that_hooks_answer() -> Result<(), NotConforming> {
        check_turns(&OwnLoop(World::approve)).await
    }
    // ANCHOR_END: conformance

    /// The page shows how the report for a loop whose approver says yes to every question begins.
    #[tokio::test]
    async fn conformance_finds_an_approver_that_approves_everything() {
        let breaches = check_turns(&OwnLoop(|_, _| Approval::Yes)).await.unwrap_err().to_string();
        let begin: Vec<&str> = breaches.lines().take(4).collect();
        let page = include_str!("../../../../docs/own-loop.md");
        assert!(page.contains(&begin.join("\n")), "docs/own-loop.md does not show:\n{breaches}");
    }

    #[tokio::test]
    async fn a_mask_of_rows_leaves_tools_their_input_and_no_call_stays_open() {
        use hook_sdk::kinds::{BeforeCreateMessage, BeforeToolCall};
        use std::sync::Mutex;

        let mask = Hook::at::<BeforeCreateMessage>("mask").writer(|_, _, row: &mut Message| {
            row.rewrite_text(|_| Some("[masked]".to_owned()));
            for block in &mut row.content {
                if let Block::ToolUse(call) = block {
                    call.input = ToolInput::from(json!({ "to": "[masked]" }));
                }
            }
        });
        let asks = Hook::at::<BeforeToolCall>("asks").reader(|_, _, _| Permission::ask("really?"));
        let registry = Registry::empty();
        registry.register(mask).unwrap();
        registry.register(asks.only("tool", "pay")).unwrap();
        let hooks = registry.scope(&AgentDef::new("a").hooks(["mask", "asks"]), None).unwrap();
        let seen = Mutex::new(Vec::new());
        let call = |name: &str| vec![Block::ToolUse(ToolCall::new(name, name, json!({ "to": "ada@example.com" })))];
        let agent = Agent {
            model: &|_, messages| match messages.last().map(|last| last.role) {
                Some(Role::User) => call(if messages.len() == 1 { "mail" } else { "pay" }),
                _ => vec!["done".into()],
            },
            tool: &|_, input| {
                seen.lock().unwrap().push(input.text().into_owned());
                Ok("sent".to_owned())
            },
            approve: &|_| Approval::Suspend,
            append: &|_| {},
        };
        let (cx, mut chat) = (HookContext::new(), Chat::default());
        agent.turn(&hooks, &cx, &mut chat, "mail her").await.unwrap();
        assert!(seen.lock().unwrap()[0].contains("ada@example.com"), "{seen:?}");
        assert!(agent.turn(&hooks, &cx, &mut chat, "pay her").await.is_err());
        assert_eq!(chat.stored.open_calls().count(), 1, "it waits for an answer");
        let _ = agent.turn(&hooks, &cx, &mut chat, "never mind").await;
        assert!(format!("{:?}", chat.stored).contains("No result was stored"), "{:?}", chat.stored);
    }
}
