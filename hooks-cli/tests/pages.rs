//! `hooks report` and `hooks export --otlp`: a recording as a page, and for OpenTelemetry.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Said, hooks, program};

/// A recorded denial, in a turn that called a tool.
pub(crate) fn recording(folder: &Path) {
    let ids = json!({ "conversation": "c-1", "agent": "clerk", "request": "r-1", "turn": 1 });
    let run = json!({ "hook": "guard", "status": "completed", "word": "deny", "stage": 0, "micros": 3 });
    let call = json!({ "id": "t1", "name": "Bash", "input": { "command": "rm -rf /" } });
    let lines = [
        json!({ "line": "header", "schema": 2, "program": "desk", "written_by": "0.1.0", "started": 1 }),
        json!({ "line": "dispatch", "kind": "before_tool_call", "ids": ids, "event": { "call": call },
            "subject": { "command": "rm -rf /" }, "runs": [run], "word": "deny", "at": 1_700_000_000_000_010_u64, "micros": 5 }),
        json!({ "line": "turn", "ids": ids, "exit": "no_tool_calls", "reply": "no", "at": 1_700_000_000_000_000_u64,
            "micros": 90, "usage": { "input": 7, "output": 2 } }),
    ];
    let text: Vec<_> = lines.iter().map(Value::to_string).collect();
    fs::write(folder.join("traffic.jsonl"), text.join("\n") + "\n").unwrap();
    let deny = r#"{"type": "command", "command": "echo 'not that' >&2; exit 2"}"#;
    let rules = format!(r#"{{"hooks": {{"PreToolUse": [{{"matcher": "Bash", "hooks": [{deny}]}}]}}}}"#);
    fs::write(folder.join("rules.json"), rules).unwrap();
}

/// What the page knows besides the lines.
fn about(page: &str) -> Value {
    let about = page.split("id=\"about\">").nth(1).unwrap().split("</script>").next().unwrap();
    serde_json::from_str(about).unwrap()
}

#[test]
fn a_recording_becomes_otlp() {
    let folder = tempfile::tempdir().unwrap();
    recording(folder.path());
    let said = hooks(folder.path(), &["export", "--otlp", "traffic.jsonl"]);
    assert_eq!((said.code, said.err.trim()), (Some(0), "3 spans written"), "{}", said.out);
    let spans = said.json()["resourceSpans"][0]["scopeSpans"][0]["spans"].clone();
    let names: Vec<_> = spans.as_array().unwrap().iter().map(|span| span["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["invoke_agent clerk", "hook before_tool_call", "run_guardrail guard"]);
    assert!(!said.out.contains("rm -rf"), "a payload was exported");

    let to_file = hooks(folder.path(), &["export", "--otlp", "traffic.jsonl", "-o", "spans.json"]);
    assert_eq!((to_file.code, to_file.out.as_str()), (Some(0), ""));
    assert_eq!(fs::read_to_string(folder.path().join("spans.json")).unwrap(), said.out);
    // What other programs call the standard output.
    assert_eq!(hooks(folder.path(), &["export", "--otlp", "traffic.jsonl", "-o", "-"]).out, said.out);
    let page = hooks(folder.path(), &["report", "traffic.jsonl", "-o", "-"]);
    assert!(page.code == Some(0) && page.out.starts_with("<!doctype html>") && page.err.is_empty(), "{}", page.err);
    assert!(!folder.path().join("-").exists());
}

/// Nobody may ever write to it.
#[cfg(unix)]
#[test]
fn a_recording_that_is_a_pipe_is_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let made = std::process::Command::new("mkfifo").arg(folder.path().join("pipe.jsonl")).status().unwrap();
    assert!(made.success());
    for command in [
        &["report", "pipe.jsonl", "-o", "page.html"][..],
        &["replay", "pipe.jsonl"],
        &["export", "--otlp", "pipe.jsonl"],
        &["inspect", "--recording", "pipe.jsonl"],
    ] {
        let said = hooks(folder.path(), command);
        assert!(said.code == Some(64) && said.err.contains("is a pipe"), "{command:?}: {:?} {}", said.code, said.err);
    }
    recording(folder.path());
    for command in [
        &["replay", "traffic.jsonl", "--against", "pipe.jsonl"][..],
        &["replay", "traffic.jsonl", "--set", "pipe.jsonl"],
        &["replay", "traffic.jsonl", "--trust-file", "pipe.jsonl"],
        &["replay", "traffic.jsonl", "--html", "pipe.jsonl"],
        &["report", "traffic.jsonl", "-o", "pipe.jsonl"],
        &["report", "traffic.jsonl", "--store", "pipe.jsonl", "-o", "page.html"],
        &["inspect", "--store", "pipe.jsonl"],
        &["export", "--otlp", "traffic.jsonl", "-o", "pipe.jsonl"],
        &["store", "runs", "--store", "pipe.jsonl"],
        &["store", "import", "--store", "agent.db", "--conversation", "c", "pipe.jsonl"],
    ] {
        let said = hooks(folder.path(), command);
        assert!(
            said.code == Some(64) && said.err.contains("it is a pipe"),
            "{command:?}: {:?} {}",
            said.code,
            said.err
        );
    }
    let said = hooks(folder.path(), &["inspect", "--recording", "."]);
    assert!(said.code == Some(64) && said.err.contains("directory"), "{:?} {}", said.code, said.err);
}

#[test]
fn an_export_says_what_it_left_out_and_overwrites_no_recording() {
    let folder = tempfile::tempdir().unwrap();
    recording(folder.path());
    let file = folder.path().join("traffic.jsonl");
    let whole = fs::read_to_string(&file).unwrap();
    let over = hooks(folder.path(), &["export", "--otlp", "traffic.jsonl", "-o", "./traffic.jsonl"]);
    assert!(over.code == Some(64) && over.err.contains("one of the recordings"), "{}", over.err);
    assert_eq!(fs::read_to_string(&file).unwrap(), whole);
    assert_eq!(hooks(folder.path(), &["export", "--otlp", "nothing.jsonl"]).code, Some(64));
    assert_eq!(hooks(folder.path(), &["export"]).code, Some(64));

    let dropped = "{\"line\":\"dropped\",\"count\":5000}";
    fs::write(&file, format!("{whole}{dropped}\n")).unwrap();
    let said = hooks(folder.path(), &["export", "--otlp", "traffic.jsonl"]);
    assert!(said.code == Some(3) && said.err.contains("5000 lines left out"), "{:?} {}", said.code, said.err);
    let said = hooks(folder.path(), &["shadow", "traffic.jsonl"]);
    assert!(said.code == Some(3) && said.out.contains("5000 lines left out"), "{:?} {}", said.code, said.out);

    fs::write(&file, format!("{whole}no line\n{{\"line\":\"turn\",\"ids\":{{\"request\":\"old\"}}}}\n")).unwrap();
    let said = hooks(folder.path(), &["export", "--otlp", "traffic.jsonl"]);
    assert_eq!(said.code, Some(3));
    for part in
        ["3 spans written", "1 span left out: the recording has no times", "1 line left out: they cannot be read"]
    {
        assert!(said.err.contains(part), "{part}: {}", said.err);
    }
}

#[test]
fn a_report_is_one_page_with_or_without_a_replay() {
    let folder = tempfile::tempdir().unwrap();
    recording(folder.path());
    let said = hooks(folder.path(), &["report", "traffic.jsonl", "-o", "page.html"]);
    assert_eq!((said.code, said.err.trim()), (Some(0), "page.html: open it in a browser"));
    let page = fs::read_to_string(folder.path().join("page.html")).unwrap();
    assert!(page.contains("\"hook\":\"guard\"") && about(&page)["replay"].is_null());

    let replay = ["report", "traffic.jsonl", "-o", "page.html", "--replay", "--trust", "--rules", "rules.json"];
    let said = hooks(folder.path(), &replay);
    assert_eq!(said.code, Some(0), "{}", said.err);
    let page = fs::read_to_string(folder.path().join("page.html")).unwrap();
    let report = about(&page)["replay"].to_string();
    assert!(report.contains("not that"), "what the rule of today says: {report}");
    // Where a difference is leads to its line on the page.
    assert_eq!(about(&page)["files"], json!(["traffic.jsonl"]));
    assert_eq!(about(&page)["replay"]["groups"][0]["places"], json!(["traffic.jsonl:2"]), "{report}");
    // What it says besides its numbers, as in the text.
    let text = hooks(folder.path(), &[&["replay", "traffic.jsonl"], &replay[5..]].concat()).out;
    let told = about(&page)["replay"].clone();
    let notes: Vec<&str> = told["notes"].as_array().unwrap().iter().map(|note| note.as_str().unwrap()).collect();
    assert!(text.starts_with(told["headline"].as_str().unwrap()), "{text}");
    assert!(notes.iter().all(|note| text.contains(note)), "{notes:?}: {text}");

    // Its transcript is replayed, and has no lines for the page.
    let called = json!({ "type": "tool_use", "id": "t1", "name": "Bash", "input": { "command": "ls" } });
    let said =
        json!({ "type": "assistant", "sessionId": "s", "message": { "role": "assistant", "content": [called] } });
    fs::write(folder.path().join("session.jsonl"), format!("{said}\n")).unwrap();
    let said = hooks(folder.path(), &[&["report", "session.jsonl"][..], &replay[2..]].concat());
    assert!(said.code == Some(0) && !said.err.contains("cannot be read"), "{:?} {}", said.code, said.err);
    let page = fs::read_to_string(folder.path().join("page.html")).unwrap();
    assert_eq!(about(&page)["replay"]["replayed"], 1);
    assert!(page.contains("id=\"lines\"></script>"), "no line of it is told as one that cannot be read");

    let untrusted =
        hooks(folder.path(), &["report", "traffic.jsonl", "-o", "page.html", "--replay", "--rules", "rules.json"]);
    assert_eq!(untrusted.code, Some(77), "{}", untrusted.err);
    for command in [&["report", "traffic.jsonl", "-o", "page.html", "--replay"][..], &["replay", "traffic.jsonl"]] {
        let said = hooks(folder.path(), command);
        let why = "this program has none of the hooks of the recording (`guard`): run this command in your app";
        assert!(said.code == Some(64) && said.err.contains(why), "{command:?}: {}", said.err);
        assert!(said.err.contains("or name a rule file, as in `--rules .claude/settings.json`"), "{}", said.err);
    }
    let without = hooks(folder.path(), &["report", "traffic.jsonl", "-o", "page.html", "--rules", "rules.json"]);
    assert_eq!(without.code, Some(64), "rules without --replay: {}", without.err);
}

#[test]
fn a_page_about_no_recording_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    recording(folder.path());
    fs::write(folder.path().join("prose.jsonl"), "no recording\n").unwrap();
    fs::write(folder.path().join("transcript.jsonl"), "{\"messages\":[]}\n").unwrap();
    fs::write(folder.path().join("new.jsonl"), "").unwrap();
    for file in ["prose.jsonl", "transcript.jsonl"] {
        for args in [&["report", file, "-o", "page.html"][..], &["inspect", "--recording", file]] {
            let said = hooks(folder.path(), args);
            let told = said.err.contains(file) && said.err.contains("is not a line of a recording");
            assert!(said.code == Some(64) && told, "{args:?}: {:?} {}", said.code, said.err);
        }
        assert!(!folder.path().join("page.html").exists());
    }
    // A cut line is left out too.
    let cut = fs::read_to_string(folder.path().join("traffic.jsonl")).unwrap() + "{\"line\":\"disp";
    fs::create_dir(folder.path().join("cut")).unwrap();
    fs::write(folder.path().join("cut/traffic.jsonl"), cut).unwrap();
    let said = hooks(folder.path(), &["report", "cut", "-o", "page.html"]);
    assert!(said.code == Some(3) && said.err.contains("1 line left out"), "{:?} {}", said.code, said.err);
    fs::remove_dir_all(folder.path().join("cut")).unwrap();
    // One that begins, and a folder with other files.
    for (files, code, told) in [("new.jsonl", 0, "open it"), (".", 3, "2 lines left out: they cannot be read")] {
        let said = hooks(folder.path(), &["report", files, "-o", "page.html"]);
        assert!(said.code == Some(code) && said.err.contains(told), "{files}: {:?} {}", said.code, said.err);
        let _ = fs::remove_file(folder.path().join("new.jsonl"));
    }
}

#[test]
fn no_page_overwrites_an_input_whatever_its_name() {
    let folder = tempfile::tempdir().unwrap();
    recording(folder.path());
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    fs::write(folder.path().join("trust.json"), "{}").unwrap();
    let before = (read("traffic.jsonl"), read("rules.json"));
    fs::hard_link(folder.path().join("traffic.jsonl"), folder.path().join("linked.html")).unwrap();
    let replay = ["--trust", "--rules", "rules.json"];
    for args in [
        [&["report", "traffic.jsonl", "-o", "linked.html"][..], &[]],
        [&["report", "traffic.jsonl", "-o", "rules.json", "--replay"], &replay],
        [&["replay", "traffic.jsonl", "--html", "rules.json"], &replay],
        [&["replay", "traffic.jsonl", "--html", "linked.html"], &replay],
        [
            &["replay", "traffic.jsonl", "--html", "trust.json"],
            &["--trust-file", "trust.json", "--rules", "rules.json"],
        ],
        [&["export", "--otlp", "traffic.jsonl", "-o", "linked.html"], &[]],
    ] {
        let said = hooks(folder.path(), &args.concat());
        assert_eq!(said.code, Some(64), "{args:?}: {}", said.err);
    }
    assert_eq!((read("traffic.jsonl"), read("rules.json")), before);
    assert_eq!(read("trust.json"), "{}");
}

/// The old file stays until the new one is whole, which only its owner can read, as a recording.
#[cfg(unix)]
#[test]
fn an_output_is_replaced_as_a_whole_or_not_at_all() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let folder = tempfile::tempdir().unwrap();
    recording(folder.path());
    let at = |name: &str| folder.path().join(name);
    let mode = |name: &str| fs::metadata(at(name)).unwrap().permissions().mode() & 0o777;
    let commands = [
        &["report", "traffic.jsonl", "-o"][..],
        &["export", "--otlp", "traffic.jsonl", "-o"],
        &["replay", "traffic.jsonl", "--trust", "--rules", "rules.json", "--html"],
    ];
    for (number, command) in commands.into_iter().enumerate() {
        let name = format!("old{number}");
        fs::write(at(&name), "old").unwrap();
        fs::set_permissions(at(&name), fs::Permissions::from_mode(0o640)).unwrap();
        let files = || fs::read_dir(folder.path()).unwrap().count();
        let before = files();
        // A disk with room for a kilobyte.
        let mut full = std::process::Command::new("sh");
        full.args(["-c", "trap '' XFSZ; ulimit -f 1; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_hooks")]);
        let full =
            full.args(command).arg(&name).current_dir(folder.path()).env("HOME", folder.path()).output().unwrap();
        assert_eq!(full.status.code(), Some(74), "{command:?}: {}", String::from_utf8_lossy(&full.stderr));
        assert_eq!((fs::read_to_string(at(&name)).unwrap(), files()), ("old".to_owned(), before), "{command:?}");

        symlink(&name, at("link")).unwrap();
        for output in [&name, "link", "new"] {
            let said = hooks(folder.path(), &[command, &[output]].concat());
            assert!(matches!(said.code, Some(0 | 1)), "{command:?}: {:?} {}", said.code, said.err);
        }
        assert!(at("link").is_symlink() && fs::read_to_string(at(&name)).unwrap().len() > 1024, "{command:?}");
        assert_eq!((mode(&name), mode("new")), (0o640, 0o600), "{command:?}");
        fs::remove_file(at("link")).unwrap();
        fs::remove_file(at("new")).unwrap();
    }
}

