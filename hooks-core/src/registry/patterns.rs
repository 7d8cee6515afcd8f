//! What is wrong with the patterns of a filter, for hooks made as values: the attribute refuses the same when it is
//! compiled.

/// Why one of the patterns can match nothing, or not what is meant.
pub(super) fn problem(patterns: &str) -> Option<&'static str> {
    let parts = || patterns.split('|').map(str::trim);
    if parts().any(str::is_empty) {
        return Some("has an empty pattern, which matches nothing; write `*` for all, and no `|` at an end");
    }
    if parts().any(|part| part.starts_with('!')) {
        return Some("has a `!`, which negates nothing; write what matches, or test for it in the hook");
    }
    if parts().any(|part| part.starts_with('^') || part.ends_with('$') || part.contains(['\\', '(', ')'])) {
        return Some(
            "has a regular expression; a pattern matches the whole value, `*` matches anything and `?` matches one character",
        );
    }
    if parts().any(|part| part.contains(|c: char| c == ',' || c.is_whitespace())) {
        return Some("has a comma or a blank; separate patterns by `|`, and write `?` for one within a value");
    }
    None
}
