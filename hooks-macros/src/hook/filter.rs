//! The patterns of a filter, `tool = "read_*|write_*"`, which are matched against a field of the event.
//!
//! A hook with a pattern that can never match would never run, and nothing at run time would report it. A rejected
//! character that is meant literally can be written as `?`, which matches any character.

use syn::LitStr;

use crate::errors::Errors;

/// Reports patterns that can never match.
pub(super) fn check(patterns: &LitStr, errors: &mut Errors) {
    if let Some(problem) = problem(&patterns.value()) {
        errors.on(patterns, problem);
    }
}

/// Why a pattern can never match, or not what was intended.
fn problem(patterns: &str) -> Option<String> {
    let parts = || patterns.split('|').map(str::trim);
    if parts().any(str::is_empty) {
        return Some(
            "an empty pattern matches nothing; write `\"*\"` to match everything, and remove a `|` at the start or end"
                .to_owned(),
        );
    }
    if parts().any(|part| part.starts_with('!')) {
        return Some(
            "a pattern cannot be negated with `!`; list what matches, or test for it in the function".to_owned(),
        );
    }
    if parts().any(is_regex) {
        let plain = parts().map(without_regex).collect::<Vec<_>>().join("|");
        let is_clear = !patterns.contains(['(', '{']) && problem(&plain).is_none();
        let advice = if is_clear { format!(": write `\"{plain}\"`") } else { String::new() };
        return Some(format!(
            "a pattern is not a regular expression: it matches the whole value, `*` matches anything and `?` matches one \
             character{advice}"
        ));
    }
    if parts().any(|part| part.contains(|c: char| c == ',' || c.is_whitespace())) {
        let words = patterns.split(|c: char| matches!(c, ',' | '|') || c.is_whitespace());
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        return Some(format!(
            "patterns are separated by `|`: write `\"{}\"`, and `?` for a comma or a space within a value",
            words.join("|")
        ));
    }
    None
}

/// Whether it contains what has a meaning only in a regular expression. `?` is one character, and `[1m]` is part of a
/// name.
fn is_regex(part: &str) -> bool {
    let has = |text: &&str| part.contains(*text);
    part.starts_with('^')
        || part.ends_with('$')
        || part.contains(['\\', '(', ')', '{', '}'])
        || [".*", ".+", "]+"].iter().any(has)
        || repeats(part)
        || class(part).is_some()
}

/// Whether it ends with a `+` after a word, as in `refund+`.
fn repeats(part: &str) -> bool {
    part.strip_suffix('+').is_some_and(|before| before.ends_with(|c: char| c.is_alphanumeric() || c == '_'))
}

/// Where a class with a range or a negation, such as `[a-z]`, begins and ends.
fn class(part: &str) -> Option<(usize, usize)> {
    let classes = part.match_indices('[').filter_map(|(start, _)| Some((start, start + part[start..].find(']')?)));
    classes.into_iter().find(|(start, end)| {
        let inner: Vec<char> = part[start + 1..*end].chars().collect();
        let is_range = |three: &[char]| three[1] == '-' && three[0].is_alphanumeric() && three[2].is_alphanumeric();
        inner.first() == Some(&'^') || inner.windows(3).any(is_range)
    })
}

/// The pattern that corresponds to a simple regular expression.
fn without_regex(part: &str) -> String {
    let plain = part.trim_start_matches('^').trim_end_matches('$').replace(".*", "*").replace(".+", "?*");
    let mut plain = plain.replace("\\w", "?").replace("\\d", "?").replace('\\', "");
    while let Some((start, end)) = class(&plain) {
        plain.replace_range(start..=end, "?");
    }
    let plain = plain.replace("?+", "?*");
    if repeats(&plain) { plain.trim_end_matches('+').to_owned() + "*" } else { plain }
}

#[cfg(test)]
mod tests {
    use super::problem;

    #[test]
    fn a_pattern_that_can_match_nothing_is_rejected_with_a_suggestion() {
        let cases = [
            ("^cancel_.*$", "write `\"cancel_*\"`"),
            ("cancel_(flight|car)", "`?` matches one character"),
            ("fs\\.read$", "write `\"fs.read\"`"),
            ("refund.*", "write `\"refund*\"`"),
            ("refund.+", "write `\"refund?*\"`"),
            ("refund[a-z]", "write `\"refund?\"`"),
            ("refund[^_]+", "write `\"refund?*\"`"),
            ("refund+", "write `\"refund*\"`"),
            ("pay\\d+", "write `\"pay?*\"`"),
            ("pay_[0-9]{4}", "`?` matches one character"),
            ("{read,write}_*", "`?` matches one character"),
            ("a, b", "write `\"a|b\"`"),
            ("read write", "write `\"read|write\"`"),
            ("!refund", "test for it in the function"),
            ("a|!b", "test for it in the function"),
            ("|a", "an empty pattern"),
            ("a||b", "an empty pattern"),
            ("", "an empty pattern"),
        ];
        for (patterns, advice) in cases {
            let message = problem(patterns).unwrap_or_else(|| panic!("`{patterns}` is accepted"));
            assert!(message.contains(advice), "`{patterns}`: {message}");
        }
        for fine in [
            "*",
            "cancel_*",
            "a | b",
            "fs.read|mcp__x__*",
            "sonnet[1m]",
            "North?America",
            "größe",
            "a+b",
            "c++",
            "refunds?",
            "v1.?",
        ] {
            assert_eq!(problem(fine), None, "{fine}");
        }
    }
}
