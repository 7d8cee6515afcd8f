//! What a person writes, line by line, and Ctrl-C.

use std::io::{self, BufRead};

use tokio::sync::{Mutex, mpsc};

/// Lines of standard input, and interrupts.
pub(super) struct Input {
    lines: Mutex<mpsc::Receiver<String>>,
    interrupts: Mutex<mpsc::Receiver<()>>,
}

/// What comes from a person.
pub(super) enum Heard {
    Line(String),
    /// Ctrl-C.
    Interrupt,
    /// The input is over.
    End,
}

impl Input {
    /// Begins to read. The thread that reads is left behind where the program ends first.
    pub(super) fn new() -> Self {
        let (send, lines) = mpsc::channel(1);
        std::thread::spawn(move || {
            for line in io::stdin().lock().split(b'\n').map_while(Result::ok) {
                let line = String::from_utf8_lossy(&line);
                if send.blocking_send(line.trim_end_matches('\r').to_owned()).is_err() {
                    break;
                }
            }
        });
        let (send, interrupts) = mpsc::channel(1);
        tokio::spawn(async move {
            // Where there are no signals, nothing interrupts.
            while tokio::signal::ctrl_c().await.is_ok() {
                // One that waits is enough.
                let _ = send.try_send(());
            }
        });
        Self { lines: Mutex::new(lines), interrupts: Mutex::new(interrupts) }
    }

    /// The next line; `None` at the end of the input.
    pub(super) async fn line(&self) -> Option<String> {
        self.lines.lock().await.recv().await
    }

    /// Ctrl-C was pressed.
    pub(super) async fn interrupted(&self) {
        if self.interrupts.lock().await.recv().await.is_none() {
            std::future::pending::<()>().await;
        }
    }

    /// What comes next.
    pub(super) async fn next(&self) -> Heard {
        tokio::select! {
            () = self.interrupted() => Heard::Interrupt,
            line = self.line() => line.map_or(Heard::End, Heard::Line),
        }
    }
}
