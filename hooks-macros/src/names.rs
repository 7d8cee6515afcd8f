//! The names that the macros know: kinds, options, and what other systems call them.

/// The built-in kinds: the name in an attribute, and the type in `hooks_core::kinds`.
pub(crate) const KINDS: &[(&str, &str)] = &[
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
    ("turn_end", "TurnEnd"),
    ("user_prompt_submit", "UserPromptSubmit"),
];

/// Names from other hook systems, without case and punctuation, and the kind that is called so here.
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

/// The options of `#[hook]`.
pub(crate) const HOOK_OPTIONS: &[&str] = &[
    "id",
    "kind",
    "priority",
    "after",
    "before",
    "requires",
    "timeout",
    "on_failure",
    "fallback",
    "plugin",
    "locked",
    "visibility",
    "capabilities",
    "run",
    "blocking",
    "idempotent",
    "retries",
    "crate",
];

/// Whom a hook may concern: the word, and the variant of `hooks_core::hook::Visibility`.
pub(crate) const VISIBILITIES: &[(&str, &str)] =
    &[("internal", "Internal"), ("debug", "Debug"), ("user_audit", "UserAudit"), ("user_visible", "UserVisible")];

/// What a hook may contribute: the word, and the variant of `hooks_core::verdict::Capability`.
pub(crate) const CAPABILITIES: &[(&str, &str)] = &[
    ("policy", "Policy"),
    ("prompt_context", "PromptContext"),
    ("prompt_section", "PromptSection"),
    ("tool_bundle", "ToolBundle"),
    ("prompt_manifest_diagnostic", "PromptManifestDiagnostic"),
    ("audit", "Audit"),
    ("background_job", "BackgroundJob"),
];

/// Options of other hook systems, and what says the same here.
const OPTIONS_ELSEWHERE: &[(&[&str], &str)] = &[
    (&["name", "hook_id", "hook_name", "key", "label"], "`id = \"redact_pii\"`"),
    (
        &["event", "events", "on", "hook", "hooks", "hook_type", "hook_event", "point", "phase", "type", "kinds"],
        "`kind = before_tool_call`",
    ),
    (
        &["matcher", "pattern", "filter", "filters", "only", "match", "matches", "tools", "tool_name", "tool_names"],
        "a field of the kind with patterns: `tool = \"read_*|write_*\"`",
    ),
    (
        &["if", "when", "condition", "predicate", "enabled_if"],
        "an `if` in the function, or a field of the kind with patterns: `tool = \"cancel_*\"`",
    ),
    (
        &["order", "stage", "enforce", "weight", "prio", "rank", "precedence", "tryfirst", "trylast", "position"],
        "`priority = -10`, where lower runs earlier",
    ),
    (&["follows", "run_after", "runs_after"], "`after = [\"redact_pii\"]`"),
    (&["precedes", "run_before", "runs_before"], "`before = [\"redact_pii\"]`"),
    (&["depends_on", "depends", "dependencies", "deps", "needs", "require"], "`requires = [\"redact_pii\"]`"),
    (&["deadline", "timeout_ms", "timeout_secs", "time_limit", "max_time"], "`timeout = \"2s\"`"),
    (
        &["on_error", "fail_closed", "fail_open", "failure_policy", "error_policy", "required", "critical", "optional"],
        "`on_failure = deny`, or `continue`, `remove` or `required`",
    ),
    (&["default", "otherwise", "or_else"], "`fallback = path`, the path of a function with the signature of the hook"),
    (&["async", "is_async"], "`async fn`"),
    (&["description", "doc", "help", "about"], "the doc comment of the function"),
    (
        &["enabled", "disabled", "active"],
        "for the lists: a hook runs where one names it, and `Registry::disable` stops it",
    ),
    (&["agent", "agents", "prompt", "prompts", "scope"], "for the lists: an agent or a prompt names the hook's id"),
];

/// Options of a kind as other macros call them, and what says the same here.
const KIND_OPTIONS_ELSEWHERE: &[(&[&str], &str)] = &[
    (&["id", "kind", "event"], "`name = \"before_refund\"`"),
    (&["input", "payload", "value", "data", "ty"], "`subject = Refund`"),
    (&["output", "returns", "decision", "result", "gate"], "`verdict = Permission`"),
    (&["optional", "nullable", "removal"], "`removable`"),
    (&["filter", "filters", "fields", "matcher"], "`match(region)`, the fields to filter by"),
    (&["validate", "validator", "invariant"], "`check = path`, the path of a function of the subject before and after"),
    (&["serde", "serialize"], "`json`"),
    (&["description", "doc"], "the doc comment of the type"),
];

