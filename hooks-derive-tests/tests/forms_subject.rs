//! Every form of a return by a hook that takes the subject by value, sync and async.
#![allow(clippy::unwrap_used)] // hooks of tests unwrap to assert
#![allow(clippy::ptr_arg, clippy::needless_pass_by_value, clippy::unnecessary_wraps, clippy::option_option)] // these forms are tested here

use std::convert::Infallible;
use std::io;

use crate::common::BeforePublish;
use crate::table;
use hook_sdk::prelude::*;

/// A sync and an async hook that return the same value. `$text` is the subject that they take.
macro_rules! both {
    ($($sync:ident, $waits:ident($text:ident) -> $returned:ty { $value:expr })+) => {
        $(
            #[hook(id = "sync", kind = BeforePublish)]
            fn $sync($text: String) -> $returned {
                $value
            }

            #[hook(id = "waits", kind = BeforePublish)]
            async fn $waits($text: String) -> $returned {
                $value
            }
        )+
    };
}

both! {
    subject, subject_async(text) -> String { text + "!" }
    pair, pair_async(text) -> (String, Permission) { (text + "!", Permission::Allow) }
    pair_unit, pair_unit_async(text) -> (String, ()) { (text + "!", ()) }
    pair_halt, pair_halt_async(text) -> (String, Halt) { (text + "!", Halt::new("enough")) }
    keeps, keeps_async(text) -> Option<String> { Some(text + "!") }
    removes, removes_async(_text) -> Option<String> { None }
    ok_subject, ok_subject_async(text) -> Result<String, Infallible> { Ok(text + "!") }
    ok_pair, ok_pair_async(text) -> Result<(String, Permission), io::Error> { Ok((text + "!", Permission::ask("sure"))) }
    ok_pair_halt, ok_pair_halt_async(text) -> Result<(String, Halt), io::Error> { Ok((text + "!", Halt::new("enough"))) }
    ok_keeps, ok_keeps_async(text) -> Result<Option<String>, String> { Ok(Some(text + "!")) }
    ok_removes, ok_removes_async(_text) -> Result<Option<String>, String> { Ok(None) }
    err_subject, err_subject_async(_text) -> Result<String, &'static str> { Err("no") }
    err_pair, err_pair_async(_text) -> Result<(String, Permission), String> { Err("no".to_owned()) }
    err_option, err_option_async(_text) -> Result<Option<String>, io::Error> { Err(io::Error::other("no")) }
    err_halt, err_halt_async(_text) -> Result<String, Halt> { Err(Halt::new("enough")) }
}

table! { every_form_of_a_returned_subject_has_its_effect:
    sync subject => "draft!",
    waits subject_async => "draft!",
    sync pair => "draft! | allow",
    waits pair_async => "draft! | allow",
    sync pair_unit => "draft!",
    waits pair_unit_async => "draft!",
    sync pair_halt => "draft! | deny | halt: enough",
    waits pair_halt_async => "draft! | deny | halt: enough",
    sync keeps => "draft!",
    waits keeps_async => "draft!",
    sync removes => "removed",
    waits removes_async => "removed",
    sync ok_subject => "draft!",
    waits ok_subject_async => "draft!",
    sync ok_pair => "draft! | ask",
    waits ok_pair_async => "draft! | ask",
    sync ok_pair_halt => "draft! | deny | halt: enough",
    waits ok_pair_halt_async => "draft! | deny | halt: enough",
    sync ok_keeps => "draft!",
    waits ok_keeps_async => "draft!",
    sync ok_removes => "removed",
    waits ok_removes_async => "removed",
    sync err_subject => "draft | deny | failed: no",
    waits err_subject_async => "draft | deny | failed: no",
    sync err_pair => "draft | deny | failed: no",
    waits err_pair_async => "draft | deny | failed: no",
    sync err_option => "draft | deny | failed: no",
    waits err_option_async => "draft | deny | failed: no",
    sync err_halt => "draft | deny | halt: enough",
    waits err_halt_async => "draft | deny | halt: enough",
}
