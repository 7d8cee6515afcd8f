//! Where jobs are queued, and the connection to the server.

use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use async_nats::header::NATS_MESSAGE_ID;
use async_nats::jetstream::context::PublishErrorKind;
use async_nats::{ConnectOptions, HeaderMap};
use hook_sdk::detached::{BackgroundSink, EnqueueError, Job};
use tokio::runtime::Handle;
use tokio::sync::mpsc::{Sender, channel};
use tokio::time::{Instant, timeout_at};

use crate::error::NatsError;
use crate::streams::{Streams, present};

/// How long a dispatch waits for its job to be stored.
const PATIENCE: Duration = Duration::from_secs(15);

/// What a message may be larger by when it is buried: its headers.
const ROOM: usize = 4_096;

/// The header with the time at which a job is due, in milliseconds since 1970.
pub(crate) const DUE: &str = "Hooks-Due";

/// The jobs of background hooks on a NATS server. Clones share a connection.
///
/// As a sink, it blocks the dispatching thread until the server has stored the job, which takes about a millisecond. A run
/// is recorded as failed if that does not happen within 15 s, although the job may then be stored.
#[derive(Clone, Debug)]
pub struct NatsJobs {
    pub(crate) streams: Arc<Streams>,
    runtime: Handle,
    /// The runtime ends when all clones are dropped.
    _alive: Sender<()>,
}

impl NatsJobs {
    /// Connects to a server, or to several of one cluster with commas between them, and creates the streams of the queue
    /// `name` unless they exist.
    ///
    /// # Errors
    /// [`NatsError`] if no server can be reached, if it does not store messages, if it refuses the streams, or if one of
    /// them exists with settings that can lose jobs.
    pub async fn connect(url: &str, name: &str) -> Result<Self, NatsError> {
        Self::connect_with(ConnectOptions::new(), url, name).await
    }

    /// Connects with credentials, certificates and so on.
    ///
    /// # Errors
    /// As [`connect`](Self::connect).
    pub async fn connect_with(options: ConnectOptions, url: &str, name: &str) -> Result<Self, NatsError> {
        let servers: Vec<String> = url.split(',').map(|url| url.trim().to_owned()).collect();
        let name = name.to_owned();
        // The connection has a thread of its own, because a dispatch blocks its thread until the server answers.
        let thread = thread::Builder::new().name("hooks-nats".to_owned());
        let failed = NatsError::of("the thread of the connection could not be started");
        let threaded = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(&failed)?;
        let (runtime, (alive, mut dropped)) = (threaded.handle().clone(), channel(1));
        thread.spawn(move || threaded.block_on(dropped.recv())).map_err(&failed)?;
        let open = async move {
            let client = options.connect(servers).await;
            Streams::open(client.map_err(NatsError::of("the NATS server cannot be reached"))?, name).await
        };
        let streams = runtime.spawn(open).await.map_err(NatsError::of("the connection ended"))??;
        Ok(Self { streams: Arc::new(streams), runtime, _alive: alive })
    }
}

impl BackgroundSink for NatsJobs {
    fn enqueue(&self, job: Job) -> Result<(), EnqueueError> {
        let (streams, (done, answer)) = (Arc::clone(&self.streams), mpsc::channel());
        // A caller that no longer waits has been told that the job may be stored.
        self.runtime.spawn(async move { done.send(streams.publish(&job).await) });
        answer.recv_timeout(PATIENCE).unwrap_or_else(|_| Err(late()))
    }
}

fn late() -> EnqueueError {
    EnqueueError::InDoubt(format!("the server did not answer within {PATIENCE:?}"))
}

impl Streams {
    async fn publish(&self, job: &Job) -> Result<(), EnqueueError> {
        let failed = |why: String| Err(EnqueueError::Failed(why));
        let Some(key) = key(job) else {
            return failed(format!("the id `{}` cannot be part of a subject of NATS", job.id));
        };
        let payload = serde_json::to_vec(job).map_err(|error| EnqueueError::Failed(error.to_string()))?;
        let limit = self.client.max_payload().saturating_sub(ROOM);
        if payload.len() > limit {
            let size = payload.len();
            return failed(format!("it has {size} bytes, of at most {limit}; raise `max_payload` of the server"));
        }
        let mut headers = HeaderMap::new();
        headers.insert(NATS_MESSAGE_ID, key);
        if !job.delay.is_zero() {
            headers.insert(DUE, now().saturating_add(millis(job.delay)).to_string());
        }
        self.send(self.subject("jobs", job.hook.as_str()), headers, payload.into()).await?;
        let _ = self.client.publish(self.wake(), "".into()).await;
        Ok(())
    }

    /// Whether a hook has jobs that are not over. Removes messages whose jobs are.
    pub(crate) async fn is_any_left(&self, hook: &str) -> Result<bool, NatsError> {
        let (subject, failed, mut next) = (self.subject("jobs", hook), "the queue could not be read", 1);
        loop {
            let found = self.jobs.raw_message_builder().sequence(next).next_by_subject(&subject).send().await;
            let Some(message) = present(found, failed)? else { return Ok(false) };
            let (_, key) = read(&message.payload, message.sequence);
            if !self.is_over(&key).await? {
                return Ok(true);
            }
            // If this is lost, the next look removes it.
            let _ = self.jobs.delete_message(message.sequence).await;
            next = message.sequence + 1;
        }
    }

    /// Publishes until the server has answered. It knows a message that it got before by its id.
    pub(crate) async fn send(
        &self,
        subject: String,
        headers: HeaderMap,
        payload: bytes::Bytes,
    ) -> Result<(), EnqueueError> {
        let end = Instant::now() + PATIENCE;
        loop {
            let once = async {
                self.context.publish_with_headers(subject.clone(), headers.clone(), payload.clone()).await?.await
            };
            match timeout_at(end, once).await {
                Err(_) => return Err(late()),
                Ok(Ok(_)) => return Ok(()),
                Ok(Err(error)) => match error.kind() {
                    PublishErrorKind::TimedOut | PublishErrorKind::BrokenPipe => {}
                    _ if error.to_string().contains("maximum") => return Err(EnqueueError::Full),
                    _ => return Err(EnqueueError::Failed(error.to_string())),
                },
            }
        }
    }
}

/// The id of a job and its attempt. `None` if a subject cannot contain the id.
fn key(job: &Job) -> Option<String> {
    let is_plain = |c: char| c.is_ascii_graphic() && !matches!(c, '.' | '*' | '>');
    (!job.id.is_empty() && job.id.chars().all(is_plain)).then(|| format!("{}.{}", job.id, job.attempt))
}

/// The job of a message with this sequence, and the key of its record.
pub(crate) fn read(payload: &[u8], sequence: u64) -> (Result<Job, String>, String) {
    let job = serde_json::from_slice::<Job>(payload).map_err(|error| error.to_string());
    let key = job.as_ref().ok().and_then(key);
    let job = job.and_then(|job| if key.is_some() { Ok(job) } else { Err(format!("invalid id `{}`", job.id)) });
    (job, key.unwrap_or_else(|| format!("unreadable.{sequence}")))
}

/// In milliseconds since 1970.
pub(crate) fn now() -> u64 {
    std::time::SystemTime::UNIX_EPOCH.elapsed().map_or(0, millis)
}

pub(crate) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
