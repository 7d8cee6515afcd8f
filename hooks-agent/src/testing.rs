//! Tests for an app's implementations of the loop's traits.

use std::collections::BTreeSet;
use std::fmt;

use futures_util::future::join_all;
use hook_sdk::data::{Block, Message, MessageUpdate, Role, ToolCall, ToolResult};
use serde_json::json;

use crate::store::{Append, Fold, FoldEntry, MessageStore, Row, StoreError, Version, Written};

/// The violations of the contract by a store, one per line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct StoreBreaches(Vec<String>);

impl StoreBreaches {
    /// The violations.
    pub fn breaches(&self) -> &[String] {
        &self.0
    }
}

impl fmt::Display for StoreBreaches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

/// Checks `store` against the contract of [`MessageStore`]. The store may contain conversations. Those that the check
/// creates are deleted again.
///
/// ```
/// use hooks_agent::store::MemoryStore;
/// use hooks_agent::testing::hold_store;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), hooks_agent::testing::StoreBreaches> {
/// hold_store(&MemoryStore::new()).await
/// # }
/// ```
///
/// # Errors
/// All violations.
pub async fn hold_store(store: &dyn MessageStore) -> Result<(), StoreBreaches> {
    let tag = Row::new_id();
    // Ids come from the app, so any text has to survive.
    let names =
        [" o'clock", "/a%_b", ":ü\u{1F600}\\", "-long"].map(|end| format!("{tag}{end}{}", "x".repeat(end.len() * 20)));
    let mut held = Held { store, breaches: Vec::new() };
    let [one, two, three, four] = &names;
    held.nothing(one).await;
    held.appends(one).await;
    held.comes_back(two).await;
    held.updates(three).await;
    held.folds(four).await;
    held.is_raced(&format!("{tag}-raced")).await;
    held.lists(&names).await;
    held.deletes(&names).await;
    if held.breaches.is_empty() { Ok(()) } else { Err(StoreBreaches(held.breaches)) }
}

struct Held<'s> {
    store: &'s dyn MessageStore,
    breaches: Vec<String>,
}

fn said(text: impl Into<String>) -> Message {
    Message::new(Role::User, text)
}

fn texts(rows: &[Row]) -> Vec<String> {
    rows.iter().map(|row| row.message.text().into_owned()).collect()
}

