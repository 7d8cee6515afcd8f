//! A test for hooks of streams: a text that arrives in pieces is shown as the whole.

use std::sync::Arc;

use hook_sdk::dispatch::DispatchError;
use hook_sdk::kinds::StreamChannel;
use hook_sdk::kinds::StreamDelta;
use hook_sdk::prelude::*;
use hook_sdk::verdict::Decision;

/// Pieces of a text of which hooks show something else than of the whole.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StreamBreach {
    /// What is shown differs.
    #[error("in the pieces {pieces:?}, this is shown: {shown:?}; of the whole, this: {whole:?}")]
    Differs {
        /// The pieces.
        pieces: Vec<String>,
        /// What the hooks show of them.
        shown: String,
        /// What the hooks show of the whole.
        whole: String,
    },
    /// The whole is stopped, and the pieces are not.
    #[error("the whole is stopped, but not the pieces {pieces:?}: {shown:?} is shown")]
    NotStopped {
        /// The pieces.
        pieces: Vec<String>,
        /// What the hooks show of them.
        shown: String,
    },
    /// A required hook failed.
    #[error(transparent)]
    Dispatch(#[from] DispatchError),
}

/// Shows `text` with the hooks at `stream_delta`: whole, character by character, and in two and three pieces, cut at
/// every place. Pieces must be shown as the whole, or be stopped before they show anything else. It takes the square of
/// the length: a hundred characters are 5,000 streams.
///
/// # Errors
/// The first pieces that are shown otherwise.
pub async fn check_stream(hooks: &HookSet, text: &str) -> Result<(), StreamBreach> {
    let (whole, is_stopped) = show(hooks, &[text]).await?;
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let single = text.split_inclusive(|_| true).collect();
    let cuts =
        places.iter().flat_map(|one| places.iter().filter(move |other| one <= other).map(move |other| (*one, *other)));
    let cut = cuts.map(|(one, other)| vec![&text[..one], &text[one..other], &text[other..]]);
    for pieces in std::iter::once(single).chain(cut) {
        let (shown, stopped) = show(hooks, &pieces).await?;
        let owned = || pieces.iter().map(|piece| (*piece).to_owned()).collect();
        if is_stopped && !stopped {
            return Err(StreamBreach::NotStopped { pieces: owned(), shown });
        }
        // Of a text that is stopped, what comes before may be shown.
        let expected = if is_stopped { text } else { &whole };
        if if stopped { !expected.starts_with(&shown) } else { shown != *expected } {
            return Err(StreamBreach::Differs { pieces: owned(), shown, whole });
        }
    }
    Ok(())
}

/// What is shown of the pieces, and whether the hooks stopped them.
async fn show(hooks: &HookSet, pieces: &[&str]) -> Result<(String, bool), DispatchError> {
    let (mut shown, mut held) = (Arc::new(String::new()), String::new());
    for (at, piece) in pieces.iter().enumerate() {
        held.push_str(piece);
        let last = at + 1 == pieces.len();
        let event = StreamDelta::new(StreamChannel::Text).shown(shown.clone());
        let event = event.fresh(piece.chars().count()).last(last);
        let fired = hooks.fire(&HookContext::new(), &event, std::mem::take(&mut held)).await?;
        if fired.report.halt.is_some() || !matches!(fired.verdict.decide(), Decision::Run) {
            return Ok((shown.to_string(), true));
        }
        let text = fired.subject;
        held = if last { String::new() } else { hooks.hold::<StreamDelta>().of(&text).to_owned() };
        Arc::make_mut(&mut shown).push_str(&text[..text.len() - held.len()]);
    }
    Ok((shown.to_string(), false))
}
