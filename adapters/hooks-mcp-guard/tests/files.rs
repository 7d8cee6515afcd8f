//! The program with rules from files.

use std::fs;
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::peer::{Peer, everything, example};

const RULES: &str = r#"{"hooks": {"PreToolUse": [{"matcher": "mcp__desk__delete", "hooks": [
    {"type": "command", "command": "echo 'ask the owner first' >&2; exit 2", "onFailure": "block"}]}]}}"#;

/// A folder with rules, and the program that judges with them.
fn with_rules(rules: &str, trusted: bool) -> (TempDir, Command) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hooks.json");
    fs::write(&file, rules).unwrap();
    if trusted {
        hooks_rules::Trust::open(folder.path().join("hooks/trust.json")).unwrap().trust(&file).unwrap();
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_hooks-mcp-guard"));
    command.args(["--name", "desk", "--rules"]).arg(file).arg("--").arg(everything().get_program());
    command.env("XDG_CONFIG_HOME", folder.path());
    (folder, command)
}

#[test]
fn rules_of_files_judge_calls() {
    let (_folder, command) = with_rules(RULES, true);
    let mut peer = Peer::greeted(command);
    let result = peer.call("delete", &json!({}));
    assert!(result["content"][0]["text"].as_str().unwrap().contains("ask the owner first"), "{result}");
    assert_eq!(peer.call("echo", &json!({"text": "hi"}))["content"][0]["text"], "hi");
    assert!(peer.end().1.success());
}

