//! All processes that a command started, ended together.

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

/// A process group. Dropping it ends what is left of it.
#[derive(Debug)]
pub(super) struct Tree(Option<Pid>);

impl Tree {
    /// The group that `leader` leads; `None` where it has ended already.
    pub(super) fn of(leader: Option<u32>) -> Self {
        Self(leader.and_then(|id| Pid::from_raw(i32::try_from(id).ok()?)))
    }

    /// Ends the group, and what has left it but still descends from its leader.
    pub(super) fn end(&self) {
        let Some(leader) = self.0 else { return };
        let strays = descendants(leader);
        // That nobody is there any more is what was wanted.
        let _ = kill_process_group(leader, Signal::KILL);
        for stray in strays {
            let _ = kill_process(stray, Signal::KILL);
        }
    }

    /// Ends what is left of the group after its leader was waited for. The number cannot have been given to another
    /// group in between: numbers go round before they come back.
    pub(super) fn sweep(&mut self) {
        if let Some(leader) = self.0.take() {
            let _ = kill_process_group(leader, Signal::KILL);
        }
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        self.end();
    }
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
