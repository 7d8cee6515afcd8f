//! What each scene is set with.

use hooks_agent::approve::{ApprovalAnswer, ApprovalRequest};
use hooks_agent::model::{Line, ModelError, Scripted};
use hooks_agent::window::Window;
use hooks_agent::{HarnessBuilder, SubAgent};
use hooks_core::Hook;
use hooks_core::data::ModelReply;
use hooks_core::kinds::{BeforeToolCall, PostModelCall, Stop, UserPromptSubmit};
use hooks_core::scope::AgentDef;
use hooks_core::verdict::{PromptVerdict, ReplyVerdict, StopVerdict};
use serde_json::{Value, json};

use super::{Never, Scene};

/// A scene that is set.
pub(super) struct Stage {
    pub(super) prompt: &'static str,
    pub(super) model: Scripted,
    /// Hooks beside those of the desk.
    pub(super) hooks: Vec<Hook>,
    /// How many messages were said before.
    pub(super) said: usize,
    /// What else the harness has.
    pub(super) more: More,
}

type More = fn(HarnessBuilder, &Never) -> HarnessBuilder;

impl Stage {
    fn new(prompt: &'static str, lines: impl IntoIterator<Item = Line>) -> Self {
        Self { prompt, model: Scripted::new(lines), hooks: Vec::new(), said: 0, more: |harness, _| harness }
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
        Scene::Asked => cancelling(|harness, _| harness.approver(|_: &ApprovalRequest| ApprovalAnswer::Yes)),
        Scene::Declined => {
            cancelling(|harness, _| harness.approver(|_: &ApprovalRequest| ApprovalAnswer::No("Not today".to_owned())))
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
    harness.agent(SubAgent::new(AgentDef::new("timetable"), "Knows what flies when."))
}

/// Holds less than the tools and what was said.
fn narrow() -> Window {
    Window::new(2_000).compact_at(400)
}

fn keep_the_last() -> Hook {
    Hook::at::<PostModelCall>("keep_the_last").writer(|_, event: &PostModelCall, reply: &mut ModelReply| {
        if event.error.is_none() {
            return ReplyVerdict::NoOpinion;
        }
        reply.messages = reply.messages.last().cloned().into_iter().collect::<Vec<_>>().into();
        ReplyVerdict::Continue
    })
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

fn never_judges(never: &Never) -> Hook {
    let never = never.clone();
    Hook::at::<BeforeToolCall>("never_judges").async_reader(move |_, _, _| never.wait::<()>())
}
