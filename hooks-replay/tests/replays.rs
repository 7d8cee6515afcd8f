//! A replay of an unchanged program has no differences, and one of a changed program names the hook.

use crate::support::*;

#[tokio::test]
async fn a_replay_of_an_unchanged_program_has_no_differences() {
    let folder = Folder::new();
    let path = folder.path("month.jsonl");
    desk().record(&path, &month()).await;
    let report = desk().replay(&path).await;
    assert!(report.is_empty(), "{report}");
    assert_eq!((report.replayed, report.exit_code()), (7, 0));
}

#[tokio::test]
async fn a_raised_limit_changes_verdicts() {
    let folder = Folder::new();
    let path = folder.path("month.jsonl");
    desk().record(&path, &month()).await;
    let report = desk().with(limit(6_000)).replay(&path).await;
    assert_eq!(
        differences(&report),
        [
            "1 refund_limit deny → allow: refunds over 5000 cents need a person",
            "1 refund_limit deny → deny: refunds over 6000 cents need a person"
        ]
    );
    assert_eq!(report.exit_code(), 2);
    assert!(report.to_string().contains("deny → allow"), "{report}");
}

#[tokio::test]
async fn a_removed_mask_is_reported_with_its_consequences() {
    let folder = Folder::new();
    let path = folder.path("month.jsonl");
    desk().record(&path, &month()).await;
    let report = desk().without("mask_mail").replay(&path).await;
    let rewrite = report.groups.iter().find(|group| group.title == "rewrites differently").unwrap();
    assert_eq!((rewrite.hook.as_deref(), rewrite.count), (Some("mask_mail"), 2));
    let Difference::Rewrite { followed, diff, .. } = &rewrite.examples[0].difference else { panic!("{report}") };
    assert_eq!(followed, &["leak_alarm"]);
    assert!(
        diff.contains("-      \"text\": \"ada@… wrote\"")
            && diff.contains("+      \"text\": \"ada@example.org wrote\""),
        "{diff}"
    );
    assert_eq!(report.exit_code(), 1);
}

#[tokio::test]
async fn a_hook_that_fails_now_is_reported_by_its_status() {
    let folder = Folder::new();
    let path = folder.path("month.jsonl");
    desk().record(&path, &month()).await;
    let failing = Hook::at::<AfterToolCallSuccess>("mask_mail")
        .writer(|_, _, _: &mut ToolResult| Err::<(), _>("the pattern is broken"));
    let report = desk().with(failing).replay(&path).await;
    assert!(differences(&report).contains(&"3 mask_mail completed → failed".to_owned()), "{report}");
    assert!(report.to_string().contains("the pattern is broken"));
}

#[tokio::test]
async fn a_changed_order_and_a_new_hook_are_reported() {
    let folder = Folder::new();
    let path = folder.path("month.jsonl");
    desk().record(&path, &month()).await;
    let first = leaks().priority(-100);
    let added = Hook::at::<BeforeToolCall>("counts_calls").reader(|_, _, _| ());
    let found = differences(&desk().with(first).with(added).replay(&path).await);
    assert!(
        found.contains(&"3 - order: mask_mail, mask_phone, leak_alarm → leak_alarm, mask_mail, mask_phone".to_owned()),
        "{found:#?}"
    );
    assert!(found.contains(&"4 counts_calls was added".to_owned()), "{found:#?}");
}

/// A recorder writes only dispatches that had hooks, so silence says nothing about a hook at another kind.
#[tokio::test]
async fn a_replay_names_the_hooks_that_it_could_not_try() {
    let folder = Folder::new();
    let path = folder.path("month.jsonl");
    desk().record(&path, &month()).await;
    let stops = |id: &'static str| Hook::at::<UserPromptSubmit>(id).reader(|_, _, _| PromptVerdict::block("closed"));
    let watches = Hook::at::<TurnEnd>("watches").reader(|_, _, ()| ());
    let report = desk().with(stops("stops")).with(watches).replay(&path).await;
    let named: Vec<_> = report.not_compared.iter().collect();
    assert_eq!(named, [(&"stops".to_owned(), &vec!["user_prompt_submit".to_owned()])], "an observer changes nothing");
    assert!(report.is_empty() && report.exit_code() == 0, "{report}");
    for page in [report.to_string(), report.to_html(), report.to_github()] {
        assert!(page.contains("stops") && page.contains("(user_prompt_submit)"), "{page}");
    }
    // One set of hooks is compared with another one of today.
    let (old, new) = (desk().registry(), desk().with(stops("other")).registry());
    let replay = Replay::new(&old, |registry, _ids| Hooks::scope(registry));
    let report = replay.candidate(&new, |registry, _ids| Hooks::scope(registry)).file(&path).await.unwrap();
    assert_eq!(report.not_compared.keys().collect::<Vec<_>>(), ["other"], "{report}");
    // If that is all there is, then nothing was tried.
    let (old, new) = (Hooks::default().registry(), Hooks::default().with(stops("only")).registry());
    let replay = Replay::new(&old, |registry, _ids| Hooks::scope(registry));
    let report = replay.candidate(&new, |registry, _ids| Hooks::scope(registry)).file(&path).await.unwrap();
    assert!(report.replayed > 0 && report.exit_code() == 3, "{report}");
}

