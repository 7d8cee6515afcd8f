//! Messages and long values are written once. Lines refer to them.

use hook_sdk::data::{Message, Messages, Role};
use hooks_replay::Mark;

use crate::support::*;

/// A hook that gets conversations.
fn reads() -> Hooks {
    Hooks::default()
        .with(Hook::at::<UserPromptSubmit>("reads").reader(|_, _, _| ()))
        .with(mask("mask_mail", "@example.org", "@…"))
        .with(Hook::at::<FilterMessages>("forgets").writer(|_, _, messages: &mut Messages| {
            messages.retain(|message| !message.text().contains("forget"));
        }))
}

/// Message number `n` of a conversation.
fn message(n: usize) -> Message {
    let text =
        if n % 5 == 4 { format!("forget {n}") } else { format!("this is message {n} ") + &"of many ".repeat(40) };
    Message::new(if n.is_multiple_of(2) { Role::User } else { Role::Assistant }, text)
}

/// A growing conversation: each turn is fired with all messages so far.
async fn converse(hooks: &Hooks, path: &std::path::Path, turns: usize, limits: RecordLimits) {
    let registry = hooks.registry();
    registry.observe(Recorder::create(path, "support", limits).unwrap());
    let set = Hooks::scope(&registry).unwrap();
    let mut history = Messages::default();
    for turn in 0..turns {
        history.push(message(turn));
        let cx = HookContext::builder().agent("support").conversation("c-1").turn(turn as u64).build();
        let fired = set.fire(&cx, &FilterMessages::new(), history.clone()).await.unwrap();
        let event = UserPromptSubmit::new("and now?", history.clone());
        let _ = set.fire(&cx, &event, fired.subject).await.unwrap();
    }
}

