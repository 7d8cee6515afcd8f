//! The sentences of the test: what a hook does, and what must follow from it.

use hook_sdk::data::{Block, Message, Messages, ModelReply, ModelRequest, ResultRow, Role, ToolInput, ToolResult};
use hook_sdk::hook::OnFailure;
use hook_sdk::kinds::{
    AfterCreateMessage, AfterToolCall, AfterToolCallFailure, AfterToolCallSuccess, BeforeAgentStart,
    BeforeCreateMessage, BeforeStoreToolResult, BeforeToolCall, FilterMessages, PermissionRequest, PostModelCall,
    PreModelCall, PrefilterLlmHistory, SessionStart, Stop, StreamDelta, UserPromptSubmit,
};
use hook_sdk::verdict::{AgentStart, Contexts, Halt, Permission, PromptVerdict, ReplyVerdict, Retry, StopVerdict};
use hook_sdk::{Hook, HookKind};
use serde_json::json;

use crate::expect::Expect::{
    self, Announces, Asks, Calls, NeverRunsWith, NeverSends, NeverShows, NeverStores, Runs, RunsWith, Sends, Shows,
    Stores, StoresNothing,
};
use crate::world::{ANSWER, Act, Acts, ERROR, OUTPUT, PROMPT, Scenario};

/// The text of all that hooks add.
const PROBED: &str = "conformance probe";

/// One sentence: when hooks do this in that scenario, this must follow.
pub(crate) struct Case {
    /// The kind of the hook that acts. The case is left out if the program does not fire it.
    pub(crate) kind: &'static str,
    /// What the hook does.
    pub(crate) when: &'static str,
    pub(crate) scenario: Scenario,
    /// Whether the person says yes.
    pub(crate) says_yes: bool,
    pub(crate) hooks: fn(&Acts) -> Vec<Hook>,
    pub(crate) expect: &'static [Expect],
}

/// A hook that reads and answers.
fn says<K: HookKind>(answer: impl Fn() -> K::Verdict + Send + Sync + 'static) -> Vec<Hook> {
    vec![Hook::at::<K>("probe").reader(move |_, _, _| answer())]
}

fn halts<K: HookKind>(_: &Acts) -> Vec<Hook> {
    vec![Hook::at::<K>("probe").reader(|_, _, _| Err::<(), _>(Halt::new(PROBED)))]
}

/// A hook that is required and fails.
fn fails<K: HookKind>(_: &Acts) -> Vec<Hook> {
    vec![Hook::at::<K>("probe").reader(|_, _, _| Err::<(), _>(PROBED)).on_failure(OnFailure::Required)]
}

fn probed(result: &mut ToolResult) {
    result.rewrite_text(|_| Some(PROBED.to_owned()));
}

fn gate(answer: fn() -> Permission) -> Vec<Hook> {
    says::<BeforeToolCall>(answer)
}

fn asks_and(requested: Hook) -> Vec<Hook> {
    let asks = Hook::at::<BeforeToolCall>("asks").reader(|_, _, _| Permission::ask(PROBED));
    vec![asks, requested]
}

use Scenario::{Answer, Failure, Tool, TwoTools};

