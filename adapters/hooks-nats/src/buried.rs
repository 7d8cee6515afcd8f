//! The jobs that ended without success, for people.

use async_nats::HeaderMap;
use async_nats::header::NATS_MESSAGE_ID;
use async_nats::jetstream::Message;
use bytes::Bytes;
use hook_sdk::detached::Job;
use hook_sdk::worker::Burial;

use crate::error::NatsError;
use crate::queue::NatsJobs;
use crate::record::{Grave, burial};
use crate::streams::{Streams, present};

const WHY: &str = "Hooks-Why";
const CAUSE: &str = "Hooks-Cause";

/// A job that ended without success.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BuriedJob {
    /// Its hook.
    pub hook: String,
    /// Why it does not run again.
    pub why: Burial,
    /// The cause of its last failure, or empty.
    pub cause: String,
    /// The job as JSON, as it was queued.
    pub job: Bytes,
    sequence: u64,
}

impl NatsJobs {
    /// The oldest jobs of a hook that ended without success.
    ///
    /// # Errors
    /// [`NatsError`] if the server does not answer.
    pub async fn buried(&self, hook: &str, limit: usize) -> Result<Vec<BuriedJob>, NatsError> {
        let (stream, subject) = (&self.streams.buried, self.streams.subject("buried", hook));
        let (mut found, mut next) = (Vec::new(), 1);
        while found.len() < limit {
            let message = stream.raw_message_builder().sequence(next).next_by_subject(&subject).send().await;
            let Some(message) = present(message, "the buried jobs could not be read")? else { break };
            next = message.sequence + 1;
            let header = |name| message.headers.get(name).map(ToString::to_string).unwrap_or_default();
            found.push(BuriedJob {
                hook: hook.to_owned(),
                why: burial(&header(WHY)),
                cause: header(CAUSE),
                job: message.payload.clone(),
                sequence: message.sequence,
            });
        }
        Ok(found)
    }

    /// Queues a buried job again, as it was queued first.
    ///
    /// # Errors
    /// [`NatsError`] if the job is no longer buried, or if the server does not answer. It may then be queued and still be
    /// buried; it can be tried again.
    pub async fn retry(&self, buried: &BuriedJob) -> Result<(), NatsError> {
        let streams = &self.streams;
        let failed = "the job could not be queued again";
        if present(streams.buried.get_raw_message(buried.sequence).await, failed)?.is_none() {
            return Err(NatsError("the job is no longer buried: it was queued again before, or removed".to_owned()));
        }
        let mut payload = buried.job.clone();
        if let Ok(mut job) = serde_json::from_slice::<Job>(&payload) {
            // The one with its id is over.
            job.id = format!("{}-{}", job.id, buried.sequence);
            payload = serde_json::to_vec(&job).map_err(NatsError::of(failed))?.into();
        }
        let subject = streams.subject("jobs", &buried.hook);
        streams.send(subject, HeaderMap::new(), payload).await.map_err(NatsError::of(failed))?;
        let _ = streams.client.publish(streams.wake(), "".into()).await;
        let failed = NatsError::of("the job is queued again, and could not be removed here");
        streams.buried.delete_message(buried.sequence).await.map(drop).map_err(failed)
    }
}

impl Streams {
    /// Keeps a job. It is still queued, so that it is not lost if this is interrupted.
    pub(crate) async fn bury(&self, message: &Message, key: &str, grave: &Grave) -> Result<(), NatsError> {
        let hook = message.subject.rsplit('.').next().unwrap_or_default();
        let mut headers = HeaderMap::new();
        headers.insert(NATS_MESSAGE_ID, key);
        headers.insert(WHY, grave.why.as_str());
        headers.insert(CAUSE, grave.cause.as_str());
        let sent = self.send(self.subject("buried", hook), headers, message.payload.clone()).await;
        sent.map_err(NatsError::of("a job could not be buried"))
    }
}
