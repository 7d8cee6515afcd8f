//! What a hook's part in a dispatch means.

use std::time::Duration;

use hook_sdk::Semantics;

/// A run that took longer gets a span, even if it did nothing.
pub(crate) const LONG: Duration = Duration::from_millis(1);

/// The kind that fires for each piece of a stream. Its dispatches are shown only if a hook stopped the stream or failed.
const PIECES: &str = "stream_delta";

/// What a hook at this kind guards: the direction, and the type of content. `None` for kinds at which no hook guards.
pub(crate) fn guarded(kind: &str, semantics: Semantics) -> Option<(&'static str, Option<&'static str>)> {
    Some(match kind {
        "before_tool_call" | "permission_request" => ("input", Some("tool_call")),
        "user_prompt_submit" => ("input", Some("llm")),
        "stop" | PIECES => ("output", Some("llm")),
        "before_compaction" => ("input", Some("memory")),
        _ if semantics == Semantics::Gate => ("input", None),
        _ => return None,
    })
}

/// Whether every dispatch of a kind gets a span.
pub(crate) fn is_shown(kind: &str, semantics: Semantics) -> bool {
    kind != PIECES && matches!(semantics, Semantics::Gate | Semantics::Transform | Semantics::Control)
}

/// Whether a run gets a span of its own. `decided`: it gave a verdict, or failed. `acted`: it changed something, contributed
/// something, or took long.
pub(crate) fn is_worth_a_span(kind: &str, decided: bool, acted: bool) -> bool {
    decided || acted && kind != PIECES
}

/// Which of these hooks, with their statuses in words, removed the subject: the last one that ended, unless it failed.
pub(crate) fn remover<'a, T>(mut runs: impl DoubleEndedIterator<Item = (T, &'a str)>) -> Option<T> {
    let ended =
        |(_, status): &(T, &str)| !matches!(*status, "cancelled" | "skipped" | "detached" | "queued" | "dropped");
    runs.rfind(ended).filter(|(_, status)| *status == "completed").map(|(run, _)| run)
}

/// What a guard said, in a word of the conventions. `None` if it failed, because then it said nothing.
pub(crate) fn verdict(word: Option<&str>, changed: bool, completed: bool) -> Option<&'static str> {
    match word {
        Some(word) => Some(of_word(word, changed)),
        None => completed.then_some(if changed { "modify" } else { "allow" }),
    }
}

fn of_word(word: &str, changed: bool) -> &'static str {
    match word {
        "deny" | "block" | "stop" | "end" => "deny",
        "ask" | "defer" => "escalate",
        "answer" => "modify",
        _ if changed => "modify",
        _ => "allow",
    }
}

/// What the dispatch did, whatever this guard said. `word` is its verdict, `changed` whether this guard changed the subject.
pub(crate) fn action(word: Option<&str>, removed: bool, changed: bool) -> &'static str {
    match word.map(|word| of_word(word, false)) {
        Some("deny") => "block",
        Some(action @ ("escalate" | "modify")) => action,
        _ if removed => "block",
        _ if changed => "modify",
        _ => "allow",
    }
}
