//! All processes that a command started, ended together.

use std::io;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicU64, Ordering};

use process_wrap::tokio::ChildWrapper;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::runtime::Handle;

/// The variable by which what a command started is found when it has left the group and its parents have left too.
pub(super) const MARK: &str = "HOOKS_RULES_RUN";

/// A value of it that no other run has.
pub(super) fn mark() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    format!("{}.{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

/// A command that leads a session, or on Windows a job. Dropping it ends what is left of that, and has the command waited
/// for.
#[derive(Debug)]
pub(super) struct Tree {
    /// The command; taken where it is dropped.
    child: Option<Box<dyn ChildWrapper>>,
    /// Its number.
    leader: Option<u32>,
    /// Whether nothing of its group is left.
    swept: bool,
    /// What its processes have in their environment.
    mark: String,
    /// Whether the command was waited for.
    gone: bool,
}

impl Tree {
    pub(super) fn of(child: Box<dyn ChildWrapper>, mark: String) -> Self {
        Self { leader: child.id(), child: Some(child), swept: false, mark, gone: false }
    }

    /// The ends of the command's pipes, for whoever comes first.
    pub(super) fn pipes(&mut self) -> (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>) {
        match &mut self.child {
            Some(child) => (child.stdin().take(), child.stdout().take(), child.stderr().take()),
            None => (None, None, None),
        }
    }

    /// Waits for the command, not for what it started.
    pub(super) async fn wait(&mut self) -> io::Result<ExitStatus> {
        let Some(child) = &mut self.child else { return Err(io::ErrorKind::NotFound.into()) };
        let status = child.wait().await;
        self.gone = true;
        status
    }

    /// Ends the group, and what has left it.
    pub(super) fn end(&mut self) {
        if self.swept {
            return;
        }
        let strays = self.leader.map(system::descendants).unwrap_or_default();
        self.kill_group();
        strays.into_iter().for_each(system::kill);
        self.hunt();
    }

    /// That nobody is there any more is what was wanted.
    fn kill_group(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.start_kill();
        }
    }

    /// Ends what has left the group, whoever its parent is now. Walks through all processes of the system: not for the
    /// usual end of a command.
    pub(super) fn hunt(&self) {
        // One may start another while they are looked for, and while a process becomes another program it has no
        // environment: to have seen none once is not enough.
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

    /// Ends what is left of the group after its leader was waited for. The number cannot have been given to another
    /// group in between: numbers go round before they come back.
    pub(super) fn sweep(&mut self) {
        if !std::mem::replace(&mut self.swept, true) {
            self.kill_group();
        }
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        self.end();
        // A dead one that nobody waited for would stay as a zombie.
        if let (false, Some(mut child), Ok(runtime)) = (self.gone, self.child.take(), Handle::try_current()) {
            runtime.spawn(async move { child.wait().await });
        }
    }
}

/// How often processes are looked for that start others.
const ROUNDS: usize = 20;

/// After so many rounds without one nobody is there any more.
const QUIET: usize = 3;

/// What Linux tells of processes.
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

    /// The processes with this mark. A dead one that nobody has waited for has no environment.
    pub(super) fn marked(mark: &str) -> Vec<u32> {
        let wanted = format!("{}={mark}", super::MARK);
        let is_marked = |id: &u32| {
            let environment = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes())
        };
        all().filter(is_marked).collect()
    }

    /// The descendants of a process, as far as the system tells: a child that made a session of its own is no longer in the
    /// group.
    pub(super) fn descendants(root: u32) -> Vec<u32> {
        let processes = all().filter_map(|id| {
            let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
            // The name in brackets may hold anything, brackets too.
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

/// Elsewhere nobody tells, and the group or job is all that is ended.
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
