//! Runs a command: starts it in its own session, writes its input, reads its output, and kills it with all its
//! processes at the deadline.

use std::future::{Future, poll_fn};
use std::io;
use std::pin::pin;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{OptionFuture, join3};
use process_wrap::tokio::CommandWrap;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep, timeout};

use super::capture::Capture;
use super::tree::{self, Tree};
use super::{CommandContext, Environment};
use crate::answer::RunStatus;
use crate::rule::{CommandLine, Shell};

/// How a command ended, and its output.
#[derive(Debug)]
pub(crate) struct ProcessOutput {
    pub(crate) status: RunStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// Whether stdout was truncated.
    pub(crate) cut: bool,
}

/// Prepares the command of a rule.
pub(crate) fn command(line: &CommandLine, environment: &Environment, around: &CommandContext) -> Command {
    let mut command = match &line.args {
        Some(args) => {
            let mut command = Command::new(around.fill(&line.command));
            command.args(args.iter().map(|arg| around.fill(arg)));
            command
        }
        None => match line.shell {
            Shell::Sh => {
                let mut command = Command::new("sh");
                command.arg("-c").arg(&line.command);
                command
            }
            Shell::PowerShell => {
                let filled = around.variables.keys().fold(line.command.clone(), |text, name| {
                    text.replace(&format!("${{{name}}}"), &format!("${{env:{name}}}"))
                });
                let mut command = Command::new("pwsh");
                command.args(["-NoProfile", "-NonInteractive", "-Command"]).arg(filled);
                command
            }
        },
    };
    for name in environment.removed() {
        command.env_remove(name);
    }
    command.envs(&environment.set).envs(&around.variables).current_dir(&around.cwd);
    command
}

/// Runs the command that `make` creates. `make` is called again if the system was out of resources.
pub(crate) async fn run(
    make: impl Fn() -> Command,
    input: Arc<[u8]>,
    limit: Duration,
    alone: oneshot::Sender<()>,
) -> ProcessOutput {
    let mark = tree::mark();
    let wrapped = || {
        let mut command = make();
        command.env(tree::MARK, &mark);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut command = CommandWrap::from(command);
        // Without a terminal: a guard that prompts would wait forever.
        #[cfg(unix)]
        command.wrap(process_wrap::tokio::ProcessSession);
        #[cfg(windows)]
        command.wrap(process_wrap::tokio::JobObject);
        command
    };
    let began = Instant::now();
    match started(|| wrapped().spawn(), limit).await {
        Err(error) => ProcessOutput {
            status: RunStatus::NotStarted(error.to_string()),
            stdout: String::new(),
            stderr: String::new(),
            cut: false,
        },
        Ok(child) => {
            let left = limit.saturating_sub(began.elapsed());
            follow(Tree::of(child, mark), &input, left, alone).await
        }
    }
}

/// How long to read the pipes of a command that has exited, if its child processes keep them open.
const GRACE: Duration = Duration::from_millis(250);

/// How long to wait for a killed command.
const LEAVES: Duration = Duration::from_secs(5);

/// How long to wait for resources to start a command, and the interval between attempts.
const PATIENCE: (Duration, Duration) = (Duration::from_secs(30), Duration::from_millis(10));

/// Starts a command. If the system has too many open files or processes, waits until others exit: a guard that is not
/// run could be bypassed.
async fn started<C>(spawn: impl Fn() -> io::Result<C>, limit: Duration) -> io::Result<C> {
    let (most, pause) = PATIENCE;
    let until = Instant::now() + most.min(limit);
    loop {
        match spawn() {
            Err(error) if is_full(&error) && Instant::now() < until => sleep(pause).await,
            done => return done,
        }
    }
}

#[cfg(unix)]
fn is_full(error: &io::Error) -> bool {
    use rustix::io::Errno;

    matches!(Errno::from_io_error(error), Some(Errno::MFILE | Errno::NFILE | Errno::AGAIN))
}

#[cfg(not(unix))]
fn is_full(_: &io::Error) -> bool {
    false
}

async fn follow(mut tree: Tree, input: &[u8], limit: Duration, alone: oneshot::Sender<()>) -> ProcessOutput {
    let (out, err) = (Capture::default(), Capture::default());
    let (stdin, stdout, stderr) = tree.pipes();
    let write = OptionFuture::from(stdin.map(|mut stdin| async move {
        // A command may close its input or exit without reading it. That is not a failure.
        let _ = stdin.write_all(input).await;
    }));
    let read_out = OptionFuture::from(stdout.map(|stream| out.read(stream, Some(alone))));
    let read_err = OptionFuture::from(stderr.map(|stream| err.read(stream, None)));
    let status = {
        let mut streams = pin!(join3(write, read_out, read_err));
        let mut drained = false;
        let waited = timeout(limit, {
            let (streams, drained) = (&mut streams, &mut drained);
            let mut left = Box::pin(tree.wait());
            poll_fn(move |task| {
                *drained = *drained || streams.as_mut().poll(task).is_ready();
                left.as_mut().poll(task)
            })
        })
        .await;
        let status = match waited {
            Ok(Ok(status)) => of(status),
            Ok(Err(error)) => RunStatus::NotStarted(error.to_string()),
            Err(_) => {
                tree.end();
                // It was killed, so it exits immediately, unless it is in an uninterruptible state. Then a task waits
                // for it.
                let _ = timeout(LEAVES, tree.wait()).await;
                RunStatus::TimedOut
            }
        };
        if !drained && timeout(GRACE, &mut streams).await.is_err() {
            tree.sweep();
            // Processes that still hold the pipes have left the group.
            tree.hunt();
            let _ = timeout(GRACE, &mut streams).await;
        }
        status
    };
    tree.sweep();
    let ((stdout, cut), (stderr, _)) = (out.text(), err.text());
    ProcessOutput { status, stdout, stderr, cut }
}

fn of(status: ExitStatus) -> RunStatus {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return RunStatus::Signal(signal);
    }
    RunStatus::Exit(status.code().unwrap_or(1))
}

#[cfg(all(test, unix))]
mod tests {
    use rustix::io::Errno;

    use super::*;

    /// Up to half a minute, within its deadline.
    #[tokio::test(start_paused = true)]
    async fn a_command_waits_until_the_system_has_resources() {
        for (error, limit, waits) in [
            (Errno::MFILE, 600, 30),
            (Errno::NFILE, 600, 30),
            (Errno::AGAIN, 600, 30),
            (Errno::AGAIN, 5, 5),
            (Errno::NOENT, 600, 0),
        ] {
            let began = Instant::now();
            let started = started(|| Err::<(), _>(error.into()), Duration::from_secs(limit)).await;
            assert!(started.is_err() && began.elapsed().as_secs() == waits, "{error}: {:?}", began.elapsed());
        }
    }
}
