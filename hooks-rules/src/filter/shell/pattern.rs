//! The pattern of an `if`, which is matched against the words of a command.

use super::super::wildcard;
use super::word::Word;

/// A command with more options in front of its arguments counts as not understood.
const MOST_OPTIONS: usize = 200;

/// A pattern such as `git push *`, with whitespace collapsed.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    text: String,
    words: Vec<String>,
}

impl Pattern {
    pub(super) fn read(written: &str) -> Self {
        // `git:*` is the older spelling of `git *`.
        let written = written.strip_suffix(":*").map_or_else(|| written.to_owned(), |prefix| format!("{prefix} *"));
        let mut words: Vec<String> = written.split_whitespace().map(str::to_owned).collect();
        if let Some(first) = words.first_mut() {
            *first = base(first).to_owned();
        }
        Self { text: words.join(" "), words }
    }

    /// Whether the pattern contains more than the name of a command.
    pub(super) fn says_more(&self) -> bool {
        self.words.iter().filter(|word| word.chars().any(|c| c != '*')).count() > 1
    }

    /// The steps of a comparison with a command: a name with a star is compared with all of its words.
    pub(super) fn steps(&self, words: &[Word]) -> usize {
        if self.words.first().is_some_and(|name| name.contains('*')) { words.len() / 8 } else { 0 }
    }

    /// Whether a word may be the name of the command.
    pub(super) fn names(&self, word: &Word) -> bool {
        word.computed || self.words.first().is_none_or(|name| wildcard(name, base(&word.text)))
    }

    /// Whether a shell may expand a glob or a tilde to the name of the command.
    pub(super) fn is_expanded_from(&self, text: &str) -> bool {
        let glob = text.rsplit(['/', '=']).next().unwrap_or(text);
        let Some(first) = glob.find(['*', '?', '[', '{', '~']) else { return false };
        let last = glob.rfind(['*', '?', ']', '}', '~']).unwrap_or(first);
        let is_earlier_folder = glob.starts_with('~');
        self.words.first().is_none_or(|name| {
            is_earlier_folder
                || name.contains('*')
                || (name.starts_with(&glob[..first]) && name.ends_with(&glob[last + 1..]))
        })
    }

    /// Whether a command matches.
    pub(super) fn fits(&self, name: &Word, words: &[Word]) -> bool {
        self.fits_call(name, words, false)
    }

    /// Whether a command matches whose end is unknown: words at the end may be for the program that starts it.
    pub(super) fn begins(&self, name: &Word, words: &[Word]) -> bool {
        self.fits_call(name, words, true)
    }

    fn fits_call(&self, name: &Word, words: &[Word], goes_on: bool) -> bool {
        // Git's subcommands are programs too: `git-push`.
        if let Some(subcommand) = base(&name.text).strip_prefix("git-") {
            let (git, subcommand) = (Word::plain("git"), name.with_text(subcommand));
            let words = || std::iter::once(&subcommand).chain(words).cloned().collect::<Vec<_>>();
            if self.names(&git) && self.fits_call(&git, &words(), goes_on) {
                return true;
            }
        }
        let texts =
            |from: usize| std::iter::once(base(&name.text)).chain(words[from..].iter().map(|word| word.text.as_str()));
        if self.fits_text(texts(0), goes_on) {
            return true;
        }
        if !self.names(name) {
            return false;
        }
        if words.iter().take(self.words.len()).any(|word| word.computed) {
            return true;
        }
        // Options can precede the argument: `git -C folder push`. Each option can have a value.
        let mut may_be_skipped = true;
        let skipped = words.iter().enumerate().take_while(|(at, word)| {
            let is_value = *at > 0 && words[at - 1].text.starts_with('-');
            let goes_on = may_be_skipped;
            may_be_skipped = word.text.starts_with('-') || is_value;
            goes_on
        });
        skipped.map(|(at, _)| at).any(|at| at > MOST_OPTIONS || self.fits_text(texts(at), goes_on))
    }

    /// Whether a command matches as it is written, including its quotes.
    pub(super) fn fits_source(&self, source: &str) -> bool {
        self.fits_text(source.split_whitespace(), false)
    }

    /// Whether a test in single brackets matches.
    pub(super) fn fits_test(&self, source: &str) -> bool {
        let is_plain = |word: &str| !word.contains(['$', '`', '"', '\'', '\\', '*', '?', '{']);
        let word = |word: &str| if is_plain(word) { Word::plain(word) } else { Word::computed() };
        let words: Vec<Word> = source.split_whitespace().map(word).collect();
        words.split_first().is_some_and(|(name, words)| self.fits(name, words))
    }

    fn fits_text<'a>(&self, words: impl Iterator<Item = &'a str> + Clone, goes_on: bool) -> bool {
        // Most texts differ at their first letters.
        let literal = self.text.split('*').next().unwrap_or_default().trim_end();
        let mut letters = words.clone().flat_map(|word| word.bytes().chain([b' ']));
        if !literal.bytes().all(|letter| letters.next() == Some(letter)) {
            return false;
        }
        let text = words.collect::<Vec<_>>().join(" ");
        let bare = self.text.strip_suffix(" *");
        bare.is_some_and(|bare| wildcard(bare, &text))
            || wildcard(&self.text, &text)
            || (goes_on && bare.is_none() && wildcard(&format!("{} *", self.text), &text))
    }

    /// Whether all words of the pattern occur in a text, ignoring quotes.
    pub(super) fn is_written_in(&self, text: &str) -> bool {
        let quotes = |c: char| matches!(c, '\'' | '"');
        // A backslash precedes a literal character, or changes the meaning of the next one.
        let meant: String = text.chars().filter(|c| *c != '\\' && !quotes(*c)).collect();
        let mut last = ' ';
        let apart =
            text.chars().filter(|c| !quotes(*c)).map(|c| if std::mem::replace(&mut last, c) == '\\' { ' ' } else { c });
        let apart: String = apart.collect();
        [meant, apart].iter().any(|plain| self.words.iter().all(|word| is_in(word, plain)))
    }
}

/// Whether a word of a pattern occurs in a text.
fn is_in(word: &str, text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '+');
    // The word can continue at a wildcard.
    if word.contains(['*', '?']) {
        return word.split(['*', '?']).all(|part| text.contains(part));
    }
    let found = |part: &str| text.split(|c| !is_part(c)).any(|word| word == part);
    word.split(|c| !is_part(c)).filter(|part| !part.is_empty()).all(found)
}

/// The name of a program without its folder.
pub(super) fn base(name: &str) -> &str {
    let base = name.rsplit('/').next().filter(|base| !base.is_empty()).unwrap_or(name);
    base.strip_suffix(".exe").filter(|base| *base != "cmd").unwrap_or(base)
}
