//! The contract of engines for background jobs, and what a queue on a server does beyond it.

use std::collections::BTreeSet;
use std::time::Duration;

use async_nats::jetstream;
use async_nats::jetstream::consumer::pull;
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType};
use futures_util::StreamExt;
use hook_sdk::detached::Job;
use hook_sdk::worker::{Burial, Worker};
use hook_sdk::{CancellationToken, Registry};
use hooks_conformance::{JobEngine, check_jobs};
use hooks_nats::NatsJobs;
use tokio::time::timeout;

use crate::desk::{Process, SILENCE, queue, registry, runs, work, work_until_empty};
use crate::server::{Server, Wire, until};

struct Broker(NatsJobs);

const SHORT: Duration = Duration::from_millis(300);

impl JobEngine for Broker {
    fn connect(&self, registry: &Registry, _: Worker) {
        registry.set_background(self.0.clone());
    }

    fn work(
        &self,
        registry: Registry,
        worker: Worker,
        stop: CancellationToken,
    ) -> impl Future<Output = ()> + Send + 'static {
        let source = self.0.source().poll(Duration::from_millis(5)).silence(SHORT);
        async move { worker.run(&registry, source, stop).await }
    }

    fn silence(&self) -> Option<Duration> {
        Some(SHORT)
    }

    async fn buried(&self, hook: &str) -> Vec<Burial> {
        self.0.buried(hook, 10).await.unwrap().into_iter().map(|job| job.why).collect()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_runs_jobs_as_their_hooks_allow() {
    let Some(server) = Server::start() else { return };
    if let Err(breaches) = check_jobs(&Broker(server.jobs().await)).await {
        panic!("{breaches}");
    }
}

/// `JetStream`, without the crate.
pub(crate) async fn broker(server: &Server) -> jetstream::Context {
    jetstream::new(async_nats::connect(server.url()).await.unwrap())
}

/// A queue whose stream the operator has made.
async fn limited(server: &Server, max_messages: i64) -> NatsJobs {
    let (name, subjects) = ("desk_jobs".to_owned(), vec!["desk.jobs.>".to_owned()]);
    let (retention, discard) = (RetentionPolicy::WorkQueue, DiscardPolicy::New);
    let config = Config { name, subjects, retention, discard, max_messages, ..Config::default() };
    broker(server).await.create_stream(config).await.unwrap();
    server.jobs().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_that_is_done_does_not_come_back_when_the_server_is_killed() {
    let Some(mut server) = Server::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("runs");
    let jobs = server.jobs().await;
    for number in 0..20 {
        queue(jobs.clone(), "once", &number.to_string()).await.unwrap();
    }
    work_until_empty(&jobs, &file).await;
    server.restart();
    work_until_empty(&server.jobs().await, &file).await;
    let runs = runs(&file);
    assert_eq!((runs.len(), runs.values().sum::<usize>()), (20, 20), "{runs:?}");
}

/// As a crash can leave it: the job is over, and the server still has its message and waits for an answer about it.
#[tokio::test(flavor = "multi_thread")]
async fn a_queue_is_empty_if_all_of_its_jobs_are_over() {
    let Some(server) = Server::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let jobs = server.jobs().await;
    queue(jobs.clone(), "once", "0").await.unwrap();
    let broker = broker(&server).await;
    let stream = broker.get_stream("desk_jobs").await.unwrap();
    let hour = Duration::from_secs(3_600);
    let config =
        pull::Config { durable_name: Some("once".to_owned()), ack_wait: hour, max_deliver: -1, ..Default::default() };
    let consumer = stream.create_consumer(config).await.unwrap();
    let message = consumer.fetch().max_messages(1).messages().await.unwrap().next().await.unwrap().unwrap();
    let job: Job = serde_json::from_slice(&message.payload).unwrap();
    let over = format!("desk.over.{}.{}", job.id, job.attempt);
    let registry = registry(folder.path());
    let work = async || {
        let work = Worker::new().run_until_empty(&registry, jobs.source().silence(hour));
        timeout(Duration::from_secs(5), work).await
    };
    assert!(work().await.is_err(), "another worker has the job");
    broker.publish(over, "".into()).await.unwrap().await.unwrap();
    work().await.expect("the job is over");
    assert_eq!(stream.get_info().await.unwrap().state.messages, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_that_is_published_twice_runs_once() {
    let Some(server) = Server::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("runs");
    let jobs = server.jobs().await;
    queue(jobs.clone(), "once", "long").await.unwrap();
    // Without the id by which the server would know it for ten minutes.
    let broker = broker(&server).await;
    let stream = broker.get_stream("desk_jobs").await.unwrap();
    let stored = stream.get_raw_message(1).await.unwrap();
    let publish = async || broker.publish(stored.subject.clone(), stored.payload.clone()).await.unwrap().await.unwrap();
    publish().await;
    work_until_empty(&jobs, &file).await;
    publish().await;
    work_until_empty(&jobs, &file).await;
    assert_eq!(runs(&file)["once long"], 1);
    assert!(jobs.buried("once", 10).await.unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_is_no_job_is_kept_and_the_others_run() {
    let Some(server) = Server::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("runs");
    let jobs = server.jobs().await;
    let broker = broker(&server).await;
    let unreadable = ["", "{}", "\u{0}", r#"{"id":"a b"}"#];
    for text in unreadable {
        broker.publish("desk.jobs.once", text.into()).await.unwrap().await.unwrap();
    }
    queue(jobs.clone(), "once", "0").await.unwrap();
    work_until_empty(&jobs, &file).await;
    assert_eq!(runs(&file)["once 0"], 1);
    let buried = jobs.buried("once", 10).await.unwrap();
    // Jobs run beside each other: which is buried first is open.
    let texts = buried.iter().map(|job| &*job.job).collect::<BTreeSet<_>>();
    assert_eq!((buried.len(), texts), (unreadable.len(), unreadable.iter().map(|text| text.as_bytes()).collect()));
    assert!(buried.iter().all(|job| job.why == Burial::Failed && !job.cause.is_empty()), "{buried:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_queue_that_is_full_refuses_a_job() {
    let Some(server) = Server::start() else { return };
    let jobs = limited(&server, 2).await;
    queue(jobs.clone(), "once", "0").await.unwrap();
    queue(jobs.clone(), "once", "1").await.unwrap();
    let refused = queue(jobs.clone(), "once", "2").await.unwrap_err();
    assert!(refused.contains("is full"), "{refused}");
    let large = queue(jobs, "once", &"x".repeat(1 << 20)).await.unwrap_err();
    assert!(large.contains("raise `max_payload` of the server"), "{large}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_of_a_stream_keeps_jobs_waiting_and_loses_none() {
    let Some(server) = Server::start() else { return };
    let jobs = server.jobs().await;
    let broker = broker(&server).await;
    let limit = async |what: &str, max_messages| {
        let name = format!("desk_{what}");
        let config = broker.get_stream(&name).await.unwrap().cached_info().config.clone();
        broker.update_stream(Config { max_messages, ..config }).await.unwrap();
    };
    for (round, what) in ["states", "over", "buried"].into_iter().enumerate() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("runs");
        limit(what, i64::try_from(round * 3 + 1).unwrap()).await;
        let stop = CancellationToken::new();
        let worker = tokio::spawn({
            let (jobs, file, stop) = (jobs.clone(), file.clone(), stop.clone());
            async move { work(&jobs, &file, 3, stop).await }
        });
        for _ in 0..3 {
            queue(jobs.clone(), "once", "fails").await.unwrap();
        }
        until("one runs", || !runs(&file).is_empty());
        if what == "buried" {
            until("all run", || runs(&file)["once fails"] == 3);
        }
        limit(what, -1).await;
        work_until_empty(&jobs, &file).await;
        stop.cancel();
        worker.await.unwrap();
        let buried = jobs.buried("once", 10).await.unwrap();
        let why: Vec<_> = buried.iter().map(|job| job.why).collect();
        assert_eq!((runs(&file)["once fails"], why), (3, vec![Burial::Failed; 3 * (round + 1)]), "{what}");
    }
}

/// What an operator has made of a stream, and what the error says to do.
type Made = (&'static str, fn(&mut Config), Option<&'static str>);

const MADE: [Made; 16] = [
    ("jobs", |made| made.discard = DiscardPolicy::Old, Some("set `discard` to `new`")),
    ("states", |made| made.discard = DiscardPolicy::Old, Some("set `discard` to `new`")),
    ("buried", |made| made.discard = DiscardPolicy::Old, Some("set `discard` to `new`")),
    ("jobs", |made| made.retention = RetentionPolicy::Interest, Some("set `retention` to `workqueue`")),
    ("states", |made| made.retention = RetentionPolicy::WorkQueue, Some("set `retention` to `limits`")),
    ("jobs", |made| made.max_messages_per_subject = 3, Some("unset `max_msgs_per_subject`")),
    ("states", |made| made.discard_new_per_subject = true, Some("unset `discard_new_per_subject`")),
    ("jobs", |made| made.max_age = Duration::from_secs(60), Some("unset `max_age`")),
    ("over", |made| made.max_age = Duration::from_secs(60), Some("set `max_age` to 86400s or more")),
    ("jobs", |made| made.storage = StorageType::Memory, Some("set `storage` to `file`")),
    ("jobs", |made| made.subjects = vec!["other".to_owned()], Some("set `subjects` to `[\"")),
    ("jobs", |made| made.no_ack = true, Some("unset `no_ack`")),
    (
        "buried",
        |made| (made.discard, made.max_age) = (DiscardPolicy::Old, Duration::from_secs(60)),
        Some("set `discard` to `new`, unset `max_age`"),
    ),
    ("jobs", |made| (made.max_messages, made.max_bytes, made.max_message_size) = (9, 1 << 20, 1 << 10), None),
    ("over", |made| made.max_age *= 2, None),
    ("over", |made| made.max_age = Duration::ZERO, None),
];

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_could_lose_jobs_is_refused_with_what_to_set() {
    let Some(server) = Server::start() else { return };
    let broker = broker(&server).await;
    for (number, (what, edit, expected)) in MADE.into_iter().enumerate() {
        let queue = format!("q{number}");
        NatsJobs::connect(&server.url(), &queue).await.unwrap();
        let name = format!("{queue}_{what}");
        let mut made = broker.get_stream(&name).await.unwrap().cached_info().config.clone();
        broker.delete_stream(&name).await.unwrap();
        edit(&mut made);
        made.duplicate_window = Duration::from_secs(1);
        broker.create_stream(made).await.unwrap();
        let opened = NatsJobs::connect(&server.url(), &queue).await.map(drop).map_err(|error| error.to_string());
        match expected {
            None => assert_eq!(opened, Ok(()), "{name}"),
            Some(todo) => {
                let start = format!("the stream `{name}` could lose jobs or let them run twice: {todo}");
                assert!(opened.as_ref().is_err_and(|error| error.starts_with(&start)), "{start}\n{opened:?}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_that_failed_can_be_queued_again() {
    let Some(server) = Server::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("runs");
    let jobs = server.jobs().await;
    queue(jobs.clone(), "once", "fails").await.unwrap();
    for round in 1..=3 {
        work_until_empty(&jobs, &file).await;
        assert_eq!(runs(&file)["once fails"], round);
        let buried = jobs.buried("once", 10).await.unwrap();
        assert_eq!((buried.len(), buried[0].why, &*buried[0].cause), (1, Burial::Failed, "it fails"));
        jobs.retry(&buried[0]).await.unwrap();
        assert!(jobs.buried("once", 10).await.unwrap().is_empty());
        let again = jobs.retry(&buried[0]).await.unwrap_err().to_string();
        assert_eq!(again, "the job is no longer buried: it was queued again before, or removed");
        let queued = broker(&server).await.get_stream("desk_jobs").await.unwrap().cached_info().state.messages;
        assert_eq!(queued, 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_is_paused_for_too_long_ends_no_job_that_was_taken_from_it() {
    let Some(server) = Server::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("runs");
    let jobs = server.jobs().await;
    let process = Process::start(&server.url(), &file);
    queue(jobs.clone(), "once", "long").await.unwrap();
    queue(jobs.clone(), "again", "long").await.unwrap();
    until("both jobs run", || runs(&file).len() == 2);
    process.signal("STOP");
    let took = std::time::Instant::now();
    work_until_empty(&jobs, &file).await;
    assert!(took.elapsed() < SILENCE * 10, "{:?}", took.elapsed());
    process.signal("CONT");
    // It is alive, and works on.
    queue(jobs.clone(), "again", "0").await.unwrap();
    until("the worker runs another job", || runs(&file).contains_key("again 0"));
    let (runs, buried) = (runs(&file), jobs.buried("once", 10).await.unwrap());
    assert_eq!((runs["once long"], runs["again long"]), (1, 2));
    assert_eq!(buried.iter().map(|job| job.why).collect::<Vec<_>>(), [Burial::Interrupted]);
    assert!(jobs.buried("again", 10).await.unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_consumer_that_somebody_deletes_is_made_again() {
    let Some(server) = Server::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("runs");
    let jobs = server.jobs().await;
    let stop = CancellationToken::new();
    let worker = tokio::spawn({
        let (jobs, file, stop) = (jobs.clone(), file.clone(), stop.clone());
        async move { work(&jobs, &file, 1, stop).await }
    });
    queue(jobs.clone(), "once", "0").await.unwrap();
    until("the first job runs", || runs(&file).len() == 1);
    broker(&server).await.delete_consumer_from_stream("once", "desk_jobs").await.unwrap();
    queue(jobs.clone(), "once", "1").await.unwrap();
    until("the second job runs", || runs(&file).len() == 2);
    stop.cancel();
    worker.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_opened_says_why() {
    let nobody = NatsJobs::connect("nats://127.0.0.1:1", "desk").await.unwrap_err().to_string();
    assert!(nobody.starts_with("the NATS server cannot be reached: "), "{nobody}");
    let Some(server) = Server::start() else { return };
    let name = NatsJobs::connect(&server.url(), "a desk").await.unwrap_err().to_string();
    assert_eq!(name, "`a desk` cannot be the name of a queue; use letters, digits, `_` and `-`");
    let wire = Wire::to(&server);
    let jobs = NatsJobs::connect(&wire.url, "desk").await.unwrap();
    wire.cut();
    queue(jobs, "once", "0").await.unwrap();
}
