//! The names that the macros know: kinds, options, and what other systems call them.

/// The built-in kinds: the name in an attribute, and the type in `hooks_core::kinds`.
pub(crate) const KINDS: &[(&str, &str)] = &[
    ("after_create_message", "AfterCreateMessage"),
    ("after_tool_call_success", "AfterToolCallSuccess"),
    ("before_create_message", "BeforeCreateMessage"),
    ("before_tool_call", "BeforeToolCall"),
    ("filter_messages", "FilterMessages"),
    ("pre_prompt_context", "PrePromptContext"),
    ("user_prompt_submit", "UserPromptSubmit"),
];

/// Names from other hook systems, without case and punctuation, and the kind that is called so here.
const ELSEWHERE: &[(&str, &str)] = &[
    ("pretooluse", "before_tool_call"),
    ("beforetooluse", "before_tool_call"),
    ("beforetool", "before_tool_call"),
    ("beforetoolcallback", "before_tool_call"),
    ("posttooluse", "after_tool_call_success"),
    ("aftertooluse", "after_tool_call_success"),
    ("aftertoolcall", "after_tool_call_success"),
    ("aftertool", "after_tool_call_success"),
    ("aftertoolcallback", "after_tool_call_success"),
    ("toolresultpersist", "before_create_message"),
    ("beforemessagewrite", "before_create_message"),
    ("promptsubmit", "user_prompt_submit"),
    ("onuserpromptsubmit", "user_prompt_submit"),
    ("turnpreprompcontext", "pre_prompt_context"),
    ("turnprepromptcontext", "pre_prompt_context"),
    ("beforepromptbuild", "pre_prompt_context"),
];

/// The options of `#[hook]`.
pub(crate) const HOOK_OPTIONS: &[&str] =
    &["id", "kind", "priority", "after", "before", "requires", "timeout", "on_failure", "fallback", "crate"];

/// The options of `#[hook_kind]`.
pub(crate) const KIND_OPTIONS: &[&str] =
    &["name", "subject", "verdict", "removable", "match", "check", "outside_turn", "crate"];

/// The type of a built-in kind.
pub(crate) fn kind_type(name: &str) -> Option<&'static str> {
    KINDS.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
}

/// The name that a kind of another system, or one in another spelling, has here.
pub(crate) fn kind_elsewhere(written: &str) -> Option<&'static str> {
    let plain: String = written.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase();
    let here = KINDS.iter().find(|(name, _)| name.replace('_', "") == plain).map(|(name, _)| *name);
    here.or_else(|| ELSEWHERE.iter().find(|(other, _)| *other == plain).map(|(_, name)| *name))
}

/// The word that was likely meant.
pub(crate) fn nearest<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (written.chars().count() / 3).max(1);
    let near = known.into_iter().map(|word| (strsim::osa_distance(written, word), word));
    near.filter(|(distance, _)| *distance <= limit).min().map(|(_, word)| word)
}

/// `a`, `b` and `c`, or whatever word stands before the last.
pub(crate) fn list<'a>(words: impl IntoIterator<Item = &'a str>, before_last: &str) -> String {
    let words: Vec<String> = words.into_iter().map(|word| format!("`{word}`")).collect();
    match words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} {before_last} {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// Whether `id` is a lower-case letter, then lower-case letters, digits and `_`.
pub(crate) fn is_snake_case(id: &str) -> bool {
    id.starts_with(|c: char| c.is_ascii_lowercase())
        && id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// The nearest text that is `snake_case`, or `None` where too much of `id` would be lost.
pub(crate) fn snake_case(id: &str) -> Option<String> {
    if !id.is_ascii() {
        return None;
    }
    let mut snake = String::new();
    for c in id.trim().chars() {
        if c.is_ascii_uppercase() && !snake.is_empty() && !snake.ends_with('_') {
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
    fn ids_are_mended() {
        let cases = [
            ("RedactPii", Some("redact_pii")),
            ("redact-pii", Some("redact_pii")),
            ("Redact PII", Some("redact_p_i_i")),
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
    fn names_of_other_systems_are_answered() {
        for written in ["PreToolUse", "pre-tool-use", "pre_tool_use", "BeforeToolCall", "before - tool - call"] {
            assert_eq!(kind_elsewhere(written), Some("before_tool_call"), "{written}");
        }
        assert_eq!(kind_elsewhere("lunch"), None);
    }
}
