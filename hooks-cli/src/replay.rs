//! Recorded dispatches, and other programs' transcripts, through today's hooks.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hooks_core::context::Ids;
use hooks_core::scope::{AgentDef, AppDef};
use hooks_core::{ConfigError, HookSet, Registry};
use hooks_replay::{Reader, Replay, Report, ShadowReport};
use hooks_rules::PlainHttp;

use crate::args::{FilesArgs, ReplayArgs, ShadowArgs};
use crate::diagnostics;
use crate::dispatch::trusted;
use crate::exit::Exit;
use crate::files::{Given, not_understood};
use crate::output::{Output, json};
use crate::paint::{BAD, FAINT, line, styled};
use crate::program::Program;
use crate::wait;

/// Replays, and tells what differs.
pub(crate) fn replay(program: &Program, args: &ReplayArgs, as_json: bool) -> Output {
    match prepared(program, args) {
        Ok((given, recordings)) => wait::block_on("replay", || replay_all(program, args, &given, &recordings, as_json)),
        Err(output) => output,
    }
}

/// Tells what hooks in shadow would have decided.
pub(crate) fn shadow(args: &ShadowArgs, as_json: bool) -> Output {
    let mut report = ShadowReport::default();
    let files = match recordings(&args.recordings) {
        Ok(files) => files,
        Err(output) => return output,
    };
    for path in files {
        match Reader::open(&path) {
            Ok(lines) => report.add(lines),
            Err(error) => return unreadable(&path, &error),
        }
    }
    let text = if as_json { json(serde_json::to_value(&report).unwrap_or_default()) } else { report.to_string() };
    Output::new(text, if report.unreadable > 0 { Exit::UNDECIDED } else { Exit::DONE })
}

/// Everything that can be wrong before anything runs.
fn prepared(program: &Program, args: &ReplayArgs) -> Result<(Given, Vec<PathBuf>), Output> {
    if args.rules.is_empty() && program.definitions.is_empty() {
        return Err(not_understood(
            "there are no hooks to replay through; name a file of rules, as in `--rules .claude/settings.json`",
        ));
    }
    let given = Given::named(&FilesArgs { files: args.rules.clone(), ..FilesArgs::default() })?;
    let rules = given.rules();
    let wrong = given.diagnostics(&rules);
    if wrong.iter().any(diagnostics::Diagnostic::is_error) {
        return Err(Output::trouble(format!("{}\n", diagnostics::all(&wrong)), Exit::FAULTY));
    }
    if rules.list().is_empty() && program.definitions.is_empty() {
        return Err(not_understood("these files have no rule, so there are no hooks to replay through"));
    }
    trusted(args.trust, args.trust_file.as_deref(), &given)?;
    let files = recordings(&args.recordings)?;
    let same = |html: &PathBuf| {
        let html = std::fs::canonicalize(html).ok()?;
        files.iter().find(|file| std::fs::canonicalize(file).is_ok_and(|file| file == html))
    };
    if let Some(file) = args.html.as_ref().and_then(same) {
        let name = line(&file.to_string_lossy());
        return Err(not_understood(&format!(
            "--html {name}: this is a recording that is to be read; name another file"
        )));
    }
    Ok((given, files))
}

/// The files that these are, or that are within these folders.
fn recordings(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Output> {
    let mut files = Vec::new();
    for path in paths {
        collect(path, &mut files).map_err(|error| unreadable(path, &error))?;
    }
    if files.is_empty() {
        return Err(not_understood("these folders have no file that ends with `.jsonl`"));
    }
    Ok(files)
}

fn unreadable(path: &Path, error: &std::io::Error) -> Output {
    let text = format!("{}: {}: {error}", styled(BAD, "error"), line(&path.to_string_lossy()));
    Output::trouble(text, Exit::NOT_UNDERSTOOD)
}

/// The file, or all plain `.jsonl` files within the folder, in the order of their names; what a recorder moved aside
/// (`traffic.jsonl.2`, `traffic.jsonl.1`) before what it wrote later.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if !std::fs::metadata(path)?.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<Result<_, std::io::Error>>()?;
    entries.sort_by_cached_key(|entry| match moved_aside(entry) {
        Some((file, number)) => (file, Reverse(number)),
        None => (entry.clone(), Reverse(0)),
    });
    for entry in entries {
        // A link may lead back or nowhere, and what is no plain file may never end.
        let what = std::fs::symlink_metadata(&entry)?;
        let name = moved_aside(&entry).map_or_else(|| entry.clone(), |(file, _)| file);
        let is_recording = what.is_file() && name.extension().is_some_and(|extension| extension == "jsonl");
        if what.is_dir() || is_recording {
            collect(&entry, files)?;
        }
    }
    Ok(())
}

