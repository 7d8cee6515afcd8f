//! A report is bounded, and shows nothing that a recording would not contain.

use crate::support::*;

/// A reason that contains an id is different each time.
#[tokio::test]
async fn many_different_reasons_do_not_make_a_long_report() {
    let folder = Folder::new();
    let path = folder.path("month.jsonl");
    let traffic: Vec<_> =
        (0..500).map(|cents| Traffic::Call { tool: "refund", input: json!({ "cents": cents }) }).collect();
    Hooks::default().with(Hook::at::<BeforeToolCall>("reads").reader(|_, _, _| ())).record(&path, &traffic).await;
    let names = Hook::at::<BeforeToolCall>("names_it")
        .reader(|_, _, input: &ToolInput| Permission::deny(format!("no refund of {}", input["cents"])));
    let report = Hooks::default().with(names).replay(&path).await;
    let flips: Vec<_> = report.groups.iter().filter(|group| group.flip.is_some()).collect();
    assert_eq!(flips.iter().map(|group| group.count).sum::<usize>(), 500);
    assert_eq!(flips.len(), 21, "{report}");
    assert_eq!((flips[0].count, flips[0].title.as_str()), (480, "none → deny: for other reasons"));
}

#[tokio::test]
async fn omitted_problems_are_counted_in_every_format() {
    let folder = Folder::new();
    let path = folder.path("month.jsonl");
    desk().record(&path, &month()).await;
    let mut text = std::fs::read_to_string(&path).unwrap();
    text.push_str(&"{\"line\":\"dispatch\",\"kind\":\"a_kind_that_is_gone\"}\n".repeat(50));
    std::fs::write(&path, text).unwrap();
    let report = desk().replay(&path).await;
    assert_eq!((report.failed, report.problems.len()), (50, 20));
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["failed"], 50);
    for page in [report.to_string(), report.to_html(), report.to_github()] {
        assert!(page.contains("and 30 more"), "{page}");
    }
}

/// A replay redacts with the recorder's own rules too, and truncates where the recording was truncated.
#[tokio::test]
async fn a_replay_redacts_and_truncates_like_the_recorder() {
    let rules = || -> Vec<hooks_replay::OwnRule> {
        vec![Box::new(|text: &str| text.contains("PUFFIN").then(|| text.replace("PUFFIN", "[member]")))]
    };
    let folder = Folder::new();
    let path = folder.path("month.jsonl");
    // Adds to the result what the rules remove, and more than the limit.
    let adds = |more: &'static str| {
        Hook::at::<AfterToolCallSuccess>("adds").writer(move |_, _, result: &mut ToolResult| {
            result.add_context(format!("a PUFFIN {more}{}", "x".repeat(300)));
        })
    };
    let hooks = Hooks::default().with(adds(""));
    let mut limits = RecordLimits::default();
    limits.field = 100;
    let registry = hooks.registry();
    registry.observe(Recorder::with_rules(&path, "desk", limits, rules()).unwrap());
    let set = Hooks::scope(&registry).unwrap();
    month().last().unwrap().fire(&set, 1).await;
    drop((set, registry));
    assert!(!std::fs::read_to_string(&path).unwrap().contains("PUFFIN"));
    let replay = async |hooks: Hooks, rules| {
        let registry = hooks.registry();
        let replay = Replay::new(&registry, |registry, _ids| Hooks::scope(registry)).with_rules(rules);
        replay.file(&path).await.unwrap()
    };
    let report = replay(hooks.clone(), rules()).await;
    assert_eq!((report.groups.len(), report.partly), (0, 1), "{report}");
    let report = replay(Hooks::default().with(adds("twice ")), rules()).await;
    // The hook got the same, and made something else of it.
    assert_eq!(differences(&report), ["1 adds rewrites differently"]);
    assert_eq!((report.partly, report.uncertain), (1, 0), "{report}");
    assert!(!report.to_string().contains("PUFFIN") && !report.to_html().contains("PUFFIN"), "{report}");
}

