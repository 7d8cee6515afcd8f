//! Files that are not stores, are damaged, or cannot be written.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use hook_sdk::data::{Block, Message, MessageUpdate, Role, ToolCall};
use hook_sdk::detached::BackgroundSink;
use hook_sdk::{CancellationToken, Registry};
use hooks_agent::store::{Append, MessageStore};
use hooks_store::{JobWorker, OpenError, OpenOptions, Store, Synchronous};
use serde_json::{Value, json};
use sqlx::Executor;

use crate::databases;
use crate::support::{Random, lines, times};

/// A closed store with some conversations.
async fn written(folder: &Path) -> PathBuf {
    let file = folder.join("store.db");
    let store = Store::open(file.to_str().unwrap()).await.unwrap();
    for conversation in ["a", "b", "c"] {
        let said =
            (0..40).map(|number| Message::new(Role::User, format!("{conversation} {number} {}", "x".repeat(300))));
        store.append(conversation, Append::new(said)).await.unwrap();
    }
    store.close().await.unwrap();
    file
}

async fn open(file: &Path) -> Result<Store, OpenError> {
    Store::open(file.to_str().unwrap()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_not_a_store_is_rejected_and_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("notes.txt");
    std::fs::write(&text, "These are notes, and no database at all. ".repeat(100)).unwrap();
    let error = open(&text).await.unwrap_err();
    assert!(matches!(error, OpenError::NotADatabase { .. }), "{error:?}");
    assert!(error.to_string().contains("notes.txt` is not an SQLite database"), "{error}");
    assert_eq!(std::fs::read_to_string(&text).unwrap(), "These are notes, and no database at all. ".repeat(100));

    for (given, why) in [
        (folder.path().to_str().unwrap().to_owned(), "it is a folder"),
        (":memory:".to_owned(), "MemoryStore"),
        (String::new(), "give the path of a file"),
        ("mysql://ada:secret@localhost/x".to_owned(), "a store is not in a `mysql:` database"),
        (folder.path().join("no/such/folder/store.db").to_str().unwrap().to_owned(), "unable to open"),
    ] {
        let error = Store::open(&given).await.unwrap_err();
        assert!(error.to_string().contains(why), "{given}: {error}");
    }
    let refused = Store::open("postgres://ada:secret@127.0.0.1:1/x").await.unwrap_err().to_string();
    assert!(!refused.contains("secret"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_with_a_newer_schema_is_rejected_and_unchanged() {
    for database in databases::all().await {
        let mut connection = databases::connect(&database.url).await;
        connection.execute("UPDATE hooks_schema SET version = 99").await.unwrap();
        let error = Store::open(&database.url).await.unwrap_err();
        assert!(matches!(error, OpenError::NewerSchema { found: 99, .. }), "{}: {error:?}", database.name);
        assert!(error.to_string().contains("update hooks-store"), "{error}");
        if database.name == "sqlite" {
            // A copy is in no WAL mode.
            let copy = format!("{}.copy", database.url);
            let vacuum = format!("VACUUM INTO '{copy}'");
            connection.execute(sqlx::raw_sql(sqlx::AssertSqlSafe(vacuum))).await.unwrap();
            let before = std::fs::read(&copy).unwrap();
            Store::open(&copy).await.unwrap_err();
            assert!(std::fs::read(&copy).unwrap() == before, "the file has changed");
        }
    }
}

/// As if a process of a newer version had migrated it meanwhile.
#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_is_too_old_for_its_store_is_told_and_changes_nothing() {
    for database in databases::all().await {
        let store = &database.store;
        let said = || Append::new([Message::new(Role::User, "hello")]);
        store.append("c", said()).await.unwrap();
        let mut connection = databases::connect(&database.url).await;
        connection.execute("UPDATE hooks_schema SET version = 99").await.unwrap();
        let failed = [
            store.append("c", said()).await.unwrap_err(),
            store.page("c", None, 10).await.unwrap_err(),
            store.lease("c").await.unwrap_err(),
            store.questions().await.unwrap_err(),
            store.retry("j").await.unwrap_err(),
        ];
        for error in failed {
            assert!(error.to_string().contains("update and restart it"), "{}: {error}", database.name);
        }
        // A worker ends instead of trying for ever.
        let worker = JobWorker::new(store.clone(), Registry::empty()).run(CancellationToken::new());
        tokio::time::timeout(Duration::from_mins(1), worker).await.unwrap();
        connection.execute("UPDATE hooks_schema SET version = 3").await.unwrap();
        assert_eq!(store.page("c", None, 10).await.unwrap().rows.len(), 1, "{}", database.name);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_id_that_one_database_cannot_store_is_refused_by_both() {
    for database in databases::all().await {
        let store = &database.store;
        let long = "x".repeat(1_000_000);
        for (id, why) in [("a\0b", "contains a NUL character"), (long.as_str(), "has at most 1000 bytes")] {
            let failed = [
                store.append(id, Append::new([Message::new(Role::User, "hello")])).await.unwrap_err(),
                store.page(id, None, 10).await.unwrap_err(),
                store.lease(id).await.unwrap_err(),
                store.delete(id).await.unwrap_err(),
            ];
            for error in failed {
                let error = error.to_string();
                assert!(error.contains(why) && error.len() < 200, "{}: {error}", database.name);
            }
        }
        let longest = "é".repeat(500);
        store.append(&longest, Append::new([Message::new(Role::User, "hello")])).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_is_opened_for_reading_cannot_be_changed() {
    for database in databases::all().await {
        let said = || Append::new([Message::new(Role::User, "hello")]);
        database.store.append("c", said()).await.unwrap();
        let reading = OpenOptions::new().read_only().open(&database.url).await.unwrap();
        assert_eq!(reading.page("c", None, 10).await.unwrap().rows.len(), 1, "{}", database.name);
        let error = reading.append("c", said()).await.unwrap_err().to_string();
        assert!(error.contains("read-only") && error.contains("nothing was stored"), "{}: {error}", database.name);
        assert_eq!(reading.page("c", None, 10).await.unwrap().rows.len(), 1, "{}", database.name);
    }
    let error = Store::open("agent.db?mode=ro").await.unwrap_err().to_string();
    assert!(error.contains("OpenOptions::read_only"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_its_owner_may_read_a_new_store() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder.path().join("store.db")).await.unwrap();
    store.append("c", Append::new([Message::new(Role::User, "hello")])).await.unwrap();
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let file = file.unwrap();
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{:?}", file.file_name());
    }
}

/// Too large to be checked when it is opened.
#[tokio::test(flavor = "multi_thread")]
async fn damage_in_a_large_file_is_found_by_a_check() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.db");
    let store = OpenOptions::new().synchronous(Synchronous::Normal).open(file.to_str().unwrap()).await.unwrap();
    for _ in 0..17 {
        let said = Message::new(Role::User, "x".repeat(4 << 20));
        store.append("c", Append::new([said])).await.unwrap();
    }
    assert_eq!(store.check().await.unwrap(), Vec::<String>::new());
    store.close().await.unwrap();
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 8_192].fill(0xff);
    std::fs::write(&file, bytes).unwrap();
    let store = open(&file).await.unwrap();
    assert!(!store.check().await.unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_store_can_be_opened_concurrently() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.db");
    let opens = (0..16).map(|_| {
        let file = file.clone();
        tokio::spawn(async move { open(&file).await.map(drop) })
    });
    for opened in opens.collect::<Vec<_>>() {
        opened.await.unwrap().unwrap();
    }
}

/// The other process could be creating the same store.
#[tokio::test(flavor = "multi_thread")]
async fn a_new_store_waits_for_a_process_that_writes_to_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.db");
    let mut other = databases::connect(&format!("{}?mode=rwc", file.display())).await;
    other.execute("BEGIN IMMEDIATE").await.unwrap();
    let mut opening = tokio::spawn(async move { open(&file).await });
    let waited = tokio::time::timeout(Duration::from_millis(300), &mut opening).await;
    assert!(waited.is_err(), "it did not wait: {waited:?}");
    other.execute("COMMIT").await.unwrap();
    opening.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_file_is_an_error_or_readable_and_never_a_panic() {
    let places = times("HOOKS_STORE_PLACES", 25);
    let folder = tempfile::tempdir().unwrap();
    let file = written(folder.path()).await;
    let whole = std::fs::read(&file).unwrap();
    let mut random = Random(3);
    let (mut refused, mut read) = (0, 0);
    for number in 0..2 * places {
        let mut bytes = whole.clone();
        let at = usize::try_from(random.below(bytes.len() as u64)).unwrap();
        if number < places {
            bytes.truncate(at);
        } else {
            bytes[at] ^= 1 << random.below(8);
        }
        let damaged = folder.path().join(format!("damaged-{number}.db"));
        std::fs::write(&damaged, &bytes).unwrap();
        match open(&damaged).await {
            Err(error) => {
                refused += 1;
                assert!(error.to_string().contains("damaged-"), "{at}: {error}");
            }
            Ok(store) => {
                // Readable messages are returned, and unreadable ones do not hide them.
                read += 1;
                let mut rows = 0;
                for conversation in ["a", "b", "c"] {
                    if let Ok(page) = store.history(conversation, None, 1_000).await {
                        rows += page.rows.len();
                    }
                }
                let is_new = at == 0 && number < places;
                assert!(is_new || rows >= 79, "{at} of {}: {rows} of 120 rows", whole.len());
                store.close().await.unwrap();
            }
        }
        std::fs::remove_file(&damaged).unwrap();
    }
    println!("{places} files cut short, {places} with a bit changed: {refused} refused, {read} read");
    assert!(refused > 0 && read > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unreadable_row_hides_no_other_row() {
    for database in databases::all().await {
        let said = ["a", "b", "c"].map(|text| Message::new(Role::User, text));
        let rows = database.store.append("c", Append::new(said)).await.unwrap().rows;
        let mut connection = databases::connect(&database.url).await;
        let torn = format!("UPDATE hooks_messages SET message = '{{\"role\": \"us' WHERE id = '{}'", rows[1].id);
        connection.execute(sqlx::raw_sql(sqlx::AssertSqlSafe(torn))).await.unwrap();
        for limit in [1, 2, 100] {
            let (mut texts, mut from) = (Vec::new(), None::<String>);
            loop {
                let page = database.store.page("c", from.as_deref(), limit).await.unwrap();
                texts.extend(page.rows.iter().map(|row| row.message.text().into_owned()));
                from = page.next;
                if from.is_none() {
                    break;
                }
            }
            assert_eq!(texts, ["a", "c"], "{} {limit}", database.name);
        }
        let found = database.store.check().await.unwrap();
        assert!(found.len() == 1 && found[0].contains(&rows[1].id), "{}: {found:?}", database.name);
    }
}

/// As deep as `levels`, which may be more than a parser reads.
fn nested(levels: usize) -> Value {
    (0..levels).fold(Value::Null, |inner, _| Value::Array(vec![inner]))
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_nested_too_deeply_to_be_read_again_is_refused_before_anything_is_stored() {
    for database in databases::all().await {
        let store = &database.store;
        let mut confirmed = Vec::new();
        for levels in (60..=140).rev() {
            let call = ToolCall::new("1", "find", json!({ "deep": nested(levels) }));
            let said = Message::of(Role::Assistant, vec![Block::from("look"), Block::ToolUse(call)]);
            match store.append("c", Append::new([Message::new(Role::User, "and"), said])).await {
                Ok(written) => confirmed.extend(written.rows),
                Err(error) => assert!(error.to_string().contains("can be read again"), "{}: {error}", database.name),
            }
        }
        assert!(confirmed.len() > 100, "{}: {}", database.name, confirmed.len());
        assert_eq!(store.page("c", None, 1_000).await.unwrap().rows, confirmed, "{}", database.name);

        let deep = MessageUpdate::from_iter([("deep".to_owned(), nested(130))]);
        let error = store.update("c", &confirmed[0].id, deep, None).await.unwrap_err().to_string();
        assert!(error.contains("can be read again"), "{}: {error}", database.name);
        let job = json!({
            "id": "j", "hook": "h", "kind": "after_create_message", "event": nested(130), "context": {},
            "attempt": 1, "max_attempts": 1, "idempotency_key": "",
        });
        assert!(store.job_queue().enqueue(serde_json::from_value(job).unwrap()).is_err(), "{}", database.name);
        assert_eq!(store.page("c", None, 1_000).await.unwrap().rows, confirmed, "{}", database.name);
        assert_eq!(store.check().await.unwrap(), Vec::<String>::new(), "{}", database.name);
    }
}

/// A file that may not grow simulates a full disk.
#[test]
fn a_full_disk_loses_no_acknowledged_row() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.db");
    let script = format!(
        "trap '' XFSZ; ulimit -f 4600; FIXTURE_PADDING=20000 exec {} converse {} {} c 80",
        env!("CARGO_BIN_EXE_hooks-store-fixture"),
        file.display(),
        folder.path().display(),
    );
    let status = Command::new("bash").args(["-c", &script]).status().unwrap();
    assert!(status.success(), "{status}");
    let replies = lines(&folder.path().join("replies"));
    let failed = replies.iter().filter(|reply| reply.contains("Failed(Store(")).count();
    assert!(failed > 0, "the disk never was full: {} turns", replies.len());
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let export = open(&file).await.unwrap().export("c").await.unwrap();
        let stored: std::collections::HashSet<_> = export.rows.iter().map(|row| row.id.as_str()).collect();
        let returned = lines(&folder.path().join("returned"));
        let lost: Vec<_> = returned.iter().filter(|line| !stored.contains(line.split(' ').next().unwrap())).collect();
        assert!(lost.is_empty() && returned.len() > 100, "{lost:?} of {}", returned.len());
        println!("a full disk: {} rows returned, {failed} turns failed, nothing lost", returned.len());
    });
}

#[test]
fn a_read_only_file_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let file = runtime.block_on(written(folder.path()));
    let permit = |mode| std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(mode)).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o444)).unwrap();
    permit(0o555);
    // For root, only a file system attribute prevents writing.
    let is_root = std::fs::write(folder.path().join("x"), "").is_ok();
    let opened = runtime.block_on(open(&file));
    permit(0o755);
    if is_root {
        println!("skipped: this user may write everything");
        return;
    }
    let error = opened.unwrap_err().to_string();
    assert!(error.contains("read-only") || error.contains("readonly") || error.contains("unable to open"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn opening_an_existing_store_never_creates_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("other.db");
    let mut connection = databases::connect(&format!("{}?mode=rwc", file.display())).await;
    connection.execute("CREATE TABLE theirs (x)").await.unwrap();
    drop(connection);
    let before = std::fs::read(&file).unwrap();
    let opened = OpenOptions::new().existing().open(file.to_str().unwrap()).await;
    assert!(matches!(opened, Err(OpenError::NoStore { .. })), "{opened:?}");
    assert!(std::fs::read(&file).unwrap() == before, "the file was changed");
    let none = folder.path().join("none.db");
    let opened = OpenOptions::new().existing().open(none.to_str().unwrap()).await;
    assert!(matches!(opened, Err(OpenError::Database { .. })) && !none.exists(), "{opened:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_store_is_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = written(folder.path()).await;
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["store.db"]);
    let copy = folder.path().join("copy.db");
    std::fs::copy(&file, &copy).unwrap();
    assert_eq!(open(&copy).await.unwrap().export("a").await.unwrap().rows.len(), 40);
}
