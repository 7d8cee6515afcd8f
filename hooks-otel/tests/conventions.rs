//! Each attribute against a table of the conventions: spans as a collector gets them.

use std::collections::BTreeMap;

use crate::collector::{Collector, attributes};
use crate::dispatches::{call, observed};
use crate::turns::conversation;

type Attributes = &'static [(&'static str, &'static str, &'static str)];

/// The attributes of the conventions that are set, per span: name, requirement, value. Of `semantic-conventions-genai`,
/// `gen-ai-agent-spans.md`, `gen-ai-spans.md` and `gen-ai-security.md`.
const TABLE: &[(&str, Attributes)] = &[
    (
        "invoke_agent clerk",
        &[
            ("gen_ai.operation.name", "required", "invoke_agent"),
            ("gen_ai.provider.name", "required", "anthropic"),
            ("gen_ai.agent.name", "conditional", "clerk"),
            ("gen_ai.conversation.id", "conditional", "c-1"),
            ("gen_ai.usage.input_tokens", "recommended", "30"),
            ("gen_ai.usage.output_tokens", "recommended", "12"),
            ("gen_ai.usage.cache_read.input_tokens", "recommended", "20"),
        ],
    ),
    (
        "chat claude-sonnet-5",
        &[
            ("gen_ai.operation.name", "required", "chat"),
            ("gen_ai.provider.name", "required", "anthropic"),
            ("gen_ai.conversation.id", "conditional", "c-1"),
            ("gen_ai.request.model", "conditional", "claude-sonnet-5"),
            ("gen_ai.response.model", "recommended", "claude-sonnet-5-20260901"),
            ("gen_ai.response.finish_reasons", "recommended", "[\"tool_use\"]"),
            ("gen_ai.usage.input_tokens", "recommended", "10"),
            ("gen_ai.usage.output_tokens", "recommended", "5"),
        ],
    ),
    (
        "execute_tool search",
        &[
            ("gen_ai.operation.name", "required", "execute_tool"),
            ("gen_ai.tool.name", "required", "search"),
            ("gen_ai.tool.call.id", "recommended", "call-1"),
            ("gen_ai.tool.type", "recommended", "function"),
            ("gen_ai.tool.description", "recommended", "Searches."),
            ("gen_ai.conversation.id", "conditional", "c-1"),
            ("gen_ai.agent.name", "conditional", "clerk"),
        ],
    ),
    (
        "run_guardrail denies",
        &[
            ("gen_ai.operation.name", "required", "run_guardrail"),
            ("gen_ai.guardrail.target.type", "required", "input"),
            ("gen_ai.guardrail.verdict.type", "required", "deny"),
            ("gen_ai.guardrail.target.subtype", "conditional", "tool_call"),
            ("gen_ai.guardrail.action.type", "conditional", "block"),
            ("gen_ai.conversation.id", "conditional", "c-1"),
            ("gen_ai.agent.name", "", "clerk"),
            ("gen_ai.guardrail.component.name", "recommended", "denies"),
            ("gen_ai.guardrail.security.policy.rule.id", "recommended", "denies"),
        ],
    ),
    (
        "run_guardrail rewrites",
        &[
            ("gen_ai.operation.name", "required", "run_guardrail"),
            ("gen_ai.guardrail.target.type", "required", "input"),
            ("gen_ai.guardrail.verdict.type", "required", "modify"),
            ("gen_ai.guardrail.target.subtype", "conditional", "tool_call"),
            ("gen_ai.guardrail.action.type", "conditional", "modify"),
            ("gen_ai.guardrail.security.content.modified", "conditional", "true"),
            ("gen_ai.conversation.id", "conditional", "c-1"),
            ("gen_ai.agent.name", "", "clerk"),
            ("gen_ai.guardrail.component.name", "recommended", "rewrites"),
            ("gen_ai.guardrail.security.policy.rule.id", "recommended", "rewrites"),
        ],
    ),
];

#[tokio::test]
async fn spans_have_exactly_the_attributes_of_the_conventions_that_are_known() {
    let collector = Collector::new();
    conversation(&collector).await;
    let (_registry, hooks) = observed(&collector);
    for tool in ["pay", "find"] {
        call(&collector, &hooks, tool).await;
    }
    for (name, table) in TABLE {
        let mut found = attributes(&collector.span(name));
        found.retain(|name, _| name.starts_with("gen_ai.") || name == "error.type");
        let expected: BTreeMap<_, _> =
            table.iter().map(|(name, _, value)| (name.to_string(), value.to_string())).collect();
        assert_eq!(found, expected, "{name}");
    }
}

#[tokio::test]
async fn each_span_says_what_hooks_did_in_own_names() {
    let collector = Collector::new();
    let (_registry, hooks) = observed(&collector);
    call(&collector, &hooks, "pay").await;
    for (span, expected) in [
        (
            "hook before_tool_call",
            [("hook.kind", "before_tool_call"), ("hook.verdict", "deny"), ("hook.runs", "2"), ("hook.silent", "1")],
        ),
        (
            "run_guardrail denies",
            [("hook.id", "denies"), ("hook.status", "completed"), ("hook.changed", "false"), ("hook.verdict", "deny")],
        ),
    ] {
        let found = attributes(&collector.span(span));
        for (name, value) in expected {
            assert_eq!(found.get(name).map(String::as_str), Some(value), "{span}: {name} of {found:?}");
        }
    }
}

#[tokio::test]
async fn names_that_still_move_and_those_of_viewers_are_options() {
    let collector = Collector::new();
    let telemetry = collector.telemetry().guardrails(false).viewers(false);
    let registry = crate::dispatches::registry();
    registry.observe(telemetry);
    let hooks = registry.scope(&hook_sdk::scope::AgentDef::new("clerk").hooks(["denies"]), None).unwrap();
    call(&collector, &hooks, "pay").await;
    let moving =
        |name: &String| name.contains("guardrail") || name.contains("openinference") || name.contains("langfuse");
    for span in collector.spans() {
        let told = attributes(&span);
        assert!(!told.keys().any(moving) && !told.contains_key("gen_ai.operation.name"), "{}: {told:?}", span.name);
    }

    let collector = Collector::new();
    let (_registry, hooks) = observed(&collector);
    call(&collector, &hooks, "pay").await;
    let told = attributes(&collector.span("run_guardrail denies"));
    assert_eq!((&*told["openinference.span.kind"], &*told["langfuse.observation.type"]), ("GUARDRAIL", "guardrail"));
}
