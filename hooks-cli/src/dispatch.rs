//! Runs the rules of files for one occurrence of an event, with the same dispatch that a harness uses.

mod outcome;
mod report;
mod host;
mod payload;
mod input;

use std::fmt::Write as _;
use std::io::{IsTerminal, Read};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hook_sdk::JsonError;
use hook_sdk::record::{Record, Run};
use hook_sdk::scope::{AgentDef, AppDef};
use hook_sdk::{ConfigError, HookSet};
use hooks_rules::{Answer, CommandOutput, Notices, PlainHttp, RuleRun, Rules};
use serde_json::Value;

use crate::args::DispatchArgs;
use crate::confidence::Confidence;
use crate::diagnostics;
use crate::exit::Exit;
use crate::explain::event as event_named;
use crate::inputs::{RuleInputs, usage_error};
use crate::output::Output;
use crate::program::Program;
use crate::rules_of_host;
use crate::style::{BAD, DOUBTFUL, FAINT, line, styled};
use crate::wait;
use host::HostInput;
use input::DispatchInput;
use outcome::Outcome;
use payload::Payload;
use report::{Report, Round, RunReport};

/// The size limit of a payload.
const LIMIT: u64 = 64 << 20;

/// The maximum number of rounds of `--follow`. Rules are normally stopped earlier.
const ROUNDS: usize = 100;

/// What hooks report while they run.
#[derive(Clone, Default)]
struct Observations {
    runs: Arc<Mutex<Vec<RunReport>>>,
    notices: Arc<Mutex<Vec<Notices>>>,
    /// The runs of compiled hooks for a host.
    others: Arc<Mutex<Vec<Run>>>,
}

