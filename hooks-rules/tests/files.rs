//! Files as people write them: a defect affects only what it marks, and is reported with its position.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of tests are tests too")]

mod bounds;
mod guards;

use std::time::Duration;

use hooks_rules::{Action, Dialect, Event, RuleFile, Severity, Shell};
use serde_json::{Value, json};

fn read(text: &str) -> RuleFile {
    RuleFile::read("hooks.json", text)
}

/// A nested file with `group` between two correct groups.
fn around(group: &Value) -> String {
    let good = |name: &str| json!({"matcher": name, "hooks": [{"type": "command", "command": name}]});
    json!({"hooks": {"PreToolUse": [good("A"), group, good("B")]}}).to_string()
}

fn errors(file: &RuleFile) -> Vec<String> {
    let errors = file.defects.iter().filter(|defect| defect.severity == Severity::Error);
    errors.map(|defect| defect.problem.clone()).collect()
}

fn warnings(file: &RuleFile) -> Vec<String> {
    let warnings = file.defects.iter().filter(|defect| defect.severity == Severity::Warning);
    warnings.map(|defect| format!("{}; {}", defect.problem, defect.help)).collect()
}

#[test]
fn a_defect_disables_only_its_group() {
    let handler = |fields: Value| json!({"hooks": [fields]});
    let table: Vec<(Value, &str)> = vec![
        (json!("a string"), "a group is an object, not a string"),
        (json!(7), "a group is an object, not a number"),
        (json!({"type": "command", "command": "x"}), "this group has no inner `hooks` list"),
        (json!({"hooks": {}}), "the inner `hooks` is a list of handlers, not an object"),
        (
            json!({"matcher": {"tool_name": "Bash"}, "hooks": []}),
            "a matcher in nested groups is a string, not an object",
        ),
        (json!({"matcher": 7, "hooks": []}), "a matcher in nested groups is a string, not a number"),
        (json!({"matcher": "(?!x).", "hooks": []}), "uses look-around"),
        (json!({"matcher": "Bash\n", "hooks": []}), "contains a control character"),
        (json!({"matcher": "[x", "hooks": []}), "is not a regular expression"),
        (json!({"hooks": ["x"]}), "a handler is an object, not a string"),
        (handler(json!({})), "a handler needs `type`"),
        (handler(json!({"type": "comand"})), "there is no type `comand`"),
        (handler(json!({"type": 5})), "`type` is a string, not a number"),
        (handler(json!({"type": "command"})), "a handler of the type `command` needs `command`"),
        (handler(json!({"type": "command", "command": " "})), "`command` is empty"),
        (handler(json!({"type": "command", "command": "echo a\0b"})), "`command` contains the character NUL"),
        (
            handler(json!({"type": "command", "command": "x", "args": ["a", "b\0"]})),
            "`args` contains the character NUL",
        ),
        (handler(json!({"type": "command", "command": "x".repeat(100_001)})), "`command` is longer than 100000 bytes"),
        (handler(json!({"type": "command", "command": ["x"]})), "`command` is a string, not a list"),
        (handler(json!({"type": "command", "command": "x", "args": "y"})), "`args` is a list of strings"),
        (handler(json!({"type": "command", "command": "x", "shell": "fish"})), "there is no shell `fish`"),
        (handler(json!({"type": "command", "command": "x ${user_config.A}"})), "is not expanded in a shell command"),
        (handler(json!({"type": "command", "command": "x", "async": "yes"})), "`async` is true or false, not a string"),
        (handler(json!({"type": "command", "command": "x", "onFailure": "stop"})), "there is no `stop` here"),
        (handler(json!({"type": "http"})), "a handler of the type `http` needs `url`"),
        (handler(json!({"type": "http", "url": "x", "headers": []})), "`headers` maps names to strings"),
        (handler(json!({"type": "prompt"})), "a handler of the type `prompt` needs `prompt`"),
        (handler(json!({"type": "hook"})), "a handler of the type `hook` needs `id`"),
        (handler(json!({"type": "agent", "prompt": "x"})), "handlers of the type `agent` are not supported here"),
        (handler(json!({"type": "mcp_tool", "server": "x"})), "handlers of the type `mcp_tool` are not supported here"),
    ];
    for (group, problem) in table {
        let file = read(&around(&group));
        let commands: Vec<_> = file.rules.iter().map(hooks_rules::Rule::summary).collect();
        // One that another program can run is listed as what it is.
        let others: Vec<_> = commands.iter().filter(|text| !["A", "B"].contains(&text.as_str())).collect();
        assert_eq!(others.len(), usize::from(problem.contains("not supported here")), "{group}: {commands:?}");
        assert_eq!(commands.len() - others.len(), 2, "{group}");
        let errors = errors(&file);
        assert!(errors.len() == 1 && errors[0].contains(problem), "{group}: {errors:?}");
    }
}

