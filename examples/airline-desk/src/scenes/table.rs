//! The setup of each scene.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hook_sdk::Hook;
use hook_sdk::data::{Block, ModelReply, ToolCall, ToolResult, Usage};
use hook_sdk::diagnostics::FindingKind;
use hook_sdk::hook::OnFailure;
use hook_sdk::kinds::{AfterToolCallFailure, BeforeToolCall, Init, PostModelCall, Stop, StreamDelta, UserPromptSubmit};
use hook_sdk::plugin::Plugin;
use hook_sdk::protocol::Approval;
use hook_sdk::scope::AgentDef;
use hook_sdk::verdict::{Permission, PromptVerdict, ReplyVerdict, Retry, StopVerdict};
use hooks_agent::approve::ApprovalRequest;
use hooks_agent::model::{Line, ModelAnswer, ModelError, Scripted};
use hooks_agent::tool::{FnTool, Tool, ToolError, ToolSpec};
use hooks_agent::window::Window;
use hooks_agent::{HarnessBuilder, Limits, SubAgent};
use serde_json::{Value, json};

use super::{Never, Scene};

/// The setup of a scene.
pub(super) struct Stage {
    pub(super) prompt: &'static str,
    pub(super) model: Scripted,
    /// Hooks in addition to those of the desk.
    pub(super) hooks: Vec<Hook>,
    /// The number of messages before the turn.
    pub(super) said: usize,
    pub(super) plugins: Vec<Plugin>,
    /// A message of the person during the turn.
    pub(super) steered: Option<&'static str>,
    /// Further configuration of the harness.
    pub(super) more: More,
}

type More = fn(HarnessBuilder, &Never) -> HarnessBuilder;

impl Stage {
    fn new(prompt: &'static str, lines: impl IntoIterator<Item = Line>) -> Self {
        Self {
            prompt,
            model: Scripted::new(lines),
            hooks: Vec::new(),
            said: 0,
            plugins: Vec::new(),
            steered: None,
            more: |harness, _| harness,
        }
    }

    fn hook(mut self, hook: Hook) -> Self {
        self.hooks.push(hook);
        self
    }

    fn said(self, said: usize) -> Self {
        Self { said, ..self }
    }

    fn more(self, more: More) -> Self {
        Self { more, ..self }
    }
}

