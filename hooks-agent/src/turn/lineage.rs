//! Maps the messages that the model reads to rows of the store, to apply a compaction of the former to the latter.

use std::collections::HashMap;
use std::ops::Range;

use hook_sdk::data::{Block, Message, Messages};

use crate::store::{FoldEntry, Row, StoreError, StoredConversation, Version, Written};

/// The stored rows, and what hooks changed for this turn.
#[derive(Default)]
pub(super) struct Lineage {
    stored: Vec<Row>,
    version: Version,
    /// Whether the history is known to have no other rows.
    complete: bool,
    /// What the model reads, as far as it is known here.
    view: Messages,
    /// For each message of the view, the index of its row, even if hooks rewrote the message. `None` if hooks added it.
    rows: Vec<Option<usize>>,
    /// The index of the first row that the turn stored.
    began: Option<usize>,
}

/// What a compaction summarised.
pub(super) struct SummedUp {
    /// The messages of the view that the summary replaces.
    pub(super) range: Range<usize>,
    /// The index of the summary in the new view.
    pub(super) at: usize,
}

/// The effect of a compaction on the store.
#[derive(Debug, Default)]
pub(super) struct Folding {
    pub(super) entries: Vec<FoldEntry>,
    /// The rows that stay stored but are hidden from the model for the rest of the turn, because nothing summarises
    /// them.
    pub(super) left_out: Vec<String>,
    /// For each message of the new view, the index of its entry.
    places: Vec<Option<usize>>,
    /// The index of the first entry of the turn.
    began: Option<usize>,
}

impl Lineage {
    /// The state before any hook: the model would read what is stored.
    pub(super) fn of(stored: StoredConversation) -> Self {
        let StoredConversation { rows: stored, version, complete } = stored;
        let view: Vec<_> = stored.iter().map(|row| row.message.clone()).collect();
        Self { rows: (0..stored.len()).map(Some).collect(), view: view.into(), stored, version, complete, began: None }
    }

    /// The version of the conversation when it was last read or written.
    pub(super) fn version(&self) -> Version {
        self.version
    }

    /// Records that hooks turned the view into `view`. It is called after each kind, because that is exact if hooks
    /// remove rows at one kind and add messages at another.
    pub(super) fn becomes(&mut self, view: &Messages) {
        if *view != self.view {
            let rows = origins(&self.view, view).into_iter().map(|origin| origin.and_then(|at| self.rows[at]));
            self.rows = rows.collect();
            self.view = view.clone();
        }
    }

    /// Records that a row was stored. It is the last message of the view.
    pub(super) fn appended(&mut self, row: Row, version: Version) {
        self.rows.push(Some(self.stored.len()));
        self.view.push(row.message.clone());
        self.began.get_or_insert(self.stored.len());
        self.stored.push(row);
        self.version = version;
    }

    /// Whether the history is known to have no rows but those that were read when the turn began.
    pub(super) fn is_complete(&self) -> bool {
        self.complete
    }

    /// What is stored.
    pub(super) fn messages(&self) -> Vec<Message> {
        self.stored.iter().map(|row| row.message.clone()).collect()
    }

    /// The id of the row that was stored last.
    pub(super) fn last_stored(&self) -> Option<&str> {
        self.stored.last().map(|row| row.id.as_str())
    }

    /// The index in the view of the first message that the running turn stored.
    pub(super) fn turn(&mut self, view: &Messages) -> usize {
        self.becomes(view);
        let of_turn = |row: &Option<usize>| row.zip(self.began).is_some_and(|(row, began)| row >= began);
        self.rows.iter().position(of_turn).unwrap_or(view.len())
    }

