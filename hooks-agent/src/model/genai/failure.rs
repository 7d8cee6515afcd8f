//! Converts errors of `genai`, sorted by whether the same call may be retried.
//!
//! `genai` keeps the status, headers and body of an HTTP error, so these are exact. It does not distinguish a failed
//! connect from a connection that broke before the first byte. Both become [`ModelError::Unavailable`].

use std::iter::successors;
use std::string::FromUtf8Error;
use std::time::Duration;

use ::genai::Error;
use ::genai::resolver::Error::ApiKeyEnvNotFound as NoKey;
use serde_json::Value;

use crate::model::ModelError;

/// `begun` is whether a part of the answer has arrived.
pub(super) fn of(error: Error, begun: bool) -> ModelError {
    match error {
        Error::WebStream { error, cause, .. } => match error.downcast::<Error>() {
            Ok(within) => of(*within, begun),
            Err(error) if begun || error.is::<FromUtf8Error>() => ModelError::Broken(cause),
            Err(error) => ModelError::Unavailable(with_root(cause, &*error)),
        },
        Error::Resolver { model_iden, resolver_error: NoKey { env_name } } => ModelError::Unanswered(format!(
            "there is no key for `{}`; set `{env_name}`, or call `Genai::api_key`",
            model_iden.model_name.as_str(),
        )),
        Error::HttpError { status, body, headers, .. } => {
            let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
            refusal(status.as_u16(), &body, wait(header))
        }
        // An error event within the stream, after status 200.
        Error::ChatResponse { body, .. } => within_the_stream(&body),
        Error::StreamParse { serde_error, .. } => ModelError::Broken(serde_error.to_string()),
        Error::JsonValueExt(error) => ModelError::Broken(error.to_string()),
        Error::SerdeJson(error) => ModelError::Broken(error.to_string()),
        error => match error.status() {
            Some(status) => ModelError::Unavailable(format!("{status}: {error}")),
            // An unknown provider or an invalid URL.
            None => ModelError::Unanswered(error.to_string()),
        },
    }
}

/// `cause` with the root cause of `error` appended: the outer messages do not say why a connection failed.
fn with_root(cause: String, error: &(dyn std::error::Error + 'static)) -> String {
    let root = successors(error.source(), |error| error.source()).last();
    root.map(|root| format!("{cause}: {root}")).unwrap_or(cause)
}

fn refusal(status: u16, body: &str, retry_after: Option<Duration>) -> ModelError {
    let message = format!("{status}: {}", said(body));
    match status {
        // The quota is exhausted, so retries do not help.
        429 if body.contains("insufficient_quota") => ModelError::Rejected(message),
        429 => ModelError::rate_limited(message, retry_after),
        500.. if retry_after.is_some() => ModelError::rate_limited(message, retry_after),
        408 | 500.. => ModelError::Unavailable(message),
        413 => ModelError::Overflow(message),
        _ if too_long(body) => ModelError::Overflow(message),
        _ => ModelError::Rejected(message),
    }
}

fn within_the_stream(body: &Value) -> ModelError {
    let text = body.to_string();
    let message = said(&text);
    if too_long(&text) {
        ModelError::Overflow(message)
    } else if text.contains("rate_limit") {
        ModelError::rate_limited(message, None)
    } else {
        ModelError::Broken(message)
    }
}

/// Providers have no common code for this, so their messages are searched.
fn too_long(body: &str) -> bool {
    const WORDS: [&str; 8] = [
        "context_length",
        "context length",
        "context window",
        "context size",
        "context limit",
        "prompt is too long",
        "input token count",
        "too many input tokens",
    ];
    let body = body.to_lowercase();
    WORDS.iter().any(|words| body.contains(words))
}

/// The message in a body of any shape, truncated.
fn said(body: &str) -> String {
    const LONGEST: usize = 500;
    let json: Value = serde_json::from_str(body).unwrap_or_default();
    let places = [&json["error"]["message"], &json["message"], &json["error"]];
    let text = places.into_iter().find_map(Value::as_str).unwrap_or(body).trim();
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The delay from `retry-after-ms` (milliseconds) or `retry-after` (seconds). For an HTTP date, the loop uses its own
/// delay.
fn wait<'a>(header: impl Fn(&'static str) -> Option<&'a str>) -> Option<Duration> {
    let number = |name| header(name).and_then(|text| text.trim().parse::<f64>().ok());
    let seconds = number("retry-after-ms").map(|ms| ms / 1_000.0).or_else(|| number("retry-after"));
    seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
}

#[cfg(test)]
mod tests {
    use ::genai::adapter::AdapterKind;
    use ::genai::{ModelIden, resolver};

    use super::*;

    #[test]
    fn without_a_key_the_error_says_how_to_set_one() {
        let resolver_error = resolver::Error::ApiKeyEnvNotFound { env_name: "OPENAI_API_KEY".to_owned() };
        let model_iden = ModelIden::new(AdapterKind::OpenAI, "gpt-4o");
        let error = of(Error::Resolver { model_iden, resolver_error }, false);
        assert_eq!(
            error.to_string(),
            "the model gave no answer: there is no key for `gpt-4o`; set `OPENAI_API_KEY`, or call `Genai::api_key`"
        );
    }
}
