//! The sentences of the test: what a hook does, and what must follow from it.

use std::sync::atomic::{AtomicUsize, Ordering};

use hook_sdk::data::{
    Block, Message, Messages, ModelReply, ModelRequest, ResultRow, Role, ToolCall, ToolInput, ToolResult,
};
use hook_sdk::hook::OnFailure;
use hook_sdk::kinds::{
    AfterCreateMessage, AfterToolCall, AfterToolCallFailure, AfterToolCallSuccess, BeforeAgentStart,
    BeforeCreateMessage, BeforeStoreToolResult, BeforeToolCall, FilterMessages, PermissionRequest, PostModelCall,
    PostPreflightPromptContext, PreModelCall, PrePolicy, PrePromptCompile, PrePromptContext, PreToolMaterialization,
    PrefilterLlmHistory, SessionStart, Stop, StreamDelta, TurnEnd, UserPromptSubmit,
};
use hook_sdk::manifest::KindManifest;
use hook_sdk::verdict::{
    AgentStart, Contexts, Contribution, Halt, Permission, PromptVerdict, ReplyVerdict, Retry, StopVerdict,
};
use hook_sdk::{Hook, HookKind};
use serde_json::json;

use crate::expect::Expect::{
    self, AlwaysSends, Announces, Asks, Calls, EndsCalls, EndsOnce, KeepsSending, NeverRunsWith, NeverSends,
    NeverShows, NeverStores, Offers, Retries, Runs, RunsEachAsItself, RunsIfAsked, RunsWith, Sends, SendsAsThePerson,
    SendsNextTo, Shows, Stores, StoresBefore, StoresNothing, SystemPrompt,
};
use crate::world::{ANSWER, ASIDE, Act, Acts, EDITED, ERROR, OUTPUT, PROMPT, Person, SAID, Scenario, World};

/// The text of all that hooks add.
const PROBED: &str = "conformance probe";
/// The message with which hooks continue a turn.
const FOLLOW_UP: &str = "carry on";

/// One sentence: when hooks do this in that scenario, this must follow.
pub(crate) struct Case {
    /// The kind of the hook that acts. The case is left out if the program does not fire it.
    pub(crate) kind: &'static str,
    /// What the hook does.
    pub(crate) when: &'static str,
    pub(crate) scenario: Scenario,
    pub(crate) person: Person,
    pub(crate) hooks: fn(&Acts) -> Vec<Hook>,
    pub(crate) expect: &'static [Expect],
}

