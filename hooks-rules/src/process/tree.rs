//! All processes that a command started, killed together.

use std::io;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicU64, Ordering};

use process_wrap::tokio::ChildWrapper;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::runtime::Handle;

/// The environment variable that identifies the processes of a run after they have left the group and their parents
/// have exited.
pub(super) const MARK: &str = "HOOKS_RULES_RUN";

/// Creates a unique value for the variable.
pub(super) fn mark() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    format!("{}.{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

/// A command that leads a session, or a job on Windows. Dropping it kills the remaining processes, and reaps the
/// command.
#[derive(Debug)]
pub(super) struct Tree {
    /// The command. `None` after it was dropped.
    child: Option<Box<dyn ChildWrapper>>,
    /// Its process id.
    leader: Option<u32>,
    /// Whether no process of its group remains.
    swept: bool,
    /// The value of the environment variable [`MARK`].
    mark: String,
    /// Whether the command was reaped.
    gone: bool,
}

impl Tree {
    pub(super) fn of(child: Box<dyn ChildWrapper>, mark: String) -> Self {
        Self { leader: child.id(), child: Some(child), swept: false, mark, gone: false }
    }

    /// The pipes of the command. Only the first call returns them.
    pub(super) fn pipes(&mut self) -> (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>) {
        match &mut self.child {
            Some(child) => (child.stdin().take(), child.stdout().take(), child.stderr().take()),
            None => (None, None, None),
        }
    }

    /// Waits for the command, but not for its child processes.
    pub(super) async fn wait(&mut self) -> io::Result<ExitStatus> {
        let Some(child) = &mut self.child else { return Err(io::ErrorKind::NotFound.into()) };
        let status = child.wait().await;
        self.gone = true;
        status
    }

    /// Kills the group, and the processes that have left it.
    pub(super) fn end(&mut self) {
        if self.swept {
            return;
        }
        let strays = self.leader.map(system::descendants).unwrap_or_default();
        self.kill_group();
        strays.into_iter().for_each(system::kill);
        self.hunt();
    }

    /// It is not an error if no process remains.
    fn kill_group(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.start_kill();
        }
    }

    /// Kills the processes that have left the group, whatever their parent is now. It scans all processes of the
    /// system, so it is not used for the normal exit of a command.
    pub(super) fn hunt(&self) {
        // A process may start another one during the scan, and during an `exec` a process has no environment, so one
        // scan without a match is not enough.
        let mut quiet = 0;
        for _ in 0..ROUNDS {
            let strays = system::marked(&self.mark);
            quiet = if strays.is_empty() { quiet + 1 } else { 0 };
            if quiet == QUIET {
                return;
            }
            strays.into_iter().for_each(system::kill);
            std::thread::yield_now();
        }
    }

    /// Kills the rest of the group after its leader was reaped. The id cannot have been reused for another group so
    /// soon, because ids are assigned in sequence.
    pub(super) fn sweep(&mut self) {
        if !std::mem::replace(&mut self.swept, true) {
            self.kill_group();
        }
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        self.end();
        // A command that is not reaped would remain as a zombie.
        if let (false, Some(mut child), Ok(runtime)) = (self.gone, self.child.take(), Handle::try_current()) {
            runtime.spawn(async move { child.wait().await });
        }
    }
}

/// The maximum number of scans for processes.
const ROUNDS: usize = 20;

/// The number of consecutive scans without a match after which the search ends.
const QUIET: usize = 3;

/// Access to the process table on Linux.
#[cfg(target_os = "linux")]
mod system {
    use rustix::process::{Pid, Signal, kill_process};

    pub(super) fn kill(process: u32) {
        if let Some(process) = i32::try_from(process).ok().and_then(Pid::from_raw) {
            let _ = kill_process(process, Signal::KILL);
        }
    }

    fn all() -> impl Iterator<Item = u32> {
        let entries = std::fs::read_dir("/proc").into_iter().flatten();
        entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
    }

    /// The processes with this mark. Zombies have no environment.
    pub(super) fn marked(mark: &str) -> Vec<u32> {
        let wanted = format!("{}={mark}", super::MARK);
        let is_marked = |id: &u32| {
            let environment = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes())
        };
        all().filter(is_marked).collect()
    }

    /// The descendants of a process, as far as they can be found: a child that created its own session is no longer in
    /// the group.
    pub(super) fn descendants(root: u32) -> Vec<u32> {
        let processes = all().filter_map(|id| {
            let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
            // The name in parentheses can contain any character, including parentheses.
            Some((id, stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()?))
        });
        let processes: Vec<(u32, u32)> = processes.collect();
        let mut found = vec![root];
        let mut next = 0;
        while let Some(parent) = found.get(next).copied() {
            next += 1;
            found.extend(processes.iter().filter(|(_, of)| *of == parent).map(|(id, _)| *id));
        }
        found.split_off(1)
    }
}

/// On other systems, there is no access to these properties, so only the group or job is killed.
#[cfg(not(target_os = "linux"))]
mod system {
    pub(super) fn kill(_process: u32) {}

    pub(super) fn marked(_mark: &str) -> Vec<u32> {
        Vec::new()
    }

    pub(super) fn descendants(_root: u32) -> Vec<u32> {
        Vec::new()
    }
}
