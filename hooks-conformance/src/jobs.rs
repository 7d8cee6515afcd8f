//! A test for engines that run background jobs.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hook_sdk::data::{Message, Role};
use hook_sdk::kinds::AfterCreateMessage;
use hook_sdk::prelude::*;
use hook_sdk::worker::{Backoff, Burial, Worker};
use hook_sdk::{CancellationToken, Registry};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

/// An engine of background jobs: a queue, and workers that take jobs from it.
pub trait JobEngine: Sync {
    /// Makes the queue the sink of a registry. `worker` is for engines whose queue is its worker, such as the one in
    /// memory.
    fn connect(&self, registry: &Registry, worker: Worker);

    /// Works until `stop` is cancelled. If the future is dropped, the worker has died.
    fn work(
        &self,
        registry: Registry,
        worker: Worker,
        stop: CancellationToken,
    ) -> impl Future<Output = ()> + Send + 'static;

    /// The time after which a worker is considered dead, some 100 ms for a test. `None` if jobs die with their worker.
    fn silence(&self) -> Option<Duration>;

    /// Why jobs of this hook were buried.
    fn buried(&self, hook: &str) -> impl Future<Output = Vec<Burial>> + Send;
}

/// What an engine does wrong, one sentence per line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct JobBreaches(Vec<String>);

impl JobBreaches {
    /// The sentences.
    pub fn breaches(&self) -> &[String] {
        &self.0
    }
}

impl fmt::Display for JobBreaches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

/// Checks that an engine runs each job as its hook allows, also if workers die. Its queue has to be empty at first, and
/// its workers may not use paused time.
///
/// # Errors
/// What it does wrong.
pub async fn check_jobs(engine: &impl JobEngine) -> Result<(), JobBreaches> {
    let mut breaches = Vec::new();
    let mut note = |what: &str, result: Result<(), String>| {
        breaches.extend(result.err().map(|error| format!("{what}: {error}")));
    };
    note("each job runs once", once(engine).await);
    note("a failed job is retried, and then kept for people", again(engine).await);
    note("a job waits for its delay", delay(engine).await);
    if let Some(silence) = engine.silence() {
        note("a job of an unknown hook is left to other workers", unknown(engine).await);
        note("a worker that stops ends what it runs and leaves the rest", stop(engine).await);
        note("a worker whose registry is drained ends, and loses no job", drained(engine).await);
        note("a job that takes long has one worker", long(engine, silence).await);
        note("the job of a dead worker runs again only if that is allowed", death(engine).await);
        note("a job that kills its workers is given up", deaths(engine).await);
    }
    if breaches.is_empty() { Ok(()) } else { Err(JobBreaches(breaches)) }
}

/// The limit for everything that an engine should do soon.
const SOON: Duration = Duration::from_secs(30);

/// How long to look that something does not happen.
const MOMENT: Duration = Duration::from_millis(300);

/// Runs by text of the message.
type Runs = Arc<Mutex<BTreeMap<String, usize>>>;

fn count(runs: &Runs, text: &str) -> usize {
    runs.lock().unwrap_or_else(PoisonError::into_inner).get(text).copied().unwrap_or_default()
}

fn all(runs: &Runs) -> usize {
    runs.lock().unwrap_or_else(PoisonError::into_inner).values().sum()
}

/// A hook that counts its runs, sleeps, and fails while `fails` says so of the number of the run.
fn hook(id: &'static str, runs: &Runs, lasts: fn(usize) -> Duration, fails: fn(usize) -> bool) -> Hook {
    let runs = Arc::clone(runs);
    Hook::at::<AfterCreateMessage>(id)
        .background(move |_, event, ()| {
            let number = {
                let mut runs = runs.lock().unwrap_or_else(PoisonError::into_inner);
                let number = runs.entry(event.message.text().clone().into()).or_default();
                *number += 1;
                *number
            };
            Box::pin(async move {
                sleep(lasts(number)).await;
                if fails(number) { Err("it fails") } else { Ok(()) }
            })
        })
        .timeout(Timeout::None)
}

/// A registry whose queue is the engine's.
struct Desk<'e, E> {
    engine: &'e E,
    registry: Registry,
    worker: Worker,
}

impl<'e, E: JobEngine> Desk<'e, E> {
    fn new(engine: &'e E, hook: Hook, parallelism: usize) -> Result<Self, String> {
        let worker = Worker::new().parallelism(parallelism).backoff(Backoff::None);
        let registry = Registry::empty();
        registry.register(hook).map_err(|error| error.to_string())?;
        engine.connect(&registry, worker.clone());
        Ok(Self { engine, registry, worker })
    }

    async fn queue(&self, hook: &'static str, texts: impl IntoIterator<Item = String>) -> Result<(), String> {
        let set = self.registry.scope(&AgentDef::new("jobs").hooks([hook]), None).map_err(|error| error.to_string())?;
        for text in texts {
            let event = AfterCreateMessage::new(Message::new(Role::User, text));
            let fired = set.fire(&HookContext::new(), &event, ()).await.map_err(|error| error.to_string())?;
            if let Some(failure) = fired.report.failures.first() {
                return Err(format!("a job was not queued: {failure:?}"));
            }
        }
        Ok(())
    }

