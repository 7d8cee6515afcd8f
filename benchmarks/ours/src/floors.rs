//! What one would write by hand: a list of functions and a loop.

use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;

use futures_util::FutureExt;
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use measure::{TEXT, other};

use crate::fire;
use crate::hooks::{BeforeLookup, Query};

type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The subject of a loop, and what goes with it.
pub(crate) trait Payload: Clone + 'static {
    type Event: 'static;

    fn event() -> Self::Event;
    fn subject() -> Self;
    fn write(&mut self);
}

impl Payload for Query {
    type Event = BeforeLookup;

    fn event() -> BeforeLookup {
        fire::lookup()
    }

    fn subject() -> Self {
        fire::query()
    }

    fn write(&mut self) {
        self.text = other(&self.text);
    }
}

impl Payload for ToolResult {
    type Event = AfterToolCallSuccess;

    fn event() -> AfterToolCallSuccess {
        fire::success()
    }

    fn subject() -> Self {
        Self::new(TEXT)
    }

    fn write(&mut self) {
        self.rewrite_text(|text| Some(other(text)));
    }
}

pub(crate) type Read<P> = fn(&HookContext, &<P as Payload>::Event, &P);
pub(crate) type Lend<P> = fn(&HookContext, &<P as Payload>::Event, &mut P);
pub(crate) type Own<P> = fn(&HookContext, &<P as Payload>::Event, P) -> P;
pub(crate) type Gate = fn(&HookContext, &ToolInput) -> Permission;
pub(crate) type AsyncRead<P> =
    Box<dyn for<'a> Fn(&'a HookContext, &'a <P as Payload>::Event, &'a P) -> BoxFuture<'a, ()> + Send + Sync>;
pub(crate) type AsyncOwn<P> =
    Box<dyn for<'a> Fn(&'a HookContext, &'a <P as Payload>::Event, P) -> BoxFuture<'a, P> + Send + Sync>;

/// Function pointers that the compiler cannot see through.
fn pointers<F: Copy>(count: usize, function: F) -> Vec<F> {
    black_box(vec![function; count])
}

/// The event, the context and the subject of a loop.
fn around<P: Payload>() -> (HookContext, P::Event, Option<P>) {
    (HookContext::new(), P::event(), Some(P::subject()))
}

pub(crate) fn read<P: Payload>(count: usize) -> impl FnMut() {
    let list: Vec<Read<P>> = pointers(count, |_, _, subject| {
        black_box(subject);
    });
    let (cx, event, subject) = around::<P>();
    move || {
        for hook in &list {
            hook(black_box(&cx), black_box(&event), subject.as_ref().expect("it is there"));
        }
    }
}

pub(crate) fn lend<P: Payload>(count: usize) -> impl FnMut() {
    lending(pointers(count, |_, _, subject: &mut P| {
        black_box(subject);
    }))
}

pub(crate) fn write<P: Payload>(count: usize) -> impl FnMut() {
    lending(pointers(count, |_, _, subject: &mut P| subject.write()))
}

fn lending<P: Payload>(list: Vec<Lend<P>>) -> impl FnMut() {
    let (cx, event, mut kept) = around::<P>();
    move || {
        let mut subject = kept.take().expect("it comes back");
        for hook in &list {
            hook(black_box(&cx), black_box(&event), &mut subject);
        }
        kept = Some(subject);
    }
}

pub(crate) fn lend_caught<P: Payload>(count: usize) -> impl FnMut() {
    let list: Vec<Lend<P>> = pointers(count, |_, _, subject| {
        black_box(subject);
    });
    let (cx, event, mut kept) = around::<P>();
    move || {
        let mut subject = kept.take().expect("it comes back");
        for hook in &list {
            let caught = catch_unwind(AssertUnwindSafe(|| hook(black_box(&cx), black_box(&event), &mut subject)));
            assert!(caught.is_ok());
        }
        kept = Some(subject);
    }
}

/// What a transaction by hand costs: each hook gets a clone, which replaces the subject when it is done.
pub(crate) fn write_cloned<P: Payload>(count: usize, caught: bool) -> impl FnMut() {
    let list: Vec<Lend<P>> = pointers(count, |_, _, subject: &mut P| subject.write());
    let (cx, event, mut kept) = around::<P>();
    move || {
        let mut subject = kept.take().expect("it comes back");
        for hook in &list {
            let mut draft = subject.clone();
            let mut call = || hook(black_box(&cx), black_box(&event), &mut draft);
            if caught {
                assert!(catch_unwind(AssertUnwindSafe(call)).is_ok());
            } else {
                call();
            }
            subject = draft;
        }
        kept = Some(subject);
    }
}

