//! The names that the macros know: kinds, their fields, and the names of other systems.

use syn::LitStr;

use crate::errors::Errors;

/// The built-in kinds, and their names in other hook systems, without case and punctuation.
const KINDS: &[(&str, &str)] = &[
    ("after_create_message", ""),
    ("after_tool_call", ""),
    ("after_tool_call_failure", "posttoolusefailure toolerror"),
    ("after_tool_call_success", "posttooluse aftertooluse aftertool aftertoolcallback posttoolcall"),
    ("after_update_message", ""),
    ("before_agent_start", "beforeagent beforeagentcallback"),
    ("before_compaction", "turnprecompaction precompact precompaction"),
    ("before_create_message", "beforemessagewrite"),
    ("before_store_tool_result", "toolresultpersist"),
    ("before_tool_call", "pretooluse beforetooluse beforetool beforetoolcallback pretoolcall"),
    ("before_update_message", ""),
    ("filter_messages", ""),
    ("gateway_start", "gatewaystartup"),
    ("gateway_stop", "gatewayshutdown"),
    ("init", ""),
    ("message_received", "inboundclaim"),
    ("message_sending", "replypayloadsending"),
    ("message_sent", ""),
    ("permission_request", ""),
    ("post_compact", "postcompaction aftercompaction"),
    ("post_model_call", "aftermodel aftermodelcallback modelcallended llmoutput"),
    ("post_preflight_prompt_context", "turnpostpreflightpromptcontext"),
    ("post_turn", "turnpostturn"),
    ("pre_model_call", "beforemodelresolve beforemodel beforemodelcallback modelcallstarted llminput"),
    ("pre_policy", "turnprepolicy"),
    ("pre_prompt_compile", "turnprepromptcompile"),
    (
        "pre_prompt_context",
        "turnprepromptcontext turnpreprompcontext beforepromptbuild agentturnprepared agentturnprepare",
    ),
    ("pre_tool_materialization", "turnpretoolmaterialization"),
    ("prefilter_llm_history", ""),
    ("session_end", "conversationdeleted conversationscleared beforereset"),
    ("session_start", ""),
    ("shutdown", ""),
    ("stop", "beforeagentfinalize onstop"),
    ("stream_delta", "ontextdelta messagedisplay outputdelta"),
    ("turn_end", "agentend afteragent afteragentcallback"),
    ("user_prompt_submit", "promptsubmit onuserpromptsubmit beforeagentrun"),
];

/// The filter fields of the built-in kinds.
pub(crate) const FIELDS: &[&str] = &[
    "call_site",
    "channel",
    "compaction",
    "delivery",
    "failure",
    "injection_mode",
    "model",
    "profile",
    "reason",
    "recipient",
    "role",
    "sender",
    "source",
    "stop_reason",
    "tool",
    "trigger",
];

/// The built-in kinds.
pub(crate) fn kinds() -> impl Iterator<Item = &'static str> + Clone {
    KINDS.iter().map(|(kind, _)| *kind)
}

/// The type of a built-in kind.
pub(crate) fn kind_type(name: &str) -> Option<String> {
    kinds().any(|kind| kind == name).then(|| camel_case(name))
}

/// The type of a built-in kind that differs from this one by a typing error.
pub(crate) fn similar_type(word: &str) -> Option<String> {
    kinds().map(camel_case).find(|kind| matches!(strsim::osa_distance(word, kind), 1 | 2))
}

/// The built-in kind for a name in another spelling or of another system.
pub(crate) fn kind_elsewhere(written: &str) -> Option<&'static str> {
    let plain: String = written.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase();
    let here = kinds().find(|kind| kind.replace('_', "") == plain);
    here.or_else(|| KINDS.iter().find(|(_, others)| contains(others, &plain)).map(|(kind, _)| *kind))
}

/// Whether a list, separated by spaces, contains the word.
pub(crate) fn contains(words: &str, word: &str) -> bool {
    words.split_whitespace().any(|other| other == word)
}

/// `on_job` as `OnJob`.
pub(crate) fn camel_case(word: &str) -> String {
    let capital = |part: &str| part[..1].to_uppercase() + &part[1..];
    word.split('_').filter(|part| part.is_ascii() && !part.is_empty()).map(capital).collect()
}

/// The message for a word that is not a built-in kind.
pub(crate) fn unknown_kind(word: &str) -> String {
    if let Some(here) = kind_elsewhere(word) {
        return format!("`{word}` is called `{here}` here");
    }
    let part = word.trim_matches('_');
    let mut similar = kinds().filter(|kind| part.len() > 2 && kind.contains(part)).peekable();
    let hint = if let Some(meant) = nearest(word, kinds()) {
        format!("did you mean `{meant}`?")
    } else if similar.peek().is_some() {
        format!("there are {}", list(similar, "and"))
    } else {
        let own = camel_case(word);
        format!(
            "name a kind of your own by its type, such as `{own}`; the built-in kinds are the types in \
             `hook_sdk::kinds`, in snake_case, such as `before_tool_call`"
        )
    };
    format!("there is no kind `{word}`; {hint}")
}

