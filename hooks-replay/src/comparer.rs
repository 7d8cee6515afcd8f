//! A recorded dispatch beside its replay.

use std::sync::Arc;

use hooks_core::record::Trace;

use crate::clean::Cleaner;
use crate::compare::{Difference, compare, is_same};
use crate::line::{self, DispatchLine};
use crate::messages::KnownMessages;
use crate::secrets::OwnRule;

/// What it takes to compare lines: the messages that they refer to, and what the recorder left out.
#[derive(Default)]
pub(crate) struct Comparer {
    pub(crate) messages: KnownMessages,
    pub(crate) cleaner: Cleaner,
}

impl Comparer {
    pub(crate) fn new(rules: Arc<[OwnRule]>) -> Self {
        Self { cleaner: Cleaner::new(rules, line::field()), ..Self::default() }
    }

    /// The line of a dispatch of the replay, as it is. Nothing of it is removed.
    pub(crate) fn line(&mut self, trace: Trace) -> DispatchLine {
        self.messages.line(trace, &mut self.cleaner)
    }

    /// All differences. Where there may be some, both lines are as they can be shown.
    pub(crate) fn compare(&mut self, then: &mut DispatchLine, now: &mut DispatchLine) -> Vec<Difference> {
        if is_same(then, now) {
            return Vec::new();
        }
        for line in [&mut *then, &mut *now] {
            self.show(line);
        }
        compare(then, now)
    }

    /// Puts messages into their places, and removes what the recorder removes.
    pub(crate) fn show(&mut self, line: &mut DispatchLine) {
        // What is missing was told where the dispatch was to be fired.
        let _ = line.resolve(&mut |id| self.messages.value(id));
        self.cleaner.line(line);
    }
}