/// Whatever the names in a recording are: an id of a hook is as foreign as a reason.
#[test]
fn no_text_of_a_recording_controls_a_terminal_or_begins_a_line() {
    const EVIL: &str = "x\u{1b}[2Jy\nfake line\u{9b}31m\u{202e}z";
    let folder = Folder::new();
    let runs = |word: &str, cause: &str| {
        json!([{ "hook": EVIL, "status": format!("failed {cause}"), "cause": format!("{EVIL}{cause}"), "word": word },
            { "hook": format!("{EVIL}{cause}"), "status": "completed", "word": word }])
    };
    let write = |name: &str, word: &str, cause: &str| {
        let call = json!({ "call": { "id": EVIL, "name": EVIL, "input": {} } });
        let line = json!({ "line": "dispatch", "kind": EVIL, "ids": { "conversation": EVIL }, "event": call,
            "subject": { "a": format!("\u{9b}{cause}") }, "runs": runs(word, cause), "word": word, "verdict": { "reason": cause } });
        let failed = json!({ "line": "dispatch", "kind": EVIL, "runs": [], "error": format!("{EVIL}{cause}") });
        std::fs::write(folder.path(name), format!("{line}\n{failed}\n")).unwrap();
    };
    write("main.jsonl", EVIL, "a");
    write("branch.jsonl", "deny", EVIL);
    let report = hooks_replay::diff(&[folder.path("main.jsonl")], folder.path("branch.jsonl")).unwrap();
    assert!(report.groups.len() >= 5, "{report}");
    for page in [report.to_string(), report.to_html(), report.to_github()] {
        assert!(!page.contains(['\u{1b}', '\u{9b}', '\u{202e}']), "{page:?}");
    }
    for page in [report.to_string(), report.to_github()] {
        assert!(!page.lines().any(|line| line.starts_with("fake")), "{page}");
    }
    let mut shadow = hooks_replay::ShadowReport::default();
    let run = json!([{ "hook": EVIL, "status": "completed", "shadow": true, "word": EVIL, "cause": EVIL }]);
    let line = json!({ "line": "dispatch", "kind": EVIL, "runs": run }).to_string();
    shadow.add(Reader::new(line.as_bytes()));
    let page = shadow.to_string();
    assert!(!page.contains(['\u{1b}', '\u{9b}', '\u{202e}',]) && !page.contains("\nfake"), "{page:?}");
}

/// Whoever reads only the annotations learns as much.
#[tokio::test]
async fn every_format_says_what_was_not_replayed_as_it_was() {
    let folder = Folder::new();
    let path = folder.path("month.jsonl");
    std::fs::write(&path, "").unwrap();
    let none = desk().replay(&path).await;
    let long = Traffic::Found { tool: "read_mail", text: "é".repeat(20_000) };
    desk().record(&path, &[long]).await;
    let partly = desk().replay(&path).await;
    for (report, note) in
        [(none, "there was nothing to replay"), (partly, "1 of the dispatches were recorded partially")]
    {
        for page in [report.to_string(), report.to_html(), report.to_github()] {
            assert!(page.contains(note), "{page}");
        }
    }
}

/// A week of which a part is missing is not a week.
#[test]
fn a_report_of_shadow_counts_what_ran_and_says_what_is_missing() {
    let of = |run: Value| {
        json!({ "line": "dispatch", "kind": "before_tool_call", "subject": {}, "runs": [run] }).to_string()
    };
    let run = |more: Value| {
        let mut run = json!({ "hook": "limit", "status": "completed", "shadow": true });
        run.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        of(run)
    };
    let lines = [
        run(json!({ "word": "deny" })),
        run(json!({ "change": [] })),
        run(json!({ "change": [{ "op": "add", "path": "/a", "value": 1 }] })),
        run(json!({ "status": "skipped: its filter did not match" })),
        json!({ "line": "dropped", "count": 5000 }).to_string(),
        json!({ "line": "full", "request": "r-1" }).to_string(),
    ];
    let mut report = hooks_replay::ShadowReport::default();
    report.add(Reader::new(lines[..4].join("\n").as_bytes()));
    assert_eq!((report.hooks[0].runs, report.hooks[0].changes, report.gaps.is_empty()), (3, 1, true), "{report}");
    report.add(Reader::new(lines[4..].join("\n").as_bytes()));
    let page = report.to_string();
    assert!(!report.gaps.is_empty(), "{page}");
    for part in ["`deny` 1 of 3 times", "5000 lines left out", "1 turn recorded in part"] {
        assert!(page.contains(part), "{part}: {page}");
    }
}
