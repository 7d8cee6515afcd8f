//! Starts turns, and the handle of a running turn.

use std::future::{Future, IntoFuture};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use futures_util::{FutureExt, Stream};
use hook_sdk::CancellationToken;
use hook_sdk::data::Message;
use hook_sdk::hook::BoxFuture;
use hook_sdk::kinds::ExitReason;
use tokio::sync::oneshot;

use super::pairs::said;
use super::steering::Steering;
use super::{Start, run};
use crate::event::TurnEvent;
use crate::event_queue::{EventReceiver, events};
use crate::panics::{self, contained};
use crate::reply::{Outcome, Reply, TurnError};
use crate::request::TurnRequest;
use crate::state::SessionState;

/// Queues a turn behind the other turns of its conversation, and runs it as a task.
pub(crate) fn begin(session: &Arc<SessionState>, mut request: TurnRequest, cancellation: CancellationToken) -> Turn {
    request.message = request.message.map(said);
    let (sender, events) = events(session.limits.events);
    let (answer, reply) = oneshot::channel();
    let joined = request.again.as_ref().map(|again| again.joined.clone());
    let steering = joined.map(Steering::recorded).unwrap_or_default();
    let start = Start {
        session: Arc::clone(session),
        request,
        events: sender,
        steering: steering.clone(),
        cancellation: cancellation.clone(),
    };
    let queue = Arc::clone(&session.one_at_a_time);
    // A turn can start turns of sub-agents. The box breaks the recursive type.
    let run: BoxFuture<'static, Reply> = Box::pin(run(start));
    let ended = Arc::new(Mutex::new(None));
    let run = wrapped(session, run, &ended);
    // Joins the queue here and not in the task, so that turns run in the order in which they are started, whenever
    // their tasks are polled.
    let mut place = Box::pin(tokio::task::unconstrained(queue.lock_owned()));
    let at_once = place.as_mut().now_or_never();
    let (running, waits, session) = (session.harness.running.begin(), cancellation.clone(), Arc::clone(session));
    let joining = steering.clone();
    tokio::spawn(async move {
        // A turn that never begins fires no hooks. Only the listener gets its reply.
        let cancelled = || session.report(&session.cx, joining.not_begun(Outcome::Cancelled));
        let place = match (&running, at_once) {
            (None, _) => None,
            (_, Some(place)) => Some(place),
            _ => waits.run_until_cancelled(place).await,
        };
        let ran = match &place {
            Some(_) => contained(run).await,
            None => Ok(cancelled()),
        };
        let reply = ran.unwrap_or_else(|panic| {
            let failed = Outcome::Failed(TurnError::Panicked(panics::message(panic)));
            match ended.lock().unwrap_or_else(PoisonError::into_inner).take() {
                Some(reply) => Reply { outcome: failed, exit: ExitReason::Error, ..reply },
                None => session.report(&session.cx, joining.not_begun(failed)),
            }
        });
        drop(place);
        // The receiver may have been dropped.
        let _ = answer.send(reply);
        drop(running);
    });
    Turn { events, reply, steering, _cancel: CancelOnDrop(cancellation.clone()), cancellation }
}

/// The turn with the wrapper of the app around it. What the turn did stays known in `ended`, even if the wrapper panics.
fn wrapped(
    session: &Arc<SessionState>,
    run: BoxFuture<'static, Reply>,
    ended: &Arc<Mutex<Option<Reply>>>,
) -> BoxFuture<'static, Reply> {
    let Some(around) = &session.harness.around else { return run };
    let ended = Arc::clone(ended);
    let run = Box::pin(async move {
        let reply = run.await;
        *ended.lock().unwrap_or_else(PoisonError::into_inner) = Some(reply.without_outcome());
        reply
    });
    let wrapped = catch_unwind(AssertUnwindSafe(|| around(&session.cx, run)));
    wrapped.unwrap_or_else(|panic| Box::pin(async { resume_unwind(panic) }))
}

/// A running turn. Dropping it cancels the turn.
#[derive(Debug)]
#[must_use = "dropping a turn cancels it"]
pub struct Turn {
    events: EventReceiver,
    reply: oneshot::Receiver<Reply>,
    cancellation: CancellationToken,
    steering: Steering,
    _cancel: CancelOnDrop,
}

#[derive(Debug)]
struct CancelOnDrop(CancellationToken);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl Turn {
    /// The next event. `None` when the turn is over.
    pub async fn next(&mut self) -> Option<TurnEvent> {
        std::future::poll_fn(|cx| self.events.poll_next(cx)).await
    }

    /// Waits for the end of the turn. Returns its reply and all events that nobody has read.
    pub async fn finish(mut self) -> (Reply, Vec<TurnEvent>) {
        let mut events = Vec::new();
        while let Some(event) = self.next().await {
            events.push(event);
        }
        (self.await, events)
    }

    /// Cancels the turn. Its reply contains what was done until then.
    pub fn cancel(&self) {
        self.cancellation.cancel();
    }

    /// Adds `message` to the turn. It is stored, with the hooks around it, before the next model call. If the turn ends
    /// before that, the message is in [`Reply::not_joined`]. Returns `false` if the turn accepts no more messages; the
    /// message is then discarded.
    pub fn steer(&self, message: Message) -> bool {
        self.steering.steer(message)
    }

    /// A handle that [steers](Self::steer) the turn from another task.
    pub fn steering(&self) -> Steering {
        self.steering.clone()
    }

    /// A token that cancels the turn, for another task.
    pub fn cancellation(&self) -> CancellationToken {
        self.cancellation.clone()
    }
}

/// The events of the turn, until it is over. Await the turn for its reply.
impl Stream for Turn {
    type Item = TurnEvent;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<TurnEvent>> {
        self.events.poll_next(cx)
    }
}

/// Waits for the end of the turn and returns its reply.
impl IntoFuture for Turn {
    type Output = Reply;
    type IntoFuture = Pin<Box<dyn Future<Output = Reply> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        let Self { events, reply, _cancel: cancel, .. } = self;
        // Without a reader, no events need to be buffered.
        drop(events);
        Box::pin(async move {
            let _cancel = cancel;
            // Only a runtime that shuts down drops a turn before its end.
            reply.await.unwrap_or_else(|_| Reply::of(Outcome::Cancelled))
        })
    }
}
