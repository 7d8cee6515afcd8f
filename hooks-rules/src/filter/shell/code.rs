//! Code of other languages in the arguments of a command. It is not analysed: code that can start programs is opaque.

use super::programs::{Role, is_called};
use super::sed::runs_lines;
use super::word::{Word, is_short};

/// Whether a program runs code that is not analysed: from standard input, or from an option.
pub(super) fn is_opaque(role: Role, name: &str, words: &[Word], is_fed: bool) -> bool {
    match role {
        Role::Awk => runs_awk(words),
        Role::Sed => runs_lines(words),
        _ => interprets(name, words, is_fed),
    }
}

/// The input of `awk` is data, and so are the words behind its program.
fn runs_awk(words: &[Word]) -> bool {
    let mut words = words.iter();
    let mut has_file = false;
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        match text {
            "-f" => {
                has_file = true;
                if words.next().is_none_or(|file| file.computed) {
                    return true;
                }
            }
            // What it sets is data.
            "-F" | "-v" => {
                if words.next().is_none_or(|value| value.splits) {
                    return true;
                }
            }
            "--" | "--version" => {}
            _ if text.starts_with("-F") || (text.starts_with("-v") && !word.splits) => {}
            _ if word.may_be_an_option() => return true,
            _ => return !has_file && (word.computed || starts_others(word) || pipes(text)),
        }
    }
    false
}

/// Whether an interpreter behind an unknown program is given code: in an option, or on standard input.
pub(super) fn is_given(words: &[Word], is_fed: bool) -> bool {
    words.iter().any(|word| is_inline(&word.text)) || (is_fed && words.iter().all(|word| word.text.starts_with('-')))
}

/// A language whose programs get the words behind the name of their file.
const LANGUAGES: &[&str] =
    &["python", "pypy", "perl", "ruby", "node", "nodejs", "php", "lua", "luajit", "tclsh", "Rscript"];

/// Options of these languages that run no code by themselves.
const HARMLESS: &[&str] =
    &["-u", "-B", "-O", "-OO", "-E", "-q", "-v", "-w", "-W", "-T", "-m", "--no-warnings", "--trace-warnings", "--test"];

fn interprets(name: &str, words: &[Word], is_fed: bool) -> bool {
    if let [only] = words
        && matches!(only.text.as_str(), "--version" | "-V" | "--help" | "-h" | "-v")
    {
        return false;
    }
    let Some(file) = words.iter().position(|word| !word.text.starts_with(['-', '+']) && !word.text.is_empty()) else {
        return true;
    };
    let (options, behind) = words.split_at(file);
    let is_language = LANGUAGES.iter().any(|language| is_called(name, language));
    let is_harmless =
        |word: &Word| HARMLESS.contains(&word.text.as_str()) || word.text.starts_with("--max-old-space-size");
    let is_code = |word: &Word| is_inline(&word.text) || starts_others(word) || word.text.starts_with("data:");
    // A module may run its arguments: `python3 -m timeit`.
    let has_module = options.iter().any(|word| is_short(&word.text) && word.text.contains('m'));
    is_fed
        || options.iter().any(|word| word.computed || (is_language && !is_harmless(word)))
        || behind[0].may_be_an_option()
        || (!is_language && behind.iter().any(|word| word.computed))
        || words.iter().any(is_code)
        || (has_module && (words.iter().any(|word| word.text.contains('(')) || behind.iter().any(|word| word.computed)))
}

/// Whether the word contains a function with which languages start programs.
pub(super) fn starts_others(word: &Word) -> bool {
    const WORDS: &[&str] =
        &["system", "exec", "popen", "spawn", "shell", "getline", "syscmd", "!", "`", "$(", "eval", "@"];
    let text = word.text.as_str();
    (text.contains(char::is_whitespace) || text.contains(['(', '"', '\'', '!', '=']))
        && WORDS.iter().any(|word| text.contains(word))
}

/// Whether the option takes code, or a file that is executed first.
fn is_inline(option: &str) -> bool {
    if let Some(long) = option.strip_prefix("--") {
        return ["eval", "print", "exec", "require", "import", "command", "cmd", "init"]
            .iter()
            .any(|name| long.starts_with(name));
    }
    let behind = |letters: &str| {
        letters.is_empty() || letters.contains(['e', 'E', 'c', 'r', 'p', 'n', 's', 'S', 'x', 'M', 'I', 'o', 'B', 'R'])
    };
    option.strip_prefix('-').is_some_and(behind) || (option.starts_with('+') && option.len() > 1)
}

/// Whether an awk program contains a pipe (and not `||`).
fn pipes(text: &str) -> bool {
    text.replace("||", "").contains('|')
}
