use super::answer_fields;
use super::stdout::{self, Stdout};
use crate::answer::{Answer, RuleDecision, RunStatus, first_line};
use crate::event::{Event, Exit2};

pub(super) fn read(event: Event, status: &RunStatus, out: &str, stderr: &str) -> Answer {
    let code = match status {
        RunStatus::NotStarted(why) => return failed(format!("it could not be started: {why}")),
        RunStatus::TimedOut => return timed_out(event),
        RunStatus::Http(status) => return http(event, *status, out),
        RunStatus::Exit(code) => *code,
        // A killed command has failed.
        RunStatus::Signal(_) => 1,
    };
    let mut answer = match stdout::read(out) {
        Stdout::Nothing => bare(status, code, stderr),
        Stdout::GoesOnAlone => Answer { goes_on_alone: true, ..bare(status, code, stderr) },
        Stdout::Text(text) => {
            let mut answer = bare(status, code, stderr);
            if stdout::holds_an_answer(&text) {
                let remark =
                    "there is other text around an answer in JSON, so all of it is text; print the answer alone";
                answer.remarks.push(remark.to_owned());
            }
            if code == 0 && event.spec().text_is_context {
                answer.contexts.push(text);
            }
            answer
        }
        Stdout::Json(object) => answer_fields::read(event, &object)
            .unwrap_or_else(|problem| failed(format!("the answer in JSON is not valid: {problem}"))),
        Stdout::Broken(problem) => failed(problem),
    };
    let fails_it = code != 0 && matches!(event, Event::WorktreeCreate | Event::WorktreeRemove);
    if code == 2 || fails_it {
        block(event, &mut answer, stderr);
    }
    if stderr.trim_start().starts_with('{') && answer_fields::looks_like_an_answer(stderr) {
        answer.remarks.push("the answer in JSON is on stderr, where it is text; print it to stdout".to_owned());
    }
    answer
}

/// Exit code 2, which takes precedence over JSON.
fn block(event: Event, answer: &mut Answer, stderr: &str) {
    answer.failure = None;
    let stderr = stderr.trim();
    let stderr = if stderr.is_empty() { "No stderr output" } else { stderr };
    let said = match &answer.decision {
        RuleDecision::Deny(reason) | RuleDecision::Feedback(reason) | RuleDecision::Continue(reason) => Some(reason),
        // At these events, a block ends the turn.
        _ => answer.stop.as_ref().filter(|_| event.spec().exit2 == Exit2::Stop),
    };
    let reason = said.filter(|reason| !reason.trim().is_empty()).map_or_else(|| stderr.to_owned(), String::clone);
    answer.decision = RuleDecision::None;
    if matches!(event, Event::Elicitation | Event::ElicitationResult) {
        // The request is declined, even if the answer contains values.
        answer.members.clear();
    }
    answer.exit2(event, &reason);
}

/// An answer without JSON: success, or a failure that is described by exit code and stderr.
fn bare(status: &RunStatus, code: i32, stderr: &str) -> Answer {
    match (status, code) {
        (_, 0 | 2) => Answer::default(),
        (RunStatus::Signal(signal), _) => failed(format!("it was killed by signal {signal}: {}", first_line(stderr))),
        _ => failed(format!("it exited with code {code}: {}", first_line(stderr))),
    }
}

fn failed(why: String) -> Answer {
    Answer { failure: Some(why), ..Answer::default() }
}

fn timed_out(event: Event) -> Answer {
    let mut answer = failed("it timed out".to_owned());
    if event == Event::PreModelSwitch {
        answer.exit2(event, "the rule timed out");
    }
    answer
}

/// The HTTP status alone never blocks. Only a JSON object is an answer.
fn http(event: Event, status: u16, body: &str) -> Answer {
    if !(200..300).contains(&status) {
        return failed(format!("the server answered with status {status}"));
    }
    match stdout::read(body) {
        Stdout::Nothing => Answer::default(),
        Stdout::Json(object) => answer_fields::read(event, &object)
            .unwrap_or_else(|problem| failed(format!("the answer in JSON is not valid: {problem}"))),
        _ => failed("the server answered with something that is not a JSON object".to_owned()),
    }
}
