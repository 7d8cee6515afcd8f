//! The standard streams, and lines on them.

use std::io;

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
