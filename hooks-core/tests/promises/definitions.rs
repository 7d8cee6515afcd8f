//! Bad input: an error in a definition is reported with its place and what was expected.

use super::support::*;

fn json(text: &str) -> String {
    match AgentDef::from_json("a.json", text) {
        Ok(agent) => format!("fine: {agent:?}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn json_that_is_not_a_definition_is_an_error() {
    let table = [
        ("", "a.json:1:1: EOF while parsing a value"),
        ("nonsense", "a.json:1:2: expected ident"),
        ("[]", "a.json:1:1: expected an agent: an object with `name` and `hooks`"),
        (" \n 7", "a.json:2:2: expected an agent: an object with `name` and `hooks`"),
        ("null", "a.json:1:1: expected an agent: an object with `name` and `hooks`"),
        ("{\"name\": \"x\",}", "a.json:1:14: trailing comma"),
        ("{\"name\": \"x\"\n  \"hooks\": []}", "a.json:2:3: expected `,` or `}`"),
        ("{\"name\": \"x\"} more", "a.json:1:15: trailing characters"),
        ("{\"name\": \"ü\", \"ü\": ü}", "a.json:1:20: expected value"),
        ("{\"näme\": \"ü\",\n \"ü\" \"ü\"}", "a.json:2:6: expected `:`"),
        ("{\"hook\": []}", "a.json:1:2: unknown field `hook`; did you mean `hooks`?"),
        ("{\"ü\": 1, \"Hooks\": []}", "a.json:1:10: unknown field `Hooks`; did you mean `hooks`?"),
        ("{\n\"hoks\": []}", "a.json:2:1: unknown field `hoks`; did you mean `hooks`?"),
        ("{\"hooks\": [], \"hooks\": []}", "a.json:1:15: the field `hooks` appears twice; keep one"),
        ("{\"name\": \"a\",\n\"name\": \"a\"}", "a.json:2:1: the field `name` appears twice; keep one"),
        ("{\"hooks\": [{\"id\": \"a\",\n\"id\": \"b\"}]}", "a.json:2:1: the field `id` appears twice; keep one"),
        (
            "{\"hooks\": [\"a\", {\"id\": \"b\", \"with\": {\"x\": [{\"y\": 1, \"y\": 2}]}}]}",
            "a.json:1:53: the field `y` appears twice; keep one",
        ),
        ("{\"name\": 7}", "a.json:1:10: expected the agent's `name` to be a string"),
        ("{\"name\": null}", "a.json:1:10: expected the agent's `name` to be a string"),
        ("{\"hooks\": \"a\"}", "a.json:1:11: expected `hooks` to be a list of ids, such as [\"redact_pii\"]"),
        ("{\"hooks\": {\"a\": 1}}", "a.json:1:11: expected `hooks` to be a list of ids, such as [\"redact_pii\"]"),
        ("{\"hooks\": false}", "a.json:1:11: expected `hooks` to be a list of ids, such as [\"redact_pii\"]"),
        (
            "{\"hooks\": [\"a\",\n  7]}",
            "a.json:2:3: expected a hook: its id as a string, or an object with `id`, and optionally `as` and `with`; found 7",
        ),
        (
            "{\"hooks\": [null]}",
            "a.json:1:12: expected a hook: its id as a string, or an object with `id`, and optionally `as` and `with`; found null",
        ),
        ("{\"hooks\": [{}]}", "a.json:1:12: missing field `id`"),
        ("{\"hooks\": [{\"id\": 7}]}", "a.json:1:12: invalid type: integer `7`, expected a string"),
        (
            "{\"hooks\": [{\"id\": \"a\", \"wiht\": 1}]}",
            "a.json:1:12: unknown field `wiht`, expected one of `id`, `as`, `with`",
        ),
    ];
    for (text, expected) in table {
        assert_eq!(json(text), expected, "{text}");
    }
    let prompt = PromptDef::from_json("p.json", "[]").unwrap_err().to_string();
    assert_eq!(prompt, "p.json:1:1: expected a prompt: an object with `name` and `hooks`");
}

/// `Ok` if the file is valid, otherwise the error.
#[test]
fn a_list_that_would_be_lost_is_refused_and_a_field_of_the_app_is_not() {
    let around = "the fields of the agent are inside `agent`; write them at the top level, without `agent` around them";
    let nearly = |field: &str| format!("unknown field `{field}`; did you mean `hooks`?");
    let inside =
        |field: &str| format!("`hooks` is inside `{field}`, where it has no effect; write it at the top level");
    let table = [
        (r#"{"agent": {"name": "x", "hooks": ["redact_pii"]}}"#, Some(around.to_owned())),
        (r#"{"agent": {"name": "x"}}"#, Some(around.to_owned())),
        (r#"{"hooks": [], "agent": {"hooks": ["redact_pii"]}}"#, Some(around.to_owned())),
        (r#"{"hooks": ["redact_pii"], "agent": {"model": "large"}}"#, None),
        (r#"{"agent": "support"}"#, None),
        (r#"{"prompt": {"hooks": ["redact_pii"]}}"#, Some(inside("prompt"))),
        (r#"{"name": "x", "config": [{"guards": {"hooks": [{"id": "redact_pii"}]}}]}"#, Some(inside("config"))),
        (r#"{"hooks": null, "agents": [{"name": "x", "hooks": []}]}"#, Some(inside("agents"))),
        (r#"{"hooks": [], "agents": [{"name": "x", "hooks": ["redact_pii"]}]}"#, None),
        (r#"{"git": {"hooks": ["pre-commit"]}, "claude": {"hooks": {"Stop": []}}}"#, None),
        (r#"{"hook": "redact_pii"}"#, Some(nearly("hook"))),
        (r#"{"HOOKS": [{"id": "redact_pii"}]}"#, Some(nearly("HOOKS"))),
        (r#"{"hookss": null}"#, Some(nearly("hookss"))),
        (r#"{"ohoks": ["redact_pii"]}"#, Some(nearly("ohoks"))),
        (r#"{"books": ["dune", "emma"]}"#, None),
        (r#"{"hook": "What a catch!"}"#, None),
        (r#"{"hooks": ["redact_pii"], "hook": ["a", "b"]}"#, None),
        (r#"{"hoods": 3, "hook": {"kind": "fishing"}}"#, None),
    ];
    for (text, problem) in table {
        let by_file = AgentDef::from_json("a.json", text).map(drop).map_err(|error| error.to_string());
        let by_serde = serde_json::from_str::<AgentDef>(text).map(drop).map_err(|error| error.to_string());
        for reported in [by_file, by_serde] {
            match &problem {
                None => assert_eq!(reported, Ok(()), "{text}"),
                Some(problem) => assert!(reported.unwrap_err().contains(problem.as_str()), "{text}"),
            }
        }
    }
}

#[cfg(feature = "toml")]
#[test]
fn a_table_around_an_agent_is_refused_and_a_date_is_its_text() {
    let error =
        AgentDef::from_toml("a.toml", "[agent]\nname = \"x\"\nhooks = [\"redact_pii\"]\n").unwrap_err().to_string();
    assert!(error.starts_with("a.toml:1:"), "{error}");
    assert!(error.ends_with("write them at the top level, without `agent` around them"), "{error}");
    let text = "hooks = [{id = \"a\", with = {from = 2026-01-02}}]\nsince = 1979-05-27T07:32:00Z\n[[opens]]\nat = 08:30:00\nbooks = [1.5, true, 3]\n";
    let agent = AgentDef::from_toml("a.toml", text).unwrap();
    let expected = serde_json::json!({
        "hooks": [{"id": "a", "with": {"from": "2026-01-02"}}],
        "name": "",
        "since": "1979-05-27T07:32:00Z",
        "opens": [{"at": "08:30:00", "books": [1.5, true, 3]}],
    });
    assert_eq!(serde_json::to_value(&agent).unwrap(), expected);
}

#[test]
fn fields_of_the_app_stay_and_null_is_no_list() {
    let agent = AgentDef::from_json("a.json", r#"{"name":"x","hooks":null,"model":"large","limits":{"a":1}}"#).unwrap();
    assert!(agent.hooks.is_none());
    assert_eq!((agent.extra["model"].as_str(), agent.extra["limits"]["a"].as_u64()), (Some("large"), Some(1)));
    assert!(AgentDef::from_json("a.json", "{}").unwrap().name.is_empty());
}

/// Serde knows no file to name, but a list must not be lost there either.
#[test]
fn a_field_that_is_nearly_hooks_is_refused_through_serde_too() {
    for field in ["hook", "Hooks", "hoks"] {
        let text = format!(r#"{{"name":"x","{field}":["redact_pii"]}}"#);
        let error = serde_json::from_str::<AgentDef>(&text).unwrap_err().to_string();
        assert!(error.starts_with(&format!("unknown field `{field}`; did you mean `hooks`?")), "{error}");
    }
    let agent: AgentDef = serde_json::from_str(r#"{"name":"x","model":"m","hooks":["a"]}"#).unwrap();
    let again: AgentDef = serde_json::from_value(serde_json::to_value(&agent).unwrap()).unwrap();
    assert_eq!((again.hooks.unwrap().len(), again.extra["model"].as_str()), (1, Some("m")));
}

/// Some editors save UTF-8 with a byte order mark.
#[test]
fn a_byte_order_mark_is_accepted() {
    let agent = AgentDef::from_json("a.json", "\u{feff}{\"name\": \"x\"}").unwrap();
    assert_eq!(agent.name, "x");
    assert_eq!(json("\u{feff}{\"hook\": []}"), "a.json:1:2: unknown field `hook`; did you mean `hooks`?");
}

#[test]
fn a_file_that_cannot_be_read_is_an_error() {
    let folder = std::env::temp_dir().join(format!("hooks-core-definitions-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let missing = folder.join("missing.json");
    let error = AgentDef::from_file(&missing).unwrap_err().to_string();
    assert!(error.starts_with(&format!("{}: cannot be read: ", missing.display())), "{error}");

    let latin = folder.join("latin.json");
    std::fs::write(&latin, b"{\"name\": \"caf\xe9\"}").unwrap();
    let error = AgentDef::from_file(&latin).unwrap_err().to_string();
    assert_eq!(error, format!("{}: is not UTF-8 from byte 13 on; save it as UTF-8", latin.display()));

    let fine = folder.join("fine.json");
    std::fs::write(&fine, r#"{"name": "x", "hooks": ["a"]}"#).unwrap();
    assert_eq!(AgentDef::from_file(&fine).unwrap().name, "x");
    std::fs::remove_dir_all(&folder).unwrap();
}

proptest::proptest! {
    /// Any text gives either a definition or an error whose position is within the text. It never panics.
    #[test]
    fn the_position_of_an_error_is_within_any_text(at in 0_usize..60, junk in "[ -~\u{e9}\u{1f980}\n]{0,3}") {
        let mut text = "{\"name\": \"ü🦀\",\n \"hooks\": [\"a\", {\"id\": \"b\"}],\n \"x\": \"é\"}".to_owned();
        let at = (at..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
        text.insert_str(at, &junk);
        if let Err(hook_sdk::scope::DefinitionError::Invalid { place, .. }) = AgentDef::from_json("a.json", &text) {
            let line = text.split('\n').nth(place.line - 1);
            proptest::prop_assert!(line.is_some_and(|line| place.column <= line.chars().count() + 1), "{place} in {text:?}");
        }
    }
}

#[cfg(feature = "toml")]
#[test]
fn toml_that_is_not_a_definition_is_an_error() {
    let table = [
        ("name = ", "a.toml:1:8: string values must be quoted, expected literal string"),
        ("hook = []", "a.toml:1:1: unknown field `hook`; did you mean `hooks`?"),
        ("\nHooks = []", "a.toml:2:1: unknown field `Hooks`; did you mean `hooks`?"),
        ("hooks = []\nhooks = []", "a.toml:2:1: duplicate key"),
        ("name = 7", "a.toml:1:8: expected the agent's `name` to be a string"),
        ("hooks = \"a\"", "a.toml:1:9: expected `hooks` to be a list of ids, such as [\"redact_pii\"]"),
        (
            "hooks = [\"ü\",\n  7]",
            "a.toml:2:3: expected a hook: its id as a string, or an object with `id`, and optionally `as` and `with`; found 7",
        ),
        ("hooks = [{}]", "a.toml:1:10: missing field `id`"),
        ("hooks = [{ id = \"a\", wiht = 1 }]", "a.toml:1:10: unknown field `wiht`, expected one of `id`, `as`, `with`"),
    ];
    for (text, expected) in table {
        let error = AgentDef::from_toml("a.toml", text).unwrap_err().to_string();
        assert_eq!(error, expected, "{text}");
    }
    let agent =
        AgentDef::from_toml("a.toml", "name = \"x\"\nmodel = \"large\"\nhooks = [\"a\", { id = \"b\" }]").unwrap();
    assert_eq!(
        (agent.name.as_str(), agent.hooks.unwrap().len(), agent.extra["model"].as_str()),
        ("x", 2, Some("large"))
    );
}

#[test]
fn all_invalid_entries_are_reported_at_once() {
    let expected = "3 problems:\
        \n  1. a.json:1:12: expected a hook: its id as a string, or an object with `id`, and optionally `as` and `with`; found 7\
        \n  2. a.json:2:6: missing field `id`\
        \n  3. a.json:3:1: unknown field `wiht`, expected one of `id`, `as`, `with`";
    assert_eq!(json("{\"hooks\": [7,\n\"ü\", {},\n{\"id\": \"a\", \"wiht\": 1}]}"), expected);
    #[cfg(feature = "toml")]
    {
        let text = "hooks = [\n7, \"ü\", { wiht = 1 }]";
        let reported = AgentDef::from_toml("a.toml", text).unwrap_err().to_string();
        assert!(reported.starts_with("2 problems:\n  1. a.toml:2:1: expected a hook: "), "{reported}");
        assert!(reported.contains("\n  2. a.toml:2:9: unknown field `wiht`"), "{reported}");
    }
}

/// A syntactically valid value may still be unrepresentable. It must not silently become null.
#[test]
fn a_field_of_the_app_that_cannot_be_read_is_reported() {
    let deep = format!("{{\"ü\": {}{}}}", "[".repeat(200), "]".repeat(200));
    assert_eq!(json(&deep), "a.json:1:134: recursion limit exceeded");
    assert_eq!(json("{\"a\": 1,\n\"b\": 1e999}"), "a.json:2:10: number out of range");
    assert_eq!(json("{\"a\": \"\\ud800\"}"), "a.json:1:14: unexpected end of hex escape");
}

#[test]
fn a_long_entry_is_truncated_in_the_message() {
    let reported = json(&format!("{{\"hooks\": [[\"{}\"]]}}", "x".repeat(100_000)));
    assert!(reported.starts_with("a.json:1:12: expected a hook"), "{reported}");
    assert!(reported.len() < 1000, "{}", reported.len());
}

#[test]
fn a_function_is_written_as_its_id() {
    #[hook(id = "written_by_its_id", kind = before_create_message)]
    fn not_its_name() {}
    fn no_hook() {}

    let text = serde_json::to_string(&AgentDef::new("x").hooks(hooks![not_its_name])).unwrap();
    assert_eq!(text, r#"{"name":"x","hooks":["written_by_its_id"]}"#);
    let agent = AgentDef::new("x").hooks(hooks![no_hook]);
    assert!(serde_json::to_string(&agent).unwrap_err().to_string().ends_with("is not a hook"));
}
