//! Sessions that a hook has ended at their start, at hosts that begin them all the same: nothing may happen in them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::event::HostEvent;

/// A file per session, with the reason. The last start of a session decides.
#[derive(Clone)]
pub(crate) struct Halted(PathBuf);

impl Halted {
    pub(crate) fn below(state: &Path) -> Self {
        Self(state.join("halted"))
    }

    fn file(&self, event: &HostEvent) -> Option<PathBuf> {
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
        let session: String = event.session.as_deref()?.chars().take(100).map(plain).collect();
        Some(self.0.join(format!("{}-{session}", event.host)))
    }

    /// At the start of a session.
    pub(crate) fn note(&self, event: &HostEvent, reason: Option<&str>) {
        let Some(file) = self.file(event) else { return };
        let _ = match reason {
            Some(reason) => crate::journal::own::folder(&self.0).and_then(|()| fs::write(file, reason)),
            None => fs::remove_file(file),
        };
    }

    /// Why nothing may happen in the session of the event.
    pub(crate) fn reason(&self, event: &HostEvent) -> Option<String> {
        fs::read_to_string(self.file(event)?).ok()
    }
}
