//! Sessions that a hook has ended at their start, at hosts that begin them all the same: nothing may happen in them.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};

use hook_sdk::record::redacted;

use crate::event::HostEvent;

/// A file per session, with the reason. The last start of a session decides.
#[derive(Clone)]
pub(crate) struct Halted(PathBuf);

impl Halted {
    pub(crate) fn below(state: &Path) -> Self {
        Self(state.join("halted"))
    }

    /// Each session has a file of its own, whatever its id contains.
    fn file(&self, event: &HostEvent) -> Option<PathBuf> {
        let session = event.session.as_deref()?;
        let mut hash = DefaultHasher::new();
        session.hash(&mut hash);
        let plain: String = session.chars().filter(char::is_ascii_alphanumeric).take(40).collect();
        Some(self.0.join(format!("{}-{plain}-{:016x}", event.host, hash.finish())))
    }

    /// At the start of a session.
    ///
    /// # Errors
    /// The session begins as if no hook had ended it.
    pub(crate) fn note(&self, event: &HostEvent, reason: Option<&str>) -> Result<()> {
        match (self.file(event), reason) {
            (Some(file), Some(reason)) => {
                crate::journal::own_folder(&self.0)?;
                fs::write(file, redacted(reason))
            }
            // What stays here goes on to deny.
            (Some(file), None) => {
                drop(fs::remove_file(file));
                Ok(())
            }
            (None, Some(_)) => Err(Error::new(ErrorKind::InvalidInput, "the host names no session")),
            (None, None) => Ok(()),
        }
    }

    /// Why nothing may happen in the session of the event.
    pub(crate) fn reason(&self, event: &HostEvent) -> Option<String> {
        match fs::read_to_string(self.file(event)?) {
            Ok(reason) if !reason.is_empty() => Some(reason),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => None,
            // There is such a file, and only a hook that ends the session writes it.
            _ => Some("a hook has ended this session at its start".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::HookPoint;

    fn start(session: Option<&str>) -> HostEvent {
        let mut event = HostEvent::named("droid", HookPoint::SessionStart, "SessionStart");
        event.session = session.map(str::to_owned);
        event
    }

    #[test]
    fn each_session_is_ended_by_itself_and_what_cannot_be_kept_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let halted = Halted::below(folder.path());
        let long = "s".repeat(200);
        for (ended, other) in [("a/b", "a_b"), (&*long, &*format!("{long}t")), ("a", "A")] {
            halted.note(&start(Some(ended)), Some("closed")).unwrap();
            assert_eq!(halted.reason(&start(Some(other))), None, "{other}");
            halted.note(&start(Some(other)), None).unwrap();
            assert_eq!(halted.reason(&start(Some(ended))).as_deref(), Some("closed"), "{ended}");
            halted.note(&start(Some(ended)), None).unwrap();
            assert_eq!(halted.reason(&start(Some(ended))), None);
        }
        halted.note(&start(Some("cut")), Some("")).unwrap();
        assert!(halted.reason(&start(Some("cut"))).is_some(), "a file that was not written to its end");
        assert!(halted.note(&start(None), Some("closed")).is_err());
        fs::write(folder.path().join("file"), "").unwrap();
        assert!(Halted::below(&folder.path().join("file")).note(&start(Some("a")), Some("closed")).is_err());
    }
}
