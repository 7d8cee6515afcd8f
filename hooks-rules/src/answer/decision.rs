/// What a rule decided.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Decision {
    /// Nothing.
    #[default]
    None,
    /// The model reads it, nothing is undone.
    Feedback(String),
    /// The turn goes on, with this as the reason.
    Continue(String),
    /// It may happen.
    Allow(String),
    /// A person is to be asked.
    Ask(String),
    /// It is to be decided elsewhere.
    Defer(String),
    /// It does not happen: the call, the prompt, the compaction; in a flat file's `Stop` the answer is replaced by an error.
    Deny(String),
}

impl Decision {
    fn rank(&self) -> u8 {
        match self {
            Self::None => 0,
            Self::Feedback(_) => 1,
            Self::Continue(_) => 2,
            Self::Allow(_) => 3,
            Self::Ask(_) => 4,
            Self::Defer(_) => 5,
            Self::Deny(_) => 6,
        }
    }

    /// Whether it takes the place of another one that came before it.
    pub(super) fn outranks(&self, earlier: &Self) -> bool {
        self.rank() > earlier.rank()
    }

    /// Folds in a later one: the higher rank holds, the first of equals; texts of feedback and of wishes to go on are
    /// joined.
    pub(super) fn merge(&mut self, later: Self) {
        match (&mut *self, later) {
            (Self::Feedback(first), Self::Feedback(second)) | (Self::Continue(first), Self::Continue(second)) => {
                first.push_str("\n\n");
                first.push_str(&second);
            }
            (first, second) if second.rank() > first.rank() => *self = second,
            _ => {}
        }
    }

    /// Why, in the words of the rule; `None` where nothing was decided.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::None => None,
            Self::Feedback(reason)
            | Self::Continue(reason)
            | Self::Allow(reason)
            | Self::Ask(reason)
            | Self::Defer(reason)
            | Self::Deny(reason) => Some(reason),
        }
    }

    /// A word for records; `None` where nothing was decided.
    pub fn as_str(&self) -> Option<&'static str> {
        Some(match self {
            Self::None => return None,
            Self::Feedback(_) => "feedback",
            Self::Continue(_) => "continue",
            Self::Allow(_) => "allow",
            Self::Ask(_) => "ask",
            Self::Defer(_) => "defer",
            Self::Deny(_) => "deny",
        })
    }
}
