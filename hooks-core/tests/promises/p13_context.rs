//! Promise 13: detached and background hooks receive the same ids of turn and conversation as inline hooks.

use std::sync::{Arc, Mutex};

use hook_sdk::context::Ids;
use hook_sdk::record::{OnEnd, RunEnd};
use hook_sdk::worker::Worker;

use super::detached_support::*;
use super::support::*;

/// A context in which every field is set.
fn full() -> HookContext {
    HookContext::builder()
        .app("desk")
        .app_version("1.2")
        .agent("refunds")
        .agent_path(["support"])
        .prompt("terse")
        .session("s-1")
        .conversation("c-1")
        .turn(3)
        .request("r-1")
        .message("m-1")
        .call_site("title")
        .workspace("/work")
        .human_present(true)
        .keep_records(true)
        .build()
}

/// The names of all fields, as the derived `Debug` prints them.
fn fields(ids: &Ids) -> Vec<String> {
    let shown = format!("{ids:#?}");
    let names = shown.lines().filter_map(|line| line.strip_prefix("    ")?.split_once(": "));
    names.map(|(name, _)| name.to_owned()).filter(|name| !name.starts_with(' ')).collect()
}

#[test]
fn the_context_of_these_tests_sets_every_field() {
    let written = serde_json::to_value(&**full().ids()).unwrap();
    let nothing = serde_json::to_value(Ids::default()).unwrap();
    let names = fields(full().ids());
    assert!(names.len() >= 11, "{names:?}");
    for name in names {
        assert!(written.get(&name).is_some(), "`full` does not set `{name}`, or it is not serialised");
        assert_ne!(written.get(&name), nothing.get(&name), "`full` does not set `{name}`");
    }
}

#[tokio::test(start_paused = true)]
async fn hooks_of_every_run_mode_records_notices_and_jobs_have_the_same_ids() {
    let seen: Arc<Mutex<Vec<(&str, Ids)>>> = Arc::default();
    let note = |of: &'static str| {
        let seen = Arc::clone(&seen);
        move |cx: &HookContext| seen.lock().unwrap().push((of, Ids::clone(cx.ids())))
    };
    let (inline, detached, background, of_record, of_end) =
        (note("inline"), note("detached"), note("background"), Arc::clone(&seen), Arc::clone(&seen));
    let registry = registry([
        Hook::at::<SeenOften>("inline").reader(move |cx, _, ()| inline(cx)),
        Hook::at::<SeenOften>("detached").detached(move |cx, _, ()| {
            detached(cx);
            later(0, ())
        }),
        Hook::at::<SeenOften>("background").background(move |cx, _, ()| {
            background(cx);
            later(0, ())
        }),
    ]);
    registry.observe(move |record: &hook_sdk::record::Record| {
        of_record.lock().unwrap().push(("record", Ids::clone(&record.ids)));
    });
    registry.observe(OnEnd(move |ended: &RunEnd, _: &Contributions| {
        of_end.lock().unwrap().push(("end", Ids::clone(&ended.ids)));
    }));
    Worker::new().start(&registry).unwrap();
    let ids = ["inline", "detached", "background"];
    let _ = scope(&registry, &ids).fire(&full(), &SeenOften {}, ()).await.unwrap();
    registry.drain(SOON).await;
    // A queue for another process serialises the job.
    let lines = Lines::default();
    registry.set_background(lines.clone());
    let _ = scope(&registry, &["background"]).fire(&full(), &SeenOften {}, ()).await.unwrap();
    let job = lines.jobs().remove(0);
    let _ = registry.run_job(&HookContext::new(), &job).await.unwrap();

    let seen = seen.lock().unwrap();
    let mut places: Vec<&str> = seen.iter().map(|(of, _)| *of).collect();
    places.sort_unstable();
    let expected = ["background", "background", "detached", "end", "end", "end", "inline", "record", "record"];
    assert_eq!(places, expected);
    for (of, ids) in seen.iter() {
        assert_eq!(ids, &**full().ids(), "{of}");
    }
}
