//! What a dispatch reports about hooks that were selected and had no effect.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hook_sdk::overrides::{Override, Overrides};
use hook_sdk::record::{OnEnd, Run, RunEnd};

use crate::*;

fn call() -> BeforeToolCall {
    BeforeToolCall::new(ToolCall::new("call_1", "search", ToolInput::default()))
}

/// A run as one line of a log.
fn line(kind: &str, run: &Run) -> String {
    let cause = run.cause.iter().map(|cause| format!(": {cause}"));
    let notes = run.note.iter().map(|note| format!(" ({})", serde_json::to_value(note).unwrap().as_str().unwrap()));
    format!("{kind} {}: {}{}", run.hook, run.status, cause.chain(notes).collect::<String>())
}

/// The line of the record about the hook `id`. All hooks are in one list.
async fn recorded(hooks: impl IntoIterator<Item = Hook>, id: &str) -> String {
    let hooks: Vec<Hook> = hooks.into_iter().collect();
    let ids: Vec<String> = hooks.iter().map(|hook| hook.id().to_string()).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let set = registry(hooks).scope(&support(&ids), None).unwrap();
    let cx = HookContext::builder().keep_records(true).build();
    let fired = set.fire(&cx, &call(), call().call.input).await.unwrap();
    let record = fired.report.record.clone().unwrap();
    line(record.kind, only(record.runs.iter().filter(|run| run.hook.as_str() == id)))
}

fn says(id: &str, permission: Permission) -> Hook {
    Hook::at::<BeforeToolCall>(id).reader(move |_, _, _| permission.clone())
}

fn rewrites(id: &str) -> Hook {
    Hook::at::<BeforeToolCall>(id).writer(|_, _, input: &mut ToolInput| input["id"] = "R-17".into())
}

/// A detached hook that ends with `result` after a second.
fn detached(id: &str, result: Result<(), &'static str>) -> Hook {
    Hook::at::<AfterCreateMessage>(id).detached(move |_, _, ()| {
        Box::pin(async move {
            tokio::time::sleep(Duration::from_secs(1)).await;
            result
        })
    })
}

async fn store(registry: &Registry, id: &str) -> String {
    let set = registry.scope(&support(&[id]), None).unwrap();
    let cx = HookContext::builder().keep_records(true).build();
    let event = AfterCreateMessage::new(Message::new(Role::User, "hi"));
    let fired = set.fire(&cx, &event, ()).await.unwrap();
    let record = fired.report.record.clone().unwrap();
    line(record.kind, only(&record.runs))
}

/// The record of the second of two detached runs when the limit is one.
async fn over_the_bound() -> String {
    let registry = registry([detached("count_tokens", Ok(()))]);
    registry.set_detached_limit(1);
    store(&registry, "count_tokens").await;
    let reported = store(&registry, "count_tokens").await;
    registry.drain(Duration::from_secs(5)).await;
    reported
}

/// What an observer receives at the end of a detached run.
async fn second_notice() -> String {
    let registry = registry([detached("count_tokens", Err("the counter is down"))]);
    let heard = Arc::new(Mutex::new(Vec::new()));
    let into = Arc::clone(&heard);
    registry.observe(OnEnd(move |ended: &RunEnd, _: &Contributions| {
        into.lock().unwrap().push(line(&ended.kind, &ended.run));
    }));
    store(&registry, "count_tokens").await;
    registry.drain(Duration::from_secs(5)).await;
    only(heard.lock().unwrap().drain(..))
}

fn failure() -> String {
    let fails = Hook::at::<AfterCreateMessage>("count_tokens").reader(|_, _, ()| Err::<(), _>("no counter"));
    let set = registry([fails]).scope(&support(&["count_tokens"]), None).unwrap();
    let event = AfterCreateMessage::new(Message::new(Role::User, "hi"));
    let fired = set.fire_blocking(&HookContext::new(), &event, ()).unwrap();
    only(&fired.report.failures).to_string()
}

/// The line of the plan about a hook that is left out.
fn planned() -> String {
    let registry = registry([gate("guard_cancel"), gate("log_calls")]);
    registry.set_overrides([Overrides::new("ops.toml").set("guard_cancel", Override::new().enabled(false))]).unwrap();
    let plan = registry.scope(&support(&["guard_cancel", "log_calls"]), None).unwrap().to_string();
    only(plan.lines().filter(|line| line.contains("left out"))).trim().to_owned()
}

fn without_runtime() -> String {
    let waits = Hook::at::<BeforeToolCall>("ask_desk").async_reader(|_, _, _| Box::pin(async {}));
    let set = registry([waits]).scope(&support(&["ask_desk"]), None).unwrap();
    set.fire_blocking(&HookContext::new(), &call(), call().call.input).unwrap_err().to_string()
}

pub(crate) async fn ways() -> Vec<Way> {
    let by = "the record";
    vec![
        Way::new("its filter does not match", by, {
            recorded([gate("guard").only("tool", "refund"), gate("log_calls")], "guard").await
        }),
        Way::new("a layer of overrides disables it", "the plan", planned()),
        Way::new("an earlier verdict is final", by, {
            recorded([says("deny_all", Permission::deny("closed")), gate("guard").priority(1)], "guard").await
        }),
        Way::new("an earlier hook asked a person, so this hook can no longer change the input", by, {
            recorded([says("ask", Permission::ask("really?")), rewrites("add_id").priority(1)], "add_id").await
        }),
        Way::new("a later hook changed the input that this hook allowed", by, {
            recorded([says("allow", Permission::Allow).priority(-1), rewrites("add_id")], "allow").await
        }),
        Way::new("it misses its deadline", by, {
            let hangs = Hook::at::<BeforeToolCall>("ask_desk")
                .async_reader::<_, (), _>(|_, _, _| Box::pin(std::future::pending()));
            recorded([hangs.timeout(Timeout::After(Duration::from_secs(2)))], "ask_desk").await
        }),
        Way::new("it fails every time", "`fired.report.failures`, the record", failure()),
        Way::new("the limit of detached runs is reached", by, over_the_bound().await),
        Way::new("it runs detached and fails", "`Observer::ended`, a warning", second_notice().await),
        Way::new("it waits, but there is no runtime", "the error of `fire_blocking`", without_runtime()),
    ]
}
