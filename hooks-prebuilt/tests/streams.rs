//! Streams: a text that arrives in pieces is shown as it would be masked as a whole.

use hooks_prebuilt::StreamWindow;

/// What a loop shows of a text that arrives in these pieces.
pub(crate) fn shown(pieces: &[&str], mut window: impl FnMut(&str, &str, bool) -> StreamWindow) -> String {
    let (mut shown, mut held) = (String::new(), String::new());
    for piece in pieces {
        held.push_str(piece);
        let judged = window(&shown, &held, false);
        shown.push_str(&judged.text[..judged.held]);
        judged.text[judged.held..].clone_into(&mut held);
    }
    shown.push_str(&window(&shown, &held, true).text);
    shown
}

/// The text cut at these places.
pub(crate) fn cut<'a>(text: &'a str, places: &[usize]) -> Vec<&'a str> {
    let mut places: Vec<usize> = places.iter().map(|place| text.floor_char_boundary_of(*place)).collect();
    places.sort_unstable();
    let ends = places.iter().copied().chain([text.len()]);
    let mut at = 0;
    ends.map(|end| &text[std::mem::replace(&mut at, end)..end]).collect()
}

trait Boundary {
    fn floor_char_boundary_of(&self, at: usize) -> usize;
}

impl Boundary for str {
    fn floor_char_boundary_of(&self, at: usize) -> usize {
        (0..=at.min(self.len())).rev().find(|at| self.is_char_boundary(*at)).unwrap_or(0)
    }
}
