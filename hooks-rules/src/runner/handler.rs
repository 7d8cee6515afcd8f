//! Runs one rule.

use std::collections::BTreeMap;
use std::future::{pending, ready};
use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use futures_util::future::{Either, select};
use serde_json::Value;
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::active_rule::ActiveRule;
use super::input::Input;
use super::report::{CommandOutput, RuleRun, RunOutcome, Wake};
use super::shared::Shared;
use crate::answer::{Answer, RunStatus};
use crate::answer_reader::AnswerReader;
use crate::clients::{JudgeQuestion, PostRequest};
use crate::formats;
use crate::process::{CommandContext, ProcessOutput, command, run as run_command};
use crate::rule::{Action, CommandLine, FailureMode, HttpRequest, JudgePrompt, Rule};

/// The result of a run, before it is reported.
struct HandlerResult {
    answer: Answer,
    code: Option<i32>,
    outcome: Option<RunOutcome>,
    withheld: Vec<String>,
    printed: CommandOutput,
}

impl HandlerResult {
    fn of(answer: Answer) -> Self {
        Self { answer, code: None, outcome: None, withheld: Vec::new(), printed: CommandOutput::default() }
    }

    fn without_answer(outcome: RunOutcome) -> Self {
        Self { outcome: Some(outcome), ..Self::of(Answer::default()) }
    }
}

pub(super) async fn run(
    shared: &Arc<Shared>,
    active: &Arc<ActiveRule>,
    input: &Arc<Input>,
    limit: Duration,
) -> (Answer, RuleRun, CommandOutput) {
    let began = Instant::now();
    let rule = &active.rule;
    let mut reader = AnswerReader::new(rule.dialect, rule.event);
    reader.on_failure = if active.failure.is_some() { FailureMode::Block } else { rule.on_failure };
    let run = async {
        if let Some(reason) = &active.failure {
            return HandlerResult::of(reader.failed(reason));
        }
        match &rule.action {
            // Its effects happened when the event was recorded.
            _ if rule.detached && input.occurrence.replay => HandlerResult::without_answer(RunOutcome::Dropped),
            Action::Command(line) => run_line(shared, active, input, (line, limit), reader).await,
            Action::Http(request) => HandlerResult::of(post(shared, rule, input, request, reader).await),
            Action::Judge(question) => HandlerResult::of(ask(shared, rule, input, question, reader).await),
            Action::Text(text) => HandlerResult::of(put(text, input)),
            Action::Compiled { .. } | Action::Unsupported { .. } => HandlerResult::of(Answer::default()),
        }
    };
    // Clients that the app provides may panic. That is a failure of this rule only.
    let done = AssertUnwindSafe(run).catch_unwind().await;
    let done = done.unwrap_or_else(|_| HandlerResult::of(reader.failed("it panicked")));
    let outcome = done.outcome.unwrap_or(match done.answer.failure {
        Some(_) => RunOutcome::Failed,
        None => RunOutcome::Answered,
    });
    if outcome == RunOutcome::Answered {
        active.succeeded();
    }
    let report = report(active, outcome, &done.answer, done.code, began);
    (done.answer, RuleRun { withheld: done.withheld, ..report }, done.printed)
}

fn report(active: &ActiveRule, outcome: RunOutcome, answer: &Answer, code: Option<i32>, began: Instant) -> RuleRun {
    let rule = &active.rule;
    RuleRun {
        plugin: active.owner.plugin().map(str::to_owned),
        withheld: Vec::new(),
        rule: rule.id.clone(),
        event: rule.event,
        file: Arc::clone(&rule.file),
        line: rule.line,
        outcome,
        code,
        duration: began.elapsed(),
        decision: answer.decision.as_str(),
        failure: answer.failure.clone(),
        remarks: answer.remarks.clone(),
    }
}

