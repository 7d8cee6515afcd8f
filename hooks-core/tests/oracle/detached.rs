//! What detached runs received, and how they ended.

use std::sync::{Arc, Mutex, PoisonError};

use hook_sdk::prelude::*;
use hook_sdk::record::{OnEnd, RunEnd, Status};
use proptest::test_runner::TestCaseError;

use super::case::Case;
use super::fold::Started;

type Given = Vec<(&'static str, Vec<u8>)>;

static GIVEN: Mutex<Given> = Mutex::new(Vec::new());

/// Records that a run has begun with this subject.
pub(crate) fn begun(id: &'static str, subject: Vec<u8>) {
    GIVEN.lock().unwrap_or_else(PoisonError::into_inner).push((id, subject));
}

/// Takes what the runs since the last call received.
pub(crate) fn given() -> Given {
    std::mem::take(&mut *GIVEN.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The ends that an observer is notified of.
pub(crate) struct Ends(Arc<Mutex<Vec<(String, Status)>>>);

impl Ends {
    pub(crate) fn of(registry: &Registry) -> Self {
        let ends = Self(Arc::default());
        let into = Arc::clone(&ends.0);
        registry.observe(OnEnd(move |ended: &RunEnd, _: &Contributions| {
            into.lock().unwrap().push((ended.run.hook.to_string(), ended.run.status));
        }));
        ends
    }

    /// Compares the ends, what the runs received, and the count of the drain with the fold. Each run in `expected` was
    /// started twice: once with an observer and once without.
    pub(crate) fn check(
        self,
        case: &Case,
        expected: &[Started],
        mut given: Given,
        done: usize,
    ) -> Result<(), TestCaseError> {
        let mut ends = std::mem::take(&mut *self.0.lock().unwrap());
        let twice = expected.iter().chain(expected);
        let mut expected_given: Given = twice.map(|run| (case.specs[run.index].id, run.given.clone())).collect();
        let mut expected_ends: Vec<_> =
            expected.iter().map(|run| (case.specs[run.index].id.to_owned(), run.status)).collect();
        given.sort();
        expected_given.sort();
        ends.sort_by_key(|end| format!("{end:?}"));
        expected_ends.sort_by_key(|end| format!("{end:?}"));
        if (&given, &ends, done) == (&expected_given, &expected_ends, expected_given.len()) {
            return Ok(());
        }
        Err(TestCaseError::fail(format!(
            "detached: {done} done\n     got {given:?}\n         {ends:?}\nexpected {expected_given:?}\n         {expected_ends:?}"
        )))
    }
}
