//! Which row of the store each message comes from that the model reads, so that a compaction of the one is one of the other.

use std::ops::Range;

use hooks_core::data::{Message, Messages};

/// What is stored, and what hooks made of it for a turn.
#[derive(Default)]
pub(super) struct Lineage {
    stored: Messages,
    /// What the model reads, as far as it is known here.
    view: Messages,
    /// For each message of the view the row that it is, or was before hooks rewrote it; none where they added it.
    rows: Vec<Option<usize>>,
}

impl Lineage {
    /// Before any hook: the model would read what is stored.
    pub(super) fn of(stored: Messages) -> Self {
        Self { view: stored.clone(), rows: (0..stored.len()).map(Some).collect(), stored }
    }

    /// Hooks made `view` of what it was. Told after each kind, this is exact where hooks leave rows out at one kind and add
    /// messages at another.
    pub(super) fn becomes(&mut self, view: &Messages) {
        if *view != self.view {
            let rows = origins(&self.view, view).into_iter().map(|origin| origin.and_then(|at| self.rows[at]));
            self.rows = rows.collect();
            self.view = view.clone();
        }
    }

    /// A row was stored, and stands at the end of the view.
    pub(super) fn appended(&mut self, row: Message) {
        self.rows.push(Some(self.stored.len()));
        self.view.push(row.clone());
        self.stored.push(row);
    }

    /// What is stored after a compaction that made `rest` of `view`.
    ///
    /// What hooks left out, rewrote or added holds for the turn. So a row that they left out stays, one that they rewrote
    /// stays as it was stored, and what they added is not stored; what the compaction itself dropped, changed or made counts
    /// for both.
    pub(super) fn folded(&mut self, view: &Messages, rest: &Messages) -> Messages {
        self.becomes(view);
        let mut left_out = (0..self.stored.len()).filter(|row| !self.rows.contains(&Some(*row))).peekable();
        let mut folded = Vec::new();
        let mut rows = Vec::with_capacity(rest.len());
        for (message, origin) in rest.iter().zip(origins(view, rest)) {
            let stays = match origin.or_else(|| view.iter().position(|read| read == message)) {
                None => message,
                Some(at) => {
                    let Some(row) = self.rows[at] else {
                        rows.push(None);
                        continue;
                    };
                    while let Some(earlier) = left_out.next_if(|left| *left < row) {
                        folded.push(self.stored[earlier].clone());
                    }
                    if *message == view[at] { &self.stored[row] } else { message }
                }
            };
            rows.push(Some(folded.len()));
            folded.push(stays.clone());
        }
        folded.extend(left_out.map(|row| self.stored[row].clone()));
        *self = Self { stored: folded.into(), view: rest.clone(), rows };
        self.stored.clone()
    }
}

/// Where each message of `now` comes from in `before`: it is the same there, or what stands in its place between two that
/// are the same.
fn origins(before: &Messages, now: &Messages) -> Vec<Option<usize>> {
    let mut origins = vec![None; now.len()];
    let (mut place, mut run) = (0, 0);
    for (at, message) in now.iter().enumerate() {
        if let Some(same) = (place..before.len()).find(|same| before[*same] == *message) {
            in_their_places(&mut origins, run..at, place..same);
            origins[at] = Some(same);
            (place, run) = (same + 1, at + 1);
        }
    }
    in_their_places(&mut origins, run..now.len(), place..before.len());
    origins
}

