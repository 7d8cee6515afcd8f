//! Where workers take jobs from.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

use async_nats::Subscriber;
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::{AckKind, Message};
use futures_util::{FutureExt, StreamExt};
use hook_sdk::Registry;
use hook_sdk::detached::Job;
use hook_sdk::record::Status;
use hook_sdk::worker::{Burial, JobOutcome, JobSource, SourceError, Taken};
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep, timeout};

use crate::error::NatsError;
use crate::queue::{DUE, NatsJobs, millis, now, read};
use crate::record::{Grave, Record, Step};
use crate::streams::ANSWER;

/// How long the server waits for a job of a hook that has none ready.
const PAUSE: Duration = Duration::from_millis(50);

/// How many jobs of a hook may be running or waiting for their time.
const UNFINISHED: i64 = 10_000;

/// The jobs of a NATS server, for one [`Worker`](hook_sdk::worker::Worker).
#[derive(Debug)]
#[must_use = "a worker takes jobs from it"]
pub struct NatsSource {
    jobs: NatsJobs,
    silence: Duration,
    poll: Duration,
    deaths: u32,
    round: Mutex<Round>,
    wake: Mutex<Option<Subscriber>>,
}

/// The hooks whose turn it is, so that none has to wait for all jobs of another.
#[derive(Debug, Default)]
struct Round {
    hooks: VecDeque<String>,
    at: Option<Instant>,
    consumers: HashMap<String, PullConsumer>,
}

/// One start of a job.
#[derive(Debug)]
pub struct NatsClaim {
    message: Message,
    key: String,
    record: Record,
    sequence: u64,
}

impl NatsJobs {
    /// The jobs, for one worker. The jobs of a hook that the worker does not have are left to others.
    pub fn source(&self) -> NatsSource {
        NatsSource {
            jobs: self.clone(),
            silence: Duration::from_secs(15),
            poll: Duration::from_millis(500),
            deaths: 5,
            round: Mutex::default(),
            wake: Mutex::default(),
        }
    }
}

impl NatsSource {
    /// Sets how long a worker can be silent before its jobs are taken from it. Default: 15 s. All workers of a queue need
    /// the same value.
    pub fn silence(mut self, limit: Duration) -> Self {
        self.silence = limit.max(Duration::from_millis(30));
        self
    }

    /// Sets how many workers may die while running the same job before it is quarantined. Default: 5.
    pub fn deaths(mut self, limit: u32) -> Self {
        self.deaths = limit.max(1);
        self
    }

    /// Sets how often the worker looks for jobs that it was not told about, such as those whose time has come. Default:
    /// 500 ms.
    pub fn poll(mut self, every: Duration) -> Self {
        self.poll = every.max(Duration::from_millis(1));
        self
    }

    /// The hooks of the worker that have jobs, in any order.
    async fn queued(&self, registry: &Registry) -> Result<VecDeque<String>, NatsError> {
        let failed = "the queue could not be read";
        let prefix = self.jobs.streams.subject("jobs", "");
        let known: HashSet<String> = registry.hooks().iter().map(|hook| format!("{prefix}{}", hook.id())).collect();
        let found = self.jobs.streams.jobs.info_with_subjects(format!("{prefix}*")).await;
        let mut found = found.map_err(NatsError::of(failed))?;
        let mut hooks = VecDeque::new();
        while let Some(subject) = found.next().await {
            let (subject, _) = subject.map_err(NatsError::of(failed))?;
            hooks.extend(known.contains(&subject).then(|| subject[prefix.len()..].to_owned()));
        }
        Ok(hooks)
    }

