//! The store on SQLite, and on Postgres where `HOOKS_POSTGRES` has the URL of one.
#![allow(clippy::unwrap_used, reason = "tests say what they expect by unwrapping")]

mod contract;
mod jobs;
mod databases;
