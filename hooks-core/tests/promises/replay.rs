//! In a replay no hook reaches the outside world: detached and background runs are not started, and hooks that opt out
//! are skipped.

use hook_sdk::hook::OnReplay;
use hook_sdk::record::{Skip, Status};

use super::support::*;

#[hook(id = "pays", kind = before_tool_call, tool = "refund", on_replay = skip)]
fn pays() -> Permission {
    Permission::deny("paid already")
}

#[hook(id = "reads", kind = before_tool_call, on_replay = run)]
fn reads() -> Permission {
    Permission::NoOpinion
}

fn calls(tool: &str) -> (BeforeToolCall, ToolInput) {
    let call = ToolCall::new("c", tool, serde_json::json!({"cents": 1}));
    let input = call.input.clone();
    (BeforeToolCall::new(call), input)
}

async fn fired(registry: &Registry, ids: &[&str], tool: &str, replay: bool) -> (Option<String>, Vec<Status>) {
    let set = registry.scope(&AgentDef::new("x").hooks(ids.iter().copied()), None).unwrap();
    let (event, input) = calls(tool);
    let cx = HookContext::builder().keep_records(true).replay(replay).build();
    let fired = set.fire(&cx, &event, input).await.unwrap();
    let denied = fired.verdict.denial().map(|denial| denial.reason.to_string());
    (denied, fired.report.record.as_ref().unwrap().runs.iter().map(|run| run.status).collect())
}

#[tokio::test]
async fn a_hook_that_opts_out_is_skipped_in_a_replay() {
    let registry = Registry::empty().with(hooks![pays, reads]).unwrap();
    let ids = ["pays", "reads"];
    let (skipped, done) = (Status::Skipped(Skip::Replay), Status::Completed);
    let table = [
        ("refund", false, Some("paid already".to_owned()), vec![done, Status::Cancelled]),
        ("refund", true, None, vec![skipped, done]),
        // A filter that does not match has precedence over the replay.
        ("search", true, None, vec![Status::Skipped(Skip::Filter), done]),
    ];
    for (tool, replay, denied, statuses) in table {
        assert_eq!(fired(&registry, &ids, tool, replay).await, (denied, statuses), "{tool} {replay}");
    }
    let set = registry.scope(&AgentDef::new("x").hooks(ids), None).unwrap();
    assert!(set.to_string().contains("not in a replay;"), "{set}");
}

/// In every form of a hook.
#[tokio::test]
async fn a_hook_of_any_form_is_skipped_in_a_replay() {
    let at = || Hook::at::<BeforeToolCall>("h");
    let later = || at().async_reader(|_, _, _| Box::pin(async { Permission::deny("no") }));
    let hooks = [
        at().reader(|_, _, _| Permission::deny("no")),
        at().writer(|_, _, _: &mut ToolInput| Permission::deny("no")),
        later(),
        at().blocking().reader(|_, _, _| Permission::deny("no")),
        at().detached(|_, _, _| Box::pin(async {})),
    ];
    for hook in hooks {
        let registry = Registry::empty();
        registry.register(hook.on_replay(OnReplay::Skip)).unwrap();
        registry.register(Hook::at::<BeforeToolCall>("other").reader(|_, _, _| ())).unwrap();
        let (denied, statuses) = fired(&registry, &["h", "other"], "refund", true).await;
        assert_eq!((denied, statuses), (None, vec![Status::Skipped(Skip::Replay), Status::Completed]));
    }
}