fn text(path: &std::path::Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

#[tokio::test]
async fn each_message_of_a_conversation_is_written_once() {
    let folder = Folder::new();
    let path = folder.path("month.jsonl");
    converse(&reads(), &path, 40, RecordLimits::default()).await;
    let written = text(&path);
    for n in [0, 17, 39] {
        let said = format!("{} ", message(n).text().split(" of").next().unwrap());
        assert_eq!(written.matches(said.trim_end()).count(), 1, "{said}");
    }
    let report = reads().replay(&path).await;
    assert_eq!((report.replayed, report.exit_code()), (80, 0), "{report}");
    // The public reader resolves all references.
    let lines: Vec<RecordingLine> = Reader::open(&path).unwrap().map(|(_, line)| line.unwrap()).collect();
    let RecordingLine::Dispatch(last) = &lines[80] else { panic!("{lines:?}") };
    assert_eq!(last.event["original"][0], serde_json::to_value(message(0)).unwrap());
    assert_eq!(last.subject.as_array().unwrap().len(), 32);
    assert!(lines.iter().all(|line| !matches!(line, RecordingLine::Message(_) | RecordingLine::Value(_))));
    // Differences are shown with resolved texts.
    let report = reads().without("forgets").replay(&path).await;
    assert!(differences(&report).contains(&"36 forgets rewrites differently".to_owned()), "{report}");
    assert!(report.to_string().contains("forget 4"), "{report}");
    assert!(!report.to_string().contains("$message:"), "{report}");
}

/// Each of several rotated files is complete, even without the first one.
#[tokio::test]
async fn each_rotated_file_is_complete() {
    let folder = Folder::new();
    let path = folder.path("month.jsonl");
    let mut limits = RecordLimits::default();
    (limits.file, limits.files) = (8_000, 3);
    converse(&reads(), &path, 60, limits).await;
    for name in ["month.jsonl", "month.jsonl.1", "month.jsonl.2", "month.jsonl.3"] {
        let report = reads().replay(&folder.path(name)).await;
        assert_eq!(report.exit_code(), 0, "{name}: {report}");
        assert!(report.replayed > 0, "{name}: {report}");
    }
}

#[tokio::test]
async fn a_line_whose_message_is_missing_is_reported_and_the_rest_is_read() {
    let folder = Folder::new();
    let path = folder.path("month.jsonl");
    converse(&reads(), &path, 6, RecordLimits::default()).await;
    let written = text(&path);
    let mut lines: Vec<&str> = written.lines().collect();
    let torn = lines.iter().rposition(|line| line.starts_with("{\"line\":\"message\"")).unwrap();
    lines[torn] = &lines[torn][..40];
    std::fs::write(&path, lines.join("\n") + "\n").unwrap();
    let report = reads().replay(&path).await;
    // The incomplete line, and the two dispatches that refer to its message.
    assert_eq!((report.replayed, report.failed, report.groups.len()), (10, 3, 0), "{report}");
    assert_eq!(report.left_out.len(), 3, "{:?}", report.left_out);
    assert!(report.to_string().contains("which is not in the recording"), "{report}");
    assert_eq!(Reader::open(&path).unwrap().filter(|(_, line)| line.is_err()).count(), 3);
}

/// The distance of references is limited equally for reader and writer.
#[tokio::test]
async fn a_conversation_of_any_length_is_recorded_and_replayed() {
    let folder = Folder::new();
    let path = folder.path("month.jsonl");
    let hooks = reads();
    let registry = hooks.registry();
    registry.observe(Recorder::create(&path, "support", RecordLimits::default()).unwrap());
    let set = Hooks::scope(&registry).unwrap();
    let history: Messages =
        (0..10_000).map(|n| Message::new(Role::User, format!("message {n}"))).collect::<Vec<_>>().into();
    for _ in 0..2 {
        let _ = set.fire(&HookContext::new(), &FilterMessages::new(), history.clone()).await.unwrap();
    }
    drop((set, registry));
    let report = hooks.replay(&path).await;
    assert_eq!((report.replayed, report.exit_code()), (2, 0), "{report}");
    assert_eq!(text(&path).matches("message 77 ").count() + text(&path).matches("message 77\"").count(), 1);
}

/// Text of a model or a person is never taken for a reference, whatever it looks like.
#[tokio::test]
async fn recorded_text_is_never_read_as_a_reference() {
    let folder = Folder::new();
    let path = folder.path("month.jsonl");
    converse(&reads(), &path, 3, RecordLimits::default()).await;
    let written = text(&path);
    let id = written.split("\"line\":\"message\",\"id\":\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let inputs = [
        json!({"cmd": format!("$message:{id}"), "rm": true}),
        json!([format!("$$message:{id}"), format!("$value:{id}"), ["$$$value:", "$message:", "$other:x", "$$", ""]]),
        json!("$message:0000000000000000"),
    ];
    let sees = Hook::at::<BeforeToolCall>("sees").reader(|_, event: &BeforeToolCall, input: &ToolInput| {
        if event.call.input == *input { Permission::deny(input.text().into_owned()) } else { Permission::Allow }
    });
    let hooks = reads().with(sees);
    let traffic: Vec<_> = inputs.iter().map(|input| Traffic::Call { tool: "t", input: input.clone() }).collect();
    hooks.record(&path, &traffic).await;
    let report = hooks.replay(&path).await;
    assert_eq!((report.replayed, report.exit_code()), (9, 0), "{report}");
    let lines = Reader::open(&path).unwrap().filter_map(|(_, line)| line.ok());
    let read: Vec<Value> = lines
        .filter_map(|line| if let RecordingLine::Dispatch(line) = line { Some(line) } else { None })
        .filter(|line| line.kind == "before_tool_call")
        .map(|line| {
            assert_eq!(line.event["call"]["input"], line.subject);
            line.subject
        })
        .collect();
    assert_eq!(read, inputs);
}

/// A recording in the previous format has messages in each line.
#[tokio::test]
async fn a_recording_with_messages_in_its_lines_is_read() {
    let folder = Folder::new();
    let path = folder.path("month.jsonl");
    converse(&reads(), &path, 12, RecordLimits::default()).await;
    let whole: Vec<String> = Reader::open(&path)
        .unwrap()
        .map(|(_, line)| match line.unwrap() {
            RecordingLine::Header(header) => {
                serde_json::to_string(&RecordingLine::Header(header)).unwrap().replace("\"schema\":2", "\"schema\":1")
            }
            line => serde_json::to_string(&line).unwrap(),
        })
        .collect();
    assert!(whole[0].contains("\"schema\":1"), "{}", whole[0]);
    std::fs::write(&path, whole.join("\n") + "\n").unwrap();
    let report = reads().replay(&path).await;
    assert_eq!((report.replayed, report.exit_code()), (24, 0), "{report}");
    let report = reads().without("forgets").replay(&path).await;
    assert!(differences(&report).contains(&"8 forgets rewrites differently".to_owned()), "{report}");
}

/// A secret in a message is redacted where the message is written, and each line that refers to it is marked.
#[tokio::test]
async fn a_line_is_marked_if_a_message_that_it_refers_to_was_redacted() {
    let folder = Folder::new();
    let path = folder.path("month.jsonl");
    let hooks = reads();
    let registry = hooks.registry();
    registry.observe(Recorder::create(&path, "support", RecordLimits::default()).unwrap());
    let set = Hooks::scope(&registry).unwrap();
    let secret = concat!("ghp", "_Zq81mXp0Lv7Ns2Rt9cBd3Fg5Hj6KwAbCdEfG");
    let said = |text: &str| Message::new(Role::User, text);
    let history: Messages =
        vec![said("hello"), said(&format!("my token is {secret}")), said(&"x".repeat(20_000))].into();
    for history in [history.clone(), history, vec![said("hello")].into()] {
        let _ = set.fire(&HookContext::new(), &FilterMessages::new(), history).await.unwrap();
    }
    drop((set, registry));
    assert!(!text(&path).contains(secret));
    let lines = Reader::open(&path).unwrap().filter_map(|(_, line)| {
        if let RecordingLine::Dispatch(line) = line.unwrap() { Some(line.marks) } else { None }
    });
    assert_eq!(lines.collect::<Vec<_>>(), [vec![Mark::Cut, Mark::Redacted], vec![Mark::Cut, Mark::Redacted], vec![]]);
    let report = hooks.replay(&path).await;
    assert_eq!((report.replayed, report.partly, report.exit_code()), (3, 2, 0), "{report}");
}
