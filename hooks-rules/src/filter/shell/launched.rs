//! Commands that a program starts from its arguments.

use super::code;
use super::command::Assignment;
use super::programs::{self, Role};
use super::word::Word;
use super::{Line, Within};

impl Line<'_> {
    /// Whether a program that starts other programs starts the command. Any of its arguments can be the first word.
    pub(super) fn is_launched(&self, words: &[Word], is_fed: bool) -> bool {
        // What a program among the arguments starts is one of those that are looked at anyway.
        self.within == Within::Nothing && self.is_among(words, is_fed, Within::Arguments)
    }

    fn is_among(&self, words: &[Word], is_fed: bool, within: Within) -> bool {
        let line = Self { within, ..*self };
        words.iter().enumerate().any(|(at, word)| line.is_launched_at(word, &words[at + 1..], is_fed))
    }

    fn is_launched_at(&self, word: &Word, behind: &[Word], is_fed: bool) -> bool {
        self.is_too_much(self.pattern.steps(behind))
            || self.pattern.begins(word, behind)
            || self.is_a_line(word, behind, is_fed)
            || self.is_assigned(word)
            || programs::is_the_shell_itself(&word.text)
            || (self.writes && programs::is_told_by_a_file(&word.text))
            || match programs::role(&word.text) {
                // Its arguments are looked at one by one.
                Role::Unknown => is_fed && self.is_written_somewhere(),
                Role::Evaluates => programs::sets_what_is_run(word, behind),
                Role::Quiet => self.is_run_by_an_option(word, behind),
                _ => self.is_run_with(word, behind, is_fed),
            }
    }

    /// Whether an unknown program starts the command. It might run any of its arguments.
    pub(super) fn is_passed_on(&self, words: &[Word], is_fed: bool) -> bool {
        let mut is_launched = false;
        words.iter().enumerate().any(|(at, word)| {
            let behind = &words[at + 1..];
            let is_announced = || words[..at].iter().any(|before| programs::announces(&before.text));
            let is_next = || at > 0 && programs::announces(&words[at - 1].text);
            let gets_a_stream = || behind.iter().any(|word| programs::is_a_stream(&word.text));
            self.is_too_much(self.pattern.steps(behind))
                || self.pattern.begins(word, behind)
                || self.is_a_line(word, behind, is_fed)
                || (word.computed && is_next())
                || match programs::role(&word.text) {
                    // A builtin, which no other program can start.
                    Role::Shell if word.text == "." => false,
                    Role::Shell => {
                        (is_fed || self.writes || behind.is_empty() || is_announced() || gets_a_stream())
                            && self.is_run_by_shell(behind, is_fed)
                    }
                    role @ (Role::Interprets | Role::Awk | Role::Sed) => {
                        let is_code = || role == Role::Interprets && code::is_given(behind, is_fed);
                        (is_announced() || gets_a_stream() || is_code())
                            && self.is_run_by_code(role, word, behind, is_fed)
                    }
                    // The first one looks at everything behind it.
                    Role::Launches | Role::Joins | Role::Feeds => {
                        !std::mem::replace(&mut is_launched, true) && self.is_launched(&words[at..], is_fed)
                    }
                    Role::Git => self.is_run_by_git(word, behind),
                    Role::Tool => gets_a_stream() && self.is_run_with(word, behind, is_fed),
                    _ => false,
                }
        })
    }

    /// Whether a program such as `xargs` runs the command with arguments that it reads. They follow its own arguments,
    /// or replace a placeholder.
    pub(super) fn is_run_with_what_is_read(&self, words: &[Word], is_fed: bool) -> bool {
        // `.` is a folder here, and not the builtin.
        let words: &[Word] = &words.iter().filter(|word| word.text != ".").cloned().collect::<Vec<_>>();
        let mark = words.iter().enumerate().find_map(|(at, word)| match word.text.as_str() {
            "-I" => words.get(at + 1).map(|next| next.text.clone()),
            "-i" | "--replace" => Some("{}".to_owned()),
            text => ["-I", "-i", "--replace="].iter().find_map(|option| text.strip_prefix(option)).map(str::to_owned),
        });
        let mark = mark.unwrap_or_else(|| "{}".to_owned());
        let is_mark = |word: &Word| word.text.contains(&mark);
        let program = programs_of(words);
        let is_program =
            |at: usize| at > 0 && matches!(words[at - 1].text.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir");
        let runs_the_mark = program.into_iter().any(is_mark)
            || words.iter().enumerate().any(|(at, word)| is_program(at) && is_mark(word));
        let mut read = words.to_vec();
        read.push(Word::computed());
        runs_the_mark
            || (words.iter().any(is_mark) && self.launches_something(words))
            || (self.within < Within::ReadArguments && self.is_among(&read, is_fed, Within::ReadArguments))
            || read
                .windows(2)
                .any(|pair| pair[1].computed && pair[0].text != "--" && programs::announces(&pair[0].text))
            || self.starts_a_file(words)
    }

    /// Whether a program interprets a word as a command line: by itself, as the value of an option, or together with
    /// the words that follow: `-S'git push'`, `--command=…`.
    pub(super) fn is_a_line(&self, word: &Word, behind: &[Word], is_fed: bool) -> bool {
        let text = word.text.as_str();
        // Several options can be combined in one word, with the line after the last: `-vS'git push'`.
        let options = text.strip_prefix('-').unwrap_or_default().char_indices().take(4);
        let behind_an_option = options.map(|(at, letter)| &text[1 + at + letter.len_utf8()..]);
        let value = text.split_once('=').map(|(_, value)| value);
        // The value of an option can continue with the next arguments: `-Sgit push`.
        let goes_on = |first: &str| {
            let first = Word::plain(first);
            let is_its_name = !first.text.is_empty() && self.pattern.names(&first);
            (is_its_name && self.is_written_somewhere()) || self.pattern.begins(&first, behind)
        };
        behind_an_option.clone().chain(value).any(goes_on)
            || behind_an_option.chain([text]).chain(value).any(|text| {
                let text = text.trim_start_matches(['!', '+', ':']);
                // `env` has escapes of its own, such as `\_` for a blank.
                if text.contains('\\') && self.pattern.is_written_in(text) {
                    return true;
                }
                let is_more_than_a_word = text.contains(|c: char| c.is_whitespace() || ";&|(){}<>'\"$`\\!".contains(c));
                let following = behind.iter().map(|word| word.text.as_str());
                // The end of a command of `find`, and the file that it found.
                !matches!(text, ";" | "{}")
                    && is_more_than_a_word
                    && (self.inner(text, is_fed)
                        || (!behind.is_empty()
                            && self
                                .inner(&std::iter::once(text).chain(following).collect::<Vec<_>>().join(" "), is_fed)))
            })
    }

    /// Whether an argument sets a variable that causes the command to run: `env PATH=. ls`.
    fn is_assigned(&self, word: &Word) -> bool {
        word.text.split_once('=').is_some_and(|(name, value)| {
            let value = word.with_text(value);
            self.is_run_later(&Assignment { name: name.to_owned(), value })
        })
    }

    /// Whether an argument is a program outside the system folders and the line writes a file, which may be that program.
    pub(super) fn starts_a_file(&self, words: &[Word]) -> bool {
        let is_one = |word: &Word| {
            let is_a_name = !word.text.contains("://") && !programs::is_a_stream(&word.text);
            word.text.contains('/') && is_a_name && programs::role(&word.text) == Role::Unknown
        };
        self.writes && words.iter().any(is_one)
    }

    /// Whether an argument is a program that can start others.
    fn launches_something(&self, words: &[Word]) -> bool {
        let quiet = |word: &Word| matches!(programs::role(&word.text), Role::Quiet | Role::Git | Role::Unknown);
        words.iter().any(|word| self.pattern.names(word) || !quiet(word))
    }
}

/// Whether a program such as `xargs` starts an unknown one, which may run what is read.
pub(super) fn starts_an_unknown_one(words: &[Word]) -> bool {
    let is_number = |word: &Word| word.text.chars().all(|c| c.is_ascii_digit());
    let first = programs_of(words).into_iter().find(|word| !is_number(word));
    first.is_some_and(|first| programs::role(&first.text) == Role::Unknown)
}

/// The words of `xargs` that may be the name of its program.
fn programs_of(words: &[Word]) -> Vec<&Word> {
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
    program
}