/// "0 differ" is not "would have denied nothing".
#[tokio::test]
async fn a_new_hook_that_selects_nothing_is_named() {
    let folder = Folder::new();
    let path = folder.path("month.jsonl");
    desk().record(&path, &month()).await;
    let no_refunds =
        |tool| Hook::at::<BeforeToolCall>("no_refunds").reader(|_, _, _| Permission::deny("no")).only("tool", tool);
    let report = desk().with(no_refunds("refnud")).replay(&path).await;
    assert_eq!(report.ran_for_none.iter().collect::<Vec<_>>(), [(&"no_refunds".to_owned(), &4)]);
    assert_eq!((report.differing, report.exit_code(), report.kinds["before_tool_call"]), (0, 1, 4), "{report}");
    for page in [report.to_string(), report.to_html(), report.to_github()] {
        assert!(page.contains("`no_refunds` ran for none of 4 dispatches"), "{page}");
    }
    let (old, new) = (desk().registry(), desk().with(no_refunds("refnud")).registry());
    let replay = Replay::new(&old, |registry, _ids| Hooks::scope(registry));
    let report = replay.candidate(&new, |registry, _ids| Hooks::scope(registry)).file(&path).await.unwrap();
    assert_eq!(report.ran_for_none.len(), 1, "{report}");
    // One that was recorded says nothing new, and one that ran has been tried.
    let known = desk().with(no_refunds("refnud"));
    known.record(&folder.path("known.jsonl"), &month()).await;
    assert!(known.replay(&folder.path("known.jsonl")).await.ran_for_none.is_empty());
    assert!(desk().with(no_refunds("refund")).replay(&path).await.ran_for_none.is_empty());
}

/// A hook more or less is told once, and is none of the dispatches that differ; where others are is told completely.
#[tokio::test]
async fn hooks_that_only_one_side_has_are_listed_apart() {
    let folder = Folder::new();
    let path = folder.path("month.jsonl");
    desk().record(&path, &month()).await;
    let counts = Hook::at::<BeforeToolCall>("counts_calls").reader(|_, _, _| ());
    let report = desk().with(counts).without("leak_alarm").replay(&path).await;
    assert_eq!((report.differing, report.exit_code()), (0, 1), "{report}");
    let text = report.to_string();
    let (apart, gone) = (text.find("hooks that only one of both has:").unwrap(), text.find("was removed").unwrap());
    assert!(text.starts_with("7 dispatches replayed, 0 differ\n") && apart < gone, "{text}");
    let report = desk().with(limit(1)).replay(&path).await;
    let places: usize = report.groups.iter().map(|group| group.places.len()).sum();
    assert_eq!((report.differing, places), (4, 4), "{report}");
}

/// A replay does not access external systems, whatever hooks are in force.
#[tokio::test]
async fn detached_and_background_runs_are_listed_and_not_started() {
    let folder = Folder::new();
    let path = folder.path("month.jsonl");
    let started = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let count = std::sync::Arc::clone(&started);
    let mails = Hook::at::<BeforeToolCall>("mails_a_person").detached(move |_, _, _| {
        let count = std::sync::Arc::clone(&count);
        Box::pin(async move {
            count.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        })
    });
    let hooks = desk().with(mails);
    hooks.record(&path, &month()).await;
    tokio::task::yield_now().await;
    let then = started.load(std::sync::atomic::Ordering::SeqCst);
    assert_eq!(then, 4);
    let report = hooks.replay(&path).await;
    tokio::task::yield_now().await;
    assert_eq!(started.load(std::sync::atomic::Ordering::SeqCst), then);
    assert!(report.is_empty(), "{report}");
    assert_eq!(report.not_started.get("mails_a_person"), Some(&4));
}

