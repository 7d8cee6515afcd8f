//! The test by what a loop does: a loop that is right passes, and each way of getting it wrong is named.

use std::collections::BTreeSet;

use hook_sdk::data::Block;
use hook_sdk::kinds::{
    AfterCreateMessage, AfterToolCall, AfterToolCallFailure, AfterToolCallSuccess, BeforeCreateMessage, BeforeToolCall,
    PermissionRequest, PostModelCall, PreModelCall, PrefilterLlmHistory, Stop, StopReason, UserPromptSubmit,
};
use hook_sdk::prelude::*;
use hook_sdk::verdict::Decision;
use hooks_conformance::{AgentLoop, World, check_turns};

hook_sdk::fires![prompt, store, model_call, tool_call, stop];

macro_rules! faults {
    ($($fault:ident => $told:literal,)*) => {
        /// One way of getting the loop wrong.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        enum Fault { $($fault,)* }

        /// Each fault, and what the report says of it.
        const FAULTS: &[(Fault, &str)] = &[$((Fault::$fault, $told),)*];
    };
}

faults! {
    RunsDenied => "`before_tool_call` denies: the tool must run 0 times, and ran once",
    RunsDeniedAndHides => "`before_tool_call` denies: the tool must run 0 times, and ran once",
    RunsIfTheGateFails => "`before_tool_call` fails: the tool must run 0 times, and ran once",
    RunsAsked => "asks, and the person says no: the tool must run 0 times, and ran once",
    RunsAskedAndThenAsks => "asked before the tool runs, and was asked afterwards",
    NeverAsks => "asks, and the person says yes: the person must be asked once, and was asked 0 times",
    RunsDeferred => "defers, and the person says no: the tool must run 0 times",
    RunsAnswered => "answers in the tool's place: the tool must run 0 times",
    HidesTheAnswerOfAGate => "answers in the tool's place: the model must read `conformance probe`",
    HidesTheDenial => "`before_tool_call` denies: the model must read `conformance probe`",
    RunsTheOldInput => "rewrites the input: the tool must run with `conformance probe`",
    IgnoresAHaltAtTheGate => "`before_tool_call` halts: the model must be called once, and was called 2 times",
    ForgetsTheCallAfterAHalt => "the call `call_1` has 0 results, and needs one",
    ForgetsTheSecondCallAfterAHalt => "the call `call_2` has 0 results, and needs one",
    SkipsThePermissionRequest => "allows in the person's place: the person must be asked 0 times, and was asked once",
    IgnoresTheRequestsDenial => "denies in the person's place: the tool must run 0 times",
    DoesNotJudgeTheRequestsInput => "allows with another input that a gate denies: the tool must not run with",
    IgnoresTheRewrittenResult => "`after_tool_call_success` rewrites the result: the model must read",
    StoresTheRawResult => "`after_tool_call_success` rewrites the result: no row must contain `tool output`",
    IgnoresTheContextOfAResult => "`after_tool_call_success` adds a context: the model must read",
    IgnoresARemovedResult => "removes the result: the model must not read `tool output`",
    ForgetsARemovedResult => "the call `call_1` has 0 results, and needs one",
    ForgetsHooksAfterAnAnswer => "sees the answer of a gate: the model must not read `a secret answer`",
    IgnoresAHaltAfterTheTool => "`after_tool_call_success` halts: the model must be called once",
    SendsTheResultThatARequiredHookWithheld => "`after_tool_call_success` is required and fails: the model must not read",
    IgnoresARemovedFailure => "`after_tool_call_failure` removes the result: the model must not read `tool error`",
    RetriesWithoutBound => "asks to run the tool again without end: the turn must end, and a tool runs without end",
    IgnoresAHaltAfterAFailure => "`after_tool_call_failure` halts: the model must be called once",
    IgnoresTheLastHalt => "`after_tool_call` halts: the model must be called once",
    StoresABlockedPrompt => "`user_prompt_submit` blocks: no row must contain `the prompt`",
    CallsTheModelWithABlockedPrompt => "`user_prompt_submit` blocks: the model must be called 0 times",
    IgnoresAStoppedPrompt => "`user_prompt_submit` stops the turn: the model must be called 0 times",
    SendsTheOldPrompt => "rewrites the prompt: the model must not read `the prompt`",
    StoresTheOldPrompt => "rewrites the prompt: no row must contain `the prompt`",
    ForgetsTheContext => "`user_prompt_submit` adds a context: the model must read `conformance probe`",
    StoresTheContext => "`user_prompt_submit` adds a context: no row must contain `conformance probe`",
    StoresResultsUnmasked => "`before_create_message` masks every row: no row must contain `tool output`",
    StoresThePromptUnmasked => "`before_create_message` masks every row: no row must contain `the prompt`",
    StoresTheAnswerUnmasked => "`before_create_message` masks every row: no row must contain `answer ",
    StoresWithoutTheRequiredMask => "`before_create_message` is required and fails: nothing must be stored",
    AnnouncesTooEarly => "`after_create_message` must follow the stored row, and came without it",
    AnnouncesNothing => "`after_create_message` must follow each stored row, and did not follow",
    StoresTwice => "`after_create_message` must follow each stored row, and did not follow",
    IgnoresTheSystemPrompt => "rewrites the system prompt: the model must read",
    IgnoresTheAnswerInPlace => "answers in the model's place: the model must be called 0 times",
    IgnoresTheFilteredHistory => "`prefilter_llm_history` adds a message: the model must read",
    IgnoresTheRewrittenAnswer => "`post_model_call` rewrites the answer: the person must see `conformance probe`",
    ShowsTheRawAnswer => "`post_model_call` rewrites the answer: the person must not see `answer ",
    RunsARemovedCall => "`post_model_call` removes a tool call: the tool must run 0 times",
    IgnoresContinue => "asks for another answer: the model must be called 2 times, and was called once",
    ContinuesWithoutItsMessages => "asks for another answer: the model must read",
    StoresTheDiscardedAnswer => "asks for another answer: no row must contain `answer 1`",
    ContinuesWithoutBound => "asks for another answer without end: the turn must end, and the model is called without end",
    ShowsWhatStopBlocks => "`stop` blocks the answer: the person must not see",
    ShowsBeforeStop => "`stop` blocks the answer: the person must not see",
    StoresWhatStopBlocks => "`stop` blocks the answer: no row must contain",
    IgnoresTheFollowUp => "`stop` continues the turn: the model must be called 2 times",
    StopsWithoutTheFollowUp => "`stop` continues the turn: the model must read",
    StopWithoutBound => "continues the turn without end: the turn must end, and the model is called without end",
    IgnoresEnd => "ends the turn that another hook continues: the model must be called once",
    HidesSystemMessages => "has a message for the person: the person must see",
    SendsSystemMessages => "has a message for the person: the model must not read",
    HidesTheContextOfStop => "`stop` adds a context: the person must see",
    ShowsASuppressedContext => "`stop` hides its context: the person must not see",
}

