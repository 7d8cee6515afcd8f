//! Secrets with the form of their vendor.

use std::ops::Range;

use crate::names::is_words;
use crate::pattern::patterns;

patterns! {
    /// One alternative per vendor.
    FORMS = &include_str!("forms.txt").lines().filter(|line| !line.starts_with('#')).collect::<Vec<_>>().join("|");

    /// URLs that are secrets themselves, whose last part is replaced.
    HOOKS = r"(?i)https://(?:hooks\.slack\.com/(?:services|workflows|triggers)/|(?:\w+\.)?discord(?:app)?\.com/api/webhooks/[0-9]+/|[\w.-]+\.webhook\.office\.com/webhookb2/|chat\.googleapis\.com/v1/spaces/|hooks\.zapier\.com/hooks/catch/)([A-Za-z0-9@_/?=&%-]{8,})";
}

pub(crate) fn find(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<_> = FORMS.iter().flat_map(|rule| rule.find_iter(text)).map(|found| found.range()).collect();
    // Words such as `sk-learn-based-classification`.
    found.retain(|found| text[found.clone()].contains(|c: char| c.is_ascii_digit()) && !is_words(&text[found.clone()]));
    let hooks = HOOKS.iter().flat_map(|rule| rule.captures_iter(text));
    found.extend(hooks.filter_map(|hook| Some(hook.get(1)?.range())));
    found
}
