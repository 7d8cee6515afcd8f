//! Runs all rules of an event: selects them, runs them concurrently on the same input, and merges their answers in the
//! order of the files.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use futures_util::future::join_all;
use hook_sdk::HookContext;
use serde_json::Value;

use super::active_rule::ActiveRule;
use super::deadline;
use super::error::{self, RulesError};
use super::event_summary::EventSummary;
use super::handler;
use super::input::Input;
use super::report::Notices;
use super::session_info::{ExtraFields, ProjectFolder, RuleNote, RuleNotes, SessionInfo};
use super::shared::Shared;
use super::skip_reason::SkipReason;
use crate::answer::{Answer, RuleDecision};
use crate::event::Event;
use crate::filter::Folders;
use crate::occurrence::Occurrence;

/// The rules of one event, as they were when the hook set was created.
#[derive(Debug)]
pub(crate) struct EventRules {
    pub(crate) shared: Arc<Shared>,
    pub(crate) event: Event,
    pub(crate) rules: Vec<Arc<ActiveRule>>,
}

impl EventRules {
    /// Creates an occurrence of the event from the context.
    pub(crate) fn occurrence(&self, cx: &HookContext) -> Occurrence {
        self.occurrence_in(cx, cx.session().unwrap_or_default())
    }

    /// Like [`occurrence`](Self::occurrence), for an event that names its session.
    pub(crate) fn occurrence_in(&self, cx: &HookContext, session: &str) -> Occurrence {
        let mut occurrence = Occurrence::new(self.event);
        session.clone_into(&mut occurrence.session);
        if let Ok(ExtraFields(fields)) = cx.state::<ExtraFields>() {
            occurrence.pass(fields.clone());
        }
        occurrence.replay = cx.is_replay();
        // In a replay, report the recorded folder, even if it does not exist here.
        let recorded = cx.workspace().filter(|_| cx.is_replay());
        let cwd = recorded.map_or_else(|| self.shared.environment.folder(cx.workspace()), Path::to_path_buf);
        occurrence.cwd = cwd.to_string_lossy().into_owned();
        if let Ok(ProjectFolder(folder)) = cx.state::<ProjectFolder>() {
            occurrence.project = Some(folder.to_string_lossy().into_owned());
        }
        if let Ok(session) = cx.state::<SessionInfo>() {
            let transcript = session.transcript.as_ref().map(|path| path.to_string_lossy().into_owned());
            occurrence.transcript = transcript.unwrap_or_default();
            occurrence.permission_mode.clone_from(&session.permission_mode);
        }
        if occurrence.transcript.is_empty() {
            occurrence.transcript = self.transcript(session).unwrap_or_default();
        }
        if cx.agent_path().is_empty() {
            occurrence.prompt = cx.request().map(str::to_owned);
            return occurrence;
        }
        let name = cx.agent().unwrap_or_default().to_owned();
        let id = match cx.conversation() {
            // Each call of a sub-agent has a new conversation.
            Some(own) if own != session => own.to_owned(),
            _ => cx.agent_path().iter().map(String::as_str).chain([name.as_str()]).collect::<Vec<_>>().join("/"),
        };
        occurrence.agent = Some((id, name));
        occurrence
    }

    /// The path of a conversation's transcript, if this crate writes one.
    pub(crate) fn transcript(&self, conversation: &str) -> Option<String> {
        let path = self.shared.files.as_ref()?.transcript(conversation);
        let path = path.inspect_err(|error| {
            tracing::warn!(target: "hooks_rules", conversation, %error, "the transcript cannot be created");
        });
        Some(path.ok()?.to_string_lossy().into_owned())
    }

    /// Runs the rules that this occurrence selects. `None` if it selects none. `tool` is the app's name of the called
    /// tool, if there is one.
    ///
    /// # Errors
    /// [`RulesError`] if rules failed and no other rule decided.
    pub(crate) async fn fire(
        &self,
        cx: &HookContext,
        occurrence: Occurrence,
        tool: Option<&str>,
    ) -> Result<Option<Answer>, RulesError> {
        let (answer, fired) = self.run(cx, occurrence, tool).await;
        self.shared.report_summary(fired.as_ref());
        answer.map(|answer| fired.map(|_| answer))
    }