#[test]
fn an_invalid_handler_disables_no_other_handler_of_its_group() {
    let file = read(&around(&json!({"hooks": [{"type": "nonsense"}, {"type": "command", "command": "C"}]})));
    assert_eq!(file.rules.len(), 3);
}

/// A guard with the default timeout is better than no guard.
#[test]
fn timeouts_are_in_seconds_and_an_invalid_one_keeps_its_rule() {
    let table = [
        (json!(30), 30.0, ""),
        (json!(0.5), 0.5, ""),
        (json!(10000), 3600.0, "write `\"timeout\": 10` if it was meant in milliseconds"),
        (json!(1e300), 3600.0, "is more than 3600"),
        (json!(0), 600.0, "a number of seconds above 0"),
        (json!(-5), 600.0, "a number of seconds above 0"),
        (json!("30"), 600.0, "a number of seconds above 0"),
        (json!(null), 600.0, "a number of seconds above 0"),
    ];
    for (written, seconds, warning) in table {
        let file = read(&around(&json!({"hooks": [{"type": "command", "command": "x", "timeout": written}]})));
        assert_eq!(file.rules[1].timeout, Duration::from_secs_f64(seconds), "{written}");
        let warnings = warnings(&file);
        assert_eq!(warnings.len(), usize::from(!warning.is_empty()), "{written}");
        assert!(warnings.iter().all(|observed| observed.contains(warning)), "{warnings:?}");
    }
    let timeout = |event: &str, dialect| {
        let flat = json!({"hooks": {event: [{"type": "command", "command": "x"}]}});
        let nested = json!({"hooks": {event: [{"hooks": [{"type": "command", "command": "x"}]}]}});
        let text = if dialect == Dialect::Claude { nested } else { flat };
        read(&text.to_string()).rules[0].timeout.as_millis()
    };
    let usual = [("PreToolUse", 600_000), ("UserPromptSubmit", 30_000), ("SessionEnd", 1_500)];
    // Flat files have no such events.
    for (event, millis) in [("PreModelSwitch", 30_000), ("PostModelSwitch", 30_000), ("MessageDisplay", 10_000)] {
        assert_eq!(timeout(event, Dialect::Claude), millis, "{event}");
    }
    for (event, millis) in usual {
        assert_eq!((timeout(event, Dialect::Claude), timeout(event, Dialect::Agentao)), (millis, 60_000), "{event}");
    }
    let ends = read(r#"{"hooks": {"SessionEnd": [{"hooks": [{"type": "command", "command": "x", "timeout": 90}]}]}}"#);
    assert_eq!(ends.rules[0].timeout, Duration::from_secs(60), "at most");
    let asks = read(r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "prompt", "prompt": "p"}]}]}}"#);
    assert_eq!(asks.rules[0].timeout, Duration::from_secs(30), "of a question to a model");
}