    /// The next message of a hook. Each hook has a consumer, which workers share.
    async fn fetch(&self, round: &mut Round, hook: &str) -> Result<Option<Message>, NatsError> {
        let failed = "jobs could not be fetched";
        if !round.consumers.contains_key(hook) {
            let config = pull::Config {
                durable_name: Some(hook.to_owned()),
                filter_subject: self.jobs.streams.subject("jobs", hook),
                ack_policy: AckPolicy::Explicit,
                ack_wait: self.silence,
                max_deliver: -1,
                max_ack_pending: UNFINISHED,
                ..pull::Config::default()
            };
            let consumer = self.jobs.streams.jobs.create_consumer(config).await.map_err(NatsError::of(failed))?;
            round.consumers.insert(hook.to_owned(), consumer);
        }
        let next = async {
            // After a crash, a server may count a message that it does not have: without a limit, it would not answer.
            let fetch = round.consumers[hook].fetch().max_messages(1).expires(PAUSE);
            let mut batch = fetch.messages().await?;
            batch.next().await.transpose()
        };
        let fetched = timeout(ANSWER, next).await.map_err(async_nats::Error::from).flatten();
        if fetched.is_err() {
            // Somebody may have deleted it.
            round.consumers.remove(hook);
        }
        fetched.map_err(NatsError::of(failed))
    }

    /// Starts the job of a message, unless it is not due, over, or run by another worker.
    async fn start(&self, message: Message, asked: Instant) -> Result<Option<Taken<NatsClaim>>, NatsError> {
        let streams = &self.jobs.streams;
        let info = message.info().map_err(NatsError::of("a message without its number"))?;
        let (id, delivered) = (info.stream_sequence, info.delivered);
        let (mut job, key) = read(&message.payload, id);
        let due = message.headers.as_ref().and_then(|headers| headers.get(DUE)?.as_str().parse().ok());
        if wait(&message, due).await {
            return Ok(None);
        }
        let record = Record {
            message: id,
            delivered,
            claim: streams.client.new_inbox(),
            attempt: job.as_ref().map_or(1, |job| job.attempt),
            deaths: 0,
            step: Step::Running,
        };
        // Most jobs were never started.
        let mut claim = NatsClaim { message, key, record, sequence: 0 };
        loop {
            if asked.elapsed() > self.silence {
                // It was delivered to somebody else meanwhile.
                return Ok(None);
            }
            if let Some(sequence) = streams.change(&claim.key, claim.sequence, &claim.record).await? {
                claim.sequence = sequence;
                break;
            }
            let (found, sequence) = streams.record(&claim.key).await?;
            claim.sequence = sequence;
            let Some(found) = found else { continue };
            if found.message != id {
                // A second message of one job.
                let _ = claim.message.ack().await;
                return Ok(None);
            }
            (claim.record.attempt, claim.record.deaths) = (found.attempt, found.deaths);
            match found.step {
                // Its worker lives, as far as the server knows.
                Step::Running if delivered <= found.delivered => {
                    // A server that crashed counts deliveries from before. The next one after this is later than its
                    // start too. A delivery of before the start is as old as the silence.
                    if delivered < found.delivered && asked.elapsed() < self.silence {
                        streams.change(&claim.key, sequence, &Record { delivered, ..found }).await?;
                    }
                    return Ok(None);
                }
                Step::Running => {
                    claim.record.deaths += 1;
                    let idempotent = job.as_ref().is_ok_and(|job| job.idempotent);
                    if let Some(why) = Burial::of_deaths(idempotent, claim.record.deaths, self.deaths) {
                        self.close(&claim, Step::Buried(Grave::new(why, ""))).await?;
                        return Ok(None);
                    }
                }
                Step::Waiting(due) => {
                    if wait(&claim.message, Some(due)).await {
                        return Ok(None);
                    }
                }
                // Its worker died before it had removed the message.
                Step::Done | Step::Buried(_) => {
                    claim.record = found.clone();
                    self.close(&claim, found.step).await?;
                    return Ok(None);
                }
            }
        }
        if streams.is_over(&claim.key).await? {
            // The server forgot that it was removed; or another worker ended it before this one could write.
            streams.remove(&claim.message, &claim.key).await?;
            streams.forget(&claim.key).await;
            return Ok(None);
        }
        if let Ok(job) = &mut job {
            job.attempt = claim.record.attempt;
        }
        Ok(Some(Taken::new(job, claim)))
    }

