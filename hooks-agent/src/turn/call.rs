//! A single model call: deadline, cancellation, panics and retries.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{Either, select};
use hook_sdk::data::{Block, Messages, ModelRequest};
use hook_sdk::kinds::ExitReason;
use serde_json::Value;

use super::TurnLoop;
use super::end::End;
use super::stream::{CallStream, StreamStop, StreamWindows};
use crate::event::TurnEvent;
use crate::model::{Delta, Deltas, ModelAnswer, ModelCall, ModelError};
use crate::panics::contained;
use crate::reply::TurnError;

/// The result of a call.
pub(super) struct Answered {
    pub(super) answer: Result<ModelAnswer, ModelError>,
    /// Set if a hook stopped the stream.
    pub(super) stopped: Option<StreamStop>,
}

/// The most levels of JSON in the input of a call. Parsers read 128, and what stores the input puts it some levels deeper.
pub(super) const LEVELS: usize = 100;

/// Turns each input that is nested too deeply to be read again into text, with which no tool runs.
pub(super) fn flatten_inputs(content: &mut [Block]) {
    for block in content {
        if let Block::ToolUse(call) = block
            && is_deeper(&call.input, LEVELS)
        {
            call.input = Value::String(call.input.text().into_owned()).into();
        }
    }
}

fn flattened(mut answer: ModelAnswer) -> ModelAnswer {
    flatten_inputs(&mut answer.content);
    answer
}

/// Whether `value` has more than this many levels.
pub(super) fn is_deeper(value: &Value, levels: usize) -> bool {
    let Some(inner) = levels.checked_sub(1) else { return value.is_array() || value.is_object() };
    match value {
        Value::Array(values) => values.iter().any(|value| is_deeper(value, inner)),
        Value::Object(fields) => fields.values().any(|value| is_deeper(value, inner)),
        _ => false,
    }
}

impl TurnLoop {
    /// Calls the model of the profile to which `request` was routed. With `shows`, the answer is shown while it
    /// streams, and [`TurnLoop::shown`] is the part that was shown.
    pub(super) async fn call_model(
        &mut self,
        request: &ModelRequest,
        messages: Messages,
        shows: bool,
    ) -> Result<Answered, End> {
        let is_judged = shows && self.stream_judges().next().is_some();
        let is_deferred = request.defer_output || !self.draft.halves.is_empty();
        let stream = CallStream::new(shows, is_deferred, is_judged, self.events.clone());
        if let Some(answer) = &request.answer {
            // Everything that handles answers of models handles this one too.
            let answer = Ok(ModelAnswer::new(answer.clone()));
            return self.heard(&stream, StreamWindows::default(), answer, Ok(None)).await;
        }
        let parts = Arc::clone(&self.session.harness);
        // An empty profile resets the request to the default.
        let wanted = request.profile.as_deref().map(str::trim).filter(|profile| !profile.is_empty());
        let wanted = wanted.or(self.session.profile.as_deref());
        let (profile, model) = parts.models.get(wanted).ok_or_else(|| TurnError::NoProfile {
            profile: wanted.unwrap_or_default().to_owned(),
            known: parts.models.profiles().join(", "),
        })?;
        let call = ModelCall {
            system_prompt: request.system_prompt.clone(),
            messages,
            tools: match &request.tools {
                Some(names) => self.model.tools.iter().filter(|tool| names.contains(&tool.name)).cloned().collect(),
                None => self.model.tools.clone(),
            },
            tool_choice: request.tool_choice.clone(),
            temperature: request.temperature,
            max_tokens: request.max_tokens,
            output_schema: request.output_schema.clone(),
            extra: request.extra.clone(),
            profile: profile.to_owned(),
            conversation: self.session.conversation.clone(),
            turn: self.cx.turn().unwrap_or_default(),
        };
        self.emit(|| TurnEvent::ModelCalled { profile: call.profile.clone(), messages: call.messages.len() });

        let (limits, began) = (self.limits().clone(), self.begin());
        let stream = if self.inputs.is_some() { stream.collecting_text() } else { stream };
        let listener = |delta: Delta<'_>| stream.push(delta);
        let answer = contained(async { model.call(&call, Deltas::to(&listener)).await });
        let mut answer = pin!(tokio::time::timeout(limits.model, answer));
        let mut windows = StreamWindows::default();
        let (answer, stopped) = loop {
            // The time starts again in each round, because the stream is not read while hooks judge a piece.
            let idle = pin!(async {
                if !stream.has_begun() {
                    std::future::pending::<()>().await;
                }
                tokio::time::sleep(limits.idle).await;
            });
            let ended = select(&mut answer, idle);
            let unread = || Err(ModelError::Broken("its stream was stopped".to_owned()));
            match self.cancellation.run_until_cancelled(select(pin!(stream.arrived()), ended)).await {
                None => break (unread(), Err(End::cancelled(ExitReason::AbortedPreCall))),
                Some(Either::Left(((), _))) => match self.judge_stream(&stream, &mut windows).await {
                    Ok(None) => {}
                    stopped => break (unread(), stopped),
                },
                Some(Either::Right((Either::Left((answer, _)), _))) => {
                    let answer = match answer {
                        Ok(Ok(answer)) => answer,
                        Ok(Err(_panic)) => Err(ModelError::Unanswered("its client panicked".to_owned())),
                        Err(_) => {
                            let limit = limits.model;
                            Err(ModelError::Unanswered(format!(
                                "it timed out after {limit:?}, the limit of the harness"
                            )))
                        }
                    };
                    break (answer.map(flattened), Ok(None));
                }
                Some(Either::Right((Either::Right(((), _)), _))) => {
                    let silent = format!("the stream was silent for {:?}", limits.idle);
                    break (Err(ModelError::Broken(silent)), Ok(None));
                }
            }
        };
        if stopped.is_ok() {
            self.note_answer(&answer, &stream, began);
        }
        let answered = self.heard(&stream, windows, answer, stopped).await?;
        if let Ok(answer) = &answered.answer {
            let usage = answer.usage.unwrap_or_default();
            self.draft.usage += usage;
            self.budget.spend_tokens(usage.total());
            let (model, stop_reason) = (answer.model.clone(), answer.stop_reason.clone());
            self.emit(|| TurnEvent::ModelAnswered { model, stop_reason, usage: answer.usage });
        }
        Ok(answered)
    }

