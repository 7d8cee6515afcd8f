//! Compares the outputs in the chapter on the command line and in the README with the program. `UPDATE_BOOK=1` writes them.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "the helpers of tests are tests too")]
#![cfg(unix)]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{data, hooks, hooks_with, settled};
use serde_json::{Value, json};

fn chapter() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/command-line.md")
}

/// Compares with the text between `<!-- written: <part> -->` and the next `<!-- to here -->`.
#[track_caller]
fn assert_written(file: &Path, part: &str, text: &str) {
    let page = fs::read_to_string(file).unwrap();
    let head = format!("<!-- written: {part} -->\n");
    let start = page.find(&head).unwrap_or_else(|| panic!("{} has no part `{part}`", file.display())) + head.len();
    let end = start + page[start..].find("<!-- to here -->").unwrap();
    let wanted = format!("\n{}\n\n", text.trim());
    if std::env::var_os("UPDATE_BOOK").is_some_and(|value| value == "1") {
        fs::write(file, format!("{}{wanted}{}", &page[..start], &page[end..])).unwrap();
    } else {
        assert_eq!(&page[start..end], wanted, "UPDATE_BOOK=1 cargo test -p hooks-cli --test it book rewrites it");
    }
}

/// A single test, because it rewrites all parts of one file.
#[test]
fn the_chapter_shows_the_output_of_the_program() {
    let check = settled(&hooks(&data("data"), &["check", "ten_mistakes.json"]).out);
    // The first mistakes and the total: the page shows how a defect looks, not each of them.
    let defects: Vec<&str> = check.split("\n\n").collect();
    let shown = [&defects[..3], &["…"], &defects[defects.len() - 1..]].concat().join("\n\n");
    assert_written(&chapter(), "check", &format!("```text\n$ hooks check ten_mistakes.json\n{shown}```"));
    let args = [
        "explain",
        "--trust",
        "--event",
        "PreToolUse",
        "--tool",
        "Bash",
        "--input",
        r#"{"command": "git status"}"#,
        "why_not.json",
    ];
    let explain = settled(&hooks(&data("data"), &args).out);
    let (explain, _) = explain.split_once("\nproblems of the files:").unwrap();
    let line = r#"hooks explain --event PreToolUse --tool Bash --input '{"command": "git status"}' why_not.json"#;
    assert_written(&chapter(), "explain", &format!("```text\n$ {line}\n{explain}```"));
    assert_written(&chapter(), "dispatch", &human());
    assert_snapshot(&events());
}

#[test]
fn the_readme_shows_what_its_replay_prints() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let line = readme.lines().find_map(|line| line.strip_prefix("cargo run -p hooks-cli -- ")).unwrap();
    let said = hooks(&root, &line.split(' ').collect::<Vec<_>>());
    assert_written(&root.join("README.md"), "replay", &format!("```text\n{}```", said.out));
    assert_eq!((said.code, said.err.as_str()), (Some(2), ""));
}

/// The output at every event, in a file of its own.
#[track_caller]
fn assert_snapshot(text: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots/dispatch_json.md");
    if std::env::var_os("UPDATE_BOOK").is_some_and(|value| value == "1") {
        fs::write(&file, text).unwrap();
    } else {
        let found = fs::read_to_string(&file).unwrap();
        assert_eq!(found, text, "UPDATE_BOOK=1 cargo test -p hooks-cli --test it book rewrites it");
    }
}

fn read() -> Vec<Value> {
    let text = fs::read_to_string(data("data").join("events.json")).unwrap();
    let mut examples: Value = serde_json::from_str(&text).unwrap();
    // Whether the order of the fields is kept depends on the features of the build.
    examples.sort_all_objects();
    serde_json::from_value(examples).unwrap()
}

/// A folder with the rules of an example.
fn of_example(example: &Value) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let event = example["event"].as_str().unwrap();
    let group = match (example.get("group"), example.get("answer"), example.get("text")) {
        (Some(group), _, _) => group.clone(),
        (_, Some(answer), _) => {
            fs::write(folder.path().join("answer.json"), answer.to_string()).unwrap();
            json!({"hooks": [{"type": "command", "command": "cat answer.json"}]})
        }
        (_, _, Some(text)) => {
            json!({"hooks": [{"type": "command", "command": format!("echo '{}'", text.as_str().unwrap())}]})
        }
        _ => panic!("the example of {event} has no rule"),
    };
    fs::write(folder.path().join("lint.sh"), "#!/bin/sh\nexit 0\n").unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(folder.path().join("lint.sh"), mode).unwrap();
    fs::write(folder.path().join("hooks.json"), json!({"hooks": {event: [group]}}).to_string()).unwrap();
    folder
}

