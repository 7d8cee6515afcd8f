//! Checks the patterns of filters of hooks that were built as values. The attribute makes the same checks at compile
//! time.

use wildmatch::WildMatch;

/// Why a pattern can never match, or not what was intended.
pub(super) fn pattern_problem(patterns: &str) -> Option<String> {
    let parts = || patterns.split('|').map(str::trim);
    let problem = if parts().any(str::is_empty) {
        "contains an empty pattern, which matches nothing; write `*` to match everything, and remove a `|` at the start or end"
    } else if parts().any(|part| part.starts_with('!')) {
        "contains a `!`, but patterns cannot be negated; list what matches, or test for it in the hook"
    } else if parts().any(is_regex) {
        let plain = parts().map(without_regex).collect::<Vec<_>>().join("|");
        let is_clear = !patterns.contains(['(', '{']) && pattern_problem(&plain).is_none();
        let advice = if is_clear { format!("; write `{plain}`") } else { String::new() };
        return Some(format!(
            "looks like a regular expression; a pattern matches the whole value, `*` matches anything and `?` one character{advice}"
        ));
    } else if parts().any(|part| part.contains(|c: char| c == ',' || c.is_whitespace())) {
        "contains a comma or a space; separate patterns with `|`, and write `?` for a comma or space within a value"
    } else {
        return None;
    };
    Some(problem.to_owned())
}

/// Whether a value can match both. Of two patterns with wildcards, this is assumed.
pub(super) fn overlap(one: &str, other: &str) -> bool {
    let is_word = |part: &str| !part.contains(['*', '?']);
    let fit = |one: &str, other: &str| match (is_word(one), is_word(other)) {
        (true, _) => WildMatch::new(other).matches(one),
        (false, true) => WildMatch::new(one).matches(other),
        (false, false) => true,
    };
    let parts = |patterns: &str| patterns.split('|').map(|part| part.trim().to_owned()).collect::<Vec<_>>();
    let others = parts(other);
    parts(one).iter().any(|one| others.iter().any(|other| fit(one, other)))
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
    use super::pattern_problem;

    #[test]
    fn a_regular_expression_is_answered_with_the_pattern_to_write() {
        let cases = [
            ("refund.*", "write `refund*`"),
            ("refund.+", "write `refund?*`"),
            ("refund[a-z]", "write `refund?`"),
            ("refund[^_]+", "write `refund?*`"),
            ("refund+", "write `refund*`"),
            ("^cancel_.*$", "write `cancel_*`"),
            ("pay\\d+", "write `pay?*`"),
            ("a{2}", "`?` one character"),
            ("cancel_(flight|car)", "`?` one character"),
        ];
        for (patterns, advice) in cases {
            let problem = pattern_problem(patterns).unwrap_or_else(|| panic!("`{patterns}` is accepted"));
            assert!(problem.ends_with(advice), "`{patterns}`: {problem}");
        }
        for fine in ["*", "refund?", "refunds?", "sonnet[1m]", "c++", "a+b", "v1.?", "fs.read", "größe"] {
            assert_eq!(pattern_problem(fine), None, "{fine}");
        }
    }
}