/// The word that was likely meant.
pub(crate) fn nearest<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (written.chars().count() / 3).max(1);
    let near = known.into_iter().map(|word| (strsim::osa_distance(written, word), word));
    near.filter(|(distance, _)| *distance <= limit).min().map(|(_, word)| word)
}

/// The word that was likely meant, or a list of all words.
pub(crate) fn hint<'a>(written: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> String {
    match nearest(written, known.clone()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("expected one of {}", list(known, "and")),
    }
}

/// Formats `a`, `b` and `c`, with another word before the last if needed.
pub(crate) fn list<'a>(words: impl IntoIterator<Item = &'a str>, before_last: &str) -> String {
    let words: Vec<String> = words.into_iter().map(|word| format!("`{word}`")).collect();
    match words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} {before_last} {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// Whether `id` is a lower-case letter, then lower-case letters, digits and `_`.
fn is_snake_case(id: &str) -> bool {
    id.starts_with(|c: char| c.is_ascii_lowercase())
        && id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// Reports a name that is not `snake_case`. `what` is what has the name: `an id`.
pub(crate) fn check(what: &str, name: &LitStr, errors: &mut Errors) -> bool {
    let Some(problem) = problem(what, &name.value(), |snake| format!("write `\"{snake}\"`")) else { return true };
    errors.on(name, problem);
    false
}

/// What is wrong with the name `text`. `write` says how to write a valid one.
pub(crate) fn problem(what: &str, text: &str, write: impl Fn(&str) -> String) -> Option<String> {
    if matches!(text, "self" | "super" | "crate") {
        return Some(format!("`{text}` cannot be {what}, because it is a path in Rust; choose another word"));
    }
    (!is_snake_case(text)).then(|| {
        let mended = snake_case(text.trim_start_matches("r#")).map(|snake| format!("; {}", write(&snake)));
        let mended = mended.unwrap_or_default();
        format!("{what} is `snake_case`: a lower-case letter, then lower-case letters, digits and `_`{mended}")
    })
}

/// The nearest `snake_case` text, or `None` if too much of `id` would be lost.
pub(crate) fn snake_case(id: &str) -> Option<String> {
    if !id.is_ascii() {
        return None;
    }
    let mut snake = String::new();
    let chars: Vec<char> = id.trim().chars().collect();
    for (i, &c) in chars.iter().enumerate() {
        // A word begins at a capital letter after or before a small one: `RedactPII`, `PIIRedact`.
        let after_small = i > 0 && !chars[i - 1].is_ascii_uppercase();
        let before_small = chars.get(i + 1).is_some_and(char::is_ascii_lowercase);
        if c.is_ascii_uppercase() && (after_small || before_small) && !snake.is_empty() && !snake.ends_with('_') {
            snake.push('_');
        }
        if c.is_ascii_alphanumeric() {
            snake.push(c.to_ascii_lowercase());
        } else if !snake.is_empty() && !snake.ends_with('_') {
            snake.push('_');
        }
    }
    let snake = snake.trim_matches('_');
    is_snake_case(snake).then(|| snake.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invalid_id_is_converted_to_snake_case_if_possible() {
        let cases = [
            ("RedactPii", Some("redact_pii")),
            ("redact-pii", Some("redact_pii")),
            ("Redact PII", Some("redact_pii")),
            ("REDACT_PII", Some("redact_pii")),
            ("PIIRedact", Some("pii_redact")),
            ("_x", Some("x")),
            ("2nd_hook", None),
            ("größe", None),
            ("", None),
            ("42", None),
        ];
        for (written, meant) in cases {
            assert_eq!(snake_case(written).as_deref(), meant, "{written}");
        }
    }

    #[test]
    fn names_of_other_systems_are_recognised_in_any_spelling() {
        for written in ["PreToolUse", "pre-tool-use", "pre_tool_use", "BeforeToolCall", "before - tool - call"] {
            assert_eq!(kind_elsewhere(written), Some("before_tool_call"), "{written}");
        }
        assert_eq!(kind_elsewhere("lunch"), None);
    }

    #[test]
    fn a_part_of_a_name_shows_only_the_kinds_that_contain_it() {
        let message = unknown_kind("before_");
        assert!(message.contains("`before_tool_call`") && !message.contains("stop"), "{message}");
        let message = unknown_kind("lunch");
        assert!(message.contains("`Lunch`") && message.contains("`hook_sdk::kinds`"), "{message}");
    }
}
