//! Waits for hooks, with a progress indicator on terminals, and handles signals.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressStyle};
use tokio::runtime::{Builder, Handle};
use tokio::time::sleep;

use crate::exit::Exit;
use crate::output::Output;
use crate::style::{BAD, styled};

/// The delay before the progress indicator appears.
const LONG: Duration = Duration::from_secs(1);

/// The interval at which the indicator moves.
const TICK: Duration = Duration::from_millis(120);

/// Runs the result of `work` in a runtime of its own. If an app calls it from within a runtime, this is on a separate
/// thread. `what` names it if it panics.
pub(crate) fn block_on<F: Future<Output = Output>>(what: &str, work: impl FnOnce() -> F + Send) -> Output {
    let trouble = |text: String| Output::trouble(format!("{}: {text}", styled(BAD, "error")), Exit::FAILURE);
    let work = || match Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => {
            let output = runtime.block_on(work());
            // Remaining tasks are cancelled.
            runtime.shutdown_timeout(Duration::from_millis(100));
            output
        }
        Err(error) => trouble(format!("no runtime: {error}")),
    };
    let done = match Handle::try_current() {
        Ok(_) => std::thread::scope(|scope| scope.spawn(work).join()),
        Err(_) => catch_unwind(AssertUnwindSafe(work)),
    };
    done.unwrap_or_else(|_| trouble(format!("the {what} panicked")))
}

/// Waits for `work`. If it takes long, a spinner on standard error shows what is being waited for, and the progress.
/// indicatif draws only on terminals.
pub(crate) async fn with_sign_of_life<T>(work: impl Future<Output = T>, what: impl Fn() -> String) -> T {
    let mut work = std::pin::pin!(work);
    tokio::select! {
        done = &mut work => return done,
        () = sleep(LONG) => {}
    }
    let style = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}");
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()).with_elapsed(LONG);
    // Also if the wait is cancelled.
    let bar = bar.with_finish(ProgressFinish::AndClear);
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
    bar.enable_steady_tick(TICK);
    loop {
        bar.set_message(what());
        tokio::select! {
            biased;
            done = &mut work => return done,
            () = sleep(TICK) => {}
        }
    }
}

/// Waits for a signal that ends the process, and returns its number.
#[cfg(unix)]
pub(crate) async fn signal() -> u8 {
    use tokio::signal::unix::{SignalKind, signal};

    let (Ok(mut interrupt), Ok(mut terminate), Ok(mut hangup)) =
        (signal(SignalKind::interrupt()), signal(SignalKind::terminate()), signal(SignalKind::hangup()))
    else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = interrupt.recv() => 2,
        _ = terminate.recv() => 15,
        _ = hangup.recv() => 1,
    }
}

/// Waits for a request to end the process.
#[cfg(not(unix))]
pub(crate) async fn signal() -> u8 {
    if tokio::signal::ctrl_c().await.is_err() {
        return std::future::pending().await;
    }
    2
}