    /// Applies changes of the store by others. Changed rows are changed in the view; new rows are read in the next
    /// turn. Returns the ids of the rows that have changed.
    pub(super) fn catch_up(&mut self, view: &mut Messages, now: StoredConversation) -> Vec<String> {
        self.becomes(view);
        let places: HashMap<&str, usize> = now.rows.iter().enumerate().map(|(at, row)| (row.id.as_str(), at)).collect();
        let place = |row: usize| places.get(self.stored[row].id.as_str()).copied();
        for (at, row) in self.rows.iter().enumerate().filter_map(|(at, row)| Some((at, (*row)?))) {
            if let Some(message) = place(row).map(|place| &now.rows[place].message)
                && *message != self.stored[row].message
                && self.view[at] == self.stored[row].message
            {
                view[at] = message.clone();
            }
        }
        let changed = |row: &usize| place(*row).is_none_or(|place| now.rows[place] != self.stored[*row]);
        let changed = (0..self.stored.len()).filter(changed).map(|row| self.stored[row].id.clone()).collect();
        self.rows = self.rows.iter().map(|row| row.and_then(place)).collect();
        self.began = self.began.map(|began| (began..self.stored.len()).find_map(place).unwrap_or(now.rows.len()));
        (self.stored, self.version, self.complete) = (now.rows, now.version, now.complete);
        self.view = view.clone();
        changed
    }

    /// The effect on the store of a compaction that turned `view` into `rest` and summarised `summed`.
    ///
    /// What hooks removed, rewrote or added is valid for this turn only. So a row that they removed stays, a row that
    /// they rewrote keeps its stored form, and a message that they added is not stored. What the compaction itself
    /// changed or created is stored. What it removed is dropped if it was summarised, and stays otherwise.
    pub(super) fn folding(&mut self, view: &Messages, rest: &Messages, summed: Option<&SummedUp>) -> Folding {
        self.becomes(view);
        let origins = match summed {
            Some(SummedUp { range, at }) => {
                origins_in(&[(0..range.start, 0..*at), (range.end..view.len(), *at + 1..rest.len())], view, rest)
            }
            None => origins(view, rest),
        };
        let mut places = vec![None; rest.len()];
        // For each row, the message that replaces it. For each position, the messages that the compaction created
        // there.
        let mut kept: Vec<Option<usize>> = vec![None; self.stored.len()];
        let mut made: Vec<Vec<usize>> = vec![Vec::new(); self.stored.len() + 1];
        let mut behind = 0;
        for (at, origin) in origins.into_iter().enumerate() {
            match origin {
                Some(from) => {
                    if let Some(row) = self.rows[from] {
                        kept[row] = Some(at);
                    }
                    behind = from + 1;
                }
                None => {
                    // In the position of what it replaces, not after rows that hooks had hidden before that.
                    let next = self.rows[behind..].iter().flatten().next().copied();
                    made[next.unwrap_or(self.stored.len())].push(at);
                }
            }
        }
        let gone = |row| summed.is_some_and(|summed| self.rows[summed.range.clone()].contains(&Some(row)));
        let mut folding = Folding::default();
        for row in 0..=self.stored.len() {
            for at in &made[row] {
                places[*at] = Some(folding.entries.len());
                folding.entries.push(FoldEntry::New(rest[*at].clone()));
            }
            if self.began == Some(row) {
                folding.began = Some(folding.entries.len());
            }
            let Some(stored) = self.stored.get(row) else { continue };
            let same = || FoldEntry::Row(stored.id.clone());
            let read = self.rows.iter().position(|of| *of == Some(row));
            match kept[row] {
                Some(at) => {
                    places[at] = Some(folding.entries.len());
                    let is_same = read.is_some_and(|read| view[read] == rest[at]);
                    folding.entries.push(if is_same { same() } else { FoldEntry::New(rest[at].clone()) });
                }
                None if gone(row) => {}
                None => {
                    folding.left_out.extend(read.map(|_| stored.id.clone()));
                    folding.entries.push(same());
                }
            }
        }
        Folding { places, ..folding }
    }

    /// Whether the fold changes what is stored.
    pub(super) fn changes(&self, folding: &Folding) -> bool {
        let same = |(entry, row): (&FoldEntry, &Row)| matches!(entry, FoldEntry::Row(id) if *id == row.id);
        folding.entries.len() != self.stored.len() || !folding.entries.iter().zip(&self.stored).all(same)
    }

