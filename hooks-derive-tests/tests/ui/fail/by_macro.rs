//! A hook that a macro of the user's makes: the error is at the token that the macro was given.
use hooks_core::prelude::*;

macro_rules! guard {
    ($name:ident, $id:literal, $kind:ident, $subject:ty) => {
        #[hook(id = $id, kind = $kind)]
        fn $name(_subject: &mut $subject) {}
    };
}

guard!(fine, "fine", before_tool_call, ToolInput);
guard!(bad_id, "Bad", before_tool_call, ToolInput);
//~            ^^^^^
guard!(bad_kind, "bad_kind", before_tol_call, ToolInput);
//~                          ^^^^^^^^^^^^^^^
guard!(bad_subject, "bad_subject", before_tool_call, ToolResult);
//~                                                  ^^^^^^^^^^

fn main() {}
