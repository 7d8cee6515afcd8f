//! The report of a dispatch, as text and as JSON.

use std::fmt::Write as _;
use std::time::Duration;

use hook_sdk::JsonFired;
use hook_sdk::record::Run;
use hooks_rules::{Answer, CommandOutput, Event, Notices, RuleDecision, RuleInfo, RuleRun, RunOutcome};
use serde_json::{Map, Value, json};

use super::outcome::Outcome;
use crate::diagnostics::{Diagnostic, count};
use crate::exit::Exit;
use crate::output::{Output, json};
use crate::style::{BAD, DOUBTFUL, FAINT, GOOD, PLACE, STRONG, line, safe, styled};

/// A run of a rule, with its answer and output.
pub(super) struct RunReport {
    pub(super) run: RuleRun,
    pub(super) answer: Answer,
    pub(super) printed: CommandOutput,
}

/// One firing of the event.
pub(super) struct Round {
    pub(super) outcome: Outcome,
    pub(super) reason: Option<String>,
    pub(super) changed: Option<String>,
    /// `None` if no kind carries the event.
    pub(super) fired: Option<JsonFired>,
    pub(super) runs: Vec<RunReport>,
    pub(super) notices: Vec<Notices>,
    /// The runs of compiled hooks.
    pub(super) others: Vec<Run>,
}

pub(super) struct Report<'a> {
    pub(super) event: Event,
    pub(super) kind: Option<&'static str>,
    /// At least one.
    pub(super) rounds: Vec<Round>,
    /// What the host is answered that has sent the payload.
    pub(super) answer: Option<Value>,
    /// The ends of background runs.
    pub(super) late: Vec<RunReport>,
    /// How many background runs were ended because they took longer than this.
    pub(super) cut_off: (usize, Duration),
    pub(super) listed: Vec<RuleInfo>,
    pub(super) diagnostics: &'a [Diagnostic],
    /// Whether to show the output of commands.
    pub(super) verbose: bool,
}

