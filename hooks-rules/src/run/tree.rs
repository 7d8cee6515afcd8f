//! All processes that a command started, ended together.

use std::io;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use tokio::runtime::Handle;

/// The variable by which what a command started is found when it has left the group and its parents have left too.
pub(super) const MARK: &str = "HOOKS_RULES_RUN";

/// A value of it that no other run has.
pub(super) fn mark() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    format!("{}.{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

/// A command that leads a process group. Dropping it ends what is left of the group, and has the command waited for.
#[derive(Debug)]
pub(super) struct Tree {
    /// The command; taken where it is dropped.
    child: Option<Child>,
    /// The group; `None` once nothing of it is left.
    leader: Option<Pid>,
    /// What its processes have in their environment.
    mark: String,
    /// Whether the command was waited for.
    gone: bool,
}

impl Tree {
    pub(super) fn of(child: Child, mark: String) -> Self {
        let leader = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        Self { child: Some(child), leader, mark, gone: false }
    }

    /// The ends of the command's pipes, for whoever comes first.
    pub(super) fn pipes(&mut self) -> (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>) {
        match &mut self.child {
            Some(child) => (child.stdin.take(), child.stdout.take(), child.stderr.take()),
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
    pub(super) fn end(&self) {
        let Some(leader) = self.leader else { return };
        let strays = descendants(leader);
        // That nobody is there any more is what was wanted.
        let _ = kill_process_group(leader, Signal::KILL);
        for stray in strays {
            let _ = kill_process(stray, Signal::KILL);
        }
        self.hunt();
    }

    /// Ends what has left the group, whoever its parent is now. Walks through all processes of the system: not for the
    /// usual end of a command.
    pub(super) fn hunt(&self) {
        // One may start another while they are looked for, and while a process becomes another program it has no
        // environment: to have seen none once is not enough.
        let mut quiet = 0;
        for _ in 0..ROUNDS {
            let strays = marked(&self.mark);
            quiet = if strays.is_empty() { quiet + 1 } else { 0 };
            if quiet == QUIET {
                return;
            }
            for stray in strays {
                let _ = kill_process(stray, Signal::KILL);
            }
            std::thread::yield_now();
        }
    }

    /// Ends what is left of the group after its leader was waited for. The number cannot have been given to another
    /// group in between: numbers go round before they come back.
    pub(super) fn sweep(&mut self) {
        if let Some(leader) = self.leader.take() {
            let _ = kill_process_group(leader, Signal::KILL);
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

/// The processes with this mark. A dead one that nobody has waited for has no environment.
#[cfg(target_os = "linux")]
fn marked(mark: &str) -> Vec<Pid> {
    let wanted = format!("{MARK}={mark}");
    let is_marked = |id: &i32| {
        let environment = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes())
    };
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let ids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    ids.filter(is_marked).filter_map(Pid::from_raw).collect()
}

#[cfg(not(target_os = "linux"))]
fn marked(_mark: &str) -> Vec<Pid> {
    Vec::new()
}

/// The descendants of a process, as far as the system tells: a child that made a session of its own is no longer in the
/// group.
#[cfg(target_os = "linux")]
fn descendants(root: Pid) -> Vec<Pid> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let processes: Vec<(i32, i32)> = entries
        .filter_map(|entry| {
            let id: i32 = entry.ok()?.file_name().to_str()?.parse().ok()?;
            let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
            // The name in brackets may hold anything, brackets too.
            let parent = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()?;
            Some((id, parent))
        })
        .collect();
    let mut found = vec![root.as_raw_nonzero().get()];
    let mut next = 0;
    while let Some(parent) = found.get(next).copied() {
        next += 1;
        found.extend(processes.iter().filter(|(_, of)| *of == parent).map(|(id, _)| *id));
    }
    found.into_iter().skip(1).filter_map(Pid::from_raw).collect()
}

#[cfg(not(target_os = "linux"))]
fn descendants(_root: Pid) -> Vec<Pid> {
    Vec::new()
}
