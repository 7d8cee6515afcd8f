//! Options for opening a store.

use std::time::Duration;

/// Options for opening a store.
#[derive(Clone, Debug)]
#[must_use = "options open nothing by themselves"]
pub struct OpenOptions {
    pub(crate) synchronous: Synchronous,
    pub(crate) connections: u32,
    pub(crate) silence: Duration,
    pub(crate) existing: bool,
    pub(crate) read_only: bool,
    pub(crate) connect_timeout: Duration,
    pub(crate) transaction_timeout: Duration,
    pub(crate) idle_timeout: Duration,
    pub(crate) max_lifetime: Duration,
}

/// When a commit to an SQLite file returns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Synchronous {
    /// After the data is on disk: it survives a power loss. A commit takes 0.3 to 4 ms.
    #[default]
    Full,
    /// After the data is with the operating system: it survives a crash of the process, but a power loss can undo the
    /// last commits. A commit takes about 30 µs.
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
        Self {
            synchronous: Synchronous::default(),
            connections: 8,
            silence: Duration::from_secs(15),
            existing: false,
            read_only: false,
            connect_timeout: Duration::from_secs(10),
            transaction_timeout: Duration::from_secs(30),
            idle_timeout: Duration::from_mins(10),
            max_lifetime: Duration::from_mins(30),
        }
    }
}

impl OpenOptions {
    /// The defaults: [`Synchronous::Full`], and at most 8 connections for reading SQLite or for Postgres.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets when a commit to an SQLite file returns.
    pub fn synchronous(mut self, synchronous: Synchronous) -> Self {
        self.synchronous = synchronous;
        self
    }

    /// Sets the maximum number of connections to Postgres, or for reading an SQLite file. At least one.
    pub fn connections(mut self, connections: u32) -> Self {
        self.connections = connections.max(1);
        self
    }

    /// Opens existing stores only: creates neither a file nor tables.
    pub fn existing(mut self) -> Self {
        self.existing = true;
        self
    }

    /// Opens an existing store for reading only. Every change fails. The schema has to be the current one.
    pub fn read_only(mut self) -> Self {
        (self.existing, self.read_only) = (true, true);
        self
    }

    /// Sets how long to wait for a connection: while the store is opened, and before each transaction. Default: 10 s.
    pub fn connect_timeout(mut self, limit: Duration) -> Self {
        self.connect_timeout = limit;
        self
    }

    /// Sets how long a transaction may take. After that, its connection is closed, and the call fails. If that happens
    /// during the commit, it is not known whether the change was stored. Default: 30 s.
    pub fn transaction_timeout(mut self, limit: Duration) -> Self {
        self.transaction_timeout = limit;
        self
    }

    /// Sets after how long an unused connection is closed. Default: 10 min.
    pub fn idle_timeout(mut self, limit: Duration) -> Self {
        self.idle_timeout = limit;
        self
    }

    /// Sets after how long a connection is replaced, even if it is used. Default: 30 min.
    pub fn max_lifetime(mut self, limit: Duration) -> Self {
        self.max_lifetime = limit;
        self
    }

    /// Sets how long the holder of a conversation can be without a heartbeat before another process takes the
    /// conversation over. Default: 15 s. If a process on the same machine has ended, that is noticed immediately. All
    /// processes need the same value.
    pub fn silence(mut self, limit: Duration) -> Self {
        self.silence = limit.max(Duration::from_millis(30));
        self
    }
}
