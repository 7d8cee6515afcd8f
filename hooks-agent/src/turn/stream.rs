//! Streamed answers. Only what hooks have seen is shown.

use std::iter;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hook_sdk::data::{Block, Message, Role};
use hook_sdk::hook::Hold;
use hook_sdk::kinds::{StreamChannel, StreamDelta};
use hook_sdk::verdict::{Decision, Reason};
use hook_sdk::{HookId, HookSet};
use tokio::sync::Notify;

use super::TurnLoop;
use super::end::End;
use crate::event::TurnEvent;
use crate::event_queue::EventSender;
use crate::model::{Delta, ModelAnswer};
use crate::reply::Outcome;

/// Why a stream was stopped.
pub(super) struct StreamStop {
    pub(super) reason: Reason,
    pub(super) by: Option<HookId>,
}

/// The stream of one call.
pub(super) struct CallStream {
    shows: bool,
    is_judged: bool,
    events: EventSender,
    pieces: Mutex<Pieces>,
    arrived: Notify,
}

#[derive(Default)]
struct Pieces {
    /// Whether a piece has arrived.
    begun: bool,
    /// The text that was shown without being judged.
    shown: String,
    /// The pieces for the hooks; adjacent pieces of the same source are joined.
    waiting: Vec<(Source, String)>,
    /// The complete text, if it is collected.
    text_so_far: Option<String>,
}

/// The source of a piece.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Source {
    Text,
    Thinking,
    Input { call: String, tool: String },
}

impl Source {
    fn event(&self, text: String) -> TurnEvent {
        match self.clone() {
            Self::Text => TurnEvent::Text(text),
            Self::Thinking => TurnEvent::Thinking(text),
            Self::Input { call, tool } => TurnEvent::ToolInput { call, tool, text },
        }
    }

    fn channel(&self) -> StreamChannel {
        match self {
            Self::Text => StreamChannel::Text,
            Self::Thinking => StreamChannel::Thinking,
            Self::Input { .. } => StreamChannel::Input,
        }
    }
}

impl CallStream {
    pub(super) fn new(shows: bool, is_judged: bool, events: EventSender) -> Self {
        Self { shows, is_judged, events, pieces: Mutex::default(), arrived: Notify::new() }
    }

    /// Collects the complete text for [`collected_text`](Self::collected_text).
    pub(super) fn collecting_text(self) -> Self {
        self.pieces().text_so_far = Some(String::new());
        self
    }

    /// The text that has arrived, if it is collected.
    pub(super) fn collected_text(&self) -> String {
        self.pieces().text_so_far.clone().unwrap_or_default()
    }

    fn pieces(&self) -> MutexGuard<'_, Pieces> {
        self.pieces.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a piece has arrived.
    pub(super) fn has_begun(&self) -> bool {
        self.pieces().begun
    }

    /// Waits for the next piece.
    pub(super) async fn arrived(&self) {
        self.arrived.notified().await;
    }

    /// Handles a piece. Without hooks, it is shown immediately.
    pub(super) fn push(&self, delta: Delta<'_>) {
        let mut pieces = self.pieces();
        pieces.begun = true;
        if let (Some(text_so_far), Delta::Text(text)) = (&mut pieces.text_so_far, delta) {
            text_so_far.push_str(text);
        }
        if self.shows {
            let (source, text) = match delta {
                Delta::Text(text) => (Source::Text, text),
                Delta::Thinking(text) => (Source::Thinking, text),
                Delta::ToolInput { call, tool, text } => {
                    (Source::Input { call: call.to_owned(), tool: tool.to_owned() }, text)
                }
            };
            match pieces.waiting.last_mut() {
                _ if !self.is_judged => {
                    if source == Source::Text {
                        pieces.shown.push_str(text);
                    }
                    self.events.send(source.event(text.to_owned()));
                }
                Some((last, waiting)) if *last == source => waiting.push_str(text),
                _ => pieces.waiting.push((source, text.to_owned())),
            }
        }
        drop(pieces);
        self.arrived.notify_one();
    }
}

/// What hooks have seen of a stream, and what is withheld.
#[derive(Default)]
pub(super) struct JudgedStream {
    windows: Vec<(Source, HeldText)>,
    /// The text as it arrived.
    arrived: String,
    /// Whether hooks changed the text.
    rewritten: bool,
}