pub(crate) fn own<P: Payload>(count: usize) -> impl FnMut() {
    let list: Vec<Own<P>> = pointers(count, |_, _, subject| black_box(subject));
    let (cx, event, mut kept) = around::<P>();
    move || {
        let subject = kept.take().expect("it comes back");
        kept = Some(list.iter().fold(subject, |subject, hook| hook(black_box(&cx), black_box(&event), subject)));
    }
}

pub(crate) fn gate(count: usize) -> impl FnMut() {
    let list: Vec<Gate> = pointers(count, |_, input| {
        black_box(input);
        Permission::NoOpinion
    });
    let (cx, input) = (HookContext::new(), ToolInput::from(serde_json::json!({ "query": TEXT })));
    move || {
        let mut verdict = Permission::NoOpinion;
        for hook in &list {
            verdict.merge(hook(black_box(&cx), black_box(&input)));
        }
        black_box(&verdict);
    }
}

pub(crate) fn async_read<P: Payload + Sync>(count: usize) -> impl AsyncFnMut()
where
    P::Event: Sync,
{
    let one = |_| -> AsyncRead<P> {
        Box::new(|_, _, subject| {
            Box::pin(async move {
                black_box(subject);
            })
        })
    };
    let list: Vec<AsyncRead<P>> = black_box((0..count).map(one).collect());
    let (cx, event, subject) = around::<P>();
    async move || {
        for hook in &list {
            hook(black_box(&cx), black_box(&event), subject.as_ref().expect("it is there")).await;
        }
    }
}

/// What happens around each hook of an async loop.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Care {
    Nothing,
    Caught,
    Cloned,
    CaughtAndCloned,
}

pub(crate) fn async_own<P: Payload + Send>(count: usize, care: Care) -> impl AsyncFnMut() {
    owning(
        (0..count).map(|_| -> AsyncOwn<P> { Box::new(|_, _, subject| Box::pin(async move { black_box(subject) })) }),
        care,
    )
}

pub(crate) fn async_write<P: Payload + Send>(count: usize, care: Care) -> impl AsyncFnMut() {
    let one = |_| -> AsyncOwn<P> {
        Box::new(|_, _, mut subject| {
            Box::pin(async move {
                subject.write();
                subject
            })
        })
    };
    owning((0..count).map(one), care)
}

fn owning<P: Payload>(hooks: impl Iterator<Item = AsyncOwn<P>>, care: Care) -> impl AsyncFnMut() {
    let list: Vec<AsyncOwn<P>> = black_box(hooks.collect());
    let (cx, event, mut kept) = around::<P>();
    async move || {
        let mut subject = kept.take().expect("it comes back");
        for hook in &list {
            // The snapshot is there until the hook is done.
            let snapshot = matches!(care, Care::Cloned | Care::CaughtAndCloned).then(|| subject.clone());
            let answer = hook(black_box(&cx), black_box(&event), subject);
            subject = if matches!(care, Care::Caught | Care::CaughtAndCloned) {
                AssertUnwindSafe(answer).catch_unwind().await.expect("nothing panics")
            } else {
                answer.await
            };
            drop(snapshot);
        }
        kept = Some(subject);
    }
}

/// The same outcome as that of a dispatch, so that the moves are the same too.
struct Outcome<P> {
    subject: Option<P>,
    #[allow(dead_code)] // there to be moved
    report: Option<Box<[String; 4]>>,
}

type Failure = Box<dyn std::error::Error>;

#[inline(never)]
fn if_any<P: Payload>(
    list: &[Own<P>],
    cx: &HookContext,
    event: &P::Event,
    mut subject: P,
) -> Result<Outcome<P>, Failure> {
    if !list.is_empty() {
        for hook in list {
            subject = hook(cx, event, subject);
        }
    }
    Ok(Outcome { subject: Some(subject), report: None })
}

async fn if_any_async<P: Payload>(
    list: &[AsyncOwn<P>],
    cx: &HookContext,
    event: &P::Event,
    mut subject: P,
) -> Result<Outcome<P>, Failure> {
    if !list.is_empty() {
        for hook in list {
            subject = hook(cx, event, subject).await;
        }
    }
    Ok(Outcome { subject: Some(subject), report: None })
}

/// The question whether there are hooks at all, where there are none.
pub(crate) fn empty<P: Payload>() -> impl FnMut() {
    let (cx, event, mut kept) = around::<P>();
    let list = black_box(Vec::<Own<P>>::new());
    move || {
        let subject = kept.take().expect("it comes back");
        kept = if_any(&list, black_box(&cx), black_box(&event), subject).expect("nothing fails").subject;
    }
}

pub(crate) fn empty_async<P: Payload>() -> impl AsyncFnMut() {
    let (cx, event, mut kept) = around::<P>();
    let list = black_box(Vec::<AsyncOwn<P>>::new());
    async move || {
        let subject = kept.take().expect("it comes back");
        kept = if_any_async(&list, black_box(&cx), black_box(&event), subject).await.expect("nothing fails").subject;
    }
}
