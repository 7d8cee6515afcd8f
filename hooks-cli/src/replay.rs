//! Replays recorded dispatches and turns, and transcripts of other programs, with the current hooks.

mod hooks;
mod recordings;

use std::collections::HashSet;
use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hook_sdk::overrides::Overrides;
use hooks_replay::{NewFile, Progress, Reader, Replay, ReplayReport, ShadowReport, diff};
use hooks_rules::{PlainHttp, RuleId, RuleRun, Rules, Severity};

use crate::args::{FilesArgs, ReplayArgs, ShadowArgs};
use crate::confidence::Confidence;
use crate::diagnostics;
use crate::dispatch::trusted;
use crate::exit::Exit;
use crate::inputs::{RuleInputs, usage_error};
use crate::output::{Output, json};
use crate::paths::overwritten;
use crate::program::Program;
use crate::style::{BAD, FAINT, line, safe, styled};
use crate::wait;
use hooks::{scope, with_rules};
use recordings::hooks_in;
pub(crate) use recordings::{Recordings, only_recordings, recordings, refuse_others, unreadable};

/// Runs a replay and reports the differences.
pub(crate) fn replay(program: &Program, args: &ReplayArgs, as_json: bool) -> Output {
    let done = recordings(&args.recordings).and_then(|found| {
        not_written_over(args, &found.files)?;
        match &args.against {
            Some(other) if other.is_dir() => Err(usage_error("--against takes one recording, and this is a folder")),
            Some(other) => {
                File::open(other).map_err(|error| unreadable(other, &error))?;
                Ok(match diff(&found.files, other) {
                    Ok(report) => render(&with_left_out(report, &found), args, as_json),
                    Err(problem) => faulty(&problem),
                })
            }
            None => {
                let inputs = ReplayInputs::of(program, args, &found.files)?;
                Ok(wait::block_on("replay", || replay_all(program, args, &inputs, &found, as_json)))
            }
        }
    });
    done.unwrap_or_else(|output| output)
}

/// Reports what hooks in shadow mode would have decided.
pub(crate) fn shadow(args: &ShadowArgs, as_json: bool) -> Output {
    let mut report = ShadowReport::default();
    let found = recordings(&args.recordings).and_then(|found| refuse_others(&found.files).map(|()| found));
    let found = match found {
        Ok(found) => found,
        Err(output) => return output,
    };
    for path in &found.files {
        match Reader::open(path) {
            Ok(lines) => report.add(lines),
            Err(error) => return unreadable(path, &error),
        }
    }
    let text = if as_json { json(serde_json::to_value(&report).unwrap_or_default()) } else { report.to_string() };
    let is_whole = report.gaps.is_empty() && found.left_out.is_empty();
    Output::new(text, if is_whole { Exit::SUCCESS } else { Exit::UNDECIDED }).and_err(&found.told())
}

/// The hooks with which the current ones are compared.
enum Candidate {
    /// None: the recording is compared with the current hooks.
    None,
    /// Other rules.
    Rules(RuleInputs),
    /// Overrides in addition to the current ones.
    Overrides(PathBuf),
}

/// Rule files that may run.
struct ReplayInputs {
    inputs: RuleInputs,
    candidate: Candidate,
}

impl ReplayInputs {
    /// Checks everything that can be wrong before anything runs.
    fn of(program: &Program, args: &ReplayArgs, recordings: &[PathBuf]) -> Result<Self, Output> {
        if args.rules.is_empty() && args.set.is_none() && program.definitions.is_empty() {
            let none = match hooks_in(recordings).as_slice() {
                [] => "there are no hooks for a replay;".to_owned(),
                hooks => format!(
                    "this program has none of the hooks of the recording ({}): run this command in your app, as \
                     docs/command-line.md says under \"In an app\", or",
                    hooks.join(", ")
                ),
            };
            return Err(usage_error(&format!("{none} name a rule file, as in `--rules .claude/settings.json`")));
        }
        let inputs = runnable(program, &args.rules, args)?;
        let candidate = match &args.set {
            None => Candidate::None,
            Some(file) if file.extension().is_some_and(|extension| extension == "toml") => {
                Candidate::Overrides(file.clone())
            }
            Some(file) => Candidate::Rules(runnable(program, std::slice::from_ref(file), args)?),
        };
        let has_rules = |inputs: &RuleInputs| inputs.rules().list().iter().any(|rule| rule.enabled);
        let of_candidate = if let Candidate::Rules(rules) = &candidate { has_rules(rules) } else { false };
        if program.definitions.is_empty() && !has_rules(&inputs) && !of_candidate {
            let of_candidate = if let Candidate::Rules(rules) = &candidate { Some(rules) } else { None };
            let wrong: Vec<_> = [Some(&inputs), of_candidate]
                .into_iter()
                .flatten()
                .flat_map(|inputs| inputs.diagnostics(program, &inputs.rules()))
                .map(|diagnostic| format!("\n\n{diagnostic}"))
                .collect();
            let problem = match &candidate {
                Candidate::Overrides(_) => {
                    "overrides change hooks, and this program has none; name rules with `--rules`"
                }
                _ => "these files have no rule, so there are no hooks to replay through",
            };
            return Err(usage_error(&format!("{problem}{}", wrong.concat())));
        }
        Ok(Self { inputs, candidate })
    }
}

