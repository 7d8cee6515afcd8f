//! A clock that is set back by an hour while turns and workers run.

use std::process::Command;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::support::{Process, Random, lines, times, wait_until};
use crate::{databases, killed, workers};

/// The clock of all processes at once, set by a library that the loader puts before the system's.
#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_is_set_back_delays_no_job_and_ends_no_lease() {
    let kills = times("HOOKS_STORE_KILLS", 3);
    for database in databases::all().await {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_str().unwrap();
        let library = folder.path().join("clock.so");
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/clock.c");
        let built =
            Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).args([source, "-ldl"]).status().unwrap();
        assert!(built.success());
        let back = folder.path().join("back");
        let variables = [("LD_PRELOAD", library.to_str().unwrap()), ("FIXTURE_CLOCK_BACK", back.to_str().unwrap())];
        let start = |args: &[&str]| Process::with(args, &variables);
        let worker = || start(&["work", &database.url, path, "2", "forever"]);

        let mut conversation = start(&["converse", &database.url, path, "c", "1000000"]);
        let rows = |more: usize| {
            let before = lines(&folder.path().join("returned")).len();
            wait_until("turns go on", || lines(&folder.path().join("returned")).len() >= before + more);
        };
        // Jobs wait when the clock is set back, and when it is set forward again.
        rows(30);
        std::fs::write(&back, "").unwrap();
        rows(30);
        let mut killed = [worker(), worker()];
        let mut random = Random(5);
        for number in 0..kills {
            std::thread::sleep(Duration::from_millis(5 + random.below(60)));
            killed[number % 2].kill();
            killed[number % 2] = worker();
            if number == kills / 2 {
                std::fs::remove_file(&back).unwrap();
                rows(10);
                std::fs::write(&back, "").unwrap();
            }
        }
        conversation.kill();
        start(&["converse", &database.url, path, "c", "3"]).end();
        start(&["work", &database.url, path, "4"]).end();

        let what = format!("the clock was set back by an hour twice, {kills} kills");
        killed::check(&database, folder.path(), &what).await;
        workers::check(&database, folder.path(), &what).await;
        let failed: Vec<_> =
            lines(&folder.path().join("replies")).into_iter().filter(|reply| !reply.contains(" Answered(")).collect();
        assert!(failed.is_empty(), "{}: {failed:?}", database.name);
        let mut connection = databases::connect(&database.url).await;
        let queued = "SELECT MIN(created_at), MAX(created_at) FROM hooks_jobs";
        let (first, last): (i64, i64) = sqlx::query_as(queued).fetch_one(&mut connection).await.unwrap();
        assert!(last - first > 3_000_000, "{}: the clock was not set back", database.name);
        let now = i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap();
        assert!(now - last < 600_000, "{}: the clock was not set forward", database.name);
    }
}