#[derive(Default)]
struct HeldText {
    held: String,
    shown: Arc<String>,
}

impl JudgedStream {
    fn window(&mut self, source: &Source) -> &mut HeldText {
        let at = self.windows.iter().position(|(of, _)| of == source).unwrap_or_else(|| {
            self.windows.push((source.clone(), HeldText::default()));
            self.windows.len() - 1
        });
        &mut self.windows[at].1
    }

    /// The text that was shown.
    pub(super) fn shown(&self, stream: &CallStream) -> String {
        let judged = self.windows.iter().find(|(of, _)| *of == Source::Text).map(|(_, window)| (*window.shown).clone());
        judged.unwrap_or_else(|| stream.pieces().shown.clone())
    }
}

impl TurnLoop {
    /// Passes new pieces to hooks, and shows what they do not withhold.
    pub(super) async fn judge_stream(
        &mut self,
        stream: &CallStream,
        judged: &mut JudgedStream,
    ) -> Result<Option<StreamStop>, End> {
        let waiting = std::mem::take(&mut stream.pieces().waiting);
        for (source, text) in waiting {
            let fresh = text.chars().count();
            judged.window(&source).held.push_str(&text);
            if source == Source::Text {
                judged.arrived.push_str(&text);
            }
            if let Some(stopped) = self.judge_window(judged, &source, fresh, false).await? {
                return Ok(Some(stopped));
            }
        }
        Ok(None)
    }

    /// Passes the withheld text to hooks, with what the answer has more than its pieces, or the whole answer if it was
    /// not streamed. The answer then contains the text that was shown.
    pub(super) async fn judge_rest(
        &mut self,
        stream: &CallStream,
        judged: &mut JudgedStream,
        answer: &mut ModelAnswer,
    ) -> Result<Option<StreamStop>, End> {
        let whole = text_of(&answer.content);
        let rest = whole.strip_prefix(&judged.arrived);
        let mut fresh = 0;
        if let Some(rest) = rest.filter(|rest| !rest.is_empty() && !judged.arrived.is_empty()) {
            judged.window(&Source::Text).held.push_str(rest);
            fresh = rest.chars().count();
        }
        let sources: Vec<_> = judged.windows.iter().map(|(source, _)| source.clone()).collect();
        for source in sources {
            if judged.window(&source).held.is_empty() {
                continue;
            }
            let fresh = if source == Source::Text { fresh } else { 0 };
            if let Some(stopped) = self.judge_window(judged, &source, fresh, true).await? {
                return Ok(Some(stopped));
            }
        }
        let shown = judged.shown(stream);
        if rest.is_none() || judged.arrived.is_empty() {
            // Nothing was streamed, or something else than the answer.
            return self.judge_whole(answer).await;
        }
        if judged.rewritten {
            let mut shown = Some(shown);
            answer.content.retain_mut(|block| match block {
                Block::Text(text) => shown.take().is_some_and(|shown| {
                    text.text = shown;
                    !text.text.is_empty()
                }),
                _ => true,
            });
        }
        Ok(None)
    }

    /// Passes an answer that was not streamed to hooks.
    async fn judge_whole(&mut self, answer: &mut ModelAnswer) -> Result<Option<StreamStop>, End> {
        for block in &mut answer.content {
            let Block::Text(text) = block else { continue };
            let mut judged = JudgedStream::default();
            let fresh = text.text.chars().count();
            judged.window(&Source::Text).held = std::mem::take(&mut text.text);
            let event = StreamDelta::new(StreamChannel::Text).fresh(fresh).last(true);
            let held = std::mem::take(&mut judged.window(&Source::Text).held);
            match self.judge_delta(event, held).await? {
                Ok(left) => text.text = left,
                Err(stopped) => return Ok(Some(stopped)),
            }
        }
        answer.content.retain(|block| block.as_text() != Some(""));
        Ok(None)
    }

