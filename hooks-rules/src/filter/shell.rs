//! Matches a pattern against a shell command line. Each command that the line runs is tested. A line that is not
//! understood matches, so that no way of writing a command can bypass a guard.

mod code;
mod command;
mod nodes;
mod parse;
mod pattern;
mod programs;
mod word;

use command::{Assignment, Command};
use pattern::Pattern;
use programs::Role;
use word::Word;

use super::path::IGNORES_CASE;

/// The maximum nesting of command lines in words, as in `sh -c "sh -c '…'"`.
const DEPTH: usize = 8;

/// Whether the line runs a command that matches the pattern, or might run one.
pub(super) fn selects(pattern: &str, line: &str) -> bool {
    let fits = |pattern: &str, line: &str| runs(&Pattern::read(pattern), line, DEPTH, false);
    fits(pattern, line) || (IGNORES_CASE && fits(&pattern.to_lowercase(), &line.to_lowercase()))
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

/// `writes` says whether the line around this one writes a file.
fn runs(pattern: &Pattern, line: &str, depth: usize, writes: bool) -> bool {
    let Some(read) = parse::read(line) else { return true };
    if depth == 0 || (pattern.says_more() && read.computes) {
        return true;
    }
    let values = read.assignments.iter().map(|assignment| &assignment.value);
    let words = read.simple.iter().flat_map(|command| &command.words).chain(values);
    let words = words.map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
    let line = Line { pattern, text: line, words, depth, writes: writes || read.writes };
    read.assignments.iter().any(|assignment| line.is_run_later(assignment))
        || read.simple.iter().any(|command| line.is_run_by(command))
}

/// Whether a word is options of one letter each.
fn is_short(option: &str) -> bool {
    option.starts_with('-') && !option.starts_with("--")
}

/// The line that is looked at, for each of its commands.
struct Line<'a> {
    pattern: &'a Pattern,
    text: &'a str,
    /// All words of the line, without quotes and escapes.
    words: String,
    depth: usize,
    /// Whether the line writes a file, whose content is unknown.
    writes: bool,
}

