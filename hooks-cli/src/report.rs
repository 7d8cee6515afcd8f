//! `hooks report`: recordings as a page.

use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::{Path, PathBuf};

use hooks_inspect::HooksPage;

use crate::args::ReportArgs;
use crate::exit::Exit;
use crate::inputs::usage_error;
use crate::output::Output;
use crate::program::Program;
use crate::replay::{recordings, unreadable};
use crate::style::{BAD, line, styled};

pub(crate) fn report(program: &Program, args: &ReportArgs) -> Output {
    written(program, args).unwrap_or_else(|problem| problem)
}

fn written(program: &Program, args: &ReportArgs) -> Result<Output, Output> {
    let files = recordings(&args.recordings)?;
    let canonical = |file: &Path| std::fs::canonicalize(file).ok();
    if let Some(out) = canonical(&args.output)
        && files.iter().any(|file| canonical(file).as_ref() == Some(&out))
    {
        return Err(usage_error("--output names one of the recordings; name another file"));
    }
    let opened: Vec<_> = files
        .iter()
        .map(|file| File::open(file).map(BufReader::new).map_err(|error| unreadable(file, &error)))
        .collect::<Result<_, _>>()?;
    let written =
        File::create(&args.output).and_then(|file| page(program, &files).report(opened, &mut BufWriter::new(file)));
    written.map_err(|error| {
        let text = format!("{}: {}: {error}", styled(BAD, "error"), line(&args.output.to_string_lossy()));
        Output::trouble(text, Exit::IO_ERROR)
    })?;
    let name = line(&args.output.to_string_lossy());
    Ok(Output::new(String::new(), Exit::SUCCESS).and_err(&format!("{name}: open it in a browser\n")))
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