impl Case {
    pub(crate) fn needs_a_person(&self) -> bool {
        !matches!(self.person, Yes | No) || self.expect.iter().any(|expect| matches!(expect, Asks(1..)))
    }
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

/// A hook that has no opinion the first time, and halts from then on.
fn halts_later<K: HookKind>(_: &Acts) -> Vec<Hook> {
    let times = AtomicUsize::new(0);
    let is_later = move || times.fetch_add(1, Ordering::Relaxed) > 0;
    vec![Hook::at::<K>("probe").reader(move |_, _, _| if is_later() { Err(Halt::new(PROBED)) } else { Ok(()) })]
}

/// A required hook that fails from the second time on.
fn fails_later<K: HookKind>(_: &Acts) -> Vec<Hook> {
    let times = AtomicUsize::new(0);
    let is_later = move || times.fetch_add(1, Ordering::Relaxed) > 0;
    let fails = move |_: &_, _: &K, _: &K::Subject| if is_later() { Err(PROBED) } else { Ok(()) };
    vec![Hook::at::<K>("probe").reader(fails).on_failure(OnFailure::Required)]
}

/// A hook that halts at the rows that this selects.
fn halts_at(is_it: fn(&Message) -> bool) -> Vec<Hook> {
    let halts =
        move |_: &_, _: &BeforeCreateMessage, row: &Message| if is_it(row) { Err(Halt::new(PROBED)) } else { Ok(()) };
    vec![Hook::at::<BeforeCreateMessage>("probe").reader(halts)]
}

/// A required hook that fails at the rows that this selects.
fn fails_at(is_it: fn(&Message) -> bool) -> Vec<Hook> {
    let fails = move |_: &_, _: &BeforeCreateMessage, row: &Message| if is_it(row) { Err(PROBED) } else { Ok(()) };
    vec![Hook::at::<BeforeCreateMessage>("probe").reader(fails).on_failure(OnFailure::Required)]
}

/// A hook that halts once these rows are stored.
fn halts_after(is_it: fn(&Message) -> bool) -> Hook {
    Hook::at::<AfterCreateMessage>("probe").reader(
        move |_, event: &AfterCreateMessage, ()| {
            if is_it(&event.message) { Err(Halt::new(PROBED)) } else { Ok(()) }
        },
    )
}

/// A required hook that fails once these rows are stored.
fn fails_after(is_it: fn(&Message) -> bool) -> Hook {
    let fails =
        move |_: &_, event: &AfterCreateMessage, (): &()| if is_it(&event.message) { Err(PROBED) } else { Ok(()) };
    Hook::at::<AfterCreateMessage>("probe").reader(fails).on_failure(OnFailure::Required)
}

/// Attributes each result to a person.
fn attributes() -> Hook {
    Hook::at::<AfterToolCallSuccess>("attributes")
        .writer(|_, _, result: &mut ToolResult| result.said_by = Some(Role::User))
}

/// Masks every row.
fn masks_rows() -> Hook {
    Hook::at::<BeforeCreateMessage>("masks").writer(|_, _, row: &mut Message| {
        row.rewrite_text(|_| Some(PROBED.to_owned()));
    })
}

/// Notes each row that is announced.
fn watches(acts: &Acts) -> Hook {
    let acts = acts.clone();
    Hook::at::<AfterCreateMessage>("watches")
        .reader(move |_, event: &AfterCreateMessage, ()| acts.note(Act::Announced { row: event.message.clone() }))
}

/// Notes the end of the turn.
fn watches_the_end(acts: &Acts) -> Hook {
    let acts = acts.clone();
    Hook::at::<TurnEnd>("watches").reader(move |_, _, ()| acts.note(Act::Ended))
}

/// Notes the end of each call.
fn watches_the_calls(acts: &Acts) -> Hook {
    let acts = acts.clone();
    Hook::at::<AfterToolCall>("watches").reader(move |_, _, ()| acts.note(Act::CallEnded))
}

/// Asks to run the tool again once, if the loop says that it may.
fn retries_once(acts: &Acts) -> Hook {
    retries_once_of(acts, |_| true)
}

/// Asks to run the tool of the calls that this selects again once, if the loop says that it may.
fn retries_once_of(acts: &Acts, is_it: fn(&ToolCall) -> bool) -> Hook {
    let (acts, times) = (acts.clone(), AtomicUsize::new(0));
    Hook::at::<AfterToolCallFailure>("retries").reader(move |_, event: &AfterToolCallFailure, _| {
        if !event.may_retry || !is_it(&event.call) || times.fetch_add(1, Ordering::Relaxed) > 0 {
            return Retry::default();
        }
        acts.note(Act::Retried);
        Retry::After(std::time::Duration::ZERO)
    })
}

/// Sets the input of each call to a word and the call's id.
fn sets_inputs(word: fn(&ToolCall) -> String) -> Vec<Hook> {
    vec![Hook::at::<BeforeToolCall>("sets").writer(move |_, event: &BeforeToolCall, input: &mut ToolInput| {
        **input = json!({ "word": word(&event.call) });
    })]
}

/// A hook that continues the turn once.
fn continues_once(text: &'static str) -> Hook {
    Hook::at::<Stop>("continues").reader(move |_, event: &Stop, ()| {
        if event.stop_hook_active { StopVerdict::default() } else { StopVerdict::continue_with(text) }
    })
}

fn calls_a_tool(row: &Message) -> bool {
    row.tool_calls().next().is_some()
}

fn is_of_a_tool(row: &Message) -> bool {
    row.content.iter().any(|block| matches!(block, Block::ToolResult(_)))
}

fn is_of_the_answer(row: &Message) -> bool {
    row.text().starts_with(ANSWER)
}

fn is_of_the_follow_up(row: &Message) -> bool {
    row.text().contains(FOLLOW_UP)
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

use Person::{Answers, Edits, No, Suspends, Yes, YesOnce};
use Scenario::{Answer, Failure, Tool, TwoFailures, TwoRounds, TwoTools};

/// All sentences about the kinds of a turn.
#[rustfmt::skip]
pub(crate) const CASES: &[Case] = &[
    // The prompt.
    Case { kind: "user_prompt_submit", when: "blocks", scenario: Answer, person: No,
           hooks: |_| says::<UserPromptSubmit>(|| PromptVerdict::block(PROBED)),
           expect: &[Calls(0), StoresNothing] },
    Case { kind: "user_prompt_submit", when: "stops the turn", scenario: Answer, person: No,
           hooks: |_| says::<UserPromptSubmit>(|| PromptVerdict::stop(PROBED)),
           expect: &[Calls(0), StoresNothing] },
    Case { kind: "user_prompt_submit", when: "rewrites the prompt", scenario: Answer, person: No,
           hooks: |_| vec![Hook::at::<UserPromptSubmit>("probe").writer(|_, _, all: &mut Messages| {
               for message in all.iter_mut() { message.rewrite_text(|_| Some(PROBED.to_owned())); }
           })],
           expect: &[Sends(PROBED), NeverSends(PROMPT), NeverStores(PROMPT)] },
    Case { kind: "user_prompt_submit", when: "adds a context", scenario: Tool, person: No,
           hooks: |_| says::<UserPromptSubmit>(|| PromptVerdict::context(PROBED)),
           expect: &[AlwaysSends(PROBED), NeverStores(PROBED), AlwaysSends(PROMPT), SendsNextTo(PROBED, PROMPT)] },
    Case { kind: "user_prompt_submit", when: "adds two contexts", scenario: Answer, person: No,
           hooks: |_| ["first", "second"].into_iter().map(|text| Hook::at::<UserPromptSubmit>(text).reader(move |_, _, _| PromptVerdict::context(format!("the {text} context")))).collect(),
           expect: &[Sends("the first context"), Sends("the second context")] },
    Case { kind: "user_prompt_submit", when: "reads the prompt, and blocks it", scenario: Answer, person: No,
           hooks: |_| vec![Hook::at::<UserPromptSubmit>("probe").reader(|_, event: &UserPromptSubmit, all: &Messages| {
               let last = all.last().is_some_and(|message| message.text() == PROMPT);
               if event.prompt == PROMPT && last { PromptVerdict::block(PROBED) } else { PromptVerdict::default() }
           })],
           expect: &[Calls(0)] },
    Case { kind: "user_prompt_submit", when: "halts", scenario: Answer, person: No,
           hooks: halts::<UserPromptSubmit>, expect: &[Calls(0), StoresNothing] },
    Case { kind: "user_prompt_submit", when: "is required and fails", scenario: Answer, person: No,
           hooks: fails::<UserPromptSubmit>, expect: &[Calls(0), NeverStores(PROMPT)] },
    Case { kind: "session_start", when: "adds a context", scenario: Tool, person: No,
           hooks: |_| says::<SessionStart>(|| Contexts::from(PROBED)), expect: &[AlwaysSends(PROBED)] },
    Case { kind: "session_start", when: "adds two contexts", scenario: Answer, person: No,
           hooks: |_| ["first", "second"].into_iter().map(|text| Hook::at::<SessionStart>(text).reader(move |_, _, ()| Contexts::from(format!("the {text} context")))).collect(),
           expect: &[Sends("the first context"), Sends("the second context")] },
    Case { kind: "before_agent_start", when: "adds two contexts", scenario: Answer, person: No,
           hooks: |_| ["first", "second"].into_iter().map(|text| Hook::at::<BeforeAgentStart>(text).reader(move |_, _, ()| AgentStart::context(format!("the {text} context")))).collect(),
           expect: &[Sends("the first context"), Sends("the second context")] },
    Case { kind: "before_agent_start", when: "sets the system prompt, and another hook rewrites it", scenario: Answer, person: No,
           hooks: |_| vec![
               Hook::at::<BeforeAgentStart>("sets").reader(|_, _, ()| AgentStart::system_prompt("a start ")),
               Hook::at::<PreModelCall>("probe").writer(|_, _, request: &mut ModelRequest| request.system_prompt.push_str(PROBED)),
           ],
           expect: &[SystemPrompt("a start conformance probe")] },
    Case { kind: "session_start", when: "is required and fails", scenario: Answer, person: No,
           hooks: fails::<SessionStart>, expect: &[Calls(0), StoresNothing] },
    Case { kind: "before_agent_start", when: "adds a context", scenario: Tool, person: No,
           hooks: |_| says::<BeforeAgentStart>(|| AgentStart::context(PROBED)), expect: &[AlwaysSends(PROBED)] },
    Case { kind: "before_agent_start", when: "halts", scenario: Answer, person: No,
           hooks: halts::<BeforeAgentStart>, expect: &[Calls(0)] },
    Case { kind: "before_agent_start", when: "sets the system prompt", scenario: Tool, person: No,
           hooks: |_| says::<BeforeAgentStart>(|| AgentStart::system_prompt(PROBED)), expect: &[SystemPrompt(PROBED)] },
    Case { kind: "before_agent_start", when: "is required and fails", scenario: Answer, person: No,
           hooks: fails::<BeforeAgentStart>, expect: &[Calls(0)] },
    Case { kind: "filter_messages", when: "adds a message", scenario: Tool, person: No,
           hooks: |_| vec![Hook::at::<FilterMessages>("probe").writer(|_, _, all: &mut Messages| all.push(Message::new(Role::User, PROBED)))],
           expect: &[AlwaysSends(PROBED), NeverStores(PROBED)] },
    Case { kind: "filter_messages", when: "halts", scenario: Answer, person: No,
           hooks: halts::<FilterMessages>, expect: &[Calls(0), NeverStores(PROMPT)] },
    Case { kind: "filter_messages", when: "is required and fails", scenario: Answer, person: No,
           hooks: fails::<FilterMessages>, expect: &[Calls(0), NeverStores(PROMPT)] },
    Case { kind: "pre_prompt_context", when: "contributes to the prompt", scenario: Tool, person: No,
           hooks: |_| vec![Hook::at::<PrePromptContext>("probe").reader(|_, _, ()| vec![Contribution::prompt_context("probe", "probe", PROBED)])],
           expect: &[AlwaysSends(PROBED), NeverStores(PROBED)] },
    Case { kind: "post_preflight_prompt_context", when: "contributes to the prompt", scenario: Answer, person: No,
           hooks: |_| vec![Hook::at::<PostPreflightPromptContext>("probe").reader(|_, _, ()| vec![Contribution::prompt_context("probe", "probe", PROBED)])],
           expect: &[Sends(PROBED), NeverStores(PROBED)] },
    Case { kind: "pre_prompt_compile", when: "contributes to the prompt", scenario: Tool, person: No,
           hooks: |_| vec![Hook::at::<PrePromptCompile>("probe").reader(|_, _, ()| vec![Contribution::prompt_section("probe", "Probe", PROBED)])],
           expect: &[AlwaysSends(PROBED), NeverStores(PROBED)] },
    Case { kind: "pre_policy", when: "halts", scenario: Answer, person: No,
           hooks: halts::<PrePolicy>, expect: &[Calls(0)] },
    Case { kind: "pre_policy", when: "is required and fails", scenario: Answer, person: No,
           hooks: fails::<PrePolicy>, expect: &[Calls(0)] },
    Case { kind: "pre_prompt_context", when: "halts", scenario: Answer, person: No,
           hooks: halts::<PrePromptContext>, expect: &[Calls(0)] },
    Case { kind: "pre_prompt_context", when: "is required and fails", scenario: Answer, person: No,
           hooks: fails::<PrePromptContext>, expect: &[Calls(0)] },
    Case { kind: "post_preflight_prompt_context", when: "halts", scenario: Answer, person: No,
           hooks: halts::<PostPreflightPromptContext>, expect: &[Calls(0)] },
    Case { kind: "post_preflight_prompt_context", when: "is required and fails", scenario: Answer, person: No,
           hooks: fails::<PostPreflightPromptContext>, expect: &[Calls(0)] },
    Case { kind: "pre_tool_materialization", when: "halts", scenario: Answer, person: No,
           hooks: halts::<PreToolMaterialization>, expect: &[Calls(0)] },
    Case { kind: "pre_tool_materialization", when: "is required and fails", scenario: Answer, person: No,
           hooks: fails::<PreToolMaterialization>, expect: &[Calls(0)] },
    Case { kind: "pre_prompt_compile", when: "halts", scenario: Answer, person: No,
           hooks: halts::<PrePromptCompile>, expect: &[Calls(0)] },
    Case { kind: "pre_prompt_compile", when: "is required and fails", scenario: Answer, person: No,
           hooks: fails::<PrePromptCompile>, expect: &[Calls(0)] },
    Case { kind: "pre_tool_materialization", when: "limits the tools to none", scenario: Tool, person: Yes,
           hooks: |_| vec![Hook::at::<PreToolMaterialization>("probe").reader(|_, _, ()| vec![Contribution::tool_limit("probe", ["no_such_tool"])])],
           expect: &[Runs(0), NeverSends(OUTPUT)] },

    // The model.
    Case { kind: "prefilter_llm_history", when: "adds a message", scenario: Answer, person: No,
           hooks: |_| vec![Hook::at::<PrefilterLlmHistory>("probe").writer(|_, _, all: &mut Messages| all.push(Message::new(Role::User, PROBED)))],
           expect: &[Sends(PROBED), NeverStores(PROBED)] },
    Case { kind: "prefilter_llm_history", when: "masks what a tool said", scenario: TwoRounds, person: No,
           hooks: |_| vec![Hook::at::<PrefilterLlmHistory>("probe").writer(|_, _, all: &mut Messages| {
               for message in all.iter_mut() { message.rewrite_text(|text| text.contains(OUTPUT).then(|| PROBED.to_owned())); }
           })],
           expect: &[NeverSends(OUTPUT)] },
    Case { kind: "prefilter_llm_history", when: "is required and fails", scenario: Answer, person: No,
           hooks: fails::<PrefilterLlmHistory>, expect: &[Calls(0)] },
    Case { kind: "prefilter_llm_history", when: "halts", scenario: Answer, person: No,
           hooks: halts::<PrefilterLlmHistory>, expect: &[Calls(0)] },
    Case { kind: "pre_model_call", when: "rewrites the system prompt", scenario: TwoRounds, person: No,
           hooks: |_| vec![Hook::at::<PreModelCall>("probe").writer(|_, _, request: &mut ModelRequest| request.system_prompt.push_str(PROBED))],
           expect: &[AlwaysSends(PROBED)] },
    Case { kind: "pre_model_call", when: "replaces the system prompt", scenario: Tool, person: Yes,
           hooks: |_| vec![Hook::at::<PreModelCall>("probe").writer(|_, _, request: &mut ModelRequest| PROBED.clone_into(&mut request.system_prompt))],
           expect: &[SystemPrompt(PROBED)] },
    Case { kind: "pre_model_call", when: "chooses the profile", scenario: Tool, person: Yes,
           hooks: |_| vec![Hook::at::<PreModelCall>("probe").writer(|_, _, request: &mut ModelRequest| request.profile = Some(World::PROFILE.to_owned()))],
           expect: &[AlwaysSends(World::PROFILE)] },
    Case { kind: "pre_model_call", when: "offers one tool", scenario: Answer, person: Yes,
           hooks: |_| vec![Hook::at::<PreModelCall>("probe").writer(|_, _, request: &mut ModelRequest| request.tools = Some(vec!["find".to_owned()]))],
           expect: &[Offers(&["find"])] },
    Case { kind: "pre_model_call", when: "offers no tool", scenario: Answer, person: Yes,
           hooks: |_| vec![Hook::at::<PreModelCall>("probe").writer(|_, _, request: &mut ModelRequest| request.tools = Some(Vec::new()))],
           expect: &[Offers(&[])] },
    Case { kind: "pre_model_call", when: "halts later", scenario: TwoRounds, person: Yes,
           hooks: halts_later::<PreModelCall>, expect: &[Calls(1)] },
    Case { kind: "pre_model_call", when: "is required and fails later", scenario: TwoRounds, person: Yes,
           hooks: fails_later::<PreModelCall>, expect: &[Calls(1)] },
    Case { kind: "prefilter_llm_history", when: "halts later", scenario: TwoRounds, person: Yes,
           hooks: halts_later::<PrefilterLlmHistory>, expect: &[Calls(1)] },
    Case { kind: "prefilter_llm_history", when: "is required and fails later", scenario: TwoRounds, person: Yes,
           hooks: fails_later::<PrefilterLlmHistory>, expect: &[Calls(1)] },
    Case { kind: "post_model_call", when: "asks for another answer, and another hook rewrites each history", scenario: Answer, person: No,
           hooks: |_| vec![
               Hook::at::<PrefilterLlmHistory>("probe").writer(|_, _, all: &mut Messages| {
                   for message in all.iter_mut() { message.rewrite_text(|text| (text == PROMPT).then(|| PROBED.to_owned())); }
               }),
               Hook::at::<PostModelCall>("asks").writer(|_, _, reply: &mut ModelReply| {
                   if reply.messages.iter().any(|message| message.text() == "again") { return ReplyVerdict::NoOpinion; }
                   reply.messages.push(Message::new(Role::User, "again"));
                   ReplyVerdict::Continue
               }),
           ],
           expect: &[Calls(2), AlwaysSends(PROBED), NeverSends(PROMPT)] },
    Case { kind: "post_model_call", when: "is required and fails later", scenario: TwoRounds, person: Yes,
           hooks: fails_later::<PostModelCall>, expect: &[Runs(1), Calls(2), NeverStores("call_2")] },
    Case { kind: "post_model_call", when: "halts later", scenario: TwoRounds, person: Yes,
           hooks: halts_later::<PostModelCall>, expect: &[Calls(2), NeverSends("call_2")] },
    Case { kind: "pre_model_call", when: "sets every option", scenario: Answer, person: No,
           hooks: |_| vec![Hook::at::<PreModelCall>("probe").writer(|_, _, request: &mut ModelRequest| {
               request.tool_choice = Some("probed choice".to_owned());
               request.temperature = Some(0.125);
               request.output_schema = Some(json!({ "title": "probed schema" }));
               request.extra.insert("probed_field".to_owned(), json!(true));
           })],
           expect: &[Sends("probed choice"), Sends("0.125"), Sends("probed schema"), Sends("probed_field")] },
    Case { kind: "pre_model_call", when: "limits the tokens", scenario: Answer, person: No,
           hooks: |_| vec![Hook::at::<PreModelCall>("probe").writer(|_, _, request: &mut ModelRequest| request.max_tokens = Some(4_321))],
           expect: &[Sends("4321")] },
    Case { kind: "pre_model_call", when: "answers in the model's place", scenario: Tool, person: No,
           hooks: |_| vec![Hook::at::<PreModelCall>("probe").writer(|_, _, request: &mut ModelRequest| *request = request.clone().answer(PROBED))],
           expect: &[Calls(0), Shows(PROBED), Stores(PROBED)] },
    Case { kind: "pre_model_call", when: "halts", scenario: Answer, person: No,
           hooks: halts::<PreModelCall>, expect: &[Calls(0)] },
    Case { kind: "pre_model_call", when: "is required and fails", scenario: Answer, person: No,
           hooks: fails::<PreModelCall>, expect: &[Calls(0)] },
    Case { kind: "post_model_call", when: "rewrites the answer", scenario: Answer, person: No,
           hooks: |_| vec![Hook::at::<PostModelCall>("probe").writer(|_, _, reply: &mut ModelReply| reply.content = vec![PROBED.into()])],
           expect: &[Shows(PROBED), Stores(PROBED), NeverShows(ANSWER), NeverStores(ANSWER)] },
    Case { kind: "post_model_call", when: "rewrites the answer after a tool", scenario: Tool, person: Yes,
           hooks: |_| vec![Hook::at::<PostModelCall>("probe").writer(|_, _, reply: &mut ModelReply| {
               if !reply.content.iter().any(|block| matches!(block, Block::ToolUse(_))) { reply.content = vec![PROBED.into()]; }
           })],
           expect: &[NeverShows(ANSWER), NeverStores(ANSWER)] },
    Case { kind: "post_model_call", when: "rewrites the input of a call", scenario: Tool, person: Yes,
           hooks: |_| vec![Hook::at::<PostModelCall>("probe").writer(|_, _, reply: &mut ModelReply| {
               for block in &mut reply.content {
                   if let Block::ToolUse(call) = block { call.input = json!({ "word": PROBED }).into(); }
               }
           })],
           expect: &[NeverRunsWith("blue"), NeverStores("blue"), NeverSends("blue")] },
    Case { kind: "post_model_call", when: "removes the calls of each answer", scenario: TwoTools, person: Yes,
           hooks: |_| vec![Hook::at::<PostModelCall>("probe").writer(|_, _, reply: &mut ModelReply| {
               reply.content.retain(|block| !matches!(block, Block::ToolUse(call) if call.id == "call_2"));
           })],
           expect: &[NeverStores("call_2"), NeverSends("call_2")] },
    Case { kind: "post_model_call", when: "removes a tool call", scenario: Tool, person: No,
           hooks: |_| vec![Hook::at::<PostModelCall>("probe").writer(|_, _, reply: &mut ModelReply| {
               if reply.content.iter().any(|block| matches!(block, Block::ToolUse(_))) { reply.content = vec![PROBED.into()]; }
           })],
           expect: &[Runs(0), NeverStores("call_1")] },
    Case { kind: "post_model_call", when: "asks for another answer", scenario: Answer, person: No,
           hooks: |_| vec![Hook::at::<PostModelCall>("probe").writer(|_, _, reply: &mut ModelReply| {
               if reply.messages.iter().any(|message| message.text() == PROBED) { return ReplyVerdict::NoOpinion; }
               reply.messages.push(Message::new(Role::User, PROBED));
               ReplyVerdict::Continue
           })],
           expect: &[Calls(2), Sends(PROBED), Shows("answer 2"), NeverShows("answer 1"), NeverStores("answer 1"), NeverSends("answer 1")] },
    Case { kind: "post_model_call", when: "asks for another answer of another profile", scenario: Answer, person: No,
           hooks: |_| vec![Hook::at::<PostModelCall>("probe").writer(|_, _, reply: &mut ModelReply| {
               if reply.messages.iter().any(|message| message.text() == PROBED) { return ReplyVerdict::NoOpinion; }
               reply.messages.push(Message::new(Role::User, PROBED));
               reply.profile = Some(World::PROFILE.to_owned());
               ReplyVerdict::Continue
           })],
           expect: &[Calls(2), Sends(World::PROFILE)] },
    Case { kind: "post_model_call", when: "asks for another answer, and rewrites each request and answer", scenario: Answer, person: No,
           hooks: |_| vec![
               Hook::at::<PreModelCall>("prepares").writer(|_, _, request: &mut ModelRequest| request.system_prompt.push_str("a prepared prompt")),
               Hook::at::<PostModelCall>("probe").writer(|_, _, reply: &mut ModelReply| {
                   reply.content = vec![PROBED.into()];
                   if reply.messages.iter().any(|message| message.text() == "again") { return ReplyVerdict::NoOpinion; }
                   reply.messages.push(Message::new(Role::User, "again"));
                   ReplyVerdict::Continue
               }),
           ],
           expect: &[Calls(2), AlwaysSends("a prepared prompt"), Shows(PROBED), NeverShows(ANSWER)] },
    Case { kind: "post_model_call", when: "keeps the answer", scenario: Answer, person: No,
           hooks: |_| says::<PostModelCall>(|| ReplyVerdict::Stop), expect: &[Calls(1), Shows("answer 1"), Stores("answer 1")] },
    Case { kind: "post_model_call", when: "asks for another answer without end", scenario: Answer, person: No,
           hooks: |_| says::<PostModelCall>(|| ReplyVerdict::Continue), expect: &[] },
    Case { kind: "post_model_call", when: "halts", scenario: Tool, person: No,
           hooks: halts::<PostModelCall>, expect: &[Runs(0), Calls(1)] },
    Case { kind: "post_model_call", when: "is required and fails", scenario: Tool, person: No,
           hooks: fails::<PostModelCall>, expect: &[Runs(0), NeverShows(ANSWER)] },
    Case { kind: "stream_delta", when: "denies", scenario: Answer, person: No,
           hooks: |_| says::<StreamDelta>(|| Permission::deny(PROBED)), expect: &[NeverShows(ANSWER), NeverStores(ANSWER)] },
    Case { kind: "stream_delta", when: "asks", scenario: Answer, person: Yes,
           hooks: |_| says::<StreamDelta>(|| Permission::ask(PROBED)), expect: &[NeverShows(ANSWER), NeverStores(ANSWER)] },
    Case { kind: "stream_delta", when: "defers", scenario: Answer, person: Yes,
           hooks: |_| says::<StreamDelta>(|| Permission::defer(PROBED)), expect: &[NeverShows(ANSWER), NeverStores(ANSWER)] },
    Case { kind: "stream_delta", when: "fails", scenario: Answer, person: Yes,
           hooks: |_| vec![Hook::at::<StreamDelta>("probe").reader(|_, _, _| Err::<(), _>(PROBED))],
           expect: &[NeverShows(ANSWER), NeverStores(ANSWER)] },
    Case { kind: "stream_delta", when: "halts", scenario: Answer, person: Yes,
           hooks: halts::<StreamDelta>, expect: &[NeverShows(ANSWER), NeverStores(ANSWER)] },
    Case { kind: "stream_delta", when: "is required and fails", scenario: Answer, person: Yes,
           hooks: fails::<StreamDelta>, expect: &[NeverShows(ANSWER), NeverStores(ANSWER)] },
    Case { kind: "stream_delta", when: "rewrites a word that it holds, whatever its pieces", scenario: Answer, person: No,
           hooks: |_| vec![Hook::at::<StreamDelta>("probe").replacer(|_, _, window: String| window.replace(ANSWER, PROBED)).hold(20)],
           expect: &[Shows("conformance probe1"), NeverShows(ANSWER)] },
    Case { kind: "stream_delta", when: "holds more than the answer", scenario: Answer, person: No,
           hooks: |_| vec![Hook::at::<StreamDelta>("probe").reader(|_, _, _| ()).hold(1_000)], expect: &[Shows("answer 1")] },
    Case { kind: "stream_delta", when: "adds to the last window", scenario: Answer, person: No,
           hooks: |_| vec![Hook::at::<StreamDelta>("probe").replacer(|_, event: &StreamDelta, window: String| {
               if event.last { window + PROBED } else { window }
           }).hold(20)],
           expect: &[Shows("answer 1conformance probe")] },
    Case { kind: "stream_delta", when: "denies what it holds", scenario: Answer, person: Yes,
           hooks: |_| vec![Hook::at::<StreamDelta>("probe").reader(|_, _, window: &String| {
               if window.contains(ANSWER) { Permission::deny(PROBED) } else { Permission::NoOpinion }
           }).hold(20)],
           expect: &[NeverShows(ANSWER), NeverStores(ANSWER)] },
    Case { kind: "stream_delta", when: "denies the last piece", scenario: Answer, person: Yes,
           hooks: |_| vec![Hook::at::<StreamDelta>("probe").reader(|_, _, window: &String| {
               if window.contains('1') { Permission::deny(PROBED) } else { Permission::NoOpinion }
           })],
           expect: &[NeverShows("answer 1"), NeverStores("answer 1")] },
    Case { kind: "stream_delta", when: "reads what was shown, and denies", scenario: Answer, person: Yes,
           hooks: |_| vec![Hook::at::<StreamDelta>("probe").reader(|_, event: &StreamDelta, window: &String| {
               if format!("{}{window}", event.shown).contains("answer 1") { Permission::deny(PROBED) } else { Permission::NoOpinion }
           })],
           expect: &[NeverShows("answer 1"), NeverStores("answer 1")] },
    Case { kind: "stream_delta", when: "rewrites the window", scenario: Answer, person: No,
           hooks: |_| vec![Hook::at::<StreamDelta>("probe").replacer(|_, _, _: String| PROBED.to_owned())],
           expect: &[Shows(PROBED), NeverShows(ANSWER)] },

    // A tool call.
    Case { kind: "before_tool_call", when: "denies", scenario: Tool, person: Yes,
           hooks: |_| gate(|| Permission::deny(PROBED)), expect: &[Runs(0), Sends(PROBED), NeverSends(OUTPUT)] },
    Case { kind: "before_tool_call", when: "denies each of two calls", scenario: TwoTools, person: Yes,
           hooks: |_| gate(|| Permission::deny(PROBED)), expect: &[Runs(0), Sends(PROBED)] },
    Case { kind: "before_tool_call", when: "denies each call of two answers", scenario: TwoRounds, person: Yes,
           hooks: |_| gate(|| Permission::deny(PROBED)), expect: &[Runs(0), Sends(PROBED), Calls(3)] },
    Case { kind: "before_tool_call", when: "halts at the first of two calls only", scenario: TwoTools, person: Yes,
           hooks: |_| vec![Hook::at::<BeforeToolCall>("probe").reader(|_, event: &BeforeToolCall, _| {
               if event.call.id == "call_1" { Err(Halt::new(PROBED)) } else { Ok(()) }
           })],
           expect: &[Runs(0), Calls(1)] },
    Case { kind: "before_tool_call", when: "halts later", scenario: TwoRounds, person: Yes,
           hooks: halts_later::<BeforeToolCall>, expect: &[Runs(1), Calls(2)] },
    Case { kind: "before_tool_call", when: "is required and fails later", scenario: TwoRounds, person: Yes,
           hooks: fails_later::<BeforeToolCall>, expect: &[Runs(1)] },
    Case { kind: "before_tool_call", when: "rewrites the inputs of two calls", scenario: TwoTools, person: Yes,
           hooks: |_| sets_inputs(|call| format!("probed {}", call.id)), expect: &[Runs(2), RunsWith("probed call_1"), RunsWith("probed call_2"), NeverRunsWith("blue"), RunsEachAsItself] },
    Case { kind: "before_tool_call", when: "rewrites the inputs of two answers", scenario: TwoRounds, person: Yes,
           hooks: |_| sets_inputs(|call| format!("probed {}", call.id)), expect: &[Runs(2), RunsWith("probed call_1"), RunsWith("probed call_2"), NeverRunsWith("blue")] },
    Case { kind: "before_tool_call", when: "denies the second of two calls", scenario: TwoTools, person: Yes,
           hooks: |_| vec![Hook::at::<BeforeToolCall>("probe").reader(|_, event: &BeforeToolCall, _| {
               if event.call.id == "call_2" { Permission::deny(PROBED) } else { Permission::NoOpinion }
           })],
           expect: &[Runs(1), Sends(PROBED), Sends(OUTPUT)] },
    Case { kind: "before_tool_call", when: "reads the call and its input, and denies", scenario: Tool, person: Yes,
           hooks: |_| vec![Hook::at::<BeforeToolCall>("probe").reader(|_, event: &BeforeToolCall, input: &ToolInput| {
               let blue = json!({ "word": "blue" });
               let is_it = (&*event.call.name, &*event.call.id) == ("find", "call_1") && *event.call.input == blue && **input == blue;
               if is_it { Permission::deny(PROBED) } else { Permission::NoOpinion }
           })],
           expect: &[Runs(0), Sends(PROBED)] },
    Case { kind: "before_tool_call", when: "fails", scenario: Tool, person: Yes,
           hooks: |_| vec![Hook::at::<BeforeToolCall>("probe").reader(|_, _, _| Err::<(), _>(PROBED))],
           expect: &[Runs(0)] },
    Case { kind: "before_tool_call", when: "is required and fails", scenario: Tool, person: Yes,
           hooks: fails::<BeforeToolCall>, expect: &[Runs(0)] },
    Case { kind: "before_tool_call", when: "halts", scenario: Tool, person: Yes,
           hooks: halts::<BeforeToolCall>, expect: &[Runs(0), Calls(1), Shows(PROBED)] },
    Case { kind: "before_tool_call", when: "halts at the first of two calls", scenario: TwoTools, person: Yes,
           hooks: halts::<BeforeToolCall>, expect: &[Runs(0), Calls(1)] },
    Case { kind: "before_tool_call", when: "asks, and the person says no", scenario: Tool, person: No,
           hooks: |_| gate(|| Permission::ask(PROBED)), expect: &[Runs(0), NeverSends(OUTPUT)] },
    Case { kind: "before_tool_call", when: "asks, and the person says yes", scenario: Tool, person: Yes,
           hooks: |_| gate(|| Permission::ask(PROBED)), expect: &[Asks(1), Runs(1), Sends(OUTPUT)] },
    Case { kind: "before_tool_call", when: "asks, and the person edits the input", scenario: Tool, person: Edits,
           hooks: |_| gate(|| Permission::ask(PROBED)), expect: &[Asks(1), Runs(1), RunsWith(EDITED), NeverRunsWith("blue")] },
    Case { kind: "before_tool_call", when: "asks about each of two calls", scenario: TwoTools, person: Yes,
           hooks: |_| gate(|| Permission::ask(PROBED)), expect: &[Asks(2), Runs(2)] },
    Case { kind: "before_tool_call", when: "asks about each call of two answers", scenario: TwoRounds, person: Yes,
           hooks: |_| gate(|| Permission::ask(PROBED)), expect: &[Asks(2), Runs(2)] },
    Case { kind: "before_tool_call", when: "asks about each of two calls, and the person says yes once", scenario: TwoTools, person: YesOnce,
           hooks: |_| gate(|| Permission::ask(PROBED)), expect: &[Asks(2), Runs(1)] },
    Case { kind: "before_tool_call", when: "asks about each call of two answers, and the person says yes once", scenario: TwoRounds, person: YesOnce,
           hooks: |_| gate(|| Permission::ask(PROBED)), expect: &[Asks(2), Runs(1)] },
    Case { kind: "before_tool_call", when: "asks about each of two calls, and the person says no", scenario: TwoTools, person: No,
           hooks: |_| gate(|| Permission::ask(PROBED)), expect: &[Asks(2), Runs(0)] },
    Case { kind: "before_tool_call", when: "rewrites the input and asks", scenario: Tool, person: Yes,
           hooks: |_| vec![Hook::at::<BeforeToolCall>("probe").writer(|_, _, input: &mut ToolInput| {
               **input = json!({ "word": PROBED });
               Permission::ask("may it?")
           })],
           expect: &[Asks(1), Runs(1), RunsWith(PROBED), NeverRunsWith("blue")] },
    Case { kind: "before_tool_call", when: "asks, and denies the input that the person edits", scenario: Tool, person: Edits,
           hooks: |_| vec![Hook::at::<BeforeToolCall>("probe").reader(|_, _, input: &ToolInput| {
               if input["word"] == EDITED { Permission::deny(PROBED) } else { Permission::ask("may it?") }
           })],
           expect: &[Runs(0), Sends(PROBED)] },
    Case { kind: "before_tool_call", when: "asks, and rewrites the input that the person edits", scenario: Tool, person: Edits,
           hooks: |_| vec![Hook::at::<BeforeToolCall>("probe").writer(|_, _, input: &mut ToolInput| {
               if input["word"] != EDITED { return Permission::ask("may it?"); }
               **input = json!({ "word": PROBED });
               Permission::NoOpinion
           })],
           expect: &[Asks(2), Runs(1), RunsWith(PROBED), NeverRunsWith(EDITED)] },
    Case { kind: "before_tool_call", when: "asks, and the person answers in the tool's place", scenario: Tool, person: Answers,
           hooks: |_| gate(|| Permission::ask(PROBED)), expect: &[Asks(1), Runs(0), Sends(SAID)] },
    Case { kind: "before_tool_call", when: "asks, and nobody can answer yet", scenario: Tool, person: Suspends,
           hooks: |_| gate(|| Permission::ask(PROBED)), expect: &[Runs(0), NeverSends(OUTPUT)] },
    Case { kind: "before_tool_call", when: "sees a call that a hook makes in the model's place", scenario: Answer, person: Yes,
           hooks: |_| vec![Hook::at::<PreModelCall>("probe").writer(|_, event: &PreModelCall, request: &mut ModelRequest| {
               if !event.messages.iter().any(is_of_a_tool) {
                   request.answer = Some(vec![Block::ToolUse(ToolCall::new("call_1", "find", json!({ "word": "blue" })))]);
               }
           })],
           expect: &[Runs(1), Calls(1), Sends(OUTPUT)] },
    Case { kind: "before_tool_call", when: "defers, and the person says yes", scenario: Tool, person: Yes,
           hooks: |_| gate(|| Permission::defer(PROBED)), expect: &[RunsIfAsked] },
    Case { kind: "before_tool_call", when: "defers, and the person says no", scenario: Tool, person: No,
           hooks: |_| gate(|| Permission::defer(PROBED)), expect: &[Runs(0), NeverSends(OUTPUT)] },
    Case { kind: "before_tool_call", when: "answers in the tool's place", scenario: Tool, person: Yes,
           hooks: |_| gate(|| Permission::answer(ToolResult::new(PROBED))),
           expect: &[Runs(0), Sends(PROBED), Stores(PROBED), NeverSends("\"is_error\":true")] },
    Case { kind: "before_tool_call", when: "rewrites the input", scenario: Tool, person: Yes,
           hooks: |_| vec![Hook::at::<BeforeToolCall>("probe").writer(|_, _, input: &mut ToolInput| **input = json!({ "word": PROBED }))],
           expect: &[Runs(1), RunsWith(PROBED), NeverRunsWith("blue")] },
    Case { kind: "permission_request", when: "allows in the person's place", scenario: Tool, person: No,
           hooks: |_| asks_and(Hook::at::<PermissionRequest>("probe").reader(|_, _, _| Permission::Allow)),
           expect: &[Asks(0), Runs(1)] },
    Case { kind: "permission_request", when: "denies in the person's place", scenario: Tool, person: Yes,
           hooks: |_| asks_and(Hook::at::<PermissionRequest>("probe").reader(|_, _, _| Permission::deny(PROBED))),
           expect: &[Asks(0), Runs(0)] },
    Case { kind: "permission_request", when: "denies each of two calls", scenario: TwoTools, person: Yes,
           hooks: |_| asks_and(Hook::at::<PermissionRequest>("probe").reader(|_, _, _| Permission::deny(PROBED))),
           expect: &[Asks(0), Runs(0)] },
    Case { kind: "permission_request", when: "denies what a gate defers", scenario: Tool, person: Yes,
           hooks: |_| vec![
               Hook::at::<BeforeToolCall>("defers").reader(|_, _, _| Permission::defer(PROBED)),
               Hook::at::<PermissionRequest>("probe").reader(|_, _, _| Permission::deny("no")),
           ],
           expect: &[Asks(0), Runs(0)] },
    Case { kind: "permission_request", when: "rewrites the input without an opinion", scenario: Tool, person: Yes,
           hooks: |_| vec![
               Hook::at::<BeforeToolCall>("asks").reader(|_, _, input: &ToolInput| {
                   if input["word"] == PROBED { Permission::deny("no") } else { Permission::ask("may it?") }
               }),
               Hook::at::<PermissionRequest>("probe").writer(|_, _, input: &mut ToolInput| **input = json!({ "word": PROBED })),
           ],
           expect: &[NeverRunsWith(PROBED)] },
    Case { kind: "permission_request", when: "is required and fails later", scenario: TwoRounds, person: Yes,
           hooks: |acts| asks_and(fails_later::<PermissionRequest>(acts).remove(0)),
           expect: &[NeverSends("tool output of call_2")] },
    Case { kind: "permission_request", when: "halts later", scenario: TwoRounds, person: Yes,
           hooks: |acts| asks_and(halts_later::<PermissionRequest>(acts).remove(0)),
           expect: &[Calls(2)] },
    Case { kind: "permission_request", when: "answers in the tool's place", scenario: Tool, person: Yes,
           hooks: |_| asks_and(Hook::at::<PermissionRequest>("probe").reader(|_, _, _| Permission::answer(ToolResult::new("a given answer")))),
           expect: &[Asks(0), Runs(0), Sends("a given answer")] },
    Case { kind: "permission_request", when: "asks", scenario: Tool, person: No,
           hooks: |_| asks_and(Hook::at::<PermissionRequest>("probe").reader(|_, _, _| Permission::ask("may it?"))),
           expect: &[Asks(1), Runs(0)] },
    Case { kind: "permission_request", when: "defers", scenario: Tool, person: No,
           hooks: |_| asks_and(Hook::at::<PermissionRequest>("probe").reader(|_, _, _| Permission::defer("later"))),
           expect: &[Asks(1), Runs(0)] },
    Case { kind: "permission_request", when: "fails", scenario: Tool, person: Yes,
           hooks: |_| asks_and(Hook::at::<PermissionRequest>("probe").reader(|_, _, _| Err::<(), _>(PROBED))),
           expect: &[Runs(0)] },
    Case { kind: "permission_request", when: "is required and fails", scenario: Tool, person: Yes,
           hooks: |_| asks_and(fails::<PermissionRequest>(&Acts::default()).remove(0)), expect: &[Runs(0)] },
    Case { kind: "permission_request", when: "allows with another input that a gate denies", scenario: Tool, person: Yes,
           hooks: |_| {
               let mut hooks = asks_and(Hook::at::<PermissionRequest>("probe").writer(|_, _, input: &mut ToolInput| {
                   **input = json!({ "word": PROBED });
                   Permission::Allow
               }));
               hooks.push(Hook::at::<BeforeToolCall>("limit").reader(|_, _, input: &ToolInput| {
                   if input["word"] == PROBED { Permission::deny("no") } else { Permission::NoOpinion }
               }));
               hooks
           },
           expect: &[NeverRunsWith(PROBED)] },
    Case { kind: "permission_request", when: "allows with another input", scenario: Tool, person: Yes,
           hooks: |_| vec![
               Hook::at::<BeforeToolCall>("asks").reader(|_, _, input: &ToolInput| {
                   if input["word"] == PROBED { Permission::NoOpinion } else { Permission::ask("may it?") }
               }),
               Hook::at::<PermissionRequest>("probe").writer(|_, _, input: &mut ToolInput| {
                   **input = json!({ "word": PROBED });
                   Permission::Allow
               }),
           ],
           expect: &[Runs(1), RunsWith(PROBED), NeverRunsWith("blue")] },
    Case { kind: "permission_request", when: "halts", scenario: Tool, person: Yes,
           hooks: |_| asks_and(Hook::at::<PermissionRequest>("probe").reader(|_, _, _| Err::<(), _>(Halt::new(PROBED)))),
           expect: &[Runs(0), Calls(1)] },
    Case { kind: "after_tool_call_success", when: "rewrites the result", scenario: Tool, person: Yes,
           hooks: |_| vec![Hook::at::<AfterToolCallSuccess>("probe").writer(|_, _, result: &mut ToolResult| probed(result))],
           expect: &[Runs(1), Sends(PROBED), NeverSends(OUTPUT), NeverStores(OUTPUT), NeverShows(OUTPUT)] },
    Case { kind: "after_tool_call_success", when: "adds a context", scenario: Tool, person: Yes,
           hooks: |_| vec![Hook::at::<AfterToolCallSuccess>("probe").writer(|_, _, result: &mut ToolResult| result.add_context(PROBED))],
           expect: &[Sends(PROBED), Sends(OUTPUT)] },
    Case { kind: "after_tool_call_success", when: "attributes the result to a person", scenario: Tool, person: Yes,
           hooks: |_| vec![Hook::at::<AfterToolCallSuccess>("probe").writer(|_, _, result: &mut ToolResult| result.said_by = Some(Role::User))],
           expect: &[SendsAsThePerson(OUTPUT)] },
    Case { kind: "after_tool_call_success", when: "removes the result", scenario: Tool, person: Yes,
           hooks: |_| vec![Hook::at::<AfterToolCallSuccess>("probe").replacer(|_, _, _: ToolResult| None::<ToolResult>)],
           expect: &[NeverSends(OUTPUT), NeverStores(OUTPUT), NeverShows(OUTPUT)] },
    Case { kind: "after_tool_call_success", when: "sees the answer of a gate", scenario: Tool, person: Yes,
           hooks: |_| vec![
               Hook::at::<BeforeToolCall>("answers").reader(|_, _, _| Permission::answer(ToolResult::new("a secret answer"))),
               Hook::at::<AfterToolCallSuccess>("probe").writer(|_, _, result: &mut ToolResult| probed(result)),
           ],
           expect: &[Runs(0), NeverSends("a secret answer"), Sends(PROBED)] },
    Case { kind: "after_tool_call_success", when: "adds two contexts", scenario: Tool, person: Yes,
           hooks: |_| vec![Hook::at::<AfterToolCallSuccess>("probe").writer(|_, _, result: &mut ToolResult| {
               result.add_context("the first context");
               result.add_context("the second context");
           })],
           expect: &[Sends("the first context"), Sends("the second context")] },
    Case { kind: "after_tool_call_success", when: "adds a context to each of two results", scenario: TwoTools, person: Yes,
           hooks: |_| vec![Hook::at::<AfterToolCallSuccess>("probe").writer(|_, event: &AfterToolCallSuccess, result: &mut ToolResult| {
               result.add_context(format!("the context of {}", event.call.id));
           })],
           expect: &[Sends("the context of call_1"), Sends("the context of call_2")] },
    Case { kind: "after_tool_call_success", when: "adds a context to the results of two answers", scenario: TwoRounds, person: Yes,
           hooks: |_| vec![Hook::at::<AfterToolCallSuccess>("probe").writer(|_, event: &AfterToolCallSuccess, result: &mut ToolResult| {
               result.add_context(format!("the context of {}", event.call.id));
           })],
           expect: &[KeepsSending("the context of call_1"), KeepsSending("the context of call_2")] },
    Case { kind: "after_tool_call_success", when: "rewrites the result, and another halts", scenario: Tool, person: Yes,
           hooks: |acts| [vec![Hook::at::<AfterToolCallSuccess>("masks").writer(|_, _, result: &mut ToolResult| probed(result))], halts::<AfterToolCallSuccess>(acts)].concat(),
           expect: &[Calls(1), NeverStores(OUTPUT), NeverShows(OUTPUT)] },
    Case { kind: "after_tool_call_success", when: "halts later", scenario: TwoRounds, person: Yes,
           hooks: halts_later::<AfterToolCallSuccess>, expect: &[Runs(2), Calls(2)] },
    Case { kind: "after_tool_call_success", when: "is required and fails later", scenario: TwoRounds, person: Yes,
           hooks: fails_later::<AfterToolCallSuccess>, expect: &[Runs(2), Calls(2)] },
    Case { kind: "after_tool_call_success", when: "sees the result that a person gave", scenario: Tool, person: Answers,
           hooks: |_| asks_and(Hook::at::<AfterToolCallSuccess>("probe").writer(|_, _, result: &mut ToolResult| probed(result))),
           expect: &[Runs(0), NeverSends(SAID), Sends(PROBED)] },
    Case { kind: "after_tool_call_success", when: "rewrites the results of two calls", scenario: TwoTools, person: Yes,
           hooks: |_| vec![Hook::at::<AfterToolCallSuccess>("probe").writer(|_, _, result: &mut ToolResult| probed(result))],
           expect: &[Runs(2), NeverSends(OUTPUT), NeverStores(OUTPUT)] },
    Case { kind: "after_tool_call_success", when: "rewrites the results of two answers", scenario: TwoRounds, person: Yes,
           hooks: |_| vec![Hook::at::<AfterToolCallSuccess>("probe").writer(|_, _, result: &mut ToolResult| probed(result))],
           expect: &[Runs(2), NeverSends(OUTPUT), NeverStores(OUTPUT)] },
    Case { kind: "after_tool_call_success", when: "reads the call and the input that ran, and rewrites", scenario: Tool, person: Yes,
           hooks: |_| vec![
               Hook::at::<BeforeToolCall>("edits").writer(|_, _, input: &mut ToolInput| **input = json!({ "word": EDITED })),
               Hook::at::<AfterToolCallSuccess>("probe").writer(|_, event: &AfterToolCallSuccess, result: &mut ToolResult| {
                   if event.call.name == "find" && event.input["word"] == EDITED && result.text().starts_with(OUTPUT) { probed(result); }
               }),
           ],
           expect: &[Sends(PROBED), NeverSends(OUTPUT)] },
    Case { kind: "after_tool_call_success", when: "halts", scenario: Tool, person: Yes,
           hooks: halts::<AfterToolCallSuccess>, expect: &[Runs(1), Calls(1), Stores(OUTPUT)] },
    Case { kind: "after_tool_call_success", when: "halts after the first of two calls", scenario: TwoTools, person: Yes,
           hooks: halts::<AfterToolCallSuccess>, expect: &[Calls(1)] },
    Case { kind: "after_tool_call_success", when: "is required and fails", scenario: Tool, person: Yes,
           hooks: fails::<AfterToolCallSuccess>, expect: &[NeverSends(OUTPUT), NeverStores(OUTPUT), NeverShows(OUTPUT)] },
    Case { kind: "after_tool_call_failure", when: "halts later", scenario: TwoFailures, person: Yes,
           hooks: halts_later::<AfterToolCallFailure>, expect: &[Calls(2)] },
    Case { kind: "after_tool_call_failure", when: "is required and fails later", scenario: TwoFailures, person: Yes,
           hooks: fails_later::<AfterToolCallFailure>, expect: &[Calls(2)] },
    Case { kind: "after_tool_call_failure", when: "rewrites the result", scenario: Failure, person: Yes,
           hooks: |_| vec![Hook::at::<AfterToolCallFailure>("probe").writer(|_, _, result: &mut ToolResult| probed(result))],
           expect: &[Sends(PROBED), NeverSends(ERROR), NeverStores(ERROR)] },
    Case { kind: "after_tool_call_failure", when: "reads the call and the error, and rewrites", scenario: Failure, person: Yes,
           hooks: |_| vec![Hook::at::<AfterToolCallFailure>("probe").writer(|_, event: &AfterToolCallFailure, result: &mut ToolResult| {
               if event.call.name == "fail" && event.error.contains(ERROR) && event.input["word"] == "blue" { probed(result); }
           })],
           expect: &[Sends(PROBED), NeverSends(ERROR)] },
    Case { kind: "after_tool_call_failure", when: "adds a context", scenario: Failure, person: Yes,
           hooks: |_| vec![Hook::at::<AfterToolCallFailure>("probe").writer(|_, _, result: &mut ToolResult| result.add_context(PROBED))],
           expect: &[Sends(PROBED), Sends(ERROR)] },
    Case { kind: "after_tool_call_failure", when: "removes the result", scenario: Failure, person: Yes,
           hooks: |_| vec![Hook::at::<AfterToolCallFailure>("probe").replacer(|_, _, _: ToolResult| None::<ToolResult>)],
           expect: &[NeverSends(ERROR), NeverStores(ERROR), NeverShows(ERROR)] },
    Case { kind: "after_tool_call_failure", when: "rewrites each result, and asks to run the tool again once", scenario: Failure, person: Yes,
           hooks: |_| {
               let times = AtomicUsize::new(0);
               vec![Hook::at::<AfterToolCallFailure>("probe").writer(move |_, _, result: &mut ToolResult| {
                   probed(result);
                   if times.fetch_add(1, Ordering::Relaxed) == 0 { Retry::After(std::time::Duration::ZERO) } else { Retry::default() }
               })]
           },
           expect: &[Sends(PROBED), NeverSends(ERROR), NeverStores(ERROR)] },
    Case { kind: "after_tool_call_failure", when: "asks to run the tool again once", scenario: Failure, person: Yes,
           hooks: |acts| vec![retries_once(acts)], expect: &[Retries, Sends(ERROR)] },
    Case { kind: "after_tool_call_failure", when: "asks to run the tool of the second call again once", scenario: TwoFailures, person: Yes,
           hooks: |acts| vec![retries_once_of(acts, |call| call.id == "call_2")], expect: &[Retries] },
    Case { kind: "after_tool_call_failure", when: "forbids to run the tool again", scenario: Failure, person: Yes,
           hooks: |_| says::<AfterToolCallFailure>(|| Retry::Never), expect: &[Runs(1), Sends(ERROR)] },
    Case { kind: "after_tool_call_failure", when: "asks to run the tool again, and another halts", scenario: Failure, person: Yes,
           hooks: |acts| [vec![Hook::at::<AfterToolCallFailure>("asks").reader(|_, _, _| Retry::After(std::time::Duration::ZERO))], halts::<AfterToolCallFailure>(acts)].concat(),
           expect: &[Runs(1), Calls(1)] },
    Case { kind: "after_tool_call_failure", when: "asks to run a tool with a rewritten input again", scenario: Failure, person: Yes,
           hooks: |acts| [sets_inputs(|_| PROBED.to_owned()), vec![retries_once(acts)]].concat(), expect: &[Retries, NeverRunsWith("blue")] },
    Case { kind: "after_tool_call_failure", when: "asks to run the tool again without end", scenario: Failure, person: Yes,
           hooks: |_| says::<AfterToolCallFailure>(|| Retry::After(std::time::Duration::ZERO)), expect: &[] },
    Case { kind: "after_tool_call_failure", when: "halts", scenario: Failure, person: Yes,
           hooks: halts::<AfterToolCallFailure>, expect: &[Calls(1)] },
    Case { kind: "after_tool_call_failure", when: "is required and fails", scenario: Failure, person: Yes,
           hooks: fails::<AfterToolCallFailure>, expect: &[NeverSends(ERROR), NeverStores(ERROR), NeverShows(ERROR)] },
    Case { kind: "after_tool_call", when: "watches two calls", scenario: TwoTools, person: Yes,
           hooks: |acts| vec![watches_the_calls(acts)], expect: &[EndsCalls(2)] },
    Case { kind: "after_tool_call", when: "watches a failure", scenario: Failure, person: Yes,
           hooks: |acts| vec![watches_the_calls(acts)], expect: &[EndsCalls(1)] },
    Case { kind: "after_tool_call", when: "watches a failure that is tried again", scenario: Failure, person: Yes,
           hooks: |acts| vec![watches_the_calls(acts), retries_once(acts)], expect: &[EndsCalls(1)] },
    Case { kind: "after_tool_call", when: "watches a denied call", scenario: Tool, person: Yes,
           hooks: |acts| [vec![watches_the_calls(acts)], gate(|| Permission::deny(PROBED))].concat(), expect: &[EndsCalls(1)] },
    Case { kind: "after_tool_call", when: "watches an answered call", scenario: Tool, person: Yes,
           hooks: |acts| [vec![watches_the_calls(acts)], gate(|| Permission::answer(ToolResult::new(PROBED)))].concat(), expect: &[EndsCalls(1)] },
    Case { kind: "after_tool_call", when: "halts", scenario: Tool, person: Yes,
           hooks: halts::<AfterToolCall>, expect: &[Calls(1)] },
    Case { kind: "after_tool_call", when: "halts after a failure", scenario: Failure, person: Yes,
           hooks: halts::<AfterToolCall>, expect: &[Calls(1)] },
    Case { kind: "after_tool_call", when: "halts later", scenario: TwoRounds, person: Yes,
           hooks: halts_later::<AfterToolCall>, expect: &[Runs(2), Calls(2)] },
    Case { kind: "after_tool_call", when: "is required and fails later", scenario: TwoRounds, person: Yes,
           hooks: fails_later::<AfterToolCall>, expect: &[Runs(2), Calls(2)] },
    Case { kind: "after_tool_call", when: "is required and fails", scenario: Tool, person: Yes,
           hooks: fails::<AfterToolCall>, expect: &[Calls(1)] },

    // What is stored.
    Case { kind: "before_create_message", when: "masks every row", scenario: Tool, person: Yes,
           hooks: |_| vec![Hook::at::<BeforeCreateMessage>("probe").writer(|_, _, row: &mut Message| { row.rewrite_text(|_| Some(PROBED.to_owned())); })],
           expect: &[Stores(PROBED), NeverStores(PROMPT), NeverStores(OUTPUT), NeverStores(ANSWER)] },
    Case { kind: "before_create_message", when: "masks every row of two answers", scenario: TwoRounds, person: Yes,
           hooks: |_| vec![Hook::at::<BeforeCreateMessage>("probe").writer(|_, _, row: &mut Message| { row.rewrite_text(|_| Some(PROBED.to_owned())); })],
           expect: &[NeverStores(PROMPT), NeverStores(OUTPUT), NeverStores(ANSWER), NeverStores(ASIDE), NeverSends(PROMPT), NeverSends(OUTPUT), NeverSends(ASIDE)] },
    Case { kind: "before_create_message", when: "masks the rows of a turn that another hook halts after a call", scenario: Tool, person: Yes,
           hooks: |acts| [vec![masks_rows()], halts::<AfterToolCall>(acts)].concat(), expect: &[NeverStores(OUTPUT)] },
    Case { kind: "before_create_message", when: "masks the answer", scenario: Answer, person: Yes,
           hooks: |_| vec![masks_rows()], expect: &[Shows(PROBED), NeverShows(ANSWER), NeverStores(ANSWER)] },
    Case { kind: "before_create_message", when: "masks the row of an answer that `stop` blocks", scenario: Answer, person: Yes,
           hooks: |_| vec![masks_rows(), Hook::at::<Stop>("blocks").reader(|_, _, ()| StopVerdict::block("a secret reason"))],
           expect: &[NeverStores("a secret reason"), NeverStores(ANSWER)] },
    Case { kind: "before_create_message", when: "halts at the row with a call", scenario: Tool, person: Yes,
           hooks: |_| halts_at(calls_a_tool), expect: &[Runs(0), Calls(1)] },
    Case { kind: "before_create_message", when: "halts at the row of a result", scenario: Tool, person: Yes,
           hooks: |_| halts_at(is_of_a_tool), expect: &[Runs(1), Calls(1)] },
    Case { kind: "before_create_message", when: "masks the row of a denied call", scenario: Tool, person: Yes,
           hooks: |_| vec![
               Hook::at::<BeforeToolCall>("denies").reader(|_, _, _| Permission::deny("a secret reason")),
               Hook::at::<BeforeCreateMessage>("probe").writer(|_, _, row: &mut Message| { row.rewrite_text(|_| Some(PROBED.to_owned())); }),
           ],
           expect: &[NeverStores("a secret reason")] },
    Case { kind: "before_create_message", when: "masks the row of a failed call", scenario: Failure, person: Yes,
           hooks: |_| vec![Hook::at::<BeforeCreateMessage>("probe").writer(|_, _, row: &mut Message| { row.rewrite_text(|_| Some(PROBED.to_owned())); })],
           expect: &[NeverStores(ERROR)] },
    Case { kind: "before_create_message", when: "masks the rows of a turn that `stop` continues", scenario: Answer, person: Yes,
           hooks: |_| vec![
               Hook::at::<Stop>("continues").reader(|_, event: &Stop, ()| {
                   if event.stop_hook_active { StopVerdict::default() } else { StopVerdict::continue_with("a secret order") }
               }),
               Hook::at::<BeforeCreateMessage>("probe").writer(|_, _, row: &mut Message| { row.rewrite_text(|_| Some(PROBED.to_owned())); }),
           ],
           expect: &[NeverStores(ANSWER), NeverStores("a secret order"), NeverSends(ANSWER), NeverSends("a secret order")] },
    Case { kind: "before_create_message", when: "halts at the follow-up of `stop`", scenario: Answer, person: Yes,
           hooks: |_| [vec![continues_once(FOLLOW_UP)], halts_at(is_of_the_follow_up)].concat(), expect: &[Calls(1)] },
    Case { kind: "before_create_message", when: "is required and fails at the row with a call", scenario: Tool, person: Yes,
           hooks: |_| fails_at(calls_a_tool), expect: &[Runs(0), Calls(1), NeverStores("call_1")] },
    Case { kind: "before_create_message", when: "is required and fails at the row of a result", scenario: Tool, person: Yes,
           hooks: |_| fails_at(is_of_a_tool), expect: &[Runs(1), Calls(1), NeverStores(OUTPUT)] },
    Case { kind: "before_create_message", when: "is required and fails at the row of the answer", scenario: Answer, person: Yes,
           hooks: |_| fails_at(is_of_the_answer), expect: &[NeverShows(ANSWER), NeverStores(ANSWER)] },
    Case { kind: "before_create_message", when: "is required and fails at the follow-up of `stop`", scenario: Answer, person: Yes,
           hooks: |_| [vec![continues_once(FOLLOW_UP)], fails_at(is_of_the_follow_up)].concat(), expect: &[Calls(1), NeverStores(FOLLOW_UP)] },
    Case { kind: "before_create_message", when: "masks a result that a person is to have said", scenario: TwoTools, person: Yes,
           hooks: |_| vec![attributes(), masks_rows()], expect: &[Runs(2), NeverStores(OUTPUT), NeverSends(OUTPUT)] },
    Case { kind: "before_create_message", when: "masks the rows of a turn that `stop` continues without end", scenario: Answer, person: Yes,
           hooks: |_| [vec![masks_rows()], says::<Stop>(|| StopVerdict::continue_with(FOLLOW_UP))].concat(), expect: &[NeverStores(FOLLOW_UP), NeverStores(ANSWER)] },
    Case { kind: "before_create_message", when: "is required and fails", scenario: Answer, person: Yes,
           hooks: fails::<BeforeCreateMessage>, expect: &[Calls(0), StoresNothing] },
    Case { kind: "before_create_message", when: "halts", scenario: Answer, person: Yes,
           hooks: halts::<BeforeCreateMessage>, expect: &[Calls(0)] },
    Case { kind: "before_store_tool_result", when: "rewrites the row", scenario: Tool, person: Yes,
           hooks: |_| vec![Hook::at::<BeforeStoreToolResult>("probe").writer(|_, _, row: &mut ResultRow| row.content = vec![PROBED.into()])],
           expect: &[Stores(PROBED), NeverStores(OUTPUT)] },
    Case { kind: "before_store_tool_result", when: "rewrites the rows of two calls", scenario: TwoTools, person: Yes,
           hooks: |_| vec![Hook::at::<BeforeStoreToolResult>("probe").writer(|_, _, row: &mut ResultRow| row.content = vec![PROBED.into()])],
           expect: &[NeverStores(OUTPUT)] },
    Case { kind: "before_store_tool_result", when: "rewrites the rows of two answers", scenario: TwoRounds, person: Yes,
           hooks: |_| vec![Hook::at::<BeforeStoreToolResult>("probe").writer(|_, _, row: &mut ResultRow| row.content = vec![PROBED.into()])],
           expect: &[NeverStores(OUTPUT)] },
    Case { kind: "before_store_tool_result", when: "halts later", scenario: TwoRounds, person: Yes,
           hooks: halts_later::<BeforeStoreToolResult>, expect: &[Calls(2)] },
    Case { kind: "before_store_tool_result", when: "is required and fails later", scenario: TwoRounds, person: Yes,
           hooks: fails_later::<BeforeStoreToolResult>, expect: &[Calls(2)] },
    Case { kind: "before_store_tool_result", when: "halts", scenario: Tool, person: Yes,
           hooks: halts::<BeforeStoreToolResult>, expect: &[Calls(1)] },
    Case { kind: "before_store_tool_result", when: "is required and fails", scenario: Tool, person: Yes,
           hooks: fails::<BeforeStoreToolResult>, expect: &[Calls(1), NeverStores(OUTPUT)] },
    Case { kind: "after_create_message", when: "watches", scenario: Tool, person: Yes,
           hooks: |acts| {
               let acts = acts.clone();
               vec![Hook::at::<AfterCreateMessage>("probe").reader(move |_, event: &AfterCreateMessage, ()| acts.note(Act::Announced { row: event.message.clone() }))]
           },
           expect: &[Announces] },
    Case { kind: "after_create_message", when: "watches two calls", scenario: TwoTools, person: Yes,
           hooks: |acts| {
               let acts = acts.clone();
               vec![Hook::at::<AfterCreateMessage>("probe").reader(move |_, event: &AfterCreateMessage, ()| acts.note(Act::Announced { row: event.message.clone() }))]
           },
           expect: &[Announces] },
    Case { kind: "after_create_message", when: "watches a turn that `stop` continues", scenario: Answer, person: Yes,
           hooks: |acts| vec![watches(acts), continues_once(FOLLOW_UP)], expect: &[Announces] },
    Case { kind: "after_create_message", when: "watches an answer that `stop` blocks", scenario: Answer, person: Yes,
           hooks: |acts| vec![watches(acts), Hook::at::<Stop>("blocks").reader(|_, _, ()| StopVerdict::block("no"))], expect: &[Announces] },
    Case { kind: "after_create_message", when: "watches the rows of two answers", scenario: TwoRounds, person: Yes,
           hooks: |acts| vec![watches(acts)], expect: &[Announces] },
    Case { kind: "after_create_message", when: "watches results that a person is to have said", scenario: TwoTools, person: Yes,
           hooks: |acts| vec![watches(acts), attributes(), masks_rows()], expect: &[Announces] },
    Case { kind: "after_create_message", when: "watches a turn that `stop` continues without end", scenario: Answer, person: Yes,
           hooks: |acts| [vec![watches(acts), masks_rows()], says::<Stop>(|| StopVerdict::continue_with(FOLLOW_UP))].concat(), expect: &[Announces] },
    Case { kind: "after_create_message", when: "is required and fails at the row with a call", scenario: Tool, person: Yes,
           hooks: |_| vec![fails_after(calls_a_tool)], expect: &[Runs(0), Calls(1)] },
    Case { kind: "after_create_message", when: "is required and fails at the row of a result", scenario: Tool, person: Yes,
           hooks: |_| vec![fails_after(is_of_a_tool)], expect: &[Runs(1), Calls(1)] },
    Case { kind: "after_create_message", when: "watches masked rows", scenario: Tool, person: Yes,
           hooks: |acts| vec![watches(acts), masks_rows()], expect: &[Announces] },
    Case { kind: "after_create_message", when: "watches the masked rows of a turn that `stop` continues", scenario: Answer, person: Yes,
           hooks: |acts| vec![watches(acts), masks_rows(), continues_once(FOLLOW_UP)], expect: &[Announces] },
    Case { kind: "after_create_message", when: "watches the masked row of an answer that `stop` blocks", scenario: Answer, person: Yes,
           hooks: |acts| vec![watches(acts), masks_rows(), Hook::at::<Stop>("blocks").reader(|_, _, ()| StopVerdict::block("no"))], expect: &[Announces] },
    Case { kind: "after_create_message", when: "halts at the follow-up of `stop`", scenario: Answer, person: Yes,
           hooks: |_| vec![continues_once(FOLLOW_UP), halts_after(is_of_the_follow_up)], expect: &[Calls(1)] },
    Case { kind: "after_create_message", when: "halts at the row with a call", scenario: Tool, person: Yes,
           hooks: |_| vec![halts_after(calls_a_tool)],
           expect: &[Runs(0), Calls(1)] },
    Case { kind: "after_create_message", when: "halts at the row of a result", scenario: Tool, person: Yes,
           hooks: |_| vec![halts_after(is_of_a_tool)],
           expect: &[Runs(1), Calls(1)] },
    Case { kind: "after_create_message", when: "halts", scenario: Answer, person: Yes,
           hooks: halts::<AfterCreateMessage>, expect: &[Calls(0)] },
    Case { kind: "after_create_message", when: "is required and fails", scenario: Answer, person: Yes,
           hooks: fails::<AfterCreateMessage>, expect: &[Calls(0)] },

    // The end.
    Case { kind: "stop", when: "blocks the answer", scenario: Answer, person: Yes,
           hooks: |_| says::<Stop>(|| StopVerdict::block(PROBED)),
           expect: &[Calls(1), NeverShows(ANSWER), NeverStores(ANSWER), Shows(PROBED), Stores(PROBED)] },
    Case { kind: "stop", when: "blocks the answer after a tool", scenario: Tool, person: Yes,
           hooks: |_| says::<Stop>(|| StopVerdict::block(PROBED)),
           expect: &[NeverShows(ANSWER), NeverStores(ANSWER)] },
    Case { kind: "stop", when: "blocks the answer of a turn that it continued", scenario: Answer, person: Yes,
           hooks: |_| vec![Hook::at::<Stop>("probe").reader(|_, event: &Stop, ()| {
               if event.stop_hook_active { StopVerdict::block(PROBED) } else { StopVerdict::continue_with("carry on") }
           })],
           expect: &[Calls(2), NeverShows("answer 2"), NeverStores("answer 2")] },
    Case { kind: "stop", when: "continues the turn", scenario: Answer, person: Yes,
           hooks: |_| vec![Hook::at::<Stop>("probe").reader(|_, event: &Stop, ()| {
               if event.stop_hook_active { StopVerdict::default() } else { StopVerdict::continue_with(PROBED) }
           })],
           expect: &[Calls(2), SendsAsThePerson(PROBED), Sends("answer 1"), StoresBefore("answer 1", PROBED), StoresBefore(PROBED, "answer 2"), Shows("answer 2")] },
    Case { kind: "stop", when: "continues the turn, and then halts", scenario: Answer, person: Yes,
           hooks: |_| vec![continues_once(FOLLOW_UP), halts_later::<Stop>(&Acts::default()).remove(0)],
           expect: &[Calls(2), NeverShows("answer 2"), NeverStores("answer 2")] },
    Case { kind: "stop", when: "continues the turn, and then is required and fails", scenario: Answer, person: Yes,
           hooks: |_| vec![continues_once(FOLLOW_UP), fails_later::<Stop>(&Acts::default()).remove(0)],
           expect: &[Calls(2), NeverShows("answer 2"), NeverStores("answer 2")] },
    Case { kind: "stop", when: "continues the turn without end", scenario: Answer, person: Yes,
           hooks: |_| says::<Stop>(|| StopVerdict::continue_with(PROBED)), expect: &[Shows(ANSWER)] },
    Case { kind: "stop", when: "ends the turn that another hook continues", scenario: Answer, person: Yes,
           hooks: |_| vec![
               Hook::at::<Stop>("continues").reader(|_, _, ()| StopVerdict::continue_with("carry on")),
               Hook::at::<Stop>("probe").reader(|_, _, ()| StopVerdict::end(PROBED)),
           ],
           expect: &[Calls(1), Shows(ANSWER), Stores(ANSWER)] },
    Case { kind: "stop", when: "continues the turn, and then ends it", scenario: Answer, person: Yes,
           hooks: |_| vec![continues_once(FOLLOW_UP), Hook::at::<Stop>("probe").reader(|_, event: &Stop, ()| {
               if event.stop_hook_active { StopVerdict::end(PROBED) } else { StopVerdict::default() }
           }), Hook::at::<Stop>("again").reader(|_, event: &Stop, ()| {
               if event.stop_hook_active { StopVerdict::continue_with("once more") } else { StopVerdict::default() }
           })],
           expect: &[Calls(2), Shows("answer 2"), Stores("answer 2")] },
    Case { kind: "stop", when: "has a message for the person, and continues", scenario: Answer, person: Yes,
           hooks: |_| vec![continues_once(FOLLOW_UP), Hook::at::<Stop>("probe").reader(|_, event: &Stop, ()| {
               if event.stop_hook_active { StopVerdict::default() } else { StopVerdict::default().with_system_message(PROBED) }
           })],
           expect: &[Calls(2), Shows(PROBED), NeverSends(PROBED), NeverStores(PROBED)] },
    Case { kind: "stop", when: "blocks an answer in the model's place", scenario: Answer, person: Yes,
           hooks: |_| vec![
               Hook::at::<PreModelCall>("answers").writer(|_, _, request: &mut ModelRequest| *request = request.clone().answer("an answer in its place")),
               Hook::at::<Stop>("probe").reader(|_, _, ()| StopVerdict::block("no")),
           ],
           expect: &[NeverShows("an answer in its place"), NeverStores("an answer in its place")] },
    Case { kind: "stop", when: "has a message for the person", scenario: Answer, person: Yes,
           hooks: |_| says::<Stop>(|| StopVerdict::default().with_system_message(PROBED)),
           expect: &[Shows(PROBED), NeverSends(PROBED), Shows(ANSWER)] },
    Case { kind: "stop", when: "adds a context", scenario: Answer, person: Yes,
           hooks: |_| says::<Stop>(|| StopVerdict::default().with_context(PROBED)), expect: &[Shows(PROBED)] },
    Case { kind: "stop", when: "hides its context", scenario: Answer, person: Yes,
           hooks: |_| says::<Stop>(|| StopVerdict::default().with_context(PROBED).suppress_output()),
           expect: &[NeverShows(PROBED), Shows(ANSWER)] },
    Case { kind: "stop", when: "hides its context, and continues", scenario: Answer, person: Yes,
           hooks: |_| vec![continues_once(FOLLOW_UP), Hook::at::<Stop>("probe").reader(|_, _, ()| StopVerdict::default().with_context(PROBED).suppress_output())],
           expect: &[Calls(2), NeverShows(PROBED)] },
    Case { kind: "stop", when: "hides its context, and has a message for the person", scenario: Answer, person: Yes,
           hooks: |_| says::<Stop>(|| StopVerdict::default().with_context("a hidden context").with_system_message(PROBED).suppress_output()),
           expect: &[Shows(PROBED), NeverShows("a hidden context"), Shows(ANSWER)] },
    Case { kind: "stop", when: "halts", scenario: Answer, person: Yes,
           hooks: halts::<Stop>, expect: &[Calls(1), NeverShows(ANSWER), NeverStores(ANSWER)] },
    Case { kind: "stop", when: "is required and fails", scenario: Answer, person: Yes,
           hooks: fails::<Stop>, expect: &[Calls(1), NeverShows(ANSWER), NeverStores(ANSWER)] },
    Case { kind: "turn_end", when: "watches", scenario: Tool, person: Yes,
           hooks: |acts| {
               let acts = acts.clone();
               vec![Hook::at::<TurnEnd>("probe").reader(move |_, _, ()| acts.note(Act::Ended))]
           },
           expect: &[EndsOnce] },
    Case { kind: "turn_end", when: "watches a turn that a gate halts", scenario: Tool, person: Yes,
           hooks: |acts| [vec![watches_the_end(acts)], halts::<BeforeToolCall>(acts)].concat(), expect: &[EndsOnce] },
    Case { kind: "turn_end", when: "watches a turn that a failure ends", scenario: Answer, person: Yes,
           hooks: |acts| [vec![watches_the_end(acts)], fails::<PreModelCall>(acts)].concat(), expect: &[EndsOnce] },
    Case { kind: "turn_end", when: "watches a turn that waits for a person", scenario: Tool, person: Suspends,
           hooks: |acts| [vec![watches_the_end(acts)], gate(|| Permission::ask(PROBED))].concat(), expect: &[EndsOnce] },
    Case { kind: "turn_end", when: "watches a turn whose prompt is blocked", scenario: Answer, person: Yes,
           hooks: |acts| [vec![watches_the_end(acts)], says::<UserPromptSubmit>(|| PromptVerdict::block(PROBED))].concat(), expect: &[EndsOnce] },
    Case { kind: "turn_end", when: "watches a turn that `stop` continues", scenario: Answer, person: Yes,
           hooks: |acts| vec![watches_the_end(acts), continues_once(FOLLOW_UP)], expect: &[EndsOnce] },
    Case { kind: "turn_end", when: "watches an answer that `stop` blocks", scenario: Answer, person: Yes,
           hooks: |acts| vec![watches_the_end(acts), Hook::at::<Stop>("blocks").reader(|_, _, ()| StopVerdict::block("no"))], expect: &[EndsOnce] },
];

/// Sentences about hooks that read a field of the event, left out if the program declares that it never fills the field.
#[rustfmt::skip]
const READING: &[(&str, Case)] = &[
    ("messages", Case { kind: "pre_model_call", when: "reads what is sent, and halts", scenario: Answer, person: Yes,
           hooks: |_| vec![Hook::at::<PreModelCall>("probe").reader(|_, event: &PreModelCall, _| {
               let said = |text: &str| serde_json::to_string(&event.messages).is_ok_and(|sent| sent.contains(text));
               if said(PROMPT) { Err(Halt::new(PROBED)) } else { Ok(()) }
           })],
           expect: &[Calls(0)] }),
    ("reason", Case { kind: "permission_request", when: "reads the call, the question and the input, and denies", scenario: Tool, person: Yes,
           hooks: |_| asks_and(Hook::at::<PermissionRequest>("probe").reader(|_, event: &PermissionRequest, input: &ToolInput| {
               let is_it = event.call.name == "find" && event.reason == PROBED && input["word"] == "blue";
               if is_it { Permission::deny("no") } else { Permission::NoOpinion }
           })),
           expect: &[Asks(0), Runs(0)] }),
    ("result", Case { kind: "after_tool_call", when: "reads the result, and halts", scenario: Tool, person: Yes,
           hooks: |_| vec![Hook::at::<AfterToolCall>("probe").reader(|_, event: &AfterToolCall, ()| {
               let is_it = event.result.as_ref().is_some_and(|result| result.text().starts_with(OUTPUT));
               if is_it { Err(Halt::new(PROBED)) } else { Ok(()) }
           })],
           expect: &[Calls(1)] }),
    ("result", Case { kind: "after_tool_call", when: "reads the result that another hook rewrote, and halts", scenario: Tool, person: Yes,
           hooks: |_| vec![
               Hook::at::<AfterToolCallSuccess>("rewrites").writer(|_, _, result: &mut ToolResult| probed(result)),
               Hook::at::<AfterToolCall>("probe").reader(|_, event: &AfterToolCall, ()| {
                   let is_it = event.result.as_ref().is_some_and(|result| result.text() == PROBED);
                   if is_it { Err(Halt::new(PROBED)) } else { Ok(()) }
               }),
           ],
           expect: &[Calls(1)] }),
    ("last_message", Case { kind: "stop", when: "reads the answer, and blocks it", scenario: Answer, person: Yes,
           hooks: |_| vec![Hook::at::<Stop>("probe").reader(|_, event: &Stop, ()| {
               let is_it = event.last_message.as_ref().is_some_and(|message| message.text().starts_with(ANSWER));
               if is_it { StopVerdict::block(PROBED) } else { StopVerdict::default() }
           })],
           expect: &[NeverShows(ANSWER), NeverStores(ANSWER)] }),
];

/// The sentences about kinds that this program fires, with the fields that it fills.
pub(crate) fn declared(kinds: &[KindManifest]) -> impl Iterator<Item = &'static Case> {
    let fires = |case: &Case, field: &str| {
        let fired = |kind: &&KindManifest| kind.fired_at.is_some() && kind.kind.name == case.kind;
        kinds.iter().find(fired).is_some_and(|kind| !kind.never_filled.contains(&field))
    };
    let all = CASES.iter().map(|case| ("", case)).chain(READING.iter().map(|(field, case)| (*field, case)));
    all.filter(move |(field, case)| fires(case, field)).map(|(_, case)| case)
}

/// All sentences.
pub(crate) fn all() -> impl Iterator<Item = &'static Case> {
    CASES.iter().chain(READING.iter().map(|(_, case)| case))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::CASES;

