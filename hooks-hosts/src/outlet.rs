//! The standard streams of a program that a host calls: exactly one answer leaves it, whatever its hooks print.

use std::fs::File;
use std::io::{self, Read, Write};

use crate::answer::{HostAnswer, Stdout};

/// What is kept of a payload. A longer one is read to its end too, and then refused.
const LONGEST: u64 = 64 << 20;

/// The real standard streams, while those of the process lead elsewhere.
pub(crate) struct Outlet {
    #[cfg(unix)]
    streams: Option<(File, File)>,
}

impl Outlet {
    /// Takes the streams. What hooks print goes to standard error, and nowhere if the host reads that as an answer.
    #[cfg(unix)]
    pub(crate) fn take(reads_stderr: bool) -> Self {
        let take = || -> io::Result<(File, File)> {
            // Not for the processes that hooks start: a host waits until nobody can write any more.
            let kept = |stream| rustix::io::fcntl_dupfd_cloexec(stream, 3);
            let streams = (kept(rustix::stdio::stdout())?, kept(rustix::stdio::stderr())?);
            if reads_stderr {
                let nowhere = File::options().write(true).open("/dev/null")?;
                rustix::stdio::dup2_stdout(&nowhere)?;
                rustix::stdio::dup2_stderr(&nowhere)?;
            } else {
                rustix::stdio::dup2_stdout(rustix::stdio::stderr())?;
            }
            Ok((streams.0.into(), streams.1.into()))
        };
        Self { streams: take().ok() }
    }

    #[cfg(not(unix))]
    pub(crate) fn take(_reads_stderr: bool) -> Self {
        Self {}
    }

    /// Writes the answer, and its warnings where the host does not read them. Returns whether the answer has left.
    pub(crate) fn write(self, answer: &HostAnswer, reads_stderr: bool) -> bool {
        let text = match &answer.stdout {
            Stdout::Nothing => String::new(),
            Stdout::Json(value) => format!("{value}\n"),
            Stdout::Text(text) => format!("{text}\n"),
        };
        let said = match &answer.stderr {
            Some(reason) => format!("{reason}\n"),
            None if reads_stderr => String::new(),
            None => {
                let lines = answer.warnings.iter().chain(&answer.failure);
                lines.flat_map(|text| ["hooks: ", text, "\n"]).collect()
            }
        };
        #[cfg(unix)]
        if let Some((mut stdout, mut stderr)) = self.streams {
            put(&mut stderr, &said);
            return put(&mut stdout, &text);
        }
        put(&mut io::stderr().lock(), &said);
        put(&mut io::stdout().lock(), &text)
    }
}

fn put(stream: &mut dyn Write, text: &str) -> bool {
    text.is_empty() || stream.write_all(text.as_bytes()).and_then(|()| stream.flush()).is_ok()
}

/// Standard input to its end: some hosts count a program that stops reading as one that failed.
pub(crate) fn read_to_end(mut stdin: impl Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = stdin.by_ref().take(LONGEST).read_to_end(&mut bytes);
    let _ = io::copy(&mut stdin, &mut io::sink());
    bytes
}
