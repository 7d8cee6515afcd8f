//! Promises 18 and 19: invariants of a conversation whose process is killed at any moment of a turn.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use hooks_agent::store::MessageStore;
use hooks_store::JobFilter;

use crate::databases::{self, Database};
use crate::support::{Process, Random, lines, times};

/// Kills the process of a conversation repeatedly. Each new process continues where the last one was killed.
#[tokio::test(flavor = "multi_thread")]
async fn stored_rows_calls_and_jobs_survive_a_kill_at_any_moment() {
    let kills = times("HOOKS_STORE_KILLS", 8);
    for database in databases::all().await {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_str().unwrap();
        let mut random = Random(42);
        let returned = || lines(&folder.path().join("returned")).len();
        let mut longest = 250;
        for _ in 0..kills {
            let before = returned();
            let mut process = Process::start(&["converse", &database.url, path, "c", "1000000"]);
            // Any moment is suitable, so this does not wait for a particular one.
            std::thread::sleep(Duration::from_millis(10 + random.below(longest)));
            process.kill();
            // A process that waits for the lease of the one before stores nothing. Under load that takes longer.
            longest = if returned() > before { 250 } else { (longest * 2).min(4_000) };
        }
        // The last one completes.
        let mut process = Process::start(&["converse", &database.url, path, "c", "3"]);
        assert!(process.0.wait().unwrap().success());
        check(&database, folder.path(), &format!("{kills} kills")).await;
    }
}

/// Checks all rows, tool calls and jobs of the conversation `c`.
pub(crate) async fn check(database: &Database, folder: &std::path::Path, what: &str) {
    let broken = lines(&folder.join("broken"));
    assert!(broken.is_empty(), "{}: what the model read was not well formed: {broken:?}", database.name);
    let export = database.store.export("c").await.unwrap();
    let mut stored: BTreeMap<&str, usize> = BTreeMap::new();
    for row in &export.rows {
        *stored.entry(row.id.as_str()).or_default() += 1;
    }
    let returned = lines(&folder.join("returned"));
    let lost: Vec<_> = returned.iter().filter(|line| !stored.contains_key(line.split(' ').next().unwrap())).collect();
    assert!(lost.is_empty(), "{}: rows that were returned are lost: {lost:?}", database.name);
    assert!(stored.values().all(|times| *times == 1), "{}: rows are stored twice", database.name);
    // The prompt of each turn exactly once, whichever process stored it.
    let prompts: Vec<_> =
        export.rows.iter().map(|row| row.message.text()).filter(|text| text.starts_with("turn ")).collect();
    assert_eq!(
        prompts.len(),
        prompts.iter().collect::<BTreeSet<_>>().len(),
        "{}: a prompt is stored twice",
        database.name
    );

    let ran = lines(&folder.join("ran"));
    assert_eq!(ran.len(), ran.iter().collect::<BTreeSet<_>>().len(), "{}: a tool call ran twice", database.name);

    let jobs = database.store.jobs(&JobFilter::new(), u32::MAX).await.unwrap();
    let mut due: BTreeMap<String, usize> = BTreeMap::new();
    let mut connection = databases::connect(&database.url).await;
    let keys: Vec<String> =
        sqlx::query_scalar("SELECT dedup FROM hooks_jobs").fetch_all(&mut connection).await.unwrap();
    for key in &keys {
        *due.entry(key.rsplit_once(':').unwrap().0.to_owned()).or_default() += 1;
    }
    let folds = returned.iter().filter(|line| line.ends_with(" fold")).count();
    assert!(folds > 0, "{}: nothing was ever compacted", database.name);
    let appended = returned.iter().filter_map(|line| line.strip_suffix(" append"));
    let without: Vec<_> = appended.filter(|row| due.get(*row) != Some(&2)).collect();
    assert!(without.is_empty(), "{}: rows without their jobs: {without:?}", database.name);
    let orphans: Vec<_> = due.keys().filter(|row| !stored.contains_key(row.as_str())).collect();
    assert!(orphans.is_empty(), "{}: jobs without their row: {orphans:?}", database.name);
    println!(
        "{}: {what}, {} rows, {} returned, {folds} compactions, {} tool calls, {} jobs, {} turns answered",
        database.name,
        export.rows.len(),
        returned.len(),
        ran.len(),
        jobs.len(),
        lines(&folder.join("replies")).iter().filter(|reply| reply.contains(" Answered(")).count(),
    );
}
