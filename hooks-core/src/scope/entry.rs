use super::{HookRef, HookUse};

/// What a list of hooks is made of: an entry of `hooks![…]`, an id, or a [`HookUse`] with parameters.
///
/// A list of functions is none:
///
/// ```compile_fail,E0277
/// use hooks_core::prelude::*;
///
/// #[hook(id = "count_calls", kind = after_tool_call)]
/// fn count_calls() {}
///
/// let agent = AgentDef::new("support").hooks(vec![count_calls]); // write `hooks![count_calls]`
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not name a hook",
    label = "no entry of a list of hooks",
    note = "name functions with `hooks![…]`, as in `.hooks(hooks![redact_pii])`, or hooks by their ids, as in `.hooks([\"redact_pii\"])`"
)]
pub trait ListEntry {
    /// The entry.
    fn into_use(self) -> HookUse;
}

impl ListEntry for HookUse {
    fn into_use(self) -> HookUse {
        self
    }
}

impl ListEntry for HookRef {
    fn into_use(self) -> HookUse {
        self.into()
    }
}

impl ListEntry for &str {
    fn into_use(self) -> HookUse {
        self.into()
    }
}

impl ListEntry for String {
    fn into_use(self) -> HookUse {
        self.into()
    }
}