    /// Whether each call keeps its results in the fold, or is folded with them. A compactor of the app may repeat a call,
    /// or remove one of several from a message.
    pub(super) fn keeps_calls(&self, folding: &Folding) -> bool {
        let stored: HashMap<&str, &Message> = self.stored.iter().map(|row| (row.id.as_str(), &row.message)).collect();
        let before = calls_and_results(self.stored.iter().map(|row| &row.message));
        let after = calls_and_results(folding.entries.iter().filter_map(|entry| match entry {
            FoldEntry::Row(id) => stored.get(id.as_str()).copied(),
            FoldEntry::New(message) => Some(message),
        }));
        after.iter().all(|(id, [calls, results, orphans])| {
            let [old_calls, old_results, old_orphans] = before.get(id).unwrap_or(&[usize::MAX, usize::MAX, 0]);
            let adds_none = calls <= old_calls && results <= old_results && orphans <= old_orphans;
            adds_none && (calls == results || old_calls - calls == old_results - results)
        })
    }

    /// Records that the store has folded, if that was necessary, and that the model now reads `rest`.
    ///
    /// # Errors
    /// If the store returned other rows than requested.
    pub(super) fn folded(
        &mut self,
        folding: Folding,
        rest: &Messages,
        written: Option<Written>,
    ) -> Result<(), StoreError> {
        if let Some(written) = written {
            let made = folding.entries.iter().filter(|entry| matches!(entry, FoldEntry::New(_))).count();
            if written.rows.len() != made {
                return Err(StoreError::new("it returned other rows than the fold created"));
            }
            let mut rows: HashMap<String, Row> = self.stored.drain(..).map(|row| (row.id.clone(), row)).collect();
            let mut made = written.rows.into_iter();
            let of = |entry| match entry {
                FoldEntry::Row(id) => rows.remove(&id),
                FoldEntry::New(_) => made.next(),
            };
            self.stored = folding.entries.into_iter().filter_map(of).collect();
            self.version = written.version;
        }
        self.rows = folding.places;
        self.began = folding.began;
        self.view = rest.clone();
        Ok(())
    }
}

/// For each message of `now`, its index in `before`: an equal message, one with the same calls or results, or the one at
/// the same position between two equal ones.
pub(super) fn origins(before: &[Message], now: &[Message]) -> Vec<Option<usize>> {
    origins_in(&[(0..before.len(), 0..now.len())], before, now)
}

/// Like [`origins`], with positions only within the given parts of `before` and `now`.
///
/// What a message is comes before where it stands, or else the place of one that moved would go to another one.
fn origins_in(parts: &[(Range<usize>, Range<usize>)], before: &[Message], now: &[Message]) -> Vec<Option<usize>> {
    let (mut origins, mut gaps) = (vec![None; now.len()], Vec::new());
    for (places, part) in parts {
        let (mut place, mut run) = (places.start, part.start);
        for at in part.clone() {
            if let Some(same) = (place..places.end).find(|same| before[*same] == now[at]) {
                gaps.push((run..at, place..same));
                origins[at] = Some(same);
                (place, run) = (same + 1, at + 1);
            }
        }
        gaps.push((run..part.end, place..places.end));
    }
    // A message that was moved, for example because a row was stored between a call and its result.
    find(&mut origins, before.len(), |at, from| before[from] == now[at]);
    // One that was rewritten next to a removed one.
    let [old_ids, new_ids] = [before, now].map(|messages| messages.iter().map(ids).collect::<Vec<_>>());
    find(&mut origins, before.len(), |at, from| !new_ids[at].is_empty() && old_ids[from] == new_ids[at]);
    for (run, places) in gaps {
        let run: Vec<_> = run.filter(|at| origins[*at].is_none()).collect();
        let places: Vec<_> = places.filter(|place| !origins.contains(&Some(*place))).collect();
        if run.len() == places.len() {
            run.into_iter().zip(places).for_each(|(at, place)| origins[at] = Some(place));
        }
    }
    origins
}

/// Fills what is empty in `origins` with what is the same and nobody has.
fn find(origins: &mut [Option<usize>], before: usize, is_same: impl Fn(usize, usize) -> bool) {
    for at in 0..origins.len() {
        if origins[at].is_none() {
            origins[at] = (0..before).find(|from| is_same(at, *from) && !origins.contains(&Some(*from)));
        }
    }
}

