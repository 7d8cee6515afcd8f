//! Tests of the checks, with small crates that violate each rule.

use super::circles::{Circle, circles};
use super::emitted::below;
use super::names::{defined_twice, exported_twice};
use super::oldest::chains_of_let;
use super::order::broken;
use super::source::{Crate, Files};

fn krate(name: &str, files: &[(&str, &str)]) -> Crate {
    let files: Files = files.iter().map(|(file, text)| (String::from(*file), String::from(*text))).collect();
    Crate::parse(name, &files)
}

fn order_of(files: &[(&str, &str)]) -> Vec<String> {
    broken(&krate("it", files))
}

#[test]
fn a_module_can_use_modules_above_it() {
    let found = order_of(&[
        ("lib.rs", "mod base; mod above; pub use base::Base; pub mod prelude;"),
        ("base.rs", "mod inner; pub struct Base;"),
        ("base/inner.rs", "use super::Base; fn f(_: super::super::base::Base) {}"),
        ("above.rs", "use crate::Base; fn f(_: crate::base::Base) {}"),
        ("prelude.rs", "pub use crate::{Base, above};"),
    ]);
    assert_eq!(found, [""; 0]);
}

#[test]
fn a_chain_of_let_is_found() {
    let code = "fn f(a: Option<u8>) { if let Some(_) = a {} if a.is_some() && true {} if let Some(b) = a && b > 1 {} }";
    assert_eq!(chains_of_let(&krate("it", &[("lib.rs", code)])), ["it/src/lib.rs:1"]);
    assert_eq!(chains_of_let(&krate("it", &[("lib.rs", "fn f() { while true && let Some(_) = g() {} }")])).len(), 1);
}

#[test]
fn every_form_of_a_use_of_a_lower_module_is_found() {
    let forms = [
        ("use crate::low::Low;", "crate::low::Low"),
        ("use crate::{low, other as o};", "crate::low"),
        ("use crate::low::{self};", "crate::low"),
        ("use crate::low::*;", "crate::low::*"),
        ("use crate::Low;", "crate::Low"),
        ("use crate::Renamed;", "crate::Renamed"),
        ("use crate::Inner;", "crate::Inner"),
        ("use super::low::Low;", "super::low::Low"),
        ("use it::low::Low;", "it::low::Low"),
        ("fn f(_: &crate::Low) {}", "crate::Low"),
        ("fn f() { crate::low::f() }", "crate::low::f"),
        ("fn f() -> bool { matches!(1, crate::low::ONE) }", "crate::low::ONE"),
        ("macro_rules! m { () => { $crate::low::f() } }", "crate::low::f"),
        ("#[serde(with = \"crate::low\")] struct S;", "crate::low"),
        ("impl crate::Low { fn f() {} }", "crate::Low"),
    ];
    for (code, path) in forms {
        let found = order_of(&[
            ("lib.rs", "mod other; mod high; mod low; pub use low::{Low, f as Renamed}; pub use low::inner::*;"),
            ("other.rs", ""),
            ("high.rs", code),
            ("low.rs", "pub mod inner { pub struct Inner; }"),
        ]);
        let wanted = format!(
            "`high` uses `low`, which is below it: move `mod low` above `mod high`, or remove the use of `{path}` in it/src/high.rs:1"
        );
        assert_eq!(found, [&wanted, "a valid order of the `mod` lines is: other, low, high"], "{code}");
    }
}

#[test]
fn a_use_in_an_inner_module_counts_for_its_top_level_module() {
    let found = order_of(&[
        ("lib.rs", "mod high; mod low;"),
        ("high.rs", "mod inner;\n\nmod here { use super::super::low::A; }"),
        ("high/inner.rs", "\nuse super::super::low::B;"),
        ("low.rs", ""),
    ]);
    let places = "`super::super::low::B` in it/src/high/inner.rs:2 and `super::super::low::A` in it/src/high.rs:3";
    assert!(found[0].ends_with(places), "{}", found[0]);
}

