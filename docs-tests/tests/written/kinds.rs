//! Compares `docs/kinds.md` with the kinds.

use std::collections::BTreeMap;
use std::fs;

use hook_sdk::KindDescriptor;

use super::source::{Event, events};
use super::{assert_written, root};

/// The parts of an agent's lifecycle, in the order of the page: the files with the kinds.
const PARTS: &[&str] =
    &["lifecycle", "session", "channel", "prompt", "phase", "history", "model", "tool", "message", "compaction", "end"];

fn built_in() -> BTreeMap<&'static str, &'static KindDescriptor> {
    let all = hook_sdk::kinds::all().into_iter();
    all.filter(|kind| kind.origin.module.starts_with("hook_sdk::kinds")).map(|kind| (kind.name, kind)).collect()
}

/// The events in the order of the page: by part, then by their position in the source.
fn in_order(events: &BTreeMap<String, Event>) -> Vec<&Event> {
    let of = |file: &&str| {
        let mut part: Vec<&Event> = events.values().filter(|event| event.file == *file).collect();
        part.sort_by_key(|event| event.position);
        part
    };
    for event in events.values() {
        let is_listed = PARTS.contains(&&*event.file);
        assert!(is_listed, "add `{}` to `PARTS` in docs-tests/tests/written/kinds.rs", event.file);
    }
    PARTS.iter().flat_map(of).collect()
}

#[test]
fn every_kind_is_read_from_the_sources() {
    let read: Vec<String> = events().into_keys().collect();
    let linked: Vec<&str> = built_in().into_keys().collect();
    assert_eq!(read, linked);
    for event in events().values() {
        assert!(event.doc[0].starts_with("Fires "), "{}", event.name);
        assert!(event.fields.iter().all(|(_, _, doc)| !doc.is_empty()), "{}", event.name);
    }
}

#[test]
fn the_page_of_kinds_matches_the_code() {
    let (events, entries) = (events(), built_in());
    let rows: Vec<String> = in_order(&events).iter().map(|event| row(entries[&*event.name], event)).collect();
    let head = "| Kind | Fires | For | Subject | Verdict | Filters |\n|---|---|---|---|---|---|";
    assert_written("kinds.md", "kinds", &format!("{head}\n{}", rows.join("\n")));
}

/// A kind as a row: the first sentence about it is "Fires …".
fn row(kind: &KindDescriptor, event: &Event) -> String {
    let first = event.doc[0].split_once(": ").map_or(&*event.doc[0], |(first, _)| first);
    let first = first.split(". ").next().unwrap().trim_end_matches('.').strip_prefix("Fires ").unwrap();
    let subject = if kind.removable { format!("{}, removable", code(&event.subject)) } else { code(&event.subject) };
    let filters: Vec<String> = kind.fields.iter().map(|field| code(field)).collect();
    let (verdict, filters) = (code(&event.verdict), filters.join(", "));
    format!("| `{}` | {first} | {} | {subject} | {verdict} | {filters} |", kind.name, kind.semantics)
}

fn code(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("`{text}`") }
}

/// A record shows the verdict of a dispatch as a word, so a verdict without a word would look like no verdict.
#[test]
fn every_verdict_of_a_kind_has_a_row_in_the_table_of_words() {
    let table = fs::read_to_string(root().join("hooks-core/tests/kinds/verdicts.rs")).unwrap();
    for verdict in events().values().map(|event| &event.verdict).filter(|verdict| !verdict.is_empty()) {
        assert!(
            table.contains(&format!("word::<{verdict}>(")),
            "add `{verdict}` to `every_verdict_that_is_not_silent_has_a_word` in hooks-core/tests/kinds/verdicts.rs, and a \
             test of its merge"
        );
    }
}
