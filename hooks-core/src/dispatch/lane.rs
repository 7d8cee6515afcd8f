//! A lane of readers: functions that are called in a loop until one of them has an effect.

use crate::handler::{Answer, ReadFn};
use crate::kind::HookKind;
use crate::panics::catch;
use crate::verdict::Verdict;

use super::inputs::Inputs;

/// The first hook of a lane with an effect: its index, and its answer or the message of its panic.
pub(super) type FirstEffect<K> = (usize, Result<Answer<<K as HookKind>::Verdict>, String>);

/// Calls readers up to the first effect. They touch no state of the dispatch, so a lane without an effect needs none.
#[inline(always)]
pub(super) fn read<K: HookKind>(
    lane: &[ReadFn<K>],
    inputs: Inputs<'_, K>,
    subject: &K::Subject,
) -> Option<FirstEffect<K>> {
    let mut called = 0;
    let effect = catch(|| {
        for hook in lane {
            // Counted before the call: if the call panics, the last one counted is the one that did.
            called += 1;
            match hook(inputs.cx, inputs.event, subject) {
                Ok(verdict) if verdict.is_silent() => {}
                answer => return Some(answer),
            }
        }
        None
    });
    let effect = effect.map_or_else(|panic| Some(Err(panic)), |answer| answer.map(Ok))?;
    Some((called - 1, effect))
}
