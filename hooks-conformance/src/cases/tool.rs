//! Tool calls.

use std::sync::atomic::{AtomicUsize, Ordering};

use hook_sdk::Hook;
use hook_sdk::data::{Block, ModelRequest, Role, ToolCall, ToolInput, ToolResult};
use hook_sdk::kinds::{
    AfterToolCall, AfterToolCallFailure, AfterToolCallSuccess, BeforeToolCall, PermissionRequest, PreModelCall,
};
use hook_sdk::verdict::{Halt, Permission, Retry};
use serde_json::json;

use super::{
    Case, PROBED, asks_and, comes, fails, fails_later, gate, halts, halts_later, is_of_a_tool, probed, retries_once,
    retries_once_of, says, sets_inputs, watched,
};
use crate::expect::Expect::{
    AlwaysSends, Asks, AsksAbout, Calls, Comes, ComesInTheTurn, KeepsSending, NeverRunsWith, NeverSends, NeverShows,
    NeverStores, Retries, Runs, RunsEachAsItself, RunsIfAsked, RunsWith, Sends, SendsAsThePerson, Shows, StaysOpen,
    Stores,
};
use crate::world::Person::{Answers, Edits, No, Suspends, Yes, YesOnce};
use crate::world::Scenario::{Answer, Failure, Tool, TwoFailures, TwoRounds, TwoTools, TwoTurns};
use crate::world::{Acts, EDITED, ERROR, NEXT, OUTPUT, PROMPT, REFUSAL, SAID};

