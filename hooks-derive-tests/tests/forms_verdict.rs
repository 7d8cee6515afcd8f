//! Every form of a return by a hook that does not take the subject by value, sync and async.
#![allow(clippy::unwrap_used)] // hooks of tests unwrap to assert
#![allow(
    clippy::ptr_arg,
    clippy::needless_pass_by_value,
    clippy::unnecessary_wraps,
    clippy::option_option,
    clippy::elidable_lifetime_names
)] // these forms are tested here

use std::convert::Infallible;
use std::error::Error;
use std::{fmt, io};

use crate::common::BeforePublish;
use crate::table;
use hook_sdk::prelude::*;

/// An app's own answer.
struct Answer(bool);

impl From<Answer> for Permission {
    fn from(answer: Answer) -> Self {
        if answer.0 { Self::Allow } else { Self::deny("no") }
    }
}

/// An app's own error.
#[derive(Debug)]
struct Offline;

impl fmt::Display for Offline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("offline")
    }
}

impl Error for Offline {}

/// An app's error enum, which converts from other errors.
#[derive(Debug)]
enum AppError {
    Offline(Offline),
}

impl From<Offline> for AppError {
    fn from(error: Offline) -> Self {
        Self::Offline(error)
    }
}

impl From<AppError> for Box<dyn Error + Send + Sync> {
    fn from(error: AppError) -> Self {
        match error {
            AppError::Offline(offline) => Box::new(offline),
        }
    }
}

/// A sync and an async hook that return the same.
macro_rules! both {
    ($($sync:ident, $waits:ident -> $returned:ty { $value:expr })+) => {
        $(
            #[hook(id = "sync", kind = BeforePublish)]
            fn $sync(text: &mut String) -> $returned {
                text.push('!');
                $value
            }

            #[hook(id = "waits", kind = BeforePublish)]
            async fn $waits(text: &mut String) -> $returned {
                text.push('!');
                $value
            }
        )+
    };
}

both! {
    unit, unit_async -> () { () }
    verdict, verdict_async -> Permission { Permission::Allow }
    converts, converts_async -> Answer { Answer(false) }
    opaque, opaque_async -> impl Into<Permission> { Answer(true) }
    halts, halts_async -> Halt { Halt::new("enough") }
    ok_unit, ok_unit_async -> Result<(), io::Error> { Ok(()) }
    ok_verdict, ok_verdict_async -> io::Result<Permission> { Ok(Permission::Allow) }
    ok_converts, ok_converts_async -> Result<Answer, Infallible> { Ok(Answer(true)) }
    ok_halts, ok_halts_async -> Result<Halt, String> { Ok(Halt::new("enough")) }
    err_io, err_io_async -> Result<(), io::Error> { Err(io::Error::other("disk")) }
    err_text, err_text_async -> Result<Permission, String> { Err("text".into()) }
    err_str, err_str_async -> Result<Permission, &'static str> { Err("str") }
    err_box, err_box_async -> Result<Answer, Box<dyn Error + Send + Sync>> { Err("box".into()) }
    err_own, err_own_async -> Result<(), Offline> { Err(Offline) }
    err_converts, err_converts_async -> Result<(), AppError> { Err(Offline)? }
    err_halts, err_halts_async -> Result<Permission, Halt> { Err(Halt::new("enough")) }
    asks_halt, asks_halt_async -> Result<Permission, Box<dyn Error + Send + Sync>> { Err(Halt::new("enough"))? }
}

#[hook(id = "no_return_type", kind = BeforePublish)]
fn no_return_type() {}

#[hook(id = "reader_result", kind = BeforePublish)]
fn reader_result(text: &String) -> Result<Permission, Infallible> {
    Ok(if text.is_empty() { Permission::deny("empty") } else { Permission::Allow })
}

