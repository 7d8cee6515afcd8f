//! What a suspended turn had is there when it is resumed, and each of its calls gets one true result.

use std::sync::{Arc, Mutex};

use hook_sdk::data::{Block, Message, Role};
use hook_sdk::hook::OnFailure;
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hook_sdk::protocol::Approval;
use hooks_agent::model::Line;
use hooks_agent::tool::{FnTool, ToolSpec};
use hooks_agent::{Outcome, SubAgent, TurnError, TurnRequest};
use serde_json::json;

use super::bench::{Bench, line};
use super::suspended::{AtDesk, Desk, payments};

type Paid = Arc<Mutex<Vec<String>>>;

/// A gate that is only on the list of the prompt, and lets nothing pass once it is closed.
fn guarded(bench: &mut Bench, closed: &Arc<Mutex<bool>>) -> PromptDef {
    let closed = Arc::clone(closed);
    let guard = Hook::at::<BeforeToolCall>("guard").reader(move |_, _, _| {
        if *closed.lock().unwrap() { Permission::deny("closed") } else { Permission::NoOpinion }
    });
    bench.registry.register(guard).unwrap();
    PromptDef::new("refunds").hooks(["guard"])
}

#[tokio::test]
async fn a_turn_is_resumed_with_the_prompt_whose_gates_judged_it() {
    let (desk, paid, closed) = (Arc::new(Desk::default()), Paid::default(), Arc::default());
    let mut bench = Bench::new([Line::call("1", "pay", json!({ "cents": 1 })), Line::text("so be it")]);
    let pay = payments(&mut bench, &paid);
    let prompt = guarded(&mut bench, &closed);
    let session = bench.session(bench.harness().approver(AtDesk(Arc::clone(&desk))).tool(pay)).await;
    let Outcome::Suspended(request) = session.turn(Some(&prompt), "hi").await.outcome else { panic!("not suspended") };
    assert_eq!(request.prompt.as_deref(), Some("refunds"));
    *closed.lock().unwrap() = true;
    desk.answer(Approval::Yes);
    for other in [None, Some(PromptDef::new("other"))] {
        let outcome = session.resume(other.as_ref()).await.outcome;
        let Outcome::Failed(error @ TurnError::OtherPrompt { .. }) = outcome else { panic!("{outcome:?}") };
        assert!(error.to_string().contains("with the prompt `refunds`"), "{error}");
    }
    assert_eq!(bench.stored().await.len(), 2, "nothing was changed, and the call still waits");
    session.resume(Some(&prompt)).await;
    assert_eq!(bench.stored().await[2], "tool: <- Denied: closed");
    assert!(paid.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_turn_without_a_prompt_is_not_resumed_with_one() {
    let (desk, paid) = (Arc::new(Desk::default()), Paid::default());
    let mut bench = Bench::new([Line::call("1", "pay", json!({ "cents": 1 })), Line::text("so be it")]);
    let pay = payments(&mut bench, &paid);
    let session = bench.session(bench.harness().approver(AtDesk(Arc::clone(&desk))).tool(pay)).await;
    session.turn(None, "hi").await;
    desk.answer(Approval::Yes);
    let outcome = session.resume(Some(&PromptDef::new("other"))).await.outcome;
    assert!(matches!(outcome, Outcome::Failed(TurnError::OtherPrompt { .. })), "{outcome:?}");
    session.resume(None).await;
    assert_eq!(*paid.lock().unwrap(), ["1"]);
}

#[tokio::test]
async fn a_call_of_a_sub_agent_is_resumed_with_the_prompt_of_its_caller() {
    let (desk, paid, closed) = (Arc::new(Desk::default()), Paid::default(), Arc::default());
    let mut bench = Bench::new([
        Line::call("1", "clerk", json!({ "prompt": "pay" })),
        Line::call("2", "pay", json!({ "cents": 1 })),
        Line::text("done"),
        Line::text("so be it"),
    ]);
    let pay = payments(&mut bench, &paid);
    let prompt = guarded(&mut bench, &closed);
    let harness = bench.harness().approver(AtDesk(Arc::clone(&desk))).tool(pay);
    let session = bench.session(harness.agent(SubAgent::new(AgentDef::new("clerk"), "Pays."))).await;
    assert!(matches!(session.turn(Some(&prompt), "hi").await.outcome, Outcome::Suspended(_)));
    *closed.lock().unwrap() = true;
    desk.answer(Approval::Yes);
    let outcome = session.resume(None).await.outcome;
    assert!(matches!(outcome, Outcome::Failed(TurnError::OtherPrompt { .. })), "{outcome:?}");
    session.resume(Some(&prompt)).await;
    assert!(paid.lock().unwrap().is_empty(), "{:#?}", bench.stored().await);
}

#[tokio::test]
async fn a_resumed_turn_has_the_trigger_and_the_presence_of_the_one_that_asked() {
    let (desk, paid) = (Arc::new(Desk::default()), Paid::default());
    let mut bench = Bench::new([Line::call("1", "pay", json!({ "cents": 1 })), Line::text("so be it")]);
    let pay = payments(&mut bench, &paid);
    bench.app(Hook::at::<BeforeToolCall>("only_with_a_person").reader(|cx: &HookContext, _, _| {
        if cx.human_present() { Permission::NoOpinion } else { Permission::deny("nobody is there") }
    }));
    let log = bench.log.clone();
    bench.app(Hook::at::<BeforeAgentStart>("began").reader(move |_, event: &BeforeAgentStart, ()| {
        log.note(event.trigger.as_str());
    }));
    let session = bench.session(bench.harness().approver(AtDesk(Arc::clone(&desk))).tool(pay)).await;
    session.begin(TurnRequest::new("hi").trigger("mail").human_present(true)).await;
    desk.answer(Approval::Yes);
    session.resume(None).await;
    assert_eq!(*paid.lock().unwrap(), ["1"]);
    let began: Vec<_> = bench.log.take().into_iter().filter(|line| line != "the model").collect();
    assert_eq!(began, ["mail", "mail"]);
}

#[tokio::test]
async fn a_message_that_is_added_while_a_call_waits_leaves_it_answerable() {
    let call = ToolCall::new("theirs", "lookup", json!({}));
    let calls = Message::of(Role::Assistant, vec![Block::ToolUse(call.clone())]);
    let result = Message::of(Role::Tool, vec![ToolResult::new("found").into_block(&call)]);
    let note = Message::new(Role::User, "a note");
    let added = [vec![note.clone()], vec![note.clone(), calls.clone()], vec![note, calls, result]];
    for (prompt, added) in
        [None, Some("forget it")].into_iter().flat_map(|prompt| added.each_ref().map(|a| (prompt, a)))
    {
        let (desk, paid) = (Arc::new(Desk::default()), Paid::default());
        let mut bench = Bench::new([Line::call("1", "pay", json!({ "cents": 1 })), Line::text("so be it")]);
        let pay = payments(&mut bench, &paid);
        let session = bench.session(bench.harness().approver(AtDesk(Arc::clone(&desk))).tool(pay)).await;
        session.turn(None, "hi").await;
        for message in added {
            session.add(None, message.clone()).await.unwrap();
        }
        if let Some(prompt) = prompt {
            session.turn(None, prompt).await;
        } else {
            desk.answer(Approval::Yes);
            assert_eq!(session.resume(None).await.to_string(), "so be it");
        }
        let result = if prompt.is_some() { "tool: <- Not run: the conversation continued" } else { "tool: <- paid" };
        let heard: Vec<_> = bench.model.heard().last().unwrap().messages.iter().map(line).collect();
        assert!(heard[2].starts_with(result) && heard[3] == "user: a note", "{heard:#?}");
        let heard_results = heard.iter().filter(|line| line.starts_with("tool:")).count();
        assert_eq!(heard_results, added.len().min(2), "one for each call: {heard:#?}");
        assert_eq!(bench.stored().await.iter().filter(|line| line.contains(result)).count(), 1);
        assert_eq!(desk.open(), 0);
        assert_eq!(paid.lock().unwrap().len(), usize::from(prompt.is_none()));
    }
}

#[tokio::test]
async fn each_call_gets_its_result_if_a_hook_fails_while_a_prompt_closes_them() {
    let desk = Arc::new(Desk::default());
    let calls = ["1", "2", "3"].map(|id| (id, "pay", json!({ "cents": id })));
    let mut bench = Bench::new([Line::calls(calls), Line::text("so be it")]);
    let pay = payments(&mut bench, &Paid::default());
    bench.app(
        Hook::at::<AfterToolCall>("books")
            .reader(|_, event: &AfterToolCall, ()| if event.call.id == "2" { Err("no ink") } else { Ok(()) })
            .on_failure(OnFailure::Required),
    );
    let session = bench.session(bench.harness().approver(AtDesk(Arc::clone(&desk))).tool(pay)).await;
    session.turn(None, "hi").await;
    let reply = session.turn(None, "forget it").await;
    assert!(matches!(reply.outcome, Outcome::Failed(_)), "{reply}");
    let results = bench.stored().await.iter().filter(|line| line.starts_with("tool: <- Not run")).count();
    assert_eq!(results, 3, "{:#?}", bench.stored().await);
}

/// The first turn loses the results of the calls beside an agent that waits, and the second one fails at the first of them.
#[tokio::test]
async fn no_result_says_that_a_call_beside_an_agent_did_not_run_if_it_may_have() {
    let desk = Arc::new(Desk::default());
    let calls =
        [("0", "reads"), ("1", "clerk"), ("2", "reads")].map(|(id, tool)| (id, tool, json!({ "prompt": "pay" })));
    let mut bench = Bench::new([Line::calls(calls), Line::call("3", "pay", json!({})), Line::text("so be it")]);
    bench.app(Hook::at::<BeforeToolCall>("gate").reader(|_, _, _| Permission::ask("pay?")).only("tool", "pay"));
    bench.app(
        Hook::at::<AfterToolCall>("books")
            .reader(|_, event: &AfterToolCall, ()| if event.call.id == "0" { Err("no ink") } else { Ok(()) })
            .on_failure(OnFailure::Required),
    );
    let reads = FnTool::new(ToolSpec::new("reads").parallel(), |_, _| Ok("read".to_owned()));
    let pay = FnTool::new(ToolSpec::new("pay"), |_, _| Ok("paid".to_owned()));
    let clerk = SubAgent::new(AgentDef::new("clerk"), "Pays.").tools(["pay"]);
    let harness = bench.harness().tool(pay).tool(reads).agent(clerk).approver(AtDesk(Arc::clone(&desk)));
    let session = bench.session(harness).await;
    for prompt in ["hi", "forget it"] {
        let reply = session.turn(None, prompt).await;
        assert!(matches!(reply.outcome, Outcome::Failed(_)), "{reply}");
    }
    let stored = bench.stored().await;
    let results: Vec<_> = stored.iter().filter(|line| line.starts_with("tool: ")).collect();
    assert_eq!(results.len(), 3, "{stored:#?}");
    assert!(results.iter().all(|result| result.contains("the call may have run")), "{stored:#?}");
}

#[tokio::test]
async fn what_hooks_made_of_results_before_a_waiting_call_is_kept() {
    let (desk, paid) = (Arc::new(Desk::default()), Paid::default());
    let calls = [("1", "lookup", json!({ "id": "a" })), ("2", "pay", json!({ "cents": 1 }))];
    let mut bench = Bench::new([Line::calls(calls), Line::text("so be it")]);
    let pay = payments(&mut bench, &paid);
    bench
        .app(Hook::at::<BeforeToolCall>("lookups_pass").reader(|_, _, _| Permission::NoOpinion).only("tool", "lookup"));
    bench
        .registry
        .replace(Hook::at::<BeforeToolCall>("gate").reader(|_, _, _| Permission::ask("pay?")).only("tool", "pay"))
        .unwrap();
    bench.app(
        Hook::at::<AfterToolCallSuccess>("says")
            .writer(|_, _, result: &mut ToolResult| {
                result.said_by = Some(Role::User);
                result.add_context("a hint");
            })
            .only("tool", "lookup"),
    );
    let session = bench.session(bench.harness().approver(AtDesk(Arc::clone(&desk))).tool(pay)).await;
    session.turn(None, "hi").await;
    assert_eq!(bench.stored().await[3], "user: found a");
    desk.answer(Approval::Yes);
    session.resume(None).await;
    let heard: Vec<_> = bench.model.heard().last().unwrap().messages.iter().map(line).collect();
    assert_eq!(
        heard[2..5],
        ["tool: <- The answer is in a message of the user that follows.", "tool: <- paid", "user: found a"]
    );
    assert!(heard[5].contains("a hint"), "{heard:#?}");
    assert_eq!(heard.len(), 6);
}

#[tokio::test]
async fn what_hooks_add_to_results_before_an_agent_that_waits_and_beside_it_reaches_the_next_request() {
    for depth in [1, 2] {
        let desk = Arc::new(Desk::default());
        let asks = |agent: &'static str| {
            let calls = [("0", "lookup"), ("1", agent), ("2", "reads")];
            Line::calls(calls.map(|(id, tool)| (id, tool, json!({ "prompt": "pay" }))))
        };
        let agents = if depth == 1 { vec!["clerk"] } else { vec!["mid", "clerk"] };
        let lines = agents.into_iter().map(asks).chain([Line::call("3", "pay", json!({})), Line::text("paid")]);
        let mut bench =
            Bench::new(lines.chain((1..depth).map(|_| Line::text("asked"))).chain([Line::text("so be it")]));
        bench.app(Hook::at::<BeforeToolCall>("gate").reader(|_, _, _| Permission::ask("pay?")).only("tool", "pay"));
        bench.app(Hook::at::<AfterToolCallSuccess>("hints").writer(
            |_, event: &AfterToolCallSuccess, result: &mut ToolResult| {
                result.add_context(format!("hint {}", event.call.id));
            },
        ));
        let pay = FnTool::new(ToolSpec::new("pay"), |_, _| Ok("paid".to_owned()));
        let reads = FnTool::new(ToolSpec::new("reads").parallel(), |_, _| Ok("read".to_owned()));
        let mid = SubAgent::new(AgentDef::new("mid"), "Asks.").tools(["lookup", "reads", "clerk"]);
        let clerk = SubAgent::new(AgentDef::new("clerk"), "Pays.").tools(["pay"]);
        let harness = bench.harness().tool(pay).tool(reads).agent(mid).agent(clerk);
        let session = bench.session(harness.approver(AtDesk(Arc::clone(&desk)))).await;
        assert!(matches!(session.turn(None, "hi").await.outcome, Outcome::Suspended(_)));
        desk.answer(Approval::Yes);
        assert_eq!(session.resume(None).await.to_string(), "so be it", "{depth}");
        let heard = bench.model.heard();
        for call in &heard[heard.len() - depth..] {
            let last = line(call.messages.last().unwrap());
            assert!(last.contains("hint 0\n\nhint 2\n\nhint 1"), "{depth}: {last}");
        }
    }
}

/// Masks addresses in rows.
fn mask() -> Hook {
    Hook::at::<BeforeCreateMessage>("mask").writer(|_, _, row: &mut Message| {
        row.rewrite_text(|text| text.contains("ada@x").then(|| text.replace("ada@x", "[mail]")));
    })
}

#[tokio::test]
async fn a_resumed_call_runs_with_the_input_that_was_approved_and_its_row_stays_masked() {
    for answer in [Approval::Yes, Approval::Edited(json!({ "to": "bob@y" }).into())] {
        let (desk, mails) = (Arc::new(Desk::default()), Paid::default());
        let mut bench = Bench::new([Line::call("1", "send", json!({ "to": "ada@x" })), Line::text("sent")]);
        bench.app(mask());
        let judged = Paid::default();
        let seen = Arc::clone(&judged);
        bench.app(Hook::at::<BeforeToolCall>("gate").reader(move |_, _, input: &ToolInput| {
            seen.lock().unwrap().push(input["to"].to_string());
            Permission::ask("a mail")
        }));
        let to = Arc::clone(&mails);
        let send = FnTool::new(ToolSpec::new("send"), move |_, input| {
            to.lock().unwrap().push(input["to"].to_string());
            Ok("sent".to_owned())
        });
        let session = bench.session(bench.harness().approver(AtDesk(Arc::clone(&desk))).tool(send)).await;
        let Outcome::Suspended(asked) = session.turn(None, "hi").await.outcome else { panic!("not suspended") };
        desk.answer(answer.clone());
        let Outcome::Answered(_) = session.resume(None).await.outcome else { panic!("{answer:?}: asked again") };
        let approved = if answer == Approval::Yes { asked.input["to"].to_string() } else { "\"bob@y\"".to_owned() };
        assert_eq!(*mails.lock().unwrap(), [approved], "{answer:?}");
        assert_eq!(judged.lock().unwrap()[..2], ["\"ada@x\"", "\"ada@x\""], "{answer:?}");
        assert_eq!(bench.stored().await[1], r#"assistant: -> send({"to":"[mail]"})"#);
    }
}

#[tokio::test]
async fn a_resumed_call_of_an_agent_has_the_prompt_that_was_approved() {
    let desk = Arc::new(Desk::default());
    let call = Line::call("1", "clerk", json!({ "prompt": "write to ada@x" }));
    let mut bench = Bench::new([call, Line::text("written"), Line::text("so be it")]);
    bench.app(mask());
    bench.app(Hook::at::<BeforeToolCall>("gate").reader(|_, _, _| Permission::ask("a clerk?")).only("tool", "clerk"));
    let log = bench.log.clone();
    bench.app(Hook::at::<UserPromptSubmit>("hears").reader(move |_, event, _| log.note(event.prompt.as_str())));
    let harness = bench.harness().approver(AtDesk(Arc::clone(&desk)));
    let session = bench.session(harness.agent(SubAgent::new(AgentDef::new("clerk"), "Writes."))).await;
    session.turn(None, "hi").await;
    desk.answer(Approval::Yes);
    assert_eq!(session.resume(None).await.to_string(), "so be it");
    let heard: Vec<_> = bench.log.take().into_iter().filter(|line| line != "the model").collect();
    assert_eq!(heard, ["hi", "write to ada@x"]);
}

#[tokio::test]
async fn the_gates_judge_the_call_of_an_agent_that_waits_as_the_model_made_it_or_a_person_edited_it() {
    for (is_edited, judges) in [(true, "write to bob@y"), (false, "write to ada@x!")] {
        the_gates_judge_again(is_edited, judges).await;
    }
}

async fn the_gates_judge_again(is_edited: bool, judges: &str) {
    let desk = Arc::new(Desk::default());
    let lines = [
        Line::call("1", "clerk", json!({ "prompt": "write to ada@x" })),
        Line::call("2", "lookup", json!({})),
        Line::text("written"),
        Line::text("so be it"),
    ];
    let mut bench = Bench::new(lines);
    bench.app(Hook::at::<BeforeToolCall>("looks").reader(|_, _, _| Permission::ask("a look")).only("tool", "lookup"));
    bench.app(mask());
    let rewrites = Hook::at::<BeforeToolCall>("rewrites").writer(move |_, _, input: &mut ToolInput| {
        if !is_edited {
            input["prompt"] = json!(format!("{}!", input["prompt"].as_str().unwrap()));
        }
    });
    bench.app(rewrites.only("tool", "clerk").priority(-5));
    let log = bench.log.clone();
    let gate = Hook::at::<BeforeToolCall>("gate").reader(move |_, _, input: &ToolInput| {
        log.note(input["prompt"].as_str().unwrap());
        if is_edited && input["prompt"] != "write to bob@y" {
            Permission::ask("a clerk?")
        } else {
            Permission::NoOpinion
        }
    });
    bench.app(gate.only("tool", "clerk"));
    let ran = bench.log.clone();
    let after = Hook::at::<AfterToolCall>("after").reader(move |_, event: &AfterToolCall, ()| {
        ran.note(event.input["prompt"].as_str().unwrap());
    });
    bench.app(after.only("tool", "clerk"));
    let harness = bench.harness().approver(AtDesk(Arc::clone(&desk)));
    let session = bench.session(harness.agent(SubAgent::new(AgentDef::new("clerk"), "Writes."))).await;
    session.turn(None, "hi").await;
    if is_edited {
        desk.answer(Approval::Edited(json!({ "prompt": "write to bob@y" }).into()));
        session.resume(None).await;
    }
    bench.log.take();
    desk.answer(Approval::Yes);
    assert_eq!(session.resume(None).await.to_string(), "so be it");
    let log: Vec<_> = bench.log.take().into_iter().filter(|what| what.contains("write")).collect();
    assert_eq!(log, [judges, judges]);
}

/// A call before the waiting one has no result, so neither was started.
#[tokio::test]
async fn calls_that_waited_together_run_once_each_whatever_is_known_of_their_tools_now() {
    for (parallel, offered) in [(true, true), (false, true), (true, false)] {
        let (desk, paid) = (Arc::new(Desk::default()), Paid::default());
        let calls = ["1", "2", "3"].map(|id| (id, "pay", json!({ "cents": id })));
        let mut bench = Bench::new([Line::calls(calls), Line::text("so be it")]);
        bench.app(Hook::at::<BeforeToolCall>("gate").reader(|_, event: &BeforeToolCall, _| {
            if event.call.id == "2" { Permission::ask("pay?") } else { Permission::NoOpinion }
        }));
        let is_offered = Arc::new(Mutex::new(true));
        let at_hook = Arc::clone(&is_offered);
        bench.app(Hook::at::<PreToolMaterialization>("limits").reader(move |_, _, ()| {
            Contribution::tool_limit("l", if *at_hook.lock().unwrap() { vec!["pay", "lookup"] } else { vec!["lookup"] })
        }));
        let harness = |spec: ToolSpec| {
            let paid = Arc::clone(&paid);
            let pay = FnTool::new(spec, move |_, input| {
                paid.lock().unwrap().push(input["cents"].as_str().unwrap().to_owned());
                Ok("paid".to_owned())
            });
            bench.harness().approver(AtDesk(Arc::clone(&desk))).tool(pay)
        };
        bench.session(harness(ToolSpec::new("pay").parallel())).await.turn(None, "hi").await;
        assert!(paid.lock().unwrap().is_empty(), "the gates judge all of them first");
        *is_offered.lock().unwrap() = offered;
        desk.answer(Approval::Yes);
        let spec = ToolSpec::new("pay");
        let session = bench.session(harness(if parallel { spec.parallel() } else { spec })).await;
        assert_eq!(session.resume(None).await.to_string(), "so be it");
        let results: Vec<_> = bench.stored().await.into_iter().filter(|line| line.starts_with("tool:")).collect();
        assert_eq!(results.len(), 3, "{parallel}, {offered}: {results:#?}");
        let expected = if offered { "tool: <- paid" } else { "tool: <- there is no tool `pay`" };
        assert!(results.iter().all(|result| result.starts_with(expected)), "{parallel}, {offered}: {results:#?}");
        let expected: &[&str] = if offered { &["1", "2", "3"] } else { &[] };
        assert_eq!(*paid.lock().unwrap(), expected, "{parallel}, {offered}");
    }
}
