//! Code of other languages in the arguments of a command. It is not analysed: code that can start programs is opaque.

use super::programs::Role;
use super::word::{Word, is_short};

/// Whether a program runs code that is not analysed: from standard input, or from an option.
pub(super) fn is_opaque(role: Role, words: &[Word], is_fed: bool) -> bool {
    if words.iter().any(|word| word.computed) {
        return true;
    }
    match role {
        // Its input is data, and so is the separator after `-F`.
        Role::Awk => {
            let code = words.iter().filter(|word| !word.text.starts_with("-F"));
            code.into_iter().any(|word| starts_others(word) || pipes(&word.text))
        }
        Role::Sed => words.iter().any(|word| runs_its_lines(&word.text)),
        _ => {
            let has_a_file = words.iter().any(|word| !word.text.starts_with(['-', '+']));
            let tells =
                matches!(words, [only] if matches!(only.text.as_str(), "--version" | "-V" | "--help" | "-h" | "-v"));
            let is_code = |word: &Word| is_inline(&word.text) || starts_others(word) || word.text.starts_with("data:");
            // A module may run its arguments: `python3 -m timeit`.
            let is_of_a_module = || {
                let has_module = words.iter().any(|word| is_short(&word.text) && word.text.contains('m'));
                has_module && words.iter().any(|word| word.text.contains('('))
            };
            !tells && (is_fed || !has_a_file || words.iter().any(is_code) || is_of_a_module())
        }
    }
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

/// Whether a sed program may contain `e`, which runs lines: as a command, or as a flag of `s`.
fn runs_its_lines(text: &str) -> bool {
    let is_option = matches!(
        text,
        "-e" | "-n" | "-ne" | "-En" | "-nE" | "-Ee" | "-re" | "-i" | "-E" | "-r" | "-s" | "--expression"
    );
    let flags = |word: &str| word.contains('e') && word.chars().all(|c| "gpiIemMw0123456789".contains(c));
    // The command `e` is at the start of a command or after an address with its flags: `/x/Ie`. The text after it is the line
    // that it runs.
    let behind_an_address = || {
        text.match_indices('e').any(|(at, _)| {
            let before = text[..at].trim_end_matches(['I', 'M', ' ', '!']);
            let ends_one = |c: char| matches!(c, '/' | '$') || c.is_ascii_digit();
            let is_behind = before.ends_with(ends_one) && before.matches('/').count() > 1;
            is_behind || (text.contains('\\') && before.ends_with(|c: char| !c.is_alphanumeric()))
        })
    };
    let commands =
        || text.split([';', '{', '}', '\n']).map(|command| command.trim_start_matches(|c: char| !c.is_alphabetic()));
    !is_option
        && (text.split(|c: char| !c.is_alphanumeric()).any(flags)
            || commands().any(|command| command.starts_with('e'))
            || behind_an_address())
}