    /// Like [`fire`](Self::fire), without reporting the result. `None` if no rule was selected.
    pub(crate) async fn run(
        &self,
        cx: &HookContext,
        occurrence: Occurrence,
        tool: Option<&str>,
    ) -> (Result<Answer, RulesError>, Option<EventSummary>) {
        let selected = self.select(&occurrence, tool);
        let mut folded = Answer::default();
        if selected.is_empty() {
            return (Ok(folded), None);
        }
        let input = Arc::new(Input::new(occurrence));
        let all: Vec<&ActiveRule> = selected.iter().map(|active| &***active).collect();
        let runs = selected.iter().map(|active| {
            let limit = deadline::of(active, &all);
            handler::run(&self.shared, active, &input, limit)
        });
        let mut reports = Vec::new();
        let ended = join_all(runs).await;
        // An answer that a rule blocks is not shown, whoever ends the turn.
        let blocks = |(answer, ..): &(Answer, _, _)| matches!(answer.decision, RuleDecision::Deny(_));
        let is_blocked = self.event == Event::Stop && ended.iter().any(blocks);
        for (mut answer, run, printed) in ended {
            answer.shorten(|text| self.shared.keep_text(&input.occurrence.session, text));
            if answer.decision != RuleDecision::None || answer.stop.is_some() {
                answer.by = Some(run.source());
            }
            self.shared.report(&run, &answer, &printed);
            answer.stop.take_if(|_| is_blocked);
            folded.merge(answer);
            reports.push(run);
        }
        RuleNotes::say(cx, folded.messages.iter().cloned().map(RuleNote::Message));
        self.shared.report_notices(&Notices {
            event: self.event,
            session: input.occurrence.session.clone(),
            messages: folded.messages.iter().cloned().chain(error::notices(&reports)).collect(),
            for_the_model: folded.for_the_model.clone(),
            members: folded.members.clone(),
            decided_by: folded.by.clone(),
        });
        let fired = EventSummary::new(&input.occurrence, &reports, &folded);
        (RulesError::of(&reports, &folded).map_or(Ok(folded), Err), Some(fired))
    }

    /// The rules that this occurrence selects, without duplicates.
    pub(crate) fn select(&self, occurrence: &Occurrence, tool: Option<&str>) -> Vec<&Arc<ActiveRule>> {
        let skipped = self.skip_reasons(occurrence, tool);
        self.rules.iter().zip(skipped).filter(|(_, why)| why.is_none()).map(|(active, _)| active).collect()
    }

    /// For each rule, what keeps it from running.
    pub(crate) fn skip_reasons(&self, occurrence: &Occurrence, tool: Option<&str>) -> Vec<Option<SkipReason>> {
        let mut skipped: Vec<_> = self.rules.iter().map(|active| self.not_for(active, occurrence, tool)).collect();
        let mut best: HashMap<(&str, String), usize> = HashMap::new();
        for (at, active) in self.rules.iter().enumerate() {
            let Some(key) = active.rule.duplicate_key().filter(|_| skipped[at].is_none()) else { continue };
            let Some(first) = best.insert((active.owner.duplicate_key(), key.clone()), at) else { continue };
            let (winner, other) =
                if active.rule.power() > self.rules[first].rule.power() { (at, first) } else { (first, at) };
            skipped[other] = Some(SkipReason::SameAs { rule: self.rules[winner].rule.id.clone() });
            best.insert((active.owner.duplicate_key(), key), winner);
        }
        skipped
    }

    /// Why a rule does not apply to this occurrence.
    fn not_for(&self, active: &ActiveRule, occurrence: &Occurrence, tool: Option<&str>) -> Option<SkipReason> {
        let rule = &active.rule;
        let aliases = &self.shared.aliases;
        if rule.event != self.event {
            return Some(SkipReason::OtherEvent);
        }
        if active.is_spent() {
            return Some(SkipReason::Spent);
        }
        let words = || occurrence.matched().into_iter().chain(occurrence.own_word.as_deref());
        let matches = match (tool, occurrence.matched()) {
            (Some(tool), _) => rule.matcher.selects_any(aliases.names(tool)),
            (None, Some(_)) => words().any(|word| rule.matcher.selects(word)),
            (None, None) => rule.matcher.is_all(),
        };
        if !matches {
            let against = match tool {
                Some(tool) => aliases.names(tool).map(str::to_owned).collect(),
                None => words().map(str::to_owned).collect(),
            };
            return Some(SkipReason::Matcher { against });
        }
        let filter = rule.filter.as_ref()?;
        let input = occurrence.get("tool_input").unwrap_or(&Value::Null);
        let roots: Vec<&Path> =
            std::iter::once(&*self.shared.environment.project).chain(settings_folders(&rule.file)).collect();
        let folders = Folders { current: occurrence.cwd.as_ref(), roots: &roots };
        let selects = |tool| filter.selects(aliases, tool, input, Some(folders));
        (!tool.is_some_and(selects)).then(|| SkipReason::Filter { filter: filter.to_string() })
    }
}

/// The folder of a rule file, and the one that contains `.claude` or a plugin's `hooks`.
fn settings_folders(file: &Path) -> impl Iterator<Item = &Path> {
    let folder = file.parent().filter(|folder| folder.is_absolute());
    let is_inner = |folder: &&Path| folder.ends_with(".claude") || folder.ends_with("hooks");
    folder.into_iter().chain(folder.filter(is_inner).and_then(Path::parent))
}
