//! Positions in source files and definition files.

mod origin;
mod place;

pub use origin::Origin;
pub use place::Place;
pub(crate) use place::Places;
