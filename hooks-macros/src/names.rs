//! The names that the macros know: kinds, their fields, and the names of other systems.

/// The built-in kinds: the name in an attribute, and the type in `hook_sdk::kinds`.
const KINDS: &[(&str, &str)] = &[
    ("after_create_message", "AfterCreateMessage"),
    ("after_tool_call", "AfterToolCall"),
    ("after_tool_call_failure", "AfterToolCallFailure"),
    ("after_tool_call_success", "AfterToolCallSuccess"),
    ("after_update_message", "AfterUpdateMessage"),
    ("before_agent_start", "BeforeAgentStart"),
    ("before_compaction", "BeforeCompaction"),
    ("before_create_message", "BeforeCreateMessage"),
    ("before_store_tool_result", "BeforeStoreToolResult"),
    ("before_tool_call", "BeforeToolCall"),
    ("before_update_message", "BeforeUpdateMessage"),
    ("filter_messages", "FilterMessages"),
    ("gateway_start", "GatewayStart"),
    ("gateway_stop", "GatewayStop"),
    ("init", "Init"),
    ("message_received", "MessageReceived"),
    ("message_sending", "MessageSending"),
    ("message_sent", "MessageSent"),
    ("permission_request", "PermissionRequest"),
    ("post_compact", "PostCompact"),
    ("post_model_call", "PostModelCall"),
    ("post_preflight_prompt_context", "PostPreflightPromptContext"),
    ("post_turn", "PostTurn"),
    ("pre_model_call", "PreModelCall"),
    ("pre_policy", "PrePolicy"),
    ("pre_prompt_compile", "PrePromptCompile"),
    ("pre_prompt_context", "PrePromptContext"),
    ("pre_tool_materialization", "PreToolMaterialization"),
    ("prefilter_llm_history", "PrefilterLlmHistory"),
    ("session_end", "SessionEnd"),
    ("session_start", "SessionStart"),
    ("shutdown", "Shutdown"),
    ("stop", "Stop"),
    ("stream_delta", "StreamDelta"),
    ("turn_end", "TurnEnd"),
    ("user_prompt_submit", "UserPromptSubmit"),
];

/// Names from other hook systems, without case and punctuation, and the corresponding kinds.
const ELSEWHERE: &[(&str, &str)] = &[
    ("pretooluse", "before_tool_call"),
    ("beforetooluse", "before_tool_call"),
    ("beforetool", "before_tool_call"),
    ("beforetoolcallback", "before_tool_call"),
    ("pretoolcall", "before_tool_call"),
    ("posttooluse", "after_tool_call_success"),
    ("aftertooluse", "after_tool_call_success"),
    ("aftertool", "after_tool_call_success"),
    ("aftertoolcallback", "after_tool_call_success"),
    ("posttoolcall", "after_tool_call_success"),
    ("posttoolusefailure", "after_tool_call_failure"),
    ("toolerror", "after_tool_call_failure"),
    ("toolresultpersist", "before_store_tool_result"),
    ("beforemessagewrite", "before_create_message"),
    ("promptsubmit", "user_prompt_submit"),
    ("onuserpromptsubmit", "user_prompt_submit"),
    ("beforeagentrun", "user_prompt_submit"),
    ("turnprepolicy", "pre_policy"),
    ("turnprepromptcontext", "pre_prompt_context"),
    ("turnpreprompcontext", "pre_prompt_context"),
    ("turnpostpreflightpromptcontext", "post_preflight_prompt_context"),
    ("turnpretoolmaterialization", "pre_tool_materialization"),
    ("turnprepromptcompile", "pre_prompt_compile"),
    ("turnpostturn", "post_turn"),
    ("turnprecompaction", "before_compaction"),
    ("beforepromptbuild", "pre_prompt_context"),
    ("agentturnprepared", "pre_prompt_context"),
    ("agentturnprepare", "pre_prompt_context"),
    ("ontextdelta", "stream_delta"),
    ("messagedisplay", "stream_delta"),
    ("outputdelta", "stream_delta"),
    ("beforemodelresolve", "pre_model_call"),
    ("beforemodel", "pre_model_call"),
    ("beforemodelcallback", "pre_model_call"),
    ("modelcallstarted", "pre_model_call"),
    ("llminput", "pre_model_call"),
    ("aftermodel", "post_model_call"),
    ("aftermodelcallback", "post_model_call"),
    ("modelcallended", "post_model_call"),
    ("llmoutput", "post_model_call"),
    ("beforeagent", "before_agent_start"),
    ("beforeagentcallback", "before_agent_start"),
    ("precompact", "before_compaction"),
    ("precompaction", "before_compaction"),
    ("postcompaction", "post_compact"),
    ("aftercompaction", "post_compact"),
    ("beforeagentfinalize", "stop"),
    ("onstop", "stop"),
    ("agentend", "turn_end"),
    ("afteragent", "turn_end"),
    ("afteragentcallback", "turn_end"),
    ("replypayloadsending", "message_sending"),
    ("inboundclaim", "message_received"),
    ("gatewaystartup", "gateway_start"),
    ("gatewayshutdown", "gateway_stop"),
    ("conversationdeleted", "session_end"),
    ("conversationscleared", "session_end"),
    ("beforereset", "session_end"),
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

/// The type of a built-in kind.
pub(crate) fn kind_type(name: &str) -> Option<&'static str> {
    KINDS.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
}

/// The built-in kind for a name in another spelling or of another system.
pub(crate) fn kind_elsewhere(written: &str) -> Option<&'static str> {
    let plain: String = written.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase();
    let here = KINDS.iter().find(|(name, _)| name.replace('_', "") == plain).map(|(name, _)| *name);
    here.or_else(|| ELSEWHERE.iter().find(|(other, _)| *other == plain).map(|(_, name)| *name))
}

/// `on_job` as `OnJob`.
fn camel_case(word: &str) -> String {
    let capital = |part: &str| part[..1].to_uppercase() + &part[1..];
    word.split('_').filter(|part| part.is_ascii() && !part.is_empty()).map(capital).collect()
}

/// The message for a word that is not a built-in kind.
pub(crate) fn unknown_kind(word: &str) -> String {
    let known = || KINDS.iter().map(|(name, _)| *name);
    if let Some(here) = kind_elsewhere(word) {
        return format!("`{word}` is called `{here}` here");
    }
    match nearest(word, known()) {
        Some(meant) => format!("there is no kind `{word}`; did you mean `{meant}`?"),
        None => format!(
            "there is no kind `{word}`; name a kind of your own by its type, such as `{}`; the built-in kinds are {}",
            camel_case(word),
            list(known(), "and")
        ),
    }
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
pub(crate) fn is_snake_case(id: &str) -> bool {
    id.starts_with(|c: char| c.is_ascii_lowercase())
        && id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// Checks that this is a valid name of a plugin, and reports it otherwise.
pub(crate) fn check_plugin(name: &syn::LitStr, errors: &mut crate::errors::Errors) -> bool {
    let text = name.value();
    let is_path = matches!(text.as_str(), "self" | "super" | "crate");
    if is_snake_case(&text) && !is_path {
        return true;
    }
    let mended =
        snake_case(&text).filter(|_| !is_path).map(|snake| format!("; write `\"{snake}\"`")).unwrap_or_default();
    errors.on(
        name,
        format!(
            "a plugin's name is `snake_case`: a lower-case letter, then lower-case letters, digits and `_`{mended}"
        ),
    );
    false
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
}
