//! What a program of `sed` can do. Everything that is not understood may run a line.

use super::word::{Word, is_short};

/// Whether `sed` may run lines as commands: the command `e`, or the flag `e` of `s`.
pub(super) fn runs_lines(words: &[Word]) -> bool {
    let mut script: Vec<&str> = Vec::new();
    let mut operands: Vec<&Word> = Vec::new();
    let mut has_script = false;
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word.computed && word.may_be_an_option() {
            return true;
        }
        match option(&word.text) {
            Sed::Operand => operands.push(word),
            Sed::Flag => {}
            Sed::Value => {
                words.next();
            }
            Sed::File => {
                has_script = true;
                words.next();
            }
            Sed::FileIn => has_script = true,
            Sed::Script => match words.next() {
                Some(next) if !next.computed => script.push(&next.text),
                _ => return true,
            },
            Sed::ScriptIn(text) if !word.computed => script.push(text),
            Sed::ScriptIn(_) | Sed::Unknown => return true,
        }
    }
    if script.is_empty() && !has_script {
        match operands.first() {
            Some(first) if !first.computed => script.push(&first.text),
            Some(_) => return true,
            None => {}
        }
    }
    // The parts of a script are lines of one.
    Script(&script.join("\n")).runs_lines().unwrap_or(true)
}

/// What a word means to `sed`.
enum Sed<'a> {
    Operand,
    Flag,
    /// An option whose value follows.
    Value,
    /// The script is in the file that follows, or in the word itself.
    File,
    FileIn,
    /// The script follows, or is in the word itself.
    Script,
    ScriptIn(&'a str),
    Unknown,
}

fn option(word: &str) -> Sed<'_> {
    const LONG: &[&str] = &[
        "--quiet",
        "--silent",
        "--in-place",
        "--regexp-extended",
        "--null-data",
        "--posix",
        "--debug",
        "--sandbox",
        "--separate",
        "--unbuffered",
        "--follow-symlinks",
        "--version",
        "--help",
    ];
    if word == "-" || !word.starts_with('-') {
        return Sed::Operand;
    }
    if !is_short(word) {
        return match word.split_once('=') {
            Some(("--expression", script)) => Sed::ScriptIn(script),
            Some(("--file", _)) => Sed::FileIn,
            Some(("--in-place" | "--line-length", _)) => Sed::Flag,
            None if word == "--expression" => Sed::Script,
            None if word == "--file" => Sed::File,
            None if LONG.contains(&word) => Sed::Flag,
            _ => Sed::Unknown,
        };
    }
    for (at, letter) in word.char_indices().skip(1) {
        let rest = &word[at + 1..];
        match letter {
            'n' | 'E' | 'r' | 's' | 'u' | 'z' => {}
            // What follows is the suffix of the copies.
            'i' => return Sed::Flag,
            'l' => return if rest.is_empty() { Sed::Value } else { Sed::Flag },
            'e' => return if rest.is_empty() { Sed::Script } else { Sed::ScriptIn(rest) },
            'f' => return if rest.is_empty() { Sed::File } else { Sed::FileIn },
            _ => return Sed::Unknown,
        }
    }
    Sed::Flag
}

/// The rest of a script.
struct Script<'a>(&'a str);

impl Script<'_> {
    /// `None` if it is not understood.
    fn runs_lines(&mut self) -> Option<bool> {
        loop {
            self.skip(|c| c.is_whitespace() || matches!(c, ';' | '{' | '}'));
            self.address()?;
            let Some(command) = self.next() else { return Some(false) };
            match command {
                '{' | '}' => continue,
                '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'F' | 'z' => {}
                'l' | 'L' | 'q' | 'Q' => self.skip(|c| c == ' ' || c.is_ascii_digit()),
                's' => {
                    let delimiter = self.delimiter()?;
                    self.part(delimiter)?;
                    self.part(delimiter)?;
                    self.skip(|c| matches!(c, 'g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9'));
                    if self.0.starts_with('w') {
                        self.line();
                    }
                }
                'y' => {
                    let delimiter = self.delimiter()?;
                    self.part(delimiter)?;
                    self.part(delimiter)?;
                }
                'b' | 't' | 'T' | ':' => self.skip(|c| !matches!(c, ';' | '\n' | '}')),
                'r' | 'R' | 'w' | 'W' | '#' => self.line(),
                'a' | 'i' | 'c' => self.text(),
                'e' => return Some(true),
                _ => return None,
            }
            self.skip(|c| matches!(c, ' ' | '\t'));
            if !(self.0.is_empty() || self.0.starts_with([';', '\n', '}', '#'])) {
                return None;
            }
        }
    }

    /// The lines for which a command runs: `1,$!`, `/x/I,+3`, `\ZxZ`.
    fn address(&mut self) -> Option<()> {
        loop {
            self.skip(|c| c.is_ascii_digit() || matches!(c, ' ' | '\t' | ',' | '$' | '~' | '+' | '!' | 'I' | 'M'));
            if self.0.starts_with('\\') {
                self.next();
            } else if !self.0.starts_with('/') {
                return Some(());
            }
            let delimiter = self.delimiter()?;
            self.part(delimiter)?;
        }
    }

    fn delimiter(&mut self) -> Option<char> {
        self.next().filter(|c| !matches!(c, '\n' | '\\'))
    }

    /// What comes before the next delimiter.
    fn part(&mut self, delimiter: char) -> Option<()> {
        loop {
            match self.next()? {
                '\\' => {
                    self.next()?;
                }
                c if c == delimiter => return Some(()),
                _ => {}
            }
        }
    }

    fn line(&mut self) {
        self.skip(|c| c != '\n');
    }

    /// Lines of text, each but the last with a backslash at its end.
    fn text(&mut self) {
        let mut escaped = false;
        self.skip(|c| {
            let goes_on = escaped || c != '\n';
            escaped = !escaped && c == '\\';
            goes_on
        });
    }

    fn skip(&mut self, mut test: impl FnMut(char) -> bool) {
        let end = self.0.find(|c| !test(c)).unwrap_or(self.0.len());
        self.0 = &self.0[end..];
    }

    fn next(&mut self) -> Option<char> {
        let c = self.0.chars().next()?;
        self.0 = &self.0[c.len_utf8()..];
        Some(c)
    }
}
