//! What a command prints, up to a limit, and whether its first line says that it goes on alone.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::oneshot;

use crate::formats::goes_on_alone;

/// How much of a stream is kept. What is over is read and dropped, so that the command is not held up.
pub(super) const LIMIT: usize = 1 << 20;

/// How long a first line may be that says that the command goes on alone.
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
    /// Reads to the end of the stream. `alone` is sent where the first line says so.
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
                // Only a first line counts, and a long one says something else.
                if (end.is_some() || start.len() == FIRST_LINE)
                    && let Some(alone) = alone.take().filter(|_| says_so)
                {
                    let _ = alone.send(());
                }
            }
        }
    }

    /// The text, with a mark for every byte that is not UTF-8, and whether something was dropped.
    pub(super) fn text(&self) -> (String, bool) {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (String::from_utf8_lossy(&kept.bytes).into_owned(), kept.dropped)
    }
}