impl Held<'_> {
    fn hold(&mut self, holds: bool, what: &str, seen: impl fmt::Debug) {
        if !holds {
            self.breaches.push(format!("{what}: {seen:?}"));
        }
    }

    /// The value of an operation that must succeed.
    fn done<T>(&mut self, done: Result<T, StoreError>, what: &str) -> Option<T> {
        done.map_err(|error| self.breaches.push(format!("{what}: {error}"))).ok()
    }

    async fn append(&mut self, conversation: &str, texts: &[&str]) -> Written {
        let messages = texts.iter().map(|text| said(*text));
        let written = self.store.append(conversation, Append::new(messages)).await;
        let written = self.done(written, "what is to be appended is appended").unwrap_or_default();
        self.hold(written.rows.len() == texts.len(), "an append gives a row for each message", &written);
        written
    }

    /// Reads both views, page by page.
    async fn read(&mut self, conversation: &str, limit: usize) -> [(Vec<Row>, Version); 2] {
        let mut readings = [(); 2].map(|()| (Vec::new(), Version::default()));
        for (history, reading) in readings.iter_mut().enumerate() {
            let mut from: Option<String> = None;
            for _ in 0..10_000 {
                let page = match history {
                    0 => self.store.page(conversation, from.as_deref(), limit).await,
                    _ => self.store.history(conversation, from.as_deref(), limit).await,
                };
                let Some(page) = self.done(page, "a conversation can be read") else { break };
                self.hold(page.rows.len() <= limit, "a page has no more rows than were asked for", page.rows.len());
                reading.0.extend(page.rows);
                reading.1 = page.version;
                from = page.next;
                if from.is_none() {
                    break;
                }
            }
            self.hold(from.is_none(), "pages come to an end", conversation);
        }
        let [(read, version), (history, of_history)] = &readings;
        self.hold(version == of_history, "both readings say one version", (version, of_history));
        self.hold(history.windows(2).all(|pair| pair[0].id < pair[1].id), "a history is sorted by its ids", history);
        let ids: BTreeSet<_> = history.iter().map(|row| &row.id).collect();
        self.hold(read.iter().all(|row| ids.contains(&row.id)), "what is read is in the history", read);
        readings
    }

    /// The texts of the current view.
    async fn reads(&mut self, conversation: &str) -> Vec<String> {
        let [(rows, _), _] = self.read(conversation, 100).await;
        texts(&rows)
    }

    async fn version(&mut self, conversation: &str) -> Version {
        let [(_, version), _] = self.read(conversation, 100).await;
        version
    }

    async fn nothing(&mut self, conversation: &str) {
        let [(read, version), (history, _)] = self.read(conversation, 10).await;
        let nothing = read.is_empty() && history.is_empty() && version == Version::default();
        self.hold(nothing, "a conversation that is not there has no rows and the version 0", (read, history, version));
        let updated = self.store.update(conversation, "no such row", MessageUpdate::default(), None).await;
        self.hold(updated.is_err(), "a row that is not there cannot be updated", updated);
        let deleted = self.store.delete(conversation).await;
        self.hold(deleted.is_ok(), "a conversation that is not there is deleted already", deleted);
        let listed = self.listed(100).await;
        self.hold(!listed.contains(conversation), "a conversation that was only asked for is not listed", conversation);
    }

    async fn appends(&mut self, conversation: &str) {
        let first = self.append(conversation, &["a", "b", "c"]).await;
        let second = self.append(conversation, &["d", "e"]).await;
        self.hold(second.version != first.version, "an append makes a new version", (first.version, second.version));
        for limit in [1, 2, 5, 100] {
            let [(read, version), (history, _)] = self.read(conversation, limit).await;
            let rows = [first.rows.clone(), second.rows.clone()].concat();
            self.hold(read == rows, "what was appended is read in its order, whatever the pages", &read);
            self.hold(history == rows, "what was appended is the history", &history);
            self.hold(version == second.version, "an append says the version that is read", (version, second.version));
        }
        let append = |seen| Append::new([said("f")]).seen(seen);
        let stale = self.store.append(conversation, append(first.version)).await;
        self.hold(stale == Err(StoreError::Conflict), "an append to a version that is past is a conflict", &stale);
        let kept = self.reads(conversation).await;
        self.hold(kept == ["a", "b", "c", "d", "e"], "a conflict changes nothing", &kept);
        let seen = self.store.append(conversation, append(second.version)).await;
        self.hold(seen.is_ok(), "an append to the version that is there is done", &seen);
    }

    async fn comes_back(&mut self, conversation: &str) {
        let call = ToolCall::new("call_1", "find", json!({ "a": [1, 2.5, null, "ü"], "b": { "c": "\u{0}" } }));
        let result = ToolResult::new("found \u{1F600} \"quoted\" \u{0} end").into_block(&call);
        let mut odd = Message::of(Role::Assistant, vec![Block::from(""), Block::ToolUse(call)]);
        odd.extra.insert("provider".to_owned(), json!({ "x": 1 }));
        let messages = vec![said(""), odd, Message::of(Role::Tool, vec![result]), said("long ".repeat(100_000))];
        let written = self.store.append(conversation, Append::new(messages.clone())).await;
        let Some(written) = self.done(written, "whatever a message holds can be stored") else { return };
        let [(read, _), _] = self.read(conversation, 2).await;
        let same = |rows: &[Row]| rows.iter().map(|row| &row.message).eq(messages.iter());
        self.hold(same(&read) && same(&written.rows), "messages come back as they went in", texts(&read).len());
        let export = self.store.export(conversation).await;
        if let Some(export) = self.done(export, "a conversation can be exported") {
            let reads = read.iter().map(|row| row.id.clone()).collect::<Vec<_>>();
            self.hold(
                export.rows == read && export.reads == reads,
                "an export has all rows and says what is read",
                export.reads,
            );
        }
    }

    async fn updates(&mut self, conversation: &str) {
        let Written { rows, version } = self.append(conversation, &["a", "b"]).await;
        let Some(row) = rows.first() else { return };
        let update = || MessageUpdate::from_iter([("content".to_owned(), json!("masked"))]);
        let updated = self.store.update(conversation, &row.id, update(), None).await;
        let Some(updated) = self.done(updated, "a row can be updated") else { return };
        self.hold(
            updated.id == row.id && updated.message.text() == "masked",
            "an update gives the row as it is now",
            &updated,
        );
        let now = self.version(conversation).await;
        self.hold(now != version, "an update makes a new version", now);
        let read = self.reads(conversation).await;
        self.hold(read == ["masked", "b"], "an update holds, and holds for its row alone", &read);
        let bad = MessageUpdate::from_iter([("role".to_owned(), json!(7))]);
        let refused = self.store.update(conversation, &row.id, bad, None).await;
        self.hold(refused.is_err(), "an update that leaves no message is refused", refused);
        let kept = self.reads(conversation).await;
        self.hold(kept == read, "an update that is refused changes nothing", kept);
    }

    async fn folds(&mut self, conversation: &str) {
        let Written { rows, version } = self.append(conversation, &["a", "b", "c", "d"]).await;
        let [a, b, c, d] = &rows[..] else { return };
        let keep = |row: &Row| FoldEntry::Row(row.id.clone());
        let stale = Fold::new(Version::new(version.get().wrapping_add(1_000_000)), [keep(a)]);
        let stale = self.store.fold(conversation, stale).await;
        self.hold(stale == Err(StoreError::Conflict), "a fold of a version that is not there is a conflict", &stale);
        for (what, entries) in [
            ("a fold that names no row fails", vec![FoldEntry::Row("no such row".to_owned())]),
            ("a fold that names a row twice fails", vec![keep(a), keep(a)]),
        ] {
            let failed = self.store.fold(conversation, Fold::new(version, entries)).await;
            self.hold(matches!(failed, Err(StoreError::Failed(_))), what, &failed);
        }
        let kept = self.reads(conversation).await;
        self.hold(kept == ["a", "b", "c", "d"], "a fold that is not done changes nothing", &kept);

        let entries = [FoldEntry::New(said("sum")), keep(d), keep(c), FoldEntry::New(said("end"))];
        let folded = self.store.fold(conversation, Fold::new(version, entries)).await;
        let Some(folded) = self.done(folded, "a fold is done") else { return };
        self.hold(texts(&folded.rows) == ["sum", "end"], "a fold gives the rows that it made", &folded.rows);
        self.hold(folded.version != version, "a fold makes a new version", folded.version);
        self.is_incomplete(conversation).await;
        let after = self.append(conversation, &["e"]).await;
        for limit in [1, 3, 100] {
            let [(read, now), (history, _)] = self.read(conversation, limit).await;
            self.hold(texts(&read) == ["sum", "d", "c", "end", "e"], "a conversation reads as its fold says", &read);
            self.hold(read.contains(d) && read.contains(c), "rows keep their ids in a fold", &read);
            self.hold(history.starts_with(&rows), "a fold leaves the history as it is", &history);
            self.hold(
                texts(&history[4..]) == ["sum", "end", "e"],
                "what a fold made is in the history, later",
                &history,
            );
            self.hold(now == after.version, "an append after a fold says the version that is read", now);
        }
        let update = MessageUpdate::from_iter([("content".to_owned(), json!("masked"))]);
        let updated = self.store.update(conversation, &b.id, update, None).await;
        self.hold(updated.is_ok(), "a row that was folded can be updated", &updated);
        let [(read, seen), (history, _)] = self.read(conversation, 100).await;
        self.hold(
            history.get(1).is_some_and(|row| row.message.text() == "masked"),
            "its update is in the history",
            &history,
        );
        self.hold(texts(&read).len() == 5, "and does not make it read again", &read);
        let again = self.store.fold(conversation, Fold::new(seen, [keep(b)])).await;
        self.hold(again.is_ok(), "a fold may read a row again that was folded", &again);
        let read = self.reads(conversation).await;
        self.hold(read == ["masked"], "and then it is read", read);
        // The first row, and one behind it: nothing in the ids says that rows between them are not read.
        let Some(again) = self.done(again, "a fold is done") else { return };
        let entries = [keep(a), FoldEntry::New(said("rest"))];
        let folded = self.store.fold(conversation, Fold::new(again.version, entries)).await;
        self.hold(folded.is_ok(), "a fold may read the first row and a new one", &folded);
        self.is_incomplete(conversation).await;
    }

    async fn is_incomplete(&mut self, conversation: &str) {
        let page = self.store.page(conversation, None, 1).await;
        let complete = self.done(page, "a conversation can be read").is_some_and(|page| page.complete);
        self.hold(!complete, "a view without rows of the history is not complete", complete);
    }

    async fn is_raced(&mut self, conversation: &str) {
        let store = self.store;
        let writers = (0..8).map(|writer| async move {
            for _ in 0..1_000 {
                let Ok(page) = store.page(conversation, None, 1).await else { continue };
                let append = Append::new([said(writer.to_string()), said(writer.to_string())]).seen(page.version);
                if store.append(conversation, append).await.is_ok() {
                    return;
                }
            }
        });
        join_all(writers).await;
        let read = self.reads(conversation).await;
        let whole = read.chunks(2).all(|pair| pair.len() == 2 && pair[0] == pair[1]);
        let all: BTreeSet<_> = read.iter().collect();
        self.hold(
            whole && read.len() == 16 && all.len() == 8,
            "of many that append at once each is there once and whole",
            read,
        );
        let deleted = self.store.delete(conversation).await;
        self.hold(deleted.is_ok(), "a conversation can be deleted", deleted);
    }

    async fn listed(&mut self, limit: usize) -> BTreeSet<String> {
        let (mut ids, mut from) = (BTreeSet::new(), None::<String>);
        for _ in 0..1_000_000 {
            let page = self.store.conversations(from.as_deref(), limit).await;
            let Some(page) = self.done(page, "conversations can be listed") else { break };
            self.hold(page.ids.len() <= limit, "a page has no more conversations than were asked for", page.ids.len());
            for id in page.ids {
                let anew = ids.insert(id.clone());
                self.hold(anew, "a conversation is listed once", id);
            }
            from = page.next;
            if from.is_none() {
                break;
            }
        }
        ids
    }

    async fn lists(&mut self, names: &[String]) {
        for limit in [3, 1_000] {
            let listed = self.listed(limit).await;
            let missing: Vec<_> = names.iter().filter(|name| !listed.contains(*name)).collect();
            self.hold(missing.is_empty(), "each conversation with rows is listed", missing);
        }
    }

    async fn deletes(&mut self, names: &[String]) {
        let seen = self.version(&names[0]).await;
        let others = self.reads(&names[1]).await;
        for (at, name) in names.iter().enumerate() {
            let deleted = self.store.delete(name).await;
            self.hold(deleted.is_ok(), "a conversation can be deleted", deleted);
            let [(read, version), (history, _)] = self.read(name, 100).await;
            let gone = read.is_empty() && history.is_empty() && version == Version::default();
            self.hold(gone, "of a deleted conversation nothing is left", (version, texts(&history)));
            if at == 0 {
                let kept = self.reads(&names[1]).await;
                self.hold(kept == others, "other conversations stay as they are", kept.len());
            }
        }
        let listed = self.listed(1_000).await;
        let left: Vec<_> = names.iter().filter(|name| listed.contains(*name)).collect();
        self.hold(left.is_empty(), "a deleted conversation is not listed", left);
        let late = self.store.append(&names[0], Append::new([said("late")]).seen(seen)).await;
        self.hold(
            late == Err(StoreError::Conflict),
            "an append to a conversation that was deleted since is a conflict",
            late,
        );
        self.append(&names[0], &["anew"]).await;
        let again = self.version(&names[0]).await;
        self.hold(again != seen, "a conversation that begins anew has no version that it had", again);
        let deleted = self.store.delete(&names[0]).await;
        self.hold(deleted.is_ok(), "a conversation can be deleted", deleted);
    }
}
