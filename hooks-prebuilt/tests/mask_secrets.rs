//! Secrets: found in texts, JSON and streams, and kept in the arguments of tools.

use hook_sdk::kinds::BeforeToolCall;
use hook_sdk::prelude::*;
use hook_sdk::testing::Trial;
use hooks_prebuilt::{DenySecrets, MaskSecrets, deny_secrets};
use serde_json::json;

use crate::personal::Random;

const WORD: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const HEX: &str = "0123456789abcdef";

/// Secrets of many kinds, from a generator, so that none is written in this file.
pub(crate) fn secret(random: &mut Random) -> (&'static str, String) {
    let mut of = |count: usize, alphabet: &str| -> String {
        (0..count).map(|_| char::from(alphabet.as_bytes()[random.below(alphabet.len())])).collect()
    };
    let kinds = [
        ("github", format!("ghp_{}", of(36, WORD))),
        ("gitlab", format!("glpat-{}", of(20, WORD))),
        ("aws id", format!("AKIA{}", of(16, UPPER))),
        ("slack", format!("xoxb-{}-{}-{}", of(12, "0123456789"), of(12, "0123456789"), of(24, WORD))),
        ("stripe", format!("sk_live_{}", of(24, WORD))),
        ("openai", format!("sk-proj-{}", of(48, WORD))),
        ("anthropic", format!("sk-ant-api03-{}", of(93, WORD))),
        ("google", format!("AIza{}", of(35, WORD))),
        ("npm", format!("npm_{}", of(36, WORD))),
        ("jwt", format!("eyJ{}.eyJ{}.{}", of(30, WORD), of(60, WORD), of(43, WORD))),
        ("setting", format!("API_KEY={}", of(32, HEX))),
        ("password", format!("password: {}", of(14, WORD))),
        ("header", format!("Authorization: Bearer {}", of(40, WORD))),
        ("url", format!("postgres://app:{}@db.example.org/app", of(16, WORD))),
        ("query", format!("https://example.org/?api_key={}&page=2", of(32, HEX))),
        ("json", format!("{{\"client_secret\": \"{}\"}}", of(32, WORD))),
    ];
    let at = random.below(kinds.len());
    kinds[at].clone()
}

/// What only looks like one.
pub(crate) fn nearly(random: &mut Random) -> String {
    let of = |random: &mut Random, count: usize, alphabet: &str| -> String {
        (0..count).map(|_| char::from(alphabet.as_bytes()[random.below(alphabet.len())])).collect()
    };
    match random.below(14) {
        0 => format!("commit {}", of(random, 40, HEX)),
        1 => format!("sha256:{}", of(random, 64, HEX)),
        2 => format!(
            "{}-{}-4{}-8{}-{}",
            of(random, 8, HEX),
            of(random, 4, HEX),
            of(random, 3, HEX),
            of(random, 3, HEX),
            of(random, 12, HEX)
        ),
        3 => "the password is required".to_owned(),
        4 => "tokens: 1024".to_owned(),
        5 => "API_KEY=${API_KEY}".to_owned(),
        6 => "password = os.environ[\"PASSWORD\"]".to_owned(),
        7 => format!("https://example.org/{}?page={}", of(random, 8, HEX), random.below(99)),
        8 => format!("order {}", of(random, 10, "0123456789")),
        9 => "a secret garden, key points and token rings".to_owned(),
        10 => "Authorization: Bearer <token>".to_owned(),
        11 => "sk-learn and xoxo-hugs".to_owned(),
        12 => format!("id: usr_{}", of(random, 6, HEX)),
        _ => "max_tokens: 4096, temperature: 0.2".to_owned(),
    }
}

#[test]
fn the_figures_of_the_book_hold() {
    let (mut random, mask) = (Random::new(7), MaskSecrets::default());
    let mut missed: Vec<String> = Vec::new();
    let mut wrong: Vec<String> = Vec::new();
    for _ in 0..2_000 {
        let (kind, text) = secret(&mut random);
        match mask.mask(&format!("see {text} ok")) {
            Some(masked) if masked.contains("REDACTED") => {}
            _ => missed.push(format!("{kind}: {text}")),
        }
        let text = nearly(&mut random);
        if mask.mask(&format!("see {text} ok")).is_some() {
            wrong.push(text);
        }
    }
    // A value of letters alone is no secret to the rules: it may be a word.
    println!("mask_secrets: found {} of 2000, wrong {} of 2000", 2_000 - missed.len(), wrong.len());
    assert!(missed.len() <= 30, "{} missed: {:?}", missed.len(), &missed[..missed.len().min(9)]);
    assert!(wrong.is_empty(), "{} wrong: {:?}", wrong.len(), &wrong[..wrong.len().min(9)]);
}

#[test]
fn the_key_of_a_field_says_that_its_value_is_a_secret() {
    let value = "hunter2";
    let json = json!({ "password": value, "list": [{ "api_key": "k7" }], "page": value }).to_string();
    let masked: serde_json::Value = serde_json::from_str(&MaskSecrets::default().mask(&json).unwrap()).unwrap();
    assert_eq!(masked["password"], "[REDACTED_SECRET]");
    assert_eq!(masked["list"][0]["api_key"], "[REDACTED_SECRET]");
    assert_eq!(masked["page"], value);
}