pub(super) fn stage(scene: Scene, never: &Never) -> Stage {
    let overflow = || Line::error(ModelError::Overflow("9000 tokens are more than 8000".into()));
    let search = || Line::call("1", "search_flights", json!({ "to": "Oslo" }));
    match scene {
        Scene::All | Scene::Plain => Stage::new("Good morning!", [Line::text("Good morning.")]),
        Scene::TwoCalls => Stage::new(
            "Where do PUF001 and PUF002 go?",
            [Line::calls([look_up("1", "PUF001"), look_up("2", "PUF002")]), Line::text("To Bergen and to Tromso.")],
        ),
        Scene::Denied => Stage::new("Seven seats, please.", [book(7), Line::text("Five is the most in one booking.")]),
        Scene::Asked => cancelling(|harness, _| harness.approver(|_: &ApprovalRequest| Approval::Yes)),
        Scene::Declined => {
            cancelling(|harness, _| harness.approver(|_: &ApprovalRequest| Approval::No("Not today".to_owned())))
        }
        Scene::CancelledInQuestion => cancelling(|harness, never| harness.approver(never.clone())),
        Scene::FailingTool => Stage::new(
            "Where does PUF999 go?",
            [Line::calls([look_up("1", "PUF999")]), Line::text("There is no such reservation.")],
        ),
        Scene::Compaction => Stage::new("And today?", [Line::text("They ask for seats."), Line::text("Today too.")])
            .said(8)
            .more(|harness, _| harness.window(narrow())),
        Scene::Overflow => {
            Stage::new("And today?", [overflow(), Line::text("They ask for seats."), Line::text("Today too.")]).said(8)
        }
        Scene::Repair => {
            let refused = Line::error(ModelError::Rejected("two messages of the user follow each other".into()));
            Stage::new("And today?", [refused, Line::text("Today too.")]).said(1).hook(keep_the_last())
        }
        Scene::EmptyReply => {
            Stage::new("Is anybody there?", [Line::text(""), Line::text("Yes.")]).hook(say_something())
        }
        Scene::Blocked => Stage::new("What do you think of my neighbour?", []).hook(refuse_gossip()),
        Scene::SubAgent => {
            Stage::new("When?", [ask(), Line::text("On Monday."), Line::text("On Monday, they say.")]).more(timetable)
        }
        Scene::SummaryFails => {
            let refused = Line::error(ModelError::Rejected("not this conversation".into()));
            Stage::new("And today?", [refused, Line::text("Today too.")])
                .said(8)
                .more(|harness, _| harness.window(narrow()))
        }
        Scene::StreamStopped => {
            Stage::new("Which card is it?", [Line::text("It is the card 4111 1111 1111 1111.").streamed()])
                .hook(stop_at_cards())
        }
        Scene::ParallelCalls => Stage::new("What flies to Oslo and to Bergen?", [searches(), Line::text("One each.")])
            .more(|harness, _| harness.tool(search_flights(ToolSpec::parallel))),
        Scene::AnsweredCall => Stage::new("What flies to Oslo?", [search(), Line::text("One at noon.")])
            .hook(answer_from_cache())
            .more(|harness, never| harness.tool(never.clone())),
        Scene::ToolRetried => Stage::new("What flies to Oslo?", [search(), Line::text("One at noon.")])
            .hook(again_when_offline())
            .more(|harness, _| harness.tool(search_flights(ToolSpec::idempotent))),
        Scene::OtherModel => {
            let silent = Line::error(ModelError::Unanswered("it has no key".into()));
            Stage::new("Good morning!", [silent])
                .hook(ask_the_spare())
                .more(|harness, _| harness.model("spare", Scripted::new([Line::text("Good morning.")])))
        }
        Scene::SteeredTurn => {
            Stage { steered: Some("To Bergen, I mean."), ..Stage::new("What flies?", [Line::text("One at noon.")]) }
        }
        Scene::BudgetSpent => {
            Stage::new("Where does PUF001 go?", [costly(), Line::text("never said")]).more(|harness, _| {
                let mut limits = Limits::default();
                limits.tokens = Some(100);
                harness.limits(limits)
            })
        }
        Scene::PluginClosed => {
            let look_up = Line::calls([look_up("1", "PUF001")]);
            let stage = Stage::new("Where does PUF001 go?", [look_up, Line::text("I may not look.")]);
            Stage { plugins: vec![vetting()], ..stage }
        }
        Scene::CancelledInHook => {
            let look_up = Line::calls([look_up("1", "PUF001")]);
            Stage::new("Where does PUF001 go?", [look_up]).hook(never_judges(never))
        }
        Scene::CancelledInPreflight => Stage::new("When?", []).more(|harness, never| harness.preflight(never.clone())),
        Scene::CancelledInModel => Stage::new("When?", []).more(|harness, never| harness.model("clerk", never.clone())),
        Scene::CancelledInWait => Stage::new("When?", [Line::error(ModelError::rate_limited("too many calls", None))]),
        Scene::CancelledInTool => {
            Stage::new("What flies to Oslo?", [search()]).more(|harness, never| harness.tool(never.clone()))
        }
        Scene::CancelledInAgent => {
            Stage::new("When?", [ask(), search()]).more(|harness, never| timetable(harness, never).tool(never.clone()))
        }
        Scene::CancelledInSummary => Stage::new("And today?", [])
            .said(8)
            .more(|harness, never| harness.window(narrow()).model("clerk", never.clone())),
    }
}

fn cancelling(more: More) -> Stage {
    let cancel = Line::call("1", "cancel_reservation", json!({ "reservation_id": "PUF002" }));
    Stage::new("Cancel PUF002.", [cancel, Line::text("So be it.")]).more(more)
}

fn look_up(id: &'static str, reservation: &str) -> (&'static str, &'static str, Value) {
    (id, "get_reservation_details", json!({ "reservation_id": reservation }))
}

fn book(seats: usize) -> Line {
    let passengers = vec![json!({ "first_name": "Runa" }); seats];
    Line::call("1", "book_reservation", json!({ "passengers": passengers, "payment_methods": [{ "amount": 240 }] }))
}

fn ask() -> Line {
    Line::call("1", "timetable", json!({ "prompt": "When is the next flight to Oslo?" }))
}