fn in_their_places(origins: &mut [Option<usize>], run: Range<usize>, places: Range<usize>) {
    if run.len() == places.len() {
        for (at, place) in run.zip(places) {
            origins[at] = Some(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use hooks_core::data::Role;
    use proptest::prelude::*;

    use super::*;

    fn messages(words: &str) -> Messages {
        words.split_whitespace().map(|word| Message::new(Role::User, word)).collect::<Vec<_>>().into()
    }

    fn words(messages: &Messages) -> String {
        messages.iter().map(|message| message.text().into_owned()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_hooks_did_for_their_turn_is_not_folded() {
        for (what, stored, filtered, view, rest, folded) in [
            ("nothing was changed", "a b c", "a b c", "a b c", "a b c", "a b c"),
            ("a summary", "a b c d", "a b c d", "a b c d", "sum c d", "sum c d"),
            ("a row was left out of what is summed up", "a b c d", "a c d", "a c d", "sum d", "sum b d"),
            ("a row was left out of what is kept", "a b c d", "a b d", "a b d", "sum d", "sum c d"),
            ("the last was left out", "a b c d", "a b c", "a b c", "sum c", "sum c d"),
            ("a summary stands where what it sums up stood", "a b c", "b c", "b c", "sum c", "a sum c"),
            ("a message was added, and kept", "a b c", "a b c", "a b + c", "sum + c", "sum c"),
            ("one was added at the end", "a b c", "a b c", "a b c +", "sum c +", "sum c"),
            ("one was left out, and one added there", "a b c d", "a b d", "a b + d", "sum d", "sum c d"),
            ("rows were rewritten, and kept", "a b c d", "a b' c' d", "a b' c' d", "sum c' d", "sum c d"),
            ("rows were rewritten, and summed up", "a b c d", "a' b' c d", "a' b' c d", "sum c d", "sum c d"),
            ("all were rewritten", "a b c", "a' b' c'", "a' b' c' +", "sum c' +", "sum c"),
            ("the compaction changed a row", "a b c", "a b c", "a b c", "a dropped c", "a dropped c"),
            ("it changed one that was rewritten", "a b c", "a b' c", "a b' c", "a dropped c", "a dropped c"),
            ("a message was said twice", "a a b a", "a b a", "a b a", "sum a", "sum a a"),
        ] {
            let mut lineage = Lineage::of(messages(stored));
            lineage.becomes(&messages(filtered));
            lineage.becomes(&messages(view));
            assert_eq!(words(&lineage.folded(&messages(view), &messages(rest))), folded, "{what}");
        }
    }

    #[test]
    fn a_second_compaction_goes_on_from_the_first() {
        let mut lineage = Lineage::of(messages("a b c d"));
        lineage.becomes(&messages("a b d"));
        lineage.appended(Message::new(Role::User, "prompt"));
        let view = messages("a b d + prompt");
        assert_eq!(words(&lineage.folded(&view, &messages("a dropped d + prompt"))), "a dropped c d prompt");
        lineage.appended(Message::new(Role::User, "call"));
        let view = messages("a dropped d + prompt call");
        assert_eq!(words(&lineage.folded(&view, &messages("sum + prompt call"))), "sum c prompt call");
    }

    proptest! {
        /// Whatever is left out, added and summed up.
        #[test]
        fn nothing_is_lost_but_what_was_summed_up(
            left_out in prop::collection::vec(prop::bool::weighted(0.3), 1..12),
            added in prop::collection::vec(0..12_usize, 0..4),
            kept in 0..12_usize,
        ) {
            let row = |i| Message::new(Role::User, format!("row {i}"));
            let stored: Vec<Message> = (0..left_out.len()).map(row).collect();
            let mut view: Vec<Message> =
                stored.iter().zip(&left_out).filter(|(_, out)| !**out).map(|(row, _)| row.clone()).collect();
            let mut lineage = Lineage::of(stored.clone().into());
            lineage.becomes(&view.clone().into());
            for at in added {
                view.insert(at.min(view.len()), Message::new(Role::User, "added"));
            }
            let old = view.len().saturating_sub(kept);
            let rest = [&[Message::new(Role::User, "sum")], &view[old..]].concat();
            let folded = lineage.folded(&view.clone().into(), &rest.into());

            let rows: Vec<&Message> = folded.iter().filter(|row| row.text() != "sum").collect();
            prop_assert_eq!(rows, stored.iter().filter(|row| !view[..old].contains(row)).collect::<Vec<_>>());
        }
    }
}