/// The ids of the calls in a message, and of the calls to which it contains results.
fn ids(message: &Message) -> Vec<(bool, String)> {
    let id = |block: &Block| match block {
        Block::ToolUse(call) => Some((false, call.id.clone())),
        Block::ToolResult(result) => Some((true, result.call_id.clone())),
        _ => None,
    };
    message.content.iter().filter_map(id).collect()
}

/// For each id, how many calls there are, how many results of them, and how many results without a call before them.
fn calls_and_results<'a>(messages: impl Iterator<Item = &'a Message>) -> HashMap<String, [usize; 3]> {
    let mut counts = HashMap::<String, [usize; 3]>::new();
    for (is_result, id) in messages.flat_map(ids) {
        let count = counts.entry(id).or_default();
        let of = if is_result { 1 + usize::from(count[1] >= count[0]) } else { 0 };
        count[of] += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use hook_sdk::data::Role;
    use proptest::prelude::*;

    use super::*;

    fn message(word: &str) -> Message {
        Message::new(Role::User, word)
    }

    fn messages(words: &str) -> Messages {
        words.split_whitespace().map(message).collect::<Vec<_>>().into()
    }

    fn lineage(words: &str) -> Lineage {
        let rows =
            messages(words).iter().enumerate().map(|(at, row)| Row::new(format!("{at:03}"), row.clone())).collect();
        Lineage::of(StoredConversation { rows, ..StoredConversation::default() })
    }

    fn append(lineage: &mut Lineage, word: &str) {
        let id = format!("{:03}", lineage.stored.len());
        lineage.appended(Row::new(id, message(word)), Version::default());
    }

    /// What is stored and what is left out after a compaction to `rest`. If `rest` contains the summary `sum`, it
    /// replaces what was between its neighbours.
    fn folded(lineage: &mut Lineage, view: &Messages, rest: &Messages) -> (String, Vec<String>) {
        let at = rest.iter().position(|message| message.text() == "sum");
        let summed = at.map(|at| SummedUp { range: at..view.len() - (rest.len() - at - 1), at });
        let folding = lineage.folding(view, rest, summed.as_ref());
        let left_out = folding.left_out.clone();
        let made = folding.entries.iter().filter_map(|entry| match entry {
            FoldEntry::New(message) => Some(Row::new(format!("new {}", message.text()), message.clone())),
            FoldEntry::Row(_) => None,
        });
        let written = Written::new(made.collect(), Version::default());
        lineage.folded(folding, rest, Some(written)).unwrap();
        let stored: Vec<_> = lineage.stored.iter().map(|row| row.message.text().into_owned()).collect();
        (stored.join(" "), left_out)
    }

    #[test]
    fn what_hooks_did_for_their_turn_is_not_folded() {
        for (what, stored, filtered, view, rest, expected) in [
            ("nothing was changed", "a b c", "a b c", "a b c", "a b c", "a b c"),
            ("a summary", "a b c d", "a b c d", "a b c d", "sum c d", "sum c d"),
            ("a summary in the midst", "a b c d", "a b c d", "a b c d", "a sum d", "a sum d"),
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
            ("one moved to where another was left out", "a b c d e", "a b c d e", "a b c d e", "a c b e", "a b c d e"),
            ("what nobody summed up is left out and stays", "a b c d", "a b c d", "a b c d", "c d", "a b c d"),
        ] {
            let mut lineage = lineage(stored);
            lineage.becomes(&messages(filtered));
            lineage.becomes(&messages(view));
            assert_eq!(folded(&mut lineage, &messages(view), &messages(rest)).0, expected, "{what}");
        }
    }

    #[test]
    fn a_call_that_was_shortened_next_to_a_row_that_was_removed_is_the_same_row() {
        let call = |input: &str| {
            let call = hook_sdk::data::ToolCall::new("c1", "find", serde_json::json!({ "text": input }));
            Message::of(Role::Assistant, vec![Block::from("look"), Block::ToolUse(call)])
        };
        let stored = [message("prompt"), call("long"), message("answer")];
        let rows = stored.iter().enumerate().map(|(at, row)| Row::new(at.to_string(), row.clone())).collect();
        let mut lineage = Lineage::of(StoredConversation { rows, ..StoredConversation::default() });
        let rest = vec![call("cut"), message("answer")];
        let folding = lineage.folding(&stored.to_vec().into(), &rest.clone().into(), None);
        let row = |id: &str| FoldEntry::Row(id.to_owned());
        assert_eq!(folding.entries, [row("0"), FoldEntry::New(rest[0].clone()), row("2")]);
        assert_eq!(folding.left_out, ["0"]);
    }

    #[test]
    fn a_second_compaction_continues_from_the_first() {
        let mut lineage = lineage("a b c d");
        lineage.becomes(&messages("a b d"));
        append(&mut lineage, "prompt");
        let view = messages("a b d + prompt");
        assert_eq!(folded(&mut lineage, &view, &messages("a dropped d + prompt")).0, "a dropped c d prompt");
        append(&mut lineage, "call");
        let view = messages("a dropped d + prompt call");
        assert_eq!(lineage.turn(&view), 4);
        assert_eq!(folded(&mut lineage, &view, &messages("sum + prompt call")).0, "sum c prompt call");
        assert_eq!(lineage.turn(&messages("sum + prompt call")), 2);
    }

    #[test]
    fn what_others_changed_holds_and_what_they_added_waits_for_the_next_turn() {
        let mut lineage = lineage("a b c");
        append(&mut lineage, "prompt");
        let mut view = messages("a b + c prompt");
        let rows = [("000", "a"), ("001", "masked"), ("003", "prompt"), ("009", "theirs")];
        let rows = rows.map(|(id, text)| Row::new(id, message(text))).to_vec();
        let changed =
            lineage.catch_up(&mut view, StoredConversation { rows, version: Version::new(7), complete: true });
        assert_eq!(changed, ["001", "002"]);
        assert_eq!((view.clone(), lineage.version()), (messages("a masked + c prompt"), Version::new(7)));
        assert_eq!(lineage.turn(&view), 4);
        append(&mut lineage, "answer");
        view.push(message("answer"));
        assert_eq!(folded(&mut lineage, &view, &messages("sum prompt answer")).0, "sum prompt theirs answer");
    }

    proptest! {
        /// For any combination of removed, added and summarised messages.
        #[test]
        fn nothing_is_lost_but_what_was_summarised(
            left_out in prop::collection::vec(prop::bool::weighted(0.3), 1..12),
            added in prop::collection::vec(0..12_usize, 0..4),
            from in 0..12_usize,
            kept in 0..12_usize,
            sums_up: bool,
        ) {
            let row = |i| message(&format!("row{i}"));
            let stored: Vec<Message> = (0..left_out.len()).map(row).collect();
            let mut view: Vec<Message> =
                stored.iter().zip(&left_out).filter(|(_, out)| !**out).map(|(row, _)| row.clone()).collect();
            let words: Vec<_> = stored.iter().map(|message| message.text().into_owned()).collect();
            let mut lineage = lineage(&words.join(" "));
            lineage.becomes(&view.clone().into());
            for at in added {
                view.insert(at.min(view.len()), message("added"));
            }
            let end = view.len().saturating_sub(kept);
            let from = from.min(end);
            let sum: &[Message] = if sums_up { &[message("sum")] } else { &[] };
            let rest = [&view[..from], sum, &view[end..]].concat();
            let (after, out) = folded(&mut lineage, &view.clone().into(), &rest.into());

            let after: Vec<&str> = after.split(' ').filter(|row| *row != "sum" && !row.is_empty()).collect();
            let dropped: Vec<_> = view[from..end].iter().map(|message| message.text().into_owned()).collect();
            let stays = |row: &&String| !sums_up || !dropped.contains(row);
            prop_assert_eq!(after, words.iter().filter(stays).map(String::as_str).collect::<Vec<_>>());
            let expected = if sums_up { 0 } else { dropped.iter().filter(|row| *row != "added").count() };
            prop_assert_eq!(out.len(), expected);
        }
    }
}