/// One walker reads what is masked and what is denied.
#[test]
fn what_is_masked_in_json_is_denied_in_arguments() {
    let secret = format!("S3cr3t{}", "Pw9xyz");
    let long = "aB3dE5fG7hJ9kL1mN3pQ".repeat(90);
    let same = |key: &str, value: &str| format!(r#"{{"{key}": "{value}"}}"#);
    let of_secret = [
        (r#"{"access_TK": "LONG"}"#, "/access_TK"),
        (r#"{"Credentials": {"SessionTK": "LONG"}}"#, "/Credentials/SessionTK"),
        (r#"{"env": [{"name": "DB_PW", "value": "SECRET"}]}"#, "/env/0/value"),
        (r#"{"env": [{"value": "SECRET", "a": [1, "]"], "name": "DB_PW"}]}"#, "/env/0/value"),
        (r#"{"args": ["run", "--PW", "SECRET", "--verbose"]}"#, "/args/2"),
        (r#"{"headers": [["X-Api-Key", "SECRET"], ["Accept", "*"]]}"#, "/headers/0/1"),
        (r#"{"PW": {"value": "SECRET", "type": "text"}}"#, "/PW/value"),
        (r#"{"a": "{\"PW\": \"SECRET\"}"}"#, "/a"),
        (r#"{"list": [{"PW": 12345678}, true]}"#, "/list/0/PW"),
        (r#"{"PW": "$2b$12$SECRET.abcdefghij"}"#, "/PW"),
        (r#"{"PW": "ghp_LONG/SECRET"}"#, "/PW"),
    ];
    for (json, place) in of_secret {
        let filled = |text: &str| text.replace("PW", "password").replace("TK", "token");
        let (json, place) = (filled(json), filled(place));
        let json = json.replace("SECRET", &secret).replace("LONG", &long);
        let masked = MaskSecrets::default().mask(&json).unwrap_or_else(|| panic!("unmasked: {json}"));
        let value: serde_json::Value = serde_json::from_str(&masked).unwrap();
        assert!(![&secret, &long, "12345678"].iter().any(|secret| masked.contains(*secret)), "{masked}");
        assert!(place == "/a" || value.pointer(&place).unwrap() == "[REDACTED_SECRET]", "{masked}");
        let denied =
            DenySecrets::judge(&serde_json::from_str("{}").unwrap(), "x", &serde_json::from_str(&json).unwrap());
        assert!(denied.unwrap_err().contains(&format!("found 1 at `{place}`")), "{json}");
    }
    let ordinary = [
        json!({ "dependencies": { "cookie": "^0.6.0", "js-cookie": "^3.0.5", "passport-jwt": "^4.0.1", "jwt": "workspace:*" } }),
        json!({ "required": ["user", "password", "name2"], "columns": ["password", "email"], "pass": 12, "cookies": 3 }),
        json!([{ "required": ["token", "address1"] }, { "fields": ["password", "email2"] }]),
        json!({ "scripts": { "test:cookies": "jest cookies2" }, "image": long, "value": secret, "name": "x" }),
        json!({ "content": format!("[dependencies]\n{}", same("rpassword", "7.3.1")) }),
    ];
    for json in ordinary {
        assert_eq!(MaskSecrets::default().mask(&json.to_string()), None);
    }
}

#[test]
fn a_private_key_stops_a_stream_before_it_is_shown() {
    let key = format!("-----BEGIN {} KEY-----\n{}", "PRIVATE", "MIIEowIBAAKCAQEA\n".repeat(40));
    let trial = Trial::of(hooks![hooks_prebuilt::mask_secrets]);
    let ran = trial.run_blocking(&hook_sdk::kinds::StreamDelta::new("text"), format!("here: {key}")).unwrap();
    ran.expect_denied("longer than 256");
}

#[test]
fn a_secret_does_not_leave_in_arguments_and_the_reason_says_only_where_it_is() {
    let key = secret(&mut Random::new(3)).1;
    let denied = |tools: serde_json::Value, tool: &str, input: serde_json::Value| {
        serde_json::from_value::<DenySecrets>(tools).unwrap().judge(tool, &input)
    };
    let error = denied(json!({}), "send", json!({ "to": "x", "body": { "lines": ["a", key.clone()] } })).unwrap_err();
    assert!(error.contains("`/body/lines/1`") && !error.contains(&key[8..]), "{error}");
    assert!(denied(json!({ "tools": ["web_*"] }), "send", json!({ "a": key.clone() })).is_ok());
    assert!(denied(json!({ "allow": [key.clone()] }), "send", json!({ "a": "no secret" })).is_ok());
    for wrong in
        [json!({ "allow": ["?*"] }), json!({ "allow": ["*"] }), json!({ "tools": [""] }), json!({ "tools": [] })]
    {
        assert!(serde_json::from_value::<DenySecrets>(wrong.clone()).is_err(), "{wrong}");
    }
    let call = ToolCall::new("call_1", "send", json!({ "a": key }));
    Trial::of(hooks![deny_secrets])
        .run_blocking(&BeforeToolCall::new(call.clone()), call.input)
        .unwrap()
        .expect_denied("/a");
}
