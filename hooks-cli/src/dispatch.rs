//! Runs the rules of files for one occurrence of an event, with the same dispatch that a harness uses.

mod occasion;
mod outcome;
mod payload;
mod report;

use std::fmt::Write as _;
use std::io::{IsTerminal, Read};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hook_sdk::JsonError;
use hook_sdk::record::Record;
use hook_sdk::scope::{AgentDef, AppDef};
use hook_sdk::{ConfigError, HookSet};
use hooks_rules::{Answer, Notices, PlainHttp, Printed, RuleRun, Rules, Trust};
use serde_json::Value;

use crate::args::DispatchArgs;
use crate::diagnostics;
use crate::exit::Exit;
use crate::explain::event as event_named;
use crate::files::{Given, not_understood};
use crate::output::Output;
use crate::paint::{BAD, DOUBTFUL, FAINT, line, styled};
use crate::places;
use crate::program::Program;
use crate::wait;
use occasion::Occasion;
use outcome::Outcome;
use payload::Payload;
use report::{Ran, Report, Round};

/// The size limit of a payload.
const LIMIT: u64 = 64 << 20;

/// The maximum number of rounds of `--follow`. Rules are normally stopped earlier.
const ROUNDS: usize = 100;

/// What the rules report while they run.
#[derive(Clone, Default)]
struct Observed {
    runs: Arc<Mutex<Vec<Ran>>>,
    notices: Arc<Mutex<Vec<Notices>>>,
}

