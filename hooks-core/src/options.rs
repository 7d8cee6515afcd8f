//! The options of a hook.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::failure::OnFailure;
use crate::verdict::Capabilities;
use crate::words::closed_words;

/// A list of hook ids. It is static if the attribute generated it.
pub(crate) type HookIds = Cow<'static, [Cow<'static, str>]>;

/// The options of a hook. The serialized form omits default values, and the options that depend on the kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Options {
    /// The priority. Lower numbers run earlier.
    pub priority: i32,
    /// Hooks of the same kind that this one runs after, if they are in scope.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub after: HookIds,
    /// Hooks of the same kind that this one runs before, if they are in scope.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub before: HookIds,
    /// Like `after`, but their absence from the scope is an error.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub requires: HookIds,
    /// How long an async hook may take.
    #[serde(skip)]
    pub timeout: Timeout,
    /// What happens when the hook fails; `None` means the kind's default.
    #[serde(skip)]
    pub on_failure: Option<OnFailure>,
    /// Who sees the hook's decision.
    pub visibility: Visibility,
    /// What the hook may contribute; `None` means everything that the kind offers.
    #[serde(skip)]
    pub capabilities: Option<Capabilities>,
    /// Whether the dispatch waits for the hook.
    #[serde(skip_serializing_if = "is_default")]
    pub run: RunMode,
    /// Whether the hook runs on the pool of blocking threads.
    #[serde(skip_serializing_if = "is_default")]
    pub blocking: bool,
    /// Whether running the hook twice has the same effect as running it once.
    #[serde(skip_serializing_if = "is_default")]
    pub idempotent: bool,
    /// How often a failed background run is retried.
    #[serde(skip_serializing_if = "is_default")]
    pub retries: u32,
    /// How long after the dispatch a background run starts.
    #[serde(skip_serializing_if = "is_default")]
    pub delay: Duration,
    /// How much of the end of a stream is held back for the hook.
    #[serde(skip_serializing_if = "is_default")]
    pub hold: Hold,
    /// Whether the hook's answers take effect.
    #[serde(skip_serializing_if = "is_default")]
    pub mode: HookMode,
    /// Whether a replay runs the hook.
    #[serde(skip_serializing_if = "is_default")]
    pub on_replay: OnReplay,
}

impl Options {
    /// The constraints on the order, with the names of their options.
    pub(crate) fn constraints(&self) -> [(&'static str, &HookIds); 3] {
        [("after", &self.after), ("before", &self.before), ("requires", &self.requires)]
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// How much of the end of a stream is held back, so that a hook sees text as a whole that arrives in pieces.
///
/// ```
/// use hook_sdk::hook::Hold;
///
/// let most = Hold::from(16).and(Hold::SENTENCE);
/// assert_eq!(most.of("Yes. The card is 4111 1111 1111 1111"), "The card is 4111 1111 1111 1111");
/// assert_eq!(Hold::from(4).of("the end"), " end");
/// assert_eq!(Hold::NOTHING.of("the end"), "");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Hold {
    #[serde(skip_serializing_if = "is_default")]
    chars: usize,
    #[serde(skip_serializing_if = "is_default")]
    sentence: bool,
}

impl fmt::Display for Hold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.chars, self.sentence) {
            (0, false) => f.write_str("nothing"),
            (0, true) => f.write_str("a sentence"),
            (chars, false) => write!(f, "{chars} characters"),
            (chars, true) => write!(f, "{chars} characters and a sentence"),
        }
    }
}

/// Holds back this number of characters.
impl From<usize> for Hold {
    fn from(chars: usize) -> Self {
        Self { chars, sentence: false }
    }
}

impl Hold {
    /// Holds back nothing.
    pub const NOTHING: Self = Self { chars: 0, sentence: false };
    /// Holds back everything after the last complete sentence.
    pub const SENTENCE: Self = Self { chars: 0, sentence: true };