/// A loop written by hand with `fire`, with one fault or none.
struct ByHand(Option<Fault>);

struct Turn<'a> {
    fault: Option<Fault>,
    hooks: &'a HookSet,
    cx: HookContext,
    world: &'a World,
    stored: Messages,
}

/// The turn ended.
struct End(String);

impl From<DispatchError> for End {
    fn from(error: DispatchError) -> Self {
        Self(error.to_string())
    }
}

impl Turn<'_> {
    fn has(&self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }

    async fn fire<K: HookKind>(&self, event: &K, subject: K::Subject) -> Result<Fired<K>, End> {
        let fired = self.hooks.fire(&self.cx, event, subject).await?;
        match &fired.report.halt {
            Some(halt) => Err(End(halt.reason.to_string())),
            None => Ok(fired),
        }
    }

    /// Like [`fire`](Self::fire), but a halt is ignored with this fault.
    async fn fire_unless<K: HookKind>(&self, fault: Fault, event: &K, subject: K::Subject) -> Result<Fired<K>, End> {
        if self.has(fault) {
            return Ok(self.hooks.fire(&self.cx, event, subject).await?);
        }
        self.fire(event, subject).await
    }

    async fn row(&self, message: Message, unmasked: Fault) -> Result<Message, End> {
        if self.has(unmasked) {
            return Ok(message);
        }
        match self.fire(&BeforeCreateMessage::new(), message.clone()).await {
            Err(_) if self.has(Fault::StoresWithoutTheRequiredMask) => Ok(message),
            row => Ok(row?.subject),
        }
    }

    async fn keep(&mut self, row: Message) -> Result<(), End> {
        if self.has(Fault::AnnouncesTooEarly) {
            self.fire(&AfterCreateMessage::new(row.clone()), ()).await?;
        }
        self.world.store(&row);
        if self.has(Fault::StoresTwice) {
            self.world.store(&row);
        }
        self.stored.push(row.clone());
        if !self.has(Fault::AnnouncesTooEarly) && !self.has(Fault::AnnouncesNothing) {
            self.fire(&AfterCreateMessage::new(row), ()).await?;
        }
        Ok(())
    }

    async fn prompt(&mut self) -> Result<Messages, End> {
        let text = self.world.prompt();
        let original = Messages::from(vec![Message::new(Role::User, text)]);
        let fired = self.fire(&UserPromptSubmit::new(text, original.clone()), original.clone()).await?;
        match &fired.verdict.decision {
            PromptDecision::Block(reason) => {
                if self.has(Fault::StoresABlockedPrompt) {
                    self.keep(original[0].clone()).await?;
                }
                if !self.has(Fault::CallsTheModelWithABlockedPrompt) {
                    return Err(End(reason.to_string()));
                }
            }
            PromptDecision::Stop(reason) if !self.has(Fault::IgnoresAStoppedPrompt) => {
                return Err(End(reason.to_string()));
            }
            _ => {}
        }
        let mut messages = fired.subject;
        let mut prompt = messages.pop().unwrap_or_else(|| original[0].clone());
        if self.has(Fault::SendsTheOldPrompt) {
            prompt = original[0].clone();
        }
        let stored = if self.has(Fault::StoresTheOldPrompt) { original[0].clone() } else { prompt.clone() };
        let row = self.row(stored, Fault::StoresThePromptUnmasked).await?;
        for text in fired.verdict.contexts {
            let context = Message::new(Role::User, text);
            if self.has(Fault::StoresTheContext) {
                self.keep(context.clone()).await?;
            }
            if !self.has(Fault::ForgetsTheContext) {
                messages.push(context);
            }
        }
        messages.push(if self.has(Fault::StoresTheOldPrompt) { prompt } else { row.clone() });
        self.keep(row).await?;
        Ok(messages)
    }

    async fn model(&mut self, messages: &mut Messages) -> Result<Message, End> {
        for round in 0.. {
            let sent = self.fire(&PrefilterLlmHistory::new(), messages.clone()).await?.subject;
            let sent = if self.has(Fault::IgnoresTheFilteredHistory) { messages.clone() } else { sent };
            let own = ModelRequest::new("Be kind.");
            let mut request = self.fire(&PreModelCall::new().messages(sent.clone()), own.clone()).await?.subject;
            if self.has(Fault::IgnoresTheSystemPrompt) {
                request.system_prompt.clone_from(&own.system_prompt);
            }
            let content = match &request.answer {
                Some(answer) if !self.has(Fault::IgnoresTheAnswerInPlace) => answer.clone(),
                _ => self.world.model(&request, &sent),
            };
            if self.has(Fault::ShowsTheRawAnswer) {
                self.world.show(&Message::of(Role::Assistant, content.clone()).text());
            }
            let reply = ModelReply::new(content.clone()).messages(messages.clone());
            let fired = self.fire(&PostModelCall::new("end_turn"), reply).await?;
            let mut left = fired.subject.content.clone();
            let calls = |content: &[Block]| content.iter().any(|block| matches!(block, Block::ToolUse(_)));
            if self.has(Fault::IgnoresTheRewrittenAnswer) && !calls(&content) {
                left.clone_from(&content);
            }
            if self.has(Fault::RunsARemovedCall) && calls(&content) {
                left.clone_from(&content);
            }
            let again = fired.verdict == ReplyVerdict::Continue && !calls(&left) && !self.has(Fault::IgnoresContinue);
            if again && (round < 3 || self.has(Fault::ContinuesWithoutBound)) {
                if self.has(Fault::StoresTheDiscardedAnswer) {
                    self.keep(Message::of(Role::Assistant, left)).await?;
                }
                if !self.has(Fault::ContinuesWithoutItsMessages) {
                    messages.clone_from(&fired.subject.messages);
                }
                continue;
            }
            return Ok(Message::of(Role::Assistant, left));
        }
        Err(End("too many answers".to_owned()))
    }

    /// The input of a call that may run, or its result.
    async fn judge(&self, call: &ToolCall) -> Result<Result<ToolInput, ToolResult>, End> {
        let event = BeforeToolCall::new(call.clone());
        let mut input = call.input.clone();
        for _ in 0..3 {
            let fired = self.fire_unless(Fault::IgnoresAHaltAtTheGate, &event, input.clone()).await?;
            input = fired.subject.clone();
            let refused = |text: &str| Ok(Err(ToolResult::error(text)));
            let question = match fired.verdict.decide() {
                Decision::Run => return Ok(Ok(input)),
                Decision::Answer(_) if self.has(Fault::RunsAnswered) => return Ok(Ok(input)),
                Decision::Answer(_) if self.has(Fault::HidesTheAnswerOfAGate) => return refused("nothing"),
                Decision::Answer(result) => return Ok(Err(self.seen(call, &input, result.clone()).await?)),
                Decision::Refuse(_) if self.has(Fault::RunsDenied) => return Ok(Ok(input)),
                Decision::Refuse(denial) if self.has(Fault::RunsDeniedAndHides) => {
                    let _hidden = self.world.tool(call, &input);
                    return refused(denial.reason.as_str());
                }
                Decision::Refuse(denial)
                    if self.has(Fault::RunsIfTheGateFails) && denial.reason.as_str().contains("failed") =>
                {
                    return Ok(Ok(input));
                }
                Decision::Refuse(_) if self.has(Fault::HidesTheDenial) => return refused("Denied"),
                Decision::Refuse(denial) => return refused(denial.reason.as_str()),
                Decision::Ask(_) if self.has(Fault::RunsAsked) => return Ok(Ok(input)),
                Decision::Defer(_) if self.has(Fault::RunsDeferred) => return Ok(Ok(input)),
                Decision::Ask(question) | Decision::Defer(question) => question.clone(),
            };
            let event = PermissionRequest::new(call.clone()).reason(question.reason.as_str());
            let asked = if self.has(Fault::SkipsThePermissionRequest) {
                None
            } else {
                Some(self.fire(&event, input.clone()).await?)
            };
            match asked.map(|fired| (fired.verdict, fired.subject)) {
                Some((Permission::Allow, edited)) if edited == input => return Ok(Ok(input)),
                Some((Permission::Allow, edited)) if self.has(Fault::DoesNotJudgeTheRequestsInput) => {
                    return Ok(Ok(edited));
                }
                Some((Permission::Allow, edited)) => {
                    input = edited;
                    continue;
                }
                Some((Permission::Deny(_), _)) if self.has(Fault::IgnoresTheRequestsDenial) => return Ok(Ok(input)),
                Some((Permission::Deny(denial), _)) => return refused(denial.reason.as_str()),
                _ => {}
            }
            if self.has(Fault::RunsAskedAndThenAsks) {
                let _ran = self.world.tool(call, &input);
            }
            if self.has(Fault::NeverAsks) || !self.world.approve() {
                return refused("Declined");
            }
            return Ok(Ok(input));
        }
        Ok(Err(ToolResult::error("the gates do not agree")))
    }

    /// The result after the hooks that see it.
    async fn seen(&self, call: &ToolCall, input: &ToolInput, result: ToolResult) -> Result<ToolResult, End> {
        let is_answer = result.text() == "a secret answer";
        if self.has(Fault::ForgetsHooksAfterAnAnswer) && is_answer {
            return Ok(result);
        }
        let event = AfterToolCallSuccess::new(call.clone(), input.clone());
        let fired = self.fire_unless(Fault::IgnoresAHaltAfterTheTool, &event, result.clone()).await;
        let fired = match fired {
            Err(_) if self.has(Fault::SendsTheResultThatARequiredHookWithheld) => return Ok(result),
            fired => fired?,
        };
        if self.has(Fault::IgnoresTheRewrittenResult) && fired.subject.is_some() {
            return Ok(result);
        }
        Ok(match fired.subject {
            None if self.has(Fault::IgnoresARemovedResult) => result,
            None => ToolResult::new("[removed]"),
            Some(mut result) if self.has(Fault::IgnoresTheContextOfAResult) => {
                result.additional_context.clear();
                result
            }
            Some(result) => result,
        })
    }

    async fn failed(&self, call: &ToolCall, input: &ToolInput, mut error: String) -> Result<ToolResult, End> {
        for attempt in 1.. {
            let event = AfterToolCallFailure::new(call.clone(), input.clone(), error.as_str());
            let result = ToolResult::error(error.as_str());
            let fired = self.fire_unless(Fault::IgnoresAHaltAfterAFailure, &event, result.clone()).await?;
            let again = matches!(fired.verdict, Retry::After(_));
            if again && (attempt < 3 || self.has(Fault::RetriesWithoutBound)) {
                match self.world.tool(call, input) {
                    Ok(output) => return self.seen(call, input, ToolResult::new(output)).await,
                    Err(again) => error = again,
                }
                continue;
            }
            return Ok(match fired.subject {
                None if self.has(Fault::IgnoresARemovedFailure) => result,
                None => ToolResult::new("[removed]"),
                Some(result) => result,
            });
        }
        Err(End("too many runs".to_owned()))
    }

    async fn call(&mut self, call: &ToolCall, messages: &mut Messages) -> Result<(), End> {
        let (input, result) = match self.judge(call).await? {
            Ok(input) => {
                let input = if self.has(Fault::RunsTheOldInput) { call.input.clone() } else { input };
                let result = match self.world.tool(call, &input) {
                    Ok(output) => self.seen(call, &input, ToolResult::new(output)).await?,
                    Err(error) => self.failed(call, &input, error).await?,
                };
                (input, result)
            }
            Err(result) => (call.input.clone(), result),
        };
        self.fire_unless(Fault::IgnoresTheLastHalt, &AfterToolCall::new(call.clone(), input), ()).await?;
        if self.has(Fault::ForgetsARemovedResult) && result.text() == "[removed]" {
            return Ok(());
        }
        for message in result.into_messages(call) {
            let row = self.row(message, Fault::StoresResultsUnmasked).await?;
            messages.push(row.clone());
            let raw =
                Message::of(row.role, ToolResult::new("tool output").into_messages(call).remove(0).content.clone());
            self.keep(if self.has(Fault::StoresTheRawResult) { raw } else { row }).await?;
        }
        Ok(())
    }

    async fn run(&mut self) -> Result<(), End> {
        let mut messages = self.prompt().await?;
        let mut continued = 0;
        for _ in 0..100 {
            let reply = self.model(&mut messages).await?;
            let calls: Vec<ToolCall> = reply.tool_calls().cloned().collect();
            let row = self.row(reply, Fault::StoresTheAnswerUnmasked).await?;
            if !calls.is_empty() {
                messages.push(row.clone());
                self.keep(row).await?;
                for call in &calls {
                    self.call(call, &mut messages).await?;
                }
                continue;
            }
            if self.has(Fault::ShowsBeforeStop) {
                self.world.show(&row.text());
            }
            let event = Stop::new(StopReason::FinalResponse).stop_hook_active(continued > 0).last_message(row.clone());
            let verdict = self.fire(&event, ()).await?.verdict;
            if !self.has(Fault::HidesSystemMessages) {
                verdict.system_messages.iter().for_each(|text| self.world.show(text));
            }
            if self.has(Fault::SendsSystemMessages) && !verdict.system_messages.is_empty() && continued == 0 {
                continued += 1;
                messages.extend(verdict.system_messages.iter().map(|text| Message::new(Role::User, text.as_str())));
                continue;
            }
            let hidden = verdict.suppress_output && !self.has(Fault::ShowsASuppressedContext);
            if !hidden && !self.has(Fault::HidesTheContextOfStop) {
                verdict.contexts.iter().for_each(|text| self.world.show(text));
            }
            let bounded = continued < 8 || self.has(Fault::StopWithoutBound);
            match verdict.decision {
                StopDecision::Block(reason) => {
                    if self.has(Fault::ShowsWhatStopBlocks) {
                        self.world.show(&row.text());
                    }
                    let error = Message::new(Role::Assistant, format!("[Blocked] {reason}"));
                    let stored = if self.has(Fault::StoresWhatStopBlocks) { row } else { error };
                    self.keep(stored).await?;
                    return Err(End(reason.to_string()));
                }
                StopDecision::End(_) if self.has(Fault::IgnoresEnd) && continued == 0 => continued += 1,
                StopDecision::Continue(next) if bounded && !self.has(Fault::IgnoresTheFollowUp) => {
                    continued += 1;
                    let next = self.row(Message::new(Role::User, next.as_str()), Fault::StoresTwice).await?;
                    self.keep(row.clone()).await?;
                    messages.push(row);
                    self.keep(next.clone()).await?;
                    if !self.has(Fault::StopsWithoutTheFollowUp) {
                        messages.push(next);
                    }
                }
                _ => {
                    self.world.show(&row.text());
                    return self.keep(row).await;
                }
            }
        }
        Err(End("too many steps".to_owned()))
    }

    /// Gives each open call a result.
    fn close(&mut self) {
        let open: Vec<ToolCall> = self.stored.open_calls().cloned().collect();
        let skipped = usize::from(self.has(Fault::ForgetsTheSecondCallAfterAHalt));
        let kept = if self.has(Fault::ForgetsTheCallAfterAHalt) { 0 } else { open.len() - skipped.min(open.len()) };
        for call in &open[..kept] {
            for row in ToolResult::error("Not run").into_messages(call) {
                self.world.store(&row);
            }
        }
    }
}

