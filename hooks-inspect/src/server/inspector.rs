//! What a server shows, and who may ask.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::extract::State;
use sha2::{Digest, Sha256};

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
    pub(super) hosts: Vec<String>,
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

/// How far a recording was read: the length, and a hash of the last bytes of that. A file that has others there is another one,
/// whatever its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    offset: u64,
    hash: u64,
}

/// The number of bytes of which a place has the hash.
const BEFORE: usize = 1024;

impl Place {
    /// The place after `bytes`, which end at `offset`.
    fn after(bytes: &[u8], offset: u64) -> Self {
        let last = &bytes[bytes.len().saturating_sub(BEFORE)..];
        let hash = if last.is_empty() { [0; 32] } else { Sha256::digest(last).into() };
        Self { offset, hash: hash.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte)) }
    }

    /// Reads what [`Display`](fmt::Display) wrote. Anything else is the begin.
    pub(super) fn read(text: &str) -> Self {
        let parts = text.split_once('-');
        let place = parts.and_then(|(offset, hash)| Some((offset.parse().ok()?, u64::from_str_radix(hash, 16).ok()?)));
        place.map(|(offset, hash)| Self { offset, hash }).unwrap_or_default()
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{:016x}", self.offset, self.hash)
    }
}

/// The whole lines of a file after a place.
pub(super) struct Part {
    /// With what precedes them, so that each place is known.
    bytes: Vec<u8>,
    start: usize,
    offset: u64,
}

impl Part {
    /// The lines, each with the place after it.
    pub(super) fn lines(&self) -> impl Iterator<Item = (usize, &[u8])> {
        let mut at = self.start;
        self.bytes[self.start..].split_inclusive(|byte| *byte == b'\n').map(move |line| {
            at += line.len();
            (at, line)
        })
    }

    /// The place after the line that ends here.
    pub(super) fn place(&self, at: usize) -> Place {
        Place::after(&self.bytes[..at], self.offset + at as u64)
    }

    /// The place after all of them.
    pub(super) fn end(&self) -> Place {
        self.place(self.bytes.len())
    }
}

/// What a recording has after a place. A recorder that moved full files aside, to `path.1` and so on, began others: what these
/// have comes first.
pub(super) async fn read_after(path: &Path, place: Place) -> io::Result<Vec<Part>> {
    let aside = |number: usize| match number {
        0 => path.to_owned(),
        _ => PathBuf::from([path.as_os_str(), format!(".{number}").as_ref()].join("".as_ref())),
    };
    let mut parts = Vec::new();
    let mut number = 0;
    loop {
        match part(&aside(number), place).await {
            Ok(Some(part)) => {
                parts.push(part);
                break;
            }
            // It was moved aside right now, or it is another one.
            Err(error) if number == 0 && error.kind() == io::ErrorKind::NotFound => number += 1,
            Ok(None) => number += 1,
            // None of them is what was read.
            Err(_) => {
                number = 1;
                break;
            }
        }
    }
    for number in (0..number).rev() {
        match part(&aside(number), Place::default()).await {
            Ok(part) => parts.extend(part),
            Err(error) if parts.is_empty() => return Err(error),
            Err(_) => {}
        }
    }
    Ok(parts)
}

/// The whole lines after a place, if the file has that place.
async fn part(path: &Path, place: Place) -> io::Result<Option<Part>> {
    use tokio::io::{AsyncReadExt, AsyncSeekExt};

    let mut file = tokio::fs::File::open(path).await?;
    if place.offset > file.metadata().await?.len() {
        return Ok(None);
    }
    let offset = place.offset.saturating_sub(BEFORE as u64);
    let start = usize::try_from(place.offset - offset).unwrap_or(BEFORE);
    file.seek(io::SeekFrom::Start(place.offset)).await?;
    let mut rest = Vec::new();
    file.read_to_end(&mut rest).await?;
    // What precedes comes last: the file may be begun anew in its place between two reads, and this tells.
    file.seek(io::SeekFrom::Start(offset)).await?;
    let mut bytes = Vec::new();
    file.take(start as u64).read_to_end(&mut bytes).await?;
    if bytes.len() < start || Place::after(&bytes, place.offset) != place {
        return Ok(None);
    }
    bytes.append(&mut rest);
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    bytes.truncate(whole.max(start));
    Ok(Some(Part { bytes, start, offset }))
}
