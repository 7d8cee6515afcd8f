//! Errors of a provider, and whether the same call may be retried.

use std::sync::Mutex;
use std::time::Duration;

use hooks_agent::model::{Delta, Deltas, Genai, Model, ModelError};
use serde_json::json;

use super::server::{Reply, Server, call, hello};

async fn failed(reply: Reply) -> (ModelError, Vec<String>) {
    let server = Server::start([reply]).await;
    let reported = Mutex::new(Vec::new());
    // Sent in a separate packet after a wait.
    let listener = |delta: Delta<'_>| {
        let Delta::Text(text) = delta else { return };
        reported.lock().unwrap().push(text.to_owned());
        server.go_on();
    };
    let error = server.model().call(&hello(), Deltas::to(&listener)).await.unwrap_err();
    let reported = reported.lock().unwrap().clone();
    (error, reported)
}

fn kind(error: &ModelError) -> &'static str {
    match error {
        ModelError::Rejected(_) => "rejected",
        ModelError::Overflow(_) => "overflow",
        ModelError::RateLimited { .. } => "rate limited",
        ModelError::Unavailable(_) => "unavailable",
        ModelError::Broken(_) => "broken",
        ModelError::Unanswered(_) => "unanswered",
        _ => "another",
    }
}

#[tokio::test]
async fn an_error_status_is_classified_by_its_remedy() {
    for (status, body, expected) in [
        (400, r#"{"error":{"message":"no such tool"}}"#, "rejected"),
        (400, r#"{"error":{"code":"context_length_exceeded","message":"too long"}}"#, "overflow"),
        (400, r#"{"error":{"message":"This model's maximum context length is 8192 tokens."}}"#, "overflow"),
        (400, r#"{"type":"error","error":{"message":"prompt is too long: 210000 tokens > 200000"}}"#, "overflow"),
        (400, r#"{"error":{"message":"the request exceeds the available context size"}}"#, "overflow"),
        (413, "", "overflow"),
        (401, r#"{"error":{"message":"no such key"}}"#, "rejected"),
        (404, "not here", "rejected"),
        (408, "", "unavailable"),
        (429, r#"{"error":{"message":"slow down"}}"#, "rate limited"),
        (429, r#"{"error":{"code":"insufficient_quota","message":"pay first"}}"#, "rejected"),
        (500, "oops", "unavailable"),
        (503, "", "unavailable"),
        (529, r#"{"error":{"type":"overloaded_error","message":"Overloaded"}}"#, "unavailable"),
    ] {
        let (error, _) = failed(Reply::status(status, "", body)).await;
        assert_eq!(kind(&error), expected, "{status} {body}: {error}");
    }
}

#[tokio::test]
async fn an_error_quotes_the_provider_up_to_a_limit() {
    let (error, _) = failed(Reply::status(400, "", r#"{"error":{"message":"no such tool"}}"#)).await;
    assert_eq!(error, ModelError::Rejected("400: no such tool".to_owned()));
    let page = format!("<html>{}</html>", "ä".repeat(9_000));
    let (error, _) = failed(Reply::status(502, "", &page)).await;
    assert!(error.to_string().chars().count() < 600);
}

#[tokio::test]
async fn the_time_to_wait_is_read_from_the_response() {
    for (status, header, expected) in [
        (429, "retry-after: 7\r\n", Some(Duration::from_secs(7))),
        (429, "retry-after: 1.5\r\n", Some(Duration::from_millis(1_500))),
        (429, "retry-after: 7\r\nretry-after-ms: 250\r\n", Some(Duration::from_millis(250))),
        (503, "retry-after: 7\r\n", Some(Duration::from_secs(7))),
        (429, "retry-after: Fri, 31 Dec 1999 23:59:59 GMT\r\n", None),
        (429, "retry-after: -1\r\n", None),
        (429, "", None),
    ] {
        let (error, _) = failed(Reply::status(status, header, "")).await;
        let ModelError::RateLimited { retry_after, .. } = error else { panic!("{header}: {error}") };
        assert_eq!(retry_after, expected, "{header}");
    }
}

#[tokio::test]
async fn a_stream_that_ends_early_is_broken_after_its_text_was_shown() {
    let event = json!({ "choices": [{ "delta": { "content": "It is " } }] });
    for (what, reply) in [
        ("closed in good order", Reply::stream().text("It is ")),
        ("cut within a chunk", Reply::broken_chunk(&format!("data: {event}\n\n"))),
        ("no JSON", Reply::stream().text("It is ").bytes(b"data: {\"choices\": [{\n\n")),
        ("no text", Reply::stream().text("It is ").wait().bytes(b"data: \xff\xfe\n\n")),
        ("an error as an event", Reply::stream().text("It is ").event(&json!({ "error": { "message": "oops" } }))),
    ] {
        let (error, reported) = failed(reply).await;
        assert_eq!((kind(&error), reported.concat().as_str()), ("broken", "It is "), "{what}: {error}");
    }
}

#[tokio::test]
async fn an_answer_that_cannot_be_read_at_all_is_broken() {
    for (what, reply) in [
        ("nothing", Reply::stream()),
        ("no text", Reply::stream().bytes(b"\xff\xfe\n\n")),
        ("no stream", Reply::status(200, "content-type: text/html\r\n", "<html>welcome</html>")),
    ] {
        let (error, _) = failed(reply).await;
        assert_eq!(kind(&error), "broken", "{what}: {error}");
    }
}

#[tokio::test]
async fn an_error_within_a_stream_is_classified_too() {
    for (error, expected) in [
        (json!({ "code": "context_length_exceeded", "message": "too long" }), "overflow"),
        (json!({ "type": "rate_limit_error", "message": "slow down" }), "rate limited"),
    ] {
        let (error, _) = failed(Reply::stream().event(&json!({ "error": error }))).await;
        assert_eq!(kind(&error), expected, "{error}");
    }
}

#[tokio::test]
async fn a_server_that_does_not_exist_is_unavailable_and_an_invalid_url_is_reported() {
    let gone = {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        format!("http://{}/v1", listener.local_addr().unwrap())
    };
    let (refused, no_url) =
        ("Connection refused", "the base URL `no url` is not a URL; write one such as `http://127.0.0.1:8080/v1`");
    for (url, expected, why) in [(gone.as_str(), "unavailable", refused), ("no url", "unanswered", no_url)] {
        let error = call(&Genai::new("m").base_url(url), &hello()).await.0.unwrap_err();
        assert_eq!(kind(&error), expected, "{error}");
        assert!(error.to_string().contains(why), "{error}");
    }
}
