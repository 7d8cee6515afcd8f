//! Captures the output of a command up to a limit, and detects a first line that moves the command to the background.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::oneshot;

use crate::formats::goes_on_alone;

/// The number of bytes of a stream that are kept. The rest is read and discarded, so that the command does not block.
pub(super) const LIMIT: usize = 1 << 20;

/// The maximum length of a first line that moves the command to the background.
const FIRST_LINE: usize = 4 << 10;

/// The first bytes of a stream.
#[derive(Clone, Debug, Default)]
pub(super) struct Capture(Arc<Mutex<Kept>>);

#[derive(Debug, Default)]
struct Kept {
    bytes: Vec<u8>,
    dropped: bool,
}

impl Capture {
    /// Reads the stream to its end. Sends to `alone` if the first line moves the command to the background.
    pub(super) async fn read(&self, mut stream: impl AsyncRead + Unpin, mut alone: Option<oneshot::Sender<()>>) {
        let mut buffer = vec![0; 16 << 10];
        loop {
            let Ok(count @ 1..) = stream.read(&mut buffer).await else { return };
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let room = LIMIT.saturating_sub(kept.bytes.len()).min(count);
            kept.dropped |= room < count;
            kept.bytes.extend_from_slice(&buffer[..room]);
            if alone.is_some() {
                let start = &kept.bytes[..kept.bytes.len().min(FIRST_LINE)];
                let end = start.iter().position(|byte| *byte == b'\n');
                let says_so = end.is_some_and(|end| goes_on_alone(&String::from_utf8_lossy(&start[..end])));
                // Only the first line counts, and a longer line is something else.
                if (end.is_some() || start.len() == FIRST_LINE)
                    && let Some(alone) = alone.take().filter(|_| says_so)
                {
                    let _ = alone.send(());
                }
            }
        }
    }

    /// The text, with invalid UTF-8 replaced, and whether a part was discarded.
    pub(super) fn text(&self) -> (String, bool) {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (String::from_utf8_lossy(&kept.bytes).into_owned(), kept.dropped)
    }
}