fn timetable(harness: HarnessBuilder, _: &Never) -> HarnessBuilder {
    harness.agent(SubAgent::new(AgentDef::new("timetable"), "Knows what flies when.")).accept(
        FindingKind::DroppedGuard,
        "mask_payment_ids in agent `timetable`",
        "a timetable names no payments",
    )
}

/// A window smaller than the tools and the history.
fn narrow() -> Window {
    Window::new(2_000).compact_at(400)
}

fn keep_the_last() -> Hook {
    let hook = Hook::at::<PostModelCall>("keep_the_last").writer(|_, event: &PostModelCall, reply: &mut ModelReply| {
        if event.error.is_none() {
            return ReplyVerdict::NoOpinion;
        }
        reply.messages = reply.messages.last().cloned().into_iter().collect::<Vec<_>>().into();
        ReplyVerdict::Continue
    });
    hook.on_failure(OnFailure::Continue)
}

fn say_something() -> Hook {
    Hook::at::<Stop>("say_something").reader(|_, event: &Stop, ()| {
        let silent = event.last_message.as_ref().is_none_or(|message| message.text().is_empty());
        if silent { StopVerdict::continue_with("Say something.") } else { StopVerdict::default() }
    })
}

fn refuse_gossip() -> Hook {
    Hook::at::<UserPromptSubmit>("refuse_gossip").reader(|_, event: &UserPromptSubmit, _| {
        if event.prompt.contains("neighbour") {
            return PromptVerdict::block("this desk sells flights");
        }
        PromptVerdict::default()
    })
}

fn searches() -> Line {
    Line::calls(["Oslo", "Bergen"].map(|to| (to, "search_flights", json!({ "to": to }))))
}

/// A search. If `kind` makes it idempotent, it fails the first time.
fn search_flights(kind: fn(ToolSpec) -> ToolSpec) -> impl Tool {
    let spec = kind(ToolSpec::new("search_flights"));
    let offline = AtomicBool::new(spec.idempotent);
    FnTool::new(spec, move |_, input| {
        if offline.swap(false, Ordering::Relaxed) {
            return Err(ToolError::new("the search is offline"));
        }
        Ok(format!("One at noon to {}.", input["to"].as_str().unwrap_or_default()))
    })
}

/// A tool call with a token usage above the limit.
fn costly() -> Line {
    let (id, tool, input) = look_up("1", "PUF001");
    let answer = ModelAnswer::new(vec![Block::ToolUse(ToolCall::new(id, tool, input))]);
    Line::answer(answer.usage(Usage::new(120, 10)))
}

fn stop_at_cards() -> Hook {
    let hook = Hook::at::<StreamDelta>("stop_at_cards").reader(|_, _, window: &String| {
        let digits = window.chars().filter(char::is_ascii_digit).count();
        if digits >= 8 { Permission::deny("no card is read out") } else { Permission::NoOpinion }
    });
    hook.hold(20)
}

fn answer_from_cache() -> Hook {
    Hook::at::<BeforeToolCall>("answer_from_cache").reader(|_, event: &BeforeToolCall, _| {
        if event.call.name == "search_flights" {
            return Permission::answer(ToolResult::new("One at noon."));
        }
        Permission::NoOpinion
    })
}

fn again_when_offline() -> Hook {
    Hook::at::<AfterToolCallFailure>("again_when_offline").reader(|_, event: &AfterToolCallFailure, _| {
        if event.error.contains("offline") { Retry::After(Duration::ZERO) } else { Retry::NoOpinion }
    })
}

fn ask_the_spare() -> Hook {
    let hook = Hook::at::<PostModelCall>("ask_the_spare").writer(|_, event: &PostModelCall, reply: &mut ModelReply| {
        if event.failure.is_none() {
            return ReplyVerdict::NoOpinion;
        }
        reply.profile = Some("spare".to_owned());
        ReplyVerdict::Continue
    });
    hook.on_failure(OnFailure::Continue)
}

/// Guards whose `init` fails.
fn vetting() -> Plugin {
    let init = Hook::at::<Init>("vetting_list").reader(|_, _, ()| Err::<(), _>("the list is not there"));
    let gate = Hook::at::<BeforeToolCall>("vetting_gate").reader(|_, _, _| Permission::NoOpinion);
    Plugin::new("vetting").hook(init).hook(gate).optional()
}

fn never_judges(never: &Never) -> Hook {
    let never = never.clone();
    Hook::at::<BeforeToolCall>("never_judges").async_reader(move |_, _, _| never.wait::<()>())
}
