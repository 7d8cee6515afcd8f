//! Compares `docs/kinds.md` with the kinds.

use std::collections::BTreeMap;
use std::fs;

use hook_sdk::KindDescriptor;

use super::source::{Event, events};
use super::words::words;
use super::{assert_written, root};

/// The parts of an agent's lifecycle, in the order of the page: the file with the kinds, and the title.
const PARTS: &[(&str, &str)] = &[
    ("lifecycle", "The program and its plugins"),
    ("gateway", "The program accepts work"),
    ("session", "Sessions"),
    ("channel", "Channels"),
    ("prompt", "A prompt arrives"),
    ("phase", "The phases of a turn"),
    ("history", "The history for the model"),
    ("model", "The model is called"),
    ("stream", "The answer streams"),
    ("tool", "A tool is called"),
    ("tool_result", "A tool has returned"),
    ("message", "Stored messages"),
    ("compaction", "The conversation grows too long"),
    ("end", "The turn ends"),
];

fn built_in() -> BTreeMap<&'static str, &'static KindDescriptor> {
    let all = hook_sdk::kinds::all().into_iter();
    all.filter(|kind| kind.origin.module.starts_with("hook_sdk::kinds")).map(|kind| (kind.name, kind)).collect()
}

/// The events in the order of the page: by part, then by their position in the source.
fn in_order(events: &BTreeMap<String, Event>) -> Vec<(&'static str, Vec<&Event>)> {
    let of = |file: &str| {
        let mut part: Vec<&Event> = events.values().filter(|event| event.file == file).collect();
        part.sort_by_key(|event| event.position);
        part
    };
    for event in events.values() {
        let is_listed = PARTS.iter().any(|(file, _)| *file == event.file);
        assert!(is_listed, "add `{}` to `PARTS` in docs-tests/tests/written/kinds.rs", event.file);
    }
    PARTS.iter().map(|(file, title)| (*title, of(file))).collect()
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
    let part = |(title, part): (&str, Vec<&Event>)| {
        let rows: Vec<String> = part.iter().map(|event| row(entries[&*event.name], event)).collect();
        format!("## {title}\n\n| Kind | Fires | For | Subject | Verdict |\n|---|---|---|---|---|\n{}", rows.join("\n"))
    };
    let parts: Vec<String> = in_order(&events).into_iter().map(part).collect();
    assert_written("kinds.md", "kinds", &parts.join("\n\n"));

    let enums = words();
    let mut kinds_by_filter: BTreeMap<(&str, String), Vec<String>> = BTreeMap::new();
    for event in in_order(&events).into_iter().flat_map(|(_, part)| part) {
        for filter in entries[&*event.name].fields {
            let ty = event.fields.iter().find(|(name, ..)| name == filter).map(|(_, ty, _)| ty.as_str());
            let ty = ty.or((*filter == "role").then_some("Role")); // of the message in the event
            let words = ty.and_then(|ty| enums.get(ty.trim_start_matches("Option<").trim_end_matches('>')));
            let values = words.map(|words| words.iter().map(|word| code(word)).collect::<Vec<_>>().join(", "));
            let values = values.unwrap_or_else(|| "a name or a pattern".to_owned());
            kinds_by_filter.entry((filter, values)).or_default().push(code(&event.name));
        }
    }
    let rows: Vec<String> = kinds_by_filter
        .iter()
        .map(|((filter, values), kinds)| format!("| `{filter}` | {values} | {} |", kinds.join(", ")))
        .collect();
    let table = format!("| Filter | Values | Kinds |\n|---|---|---|\n{}", rows.join("\n"));
    assert_written("kinds.md", "filters", &table);
}

/// A kind as a row: the first sentence about it is "Fires …".
fn row(kind: &KindDescriptor, event: &Event) -> String {
    let first = event.doc[0].split_once(": ").map_or(&*event.doc[0], |(first, _)| first);
    let first = first.split(". ").next().unwrap().trim_end_matches('.').strip_prefix("Fires ").unwrap();
    let subject = if kind.removable { format!("{}, removable", code(&event.subject)) } else { code(&event.subject) };
    format!("| `{}` | {first} | {} | {subject} | {} |", kind.name, kind.semantics, code(&event.verdict))
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
