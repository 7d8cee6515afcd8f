//! Checks the patterns of filters of hooks that were built as values. The attribute makes the same checks at compile
//! time.

/// Why a pattern can never match, or not what was intended.
pub(super) fn problem(patterns: &str) -> Option<&'static str> {
    let parts = || patterns.split('|').map(str::trim);
    if parts().any(str::is_empty) {
        return Some(
            "contains an empty pattern, which matches nothing; write `*` to match everything, and remove a `|` at the start or end",
        );
    }
    if parts().any(|part| part.starts_with('!')) {
        return Some("contains a `!`, but patterns cannot be negated; list what matches, or test for it in the hook");
    }
    if parts().any(|part| part.starts_with('^') || part.ends_with('$') || part.contains(['\\', '(', ')'])) {
        return Some(
            "looks like a regular expression; a pattern matches the whole value, `*` matches anything and `?` one character",
        );
    }
    if parts().any(|part| part.contains(|c: char| c == ',' || c.is_whitespace())) {
        return Some(
            "contains a comma or a space; separate patterns with `|`, and write `?` for a comma or space within a value",
        );
    }
    None
}