    /// Combines two holds; the larger one applies.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { chars: self.chars.max(other.chars), sentence: self.sentence || other.sentence }
    }

    /// Returns the part at the end of `window` that is held back.
    pub fn of(self, window: &str) -> &str {
        let chars = match self.chars {
            0 => window.len(),
            chars => window.char_indices().rev().nth(chars - 1).map_or(0, |(at, _)| at),
        };
        let ends = |at: &usize| window[*at..].chars().next().is_none_or(char::is_whitespace);
        let after = |(at, mark): (usize, &str)| at + mark.len();
        let sentence = if self.sentence {
            window.rmatch_indices(['.', '!', '?', '\n', '。', '！', '？']).map(after).find(ends).unwrap_or(0)
        } else {
            window.len()
        };
        // The space after a sentence belongs to the sentence.
        let sentence = sentence + (window[sentence..].len() - window[sentence..].trim_start().len());
        &window[chars.min(sentence)..]
    }
}

closed_words! {
    /// Whether the answers of a hook take effect.
    #[derive(Default)]
    pub enum HookMode {
        /// The answers take effect.
        #[default]
        Enforce = "enforce",
        /// The answers have no effect. The hook runs on its own copy of the subject, within its timeout, and the record
        /// shows what it decided. It can neither deny, change, remove nor fail, so that a new guard can be observed
        /// before it is enforced.
        Shadow = "shadow",
    }
}

closed_words! {
    /// Whether a replay runs a hook.
    #[derive(Default)]
    pub enum OnReplay {
        /// A replay runs the hook.
        #[default]
        Run = "run",
        /// A replay skips the hook. For hooks with external effects, or with inputs that differ between runs.
        Skip = "skip",
    }
}

closed_words! {
    /// Whether the dispatch waits for a hook, and where it runs.
    #[derive(Default)]
    pub enum RunMode {
        /// The hook runs within the dispatch, which waits for it.
        #[default]
        Inline = "inline",
        /// The hook is started at its place in the plan, and the dispatch does not wait for it.
        Detached = "detached",
        /// The hook becomes a [`Job`](crate::detached::Job) for a worker, which may be in another process.
        Background = "background",
    }
}

/// How long an async hook may take before it is dropped. Converts from a [`Duration`].
///
/// ```
/// use std::time::Duration;
///
/// use hook_sdk::hook::Timeout;
///
/// assert_eq!(Timeout::from(Duration::from_secs(2)).duration(), Some(Duration::from_secs(2)));
/// assert_eq!((Timeout::Default.duration(), Timeout::None.duration()), (Some(Duration::from_secs(30)), None));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Timeout {
    /// The default: 30 seconds.
    #[default]
    Default,
    /// The hook is dropped after this duration.
    After(Duration),
    /// No limit.
    None,
}

impl From<Duration> for Timeout {
    fn from(after: Duration) -> Self {
        Self::After(after)
    }
}

impl Timeout {
    pub(crate) const EXPECTED: &str = "a time, such as \"250ms\", \"2s\", \"1m\", \"2h\" or \"1d\", or \"none\"";

    /// The limit as a duration; `None` if there is none.
    pub fn duration(self) -> Option<Duration> {
        match self {
            Self::Default => Some(Duration::from_secs(30)),
            Self::After(duration) => Some(duration),
            Self::None => None,
        }
    }
}

/// Reads `"2s"` and, for no limit, `"none"`.
impl<'de> Deserialize<'de> for Timeout {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match &*String::deserialize(deserializer)? {
            "none" => Ok(Self::None),
            text => parse_duration(text).map(Self::After).ok_or_else(|| D::Error::custom(Self::EXPECTED)),
        }
    }
}

/// The longest timeout and the longest delay.
pub(crate) const MAX_DURATION: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// Parses a number with a unit, as the attribute does: `250ms`, `2s`, `1m`, `2h`, `1d`.
fn parse_duration(text: &str) -> Option<Duration> {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let number: u64 = text.strip_suffix(unit)?.parse().ok()?;
    let millis = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return None,
    };
    number.checked_mul(millis).map(Duration::from_millis)
}

closed_words! {
    /// Who sees what a hook does. Set with `visibility = …`; a harness filters records and plans accordingly.
    #[derive(Default, PartialOrd, Ord)]
    pub enum Visibility {
        /// Only the app.
        #[default]
        Internal = "internal",
        /// Developers who debug the app.
        Debug = "debug",
        /// The person, on request.
        UserAudit = "user_audit",
        /// The person, immediately.
        UserVisible = "user_visible",
    }
}
