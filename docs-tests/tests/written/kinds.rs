//! Compares `docs/kinds.md` with the kinds.

use std::collections::BTreeMap;
use std::fs;

use hook_sdk::KindDescriptor;

use super::made::words;
use super::source::{Event, events};
use super::{assert_written, render, root};

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
        assert!(!event.made.constructors.is_empty(), "{} has no constructor", event.name);
    }
}

#[test]
fn the_page_of_kinds_matches_the_code() {
    let (events, entries) = (events(), built_in());
    let rows: Vec<String> = in_order(&events)
        .iter()
        .flat_map(|(_, part)| part)
        .map(|event| render::row(entries[&*event.name], event))
        .collect();
    let head = "| Kind | Semantics | Subject | Verdict | Filter fields |\n|---|---|---|---|---|";
    assert_written("kinds.md", "overview", &format!("{head}\n{}", rows.join("\n")));

    let enums = words();
    let part = |(title, part): (&str, Vec<&Event>)| {
        let section = |event: &&Event| render::section(entries[&*event.name], event, &enums);
        let sections: Vec<String> = part.iter().map(section).collect();
        format!("## {title}\n\n{}", sections.join("\n\n"))
    };
    let sections: Vec<String> = in_order(&events).into_iter().map(part).collect();
    assert_written("kinds.md", "kinds", &sections.join("\n\n"));
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
