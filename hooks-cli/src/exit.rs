use std::process::ExitCode;

/// How the program ends, for scripts and CI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exit(u8);

impl Exit {
    /// Done, and nothing was refused.
    pub const DONE: Self = Self(0);
    /// A file has errors, a hook failed, or `audit` found something; `explain` tells of it and is done. `trust`: a
    /// file cannot be shown, or was not trusted.
    pub const FAULTY: Self = Self(1);
    /// `dispatch`: it does not happen. The call, the prompt, the compaction, the end of the turn is refused, or the turn ends.
    pub const REFUSED: Self = Self(2);
    /// `dispatch`: somebody else is to decide, because a rule asks or defers.
    pub const UNDECIDED: Self = Self(3);
    /// The command line or the payload cannot be understood; nothing ran.
    pub const NOT_UNDERSTOOD: Self = Self(64);
    /// What there is to say, or the file of trust, could not be written.
    pub const NOT_WRITTEN: Self = Self(74);
    /// The files are not trusted; nothing ran.
    pub const NOT_TRUSTED: Self = Self(77);

    /// A signal ended it, and what it had started.
    pub(crate) const fn signal(number: u8) -> Self {
        Self(128 + number)
    }

    /// The number.
    pub const fn code(self) -> u8 {
        self.0
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.0)
    }
}
