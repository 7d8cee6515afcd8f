//! Rules that use a model or a server, which the app provides.

use std::sync::{Arc, Mutex};

use hook_sdk::hook::BoxFuture;
use hooks_rules::{ClientResult, Judge, JudgeQuestion, Post, PostRequest};

use super::support::*;

/// Always gives the same answer, and keeps the questions.
#[derive(Clone)]
struct Fake<Q> {
    answer: Option<(u16, String)>,
    seen: Arc<Mutex<Vec<Q>>>,
}

impl<Q> Fake<Q> {
    fn says(status: u16, text: &str) -> Self {
        Self { answer: Some((status, text.to_owned())), seen: Arc::default() }
    }

    fn silent() -> Self {
        Self { answer: None, seen: Arc::default() }
    }

    async fn reply(&self, seen: Q) -> ClientResult<(u16, String)> {
        self.seen.lock().unwrap().push(seen);
        match &self.answer {
            Some((0, why)) => Err(why.as_str().into()),
            Some(answer) => Ok(answer.clone()),
            None => std::future::pending().await,
        }
    }
}

impl Judge for Fake<JudgeQuestion> {
    fn judge<'a>(&'a self, question: &'a JudgeQuestion) -> BoxFuture<'a, ClientResult<String>> {
        Box::pin(async { self.reply(question.clone()).await.map(|(_, text)| text) })
    }
}

impl Post for Fake<PostRequest> {
    fn post<'a>(&'a self, request: &'a PostRequest) -> BoxFuture<'a, ClientResult<(u16, String)>> {
        Box::pin(self.reply(request.clone()))
    }
}

fn asks(handler: &Value) -> String {
    json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [handler]}]}}).to_string()
}

#[tokio::test(start_paused = true)]
async fn a_question_is_sent_to_the_model_of_the_app() {
    let question = json!({"type": "prompt", "prompt": "Is $ARGUMENTS safe?", "continueOnBlock": true, "model": "small", "timeout": 5});
    let no = r#"{"ok": false, "reason": "it deletes"}"#;
    let judge = Fake::says(1, no);
    let rules = built(Rules::builder().text("h", asks(&question)).judge(judge.clone()));
    assert_eq!(reason(&shell(&set(&rules), "rm -rf /").await.verdict), "it deletes");
    let asked = judge.seen.lock().unwrap()[0].clone();
    assert!(asked.text.starts_with("Is {") && asked.text.ends_with("} safe?") && asked.text.contains("rm -rf /"));
    assert_eq!(asked.model.as_deref(), Some("small"));

    for (judge, failure) in [
        (Fake::silent(), "the model timed out"),
        (Fake::says(0, "no line"), "the model could not be asked: no line"),
        (Fake::says(1, "sure"), "the model did not answer with"),
    ] {
        let observed = Observed::default();
        let rules = built(observed.listens(Rules::builder().text("h", asks(&question)).judge(judge)));
        assert_eq!(shell(&set(&rules), "ls").await.verdict, Permission::NoOpinion);
        assert!(observed.failures()[0].starts_with(failure), "{:?}", observed.failures());
    }
    let rules = Rules::builder().text("h", asks(&question)).build();
    assert!(rules.defects()[0].to_string().contains("give one with `Rules::builder().judge(…)`"));
}

/// A panic in the app's clients or listeners does not affect other rules.
#[tokio::test]
async fn a_panic_in_code_of_the_app_fails_only_its_rule() {
    struct Panics;
    impl Judge for Panics {
        fn judge<'a>(&'a self, _question: &'a JudgeQuestion) -> BoxFuture<'a, ClientResult<String>> {
            panic!("on purpose")
        }
    }
    let question = json!({"type": "prompt", "prompt": "?"});
    let refuses = json!({"type": "command", "command": "echo refused >&2; exit 2"});
    let text = json!({"hooks": {"PreToolUse": [{"hooks": [question, refuses]}]}}).to_string();
    let observed = Observed::default();
    let builder = Rules::builder().text("h", text).judge(Panics).observe(|_| panic!("on purpose"));
    let fired = shell(&set(&built(observed.listens(builder))), "ls").await;
    assert_eq!(reason(&fired.verdict), "refused");
    assert_eq!(observed.failures(), ["it panicked"]);
}

