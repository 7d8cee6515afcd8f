//! Promise 25 and invalid lines: errors in a recording are reported, and the rest is replayed.

use std::fmt::Write;

use crate::support::*;

#[tokio::test]
async fn invalid_lines_are_reported_and_the_rest_is_read() {
    let folder = Folder::new();
    let path = folder.path("month.jsonl");
    desk().record(&path, &month()).await;
    let mut text = std::fs::read_to_string(&path).unwrap();
    writeln!(text, "{{\"line\":\"dispatch\",\"kind\":\"a_kind_that_is_gone\",\"event\":{{}},\"subject\":null}}")
        .unwrap();
    writeln!(text, "{{\"line\":\"something_else\"}}\n").unwrap();
    writeln!(text, "{{\"line\":\"dropped\",\"count\":3}}").unwrap();
    let field = "{\"line\":\"dispatch\",\"kind\":\"turn_end\",\"a_field_of_tomorrow\":1,\"event\":";
    write!(text, "{field}").unwrap();
    std::fs::write(&path, text).unwrap();
    let report = desk().replay(&path).await;
    assert_eq!((report.replayed, report.failed, report.exit_code()), (7, 4, 3));
    let problems = report.problems.join("\n");
    for part in [
        "there is no kind `a_kind_that_is_gone`",
        "unknown variant `something_else`",
        "3 lines were dropped",
        "is incomplete",
    ] {
        assert!(problems.contains(part), "{part}: {problems}");
    }
}

#[tokio::test]
async fn a_recording_of_a_later_schema_is_rejected_at_its_header() {
    let text = "{\"line\":\"header\",\"schema\":99,\"program\":\"x\",\"written_by\":\"9.0.0\",\"started\":0,\"more\":1}\n{\"line\":\"new\"}\n";
    let found: Vec<_> = Reader::new(text.as_bytes()).map(|(_, line)| line.unwrap_err().to_string()).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("schema 99"), "{found:?}");
}

#[tokio::test]
async fn a_long_text_is_truncated_and_its_line_says_so() {
    let folder = Folder::new();
    let path = folder.path("month.jsonl");
    let long = Traffic::Found { tool: "read_mail", text: "é".repeat(20_000) };
    desk().record(&path, &[long]).await;
    let lines: Vec<RecordingLine> = Reader::open(&path).unwrap().map(|(_, line)| line.unwrap()).collect();
    let RecordingLine::Dispatch(line) = &lines[1] else { panic!("{lines:?}") };
    assert_eq!(line.marks, [hooks_replay::Mark::Cut]);
    let report = desk().replay(&path).await;
    assert_eq!((report.partly, report.groups.len()), (1, 0), "{report}");
}

#[tokio::test]
async fn a_full_file_is_rotated_and_the_oldest_is_removed() {
    let folder = Folder::new();
    let path = folder.path("month.jsonl");
    let mut limits = RecordLimits::default();
    (limits.file, limits.files) = (2_000, 2);
    let traffic: Vec<Traffic> = month().into_iter().cycle().take(40).collect();
    desk().record_within(&path, &traffic, limits).await;
    let names = ["month.jsonl", "month.jsonl.1", "month.jsonl.2", "month.jsonl.3"];
    assert_eq!(names.map(|name| folder.path(name).exists()), [true, true, true, false]);
    for name in &names[..3] {
        let lines: Vec<RecordingLine> =
            Reader::open(folder.path(name)).unwrap().map(|(_, line)| line.unwrap()).collect();
        assert!(matches!(lines[0], RecordingLine::Header(_)));
        assert!(std::fs::metadata(folder.path(name)).unwrap().len() < 4_000);
    }
}

/// A program that is restarted appends to the recording, whatever state it was left in.
#[tokio::test]
async fn a_recording_is_continued_after_an_incomplete_line() {
    let folder = Folder::new();
    let path = folder.path("month.jsonl");
    desk().record(&path, &month()).await;
    let mut text = std::fs::read_to_string(&path).unwrap();
    text.push_str("{\"line\":\"disp");
    std::fs::write(&path, text).unwrap();
    desk().record(&path, &month()).await;
    let report = desk().replay(&path).await;
    assert_eq!((report.replayed, report.failed, report.groups.len()), (14, 1, 0), "{report}");
}

/// A program that records may replay its recording, and an empty file is not a success.
#[tokio::test]
async fn a_replay_is_not_recorded_and_an_empty_file_is_not_a_success() {
    let folder = Folder::new();
    let path = folder.path("month.jsonl");
    desk().record(&path, &month()).await;
    let registry = desk().registry();
    registry.observe(Recorder::create(&path, "support", RecordLimits::default()).unwrap());
    let report = Replay::new(&registry, |registry, _ids| Hooks::scope(registry)).file(&path).await.unwrap();
    assert_eq!((report.replayed, report.exit_code()), (7, 0), "{report}");
    drop(registry);
    assert_eq!(desk().replay(&path).await.replayed, 7);
    let empty = folder.path("empty.jsonl");
    std::fs::write(&empty, "").unwrap();
    assert_eq!(desk().replay(&empty).await.exit_code(), 3);
}

