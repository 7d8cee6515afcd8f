//! Processes that are killed, and their records.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A process of the fixture that is ready.
pub(crate) struct Process(pub(crate) Child);

impl Process {
    pub(crate) fn start(args: &[&str]) -> Self {
        Self::with(args, &[])
    }

    /// A process with these environment variables.
    pub(crate) fn with(args: &[&str], variables: &[(&str, &str)]) -> Self {
        // A file that may not grow is an error for the process, and not its end.
        let mut child = Command::new("bash")
            .args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_hooks-store-fixture")])
            .args(args)
            .envs(variables.iter().copied())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n");
        Self(child)
    }

    pub(crate) fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    /// Waits until it has ended by itself. A process that hangs fails the test.
    pub(crate) fn end(&mut self) {
        wait_until("the process ends", || self.0.try_wait().unwrap().is_some());
        let status = self.0.wait().unwrap();
        assert!(status.success(), "{status}");
    }

    /// Stops or continues it, like `kill -STOP` and `kill -CONT`.
    pub(crate) fn signal(&self, name: &str) {
        let done = Command::new("kill").arg(format!("-{name}")).arg(self.0.id().to_string()).status().unwrap();
        assert!(done.success());
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The complete lines of a file. Empty if it does not exist.
pub(crate) fn lines(file: &Path) -> Vec<String> {
    std::fs::read_to_string(file).unwrap_or_default().lines().map(str::to_owned).collect()
}

/// Waits for a condition that processes bring about.
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_mins(1), "it never happened: {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The number of repetitions of a test: a few, or the value of the variable.
pub(crate) fn times(variable: &str, otherwise: usize) -> usize {
    std::env::var(variable).ok().and_then(|times| times.parse().ok()).unwrap_or(otherwise)
}

/// Pseudorandom numbers.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}
