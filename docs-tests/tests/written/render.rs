//! Renders a kind as a section of the page.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use hook_sdk::{KindDescriptor, Semantics};

use super::made::Words;
use super::source::Event;

/// A row of the overview.
pub(crate) fn row(kind: &KindDescriptor, event: &Event) -> String {
    let subject = if kind.removable { format!("{}, removable", code(&event.subject)) } else { code(&event.subject) };
    format!(
        "| [`{name}`](#{name}) | {} | {subject} | {} | {} |",
        kind.semantics,
        code(&event.verdict),
        words(kind.fields),
        name = kind.name,
    )
}

/// The whole section.
pub(crate) fn section(kind: &KindDescriptor, event: &Event, enums: &BTreeMap<String, Words>) -> String {
    let mut text = format!("### {}\n\n{}\n\n", kind.name, event.doc.join("\n\n"));
    let mut line = |what: &str, value: &str| writeln!(text, "| {what} | {value} |").unwrap();
    line("", "");
    line("---", "---");
    line("semantics", kind.semantics.as_str());
    line("event", &code(&event.ident));
    line("constructor", &list(&event.made.constructors));
    line("setters", or(&list(&event.made.setters), "none"));
    line("subject", or(&code(&event.subject), "none"));
    line("verdict", or(&code(&event.verdict), "none"));
    line("hooks may remove the subject", if kind.removable { "yes" } else { "no" });
    line("filter fields", or(&words(kind.fields), "none"));
    line("default `on_failure`", &code(kind.on_failure.as_str()));
    line(
        "lists that apply",
        if kind.outside_turn {
            "the app's list"
        } else {
            "the app's list, and the list of the prompt or else the agent"
        },
    );
    line("can be fired as JSON", if kind.json { "yes" } else { "no" });
    if !event.fields.is_empty() {
        text.push_str("\n| Field of the event | Type | |\n|---|---|---|\n");
        for (name, ty, doc) in &event.fields {
            writeln!(text, "| `{name}` | `{ty}` | {doc} |").unwrap();
        }
    }
    for name in enums.keys().filter(|name| is_of(name, kind, event)) {
        let of = &enums[name];
        let more = if of.open { "; `Other` is for words of the harness" } else { "" };
        write!(text, "\n| Word | `{name}`{more} | |\n|---|---|---|\n").unwrap();
        for (variant, word, doc) in &of.words {
            writeln!(text, "| `{word}` | `{variant}` | {doc} |").unwrap();
        }
    }
    write!(text, "\n```rust\n# use hook_sdk::kinds::*;\n# use hook_sdk::prelude::*;\n{}\n```", example(kind, event))
        .unwrap();
    text
}

/// A hook with the subject and the verdict of the kind.
fn example(kind: &KindDescriptor, event: &Event) -> String {
    let name = kind.name;
    let mut parameters = vec![format!("event: &{}", event.ident)];
    if !event.subject.is_empty() {
        parameters.push(format!("{}: &mut {}", word_for(&event.subject), event.subject));
    }
    let parameters = parameters.join(", ");
    let (returns, body) = match kind.semantics {
        _ if event.verdict.is_empty() => (String::new(), "/* … */".to_owned()),
        Semantics::Gate => (" -> Permission".to_owned(), "Permission::deny(\"because …\")".to_owned()),
        _ => (format!(" -> {}", event.verdict), format!("{}::default()", event.verdict)),
    };
    let head = format!("#[hook(id = \"my_{name}\", kind = {name})]\nfn my_{name}({parameters}){returns} {{");
    format!("{head}\n    {body}\n}}")
}

/// A name for a value of this type.
fn word_for(ty: &str) -> String {
    match ty {
        "ToolInput" => "input".to_owned(),
        "ToolResult" => "result".to_owned(),
        "ResultRow" => "row".to_owned(),
        "ModelRequest" => "request".to_owned(),
        "ModelReply" => "reply".to_owned(),
        "MessageUpdate" => "update".to_owned(),
        "CompactedHistory" => "history".to_owned(),
        // In snake case.
        other => other.chars().enumerate().fold(String::new(), |mut word, (i, c)| {
            if i > 0 && c.is_uppercase() {
                word.push('_');
            }
            word.extend(c.to_lowercase());
            word
        }),
    }
}

fn code(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("`{text}`") }
}

fn words(words: &[&str]) -> String {
    words.iter().map(|word| code(word)).collect::<Vec<_>>().join(", ")
}

fn list(texts: &[String]) -> String {
    texts.iter().map(|text| code(text)).collect::<Vec<_>>().join(", ")
}

/// Whether a field of the event, or a filter field, has this enum as its type.
fn is_of(name: &str, kind: &KindDescriptor, event: &Event) -> bool {
    event.fields.iter().any(|(_, ty, _)| ty == name) || kind.fields.contains(&&*name.to_lowercase())
}

fn or<'a>(text: &'a str, otherwise: &'a str) -> &'a str {
    if text.is_empty() { otherwise } else { text }
}