    /// Passes the rest of an answer to hooks. If the turn ends there, what was shown is stored.
    async fn heard(
        &mut self,
        stream: &CallStream,
        mut windows: StreamWindows,
        mut answer: Result<ModelAnswer, ModelError>,
        mut stopped: Result<Option<StreamStop>, End>,
    ) -> Result<Answered, End> {
        self.is_deferred = stream.is_deferred && answer.is_ok();
        if let (true, Ok(answer), Ok(None)) = (stream.is_judged, &mut answer, &stopped) {
            stopped = self.judge_rest(stream, &mut windows, answer).await;
        }
        self.shown = stream.shown();
        match stopped {
            Ok(stopped) => Ok(Answered { answer, stopped }),
            Err(end) => {
                self.keep_shown(&end.note()).await?;
                Err(end)
            }
        }
    }

    /// The delay before a retry. `None` if a retry does not help, or the retries are used up.
    pub(super) fn retry_wait(&self, error: &ModelError, retries: u32) -> Option<Duration> {
        let backoff = self.limits().retry_after.saturating_mul(2_u32.saturating_pow(retries));
        // After a stream, the text would be shown twice.
        error.retry_after(backoff).filter(|_| retries < self.limits().retries && self.shown.is_empty())
    }

    /// Waits before a retry.
    pub(super) async fn wait_to_retry(&self, error: &ModelError, wait: Duration) -> Result<(), End> {
        self.emit(|| TurnEvent::Retrying { error: error.to_string() });
        if self.pause(wait).await { Ok(()) } else { Err(End::cancelled(ExitReason::AbortedPreCall)) }
    }

    /// Waits. `false` if the turn was cancelled meanwhile.
    pub(super) async fn pause(&self, wait: Duration) -> bool {
        self.cancellation.run_until_cancelled(tokio::time::sleep(wait.min(LONGEST_WAIT))).await.is_some()
    }
}

/// Longer delays are not waited for, because a person is waiting.
const LONGEST_WAIT: Duration = Duration::from_secs(60);
