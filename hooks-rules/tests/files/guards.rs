//! Guards that cannot guard are reported when the file is read.

use super::*;

/// A permission rule as a matcher never matches. The report says where it belongs.
#[test]
fn a_permission_rule_in_the_matcher_is_reported() {
    let file = read(&around(&json!({"matcher": "Bash(git *)", "hooks": [{"type": "command", "command": "x"}]})));
    assert!(
        warnings(&file)[0].contains("write the tool as matcher, and `\"if\": \"Bash(git *)\"`"),
        "{:?}",
        file.defects
    );
}

/// Guards that never run, or that the dispatch does not wait for, are reported when the file is read.
#[test]
fn a_guard_that_selects_nothing_or_is_detached_is_reported() {
    let command = |fields: Value| {
        let mut handler = json!({"type": "command", "command": "x"});
        handler.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        handler
    };
    for (matcher, fields, reported) in [
        ("mcp__github", json!({}), "it names a server; write `mcp__github__.*`"),
        ("Bash;Edit", json!({}), "no tool has `;` in its name"),
        ("tool == \"Bash\"", json!({}), "no tool has `=` in its name"),
        ("!Read", json!({}), "no tool has `!` in its name"),
        ("Bash", json!({"if": "Edit(*.ts)"}), "does not select the tool of `Edit(*.ts)`"),
        ("Bash", json!({"if": "Shell(rm *)"}), "does not select the tool of `Shell(rm *)`"),
        ("Bash", json!({"if": "mcp__x"}), "does not select the tool of `mcp__x`"),
        ("*", json!({"if": "xBash(rm *)"}), "write `Bash`"),
        ("", json!({"if": "Reed(a)"}), "runs for every call; write `Read`"),
        ("Edit|Write", json!({"if": "Bash(git *)"}), "does not select the tool of `Bash(git *)`"),
        (
            "Bash",
            json!({"if": ["Bash(rm *)"]}),
            "is not one permission rule: it is a list; until then this handler runs",
        ),
        (
            "Bash",
            json!({"if": {"tool": "Bash"}}),
            "until then this handler runs for every call that its matcher selects",
        ),
        ("Bash", json!({"if": true}), "until then this handler runs for every call that its matcher selects"),
    ] {
        let file = read(&around(&json!({"matcher": matcher, "hooks": [command(fields)]})));
        assert!(warnings(&file).iter().any(|warning| warning.contains(reported)), "{matcher}: {:?}", warnings(&file));
        assert_eq!(errors(&file), Vec::<String>::new());
    }
    // In a flat file, too.
    for (matcher, filter, reported, runs_for_all) in [
        (json!({"tool_name": "Bash"}), "Edit(*.ts)", "does not select the tool of `Edit(*.ts)`", false),
        (json!({}), "Reed(a)", "runs for every call; write `Read`", true),
    ] {
        let handler = command(json!({"if": filter, "matcher": matcher}));
        let file = read(&json!({"hooks": {"PreToolUse": [handler]}}).to_string());
        assert!(warnings(&file).iter().any(|warning| warning.contains(reported)), "{filter}: {:?}", warnings(&file));
        assert_eq!(file.rules[0].filter.is_none(), runs_for_all, "{filter}");
    }
    // A mistake is one error.
    let file = read(&around(&json!({"matcher": "Bash", "hooks": [command(json!({"asyncRewake": "x"}))]})));
    assert_eq!(errors(&file).len(), 1, "{:?}", file.defects);
    // It says that it guards, so that a program for which a guard counts does not start with it.
    let detached = command(json!({"async": true, "onFailure": "block"}));
    let file = read(&around(&json!({"matcher": "Bash", "hooks": [detached]})));
    assert!(errors(&file)[0].contains("`onFailure` has no effect"), "{:?}", file.defects);
    for (matcher, fields) in [
        ("mcp__github__.*", json!({})),
        ("mcp__.*__(read|write)", json!({"if": "mcp__github"})),
        ("Bash", json!({"if": "Bash(git *)"})),
        ("run_shell_command", json!({"if": "Bash(git *)"})),
        ("Edit|Write", json!({"if": "Edit(*.ts)"})),
        ("Write", json!({"if": "Edit(*.ts)"})),
        ("", json!({"if": "Bash(git *)"})),
        ("deploy", json!({"if": "deploy"})),
        ("mcp__github__get|shop_get", json!({"if": "mcp__github"})),
        ("*", json!({"if": "mcp__x(a:b)"})),
        ("*", json!({"if": "deploy(a)"})),
        ("*", json!({"if": "read_file(a)"})),
        ("*", json!({"if": "bash(rm *)"})),
        ("[^!]*", json!({"async": true})),
    ] {
        let file = read(&around(&json!({"matcher": matcher, "hooks": [command(fields)]})));
        assert_eq!(warnings(&file), Vec::<String>::new(), "{matcher}");
    }
}

/// A guard whose filter is invalid runs for every call.
#[test]
fn an_invalid_filter_disables_no_guard() {
    let file = read(&around(&json!({"hooks": [{"type": "command", "command": "x", "if": "Bash(a) || Bash(b"}]})));
    let rule = file.rules.iter().find(|rule| rule.summary() == "x").unwrap();
    assert!(rule.filter.is_none());
    assert!(warnings(&file)[0].contains("is not one permission rule"), "{:?}", file.defects);
}

/// By the contract, these fields belong to a handler, and the matcher to its group.
#[test]
fn a_field_of_a_handler_on_a_group_is_reported_with_its_place() {
    for (key, value, effect) in [
        ("if", json!("Bash(git push *)"), "so its handlers run for every call"),
        ("onFailure", json!("block"), "so a failure of its handlers does not block"),
        ("timeout", json!(5), "so its handlers have their own timeouts"),
        ("async", json!(true), "so its handlers are waited for"),
    ] {
        let mut group = json!({"matcher": "Bash", "hooks": [{"type": "command", "command": "x"}]});
        group[key] = value;
        let file = read(&around(&group));
        assert_eq!((file.rules.len(), file.defects.len()), (3, 1), "{:?}", file.defects);
        let warning = &warnings(&file)[0];
        assert!(warning.starts_with(&format!("`{key}` belongs to a handler")), "{warning}");
        assert!(warning.contains(effect) && warning.contains(&format!("\"{key}\": …")), "{warning}");
    }
    let handler = json!({"type": "command", "command": "x", "matcher": "Edit"});
    let file = read(&around(&json!({"matcher": "Bash", "hooks": [handler]})));
    assert!(warnings(&file)[0].starts_with("`matcher` belongs to the group"), "{:?}", file.defects);
}