/// Traffic with a guard in shadow mode, and the same guard in force with the same traffic.
#[tokio::test]
async fn a_guard_in_shadow_predicts_its_denials() {
    let folder = Folder::new();
    let path = folder.path("month.jsonl");
    let guard = || limit(5_000).mode(hook_sdk::hook::HookMode::Shadow);
    let drops = || mask("mask_mail", "@example.org", "@…").mode(hook_sdk::hook::HookMode::Shadow);
    desk().with(guard()).with(drops()).record(&path, &month()).await;
    let mut shadow = hooks_replay::ShadowReport::default();
    shadow.add(Reader::open(&path).unwrap());
    let [limit, mask] = &shadow.hooks[..] else { panic!("{shadow}") };
    assert_eq!((limit.runs, limit.decisions["deny"].values().sum::<usize>()), (4, 2));
    assert_eq!((mask.runs, mask.changes), (3, 2));
    assert!(shadow.to_string().contains("would have decided `deny` 2 of 4 times"), "{shadow}");

    assert!(desk().with(guard()).with(drops()).replay(&path).await.is_empty());
    let enforced = desk().with(drops()).replay(&path).await;
    let denies = enforced.groups.iter().filter(|group| group.flip.as_ref().is_some_and(|flip| flip.to == "deny"));
    assert_eq!(denies.map(|group| group.count).sum::<usize>(), 2, "{enforced}");
}

#[tokio::test]
async fn recorded_text_is_escaped_in_html_and_annotations() {
    let folder = Folder::new();
    let path = folder.path("month.jsonl");
    let evil =
        Traffic::Found { tool: "read_mail", text: "<script>alert(1)</script> ada@example.org\n::error::x".to_owned() };
    desk().record(&path, &[evil]).await;
    let report = desk().without("mask_mail").replay(&path).await;
    let page = report.to_html();
    assert!(page.contains("&lt;script&gt;") && !page.contains("<script>"), "{page}");
    assert!(report.to_github().lines().all(|line| line.starts_with("::warning title=")), "{}", report.to_github());
}

/// Without the hook, the result of the dispatch is unknown, so it is not compared.
#[tokio::test]
async fn a_dispatch_with_a_skipped_hook_is_not_compared() {
    use hook_sdk::hook::OnReplay;

    let folder = Folder::new();
    let path = folder.path("month.jsonl");
    let asks = limit(5_000).on_replay(OnReplay::Skip);
    let hooks = desk().with(asks);
    hooks.record(&path, &month()).await;
    let report = hooks.replay(&path).await;
    assert!(report.is_empty(), "{report}");
    assert_eq!((report.replayed, report.unanswered), (7, 4));
    let asked = |line: &&str| line.contains("\"kind\":\"before_tool_call\"") && line.contains("refund_limit");
    let text = std::fs::read_to_string(&path).unwrap();
    let lines = text.lines().enumerate().filter(|(_, line)| asked(line));
    let places: Vec<_> = lines.map(|(at, _)| format!("{}:{}", path.display(), at + 1)).collect();
    assert_eq!(report.left_out, places);
    assert_eq!(report.not_started.get("refund_limit"), Some(&4));
    assert!(report.to_string().contains("4 of the dispatches were not compared"), "{report}");
}

/// Differences without an effect on the traffic are reported too.
#[tokio::test]
async fn changed_options_of_a_hook_are_reported() {
    let folder = Folder::new();
    let path = folder.path("month.jsonl");
    desk().record(&path, &month()).await;
    let report = desk().with(limit(5_000).on_failure(OnFailure::Required)).replay(&path).await;
    assert_eq!(differences(&report), ["4 refund_limit has other options, filters, parameters or rules"]);
    let report = desk().with(limit(5_000).only("tool", "refund|transfer")).replay(&path).await;
    assert_eq!(differences(&report), ["4 refund_limit has other options, filters, parameters or rules"]);
    assert_eq!(report.exit_code(), 1);
}

/// The command line looks for the files of a folder. In code, an app has to name them.
#[tokio::test]
async fn a_folder_is_an_error_that_says_so() {
    let folder = Folder::new();
    let registry = Registry::empty();
    let replay = Replay::new(&registry, |registry, _ids| registry.scope(&AgentDef::new("support"), None));
    let error = replay.file(folder.path("")).await.unwrap_err().to_string();
    assert!(error.contains("this is a folder; name the files in it"), "{error}");
}
