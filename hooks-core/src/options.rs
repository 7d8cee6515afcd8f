//! The options of a hook.

mod visibility;

use std::borrow::Cow;
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use visibility::Visibility;

use crate::failure::OnFailure;
use crate::verdict::{Capabilities, Capability};
use crate::words::closed_words;

/// A list of hook ids. It is static if the attribute generated it.
pub type HookIds = Cow<'static, [Cow<'static, str>]>;

/// The options of a hook. The serialized form omits default values, and the options that depend on the kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
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
    #[serde(skip)]
    pub hold: Hold,
    /// Whether the hook's answers take effect.
    #[serde(skip_serializing_if = "is_default")]
    pub mode: HookMode,
    /// Whether a replay runs the hook.
    #[serde(skip_serializing_if = "is_default")]
    pub on_replay: OnReplay,
}

impl Options {
    /// The options of a hook that sets none.
    pub const DEFAULT: Self = Self {
        priority: 0,
        after: Cow::Borrowed(&[]),
        before: Cow::Borrowed(&[]),
        requires: Cow::Borrowed(&[]),
        timeout: Timeout::Default,
        on_failure: None,
        visibility: Visibility::Internal,
        capabilities: None,
        run: RunMode::Inline,
        blocking: false,
        idempotent: false,
        retries: 0,
        delay: Duration::ZERO,
        hold: Hold::NOTHING,
        mode: HookMode::Enforce,
        on_replay: OnReplay::Run,
    };

    // Not public API. Used by generated code.
    #[doc(hidden)]
    #[must_use]
    pub const fn visible(mut self, visibility: Visibility) -> Self {
        self.visibility = visibility;
        self
    }

    // Not public API. Used by generated code.
    #[doc(hidden)]
    #[must_use]
    pub const fn delayed(mut self, millis: u64) -> Self {
        self.delay = Duration::from_millis(millis);
        self
    }

    // Not public API. Used by generated code.
    #[doc(hidden)]
    #[must_use]
    pub const fn holding(mut self, hold: Hold) -> Self {
        self.hold = hold;
        self
    }

    // Not public API. Used by generated code.
    #[doc(hidden)]
    #[must_use]
    pub const fn in_mode(mut self, mode: HookMode) -> Self {
        self.mode = mode;
        self
    }

    // Not public API. Used by generated code.
    #[doc(hidden)]
    #[must_use]
    pub const fn in_replay(mut self, on_replay: OnReplay) -> Self {
        self.on_replay = on_replay;
        self
    }

    // Not public API. Used by generated code.
    #[doc(hidden)]
    #[must_use]
    pub const fn limited(mut self, capabilities: &[Capability]) -> Self {
        self.capabilities = Some(Capabilities::of(capabilities));
        self
    }

    // Not public API. Used by generated code.
    #[doc(hidden)]
    #[must_use]
    pub const fn runs(mut self, run: RunMode, blocking: bool, idempotent: bool, retries: u32) -> Self {
        self.run = run;
        self.blocking = blocking;
        self.idempotent = idempotent;
        self.retries = retries;
        self
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Hold {
    chars: usize,
    sentence: bool,
}

/// Holds back this number of characters.
impl From<usize> for Hold {
    fn from(chars: usize) -> Self {
        Self::chars(chars)
    }
}

impl Hold {
    /// Holds back nothing.
    pub const NOTHING: Self = Self { chars: 0, sentence: false };
    /// Holds back everything after the last complete sentence.
    pub const SENTENCE: Self = Self { chars: 0, sentence: true };

    /// Holds back this number of characters.
    pub const fn chars(chars: usize) -> Self {
        Self { chars, sentence: false }
    }

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
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
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
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
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
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
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

impl Default for Options {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// How long an async hook may take before it is dropped. Converts from a [`Duration`].
///
/// ```
/// use std::time::Duration;
///
/// use hook_sdk::hook::Timeout;
/// use hook_sdk::kinds::*;
/// use hook_sdk::prelude::*;
///
/// let slow = Hook::at::<BeforeToolCall>("slow").async_reader(|_, _, _| Box::pin(async {}));
/// assert_eq!(slow.timeout(Duration::from_secs(2)).options().timeout, Timeout::After(Duration::from_secs(2)));
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
    /// The limit as a duration; `None` if there is none.
    pub fn duration(self) -> Option<Duration> {
        match self {
            Self::Default => Some(Duration::from_secs(30)),
            Self::After(duration) => Some(duration),
            Self::None => None,
        }
    }
}

/// The options of a hook as a constant.
#[doc(hidden)]
pub const fn options(
    priority: i32,
    after: HookIds,
    before: HookIds,
    requires: HookIds,
    timeout: Timeout,
    on_failure: Option<OnFailure>,
) -> Options {
    Options { priority, after, before, requires, timeout, on_failure, ..Options::DEFAULT }
}
