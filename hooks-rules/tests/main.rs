//! The tests of rules, one binary; `faults` has one of its own.

mod answers;
mod contract;
mod corpus;
mod files;
mod filters;
mod matchers;
mod rules;
mod schema;
mod stdin;
mod support;