table! { every_form_of_a_returned_verdict_has_its_effect:
    sync no_return_type => "draft",
    sync reader_result => "draft | allow",
    sync unit => "draft!",
    waits unit_async => "draft!",
    sync verdict => "draft! | allow",
    waits verdict_async => "draft! | allow",
    sync converts => "draft! | deny",
    waits converts_async => "draft! | deny",
    sync opaque => "draft! | allow",
    waits opaque_async => "draft! | allow",
    sync halts => "draft! | deny | halt: enough",
    waits halts_async => "draft! | deny | halt: enough",
    sync ok_unit => "draft!",
    waits ok_unit_async => "draft!",
    sync ok_verdict => "draft! | allow",
    waits ok_verdict_async => "draft! | allow",
    sync ok_converts => "draft! | allow",
    waits ok_converts_async => "draft! | allow",
    sync ok_halts => "draft! | deny | halt: enough",
    waits ok_halts_async => "draft! | deny | halt: enough",
}

// A gate that fails denies, and its change of the subject is undone. A halt that is returned as an error is not a failure,
// and keeps the change.
table! { every_form_of_a_returned_error_has_its_effect:
    sync err_io => "draft | deny | failed: disk",
    waits err_io_async => "draft | deny | failed: disk",
    sync err_text => "draft | deny | failed: text",
    waits err_text_async => "draft | deny | failed: text",
    sync err_str => "draft | deny | failed: str",
    waits err_str_async => "draft | deny | failed: str",
    sync err_box => "draft | deny | failed: box",
    waits err_box_async => "draft | deny | failed: box",
    sync err_own => "draft | deny | failed: offline",
    waits err_own_async => "draft | deny | failed: offline",
    sync err_converts => "draft | deny | failed: offline",
    waits err_converts_async => "draft | deny | failed: offline",
    sync err_halts => "draft! | deny | halt: enough",
    waits err_halts_async => "draft! | deny | halt: enough",
    sync asks_halt => "draft! | deny | halt: enough",
    waits asks_halt_async => "draft! | deny | halt: enough",
}

/// Return types whose names hide their meaning, or suggest another one.
mod disguised {
    use hook_sdk::prelude::*;

    pub(crate) type Both = (String, Permission);
    pub(crate) type Kept = (String, ());
    pub(crate) type Done = std::result::Result<(), std::fmt::Error>;

    /// Not a result, despite its name.
    #[derive(Debug)]
    pub(crate) struct Result<T>(pub(crate) T);

    impl From<Result<()>> for Permission {
        fn from(Result(()): Result<()>) -> Self {
            Permission::NoOpinion
        }
    }
}

#[hook(id = "judges_as_alias", kind = BeforePublish)]
fn judges_as_alias(text: String) -> disguised::Both {
    (text + " 1", Permission::NoOpinion)
}

#[hook(id = "judges_as_result", kind = BeforePublish)]
fn judges_as_result(text: &mut String) -> disguised::Result<()> {
    text.push_str(" 2");
    disguised::Result(())
}

#[hook(id = "judges_unnamed", kind = BeforePublish)]
fn judges_unnamed(text: &mut String) -> impl Into<Permission> + use<> {
    text.push_str(" 3");
    Permission::NoOpinion
}

#[hook(id = "rewrites_as_alias", kind = BeforePublish)]
fn rewrites_as_alias(text: &mut String) -> disguised::Done {
    text.push_str(" a");
    Ok(())
}

#[hook(id = "rewrites_as_pair", kind = BeforePublish)]
async fn rewrites_as_pair(text: String) -> disguised::Kept {
    (text + " b", ())
}

#[hook(id = "rewrites_or_fails", kind = BeforePublish)]
fn rewrites_or_fails<'a>(text: String, _event: &'a BeforePublish) -> Result<Option<String>, std::borrow::Cow<'a, str>> {
    Ok(Some(text + " c"))
}

/// At a gate, hooks that only rewrite run before hooks that return a verdict. The order shows how each hook is classified.
#[tokio::test]
async fn a_hook_is_classified_by_its_return_type_and_not_by_the_name_of_the_type() {
    let set = crate::common::set(hooks![
        judges_as_alias,
        judges_as_result,
        judges_unnamed,
        rewrites_as_alias,
        rewrites_as_pair,
        rewrites_or_fails
    ]);
    let event = BeforePublish { topic: "news".into() };
    let fired = set.fire(&HookContext::new(), &event, "text".to_owned()).await.unwrap();
    assert_eq!(fired.subject.unwrap(), "text a b c 1 2 3");
}
