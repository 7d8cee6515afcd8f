//! The tests of the turn loop, one binary.

mod conformance;
mod genai;
mod mcp;
mod recorded;
mod rules;
mod turns;
