//! Files as people write them: a defect affects only what it marks, and is reported with its position.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of tests are tests too")]

use std::time::Duration;

use hooks_rules::{Action, Dialect, Event, RuleFile, Severity, Shell};
use proptest::prelude::*;
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
fn a_defect_costs_its_group_and_no_other() {
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
        assert_eq!(commands, ["A", "B"], "{group}");
        let errors = errors(&file);
        assert!(errors.len() == 1 && errors[0].contains(problem), "{group}: {errors:?}");
    }
}

#[test]
fn a_bad_handler_costs_no_other_of_its_group() {
    let file = read(&around(&json!({"hooks": [{"type": "nonsense"}, {"type": "command", "command": "C"}]})));
    assert_eq!(file.rules.len(), 3);
}

/// A guard with the default timeout is better than no guard.
#[test]
fn timeouts_are_in_seconds_and_never_cost_a_rule() {
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
    for (event, millis) in usual {
        assert_eq!((timeout(event, Dialect::Claude), timeout(event, Dialect::Agentao)), (millis, 60_000), "{event}");
    }
}

#[test]
fn the_form_of_a_file_is_that_of_its_entries() {
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
fn prompt_means_text_in_one_form_and_a_question_in_the_other() {
    let flat = read(r#"{"hooks": {"UserPromptSubmit": [{"type": "prompt", "prompt": "p"}]}}"#);
    assert!(matches!(&flat.rules[0].action, Action::Text(text) if text == "p"));
    let nested = read(r#"{"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "prompt", "prompt": "p"}]}]}}"#);
    assert!(matches!(&nested.rules[0].action, Action::Judge(question) if question.prompt == "p"));
}

#[test]
fn types_that_an_event_does_not_take_are_refused() {
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
}

/// Events that nothing fires here, events of other systems, and typos.
#[test]
fn events_that_are_unknown_or_not_fired_are_reported_and_cost_nothing() {
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
fn keys_that_nobody_knows_are_ignored() {
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
fn what_people_write_though_it_is_not_json_is_read_and_reported() {
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
fn a_text_that_is_not_json_is_reported_with_its_place() {
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
fn a_defect_shows_its_line_with_a_mark() {
    let text = "{\"hooks\": {\n  \"Stop\": [\n    {\"hooks\": [{\"type\": \"comand\"}]}\n  ]\n}}";
    let shown = read(text).defects[0].to_string();
    let expected = "\
error: there is no type `comand`
 --> hooks.json:3:25
  |
3 |     {\"hooks\": [{\"type\": \"comand\"}]}
  |                         ^^^^^^^^
  = help: write `command`, `http`, `prompt`, or `hook`";
    assert_eq!(shown, expected);
}

/// Excerpts of long lines are truncated, and only the first of many defects are shown.
#[test]
fn a_large_file_is_read_and_its_defects_are_bounded() {
    let group = r#"{"matcher": {"tool": "x"}, "hooks": [{"type": "command", "command": "x"}]},"#;
    let good = r#"{"hooks": [{"type": "command", "command": "x"}]}"#;
    let many = group.repeat(10 * 1024 * 1024 / group.len());
    let file = read(&format!("{{\"hooks\": {{\"PreToolUse\": [{many}{good}]}}}}"));
    assert_eq!((file.rules.len(), file.defects.len()), (1, 101));
    assert!(file.defects.iter().all(|defect| defect.to_string().len() < 1_000));
    assert!(file.defects[100].problem.contains("more defects are not shown"));
}

/// Content above the limits is reported and not parsed, so that neither time nor memory is unbounded.
#[test]
fn a_file_of_very_many_rules_is_bounded() {
    let good = r#"{"hooks": [{"type": "command", "command": "x"}]}"#;
    let many = vec![good; 10_002].join(",");
    let file = read(&format!(r#"{{"hooks": {{"PreToolUse": [{many}], "Stop": [{good}]}}}}"#));
    assert_eq!((file.rules.len(), file.defects.len()), (10_000, 1));
    assert!(errors(&file)[0].contains("at most 10000 rules"), "{:?}", file.defects);
    let place = format!(r#"{{"hooks": {{"PreToolUse": [{}"#, format!("{good},").repeat(10_000));
    assert_eq!(file.defects[0].column, place.chars().count() + 1);
}

/// It would be stored once for every rule of its group.
#[test]
fn a_matcher_as_large_as_a_file_is_refused() {
    for matcher in [json!("A|".repeat(6_000)), json!(vec!["A"; 20_000]), json!({"tool_name": "B".repeat(10_001)})] {
        let file = read(&around(&json!({"matcher": matcher, "hooks": [{"type": "command", "command": "x"}]})));
        assert_eq!(file.rules.len(), 2);
        assert!(errors(&file)[0].contains("longer than 10000 bytes"), "{:?}", errors(&file));
    }
}

/// Quotes of the file in defects are truncated.
#[test]
fn the_words_for_a_defect_are_bounded() {
    let long = "x".repeat(100_000);
    for group in [
        json!({"hooks": [{"type": long}]}),
        json!({"hooks": [{"type": "command", "command": "x", "shell": long, "onFailure": long, "if": format!("{long} {long}")}]}),
        json!({"matcher": format!("{}(*)", "y".repeat(9_000)), "hooks": []}),
    ] {
        let file = read(&around(&group));
        assert!(
            !file.defects.is_empty() && file.defects.iter().all(|defect| defect.to_string().len() < 2_000),
            "{file:?}"
        );
    }
    let file = read(&json!({"hooks": {long: []}}).to_string());
    assert!(file.defects[0].to_string().len() < 2_000);
}

/// The severity of the note is that of the omitted defects.
#[test]
fn very_many_warnings_are_still_warnings() {
    let file = read(&format!("{{\"hooks\": {{}}}}{}", "//\n".repeat(200)));
    assert_eq!(file.defects.len(), 101);
    assert_eq!(errors(&file), Vec::<String>::new());
}

#[test]
fn a_file_that_nests_too_deeply_is_refused() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let deep = format!("{{\"hooks\": {}1{}}}", open.repeat(100_000), close.repeat(100_000));
        let file = read(&deep);
        assert!(file.rules.is_empty() && errors(&file)[0].contains("nested more than 100 deep"));
    }
}

#[test]
fn shells_are_named_as_in_the_contract() {
    for (word, shell) in [("bash", Shell::Sh), ("powershell", Shell::PowerShell)] {
        let file = read(&around(&json!({"hooks": [{"type": "command", "command": "x", "shell": word}]})));
        assert!(matches!(&file.rules[1].action, Action::Command(line) if line.shell == shell));
    }
}

/// A permission rule as a matcher never matches; authors are told where it belongs.
#[test]
fn a_permission_rule_in_the_matcher_is_reported() {
    let file = read(&around(&json!({"matcher": "Bash(git *)", "hooks": [{"type": "command", "command": "x"}]})));
    assert!(
        warnings(&file)[0].contains("write the tool as matcher, and `\"if\": \"Bash(git *)\"`"),
        "{:?}",
        file.defects
    );
}

/// Guards that never run, or that nobody waits for, are told before anybody relies on them.
#[test]
fn a_guard_that_selects_nothing_or_is_not_waited_for_is_told() {
    let command = |fields: Value| {
        let mut handler = json!({"type": "command", "command": "x"});
        handler.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        handler
    };
    for (matcher, fields, told) in [
        ("mcp__github", json!({}), "it names a server; write `mcp__github__.*`"),
        ("Bash;Edit", json!({}), "no tool has `;` in its name"),
        ("tool == \"Bash\"", json!({}), "no tool has `=` in its name"),
        ("!Read", json!({}), "no tool has `!` in its name"),
        ("Bash", json!({"if": "Edit(*.ts)"}), "does not select the tool of `Edit(*.ts)`"),
        ("Edit|Write", json!({"if": "Bash(git *)"}), "does not select the tool of `Bash(git *)`"),
        ("Bash", json!({"async": true, "onFailure": "block"}), "`onFailure` has no effect"),
    ] {
        let file = read(&around(&json!({"matcher": matcher, "hooks": [command(fields)]})));
        assert!(warnings(&file).iter().any(|warning| warning.contains(told)), "{matcher}: {:?}", warnings(&file));
        assert_eq!(errors(&file), Vec::<String>::new());
    }
    for (matcher, fields) in [
        ("mcp__github__.*", json!({})),
        ("mcp__.*__(read|write)", json!({"if": "mcp__github"})),
        ("Bash", json!({"if": "Bash(git *)"})),
        ("run_shell_command", json!({"if": "Bash(git *)"})),
        ("Edit|Write", json!({"if": "Edit(*.ts)"})),
        ("Write", json!({"if": "Edit(*.ts)"})),
        ("", json!({"if": "Bash(git *)"})),
        ("deploy", json!({"if": "deploy"})),
        ("[^!]*", json!({"async": true})),
    ] {
        let file = read(&around(&json!({"matcher": matcher, "hooks": [command(fields)]})));
        assert_eq!(warnings(&file), Vec::<String>::new(), "{matcher}");
    }
}

proptest! {
    /// Any content is parsed without a panic.
    #[test]
    fn no_text_panics(text in "[\\{\\}\\[\\]\":,/*a-z0-9 \n\\\\é]{0,60}") {
        let _ = read(&text);
        let _ = read(&format!("{{\"hooks\": {{\"Stop\": [{text}]}}}}"));
    }

    /// Positions are correct for long lines and wide characters.
    #[test]
    fn places_are_counted_in_characters(before in "[aé漢🙂\\n]{0,3000}", mark in any::<bool>()) {
        let comment = before.replace('\n', "\n// ");
        let text = format!("{}// {comment}\n{{\"hooks\": [\"{}\"], é}}", if mark { "\u{feff}" } else { "" }, before.replace('\n', " "));
        let file = read(&text);
        let defect = file.defects.iter().find(|defect| defect.severity == Severity::Error).unwrap();
        let line = text.lines().nth(defect.line - 1).unwrap();
        prop_assert_eq!(line.chars().nth(defect.column - 1), Some('é'), "{}", defect);
        prop_assert!(line.ends_with("é}"), "{}", line);
    }

    /// A file that was truncated anywhere is reported once, with a position inside it.
    #[test]
    fn a_file_cut_off_anywhere_is_reported(at in any::<prop::sample::Index>()) {
        let text = around(&json!({"matcher": "é|B", "hooks": [{"type": "command", "command": "x\n\\y"}]}));
        let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        let at = *at.get(&starts);
        let file = read(&text[..at]);
        prop_assert_eq!((file.rules.len(), file.defects.len(), file.readable), (0, 1, false));
        prop_assert!(file.defects[0].column <= text.chars().count() + 1);
    }
}

/// A filter that is not understood runs the guard.
#[test]
fn a_filter_that_is_invalid_costs_no_guard() {
    let file = read(&around(&json!({"hooks": [{"type": "command", "command": "x", "if": "Bash(a) || Bash(b"}]})));
    let rule = file.rules.iter().find(|rule| rule.summary() == "x").unwrap();
    assert!(rule.filter.is_none());
    assert!(warnings(&file)[0].contains("is not one permission rule"), "{:?}", file.defects);
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
fn settings_are_nested_whatever_they_lack_and_what_could_be_either_is_reported() {
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
    assert!(warnings(&either)[0].contains("exit code 2 denies nothing"), "{:?}", either.defects);
    let said = RuleFile::read_as("hooks.json", flat, Some(Dialect::Agentao));
    let sign =
        read(&flat.replace(r#""command": "exit 2""#, r#""command": "exit 2", "matcher": {"tool_name": "Bash"}"#));
    assert!(said.defects.is_empty() && sign.defects.is_empty(), "{:?} {:?}", said.defects, sign.defects);
}
