use std::sync::{Arc, OnceLock};

use crate::dialect::Dialect;
use crate::occurrence::Occurrence;

/// The input of an occurrence, serialised once per dialect.
#[derive(Debug)]
pub(super) struct Input {
    pub(super) occurrence: Occurrence,
    serialized: [OnceLock<Arc<[u8]>>; Dialect::ALL.len()],
}

impl Input {
    pub(super) fn new(occurrence: Occurrence) -> Self {
        Self { occurrence, serialized: Default::default() }
    }

    pub(super) fn of(&self, dialect: Dialect) -> Arc<[u8]> {
        let place = &self.serialized[dialect as usize];
        Arc::clone(place.get_or_init(|| {
            let mut text = self.occurrence.stdin(dialect).to_string();
            text.push('\n');
            text.into_bytes().into()
        }))
    }
}
