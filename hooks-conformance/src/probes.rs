//! Built-in probes: what hooks at the built-in kinds can return, one at a time.

use hook_sdk::data::{
    Block, CompactedHistory, Message, MessageUpdate, Messages, ModelReply, ModelRequest, ResultRow, Role, ToolInput,
    ToolResult,
};
use hook_sdk::hook::OnFailure;
use hook_sdk::kinds::{
    AfterCreateMessage, AfterToolCall, AfterToolCallFailure, AfterToolCallSuccess, BeforeAgentStart, BeforeCompaction,
    BeforeCreateMessage, BeforeStoreToolResult, BeforeToolCall, BeforeUpdateMessage, FilterMessages, MessageReceived,
    MessageSending, PermissionRequest, PostCompact, PostModelCall, PreModelCall, PrefilterLlmHistory, SessionStart,
    Stop, StreamDelta, UserPromptSubmit,
};
use hook_sdk::verdict::{AgentStart, Contexts, Halt, Permission, PromptVerdict, StopVerdict};
use hook_sdk::{Hook, HookKind, KindDescriptor};

/// The description of a probe for messages, and the probe.
pub(crate) type Probe = (&'static str, Hook);

const PROBED: &str = "conformance probe";

/// Everything that hooks at this kind can return and a harness must act on.
#[allow(clippy::too_many_lines, reason = "a table of the probes of each kind")]
pub(crate) fn of_kind(kind: &KindDescriptor, id: &str) -> Vec<Probe> {
    match kind.name {
        "message_received" => vec![
            ("rewrites the message", Hook::at::<MessageReceived>(id).writer(|_, _, row| say(row))),
            ("removes the message", Hook::at::<MessageReceived>(id).replacer(|_, _, _: Message| None::<Message>)),
            required::<MessageReceived>(id),
        ],
        "message_sending" => vec![
            ("rewrites the message", Hook::at::<MessageSending>(id).writer(|_, _, row| say(row))),
            ("removes the message", Hook::at::<MessageSending>(id).replacer(|_, _, _: Message| None::<Message>)),
            required::<MessageSending>(id),
        ],
        "session_start" => {
            vec![
                ("adds a context", Hook::at::<SessionStart>(id).reader(|_, _, ()| Contexts::from(PROBED))),
                required::<SessionStart>(id),
            ]
        }
        "filter_messages" => {
            let all = ("rewrites the messages", Hook::at::<FilterMessages>(id).writer(|_, _, all| add(all)));
            in_turn::<FilterMessages>(id, vec![all])
        }
        "prefilter_llm_history" => {
            let all = ("rewrites the messages", Hook::at::<PrefilterLlmHistory>(id).writer(|_, _, all| add(all)));
            in_turn::<PrefilterLlmHistory>(id, vec![all])
        }
        "user_prompt_submit" => in_turn::<UserPromptSubmit>(
            id,
            vec![
                (
                    "rewrites the prompt",
                    Hook::at::<UserPromptSubmit>(id).writer(|_, _, all: &mut Messages| {
                        all.iter_mut().for_each(say);
                    }),
                ),
                ("adds a context", Hook::at::<UserPromptSubmit>(id).reader(|_, _, _| PromptVerdict::context(PROBED))),
                ("blocks", Hook::at::<UserPromptSubmit>(id).reader(|_, _, _| PromptVerdict::block(PROBED))),
                ("stops", Hook::at::<UserPromptSubmit>(id).reader(|_, _, _| PromptVerdict::stop(PROBED))),
            ],
        ),
        "before_agent_start" => in_turn::<BeforeAgentStart>(
            id,
            vec![("adds a context", Hook::at::<BeforeAgentStart>(id).reader(|_, _, ()| AgentStart::context(PROBED)))],
        ),
        "pre_model_call" => in_turn::<PreModelCall>(
            id,
            vec![(
                "rewrites the system prompt",
                Hook::at::<PreModelCall>(id).writer(|_, _, request: &mut ModelRequest| {
                    request.system_prompt.push_str(PROBED);
                }),
            )],
        ),
        "post_model_call" => in_turn::<PostModelCall>(
            id,
            vec![(
                "rewrites the answer",
                Hook::at::<PostModelCall>(id).writer(|_, _, reply: &mut ModelReply| {
                    reply.content.push(Block::from(PROBED));
                }),
            )],
        ),
        "stream_delta" => in_turn::<StreamDelta>(
            id,
            vec![
                ("rewrites the window", Hook::at::<StreamDelta>(id).replacer(|_, _, _: String| PROBED.to_owned())),
                ("denies", Hook::at::<StreamDelta>(id).reader(|_, _, _| Permission::deny(PROBED))),
            ],
        ),
        "before_tool_call" => in_turn::<BeforeToolCall>(
            id,
            vec![
                (
                    "rewrites the input",
                    Hook::at::<BeforeToolCall>(id).writer(|_, _, input: &mut ToolInput| {
                        **input = serde_json::json!({ "probed": PROBED });
                    }),
                ),
                ("denies", Hook::at::<BeforeToolCall>(id).reader(|_, _, _| Permission::deny(PROBED))),
                ("answers", {
                    Hook::at::<BeforeToolCall>(id).reader(|_, _, _| Permission::answer(ToolResult::new(PROBED)))
                }),
                ("asks", Hook::at::<BeforeToolCall>(id).reader(|_, _, _| Permission::ask(PROBED))),
                ("defers", Hook::at::<BeforeToolCall>(id).reader(|_, _, _| Permission::defer(PROBED))),
            ],
        ),
        "permission_request" => in_turn::<PermissionRequest>(
            id,
            vec![("allows", Hook::at::<PermissionRequest>(id).reader(|_, _, _| Permission::Allow))],
        ),
        "after_tool_call_success" => in_turn::<AfterToolCallSuccess>(
            id,
            vec![
                ("rewrites the result", Hook::at::<AfterToolCallSuccess>(id).writer(|_, _, result| answer(result))),
                (
                    "adds a context",
                    Hook::at::<AfterToolCallSuccess>(id).writer(|_, _, result: &mut ToolResult| {
                        result.add_context(PROBED);
                    }),
                ),
                ("removes the result", {
                    Hook::at::<AfterToolCallSuccess>(id).replacer(|_, _, _: ToolResult| None::<ToolResult>)
                }),
            ],
        ),
        "after_tool_call_failure" => in_turn::<AfterToolCallFailure>(
            id,
            vec![
                ("rewrites the result", Hook::at::<AfterToolCallFailure>(id).writer(|_, _, result| answer(result))),
                (
                    "adds a context",
                    Hook::at::<AfterToolCallFailure>(id).writer(|_, _, result: &mut ToolResult| {
                        result.add_context(PROBED);
                    }),
                ),
            ],
        ),
        "after_tool_call" => in_turn::<AfterToolCall>(id, Vec::new()),
        "before_store_tool_result" => in_turn::<BeforeStoreToolResult>(
            id,
            vec![(
                "rewrites the row",
                Hook::at::<BeforeStoreToolResult>(id).writer(|_, _, row: &mut ResultRow| {
                    row.content.push(Block::from(PROBED));
                }),
            )],
        ),
        "before_create_message" => in_turn::<BeforeCreateMessage>(
            id,
            vec![("rewrites the row", Hook::at::<BeforeCreateMessage>(id).writer(|_, _, row| say(row)))],
        ),
        "after_create_message" => in_turn::<AfterCreateMessage>(id, Vec::new()),
        // No `halts`: an app may change a row while no turn runs.
        "before_update_message" => vec![
            (
                "rewrites the update",
                Hook::at::<BeforeUpdateMessage>(id).writer(|_, _, update: &mut MessageUpdate| {
                    update.insert("metadata".to_owned(), PROBED.into());
                }),
            ),
            required::<BeforeUpdateMessage>(id),
        ],
        "before_compaction" => in_turn::<BeforeCompaction>(
            id,
            vec![
                ("denies", Hook::at::<BeforeCompaction>(id).reader(|_, _, ()| Permission::deny(PROBED))),
                ("asks", Hook::at::<BeforeCompaction>(id).reader(|_, _, ()| Permission::ask(PROBED))),
            ],
        ),
        "post_compact" => in_turn::<PostCompact>(
            id,
            vec![(
                "rewrites the remaining messages",
                Hook::at::<PostCompact>(id).writer(|_, _, rest: &mut CompactedHistory| {
                    rest.summary = Some(PROBED.to_owned());
                }),
            )],
        ),
        "stop" => in_turn::<Stop>(
            id,
            vec![
                ("blocks", Hook::at::<Stop>(id).reader(|_, _, ()| StopVerdict::block(PROBED))),
                (
                    "continues",
                    Hook::at::<Stop>(id).reader(|_, event: &Stop, ()| {
                        if event.stop_hook_active { ().into() } else { StopVerdict::continue_with(PROBED) }
                    }),
                ),
                ("adds a context", {
                    Hook::at::<Stop>(id).reader(|_, _, ()| StopVerdict::default().with_context(PROBED))
                }),
            ],
        ),
        _ => Vec::new(),
    }
}

/// Adds the probes of every kind within a turn: a hook that halts ends it, and so does a required hook that fails.
fn in_turn<K: HookKind>(id: &str, mut probes: Vec<Probe>) -> Vec<Probe> {
    probes.push(("halts", Hook::at::<K>(id).reader(|_, _, _| Err::<(), _>(Halt::new(PROBED)))));
    probes.push(required::<K>(id));
    probes
}

fn required<K: HookKind>(id: &str) -> Probe {
    let fails = Hook::at::<K>(id).reader(|_, _, _| Err::<(), _>(PROBED));
    ("is required and fails", fails.on_failure(OnFailure::Required))
}

fn say(row: &mut Message) {
    row.content.push(Block::from(PROBED));
}

fn add(messages: &mut Messages) {
    messages.push(Message::new(Role::User, PROBED));
}

fn answer(result: &mut ToolResult) {
    result.content.push(Block::from(PROBED));
}

#[cfg(test)]
mod tests {
    use hook_sdk::{Registry, Semantics};

    use super::*;

    #[test]
    fn every_built_in_kind_at_which_hooks_rewrite_or_decide_has_probes() {
        let kinds = Registry::empty().manifest().kinds;
        let built_in = |kind: &&KindDescriptor| kind.origin.module.starts_with("hook_sdk::kinds");
        let kinds: Vec<_> = kinds.iter().map(|kind| kind.kind).filter(built_in).collect();
        assert!(kinds.len() > 30, "{} kinds", kinds.len());
        for kind in kinds {
            let observes = matches!(kind.semantics, Semantics::Event | Semantics::Contribute);
            let probes = of_kind(kind, "probe");
            assert!(observes || !probes.is_empty(), "`{}` needs probes in hooks-conformance/src/probes.rs", kind.name);
        }
    }
}
