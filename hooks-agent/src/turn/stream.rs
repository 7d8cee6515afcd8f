//! Streamed answers. Only what hooks have seen is shown.

use std::iter;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hook_sdk::data::{Block, ToolInput};
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

/// Why a stream was stopped.
pub(super) struct StreamStop {
    pub(super) reason: Reason,
    pub(super) by: Option<HookId>,
}

/// The stream of one call.
pub(super) struct CallStream {
    /// Whether pieces are shown before the answer is complete.
    shows: bool,
    /// Whether the answer is shown only when it is stored.
    pub(super) is_deferred: bool,
    /// Whether hooks see the answer before it is shown.
    pub(super) is_judged: bool,
    events: EventSender,
    pieces: Mutex<Pieces>,
    arrived: Notify,
}

#[derive(Default)]
struct Pieces {
    /// Whether a piece has arrived.
    begun: bool,
    /// The text that was shown, or the white space at its begin.
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
    /// The stream of an answer for the person, if `shows`, and otherwise for the loop.
    pub(super) fn new(shows: bool, is_deferred: bool, is_judged: bool, events: EventSender) -> Self {
        let (shows, is_deferred) = (shows && !is_deferred, shows && is_deferred);
        Self { shows, is_deferred, is_judged, events, pieces: Mutex::default(), arrived: Notify::new() }
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
        let (source, text) = match delta {
            Delta::Text(text) => (Source::Text, text),
            Delta::Thinking(text) => (Source::Thinking, text),
            Delta::ToolInput { call, tool, text } => {
                (Source::Input { call: call.to_owned(), tool: tool.to_owned() }, text)
            }
        };
        match pieces.waiting.last_mut() {
            _ if !self.is_judged && !self.shows => {}
            _ if !self.is_judged => self.show(&mut pieces, &source, text.to_owned()),
            Some((last, waiting)) if *last == source => waiting.push_str(text),
            _ => pieces.waiting.push((source, text.to_owned())),
        }
        drop(pieces);
        self.arrived.notify_one();
    }

    /// Shows a piece. A text is shown from its first word on, so that white space alone does not count as an answer.
    fn show(&self, pieces: &mut Pieces, source: &Source, mut text: String) {
        if *source == Source::Text {
            let begins = is_blank(&pieces.shown);
            pieces.shown.push_str(&text);
            if is_blank(&pieces.shown) {
                return;
            }
            if begins {
                text.clone_from(&pieces.shown);
            }
        }
        self.events.send(source.event(text));
    }

    /// The text that was shown.
    pub(super) fn shown(&self) -> String {
        Some(self.pieces().shown.clone()).filter(|shown| !is_blank(shown)).unwrap_or_default()
    }
}

fn is_blank(text: &str) -> bool {
    text.chars().all(char::is_whitespace)
}

/// The windows of an answer, one for each source.
#[derive(Default)]
pub(super) struct StreamWindows(Vec<StreamWindow>);

struct StreamWindow {
    source: Source,
    /// Whether the text is shown as soon as hooks pass it.
    is_shown: bool,
    /// The text as the model wrote it.
    written: String,
    /// The text that hooks passed.
    passed: Arc<String>,
    /// The rest, as hooks left it.
    held: String,
    /// The number of characters at its end that no hook has seen.
    fresh: usize,
}

impl StreamWindow {
    fn add(&mut self, text: &str) {
        self.written.push_str(text);
        self.held.push_str(text);
        self.fresh += text.chars().count();
    }
}

impl StreamWindows {
    /// The windows of a complete answer.
    fn of(content: &[Block]) -> Self {
        let mut windows = Self::default();
        for block in content {
            match block {
                Block::Text(text) => windows.add(Source::Text, &text.text, false),
                Block::ToolUse(call) => {
                    let source = Source::Input { call: call.id.clone(), tool: call.name.clone() };
                    windows.add(source, &call.input.text(), false);
                }
                Block::Other(block) if block["type"] == "thinking" => {
                    windows.add(Source::Thinking, block["thinking"].as_str().unwrap_or_default(), false);
                }
                _ => {}
            }
        }
        windows
    }

    fn add(&mut self, source: Source, text: &str, is_shown: bool) {
        self.window(source, is_shown).add(text);
    }

