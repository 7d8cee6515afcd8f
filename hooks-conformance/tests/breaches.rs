//! Promises 11 and 22: the conformance test accepts a harness that does what it declares, and reports each way of not doing it.
//!
//! A binary of its own, because `fires!` applies to a whole binary.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of tests are tests too")]

use hook_sdk::data::Role;
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hook_sdk::verdict::Decision;
use hooks_conformance::{Drive, check};
use serde_json::{Value, json};

hook_sdk::fires![
    DeskOpens,
    BeforeToolCall [never info],
    AfterCreateMessage [never message_id],
    BeforeCreateMessage,
    PrePromptContext [never history, contributions],
    UserPromptSubmit [never profile, hidden],
    Stop [never at_iteration_cap, last_message]
];

/// When the desk opens.
#[derive(Debug, HookKind)]
#[hook_kind(name = "desk_opens", outside_turn)]
struct DeskOpens {}

/// What is wrong with the harness.
#[derive(Clone, Copy, PartialEq)]
enum Wrong {
    Nothing,
    NeverFires,
    FiresTwice,
    DropsTheSubject,
    IgnoresTheVerdict,
    IgnoresContributions,
    IgnoresHalts,
    RunsWhatIsAsked,
    RunsWhatIsPutOff,
    DropsTheInput,
    StoresAfterAFailure,
    DropsContexts,
    DropsThePrompt,
    AnswersWhatIsBlocked,
    AsksWhatIsStopped,
    EndsWhatContinues,
    ShowsNoContexts,
    ShowsWhatIsBlocked,
    HasNoProbe,
    ProbesIdly,
    ProbesElsewhere,
    CannotDrive,
    LeavesAFieldEmpty,
    FillsWhatItNeverFills,
    CannotDriveOtherwise,
}

/// A small desk that stores messages, calls tools and asks a model.
struct Desk(Wrong);

impl Desk {
    fn is(&self, wrong: Wrong) -> bool {
        self.0 == wrong
    }

    /// Stores a text, and returns the text that was stored.
    async fn store(&self, hooks: &HookSet, text: &str) -> Result<Value, DispatchError> {
        let cx = HookContext::new();
        let row = Message::new(Role::User, text);
        let fired = match hooks.fire(&cx, &BeforeCreateMessage::new(), row.clone()).await {
            Err(_) if self.is(Wrong::StoresAfterAFailure) => return Ok(json!(row.text())),
            fired => fired?,
        };
        if fired.report.halt.is_some() && !self.is(Wrong::IgnoresHalts) {
            return Ok(json!("halted"));
        }
        let stored = if self.is(Wrong::DropsTheSubject) { row } else { fired.subject };
        let times = match self.0 {
            Wrong::NeverFires => 0,
            Wrong::FiresTwice => 2,
            _ => 1,
        };
        for _ in 0..times {
            let fired = hooks.fire(&cx, &AfterCreateMessage::new(stored.clone()), ()).await?;
            if fired.report.halt.is_some() {
                return Ok(json!("halted"));
            }
        }
        Ok(json!(stored.text()))
    }

    /// Calls a tool, and returns its input if it ran.
    async fn call(&self, hooks: &HookSet) -> Result<Value, DispatchError> {
        let call = ToolCall::new("call_1", "refund", json!({ "cents": 5 }));
        let input = call.input.clone();
        let fired = hooks.fire(&HookContext::new(), &BeforeToolCall::new(call), input.clone()).await?;
        let may = match fired.verdict.decide() {
            Decision::Run => fired.report.halt.is_none(),
            Decision::Answer(result) => return Ok(json!(result.text())),
            Decision::Ask(_) => self.is(Wrong::RunsWhatIsAsked),
            Decision::Defer(_) => self.is(Wrong::RunsWhatIsPutOff),
            Decision::Refuse(_) => self.is(Wrong::IgnoresTheVerdict),
        };
        let input = if self.is(Wrong::DropsTheInput) { input } else { fired.subject };
        Ok(if may { json!(input) } else { Value::Null })
    }

