//! The standard streams, lines on them, and what is reported.

use std::io::{self, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc::Receiver;

/// The longest line. Results of many megabytes are usual.
const LONGEST: usize = 64 << 20;

/// The output of this process, while what hooks print goes to standard error.
#[cfg(unix)]
pub(crate) fn take_stdout() -> io::Result<impl AsyncWrite + Send + Unpin + 'static> {
    // No process that this one starts has it.
    let stdout = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdout(), 3)?;
    rustix::stdio::dup2_stdout(rustix::stdio::stderr())?;
    Ok(tokio::fs::File::from_std(stdout.into()))
}

#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps, reason = "as on Unix")]
pub(crate) fn take_stdout() -> io::Result<impl AsyncWrite + Send + Unpin + 'static> {
    Ok(tokio::io::stdout())
}

/// The next line that is not blank, with its end. `None` at the end of the stream.
pub(crate) async fn next_line(reader: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Option<Vec<u8>>> {
    loop {
        let mut line = Vec::new();
        if reader.take(LONGEST as u64).read_until(b'\n', &mut line).await? == 0 {
            return Ok(None);
        }
        if line.last() != Some(&b'\n') {
            if line.len() == LONGEST {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "a line is longer than 64 MiB"));
            }
            line.push(b'\n');
        }
        if !line.trim_ascii().is_empty() {
            return Ok(Some(line));
        }
    }
}

/// Writes lines until nobody sends any more, and closes the stream.
pub(crate) async fn write_lines(mut writer: impl AsyncWrite + Unpin, mut lines: Receiver<Vec<u8>>) -> io::Result<()> {
    while let Some(line) = lines.recv().await {
        writer.write_all(&line).await?;
        writer.flush().await?;
    }
    writer.shutdown().await
}

/// What is reported on standard error, which clients show to the person as what servers write there. A client may not read
/// it, and what it does not read must not hold the guard up: so there are limits.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reports {
    lines: Arc<AtomicUsize>,
    notices: Arc<AtomicUsize>,
}

/// The characters of a report.
const LONGEST_REPORT: usize = 500;

impl Reports {
    /// Reports a line that does not pass.
    pub(crate) fn line(&self, text: &str) {
        report(&self.lines, 20, text, "more lines do not pass, and are no longer reported");
    }

    /// Reports what hooks say to the person, and that they fail.
    pub(crate) fn notice(&self, text: &str) {
        report(&self.notices, 80, text, "more notices of hooks are no longer reported");
    }
}

fn report(reported: &AtomicUsize, most: usize, text: &str, end: &str) {
    let text: String = match reported.fetch_add(1, Ordering::Relaxed) {
        count if count < most => text.chars().take(LONGEST_REPORT).collect(),
        count if count == most => end.to_owned(),
        _ => return,
    };
    let text = text.replace(char::is_control, " ");
    // Whoever reads it may have gone.
    let _ = writeln!(io::stderr(), "hooks-mcp-guard: {text}");
}
