//! The places at which `mask_secrets` runs.

use super::MaskSecrets;
use crate::masks::mask_everywhere;

hook_sdk::group! {
    /// Replaces keys, tokens and passwords wherever text is stored, read by a model, returned by a tool or shown.
    pub mask_secrets
}

mask_everywhere!(mask_secrets, MaskSecrets, hold = 256);
