//! The requests of a client that wait for an answer.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hook_sdk::CancellationToken;
use tokio::sync::oneshot;

use crate::message::Id;

/// What happens with the answer of a request.
pub(crate) enum Waiting {
    /// It passes.
    Plain,
    /// It is a list of tools.
    List,
    /// It is the result of a call, for whoever guards it.
    Call(oneshot::Sender<Vec<u8>>, CancellationToken),
    /// The client does not want it any more. The id stays taken: the server may answer late.
    Cancelled,
}

#[derive(Default)]
pub(crate) struct Requests(Mutex<HashMap<Id, Waiting>>);

impl Requests {
    /// Notes a request. `false` if its id is taken, so that two answers could be mistaken for each other.
    pub(crate) fn note(&self, id: Id, waiting: Waiting) -> bool {
        match self.lock().entry(id) {
            Entry::Occupied(_) => false,
            Entry::Vacant(place) => {
                place.insert(waiting);
                true
            }
        }
    }

    /// What happens with an answer. `None` if nobody waits for it: the second answer of a request, or one of none.
    pub(crate) fn take(&self, id: &Id) -> Option<Waiting> {
        self.lock().remove(id)
    }

    /// Forgets a call that the server was not asked about. Another request with its id stays.
    pub(crate) fn withdraw(&self, id: &Id) {
        if let Entry::Occupied(place) = self.lock().entry(id.clone())
            && match place.get() {
                Waiting::Call(guarding, _) => guarding.is_closed(),
                Waiting::Cancelled => true,
                Waiting::Plain | Waiting::List => false,
            }
        {
            place.remove();
        }
    }

    pub(crate) fn cancel(&self, id: &Id) {
        if let Some(waiting) = self.lock().get_mut(id)
            && let Waiting::Call(_, token) = std::mem::replace(waiting, Waiting::Cancelled)
        {
            token.cancel();
        }
    }

    /// No answer comes any more.
    pub(crate) fn end(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Id, Waiting>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
