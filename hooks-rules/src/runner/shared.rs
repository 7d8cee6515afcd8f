//! State that all rules of an app share.

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hook_sdk::HookContext;
use hook_sdk::data::Message;

use super::event_summary::{EventSummary, SummaryListener};
use super::report::{
    AnswerObserver, CommandOutput, NoticeListener, Notices, RuleRun, RunObserver, RunOutcome, Wake, WakeListener,
};
use super::session_files::SessionFiles;
use super::session_info::{RuleNote, RuleNotes, SessionInfo};
use super::transcript::Transcripts;
use crate::aliases::Aliases;
use crate::answer::Answer;
use crate::clients::Clients;
use crate::process::{Background, Environment};
use crate::rule::RuleSource;

/// State that all rules of an app share. It survives reloads.
pub(crate) struct Shared {
    pub(crate) aliases: Aliases,
    pub(crate) environment: Environment,
    pub(crate) clients: Clients,
    pub(crate) background: Background,
    pub(crate) run_observers: Vec<RunObserver>,
    pub(crate) answer_observers: Vec<AnswerObserver>,
    pub(crate) notice_listeners: Vec<NoticeListener>,
    pub(crate) wake_listeners: Vec<WakeListener>,
    pub(crate) summary_listeners: Vec<SummaryListener>,
    pub(crate) files: Option<SessionFiles>,
    transcripts: Transcripts,
    /// Contexts from rules before a call, kept until the call has its result, by conversation and call.
    contexts: Mutex<HashMap<(String, String), Vec<String>>>,
    /// Messages for the model from background commands, by session.
    wakes: Mutex<HashMap<String, Vec<String>>>,
    /// The number of times that rules continued the turn in a row, by conversation.
    continued: Mutex<HashMap<String, u32>>,
    /// The reason why a session has to stop at its first prompt.
    stopped: Mutex<HashMap<String, (String, Option<RuleSource>)>>,
}

/// The maximum number of calls with kept contexts.
const WAITING: usize = 1_024;

/// The maximum number of times that rules can continue a turn in a row.
const CONTINUED: u32 = 8;

impl Shared {
    pub(crate) fn new(aliases: Aliases, environment: Environment, clients: Clients) -> Self {
        Self {
            aliases,
            environment,
            clients,
            background: Background::default(),
            run_observers: Vec::new(),
            answer_observers: Vec::new(),
            notice_listeners: Vec::new(),
            wake_listeners: Vec::new(),
            summary_listeners: Vec::new(),
            files: None,
            transcripts: Transcripts::default(),
            contexts: Mutex::default(),
            wakes: Mutex::default(),
            continued: Mutex::default(),
            stopped: Mutex::default(),
        }
    }

    pub(crate) fn report(&self, run: &RuleRun, answer: &Answer, printed: &CommandOutput) {
        match run.outcome {
            RunOutcome::Failed | RunOutcome::Dropped => tracing::warn!(target: "hooks_rules", "{run}"),
            RunOutcome::Answered | RunOutcome::Detached => tracing::debug!(target: "hooks_rules", "{run}"),
        }
        self.run_observers.iter().for_each(|observer| isolated(|| observer(run)));
        self.answer_observers.iter().for_each(|observer| isolated(|| observer(run, answer, printed)));
    }

    pub(crate) fn report_notices(&self, notices: &Notices) {
        let says = !(notices.messages.is_empty() && notices.for_the_model.is_empty() && notices.members.is_empty());
        if says || notices.decided_by.is_some() {
            self.notice_listeners.iter().for_each(|listener| isolated(|| listener(notices)));
        }
    }

    pub(crate) fn report_summary(&self, fired: Option<&EventSummary>) {
        let Some(fired) = fired else { return };
        self.summary_listeners.iter().for_each(|listener| isolated(|| listener(fired)));
    }

    /// Wakes the model through the app's listener. Without one, the message is delivered with the next result, prompt
    /// or end of a turn.
    pub(crate) fn wake(&self, wake: Wake) {
        self.wake_listeners.iter().for_each(|listener| isolated(|| listener(&wake)));
        if self.wake_listeners.is_empty() {
            lock(&self.wakes).entry(wake.session).or_default().push(wake.text);
        }
    }

    /// Takes the messages of background commands.
    pub(crate) fn take_wakes(&self, cx: &HookContext) -> Vec<String> {
        lock(&self.wakes).remove(cx.session().unwrap_or_default()).unwrap_or_default()
    }

    /// Keeps messages that were taken and could not be delivered.
    pub(crate) fn put_back_wakes(&self, cx: &HookContext, wakes: Vec<String>) {
        lock(&self.wakes).entry(cx.session().unwrap_or_default().to_owned()).or_default().splice(0..0, wakes);
    }