impl Report<'_> {
    pub(super) fn output(&self, as_json: bool) -> Output {
        let exit = self.exit();
        Output::new(if as_json { json(self.to_json(exit)) } else { self.to_text() }, exit)
    }

    fn exit(&self) -> Exit {
        let exit = self.rounds.last().map_or(Exit::SUCCESS, |round| round.outcome.exit());
        if exit != Exit::SUCCESS {
            return exit;
        }
        let runs = self.rounds.iter().flat_map(|round| &round.runs).chain(&self.late);
        let failed = runs.into_iter().any(|ran| matches!(ran.run.outcome, RunOutcome::Failed | RunOutcome::Dropped));
        let compiled =
            self.rounds.iter().any(|round| round.fired.as_ref().is_some_and(|fired| !fired.report.failures.is_empty()));
        let faulty = failed || self.cut_off.0 > 0 || compiled || self.diagnostics.iter().any(Diagnostic::is_error);
        if faulty { Exit::FAILURE } else { Exit::SUCCESS }
    }

    fn to_json(&self, exit: Exit) -> Value {
        let mut runs = Vec::new();
        for (i, round) in self.rounds.iter().enumerate() {
            runs.extend(round.runs.iter().map(|run| self.run_json(i + 1, run)));
            for other in &round.others {
                let mut other = json!(other);
                other["round"] = (i + 1).into();
                runs.push(other);
            }
        }
        runs.extend(self.late.iter().map(|run| self.run_json(self.rounds.len(), run)));
        let answers = || self.rounds.iter().flat_map(|round| &round.runs).map(|ran| &ran.answer);
        let notices = || self.rounds.iter().flat_map(|round| &round.notices);
        let members: Map<String, Value> = notices().flat_map(|notices| notices.members.clone()).collect();
        let last = self.rounds.last();
        json!({
            "version": 1,
            "event": self.event,
            "kind": self.kind,
            "outcome": last.map(|round| round.outcome),
            "reason": last.and_then(|round| round.reason.clone()),
            "decided_by": last.and_then(|round| round.notices.iter().find_map(|notices| notices.decided_by.clone())),
            "exit_status": exit.code(),
            "rounds": self.rounds.len(),
            "runs": runs,
            "contexts": answers().flat_map(|answer| &answer.contexts).collect::<Vec<_>>(),
            "messages": notices().flat_map(|notices| &notices.messages).collect::<Vec<_>>(),
            "members": members,
            "verdict": last.and_then(|round| Some(round.fired.as_ref()?.verdict.clone())),
            "subject": last.and_then(|round| round.fired.as_ref()?.subject.clone()),
            "answer": self.answer,
            "cut_off": (self.cut_off.0 > 0).then_some(self.cut_off.0),
            "defects": self.diagnostics,
        })
    }

    fn run_json(&self, round: usize, RunReport { run, answer, printed }: &RunReport) -> Value {
        let (decision, reason) = decided(answer);
        json!({
            "round": round,
            "hook": run.event.hook_id(),
            "rule": run.rule,
            "file": run.file,
            "line": run.line,
            "plugin": run.plugin,
            "command": self.listed(run).map_or("", |rule| &rule.text),
            "outcome": run.outcome,
            "exit_status": run.code,
            "duration_ms": u64::try_from(run.duration.as_millis()).unwrap_or(u64::MAX),
            "decision": decision,
            "reason": reason,
            "contexts": answer.contexts,
            "messages": answer.messages,
            "updated_input": answer.updated_input,
            "updated_output": answer.updated_output,
            "failure": run.failure,
            "remarks": run.remarks,
            "withheld": run.withheld,
            "stdout": printed.stdout,
            "stderr": printed.stderr,
        })
    }

    fn listed(&self, run: &RuleRun) -> Option<&RuleInfo> {
        self.listed.iter().find(|rule| rule.id == run.rule)
    }

    fn to_text(&self) -> String {
        let mut out = String::new();
        for (i, round) in self.rounds.iter().enumerate() {
            let again = if i == 0 { String::new() } else { format!(", round {}", i + 1) };
            let kind = self.kind.unwrap_or("no kind carries it; an app fires it itself");
            let _ = writeln!(out, "{} ({kind}{again})", styled(STRONG, self.event));
            for run in &round.runs {
                out.push_str(&self.run_text(run));
            }
            for other in &round.others {
                let _ = writeln!(out, "  {}  {}", other.hook, other.status);
            }
            if round.runs.is_empty() && round.others.is_empty() {
                out.push_str("  no rule ran; `hooks explain` says why\n");
            }
        }
        for run in &self.late {
            out.push_str(&self.run_text(run));
        }
        if let (number @ 1.., wait) = self.cut_off {
            let what = count(number, "async command");
            let _ = writeln!(out, "  {what} ended after {} s: `--wait` waits longer", wait.as_secs_f64());
        }
        if let Some(round) = self.rounds.last() {
            let _ = write!(out, "\n{}", combined(round));
        }
        if let Some(answer) = &self.answer {
            let (host, exit) = (text(&answer["host"]), &answer["exit_status"]);
            let _ = write!(out, "\n{host} is answered with exit status {exit}");
            for stream in ["stdout", "stderr"].into_iter().filter(|stream| !answer[stream].is_null()) {
                let _ = write!(out, "\n  {stream}: {}", text(&answer[stream]));
            }
        }
        out
    }

    fn run_text(&self, RunReport { run, answer, printed }: &RunReport) -> String {
        let place = styled(PLACE, format!("{}:{}", line(&run.file.to_string_lossy()), run.line));
        let mut out = format!(
            "  {}  {place}  {}\n",
            styled(FAINT, &run.rule),
            line(self.listed(run).map_or("", |rule| &rule.summary))
        );
        let how = match (run.outcome, run.code) {
            (RunOutcome::Detached, _) => "started in the background".to_owned(),
            (RunOutcome::Dropped, _) => "not started: the limit of async commands is reached".to_owned(),
            (_, Some(code)) => format!("exit status {code} after {}", millis(run)),
            (_, None) => format!("done after {}", millis(run)),
        };
        let (decision, reason) = decided(answer);
        let said = decision.map(|word| format!(": {word}{}", quoted(reason.as_deref()))).unwrap_or_default();
        let _ = writeln!(out, "      {how}{said}");
        for (what, texts) in [("context", &answer.contexts), ("message", &answer.messages)] {
            for text in texts {
                let _ = writeln!(out, "      {what}: {}", line(text));
            }
        }
        for (what, value) in [("input", &answer.updated_input), ("output", &answer.updated_output)] {
            if let Some(value) = value {
                let _ = writeln!(out, "      {what}: {}", line(&value.to_string()));
            }
        }
        if let Some(failure) = &run.failure {
            let _ = writeln!(out, "      {}: {}", styled(BAD, "failed"), line(failure));
        }
        if self.verbose {
            for (stream, text) in [("stdout", &printed.stdout), ("stderr", &printed.stderr)] {
                for text in safe(text).lines() {
                    let _ = writeln!(out, "      {} {text}", styled(FAINT, format!("{stream} |")));
                }
            }
            if !run.withheld.is_empty() {
                let _ = writeln!(out, "      withheld: {}", line(&run.withheld.join(", ")));
            }
        }
        for remark in &run.remarks {
            let _ = writeln!(out, "      {}: {}", styled(DOUBTFUL, "remark"), line(remark));
        }
        out
    }
}

