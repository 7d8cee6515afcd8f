//! What must not compile, and what is said about it: one file per misuse in `ui/fail`.
//!
//! Texts are those of the toolchain that the workspace is developed with; `TRYBUILD=overwrite` writes them anew. What
//! every text has to keep to is in `messages.rs`.

#[test]
fn every_misuse_has_its_message() {
    trybuild::TestCases::new().compile_fail("tests/ui/fail/*.rs");
}
