//! What the thread of the hooks says, until the host stops waiting or somebody ends the program.

#[cfg(unix)]
use std::future::poll_fn;
use std::io;
#[cfg(unix)]
use std::task::Poll;
use std::time::Instant;

use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::timeout_at;

use crate::answer::HostAnswer;

pub(crate) const LATE: &str = "the hooks did not answer in time";

/// A step of the hooks.
pub(crate) enum Step {
    /// Standard input, to its end.
    Read(Vec<u8>),
    /// The answer, or why there is none.
    Answered(Result<HostAnswer, String>),
}

/// The steps of a thread. A signal that would end the program is the end of them: most hosts go on with a call whose hook was
/// killed.
pub(crate) struct Steps {
    runtime: Runtime,
    signals: Signals,
    said: UnboundedReceiver<Step>,
    until: Instant,
}

impl Steps {
    /// From now on, signals do not end the program.
    pub(crate) fn new(until: Instant) -> io::Result<(UnboundedSender<Step>, Self)> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let signals = runtime.block_on(async { Signals::new() })?;
        let (sender, said) = unbounded_channel();
        Ok((sender, Self { runtime, signals, said, until }))
    }

    /// The next step, or why there will be none.
    pub(crate) fn next(&mut self) -> Result<Step, &'static str> {
        let Self { runtime, signals, said, until } = self;
        runtime.block_on(async {
            tokio::select! {
                biased;
                () = signals.recv() => Err("the hooks were told to end"),
                step = timeout_at((*until).into(), said.recv()) => match step {
                    Ok(Some(step)) => Ok(step),
                    Ok(None) => Err("the hooks panicked"),
                    Err(_) => Err(LATE),
                },
            }
        })
    }
}

#[cfg(unix)]
struct Signals(Vec<tokio::signal::unix::Signal>);

#[cfg(unix)]
impl Signals {
    fn new() -> io::Result<Self> {
        use rustix::process::Signal;
        use tokio::signal::unix::{SignalKind, signal};
        // A full log or a spent limit of the processor would end the program with a status that denies at no host.
        let limits = [Signal::XFSZ, Signal::XCPU, Signal::VTALARM, Signal::PROF];
        let kinds = [
            SignalKind::terminate(),
            SignalKind::interrupt(),
            SignalKind::hangup(),
            SignalKind::quit(),
            SignalKind::alarm(),
            SignalKind::user_defined1(),
            SignalKind::user_defined2(),
        ];
        let limits = limits.map(|signal| SignalKind::from_raw(signal.as_raw()));
        kinds.into_iter().chain(limits).map(signal).collect::<io::Result<_>>().map(Self)
    }

    async fn recv(&mut self) {
        // Every listener is polled, so that each wakes this task.
        poll_fn(|cx| {
            let ready = self.0.iter_mut().map(|signal| signal.poll_recv(cx).is_ready());
            if ready.fold(false, |any, one| any | one) { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self)
    }

    async fn recv(&mut self) {
        std::future::pending().await
    }
}
