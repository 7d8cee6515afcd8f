use std::any::Any;
use std::fmt;

/// Holds a conversation for one turn, among all processes that share its store. Dropping it gives the conversation back.
#[derive(Default)]
pub struct Lease {
    token: Option<u64>,
    guard: Option<Box<dyn Any + Send + Sync>>,
}

impl Lease {
    /// A lease with this token, greater than that of each earlier lease of the conversation. `guard` keeps it alive, and gives
    /// the conversation back when it is dropped.
    pub fn new(token: u64, guard: impl Any + Send + Sync) -> Self {
        Self { token: Some(token), guard: Some(Box::new(guard)) }
    }

    /// The lease of a store that no other process shares.
    pub fn none() -> Self {
        Self::default()
    }

    /// What changes under the lease carry: a store refuses them where the conversation has a later one.
    pub fn token(&self) -> Option<u64> {
        self.token
    }
}

impl fmt::Debug for Lease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lease").field("token", &self.token).field("guarded", &self.guard.is_some()).finish()
    }
}