    /// Returns what the model receives for a prompt, and what the person sees at the end.
    async fn turn(&self, hooks: &HookSet) -> Result<Value, DispatchError> {
        let cx = HookContext::new();
        let prompt = Messages::from(vec![Message::new(Role::User, "hello")]);
        let event = UserPromptSubmit::new("hello", prompt.clone());
        let event = if self.is(Wrong::FillsWhatItNeverFills) { event.profile("fast") } else { event };
        let fired = hooks.fire(&cx, &event, prompt.clone()).await?;
        let wrong = match &fired.verdict.decision {
            PromptDecision::Block(_) => !self.is(Wrong::AnswersWhatIsBlocked),
            PromptDecision::Stop(_) => !self.is(Wrong::AsksWhatIsStopped),
            _ => fired.report.halt.is_some(),
        };
        if wrong {
            return Ok(json!("refused"));
        }
        let mut sent = if self.is(Wrong::DropsThePrompt) { prompt } else { fired.subject };
        let contexts = fired.verdict.contexts.iter().filter(|_| !self.is(Wrong::DropsContexts));
        sent.extend(contexts.map(|text| Message::new(Role::User, text)).collect::<Vec<_>>());
        let fired = hooks.fire(&cx, &Stop::new("final_response"), ()).await?;
        if fired.report.halt.is_some() {
            return Ok(json!("halted"));
        }
        let answer = match &fired.verdict.decision {
            StopDecision::Block(_) if !self.is(Wrong::ShowsWhatIsBlocked) => "blocked",
            StopDecision::Continue(_) if !self.is(Wrong::EndsWhatContinues) => "more",
            _ => "done",
        };
        let shown = fired.verdict.contexts.iter().filter(|_| !self.is(Wrong::ShowsNoContexts)).count();
        Ok(json!([sent, answer, shown]))
    }

    /// Returns what the model receives.
    async fn ask(&self, hooks: &HookSet) -> Result<Value, DispatchError> {
        let prompt = if self.is(Wrong::LeavesAFieldEmpty) { "" } else { "hello" };
        let fired = hooks.fire(&HookContext::new(), &PrePromptContext::new(prompt), ()).await?;
        let mut sent = vec!["hello".to_owned()];
        if !self.is(Wrong::IgnoresContributions) {
            sent.extend(fired.verdict.prompt_context().entries.iter().map(|entry| entry.text.clone()));
        }
        Ok(json!(sent))
    }
}

impl Drive for Desk {
    async fn drive(&self, kind: &str, hooks: &HookSet) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        match kind {
            "desk_opens" if self.is(Wrong::CannotDrive) => Err("the key is lost".into()),
            "desk_opens" => {
                let _ = hooks.fire_blocking(&HookContext::new(), &DeskOpens {}, ())?;
                Ok(Value::Null)
            }
            "before_tool_call" => Ok(self.call(hooks).await?),
            "pre_prompt_context" => Ok(self.ask(hooks).await?),
            "user_prompt_submit" | "stop" => Ok(self.turn(hooks).await?),
            "before_create_message" | "after_create_message" => Ok(self.store(hooks, "hello").await?),
            other => Err(format!("the desk knows no `{other}`").into()),
        }
    }

    /// Makes `stop` occur in another way: in a turn that was continued once.
    async fn drive_variants(
        &self,
        kind: &str,
        hooks: &HookSet,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        if kind == "stop" {
            if self.is(Wrong::CannotDriveOtherwise) {
                return Err("nobody is there to continue".into());
            }
            let event = Stop::new("final_response").stop_hook_active(true);
            let _ = hooks.fire(&HookContext::new(), &event, ()).await?;
        }
        Ok(())
    }

    fn probe(&self, id: &str, kind: &str) -> Option<Hook> {
        let rewrites = Hook::at::<BeforeCreateMessage>(id).writer(|_, _, row: &mut Message| {
            row.rewrite_text(|_| Some("probed".to_owned()));
        });
        let idle = Hook::at::<BeforeCreateMessage>(id).writer(|_, _, _| ());
        Some(match kind {
            "before_create_message" if self.is(Wrong::HasNoProbe) => return None,
            "before_create_message" if self.is(Wrong::ProbesIdly) => idle,
            "before_create_message" => rewrites,
            "before_tool_call" if self.is(Wrong::ProbesElsewhere) => rewrites,
            "before_tool_call" => Hook::at::<BeforeToolCall>(id).reader(|_, _, _| Permission::deny("probe")),
            "user_prompt_submit" => Hook::at::<UserPromptSubmit>(id).reader(|_, _, _| PromptVerdict::block("probe")),
            "stop" => Hook::at::<Stop>(id).reader(|_, _, ()| StopVerdict::block("probe")),
            "pre_prompt_context" => Hook::at::<PrePromptContext>(id)
                .reader(|_, _, ()| Contribution::prompt_context("probe", "probe", "probed")),
            _ => return None,
        })
    }
}

