//! No secret reaches the disk.

use crate::support::*;

/// Made up, each in the form of its maker.
const SECRETS: &[&str] = &[
    "AKIAQYLPMN5HHHFPZAM2",
    "ghp_9aQ2mX7pL4vN6sR8tZ1cB3dF5gH0jK2wE4yU",
    "xoxb-123456789012-1234567890123-AbCdEfGhIjKlMnOpQrStUvWx",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7bq9XbYV2Xk1mV0k8Jp3nQvYkq0z1o6rX9s4t5u7w8y0a2b\n-----END RSA PRIVATE KEY-----",
];

#[tokio::test]
async fn secrets_are_removed_from_inputs_results_and_errors_before_they_are_written() {
    let folder = Folder::new();
    for (index, secret) in SECRETS.iter().enumerate() {
        let path = folder.path(&format!("{index}.jsonl"));
        let fails = Hook::at::<BeforeToolCall>("fails")
            .reader(|_, _, input: &ToolInput| Err::<(), _>(input.text().into_owned()));
        let traffic = [
            Traffic::Call { tool: "fetch", input: json!({"header": {"authorization": secret}, "list": [secret]}) },
            Traffic::Found { tool: "fetch", text: format!("it said: {secret} and more") },
        ];
        desk().with(fails).record(&path, &traffic).await;
        let text = std::fs::read_to_string(&path).unwrap();
        let written = serde_json::to_string(secret).unwrap();
        assert!(!text.contains(written.trim_matches('"')), "{secret}: {text}");
        assert!(text.contains("\"marks\":[\"redacted\"]"), "{text}");
    }
}

#[tokio::test]
async fn a_secret_that_only_its_name_gives_away_is_removed() {
    let folder = Folder::new();
    let path = folder.path("month.jsonl");
    let traffic =
        [Traffic::Call { tool: "login", input: json!({"user": "ada", "api_key": "f4Zq81mXp0Lv7Ns2Rt9cBd3Fg5Hj6Kw"}) }];
    desk().record(&path, &traffic).await;
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(!text.contains("f4Zq81mXp0Lv7Ns2Rt9cBd3Fg5Hj6Kw"), "{text}");
}
