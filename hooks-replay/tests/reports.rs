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
