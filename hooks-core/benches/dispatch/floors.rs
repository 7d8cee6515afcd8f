//! What an app would write by hand, without isolation, order or transactions.

use std::future::Future;
use std::hint::black_box;
use std::pin::Pin;

use hook_sdk::HookContext;
use hook_sdk::data::{Messages, ToolInput, ToolResult};
use hook_sdk::kinds::AfterToolCallSuccess;
use hook_sdk::verdict::Permission;

type Event = AfterToolCallSuccess;
pub(crate) type Read = fn(&HookContext, &Event, &ToolResult);
pub(crate) type Lend = fn(&HookContext, &Event, &mut ToolResult);
pub(crate) type Own = fn(&HookContext, &Event, ToolResult) -> ToolResult;
pub(crate) type Gate = fn(&HookContext, &ToolInput) -> Permission;
pub(crate) type EditHistory = fn(&HookContext, &mut Messages);
type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
pub(crate) type AsyncRead =
    Box<dyn for<'a> Fn(&'a HookContext, &'a Event, &'a ToolResult) -> BoxFuture<'a, ()> + Send + Sync>;
pub(crate) type AsyncOwn =
    Box<dyn for<'a> Fn(&'a HookContext, &'a Event, ToolResult) -> BoxFuture<'a, ToolResult> + Send + Sync>;

/// Eight function pointers that the compiler cannot see through.
fn eight<F: Copy>(function: F) -> Vec<F> {
    black_box(vec![function; 8])
}

pub(crate) fn read() -> Vec<Read> {
    eight(|_, _, result| {
        black_box(result);
    })
}

type Observer = Box<dyn Fn(&[Run])>;

/// What is noted of a call by hand.
#[allow(dead_code)] // there to be written
pub(crate) struct Run {
    pub(crate) hook: &'static str,
    pub(crate) ok: bool,
    pub(crate) duration: std::time::Duration,
}

/// Who is given the list, unknown to the compiler.
pub(crate) fn observer() -> Observer {
    black_box(Box::new(|runs| {
        black_box(runs);
    }))
}

pub(crate) fn lend() -> Vec<Lend> {
    eight(|_, _, result| {
        black_box(result);
    })
}

pub(crate) fn own() -> Vec<Own> {
    eight(|_, _, result| black_box(result))
}

pub(crate) fn write() -> Vec<Lend> {
    eight(|_, _, result| result.is_error = !result.is_error)
}

pub(crate) fn gate() -> Vec<Gate> {
    eight(|_, input| {
        black_box(input);
        Permission::NoOpinion
    })
}

pub(crate) fn edit_history() -> Vec<EditHistory> {
    eight(|_, messages| {
        black_box(messages);
    })
}

pub(crate) fn async_read() -> Vec<AsyncRead> {
    let one = || -> AsyncRead {
        Box::new(|_, _, result| {
            Box::pin(async move {
                black_box(result);
            })
        })
    };
    black_box((0..8).map(|_| one()).collect())
}

pub(crate) fn async_own() -> Vec<AsyncOwn> {
    let one = || -> AsyncOwn { Box::new(|_, _, result| Box::pin(async move { black_box(result) })) };
    black_box((0..8).map(|_| one()).collect())
}

pub(crate) fn async_write() -> Vec<AsyncOwn> {
    let one = || -> AsyncOwn {
        Box::new(|_, _, mut result| {
            Box::pin(async move {
                result.is_error = !result.is_error;
                result
            })
        })
    };
    black_box((0..8).map(|_| one()).collect())
}
