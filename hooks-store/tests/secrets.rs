//! What hooks fail with holds addresses and requests. Their secrets are not stored.

use std::time::Duration;

use hook_sdk::data::{Message, Role};
use hook_sdk::kinds::{AfterCreateMessage, BeforeCreateMessage};
use hook_sdk::prelude::*;
use hooks_store::JobWorker;
use sqlx::{AnyConnection, Connection};

use crate::databases;

/// What a hook fails with, and the secret in it.
const FAILURES: [(&str, &str); 20] = [
    ("login failed: password=super-secret-token, user=ada", "super-secret-token"),
    ("cannot reach postgres://ada:s3cr3t-pw@db.internal/x: refused", "s3cr3t-pw"),
    ("401: Authorization: Bearer q7Wm2Zx9Lk4Rt6Bn8Vc1", "q7Wm2Zx9Lk4Rt6Bn8Vc1"),
    ("GET https://x.org/?api_key=k1-9z8y7x&page=2 failed", "k1-9z8y7x"),
    ("GET https://x.org/a?access_token=q7Wm2Zx9Lk4Rt6Bn failed", "q7Wm2Zx9Lk4Rt6Bn"),
    ("GET https://x.blob.net/a?sv=2024&sig=q7Wm2Zx9Lk4Rt6BnVc failed", "q7Wm2Zx9Lk4Rt6BnVc"),
    ("clone https://q7Wm2Zx9Lk4Rt6BnVc3d@git.example.org/x failed", "q7Wm2Zx9Lk4Rt6BnVc3d"),
    ("the key sk-0123456789abcdef0123456789abcdef is wrong", "0123456789abcdef0123456789abcdef"),
    ("the key AKIAUJZDEGXDNCF32EPF is wrong", "AKIAUJZDEGXDNCF32EPF"),
    ("the token ghp_JTeKdNnFRIBXuDL7DxtpYlSXpfKtHF4vUCsM is wrong", "JTeKdNnFRIBXuDL7"),
    ("bad config {\"password\": \"correct horse battery\", \"port\": 1}", "horse battery"),
    ("bad config {\\\"clientSecret\\\": \\\"x9Lk4Rt6BnVc\\\"}", "x9Lk4Rt6BnVc"),
    ("Cookie: session=q7Wm2Zx9Lk4Rt6Bn; theme=dark was refused", "q7Wm2Zx9Lk4Rt6Bn"),
    ("Set-Cookie: sid=q7Wm2Zx9Lk4Rt6Bn; HttpOnly", "q7Wm2Zx9Lk4Rt6Bn"),
    ("PRIVATE-TOKEN: q7Wm2Zx9Lk4Rt6BnVc3d was refused", "q7Wm2Zx9Lk4Rt6BnVc3d"),
    ("AccountName=shop;AccountKey=q7Wm2Zx9Lk4Rt6BnVc3dq7Wm2Zx9Lk4Rt6BnVc3d==;x=1", "q7Wm2Zx9Lk4Rt6BnVc3d"),
    ("Server=db;Uid=ada;Pwd=hunterxx;Encrypt=yes", "hunterxx"),
    ("`MYSQL_PWD=hunterxx mysqldump shop` failed", "hunterxx"),
    ("`deploy --password hunterxx --now` failed", "hunterxx"),
    ("cannot parse -----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEF\n", "MIIEvQIBADANBgkqhkiG9w0BAQEF"),
];

/// Whoever opens a store need not remember the scanner.
#[tokio::test(flavor = "multi_thread")]
async fn opening_a_store_cleans_the_records_of_every_observer() {
    let _database = databases::sqlite().await;
    for (text, secret) in FAILURES {
        let shown = hook_sdk::record::redacted(text);
        assert!(!shown.contains(secret), "{shown}");
    }
}

async fn texts(connection: &mut AnyConnection, of: &'static str) -> Vec<String> {
    sqlx::query_scalar(of).fetch_all(connection).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_of_dispatches_and_the_causes_of_jobs_contain_no_secret() {
    for database in databases::all().await {
        let store = &database.store;
        let (registry, mut ids) = (Registry::empty(), Vec::new());
        for (number, (text, _)) in FAILURES.into_iter().enumerate() {
            let reads = Hook::at::<BeforeCreateMessage>(&format!("reads_{number}"));
            registry.register(reads.reader(move |_, _, _: &Message| Err::<(), _>(text))).unwrap();
            let panics = Hook::at::<BeforeCreateMessage>(&format!("panics_{number}"));
            registry.register(panics.reader(move |_, _, _: &Message| -> () { panic!("{text}") })).unwrap();
            let later = Hook::at::<AfterCreateMessage>(&format!("later_{number}"));
            let later = later.background(move |_, _, ()| Box::pin(async move { Err::<(), _>(text) }));
            registry.register(later).unwrap();
            ids.extend(["reads", "panics", "later"].map(|name| format!("{name}_{number}")));
        }
        registry.set_background(store.job_queue());
        let log = store.dispatch_log();
        registry.observe(log.clone());
        let set = registry.scope(&AgentDef::new("clerk").hooks(ids), None).unwrap();
        let row = Message::new(Role::User, "hello");
        let _ = set.fire(&HookContext::new(), &BeforeCreateMessage::new(), row.clone()).await.unwrap();
        let _ = set.fire(&HookContext::new(), &AfterCreateMessage::new(row), ()).await.unwrap();
        JobWorker::new(store.clone(), registry.clone()).poll(Duration::from_millis(1)).run_until_empty().await;
        log.flush().await;

        let mut connection = databases::connect(&database.url).await;
        let records = texts(&mut connection, "SELECT record FROM hooks_dispatches").await;
        let jobs = texts(&mut connection, "SELECT cause FROM hooks_jobs WHERE status = 'failed'").await;
        let attempts = texts(&mut connection, "SELECT cause FROM hooks_attempts").await;
        connection.close().await.unwrap();
        assert_eq!((jobs.len(), attempts.len()), (FAILURES.len(), FAILURES.len()), "{}", database.name);
        for (what, stored) in [("log", records), ("jobs", jobs), ("attempts", attempts)] {
            let stored = stored.join("\n");
            let left: Vec<_> = FAILURES.iter().filter(|(_, secret)| stored.contains(secret)).collect();
            assert!(left.is_empty(), "{}, {what}: {left:#?} in {stored}", database.name);
            for kept in ["cannot reach postgres://ada", "user=ada", "page=2"] {
                assert!(stored.contains(kept), "{}, {what}: {kept} is missing in {stored}", database.name);
            }
        }
    }
}
