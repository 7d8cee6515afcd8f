//! An unknown kind. The message suggests the kind that was probably meant.
use hook_sdk::prelude::*;

#[hook(id = "near", kind = before_tol_call)]
//~                        ^^^^^^^^^^^^^^^
fn near() {}

#[hook(id = "far", kind = lunch)]
//~                       ^^^^^
fn far() {}

#[hook(id = "part", kind = before_)]
//~                        ^^^^^^^
fn part() {}

#[hook(id = "Misspelt", kind = BeforeToolCal)]
//~         ^^^^^^^^^^         ^^^^^^^^^^^^^
fn misspelt() {}

fn main() {}