/// The rules of files without errors that are trusted.
fn runnable(program: &Program, files: &[PathBuf], args: &ReplayArgs) -> Result<RuleInputs, Output> {
    let project_dir = args.project_dir.clone();
    let inputs = RuleInputs::named(&FilesArgs { files: files.to_vec(), project_dir, ..FilesArgs::default() })?;
    let wrong = inputs.diagnostics(program, &inputs.rules());
    if wrong.iter().any(diagnostics::Diagnostic::is_error) {
        return Err(Output::trouble(format!("{}\n", diagnostics::all(&wrong)), Exit::FAILURE));
    }
    trusted(&Confidence::of(&args.trusted)?, &inputs)?;
    Ok(inputs)
}

/// Checks that no input file would be overwritten.
fn not_written_over(args: &ReplayArgs, files: &[PathBuf]) -> Result<(), Output> {
    let inputs =
        || files.iter().chain(&args.against).chain(&args.rules).chain(&args.set).chain(&args.trusted.trust_file);
    match args.html.as_ref().and_then(|html| overwritten(html, inputs())) {
        None => Ok(()),
        Some(file) => {
            let name = line(&file.to_string_lossy());
            Err(usage_error(&format!("--html {name}: this is an input; name another file")))
        }
    }
}

/// What the current hooks would do with these recordings, for a page.
pub(crate) async fn for_page(
    program: &Program,
    args: &ReplayArgs,
    recordings: &Recordings,
) -> Result<(ReplayReport, Vec<diagnostics::Diagnostic>), Output> {
    let inputs = ReplayInputs::of(program, args, &recordings.files)?;
    let (report, found) = Box::pin(replayed(program, args, &inputs, &recordings.files)).await?;
    report.map(|report| (with_left_out(report, recordings), found)).map_err(|problem| faulty(&problem))
}

async fn replay_all(
    program: &Program,
    args: &ReplayArgs,
    inputs: &ReplayInputs,
    recordings: &Recordings,
    as_json: bool,
) -> Output {
    let (done, found) = match Box::pin(replayed(program, args, inputs, &recordings.files)).await {
        Ok(replayed) => replayed,
        Err(interrupted) => return interrupted,
    };
    let output = match done {
        Ok(report) => render(&with_left_out(report, recordings), args, as_json),
        Err(problem) => faulty(&problem),
    };
    if found.is_empty() { output } else { output.and_err(&format!("{}\n", diagnostics::all(&found))) }
}

/// The report, and the defects of the rules.
///
/// # Errors
/// If a signal ended it.
async fn replayed(
    program: &Program,
    args: &ReplayArgs,
    inputs: &ReplayInputs,
    recordings: &[PathBuf],
) -> Result<(Result<ReplayReport, String>, Vec<diagnostics::Diagnostic>), Output> {
    let ran: Arc<Mutex<HashSet<RuleId>>> = Arc::default();
    let built = |inputs: &RuleInputs, ran: Arc<Mutex<HashSet<RuleId>>>| {
        let note = move |run: &RuleRun| {
            ran.lock().unwrap_or_else(PoisonError::into_inner).insert(run.rule.clone());
        };
        inputs.builder().library(program.library.clone()).post(PlainHttp).observe(note).build()
    };
    let (rules, others) = match &inputs.candidate {
        // What the others do is what they are compared with.
        Candidate::Rules(others) => (built(&inputs.inputs, Arc::default()), Some(built(others, Arc::clone(&ran)))),
        _ => (built(&inputs.inputs, Arc::clone(&ran)), None),
    };
    let progress = Mutex::new(None);
    let listener = |now: Progress| *progress.lock().unwrap_or_else(PoisonError::into_inner) = Some(now);
    let work = report(program, args, inputs, recordings, (&rules, others.as_ref()), &listener);
    let what = || {
        let now = *progress.lock().unwrap_or_else(PoisonError::into_inner);
        let percent = now.filter(|now| now.total > 0).map_or(0, |now| now.read.saturating_mul(100) / now.total);
        format!("{} files, {percent} %", recordings.len())
    };
    let end = async || {
        for rules in [Some(&rules), others.as_ref()].into_iter().flatten() {
            rules.shutdown(Duration::ZERO).await;
        }
    };
    let done = tokio::select! {
        // Signals first: nothing may be started before they are handled.
        biased;
        number = wait::signal() => {
            end().await;
            return Err(Output::trouble(styled(FAINT, "interrupted; the commands were ended"), Exit::signal(number)));
        }
        done = wait::with_sign_of_life(work, what) => done,
    };
    end().await;
    let done = done.map(|report| {
        let ran = ran.lock().unwrap_or_else(PoisonError::into_inner);
        with_idle_rules(report, others.as_ref().unwrap_or(&rules), &ran)
    });
    let mut found = inputs.inputs.diagnostics(program, &rules);
    // A script that is not there fails, or denies by accident: the report alone would pass it off as the guard's decision.
    let defects = rules.inspect().into_iter().filter(|defect| defect.severity > Severity::Hint);
    found.extend(defects.map(diagnostics::Diagnostic::from));
    Ok((done, found))
}