    async fn judge_window(
        &mut self,
        judged: &mut JudgedStream,
        source: &Source,
        fresh: usize,
        last: bool,
    ) -> Result<Option<StreamStop>, End> {
        let window = judged.window(source);
        let event = StreamDelta::new(source.channel()).shown(Arc::clone(&window.shown)).fresh(fresh).last(last);
        let held = std::mem::take(&mut window.held);
        let before = held.clone();
        let left = match self.judge_delta(event, held).await? {
            Ok(left) => left,
            Err(stopped) => return Ok(Some(stopped)),
        };
        judged.rewritten |= *source == Source::Text && left != before;
        let kept_back = if last { Hold::NOTHING } else { self.hold() };
        let window = judged.window(source);
        let kept = kept_back.of(&left).to_owned();
        let shown = left[..left.len() - kept.len()].to_owned();
        window.held = kept;
        if !shown.is_empty() {
            Arc::make_mut(&mut window.shown).push_str(&shown);
            self.emit(|| source.event(shown));
        }
        Ok(None)
    }

    /// Passes a window of text to hooks. Returns their text, or why they stop the stream.
    /// The hooks of its callers see it too, because the person reads what its agents say.
    async fn judge_delta(&mut self, event: StreamDelta, mut window: String) -> Result<Result<String, StreamStop>, End> {
        for hooks in self.stream_judges().cloned().collect::<Vec<_>>() {
            let fired = self.fire_in(&hooks, &event, window).await?;
            self.not_halted()?;
            let (reason, by) = match fired.verdict.decide() {
                Decision::Run => {
                    window = fired.subject;
                    continue;
                }
                // There is no approval while a model streams.
                Decision::Ask(question) | Decision::Defer(question) => (question.reason.clone(), question.by.clone()),
                Decision::Answer(_) => {
                    ("a hook returned an answer, which `stream_delta` does not support".into(), None)
                }
                Decision::Refuse(denial) => (denial.reason.clone(), denial.by.clone()),
            };
            return Ok(Err(StreamStop { reason, by }));
        }
        Ok(Ok(window))
    }

    /// The sets with hooks that judge what is shown: its own, and those of its callers.
    pub(super) fn stream_judges(&self) -> impl Iterator<Item = &HookSet> {
        iter::once(&self.hooks).chain(&self.session.asker.gates).filter(|hooks| hooks.has::<StreamDelta>())
    }

    fn hold(&self) -> Hold {
        self.stream_judges().fold(Hold::NOTHING, |hold, hooks| hold.and(hooks.hold::<StreamDelta>()))
    }

    /// Stores the part of an answer that was shown, if the turn ends while hooks judge the answer.
    pub(super) async fn keeping<T>(&mut self, judged: Result<T, End>) -> Result<T, End> {
        if judged.is_err() {
            self.keep_broken().await?;
        }
        judged
    }

    /// Stores the part of an incomplete answer that was shown.
    pub(super) async fn keep_broken(&mut self) -> Result<(), End> {
        if !self.shown.trim().is_empty() {
            let text = format!("{} [the answer broke off]", self.shown);
            self.store(Message::new(Role::Assistant, text)).await?;
        }
        self.shown.clear();
        Ok(())
    }

    /// Shows a stored answer, or replaces what was shown by it.
    pub(super) fn show(&mut self, stored: &Message) {
        let (text, shown) = (text_of(&stored.content), std::mem::take(&mut self.shown));
        if shown.is_empty() {
            if !text.is_empty() {
                self.emit(|| TurnEvent::Text(stored.text().into_owned()));
            }
        } else if !same_words(&text, &shown) {
            self.emit(|| TurnEvent::Retracted { instead: stored.text().into_owned() });
        }
    }

    /// Retracts text that was shown but not stored, because the turn ended with `outcome` in between.
    pub(super) fn retract(&mut self, outcome: &Outcome) {
        if !std::mem::take(&mut self.shown).trim().is_empty() {
            self.emit(|| TurnEvent::Retracted { instead: outcome.to_string() });
        }
    }
}

fn text_of(content: &[Block]) -> String {
    content.iter().filter_map(Block::as_text).collect()
}

/// Whether both texts are equal except for white space, because blocks of text are shown without a separator.
fn same_words(one: &str, other: &str) -> bool {
    let words = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<Vec<_>>();
    one == other || words(one) == words(other)
}
