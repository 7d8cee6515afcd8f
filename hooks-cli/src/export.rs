//! `hooks export`: a recording for OpenTelemetry.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use hooks_otel::write_otlp;
use hooks_replay::{Gaps, NewFile, Reader};
use serde_json::json;

use crate::args::ExportArgs;
use crate::diagnostics::count;
use crate::exit::Exit;
use crate::inputs::usage_error;
use crate::output::{self, Output};
use crate::paths::overwritten;
use crate::replay::{recordings, refuse_others, unreadable};
use crate::style::{BAD, line, styled};
use crate::wait::Read;

pub(crate) fn export(args: &ExportArgs, as_json: bool, out: &mut (dyn Write + Send)) -> Output {
    otlp(&args.otlp, args.output.as_deref().filter(|output| output.as_os_str() != "-"), as_json, out)
        .unwrap_or_else(|problem| problem)
}

fn otlp(recording: &Path, to: Option<&Path>, as_json: bool, out: &mut (dyn Write + Send)) -> Result<Output, Output> {
    let found = recordings(&[recording.to_owned()])?;
    refuse_others(&found.files)?;
    if to.is_some_and(|to| overwritten(to, found.files.iter()).is_some()) {
        return Err(usage_error("--output names one of the recordings; name another file"));
    }
    let opened = Read::open(&found.files).map_err(|(file, error)| unreadable(file, &error))?;
    let mut gaps = Gaps::default();
    let lines = opened.into_iter().flat_map(Reader::new).filter_map(|(_, line)| {
        gaps.note(&line);
        line.ok()
    });
    let written = match to {
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
            let place = to.map_or("the export".into(), Path::to_string_lossy);
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
    // Without a file, the export itself is the JSON.
    let report = to.filter(|_| as_json).map(|to| {
        let left_out = json!({ "lines": gaps, "files": found.left_out });
        json!({ "version": 1, "output": to.to_string_lossy(), "spans": export.spans, "undated": export.undated, "left_out": left_out })
    });
    Ok(Output::new(report.map(output::json).unwrap_or_default(), exit).and_err(&told))
}