/// What other systems call the policies for a failure.
const POLICIES_ELSEWHERE: &[(&[&str], &str)] = &[
    (&["fail_closed", "closed", "block", "reject", "forbid", "refuse"], "deny"),
    (&["fail_open", "open", "ignore", "skip", "log", "warn", "allow", "best_effort"], "continue"),
    (&["abort", "error", "fail", "raise", "panic", "stop", "throw", "propagate"], "required"),
    (&["drop", "discard", "delete", "filter", "none"], "remove"),
];

/// The fields that built-in kinds can be filtered by.
pub(crate) const FIELDS: &[&str] = &[
    "call_site",
    "channel",
    "compaction",
    "delivery",
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

/// The options of `#[hook_kind]`.
pub(crate) const KIND_OPTIONS: &[&str] =
    &["name", "subject", "verdict", "removable", "match", "check", "outside_turn", "on_failure", "json", "crate"];

/// The options that stand alone.
pub(crate) const FLAGS: &[&str] = &["blocking", "idempotent", "removable", "outside_turn", "json"];

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

/// What is said of a word that is no built-in kind.
pub(crate) fn unknown_kind(word: &str) -> String {
    let known = || KINDS.iter().map(|(name, _)| *name);
    if let Some(here) = kind_elsewhere(word) {
        return format!("`{word}` is called `{here}` here");
    }
    match nearest(word, known()) {
        Some(meant) => format!("there is no kind `{word}`; did you mean `{meant}`?"),
        None => format!("there is no kind `{word}`; the built-in kinds are {}", list(known(), "and")),
    }
}

/// What says here what the option `name` says in another system.
pub(crate) fn option_elsewhere(name: &str) -> Option<&'static str> {
    answer(OPTIONS_ELSEWHERE, name)
}

/// The same for an option of a kind.
pub(crate) fn kind_option_elsewhere(name: &str) -> Option<&'static str> {
    answer(KIND_OPTIONS_ELSEWHERE, name)
}

/// The policy for a failure that is called `word` in another system.
pub(crate) fn policy_elsewhere(word: &str) -> Option<&'static str> {
    answer(POLICIES_ELSEWHERE, word)
}

fn answer(table: &[(&[&str], &'static str)], word: &str) -> Option<&'static str> {
    table.iter().find(|(others, _)| others.contains(&word)).map(|(_, here)| *here)
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

/// Whether this is the name of a plugin; what it is instead is told.
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
        format!("the name of a plugin is a lower-case letter, then lower-case letters, digits and `_`{mended}"),
    );
    false
}

/// The nearest text that is `snake_case`, or `None` where too much of `id` would be lost.
pub(crate) fn snake_case(id: &str) -> Option<String> {
    if !id.is_ascii() {
        return None;
    }
    let mut snake = String::new();
    let chars: Vec<char> = id.trim().chars().collect();
    for (i, &c) in chars.iter().enumerate() {
        // A word begins at a capital after a small letter, or before one: `RedactPII`, `PIIRedact`.
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
    fn ids_are_mended() {
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
    fn names_of_other_systems_are_answered() {
        for written in ["PreToolUse", "pre-tool-use", "pre_tool_use", "BeforeToolCall", "before - tool - call"] {
            assert_eq!(kind_elsewhere(written), Some("before_tool_call"), "{written}");
        }
        assert_eq!(kind_elsewhere("lunch"), None);
    }

    /// An answer to a name of ours would hide the option, and a second one would never be given.
    #[test]
    fn each_name_from_elsewhere_has_one_answer_and_is_none_of_ours() {
        let tables = [
            (OPTIONS_ELSEWHERE, HOOK_OPTIONS),
            (KIND_OPTIONS_ELSEWHERE, KIND_OPTIONS),
            (POLICIES_ELSEWHERE, &["continue", "remove", "deny", "required"]),
        ];
        for (elsewhere, ours) in tables {
            let mut names: Vec<&str> = elsewhere.iter().flat_map(|(names, _)| *names).copied().collect();
            assert!(names.iter().all(|name| !ours.contains(name)), "{ours:?}");
            names.sort_unstable();
            assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
        }
    }
}
