//! Code that must not compile, and the messages of the compiler: one file per misuse in `ui/fail`.
//!
//! The messages are those of the toolchain that the workspace is developed with. `TRYBUILD=overwrite` rewrites them.
//! `messages.rs` contains the rules for all messages.

#[test]
fn every_misuse_fails_with_its_message() {
    trybuild::TestCases::new().compile_fail("tests/ui/fail/*.rs");
}
