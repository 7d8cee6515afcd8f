use super::HookUse;

/// An entry for a list of hooks: an element of `hooks![…]`, an id, or a [`HookUse`] with parameters.
///
/// A list of functions does not compile:
///
/// ```compile_fail,E0277
/// use hook_sdk::prelude::*;
///
/// #[hook(id = "count_calls", kind = after_tool_call)]
/// fn count_calls() {}
///
/// let agent = AgentDef::new("support").hooks(vec![count_calls]); // write `hooks![count_calls]`
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not name a hook",
    label = "not an entry for a list of hooks",
    note = "name functions with `hooks![…]`, as in `.hooks(hooks![redact_pii])`, or hooks by their ids, as in `.hooks([\"redact_pii\"])`"
)]
pub trait ListEntry {
    /// Converts into an entry.
    fn into_use(self) -> HookUse;
}

#[diagnostic::do_not_recommend]
impl<T: Into<HookUse>> ListEntry for T {
    fn into_use(self) -> HookUse {
        self.into()
    }
}