#[test]
fn tests_documentation_and_generated_code_are_ignored() {
    let high = "//! [`crate::low`]\n/// [`crate::Low`]\npub struct High;\n\
        #[cfg(test)] mod tests { use crate::low::Low; }\n\
        #[cfg(all(test, unix))] use crate::low::Low;\n\
        impl High { #[cfg(test)] fn f() { crate::low::f() } }\n\
        macro_rules! made { () => { $crate::__private_0_1::f() } }\n\
        fn quoted() { quote!(crate::low::f()) }";
    let lib = "mod high; mod low; pub mod __private_0_1; pub use low::Low;";
    assert_eq!(order_of(&[("lib.rs", lib), ("high.rs", high), ("low.rs", ""), ("__private_0_1.rs", "")]), [""; 0]);
}

#[test]
fn a_cycle_is_reported_with_a_place_for_each_use() {
    let found = order_of(&[
        ("lib.rs", "mod a; mod b; mod c; mod d;"),
        ("a.rs", "use crate::c::C;"),
        ("b.rs", "use crate::a::A;\nuse crate::a::Other;"),
        ("c.rs", "use crate::b::B;"),
        ("d.rs", "use crate::a::A;"),
    ]);
    assert_eq!(
        found,
        [
            "`a` uses `c`, which is below it: they are in a cycle, so no order is valid: remove the use of `crate::c::C` in it/src/a.rs:1, or another use in the cycle",
            "the largest cycle has 3 modules: a, b, c
      a → c (1): `crate::c::C` in it/src/a.rs:1
      b → a (2): `crate::a::A` in it/src/b.rs:1
      c → b (1): `crate::b::B` in it/src/c.rs:1"
        ]
    );
}

#[test]
fn modules_for_users_are_last_and_no_module_uses_the_root() {
    let found = order_of(&[
        ("lib.rs", "mod macros; mod a; mod __private_0_1; pub fn helper() {}"),
        ("macros.rs", ""),
        ("a.rs", "use crate::*; fn f() { crate::helper(); crate::__private_0_1::f() }"),
        ("__private_0_1.rs", ""),
    ]);
    assert_eq!(
        found[..3],
        [
            "`macros` is above `a`: move it to the end of `lib.rs`",
            "`a` uses `__private_0_1`, which is below it: remove the use of `crate::__private_0_1::f` in it/src/a.rs:1",
            "`a` uses `lib.rs`, which is below it: remove the use of `crate::*`, `crate::helper` in it/src/a.rs:1",
        ]
    );
}

#[test]
fn a_type_name_that_is_defined_twice_in_a_crate_is_reported() {
    let found = defined_twice(&krate(
        "it",
        &[
            ("lib.rs", "mod a; mod b; pub struct Root;"),
            ("a.rs", "struct Twice; enum Root {} #[cfg(unix)] struct Here; #[cfg(not(unix))] struct Here;"),
            (
                "b.rs",
                "mod inner; fn f() { trait Twice {} } #[cfg(test)] struct Here; impl I for T { type Twice = u8; }",
            ),
            ("b/inner.rs", "shared! {\n    pub struct Twice { }\n}"),
        ],
    ));
    assert_eq!(
        found,
        [
            "`Root` is defined 2 times: it/src/lib.rs:1, it/src/a.rs:1",
            "`Twice` is defined 3 times: it/src/a.rs:1, it/src/b.rs:1, it/src/b/inner.rs:2",
        ]
    );
}

#[test]
fn a_type_name_that_two_crates_export_is_reported() {
    let one = krate(
        "one",
        &[
            ("lib.rs", "pub mod prelude; mod inner; mod hidden; pub use inner::Root;"),
            ("prelude.rs", "pub use crate::inner::*;"),
            ("inner.rs", "pub struct Root; pub enum Listed {} struct Own; made! { pub struct Made; }"),
            ("hidden.rs", "pub struct Hidden;"),
        ],
    );
    let other =
        "pub struct Listed; pub struct Made; pub struct Hidden; pub struct Own; pub use one::Root; pub fn f() {}";
    let found = exported_twice(&[&one, &krate("other", &[("lib.rs", other)])]);
    assert_eq!(
        found,
        [
            "`Listed` is exported by 2 crates: one/src/inner.rs:1, other/src/lib.rs:1",
            "`Made` is exported by 2 crates: one/src/inner.rs:1, other/src/lib.rs:1",
        ]
    );
}

