//! What went wrong, sorted by whether the same call may be made again.
//!
//! `genai` keeps status, headers and body of a refusal, so these are exact. It does not say of a connection whether it could
//! not be made or broke before the first word; both are [`ModelError::Unavailable`].

use std::iter::successors;
use std::string::FromUtf8Error;
use std::time::Duration;

use ::genai::Error;
use ::genai::resolver::Error::ApiKeyEnvNotFound as NoKey;
use serde_json::Value;

use crate::model::ModelError;

/// `begun` says whether something of the answer had come.
pub(super) fn of(error: Error, begun: bool) -> ModelError {
    match error {
        Error::WebStream { error, cause, .. } => match error.downcast::<Error>() {
            Ok(within) => of(*within, begun),
            Err(error) if begun || error.is::<FromUtf8Error>() => ModelError::Broken(cause),
            Err(error) => ModelError::Unavailable(with_root(cause, &*error)),
        },
        Error::Resolver { model_iden, resolver_error: NoKey { env_name } } => ModelError::Unanswered(format!(
            "there is no key for `{}`; set `{env_name}`, or say `Genai::api_key`",
            model_iden.model_name.as_str(),
        )),
        Error::HttpError { status, body, headers, .. } => {
            let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
            refusal(status.as_u16(), &body, wait(header))
        }
        // An error that comes as an event of the stream, after status 200.
        Error::ChatResponse { body, .. } => within_the_stream(&body),
        Error::StreamParse { serde_error, .. } => ModelError::Broken(serde_error.to_string()),
        Error::JsonValueExt(error) => ModelError::Broken(error.to_string()),
        Error::SerdeJson(error) => ModelError::Broken(error.to_string()),
        error => match error.status() {
            Some(status) => ModelError::Unavailable(format!("{status}: {error}")),
            // No provider of that name, a URL that is none.
            None => ModelError::Unanswered(error.to_string()),
        },
    }
}

/// `cause` with what is at the bottom of `error`: why a connection failed is not in its own words.
fn with_root(cause: String, error: &(dyn std::error::Error + 'static)) -> String {
    let root = successors(error.source(), |error| error.source()).last();
    root.map(|root| format!("{cause}: {root}")).unwrap_or(cause)
}

fn refusal(status: u16, body: &str, retry_after: Option<Duration>) -> ModelError {
    let message = format!("{status}: {}", said(body));
    match status {
        // More calls do not fill an account.
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

/// Providers have no common code for it, only their words.
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

/// What a body says, in whatever shape; not more of it than a person reads.
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

/// How long to wait: in milliseconds as some say, or in seconds. A date is not read, the loop's own wait takes its place.
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
    fn without_a_key_it_is_said_where_one_goes() {
        let resolver_error = resolver::Error::ApiKeyEnvNotFound { env_name: "OPENAI_API_KEY".to_owned() };
        let model_iden = ModelIden::new(AdapterKind::OpenAI, "gpt-4o");
        let error = of(Error::Resolver { model_iden, resolver_error }, false);
        assert_eq!(
            error.to_string(),
            "the model gave no answer: there is no key for `gpt-4o`; set `OPENAI_API_KEY`, or say `Genai::api_key`"
        );
    }
}
