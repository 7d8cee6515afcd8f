//! The log of dispatches.

use std::time::Duration;

use hook_sdk::data::{Block, Message, Role};
use hook_sdk::kinds::{AfterCreateMessage, BeforeCreateMessage};
use hook_sdk::prelude::*;
use hooks_agent::store::{Append, MessageStore};
use hooks_store::{Cleaning, DispatchFilter, JobFilter, JobWorker, QueueStats, Store};
use sqlx::{Connection, Executor};

use crate::databases;

/// A hook that changes a row, one that fails, one whose filter never matches, and one in the background.
fn registry(store: &Store) -> Registry {
    let registry = Registry::empty();
    let stamp = |_: &HookContext, _: &BeforeCreateMessage, row: &mut Message| {
        row.rewrite_text(|text| Some(format!("stamped: {text}")));
    };
    let fails = |_: &HookContext, _: &BeforeCreateMessage, _: &Message| Err::<(), _>("no network");
    registry.register(Hook::at::<BeforeCreateMessage>("stamp").writer(stamp)).unwrap();
    registry.register(Hook::at::<BeforeCreateMessage>("fails").reader(fails)).unwrap();
    let index =
        Hook::at::<AfterCreateMessage>("index").background(|_, _, ()| Box::pin(async { Err::<(), _>("later") }));
    registry.register(index).unwrap();
    registry.set_background(store.job_queue());
    registry
}

async fn fire(registry: &Registry, conversation: &str) -> Message {
    let set = registry.scope(&AgentDef::new("clerk").hooks(["stamp", "fails", "index"]), None).unwrap();
    let cx = HookContext::builder().conversation(conversation).build();
    let row = Message::new(Role::User, "my password is hunter2");
    let fired = set.fire(&cx, &BeforeCreateMessage::new(), row.clone()).await.unwrap();
    let _ = set.fire(&cx, &AfterCreateMessage::new(row), ()).await.unwrap();
    fired.subject
}

