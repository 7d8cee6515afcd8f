//! The number of bytes written per turn.

use std::sync::Arc;

/// The sizes of the running turns.
#[derive(Default)]
pub(super) struct Turns(Vec<(Arc<str>, TurnSize)>);

/// The size of a turn.
#[derive(Clone, Copy, Default)]
pub(super) struct TurnSize {
    pub(super) dispatches: usize,
    pub(super) bytes: u64,
    full: bool,
}

/// Whether a turn can have another line.
pub(super) enum Room {
    Left,
    /// The limit was reached just now.
    JustFilled,
    Full,
}

/// The maximum number of turns that are tracked, for programs that do not report the end of turns.
const COUNTED: usize = 1024;

impl Turns {
    pub(super) fn add(&mut self, request: &Arc<str>, bytes: u64, limit: u64) -> Room {
        // Most lines belong to the same turn as the line before.
        let at = self.0.iter().rposition(|(known, _)| known == request).unwrap_or_else(|| {
            if self.0.len() >= COUNTED {
                self.0.remove(0);
            }
            self.0.push((Arc::clone(request), TurnSize::default()));
            self.0.len() - 1
        });
        let size = &mut self.0[at].1;
        size.dispatches += 1;
        if !size.full && size.bytes + bytes <= limit {
            size.bytes += bytes;
            return Room::Left;
        }
        if std::mem::replace(&mut size.full, true) { Room::Full } else { Room::JustFilled }
    }

    pub(super) fn end(&mut self, request: &Arc<str>) -> TurnSize {
        let at = self.0.iter().rposition(|(known, _)| known == request);
        at.map(|at| self.0.remove(at).1).unwrap_or_default()
    }
}
