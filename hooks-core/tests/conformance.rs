//! Promise 11: a harness does what it declares. One harness that does, and one per way of not doing it.
//!
//! A binary of its own: what it declares with `fires!` holds for all of it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of tests are tests too")]

use hooks_core::kinds::*;
use hooks_core::prelude::*;
use hooks_core::testing::{Drive, conformance};
use serde_json::{Value, json};

hooks_core::fires![DeskOpens, BeforeToolCall, AfterCreateMessage, BeforeCreateMessage, PrePromptContext];

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
    HasNoProbe,
    ProbesIdly,
    ProbesElsewhere,
    CannotDrive,
}

/// A small desk: it stores messages, calls tools and asks a model.
struct Desk(Wrong);

impl Desk {
    fn is(&self, wrong: Wrong) -> bool {
        self.0 == wrong
    }

    /// The text that is stored.
    async fn store(&self, hooks: &HookSet, text: &str) -> Result<Value, DispatchError> {
        let cx = HookContext::new();
        let row = Message::new(Role::User, text);
        let fired = hooks.fire(&cx, &BeforeCreateMessage::new(), row.clone()).await?;
        let stored = if self.is(Wrong::DropsTheSubject) { row } else { fired.subject };
        let times = match self.0 {
            Wrong::NeverFires => 0,
            Wrong::FiresTwice => 2,
            _ => 1,
        };
        for _ in 0..times {
            let _ = hooks.fire(&cx, &AfterCreateMessage::new(stored.clone()), ()).await?;
        }
        Ok(json!(stored.text()))
    }

    /// Whether the tool ran.
    async fn call(&self, hooks: &HookSet) -> Result<Value, DispatchError> {
        let call = ToolCall::new("call_1", "refund", json!({ "cents": 5 }));
        let input = call.input.clone();
        let fired = hooks.fire(&HookContext::new(), &BeforeToolCall::new(call), input).await?;
        Ok(json!(fired.verdict.denial().is_none() || self.is(Wrong::IgnoresTheVerdict)))
    }

    /// What the model is sent.
    async fn ask(&self, hooks: &HookSet) -> Result<Value, DispatchError> {
        let fired = hooks.fire(&HookContext::new(), &PrePromptContext::new("hello"), ()).await?;
        let mut sent = vec!["hello".to_owned()];
        if !self.is(Wrong::IgnoresContributions) {
            sent.extend(fired.verdict.prompt_context().entries.iter().map(|entry| entry.text.to_owned()));
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
            "before_create_message" | "after_create_message" => Ok(self.store(hooks, "hello").await?),
            other => Err(format!("the desk knows no `{other}`").into()),
        }
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
            "pre_prompt_context" => Hook::at::<PrePromptContext>(id)
                .reader(|_, _, ()| Contribution::prompt_context("probe", "probe", "probed")),
            _ => return None,
        })
    }
}

#[tokio::test]
async fn a_harness_that_does_what_it_declares_conforms() {
    conformance(&Desk(Wrong::Nothing)).await.unwrap();
}

#[tokio::test]
async fn a_harness_that_does_not_is_told_how() {
    let table = [
        (
            Wrong::NeverFires,
            "`after_create_message` is declared at ",
            "but an occurrence of it fired nothing: fire it on the hook set that the driver is given",
        ),
        (
            Wrong::FiresTwice,
            "`after_create_message`, declared at ",
            "was fired 2 times by one occurrence: its hooks would act 2 times",
        ),
        (Wrong::DropsTheSubject, "`before_create_message`, declared at ", "is fired, but its outcome is not used"),
        (
            Wrong::IgnoresTheVerdict,
            "`before_tool_call`, declared at ",
            "go on with `fired.subject` and `fired.verdict`",
        ),
        (Wrong::IgnoresContributions, "`pre_prompt_context`, declared at ", "is fired, but its outcome is not used"),
        (
            Wrong::HasNoProbe,
            "the driver has no probe for `before_create_message` (transform)",
            "return a hook of that kind",
        ),
        (Wrong::ProbesElsewhere, "the driver has no probe for `before_tool_call` (gate)", "return a hook of that kind"),
        (Wrong::ProbesIdly, "the driver's probe for `before_create_message` neither", "nothing can be seen of it"),
        (Wrong::CannotDrive, "the driver could not make `desk_opens` happen", "the key is lost"),
    ];
    for (wrong, start, part) in table {
        let error = conformance(&Desk(wrong)).await.unwrap_err();
        assert_eq!(error.breaches().len(), 1, "{error}");
        let told = error.breaches()[0].to_string();
        assert!(told.starts_with(start) && told.contains(part), "{told}");
        assert_eq!(format!("{error:?}"), format!("the harness does not do what it declares:\n  - {told}"));
        if start.ends_with(" at ") {
            assert!(told.contains("hooks-core/tests/conformance.rs:"), "{told}");
        }
    }
}