    /// What every kind of a turn lets its hooks do, and what gates and requests for a permission let them answer.
    #[test]
    fn each_kind_of_a_turn_has_a_sentence_for_each_answer() {
        // The world has no full window and no edited message, and nothing can follow the end of a turn.
        let without = [
            "before_compaction",
            "post_compact",
            "before_update_message",
            "after_update_message",
            "post_turn",
            "turn_end",
        ];
        let of =
            |kind: &str| CASES.iter().filter(|case| case.kind == kind).map(|case| case.when).collect::<BTreeSet<_>>();
        let mut missing = Vec::new();
        for kind in hook_sdk::kinds::all().iter().filter(|kind| !kind.outside_turn && !without.contains(&kind.name)) {
            let whens = of(kind.name);
            let wanted: &[&str] = match kind.name {
                "before_tool_call" => {
                    &["halts", "is required and fails", "fails", "denies", "asks", "defers", "answers"]
                }
                "permission_request" => {
                    &["halts", "is required and fails", "fails", "allows", "denies", "asks", "defers", "answers"]
                }
                "stream_delta" => &["halts", "is required and fails", "fails", "denies", "asks", "defers", "rewrites"],
                "user_prompt_submit" => &["halts", "is required and fails", "blocks", "stops", "adds", "rewrites"],
                "stop" => &["halts", "is required and fails", "blocks", "continues", "ends", "has", "adds", "hides"],
                _ => &["halts", "is required and fails"],
            };
            let has = |wanted: &str| {
                whens.iter().any(|when| {
                    *when == wanted
                        || when.starts_with(&format!("{wanted} "))
                        || when.starts_with(&format!("{wanted},"))
                })
            };
            missing
                .extend(wanted.iter().filter(|wanted| !has(wanted)).map(|wanted| format!("{}: {wanted}", kind.name)));
        }
        assert!(missing.is_empty(), "no case in `hooks-conformance/src/cases.rs` for a loop whose hook: {missing:#?}");
    }
}
