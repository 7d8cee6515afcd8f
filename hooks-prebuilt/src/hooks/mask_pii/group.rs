//! The places at which `mask_pii` runs.

use super::MaskPii;
use crate::masks::mask_everywhere;

hook_sdk::group! {
    /// Replaces personal data that has a form, such as e-mail addresses and card numbers, wherever text is stored,
    /// read by a model, returned by a tool or shown.
    pub mask_pii
}

mask_everywhere!(mask_pii, MaskPii, hold = 340);