/// What is named has to be readable. What a folder has besides is left out, by its name, and the rest is read.
#[cfg(unix)]
#[test]
fn an_unreadable_recording_hides_no_other_one() {
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::process::CommandExt as _;

    let folder = tempfile::tempdir().unwrap();
    let mode = |name: &str, mode| {
        fs::set_permissions(folder.path().join(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    fs::create_dir_all(folder.path().join("calls/locked")).unwrap();
    recording(&folder.path().join("calls"));
    recording(folder.path());
    fs::write(folder.path().join("calls/mine.jsonl"), "").unwrap();
    for (name, bits) in [("calls/mine.jsonl", 0), ("calls/locked", 0), ("", 0o777)] {
        mode(name, bits);
    }
    let run = |args: &[&str]| {
        let mut command = program(folder.path());
        // Root may read everything.
        if rustix::process::geteuid().is_root() {
            command.uid(65_534).gid(65_534);
        }
        Said::from(command.args(args).output().unwrap())
    };
    let replay = ["--trust", "--rules", "rules.json"];
    for command in [
        [&["replay", "calls"][..], &replay],
        [&["replay", "calls", "--against", "traffic.jsonl"], &[]],
        [&["report", "calls", "-o", "page.html"], &[]],
        [&["report", "calls", "-o", "page.html", "--replay"], &replay],
        [&["export", "--otlp", "calls"], &[]],
        [&["shadow", "calls"], &[]],
    ] {
        let mut args = command.concat();
        let said = run(&args);
        let told = said.out.clone() + &said.err;
        assert!(
            told.contains("calls/mine.jsonl: Permission") && told.contains("calls/locked: Permission"),
            "{args:?}: {told}"
        );
        assert!(matches!(said.code, Some(2 | 3)) && !told.contains("0 dispatches"), "{args:?}: {:?} {told}", said.code);
        for argument in &mut args {
            *argument = argument.strip_prefix("calls").map_or(*argument, |_| "calls/mine.jsonl");
        }
        assert_eq!(run(&args).code, Some(64), "{args:?}");
    }
    let against = run(&["replay", "traffic.jsonl", "--against", "calls/mine.jsonl"]);
    assert_eq!(against.code, Some(64), "{}", against.err);
    mode("calls/locked", 0o700);
}

/// What can be opened and not read is no difference.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_fails_while_it_is_read_was_not_replayed() {
    let folder = tempfile::tempdir().unwrap();
    recording(folder.path());
    let said = hooks(folder.path(), &["replay", "/proc/self/mem", "--trust", "--rules", "rules.json"]);
    assert!(said.code == Some(3) && said.out.contains("/proc/self/mem"), "{:?} {}{}", said.code, said.out, said.err);
}

/// One JSON value, whatever else the command writes.
#[test]
fn a_page_and_an_export_are_told_as_json_where_it_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    recording(folder.path());
    let report = hooks(folder.path(), &["report", "traffic.jsonl", "-o", "page.html", "--json"]).json();
    assert_eq!(
        (&report["output"], &report["left_out"]["lines"]["later"]),
        (&json!("page.html"), &json!(0)),
        "{report}"
    );
    let export = hooks(folder.path(), &["export", "--otlp", "traffic.jsonl", "-o", "spans.json", "--json"]).json();
    assert_eq!((&export["spans"], &export["output"]), (&json!(3), &json!("spans.json")), "{export}");
    assert!(hooks(folder.path(), &["export", "--otlp", "traffic.jsonl", "--json"]).json()["resourceSpans"].is_array());
    for args in [&["report", "traffic.jsonl", "-o", "-", "--json"][..], &["inspect", "--json"]] {
        let refused = hooks(folder.path(), args);
        assert_eq!((refused.code, &refused.json()["exit_status"]), (Some(64), &json!(64)), "{args:?}");
    }
    // What other programs call the standard output.
    let page = hooks(folder.path(), &["replay", "traffic.jsonl", "--trust", "--rules", "rules.json", "--html", "-"]);
    assert!(page.out.starts_with("<!doctype html>") && !folder.path().join("-").exists(), "{}", page.out);
    // A transcript is no recording, whichever command reads it.
    fs::write(folder.path().join("transcript.jsonl"), "{\"messages\":[]}\n").unwrap();
    for args in [&["export", "--otlp", "transcript.jsonl", "-o", "spans.json"][..], &["shadow", "transcript.jsonl"]] {
        let said = hooks(folder.path(), args);
        assert!(said.code == Some(64) && said.err.contains("is not a line of a recording"), "{args:?}: {}", said.err);
    }
}
