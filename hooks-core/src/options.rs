//! The options of a hook.

mod visibility;

use std::borrow::Cow;
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use visibility::Visibility;

use crate::failure::OnFailure;
use crate::verdict::{Capabilities, Capability};
use crate::words::closed_words;

/// A list of ids of hooks, static where the attribute wrote it.
pub type HookIds = Cow<'static, [Cow<'static, str>]>;

/// The options of a hook. Written for machines, what is as it is for most hooks is left out, and what its kinds settle stands
/// there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Options {
    /// Lower runs earlier.
    pub priority: i32,
    /// Ids at the same kind to follow where they are in scope.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub after: HookIds,
    /// Ids at the same kind to precede where they are in scope.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub before: HookIds,
    /// As `after`, and their absence from the scope is an error.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub requires: HookIds,
    /// How long an async hook may take.
    #[serde(skip)]
    pub timeout: Timeout,
    /// What is done when it fails; `None` stands for the kind's default.
    #[serde(skip)]
    pub on_failure: Option<OnFailure>,
    /// Whom it concerns.
    pub visibility: Visibility,
    /// What it may contribute; `None` stands for what the kind offers.
    #[serde(skip)]
    pub capabilities: Option<Capabilities>,
    /// Whether the dispatch waits for it.
    #[serde(skip_serializing_if = "is_default")]
    pub run: RunMode,
    /// Whether it runs on the pool of threads for code that computes for long.
    #[serde(skip_serializing_if = "is_default")]
    pub blocking: bool,
    /// Whether running it twice does no more than running it once.
    #[serde(skip_serializing_if = "is_default")]
    pub idempotent: bool,
    /// How often a background run that failed is tried again.
    #[serde(skip_serializing_if = "is_default")]
    pub retries: u32,
    /// How much of a stream is kept back for it.
    #[serde(skip)]
    pub hold: Hold,
    /// Whether its answers count.
    #[serde(skip_serializing_if = "is_default")]
    pub mode: HookMode,
    /// What it does in a replay.
    #[serde(skip_serializing_if = "is_default")]
    pub on_replay: OnReplay,
}

impl Options {
    /// The options of a hook that says nothing.
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

/// How much of the end of a stream is kept back, so that a hook sees as a whole what comes in pieces.
///
/// ```
/// use hooks_core::hook::Hold;
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

/// That many characters.
impl From<usize> for Hold {
    fn from(chars: usize) -> Self {
        Self::chars(chars)
    }
}

impl Hold {
    /// Nothing is kept back.
    pub const NOTHING: Self = Self { chars: 0, sentence: false };
    /// What is behind the last end of a sentence.
    pub const SENTENCE: Self = Self { chars: 0, sentence: true };

    /// That many characters.
    pub const fn chars(chars: usize) -> Self {
        Self { chars, sentence: false }
    }

    /// As much as both keep back.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { chars: self.chars.max(other.chars), sentence: self.sentence || other.sentence }
    }

    /// The end of `window` that is kept back.
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
        // The space behind a sentence goes with it.
        let sentence = sentence + (window[sentence..].len() - window[sentence..].trim_start().len());
        &window[chars.min(sentence)..]
    }
}

closed_words! {
    /// Whether the answers of a hook count.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum HookMode {
        /// They do.
        #[default]
        Enforce = "enforce",
        /// They do not: the hook runs on its own scratch, within its deadline, and the record says what it decided. It can
        /// neither deny, change, remove nor fail, so a new guard can be watched for a week before it is enforced.
        Shadow = "shadow",
    }
}

closed_words! {
    /// What a hook does where the dispatch is a replay.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum OnReplay {
        /// It runs.
        #[default]
        Run = "run",
        /// It does not: it reaches the world, or reads from it what is different today.
        Skip = "skip",
    }
}

closed_words! {
    /// Whether the dispatch waits for a hook, and where it runs.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum RunMode {
        /// Within the dispatch, which waits for it.
        #[default]
        Inline = "inline",
        /// Started at its place in the plan and not waited for.
        Detached = "detached",
        /// Written as a [`Job`](crate::detached::Job) for a worker, perhaps in another process.
        Background = "background",
    }
}

impl Default for Options {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// How long an async hook may take before it is dropped. A [`Duration`] is one.
///
/// ```
/// use std::time::Duration;
///
/// use hooks_core::hook::Timeout;
/// use hooks_core::kinds::*;
/// use hooks_core::prelude::*;
///
/// let slow = Hook::at::<BeforeToolCall>("slow").async_reader(|_, _, _| Box::pin(async {}));
/// assert_eq!(slow.timeout(Duration::from_secs(2)).options().timeout, Timeout::After(Duration::from_secs(2)));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Timeout {
    /// 30 seconds.
    #[default]
    Default,
    /// This long.
    After(Duration),
    /// As long as it likes.
    None,
}

impl From<Duration> for Timeout {
    fn from(after: Duration) -> Self {
        Self::After(after)
    }
}

impl Timeout {
    /// The deadline, `None` where there is none.
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