fn human() -> String {
    let example = &read()[0];
    let folder = of_example(example);
    let payload = example["payload"].to_string();
    let args = ["dispatch", "--event", "PreToolUse", "--trust", "hooks.json"];
    let said = hooks_with(folder.path(), &args, payload.as_bytes());
    format!(
        "```text\n$ echo '{payload}' | hooks dispatch --event PreToolUse --trust hooks.json\n{}```",
        settled(&said.out)
    )
}

fn events() -> String {
    let mut page = String::new();
    let mut seen = Vec::new();
    for (i, example) in read().iter().enumerate() {
        let event = example["event"].as_str().unwrap();
        seen.push(event.to_owned());
        let folder = of_example(example);
        let payload = example["payload"].to_string();
        let args = ["dispatch", "--event", event, "--json", "--trust", "hooks.json"];
        let said = hooks_with(folder.path(), &args, payload.as_bytes());
        assert_eq!(said.err, "", "{event}");
        let mut report: Value = serde_json::from_str(&settled(&said.out)).unwrap();
        if i > 0 {
            strip(&mut report);
        }
        report.sort_all_objects();
        let does = example["does"].as_str().unwrap();
        let _ = write!(page, "### `{event}`: {does}\n\n");
        if let Some(answer) = example.get("answer") {
            let _ = write!(page, "The rule prints `{answer}`.\n\n");
        }
        let _ =
            write!(page, "```sh\necho '{payload}' | hooks dispatch --event {event} --json --trust hooks.json\n```\n\n");
        let _ = write!(page, "```json\n{report:#}\n```\n\n");
    }
    let mut fired: Vec<_> =
        hooks_rules::Event::all().filter(|event| event.spec().kind.is_some()).map(|e| e.to_string()).collect();
    fired.sort();
    seen.sort();
    assert_eq!(seen, fired, "every event that is fired has an example");
    page
}

/// Removes null and empty values.
fn strip(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.values_mut().for_each(strip);
            fields.retain(|_, value| {
                !value.is_null() && *value != json!([]) && *value != json!({}) && *value != json!("")
            });
        }
        Value::Array(items) => items.iter_mut().for_each(strip),
        _ => {}
    }
}

/// The code block of a language in a section of the chapter.
fn block(section: &str, language: &str) -> String {
    let page = fs::read_to_string(chapter()).unwrap();
    let section = page.split(&format!("\n## {section}\n")).nth(1).unwrap();
    section.split(&format!("```{language}\n")).nth(1).unwrap().split("```").next().unwrap().to_owned()
}

#[test]
fn the_script_that_tests_guards_detects_a_removed_guard() {
    let folder = tempfile::tempdir().unwrap();
    let (settings, script) = (folder.path().join(".claude/settings.json"), folder.path().join("guards.sh"));
    fs::create_dir(folder.path().join(".claude")).unwrap();
    fs::write(&script, block("Test guards in CI", "sh")).unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_hooks")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let run = |guards: &str| {
        fs::write(&settings, guards).unwrap();
        let mut command = std::process::Command::new("sh");
        let ran = command.arg(&script).current_dir(&folder).env("PATH", &path).env("HOME", folder.path()).output();
        let ran = ran.unwrap();
        (ran.status.success(), String::from_utf8(ran.stdout).unwrap())
    };
    let guards = block("Test guards in CI", "json");
    let (passed, printed) = run(&guards);
    assert!(passed, "{printed}");
    let (passed, printed) = run(&guards.replace("git push", "git pull"));
    assert!(!passed && printed.contains("expected status 2: git push origin main"), "{printed}");
}

#[test]
fn the_guard_of_the_page_on_replay_denies_what_it_does_not_understand() {
    let page = fs::read_to_string(chapter().with_file_name("replay.md")).unwrap();
    let guard = page.split("```json\n").nth(1).unwrap().split("```").next().unwrap();
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("guard.json"), guard).unwrap();
    for (command, denied) in [("cd x && rm -rf build", true), ("$X build", true), ("git status", false)] {
        let payload = json!({"tool_name": "Bash", "tool_input": {"command": command}}).to_string();
        let args = ["dispatch", "--event", "PreToolUse", "--trust", "guard.json"];
        let said = hooks_with(folder.path(), &args, payload.as_bytes());
        assert_eq!(said.out.contains("denied: no rm"), denied, "{command}: {}", said.out);
    }
}