impl Line<'_> {
    fn is_run_by(&self, command: &Command) -> bool {
        let Some((name, words)) = command.words.split_first() else { return false };
        // The name is computed, or it is a reserved word, which means that the line was misparsed.
        name.computed
            || programs::is_reserved(&name.text)
            || self.pattern.fits_source(&command.source)
            || self.pattern.fits(&command.words)
            || programs::sets_what_is_run(&command.words)
            // The shell itself, as `/proc/self/exe`.
            || programs::is_a_stream(&name.text)
            || (self.writes && programs::is_told_by_a_file(&name.text))
            || self.is_put_in_a_folder(name)
            || self.is_run_with(name, words, command.is_fed)
    }

    /// Whether a program runs the command because of its arguments or its standard input.
    fn is_run_with(&self, name: &Word, words: &[Word], is_fed: bool) -> bool {
        match programs::role(&name.text) {
            Role::Obscure => true,
            Role::Quiet => self.is_run_by_an_option(name, words),
            Role::Evaluates => words.iter().any(Word::hides_a_command),
            Role::Shell => self.is_run_by_shell(words, is_fed),
            Role::Joins => {
                let joined: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
                words.iter().any(|word| word.computed)
                    || self.inner(&joined.join(" "))
                    || (name.text == "trap" && joined.iter().any(|word| self.inner(word)))
                    || self.is_launched(words)
                    || self.starts_a_file(words)
            }
            Role::Git => self.is_run_by_git(name, words),
            Role::Launches => {
                words.iter().any(|word| word.computed) || self.is_launched(words) || self.starts_a_file(words)
            }
            Role::Feeds => self.is_run_with_what_is_read(words),
            role @ (Role::Interprets | Role::Awk | Role::Sed) => {
                self.is_run_by_code(role, words, is_fed)
                    || (name.text.contains('/') && self.is_passed_on(words, is_fed))
            }
            Role::Tool => {
                let reads = |word: &Word| word.text == "-" || programs::is_a_stream(&word.text);
                ((is_fed || programs::is_told_by_a_file(&name.text)) && words.iter().any(reads))
                    || self.is_written_somewhere()
                    || self.is_launched(words)
                    || words.iter().any(code::starts_others)
            }
            Role::Unknown => {
                (name.text.contains('/') && self.is_in_a_file())
                    || self.is_passed_on(words, is_fed)
                    || self.starts_a_file(words)
            }
        }
    }

    /// Whether a program that usually starts no other one does so because of an option.
    fn is_run_by_an_option(&self, name: &Word, words: &[Word]) -> bool {
        let has = |test: fn(&str) -> bool| words.iter().any(|word| test(&word.text));
        match name.text.as_str() {
            "set" => has(programs::is_a_mode_of_the_shell),
            "rg" => {
                has(|word| word.starts_with("--pre") || word.starts_with("--hostname-bin"))
                    && (self.is_launched(words) || self.is_in_a_file())
            }
            _ => false,
        }
    }

    /// Whether the command runs code of another language, which is not analysed, or code in a file.
    fn is_run_by_code(&self, role: Role, words: &[Word], is_fed: bool) -> bool {
        // Several options may stand in one word: `-nf`.
        let names_a_file = |option: &str| option.starts_with("--f") || (is_short(option) && option.contains('f'));
        let has_a_file = role == Role::Interprets || words.iter().any(|word| names_a_file(&word.text));
        let reads = |word: &Word| word.text == "-" || programs::is_a_stream(&word.text);
        code::is_opaque(role, words, is_fed)
            || self.is_written_somewhere()
            || (has_a_file && (is_fed || self.writes || words.iter().any(reads)))
    }

    /// Whether git runs the command: through one of its subcommands, an alias, or a hook that the line writes.
    fn is_run_by_git(&self, name: &Word, words: &[Word]) -> bool {
        let has = |test: fn(&str) -> bool| words.iter().any(|word| test(&word.text));
        let is_computed = words.iter().any(|word| word.computed);
        let is_foreign = programs::has_a_foreign_subcommand(words);
        has(programs::hides_what_git_starts)
            || (self.pattern.names(name) && (is_foreign || has(programs::renames_git)))
            || ((is_computed || is_foreign || has(programs::starts_from_git))
                && (is_computed || self.is_launched(words)))
            || (programs::may_be_git_files(self.text) && self.is_in_a_file())
    }

    /// Whether a program such as `xargs` runs the command with arguments that it reads. They follow its own arguments,
    /// or replace a placeholder.
    fn is_run_with_what_is_read(&self, words: &[Word]) -> bool {
        let mark = words.iter().enumerate().find_map(|(at, word)| match word.text.as_str() {
            "-I" => words.get(at + 1).map(|next| next.text.clone()),
            "-i" | "--replace" => Some("{}".to_owned()),
            text => ["-I", "-i", "--replace="].iter().find_map(|option| text.strip_prefix(option)).map(str::to_owned),
        });
        let mark = mark.unwrap_or_else(|| "{}".to_owned());
        let is_mark = |word: &Word| word.text.contains(&mark);
        let mut program = Vec::new();
        for (at, word) in words.iter().enumerate() {
            let before = at.checked_sub(1).map_or("", |before| words[before].text.as_str());
            if word.text.starts_with('-') || matches!(before, "-I" | "-n" | "-L" | "-P" | "-s" | "-d" | "-a" | "-E") {
                continue;
            }
            program.push(word);
            // What follows a long option may be its value.
            if !before.starts_with("--") {
                break;
            }
        }
        let is_program =
            |at: usize| at > 0 && matches!(words[at - 1].text.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir");
        let runs_the_mark = program.into_iter().any(is_mark)
            || words.iter().enumerate().any(|(at, word)| is_program(at) && is_mark(word));
        let mut read = words.to_vec();
        read.push(Word::computed());
        runs_the_mark
            || (words.iter().any(is_mark) && self.launches_something(words))
            || self.is_launched(&read)
            || read
                .windows(2)
                .any(|pair| pair[1].computed && pair[0].text != "--" && programs::announces(&pair[0].text))
            || self.starts_a_file(words)
    }

    /// Whether the words of a program that starts other programs start a command that matches.
    fn is_launched(&self, words: &[Word]) -> bool {
        words.iter().enumerate().any(|(at, word)| {
            let (rest, behind) = (&words[at..], &words[at + 1..]);
            self.pattern.fits(rest)
                || self.is_a_line(word, rest)
                || self.is_assigned(word)
                || programs::is_the_shell_itself(&word.text)
                || (self.writes && programs::is_told_by_a_file(&word.text))
                || match programs::role(&word.text) {
                    Role::Shell => self.is_run_by_shell(behind, false),
                    role @ (Role::Interprets | Role::Awk | Role::Sed) => self.is_run_by_code(role, behind, false),
                    Role::Tool => self.is_written_somewhere(),
                    Role::Obscure => true,
                    Role::Launches | Role::Joins | Role::Feeds => behind.iter().any(|word| word.computed),
                    Role::Evaluates => programs::sets_what_is_run(rest),
                    Role::Git => self.is_run_by_git(word, behind),
                    Role::Quiet => self.is_run_by_an_option(word, behind),
                    Role::Unknown => false,
                }
        })
    }

    /// A variable that a program is started with: `env PATH=. ls`.
    fn is_assigned(&self, word: &Word) -> bool {
        word.text.split_once('=').is_some_and(|(name, value)| {
            let value = Word { text: value.to_owned(), computed: word.computed };
            self.is_run_later(&Assignment { name: name.to_owned(), value })
        })
    }

    /// Whether one of the words is a program outside the system folders while the line writes a file.
    fn starts_a_file(&self, words: &[Word]) -> bool {
        let is_one = |word: &Word| word.text.contains('/') && programs::role(&word.text) == Role::Unknown;
        self.writes && words.iter().any(is_one)
    }

    /// Whether one of the words is a program that is not harmless.
    fn launches_something(&self, words: &[Word]) -> bool {
        let quiet = |word: &Word| matches!(programs::role(&word.text), Role::Quiet | Role::Git | Role::Unknown);
        words.iter().any(|word| self.pattern.names(word) || !quiet(word))
    }

    /// Whether a program interprets a word as a command line: by itself, as the value of an option, or together with
    /// the words that follow: `-S'git push'`, `--command=…`.
    fn is_a_line(&self, word: &Word, rest: &[Word]) -> bool {
        let text = word.text.as_str();
        // Several options can be combined in one word, with the line after the last: `-vS'git push'`.
        let options = text.strip_prefix('-').unwrap_or_default().char_indices().take(4);
        let behind_an_option = options.map(|(at, letter)| &text[1 + at + letter.len_utf8()..]);
        let value = text.split_once('=').map(|(_, value)| value);
        // What follows the option may go on with the words behind it: `-Sgit push`.
        let goes_on = |first: &str| {
            let first = Word::plain(first);
            let is_its_name = !first.text.is_empty() && self.pattern.names(&first);
            (is_its_name && self.is_written_somewhere())
                || self.pattern.fits(&std::iter::once(&first).chain(&rest[1..]).cloned().collect::<Vec<_>>())
        };
        behind_an_option.clone().chain(value).any(goes_on)
            || behind_an_option.chain([text]).chain(value).any(|text| {
                let text = text.trim_start_matches(['!', '+', ':']);
                // `env` has escapes of its own, such as `\_` for a blank.
                if text.contains('\\') && self.pattern.is_written_in(text) {
                    return true;
                }
                let is_more_than_a_word = text.contains(|c: char| c.is_whitespace() || ";&|(){}<>'\"$`\\!".contains(c));
                let following = rest[1..].iter().map(|word| word.text.as_str());
                is_more_than_a_word
                    && (self.inner(text)
                        || (rest.len() > 1
                            && self.inner(&std::iter::once(text).chain(following).collect::<Vec<_>>().join(" "))))
            })
    }

    /// Whether a shell runs the command: from a line, a file, or its standard input.
    fn is_run_by_shell(&self, words: &[Word], is_fed: bool) -> bool {
        if words.iter().any(|word| word.computed || programs::is_a_mode_of_the_shell(&word.text)) {
            return true;
        }
        let is_option = |word: &Word| word.text.starts_with(['-', '+']);
        let takes_a_line = |word: &Word| {
            let text = word.text.as_str();
            (!text.starts_with("--") && is_option(word) && text.contains('c')) || text.starts_with("--command")
        };
        if words.iter().any(takes_a_line) {
            return words.iter().filter(|word| !is_option(word)).any(|word| self.inner(&word.text))
                || self.is_launched(words);
        }
        if !words.is_empty() && words.iter().all(|word| matches!(word.text.as_str(), "--version" | "--help")) {
            return false;
        }
        let has_a_file = words.iter().any(|word| !is_option(word) && !programs::is_a_stream(&word.text));
        let reads = |word: &Word| word.text == "-" || (is_option(word) && word.text.contains('s'));
        is_fed || !has_a_file || words.iter().any(reads) || self.is_in_a_file()
    }

    /// Words behind a program that nothing is known of. It may start one of them.
    fn is_passed_on(&self, words: &[Word], is_fed: bool) -> bool {
        words.iter().enumerate().any(|(at, word)| {
            let (rest, behind) = (&words[at..], &words[at + 1..]);
            let is_announced = || words[..at].iter().any(|before| programs::announces(&before.text));
            let is_next = || at > 0 && programs::announces(&words[at - 1].text);
            self.pattern.fits(rest)
                || self.is_a_line(word, rest)
                || (word.computed && is_next())
                || match programs::role(&word.text) {
                    Role::Shell => {
                        (is_fed || self.writes || behind.is_empty() || is_announced())
                            && self.is_run_by_shell(behind, is_fed)
                    }
                    role @ (Role::Interprets | Role::Awk | Role::Sed) => {
                        is_announced() && self.is_run_by_code(role, behind, is_fed)
                    }
                    Role::Launches | Role::Joins | Role::Feeds => {
                        is_announced() && behind.iter().any(|word| word.computed)
                    }
                    Role::Git => self.is_run_by_git(word, behind),
                    _ => false,
                }
        })
    }

    /// Whether the assignment sets a variable that affects how programs are found, or a value that arithmetic would
    /// evaluate.
    fn is_run_later(&self, assignment: &Assignment) -> bool {
        let value = &assignment.value;
        let is_open = || value.computed || value.text.contains(['$', '`']) || programs::is_a_stream(&value.text);
        value.hides_a_command()
            || (programs::is_run(&assignment.name)
                && (is_open() || self.is_in_a_file() || self.is_a_line(value, std::slice::from_ref(value))))
    }

    fn inner(&self, text: &str) -> bool {
        runs(self.pattern, text, self.depth - 1, self.writes)
    }

    /// Whether a program is one that the line put into a folder, such as one where programs are looked for.
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
        [self.text, &self.words].iter().any(|text| self.pattern.is_written_in(text))
    }
}
