//! What `testing::conformance` finds in a harness that declares more than it does.

use hooks_core::testing::{Drive, conformance};
use serde_json::{Value, json};

use crate::*;

#[derive(Clone, Copy, PartialEq)]
enum Wrong {
    NeverFires,
    FiresTwice,
    DropsTheVerdict,
}

/// A harness that stores messages and calls tools.
struct Desk(Wrong);

impl Drive for Desk {
    async fn drive(&self, kind: &str, hooks: &HookSet) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        let cx = HookContext::new();
        if kind == "before_tool_call" {
            let call = ToolCall::new("call_1", "refund", json!({ "cents": 5 }));
            let fired = hooks.fire(&cx, &BeforeToolCall::new(call.clone()), call.input).await?;
            return Ok(json!(fired.verdict.denial().is_none() || self.0 == Wrong::DropsTheVerdict));
        }
        let times = match self.0 {
            Wrong::NeverFires => 0,
            Wrong::FiresTwice => 2,
            Wrong::DropsTheVerdict => 1,
        };
        for _ in 0..times {
            let _ = hooks.fire(&cx, &AfterCreateMessage::new(Message::new(Role::User, "hi")), ()).await?;
        }
        Ok(Value::Null)
    }

    fn probe(&self, id: &str, kind: &str) -> Option<Hook> {
        let denies = Hook::at::<BeforeToolCall>(id).reader(|_, _, _| Permission::deny("probe"));
        (kind == "before_tool_call").then_some(denies)
    }
}

pub(crate) async fn ways() -> Vec<Way> {
    let mut ways = Vec::new();
    for (because, wrong) in [
        ("the harness declares its kind and does not fire it", Wrong::NeverFires),
        ("the harness drops what it did", Wrong::DropsTheVerdict),
        ("it runs twice where it should once", Wrong::FiresTwice),
    ] {
        let error = conformance(&Desk(wrong)).await.unwrap_err();
        ways.push(Way::new(because, "`testing::conformance`", only(error.breaches())));
    }
    ways
}
