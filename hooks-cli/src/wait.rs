//! Waits for hooks, with a progress indicator on terminals, and handles signals.

use std::fs::File;
use std::future::Future;
use std::io::{self, BufReader};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

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

/// A file that is read to its end. If all files of a command take long, a bar on standard error shows how much was read; it is
/// drawn only on terminals.
pub(crate) struct Read {
    file: BufReader<File>,
    bar: ProgressBar,
    since: Instant,
    is_shown: bool,
}

impl Read {
    /// Opens these files, which share one bar.
    ///
    /// # Errors
    /// The first file that cannot be opened.
    pub(crate) fn open(files: &[PathBuf]) -> Result<Vec<Self>, (&Path, io::Error)> {
        let opened = files.iter().map(|path| File::open(path).map_err(|error| (path.as_path(), error)));
        let opened: Vec<File> = opened.collect::<Result<_, _>>()?;
        let total = opened.iter().filter_map(|file| file.metadata().ok()).map(|about| about.len()).sum();
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
        let bar = bar.with_finish(ProgressFinish::AndClear);
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {percent} % of {total_bytes}") {
            bar.set_style(style);
        }
        let since = Instant::now();
        Ok(opened
            .into_iter()
            .map(|file| Self { file: BufReader::new(file), bar: bar.clone(), since, is_shown: false })
            .collect())
    }
}

impl io::Read for Read {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(to)?;
        self.told(read);
        Ok(read)
    }
}

impl io::BufRead for Read {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.file.fill_buf()
    }

    fn consume(&mut self, read: usize) {
        self.file.consume(read);
        self.told(read);
    }
}

impl Read {
    fn told(&mut self, read: usize) {
        self.bar.inc(read as u64);
        if !self.is_shown && self.since.elapsed() > LONG {
            self.is_shown = true;
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}
