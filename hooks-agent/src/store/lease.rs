use std::any::Any;
use std::fmt;

/// An exclusive lock on a conversation for one turn, across all processes that share its store. Dropping it releases
/// the conversation.
#[derive(Default)]
pub struct Lease {
    token: Option<u64>,
    guard: Option<Box<dyn Any + Send + Sync>>,
}

impl Lease {
    /// Creates a lease with this token, which is greater than those of all earlier leases of the conversation. `guard`
    /// keeps the lease alive and releases it when dropped.
    pub fn new(token: u64, guard: impl Any + Send + Sync) -> Self {
        Self { token: Some(token), guard: Some(Box::new(guard)) }
    }

    /// Creates a lease for a store that only one process uses.
    pub fn none() -> Self {
        Self::default()
    }

    /// The fencing token that changes under this lease carry. A store rejects a change if the conversation has had a
    /// later lease.
    pub fn token(&self) -> Option<u64> {
        self.token
    }
}

impl fmt::Debug for Lease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lease").field("token", &self.token).field("guarded", &self.guard.is_some()).finish()
    }
}