#[tokio::test]
async fn a_harness_that_does_what_it_declares_conforms() {
    check(&Desk(Wrong::Nothing)).await.unwrap();
}

#[tokio::test]
async fn each_breach_of_a_declaration_is_reported_with_its_place() {
    let table = [
        (
            Wrong::NeverFires,
            "`after_create_message` is declared at ",
            "but `drive` did not fire it: fire it on the hook set that the driver receives",
        ),
        (
            Wrong::FiresTwice,
            "`after_create_message`, declared at ",
            "was fired 2 times by one occurrence, so its hooks act 2 times; fire it once per occurrence, or let `Drive::drive` cause only one",
        ),
        (Wrong::DropsTheSubject, "`before_create_message`, declared at ", "is fired, but its result is not used"),
        (
            Wrong::IgnoresTheVerdict,
            "`before_tool_call`, declared at ",
            "continue with `fired.subject` and `fired.verdict`",
        ),
        (Wrong::IgnoresContributions, "`pre_prompt_context`, declared at ", "is fired, but its result is not used"),
        (
            Wrong::HasNoProbe,
            "the driver has no probe for `before_create_message` (transform)",
            "return a hook of that kind",
        ),
        (Wrong::ProbesElsewhere, "the driver has no probe for `before_tool_call` (gate)", "return a hook of that kind"),
        (Wrong::ProbesIdly, "the driver's probe for `before_create_message` neither", "its effect cannot be checked"),
        (Wrong::CannotDrive, "the driver could not make `desk_opens` happen", "the key is lost"),
        (
            Wrong::LeavesAFieldEmpty,
            "the field `prompt` of `pre_prompt_context`, declared at ",
            "was never filled: fill it",
        ),
        (
            Wrong::FillsWhatItNeverFills,
            "the field `profile` of `user_prompt_submit` is filled",
            "remove it from `[never …]`",
        ),
        (Wrong::CannotDriveOtherwise, "the driver could not make `stop` happen in other ways", "nobody is there"),
    ];
    for (wrong, start, part) in table {
        let error = check(&Desk(wrong)).await.unwrap_err();
        let reported = &error.breaches()[0];
        assert!(reported.starts_with(start) && reported.contains(part), "{reported}");
        assert!(
            format!("{error:?}")
                .starts_with(&format!("the harness does not conform to its declaration:\n  - {reported}"))
        );
        if start.ends_with(" at ") {
            assert!(reported.contains("hooks-conformance/tests/breaches.rs:"), "{reported}");
        }
    }
}

#[tokio::test]
async fn the_built_in_probes_find_a_harness_that_ignores_an_outcome() {
    for (wrong, kind, probe) in [
        (Wrong::IgnoresHalts, "before_create_message", "halts"),
        (Wrong::RunsWhatIsAsked, "before_tool_call", "asks"),
        (Wrong::RunsWhatIsPutOff, "before_tool_call", "defers"),
        (Wrong::DropsTheInput, "before_tool_call", "rewrites the input"),
        (Wrong::StoresAfterAFailure, "before_create_message", "is required and fails"),
        (Wrong::DropsContexts, "user_prompt_submit", "adds a context"),
        (Wrong::DropsThePrompt, "user_prompt_submit", "rewrites the prompt"),
        (Wrong::AsksWhatIsStopped, "user_prompt_submit", "stops"),
        (Wrong::EndsWhatContinues, "stop", "continues"),
        (Wrong::ShowsNoContexts, "stop", "adds a context"),
    ] {
        let error = check(&Desk(wrong)).await.unwrap_err();
        let [reported] = error.breaches() else { panic!("{kind}, {probe}: {error}") };
        assert!(reported.starts_with(&format!("`{kind}`, declared at ")), "{reported}");
        assert!(reported.contains(&format!("returns the same result when a hook {probe}; act on")), "{reported}");
    }
    // A breach that the harness's own probe finds is reported by that probe.
    for wrong in [Wrong::AnswersWhatIsBlocked, Wrong::ShowsWhatIsBlocked] {
        let error = check(&Desk(wrong)).await.unwrap_err();
        assert!(error.breaches().iter().any(|breach| breach.contains("its result is not used")), "{error}");
    }
}