/// All sentences about the kinds of a turn.
#[rustfmt::skip]
pub(crate) const CASES: &[Case] = &[
    // The prompt.
    Case { kind: "user_prompt_submit", when: "blocks", scenario: Answer, says_yes: false,
           hooks: |_| says::<UserPromptSubmit>(|| PromptVerdict::block(PROBED)),
           expect: &[Calls(0), NeverStores(PROMPT)] },
    Case { kind: "user_prompt_submit", when: "stops the turn", scenario: Answer, says_yes: false,
           hooks: |_| says::<UserPromptSubmit>(|| PromptVerdict::stop(PROBED)),
           expect: &[Calls(0), NeverStores(PROMPT)] },
    Case { kind: "user_prompt_submit", when: "rewrites the prompt", scenario: Answer, says_yes: false,
           hooks: |_| vec![Hook::at::<UserPromptSubmit>("probe").writer(|_, _, all: &mut Messages| {
               for message in all.iter_mut() { message.rewrite_text(|_| Some(PROBED.to_owned())); }
           })],
           expect: &[Sends(PROBED), NeverSends(PROMPT), NeverStores(PROMPT)] },
    Case { kind: "user_prompt_submit", when: "adds a context", scenario: Tool, says_yes: false,
           hooks: |_| says::<UserPromptSubmit>(|| PromptVerdict::context(PROBED)),
           expect: &[Sends(PROBED), NeverStores(PROBED), Sends(PROMPT)] },
    Case { kind: "user_prompt_submit", when: "halts", scenario: Answer, says_yes: false,
           hooks: halts::<UserPromptSubmit>, expect: &[Calls(0), NeverStores(PROMPT)] },
    Case { kind: "user_prompt_submit", when: "is required and fails", scenario: Answer, says_yes: false,
           hooks: fails::<UserPromptSubmit>, expect: &[Calls(0), NeverStores(PROMPT)] },
    Case { kind: "session_start", when: "adds a context", scenario: Answer, says_yes: false,
           hooks: |_| says::<SessionStart>(|| Contexts::from(PROBED)), expect: &[Sends(PROBED)] },
    Case { kind: "before_agent_start", when: "adds a context", scenario: Answer, says_yes: false,
           hooks: |_| says::<BeforeAgentStart>(|| AgentStart::context(PROBED)), expect: &[Sends(PROBED)] },
    Case { kind: "before_agent_start", when: "halts", scenario: Answer, says_yes: false,
           hooks: halts::<BeforeAgentStart>, expect: &[Calls(0)] },
    Case { kind: "filter_messages", when: "adds a message", scenario: Answer, says_yes: false,
           hooks: |_| vec![Hook::at::<FilterMessages>("probe").writer(|_, _, all: &mut Messages| all.push(Message::new(Role::User, PROBED)))],
           expect: &[Sends(PROBED), NeverStores(PROBED)] },

    // The model.
    Case { kind: "prefilter_llm_history", when: "adds a message", scenario: Answer, says_yes: false,
           hooks: |_| vec![Hook::at::<PrefilterLlmHistory>("probe").writer(|_, _, all: &mut Messages| all.push(Message::new(Role::User, PROBED)))],
           expect: &[Sends(PROBED), NeverStores(PROBED)] },
    Case { kind: "prefilter_llm_history", when: "is required and fails", scenario: Answer, says_yes: false,
           hooks: fails::<PrefilterLlmHistory>, expect: &[Calls(0)] },
    Case { kind: "pre_model_call", when: "rewrites the system prompt", scenario: Answer, says_yes: false,
           hooks: |_| vec![Hook::at::<PreModelCall>("probe").writer(|_, _, request: &mut ModelRequest| request.system_prompt.push_str(PROBED))],
           expect: &[Sends(PROBED)] },
    Case { kind: "pre_model_call", when: "answers in the model's place", scenario: Tool, says_yes: false,
           hooks: |_| vec![Hook::at::<PreModelCall>("probe").writer(|_, _, request: &mut ModelRequest| *request = request.clone().answer(PROBED))],
           expect: &[Calls(0), Shows(PROBED), Stores(PROBED)] },
    Case { kind: "pre_model_call", when: "halts", scenario: Answer, says_yes: false,
           hooks: halts::<PreModelCall>, expect: &[Calls(0)] },
    Case { kind: "pre_model_call", when: "is required and fails", scenario: Answer, says_yes: false,
           hooks: fails::<PreModelCall>, expect: &[Calls(0)] },
    Case { kind: "post_model_call", when: "rewrites the answer", scenario: Answer, says_yes: false,
           hooks: |_| vec![Hook::at::<PostModelCall>("probe").writer(|_, _, reply: &mut ModelReply| reply.content = vec![PROBED.into()])],
           expect: &[Shows(PROBED), Stores(PROBED), NeverShows(ANSWER), NeverStores(ANSWER)] },
    Case { kind: "post_model_call", when: "removes a tool call", scenario: Tool, says_yes: false,
           hooks: |_| vec![Hook::at::<PostModelCall>("probe").writer(|_, _, reply: &mut ModelReply| {
               if reply.content.iter().any(|block| matches!(block, Block::ToolUse(_))) { reply.content = vec![PROBED.into()]; }
           })],
           expect: &[Runs(0), NeverStores("call_1")] },
    Case { kind: "post_model_call", when: "asks for another answer", scenario: Answer, says_yes: false,
           hooks: |_| vec![Hook::at::<PostModelCall>("probe").writer(|_, _, reply: &mut ModelReply| {
               if reply.messages.iter().any(|message| message.text() == PROBED) { return ReplyVerdict::NoOpinion; }
               reply.messages.push(Message::new(Role::User, PROBED));
               ReplyVerdict::Continue
           })],
           expect: &[Calls(2), Sends(PROBED), Shows("answer 2"), NeverShows("answer 1"), NeverStores("answer 1")] },
    Case { kind: "post_model_call", when: "asks for another answer without end", scenario: Answer, says_yes: false,
           hooks: |_| says::<PostModelCall>(|| ReplyVerdict::Continue), expect: &[] },
    Case { kind: "post_model_call", when: "halts", scenario: Tool, says_yes: false,
           hooks: halts::<PostModelCall>, expect: &[Runs(0), Calls(1)] },
    Case { kind: "post_model_call", when: "is required and fails", scenario: Tool, says_yes: false,
           hooks: fails::<PostModelCall>, expect: &[Runs(0), NeverShows(ANSWER)] },
    Case { kind: "stream_delta", when: "denies", scenario: Answer, says_yes: false,
           hooks: |_| says::<StreamDelta>(|| Permission::deny(PROBED)), expect: &[NeverShows(ANSWER), NeverStores(ANSWER)] },
    Case { kind: "stream_delta", when: "rewrites the window", scenario: Answer, says_yes: false,
           hooks: |_| vec![Hook::at::<StreamDelta>("probe").replacer(|_, _, _: String| PROBED.to_owned())],
           expect: &[Shows(PROBED), NeverShows(ANSWER)] },

    // A tool call.
    Case { kind: "before_tool_call", when: "denies", scenario: Tool, says_yes: true,
           hooks: |_| gate(|| Permission::deny(PROBED)), expect: &[Runs(0), Sends(PROBED), NeverSends(OUTPUT)] },
    Case { kind: "before_tool_call", when: "denies each of two calls", scenario: TwoTools, says_yes: true,
           hooks: |_| gate(|| Permission::deny(PROBED)), expect: &[Runs(0), Sends(PROBED)] },
    Case { kind: "before_tool_call", when: "fails", scenario: Tool, says_yes: true,
           hooks: |_| vec![Hook::at::<BeforeToolCall>("probe").reader(|_, _, _| Err::<(), _>(PROBED))],
           expect: &[Runs(0)] },
    Case { kind: "before_tool_call", when: "is required and fails", scenario: Tool, says_yes: true,
           hooks: fails::<BeforeToolCall>, expect: &[Runs(0)] },
    Case { kind: "before_tool_call", when: "halts", scenario: Tool, says_yes: true,
           hooks: halts::<BeforeToolCall>, expect: &[Runs(0), Calls(1)] },
    Case { kind: "before_tool_call", when: "halts at the first of two calls", scenario: TwoTools, says_yes: true,
           hooks: halts::<BeforeToolCall>, expect: &[Runs(0), Calls(1)] },
    Case { kind: "before_tool_call", when: "asks, and the person says no", scenario: Tool, says_yes: false,
           hooks: |_| gate(|| Permission::ask(PROBED)), expect: &[Runs(0), NeverSends(OUTPUT)] },
    Case { kind: "before_tool_call", when: "asks, and the person says yes", scenario: Tool, says_yes: true,
           hooks: |_| gate(|| Permission::ask(PROBED)), expect: &[Asks(1), Runs(1), Sends(OUTPUT)] },
    Case { kind: "before_tool_call", when: "defers, and the person says no", scenario: Tool, says_yes: false,
           hooks: |_| gate(|| Permission::defer(PROBED)), expect: &[Runs(0), NeverSends(OUTPUT)] },
    Case { kind: "before_tool_call", when: "answers in the tool's place", scenario: Tool, says_yes: true,
           hooks: |_| gate(|| Permission::answer(ToolResult::new(PROBED))), expect: &[Runs(0), Sends(PROBED)] },
    Case { kind: "before_tool_call", when: "rewrites the input", scenario: Tool, says_yes: true,
           hooks: |_| vec![Hook::at::<BeforeToolCall>("probe").writer(|_, _, input: &mut ToolInput| **input = json!({ "word": PROBED }))],
           expect: &[Runs(1), RunsWith(PROBED), NeverRunsWith("blue")] },
    Case { kind: "permission_request", when: "allows in the person's place", scenario: Tool, says_yes: false,
           hooks: |_| asks_and(Hook::at::<PermissionRequest>("probe").reader(|_, _, _| Permission::allow())),
           expect: &[Asks(0), Runs(1)] },
    Case { kind: "permission_request", when: "denies in the person's place", scenario: Tool, says_yes: true,
           hooks: |_| asks_and(Hook::at::<PermissionRequest>("probe").reader(|_, _, _| Permission::deny(PROBED))),
           expect: &[Asks(0), Runs(0)] },
    Case { kind: "permission_request", when: "allows with another input that a gate denies", scenario: Tool, says_yes: true,
           hooks: |_| {
               let mut hooks = asks_and(Hook::at::<PermissionRequest>("probe").writer(|_, _, input: &mut ToolInput| {
                   **input = json!({ "word": PROBED });
                   Permission::allow()
               }));
               hooks.push(Hook::at::<BeforeToolCall>("limit").reader(|_, _, input: &ToolInput| {
                   if input["word"] == PROBED { Permission::deny("no") } else { Permission::NoOpinion }
               }));
               hooks
           },
           expect: &[NeverRunsWith(PROBED)] },
    Case { kind: "permission_request", when: "halts", scenario: Tool, says_yes: true,
           hooks: |_| asks_and(Hook::at::<PermissionRequest>("probe").reader(|_, _, _| Err::<(), _>(Halt::new(PROBED)))),
           expect: &[Runs(0), Calls(1)] },
    Case { kind: "after_tool_call_success", when: "rewrites the result", scenario: Tool, says_yes: true,
           hooks: |_| vec![Hook::at::<AfterToolCallSuccess>("probe").writer(|_, _, result: &mut ToolResult| probed(result))],
           expect: &[Runs(1), Sends(PROBED), NeverSends(OUTPUT), NeverStores(OUTPUT), NeverShows(OUTPUT)] },
    Case { kind: "after_tool_call_success", when: "adds a context", scenario: Tool, says_yes: true,
           hooks: |_| vec![Hook::at::<AfterToolCallSuccess>("probe").writer(|_, _, result: &mut ToolResult| result.add_context(PROBED))],
           expect: &[Sends(PROBED), Sends(OUTPUT)] },
    Case { kind: "after_tool_call_success", when: "attributes the result to a person", scenario: Tool, says_yes: true,
           hooks: |_| vec![Hook::at::<AfterToolCallSuccess>("probe").writer(|_, _, result: &mut ToolResult| result.said_by = Some(Role::User))],
           expect: &[Sends(OUTPUT)] },
    Case { kind: "after_tool_call_success", when: "removes the result", scenario: Tool, says_yes: true,
           hooks: |_| vec![Hook::at::<AfterToolCallSuccess>("probe").replacer(|_, _, _: ToolResult| None::<ToolResult>)],
           expect: &[NeverSends(OUTPUT), NeverStores(OUTPUT), NeverShows(OUTPUT)] },
    Case { kind: "after_tool_call_success", when: "sees the answer of a gate", scenario: Tool, says_yes: true,
           hooks: |_| vec![
               Hook::at::<BeforeToolCall>("answers").reader(|_, _, _| Permission::answer(ToolResult::new("a secret answer"))),
               Hook::at::<AfterToolCallSuccess>("probe").writer(|_, _, result: &mut ToolResult| probed(result)),
           ],
           expect: &[Runs(0), NeverSends("a secret answer"), Sends(PROBED)] },
    Case { kind: "after_tool_call_success", when: "halts", scenario: Tool, says_yes: true,
           hooks: halts::<AfterToolCallSuccess>, expect: &[Runs(1), Calls(1)] },
    Case { kind: "after_tool_call_success", when: "halts after the first of two calls", scenario: TwoTools, says_yes: true,
           hooks: halts::<AfterToolCallSuccess>, expect: &[Calls(1)] },
    Case { kind: "after_tool_call_success", when: "is required and fails", scenario: Tool, says_yes: true,
           hooks: fails::<AfterToolCallSuccess>, expect: &[NeverSends(OUTPUT), NeverStores(OUTPUT), NeverShows(OUTPUT)] },
    Case { kind: "after_tool_call_failure", when: "rewrites the result", scenario: Failure, says_yes: true,
           hooks: |_| vec![Hook::at::<AfterToolCallFailure>("probe").writer(|_, _, result: &mut ToolResult| probed(result))],
           expect: &[Sends(PROBED), NeverSends(ERROR), NeverStores(ERROR)] },
    Case { kind: "after_tool_call_failure", when: "removes the result", scenario: Failure, says_yes: true,
           hooks: |_| vec![Hook::at::<AfterToolCallFailure>("probe").replacer(|_, _, _: ToolResult| None::<ToolResult>)],
           expect: &[NeverSends(ERROR), NeverStores(ERROR), NeverShows(ERROR)] },
    Case { kind: "after_tool_call_failure", when: "asks to run the tool again without end", scenario: Failure, says_yes: true,
           hooks: |_| says::<AfterToolCallFailure>(|| Retry::After(std::time::Duration::ZERO)), expect: &[] },
    Case { kind: "after_tool_call_failure", when: "halts", scenario: Failure, says_yes: true,
           hooks: halts::<AfterToolCallFailure>, expect: &[Calls(1)] },
    Case { kind: "after_tool_call_failure", when: "is required and fails", scenario: Failure, says_yes: true,
           hooks: fails::<AfterToolCallFailure>, expect: &[NeverSends(ERROR), NeverStores(ERROR), NeverShows(ERROR)] },
    Case { kind: "after_tool_call", when: "halts", scenario: Tool, says_yes: true,
           hooks: halts::<AfterToolCall>, expect: &[Calls(1)] },

    // What is stored.
    Case { kind: "before_create_message", when: "masks every row", scenario: Tool, says_yes: true,
           hooks: |_| vec![Hook::at::<BeforeCreateMessage>("probe").writer(|_, _, row: &mut Message| { row.rewrite_text(|_| Some(PROBED.to_owned())); })],
           expect: &[Stores(PROBED), NeverStores(PROMPT), NeverStores(OUTPUT), NeverStores(ANSWER)] },
    Case { kind: "before_create_message", when: "is required and fails", scenario: Answer, says_yes: true,
           hooks: fails::<BeforeCreateMessage>, expect: &[StoresNothing] },
    Case { kind: "before_create_message", when: "halts", scenario: Answer, says_yes: true,
           hooks: halts::<BeforeCreateMessage>, expect: &[Calls(0)] },
    Case { kind: "before_store_tool_result", when: "rewrites the row", scenario: Tool, says_yes: true,
           hooks: |_| vec![Hook::at::<BeforeStoreToolResult>("probe").writer(|_, _, row: &mut ResultRow| row.content = vec![PROBED.into()])],
           expect: &[Stores(PROBED), NeverStores(OUTPUT)] },
    Case { kind: "after_create_message", when: "watches", scenario: Tool, says_yes: true,
           hooks: |acts| {
               let acts = acts.clone();
               vec![Hook::at::<AfterCreateMessage>("probe").reader(move |_, event: &AfterCreateMessage, ()| acts.note(Act::Announced { row: event.message.clone() }))]
           },
           expect: &[Announces] },
    Case { kind: "after_create_message", when: "halts", scenario: Answer, says_yes: true,
           hooks: halts::<AfterCreateMessage>, expect: &[Calls(0)] },

    // The end.
    Case { kind: "stop", when: "blocks the answer", scenario: Answer, says_yes: true,
           hooks: |_| says::<Stop>(|| StopVerdict::block(PROBED)),
           expect: &[Calls(1), NeverShows(ANSWER), NeverStores(ANSWER)] },
    Case { kind: "stop", when: "continues the turn", scenario: Answer, says_yes: true,
           hooks: |_| vec![Hook::at::<Stop>("probe").reader(|_, event: &Stop, ()| {
               if event.stop_hook_active { StopVerdict::default() } else { StopVerdict::continue_with(PROBED) }
           })],
           expect: &[Calls(2), Sends(PROBED), Shows("answer 2")] },
    Case { kind: "stop", when: "continues the turn without end", scenario: Answer, says_yes: true,
           hooks: |_| says::<Stop>(|| StopVerdict::continue_with(PROBED)), expect: &[Shows(ANSWER)] },
    Case { kind: "stop", when: "ends the turn that another hook continues", scenario: Answer, says_yes: true,
           hooks: |_| vec![
               Hook::at::<Stop>("continues").reader(|_, _, ()| StopVerdict::continue_with("go on")),
               Hook::at::<Stop>("probe").reader(|_, _, ()| StopVerdict::end(PROBED)),
           ],
           expect: &[Calls(1), Shows(ANSWER), Stores(ANSWER)] },
    Case { kind: "stop", when: "has a message for the person", scenario: Answer, says_yes: true,
           hooks: |_| says::<Stop>(|| StopVerdict::default().with_system_message(PROBED)),
           expect: &[Shows(PROBED), NeverSends(PROBED), Shows(ANSWER)] },
    Case { kind: "stop", when: "adds a context", scenario: Answer, says_yes: true,
           hooks: |_| says::<Stop>(|| StopVerdict::default().with_context(PROBED)), expect: &[Shows(PROBED)] },
    Case { kind: "stop", when: "hides its context", scenario: Answer, says_yes: true,
           hooks: |_| says::<Stop>(|| StopVerdict::default().with_context(PROBED).suppress_output()),
           expect: &[NeverShows(PROBED)] },
    Case { kind: "stop", when: "halts", scenario: Answer, says_yes: true,
           hooks: halts::<Stop>, expect: &[Calls(1)] },
];