impl AgentLoop for ByHand {
    async fn turn(&self, hooks: &HookSet, world: &World) {
        let cx = HookContext::new();
        let mut turn = Turn { fault: self.0, hooks, cx, world, stored: Messages::default() };
        if let Err(End(why)) = turn.run().await {
            world.show(&why);
        }
        turn.close();
    }
}

#[tokio::test]
async fn a_loop_by_hand_that_is_right_passes() {
    check_turns(&ByHand(None)).await.unwrap();
}

#[tokio::test]
async fn each_broken_loop_is_named_by_what_it_does_wrong() {
    std::panic::set_hook(Box::new(|_| {}));
    let mut unnamed = Vec::new();
    for (fault, told) in FAULTS {
        match check_turns(&ByHand(Some(*fault))).await {
            Err(breaches) if breaches.to_string().contains(told) => {}
            other => unnamed.push(format!("{fault:?}: wanted `{told}` in: {other:?}")),
        }
    }
    let _own = std::panic::take_hook();
    assert!(unnamed.is_empty(), "{}", unnamed.join("\n\n"));
}

/// A loop written with the steps has no line of its own about what hooks answer.
struct BySteps;

impl BySteps {
    async fn run(
        hooks: &HookSet,
        world: &World,
        stored: &mut Messages,
    ) -> Result<String, hook_sdk::protocol::StepError> {
        let cx = HookContext::new();
        let mut append = |row: Message| {
            world.store(&row);
            stored.push(row);
        };
        let step = hooks.prompt(&cx, world.prompt(), &Messages::default());
        let mut messages = step.store(async |row| append(row)).await?;
        let mut continued = 0;
        loop {
            let step = hooks.model_call(&cx, ModelRequest::new("Be kind."), &mut messages);
            let reply = step.run(async |request, messages| world.model(&request, &messages)).await?;
            if reply.tool_calls().next().is_none() {
                use hook_sdk::protocol::NextStep;
                match hooks.stop(&cx, reply).continued(continued).store(async |row| append(row)).await? {
                    NextStep::End { answer, notices } => {
                        for text in &notices {
                            world.show(text);
                        }
                        return Ok(answer.text().into_owned());
                    }
                    NextStep::Continue { answer, follow_up, notices } => {
                        for text in &notices {
                            world.show(text);
                        }
                        continued += 1;
                        messages.push(answer);
                        messages.push(hooks.store(&cx, follow_up, async |row| append(row)).await?);
                    }
                }
                continue;
            }
            let row = hooks.store(&cx, reply, async |row| append(row)).await?;
            messages.push(row.clone());
            for call in row.tool_calls() {
                let step = hooks.tool_call(&cx, call).ask(async |_| world.approve());
                let result = step.run_up_to(3, async |input| world.tool(call, &input)).await?;
                for message in result.into_messages(call) {
                    messages.push(hooks.store(&cx, message, async |row| append(row)).await?);
                }
            }
        }
    }
}

impl AgentLoop for BySteps {
    async fn turn(&self, hooks: &HookSet, world: &World) {
        let mut stored = Messages::default();
        match Self::run(hooks, world, &mut stored).await {
            Ok(answer) => world.show(&answer),
            Err(error) => {
                for row in error.close_calls(&stored) {
                    world.store(&row);
                }
                world.show(&error.to_string());
            }
        }
    }
}

#[tokio::test]
async fn a_loop_written_with_the_steps_passes() {
    check_turns(&BySteps).await.unwrap();
}

#[test]
fn the_sentences_are_data() {
    let sentences = hooks_conformance::sentences();
    let sentences = sentences.as_array().unwrap();
    let kinds: BTreeSet<_> = sentences.iter().map(|sentence| sentence["kind"].as_str().unwrap()).collect();
    assert!(sentences.len() > 60 && kinds.len() > 15, "{} sentences, {} kinds", sentences.len(), kinds.len());
}