#[test]
fn the_dialect_of_a_file_is_that_of_its_entries() {
    let nested = json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}});
    let flat = json!({"hooks": {"Stop": [{"type": "command", "command": "x"}]}});
    let single = json!({"hooks": {"Stop": {"type": "command", "command": "x"}}});
    let mixed = json!({"hooks": {
        "SessionEnd": [{"type": "command", "command": "y"}],
        "Stop": [{"hooks": [{"type": "command", "command": "x"}]}],
    }});
    let empty = json!({"permissions": {}});
    for (text, dialect, rules, defects) in [
        (nested, Dialect::Claude, 1, 0),
        (flat, Dialect::Agentao, 1, 1),
        (single, Dialect::Agentao, 1, 1),
        (mixed, Dialect::Claude, 1, 1),
        (empty, Dialect::Claude, 0, 0),
    ] {
        let file = read(&text.to_string());
        assert_eq!((file.dialect, file.rules.len(), file.defects.len()), (dialect, rules, defects), "{text}");
    }
}

#[test]
fn prompt_is_a_text_in_flat_files_and_a_question_in_nested_files() {
    let flat = read(r#"{"hooks": {"UserPromptSubmit": [{"type": "prompt", "prompt": "p"}]}}"#);
    assert!(matches!(&flat.rules[0].action, Action::Text(text) if text == "p"));
    let nested = read(r#"{"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "prompt", "prompt": "p"}]}]}}"#);
    assert!(matches!(&nested.rules[0].action, Action::Judge(question) if question.prompt == "p"));
}

#[test]
fn types_that_an_event_does_not_accept_are_errors() {
    let table = [
        (json!({"SessionStart": [{"hooks": [{"type": "prompt", "prompt": "p"}]}]}), "SessionStart"),
        (json!({"SessionStart": [{"hooks": [{"type": "http", "url": "u"}]}]}), "SessionStart"),
        (json!({"PreCompact": [{"hooks": [{"type": "prompt", "prompt": "p"}]}]}), "PreCompact"),
        (json!({"PreToolUse": [{"type": "prompt", "prompt": "p"}]}), "PreToolUse"),
        (json!({"PreToolUse": [{"type": "http", "url": "u"}]}), "PreToolUse"),
    ];
    for (hooks, event) in table {
        let file = read(&json!({"hooks": hooks}).to_string());
        assert!(file.rules.is_empty() && errors(&file)[0].contains(&format!("cannot be used at `{event}`")), "{hooks}");
    }
    let accepts = |event: Event, handler: Value| {
        read(&json!({"hooks": {event.as_str(): [{"hooks": [handler]}]}}).to_string()).rules.len() == 1
    };
    for event in Event::all() {
        assert!(accepts(event, json!({"type": "command", "command": "x"})), "{event}");
        assert!(accepts(event, json!({"type": "hook", "id": "x"})), "{event}");
        let is_start = matches!(event, Event::SessionStart | Event::Setup);
        assert_eq!(accepts(event, json!({"type": "http", "url": "http://x"})), !is_start, "{event}");
        let asks = event.is_of_a_tool() || matches!(event, Event::UserPromptSubmit | Event::Stop | Event::SubagentStop);
        let is_fired = event.spec().kind.is_some();
        assert!(!is_fired || accepts(event, json!({"type": "prompt", "prompt": "p"})) == asks, "{event}");
    }
}

/// Both dialects accept these fields.
#[test]
fn a_flat_handler_has_the_fields_of_a_nested_one() {
    for more in [
        json!({"if": "Bash(git *)", "timeout": 7, "onFailure": "block", "statusMessage": "working"}),
        json!({"async": true, "timeout": 0.5}),
        json!({}),
    ] {
        let mut handler = more.clone();
        handler["type"] = "command".into();
        handler["command"] = "x".into();
        let parsed = |dialect, entry: &Value| {
            let text = json!({"hooks": {"PreToolUse": [entry]}}).to_string();
            let file = RuleFile::read_as("hooks.json", &text, Some(dialect));
            assert!(file.defects.is_empty(), "{text}: {:?}", file.defects);
            let rule = &file.rules[0];
            let filter = rule.filter.as_ref().map(ToString::to_string);
            let written = rule.timeout_is_written.then_some(rule.timeout);
            (filter, written, rule.detached, rule.on_failure, rule.status_message.clone())
        };
        let flat = parsed(Dialect::Agentao, &handler);
        assert_eq!(flat, parsed(Dialect::Claude, &json!({"hooks": [handler]})));
        assert_eq!(flat.0.as_deref(), more.get("if").and_then(Value::as_str));
        assert_eq!(flat.1.map(|time| time.as_secs_f64()), more.get("timeout").and_then(Value::as_f64));
        assert_eq!((flat.2, flat.4.is_some()), (more.get("async").is_some(), more.get("statusMessage").is_some()));
    }
}

/// Events that nothing fires here, events of other systems, and typos.
#[test]
fn unknown_events_and_events_that_are_never_fired_are_reported_and_disable_nothing() {
    let list = json!([{"hooks": [{"type": "command", "command": "x"}]}]);
    for (name, observed) in [
        ("Notification", "no kind carries `Notification`"),
        ("preToolUse", "there is no event `preToolUse`; write `PreToolUse`"),
        ("BeforeTool", "`BeforeTool` is an event of Gemini CLI"),
        ("beforeShellExecution", "`beforeShellExecution` is an event of Cursor"),
        ("PostToolUs", "there is no event `PostToolUs`; write `PostToolUse`"),
        ("Zzz", "there is no event `Zzz`"),
    ] {
        let file = read(&json!({"hooks": {name: list, "Stop": list}}).to_string());
        assert!(file.rules.iter().any(|rule| rule.event == Event::Stop));
        assert!(warnings(&file)[0].contains(observed), "{:?}", warnings(&file));
    }
    let flat = read(
        r#"{"hooks": {"Notification": [{"type": "command", "command": "x"}], "Stop": [{"type": "command", "command": "x"}]}}"#,
    );
    assert_eq!((flat.rules.len(), errors(&flat).len()), (1, 1));
}

#[test]
fn unknown_keys_are_ignored() {
    let text = json!({"$schema": "s", "version": 2, "description": "d", "hooks": {"Stop": [{
        "// Description": "d", "id": "i", "description": "d",
        "hooks": [{"type": "command", "command": "x", "name": "n", "_comment": "c", "commandWindows": "w",
            "rewakeMessage": "m", "rewakeSummary": "s", "statusMessage": "working"}],
    }]}});
    let file = read(&text.to_string());
    assert!(file.defects.is_empty(), "{:?}", file.defects);
    assert_eq!(file.rules[0].status_message.as_deref(), Some("working"));
}

#[test]
fn comments_trailing_commas_and_byte_order_marks_are_accepted_and_reported() {
    let text = "\u{feff}{\n  // why\n  \"hooks\": { /* all of it */\n    \"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"x\"},]}],\n  }\n}\n";
    let file = read(text);
    assert_eq!(file.rules.len(), 1);
    let observed = warnings(&file);
    assert_eq!(observed.len(), 4, "{observed:?}");
    let twice =
        read(r#"{"hooks": {"Stop": [{"hooks": []}], "Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}"#);
    assert_eq!(twice.rules.len(), 1);
    assert!(warnings(&twice)[0].contains("the key `Stop` appears twice; only this one counts"));
}

#[test]
fn a_syntax_error_is_reported_with_its_position() {
    let table = [
        ("", 1, 1, "the file is empty"),
        ("\u{feff} \n", 2, 1, "the file is empty"),
        ("[]", 1, 1, "a file of rules is an object, not a list"),
        ("{\n  \"hooks\": {\n", 3, 1, "found the end of the file"),
        ("{\"hooks\" {}}", 1, 10, "found `{`"),
        ("{\"hooks\": {}} x", 1, 15, "text after the end of the object"),
        ("{\"hooks\": \"a\nb\"}", 1, 11, "this string is not JSON"),
        ("{\"hooks\": \"a", 1, 11, "this string is not terminated"),
        ("{\"hooks\": 'a'}", 1, 11, "found `\\'`"),
        ("{\"hooks\": tru}", 1, 11, "found `t`"),
        ("{\"é\": {}, x: 1}", 1, 11, "found `x`"),
        ("{\"hooks\": \"\\ud800\"}", 1, 11, "this string is not JSON"),
        ("{\"hooks\": []}", 1, 11, "`hooks` maps events to lists; this is a list"),
        ("{\"Stop\": []}", 1, 1, "the events are not under `hooks`"),
        ("{\"hooks\": {\"Stop\": 5}}", 1, 20, "`Stop` has a list of rules; this is a number"),
        ("/* open", 1, 1, "found `/`"),
        ("/*/ {}", 1, 1, "found `/`"),
        ("{\"hooks\": 1e999}", 1, 11, "this number is not JSON, or too large"),
    ];
    for (text, line, column, problem) in table {
        let file = read(text);
        assert!(file.rules.is_empty() && file.defects.len() == 1, "{text}: {:?}", file.defects);
        let defect = &file.defects[0];
        assert_eq!((defect.line, defect.column), (line, column), "{text}: {defect}");
        assert!(defect.problem.contains(problem), "{text}: {defect}");
    }
}

#[test]
fn shells_have_the_names_of_the_contract() {
    for (word, shell) in [("bash", Shell::Sh), ("powershell", Shell::PowerShell)] {
        let file = read(&around(&json!({"hooks": [{"type": "command", "command": "x", "shell": word}]})));
        assert!(matches!(&file.rules[1].action, Action::Command(line) if line.shell == shell));
    }
}

/// A flat file can omit the outer key, a nested one cannot.
#[test]
fn a_flat_file_without_the_outer_key_is_read() {
    let matcher =
        r#"{"$schema": "x", "PreToolUse": [{"type": "command", "command": "x", "matcher": {"tool_name": "Bash"}}]}"#;
    let file = read(matcher);
    assert_eq!((file.dialect, file.rules.len(), file.defects.len()), (Dialect::Agentao, 1, 0), "{:?}", file.defects);
    let nested = read(r#"{"PreToolUse": [{"hooks": [{"type": "command", "command": "x"}]}]}"#);
    assert!(nested.rules.is_empty() && errors(&nested)[0].contains("not under `hooks`"), "{:?}", nested.defects);
}

/// A missing inner list does not change the meaning of exit code 2.
#[test]
fn settings_files_are_read_as_nested_and_an_ambiguous_file_is_reported() {
    let flat = r#"{"hooks": {"PreToolUse": [{"type": "command", "command": "exit 2"}]}}"#;
    for name in [".claude/settings.json", "settings.local.json", "/home/me/.claude/hooks.json"] {
        let file = RuleFile::read(name, flat);
        assert_eq!((file.dialect, file.rules.len()), (Dialect::Claude, 0), "{name}");
        assert!(errors(&file)[0].contains("no inner `hooks` list"), "{:?}", file.defects);
    }
    let settings = RuleFile::read("x.json", &flat.replacen('{', r#"{"permissions": {}, "#, 1));
    assert_eq!(settings.dialect, Dialect::Claude);
    let either = read(flat);
    assert_eq!((either.dialect, either.rules.len()), (Dialect::Agentao, 1));
    assert!(warnings(&either)[0].contains("exit code 2 is a failure"), "{:?}", either.defects);
    let said = RuleFile::read_as("hooks.json", flat, Some(Dialect::Agentao));
    let sign =
        read(&flat.replace(r#""command": "exit 2""#, r#""command": "exit 2", "matcher": {"tool_name": "Bash"}"#));
    assert!(said.defects.is_empty() && sign.defects.is_empty(), "{:?} {:?}", said.defects, sign.defects);
}
