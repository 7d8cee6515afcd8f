//! The tests of the macros, one binary; those about the crate root have one each.

mod common;
mod compile_fail;
mod forms_kinds;
mod forms_parameters;
mod forms_run;
mod forms_subject;
mod forms_verdict;
mod forms_with;
mod messages;
mod quotas;
mod verdicts;
