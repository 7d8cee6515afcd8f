//! Differences between SQLite and Postgres.

/// The oldest version of SQLite that does not corrupt files in WAL mode: <https://sqlite.org/wal.html#walresetbug>.
pub(crate) const MIN_SQLITE: [u32; 3] = [3, 51, 3];

/// The kind of database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    Sqlite,
    Postgres,
}

impl Dialect {
    /// The clause that locks selected rows. In SQLite, the transaction already holds the only lock.
    pub(crate) fn for_update(self) -> &'static str {
        match self {
            Self::Sqlite => "",
            Self::Postgres => " FOR UPDATE",
        }
    }

    /// Like [`for_update`](Self::for_update), but skips rows that another transaction has locked.
    pub(crate) fn skip_locked(self) -> &'static str {
        match self {
            Self::Sqlite => "",
            Self::Postgres => " FOR UPDATE SKIP LOCKED",
        }
    }

    /// Begins a transaction that may write. SQLite takes its lock now: a transaction that reads first cannot wait for it.
    pub(crate) fn begin(self, read_only: bool) -> &'static str {
        match self {
            Self::Sqlite => "BEGIN IMMEDIATE",
            Self::Postgres if read_only => "BEGIN READ ONLY",
            Self::Postgres => "BEGIN",
        }
    }

    /// Begins a transaction that reads a consistent snapshot.
    pub(crate) fn begin_snapshot(self) -> &'static str {
        match self {
            Self::Sqlite => "BEGIN",
            Self::Postgres => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        }
    }

    /// Counts the tables of a store.
    pub(crate) fn has_schema(self) -> &'static str {
        match self {
            Self::Sqlite => "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = 'hooks_schema'",
            Self::Postgres => "SELECT CASE WHEN to_regclass('hooks_schema') IS NULL THEN 0 ELSE 1 END::bigint",
        }
    }

    /// Lets one migration run at a time, until its transaction ends. In SQLite, the transaction holds the only lock.
    pub(crate) fn lock_migrations(self) -> Option<&'static str> {
        match self {
            Self::Sqlite => None,
            // The number is arbitrary.
            Self::Postgres => Some("SELECT pg_advisory_xact_lock(7224093)"),
        }
    }

    /// Waits for running transactions of older processes, and lets them begin no other one until the end.
    pub(crate) fn lock_schema(self) -> Option<&'static str> {
        match self {
            Self::Sqlite => None,
            Self::Postgres => Some("LOCK TABLE hooks_schema IN ACCESS EXCLUSIVE MODE"),
        }
    }

    /// Why no connection was free in time.
    pub(crate) fn busy(self) -> &'static str {
        match self {
            Self::Sqlite => "the file is locked: this process or another one writes to it for longer than the limit",
            Self::Postgres => {
                "no connection was free in time: every connection is in use, or the server does not answer"
            }
        }
    }

    /// Assigns positions from `$3` on to the rows of conversation `$1` in the JSON list `$2`.
    pub(crate) fn place_rows(self) -> &'static str {
        match self {
            Self::Sqlite => {
                "UPDATE hooks_messages SET place = $3 + entry.key FROM json_each($2) AS entry \
                 WHERE hooks_messages.conversation = $1 AND hooks_messages.id = entry.value"
            }
            Self::Postgres => {
                "UPDATE hooks_messages SET place = $3 + entry.key - 1 \
                 FROM jsonb_array_elements_text($2::jsonb) WITH ORDINALITY AS entry (value, key) \
                 WHERE hooks_messages.conversation = $1 AND hooks_messages.id = entry.value"
            }
        }
    }
}
