//! A kind that does not exist; the one that was likely meant is named.
use hooks_core::prelude::*;

#[hook(id = "near", kind = before_tol_call)]
//~                        ^^^^^^^^^^^^^^^
fn near() {}

#[hook(id = "far", kind = lunch)]
//~                       ^^^^^
fn far() {}

fn main() {}