#[tokio::test]
async fn a_recording_whose_first_line_is_damaged_is_still_read_as_a_recording() {
    let folder = Folder::new();
    let path = folder.path("month.jsonl");
    desk().record(&path, &month()).await;
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replacen('"', "~", 1)).unwrap();
    let report = desk().replay(&path).await;
    assert_eq!((report.replayed, report.failed, report.groups.len()), (7, 1, 0), "{report}");
}

/// Nobody may read the log of the program.
#[cfg(target_os = "linux")]
#[test]
fn a_recorder_says_why_its_recording_is_incomplete() {
    let recorder = Recorder::create("/dev/full", "desk", RecordLimits::default()).unwrap();
    let why = recorder.failure().unwrap();
    assert!(why.starts_with("/dev/full: No space left"), "{why}");
    let folder = Folder::new();
    let recorder = Recorder::create(folder.path("month.jsonl"), "desk", RecordLimits::default()).unwrap();
    recorder.flush();
    assert_eq!(recorder.failure(), None);
}

/// A recording of a later version is left out as a whole, and one that follows it is read.
#[tokio::test]
async fn the_lines_of_a_later_version_are_counted_and_no_others() {
    let folder = Folder::new();
    let path = folder.path("month.jsonl");
    desk().record(&path, &month()).await;
    let text = std::fs::read_to_string(&path).unwrap();
    let later = text.replacen("\"schema\":2", "\"schema\":3", 1);
    let count = text.lines().count();
    for (content, replayed) in [(later.clone(), 0), (text.clone() + &later, 7), (later.clone() + &text, 7)] {
        std::fs::write(&path, content).unwrap();
        let report = desk().replay(&path).await;
        assert_eq!((report.replayed, report.failed, report.exit_code()), (replayed, 1, 3), "{report}");
        assert!(report.problems[0].contains(&format!("so {count} lines were left out")), "{report}");
        let mut gaps = hooks_replay::Gaps::default();
        for (_, read) in Reader::open(&path).unwrap() {
            gaps.note(&read);
        }
        assert_eq!((gaps.later, gaps.unreadable), (count, 0), "{gaps}");
        assert!(gaps.to_string().contains(&format!("{count} lines left out: a later version wrote them")), "{gaps}");
    }
}

#[tokio::test]
async fn a_file_without_traffic_is_one_problem() {
    let folder = Folder::new();
    let path = folder.path("guard.json");
    for text in [
        "{\n  \"hooks\": {\n    \"Stop\": [\n{ \"hooks\": [] }\n]\n}\n}\n",
        "# A page\n\nof text\n",
        "[\n{\"role\": \"user\"}\n]\n",
    ] {
        std::fs::write(&path, text).unwrap();
        let report = desk().replay(&path).await;
        assert_eq!((report.replayed, report.failed, report.exit_code()), (0, 1, 3), "{report}");
        assert!(report.problems[0].contains("one JSON object per line"), "{report}");
    }
}

/// What pages and exports read besides the payload.
#[tokio::test]
async fn a_line_has_the_time_the_stages_the_notes_and_the_rules_of_its_dispatch() {
    use hook_sdk::verdict::{Attribution, Denial};

    let (folder, registry) = (Folder::new(), Registry::empty());
    let path = folder.path("month.jsonl");
    let rule = Attribution::new(hook_sdk::HookId::named("no_rm").unwrap()).file("rules.json", 4).plugin("guards");
    let by_rule = rule.clone();
    let denies = move |_: &HookContext, _: &BeforeToolCall, _: &ToolInput| {
        Permission::Deny(Box::new(Denial::new("no").attributed_to(by_rule.clone())))
    };
    let tries = |_: &HookContext, _: &BeforeToolCall, _: &ToolInput| Permission::deny("perhaps");
    registry
        .register(Hook::at::<BeforeToolCall>("tries").reader(tries).mode(hook_sdk::hook::HookMode::Shadow))
        .unwrap();
    registry.register(Hook::at::<BeforeToolCall>("denies").reader(denies)).unwrap();
    let recorder = Recorder::create(&path, "desk", RecordLimits::default()).unwrap();
    registry.observe(recorder.clone());
    let hooks = registry.scope(&AgentDef::new("support").hooks(["tries", "denies"]), None).unwrap();
    let now = || u64::try_from(std::time::UNIX_EPOCH.elapsed().unwrap().as_micros()).unwrap();
    let (before, call) = (now(), ToolCall::new("1", "Bash", json!({ "command": "rm" })));
    let event = BeforeToolCall::new(call.clone());
    let _ = hooks.fire(&HookContext::new(), &event, call.input).await.unwrap();
    let after = now();
    recorder.flush();
    let line = Reader::open(&path).unwrap().find_map(|(_, line)| match line.unwrap() {
        RecordingLine::Dispatch(line) => Some(line),
        _ => None,
    });
    let line = line.unwrap();
    assert!(before <= line.at && line.at + line.micros <= after, "{before} {line:?} {after}");
    let Some([tries, denies]) = line.runs.as_deref() else { panic!("{line:?}") };
    assert_eq!((tries.note.as_deref(), tries.shadow, tries.word.as_deref()), (Some("shadow"), true, Some("deny")));
    assert_eq!((denies.note.as_deref(), denies.attribution.as_deref()), (None, Some(&rule)));
    assert!(tries.stage.is_some() && denies.stage.is_some() && denies.micros.is_some(), "{line:?}");
}
