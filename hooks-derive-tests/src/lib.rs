//! Tests of the macros live in `tests/`.
