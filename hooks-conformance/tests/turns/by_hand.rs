//! A loop written by hand: what its steps have in common, the order of the steps, and the end.

use hook_sdk::data::Role;
use hook_sdk::kinds::{AfterCreateMessage, BeforeCreateMessage, PostTurn, Stop, StopReason};
use hook_sdk::prelude::*;
use hooks_conformance::{AgentLoop, World};

use crate::by_steps::{compact, context, stream, without_text};
use crate::faults::Fault;

/// A loop written by hand with `fire`, with one fault or none.
pub(crate) struct ByHand(pub(crate) Option<Fault>);

pub(crate) struct Turn<'a> {
    pub(crate) fault: Option<Fault>,
    pub(crate) hooks: &'a HookSet,
    pub(crate) cx: HookContext,
    pub(crate) world: &'a World,
    pub(crate) stored: Messages,
    /// How many answers the model gave.
    pub(crate) answers: usize,
    /// How many calls were judged.
    pub(crate) calls: usize,
    /// The result of the call that was made last.
    pub(crate) made: Option<(String, ToolResult)>,
    /// Whether the person said yes.
    pub(crate) approved: bool,
    /// The profile that the hooks after an answer chose.
    pub(crate) profile: Option<String>,
    /// The input of the first call.
    pub(crate) first: Option<ToolInput>,
    /// The conversation up to the call.
    pub(crate) history: Messages,
}

/// Why a turn ends in which a call waits for a person.
pub(crate) const WAITS: &str = "it waits";

/// The turn ended.
pub(crate) struct End(pub(crate) String);

impl From<DispatchError> for End {
    fn from(error: DispatchError) -> Self {
        Self(error.to_string())
    }
}