#[test]
fn a_type_in_any_public_module_is_exported() {
    let one = "pub mod jobs { pub mod inner { pub struct Worker; } } #[doc(hidden)] pub mod made { pub struct Made; } mod own { pub struct Own; }";
    let other = "pub use worker::Worker; mod worker { pub struct Worker; } pub struct Made; pub struct Own;";
    let found = exported_twice(&[&krate("one", &[("lib.rs", one)]), &krate("other", &[("lib.rs", other)])]);
    assert_eq!(found, ["`Worker` is exported by 2 crates: one/src/lib.rs:1, other/src/lib.rs:1"]);
}

#[test]
fn files_in_a_module_that_use_each_other_are_reported() {
    let found = circles(&krate(
        "it",
        &[
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "mod one; mod two; mod three; pub use one::One; use two::Two; fn f(_: Two) {}"),
            ("a/one.rs", "use super::two::Two; pub struct One;"),
            ("a/two.rs", "use crate::a::three; pub struct Two; fn f(_: three::Three) {}"),
            ("a/three.rs", "pub struct Three; fn f(_: super::One) {}"),
            // Two files may, and a module may use what is in it.
            ("b.rs", "mod one; mod two; pub struct B; fn f(_: one::One) {}"),
            ("b/one.rs", "use super::{B, two::Two}; pub struct One;"),
            ("b/two.rs", "use super::one::*; pub struct Two;"),
        ],
    ));
    assert_eq!(
        found.iter().map(Circle::draw).collect::<Vec<_>>(),
        ["3 files use each other: it/src/a/one.rs, it/src/a/three.rs, it/src/a/two.rs
      a/one.rs → a/two.rs: `super::two::Two` in it/src/a/one.rs:1
      a/two.rs → a/three.rs: `three::Three` in it/src/a/two.rs:1
      a/three.rs → a/one.rs: `super::One` in it/src/a/three.rs:1"]
    );
}

#[test]
fn a_macro_that_emits_what_is_below_its_user_is_reported() {
    let macros = krate(
        "hooks-macros",
        &[
            ("lib.rs", "mod derive; mod fires; mod shared;"),
            ("derive.rs", "fn f() { quote! { __hook_sdk::Kind; __hook_sdk::Engine::of() } }"),
            ("shared.rs", "fn f() { quote!(#private::slow) }"),
            ("fires.rs", "fn f() { quote!(#private::Fires) }"),
        ],
    );
    let core = |layers: &str| {
        let files = [
            ("lib.rs", layers),
            ("kind.rs", "pub struct Kind;"),
            ("kinds.rs", "/// Stops.\n#[derive(Debug, HookKind)] struct Stop;"),
            ("engine.rs", "mod inner; pub use inner::Engine; pub fn slow() {} pub struct Fires;"),
            ("engine/inner.rs", "pub struct Engine;"),
            ("__private_0_1.rs", "pub use crate::{kind::Kind, engine::{Engine, Fires, slow}};"),
        ];
        krate("hooks-core", &files)
    };
    let in_order = core("mod kind; mod engine; mod kinds; pub mod __private_0_1;");
    assert_eq!(below(&in_order, &macros), [""; 0]);
    let found = below(&core("mod kind; mod kinds; mod engine; pub mod __private_0_1;"), &macros);
    assert_eq!(
        found,
        [
            "`HookKind` emits `Engine::of` of `engine` in hooks-macros/src/derive.rs:1, and `kinds`, which is above `engine`, uses `HookKind`",
            "`HookKind` emits `slow` of `engine` in hooks-macros/src/shared.rs:1, and `kinds`, which is above `engine`, uses `HookKind`",
        ]
    );
}