/// Formats the combined answer.
fn combined(round: &Round) -> String {
    let style = match round.outcome.exit() {
        Exit::SUCCESS => GOOD,
        Exit::UNDECIDED => DOUBTFUL,
        _ => BAD,
    };
    let mut out = styled(style, round.outcome.words());
    if let Some(reason) = &round.reason {
        let _ = write!(out, ": {}", safe(reason).trim_end());
    }
    if let Some(by) = round.notices.iter().find_map(|notices| notices.decided_by.as_ref()) {
        let plugin = by.plugin.as_ref().map(|name| format!(" of the plugin {}", line(name))).unwrap_or_default();
        let place = styled(PLACE, format!("{}:{}", line(&by.file.to_string_lossy()), by.line));
        let _ = write!(out, "; by {}{plugin}, {place}", by.rule);
    }
    // Messages of the dispatch itself, for example that rules continued a turn too often.
    let said = |text: &&str| round.runs.iter().any(|ran| ran.answer.messages.iter().any(|own| own == text));
    let verdict = round.fired.as_ref().map(|fired| &fired.verdict);
    let messages =
        verdict.and_then(|verdict| verdict.get("system_messages")).and_then(Value::as_array).into_iter().flatten();
    for message in messages.filter_map(Value::as_str).filter(|text| !said(text)) {
        let _ = write!(out, "; {}", line(message));
    }
    let failures = round.fired.as_ref().map_or(0, compiled_failures);
    if failures > 0 {
        let _ = write!(out, "; {} failed", count(failures, "compiled hook"));
    }
    if let Some(changed) = &round.changed {
        let _ = write!(out, "\n{}", line(changed));
    }
    for notices in &round.notices {
        for (name, value) in &notices.members {
            let _ = write!(out, "\n{}: {}", line(name), line(&value.to_string()));
        }
    }
    out
}

/// The number of failed compiled hooks. Failures of rules are shown with their runs.
fn compiled_failures(fired: &JsonFired) -> usize {
    fired.report.failures.iter().filter(|failure| !failure.hook.as_str().starts_with("rules_")).count()
}

/// The decision of a rule as a word, and its reason.
fn decided(answer: &Answer) -> (Option<&'static str>, Option<String>) {
    if let Some(reason) = &answer.stop {
        return (Some("stop"), Some(reason.clone()));
    }
    let reason = match &answer.decision {
        RuleDecision::Feedback(reason)
        | RuleDecision::Continue(reason)
        | RuleDecision::Allow(reason)
        | RuleDecision::Ask(reason)
        | RuleDecision::Defer(reason)
        | RuleDecision::Deny(reason) => Some(reason.clone()).filter(|reason| !reason.is_empty()),
        _ => None,
    };
    (answer.decision.as_str(), reason)
}

fn quoted(reason: Option<&str>) -> String {
    reason.map(|reason| format!(", {}", line(reason))).unwrap_or_default()
}

fn millis(run: &RuleRun) -> String {
    format!("{} ms", run.duration.as_millis())
}

/// A JSON string without quotes.
fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| line(&value.to_string()), line)
}
