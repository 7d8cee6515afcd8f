//! Formats rows of a store as text.

use std::fmt::Write;
use std::time::SystemTime;

use hooks_store::{QueueStats, StoredAttempt, StoredDispatch, StoredJob, StoredQuestion, Transcript};
use serde_json::Value;

use crate::diagnostics::count;
use crate::style::steers;

/// The age of a time, in the largest suitable unit.
fn ago(time: SystemTime) -> String {
    let Ok(ago) = time.elapsed() else { return "in the future".to_owned() };
    let seconds = ago.as_secs();
    match seconds {
        0..60 => format!("{seconds} s ago"),
        60..3_600 => format!("{} min ago", seconds / 60),
        3_600..172_800 => format!("{} h ago", seconds / 3_600),
        _ => format!("{} days ago", seconds / 86_400),
    }
}

/// A background run, and why it failed.
pub(super) fn job(job: &StoredJob) -> String {
    let mut text = format!(
        "{:<11}  {:<24}  {:<22}  {} of {}  {:<12}  {}",
        job.status,
        printable(&job.hook),
        printable(&job.kind),
        job.attempt,
        job.max_attempts,
        ago(job.ended_at.unwrap_or(job.created_at)),
        printable(&job.id),
    );
    if let Some(cause) = &job.cause {
        let code = job.code.as_deref().map(|code| format!("{}: ", printable(code))).unwrap_or_default();
        let _ = write!(text, "\n             {code}{}", printable(cause));
    }
    text
}

/// The runs of a hook.
pub(super) fn stats(stats: &QueueStats) -> String {
    let due = stats.oldest_due.map(|since| format!(", the oldest for {}", ago(since).trim_end_matches(" ago")));
    format!(
        "{:<24}  {} waiting, {} of them due{}; {} running; {} failed, interrupted or quarantined",
        printable(&stats.hook),
        stats.queued,
        stats.due,
        due.unwrap_or_default(),
        stats.running,
        stats.needing_attention,
    )
}

/// A start of a run.
pub(super) fn attempt(attempt: &StoredAttempt) -> String {
    let status = attempt.status.as_deref().unwrap_or("running");
    let cause = attempt.cause.as_deref().map(|cause| format!("  {}", printable(cause))).unwrap_or_default();
    format!(
        "  {}. {status:<10}  {:<12}  {}{cause}",
        attempt.attempt,
        ago(attempt.started_at),
        printable(&attempt.worker)
    )
}

/// A dispatch, with a line for each hook that did something.
pub(super) fn dispatch(dispatch: &StoredDispatch) -> String {
    let mut text = format!(
        "{:<12}  {:<10}  {:<26}  {:<20}  {}",
        ago(dispatch.recorded_at),
        printable(&dispatch.source),
        printable(&dispatch.kind),
        printable(&dispatch.conversation),
        printable(dispatch.verdict.as_deref().unwrap_or_default()),
    );
    text.truncate(text.trim_end().len());
    if let Value::String(unreadable) = &dispatch.record {
        let _ = write!(text, "\n  {}", printable(unreadable));
    }
    // The record of a dispatch has several runs, and that of the end of a run has one.
    let one = dispatch.record.get("run").map(std::slice::from_ref);
    let runs = dispatch.record.get("runs").and_then(Value::as_array).map(Vec::as_slice).or(one).unwrap_or_default();
    for run in runs {
        let word = |key: &str| run.get(key).and_then(Value::as_str);
        let status = match run.get("status") {
            Some(Value::String(status)) => status.clone(),
            Some(Value::Object(skipped)) => {
                let why = skipped.values().next().and_then(Value::as_str).unwrap_or_default();
                format!("skipped: {why}")
            }
            _ => String::new(),
        };
        let changed = run.get("changed").and_then(Value::as_bool).unwrap_or_default();
        let parts = [
            (status != "completed").then(|| status.replace('_', " ")),
            changed.then(|| "changed".to_owned()),
            word("verdict").map(str::to_owned),
            word("cause").map(str::to_owned),
        ];
        let parts: Vec<_> = parts.into_iter().flatten().map(|part| printable(&part)).collect();
        if !parts.is_empty() {
            let _ = write!(text, "\n  {:<24}  {}", printable(word("hook").unwrap_or_default()), parts.join(", "));
        }
    }
    text
}

/// A question, with everything that is needed to answer it.
pub(super) fn question(question: &StoredQuestion) -> String {
    let request = &question.request;
    let state = match &question.answer {
        Some(_) => "answered, but no turn has acted on it yet",
        None if question.expires_at <= std::time::SystemTime::now() => "has expired, but no turn has acted on that yet",
        None => "waits",
    };
    let path: Vec<_> = request.agent_path.iter().chain([&request.agent]).map(|agent| printable(agent)).collect();
    let mut text = format!(
        "{}\n  {state}; asked {} by {}, in {}\n  {}\n  {} {}",
        printable(&question.id),
        ago(question.asked_at),
        path.join(" > "),
        printable(&request.conversation),
        printable(&request.question.reason.to_string()),
        printable(&request.call.name),
        printable(&request.input.text()),
    );
    for choice in &request.question.choices {
        let _ = write!(text, "\n  - {}", printable(choice));
    }
    text
}

/// Sanitises text of models and tools for a terminal.
pub(super) fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() || steers(c) { '\u{fffd}' } else { c }).collect()
}

/// What an import stored, and what it left out.
pub(crate) fn imported(conversation: &str, rows: usize, read: usize, transcript: &Transcript) -> String {
    let mut out = format!("{} imported as `{conversation}`; the model reads {read} of them", count(rows, "message"));
    for (what, number) in &transcript.skipped {
        let _ = write!(out, "\n  skipped: {} ({})", count(*number, "line"), printable(what));
    }
    out
}
