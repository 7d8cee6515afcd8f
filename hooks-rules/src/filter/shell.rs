//! Matches a pattern against a shell command line. Each command that the line runs is tested. A line that is not
//! understood matches, so that no way of writing a command can bypass a guard.

mod code;
mod command;
mod git;
mod launched;
mod nodes;
mod parse;
mod pattern;
mod programs;
mod sed;
mod seen;
mod word;

pub(super) use programs::is_reserved;

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashSet;

use command::{Assignment, Command};
use pattern::Pattern;
use programs::Role;
use word::{Word, is_short};

use super::path::IGNORES_CASE;

/// The maximum nesting of command lines in words, as in `sh -c "sh -c '…'"`.
const DEPTH: usize = 8;

/// How much work is done for a line, before it counts as not understood. A step is a word, or two letters of a line in a
/// word.
const STEPS: usize = 30_000;

/// Whether the line runs a command that matches the pattern, or might run one.
pub(super) fn selects(pattern: &str, line: &str) -> bool {
    let fits = |pattern: &str, line: &str| Scope::new(&Pattern::read(pattern), &Effort::default()).runs(line);
    fits(pattern, line) || (IGNORES_CASE && fits(&pattern.to_lowercase(), &line.to_lowercase()))
}

/// The words of each command of a line, if everything that the line runs is known from its text.
pub(super) fn plain(line: &str) -> Option<Vec<Vec<String>>> {
    let read = parse::read(line)?;
    if read.computes || read.acts || !read.assignments.is_empty() {
        return None;
    }
    let plain = |command: Command| {
        let name = command.words.first()?;
        let is_known = command.words.iter().all(|word| !word.computed)
            && !programs::is_reserved(&name.text)
            && !command.may_redirect();
        is_known.then(|| command.words.into_iter().map(|word| word.text).collect())
    };
    read.simple.into_iter().map(plain).collect()
}

/// The words of the first command of a line, if all of them are known.
#[cfg(feature = "runner")]
pub(crate) fn first_command(line: &str) -> Option<Vec<String>> {
    let first = parse::read(line)?.simple.into_iter().next()?;
    let known = first.words.iter().take_while(|word| !word.computed);
    Some(known.map(|word| word.text.clone()).collect()).filter(|words: &Vec<String>| !words.is_empty())
}

/// A construct in the line that `sh` does not support.
#[cfg(feature = "runner")]
pub(crate) fn bash_only(line: &str) -> Option<&'static str> {
    parse::bash_only(line)
}

/// The work on a line, and on the lines in its words.
struct Effort {
    /// How many more steps are done.
    steps: Cell<usize>,
    /// Lines in words that run no such command, with what is known of where they stand. The same text is a candidate
    /// many times.
    cleared: RefCell<HashSet<(String, bool, bool)>>,
}

impl Default for Effort {
    fn default() -> Self {
        Self { steps: Cell::new(STEPS), cleared: RefCell::default() }
    }
}

impl Effort {
    /// Does steps. Whether that was too much.
    fn is_too_much(&self, steps: usize) -> bool {
        self.steps.set(self.steps.get().saturating_sub(steps));
        self.steps.get() == 0
    }
}

/// Where a line stands: by itself, or in a word of another line.
#[derive(Clone, Copy)]
struct Scope<'a> {
    pattern: &'a Pattern,
    effort: &'a Effort,
    depth: usize,
    /// Whether the enclosing line writes a file, whose content is unknown.
    writes: bool,
    /// Whether something is fed to the line.
    is_fed: bool,
}

impl<'a> Scope<'a> {
    fn new(pattern: &'a Pattern, effort: &'a Effort) -> Self {
        Self { pattern, effort, depth: DEPTH, writes: false, is_fed: false }
    }

    /// Whether the line runs a command that matches.
    fn runs(self, text: &str) -> bool {
        let judged = (text.to_owned(), self.writes, self.is_fed);
        if self.effort.cleared.borrow().contains(&judged) {
            return false;
        }
        let runs = self.finds_it_in(text);
        if !runs {
            self.effort.cleared.borrow_mut().insert(judged);
        }
        runs
    }