/// The file that a full one was moved aside from, and its number.
fn moved_aside(path: &Path) -> Option<(PathBuf, u32)> {
    let number = path.extension()?.to_str()?.parse().ok()?;
    Some((path.with_extension(""), number))
}

async fn replay_all(
    program: &Program,
    args: &ReplayArgs,
    given: &Given,
    recordings: &[PathBuf],
    as_json: bool,
) -> Output {
    let rules = given.builder().post(PlainHttp).build();
    let work = async {
        let registry = &program.registry;
        registry.set_app(AppDef::new("hooks").hooks(rules.install(registry).map_err(|error| error.to_string())?));
        let replay = Replay::new(registry, |registry, ids| scope(program, registry, ids));
        replay.files(recordings).await.map_err(|error| error.to_string())
    };
    let what = format!("{} files", recordings.len());
    let done = tokio::select! {
        // Signals first: before they are caught nothing may be started.
        biased;
        number = wait::signal() => {
            rules.shutdown(Duration::ZERO).await;
            return Output::trouble(styled(FAINT, "interrupted; the commands were ended"), Exit::signal(number));
        }
        done = wait::with_sign_of_life(work, &what) => done,
    };
    rules.shutdown(Duration::ZERO).await;
    let output = match done {
        Ok(report) => told(&report, args, as_json),
        Err(problem) => Output::trouble(format!("{}: {problem}\n", styled(BAD, "error")), Exit::FAULTY),
    };
    let found = given.diagnostics(&rules);
    if found.is_empty() { output } else { output.and_err(&format!("{}\n", diagnostics::all(&found))) }
}

/// The set of the agent and the prompt that a dispatch names; for traffic of another program, which names none, the first.
fn scope(program: &Program, registry: &Registry, ids: &Ids) -> Result<HookSet, ConfigError> {
    let named = program.definitions.iter().find(|(agent, prompt)| {
        ids.agent.as_deref() == Some(&*agent.name)
            && ids.prompt.as_deref() == prompt.as_ref().map(|prompt| &*prompt.name)
    });
    let first = program.definitions.first().filter(|_| ids.agent.is_none());
    match named.or(first) {
        Some((agent, prompt)) => registry.scope(agent, prompt.as_ref()),
        // The app's list alone, which has the rules.
        None => registry.scope(&AgentDef::new(ids.agent.as_deref().unwrap_or("agent")), None),
    }
}

fn told(report: &Report, args: &ReplayArgs, as_json: bool) -> Output {
    let text = match (as_json, args.github) {
        (true, _) => json(serde_json::to_value(report).unwrap_or_default()),
        (false, true) => report.to_github(),
        (false, false) => report.to_string(),
    };
    let exit = match report.exit_code() {
        0 => Exit::DONE,
        1 => Exit::FAULTY,
        2 => Exit::REFUSED,
        _ => Exit::UNDECIDED,
    };
    let Some(path) = &args.html else { return Output::new(text, exit) };
    match std::fs::write(path, report.to_html()) {
        Ok(()) => Output::new(text, exit),
        Err(error) => Output::new(text, Exit::NOT_WRITTEN).and_err(&format!(
            "{}: {}: {error}",
            styled(BAD, "error"),
            line(&path.to_string_lossy())
        )),
    }
}