impl Observations {
    fn runs(&self) -> Vec<RunReport> {
        std::mem::take(&mut self.runs.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn notices(&self) -> Vec<Notices> {
        std::mem::take(&mut self.notices.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Why firing has no outcome.
enum DispatchError {
    Signal(u8),
    Error(String),
}

impl From<ConfigError> for DispatchError {
    fn from(error: ConfigError) -> Self {
        Self::Error(error.to_string())
    }
}

impl From<JsonError> for DispatchError {
    fn from(error: JsonError) -> Self {
        Self::Error(error.to_string())
    }
}

/// Runs the rules, and reports each run and the combined answer.
pub(crate) fn dispatch(program: &Program, args: &DispatchArgs, as_json: bool) -> Output {
    match prepared(args) {
        Ok((inputs, input)) => wait::block_on("dispatch", || fire_all(program, args, &inputs, input, as_json)),
        Err(output) => output,
    }
}

/// Checks everything that can be wrong before anything runs.
fn prepared(args: &DispatchArgs) -> Result<(RuleInputs, DispatchInput), Output> {
    if args.files.files.iter().any(|path| path.as_os_str() == "-") {
        return Err(usage_error("standard input is used for the payload; write the rules to a file"));
    }
    let is_of_host = args.host.is_some();
    let event = args.event.as_deref().filter(|_| !is_of_host).map(event_named).transpose()?;
    let trust = Confidence::of(&args.trusted)?;
    let inputs = RuleInputs::read(&args.files, &trust)?;
    if inputs.is_empty() {
        let words =
            "there are no settings and no plugins here; name the files, as in `hooks dispatch --trust hooks.json`";
        return Err(usage_error(words));
    }
    trusted(&trust, &inputs)?;
    let stdin = stdin()?;
    if let Some(host) = &args.host {
        let input = HostInput::read(host, args.event.as_deref(), &stdin)?;
        return Ok((inputs, DispatchInput::of_host(input)?));
    }
    let mut payload = Payload::read(&stdin).map_err(|problem| usage_error(&problem))?;
    let own = payload.event().map(|name| event_named(&name)).transpose()?;
    let event = match (event, own) {
        (Some(said), Some(own)) if said != own => {
            return Err(usage_error(&format!("--event is {said}, but the payload is of {own}")));
        }
        (Some(event), _) | (None, Some(event)) => event,
        (None, None) => {
            let say = "name the event: `--event PreToolUse`, or `hook_event_name` in the payload".to_owned();
            let all: Vec<_> = payload.problems().iter().cloned().chain([say]).collect();
            return Err(usage_error(&all.join("; ")));
        }
    };
    let input = DispatchInput::new(event, &mut payload, inputs.project.clone()).map_err(|problems| {
        usage_error(&format!("the payload is not valid for {event}:\n  - {}", problems.join("\n  - ")))
    })?;
    Ok((inputs, input))
}

/// Checks that the files are trusted.
pub(crate) fn trusted(trust: &Confidence, inputs: &RuleInputs) -> Result<(), Output> {
    let Confidence::By(trust) = trust else { return Ok(()) };
    let untrusted = inputs.untrusted_rules(trust.as_ref());
    if untrusted.is_empty() {
        return Ok(());
    }
    let mut text =
        format!("{}: these files are not trusted yet, and their rules run commands:\n", styled(BAD, "error"));
    let rules = inputs.rules().list();
    for path in untrusted {
        let file = line(&path.to_string_lossy());
        let mut of_file = rules.iter().filter(|rule| *rule.file == *path).peekable();
        if of_file.peek().is_none() {
            let _ = writeln!(text, "  {file}");
        }
        for rule in of_file {
            let _ = writeln!(text, "  {file}:{}  {}", rule.line, line(&rule.summary));
        }
    }
    text.push_str("review them with `hooks trust`, or use `--trust`");
    Err(Output::trouble(text, Exit::UNTRUSTED))
}

fn stdin() -> Result<String, Output> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), "reading the payload from the terminal; end it with Ctrl-D");
    }
    let mut bytes = Vec::new();
    stdin
        .lock()
        .take(LIMIT + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| usage_error(&format!("the payload cannot be read from standard input: {error}")))?;
    if bytes.len() as u64 > LIMIT {
        return Err(usage_error(&format!("the payload is larger than {} MiB", LIMIT >> 20)));
    }
    String::from_utf8(bytes).map_err(|_| usage_error("the payload is not UTF-8"))
}

async fn fire_all(
    program: &Program,
    args: &DispatchArgs,
    inputs: &RuleInputs,
    mut input: DispatchInput,
    as_json: bool,
) -> Output {
    let observed = Observations::default();
    // Scripts at the end of a turn read the conversation from a file.
    let transcripts = tempfile::tempdir().ok();
    let rules = built(program, args, inputs, &observed, transcripts.as_ref().map(tempfile::TempDir::path));
    let what = waited_for(&rules, &input);
    let (event, kind, unknown) = (input.event, input.kind, std::mem::take(&mut input.unknown));
    let work = async {
        let (rounds, answer) = match (&input.host, input.kind) {
            (Some(host), _) => {
                let refused = |problem| DispatchError::Error(format!("{problem}; the host would hear a refusal"));
                rules_of_host::without_empty(&rules, &args.files.files).map_err(refused)?;
                let (round, answer) = host.round(program, &rules, &observed).await.map_err(refused)?;
                (vec![round], Some(answer))
            }
            (None, Some(kind)) => {
                let set = installed(program, &rules)?;
                (rounds(&set, kind, &mut input, args.follow, &observed).await?, None)
            }
            (None, None) => (vec![directly(&rules, &input, &observed).await], None),
        };
        let cut_off = rules.shutdown(args.wait).await;
        Ok::<_, DispatchError>((rounds, answer, observed.runs(), cut_off))
    };
    let done = tokio::select! {
        // Signals first: nothing may be started before they are handled.
        biased;
        number = wait::signal() => Err(DispatchError::Signal(number)),
        done = wait::with_sign_of_life(work, || what.clone()) => done,
    };
    let diagnostics = inputs.diagnostics(program, &rules);
    let mut output = match done {
        Ok((rounds, answer, late, cut_off)) => {
            let (verbose, wait) = (args.verbose, args.wait);
            let cut_off = (cut_off, wait);
            Report {
                event,
                kind,
                rounds,
                answer,
                late,
                cut_off,
                listed: rules.list(),
                diagnostics: &diagnostics,
                verbose,
            }
            .output(as_json)
        }
        Err(DispatchError::Error(problem)) => {
            Output::trouble(format!("{}: {problem}\n", styled(BAD, "error")), Exit::FAILURE)
        }
        Err(DispatchError::Signal(number)) => {
            rules.shutdown(Duration::ZERO).await;
            return Output::trouble(styled(FAINT, "interrupted; the commands were ended"), Exit::signal(number));
        }
    };
    for problem in unknown {
        output = output.and_err(&format!("{}: {}\n", styled(DOUBTFUL, "warning"), line(&problem)));
    }
    if diagnostics.is_empty() { output } else { output.and_err(&format!("{}\n", diagnostics::all(&diagnostics))) }
}

/// The rules to run. Rules that need a model fail, because there is none.
fn built(
    program: &Program,
    args: &DispatchArgs,
    inputs: &RuleInputs,
    observed: &Observations,
    transcripts: Option<&std::path::Path>,
) -> Rules {
    let (runs, notices) = (Arc::clone(&observed.runs), Arc::clone(&observed.notices));
    let observe = move |run: &RuleRun, answer: &Answer, printed: &CommandOutput| {
        let ran = RunReport { run: run.clone(), answer: answer.clone(), printed: printed.clone() };
        runs.lock().unwrap_or_else(PoisonError::into_inner).push(ran);
    };
    let notice = move |new: &Notices| notices.lock().unwrap_or_else(PoisonError::into_inner).push(new.clone());
    let builder = inputs.builder().library(program.library.clone());
    let mut builder = builder.post(PlainHttp).observe_answers(observe).on_notices(notice);
    if args.withhold_credentials {
        builder = builder.withhold_credentials();
    }
    match transcripts {
        // A folder that is created for them is private.
        Some(folder) => builder.session_files(folder.join("sessions")).build(),
        None => builder.build(),
    }
}

fn installed(program: &Program, rules: &Rules) -> Result<HookSet, ConfigError> {
    let registry = &program.registry;
    registry.set_app(AppDef::new("hooks").hooks(rules.install(registry)?));
    registry.scope(&AgentDef::new("agent"), None)
}

/// Fires once or, with `--follow`, as long as rules continue the turn.
async fn rounds(
    set: &HookSet,
    kind: &str,
    input: &mut DispatchInput,
    follow: bool,
    observed: &Observations,
) -> Result<Vec<Round>, DispatchError> {
    let mut rounds = Vec::new();
    loop {
        let (event, subject) = (input.fires.clone(), input.subject.clone());
        let fired = set.fire_json(kind, &input.cx, event, subject.clone()).await?;
        let (outcome, reason) = Outcome::of(&fired);
        let changed = changed(kind, &subject, fired.subject.as_ref());
        let others = fired.report.record.as_deref().map(others).unwrap_or_default();
        rounds.push(Round {
            outcome,
            reason,
            changed,
            fired: Some(fired),
            runs: observed.runs(),
            notices: observed.notices(),
            others,
        });
        if !(follow && outcome == Outcome::Continue && rounds.len() < ROUNDS) {
            return Ok(rounds);
        }
        input.again();
    }
}

/// Fires an event that no kind carries, like an app does.
async fn directly(rules: &Rules, input: &DispatchInput, observed: &Observations) -> Round {
    let answer = rules.fire(&input.cx, input.occurrence.clone()).await;
    let (outcome, reason) = Outcome::of_answer(input.event, &answer);
    let (runs, notices) = (observed.runs(), observed.notices());
    Round { outcome, reason, changed: None, fired: None, runs, notices, others: Vec::new() }
}

/// What a call then runs with, or what the model reads of its result, if that is not what the payload has.
fn changed(kind: &str, before: &Value, after: Option<&Value>) -> Option<String> {
    // Contexts of a result are told on their own.
    let (name, part) = match kind {
        "before_tool_call" | "permission_request" => ("input", ""),
        "after_tool_call_success" | "after_tool_call_failure" => ("result", "/content"),
        _ => return None,
    };
    let (before, after) = (before.pointer(part), after.map(|after| after.pointer(part)));
    match after {
        None => Some(format!("the {name} is removed")),
        Some(after) if after == before => None,
        Some(after) => {
            let blocks = after.and_then(Value::as_array).into_iter().flatten();
            let texts: Vec<&str> = blocks.filter_map(|block| block["text"].as_str()).collect();
            let now = if texts.is_empty() { after.map(Value::to_string).unwrap_or_default() } else { texts.join(" ") };
            Some(format!("the {name} is now: {now}"))
        }
    }
}

/// The runs of compiled hooks.
fn others(record: &Record) -> Vec<Run> {
    record.runs.iter().filter(|run| !run.hook.as_str().starts_with("rules_")).cloned().collect()
}

/// What is being waited for: the status message of the rules, if they have one.
fn waited_for(rules: &Rules, input: &DispatchInput) -> String {
    let selected = rules.select(&input.occurrence);
    let words = selected.iter().map(|rule| line(rule.status_message.as_deref().unwrap_or(&rule.summary)));
    words.collect::<Vec<_>>().join(", ")
}
