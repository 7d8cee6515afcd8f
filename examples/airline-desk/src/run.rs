//! Runs the program: reads, replays, writes and reports.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use hooks_agent::TurnError;
#[cfg(feature = "genai")]
use hooks_agent::model::Genai;
use hooks_agent::model::Model;
use indicatif::{ProgressBar, ProgressStyle};
use tokio::runtime::{Builder, Runtime};

use crate::args::Args;
use crate::chat::{self, Clerk};
use crate::conversation::Conversation;
use crate::desk::{Desk, DeskError};
use crate::glimpse::Glimpses;
use crate::lines::{Line, Lines};
use crate::output::Output;
use crate::report;
use crate::scenes;
use crate::summary::{Skipped, Summary, Totals};
use crate::trace::{Trace, Tracing};
#[cfg(feature = "store")]
use crate::{args::Command, stored};

/// Larger inputs get a progress bar.
const LONG: u64 = 8 * 1024 * 1024;

/// The error of a run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The desk cannot open.
    #[error(transparent)]
    Desk(#[from] DeskError),
    /// The conversations cannot be read.
    #[error("{}: cannot be read: {source}", file.display())]
    #[non_exhaustive]
    Input {
        /// The file.
        file: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The transcripts cannot be written. An existing file was not changed.
    #[error("{}: cannot be written: {source}", file.display())]
    #[non_exhaustive]
    Output {
        /// The file.
        file: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The summary cannot be written.
    #[error("the summary cannot be written: {0}")]
    Report(io::Error),
    /// The runtime cannot be started.
    #[error("the runtime cannot be started: {0}")]
    Runtime(io::Error),
    /// The store cannot be opened, or fails.
    #[cfg(feature = "store")]
    #[error("{0}")]
    Store(String),
    /// The page cannot be served.
    #[cfg(feature = "inspect")]
    #[error("the page cannot be served: {0}")]
    Inspect(io::Error),
    /// The session of a chat cannot be opened or closed.
    #[error("the session cannot go on: {0}")]
    Session(#[from] TurnError),
}

impl RunError {
    /// Whether the reader closed the pipe.
    fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Output { source, .. } | Self::Report(source) if source.kind() == io::ErrorKind::BrokenPipe)
    }
}

/// Runs the program and reports errors on standard error.
pub fn main(args: &Args) -> ExitCode {
    hook_sdk::quiet_panics();
    match run(args) {
        Ok(status) => status,
        Err(error) if error.is_closed_pipe() => ExitCode::SUCCESS,
        Err(error) => {
            tell(&format!("error: {error}"));
            ExitCode::from(2)
        }
    }
}

fn run(args: &Args) -> Result<ExitCode, RunError> {
    let folder = Desk::folder();
    let agent = args.hooks.clone().unwrap_or_else(|| folder.join("agent.json"));
    #[cfg(feature = "inspect")]
    if args.inspect {
        return scenes::inspect(args.scene.unwrap_or(scenes::Scene::All), args, &agent);
    }
    if let Some(scene) = args.scene {
        let tracing = args.trace.unwrap_or(Tracing::All);
        return scenes::run(scene, args, &agent, tracing, &mut io::stdout().lock());
    }
    let mut desk = Desk::open(&agent, args.prompt.as_deref())?.answer(args.on_ask).attended(!args.unattended);
    #[cfg(feature = "rules")]
    if !args.rules.is_empty() || args.plugins.is_some() {
        desk = desk.ruled(&args.rules, args.plugins.as_deref())?;
    }
    if args.plan {
        let findings = desk.audit(&folder.join("prompts"))?;
        report::plan(&mut io::stdout().lock(), &desk, &findings).map_err(RunError::Report)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(tracing) = args.trace {
        desk = desk.traced(tracing)?;
    }
    #[cfg(feature = "replay")]
    if let Some(recorder) = recorder(args)? {
        desk = desk.recorded(&recorder)?;
    }
    #[cfg(feature = "store")]
    if let Some(Command::Worker { store, parallelism, once }) = &args.command {
        return stored::work(desk, store, *parallelism, *once);
    }
    #[cfg(feature = "store")]
    if let Some(store) = &args.store {
        return stored::chat(desk, model(args), store, &args.conversation);
    }
    if args.chat {
        return chat::run(&desk, model(args));
    }

    let file = args.input.clone().unwrap_or_else(|| folder.join("sample.jsonl"));
    let (reader, length) = open(&file).map_err(|source| RunError::Input { file: file.clone(), source })?;
    let out = args.out.clone().unwrap_or_default();
    let unwritten = |source| RunError::Output { file: out.clone(), source };
    let mut output = Output::open(args.out.as_deref()).map_err(unwritten)?;

    let mut glimpses = Glimpses::new(args.show || args.input.is_none());
    let bar = progress(length);
    let on_skip = |skipped: &Skipped| {
        bar.suspend(|| tell(&format!("{}:{}: {}", file.display(), skipped.line, skipped.problem)));
    };
    // If transcripts or JSON go to standard output, everything else goes to standard error.
    let aside = out.as_os_str() == "-";
    let trace = RefCell::new(to_people(aside || args.json));
    let at = |end| {
        // A closed pipe is detected when the summary is written.
        let lines = desk.trace.as_ref().map(Trace::take).unwrap_or_default();
        let _ = lines.iter().try_for_each(|line| writeln!(trace.borrow_mut(), "{line}"));
        bar.set_position(end);
    };
    let read = replay_lines(&desk, reader, output.writer(), &mut glimpses, at, on_skip);
    bar.finish_and_clear();
    let summary = read.map_err(|failed| match failed {
        Failed::Read(source) => RunError::Input { file: file.clone(), source },
        Failed::Write(source) => unwritten(source),
        Failed::Runtime(source) => RunError::Runtime(source),
    })?;
    output.finish().map_err(unwritten)?;

    let mut to = to_people(aside);
    let written =
        if args.json { report::json(&mut to, &summary) } else { report::text(&mut to, &summary, glimpses.kept()) };
    written.map_err(RunError::Report)?;
    Ok(if summary.skipped.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// The recorder of `--record`.
#[cfg(feature = "replay")]
pub(crate) fn recorder(args: &Args) -> Result<Option<hooks_replay::Recorder>, RunError> {
    let open = |file: &PathBuf| {
        let recorder = hooks_replay::Recorder::create(file, "airline-desk", hooks_replay::RecordLimits::default());
        recorder.map_err(|source| RunError::Output { file: file.clone(), source })
    };
    args.record.as_ref().map(open).transpose()
}

/// The model of a chat.
#[cfg_attr(not(feature = "genai"), expect(unused_variables, reason = "without the feature there is no choice"))]
fn model(args: &Args) -> Arc<dyn Model> {
    #[cfg(feature = "genai")]
    if let Some(name) = &args.model {
        let model = Genai::new(name);
        return Arc::new(match &args.base_url {
            Some(url) => model.base_url(url),
            None => model,
        });
    }
    Arc::new(Clerk)
}

/// The error of a replay.
#[derive(Debug)]
#[non_exhaustive]
pub enum Failed {
    /// The conversations could not be read.
    Read(io::Error),
    /// The transcripts could not be written.
    Write(io::Error),
    /// The runtime could not be started.
    Runtime(io::Error),
}

/// Replays every line of `reader` at `desk`, and writes the transcripts to `output`. `on_skip` is called for a line
/// that is not a conversation.
///
/// # Errors
/// [`Failed`] if reading or writing fails.
pub fn replay_lines(
    desk: &Desk,
    reader: impl BufRead,
    mut output: Option<&mut dyn Write>,
    glimpses: &mut Glimpses,
    at: impl Fn(u64),
    on_skip: impl Fn(&Skipped),
) -> Result<Summary, Failed> {
    let start = Instant::now();
    let runtime = runtime().map_err(Failed::Runtime)?;
    let (mut totals, mut skipped) = (Totals::default(), Vec::new());
    for line in Lines::new(reader) {
        let line = line.map_err(Failed::Read)?;
        let (number, end) = (line.number, line.end);
        match runtime.block_on(replay_line(desk, line, glimpses)) {
            Ok((conversation, counted)) => {
                totals += counted;
                if let Some(output) = &mut output {
                    writeln!(output, "{}", conversation.to_json()).map_err(Failed::Write)?;
                }
            }
            Err(problem) => {
                let problem = Skipped { line: number, problem };
                on_skip(&problem);
                skipped.push(problem);
            }
        }
        at(end);
    }
    runtime.block_on(desk.close());
    let (hooks, metrics) = (desk.tally().rows(), desk.metrics().counts());
    Ok(Summary { totals, skipped, hooks, metrics, time: start.elapsed() })
}

async fn replay_line(desk: &Desk, line: Line, glimpses: &mut Glimpses) -> Result<(Conversation, Totals), String> {
    let text = line.text.map_err(|error| error.to_string())?;
    let conversation = Conversation::parse(&text).map_err(|error| error.to_string())?;
    let name = format!("line {}", line.number);
    crate::replay::replay(desk, conversation, &name, glimpses).await.map_err(|error| error.to_string())
}

/// A single thread suffices, because conversations are replayed one at a time.
pub(crate) fn runtime() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}

/// The stream for messages to people.
fn to_people(aside: bool) -> Box<dyn Write> {
    if aside { Box::new(io::stderr()) } else { Box::new(io::stdout()) }
}

/// Opens `file`. Returns its reader, and its length if it has one.
fn open(file: &Path) -> io::Result<(Box<dyn BufRead>, Option<u64>)> {
    if file.as_os_str() == "-" {
        return Ok((Box::new(io::stdin().lock()), None));
    }
    let opened = File::open(file)?;
    let metadata = opened.metadata()?;
    Ok((Box::new(BufReader::with_capacity(1 << 16, opened)), metadata.is_file().then_some(metadata.len())))
}

/// A progress bar for long inputs on a terminal. Otherwise a hidden one.
fn progress(length: Option<u64>) -> ProgressBar {
    let long = length.is_none_or(|length| length > LONG);
    if !long || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let (bar, template) = match length {
        Some(length) => (ProgressBar::new(length), "{bar:40} {bytes} of {total_bytes}, {eta} left"),
        None => (ProgressBar::no_length(), "{spinner} {bytes} read"),
    };
    bar.with_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// Errors are ignored, because a closed standard error is no reason to stop.
pub(crate) fn tell(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
