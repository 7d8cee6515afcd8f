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
    /// It has come, and is being judged.
    Judged(CancellationToken),
    /// The client does not want it any more. The id stays taken: the server may answer late.
    Cancelled,
}

#[derive(Default)]
pub(crate) struct Requests(Mutex<Open>);

#[derive(Default)]
struct Open {
    waiting: HashMap<Id, Waiting>,
    has_ended: bool,
}

impl Requests {
    /// Notes a request. `false` if its id is taken, so that two answers could be mistaken for each other.
    pub(crate) fn note(&self, id: Id, waiting: Waiting) -> bool {
        let mut open = self.lock();
        let has_ended = open.has_ended;
        match open.waiting.entry(id) {
            Entry::Occupied(_) => false,
            Entry::Vacant(place) => {
                // No answer comes any more: whoever waits for it hears of that at once.
                if !has_ended {
                    place.insert(waiting);
                }
                true
            }
        }
    }

    /// What happens with an answer. `None` if nobody waits for it: the second answer of a request, or one of none.
    pub(crate) fn take(&self, id: &Id) -> Option<Waiting> {
        match self.lock().waiting.entry(id.clone()) {
            Entry::Occupied(place) if matches!(place.get(), Waiting::Judged(_)) => None,
            Entry::Occupied(mut place) => Some(match place.get() {
                Waiting::Call(_, token) => {
                    let token = token.clone();
                    place.insert(Waiting::Judged(token))
                }
                _ => place.remove(),
            }),
            Entry::Vacant(_) => None,
        }
    }

    /// A call has ended that the server has answered, or was not asked about. Of any other, the answer may still come.
    pub(crate) fn forget(&self, id: &Id, was_asked: bool) {
        if let Entry::Occupied(place) = self.lock().waiting.entry(id.clone())
            && (!was_asked || matches!(place.get(), Waiting::Judged(_)))
        {
            place.remove();
        }
    }

    pub(crate) fn cancel(&self, id: &Id) {
        let mut open = self.lock();
        let Some(waiting) = open.waiting.get_mut(id) else { return };
        // Its answer has come: nothing is left to wait for.
        if let Waiting::Judged(token) = waiting {
            return token.cancel();
        }
        if let Waiting::Call(_, token) = std::mem::replace(waiting, Waiting::Cancelled) {
            token.cancel();
        }
    }

    /// No answer comes any more.
    pub(crate) fn end(&self) {
        let mut open = self.lock();
        open.has_ended = true;
        open.waiting.retain(|_, waiting| matches!(waiting, Waiting::Judged(_)));
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
