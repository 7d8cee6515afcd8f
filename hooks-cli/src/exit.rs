use std::process::ExitCode;

/// The exit status of the program, for scripts and CI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exit(u8);

impl Exit {
    /// Success, and nothing was denied.
    pub const SUCCESS: Self = Self(0);
    /// A file has errors, a hook failed, or `audit` found something. `explain` reports errors of files but succeeds.
    /// `trust`: a file cannot be shown, or was not trusted.
    pub const FAILURE: Self = Self(1);
    /// `dispatch`: the call, the prompt, the compaction or the end of the turn is denied, or the turn ends.
    pub const DENIED: Self = Self(2);
    /// `dispatch`: a rule asks or defers, so the decision is made elsewhere. `replay`: there was nothing to replay.
    pub const UNDECIDED: Self = Self(3);
    /// The command line or the payload is invalid. Nothing was run.
    pub const USAGE: Self = Self(64);
    /// The output or the trust file could not be written.
    pub const IO_ERROR: Self = Self(74);
    /// The files are not trusted. Nothing was run.
    pub const UNTRUSTED: Self = Self(77);

    /// The program and the processes that it started were ended by a signal.
    pub(crate) const fn signal(number: u8) -> Self {
        Self(128 + number)
    }

    /// The status that a host reads.
    pub(crate) const fn of(status: u8) -> Self {
        Self(status)
    }

    /// The exit code.
    pub const fn code(self) -> u8 {
        self.0
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.0)
    }
}
