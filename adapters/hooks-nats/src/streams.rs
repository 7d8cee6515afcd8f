//! The streams of a queue.

use std::time::Duration;

use async_nats::jetstream::context::ContextBuilder;
use async_nats::jetstream::stream::{
    Config, DiscardPolicy, LastRawMessageError, LastRawMessageErrorKind, RetentionPolicy, Stream,
};
use async_nats::jetstream::{Context, Message};
use async_nats::{Client, HeaderMap};
use bytes::Bytes;
use serde_json::Value;

use crate::error::NatsError;

/// How long the server recognises a message that is published again.
const DUPLICATES: Duration = Duration::from_secs(600);

/// How long it is known of a job that it is over.
const REMEMBERED: Duration = Duration::from_secs(24 * 60 * 60);

/// What decides whether a stream can lose messages that it has taken, in the words of the server: that has to be as it is
/// made here. A limit of its size is not among them, because a stream that discards new messages only takes fewer.
const FIXED: [&str; 8] = [
    "subjects",
    "retention",
    "discard",
    "discard_new_per_subject",
    "max_msgs_per_subject",
    "storage",
    "persist_mode",
    "no_ack",
];

/// How long to wait for an answer of the server. What is lost with a connection is sent again.
pub(crate) const ANSWER: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub(crate) struct Streams {
    pub(crate) client: Client,
    pub(crate) context: Context,
    pub(crate) name: String,
    /// The jobs that are not over, by hook.
    pub(crate) jobs: Stream,
    /// The record of each job that was started, by its key.
    pub(crate) states: Stream,
    /// The keys of the jobs that are over.
    pub(crate) over: Stream,
    /// The jobs that ended without success, by hook.
    pub(crate) buried: Stream,
}

impl Streams {
    pub(crate) async fn open(client: Client, name: String) -> Result<Self, NatsError> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if name.is_empty() || !name.chars().all(is_plain) {
            return Err(NatsError(format!("`{name}` cannot be the name of a queue; use letters, digits, `_` and `-`")));
        }
        let context = ContextBuilder::new().timeout(ANSWER).ack_timeout(ANSWER).build(client.clone());
        let config = |what: &str| Config {
            name: format!("{name}_{what}"),
            subjects: vec![format!("{name}.{what}.>")],
            duplicate_window: DUPLICATES,
            discard: DiscardPolicy::New,
            ..Config::default()
        };
        let open = async |config: Config| {
            let what = format!("the stream `{}` could not be opened", config.name);
            let stream = context.get_or_create_stream(config.clone()).await.map_err(NatsError::of(&what))?;
            check(&config, &stream.cached_info().config)?;
            Ok(stream)
        };
        let jobs = open(Config { retention: RetentionPolicy::WorkQueue, ..config("jobs") }).await?;
        let states = open(Config { max_messages_per_subject: 1, ..config("states") }).await?;
        let over = open(Config { max_messages_per_subject: 1, max_age: REMEMBERED, ..config("over") }).await?;
        let buried = open(config("buried")).await?;
        Ok(Self { client, context, name, jobs, states, over, buried })
    }

    /// The subject of a message: of a job or a buried job with its hook, of a record or the end of a job with its key.
    pub(crate) fn subject(&self, what: &str, key: &str) -> String {
        format!("{}.{what}.{key}", self.name)
    }

    /// Told about each new job, so that workers need not wait for their next look.
    pub(crate) fn wake(&self) -> String {
        format!("{}.wake", self.name)
    }

    /// Whether a job is over.
    pub(crate) async fn is_over(&self, key: &str) -> Result<bool, NatsError> {
        let found = self.over.get_last_raw_message_by_subject(&self.subject("over", key)).await;
        Ok(present(found, "it could not be read whether a job is over")?.is_some())
    }

    /// Removes a job that is over. If the server crashes within two minutes, it may deliver the job again, so that is kept.
    pub(crate) async fn remove(&self, message: &Message, key: &str) -> Result<(), NatsError> {
        let over = self.send(self.subject("over", key), HeaderMap::new(), Bytes::new()).await;
        over.map_err(NatsError::of("it could not be written that a job is over"))?;
        // If this is lost, the message is delivered again, and removed then.
        let _ = message.ack().await;
        Ok(())
    }
}

/// A message, if the stream has it.
pub(crate) fn present<T>(found: Result<T, LastRawMessageError>, failed: &str) -> Result<Option<T>, NatsError> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(None),
        Err(error) => Err(NatsError::of(failed)(error)),
    }
}

/// Refuses a stream with which jobs could be lost or run twice.
fn check(made: &Config, found: &Config) -> Result<(), NatsError> {
    let fields = |config| serde_json::to_value(config).unwrap_or_default();
    let (wanted, has) = (fields(made), fields(found));
    let differs = FIXED.into_iter().filter(|field| set(&wanted[field]) != set(&has[field]));
    let edit = |field| match set(&wanted[field]) {
        Some(value) => format!("set `{field}` to `{}`", value.as_str().map_or(value.to_string(), str::to_owned)),
        None => format!("unset `{field}`"),
    };
    let mut edits: Vec<String> = differs.map(edit).collect();
    if !found.max_age.is_zero() && (made.max_age.is_zero() || found.max_age < made.max_age) {
        edits.push(match made.max_age {
            Duration::ZERO => "unset `max_age`".to_owned(),
            least => format!("set `max_age` to {least:?} or more"),
        });
    }
    if edits.is_empty() {
        return Ok(());
    }
    Err(NatsError(format!("the stream `{}` could lose jobs or let them run twice: {}", made.name, edits.join(", "))))
}

/// The value of a field, if it says anything: the server writes what is not set in several ways.
fn set(value: &Value) -> Option<&Value> {
    let says_nothing = value.is_null() || value == false || value.as_i64().is_some_and(|number| number <= 0);
    (!says_nothing).then_some(value)
}