#[tokio::test(flavor = "multi_thread")]
async fn the_outcome_of_a_dispatch_is_recorded_without_its_payload() {
    for database in databases::all().await {
        let store = &database.store;
        let (registry, log) = (registry(store), store.dispatch_log());
        registry.observe(log.clone());
        fire(&registry, "c-1").await;
        fire(&registry, "c-2").await;
        JobWorker::new(store.clone(), registry.clone()).poll(Duration::from_millis(1)).run_until_empty().await;
        log.flush().await;

        let all = store.dispatches(&DispatchFilter::new(), 100).await.unwrap();
        assert!(all.is_sorted_by(|a, b| a.number > b.number));
        let of: Vec<_> =
            all.iter().rev().map(|row| (&*row.source, &*row.kind, &*row.conversation, row.failed)).collect();
        let expected = [
            ("dispatch", "before_create_message", "c-1", true),
            ("dispatch", "after_create_message", "c-1", false),
            ("dispatch", "before_create_message", "c-2", true),
            ("dispatch", "after_create_message", "c-2", false),
        ];
        assert_eq!(of[..4], expected, "{}", database.name);
        assert!(of[4..].iter().all(|row| *row == ("background", "after_create_message", row.2, true)), "{of:?}");
        assert_eq!(of.len(), 6);
        let runs = all[5].record["runs"].as_array().unwrap();
        let run = |hook| runs.iter().find(|run| run["hook"] == hook).unwrap();
        assert_eq!((&run("stamp")["changed"], &run("fails")["cause"]), (&true.into(), &"no network".into()));
        let text = serde_json::to_string(&all).unwrap();
        assert!(!text.contains("hunter2") && !text.contains("stamped"), "a payload is stored: {text}");

        let count = async |filter: DispatchFilter| store.dispatches(&filter, 100).await.unwrap().len();
        assert_eq!(count(DispatchFilter::new().conversation("c-1")).await, 3);
        assert_eq!(count(DispatchFilter::new().hook("stamp").failed()).await, 2);
        assert_eq!(count(DispatchFilter::new().hook("index").kind("after_create_message")).await, 4);
        let removed = async |age| store.clean(Cleaning::older_than(age)).await.unwrap().dispatches;
        assert_eq!(removed(Duration::from_mins(1)).await, 0);
        tokio::time::sleep(Duration::from_millis(2)).await; // the age of a record has milliseconds
        assert_eq!(removed(Duration::ZERO).await, 6);
        assert_eq!((count(DispatchFilter::new()).await, log.dropped()), (0, 0));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failing_log_changes_no_outcome() {
    for database in databases::all().await {
        let (registry, log) = (Registry::empty(), database.store.dispatch_log());
        let stamp = |_: &HookContext, _: &BeforeCreateMessage, row: &mut Message| {
            row.rewrite_text(|text| Some(format!("stamped: {text}")));
        };
        registry.register(Hook::at::<BeforeCreateMessage>("stamp").writer(stamp)).unwrap();
        registry.observe(log.clone());
        database.store.close().await.unwrap();
        let set = registry.scope(&AgentDef::new("clerk").hooks(["stamp"]), None).unwrap();
        for _ in 0..10_000 {
            let row = Message::new(Role::User, "hello");
            let fired = set.fire(&HookContext::new(), &BeforeCreateMessage::new(), row).await.unwrap();
            assert_eq!(fired.subject.text(), "stamped: hello", "{}", database.name);
            assert!(fired.report.failures.is_empty());
        }
        log.flush().await;
        assert_eq!(log.dropped(), 10_000, "{}: what is not in the log is counted", database.name);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_of_the_first_version_is_migrated_with_its_content() {
    for database in databases::all().await {
        let registry = registry(&database.store);
        fire(&registry, "c-1").await;
        let mut connection = databases::connect(&database.url).await;
        for back in [
            "DROP TABLE hooks_dispatch_runs",
            "DROP TABLE hooks_dispatches",
            "ALTER TABLE hooks_jobs ADD COLUMN priority BIGINT NOT NULL DEFAULT 0",
            "UPDATE hooks_schema SET version = 1",
        ] {
            connection.execute(back).await.unwrap();
        }
        connection.close().await.unwrap();
        database.store.close().await.unwrap();
        let store = Store::open(&database.url).await.unwrap();
        assert!(store.dispatches(&DispatchFilter::new(), 1).await.unwrap().is_empty(), "{}", database.name);
        assert_eq!(store.jobs(&hooks_store::JobFilter::new(), 10).await.unwrap().len(), 1, "{}", database.name);
        store.close().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_conversation_leaves_no_job_and_no_record_behind() {
    for database in databases::all().await {
        let store = &database.store;
        let (registry, log) = (registry(store), store.dispatch_log());
        registry.observe(log.clone());
        fire(&registry, "c-1").await;
        fire(&registry, "c-1").await;
        fire(&registry, "c-2").await;
        log.flush().await;
        let mut connection = databases::connect(&database.url).await;
        connection
            .execute("UPDATE hooks_jobs SET status = 'running' WHERE id = (SELECT MIN(id) FROM hooks_jobs WHERE conversation = 'c-1')")
            .await
            .unwrap();
        store.delete("c-1").await.unwrap();
        let dispatches = store.dispatches(&DispatchFilter::new(), 100).await.unwrap();
        let jobs = store.jobs(&JobFilter::new(), 100).await.unwrap();
        assert!(dispatches.iter().all(|dispatch| dispatch.conversation == "c-2"), "{}", database.name);
        assert!(!dispatches.is_empty() && jobs.len() == 1 && jobs[0].conversation == "c-2", "{}", database.name);
        // What belongs to no conversation is not that of one without a name.
        fire(&registry, "").await;
        assert!(store.delete("").await.unwrap_err().to_string().contains("the id of a conversation is empty"));
        assert_eq!(store.jobs(&JobFilter::new().conversation(""), 10).await.unwrap().len(), 1, "{}", database.name);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_conversation_takes_those_of_its_sub_agents_along_and_no_other() {
    for database in databases::all().await {
        let store = &database.store;
        for (conversation, call) in [
            ("c", "call_1"),
            ("c", "call-1"),
            ("c/call%2D1", "a/b%"),
            ("c/call%2D1-2/a%2Fb%25", "x"),
            ("c", "a/b%"),
            ("c/a%2Fb%25", "x"),
            ("c/call_1", "call_9"),
            ("c/call_1-2", "call_1"),
            ("c/call_1/call_9", "x"),
            ("c/other", "x"),
            ("c/call_1-x", "x"),
        ] {
            let call = Block::ToolUse(ToolCall::new(call, "ask", serde_json::json!({})));
            store.append(conversation, Append::new([Message::of(Role::Assistant, vec![call])])).await.unwrap();
        }
        // Of the second call, only a job is left; a third one never had a row.
        store.delete("c/call_1").await.unwrap();
        let registry = registry(store);
        for conversation in ["c/call_1-3", "c/call%2D1-2"] {
            fire(&registry, conversation).await;
        }
        assert_eq!(store.jobs(&JobFilter::new(), 10).await.unwrap().len(), 2);
        assert!(store.delete_conversation("c").await.unwrap());
        let left = store.conversations(None, 10).await.unwrap().ids;
        assert_eq!(left, ["c/call%2D1-2/a%2Fb%25", "c/call_1-x", "c/other"], "{}", database.name);
        assert!(store.jobs(&JobFilter::new(), 10).await.unwrap().is_empty(), "{}", database.name);
        assert!(!store.delete_conversation("c").await.unwrap());
    }
}

/// The second page begins where the first one ends.
#[tokio::test(flavor = "multi_thread")]
async fn jobs_are_paged_counted_and_changed() {
    for database in databases::all().await {
        let store = &database.store;
        let registry = registry(store);
        for _ in 0..5 {
            fire(&registry, "c").await;
        }
        let all: Vec<_> = store.jobs(&JobFilter::new(), 10).await.unwrap().into_iter().map(|job| job.id).collect();
        let mut paged = Vec::<String>::new();
        for _ in 0..3 {
            let filter = paged.last().map_or_else(JobFilter::new, |last| JobFilter::new().hook("index").before(last));
            paged.extend(store.jobs(&filter, 2).await.unwrap().into_iter().map(|job| job.id));
        }
        assert_eq!(paged, all, "{}", database.name);

        assert!(store.put_off(&all[0], Duration::from_mins(1)).await.unwrap());
        assert!(store.cancel(&all[1]).await.unwrap() && !store.cancel(&all[1]).await.unwrap());
        assert!(!store.put_off(&all[1], Duration::ZERO).await.unwrap());
        let stats = store.queue_stats().await.unwrap();
        let counts = |of: &QueueStats| (of.queued, of.due, of.running, of.needing_attention, of.oldest_due.is_some());
        assert_eq!(stats.iter().map(counts).collect::<Vec<_>>(), [(4, 3, 0, 0, true)], "{}", database.name);
        let all_of_c = JobFilter::new().hook("index").conversation("c");
        assert_eq!(
            store.retry_all(&all_of_c).await.unwrap(),
            0,
            "what a person cancelled is queued again only by its id"
        );
        assert!(store.retry(&all[1]).await.unwrap());
        assert_eq!(store.queue_stats().await.unwrap()[0].due, 4);
        store.vacuum().await.unwrap();
        assert_eq!(store.jobs(&JobFilter::new(), 10).await.unwrap().len(), 5, "{}", database.name);
    }
}
