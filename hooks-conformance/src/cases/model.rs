//! The prompt and the model.

use hook_sdk::Hook;
use hook_sdk::data::{Block, Message, Messages, ModelReply, ModelRequest, Role};
use hook_sdk::kinds::{
    BeforeAgentStart, FilterMessages, PostModelCall, PostPreflightPromptContext, PreModelCall, PrePolicy,
    PrePromptCompile, PrePromptContext, PreToolMaterialization, PrefilterLlmHistory, SessionStart, StreamDelta,
    UserPromptSubmit,
};
use hook_sdk::verdict::{AgentStart, Contexts, Contribution, Permission, PromptVerdict, ReplyVerdict};
use serde_json::json;

use super::{Case, FOLLOW_UP, PROBED, comes, continues_once, fails, fails_later, halts, halts_later, says, watched};
use crate::expect::Expect::{
    AlwaysSends, Calls, Comes, ComesAtAll, ComesInTheTurn, KeepsSending, NeverRunsWith, NeverSends, NeverShows,
    NeverStores, Offers, Runs, Sends, SendsNextTo, Shows, Stores, StoresNothing, SystemPrompt,
};
use crate::world::Person::{No, Yes};
use crate::world::Scenario::{Answer, Tool, TwoRounds, TwoTools, TwoTurns};
use crate::world::{ANSWER, ASIDE, NEXT, OUTPUT, PROMPT, World};

#[rustfmt::skip]
pub(super) const CASES: &[Case] = &[
    // The prompt.
    Case { kind: "user_prompt_submit", when: "watches", scenario: Tool, person: No,
           hooks: |acts| vec![comes::<UserPromptSubmit>(acts)], expect: &[Comes("user_prompt_submit", 1)] },
    Case { kind: "user_prompt_submit", when: "watches two turns of a conversation", scenario: TwoTurns, person: No,
           hooks: |acts| vec![comes::<UserPromptSubmit>(acts)], expect: &[Comes("user_prompt_submit", 2), AlwaysSends(PROMPT), Sends(NEXT)] },
    Case { kind: "session_start", when: "watches", scenario: Tool, person: No,
           hooks: watched::<SessionStart>, expect: &[Comes("session_start", 1), ComesInTheTurn("session_start")] },
    Case { kind: "before_agent_start", when: "watches", scenario: Tool, person: No,
           hooks: watched::<BeforeAgentStart>, expect: &[Comes("before_agent_start", 1), ComesInTheTurn("before_agent_start")] },
    Case { kind: "filter_messages", when: "watches", scenario: Tool, person: No,
           hooks: watched::<FilterMessages>, expect: &[Comes("filter_messages", 1), ComesInTheTurn("filter_messages")] },
    Case { kind: "pre_policy", when: "watches", scenario: Tool, person: No,
           hooks: watched::<PrePolicy>, expect: &[Comes("pre_policy", 1), ComesInTheTurn("pre_policy")] },
    Case { kind: "pre_prompt_context", when: "watches", scenario: Tool, person: No,
           hooks: watched::<PrePromptContext>, expect: &[Comes("pre_prompt_context", 1), ComesInTheTurn("pre_prompt_context")] },
    Case { kind: "post_preflight_prompt_context", when: "watches", scenario: Tool, person: No,
           hooks: watched::<PostPreflightPromptContext>, expect: &[Comes("post_preflight_prompt_context", 1), ComesInTheTurn("post_preflight_prompt_context")] },
    Case { kind: "pre_tool_materialization", when: "watches", scenario: Tool, person: No,
           hooks: watched::<PreToolMaterialization>, expect: &[Comes("pre_tool_materialization", 1), ComesInTheTurn("pre_tool_materialization")] },
    Case { kind: "pre_prompt_compile", when: "watches", scenario: Tool, person: No,
           hooks: watched::<PrePromptCompile>, expect: &[Comes("pre_prompt_compile", 1), ComesInTheTurn("pre_prompt_compile")] },
    Case { kind: "user_prompt_submit", when: "blocks", scenario: Answer, person: No,
           hooks: |_| says::<UserPromptSubmit>(|| PromptVerdict::block(PROBED)),
           expect: &[Calls(0), StoresNothing, Shows(PROBED)] },
    Case { kind: "user_prompt_submit", when: "stops the turn", scenario: Answer, person: No,
           hooks: |_| says::<UserPromptSubmit>(|| PromptVerdict::stop(PROBED)),
           expect: &[Calls(0), StoresNothing, Shows(PROBED)] },
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
           hooks: halts::<UserPromptSubmit>, expect: &[Calls(0), StoresNothing, Shows(PROBED)] },
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
           hooks: halts::<BeforeAgentStart>, expect: &[Calls(0), Shows(PROBED)] },
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
    Case { kind: "prefilter_llm_history", when: "watches", scenario: Tool, person: No,
           hooks: watched::<PrefilterLlmHistory>, expect: &[Comes("prefilter_llm_history", 2), ComesInTheTurn("prefilter_llm_history")] },
    Case { kind: "pre_model_call", when: "watches", scenario: Tool, person: No,
           hooks: watched::<PreModelCall>, expect: &[Comes("pre_model_call", 2), ComesInTheTurn("pre_model_call")] },
    Case { kind: "post_model_call", when: "watches", scenario: Tool, person: No,
           hooks: watched::<PostModelCall>, expect: &[Comes("post_model_call", 2), ComesInTheTurn("post_model_call")] },
    Case { kind: "stream_delta", when: "watches", scenario: Answer, person: No,
           hooks: watched::<StreamDelta>, expect: &[ComesAtAll("stream_delta"), ComesInTheTurn("stream_delta")] },
    Case { kind: "post_model_call", when: "keeps answers with a text besides a call", scenario: TwoRounds, person: No,
           hooks: |_| says::<PostModelCall>(|| ReplyVerdict::Stop), expect: &[Sends(ASIDE), Stores(ASIDE)] },
    Case { kind: "post_model_call", when: "asks for another answer with a message for the rest of the turn, and `stop` continues it", scenario: Answer, person: No,
           hooks: |_| vec![continues_once(FOLLOW_UP), Hook::at::<PostModelCall>("probe").writer(|_, _, reply: &mut ModelReply| {
               if reply.messages.iter().any(|message| message.text() == PROBED) { return ReplyVerdict::NoOpinion; }
               reply.messages.push(Message::new(Role::User, PROBED));
               ReplyVerdict::Continue
           })],
           expect: &[KeepsSending(PROBED)] },
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
           hooks: halts::<PrefilterLlmHistory>, expect: &[Calls(0), Shows(PROBED)] },
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
           hooks: halts::<PreModelCall>, expect: &[Calls(0), Shows(PROBED)] },
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
           hooks: halts::<PostModelCall>, expect: &[Runs(0), Calls(1), Shows(PROBED)] },
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
];