    /// Writes what became of a start. `false` if the job was taken from this worker.
    async fn write(&self, claim: &NatsClaim, record: &Record) -> Result<bool, NatsError> {
        let (streams, mut last) = (&self.jobs.streams, claim.sequence);
        while streams.change(&claim.key, last, record).await?.is_none() {
            match streams.record(&claim.key).await? {
                (Some(found), sequence) if found.claim == record.claim => last = sequence,
                _ => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Writes the end of a job, and removes it. `false` if the job was taken from this worker.
    async fn close(&self, claim: &NatsClaim, step: Step) -> Result<bool, NatsError> {
        let (streams, record) = (&self.jobs.streams, Record { step, ..claim.record.clone() });
        if !self.write(claim, &record).await? {
            return Ok(false);
        }
        if let Step::Buried(grave) = &record.step {
            streams.bury(&claim.message, &claim.key, grave).await?;
        }
        streams.remove(&claim.message, &claim.key).await?;
        streams.forget(&claim.key).await;
        Ok(true)
    }
}

/// Whether a job is not due yet. The server then delivers it again when it is.
async fn wait(message: &Message, due: Option<u64>) -> bool {
    let left = due.unwrap_or_default().saturating_sub(now());
    if left > 0 {
        // If this is lost, it is delivered again after the silence.
        let _ = message.ack_with(AckKind::Nak(Some(Duration::from_millis(left)))).await;
    }
    left > 0
}

impl JobSource for NatsSource {
    type Claim = NatsClaim;

    async fn take(&self, registry: &Registry, _: usize) -> Result<Option<Taken<NatsClaim>>, SourceError> {
        let mut round = self.round.lock().await;
        if round.hooks.is_empty() || round.at.is_none_or(|at| at.elapsed() > self.poll) {
            (round.hooks, round.at) = (self.queued(registry).await?, Some(Instant::now()));
        }
        while let Some(hook) = round.hooks.pop_front() {
            loop {
                let asked = Instant::now();
                let Some(message) = self.fetch(&mut round, &hook).await? else { break };
                if let Some(taken) = self.start(message, asked).await? {
                    round.hooks.push_back(hook);
                    return Ok(Some(taken));
                }
            }
        }
        Ok(None)
    }

    async fn ready(&self) {
        let mut wake = self.wake.lock().await;
        if wake.is_none() {
            *wake = self.jobs.streams.client.subscribe(self.jobs.streams.wake()).await.ok();
        }
        let Some(wake) = &mut *wake else { return sleep(self.poll).await };
        let _ = timeout(self.poll, wake.next()).await;
        // One look is enough for all of them.
        while let Some(Some(_)) = wake.next().now_or_never() {}
    }

    async fn is_empty(&self, registry: &Registry) -> Result<bool, SourceError> {
        // Not what consumers count: after a crash, the server may count, or keep, messages whose jobs are over.
        for hook in self.queued(registry).await? {
            if self.jobs.streams.is_any_left(&hook).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn progress_interval(&self) -> Option<Duration> {
        Some(self.silence / 3)
    }

    async fn progress(&self, claim: &NatsClaim) -> Result<bool, SourceError> {
        let (found, _) = self.jobs.streams.record(&claim.key).await?;
        if found.is_none_or(|found| found.claim != claim.record.claim) {
            return Ok(false);
        }
        let told = claim.message.ack_with(AckKind::Progress).await;
        told.map(|()| true).map_err(|error| SourceError::Failed(error.to_string()))
    }

    async fn end(&self, claim: &NatsClaim, outcome: &JobOutcome) -> Result<bool, SourceError> {
        let cause = outcome.cause.as_deref().unwrap_or_default();
        let step = match outcome.status {
            Status::Completed => Step::Done,
            _ => Step::Buried(Grave::new(Burial::Failed, cause)),
        };
        Ok(self.close(claim, step).await?)
    }

    async fn again(&self, claim: &NatsClaim, job: &Job, after: Duration, _: &JobOutcome) -> Result<bool, SourceError> {
        let due = now().saturating_add(millis(after));
        let record = Record { step: Step::Waiting(due), attempt: job.attempt, ..claim.record.clone() };
        let written = self.write(claim, &record).await?;
        if written {
            let _ = claim.message.ack_with(AckKind::Nak(Some(after))).await;
        }
        Ok(written)
    }
}
