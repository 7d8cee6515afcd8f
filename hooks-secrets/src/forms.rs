//! Secrets with the form of their vendor.

use std::ops::Range;
use std::sync::LazyLock;

use crate::names::is_words;
use crate::pattern::{Pattern, regex};

/// One alternative per vendor.
static FORMS: Pattern = LazyLock::new(|| {
    let forms = [
        r"\b(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}\b",
        r"\bgh[pousr]_[A-Za-z0-9]{20,}",
        r"\bgithub_pat_[A-Za-z0-9_]{20,}",
        r"\bgl(?:pat|dt|rt|cbt|ptt|ft|soat|imt|agent)-[A-Za-z0-9_-]{16,}",
        r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}",
        r"\bxapp-[0-9]-[A-Za-z0-9-]{10,}",
        // OpenAI, Anthropic, OpenRouter, LangSmith and others.
        r"\b(?:sk|pk|rk|lsv2)[-_](?:[A-Za-z0-9]+[-_])*[A-Za-z0-9_-]{16,}",
        r"\b(?:sk|pk|rk|whsec)_(?:live|test)?_?[A-Za-z0-9]{16,}",
        r"\bwhsec_[A-Za-z0-9+/=]{16,}",
        r"\bAIza[0-9A-Za-z_-]{30,}",
        r"\bya29\.[0-9A-Za-z_-]{16,}",
        r"\bGOCSPX-[0-9A-Za-z_-]{16,}",
        r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?",
        r"\bnpm_[A-Za-z0-9]{20,}",
        r"\bpypi-[A-Za-z0-9_-]{20,}",
        r"\brubygems_[0-9a-f]{20,}",
        r"\bdckr_(?:pat|oat)_[A-Za-z0-9_-]{16,}",
        r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",
        r"\b(?:SK|AC)[0-9a-f]{32}\b",
        r"\bkey-[0-9a-f]{32}\b",
        r"\bdo[opr]_v1_[0-9a-f]{32,}",
        r"\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}",
        r"\bsq0[a-z]{3}-[0-9A-Za-z_-]{20,}",
        r"\bhf_[A-Za-z0-9]{20,}",
        r"(?:\b|bot)[0-9]{8,10}:AA[A-Za-z0-9_-]{30,}",
        r"\bhv[sbr]\.[A-Za-z0-9_-]{20,}",
        r"\bdapi[0-9a-f]{32}",
        r"\blin_(?:api|oauth)_[A-Za-z0-9]{20,}",
        r"\bAGE-SECRET-KEY-1[0-9A-Z]{20,}",
        r"\b(?:gsk|xai|r8|nvapi|pplx|tvly|fc|csk|together|glsa|sntrys|sntryu|figd|ntn|sbp|dp\.pt|dp\.st|pul|PMAK|NRAK|ATATT|ATCTT|fo1|fm2|dsapi|tskey|cio|re|rpa|jina|voyage|eh)[-_.](?:[A-Za-z0-9]+[-_.])*[A-Za-z0-9_=-]{20,}",
        r"\bATATT3[A-Za-z0-9_=-]{20,}",
        r"\b[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,}",
        r"\bEAA[A-Za-z0-9]{40,}",
        r"\b[MNO][A-Za-z0-9_-]{23,}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}",
    ];
    regex(&forms.join("|"))
});

/// URLs that are secrets themselves, whose last part is replaced.
static HOOKS: Pattern = LazyLock::new(|| {
    regex(
        r"(?i)https://(?:hooks\.slack\.com/(?:services|workflows|triggers)/|(?:\w+\.)?discord(?:app)?\.com/api/webhooks/[0-9]+/|[\w.-]+\.webhook\.office\.com/webhookb2/|chat\.googleapis\.com/v1/spaces/|hooks\.zapier\.com/hooks/catch/)([A-Za-z0-9@_/?=&%-]{8,})",
    )
});

pub(crate) fn find(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<_> = FORMS.iter().flat_map(|rule| rule.find_iter(text)).map(|found| found.range()).collect();
    // Words such as `sk-learn-based-classification`.
    found.retain(|found| text[found.clone()].contains(|c: char| c.is_ascii_digit()) && !is_words(&text[found.clone()]));
    let hooks = HOOKS.iter().flat_map(|rule| rule.captures_iter(text));
    found.extend(hooks.filter_map(|hook| Some(hook.get(1)?.range())));
    found
}