impl Turn<'_> {
    pub(crate) fn has(&self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }

    pub(crate) async fn fire<K: HookKind>(&self, event: &K, subject: K::Subject) -> Result<Fired<K>, End> {
        let fired = self.hooks.fire(&self.cx, event, subject).await?;
        match &fired.report.halt {
            Some(halt) => Err(End(halt.reason.to_string())),
            None => Ok(fired),
        }
    }

    /// Like [`fire`](Self::fire), but a halt is ignored with this fault.
    pub(crate) async fn fire_unless<K: HookKind>(
        &self,
        fault: Fault,
        event: &K,
        subject: K::Subject,
    ) -> Result<Fired<K>, End> {
        if self.has(fault) {
            return Ok(self.hooks.fire(&self.cx, event, subject).await?);
        }
        self.fire(event, subject).await
    }

    pub(crate) async fn row(&self, message: Message, unmasked: Fault) -> Result<Message, End> {
        if self.has(unmasked) {
            return Ok(message);
        }
        if self.has(Fault::JudgesRowsTwice) {
            let _again = self.fire(&BeforeCreateMessage::new(), message.clone()).await?;
        }
        match self.fire(&BeforeCreateMessage::new(), message.clone()).await {
            Err(_) if self.has(Fault::StoresWithoutTheRequiredMask) => Ok(message),
            Err(_) if self.has(Fault::StoresAnAnswerWithoutTheRequiredMask) && message.text().starts_with("answer") => {
                Ok(message)
            }
            Err(_) if self.has(Fault::StoresACallWithoutTheRequiredMask) && message.tool_calls().next().is_some() => {
                Ok(message)
            }
            Err(_) if self.has(Fault::StoresAResultWithoutTheRequiredMask) && message.role == Role::Tool => Ok(message),
            Err(_) if self.has(Fault::StoresAFollowUpWithoutTheRequiredMask) && message.text() == "carry on" => {
                Ok(message)
            }
            row => Ok(row?.subject),
        }
    }

    pub(crate) async fn keep(&mut self, row: Message) -> Result<(), End> {
        let told = row.clone();
        self.keep_and_tell(row, told).await
    }

    /// Stores a row, and tells hooks of this one.
    async fn keep_and_tell(&mut self, row: Message, told: Message) -> Result<(), End> {
        if self.has(Fault::AnnouncesTooEarly) {
            let _ = self.fire(&AfterCreateMessage::new(row.clone()), ()).await?;
        }
        self.world.store(&row);
        if self.has(Fault::StoresTwice) {
            self.world.store(&row);
        }
        self.stored.push(row.clone());
        if !self.has(Fault::AnnouncesTooEarly) && !self.has(Fault::AnnouncesNothing) {
            match self.fire(&AfterCreateMessage::new(told), ()).await {
                Err(_) if self.has(Fault::IgnoresAHaltAfterTheFollowUp) && row.text() == "carry on" => {}
                Err(_) if self.has(Fault::IgnoresAFailureAfterARow) => {}
                fired => drop(fired?),
            }
        }
        Ok(())
    }

    /// What is kept of a row: another text for the model, or the masked one.
    pub(crate) fn sent(&self, raw: Message, row: &Message) -> Message {
        if self.has(Fault::SendsTheRawRow) { raw } else { row.clone() }
    }

    /// What the model reads at first.
    async fn begin(&mut self) -> Result<Messages, End> {
        let mut messages = match self.prompt().await {
            Err(_) if self.has(Fault::HidesTheErrorOfAPrompt) => return Err(End(String::new())),
            messages => messages?,
        };
        compact(self.hooks, &self.cx, &mut messages, self.fault).await.map_err(End)?;
        Ok(messages)
    }

    async fn reply(&mut self, messages: &mut Messages) -> Result<Message, End> {
        let mut copy = messages.clone();
        let sent = if self.has(Fault::CallsTheModelWithACopy) { &mut copy } else { messages };
        let reply = match self.model(sent).await {
            Err(_) if self.has(Fault::HidesTheErrorOfAModelCall) => return Err(End(String::new())),
            reply => reply?,
        };
        let is_cut = self.has(Fault::DropsTheTextBesideACall) && reply.tool_calls().next().is_some();
        Ok(if is_cut { without_text(&reply) } else { reply })
    }

    async fn run(&mut self) -> Result<(), End> {
        let mut messages = self.begin().await?;
        let mut continued = 0;
        for _ in 0..100 {
            let reply = self.reply(&mut messages).await?;
            let mut calls: Vec<ToolCall> = reply.tool_calls().cloned().collect();
            if self.has(Fault::RunsTheOldCall) {
                for call in &mut calls {
                    call.input = serde_json::json!({ "word": "blue" }).into();
                }
            }
            let raw = reply.clone();
            let row = match self.row(reply.clone(), Fault::StoresTheAnswerUnmasked).await {
                Err(_) if self.has(Fault::IgnoresAHaltAtTheRowOfACall) && !calls.is_empty() => reply,
                row => row?,
            };
            if !calls.is_empty() {
                if self.has(Fault::RunsTheInputOfTheRow) {
                    calls = row.tool_calls().cloned().collect();
                }
                messages.push(if self.has(Fault::SendsTheRawCall) { raw } else { row.clone() });
                self.keep(row).await?;
                for call in &calls {
                    self.call(call, &mut messages).await?;
                }
                continue;
            }
            if self.has(Fault::ShowsBeforeStop) {
                self.world.show(&row.text());
            }
            let mut event = Stop::new(StopReason::FinalResponse).stop_hook_active(continued > 0);
            if !self.has(Fault::StopsWithoutTheAnswer) {
                event = event.last_message(row.clone());
            }
            let skipped = (self.has(Fault::StopsTheFirstAnswerOnly) && self.calls > 0)
                || (self.has(Fault::StopsOnceOnly) && continued > 0);
            let verdict = match self.fire(&event, ()).await {
                Ok(_) if skipped => StopVerdict::default(),
                Err(_) if self.has(Fault::ShowsWhatStopCouldNotJudge) => StopVerdict::default(),
                Err(_) if self.has(Fault::IgnoresALaterEndByStop) && continued > 0 => StopVerdict::default(),
                fired => fired?.verdict,
            };
            let goes_on = matches!(verdict.decision, StopDecision::Continue(_));
            let suppressed = self.has(Fault::SuppressesMessages) && verdict.suppress_output;
            if !(suppressed
                || self.has(Fault::HidesSystemMessages)
                || (self.has(Fault::HidesMessagesOfAContinuedTurn) && goes_on))
            {
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
                    let unmasked = stored.clone();
                    let stored = self.row(stored, Fault::StoresTheBlockUnmasked).await?;
                    let told = if self.has(Fault::AnnouncesTheRawBlock) { unmasked } else { stored.clone() };
                    self.keep_and_tell(stored, told).await?;
                    let said = if self.has(Fault::SaysNothingOfABlock) { String::new() } else { reason.to_string() };
                    return Err(End(said));
                }
                StopDecision::End(_) if self.has(Fault::IgnoresEnd) && continued == 0 => continued += 1,
                StopDecision::Continue(next) if bounded && !self.has(Fault::IgnoresTheFollowUp) => {
                    continued += 1;
                    self.goes_on(row, raw, next.as_str(), &mut messages).await?;
                }
                _ => {
                    let shown = if self.has(Fault::ShowsTheUnmaskedAnswer) { &raw } else { &row };
                    if self.has(Fault::StoresBeforeTheStream) {
                        self.keep(row.clone()).await?;
                    }
                    if !(self.has(Fault::SuppressesTheAnswer) && verdict.suppress_output) {
                        stream(self.hooks, &self.cx, self.world, &shown.text(), self.fault).await.map_err(End)?;
                    }
                    return if self.has(Fault::StoresBeforeTheStream) { Ok(()) } else { self.keep(row).await };
                }
            }
        }
        Err(End("too many steps".to_owned()))
    }

    /// Continues the turn with an answer and a follow-up.
    async fn goes_on(&mut self, row: Message, raw: Message, next: &str, messages: &mut Messages) -> Result<(), End> {
        let says = if self.has(Fault::SaysTheFollowUpAsTheSystem) { Role::System } else { Role::User };
        let unmasked = Message::new(says, next);
        let next = self.row(unmasked.clone(), Fault::StoresTheFollowUpUnmasked).await?;
        let late = self.has(Fault::StoresTheFollowUpFirst);
        if !self.has(Fault::ForgetsTheContinuedAnswer) && !late {
            self.keep(row.clone()).await?;
        }
        messages.push(if self.has(Fault::SendsTheRawAnswer) { raw } else { row.clone() });
        let told = if self.has(Fault::AnnouncesTheRawFollowUp) { unmasked.clone() } else { next.clone() };
        if self.has(Fault::AnnouncesNoFollowUp) {
            self.world.store(&next);
        } else {
            self.keep_and_tell(next.clone(), told).await?;
        }
        if late {
            self.keep(row).await?;
        }
        if !self.has(Fault::StopsWithoutTheFollowUp) {
            messages.push(if self.has(Fault::SendsTheRawFollowUp) { unmasked } else { next });
        }
        Ok(())
    }

    /// Gives each open call a result.
    async fn close(&mut self) {
        let open: Vec<ToolCall> = self.stored.open_calls().cloned().collect();
        let skipped = usize::from(self.has(Fault::ForgetsTheSecondCallAfterAHalt));
        let kept = if self.has(Fault::ForgetsTheCallAfterAHalt) { 0 } else { open.len() - skipped.min(open.len()) };
        for call in &open[..kept] {
            let made = self.made.as_ref().filter(|(id, _)| *id == *call.id).map(|(_, result)| result.clone());
            let made = made.filter(|_| !self.has(Fault::SaysThatACallThatWasMadeWasNot));
            for row in made.unwrap_or_else(|| ToolResult::error("Not run")).into_messages(call) {
                // What cannot be masked is not stored.
                let withheld = ToolResult::error("Not stored").into_messages(call).remove(0);
                let masked = self.row(row, Fault::ClosesUnmasked).await.unwrap_or(withheld);
                self.world.store(&masked);
                self.stored.push(masked);
            }
        }
    }
}

impl AgentLoop for ByHand {
    async fn turn(&self, hooks: &HookSet, world: &World) {
        let (cx, stored) = (context(world), world.stored().clone());
        let mut turn = Turn {
            fault: self.0,
            hooks,
            cx,
            world,
            stored,
            answers: 0,
            calls: 0,
            made: None,
            approved: false,
            profile: None,
            first: None,
            history: Messages::default(),
        };
        if !turn.has(Fault::LeavesCallsOpen) {
            turn.close().await;
        }
        let why = turn.run().await.err().map(|End(why)| why).unwrap_or_default();
        if !turn.has(Fault::HidesTheErrorOfAHalt) {
            world.show(&why);
        }
        if why != WAITS || turn.has(Fault::ClosesACallThatWaits) {
            turn.close().await;
        }
        if !turn.has(Fault::NeverFiresPostTurn) {
            let _halted = hooks.fire(&turn.cx, &PostTurn::new(world.prompt()), ()).await;
        }
    }
}
