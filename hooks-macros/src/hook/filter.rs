//! The patterns of a filter, `tool = "read_*|write_*"`, which are matched against a field of the event.
//!
//! A hook with a pattern that can never match would never run, and nothing at run time would report it. A rejected
//! character that is meant literally can be written as `?`, which matches any character.

use syn::LitStr;

use super::patterns::problem;
use crate::errors::Errors;

/// Reports patterns that can never match.
pub(super) fn check(patterns: &LitStr, errors: &mut Errors) {
    if let Some(problem) = problem(&patterns.value()) {
        errors.on(patterns, problem);
    }
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
            ("!refund", "test for it in the hook"),
            ("a|!b", "test for it in the hook"),
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