async fn run_line(
    shared: &Arc<Shared>,
    active: &Arc<ActiveRule>,
    input: &Arc<Input>,
    (line, limit): (&CommandLine, Duration),
    reader: AnswerReader,
) -> HandlerResult {
    if tokio::runtime::Handle::try_current().is_err() {
        return HandlerResult::of(reader.failed("there is no Tokio runtime; fire within one"));
    }
    let environment = &shared.environment;
    let project = input.occurrence.project.as_deref().map_or(environment.project.as_path(), Path::new);
    let mut around = CommandContext {
        cwd: environment.folder(Some(Path::new(&input.occurrence.cwd))),
        variables: active.owner.variables(project),
    };
    if let Some(Err(error)) = active.owner.data().map(std::fs::create_dir_all) {
        tracing::warn!(target: "hooks_rules", %error, "the data folder of a plugin cannot be created");
    }
    let exports = formats::of(reader.dialect).exports_variable(reader.event);
    if let (Some(name), Some(files)) = (exports, &shared.files) {
        match files.exports(&input.occurrence.session, false) {
            Ok(file) => {
                around.variables.insert(name.to_owned(), file.to_string_lossy().into_owned());
            }
            Err(error) => {
                tracing::warn!(target: "hooks_rules", %error, "the file for exported variables cannot be created");
            }
        }
    }
    let withheld = environment.withheld();
    let make = {
        let (shared, line) = (Arc::clone(shared), line.clone());
        move || command(&line, &shared.environment, &around)
    };
    let (alone, says_alone) = oneshot::channel();
    let bytes = input.of(reader.dialect);
    let run = run_command(make, bytes, limit, alone);
    if active.rule.detached {
        return HandlerResult { withheld, ..leave(shared, active, input, reader, run) };
    }
    let says_alone = async move {
        // A guard is waited for.
        let may_go = formats::of(reader.dialect).first_line_counts() && reader.on_failure == FailureMode::Continue;
        if !may_go || says_alone.await.is_err() {
            pending::<()>().await;
        }
    };
    match select(Box::pin(run), Box::pin(says_alone)).await {
        Either::Left((ran, _)) => {
            let (answer, code) = (read(&ran, reader), code(&ran));
            // The command may exit before its first line is handled. The result must not depend on timing.
            if answer.goes_on_alone {
                return leave(shared, active, input, reader, ready(ran));
            }
            HandlerResult { code, withheld, printed: printed(ran), ..HandlerResult::of(answer) }
        }
        Either::Right(((), run)) => leave(shared, active, input, reader, run),
    }
}

/// Continues a run in the background. Its end is reported as a separate run.
fn leave(
    shared: &Arc<Shared>,
    active: &Arc<ActiveRule>,
    input: &Input,
    reader: AnswerReader,
    run: impl Future<Output = ProcessOutput> + Send + 'static,
) -> HandlerResult {
    let (reporter, active) = (Arc::clone(shared), Arc::clone(active));
    let session = input.occurrence.session.clone();
    let began = Instant::now();
    let started = shared.background.start(async move {
        let ran = run.await;
        if let (true, RunStatus::Exit(2)) = (active.rule.wakes, &ran.status) {
            let said = [&ran.stderr, &ran.stdout].map(|text| text.trim()).into_iter().find(|text| !text.is_empty());
            let text = said.unwrap_or("No stderr output").to_owned();
            reporter.wake(Wake { session, rule: active.rule.id.clone(), text });
        }
        let mut answer = read(&ran, reader);
        // A background run decides nothing.
        answer.decision = crate::answer::RuleDecision::None;
        let outcome = if answer.failure.is_some() { RunOutcome::Failed } else { RunOutcome::Answered };
        let report = report(&active, outcome, &answer, code(&ran), began);
        reporter.report(&report, &answer, &printed(ran));
    });
    HandlerResult::without_answer(if started { RunOutcome::Detached } else { RunOutcome::Dropped })
}

fn printed(ran: ProcessOutput) -> CommandOutput {
    CommandOutput { stdout: ran.stdout, stderr: ran.stderr }
}