    fn window(&mut self, source: Source, is_shown: bool) -> &mut StreamWindow {
        let at = self.0.iter().position(|window| window.source == source).unwrap_or_else(|| {
            let (written, held) = (String::new(), String::new());
            self.0.push(StreamWindow { source, is_shown, written, passed: Arc::default(), held, fresh: 0 });
            self.0.len() - 1
        });
        &mut self.0[at]
    }

    /// Adds what the answer has more than its pieces: the rest, or the whole text of a source if it was not streamed, or
    /// if something else was.
    fn complete(&mut self, content: &[Block]) {
        for whole in Self::of(content).0 {
            let streamed = self.0.iter_mut().find(|window| window.source == whole.source && !window.written.is_empty());
            match streamed.map(|window| (whole.written.strip_prefix(window.written.as_str()), window)) {
                Some((Some(rest), window)) => window.add(rest),
                // The same input can be written in several ways.
                Some((None, window))
                    if matches!(window.source, Source::Input { .. })
                        && ToolInput::parse(&*window.written) == ToolInput::parse(&*whole.written) => {}
                _ => self.0.push(whole),
            }
        }
    }

    /// Writes the text that hooks passed into the answer.
    fn write_text(&self, content: &mut Vec<Block>) {
        let text = self.0.iter().rfind(|window| window.source == Source::Text).map(|window| &*window.passed);
        let Some(mut text) = text.filter(|text| **text != text_of(content)).cloned() else { return };
        content.retain_mut(|block| match block {
            Block::Text(block) => {
                block.text = std::mem::take(&mut text);
                !block.text.is_empty()
            }
            _ => true,
        });
    }
}

impl TurnLoop {
    /// Passes new pieces to hooks, and shows what they do not withhold. An answer that is not shown waits for its end.
    pub(super) async fn judge_stream(
        &mut self,
        stream: &CallStream,
        windows: &mut StreamWindows,
    ) -> Result<Option<StreamStop>, End> {
        if !stream.shows {
            return Ok(None);
        }
        let waiting = std::mem::take(&mut stream.pieces().waiting);
        for (source, text) in waiting {
            let window = windows.window(source, true);
            window.add(&text);
            if let Some(stopped) = self.judge_window(stream, window, false).await? {
                return Ok(Some(stopped));
            }
        }
        Ok(None)
    }

    /// Passes everything to hooks that they have not passed yet. The answer then contains the text that they passed.
    pub(super) async fn judge_rest(
        &mut self,
        stream: &CallStream,
        windows: &mut StreamWindows,
        answer: &mut ModelAnswer,
    ) -> Result<Option<StreamStop>, End> {
        if let Some(stopped) = self.judge_stream(stream, windows).await? {
            return Ok(Some(stopped));
        }
        for (source, text) in std::mem::take(&mut stream.pieces().waiting) {
            windows.add(source, &text, false);
        }
        windows.complete(&answer.content);
        for window in windows.0.iter_mut().filter(|window| !window.held.is_empty()) {
            if let Some(stopped) = self.judge_window(stream, window, true).await? {
                return Ok(Some(stopped));
            }
        }
        windows.write_text(&mut answer.content);
        Ok(None)
    }

    async fn judge_window(
        &mut self,
        stream: &CallStream,
        window: &mut StreamWindow,
        last: bool,
    ) -> Result<Option<StreamStop>, End> {
        let event = StreamDelta::new(window.source.channel()).shown(Arc::clone(&window.passed));
        let event = event.fresh(std::mem::take(&mut window.fresh)).last(last);
        let mut passed = match self.judge_delta(event, std::mem::take(&mut window.held)).await? {
            Ok(left) => left,
            Err(stopped) => return Ok(Some(stopped)),
        };
        let hold = if last { Hold::NOTHING } else { self.hold() };
        window.held = passed.split_off(passed.len() - hold.of(&passed).len());
        if !passed.is_empty() {
            Arc::make_mut(&mut window.passed).push_str(&passed);
            if window.is_shown {
                stream.show(&mut stream.pieces(), &window.source, passed);
            }
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
}

pub(super) fn text_of(content: &[Block]) -> String {
    content.iter().filter_map(Block::as_text).collect()
}