/// The program does not begin without its guards.
#[test]
fn what_cannot_be_loaded_ends_the_program() {
    let (_untrusted, untrusted) = with_rules(RULES, false);
    let (_broken, broken) =
        with_rules(r#"{"hooks": {"PreToolUse": [{"matcher": "[", "hooks": [{"type": "command"}]}]}}"#, true);
    let refused = |rules: &str| with_rules(rules, true);
    let deny = r#"[{"matcher": "mcp__desk__delete", "hooks": [{"type": "command", "command": "exit 2"}]}]"#;
    let (_typo, typo) = refused(&format!(r#"{{"hooks": {{"preToolUse": {deny}}}}}"#));
    let (_off, off) = refused(&format!(r#"{{"disableAllHooks": true, "hooks": {{"PreToolUse": {deny}}}}}"#));
    let (_twice, twice) = refused(&format!(r#"{{"hooks": {{"PreToolUse": {deny}, "PreToolUse": []}}}}"#));
    let (_empty, empty) = refused("{}");
    let (_alone, alone) = refused(&format!(
        r#"{{"hooks": {{"PreToolUse": {}}}}}"#,
        deny.replace("exit 2\"", "exit 2\", \"async\": true, \"onFailure\": \"block\"")
    ));
    let (_missing, missing) =
        refused(&format!(r#"{{"hooks": {{"PreToolUse": {}}}}}"#, deny.replace("exit 2", "./nope.sh")));
    let (_stop, stop) = refused(r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}}"#);
    let (_bash, bash) =
        refused(&format!(r#"{{"hooks": {{"PreToolUse": {}}}}}"#, deny.replace("mcp__desk__delete", "Bash")));
    let (_misspelt, misspelt) =
        refused(&format!(r#"{{"hooks": {{"PreToolUse": {}}}}}"#, deny.replace("mcp__desk__delete", "mcp__dsek__.*")));
    let hook = |hook: &str| format!(r#"{{"hooks": {{"PostToolUse": [{{"hooks": [{hook}]}}]}}}}"#);
    let (_unknown, unknown) = refused(&hook(r#"{"type": "hook", "id": "mask_pi"}"#));
    #[cfg(feature = "prebuilt")]
    let two = r#"{"type": "hook", "id": "cap_results", "with": {"most": 1000}}, {"type": "hook", "id": "cap_results", "with": {"most": 2000}}"#;
    #[cfg(feature = "prebuilt")]
    let (_twice_named, twice_named) = refused(&hook(two));
    let (_gone, mut gone) = with_rules(RULES, true);
    gone = {
        let mut other = Command::new(gone.get_program());
        other.args(["--name", "desk", "--rules", "/no/such/file", "--", "true"]);
        other
    };
    let bin = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hooks-mcp-guard"));
        command.args(args);
        command
    };
    let cases = [
        (untrusted, "is not trusted as it is now"),
        (broken, "hooks.json:1:"),
        (typo, "preToolUse"),
        (off, "disableAllHooks"),
        (twice, "appears twice"),
        (empty, "none of its rules runs"),
        (alone, "background"),
        (gone, "/no/such/file: No such file"),
        (missing, "there is no file `./nope.sh`"),
        (stop, "none of its rules can run for a call of a tool `mcp__desk__"),
        (bash, "none of its rules can run for a call"),
        (misspelt, "none of its rules can run for a call"),
        (unknown, "there is no compiled hook `mask_pi`"),
        #[cfg(feature = "prebuilt")]
        (twice_named, "named twice with different parameters"),
        (bin(&["--name", "desk", "--", "true"]), "no rules are named"),
        (bin(&["--name", "a__b", "--", "true"]), "no rules are named"),
        (bin(&["--", "true"]), "name the server"),
        (bin(&["--name", "desk"]), "name the server's command"),
        (bin(&["--nmae", "desk"]), "`--nmae` is no option"),
    ];
    for (mut command, reason) in cases {
        let Output { status, stdout, stderr } = command.output().unwrap();
        let stderr = String::from_utf8(stderr).unwrap();
        assert!(!status.success() && stdout.is_empty() && stderr.contains(reason), "{reason}: {stderr}");
    }
}

/// A rule that fits everything hides no rule for another server, be it named in a matcher or in parameters.
#[test]
fn rules_that_never_name_the_server_at_an_event_end_the_program() {
    let deny =
        |matcher: &str| json!({"matcher": matcher, "hooks": [{"type": "command", "command": "echo no >&2; exit 2"}]});
    let confine = |tool: &str| {
        let with = json!({"roots": ["/srv"], "fields": {tool: ["text"]}});
        json!({"hooks": [{"type": "hook", "id": "confine_paths", "with": with}]})
    };
    let masks = json!([{"hooks": [{"type": "command", "command": "true"}]}]);
    let of = |rules: &[Value]| json!({"hooks": {"PreToolUse": rules, "PostToolUse": masks}}).to_string();
    let mut cases = vec![
        (of(&[deny("mcp__dsek__.*")]), Some("at `PreToolUse`, its rules name the tools `mcp__dsek__.*` (line 1)")),
        (of(&[deny("mcp__dsek__.*"), deny("mcp__desk__delete")]), None),
        (of(&[deny("Bash")]), None),
    ];
    if cfg!(feature = "prebuilt") {
        cases.extend([
            (of(&[confine("mcp__dsek__echo")]), Some("`mcp__dsek__echo` (line 1), and none of this server")),
            (of(&[confine("mcp__dsek__echo"), deny("mcp__dsek__.*")]), Some("`mcp__dsek__.*` (line 1)")),
            (of(&[confine("mcp__dsek__echo"), confine("mcp__desk__echo")]), Some("named twice")),
            (of(&[confine("mcp__desk__.*")]), Some("write `mcp__desk__*`")),
            (
                json!({"hooks": {"PreToolUse": [confine("mcp__dsek__echo")]}}).to_string(),
                Some("none of its rules can run"),
            ),
            (json!({"hooks": {"PreToolUse": [confine("echo")]}}).to_string(), Some("none of its rules can run")),
            (of(&[confine("mcp__desk__echo")]), None),
        ]);
    }
    for (rules, reason) in cases {
        let (_folder, mut command) = with_rules(&rules, true);
        // The server itself fails here: no client greets it.
        let stderr = String::from_utf8(command.output().unwrap().stderr).unwrap();
        assert_eq!(stderr.contains("hooks-mcp-guard: "), reason.is_some(), "{rules}: {stderr}");
        assert!(stderr.contains(reason.unwrap_or_default()), "{rules}: {stderr}");
        let of_name = stderr.contains("mcp__desk__…") && stderr.contains("hooks.json");
        assert!(stderr.contains("--name desk") == of_name, "{rules}: {stderr}");
    }
}

/// A rule of type `hook` names a hook of `hooks-prebuilt`: its event, its id and parameters; a tool, its text; what of the
/// answer the client reads, and whether it is an error.
#[cfg(feature = "prebuilt")]
const READY_MADE: &[(&str, &str, &str, &str, &str, bool)] = &[
    (
        "PreToolUse",
        r#""confine_paths","with":{"roots":["/srv"],"fields":{"mcp__desk__*":["text"]}}"#,
        "echo",
        "/etc/passwd",
        "/etc/passwd",
        true,
    ),
    (
        "PreToolUse",
        r#""confine_paths","with":{"roots":["/srv"],"fields":{"mcp__desk__*":["text"]}}"#,
        "echo",
        "/srv/a",
        "/srv/a",
        false,
    ),
    ("PreToolUse", r#""deny_secrets""#, "echo", concat!("pass", "word=hunter2hunter2xQ9"), "secret", true),
    ("PreToolUse", r#""deny_secrets""#, "echo", "hi", "hi", false),
    (
        "PreToolUse",
        r#""read_only_sql","with":{"fields":{"mcp__desk__echo":["text"]},"dialect":"postgres"}"#,
        "echo",
        "DROP TABLE a",
        "Denied",
        true,
    ),
    (
        "PreToolUse",
        r#""read_only_sql","with":{"fields":{"mcp__desk__echo":["text"]},"dialect":"postgres"}"#,
        "echo",
        "SELECT 1",
        "SELECT 1",
        false,
    ),
    ("PreToolUse", r#""confine_urls","with":{"hosts":["example.org"]}"#, "echo", "https://evil.org/", "evil.org", true),
    (
        "PreToolUse",
        r#""confine_commands","with":{"tools":["mcp__desk__echo"],"field":"text","allow":["ls *"]}"#,
        "echo",
        "rm -rf /",
        "nobody to ask",
        true,
    ),
    (
        "PreToolUse",
        r#""confine_commands","with":{"tools":["mcp__desk__echo"],"field":"text","allow":["ls *"]}"#,
        "echo",
        "ls -l",
        "ls -l",
        false,
    ),
    ("PreToolUse", r#""ask_for","with":{"mcp__desk__delete":"ask"}"#, "delete", "x", "nobody to ask", true),
    ("PreToolUse", r#""ask_for","with":{"mcp__desk__delete":"deny"}"#, "delete", "x", "Denied", true),
    (
        "PreToolUse",
        r#""limit_calls","with":{"limits":{"mcp__desk__echo":{"conversation":0}}}"#,
        "echo",
        "x",
        "may not be called",
        true,
    ),
    ("PostToolUse", r#""mask_pii""#, "echo", "write to ada@example.com", "write to [email]", false),
    ("PostToolUse", r#""mask_pii""#, "structured", "ada@example.com", "[email]", false),
    ("PostToolUse", r#""mask_pii""#, "embedded", "ada@example.com", "[email]", false),
    ("PostToolUse", r#""mask_pii""#, "fail", "ada@example.com", "failed: [email]", true),
    ("PostToolUse", r#""mask_pii""#, "refuse", "ada@example.com", "refused: [email]", true),
    ("PostToolUse", r#""mask_secrets""#, "echo", concat!("pass", "word=hunter2hunter2xQ9"), "[REDACTED_SECRET]", false),
    ("PostToolUse", r#""strip_invisible""#, "echo", "a\u{200b}b", "ab", false),
    ("PostToolUse", r#""cap_results","with":{"most":200}"#, "large", "x", "left out", false),
];

#[cfg(feature = "prebuilt")]
#[test]
fn a_rule_names_a_ready_made_hook_that_judges_calls_and_results() {
    for (event, hook, tool, text, expected, is_error) in READY_MADE {
        let rules = format!(r#"{{"hooks":{{"{event}":[{{"hooks":[{{"type":"hook","id":{hook}}}]}}]}}}}"#);
        let (_folder, command) = with_rules(&rules, true);
        let mut peer = Peer::greeted(command);
        let result = peer.call(tool, &json!({"text": text}));
        assert!(result.to_string().contains(expected), "{hook} {tool}: {:.500}", result.to_string());
        assert!(!result.to_string().contains("ada@"), "{hook} {tool}: {result}");
        assert_eq!(result["isError"] == true, *is_error, "{hook} {tool}: {:.500}", result.to_string());
    }
}

/// A rule reads the text of a result without what stands beside it for the client, which masks cover.
#[cfg(feature = "prebuilt")]
#[test]
fn a_mask_covers_what_stands_beside_a_result_and_a_rule_does_not_read_it() {
    let said = r#"{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"{\"a\":1}"}],"_meta":{"by":"ada@example.com"}}}"#;
    let rules = r#"{"hooks":{"PostToolUse":[{"hooks":[{"type":"command","command":"cat >seen"},{"type":"hook","id":"mask_pii"}]}]}}"#;
    let (folder, guard) = with_rules(rules, true);
    let mut command = Command::new(guard.get_program());
    command.args(["--name", "desk", "--rules", "hooks.json", "--"]);
    command.args(["sh", "-c", "read line; printf '%s\n' \"$1\"; cat >/dev/null", "sh", said]);
    command.env("XDG_CONFIG_HOME", folder.path()).current_dir(folder.path());
    let mut peer = Peer::start(command);
    let result = peer.call("echo", &json!({}));
    assert_eq!(result, json!({"content": [{"type": "text", "text": "{\"a\":1}"}], "_meta": {"by": "[email]"}}));
    let seen: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(folder.path().join("seen")).unwrap()).unwrap();
    assert_eq!(seen["tool_response"], json!({"a": 1}));
}

/// A guard serves one client, whose calls count together.
#[cfg(feature = "prebuilt")]
#[test]
fn limits_of_a_ready_made_hook_count_the_calls_of_a_client() {
    let limits =
        r#"{"type":"hook","id":"limit_calls","with":{"limits":{"mcp__desk__echo":{"conversation":2,"per_minute":9}}}}"#;
    let (_folder, command) = with_rules(&format!(r#"{{"hooks":{{"PreToolUse":[{{"hooks":[{limits}]}}]}}}}"#), true);
    let mut peer = Peer::greeted(command);
    let results = [0; 3].map(|_| peer.call("echo", &json!({"text": "hi"})));
    assert_eq!(results.each_ref().map(|result| result["isError"] == true), [false, false, true], "{results:?}");
}

/// In a program with hooks of its own, which links those of a library too: its own run, and rules name any of them.
#[test]
fn rules_name_the_hooks_of_an_own_program() {
    let guards = |rules: &str| {
        let (folder, program) = with_rules(rules, true);
        let mut command = Command::new(example("guards"));
        command.args(program.get_args()).env("XDG_CONFIG_HOME", folder.path());
        (folder, command)
    };
    for (hook, masked) in [(r#""mask""#, "ada@example.com *** and"), (r#""mask_pii""#, "[email] *** and")] {
        if cfg!(not(feature = "prebuilt")) && hook.contains("pii") {
            continue;
        }
        let rules = format!(r#"{{"hooks":{{"PostToolUse":[{{"hooks":[{{"type":"hook","id":{hook}}}]}}]}}}}"#);
        let (_folder, command) = guards(&rules);
        let mut peer = Peer::greeted(command);
        let result = peer.call("echo", &json!({"text": "ada@example.com s3cret and"}));
        assert_eq!(result["content"][0]["text"], masked, "{hook}");
        assert_eq!(peer.call("delete", &json!({}))["content"][0]["text"], "Denied: nothing is deleted here", "{hook}");
    }
    let (_folder, mut command) = guards(r#"{"hooks":{"PostToolUse":[{"hooks":[{"type":"hook","id":"maks"}]}]}}"#);
    let stderr = String::from_utf8(command.output().unwrap().stderr).unwrap();
    assert!(stderr.contains("did you mean `mask`?"), "{stderr}");
}

/// Nobody else tells the person that a guard has not judged.
#[test]
fn what_rules_say_to_the_person_is_told() {
    let rule =
        |matcher: &str, command: &str| json!({"matcher": matcher, "hooks": [{"type": "command", "command": command}]});
    let rules = json!({"hooks": {
        "PreToolUse": [
            rule("mcp__desk__echo", "echo it broke >&2; exit 1"),
            rule("mcp__desk__add", r#"echo '{"systemMessage": "the sum\u001b[31m is known"}'"#),
        ],
        "PostToolUse": [rule("mcp__desk__delete", "echo no mask >&2; exit 1")],
    }});
    let (folder, mut command) = with_rules(&rules.to_string(), true);
    let told = folder.path().join("told");
    let mut peer = Peer::greeted_with(&mut command, fs::File::create(&told).unwrap().into());
    for tool in ["echo", "add", "delete"] {
        peer.call(tool, &json!({"text": "hi"}));
    }
    peer.end();
    let told = fs::read_to_string(told).unwrap();
    for expected in [
        "PreToolUse hook error: pre_tool_use_",
        "it broke",
        "the sum [31m is known",
        "PostToolUse hook error: ",
        "no mask",
    ] {
        assert!(told.contains(expected), "{expected}: {told}");
    }
}

/// A tool that is misspelt would be one without a guard. Rules for other servers may stand beside it.
#[test]
fn a_rule_that_names_no_tool_of_the_server_is_told_when_it_lists_them() {
    let deny = |matcher: &str| json!({"matcher": matcher, "hooks": [{"type": "command", "command": "exit 2"}]});
    let of = ["mcp__desk__delte", "mcp__desk__remove.*", "mcp__desk__delete", "mcp__mail__send", "Bash"].map(deny);
    let (folder, mut command) = with_rules(&json!({"hooks": {"PreToolUse": of}}).to_string(), true);
    let told = folder.path().join("told");
    let mut peer = Peer::greeted_with(&mut command, fs::File::create(&told).unwrap().into());
    for _ in 0..2 {
        peer.request(&json!(1), "tools/list", &json!({}));
    }
    peer.end();
    let told = fs::read_to_string(told).unwrap();
    let lines: Vec<&str> = told.lines().collect();
    assert!(lines.len() == 2 && lines[0].contains("`mcp__desk__delte`"), "{told}");
    assert!(lines[1].contains("`mcp__desk__remove.*`"), "{told}");
}

/// The same in the parameters of a hook, also of a tool that is named without its server.
#[cfg(feature = "prebuilt")]
#[test]
fn a_parameter_that_names_no_tool_of_the_server_is_told_when_it_lists_them() {
    let tools = ["mcp__desk__ehco", "mcp__desk__remove", "mcp__desk__echo", "mcp__mail__send", "delete", "Bash"];
    let with: Value =
        tools.iter().map(|tool| ((*tool).to_owned(), json!("deny"))).collect::<serde_json::Map<_, _>>().into();
    let rules = json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "hook", "id": "ask_for", "with": with}]}]}});
    let (folder, mut command) = with_rules(&rules.to_string(), true);
    let told = folder.path().join("told");
    let mut peer = Peer::greeted_with(&mut command, fs::File::create(&told).unwrap().into());
    peer.request(&json!(1), "tools/list", &json!({}));
    peer.end();
    let told = fs::read_to_string(told).unwrap();
    let mut lines: Vec<&str> = told.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines.len(), 3, "{told}");
    for (line, expected) in lines.iter().zip(["`delete`", "`mcp__desk__ehco`", "`mcp__desk__remove`"]) {
        assert!(
            line.contains(&format!("the parameters of `ask_for`: no tool of this program is called {expected}")),
            "{told}"
        );
    }
    assert!(told.contains("write `mcp__desk__echo`") && told.contains("write `mcp__desk__delete`"), "{told}");
}

/// Rules that judge no result leave one alone that they could not read.
#[test]
fn a_result_that_no_rule_judges_passes_in_any_form() {
    for odd in
        [r#""content":[{"type":"text","text":"a"}],"content":7"#, r#""content":7"#, r#""content":[{"type":"text"}]"#]
    {
        no_rule_judges(&format!(r#"{{"jsonrpc":"2.0","id":7,"result":{{{odd}}}}}"#));
    }
}

fn no_rule_judges(odd: &str) {
    let (folder, guard) = with_rules(RULES, true);
    let mut command = Command::new(guard.get_program());
    command.args(["--name", "desk", "--rules"]).arg(folder.path().join("hooks.json"));
    command.args(["--", "sh", "-c", "read line; printf '%s\\n' \"$1\"; cat >/dev/null", "sh", odd]);
    let mut peer = Peer::start({
        command.env("XDG_CONFIG_HOME", folder.path());
        command
    });
    peer.send(br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo"}}"#);
    assert_eq!(peer.line().unwrap(), format!("{odd}\n").as_bytes());
}

/// A structured result that a rule replaces keeps its structure, without which clients with a schema refuse it. What has not
/// its shape is an error, which they read.
#[test]
fn a_rule_that_masks_a_structured_result_leaves_a_structure_or_an_error() {
    for (masked, structured) in [
        (r#"{"key": "***", "list": [1, 2.5, null]}"#, json!({"key": "***", "list": [1, 2.5, null]})),
        (
            r#"{"content": [{"type": "text", "text": "see ***"}], "structuredContent": {"key": "***", "list": [1, 2.5, null]}}"#,
            json!({"key": "***", "list": [1, 2.5, null]}),
        ),
        (r#"{"key": "***"}"#, json!(null)),
        (r#""***""#, json!(null)),
    ] {
        let answer =
            format!(r#"{{"hookSpecificOutput": {{"hookEventName": "PostToolUse", "updatedToolOutput": {masked}}}}}"#);
        let rules = json!({"hooks": {"PostToolUse": [{"hooks": [
            {"type": "command", "command": format!("echo '{answer}'"), "onFailure": "block"}]}]}});
        let (_folder, command) = with_rules(&rules.to_string(), true);
        let mut peer = Peer::greeted(command);
        let result = peer.call("structured", &json!({"text": "s3cret"}));
        assert_eq!(result["structuredContent"], structured, "{result}");
        assert_eq!(result["isError"], structured.is_null(), "{result}");
        assert!(result["content"][0]["text"].as_str().unwrap().contains("***"), "{result}");
    }
}

/// The process of a rule does not outlive the guard.
#[cfg(target_os = "linux")]
#[test]
fn a_guard_that_is_told_to_end_ends_the_processes_of_its_rules() {
    use std::time::{Duration, Instant};

    let rules = json!({"hooks": {"PreToolUse": [{"hooks": [
        {"type": "command", "command": "echo $$ > \"$HOOK_PID.new\" && mv \"$HOOK_PID.new\" \"$HOOK_PID\"; sleep 600"}]}]}});
    let (folder, mut command) = with_rules(&rules.to_string(), true);
    let file = folder.path().join("pid");
    let mut peer = Peer::greeted({
        command.env("HOOK_PID", &file);
        command
    });
    peer.send(br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"}}}"#);
    let pid = loop {
        match fs::read_to_string(&file) {
            Ok(pid) => break pid,
            Err(_) => std::thread::yield_now(),
        }
    };
    assert!(Command::new("kill").args(["-TERM", &peer.id().to_string()]).status().unwrap().success());
    let _ = peer.end();
    // A process that was killed ends a moment later.
    let start = Instant::now();
    loop {
        let state = fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
        if state.is_empty() || state.contains(") Z ") {
            break;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "{state}");
        std::thread::yield_now();
    }
}