    /// Saves a text that is too long for the model, and returns its path.
    pub(crate) fn keep_text(&self, session: &str, text: &str) -> Option<PathBuf> {
        let kept = self.files.as_ref()?.keep(session, text);
        kept.inspect_err(|error| tracing::warn!(target: "hooks_rules", %error, "a long text could not be saved")).ok()
    }

    /// Gives contexts to the model: at once if the harness can, and otherwise with the result of the call. The key includes the conversation, because call ids
    /// are not globally unique.
    pub(crate) fn keep_contexts(&self, cx: &HookContext, call: &str, contexts: Vec<String>) {
        if contexts.is_empty() {
            return;
        }
        if RuleNotes::say(cx, contexts.iter().cloned().map(RuleNote::Context)) {
            return;
        }
        let mut kept = lock(&self.contexts);
        // A call that never gets a result must not leak memory.
        if kept.len() < WAITING {
            kept.insert((conversation(cx).to_owned(), call.to_owned()), contexts);
        } else {
            tracing::warn!(
                target: "hooks_rules",
                call,
                "{WAITING} calls wait for their results; contexts of rules for further calls are dropped"
            );
        }
    }

    pub(crate) fn take_contexts(&self, cx: &HookContext, call: &str) -> Vec<String> {
        lock(&self.contexts).remove(&(conversation(cx).to_owned(), call.to_owned())).unwrap_or_default()
    }

    /// Whether a turn may be continued once more. `again` says whether a hook has already continued it.
    pub(crate) fn may_continue(&self, cx: &HookContext, again: bool) -> bool {
        let mut continued = lock(&self.continued);
        let count = if again { continued.get(conversation(cx)).copied().unwrap_or(1) } else { 0 };
        if count >= CONTINUED {
            continued.remove(conversation(cx));
            return false;
        }
        continued.insert(conversation(cx).to_owned(), count + 1);
        true
    }

    /// Records a tool call: it resets the count of continuations.
    pub(crate) fn got_on(&self, cx: &HookContext) {
        if let Some(count) = lock(&self.continued).get_mut(conversation(cx)) {
            *count = 0;
        }
    }

    /// Records that no rule continues the turn.
    pub(crate) fn turn_ends(&self, cx: &HookContext) {
        lock(&self.continued).remove(conversation(cx));
    }

    /// Sets or clears the reason why the session stops at its first prompt: at its start, there is nothing to stop yet.
    /// Clearing it removes the stop of an earlier session with the same name.
    pub(crate) fn stop_session(&self, session: &str, stop: Option<(String, Option<RuleSource>)>) {
        let mut stopped = lock(&self.stopped);
        match stop {
            Some(stop) => stopped.insert(session.to_owned(), stop),
            None => stopped.remove(session),
        };
    }

    /// Takes the reason why the session has to stop, and the rule that requested it.
    pub(crate) fn take_stop(&self, cx: &HookContext) -> Option<(String, Option<RuleSource>)> {
        lock(&self.stopped).remove(cx.session().unwrap_or_default())
    }

    /// Appends a stored message to the transcript, if this crate writes it.
    pub(crate) fn transcribe(&self, cx: &HookContext, message: &Message) {
        if let Some(files) = self.keeps_transcript(cx) {
            self.transcripts.add(files, &self.aliases, conversation(cx), message);
        }
    }

    /// Appends an answer to the transcript before it is stored.
    pub(crate) fn transcribe_ahead(&self, cx: &HookContext, message: &Message) {
        if let Some(files) = self.keeps_transcript(cx) {
            self.transcripts.add_ahead(files, &self.aliases, conversation(cx), message);
        }
    }

    fn keeps_transcript(&self, cx: &HookContext) -> Option<&SessionFiles> {
        let kept_elsewhere = cx.state::<SessionInfo>().is_ok_and(|session| session.transcript.is_some());
        self.files.as_ref().filter(|_| !kept_elsewhere)
    }

    /// Removes the state of a session that has ended.
    pub(crate) fn forget(&self, session: &str) {
        lock(&self.contexts).retain(|(conversation, _), _| conversation != session);
        lock(&self.continued).remove(session);
        lock(&self.stopped).remove(session);
        lock(&self.wakes).remove(session);
        self.transcripts.forget(session);
    }
}

fn conversation(cx: &HookContext) -> &str {
    cx.conversation().unwrap_or_default()
}

/// Calls a listener of the app and contains its panics.
fn isolated(call: impl FnOnce()) {
    if std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).is_err() {
        tracing::warn!(target: "hooks_rules", "a listener of rules panicked");
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}
