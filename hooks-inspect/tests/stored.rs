//! Questions and background runs of a store, answered from the page.

use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use hook_sdk::data::{Message, Role};
use hook_sdk::kinds::{AfterCreateMessage, BeforeToolCall};
use hook_sdk::prelude::*;
use hooks_agent::Harness;
use hooks_agent::model::{Line, Scripted};
use hooks_agent::tool::{FnTool, ToolSpec};
use hooks_inspect::{HooksPage, Inspector, router};
use hooks_replay::{RecordLimits, Recorder};
use hooks_store::{JobWorker, Store, StoredApprover};
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::browser::dom;

async fn post(app: &Router, path: &str, body: Value) -> (u16, String) {
    let request = Request::post(path).header("host", "desk").header("origin", "https://desk");
    let request = request.header("content-type", "application/json").body(Body::from(body.to_string())).unwrap();
    let answer = app.clone().oneshot(request).await.unwrap();
    let status = answer.status().as_u16();
    (status, String::from_utf8(to_bytes(answer.into_body(), 1 << 20).await.unwrap().to_vec()).unwrap())
}

/// The first event of the server, which is the state of the store.
async fn state(app: &Router) -> Value {
    use futures_util::StreamExt;
    let request = Request::get("/api/events").header("host", "desk").body(Body::empty()).unwrap();
    let mut body = app.clone().oneshot(request).await.unwrap().into_body().into_data_stream();
    let text = String::from_utf8(body.next().await.unwrap().unwrap().to_vec()).unwrap();
    let data = text.lines().find_map(|line| line.strip_prefix("data: ")).unwrap();
    serde_json::from_str(data).unwrap()
}

/// A harness whose turns ask before `pay` runs, with what it gets as its result.
pub(crate) fn harness(store: &Store) -> (Harness, Registry) {
    harness_with(store, StoredApprover::new(store.clone()).patience(Duration::from_secs(60)))
}

