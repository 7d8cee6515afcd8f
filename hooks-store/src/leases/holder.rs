//! Who holds a lease, so that another process of the same machine sees at once that it has ended.

use std::fs;
use std::sync::OnceLock;

/// Machine and process, where the operating system tells both; otherwise a name that says nothing.
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

/// Whether the holder was a process of this machine that is no more. `false` where nobody knows.
pub(super) fn has_ended(holder: &str) -> bool {
    let mut parts = holder.split(' ');
    let (Some(of), Some(pid), Some(since)) =
        (parts.next(), parts.next().and_then(|pid| pid.parse().ok()), parts.next())
    else {
        return false;
    };
    // Where other users' processes are hidden, one that is not seen may live.
    let sees_all = started(1).is_some();
    sees_all && machine().as_deref() == Some(of) && started(pid).as_deref() != Some(since)
}

/// This start of this machine, and the processes that are seen from here: a container has its own.
fn machine() -> Option<String> {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let seen = fs::read_link("/proc/self/ns/pid").ok()?;
    Some(format!("{}/{}", boot.trim(), seen.to_str()?))
}

/// When a process began, in ticks of the clock; `None` where there is none of this number.
fn started(pid: u32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // Behind the name, which may hold anything, stand 19 others before it.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace();
    // One that was killed and not waited for yet.
    if matches!(fields.next(), Some("Z" | "X")) {
        return None;
    }
    fields.nth(18).map(str::to_owned)
}
