//! `hooks export`: a recording for OpenTelemetry.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use hooks_otel::write_otlp;
use hooks_replay::{Gaps, NewFile, Reader};

use crate::args::ExportArgs;
use crate::diagnostics::count;
use crate::exit::Exit;
use crate::inputs::usage_error;
use crate::output::Output;
use crate::paths::overwritten;
use crate::replay::{recordings, unreadable};
use crate::style::{BAD, line, styled};
use crate::wait::Read;

pub(crate) fn export(args: &ExportArgs, out: &mut (dyn Write + Send)) -> Output {
    otlp(&args.otlp, args.output.as_deref().filter(|output| output.as_os_str() != "-"), out)
        .unwrap_or_else(|problem| problem)
}

fn otlp(recording: &Path, output: Option<&Path>, out: &mut (dyn Write + Send)) -> Result<Output, Output> {
    let found = recordings(&[recording.to_owned()])?;
    if output.is_some_and(|output| overwritten(output, found.files.iter()).is_some()) {
        return Err(usage_error("--output names one of the recordings; name another file"));
    }
    let opened = Read::open(&found.files).map_err(|(file, error)| unreadable(file, &error))?;
    let mut gaps = Gaps::default();
    let lines = opened.into_iter().flat_map(Reader::new).filter_map(|(_, line)| {
        gaps.note(&line);
        line.ok()
    });
    let written = match output {
        Some(path) => NewFile::create(path).and_then(|mut file| {
            let export = write_otlp(lines, &mut file)?;
            file.finish().map(|()| export)
        }),
        None => write_otlp(lines, BufWriter::new(out)),
    };
    let export = match written {
        // As with a reader that has seen enough, such as `head`.
        Err(why) if why.kind() == io::ErrorKind::BrokenPipe => return Ok(Output::new("", Exit::SUCCESS)),
        Err(why) => {
            let place = output.map_or("the export".into(), Path::to_string_lossy);
            let text = format!("{}: {}: {why}", styled(BAD, "error"), line(&place));
            return Err(Output::trouble(text, Exit::IO_ERROR));
        }
        Ok(export) => export,
    };
    let mut told = format!("{} written\n", count(export.spans, "span"));
    if export.undated > 0 {
        told.push_str(&count(export.undated, "span"));
        told.push_str(" left out: the recording has no times of them\n");
    }
    told.push_str(&gaps.to_string());
    told.push_str(&found.told());
    let exit = if gaps.is_empty() && found.left_out.is_empty() { Exit::SUCCESS } else { Exit::UNDECIDED };
    Ok(Output::new("", exit).and_err(&told))
}
