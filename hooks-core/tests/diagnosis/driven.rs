//! What `testing::conformance` finds in a harness that does less than it declares.

use hook_sdk::testing::{Drive, conformance};
use hook_sdk::verdict::Decision;
use serde_json::{Value, json};

use crate::*;

#[derive(Clone, Copy, PartialEq)]
enum Wrong {
    NeverFires,
    FiresTwice,
    DropsTheVerdict,
    LeavesAFieldEmpty,
}

/// A harness that stores messages and calls tools.
struct Desk(Wrong);

impl Drive for Desk {
    async fn drive(&self, kind: &str, hooks: &HookSet) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        let cx = HookContext::new();
        if kind == "before_tool_call" {
            let call = ToolCall::new("call_1", "refund", json!({ "cents": 5 }));
            let fired = hooks.fire(&cx, &BeforeToolCall::new(call.clone()), call.input).await?;
            return Ok(match (&fired.report.halt, fired.verdict.decide()) {
                _ if self.0 == Wrong::DropsTheVerdict => json!("ran"),
                (Some(_), _) => json!("halted"),
                (None, Decision::Run) => json!(fired.subject),
                (None, Decision::Ask(_)) => json!("asked"),
                (None, Decision::Defer(_)) => json!("put off"),
                (None, Decision::Refuse(_)) => json!("refused"),
                (None, Decision::Answer(result)) => json!(result.text()),
            });
        }
        let times = match self.0 {
            Wrong::NeverFires => 0,
            Wrong::FiresTwice => 2,
            Wrong::DropsTheVerdict | Wrong::LeavesAFieldEmpty => 1,
        };
        let mut halted = false;
        for _ in 0..times {
            let mut event = AfterCreateMessage::new(Message::new(Role::User, "hi"));
            event.message_id = (self.0 != Wrong::LeavesAFieldEmpty).then(|| "m-1".to_owned());
            let fired = hooks.fire(&cx, &event, ()).await?;
            halted |= fired.report.halt.is_some();
        }
        Ok(json!(halted))
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
        ("the harness ignores its result", Wrong::DropsTheVerdict),
        ("it runs twice instead of once", Wrong::FiresTwice),
        ("it reads a field that the harness leaves empty", Wrong::LeavesAFieldEmpty),
    ] {
        let error = conformance(&Desk(wrong)).await.unwrap_err();
        ways.push(Way::new(because, "`testing::conformance`", only(error.breaches())));
    }
    ways
}
