//! The hooks, each in a file or folder of its own.

pub(crate) mod ask_for;
pub(crate) mod limit_calls;
pub(crate) mod mask_pii;
pub(crate) mod strip_images;
pub(crate) mod strip_invisible;