fn code(ran: &ProcessOutput) -> Option<i32> {
    match ran.status {
        RunStatus::Exit(code) => Some(code),
        _ => None,
    }
}

fn read(ran: &ProcessOutput, reader: AnswerReader) -> Answer {
    if !ran.cut {
        return reader.read(&ran.status, &ran.stdout, &ran.stderr);
    }
    let is_text = !ran.stdout.trim_start_matches('\u{feff}').trim_start().starts_with('{');
    // Truncated output is not a valid answer, but exit code 2 blocks anyway.
    let stdout = if is_text { ran.stdout.as_str() } else { "" };
    let mut answer = reader.read(&ran.status, stdout, &ran.stderr);
    match (is_text, answer.failure.is_some(), answer.decision.as_str()) {
        (false, false, None) => reader.failed("it printed more than 1 MiB to stdout"),
        _ => {
            answer.remarks.push("it printed more than 1 MiB to stdout; the rest is left out".to_owned());
            answer
        }
    }
}

async fn post(shared: &Shared, rule: &Rule, input: &Input, request: &HttpRequest, reader: AnswerReader) -> Answer {
    let Some(client) = &shared.clients.post else { return reader.failed("there is no client for `http` rules") };
    let fill = |(name, value): (&String, &String)| (name.clone(), fill_header(value, &request.allowed_env));
    let mut headers: BTreeMap<String, String> = request.headers.iter().map(fill).collect();
    headers.entry("Content-Type".to_owned()).or_insert_with(|| "application/json".to_owned());
    let posted = PostRequest { url: request.url.clone(), headers, body: input.of(rule.dialect) };
    match timeout(rule.timeout, client.post(&posted)).await {
        Err(_) => reader.read(&RunStatus::TimedOut, "", ""),
        Ok(Err(error)) => reader.read(&RunStatus::NotStarted(error.to_string()), "", ""),
        Ok(Ok((status, body))) => reader.read(&RunStatus::Http(status), &body, ""),
    }
}

/// Expands `$NAME` and `${NAME}` from the environment. Names that the rule does not allow expand to nothing.
fn fill_header(value: &str, allowed: &[String]) -> String {
    let mut filled = String::new();
    let mut rest = value;
    while let Some((before, after)) = rest.split_once('$') {
        filled.push_str(before);
        let (braced, after) = after.strip_prefix('{').map_or((false, after), |inner| (true, inner));
        let end = after.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(after.len());
        let name = &after[..end];
        if allowed.iter().any(|allowed| allowed == name) {
            filled.push_str(&std::env::var(name).unwrap_or_default());
        }
        rest = &after[end..];
        if braced {
            rest = rest.strip_prefix('}').unwrap_or(rest);
        }
    }
    filled.push_str(rest);
    filled
}

async fn ask(shared: &Shared, rule: &Rule, input: &Input, question: &JudgePrompt, reader: AnswerReader) -> Answer {
    let Some(judge) = &shared.clients.judge else { return reader.failed("there is no model for `prompt` rules") };
    let written = input.of(rule.dialect);
    let text = Rule::filled(&question.prompt, String::from_utf8_lossy(&written).trim_end());
    let asked = JudgeQuestion { event: rule.event, text, model: question.model.clone() };
    match timeout(rule.timeout, judge.judge(&asked)).await {
        Err(_) => reader.failed("the model timed out"),
        Ok(Err(error)) => reader.failed(format!("the model could not be asked: {error}")),
        Ok(Ok(said)) => reader.read_judgement(&said, question.continue_on_block),
    }
}

/// Adds text to the conversation.
fn put(text: &str, input: &Input) -> Answer {
    let prompt = input.occurrence.get("prompt").and_then(Value::as_str);
    let text = prompt.map_or_else(|| text.to_owned(), |prompt| text.replace("{userMessage}", prompt));
    let mut answer = Answer::default();
    answer.contexts.push(text);
    answer
}
