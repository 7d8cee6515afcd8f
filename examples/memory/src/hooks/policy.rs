use hooks_core::kinds::PrePolicy;
use hooks_core::prelude::*;

use crate::policy::Policy;

/// Settles whether notes may be read and written in this turn, by what the person says of it.
#[hook(id = "memory_policy", kind = pre_policy)]
pub fn memory_policy(event: &PrePolicy) -> Vec<Contribution> {
    Policy::wanted(&event.prompt).contributions()
}
