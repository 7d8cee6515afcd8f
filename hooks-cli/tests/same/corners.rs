//! Scripts for edge cases of the contract: the result of each by `hooks dispatch` and in the loop.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use hooks_agent::model::Line;
use hooks_agent::window::Window;
use hooks_rules::Answer;
use serde_json::{Value, json};

use super::looped::Looped;
use crate::support::hooks_with;

/// The expected result of a script before a call of the shell.
#[derive(Clone, Copy, Debug)]
enum Expected {
    /// The call runs, and nothing is reported.
    Runs,
    /// The call runs, and a failure with this text is reported.
    Fails(&'static str),
    /// The call runs, and a remark with this text is reported.
    Remark(&'static str),
    /// The call is denied, with a reason that starts with this text.
    Denied(&'static str),
}
use Expected::{Denied, Fails, Remark, Runs};

/// A script as `guard.sh`, the fields of its handler besides `type`, and the expected result. `mode` is that of the
/// file.
struct Corner {
    what: &'static str,
    script: &'static str,
    handler: &'static str,
    mode: u32,
    expected: Expected,
}

const fn sh(what: &'static str, script: &'static str, expected: Expected) -> Corner {
    Corner { what, script, handler: r#"{"command": "sh ./guard.sh", "timeout": 60}"#, mode: 0o644, expected }
}

const fn of(what: &'static str, mode: u32, script: &'static str, handler: &'static str, expected: Expected) -> Corner {
    Corner { what, script, handler, mode, expected }
}

const FILE: &str = r#"{"command": "./guard.sh"}"#;
const EXEC: &str = r#"{"command": "./guard.sh", "args": []}"#;
const SCRIPT: &str = r#"{"command": "sh", "args": ["./guard.sh"]}"#;
const SCRIPT_BLOCKS: &str = r#"{"command": "sh", "args": ["./guard.sh"], "onFailure": "block"}"#;
const SLOW: &str = r#"{"command": "sh ./guard.sh", "timeout": 0.5}"#;
const SLOW_BLOCKS: &str = r#"{"command": "sh ./guard.sh", "timeout": 0.5, "onFailure": "block"}"#;
const BLOCKS: &str = r#"{"command": "sh ./guard.sh", "timeout": 60, "onFailure": "block"}"#;

const CORNERS: &[Corner] = &[
    // Time: a script that times out has no answer.
    of("slow", 0o644, "echo no >&2; sleep 4242.17; exit 2", SLOW, Fails("it timed out")),
    of("slow, and its failure blocks", 0o644, "sleep 4242.17", SLOW_BLOCKS, Denied("it timed out")),
    of("ignores signals", 0o644, "trap '' TERM INT HUP; sleep 4242.17; sleep 4242.17", SLOW, Fails("it timed out")),
    of(
        "an answer before it is slow",
        0o644,
        "echo '{\"decision\": \"block\"}'; sleep 4242.17",
        SLOW,
        Fails("it timed out"),
    ),
    // Size.
    sh("50 MB of text", "head -c 50000000 /dev/zero | tr '\\0' x", Remark("1 MiB")),
    sh("50 MB of text, and a denial", "head -c 50000000 /dev/zero | tr '\\0' x; echo no >&2; exit 2", Denied("no")),
    sh(
        "an answer of 50 MB",
        "printf '{\"decision\": \"block\", \"reason\": \"'; head -c 50000000 /dev/zero | tr '\\0' x; echo '\"}'",
        Fails("1 MiB"),
    ),
    of(
        "an answer of 50 MB, and its failure blocks",
        0o644,
        "printf '{\"reason\": \"'; head -c 50000000 /dev/zero | tr '\\0' x; echo '\"}'",
        BLOCKS,
        Denied("it printed more than 1 MiB"),
    ),
    sh("50 MB on stderr", "echo because; head -c 50000000 /dev/zero | tr '\\0' x >&2; exit 2", Denied("xxxxxxxxxx")),
    sh("a long reason", "head -c 20000 /dev/zero | tr '\\0' y >&2; exit 2", Denied("yyyyyyyyyy")),
    // Unusual files.
    of("not executable", 0o644, "#!/bin/sh\nexit 2", FILE, Fails("code 126")),
    of("a missing file", 0o644, "", r#"{"command": "./other.sh"}"#, Fails("code 127")),
    of("another interpreter", 0o755, "#!/nowhere/python3\nexit 2", FILE, Fails("code 12")),
    of("no shebang", 0o755, "echo 'no first line' >&2\nexit 2", FILE, Denied("no first line")),
    of("a Windows line ending", 0o755, "#!/bin/sh\r\nexit 2\r\n", FILE, Fails("code 12")),
    of("not executable, without a shell", 0o644, "#!/bin/sh\nexit 2", EXEC, Fails("it could not be started")),
    of("no shebang, without a shell", 0o755, "exit 2", EXEC, Denied("No stderr output")),
    of(
        "a missing file, without a shell",
        0o644,
        "",
        r#"{"command": "./other.sh", "args": ["a"]}"#,
        Fails("it could not be started"),
    ),
    sh("a syntax error, which the shell leaves with code 2", "if then fi", Denied("./guard.sh")),
    // Processes that the script leaves behind.
    sh("a child that holds the pipes", "sleep 4242.17 & exit 0", Runs),
    sh("a child in its own session", "setsid sleep 4242.17 & echo no >&2; exit 2", Denied("no")),
    sh("a child that ignores SIGHUP", "nohup sleep 4242.17 2>&1 & exit 0", Runs),
    // Terminal and pipes.
    sh(
        "reads from the terminal",
        "read answer < /dev/tty || { echo 'nobody to ask' >&2; exit 2; }",
        Denied("./guard.sh"),
    ),
    sh("closes its input", "exec 0<&-; echo no >&2; exit 2", Denied("no")),
    sh("closes its output", "exec 1>&-; echo '{\"decision\": \"approve\"}'; echo no >&2; exit 2", Denied("./guard.sh")),
    sh("closes all of them", "exec 0<&- 1>&- 2>&-; exit 2", Denied("No stderr output")),
    sh("reads its input twice", "cat >/dev/null; cat; exit 0", Runs),
    // Bytes.
    sh("no UTF-8 on stdout", "printf '\\377\\376\\000x'", Runs),
    sh("no UTF-8 in a reason", "printf 'ab\\377cd' >&2; exit 2", Denied("ab\u{fffd}cd")),
    sh("no UTF-8 within an answer", "printf '{\"decision\": \"block\", \"reason\": \"a\\377\"}'", Denied("a\u{fffd}")),
    sh(
        "a byte order mark",
        "printf '\\357\\273\\277{\"decision\": \"block\", \"reason\": \"marked\"}'",
        Denied("marked"),
    ),
    sh("colours", "printf '\\033[31mno\\033[0m' >&2; exit 2", Denied("\u{1b}[31mno")),
    // Signals.
    of("killed", 0o644, "kill -9 $$", SCRIPT, Fails("killed by signal 9")),
    of(
        "killed after its answer",
        0o644,
        "echo '{\"decision\": \"block\", \"reason\": \"r\"}'; kill -TERM $$",
        SCRIPT,
        Denied("r"),
    ),
    of("killed, and its failure blocks", 0o644, "kill -SEGV $$", SCRIPT_BLOCKS, Denied("it was killed by signal 11")),
    // Exit codes versus answers.
    sh("an approval with code 2", "echo '{\"decision\": \"approve\"}'; echo no >&2; exit 2", Denied("no")),
    sh("a denial with code 0", "echo '{\"decision\": \"block\", \"reason\": \"r\"}'", Denied("r")),
    sh("a denial with code 1", "echo '{\"decision\": \"block\", \"reason\": \"r\"}'; exit 1", Denied("r")),
    sh("nothing with code 2", "exit 2", Denied("No stderr output")),
    sh("nothing with code 255", "exit 255", Fails("code 255")),
    sh("an exit code above 255", "exit 258", Denied("No stderr output")),
    // Almost valid answers.
    sh("a wrong type", "echo '{\"continue\": \"no\"}'", Fails("`continue` is true or false")),
    of(
        "a wrong type, and its failure blocks",
        0o644,
        "echo '{\"continue\": \"no\"}'",
        BLOCKS,
        Denied("the answer in JSON is not valid"),
    ),
    sh("a trailing comma", "echo '{\"decision\": \"block\",}'", Fails("not valid")),
    sh("a list", "echo '[{\"decision\": \"block\"}]'", Remark("an answer in JSON")),
    sh(
        "two answers",
        "echo '{\"decision\": \"block\"}'; echo '{\"decision\": \"approve\"}'",
        Fails("several JSON objects"),
    ),
    sh("unknown keys", "echo '{\"block\": true}'", Remark("`block`")),
    sh(
        "an answer over several lines",
        "printf '{\\n  \"decision\": \"block\",\\n  \"reason\": \"long\"\\n}\\n'",
        Denied("long"),
    ),
    sh("detaches, then denies", "echo '{\"async\": true}'; echo no >&2; exit 2", Runs),
    // Environment and input.
    sh(
        "its working directory",
        "[ \"$PWD\" = \"$CLAUDE_PROJECT_DIR\" ] && [ -e guard.sh ] || { echo lost >&2; exit 2; }",
        Runs,
    ),
    sh(
        "a call with special characters",
        "grep -q 'caf\u{e9} \\\\\"\\$(x)\\\\\" \\\\n' || { echo garbled >&2; exit 2; }",
        Runs,
    ),
];

/// The command that the model calls.
const COMMAND: &str = "caf\u{e9} \"$(x)\" \n";

fn lay_out(folder: &Path, corner: &Corner) {
    let script = folder.join("guard.sh");
    fs::write(&script, corner.script).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(corner.mode)).unwrap();
    let mut handler: Value = serde_json::from_str(corner.handler).unwrap();
    handler["type"] = "command".into();
    let file = json!({"hooks": {"PreToolUse": [{"hooks": [handler]}]}});
    fs::write(folder.join("hooks.json"), file.to_string()).unwrap();
}

/// The compared parts of a run.
fn said(answer: &Answer) -> Value {
    json!([
        answer.decision.as_str(),
        answer.contexts,
        answer.messages,
        answer.updated_input,
        answer.failure,
        answer.remarks
    ])
}

/// The result of a rule in the loop: its run, and whether the call ran or what the model got instead.
async fn in_the_loop(folder: &Path) -> (Value, Option<String>) {
    let call = Line::call("call_1", "run_shell_command", json!({ "command": COMMAND }));
    let looped = Looped::new(folder, [call, Line::text("so be it")]);
    looped.turn("hi", Window::new(1_000_000_000)).await;
    let heard = looped.heard();
    looped.rules.shutdown(std::time::Duration::from_secs(20)).await;
    let runs = looped.runs();
    let (run, answer, printed) = &runs[0];
    let ran = heard.contains("the shell's answer");
    let denied = (!ran).then(|| heard.split("Denied: ").nth(1).unwrap_or_default().chars().take(200).collect());
    (json!([run.outcome, run.code, said(answer), printed.stdout, printed.stderr]), denied)
}

/// The result of `hooks dispatch`.
fn dispatched(folder: &Path) -> (Value, Option<String>) {
    let payload = json!({"session_id": "c-1", "tool_name": "run_shell_command", "tool_input": {"command": COMMAND}, "tool_use_id": "call_1"});
    let args = ["dispatch", "--event", "PreToolUse", "--trust", "--json", "hooks.json"];
    let output = hooks_with(folder, &args, payload.to_string().as_bytes());
    let report = output.json();
    let run = &report["runs"][0];
    let answer = json!([
        run["decision"],
        run["contexts"],
        run["messages"],
        run["updated_input"],
        run["failure"],
        run["remarks"]
    ]);
    let denied = (report["outcome"] == "deny").then(|| report["reason"].as_str().unwrap_or_default().to_owned());
    (json!([run["outcome"], run["exit_status"], answer, run["stdout"], run["stderr"]]), denied)
}

/// The processes of a script that still exist.
fn survivors() -> Vec<String> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let lines = entries.filter_map(|entry| fs::read_to_string(entry.path().join("cmdline")).ok());
    lines.filter(|line| line.contains("4242.17")).collect()
}

#[tokio::test]
async fn scripts_have_the_result_of_the_contract_in_dispatch_and_in_the_loop() {
    let mut wrong = Vec::new();
    for corner in CORNERS {
        let folder = tempfile::tempdir().unwrap();
        let folder = fs::canonicalize(folder.path()).map(|path| (folder, path)).unwrap();
        lay_out(&folder.1, corner);
        let (in_loop, denied) = in_the_loop(&folder.1).await;
        let (by_dispatch, reason) = dispatched(&folder.1);
        let short = |value: &Value| value.to_string().chars().take(600).collect::<String>();
        if in_loop != by_dispatch {
            wrong.push(format!(
                "{}: the results differ\n  loop     {}\n  dispatch {}",
                corner.what,
                short(&in_loop),
                short(&by_dispatch)
            ));
        }
        let failure = in_loop[2][4].as_str();
        let remarks = in_loop[2][5].to_string();
        let begins = |text: &Option<String>, words: &str| text.as_ref().is_some_and(|text| text.starts_with(words));
        let as_expected = match corner.expected {
            Runs => denied.is_none() && reason.is_none() && failure.is_none(),
            Fails(words) => denied.is_none() && reason.is_none() && failure.is_some_and(|why| why.contains(words)),
            Remark(words) => denied.is_none() && reason.is_none() && failure.is_none() && remarks.contains(words),
            // In the loop, the reason is part of a JSON string, so its start is not compared.
            Denied(words) => denied.is_some() && begins(&reason, words),
        };
        if !as_expected {
            wrong.push(format!(
                "{}: expected {:?}, found {}; loop {denied:?}, dispatch {:?}",
                corner.what,
                corner.expected,
                short(&in_loop),
                reason.map(|r| r.chars().take(100).collect::<String>())
            ));
        }
    }
    assert!(CORNERS.len() >= 30);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(survivors(), [""; 0]);
}