pub(crate) fn harness_with(store: &Store, approver: StoredApprover) -> (Harness, Registry) {
    let registry = Registry::empty();
    let gate = |_: &HookContext, _: &BeforeToolCall, _: &ToolInput| Permission::ask("<script>it costs money</script>");
    registry.register(Hook::at::<BeforeToolCall>("asks").reader(gate)).unwrap();
    let fails =
        Hook::at::<AfterCreateMessage>("mail").background(|_, _, ()| Box::pin(async { Err::<(), _>("no server") }));
    registry.register(fails).unwrap();
    registry.set_background(store.job_queue());
    let harness = Harness::builder(registry.clone())
        .model(
            "main",
            Scripted::new([
                Line::call("call_1", "pay", json!({ "order": 9_007_199_254_740_993_u64, "ratio": 1.0, "cents": 5 })),
                Line::text("done"),
            ]),
        )
        .store(store.clone())
        .approver(approver)
        .tool(FnTool::new(ToolSpec::new("pay"), |_, input| {
            Ok(format!("paid {} of {} at {}", input["cents"], input["order"], input["ratio"]))
        }))
        .build()
        .unwrap();
    (harness, registry)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_answered_from_the_page_and_the_turn_goes_on() {
    for (answer, result) in [
        (json!({ "yes": true }), "paid 5"),
        (json!({ "yes": true, "input": "{ \"cents\": 3 }" }), "paid 3"),
        (json!({ "yes": false, "reason": "too much" }), "too much"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path().join("agent.db").to_str().unwrap()).await.unwrap();
        let app = router(Inspector::new(HooksPage::new("desk")).store(store.clone()));
        let (harness, _) = harness(&store);
        let session = harness.session("c-1", AgentDef::new("clerk").hooks(["asks"])).open().await.unwrap();
        let turn = tokio::spawn(async move { session.turn(None, "pay").await });
        let question = loop {
            if let Some(question) = state(&app).await["questions"].get(0) {
                break question.clone();
            }
            tokio::task::yield_now().await;
        };
        assert_eq!(question["request"]["call"]["name"], "pay", "{question}");
        for (input, why) in
            [(json!(null), "leave it out"), (json!("null"), "null is no input"), (json!("{"), "not JSON")]
        {
            let wrong = json!({ "id": question["id"], "yes": true, "input": input });
            let (status, text) = post(&app, "/api/answer", wrong).await;
            assert!(status == 422 && text.contains(why), "{input}: {status} {text}");
        }
        let mut body = answer.clone();
        body["id"] = question["id"].clone();
        let (status, text) = post(&app, "/api/answer", body.clone()).await;
        assert_eq!(status, 200, "{text}");
        let reply = turn.await.unwrap();
        let told = serde_json::to_string(&reply.messages).unwrap();
        assert!(told.contains(result), "{answer}: {told}");
        body["yes"] = json!(answer["yes"] != true);
        assert_eq!(post(&app, "/api/answer", body).await.0, 409, "another answer has no effect");
        let unknown = post(&app, "/api/answer", json!({ "id": "nobody", "yes": true })).await;
        assert!(unknown.0 == 409 && unknown.1.contains("nobody"), "{unknown:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_run_is_queued_again_from_the_page() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path().join("agent.db").to_str().unwrap()).await.unwrap();
    let app = router(Inspector::new(HooksPage::new("desk")).store(store.clone()));
    let (harness, registry) = harness(&store);
    let session = harness.session("c-1", AgentDef::new("clerk").hooks(["mail"])).open().await.unwrap();
    let _reply = session.turn(None, "hello").await;
    JobWorker::new(store.clone(), registry.clone()).poll(Duration::from_millis(1)).run_until_empty().await;
    let job = state(&app).await["jobs"][0].clone();
    assert!(job["status"] == "failed" && job["cause"] == "no server", "{job}");
    let id = json!({ "id": job["id"] });
    assert_eq!(post(&app, "/api/retry", id.clone()).await, (200, "queued again".to_owned()));
    assert_eq!(post(&app, "/api/retry", id).await.0, 409, "it is queued already");
    let jobs = state(&app).await["jobs"].clone();
    assert!(jobs.as_array().unwrap().iter().any(|one| one["id"] == job["id"] && one["status"] == "queued"), "{jobs}");

    assert_eq!(post(&app, "/api/cancel", json!({ "id": job["id"] })).await, (200, "cancelled".to_owned()));
    assert_eq!(post(&app, "/api/cancel", json!({ "id": job["id"] })).await.0, 409, "it does not wait any more");
    JobWorker::new(store.clone(), registry).poll(Duration::from_millis(1)).run_until_empty().await;
    let cancelled = state(&app).await["jobs"].as_array().unwrap().iter().find(|one| one["id"] == job["id"]).cloned();
    assert_eq!(cancelled.unwrap()["status"], "cancelled", "no worker takes it");
    assert_eq!(
        post(&app, "/api/retry", json!({ "id": job["id"] })).await.0,
        200,
        "a cancelled run can be queued again"
    );
}

/// A page with what a store has, and these recordings.
async fn page(store: &Store, recordings: &[u8]) -> String {
    let mut html = Vec::new();
    HooksPage::new("desk").store(store).await.unwrap().report([recordings], &mut html).unwrap();
    String::from_utf8(html).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dispatch_that_was_recorded_and_stored_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path().join("agent.db").to_str().unwrap()).await.unwrap();
    let file = folder.path().join("traffic.jsonl");
    let (recorder, log) = (Recorder::create(&file, "desk", RecordLimits::default()).unwrap(), store.dispatch_log());
    for (conversation, is_recorded, times) in [("both", true, 3), ("stored", false, 1)] {
        let registry = Registry::empty();
        let gate = |_: &HookContext, _: &AfterCreateMessage, (): &()| {};
        registry.register(Hook::at::<AfterCreateMessage>("sees").reader(gate)).unwrap();
        registry.observe(log.clone());
        if is_recorded {
            registry.observe(recorder.clone());
        }
        let set = registry.scope(&AgentDef::new("clerk").hooks(["sees"]), None).unwrap();
        let cx = HookContext::builder().conversation(conversation).build();
        for _ in 0..times {
            let _fired = set.fire(&cx, &AfterCreateMessage::new(Message::new(Role::User, "hello")), ()).await.unwrap();
        }
    }
    recorder.flush();
    log.flush().await;
    let page = page(&store, &std::fs::read(&file).unwrap()).await;
    let Some(hook) = dom(&page, "/hook/sees") else { return };
    assert!(hook.contains("runs</dt><dd>4 runs"), "{hook}");
    let (both, stored) = (dom(&page, "/turn/outside%3Aboth").unwrap(), dom(&page, "/turn/outside%3Astored").unwrap());
    assert!(both.contains("Download this turn"), "{both}");
    assert!(stored.contains("after_create_message") && !stored.contains("Download"), "it has no payloads: {stored}");
}

#[tokio::test(flavor = "multi_thread")]
async fn more_runs_than_the_page_shows_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path().join("agent.db").to_str().unwrap()).await.unwrap();
    let (_, registry) = harness(&store);
    let set = registry.scope(&AgentDef::new("clerk").hooks(["mail"]), None).unwrap();
    for count in [500, 1] {
        for _ in 0..count {
            let event = AfterCreateMessage::new(Message::new(Role::User, "hello"));
            let _queued = set.fire(&HookContext::new(), &event, ()).await.unwrap();
        }
        let Some(seen) = dom(&page(&store, b"").await, "/jobs") else { return };
        assert_eq!(seen.contains("Only the latest 500 are shown"), count == 1, "{count}");
    }
}
