//! Which files count as trusted.

use std::path::Path;

use hooks_rules::Trust;

use crate::args::TrustedArgs;
use crate::exit::Exit;
use crate::output::Output;
use crate::style::{BAD, styled};

/// Which files count as trusted.
pub(crate) enum Confidence {
    /// All of them: the person says so.
    All,
    /// Those that a trust file lists.
    By(Option<Trust>),
}

impl Confidence {
    /// # Errors
    /// The error message for a trust file that cannot be read.
    pub(crate) fn of(args: &TrustedArgs) -> Result<Self, Output> {
        if args.trust {
            return Ok(Self::All);
        }
        let path = args.trust_file.clone().or_else(Trust::user_file);
        let trust = path.map(Trust::open).transpose();
        let untrusted = |error| Output::trouble(format!("{}: {error}", styled(BAD, "error")), Exit::UNTRUSTED);
        trust.map(Self::By).map_err(untrusted)
    }

    /// Whether the file counts as it is now.
    pub(crate) fn allows(&self, file: &Path) -> bool {
        match self {
            Self::All => true,
            Self::By(trust) => trust
                .as_ref()
                .is_some_and(|trust| std::fs::read(file).is_ok_and(|content| trust.allows(file, &content))),
        }
    }

    /// The trust file.
    pub(crate) fn file(&self) -> Option<&Trust> {
        if let Self::By(Some(trust)) = self { Some(trust) } else { None }
    }
}
