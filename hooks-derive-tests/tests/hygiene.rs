//! Where hooks may stand and what may stand beside them, in a binary whose ids are unique: one test discovers all of its
//! hooks, and `setup!` refuses two of one id.

mod hygiene_attributes;
mod hygiene_places;

hooks_core::setup!();
