//! Identifies the holder of a lease, so that another process on the same machine notices immediately when it has ended.

use std::fs;
use std::sync::OnceLock;

/// The machine and the process, if the operating system provides both. Otherwise a name that cannot be checked.
pub(super) fn this_process() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(|| {
        let pid = std::process::id();
        match (machine(), started(pid)) {
            (Some(machine), Some(started)) => format!("{machine} {pid} {started}"),
            _ => format!("elsewhere {pid}"),
        }
    })
}

/// Whether the holder is or was a process on this machine, so that [`has_ended`] knows about it.
pub(super) fn is_here(holder: &str) -> bool {
    // If processes of other users are hidden, a process that is not visible may be running.
    started(1).is_some() && machine().as_deref() == holder.split(' ').next()
}

/// Whether the holder was a process on this machine that has ended. `false` if this is unknown.
pub(super) fn has_ended(holder: &str) -> bool {
    let mut parts = holder.split(' ').skip(1);
    let (Some(pid), Some(since)) = (parts.next().and_then(|pid| pid.parse().ok()), parts.next()) else {
        return false;
    };
    is_here(holder) && started(pid).as_deref() != Some(since)
}

/// The boot id of this machine and the PID namespace, because a container has its own processes.
fn machine() -> Option<String> {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let seen = fs::read_link("/proc/self/ns/pid").ok()?;
    Some(format!("{}/{}", boot.trim(), seen.to_str()?))
}

/// The start time of a process in clock ticks. `None` if the process does not exist.
fn started(pid: u32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // After the name, which can contain any character, there are 19 other fields before the start time.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace();
    // A zombie: it has ended but was not reaped yet.
    if matches!(fields.next(), Some("Z" | "X")) {
        return None;
    }
    fields.nth(18).map(str::to_owned)
}
