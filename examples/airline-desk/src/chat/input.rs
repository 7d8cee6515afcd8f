//! The user's input: lines and Ctrl-C.

use std::io::{self, BufRead};

use tokio::sync::{Mutex, mpsc};

/// The lines of standard input, and interrupts.
pub(super) struct Input {
    lines: Mutex<mpsc::Receiver<String>>,
    interrupts: Mutex<mpsc::Receiver<()>>,
}

/// An input of the user.
pub(super) enum Heard {
    Line(String),
    /// Ctrl-C.
    Interrupt,
    /// The end of the input.
    End,
}

impl Input {
    /// Starts reading. The reader thread is not joined if the program ends first.
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
            // On a system without signals, nothing interrupts.
            while tokio::signal::ctrl_c().await.is_ok() {
                // One pending interrupt is enough.
                let _ = send.try_send(());
            }
        });
        Self { lines: Mutex::new(lines), interrupts: Mutex::new(interrupts) }
    }

    /// The next line. `None` at the end of the input.
    pub(super) async fn line(&self) -> Option<String> {
        self.lines.lock().await.recv().await
    }

    /// Waits until Ctrl-C is pressed.
    pub(super) async fn interrupted(&self) {
        if self.interrupts.lock().await.recv().await.is_none() {
            std::future::pending::<()>().await;
        }
    }

    /// The next input.
    pub(super) async fn next(&self) -> Heard {
        tokio::select! {
            () = self.interrupted() => Heard::Interrupt,
            line = self.line() => line.map_or(Heard::End, Heard::Line),
        }
    }
}
