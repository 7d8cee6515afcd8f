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

/// The answer or why there is none, and whether anything comes after it. A signal that would end the program is the end of them: most hosts go on with a call whose hook was
/// killed.
pub(crate) struct Steps {
    runtime: Runtime,
    signals: Signals,
    said: UnboundedReceiver<Result<HostAnswer, String>>,
    until: Instant,
}

impl Steps {
    /// From now on, signals do not end the program.
    pub(crate) fn new(until: Instant) -> io::Result<(UnboundedSender<Result<HostAnswer, String>>, Self)> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let signals = runtime.block_on(async { Signals::new() })?;
        let (sender, said) = unbounded_channel();
        Ok((sender, Self { runtime, signals, said, until }))
    }

    /// What is said next, or why nothing will be.
    pub(crate) fn next(&mut self) -> Result<HostAnswer, String> {
        let Self { runtime, signals, said, until } = self;
        runtime.block_on(async {
            tokio::select! {
                biased;
                () = signals.recv() => Err("the hooks were told to end".to_owned()),
                said = timeout_at((*until).into(), said.recv()) => match said {
                    Ok(Some(said)) => said,
                    Ok(None) => Err("the hooks panicked".to_owned()),
                    Err(_) => Err(LATE.to_owned()),
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
        let asked = [Signal::TERM, Signal::INT, Signal::HUP, Signal::QUIT, Signal::ALARM, Signal::USR1, Signal::USR2];
        // A full log or a spent limit of the processor would end the program with a status that denies at no host.
        let limits = [Signal::XFSZ, Signal::XCPU, Signal::VTALARM, Signal::PROF];
        let kinds = asked.into_iter().chain(limits).map(|one| SignalKind::from_raw(one.as_raw()));
        kinds.map(signal).collect::<io::Result<_>>().map(Self)
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
