//! Promise 11: the messages about a harness that does less than it declares. `README.md` shows them:
//! `UPDATE_DIAGNOSIS=1 cargo test -p hooks-conformance --test page` writes them.
//!
//! A binary of its own, because `fires!` applies to a whole binary.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of tests are tests too")]

use std::path::Path;

use hook_sdk::data::Role;
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hook_sdk::verdict::Decision;
use hooks_conformance::{Drive, check};
use serde_json::{Value, json};

hook_sdk::fires![BeforeToolCall [never info], AfterCreateMessage];

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

/// The message without its position in this file, as the page shows it.
fn shown(message: &str) -> String {
    let (before, rest) = message.split_once("hooks-conformance/tests/page.rs:").unwrap();
    format!("{before}src/hooks.rs:…{}", rest.trim_start_matches(|c: char| c.is_ascii_digit()))
}

async fn rows() -> String {
    let mut rows = String::new();
    for (because, wrong) in [
        ("the harness declares its kind and does not fire it", Wrong::NeverFires),
        ("the harness ignores its result", Wrong::DropsTheVerdict),
        ("it runs twice instead of once", Wrong::FiresTwice),
        ("it reads a field that the harness leaves empty", Wrong::LeavesAFieldEmpty),
    ] {
        let error = check(&Desk(wrong)).await.unwrap_err();
        let [message] = error.breaches() else { panic!("exactly one thing is reported: {error}") };
        let message = shown(message).replace('|', "\\|");
        rows.push_str("| ");
        rows.push_str(because);
        rows.push_str(" | ");
        rows.push_str(&message);
        rows.push_str(" |\n");
    }
    rows
}

#[tokio::test]
async fn the_readme_shows_the_message_of_each_way() {
    let wanted =
        format!("\n| The hook does not run, or has no effect, because | Message |\n|---|---|\n{}\n", rows().await);
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let found = std::fs::read_to_string(&file).unwrap();
    let (open, close) = ("<!-- written: conformance -->\n", "<!-- to here -->");
    let (before, rest) = found.split_once(open).unwrap();
    let (there, after) = rest.split_once(close).unwrap();
    if std::env::var_os("UPDATE_DIAGNOSIS").is_some_and(|value| value == "1") {
        std::fs::write(&file, format!("{before}{open}{wanted}{close}{after}")).unwrap();
        return;
    }
    assert_eq!(there, wanted, "README.md differs from the messages; UPDATE_DIAGNOSIS=1 writes it");
}
