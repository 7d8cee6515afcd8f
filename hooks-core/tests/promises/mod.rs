//! The promises in docs/design.md, one module per promise or per part of it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::unnecessary_wraps,
    reason = "the helpers of tests are tests too"
)]

mod aliases;
mod attacked;
mod attacked_async;
mod replay;
mod shadow;
mod states;
mod support;
mod detached_support;

mod blocking;
mod definitions;
mod detached;
mod fallback_values;
mod fallbacks;
mod groups;
mod p01_plugins;
mod p01_scope;
mod p02_order;
mod p02_options_shown;
mod p02_plan_shown;
mod p02_plugins;
mod p03_annotated;
mod p03_chaining;
mod p04_app_verdicts;
mod p04_snapshots;
mod p04_transactions;
mod p05_code_of_the_app;
mod p05_deadlines_and_policies;
mod p05_filters;
mod p05_isolation;
mod p05_texts;
mod p06_gates;
mod p06_halts;
mod p07_events;
mod p09_everything_at_once;
mod p09_overrides;
mod p10_snapshots;
mod p12_dropped;
mod p12_records;
mod p12_spans;
mod p12_traces;
mod p13_ownership;
mod p13_backoff;
mod p13_bounds;
mod p13_context;
mod p13_depth;
mod p13_jobs;
mod p13_queue;
mod p13_refused;
mod p13_retries;
mod p13_reported;
mod p15_no_runtime;
mod p19_jobs;
mod parameters;
mod protocols;
mod values;
