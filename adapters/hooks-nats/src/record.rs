//! What is stored about a job that was started. Each change expects the record before it, so of two workers that want to
//! change it, one does not.

use async_nats::HeaderMap;
use async_nats::header::NATS_EXPECTED_LAST_SUBJECT_SEQUENCE;
use hook_sdk::worker::Burial;
use serde::{Deserialize, Serialize};

use crate::error::NatsError;
use crate::streams::{Streams, present};

/// How often a change is sent whose answer is lost.
const TRIES: u32 = 5;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// The sequence of the message with the job.
    pub(crate) message: u64,
    /// Which delivery of the message was started. A later one says that the worker was silent.
    pub(crate) delivered: i64,
    /// Unique to each start.
    pub(crate) claim: String,
    pub(crate) attempt: u32,
    /// How many workers died while they ran the job.
    pub(crate) deaths: u32,
    pub(crate) step: Step,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Step {
    Running,
    /// In milliseconds since 1970.
    Waiting(u64),
    Done,
    Buried(Grave),
}

/// Why a job is kept for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Grave {
    pub(crate) why: String,
    pub(crate) cause: String,
}

/// The word of each reason. An unknown one is that of the first.
const WORDS: [(Burial, &str); 3] =
    [(Burial::Failed, "failed"), (Burial::Interrupted, "interrupted"), (Burial::Quarantined, "quarantined")];

/// The reason that a word says.
pub(crate) fn burial(word: &str) -> Burial {
    WORDS.iter().find(|(_, of)| *of == word).unwrap_or(&WORDS[0]).0
}

impl Grave {
    pub(crate) fn new(why: Burial, cause: &str) -> Self {
        let (_, word) = WORDS.iter().find(|(of, _)| *of == why).unwrap_or(&WORDS[0]);
        // It becomes a header, which is one line.
        let cause = cause.chars().map(|c| if c.is_control() { ' ' } else { c }).take(500).collect();
        Self { why: (*word).to_owned(), cause }
    }
}

impl Streams {
    /// The record of a job, and its sequence, which is 0 if there is none.
    pub(crate) async fn record(&self, key: &str) -> Result<(Option<Record>, u64), NatsError> {
        let failed = "the record of a job could not be read";
        let found = self.states.get_last_raw_message_by_subject(&self.subject("states", key)).await;
        let Some(found) = present(found, failed)? else { return Ok((None, 0)) };
        let record = serde_json::from_slice(&found.payload).map_err(NatsError::of(failed))?;
        Ok((Some(record), found.sequence))
    }

    /// Writes a record if the one before is still that of `expected`, and returns its sequence.
    pub(crate) async fn change(&self, key: &str, expected: u64, record: &Record) -> Result<Option<u64>, NatsError> {
        let payload = serde_json::to_vec(record).map_err(NatsError::of("a record cannot be written"))?;
        let mut why = NatsError(String::new());
        for _ in 0..TRIES {
            let mut headers = HeaderMap::new();
            headers.insert(NATS_EXPECTED_LAST_SUBJECT_SEQUENCE, expected.to_string());
            let (subject, payload) = (self.subject("states", key), payload.clone().into());
            let sent = async { self.context.publish_with_headers(subject, headers, payload).await?.await };
            let error = match sent.await {
                Ok(ack) => return Ok(Some(ack.sequence)),
                Err(error) => NatsError::of("the record of a job could not be written")(error),
            };
            why = match self.record(key).await {
                // Written before; its answer was lost.
                Ok((Some(found), sequence)) if found == *record => return Ok(Some(sequence)),
                Ok((_, sequence)) if sequence != expected => return Ok(None),
                Ok(_) => error,
                Err(error) => error,
            };
        }
        Err(why)
    }

    /// Forgets a job that is over, except that it is. If that fails, a record that nobody reads is left.
    pub(crate) async fn forget(&self, key: &str) {
        let _ = self.states.purge().filter(self.subject("states", key)).await;
    }
}