#[tokio::test(start_paused = true)]
async fn a_request_is_sent_with_the_client_of_the_app() {
    let request = json!({"type": "http", "url": "http://localhost/hook", "timeout": 5, "onFailure": "block",
        "headers": {"X-Folder": "in ${PATH}; $HOME", "X-Team": "blue"}, "allowedEnvVars": ["PATH"]});
    let deny =
        output("PreToolUse", json!({"permissionDecision": "deny", "permissionDecisionReason": "says the server"}));
    let client = Fake::says(200, &deny.to_string());
    let rules = built(Rules::builder().text("h", asks(&request)).post(client.clone()));
    assert_eq!(reason(&shell(&set(&rules), "ls").await.verdict), "says the server");
    let posted = client.seen.lock().unwrap()[0].clone();
    assert_eq!(posted.headers["X-Folder"], format!("in {}; ", std::env::var("PATH").unwrap()));
    assert_eq!(serde_json::from_slice::<Value>(&posted.body).unwrap()["tool_name"], "Bash");

    for client in [Fake::silent(), Fake::says(0, "refused"), Fake::says(500, ""), Fake::says(200, "<html>")] {
        let rules = built(Rules::builder().text("h", asks(&request)).post(client));
        assert!(shell(&set(&rules), "ls").await.verdict.denial().is_some(), "a failure blocks, as the rule says");
    }
    let fine = built(Rules::builder().text("h", asks(&request)).post(Fake::says(204, "")));
    assert_eq!(shell(&set(&fine), "ls").await.verdict, Permission::NoOpinion);
    let rules = Rules::builder().text("h", asks(&request)).build();
    assert!(rules.defects()[0].to_string().contains("give one with `Rules::builder().post(…)`"));
}

/// A server that answers one request with these bytes, and returns the request.
#[cfg(feature = "http")]
fn server(answer: &'static str) -> (String, std::thread::JoinHandle<String>) {
    use std::io::{Read as _, Write as _};

    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook?a=b", listener.local_addr().unwrap());
    let serve = move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut sent = Vec::new();
        let mut buffer = [0; 4096];
        // The input ends with a line break.
        while !sent.ends_with(b"}\n") {
            let count = stream.read(&mut buffer).unwrap();
            sent.extend_from_slice(&buffer[..count]);
        }
        stream.write_all(answer.as_bytes()).unwrap();
        String::from_utf8(sent).unwrap()
    };
    (url, std::thread::spawn(serve))
}

#[cfg(feature = "http")]
#[tokio::test]
async fn the_client_of_this_crate_speaks_http() {
    let table = [
        (
            "HTTP/1.1 200 OK\r\ncontent-length: 44\r\n\r\n{\"decision\": \"block\", \"reason\": \"by server\"}",
            "by server",
        ),
        (
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2c\r\n{\"decision\": \"block\", \"reason\": \"by chunks\"}\r\n0\r\n\r\n",
            "by chunks",
        ),
        ("HTTP/1.1 204 No Content\r\n\r\n", ""),
        ("HTTP/1.1 500 Oh\r\ncontent-length: 0\r\n\r\n", "the server answered with status 500"),
        ("no protocol at all\r\n\r\n", "it could not be started"),
        ("", "it could not be started"),
    ];
    for (answer, expected) in table {
        let (url, sent) = server(answer);
        let handler =
            json!({"type": "http", "url": url, "onFailure": "block", "headers": {"X-Team": "blue"}, "timeout": 20});
        let rules = built(Rules::builder().text("h", asks(&handler)).post(hooks_rules::PlainHttp));
        let fired = shell(&set(&rules), "ls").await;
        assert!(reason(&fired.verdict).starts_with(expected), "{answer}: {:?}", fired.verdict);
        let sent = sent.join().unwrap();
        assert!(sent.starts_with("POST /hook?a=b HTTP/1.1\r\n") && sent.contains("x-team: blue\r\n"), "{sent}");
        assert!(sent.contains("\"tool_name\":\"Bash\""), "{sent}");
    }
    let secure = json!({"type": "http", "url": "https://localhost/", "onFailure": "block"});
    let rules = built(Rules::builder().text("h", asks(&secure)).post(hooks_rules::PlainHttp));
    assert!(reason(&shell(&set(&rules), "ls").await.verdict).contains("supports `http://` only"));
}

/// Logs of an app may contain the `Debug` output.
#[tokio::test]
async fn debug_output_contains_no_secret() {
    let request = json!({"type": "http", "url": "http://shop.example", "headers": {"X-Shop": "hush-header"}});
    let line = json!({"type": "command", "command": "true hush-command"});
    let text = json!({"hooks": {"PreToolUse": [{"hooks": [request, line]}]}}).to_string();
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("hooks/hooks.json"), &text);
    let plugin = hooks_rules::PluginFolder::new("desk", folder.path()).option("PIN", "hush-option");
    let client = Fake::says(200, "{}");
    let builder = Rules::builder().text("own.json", text).plugin(plugin.clone());
    let builder = builder.variable("DEPLOY", "hush-variable").post(client.clone());
    let shown = format!("{plugin:?} {builder:?}");
    let rules = built(builder);
    let _ = shell(&set(&rules), "echo hush-input").await;
    let posted = client.seen.lock().unwrap().clone();
    let shown = format!("{shown} {rules:?} {posted:?}");
    assert!(!shown.contains("hush"), "{shown}");
    for expected in ["PIN", "own.json", "rules: 4", "X-Shop"] {
        assert!(shown.contains(expected), "{expected}: {shown}");
    }
}