    fn work(&self, registry: &Registry) -> Working {
        let stop = CancellationToken::new();
        let work = self.engine.work(registry.clone(), self.worker.clone(), stop.clone());
        Working { task: tokio::spawn(work), stop }
    }
}

/// A worker, which dies if this is dropped.
struct Working {
    task: JoinHandle<()>,
    stop: CancellationToken,
}

impl Working {
    async fn end(self) -> Result<(), String> {
        self.stop.cancel();
        self.ended().await
    }

    async fn ended(mut self) -> Result<(), String> {
        let ended = tokio::time::timeout(SOON, &mut self.task).await;
        ended.map_err(|_| "a worker that was told to stop goes on".to_owned())?.map_err(|error| error.to_string())
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn until(what: &str, mut is_so: impl AsyncFnMut() -> bool) -> Result<(), String> {
    let start = Instant::now();
    while !is_so().await {
        if start.elapsed() > SOON {
            return Err(format!("it did not happen within {SOON:?}: {what}"));
        }
        sleep(Duration::from_millis(5)).await;
    }
    Ok(())
}

#[allow(clippy::needless_pass_by_value, reason = "its callers make both for it")]
fn expect<T: PartialEq + std::fmt::Debug>(what: &str, found: T, expected: T) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{what}: {found:?} instead of {expected:?}")) }
}

fn short(_: usize) -> Duration {
    Duration::from_millis(5)
}

fn never(_: usize) -> bool {
    false
}

async fn once(engine: &impl JobEngine) -> Result<(), String> {
    let runs = Runs::default();
    let desk = Desk::new(engine, hook("once", &runs, short, never), 3)?;
    desk.queue("once", (0..20).map(|number| number.to_string())).await?;
    let workers = [desk.work(&desk.registry), desk.work(&desk.registry)];
    until("20 jobs run", async || all(&runs) >= 20).await?;
    sleep(MOMENT).await;
    for worker in workers {
        worker.end().await?;
    }
    let runs = runs.lock().unwrap_or_else(PoisonError::into_inner).clone();
    expect("runs of 20 jobs", (runs.len(), runs.values().sum()), (20, 20))
}

async fn again(engine: &impl JobEngine) -> Result<(), String> {
    let runs = Runs::default();
    let better = hook("better", &runs, short, |number| number < 3).idempotent().retries(2);
    let desk = Desk::new(engine, better, 1)?;
    desk.registry
        .register(hook("worse", &runs, short, |_| true).idempotent().retries(1))
        .map_err(|error| error.to_string())?;
    desk.queue("better", ["better".to_owned()]).await?;
    desk.queue("worse", ["worse".to_owned()]).await?;
    let worker = desk.work(&desk.registry);
    until("five runs", async || all(&runs) >= 5).await?;
    if engine.silence().is_some() {
        until("the job that always fails is buried", async || !engine.buried("worse").await.is_empty()).await?;
        expect("the burial of a job that always fails", engine.buried("worse").await, vec![Burial::Failed])?;
        expect("the burial of a job that succeeds in the end", engine.buried("better").await, vec![])?;
    }
    sleep(MOMENT).await;
    worker.end().await?;
    expect("runs of a job that succeeds the third time", count(&runs, "better"), 3)?;
    expect("runs of a job with one retry", count(&runs, "worse"), 2)
}

async fn delay(engine: &impl JobEngine) -> Result<(), String> {
    let runs = Runs::default();
    let delayed = hook("delayed", &runs, short, never).delay(MOMENT * 2);
    let desk = Desk::new(engine, delayed, 1)?;
    let worker = desk.work(&desk.registry);
    let start = Instant::now();
    desk.queue("delayed", ["late".to_owned()]).await?;
    until("the job runs", async || all(&runs) == 1).await?;
    let waited = start.elapsed();
    worker.end().await?;
    // Engines count in milliseconds.
    let is_late = waited + Duration::from_millis(2) >= MOMENT * 2;
    if is_late { Ok(()) } else { Err(format!("it ran after {waited:?} instead of {:?}", MOMENT * 2)) }
}

async fn unknown(engine: &impl JobEngine) -> Result<(), String> {
    let runs = Runs::default();
    let desk = Desk::new(engine, hook("newer", &runs, short, never), 1)?;
    desk.queue("newer", ["new".to_owned()]).await?;
    let other = desk.work(&Registry::empty());
    sleep(MOMENT).await;
    other.end().await?;
    expect("the burial of a job of a hook that one worker does not have", engine.buried("newer").await, vec![])?;
    let worker = desk.work(&desk.registry);
    until("a worker that has the hook runs it", async || all(&runs) == 1).await?;
    worker.end().await
}

async fn stop(engine: &impl JobEngine) -> Result<(), String> {
    let runs = Runs::default();
    let desk = Desk::new(engine, hook("stopped", &runs, |_| MOMENT, never), 1)?;
    desk.queue("stopped", ["first".to_owned(), "second".to_owned()]).await?;
    let worker = desk.work(&desk.registry);
    until("a job runs", async || all(&runs) == 1).await?;
    worker.end().await?;
    expect("runs when the worker has ended", all(&runs), 1)?;
    let worker = desk.work(&desk.registry);
    until("the next worker runs the other job", async || all(&runs) >= 2).await?;
    worker.end().await?;
    expect("runs of each job", (count(&runs, "first"), count(&runs, "second")), (1, 1))?;
    expect("burials", engine.buried("stopped").await, vec![])
}

/// As after a kill: what was cut off runs again if its hook is idempotent, and what had not begun stays queued.
async fn drained(engine: &impl JobEngine) -> Result<(), String> {
    let idempotent: fn(Hook) -> Hook = |hook| hook.idempotent();
    for (id, option, runs_of_each) in [("drains", idempotent, (2, 1)), ("drains_once", |hook| hook, (1, 1))] {
        let runs = Runs::default();
        let desk = Desk::new(engine, option(hook(id, &runs, |_| Duration::from_secs(3_600), never)), 1)?;
        desk.queue(id, ["cut off".to_owned()]).await?;
        let worker = desk.work(&desk.registry);
        until("a job runs", async || all(&runs) == 1).await?;
        desk.queue(id, ["waits".to_owned()]).await?;
        desk.registry.drain(Duration::ZERO).await;
        worker.ended().await?;
        let next = Desk::new(engine, option(hook(id, &runs, short, never)), 1)?;
        let worker = next.work(&next.registry);
        let (cut_off, waits) = runs_of_each;
        until("the next worker runs the rest", async || all(&runs) >= cut_off + waits).await?;
        sleep(MOMENT).await;
        worker.end().await?;
        expect("runs of each job", (count(&runs, "cut off"), count(&runs, "waits")), runs_of_each)?;
        expect("burials", engine.buried(id).await.len(), usize::from(cut_off == 1))?;
    }
    Ok(())
}

async fn long(engine: &impl JobEngine, silence: Duration) -> Result<(), String> {
    let runs = Runs::default();
    let desk = Desk::new(engine, hook("long", &runs, |_| MOMENT * 4, never).idempotent(), 1)?;
    desk.queue("long", ["long".to_owned()]).await?;
    if silence * 2 > MOMENT * 4 {
        return Err(format!("a silence of {silence:?} is too long for this test; use at most {:?}", MOMENT * 2));
    }
    let workers = [desk.work(&desk.registry), desk.work(&desk.registry)];
    until("the job runs", async || all(&runs) >= 1).await?;
    sleep(MOMENT * 5).await;
    for worker in workers {
        worker.end().await?;
    }
    expect("runs", all(&runs), 1)
}

/// The first run of a job lasts until its worker dies.
fn endless_at_first(number: usize) -> Duration {
    if number == 1 { Duration::from_secs(3_600) } else { Duration::ZERO }
}

async fn death(engine: &impl JobEngine) -> Result<(), String> {
    let runs = Runs::default();
    let desk = Desk::new(engine, hook("may_repeat", &runs, endless_at_first, never).idempotent(), 2)?;
    let once = hook("may_not", &runs, endless_at_first, never);
    desk.registry.register(once).map_err(|error| error.to_string())?;
    desk.queue("may_repeat", ["repeat".to_owned()]).await?;
    desk.queue("may_not", ["not".to_owned()]).await?;
    let dies = desk.work(&desk.registry);
    until("both jobs run", async || all(&runs) == 2).await?;
    drop(dies);
    let worker = desk.work(&desk.registry);
    until("the job of an idempotent hook runs again", async || count(&runs, "repeat") == 2).await?;
    until("the other job is buried", async || !engine.buried("may_not").await.is_empty()).await?;
    worker.end().await?;
    expect("the burial of the job that may not run again", engine.buried("may_not").await, vec![Burial::Interrupted])?;
    expect("the burial of the job that may", engine.buried("may_repeat").await, vec![])?;
    expect("runs of the job that may not run again", count(&runs, "not"), 1)
}

async fn deaths(engine: &impl JobEngine) -> Result<(), String> {
    let runs = Runs::default();
    let desk = Desk::new(engine, hook("kills", &runs, |_| Duration::from_secs(3_600), never).idempotent(), 1)?;
    desk.queue("kills", ["kills".to_owned()]).await?;
    for death in 1..=20 {
        let dies = desk.work(&desk.registry);
        until("the job runs again, or is given up", async || {
            count(&runs, "kills") >= death || !engine.buried("kills").await.is_empty()
        })
        .await?;
        drop(dies);
        let buried = engine.buried("kills").await;
        if !buried.is_empty() {
            return expect("the burial", buried, vec![Burial::Quarantined]);
        }
    }
    Err("20 workers died, and the job is still taken up".to_owned())
}
