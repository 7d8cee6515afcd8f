//! tower: a stack of services. Boxed, it is chosen at run time; static, it is the line that nothing chosen at run time can
//! reach.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::hint::black_box;
use std::task::{Context, Poll};

use measure::{Body, COUNTS, Class, Label, Peer, Role, Sitting, TEXT, locked, other};
use tower::util::BoxService;
use tower::{Service, ServiceExt};

struct Request {
    text: String,
}

/// What is wrapped: it gives back what it is given.
struct Handler;

impl Service<Request> for Handler {
    type Response = Request;
    type Error = Infallible;
    type Future = Ready<Result<Request, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        ready(Ok(request))
    }
}

/// A hook before the handler.
struct Before<S, const WRITES: bool>(S);

impl<S: Service<Request>, const WRITES: bool> Service<Request> for Before<S, WRITES> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request) -> S::Future {
        if WRITES {
            request.text = other(&request.text);
        }
        self.0.call(black_box(request))
    }
}

fn boxed<const WRITES: bool>(n: usize) -> BoxService<Request, Request, Infallible> {
    (0..n).fold(BoxService::new(Handler), |inner, _| BoxService::new(Before::<_, WRITES>(inner)))
}

/// A hook that may wait, after the service that it wraps: the one way here that does not clone all that is within.
async fn after<const WRITES: bool>(mut request: Request) -> Result<Request, Infallible> {
    if WRITES {
        request.text = other(&request.text);
    }
    Ok(black_box(request))
}

fn boxed_async<const WRITES: bool>(n: usize) -> BoxService<Request, Request, Infallible> {
    (0..n).fold(BoxService::new(Handler), |inner, _| BoxService::new(inner.and_then(after::<WRITES>)))
}

fn four<S>(inner: S) -> Before<Before<Before<Before<S, false>, false>, false>, false> {
    Before(Before(Before(Before(inner))))
}

fn call(mut service: impl Service<Request, Response = Request, Error = Infallible> + 'static) -> impl AsyncFnMut() {
    let mut kept = Some(Request { text: TEXT.to_owned() });
    async move || {
        let request = kept.take().expect("it comes back");
        let Ok(ready) = service.ready().await;
        let Ok(request) = ready.call(black_box(request)).await;
        kept = Some(request);
    }
}

fn main() {
    let version = locked(include_str!("../../../Cargo.lock"), "tower");
    let boxed_peer =
        Peer { name: "tower", role: Role::Peer, version: version.clone(), isolates: false, chosen_at_run_time: true };
    let fixed = Peer { name: "tower", role: Role::Reference, version, isolates: false, chosen_at_run_time: false };
    let mut sitting = Sitting::new(boxed_peer);
    for n in COUNTS {
        let label = |body| Label { class: Class::Async, body, variant: "BoxService per layer", n };
        sitting.awaited(label(Body::Pass), call(boxed::<false>(n)));
        sitting.awaited(label(Body::Write), call(boxed::<true>(n)));
        let label = |body| Label { class: Class::Async, body, variant: "BoxService per layer, and_then", n };
        sitting.awaited(label(Body::Pass), call(boxed_async::<false>(n)));
        sitting.awaited(label(Body::Write), call(boxed_async::<true>(n)));
    }
    sitting.of(fixed);
    let label = |n| Label { class: Class::Sync, body: Body::Pass, variant: "static stack", n };
    sitting.awaited(label(0), call(Handler));
    sitting.awaited(label(1), call(Before::<_, false>(Handler)));
    sitting.awaited(label(8), call(four(four(Handler))));
    sitting.awaited(label(32), call(four(four(four(four(four(four(four(four(Handler))))))))));
    sitting.run();
}