    fn finds_it_in(self, text: &str) -> bool {
        let Some(read) = parse::read(text) else { return true };
        if self.depth == 0 || (self.pattern.says_more() && read.computes) {
            return true;
        }
        let values = read.assignments.iter().map(|assignment| &assignment.value);
        let words = read.simple.iter().flat_map(|command| &command.words).chain(values).chain(&read.written);
        let words = words.map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        let scope = Self { writes: self.writes || read.writes, ..self };
        let line = Line {
            scope,
            pattern: self.pattern,
            text,
            words: &words,
            writes: scope.writes,
            writes_any: self.writes || read.written.iter().any(|file| file.computed),
            is_written: &OnceCell::new(),
            within: Within::Nothing,
        };
        read.tests.iter().any(|test| self.pattern.fits_test(test))
            || read.assignments.iter().any(|assignment| line.is_run_later(assignment))
            || read.simple.iter().any(|command| line.is_run_by(command))
    }
}

/// Whether the arguments of a command are being looked at one by one as what it starts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Within {
    Nothing,
    Arguments,
    /// What follows them is read when the line runs.
    ReadArguments,
}

/// A line and the pattern that its commands are compared with.
#[derive(Clone, Copy)]
struct Line<'a> {
    scope: Scope<'a>,
    pattern: &'a Pattern,
    text: &'a str,
    /// All words of the line, without quotes and escapes.
    words: &'a str,
    /// Whether the line writes a file, whose content is unknown.
    writes: bool,
    /// Whether the name of such a file is unknown.
    writes_any: bool,
    /// Whether the line contains the words of the pattern, once somebody asked.
    is_written: &'a OnceCell<bool>,
    within: Within,
}

