//! How much was written of each turn.

use std::sync::Arc;

/// What was written of the turns under way.
#[derive(Default)]
pub(super) struct Turns(Vec<(Arc<str>, Tally)>);

/// What was written of a turn.
#[derive(Clone, Copy, Default)]
pub(super) struct Tally {
    pub(super) dispatches: usize,
    pub(super) bytes: u64,
    full: bool,
}

/// Whether a turn has room for a line.
pub(super) enum Room {
    Left,
    /// It has not, for the first time.
    JustFilled,
    Full,
}

/// Turns that are counted at once. A program that does not say when a turn ends has no fewer.
const COUNTED: usize = 1024;

impl Turns {
    pub(super) fn add(&mut self, request: &Arc<str>, bytes: u64, limit: u64) -> Room {
        // Most lines are of the turn that had the last one.
        let at = self.0.iter().rposition(|(known, _)| known == request).unwrap_or_else(|| {
            if self.0.len() >= COUNTED {
                self.0.remove(0);
            }
            self.0.push((Arc::clone(request), Tally::default()));
            self.0.len() - 1
        });
        let tally = &mut self.0[at].1;
        tally.dispatches += 1;
        if !tally.full && tally.bytes + bytes <= limit {
            tally.bytes += bytes;
            return Room::Left;
        }
        if std::mem::replace(&mut tally.full, true) { Room::Full } else { Room::JustFilled }
    }

    pub(super) fn end(&mut self, request: &Arc<str>) -> Tally {
        let at = self.0.iter().rposition(|(known, _)| known == request);
        at.map(|at| self.0.remove(at).1).unwrap_or_default()
    }
}