/// What a folder has that cannot be read could not be replayed either.
fn with_left_out(mut report: ReplayReport, recordings: &Recordings) -> ReplayReport {
    report.failed += recordings.left_out.len();
    report.problems.splice(0..0, recordings.left_out.iter().cloned());
    report
}

/// Tells which rules ran in no dispatch of their event: a replay in which nothing differs says nothing about these.
fn with_idle_rules(mut report: ReplayReport, rules: &Rules, ran: &HashSet<RuleId>) -> ReplayReport {
    // One hook runs all rules of an event.
    report.ran_for_none.retain(|hook, _| !hook.starts_with("rules_"));
    let idle = rules.list().into_iter().filter(|rule| rule.enabled && rule.hook.is_none() && rule.denies.is_none());
    for rule in idle.filter(|rule| !ran.contains(&rule.id)) {
        if let Some(count) = rule.event.spec().kind.and_then(|kind| report.kinds.get(kind)) {
            report.ran_for_none.insert(line(&format!("{}:{}", rule.file.display(), rule.line)), *count);
        }
    }
    report
}

/// Creates the report. The app's registry is not changed.
async fn report(
    program: &Program,
    args: &ReplayArgs,
    inputs: &ReplayInputs,
    recordings: &[PathBuf],
    (rules, others): (&Rules, Option<&Rules>),
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<ReplayReport, String> {
    // Two sets differ in the events for which they have rules. The recording also has what a loop needs between these.
    let registry = with_rules(&program.registry, rules, others)?;
    #[cfg(feature = "turns")]
    if let Some(matching) = args.turns {
        let replay = hooks_replay::TurnReplay::new(&registry, |ids| hooks::definition(program, ids))
            .matching(matching.into())
            .progress(progress);
        return replay.files(recordings).await.map_err(|error| error.to_string());
    }
    let _ = args;
    let candidate = match (&inputs.candidate, others) {
        (Candidate::Overrides(file), _) => {
            let candidate = registry.fork();
            candidate.add_overrides([Overrides::from_file(file)]).map_err(|error| error.to_string())?;
            Some(candidate)
        }
        (_, Some(others)) => Some(with_rules(&program.registry, others, Some(rules))?),
        _ => None,
    };
    let mut replay = Replay::new(&registry, |registry, ids| scope(program, registry, ids)).progress(progress);
    if let Some(candidate) = &candidate {
        replay = replay.candidate(candidate, |registry, ids| scope(program, registry, ids));
    }
    let mut report = replay.files(recordings).await.map_err(|error| error.to_string())?;
    // What a loop needs between rules decides nothing.
    let named: Vec<String> = [Some(rules), others].into_iter().flatten().flat_map(hooks::hooks_of).collect();
    report.not_compared.retain(|hook, _| named.contains(hook) || !hook.starts_with("rules_"));
    Ok(report)
}

fn faulty(problem: &dyn std::fmt::Display) -> Output {
    let problem = problem.to_string();
    Output::trouble(format!("{}: {}\n", styled(BAD, "error"), safe(&problem)), Exit::FAILURE)
}

fn render(report: &ReplayReport, args: &ReplayArgs, as_json: bool) -> Output {
    let text = match (as_json, args.github) {
        (true, _) => json(serde_json::to_value(report).unwrap_or_default()),
        (false, true) => report.to_github(),
        (false, false) => report.to_string(),
    };
    let exit = match report.exit_code() {
        0 => Exit::SUCCESS,
        1 => Exit::FAILURE,
        2 => Exit::DENIED,
        _ => Exit::UNDECIDED,
    };
    let Some(path) = &args.html else { return Output::new(text, exit) };
    if path.as_os_str() == "-" {
        return Output::new(report.to_html(), exit);
    }
    let write = |mut file: NewFile| file.write_all(report.to_html().as_bytes()).and_then(|()| file.finish());
    match NewFile::create(path).and_then(write) {
        Ok(()) => Output::new(text, exit),
        Err(error) => Output::new(text, Exit::IO_ERROR).and_err(&format!(
            "{}: {}: {error}",
            styled(BAD, "error"),
            line(&path.to_string_lossy())
        )),
    }
}
