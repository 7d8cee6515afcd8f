//! Turns of a harness, observed from outside: which kinds fire in which order, what the model gets, what is stored.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of tests are tests too")]

mod agents;
mod approvals;
mod around;
mod attacked;
mod bench;
mod checked;
mod closures;
mod cases_of_calls;
mod cases_of_ends;
mod compaction;
mod control;
mod instead;
mod kept;
mod left_open;
mod delegate;
mod order;
mod order_cancelled;
mod parallel;
mod parted;
mod phases;
mod random;
mod limited;
mod requests;
mod resumed;
mod retries;
mod storm;
mod stores;
mod streams;
mod suspended;
mod room;
mod extras;
mod hostile;
mod context;
mod tools;
mod who;
