//! The budget of a turn, shared with the turns of its callers.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use hook_sdk::kinds::StopReason;

/// How much a turn may spend, and how much it has spent. What a sub-agent spends also counts for its callers.
#[derive(Debug)]
pub(crate) struct Budget {
    calls: AtomicU32,
    most_calls: u32,
    tokens: AtomicU64,
    most_tokens: u64,
    of: Option<Arc<Budget>>,
}

/// The stop reason of a turn that ran out of tokens.
pub(crate) const TOKENS: &str = "token_budget";

impl Budget {
    pub(crate) fn new(most_calls: u32, most_tokens: Option<u64>, of: Option<Arc<Self>>) -> Self {
        let most_tokens = most_tokens.unwrap_or(u64::MAX);
        Self { calls: AtomicU32::new(0), most_calls, tokens: AtomicU64::new(0), most_tokens, of }
    }

    /// This budget, then the budgets of its callers, each with the number of levels above this one.
    fn all(&self) -> impl Iterator<Item = (u32, &Self)> {
        (0..).zip(std::iter::successors(Some(self), |budget| budget.of.as_deref()))
    }

    /// Reserves one model call, or returns the reason why none is left. Concurrent sub-agents share a budget, so the check
    /// and the reservation are one atomic step.
    pub(crate) fn spend_call(&self) -> Result<(), StopReason> {
        if let Some(reason) = self.spent() {
            return Err(reason);
        }
        for (level, budget) in self.all() {
            let next = |calls| budget.has_calls(level, calls).then_some(calls + 1);
            if budget.calls.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).is_err() {
                self.all().take(level as usize).for_each(|(_, below)| _ = below.calls.fetch_sub(1, Ordering::Relaxed));
                return Err(StopReason::MaxIterations);
            }
        }
        Ok(())
    }

    /// Whether an agent `level` levels below this budget may make another call after `calls` calls.
    fn has_calls(&self, level: u32, calls: u32) -> bool {
        // This agent, and each one between the two, keeps a call for its own answer.
        calls.saturating_add(level) < self.most_calls
    }

    pub(crate) fn spend_tokens(&self, tokens: u64) {
        for (_, budget) in self.all() {
            budget.tokens.fetch_add(tokens, Ordering::Relaxed);
        }
    }

    /// The calls and tokens that are left for a sub-agent of this budget's owner.
    pub(crate) fn left(&self) -> (u32, u64) {
        let of_one = |(level, budget): (u32, &Self)| {
            let calls =
                budget.most_calls.saturating_sub(budget.calls.load(Ordering::Relaxed)).saturating_sub(level + 1);
            (calls, budget.most_tokens.saturating_sub(budget.tokens.load(Ordering::Relaxed)))
        };
        let all = self.all().map(of_one);
        all.fold((u32::MAX, u64::MAX), |least, one| (least.0.min(one.0), least.1.min(one.1)))
    }

    /// The reason why no further call may be made, if there is one.
    pub(crate) fn spent(&self) -> Option<StopReason> {
        if self.all().any(|(_, budget)| budget.tokens.load(Ordering::Relaxed) >= budget.most_tokens) {
            return Some(StopReason::from(TOKENS));
        }
        self.has_no_calls().then_some(StopReason::MaxIterations)
    }

    /// Whether the limit of model calls is reached.
    pub(crate) fn has_no_calls(&self) -> bool {
        self.all().any(|(level, budget)| !budget.has_calls(level, budget.calls.load(Ordering::Relaxed)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_spends_is_spent_by_all_above_and_each_keeps_a_call_to_answer_with() {
        let top = Arc::new(Budget::new(4, Some(100), None));
        let low = Budget::new(10, None, Some(Arc::clone(&top)));
        assert_eq!(top.spend_call(), Ok(()));
        for _ in 0..2 {
            assert_eq!(low.spend_call(), Ok(()));
        }
        assert_eq!(low.spend_call(), Err(StopReason::MaxIterations));
        assert_eq!((low.spent(), top.spent()), (Some(StopReason::MaxIterations), None));
        assert_eq!(top.left(), (0, 100));
        assert_eq!(top.spend_call(), Ok(()));
        assert_eq!(top.spent(), Some(StopReason::MaxIterations));
        let top = Arc::new(Budget::new(6, None, None));
        let middle = Arc::new(Budget::new(10, None, Some(Arc::clone(&top))));
        let low = Budget::new(10, None, Some(Arc::clone(&middle)));
        assert_eq!((top.spend_call(), middle.spend_call(), middle.left().0), (Ok(()), Ok(()), 2));
        while low.spend_call().is_ok() {}
        assert_eq!((middle.spend_call(), middle.spend_call()), (Ok(()), Err(StopReason::MaxIterations)));
        assert_eq!((top.spend_call(), top.spend_call()), (Ok(()), Err(StopReason::MaxIterations)));
        let top = Arc::new(Budget::new(4, Some(100), None));
        let low = Budget::new(10, None, Some(Arc::clone(&top)));
        low.spend_tokens(100);
        assert_eq!((low.spent(), top.spent()), (Some(TOKENS.into()), Some(TOKENS.into())));
    }
}