impl Line<'_> {
    fn is_run_by(&self, command: &Command) -> bool {
        let Some((name, words)) = command.words.split_first() else { return false };
        let steps = if self.writes || programs::role(&name.text) == Role::Git { self.text.len() / 64 } else { 0 };
        self.is_too_much(steps + words.len())
            // The name is computed, or it is a reserved word, which means that the line was misparsed.
            || name.computed
            || programs::is_reserved(&name.text)
            || programs::holds_a_case(&command.words)
            || self.pattern.fits_source(&command.source)
            || self.pattern.fits(name, words)
            || programs::sets_what_is_run(name, words)
            // `/proc/self/exe` is the shell.
            || programs::is_a_stream(&name.text)
            || (self.writes && programs::is_told_by_a_file(&name.text))
            || self.is_put_in_a_folder(name)
            || self.is_run_with(name, words, command.is_fed || self.scope.is_fed)
    }

    /// Whether a program runs the command because of its arguments or its standard input.
    fn is_run_with(&self, name: &Word, words: &[Word], is_fed: bool) -> bool {
        if self.is_too_much(words.len()) {
            return true;
        }
        let is_computed = || words.iter().any(|word| word.computed);
        match programs::role(&name.text) {
            Role::Obscure => true,
            Role::Quiet => self.is_run_by_an_option(name, words),
            Role::Evaluates => words.iter().any(Word::hides_a_command),
            Role::Shell => self.is_run_by_shell(words, is_fed),
            Role::Joins => {
                let joined: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
                is_computed()
                    || (is_fed && programs::is_remote(&name.text) && !programs::has_a_line(words))
                    || self.inner(&joined.join(" "), is_fed)
                    || (name.text == "trap" && joined.iter().any(|word| self.inner(word, is_fed)))
                    || self.is_launched(words, is_fed)
                    || self.starts_a_file(words)
            }
            Role::Git => self.is_run_by_git(name, words),
            // It only says what would be started.
            Role::Launches
                if name.text == "command" && words.first().is_some_and(|word| matches!(&*word.text, "-v" | "-V")) =>
            {
                false
            }
            Role::Launches => {
                is_computed()
                    || (self.writes && programs::starts_a_login(&name.text, words))
                    || (is_fed && programs::may_read_commands(&name.text, words))
                    || self.is_launched(words, is_fed)
                    || (!programs::starts_a_quiet_one(&name.text, words) && self.starts_a_file(words))
            }
            Role::Feeds => {
                // A single folder of `find` is not a command with its end.
                let is_of_find =
                    name.text.contains("find") && !words.iter().any(|word| programs::announces(&word.text));
                words.iter().any(|word| word.computed && (word.splits || !is_of_find))
                    || self.is_run_with_what_is_read(words, is_fed)
                    || (is_fed && !name.text.contains("find") && launched::starts_an_unknown_one(words))
            }
            role @ (Role::Interprets | Role::Awk | Role::Sed) => {
                self.is_run_by_code(role, name, words, is_fed)
                    || (name.text.contains('/') && self.is_passed_on(words, is_fed))
            }
            Role::Tool => {
                // `-f -`, `-sf-`, `--file=-`
                let is_dash = |word: &Word| word.text.starts_with('-') && word.text.ends_with('-');
                let reads = |word: &Word| is_dash(word) || programs::is_a_stream(&word.text);
                let is_value = |at: usize| at > 0 && words[at - 1].text.starts_with('-');
                words.iter().enumerate().any(|(at, word)| word.computed && (word.may_be_an_option() || is_value(at)))
                    || (is_fed && programs::reads_commands(&name.text))
                    || words.iter().any(|word| word.text.starts_with("--regex"))
                    || self.is_told_by_a_value(words)
                    || ((is_fed || programs::is_told_by_a_file(&name.text)) && words.iter().any(reads))
                    || self.is_written_somewhere()
                    || self.is_launched(words, is_fed)
                    || words.iter().any(code::starts_others)
            }
            Role::Unknown => {
                (is_fed && programs::is_a_front(&name.text) && words.iter().any(|word| programs::fronts(&word.text)))
                    || (name.text.contains('/') && self.is_in_a_file())
                    || (is_fed && self.is_written_somewhere())
                    || self.is_passed_on(words, is_fed)
                    || self.is_computed_argument(name, words)
                    || words.iter().any(|word| word.text == "-wrapper" || self.holds_arguments(word))
                    || self.starts_a_file(words)
            }
        }
    }

    /// Whether an option makes a program start the command that otherwise starts none.
    fn is_run_by_an_option(&self, name: &Word, words: &[Word]) -> bool {
        let has = |test: fn(&str) -> bool| words.iter().any(|word| test(&word.text));
        match name.text.as_str() {
            "set" => has(programs::is_a_mode_of_the_shell),
            "rg" => {
                has(|word| word.starts_with("--pre") || word.starts_with("--hostname-bin"))
                    && (self.is_launched(words, false) || self.is_in_a_file())
            }
            _ => false,
        }
    }

    /// Whether the command runs code of another language, which is not analysed, or code in a file.
    fn is_run_by_code(&self, role: Role, name: &Word, words: &[Word], is_fed: bool) -> bool {
        // One word can combine several options: `-nf`.
        let names_a_file = |option: &str| option.starts_with("--f") || (is_short(option) && option.contains('f'));
        let has_a_file = role == Role::Interprets || words.iter().any(|word| names_a_file(&word.text));
        let reads = |word: &Word| word.text == "-" || programs::is_a_stream(&word.text);
        code::is_opaque(role, &name.text, words, is_fed)
            || self.is_written_somewhere()
            || (has_a_file && (is_fed || self.writes || words.iter().any(reads)))
    }

    /// Whether git runs the command: through one of its subcommands, an alias, or a hook that the line writes.
    fn is_run_by_git(&self, name: &Word, words: &[Word]) -> bool {
        let has = |test: fn(&str) -> bool| words.iter().any(|word| test(&word.text));
        let is_computed = words.iter().any(|word| word.computed) && !git::runs_nothing_else(words);
        let is_foreign = git::has_a_foreign_subcommand(words);
        let starts = is_computed || is_foreign || has(git::starts);
        has(git::hides_what_it_starts)
            || (self.pattern.names(name) && (is_foreign || has(git::renames)))
            || (starts
                && (is_computed
                    || self.is_launched(words, false)
                    || words.iter().any(|word| self.is_made_of(&word.text))))
            || (git::may_be_its_files(self.text) && self.is_in_a_file())
    }

    /// Whether a shell runs the command: from a line, a file, or its standard input.
    fn is_run_by_shell(&self, words: &[Word], is_fed: bool) -> bool {
        if words.iter().any(|word| word.computed || programs::is_a_mode_of_the_shell(&word.text)) {
            return true;
        }
        let is_option = |word: &Word| word.text.starts_with(['-', '+']);
        // Files in the home folder come first.
        let is_login = |word: &Word| {
            let text = word.text.as_str();
            (is_short(text) && (text == "-" || text.contains(['i', 'l'])))
                || ["--login", "--rcfile", "--init-"].iter().any(|option| text.starts_with(option))
        };
        if self.writes && words.iter().any(is_login) {
            return true;
        }
        let takes_a_line = |word: &Word| {
            let text = word.text.as_str();
            (!text.starts_with("--") && is_option(word) && text.contains('c')) || text.starts_with("--command")
        };
        if words.iter().any(takes_a_line) {
            return words.iter().filter(|word| !is_option(word)).any(|word| self.inner(&word.text, is_fed))
                || self.is_launched(words, is_fed);
        }
        if !words.is_empty() && words.iter().all(|word| matches!(word.text.as_str(), "--version" | "--help")) {
            return false;
        }
        let has_a_file = words.iter().any(|word| !is_option(word) && !programs::is_a_stream(&word.text));
        let reads = |word: &Word| word.text == "-" || (is_option(word) && word.text.contains('s'));
        is_fed || !has_a_file || words.iter().any(reads) || self.is_in_a_file()
    }

    /// Whether the assignment can run the command later: its value is executed, changes how programs are found, or is
    /// evaluated as arithmetic.
    fn is_run_later(&self, assignment: &Assignment) -> bool {
        let value = &assignment.value;
        let is_open = || value.computed || value.text.contains(['$', '`']) || programs::is_a_stream(&value.text);
        value.hides_a_command()
            || (programs::is_run(&assignment.name)
                && (is_open()
                    || self.pattern.is_expanded_from(&value.text)
                    || self.is_in_a_file()
                    || self.is_a_line(value, &[], false)))
    }

    /// Whether a line in a word of this one runs the command.
    fn inner(&self, text: &str, is_fed: bool) -> bool {
        let scope = Scope { depth: self.scope.depth - 1, is_fed: is_fed || self.scope.is_fed, ..self.scope };
        self.is_too_much(50 + text.len() / 2) || scope.runs(text)
    }

    fn is_too_much(&self, steps: usize) -> bool {
        self.scope.effort.is_too_much(1 + steps)
    }

    /// Whether the line may have created a program of this name in a folder, such as one of `PATH`.
    fn is_put_in_a_folder(&self, name: &Word) -> bool {
        self.writes && !name.text.contains('/') && self.text.contains(&format!("/{}", name.text))
    }

    /// Whether a file that the line runs may contain the command: the line writes a file, or contains the words of the
    /// pattern.
    fn is_in_a_file(&self) -> bool {
        self.writes || self.is_written_somewhere()
    }

    /// Whether the line contains the words of the pattern, for example in code of another language or in the text of a
    /// file.
    fn is_written_somewhere(&self) -> bool {
        let is_written = || [self.text, self.words].iter().any(|text| self.pattern.is_written_in(text));
        *self.is_written.get_or_init(is_written)
    }

    /// Whether a text in a place for commands stands for the program: a shell expands it, or it names a file that the
    /// line writes.
    fn is_made_of(&self, text: &str) -> bool {
        let value = text.rsplit('=').next().unwrap_or(text);
        self.pattern.is_expanded_from(text) || (value.contains('/') && self.is_written_here(value))
    }

    /// Whether the value of an option of a tool stands for the program.
    fn is_told_by_a_value(&self, words: &[Word]) -> bool {
        words.iter().enumerate().any(|(at, word)| {
            let option = if word.text.starts_with('-') || at == 0 { &word.text } else { &words[at - 1].text };
            let is_value = option.starts_with('-') || word.text.contains('=');
            is_value && !programs::takes_a_file_or_pattern(option) && self.is_made_of(&word.text)
        })
    }

    /// Whether a word names a file with more arguments that the line writes: `gcc @file`.
    fn holds_arguments(&self, word: &Word) -> bool {
        word.text.strip_prefix('@').is_some_and(|file| !file.is_empty() && self.is_written_here(file))
    }

    /// Whether the line may write this file: it writes one, and names this one elsewhere too.
    fn is_written_here(&self, file: &str) -> bool {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '+');
        let name = file.rsplit('/').next().unwrap_or(file);
        let is_named_twice = || self.words.split(|c| !is_part(c)).filter(|word| *word == name).nth(1).is_some();
        self.writes
            && !name.is_empty()
            && (self.writes_any
                || !name.chars().all(is_part)
                || self.is_too_much(self.words.len() / 64)
                || is_named_twice())
    }

    /// Whether an unknown program gets a computed word where it may expect a program, or a line with one.
    fn is_computed_argument(&self, name: &Word, words: &[Word]) -> bool {
        let first = words.iter().find(|word| !word.prefix().starts_with('-'));
        if programs::is_a_front(&name.text) {
            return !programs::starts_nothing_else(words) && words.iter().any(|word| word.computed);
        }
        first.is_some_and(|word| {
            let prefix = word.prefix();
            word.computed
                && (prefix.is_empty()
                    || prefix.contains([' ', '\t', '\n', ';', '&', '|'])
                    || self.pattern.is_expanded_from(&word.text))
        })
    }
}
