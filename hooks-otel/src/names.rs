#![cfg_attr(
    not(all(feature = "agent", feature = "otlp")),
    allow(dead_code, reason = "each feature emits some of them")
)]
//! Every name that is emitted. The conventions are in development, and names of theirs still move: they change here.

/// The version of the conventions: a state of the repository `open-telemetry/semantic-conventions-genai`, which has no
/// releases yet. The names of guardrails are those of its pull request 427.
pub const CONVENTIONS: &str = "semantic-conventions-genai of 2026-08-20; guardrails: #427 at 3155df28";

/// The value of [`OPT_IN`] that asks for names that still move.
pub(crate) const LATEST: &str = "gen_ai_latest_experimental";
pub(crate) const OPT_IN: &str = "OTEL_SEMCONV_STABILITY_OPT_IN";

pub(crate) const ERROR_TYPE: &str = "error.type";

pub(crate) mod operation {
    pub(crate) const NAME: &str = "gen_ai.operation.name";
    pub(crate) const RUN_GUARDRAIL: &str = "run_guardrail";
    pub(crate) const CHAT: &str = "chat";
    pub(crate) const EXECUTE_TOOL: &str = "execute_tool";
    pub(crate) const INVOKE_AGENT: &str = "invoke_agent";
}

pub(crate) const AGENT: &str = "gen_ai.agent.name";
pub(crate) const CONVERSATION: &str = "gen_ai.conversation.id";
pub(crate) const PROVIDER: &str = "gen_ai.provider.name";

#[cfg(any(feature = "agent", feature = "otlp"))]
pub(crate) mod agent {
    use hook_sdk::data::Usage;

    pub(crate) const REQUEST_MODEL: &str = "gen_ai.request.model";
    pub(crate) const MAX_TOKENS: &str = "gen_ai.request.max_tokens";
    pub(crate) const TEMPERATURE: &str = "gen_ai.request.temperature";
    pub(crate) const OUTPUT_TYPE: &str = "gen_ai.output.type";
    pub(crate) const RESPONSE_MODEL: &str = "gen_ai.response.model";
    pub(crate) const FINISH_REASONS: &str = "gen_ai.response.finish_reasons";
    pub(crate) const INPUT_TOKENS: &str = "gen_ai.usage.input_tokens";
    pub(crate) const OUTPUT_TOKENS: &str = "gen_ai.usage.output_tokens";
    pub(crate) const CACHE_READ: &str = "gen_ai.usage.cache_read.input_tokens";
    pub(crate) const CACHE_WRITE: &str = "gen_ai.usage.cache_creation.input_tokens";
    pub(crate) const TOKEN_TYPE: &str = "gen_ai.token.type";
    pub(crate) const TOOL: &str = "gen_ai.tool.name";
    pub(crate) const TOOL_CALL: &str = "gen_ai.tool.call.id";
    pub(crate) const TOOL_TYPE: &str = "gen_ai.tool.type";
    pub(crate) const TOOL_DESCRIPTION: &str = "gen_ai.tool.description";

    pub(crate) const CALL_DURATION: &str = "gen_ai.client.operation.duration";
    pub(crate) const TOKENS: &str = "gen_ai.client.token.usage";
    pub(crate) const TURN_DURATION: &str = "gen_ai.invoke_agent.duration";
    pub(crate) const TOOL_DURATION: &str = "gen_ai.execute_tool.duration";

    /// Own names.
    pub(crate) const EXIT: &str = "hook.turn.exit";
    pub(crate) const QUESTION: &str = "hook.question";
    pub(crate) const QUESTION_ID: &str = "hook.question.id";

    /// The tokens of a call or a turn by name. Providers without a cache report none of it.
    pub(crate) fn tokens(usage: &Usage) -> impl Iterator<Item = (&'static str, u64)> + use<> {
        let cached = [(CACHE_READ, usage.cache_read), (CACHE_WRITE, usage.cache_write)];
        let all = [(INPUT_TOKENS, usage.input), (OUTPUT_TOKENS, usage.output)];
        all.into_iter().chain(cached.into_iter().filter(|(_, tokens)| *tokens > 0))
    }
}

/// Names that still move: pull request 427.
pub(crate) mod guardrail {
    pub(crate) const COMPONENT: &str = "gen_ai.guardrail.component.name";
    pub(crate) const TARGET: &str = "gen_ai.guardrail.target.type";
    pub(crate) const SUBTYPE: &str = "gen_ai.guardrail.target.subtype";
    pub(crate) const VERDICT: &str = "gen_ai.guardrail.verdict.type";
    pub(crate) const ACTION: &str = "gen_ai.guardrail.action.type";
    pub(crate) const RULE: &str = "gen_ai.guardrail.security.policy.rule.id";
    pub(crate) const MODIFIED: &str = "gen_ai.guardrail.security.content.modified";
}

/// Names of two viewers, for the kind of a span.
pub(crate) mod viewer {
    pub(crate) const OPENINFERENCE: &str = "openinference.span.kind";
    pub(crate) const LANGFUSE: &str = "langfuse.observation.type";
}

/// Own names, because no convention knows hooks.
pub(crate) mod hook {
    pub(crate) const SPAN: &str = "hook";
    pub(crate) const ID: &str = "hook.id";
    pub(crate) const KIND: &str = "hook.kind";
    pub(crate) const STATUS: &str = "hook.status";
    pub(crate) const VERDICT: &str = "hook.verdict";
    pub(crate) const CHANGED: &str = "hook.changed";
    pub(crate) const FAILURE: &str = "hook.failure";
    pub(crate) const NOTE: &str = "hook.note";
    pub(crate) const RULE: &str = "hook.rule";
    pub(crate) const PLUGIN: &str = "hook.plugin";
    pub(crate) const RUNS: &str = "hook.runs";
    pub(crate) const SILENT: &str = "hook.silent";
    pub(crate) const REMOVED: &str = "hook.removed";
    pub(crate) const DROPPED: &str = "hook.dropped";
    pub(crate) const MODE: &str = "hook.run";
    pub(crate) const JOB: &str = "hook.job.id";
    pub(crate) const ATTEMPT: &str = "hook.attempt";
    pub(crate) const AGAIN: &str = "hook.again";

    pub(crate) const DISPATCH_DURATION: &str = "hook.dispatch.duration";
    pub(crate) const RUN_DURATION: &str = "hook.run.duration";
    pub(crate) const DECISIONS: &str = "hook.decisions";
    pub(crate) const FAILURES: &str = "hook.failures";
}
