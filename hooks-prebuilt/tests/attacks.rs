//! Ways around the hooks that somebody found, one table for each hook.

use hook_sdk::prelude::*;
use hooks_prebuilt::*;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

fn of<T: DeserializeOwned>(with: Value) -> T {
    serde_json::from_value(with).unwrap()
}

#[test]
fn personal_data_in_the_forms_of_other_programs_is_masked() {
    let mask: MaskPii = of(json!({ "types": ["email", "card", "iban"] }));
    let table = [
        // A column of numbers that a program took for decimals.
        ("id,card\n7,4111111111111111.0\n", "id,card\n7,[card].0\n"),
        (r#"{"card": 4111111111111111.0}"#, r#"{"card": "[card].0"}"#),
        ("paid 4111111111111111.05", "paid 4111111111111111.05"),
        ("4111\u{2007}1111\u{2007}1111\u{2007}1111", "[card]"),
        ("4111\u{3000}1111\u{3000}1111\u{3000}1111", "[card]"),
        ("ada＠example.com", "[email]"),
        // A user of a database is an address, even in a URL.
        ("postgres://ada%40example.com:x@db.example.org/shop", "postgres://[email]:x@db.example.org/shop"),
        ("https://ada@example.com/", "https://ada@example.com/"),
        // JSON within JSON within JSON, lists in lists, keys.
        (
            r#"{"a": "{\"b\": \"{\\\"c\\\": \\\"ada@example.com\\\"}\"}"}"#,
            r#"{"a": "{\"b\": \"{\\\"c\\\": \\\"[email]\\\"}\"}"}"#,
        ),
        (r#"[[["ada@example.com"]]]"#, r#"[[["[email]"]]]"#),
        (r#"{"ada@example.com": {"bob@example.com": 1}}"#, r#"{"[email]": {"[email]": 1}}"#),
        // Half of an emoji.
        (
            r#"{"a":"\ud800 ada@example.com", "b": "\ud83d\ude00 bob@example.com \\\\ud800"}"#,
            "{\"a\":\"\u{fffd} [email]\", \"b\": \"\u{1f600} [email] \\\\\\\\ud800\"}",
        ),
        // Lines of JSON.
        ("{\"a\":\"ada@example.com\"}\n{\"a\":\"bob@example.com\"}", "{\"a\":\"[email]\"}\n{\"a\":\"[email]\"}"),
    ];
    for (text, expected) in table {
        assert_eq!(mask.mask(text).as_deref().unwrap_or(text), expected, "{text}");
    }
}

#[test]
fn a_person_is_asked_about_what_the_rule_says_and_not_about_what_is_nearly_it() {
    let word = |rules: Value, tool: &str, input: &str| match of::<AskFor>(rules).judge(tool, &ToolInput::parse(input)) {
        Permission::NoOpinion => "none",
        Permission::Allow => "allow",
        Permission::Ask(_) => "ask",
        _ => "deny",
    };
    let only = || json!({ "pay": { "deny": { "/to": { "is_not": 12_345_678_901_234_567_u64 } }, "else": "allow" } });
    let above = || json!({ "pay": { "ask": { "/n": { "above": 9_007_199_254_740_992_u64 } }, "else": "allow" } });
    let tie = || json!({ "send_*": "allow", "*_mail": "deny", "*": "allow" });
    let table = [
        (only(), "pay", r#"{"to": 12345678901234567}"#, "allow"),
        (only(), "pay", r#"{"to": 12345678901234568}"#, "deny"),
        (only(), "pay", r#"{"to": 12345678901234566}"#, "deny"),
        (only(), "pay", r#"{"to": "12345678901234567"}"#, "deny"),
        (above(), "pay", r#"{"n": 9007199254740993}"#, "ask"),
        (above(), "pay", r#"{"n": 9007199254740992}"#, "allow"),
        (above(), "pay", r#"{"n": 1e300}"#, "ask"),
        (above(), "pay", r#"{"n": -1e300}"#, "allow"),
        // Two patterns that are equally specific.
        (tie(), "send_mail", "{}", "deny"),
        (tie(), "send_note", "{}", "allow"),
        (tie(), "get_mail", "{}", "deny"),
    ];
    for (rules, tool, input, expected) in table {
        assert_eq!(word(rules, tool, input), expected, "{tool} {input}");
    }
}

#[test]
fn one_approval_is_for_one_call() {
    use hook_sdk::kinds::{BeforeToolCall, PermissionRequest};

    let registry = Registry::empty().with(hooks![limit_calls]).unwrap();
    let list = json!([{ "id": "limit_calls", "with": { "limits": { "pay": { "turn": 2 }, "never": { "turn": 0 } } } }]);
    let agent = json!({ "name": "a", "hooks": list }).to_string();
    let set = registry.scope(&AgentDef::from_json("a.json", &agent).unwrap(), None).unwrap();
    let cx = set.context(HookContext::builder().conversation("a").turn(1)).unwrap();
    let judge = |tool: &str| {
        let call = ToolCall::new("", tool, json!({}));
        let verdict = set.fire_blocking(&cx, &BeforeToolCall::new(call.clone()), call.input.clone()).unwrap().verdict;
        let _ = set.fire_blocking(&cx, &PermissionRequest::new(call.clone()), call.input.clone()).unwrap();
        verdict.denial().map(|denial| denial.reason.to_string())
    };
    let answers: Vec<bool> = (0..4).map(|_| judge("pay").is_some()).collect();
    assert_eq!(answers, [false, false, true, true], "a provider without ids");
    assert_eq!(judge("never").unwrap(), "`never` may not be called; continue without it");
}

#[test]
fn a_path_that_a_tool_reads_as_an_address_is_denied() {
    let folder = tempfile::tempdir().unwrap();
    let paths: ConfinePaths = of(json!({ "fields": { "*": ["path"] }, "roots": ["."] }));
    for path in ["file:/etc/passwd", "FILE:///etc/passwd", "data:text/plain,x", "jar:file:x!/y"] {
        paths.judge("read", &json!({ "path": path }), Some(folder.path())).unwrap_err();
    }
    for path in ["a:b.txt", "notes 12:30.md", "a/b", "."] {
        assert_eq!(paths.judge("read", &json!({ "path": path }), Some(folder.path())), Ok(()), "{path}");
    }
}

#[test]
fn an_address_in_chinese_text_ends_where_its_readers_end_it() {
    let urls: ConfineUrls = of(json!({ "hosts": ["example.org"] }));
    let table = [
        ("请看https://example.org/a，谢谢", true),
        ("（https://example.org）", true),
        ("见 https://example.org。", true),
        ("「https://example.org/a？b=1」", true),
        // A name whose dot is an ideographic one.
        ("https://example.org。evil.com", false),
        ("https://example.org．evil.com/", false),
        ("请看https://evil.com，谢谢", false),
        ("_https://evil.com_", false),
        ("1https://evil.com", false),
        ("seehttps://evil.com", false),
        ("éhttps:evil.com", false),
        ("_https://example.org_", true),
        (r#"{"url":"https:\/\/evil.com"}"#, false),
        (r#"{"url":"https:\u002f\u002fevil.com"}"#, false),
        (r#"{"url":"\u0068ttps://evil.com"}"#, false),
        ("https:&#47;&#47;evil.com", false),
        ("https://ex%61mple.org@evil.com", false),
        ("https://example.org:443@evil.com", false),
        ("https://[::ffff:127.0.0.1]/", false),
        ("https://exa\u{ad}mple.org/", false),
    ];
    for (text, passes) in table {
        assert_eq!(urls.judge("send", &json!({ "a": [{ "b": text }] })).is_ok(), passes, "{text}");
        assert_eq!(urls.judge("send", &json!({ "a": { text: 1 } })).is_ok(), passes, "as a key: {text}");
    }
}

#[test]
fn an_image_of_a_listed_host_is_read_as_a_browser_reads_it() {
    let images: StripImages = of(json!({ "hosts": ["good.org"], "relative": true }));
    let stays =
        ["![a](https://good.org/a)", "![a](HTTPS://GOOD.ORG/a)", "![a](https://good.org:443/a?b=c&d)", "![a](a/b.png)"];
    for text in stays {
        assert_eq!(images.strip(text), None, "{text}");
    }
    let goes = [
        "![a](https://good.org@evil.org/a)",
        "![a](https://good.org&#64;evil.org/a)",
        "![a](https://evil.org\\@good.org/a)",
        "![a](//evil.org/a)",
        "![a](https:evil.org)",
        "![a](https:/evil.org)",
        "![a](https&colon;//evil.org)",
        "![a](&#x2f;&#x2f;evil.org/a)",
        "![a](<https://evil.org/a b>)",
        "![a][b]\n\n[b]: https://evil.org/a",
        "![b][]\n\n[b]:\nhttps://evil.org/a",
        "![b]\n\n> [b]: <https://evil.org/a>",
        "| a |\n|---|\n| ![b](https://evil.org/a) |",
        "- x\n  1. ![b](https://evil.org/a)",
        "[![b](https://evil.org/a)](https://good.org)",
        "![![b](https://evil.org/a)](https://good.org/a)",
        "<img src=\"https&#58;//evil.org/a\">",
        "<IMG/SRC=https://evil.org/a>",
        "<picture><source srcset='https://good.org/a 1x, https://evil.org/a 2x'></picture>",
        "<svg><image href='https://evil.org/a'/></svg>",
        "<div style='background: u\\72l(https://evil.org/a)'>",
        "<input type=image src=//evil.org/a>",
        "<video poster=//evil.org/a>",
        "<a href=x ping=//evil.org/a>y</a>",
        "<base href=//evil.org/>",
        "# ![b](https://evil.org/a)",
        "*![b](https://evil.org/a)*",
        "a\\\\![b](https://evil.org/a)",
    ];
    for text in goes {
        let stripped = images.strip(text).unwrap_or_else(|| panic!("stays: {text}"));
        let again = images.strip(&stripped);
        assert!(again.is_none(), "{text}: {stripped}: {again:?}");
        assert!(!stripped.contains("src") || !stripped.contains("evil"), "{text}: {stripped}");
    }
}

#[cfg(feature = "sql")]
#[test]
fn what_this_parser_and_a_database_read_in_two_ways_is_denied() {
    let check = |dialect: &str, sql: &str| {
        of::<ReadOnlySql>(json!({ "fields": { "q": ["sql"] }, "dialect": dialect })).check(sql)
    };
    let denied = [
        ("postgres", "SELECT U&\"pg_sl\\0065ep\"(9)"),
        ("postgres", "SELECT u&\"pg_read\\005ffile\"('/etc/passwd')"),
        ("postgres", "SELECT U&\"!0070g_sleep\" UESCAPE '!' (9)"),
        ("postgres", "SELECT * FROM crosstab('DELETE FROM t RETURNING 1, 2, 3') AS x(a int, b int)"),
        ("postgres", "SELECT * FROM ts_stat('DELETE FROM t RETURNING v')"),
        ("clickhouse", "SELECT 1 /* /* */ FROM url('https://evil.org') -- */ */"),
        ("mysql", "SELECT 1 /* /* */ INTO OUTFILE '/tmp/x' -- */"),
        ("mysql", "SELECT 1 --1 INTO OUTFILE '/tmp/x'"),
        ("mysql", "SELECT 1 AS $$ FROM t INTO OUTFILE '/tmp/x' -- $$"),
        ("oracle", "SELECT $$ FROM t $$ FROM dual"),
        ("databricks", "SELECT '\\'' , reflect('java.lang.Runtime', 'x'), '\\''"),
        ("mssql", "SELECT NEXT VALUE FOR s"),
        ("postgres", "SELECT nextval('s')"),
        ("postgres", "WITH x AS (WITH y AS (DELETE FROM t RETURNING *) SELECT * FROM y) SELECT * FROM x"),
        ("postgres", "SELECT * FROM (SELECT * FROM t FOR UPDATE) x"),
        ("postgres", "SELECT 1\0; DROP TABLE t"),
        ("postgres", "SELECT 1;\u{a0}DROP TABLE t"),
        ("postgres", "EXPLAIN (ANALYZE) DELETE FROM t"),
        ("postgres", "EXPLAIN ANALYZE CREATE TABLE x AS SELECT 1"),
        ("postgres", "SELECT pg_catalog . pg_sleep /* x */ (9)"),
        ("postgres", "SELECT \"pg_sleep\"(9)"),
        ("postgres", "SELECT (pg_sleep)(9)"),
        // A text goes on in the next line, and its escapes with it.
        ("postgres", "SELECT E'a'\n'\\'' ; DROP TABLE t; --'"),
        ("postgres", "SELECT E'a' -- b\n'\\'' ; DROP TABLE t; --'"),
        ("duckdb", "SELECT E'a'\n'\\'' ; DROP TABLE t; --'"),
        ("duckdb", "SELECT e'\\'' ; DROP TABLE t; --'"),
        ("ansi", "SELECT e'\\'' ; DROP TABLE t; --'"),
        ("postgres", "SELECT x'\\'; DROP TABLE t; --'"),
        ("postgres", "SELECT $€$,\"$€$; DROP TABLE t; --\""),
        ("postgres", "SELECT $a€$,\"$a€$; DROP TABLE t; --\""),
        ("duckdb", "SELECT 1 --\r; DROP TABLE t"),
        ("mysql", "SELECT 1 --\u{a0}x FROM (SELECT 1 AS `\u{a0}x`) t INTO OUTFILE '/tmp/x'"),
        ("mysql", "SELECT 1 --\u{85}x FROM (SELECT 1 AS `\u{85}x`) t INTO OUTFILE '/tmp/x'"),
        ("mariadb", "SELECT 1 --\u{3000}x FROM (SELECT 1 AS `\u{3000}x`) t INTO OUTFILE '/tmp/x'"),
        ("redshift", "SELECT \u{a0}$$ FROM (SELECT 1 AS \"\u{a0}$$\") t; DROP TABLE t; -- \""),
        // A backslash escapes the quote in these databases, and not in this parser.
        ("redshift", "SELECT '\\' || ' ; DROP TABLE t; -- '"),
        ("ansi", "SELECT '\\' || ' ; DROP TABLE t; -- '"),
        ("redshift", "SELECT N'\\' || N' ; DROP TABLE t; -- '"),
        ("databricks", "SELECT \"\\\"\", reflect('java.lang.Runtime', 'x') --\""),
        ("clickhouse", "SELECT 1 AS \"\\\"\" FROM url('http://x') --\""),
        ("clickhouse", "SELECT 1 AS `\\`` FROM url('http://x') --`"),
        ("bigquery", "SELECT r'\\', r'; DROP TABLE t; --'"),
        ("bigquery", "SELECT b'\\', b'; DROP TABLE t; --'"),
        ("bigquery", "SELECT 1 AS `\\``; DROP TABLE t; --`"),
        ("mysql", "SELECT b'\\', b' INTO OUTFILE '"),
        ("ansi", "SELECT $$ FROM t $$"),
        // MySQL skips what is for a later version.
        ("mysql", "SELECT 1 /*!99999 AS */ INTO /*!99999 FROM */ OUTFILE '/tmp/x'"),
        ("mysql", "SELECT 1 /*!50000 AS a */"),
        ("mysql", "SELECT 1 --\u{1}\n INTO OUTFILE '/tmp/x'"),
        ("postgres", "SELECT 1 \\g /tmp/x"),
        ("postgres", "SELECT 1\n\\! id"),
        ("mysql", "DELIMITER //\nSELECT 1//"),
        ("mssql", "SELECT 1\n:r /etc/passwd"),
        ("oracle", "SELECT 1 FROM dual\n/\nDROP TABLE t"),
    ];
    for (dialect, sql) in denied {
        assert!(check(dialect, sql).is_err(), "{dialect}: {sql}");
    }
    let passes = [
        ("postgres", "SELECT u & 1, a & b FROM t"),
        ("postgres", "SELECT * FROM t WHERE a LIKE '%\\%' ESCAPE '\\'"),
        ("mysql", "SELECT 1 - -1, a /* b */ FROM t -- done"),
        ("databricks", "SELECT 'a''b', count(*) FROM t WHERE a RLIKE '^\\\\d+$'"),
        ("bigquery", "SELECT REGEXP_CONTAINS(a, r'^\\d+$'), 'it\\'s' FROM `p.d.t`"),
        ("redshift", "SELECT regexp_substr(a, '\\\\d+') FROM t"),
        ("snowflake", "SELECT $$it's$$"),
        ("postgres", "SELECT E'it\\'s', 'a'\n'b', x'00ff', $1, $a$it's$a$ -- done\r\nFROM t"),
        ("duckdb", "SELECT a AS \"b\u{a0}c\", '10\u{a0}000' FROM t WHERE a LIKE '50\\%'"),
    ];
    for (dialect, sql) in passes {
        assert_eq!(check(dialect, sql), Ok(()), "{dialect}: {sql}");
    }
}

#[test]
fn a_stale_answer_makes_no_call_free() {
    use hook_sdk::kinds::{PostModelCall, PreModelCall};

    let registry = Registry::empty().with(hooks![budget]).unwrap();
    let agent = json!({ "name": "a", "hooks": [{ "id": "budget", "with": { "tokens": 2_000 } }] }).to_string();
    let set = registry.scope(&AgentDef::from_json("a.json", &agent).unwrap(), None).unwrap();
    let cx = set.context(HookContext::builder().conversation("a")).unwrap();
    let ask = |request| set.fire_blocking(&cx, &PreModelCall::new(), request).unwrap().subject;
    // A loop that fires nothing after an answer in the model's place.
    ask(ModelRequest::new("s").answer("cached"));
    ask(ModelRequest::new("s"));
    let _ = set.fire_blocking(&cx, &PostModelCall::new("end"), ModelReply::new(vec![])).unwrap();
    assert!(ask(ModelRequest::new("s")).answer.is_some(), "the tokens that nobody reports are spent");
}

/// Entries of a list that have a name and a value, as settings of containers have them.
#[test]
fn secrets_under_a_name_beside_them_are_masked() {
    let mask: MaskSecrets = of(json!({}));
    let secret = format!("S3cr3t{}", "Pw9");
    let entry = json!([{ "name": "DB_PASSWORD", "value": &secret }, { "name": "HOME", "value": "/root" }]).to_string();
    for text in
        [entry.clone(), json!({ "text": entry }).to_string(), format!("- name: DB_PASSWORD\n  value: {secret}\n")]
    {
        let masked = mask.mask(&text).unwrap_or_else(|| text.clone());
        assert!(!masked.contains(&secret), "{masked}");
        assert!(masked.contains("/root") || !text.contains("/root"), "{masked}");
    }
}
