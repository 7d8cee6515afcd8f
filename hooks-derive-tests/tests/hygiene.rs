//! The places where a hook can be defined, and attributes next to `#[hook]`. The ids of this binary are unique, because one
//! test discovers all hooks, and `setup!` rejects duplicate ids.

mod hygiene_attributes;
mod hygiene_places;

hook_sdk::setup!();
