//! The output of a chat: colours and a spinner on a terminal, plain text otherwise.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::ProgressBar;

/// The style of a text.
#[derive(Clone, Copy)]
pub(super) enum Style {
    Plain,
    /// The name of the person.
    Person,
    /// The name of the desk.
    Desk,
    /// Text outside of the conversation.
    Aside,
    /// Text that needs attention.
    Question,
}

pub(super) struct Screen {
    colours: bool,
    /// Whether the person types in a terminal, which echoes the input.
    typed: bool,
    spinner: ProgressBar,
    waiting: AtomicBool,
}

impl Screen {
    pub(super) fn new() -> Self {
        let terminal = io::stdout().is_terminal();
        let spinner = if terminal { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
        Self {
            colours: terminal && std::env::var_os("NO_COLOR").is_none(),
            typed: io::stdin().is_terminal(),
            spinner,
            waiting: AtomicBool::new(false),
        }
    }

    /// Shows that the desk is working.
    pub(super) fn wait(&self) {
        if !self.spinner.is_hidden() && !self.waiting.swap(true, Ordering::Relaxed) {
            self.spinner.reset();
            self.spinner.enable_steady_tick(Duration::from_millis(100));
        }
    }

    /// Shows `text`. Errors are ignored, because a closed output is no reason to stop.
    pub(super) fn say(&self, style: Style, text: &str) {
        if self.waiting.swap(false, Ordering::Relaxed) {
            self.spinner.disable_steady_tick();
            self.spinner.finish_and_clear();
        }
        // The text of a model must not control the terminal.
        let text: String = text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
        let code = match style {
            Style::Plain => "",
            Style::Person => "1;36",
            Style::Desk => "1;32",
            Style::Aside => "2",
            Style::Question => "33",
        };
        let mut out = io::stdout().lock();
        let _ = if self.colours && !code.is_empty() {
            write!(out, "\x1b[{code}m{text}\x1b[0m")
        } else {
            write!(out, "{text}")
        };
        let _ = out.flush();
    }

    /// Echoes a line from a pipe, so that the output reads like that of a terminal.
    pub(super) fn echo(&self, line: &str) {
        if !self.typed {
            self.say(Style::Plain, &format!("{line}\n"));
        }
    }
}