#[rustfmt::skip]
pub(super) const CASES: &[Case] = &[
    // A tool call.
    Case { kind: "before_tool_call", when: "watches two calls", scenario: TwoTools, person: Yes,
           hooks: watched::<BeforeToolCall>, expect: &[Comes("before_tool_call", 2), ComesInTheTurn("before_tool_call")] },
    Case { kind: "permission_request", when: "watches two calls", scenario: TwoTools, person: Yes,
           hooks: |acts| [gate(|| Permission::ask(PROBED)), watched::<PermissionRequest>(acts)].concat(),
           expect: &[Comes("permission_request", 2), ComesInTheTurn("permission_request")] },
    Case { kind: "after_tool_call_success", when: "watches two calls", scenario: TwoTools, person: Yes,
           hooks: watched::<AfterToolCallSuccess>, expect: &[Comes("after_tool_call_success", 2), ComesInTheTurn("after_tool_call_success")] },
    Case { kind: "after_tool_call_failure", when: "watches", scenario: Failure, person: Yes,
           hooks: watched::<AfterToolCallFailure>, expect: &[Comes("after_tool_call_failure", 1), ComesInTheTurn("after_tool_call_failure")] },
    Case { kind: "before_tool_call", when: "denies", scenario: Tool, person: Yes,
           hooks: |_| gate(|| Permission::deny(PROBED)), expect: &[Runs(0), Sends(PROBED), NeverSends(OUTPUT)] },
    Case { kind: "before_tool_call", when: "denies each of two calls", scenario: TwoTools, person: Yes,
           hooks: |_| gate(|| Permission::deny(PROBED)), expect: &[Runs(0), Sends(PROBED)] },
    Case { kind: "before_tool_call", when: "denies each call of two answers", scenario: TwoRounds, person: Yes,
           hooks: |_| gate(|| Permission::deny(PROBED)), expect: &[Runs(0), Sends(PROBED), Calls(3)] },
    Case { kind: "before_tool_call", when: "halts at the first of two calls only", scenario: TwoTools, person: Yes,
           hooks: |_| vec![Hook::at::<BeforeToolCall>("probe").reader(|_, event: &BeforeToolCall, _| {
               if event.call.id == "call_1" { Err(Halt::new(PROBED)) } else { Ok(()) }
           })],
           expect: &[Runs(0), Calls(1)] },
    Case { kind: "before_tool_call", when: "halts later", scenario: TwoRounds, person: Yes,
           hooks: halts_later::<BeforeToolCall>, expect: &[Runs(1), Calls(2)] },
    Case { kind: "before_tool_call", when: "is required and fails later", scenario: TwoRounds, person: Yes,
           hooks: fails_later::<BeforeToolCall>, expect: &[Runs(1)] },
    Case { kind: "before_tool_call", when: "rewrites the inputs of two calls", scenario: TwoTools, person: Yes,
           hooks: |_| sets_inputs(|call| format!("probed {}", call.id)), expect: &[Runs(2), RunsWith("probed call_1"), RunsWith("probed call_2"), NeverRunsWith("blue"), RunsEachAsItself] },
    Case { kind: "before_tool_call", when: "rewrites the inputs of two answers", scenario: TwoRounds, person: Yes,
           hooks: |_| sets_inputs(|call| format!("probed {}", call.id)), expect: &[Runs(2), RunsWith("probed call_1"), RunsWith("probed call_2"), NeverRunsWith("blue")] },
    Case { kind: "before_tool_call", when: "denies the second of two calls", scenario: TwoTools, person: Yes,
           hooks: |_| vec![Hook::at::<BeforeToolCall>("probe").reader(|_, event: &BeforeToolCall, _| {
               if event.call.id == "call_2" { Permission::deny(PROBED) } else { Permission::NoOpinion }
           })],
           expect: &[Runs(1), Sends(PROBED), Sends(OUTPUT)] },
    Case { kind: "before_tool_call", when: "reads the call and its input, and denies", scenario: Tool, person: Yes,
           hooks: |_| vec![Hook::at::<BeforeToolCall>("probe").reader(|_, event: &BeforeToolCall, input: &ToolInput| {
               let blue = json!({ "word": "blue" });
               let is_it = (&*event.call.name, &*event.call.id) == ("find", "call_1") && *event.call.input == blue && **input == blue;
               if is_it { Permission::deny(PROBED) } else { Permission::NoOpinion }
           })],
           expect: &[Runs(0), Sends(PROBED)] },
    Case { kind: "before_tool_call", when: "fails", scenario: Tool, person: Yes,
           hooks: |_| vec![Hook::at::<BeforeToolCall>("probe").reader(|_, _, _| Err::<(), _>(PROBED))],
           expect: &[Runs(0)] },
    Case { kind: "before_tool_call", when: "is required and fails", scenario: Tool, person: Yes,
           hooks: fails::<BeforeToolCall>, expect: &[Runs(0)] },
    Case { kind: "before_tool_call", when: "halts", scenario: Tool, person: Yes,
           hooks: halts::<BeforeToolCall>, expect: &[Runs(0), Calls(1), Shows(PROBED)] },
    Case { kind: "before_tool_call", when: "halts at the first of two calls", scenario: TwoTools, person: Yes,
           hooks: halts::<BeforeToolCall>, expect: &[Runs(0), Calls(1)] },
    Case { kind: "before_tool_call", when: "asks, and the person says no", scenario: Tool, person: No,
           hooks: |_| gate(|| Permission::ask(PROBED)), expect: &[Runs(0), NeverSends(OUTPUT)] },
    Case { kind: "before_tool_call", when: "asks, and the person says yes", scenario: Tool, person: Yes,
           hooks: |_| gate(|| Permission::ask(PROBED)), expect: &[Asks(1), Runs(1), Sends(OUTPUT)] },
    Case { kind: "before_tool_call", when: "asks, and the person edits the input", scenario: Tool, person: Edits,
           hooks: |_| gate(|| Permission::ask(PROBED)), expect: &[Asks(1), Runs(1), RunsWith(EDITED), NeverRunsWith("blue")] },
    Case { kind: "before_tool_call", when: "asks, and the person says why not", scenario: Tool, person: No,
           hooks: |_| gate(|| Permission::ask(PROBED)), expect: &[Asks(1), AsksAbout(PROBED), Sends(PROBED), Sends(REFUSAL)] },
    Case { kind: "before_tool_call", when: "asks about each of two calls", scenario: TwoTools, person: Yes,
           hooks: |_| gate(|| Permission::ask(PROBED)), expect: &[Asks(2), Runs(2)] },
    Case { kind: "before_tool_call", when: "asks about each call of two answers", scenario: TwoRounds, person: Yes,
           hooks: |_| gate(|| Permission::ask(PROBED)), expect: &[Asks(2), Runs(2)] },
    Case { kind: "before_tool_call", when: "asks about each of two calls, and the person says yes once", scenario: TwoTools, person: YesOnce,
           hooks: |_| gate(|| Permission::ask(PROBED)), expect: &[Asks(2), Runs(1)] },
    Case { kind: "before_tool_call", when: "asks about each call of two answers, and the person says yes once", scenario: TwoRounds, person: YesOnce,
           hooks: |_| gate(|| Permission::ask(PROBED)), expect: &[Asks(2), Runs(1)] },
    Case { kind: "before_tool_call", when: "asks about each of two calls, and the person says no", scenario: TwoTools, person: No,
           hooks: |_| gate(|| Permission::ask(PROBED)), expect: &[Asks(2), Runs(0)] },
    Case { kind: "before_tool_call", when: "rewrites the input and asks", scenario: Tool, person: Yes,
           hooks: |_| vec![Hook::at::<BeforeToolCall>("probe").writer(|_, _, input: &mut ToolInput| {
               **input = json!({ "word": PROBED });
               Permission::ask("may it?")
           })],
           expect: &[Asks(1), AsksAbout(PROBED), Runs(1), RunsWith(PROBED), NeverRunsWith("blue")] },
    Case { kind: "before_tool_call", when: "asks, and denies the input that the person edits", scenario: Tool, person: Edits,
           hooks: |_| vec![Hook::at::<BeforeToolCall>("probe").reader(|_, _, input: &ToolInput| {
               if input["word"] == EDITED { Permission::deny(PROBED) } else { Permission::ask("may it?") }
           })],
           expect: &[Runs(0), Sends(PROBED)] },
    Case { kind: "before_tool_call", when: "asks, and rewrites the input that the person edits", scenario: Tool, person: Edits,
           hooks: |_| vec![Hook::at::<BeforeToolCall>("probe").writer(|_, _, input: &mut ToolInput| {
               if input["word"] != EDITED { return Permission::ask("may it?"); }
               **input = json!({ "word": PROBED });
               Permission::NoOpinion
           })],
           expect: &[Asks(2), AsksAbout(PROBED), Runs(1), RunsWith(PROBED), NeverRunsWith(EDITED)] },
    Case { kind: "before_tool_call", when: "asks, and the person answers in the tool's place", scenario: Tool, person: Answers,
           hooks: |_| gate(|| Permission::ask(PROBED)), expect: &[Asks(1), Runs(0), Sends(SAID)] },
    Case { kind: "before_tool_call", when: "asks, and nobody can answer yet", scenario: Tool, person: Suspends,
           hooks: |_| gate(|| Permission::ask(PROBED)), expect: &[Runs(0), Calls(1), NeverSends(OUTPUT), StaysOpen("call_1")] },
    Case { kind: "before_tool_call", when: "asks, and nobody answers before the next prompt", scenario: TwoTurns, person: Suspends,
           hooks: |_| gate(|| Permission::ask(PROBED)), expect: &[Runs(0), Calls(2), AlwaysSends(PROMPT), Sends(NEXT)] },
    Case { kind: "before_tool_call", when: "sees a call that a hook makes in the model's place", scenario: Answer, person: Yes,
           hooks: |_| vec![Hook::at::<PreModelCall>("probe").writer(|_, event: &PreModelCall, request: &mut ModelRequest| {
               if !event.messages.iter().any(is_of_a_tool) {
                   request.answer = Some(vec![Block::ToolUse(ToolCall::new("call_1", "find", json!({ "word": "blue" })))]);
               }
           })],
           expect: &[Runs(1), Calls(1), Sends(OUTPUT)] },
    Case { kind: "before_tool_call", when: "defers, and the person says yes", scenario: Tool, person: Yes,
           hooks: |_| gate(|| Permission::defer(PROBED)), expect: &[RunsIfAsked] },
    Case { kind: "before_tool_call", when: "defers, and the person says no", scenario: Tool, person: No,
           hooks: |_| gate(|| Permission::defer(PROBED)), expect: &[Runs(0), NeverSends(OUTPUT)] },
    Case { kind: "before_tool_call", when: "answers in the tool's place", scenario: Tool, person: Yes,
           hooks: |_| gate(|| Permission::answer(ToolResult::new(PROBED))),
           expect: &[Runs(0), Sends(PROBED), Stores(PROBED), NeverSends("\"is_error\":true")] },
    Case { kind: "before_tool_call", when: "rewrites the input", scenario: Tool, person: Yes,
           hooks: |_| vec![Hook::at::<BeforeToolCall>("probe").writer(|_, _, input: &mut ToolInput| **input = json!({ "word": PROBED }))],
           expect: &[Runs(1), RunsWith(PROBED), NeverRunsWith("blue")] },
    Case { kind: "permission_request", when: "allows in the person's place", scenario: Tool, person: No,
           hooks: |_| asks_and(Hook::at::<PermissionRequest>("probe").reader(|_, _, _| Permission::Allow)),
           expect: &[Asks(0), Runs(1)] },
    Case { kind: "permission_request", when: "denies in the person's place", scenario: Tool, person: Yes,
           hooks: |_| asks_and(Hook::at::<PermissionRequest>("probe").reader(|_, _, _| Permission::deny(PROBED))),
           expect: &[Asks(0), Runs(0)] },
    Case { kind: "permission_request", when: "denies each of two calls", scenario: TwoTools, person: Yes,
           hooks: |_| asks_and(Hook::at::<PermissionRequest>("probe").reader(|_, _, _| Permission::deny(PROBED))),
           expect: &[Asks(0), Runs(0)] },
    Case { kind: "permission_request", when: "denies what a gate defers", scenario: Tool, person: Yes,
           hooks: |_| vec![
               Hook::at::<BeforeToolCall>("defers").reader(|_, _, _| Permission::defer(PROBED)),
               Hook::at::<PermissionRequest>("probe").reader(|_, _, _| Permission::deny("no")),
           ],
           expect: &[Asks(0), Runs(0)] },
    Case { kind: "permission_request", when: "rewrites the input without an opinion", scenario: Tool, person: Yes,
           hooks: |_| vec![
               Hook::at::<BeforeToolCall>("asks").reader(|_, _, input: &ToolInput| {
                   if input["word"] == PROBED { Permission::deny("no") } else { Permission::ask("may it?") }
               }),
               Hook::at::<PermissionRequest>("probe").writer(|_, _, input: &mut ToolInput| **input = json!({ "word": PROBED })),
           ],
           expect: &[NeverRunsWith(PROBED)] },
    Case { kind: "permission_request", when: "is required and fails later", scenario: TwoRounds, person: Yes,
           hooks: |acts| asks_and(fails_later::<PermissionRequest>(acts).remove(0)),
           expect: &[NeverSends("tool output of call_2")] },
    Case { kind: "permission_request", when: "halts later", scenario: TwoRounds, person: Yes,
           hooks: |acts| asks_and(halts_later::<PermissionRequest>(acts).remove(0)),
           expect: &[Calls(2)] },
    Case { kind: "permission_request", when: "answers in the tool's place", scenario: Tool, person: Yes,
           hooks: |_| asks_and(Hook::at::<PermissionRequest>("probe").reader(|_, _, _| Permission::answer(ToolResult::new("a given answer")))),
           expect: &[Asks(0), Runs(0), Sends("a given answer")] },
    Case { kind: "permission_request", when: "asks", scenario: Tool, person: No,
           hooks: |_| asks_and(Hook::at::<PermissionRequest>("probe").reader(|_, _, _| Permission::ask("may it?"))),
           expect: &[Asks(1), Runs(0)] },
    Case { kind: "permission_request", when: "defers", scenario: Tool, person: No,
           hooks: |_| asks_and(Hook::at::<PermissionRequest>("probe").reader(|_, _, _| Permission::defer("later"))),
           expect: &[Asks(1), Runs(0)] },
    Case { kind: "permission_request", when: "fails", scenario: Tool, person: Yes,
           hooks: |_| asks_and(Hook::at::<PermissionRequest>("probe").reader(|_, _, _| Err::<(), _>(PROBED))),
           expect: &[Runs(0)] },
    Case { kind: "permission_request", when: "is required and fails", scenario: Tool, person: Yes,
           hooks: |_| asks_and(fails::<PermissionRequest>(&Acts::default()).remove(0)), expect: &[Runs(0)] },
    Case { kind: "permission_request", when: "allows with another input that a gate denies", scenario: Tool, person: Yes,
           hooks: |_| {
               let mut hooks = asks_and(Hook::at::<PermissionRequest>("probe").writer(|_, _, input: &mut ToolInput| {
                   **input = json!({ "word": PROBED });
                   Permission::Allow
               }));
               hooks.push(Hook::at::<BeforeToolCall>("limit").reader(|_, _, input: &ToolInput| {
                   if input["word"] == PROBED { Permission::deny("no") } else { Permission::NoOpinion }
               }));
               hooks
           },
           expect: &[NeverRunsWith(PROBED)] },
    Case { kind: "permission_request", when: "allows with another input", scenario: Tool, person: Yes,
           hooks: |_| vec![
               Hook::at::<BeforeToolCall>("asks").reader(|_, _, input: &ToolInput| {
                   if input["word"] == PROBED { Permission::NoOpinion } else { Permission::ask("may it?") }
               }),
               Hook::at::<PermissionRequest>("probe").writer(|_, _, input: &mut ToolInput| {
                   **input = json!({ "word": PROBED });
                   Permission::Allow
               }),
           ],
           expect: &[Runs(1), RunsWith(PROBED), NeverRunsWith("blue")] },
    Case { kind: "permission_request", when: "halts", scenario: Tool, person: Yes,
           hooks: |_| asks_and(Hook::at::<PermissionRequest>("probe").reader(|_, _, _| Err::<(), _>(Halt::new(PROBED)))),
           expect: &[Runs(0), Calls(1)] },
    Case { kind: "after_tool_call_success", when: "rewrites the result", scenario: Tool, person: Yes,
           hooks: |_| vec![Hook::at::<AfterToolCallSuccess>("probe").writer(|_, _, result: &mut ToolResult| probed(result))],
           expect: &[Runs(1), Sends(PROBED), NeverSends(OUTPUT), NeverStores(OUTPUT), NeverShows(OUTPUT)] },
    Case { kind: "after_tool_call_success", when: "adds a context", scenario: Tool, person: Yes,
           hooks: |_| vec![Hook::at::<AfterToolCallSuccess>("probe").writer(|_, _, result: &mut ToolResult| result.add_context(PROBED))],
           expect: &[Sends(PROBED), Sends(OUTPUT)] },
    Case { kind: "after_tool_call_success", when: "attributes the result to a person", scenario: Tool, person: Yes,
           hooks: |_| vec![Hook::at::<AfterToolCallSuccess>("probe").writer(|_, _, result: &mut ToolResult| result.said_by = Some(Role::User))],
           expect: &[SendsAsThePerson(OUTPUT)] },
    Case { kind: "after_tool_call_success", when: "removes the result", scenario: Tool, person: Yes,
           hooks: |_| vec![Hook::at::<AfterToolCallSuccess>("probe").replacer(|_, _, _: ToolResult| None::<ToolResult>)],
           expect: &[NeverSends(OUTPUT), NeverStores(OUTPUT), NeverShows(OUTPUT)] },
    Case { kind: "after_tool_call_success", when: "sees the answer of a gate", scenario: Tool, person: Yes,
           hooks: |_| vec![
               Hook::at::<BeforeToolCall>("answers").reader(|_, _, _| Permission::answer(ToolResult::new("a secret answer"))),
               Hook::at::<AfterToolCallSuccess>("probe").writer(|_, _, result: &mut ToolResult| probed(result)),
           ],
           expect: &[Runs(0), NeverSends("a secret answer"), Sends(PROBED)] },
    Case { kind: "after_tool_call_success", when: "adds two contexts", scenario: Tool, person: Yes,
           hooks: |_| vec![Hook::at::<AfterToolCallSuccess>("probe").writer(|_, _, result: &mut ToolResult| {
               result.add_context("the first context");
               result.add_context("the second context");
           })],
           expect: &[Sends("the first context"), Sends("the second context")] },
    Case { kind: "after_tool_call_success", when: "adds a context to each of two results", scenario: TwoTools, person: Yes,
           hooks: |_| vec![Hook::at::<AfterToolCallSuccess>("probe").writer(|_, event: &AfterToolCallSuccess, result: &mut ToolResult| {
               result.add_context(format!("the context of {}", event.call.id));
           })],
           expect: &[Sends("the context of call_1"), Sends("the context of call_2")] },
    Case { kind: "after_tool_call_success", when: "adds a context to the results of two answers", scenario: TwoRounds, person: Yes,
           hooks: |_| vec![Hook::at::<AfterToolCallSuccess>("probe").writer(|_, event: &AfterToolCallSuccess, result: &mut ToolResult| {
               result.add_context(format!("the context of {}", event.call.id));
           })],
           expect: &[KeepsSending("the context of call_1"), KeepsSending("the context of call_2")] },
    Case { kind: "after_tool_call_success", when: "rewrites the result, and another halts", scenario: Tool, person: Yes,
           hooks: |acts| [vec![Hook::at::<AfterToolCallSuccess>("masks").writer(|_, _, result: &mut ToolResult| probed(result))], halts::<AfterToolCallSuccess>(acts)].concat(),
           expect: &[Calls(1), NeverStores(OUTPUT), NeverShows(OUTPUT)] },
    Case { kind: "after_tool_call_success", when: "halts later", scenario: TwoRounds, person: Yes,
           hooks: halts_later::<AfterToolCallSuccess>, expect: &[Runs(2), Calls(2)] },
    Case { kind: "after_tool_call_success", when: "is required and fails later", scenario: TwoRounds, person: Yes,
           hooks: fails_later::<AfterToolCallSuccess>, expect: &[Runs(2), Calls(2)] },
    Case { kind: "after_tool_call_success", when: "sees the result that a person gave", scenario: Tool, person: Answers,
           hooks: |_| asks_and(Hook::at::<AfterToolCallSuccess>("probe").writer(|_, _, result: &mut ToolResult| probed(result))),
           expect: &[Runs(0), NeverSends(SAID), Sends(PROBED)] },
    Case { kind: "after_tool_call_success", when: "rewrites the results of two calls", scenario: TwoTools, person: Yes,
           hooks: |_| vec![Hook::at::<AfterToolCallSuccess>("probe").writer(|_, _, result: &mut ToolResult| probed(result))],
           expect: &[Runs(2), NeverSends(OUTPUT), NeverStores(OUTPUT)] },
    Case { kind: "after_tool_call_success", when: "rewrites the results of two answers", scenario: TwoRounds, person: Yes,
           hooks: |_| vec![Hook::at::<AfterToolCallSuccess>("probe").writer(|_, _, result: &mut ToolResult| probed(result))],
           expect: &[Runs(2), NeverSends(OUTPUT), NeverStores(OUTPUT)] },
    Case { kind: "after_tool_call_success", when: "reads the call and the input that ran, and rewrites", scenario: Tool, person: Yes,
           hooks: |_| vec![
               Hook::at::<BeforeToolCall>("edits").writer(|_, _, input: &mut ToolInput| **input = json!({ "word": EDITED })),
               Hook::at::<AfterToolCallSuccess>("probe").writer(|_, event: &AfterToolCallSuccess, result: &mut ToolResult| {
                   if event.call.name == "find" && event.input["word"] == EDITED && result.text().starts_with(OUTPUT) { probed(result); }
               }),
           ],
           expect: &[Sends(PROBED), NeverSends(OUTPUT)] },
    Case { kind: "after_tool_call_success", when: "halts", scenario: Tool, person: Yes,
           hooks: halts::<AfterToolCallSuccess>, expect: &[Runs(1), Calls(1), Stores(OUTPUT)] },
    Case { kind: "after_tool_call_success", when: "halts after the first of two calls", scenario: TwoTools, person: Yes,
           hooks: halts::<AfterToolCallSuccess>, expect: &[Calls(1)] },
    Case { kind: "after_tool_call_success", when: "is required and fails", scenario: Tool, person: Yes,
           hooks: fails::<AfterToolCallSuccess>, expect: &[NeverSends(OUTPUT), NeverStores(OUTPUT), NeverShows(OUTPUT)] },
    Case { kind: "after_tool_call_failure", when: "halts later", scenario: TwoFailures, person: Yes,
           hooks: halts_later::<AfterToolCallFailure>, expect: &[Calls(2)] },
    Case { kind: "after_tool_call_failure", when: "is required and fails later", scenario: TwoFailures, person: Yes,
           hooks: fails_later::<AfterToolCallFailure>, expect: &[Calls(2)] },
    Case { kind: "after_tool_call_failure", when: "rewrites the result", scenario: Failure, person: Yes,
           hooks: |_| vec![Hook::at::<AfterToolCallFailure>("probe").writer(|_, _, result: &mut ToolResult| probed(result))],
           expect: &[Sends(PROBED), NeverSends(ERROR), NeverStores(ERROR)] },
    Case { kind: "after_tool_call_failure", when: "reads the call and the error, and rewrites", scenario: Failure, person: Yes,
           hooks: |_| vec![Hook::at::<AfterToolCallFailure>("probe").writer(|_, event: &AfterToolCallFailure, result: &mut ToolResult| {
               if event.call.name == "fail" && event.error.contains(ERROR) && event.input["word"] == "blue" { probed(result); }
           })],
           expect: &[Sends(PROBED), NeverSends(ERROR)] },
    Case { kind: "after_tool_call_failure", when: "adds a context", scenario: Failure, person: Yes,
           hooks: |_| vec![Hook::at::<AfterToolCallFailure>("probe").writer(|_, _, result: &mut ToolResult| result.add_context(PROBED))],
           expect: &[Sends(PROBED), Sends(ERROR)] },
    Case { kind: "after_tool_call_failure", when: "removes the result", scenario: Failure, person: Yes,
           hooks: |_| vec![Hook::at::<AfterToolCallFailure>("probe").replacer(|_, _, _: ToolResult| None::<ToolResult>)],
           expect: &[NeverSends(ERROR), NeverStores(ERROR), NeverShows(ERROR)] },
    Case { kind: "after_tool_call_failure", when: "rewrites each result, and asks to run the tool again once", scenario: Failure, person: Yes,
           hooks: |_| {
               let times = AtomicUsize::new(0);
               vec![Hook::at::<AfterToolCallFailure>("probe").writer(move |_, _, result: &mut ToolResult| {
                   probed(result);
                   if times.fetch_add(1, Ordering::Relaxed) == 0 { Retry::After(std::time::Duration::ZERO) } else { Retry::default() }
               })]
           },
           expect: &[Sends(PROBED), NeverSends(ERROR), NeverStores(ERROR)] },
    Case { kind: "after_tool_call_failure", when: "asks to run the tool again once", scenario: Failure, person: Yes,
           hooks: |acts| vec![retries_once(acts)], expect: &[Retries, Sends(ERROR)] },
    Case { kind: "after_tool_call_failure", when: "asks to run the tool of the second call again once", scenario: TwoFailures, person: Yes,
           hooks: |acts| vec![retries_once_of(acts, |call| call.id == "call_2")], expect: &[Retries] },
    Case { kind: "after_tool_call_failure", when: "forbids to run the tool again", scenario: Failure, person: Yes,
           hooks: |_| says::<AfterToolCallFailure>(|| Retry::Never), expect: &[Runs(1), Sends(ERROR)] },
    Case { kind: "after_tool_call_failure", when: "asks to run the tool again, and another halts", scenario: Failure, person: Yes,
           hooks: |acts| [vec![Hook::at::<AfterToolCallFailure>("asks").reader(|_, _, _| Retry::After(std::time::Duration::ZERO))], halts::<AfterToolCallFailure>(acts)].concat(),
           expect: &[Runs(1), Calls(1)] },
    Case { kind: "after_tool_call_failure", when: "asks to run a tool with a rewritten input again", scenario: Failure, person: Yes,
           hooks: |acts| [sets_inputs(|_| PROBED.to_owned()), vec![retries_once(acts)]].concat(), expect: &[Retries, NeverRunsWith("blue")] },
    Case { kind: "after_tool_call_failure", when: "asks to run the tool again without end", scenario: Failure, person: Yes,
           hooks: |_| says::<AfterToolCallFailure>(|| Retry::After(std::time::Duration::ZERO)), expect: &[] },
    Case { kind: "after_tool_call_failure", when: "halts", scenario: Failure, person: Yes,
           hooks: halts::<AfterToolCallFailure>, expect: &[Calls(1)] },
    Case { kind: "after_tool_call_failure", when: "is required and fails", scenario: Failure, person: Yes,
           hooks: fails::<AfterToolCallFailure>, expect: &[NeverSends(ERROR), NeverStores(ERROR), NeverShows(ERROR)] },
    Case { kind: "after_tool_call", when: "watches two calls", scenario: TwoTools, person: Yes,
           hooks: watched::<AfterToolCall>, expect: &[Comes("after_tool_call", 2), ComesInTheTurn("after_tool_call")] },
    Case { kind: "after_tool_call", when: "watches a failure", scenario: Failure, person: Yes,
           hooks: |acts| vec![comes::<AfterToolCall>(acts)], expect: &[Comes("after_tool_call", 1)] },
    Case { kind: "after_tool_call", when: "watches a failure that is tried again", scenario: Failure, person: Yes,
           hooks: |acts| vec![comes::<AfterToolCall>(acts), retries_once(acts)], expect: &[Comes("after_tool_call", 1)] },
    Case { kind: "after_tool_call", when: "watches a denied call", scenario: Tool, person: Yes,
           hooks: |acts| [vec![comes::<AfterToolCall>(acts)], gate(|| Permission::deny(PROBED))].concat(), expect: &[Comes("after_tool_call", 1)] },
    Case { kind: "after_tool_call", when: "watches an answered call", scenario: Tool, person: Yes,
           hooks: |acts| [vec![comes::<AfterToolCall>(acts)], gate(|| Permission::answer(ToolResult::new(PROBED)))].concat(), expect: &[Comes("after_tool_call", 1)] },
    Case { kind: "after_tool_call", when: "halts", scenario: Tool, person: Yes,
           hooks: halts::<AfterToolCall>, expect: &[Calls(1)] },
    Case { kind: "after_tool_call", when: "halts after a failure", scenario: Failure, person: Yes,
           hooks: halts::<AfterToolCall>, expect: &[Calls(1)] },
    Case { kind: "after_tool_call", when: "halts later", scenario: TwoRounds, person: Yes,
           hooks: halts_later::<AfterToolCall>, expect: &[Runs(2), Calls(2)] },
    Case { kind: "after_tool_call", when: "is required and fails later", scenario: TwoRounds, person: Yes,
           hooks: fails_later::<AfterToolCall>, expect: &[Runs(2), Calls(2)] },
    Case { kind: "after_tool_call", when: "is required and fails", scenario: Tool, person: Yes,
           hooks: fails::<AfterToolCall>, expect: &[Calls(1)] },
];
