//! Compares recorded dispatches with their replay.

use std::sync::Arc;

use hook_sdk::record::Trace;

use crate::clean::Cleaner;
use crate::compare::{Difference, compare, is_same};
use crate::line::{self, DispatchLine};
use crate::messages::KnownMessages;
use crate::secrets::OwnRule;

/// The state needed to compare lines: the messages that they refer to, and the rules of the recorder.
#[derive(Default)]
pub(crate) struct Comparer {
    pub(crate) messages: KnownMessages,
    pub(crate) cleaner: Cleaner,
}

impl Comparer {
    pub(crate) fn new(rules: Arc<[OwnRule]>) -> Self {
        Self { cleaner: Cleaner::new(rules, line::field()), ..Self::default() }
    }

    /// The line of a replayed dispatch, not cleaned yet.
    pub(crate) fn line(&mut self, trace: Trace) -> DispatchLine {
        self.messages.line(trace, &mut self.cleaner)
    }

    /// All differences. If there may be any, both lines are cleaned so that they can be shown.
    pub(crate) fn compare(&mut self, then: &mut DispatchLine, now: &mut DispatchLine) -> Vec<Difference> {
        if is_same(then, now) {
            return Vec::new();
        }
        for line in [&mut *then, &mut *now] {
            self.show(line);
        }
        compare(then, now)
    }

    /// Resolves messages, and removes what the recorder removes.
    pub(crate) fn show(&mut self, line: &mut DispatchLine) {
        // A missing reference was reported when the dispatch was fired.
        let _ = line.resolve(&mut |id| self.messages.value(id));
        self.cleaner.line(line);
    }
}
