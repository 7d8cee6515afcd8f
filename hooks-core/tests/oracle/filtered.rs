//! The hooks with a filter. Only the attribute can add one to a function.

use hook_sdk::prelude::*;
use hook_sdk::scope::HookRef;

use super::case::Act;
use super::hooks::{Bytes, Fails, OEvent, OGate, OStep, answer, edit, end, lend, own_later, read_later};

pub(crate) fn functions() -> [HookRef; 12] {
    hooks![g0, g1, g2, g3, s0, s1, s2, s3, e0, e1, e2, e3]
}

#[hook(id = "g0", kind = OGate, topic = "on")]
async fn g0(event: &OGate) -> Result<Permission, Fails> {
    let it = event.script.of("g0");
    // An `async fn` runs nothing before its first poll.
    read_later(it, answer(it)).await
}

#[hook(id = "g1", kind = OGate, topic = "on")]
fn g1(event: &OGate, bytes: &mut Bytes) -> Result<Permission, Fails> {
    let it = event.script.of("g1");
    lend(it, bytes, answer(it))
}

#[hook(id = "g2", kind = OGate, topic = "on|other")]
async fn g2(event: &OGate, bytes: &mut Bytes) -> Result<Permission, Fails> {
    let it = event.script.of("g2");
    edit(it, bytes);
    read_later(it, answer(it)).await
}

#[hook(id = "g3", kind = OGate, topic = "o?")]
fn g3(event: &OGate, _bytes: &Bytes) -> Result<Permission, Fails> {
    let it = event.script.of("g3");
    end(it).map(|()| answer(it))
}

#[hook(id = "s0", kind = OStep, topic = "on")]
async fn s0(event: &OStep, _bytes: &Bytes) -> Result<(), Fails> {
    read_later(event.script.of("s0"), ()).await
}

#[hook(id = "s1", kind = OStep, topic = "on")]
fn s1(event: &OStep, bytes: &mut Bytes) -> Result<(), Fails> {
    lend(event.script.of("s1"), bytes, ())
}

#[hook(id = "s2", kind = OStep, topic = "o*n")]
async fn s2(event: &OStep, bytes: Bytes) -> Result<Option<Bytes>, Fails> {
    own_later(event.script.of("s2"), bytes, |bytes, it| (it.act != Act::Remove).then_some(bytes)).await
}

#[hook(id = "s3", kind = OStep, topic = "on")]
fn s3(event: &OStep) -> Result<(), Fails> {
    end(event.script.of("s3"))
}

#[hook(id = "e0", kind = OEvent, topic = "on")]
async fn e0(event: &OEvent) -> Result<(), Fails> {
    read_later(event.script.of("e0"), ()).await
}

#[hook(id = "e1", kind = OEvent, topic = "on")]
fn e1(event: &OEvent) -> Result<(), Fails> {
    end(event.script.of("e1"))
}

#[hook(id = "e2", kind = OEvent, topic = "on")]
async fn e2(event: &OEvent) -> Result<(), Fails> {
    read_later(event.script.of("e2"), ()).await
}

#[hook(id = "e3", kind = OEvent, topic = "on")]
fn e3(event: &OEvent) -> Result<(), Fails> {
    end(event.script.of("e3"))
}
