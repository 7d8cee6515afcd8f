//! The loop written by hand: the calls of tools.

use hook_sdk::kinds::{AfterToolCall, AfterToolCallFailure, AfterToolCallSuccess, BeforeToolCall, PermissionRequest};
use hook_sdk::prelude::*;
use hook_sdk::protocol::{Approval, ToolQuestion};
use hook_sdk::verdict::Decision;
use serde_json::json;

use crate::by_hand::{End, Turn, WAITS};
use crate::by_steps::ask;
use crate::faults::Fault;

impl Turn<'_> {
    /// What the gates are told of a call, unless they are not asked.
    fn gate(&mut self, call: &ToolCall) -> Option<BeforeToolCall> {
        let mut told = call.clone();
        if self.has(Fault::GatesWithoutTheName) {
            told.name = "tool".into();
        }
        if self.has(Fault::GatesWithoutTheInput) {
            told.input = json!({}).into();
        }
        let ungated = (self.has(Fault::GatesTheFirstAnswerOnly) && self.answers > 1)
            || (self.has(Fault::GatesTheFirstCallOnly) && self.calls > 0);
        self.calls += 1;
        (!ungated).then(|| BeforeToolCall::new(told))
    }

    /// What the gates answer.
    async fn judged(&self, event: &BeforeToolCall, input: &ToolInput) -> Result<Fired<BeforeToolCall>, End> {
        let later = self.has(Fault::IgnoresALaterHaltOfTheGate) && self.calls > 1;
        if self.has(Fault::GatesInAnotherContext) {
            let fired = self.hooks.fire(&HookContext::new(), event, input.clone()).await?;
            return Ok(fired);
        }
        if self.has(Fault::GatesTwice) {
            let _again = self.hooks.fire(&self.cx, event, input.clone()).await?;
        }
        let fault = if later { Fault::IgnoresALaterHaltOfTheGate } else { Fault::IgnoresAHaltAtTheGate };
        self.fire_unless(fault, event, input.clone()).await
    }

    /// What the hooks at `permission_request` answer.
    async fn requested(
        &self,
        event: &PermissionRequest,
        input: &ToolInput,
    ) -> Result<Option<Fired<PermissionRequest>>, End> {
        match self.fire(event, input.clone()).await {
            Err(_) if self.has(Fault::IgnoresALaterFailureOfARequest) && self.calls > 1 => Ok(None),
            asked => Ok(Some(asked?)),
        }
    }

    /// Whether it ignores that a gate rewrote the input.
    fn keeps_input(&self, is_edited: bool) -> bool {
        (self.has(Fault::RewritesTheFirstInputOnly) && self.calls > 1)
            || (self.has(Fault::IgnoresTheRewriteOfAnEdit) && is_edited)
    }

    fn skips_request(&self, is_deferred: bool) -> bool {
        self.has(Fault::SkipsThePermissionRequest)
            || (self.has(Fault::RequestsOnceForAll) && self.calls > 1)
            || (self.has(Fault::RequestsNothingOfADeferral) && is_deferred)
    }

    /// The input of a call that may run, or its result.
    async fn judge(&mut self, call: &ToolCall) -> Result<Result<ToolInput, ToolResult>, End> {
        let Some(event) = self.gate(call) else { return Ok(Ok(call.input.clone())) };
        let mut input = call.input.clone();
        // The question that was answered with an edited input, and this input.
        let mut answered = None;
        for _ in 0..3 {
            let fired = self.judged(&event, &input).await?;
            if !self.keeps_input(answered.is_some()) {
                input = fired.subject.clone();
            }
            let refused = |text: &str| Ok(Err(ToolResult::error(text)));
            let changed = answered.clone().filter(|(_, edited)| *edited != input).map(|(question, _)| question);
            let question = match fired.verdict.decide() {
                Decision::Run => match changed {
                    Some(question) if !self.has(Fault::RunsTheRewriteOfAnEdit) => question,
                    _ => return Ok(Ok(input)),
                },
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
            let reason = if self.has(Fault::RequestsWithoutTheQuestion) { "" } else { question.reason.as_str() };
            let is_deferred = matches!(fired.verdict, Permission::Defer(_));
            let told = is_deferred && !self.has(Fault::RequestsADeferralAsAQuestion);
            let event = PermissionRequest::new(call.clone()).reason(reason).deferred(told);
            let asked = if self.skips_request(is_deferred) { None } else { self.requested(&event, &input).await? };
            match asked.map(|fired| (fired.verdict, fired.subject)) {
                Some((Permission::Allow, edited)) if edited == input => return Ok(Ok(input)),
                Some((Permission::Allow, edited)) if self.has(Fault::DoesNotJudgeTheRequestsInput) => {
                    return Ok(Ok(edited));
                }
                Some((Permission::Allow, _)) if self.has(Fault::IgnoresTheRequestsInput) => return Ok(Ok(input)),
                Some((Permission::Allow, edited)) => {
                    input = edited;
                    continue;
                }
                Some((Permission::Deny(_), _)) if self.has(Fault::IgnoresTheRequestsDenial) => return Ok(Ok(input)),
                Some((Permission::Deny(denial), _)) => return refused(denial.reason.as_str()),
                Some((Permission::Answer(_), _)) if self.has(Fault::RunsWhatTheRequestAnswered) => {
                    return Ok(Ok(input));
                }
                Some((Permission::Answer(_), _)) if self.has(Fault::AsksInSpiteOfTheRequestsAnswer) => {}
                Some((Permission::Answer(result), _)) => return Ok(Err(self.seen(call, &input, *result).await?)),
                Some((Permission::NoOpinion, edited)) if self.has(Fault::TakesARewriteForAYes) => {
                    return Ok(Ok(edited));
                }
                Some((Permission::Ask(_) | Permission::Defer(_), _)) if self.has(Fault::TakesAQuestionForAYes) => {
                    return Ok(Ok(input));
                }
                _ => {}
            }
            if self.has(Fault::RunsAskedAndThenAsks) {
                let _ran = self.world.tool(call, &input);
            }
            if self.has(Fault::NeverAsks) || answered == Some((question.clone(), input.clone())) {
                return if answered.is_some() { Ok(Ok(input)) } else { refused("Declined") };
            }
            if self.has(Fault::AsksOnceForAll) && self.approved {
                return Ok(Ok(input));
            }
            let asked = ToolQuestion::new(call.clone(), input.clone(), question.clone(), is_deferred);
            match ask(self.world, asked, self.fault) {
                Approval::Yes if self.has(Fault::RunsTheOldInputAfterAYes) => return Ok(Ok(call.input.clone())),
                Approval::Yes => {
                    self.approved = true;
                    return Ok(Ok(input));
                }
                Approval::No(_) if self.has(Fault::RunsEverythingAfterAYes) && self.approved => return Ok(Ok(input)),
                Approval::No(why) => return refused(&format!("{}. {why}", question.reason)),
                Approval::Edited(_) if self.has(Fault::IgnoresTheEdit) => return Ok(Ok(input)),
                Approval::Edited(edited) if self.has(Fault::DoesNotJudgeTheEdit) => return Ok(Ok(edited)),
                Approval::Edited(edited) => {
                    answered = Some((question, edited.clone()));
                    input = edited;
                }
                Approval::Answer(_) if self.has(Fault::RunsWhatThePersonAnswered) => return Ok(Ok(input)),
                Approval::Answer(_) if self.has(Fault::HidesThePersonsResult) => return refused("nothing"),
                Approval::Answer(result) if self.has(Fault::HidesThePersonsResultFromHooks) => return Ok(Err(result)),
                Approval::Answer(result) => return Ok(Err(self.seen(call, &input, result).await?)),
                Approval::Suspend if self.has(Fault::RunsWhatWaits) => return Ok(Ok(input)),
                Approval::Suspend if self.has(Fault::GoesOnWhileACallWaits) => return refused(WAITS),
                Approval::Suspend => return Err(End(WAITS.to_owned())),
            }
        }
        Ok(Err(ToolResult::error("the gates do not agree")))
    }

    /// The result after the hooks that see it.
    async fn seen(&mut self, call: &ToolCall, input: &ToolInput, mut result: ToolResult) -> Result<ToolResult, End> {
        // The tool of these turns says something else.
        result.is_error = self.has(Fault::TakesAnAnswerForAFailure) && !result.text().starts_with("tool output");
        let is_answer = result.text() == "a secret answer";
        if self.has(Fault::ForgetsHooksAfterAnAnswer) && is_answer {
            return Ok(result);
        }
        if self.has(Fault::RewritesTheFirstResultOnly) && self.calls > 1 {
            return Ok(result);
        }
        let told = if self.has(Fault::TellsHooksTheOldInput) { &call.input } else { input };
        let event = AfterToolCallSuccess::new(call.clone(), told.clone()).history(self.history.clone());
        let fired = match self.hooks.fire(&self.cx, &event, result.clone()).await {
            Err(_) if self.has(Fault::SendsTheResultThatARequiredHookWithheld) => return Ok(result),
            fired => fired?,
        };
        let kept = fired.subject.clone().unwrap_or_else(|| ToolResult::new("[removed]"));
        let kept = if self.has(Fault::ClosesWithTheRawResult) { result.clone() } else { kept };
        self.made = Some((call.id.clone(), kept));
        let ignored = self.has(Fault::IgnoresAHaltAfterTheTool)
            || (self.has(Fault::IgnoresALaterHaltAfterTheTool) && self.calls > 1);
        if let Some(halt) = fired.report.halt.as_ref().filter(|_| !ignored) {
            return Err(End(halt.reason.to_string()));
        }
        if self.has(Fault::IgnoresTheRewrittenResult) && fired.subject.is_some() {
            return Ok(result);
        }
        Ok(match fired.subject {
            None if self.has(Fault::IgnoresARemovedResult) => result,
            None => ToolResult::new("[removed]"),
            Some(mut result)
                if self.has(Fault::IgnoresTheContextOfAResult)
                    || (self.has(Fault::AddsTheContextOfTheFirstResultOnly) && self.calls > 1) =>
            {
                result.additional_context.clear();
                result
            }
            Some(result) => result,
        })
    }

    async fn failed(&mut self, call: &ToolCall, input: &ToolInput, mut error: String) -> Result<ToolResult, End> {
        if self.has(Fault::NeverEnds) {
            std::future::pending::<()>().await;
        }
        for attempt in 1.. {
            let told = if self.has(Fault::TellsHooksNoError) { "" } else { error.as_str() };
            let event = AfterToolCallFailure::new(call.clone(), input.clone(), told).may_retry(attempt < 3);
            let event = event.history(self.history.clone());
            let result = ToolResult::error(error.as_str());
            let fired = match self.fire_unless(Fault::IgnoresAHaltAfterAFailure, &event, result.clone()).await {
                Err(_) if self.has(Fault::RetriesInSpiteOfAHalt) && attempt == 1 => {
                    let _again = self.world.tool(call, input);
                    continue;
                }
                fired => fired?,
            };
            let again = matches!(fired.verdict, Retry::After(_)) && !self.has(Fault::NeverRetries);
            let again = again && !(self.has(Fault::RetriesTheFirstCallOnly) && self.calls > 1);
            let again = again || (self.has(Fault::RetriesWhatMustNot) && fired.verdict == Retry::Never);
            let input = if self.has(Fault::RetriesWithTheOldInput) { &call.input } else { input };
            if again && (attempt < 3 || self.has(Fault::RetriesWithoutBound)) {
                match self.world.tool(call, input) {
                    Ok(output) => return self.seen(call, input, ToolResult::new(output)).await,
                    Err(again) => error = again,
                }
                continue;
            }
            return Ok(match fired.subject {
                Some(_) if self.has(Fault::RewritesTheFirstFailureOnly) && attempt > 1 => result,
                None if self.has(Fault::IgnoresARemovedFailure) => result,
                Some(mut result) if self.has(Fault::IgnoresTheContextOfAFailure) => {
                    result.additional_context.clear();
                    result
                }
                None => ToolResult::new("[removed]"),
                Some(result) => result,
            });
        }
        Err(End("too many runs".to_owned()))
    }

    pub(crate) async fn call(&mut self, call: &ToolCall, messages: &mut Messages) -> Result<(), End> {
        if !self.has(Fault::TellsHooksNoHistory) {
            self.history.clone_from(messages);
        }
        let judged = match self.judge(call).await {
            Err(_) if self.has(Fault::RunsTheRestAfterAHalt) && self.calls == 1 => {
                Ok(Err(ToolResult::error("Not run")))
            }
            judged => judged,
        };
        let (input, result) = match judged? {
            Ok(input) => {
                let first = self.first.get_or_insert_with(|| input.clone()).clone();
                let input = if self.has(Fault::RunsTheFirstInputAgain) { first } else { input };
                let input = if self.has(Fault::SwapsTheInputs) { swapped(&input) } else { input };
                let input = if self.has(Fault::RunsTheOldInput) { call.input.clone() } else { input };
                let result = match self.world.tool(call, &input) {
                    Ok(output) => self.seen(call, &input, ToolResult::new(output)).await?,
                    Err(error) => self.failed(call, &input, error).await?,
                };
                (input, result)
            }
            Err(result) => {
                if self.has(Fault::GoesOnWhileACallWaits) && result.text() == WAITS {
                    return Ok(());
                }
                if self.has(Fault::EndsOnlyCallsThatRan) {
                    return self.keep_result(call, result, messages).await;
                }
                (call.input.clone(), result)
            }
        };
        let mut event = AfterToolCall::new(call.clone(), input);
        event.result = Some(result.clone()).filter(|_| !self.has(Fault::EndsWithoutTheResult));
        if self.has(Fault::EndsWithTheRawResult) {
            event.result = Some(ToolResult::new("tool output"));
        }
        if self.has(Fault::EndsOnlySuccesses) && result.is_error {
            return self.keep_result(call, result, messages).await;
        }
        if self.has(Fault::EndsEachCallTwice) {
            let _ = self.fire(&event, ()).await?;
        }
        match self.fire_unless(Fault::IgnoresTheLastHalt, &event, ()).await {
            Err(_) if self.has(Fault::IgnoresALaterFailureAfterACall) && self.calls > 1 => {}
            fired => drop(fired?),
        }
        self.keep_result(call, result, messages).await
    }

    /// Stores the rows of a result, and sends them from now on.
    async fn keep_result(&mut self, call: &ToolCall, result: ToolResult, messages: &mut Messages) -> Result<(), End> {
        if self.has(Fault::ForgetsARemovedResult) && result.text() == "[removed]" {
            return Ok(());
        }
        let mut result = result;
        if self.has(Fault::SaysItItself) {
            result.said_by = None;
        }
        let mut answers = call.clone();
        if self.has(Fault::SwapsTheResults) {
            let open: Vec<_> = self.stored.open_calls().map(|call| call.id.clone()).collect();
            answers.id = open.last().cloned().unwrap_or(answers.id);
        }
        for message in result.into_messages(&answers) {
            let unmasked = if message_says(&message, "tool error") {
                Fault::StoresAFailureUnmasked
            } else if message_says(&message, "a secret reason") {
                Fault::StoresADenialUnmasked
            } else {
                Fault::StoresResultsUnmasked
            };
            let unsent = message.clone();
            let row = self.row(message, unmasked).await?;
            messages.push(self.sent(unsent, &row));
            let raw =
                Message::of(row.role, ToolResult::new("tool output").into_messages(call).remove(0).content.clone());
            self.keep(if self.has(Fault::StoresTheRawResult) { raw } else { row }).await?;
        }
        Ok(())
    }
}

/// An input with the id of the other call.
fn swapped(input: &ToolInput) -> ToolInput {
    let text = input.to_string().replace("call_1", "call_0").replace("call_2", "call_1").replace("call_0", "call_2");
    serde_json::from_str::<serde_json::Value>(&text).map_or_else(|_| input.clone(), Into::into)
}

/// Whether a row or a result in it contains a text.
fn message_says(row: &Message, text: &str) -> bool {
    serde_json::to_string(row).is_ok_and(|row| row.contains(text))
}
