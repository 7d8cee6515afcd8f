//! One call of a host: standard input, the hooks, the answer, and all of it before the host stops waiting.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use crate::answer::HostAnswer;
use crate::host::Host;
use crate::journal::{self, Entry};
use crate::outlet::{Outlet, read_to_end};
use crate::respond::{Request, Responder};
use crate::steps::{LATE, Steps};

/// The stack of the hooks: as much as that of a `main`.
pub(crate) const STACK: usize = 8 << 20;

/// Why a set of hooks could not be built.
pub(crate) type BuildError = Box<dyn std::error::Error + Send + Sync>;

#[allow(clippy::needless_pass_by_value, reason = "it is what `map_err` calls")]
pub(crate) fn unloaded(error: BuildError) -> BuildError {
    format!("the hooks could not be loaded: {error}").into()
}

/// Where payloads say the version of the host.
const VERSIONS: &[&str] = &["/cursor_version", "/clineVersion"];

/// How a host is answered.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// The event, if the command line names it.
    pub(crate) event: Option<String>,
    /// When the hooks have to be done, if the command line says so.
    pub(crate) deadline: Option<Duration>,
}

/// Who decides: the hooks of this process, or a server that has them loaded.
pub(crate) trait Judge: Send + 'static {
    /// Whether the call stands in the log.
    const LOGGED: bool = true;

    /// Says the answer before `until`, and then ends what it has begun. An error before is refused.
    fn answer(self, request: &Request<'_>, until: Instant, say: &dyn Fn(HostAnswer)) -> Result<(), BuildError>;
}

/// The hooks of this process.
pub(crate) struct Local<F>(pub(crate) F);

impl<F: FnOnce() -> Result<Responder, BuildError> + Send + 'static> Judge for Local<F> {
    fn answer(self, request: &Request<'_>, until: Instant, say: &dyn Fn(HostAnswer)) -> Result<(), BuildError> {
        let responder = (self.0)().map_err(unloaded)?.remembering().of_one_event();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let answered = runtime.block_on(async {
            // Dropped in time, a hook ends the processes that it has started.
            match tokio::time::timeout_at(until.into(), responder.respond(request)).await {
                Ok(answer) => say(answer),
                Err(_) if !responder.withholds_late => {
                    say(request.late(LATE));
                    return Ok(());
                }
                Err(late) => return Err(late),
            }
            tokio::time::timeout_at(until.into(), responder.drain()).await
        });
        runtime.shutdown_background();
        answered.map_err(|_| LATE.into())
    }
}

/// What is wrong, so that nobody can judge.
impl Judge for BuildError {
    const LOGGED: bool = false;

    fn answer(self, _: &Request<'_>, _: Instant, _: &dyn Fn(HostAnswer)) -> Result<(), BuildError> {
        Err(self)
    }
}

impl Call {
    /// Answers `host` on the streams of this process.
    pub(crate) fn run<J: Judge>(self, host: &'static Host, judge: J) -> u8 {
        let started = Instant::now();
        let reads_stderr = host.reads_stderr;
        let deadline = self.deadline.unwrap_or_else(|| host.deadline(self.event.as_deref().unwrap_or_default()));
        let outlet = Outlet::take(reads_stderr);
        std::panic::set_hook(Box::new(|_| {}));
        let until = started + deadline;
        let read = Arc::new(OnceLock::new());
        let mut steps = None;
        // Whatever breaks, such as a runtime without file descriptors, the host hears of it.
        let decided = catch_unwind(AssertUnwindSafe(|| {
            let judging = self.judging(host, judge, until, deadline, Arc::clone(&read));
            steps.insert(judging.map_err(|error| error.to_string())?).next()
        }));
        let answer = decided.unwrap_or_else(|_| Err("the hooks could not be started".to_owned()));
        if steps.is_none() {
            read.get_or_init(|| read_to_end(io::stdin().lock()));
        }
        let stdin = read.get().map_or(&[][..], Vec::as_slice);
        let is_answered = answer.is_ok();
        let answer = answer.unwrap_or_else(|problem| {
            let refused = || request(host, self.event.as_deref(), stdin).refused(&problem);
            // Reading the payload may be what has panicked.
            let refused = catch_unwind(AssertUnwindSafe(refused)).unwrap_or_else(|_| (host.refuse)(&problem));
            refused.because(problem)
        });
        let exit = if outlet.write(&answer, reads_stderr) { answer.exit } else { 2 };
        // Hooks that nobody waits for have the rest of the time.
        while is_answered && steps.as_mut().is_some_and(|steps| steps.next().is_ok()) {}
        if let Some(folder) = journal::folder().filter(|_| J::LOGGED) {
            let payload = crate::json::parse(stdin).unwrap_or_default();
            let name = self.event.as_deref().or_else(|| host.event_name(&payload)).unwrap_or_default();
            let mut entry = Entry::new(host.name, name, &answer, started.elapsed());
            entry.version = crate::json::text(&payload, VERSIONS).map(str::to_owned);
            journal::append(&folder, &entry);
        }
        exit
    }

    /// A thread of its own reads and judges: a hook may block it for good, and the process ends without it.
    fn judging(
        &self,
        host: &'static Host,
        judge: impl Judge,
        until: Instant,
        deadline: Duration,
        read: Arc<OnceLock<Vec<u8>>>,
    ) -> io::Result<Steps> {
        let (sender, steps) = Steps::new(until)?;
        let event = self.event.clone();
        thread::Builder::new().stack_size(STACK).spawn(move || {
            let stdin = read.get_or_init(|| read_to_end(io::stdin().lock()));
            let say = |answer| drop(sender.send(Ok(answer)));
            let soon = until.checked_sub(deadline / 20).unwrap_or(until);
            if let Err(error) = judge.answer(&request(host, event.as_deref(), stdin), soon, &say) {
                let _ = sender.send(Err(error.to_string()));
            }
        })?;
        Ok(steps)
    }
}

fn request<'a>(host: &'static Host, event: Option<&'a str>, stdin: &'a [u8]) -> Request<'a> {
    let mut request = Request::new(host, stdin).env(&|name| std::env::var_os(name).is_some());
    request.event = event;
    request
}
