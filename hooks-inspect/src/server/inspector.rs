//! What a server shows, and who may ask.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::extract::State;

use crate::page::HooksPage;

/// What a page shows live.
#[derive(Clone, Debug, Default)]
pub struct Inspector {
    pub(super) page: HooksPage,
    pub(super) recording: Option<PathBuf>,
    #[cfg(feature = "store")]
    pub(super) store: Option<hooks_store::Store>,
    /// What a request has to give in its address, and the host that it has to name. `None` behind the login of an app.
    pub(super) local: Option<Local>,
}

#[derive(Clone, Debug)]
pub(super) struct Local {
    pub(super) token: String,
    pub(super) hosts: [String; 2],
}

pub(super) type Shared = State<Arc<Inspector>>;

impl Inspector {
    /// Creates an inspector with this page.
    pub fn new(page: HooksPage) -> Self {
        Self { page, ..Self::default() }
    }

    /// Shows the recording in this file, and what a program appends to it.
    #[must_use]
    pub fn recording(mut self, path: impl Into<PathBuf>) -> Self {
        self.recording = Some(path.into());
        self
    }

    /// Shows the questions and background runs of a store, which the page can answer and retry.
    #[cfg(feature = "store")]
    #[must_use]
    pub fn store(mut self, store: hooks_store::Store) -> Self {
        self.store = Some(store);
        self
    }
}

/// The whole lines from `offset`, and the offset after them. A file that became shorter has begun again.
pub(super) async fn read_from(path: &Path, offset: u64) -> io::Result<(u64, Vec<u8>)> {
    use tokio::io::{AsyncReadExt, AsyncSeekExt};

    let mut file = tokio::fs::File::open(path).await?;
    let length = file.metadata().await?.len();
    let offset = if offset > length { 0 } else { offset };
    file.seek(io::SeekFrom::Start(offset)).await?;
    let mut text = Vec::new();
    file.read_to_end(&mut text).await?;
    let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    text.truncate(whole);
    Ok((offset + whole as u64, text))
}