impl Observed {
    fn runs(&self) -> Vec<Ran> {
        std::mem::take(&mut self.runs.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn notices(&self) -> Vec<Notices> {
        std::mem::take(&mut self.notices.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Why firing has no outcome.
enum Ended {
    Signal(u8),
    Error(String),
}

impl From<ConfigError> for Ended {
    fn from(error: ConfigError) -> Self {
        Self::Error(error.to_string())
    }
}

impl From<JsonError> for Ended {
    fn from(error: JsonError) -> Self {
        Self::Error(error.to_string())
    }
}

/// Runs the rules, and reports each run and the combined answer.
pub(crate) fn dispatch(program: &Program, args: &DispatchArgs, as_json: bool) -> Output {
    match prepared(args) {
        Ok((given, occasion)) => wait::block_on("dispatch", || fire_all(program, args, &given, occasion, as_json)),
        Err(output) => output,
    }
}

/// Checks everything that can be wrong before anything runs.
fn prepared(args: &DispatchArgs) -> Result<(Given, Occasion), Output> {
    if args.files.files.iter().any(|path| path.as_os_str() == "-") {
        return Err(not_understood("standard input is used for the payload; write the rules to a file"));
    }
    let event = args.event.as_deref().map(event_named).transpose()?;
    let given = Given::read(&args.files)?;
    if given.is_empty() {
        let words =
            "there are no settings and no plugins here; name the files, as in `hooks dispatch --trust hooks.json`";
        return Err(not_understood(words));
    }
    trusted(args.trust, args.trust_file.as_deref(), &given)?;
    let mut payload = Payload::read(&stdin()?).map_err(|problem| not_understood(&problem))?;
    let own = payload.event().map(|name| event_named(&name)).transpose()?;
    let event = match (event, own) {
        (Some(said), Some(own)) if said != own => {
            return Err(not_understood(&format!("--event is {said}, but the payload is of {own}")));
        }
        (Some(event), _) | (None, Some(event)) => event,
        (None, None) => {
            let say = "name the event: `--event PreToolUse`, or `hook_event_name` in the payload".to_owned();
            let all: Vec<_> = payload.problems().iter().cloned().chain([say]).collect();
            return Err(not_understood(&all.join("; ")));
        }
    };
    let occasion = Occasion::new(event, &mut payload, given.project.clone()).map_err(|problems| {
        not_understood(&format!("the payload is not valid for {event}:\n  - {}", problems.join("\n  - ")))
    })?;
    Ok((given, occasion))
}

/// Checks that the files are trusted.
pub(crate) fn trusted(trust: bool, trust_file: Option<&Path>, given: &Given) -> Result<(), Output> {
    if trust {
        return Ok(());
    }
    let path = trust_file.map(Path::to_owned).or_else(places::trust_file);
    let trust = match path.map(Trust::open).transpose() {
        Ok(trust) => trust,
        Err(error) => return Err(Output::trouble(format!("{}: {error}", styled(BAD, "error")), Exit::NOT_TRUSTED)),
    };
    let untrusted = given.untrusted(trust.as_ref());
    if untrusted.is_empty() {
        return Ok(());
    }
    let mut text =
        format!("{}: these files are not trusted yet, and their rules run commands:\n", styled(BAD, "error"));
    let rules = given.rules().list();
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
    Err(Output::trouble(text, Exit::NOT_TRUSTED))
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
        .map_err(|error| not_understood(&format!("the payload cannot be read from standard input: {error}")))?;
    if bytes.len() as u64 > LIMIT {
        return Err(not_understood(&format!("the payload is larger than {} MiB", LIMIT >> 20)));
    }
    String::from_utf8(bytes).map_err(|_| not_understood("the payload is not UTF-8"))
}

async fn fire_all(
    program: &Program,
    args: &DispatchArgs,
    given: &Given,
    mut occasion: Occasion,
    as_json: bool,
) -> Output {
    let observed = Observed::default();
    // Scripts at the end of a turn read the conversation from a file.
    let transcripts = tempfile::tempdir().ok();
    let rules = built(args, given, &observed, transcripts.as_ref().map(tempfile::TempDir::path));
    let what = waited_for(&rules, &occasion);
    let (event, kind, unknown) = (occasion.event, occasion.kind, std::mem::take(&mut occasion.unknown));
    let work = async {
        let set = installed(program, &rules)?;
        let rounds = match occasion.kind {
            Some(kind) => rounds(&set, kind, &mut occasion, args.follow, &observed).await?,
            None => vec![directly(&rules, &occasion, &observed).await],
        };
        rules.shutdown(args.wait).await;
        Ok::<_, Ended>((rounds, observed.runs()))
    };
    let done = tokio::select! {
        // Signals first: nothing may be started before they are handled.
        biased;
        number = wait::signal() => Err(Ended::Signal(number)),
        done = wait::with_sign_of_life(work, || what.clone()) => done,
    };
    let diagnostics = given.diagnostics(&rules);
    let mut output = match done {
        Ok((rounds, late)) => {
            let verbose = args.verbose;
            Report { event, kind, rounds, late, listed: rules.list(), diagnostics: &diagnostics, verbose }
                .output(as_json)
        }
        Err(Ended::Error(problem)) => Output::trouble(format!("{}: {problem}\n", styled(BAD, "error")), Exit::FAULTY),
        Err(Ended::Signal(number)) => {
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
fn built(args: &DispatchArgs, given: &Given, observed: &Observed, transcripts: Option<&std::path::Path>) -> Rules {
    let (runs, notices) = (Arc::clone(&observed.runs), Arc::clone(&observed.notices));
    let observe = move |run: &RuleRun, answer: &Answer, printed: &Printed| {
        let ran = Ran { run: run.clone(), answer: answer.clone(), printed: printed.clone() };
        runs.lock().unwrap_or_else(PoisonError::into_inner).push(ran);
    };
    let notice = move |new: &Notices| notices.lock().unwrap_or_else(PoisonError::into_inner).push(new.clone());
    let mut builder = given.builder().post(PlainHttp).observe_answers(observe).on_notices(notice);
    if args.withhold_credentials {
        builder = builder.withhold_credentials();
    }
    match transcripts {
        Some(folder) => builder.session_files(folder).build(),
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
    occasion: &mut Occasion,
    follow: bool,
    observed: &Observed,
) -> Result<Vec<Round>, Ended> {
    let mut rounds = Vec::new();
    loop {
        let (event, subject) = (occasion.fires.clone(), occasion.subject.clone());
        let fired = set.fire_json(kind, &occasion.cx, event, subject).await?;
        let (outcome, reason) = Outcome::of(&fired);
        let others = fired.report.record.as_deref().map(others).unwrap_or_default();
        rounds.push(Round {
            outcome,
            reason,
            fired: Some(fired),
            runs: observed.runs(),
            notices: observed.notices(),
            others,
        });
        if !(follow && outcome == Outcome::Continue && rounds.len() < ROUNDS) {
            return Ok(rounds);
        }
        occasion.again();
    }
}

/// Fires an event that no kind carries, like an app does.
async fn directly(rules: &Rules, occasion: &Occasion, observed: &Observed) -> Round {
    let answer = rules.fire(&occasion.cx, occasion.occurrence.clone()).await;
    let (outcome, reason) = Outcome::of_answer(occasion.event, &answer);
    Round { outcome, reason, fired: None, runs: observed.runs(), notices: observed.notices(), others: Vec::new() }
}

/// The runs of compiled hooks.
fn others(record: &Record) -> Vec<Value> {
    let compiled = record.runs.iter().filter(|run| !run.hook.as_str().starts_with("rules_"));
    compiled.map(|run| serde_json::to_value(run).unwrap_or_default()).collect()
}

/// What is being waited for: the status message of the rules, if they have one.
fn waited_for(rules: &Rules, occasion: &Occasion) -> String {
    let selected = rules.select(&occasion.occurrence);
    let words = selected.iter().map(|rule| line(rule.status_message.as_deref().unwrap_or(&rule.summary)));
    words.collect::<Vec<_>>().join(", ")
}
