// The macros and the core both have this file, so that a filter is judged by the same rules in the attribute and in a
// hook that is a value: `__expand!(patterns)` writes it there. It therefore uses nothing else.

/// Why a pattern can never match, or not what was intended.
pub(super) fn problem(patterns: &str) -> Option<String> {
    let parts = || patterns.split('|').map(str::trim);
    if parts().any(str::is_empty) {
        return Some(
            "an empty pattern matches nothing; write `\"*\"` to match everything, and remove a `|` at the start or end"
                .to_owned(),
        );
    }
    if parts().any(|part| part.starts_with('!')) {
        return Some("a pattern cannot be negated with `!`; list what matches, or test for it in the hook".to_owned());
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
