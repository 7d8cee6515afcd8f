//! How git runs other commands.

use super::word::Word;

/// Whether git runs the arguments after this word, or stores them and runs them later.
pub(super) fn starts(word: &str) -> bool {
    const COMMANDS: &str = "bisect submodule rebase filter-branch for-each-repo difftool mergetool config send-email shell -c -u -x \
                            --exec --upload-pack --receive-pack --config";
    const OPTIONS: &[&str] = &[
        "--open-files-in-pager",
        "--exec",
        "--upload-pack",
        "--receive-pack",
        "--config",
        "--config-env",
        "--sendmail-cmd",
        "--extcmd",
    ];
    // Options may be shortened.
    let name = word.split_once('=').map_or(word, |(name, _)| name);
    COMMANDS.split_whitespace().any(|command| command == word)
        || takes_a_line(word)
        || word.contains("alias.")
        || word.starts_with("-O")
        || (name.len() > 3 && OPTIONS.iter().any(|option| option.starts_with(name)))
}

/// Whether a word of short options may contain one that takes a command, or a setting: `-u'…'`, `-qu'…'`, `-ccore.pager=…`.
fn takes_a_line(word: &str) -> bool {
    const LETTERS: [char; 3] = ['u', 'c', 'x'];
    let letters = word.strip_prefix('-').filter(|letters| letters.len() > 1 && !letters.starts_with('-'));
    letters.is_some_and(|letters| {
        let is_cluster = letters.chars().all(|letter| letter.is_ascii_alphabetic());
        letters.starts_with(LETTERS) || (!is_cluster && letters.chars().take(5).any(|letter| LETTERS.contains(&letter)))
    })
}

/// Whether this word makes git read a command from a variable or from an address with its own syntax.
pub(super) fn hides_what_it_starts(word: &str) -> bool {
    word.starts_with("--config-env") || word.contains("ext::")
}

/// Whether a line may write files in which git finds commands.
pub(super) fn may_be_its_files(line: &str) -> bool {
    const PARTS: &[&str] = &[
        "hooks",
        ".git/",
        ".gitconfig",
        ".gitattributes",
        ".gitmodules",
        "include",
        "git-dir",
        "exec-path",
        "template",
    ];
    PARTS.iter().any(|part| line.contains(part))
}

/// Whether this word can change the names of git's subcommands.
pub(super) fn renames(word: &str) -> bool {
    ["alias.", "autocorrect", "include.", "includeif."].iter().any(|part| word.contains(part))
}

/// Subcommands of git itself that run no other subcommand.
const OF_GIT: &str = "add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore check-mailmap \
                      check-ref-format checkout checkout-index cherry cherry-pick clean clone column commit commit-graph \
                      commit-tree config count-objects credential describe diff diff-files diff-index diff-tree difftool \
                      fast-export fast-import fetch filter-branch fmt-merge-msg for-each-ref format-patch \
                      fsck gc grep hash-object help index-pack init interpret-trailers log ls-files ls-remote ls-tree \
                      mailinfo mailsplit maintenance merge merge-base merge-file merge-tree mergetool mktag mktree mv \
                      name-rev notes pack-objects pack-refs patch-id prune pull push range-diff read-tree rebase reflog \
                      remote repack replace request-pull rerere reset restore rev-list rev-parse revert rm send-email \
                      shortlog show show-branch show-index show-ref sparse-checkout stash status stripspace submodule \
                      switch symbolic-ref tag unpack-objects update-index update-ref var verify-commit verify-pack \
                      verify-tag version whatchanged worktree write-tree";

/// Subcommands without an option that names a command.
const PLAIN: &str = "add am annotate apply blame branch cat-file checkout cherry cherry-pick clean commit describe diff init log merge mv \
                     notes reflog remote reset restore rev-list rev-parse revert rm shortlog show stash status switch tag";

/// Whether git starts nothing, whatever the computed words behind its subcommand are.
pub(super) fn runs_nothing_else(words: &[Word]) -> bool {
    let subcommand = words.iter().position(|word| PLAIN.split_whitespace().any(|known| known == word.text));
    subcommand.is_some_and(|at| words[..=at].iter().all(|word| !word.computed && (word.text != "-c")) && at < 3)
}

/// Whether the subcommand is an alias, a separate program, or one that runs others, such as `subtree`.
pub(super) fn has_a_foreign_subcommand(words: &[Word]) -> bool {
    let takes_a_value = |option: &str| {
        matches!(option, "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace" | "--config-env" | "--attr-source")
    };
    let mut before = "";
    let subcommand = words.iter().map(|word| word.text.as_str()).find(|word| {
        let is_value = takes_a_value(std::mem::replace(&mut before, word));
        !is_value && !word.starts_with('-')
    });
    subcommand.is_some_and(|subcommand| !OF_GIT.split_whitespace().any(|known| known == subcommand))
}
