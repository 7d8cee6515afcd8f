//! `hooks report`: recordings as a page.

use std::fmt::Write as _;
use std::path::PathBuf;

use hooks_inspect::HooksPage;
use hooks_replay::{Gaps, NewFile, Reader};
use serde_json::json;

use crate::args::{ReplayArgs, ReportArgs};
use crate::diagnostics;
use crate::exit::Exit;
use crate::inputs::usage_error;
use crate::output::{self, Output};
#[cfg(feature = "store")]
use crate::paths::file_of;
use crate::paths::overwritten;
use crate::program::Program;
use crate::replay::{Recordings, for_page, only_recordings, recordings, refuse_others, unreadable};
use crate::style::{BAD, line, styled};
use crate::wait::{Read, block_on};

pub(crate) fn report(program: &Program, args: &ReportArgs, as_json: bool) -> Output {
    block_on("report", || async { written(program, args, as_json).await.unwrap_or_else(|problem| problem) })
}

async fn written(program: &Program, args: &ReportArgs, as_json: bool) -> Result<Output, Output> {
    let to_stdout = args.output.as_os_str() == "-";
    if as_json && to_stdout {
        return Err(usage_error("the report is a page; name a file for it, or remove --json"));
    }
    let nothing = || Recordings { files: Vec::new(), left_out: Vec::new() };
    let found = if args.recordings.is_empty() { nothing() } else { recordings(&args.recordings)? };
    if !args.replay {
        refuse_others(&found.files)?;
    }
    let inputs = found.files.iter().chain(&args.rules).chain(&args.trusted.trust_file);
    #[cfg(feature = "store")]
    let store: Vec<PathBuf> = args.store.iter().filter_map(|url| file_of(url)).flat_map(with_log).collect();
    #[cfg(feature = "store")]
    let inputs = inputs.chain(&store);
    if let Some(input) = overwritten(&args.output, inputs) {
        let input = line(&input.to_string_lossy());
        return Err(usage_error(&format!("--output names {input}, which is an input; name another file")));
    }
    let (mut page, mut told) = (page(program, &found.files), found.told());
    if args.replay {
        let replay = ReplayArgs { rules: args.rules.clone(), trusted: args.trusted.clone(), ..ReplayArgs::default() };
        let (report, defects) = for_page(program, &replay, &found).await?;
        page = page.replay(&report);
        if !defects.is_empty() {
            let _ = writeln!(told, "{}", diagnostics::all(&defects));
        }
    }
    #[cfg(feature = "store")]
    if let Some(url) = &args.store {
        page = with_store(page, url).await?;
    }
    // A replay also reads transcripts, whose lines are no lines of a page.
    let Recordings { files, left_out } = found;
    let files = if args.replay { only_recordings(files)? } else { files };
    page = page.files(files.iter().map(|file| file.display()));
    let opened = Read::open(&files).map_err(|(file, error)| unreadable(file, &error))?;
    let mut printed = Vec::new();
    let written = if to_stdout {
        page.report(opened, &mut printed)
    } else {
        NewFile::create(&args.output).and_then(|mut file| page.report(opened, &mut file).and_then(|()| file.finish()))
    };
    written.map_err(|error| {
        let text = format!("{}: {}: {error}", styled(BAD, "error"), line(&args.output.to_string_lossy()));
        Output::trouble(text, Exit::IO_ERROR)
    })?;
    let gaps = gaps(&files);
    told.push_str(&gaps.to_string());
    let name = line(&args.output.to_string_lossy());
    let exit = if gaps.is_empty() && left_out.is_empty() { Exit::SUCCESS } else { Exit::UNDECIDED };
    if as_json {
        let left_out = json!({ "lines": gaps, "files": left_out });
        printed = output::json(json!({ "version": 1, "output": name, "left_out": left_out })).into_bytes();
    } else if !to_stdout {
        let _ = writeln!(told, "{name}: open it in a browser");
    }
    Ok(Output::new(String::from_utf8_lossy(&printed), exit).and_err(&told))
}

/// The files of SQLite.
#[cfg(feature = "store")]
fn with_log(file: PathBuf) -> [PathBuf; 3] {
    let beside = |end: &str| PathBuf::from([file.as_os_str(), end.as_ref()].join("".as_ref()));
    [beside("-wal"), beside("-shm"), file]
}

/// What the page cannot show.
fn gaps(files: &[PathBuf]) -> Gaps {
    let mut gaps = Gaps::default();
    files.iter().filter_map(|file| Reader::open(file).ok()).flatten().for_each(|(_, read)| gaps.note(&read));
    gaps
}

/// The page with what a store has. A store that does not exist is not created.
#[cfg(feature = "store")]
async fn with_store(page: HooksPage, url: &str) -> Result<HooksPage, Output> {
    let failed =
        |error: &dyn std::fmt::Display| Output::trouble(format!("{}: {error}", styled(BAD, "error")), Exit::FAILURE);
    let store = hooks_store::OpenOptions::new().read_only().open(url).await.map_err(|error| failed(&error))?;
    let page = page.store(&store).await.map_err(|error| failed(&error));
    // What was read is read.
    let _ = store.close().await;
    page
}

/// The page about a program and these recordings.
pub(crate) fn page(program: &Program, files: &[PathBuf]) -> HooksPage {
    let name = files.iter().filter_map(|file| file.file_name()).map(|name| name.to_string_lossy()).next();
    let mut page = HooksPage::new(name.unwrap_or_default());
    if !program.sets.is_empty() || !program.registry.manifest().hooks.is_empty() {
        page = page.registry(&program.registry).audit(program.registry.audit(&program.sets));
        for set in &program.sets {
            page = page.scope(set);
        }
    }
    page
}
