//! How a store is opened.

use std::time::Duration;

/// How a store is opened.
#[derive(Clone, Debug)]
#[must_use = "options open nothing by themselves"]
pub struct OpenOptions {
    pub(crate) synchronous: Synchronous,
    pub(crate) connections: u32,
    pub(crate) silence: Duration,
    pub(crate) existing: bool,
}

/// What a commit to an SQLite file waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Synchronous {
    /// The disk: what was stored survives a loss of power. Some 0.3 to 4 ms a commit.
    #[default]
    Full,
    /// The operating system: what was stored survives the end of the process, and a loss of power may take the last
    /// commits. Some 30 µs a commit.
    Normal,
}

impl Synchronous {
    pub(crate) fn pragma(self) -> &'static str {
        match self {
            Self::Full => "FULL",
            Self::Normal => "NORMAL",
        }
    }
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self { synchronous: Synchronous::default(), connections: 8, silence: Duration::from_secs(15), existing: false }
    }
}

impl OpenOptions {
    /// [`Synchronous::Full`], and at most 8 connections that read, or to a Postgres.
    pub fn new() -> Self {
        Self::default()
    }

    /// What a commit to an SQLite file waits for.
    pub fn synchronous(mut self, synchronous: Synchronous) -> Self {
        self.synchronous = synchronous;
        self
    }

    /// How many connections there may be to a Postgres, or how many that read an SQLite file; at least one.
    pub fn connections(mut self, connections: u32) -> Self {
        self.connections = connections.max(1);
        self
    }

    /// Opens what is a store already, and makes none: neither a file nor tables.
    pub fn existing(mut self) -> Self {
        self.existing = true;
        self
    }

    /// How long a process that holds a conversation may show no life before another one takes the conversation over: 15 s
    /// unless this is said. A process of the same machine that has ended is seen at once. The same for all processes.
    pub fn silence(mut self, limit: Duration) -> Self {
        self.silence = limit.max(Duration::from_millis(30));
        self
    }
}
