/// The decision of a rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum RuleDecision {
    /// No decision.
    #[default]
    None,
    /// Informs the model. Nothing is undone.
    Feedback(String),
    /// The turn continues, for this reason.
    Continue(String),
    /// Allows the action.
    Allow(String),
    /// A person has to be asked.
    Ask(String),
    /// The decision is made elsewhere.
    Defer(String),
    /// Denies the call, the prompt or the compaction. At `Stop` in a flat file, the answer is replaced by an error.
    Deny(String),
}

impl RuleDecision {
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

    /// Whether it replaces the decision `earlier`.
    pub(super) fn outranks(&self, earlier: &Self) -> bool {
        self.rank() > earlier.rank()
    }

    /// Merges a later decision. The higher rank wins, and the first of equal ones. The texts of several
    /// [`Feedback`](Self::Feedback) or [`Continue`](Self::Continue) decisions are joined.
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

    /// The reason that the rule gave. `None` if there is no decision.
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

    /// The name used in records. `None` if there is no decision.
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
