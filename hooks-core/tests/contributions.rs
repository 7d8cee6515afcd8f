//! How contributions are merged into views.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::type_complexity,
    reason = "the helpers of tests are tests too"
)]

use std::time::Duration;

use hook_sdk::hook::BoxFuture;
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hook_sdk::testing;
use hook_sdk::verdict::{AuditNote, Diagnostic, PromptContext, PromptSection, ToolDeclaration};
use proptest::prelude::*;
use serde_json::{Value, json};

fn all(items: impl IntoIterator<Item = Contribution>) -> Contributions {
    items.into_iter().collect::<Vec<_>>().into()
}

fn policy(value: &str, priority: i32, reported: &[&str]) -> Contribution {
    let diagnostics: Vec<Value> = reported.iter().map(|code| json!({ "code": code, "text": "x" })).collect();
    serde_json::from_value(json!({ "kind": "policy", "params": {
        "domain": "model", "key": "profile", "value": value, "priority": priority, "diagnostics": diagnostics,
    }}))
    .unwrap()
}

fn codes(diagnostics: &[Diagnostic]) -> Vec<&str> {
    diagnostics.iter().map(|reported| &*reported.code).collect()
}

#[test]
fn policies_by_domain_and_key() {
    const CONFLICT: &[&str] = &["policy.merge.conflict"];
    // Contributions; the value in force, how it is described, and the conflicts that are reported.
    let table: [(Vec<Contribution>, &str, &[&str], &[&str]); 9] = [
        (vec![policy("fast", 0, &["a"])], "fast", &["a"], &[]),
        (vec![policy("fast", 0, &["a"]), policy("careful", 5, &["b"])], "careful", &["b"], &[]),
        (vec![policy("careful", 5, &["b"]), policy("fast", 0, &["a"])], "careful", &["b"], &[]),
        (vec![policy("fast", -2, &[]), policy("careful", -1, &[])], "careful", &[], &[]),
        (vec![policy("fast", 3, &["a"]), policy("fast", 3, &["b", "a"])], "fast", &["a", "b"], &[]),
        (vec![policy("fast", 3, &["a"]), policy("careful", 3, &["b"])], "fast", &["a"], CONFLICT),
        (vec![policy("fast", 3, &[]), policy("b", 3, &[]), policy("c", 3, &[])], "fast", &[], CONFLICT),
        (vec![policy("fast", 3, &[]), policy("slow", 3, &[]), policy("top", 4, &["t"])], "top", &["t"], &[]),
        (vec![policy("top", 4, &[]), policy("fast", 3, &[]), policy("slow", 3, &[])], "top", &[], &[]),
    ];
    for (given, holds, reported, of_merging) in table {
        let contributions = all(given);
        let merged = contributions.policies();
        assert_eq!(merged.value("model", "profile"), Some(&json!(holds)), "{contributions:?}");
        assert_eq!((merged.value("model", "other"), merged.value("other", "profile")), (None, None));
        assert_eq!(codes(&merged.entries[0].diagnostics), reported, "{contributions:?}");
        assert_eq!(codes(&merged.diagnostics), of_merging, "{contributions:?}");
    }
    let other_places = all([
        Contribution::policy("a", "k", 1, 0),
        Contribution::policy("b", "k", 2, 0),
        Contribution::policy("a", "j", 3, 0),
    ]);
    let merged = other_places.policies();
    assert_eq!((merged.entries.len(), merged.diagnostics.len()), (3, 0));
    assert_eq!(
        merged.entries.iter().map(|entry| (entry.domain, entry.key)).collect::<Vec<_>>(),
        [("a", "j"), ("a", "k"), ("b", "k")]
    );
}

#[test]
fn a_conflict_prints_no_value() {
    let merged = all([policy("secret-one", 0, &[]), policy("secret-two", 0, &[])]);
    let merged = merged.policies();
    let text = merged.diagnostics[0].to_string();
    assert_eq!(
        text,
        "policy.merge.conflict: several hooks set `model.profile` to different values with priority 0; the first one wins; give one of them a higher priority"
    );
}

#[test]
fn context_is_sorted_and_bounded() {
    let sorted = all([
        Contribution::prompt_context("b", "1", "last"),
        Contribution::prompt_context("a", "2", "third"),
        Contribution::prompt_context("a", "1", "second"),
        PromptContext::new("z", "9", "first").priority(9).into(),
        PromptContext::new("a", "0", "after all").priority(-1).into(),
        Contribution::prompt_context("a", "1", "second"),
    ]);
    let merged = sorted.prompt_context();
    let texts: Vec<&str> = merged.entries.iter().map(|entry| &*entry.text).collect();
    assert_eq!(texts, ["first", "second", "third", "last", "after all"]);

    // The length of each text; how much of each is kept, and what is reported.
    let table: [(&[usize], &[usize], &[&str]); 6] = [
        (&[12_000], &[12_000], &[]),
        (&[12_001], &[12_000], &["prompt_context.truncated"]),
        (&[12_000, 1], &[12_000], &["prompt_context.entry_omitted"]),
        (&[11_999, 2, 1], &[11_999, 1], &["prompt_context.truncated", "prompt_context.entry_omitted"]),
        (&[1; 16], &[1; 16], &[]),
        (&[1; 17], &[1; 16], &["prompt_context.entry_omitted"]),
    ];
    for (given, kept, reported) in table {
        let entry = |(i, len): (usize, &usize)| Contribution::prompt_context("d", format!("{i:03}"), "é".repeat(*len));
        let contributions = all(given.iter().enumerate().map(entry));
        let merged = contributions.prompt_context();
        let lengths: Vec<usize> = merged.entries.iter().map(|entry| entry.text.chars().count()).collect();
        assert_eq!((lengths.as_slice(), codes(&merged.diagnostics).as_slice()), (kept, reported), "{given:?}");
    }
}

#[test]
fn sections_are_joined_and_bounded() {
    let joined = all([
        Contribution::prompt_section("tone", "Tone", "Be brief."),
        Contribution::prompt_section("limits", "Limits", "No refunds."),
        Contribution::prompt_section("tone", "Manner", "Be kind."),
        Contribution::prompt_section("tone", "Tone", ""),
    ]);
    let merged = joined.prompt_sections();
    let seen: Vec<(&str, &str, &str)> = merged.entries.iter().map(|s| (&*s.id, &*s.title, &*s.text)).collect();
    assert_eq!(seen, [("tone", "Tone", "Be brief.\n\nBe kind."), ("limits", "Limits", "No refunds.")]);
    assert_eq!(codes(&merged.diagnostics), ["prompt_section.title_conflict"]);

    let table: [(&[usize], &[usize], &[&str]); 5] = [
        (&[8_000, 8_000], &[8_000, 8_000], &[]),
        (&[8_001], &[8_000], &["prompt_section.truncated"]),
        (&[8_000, 7_999, 2], &[8_000, 7_999, 1], &["prompt_section.truncated"]),
        (&[8_000, 8_000, 1], &[8_000, 8_000], &["prompt_section.entry_omitted"]),
        (&[1; 17], &[1; 16], &["prompt_section.entry_omitted"]),
    ];
    for (given, kept, reported) in table {
        let section = |(i, len): (usize, &usize)| Contribution::prompt_section(format!("s{i}"), "t", "日".repeat(*len));
        let contributions = all(given.iter().enumerate().map(section));
        let merged = contributions.prompt_sections();
        let lengths: Vec<usize> = merged.entries.iter().map(|entry| entry.text.chars().count()).collect();
        assert_eq!((lengths.as_slice(), codes(&merged.diagnostics).as_slice()), (kept, reported), "{given:?}");
    }
    let halves =
        all([Contribution::prompt_section("s", "t", "日".repeat(7_999)), Contribution::prompt_section("s", "t", "本")]);
    assert_eq!(
        halves.prompt_sections().entries[0].text.chars().count(),
        8_000,
        "the joined text is truncated, not its parts"
    );
}

/// Id, order, budget and characters of sections.
type Given<'a> = &'a [(&'a str, i32, usize, usize)];

#[test]
fn sections_are_sorted_by_order_and_cut_to_their_own_budget() {
    let section = |id: &str, order, budget, characters| {
        Contribution::from(PromptSection::new(id, id, "日".repeat(characters)).order(order).budget(budget))
    };
    // The sections that are kept, with their lengths; and what is reported.
    let table: [(Given<'_>, &[(&str, usize)], &[&str]); 5] = [
        (&[("b", 1, 10, 2), ("a", 0, 10, 2), ("c", -1, 10, 2)], &[("c", 2), ("a", 2), ("b", 2)], &[]),
        (&[("b", 0, 10, 2), ("a", 0, 10, 2)], &[("b", 2), ("a", 2)], &[]),
        (&[("a", 0, 3, 4)], &[("a", 3)], &["prompt_section.truncated"]),
        (&[("a", 0, 9_000, 9_000)], &[("a", 8_000)], &["prompt_section.truncated"]),
        // If there is no room, the last section in order is left out, whichever was contributed first.
        (
            &[("last", 9, 8_000, 1), ("a", 0, 8_000, 8_000), ("b", 1, 8_000, 8_000)],
            &[("a", 8_000), ("b", 8_000)],
            &["prompt_section.entry_omitted"],
        ),
    ];
    for (given, kept, reported) in table {
        let contributions = all(given.iter().map(|(id, order, budget, len)| section(id, *order, *budget, *len)));
        let merged = contributions.prompt_sections();
        let stands: Vec<_> = merged.entries.iter().map(|one| (&*one.id, one.text.chars().count())).collect();
        assert_eq!((&*stands, &*codes(&merged.diagnostics)), (kept, reported), "{given:?}");
    }
    let joined = all([section("a", 5, 4, 3), section("b", 0, 9, 1), section("a", -5, 9, 3)]);
    let merged = joined.prompt_sections();
    let stands: Vec<_> = merged.entries.iter().map(|one| (&*one.id, one.text.chars().count())).collect();
    assert_eq!(stands, [("b", 1), ("a", 4)], "the first order and budget are kept");
    assert_eq!(codes(&merged.diagnostics), ["prompt_section.truncated"], "the titles are the same");
}

#[test]
fn contexts_and_notes_carry_data_with_their_text() {
    let both = all([
        PromptContext::new("customer", "tier", "a gold member").data(json!({ "tier": "gold" })).into(),
        AuditNote::new("looked it up").data(json!({ "took_ms": 3 })).into(),
    ]);
    assert_eq!(both.prompt_context().entries[0].data, json!({ "tier": "gold" }));
    let notes: Vec<_> = both.audit_notes().map(|note| (&*note.message, &note.data)).collect();
    assert_eq!(notes, [("looked it up", &json!({ "took_ms": 3 }))]);
    let form = json!({"kind":"audit","params":{"message":"looked it up","data":{"took_ms":3}}});
    assert_eq!(serde_json::to_value(&both[1]).unwrap(), form);
}

fn names<'a>(tools: &hook_sdk::verdict::Tools<'a>) -> Vec<&'a str> {
    tools.added.iter().map(|tool| &*tool.name).collect()
}

#[test]
fn a_declared_tool_has_a_description_for_the_model_and_a_handler_to_run() {
    let small = || ToolDeclaration::new("refund_small").schema(json!({ "type": "object" })).route("refund");
    let table: [(Vec<Contribution>, &[&str], &[&str]); 8] = [
        (vec![Contribution::tool_bundle("a", [small()])], &["refund_small"], &[]),
        (
            vec![Contribution::tool_bundle("a", [small()]), Contribution::tool_bundle("b", [small()])],
            &["refund_small"],
            &[],
        ),
        (
            vec![Contribution::tool_bundle("a", [small()]), Contribution::tool_bundle("b", ["refund_small"])],
            &["refund_small"],
            &["tool_bundle.declaration_conflict"],
        ),
        // A limit applies to the handlers that run.
        (
            vec![Contribution::tool_bundle("a", [small()]), Contribution::tool_limit("l", ["refund"])],
            &["refund_small"],
            &[],
        ),
        (vec![Contribution::tool_bundle("a", [small()]), Contribution::tool_limit("l", ["refund_small"])], &[], &[]),
        (
            vec![Contribution::tool_bundle("a", [ToolDeclaration::new("x").schema(json!("none"))])],
            &[],
            &["tool_bundle.malformed_declaration"],
        ),
        (vec![Contribution::tool_bundle("a", [" "])], &[], &["tool_bundle.malformed_declaration"]),
        (
            vec![Contribution::tool_bundle("a", [ToolDeclaration::new("x").route(" ")])],
            &[],
            &["tool_bundle.malformed_declaration"],
        ),
    ];
    for (given, added, reported) in table {
        let contributions = all(given);
        let tools = contributions.tool_bundles();
        assert_eq!((&*names(&tools), &*codes(&tools.diagnostics)), (added, reported), "{contributions:?}");
    }
    let form = json!({"kind":"tool_bundle","params":{"id":"a","tools":["plain",
        {"name":"refund_small","schema":{"type":"object"},"route":"refund"}]}});
    let bundle = Contribution::tool_bundle("a", ["plain".into(), small()]);
    assert_eq!(serde_json::to_value(&bundle).unwrap(), form);
    assert_eq!(serde_json::from_value::<Contribution>(form).unwrap(), bundle);
    let misspelt = json!({"kind":"tool_bundle","params":{"id":"a","tools":[{"name":"x","shema":{}}]}});
    assert!(serde_json::from_value::<Contribution>(misspelt).is_err());
}

#[test]
fn tool_limits_are_intersected_and_a_malformed_limit_allows_no_tool() {
    let limit = |allow: &Value| json!({ "kind": "tool_bundle", "params": { "id": "x", "allow": allow } });
    let table: [(Value, &[&str], bool); 10] = [
        (json!([]), &[], false),
        (json!(["read", "write"]), &["read", "write"], false),
        (json!(["write", "read", "read", "else"]), &["read", "write"], false),
        (json!(["else"]), &[], false),
        (json!(null), &[], true),
        (json!(["read", 1]), &[], true),
        (json!(["read", " "]), &[], true),
        (json!("read"), &[], true),
        (json!({ "read": true }), &[], true),
        (json!(true), &[], true),
    ];
    for (allow, usable, malformed) in table {
        let limit: Contribution = serde_json::from_value(limit(&allow)).unwrap();
        let both = all([
            Contribution::tool_bundle("a", ["read", "write"]),
            limit,
            Contribution::tool_bundle("b", ["run", "read"]),
            Contribution::tool_limit("y", ["write", "read", "other"]),
        ]);
        let tools = both.tool_bundles();
        assert_eq!(names(&tools), usable, "{allow}");
        assert_eq!(tools.diagnostics.len(), usize::from(malformed), "{allow}");
        assert!(!tools.allows("run"), "{allow}");
    }
    let open = all([Contribution::tool_bundle("a", ["read", "run", "read"])]);
    assert_eq!(names(&open.tool_bundles()), ["read", "run"]);
    assert!(open.tool_bundles().allows("anything"));
}

#[test]
fn the_form_in_json_is_kind_and_params() {
    let table = [
        (
            Contribution::policy("d", "k", 1, 2),
            json!({"kind":"policy","params":{"domain":"d","key":"k","value":1,"priority":2}}),
        ),
        (
            Contribution::prompt_context("d", "i", "t"),
            json!({"kind":"prompt_context","params":{"domain":"d","id":"i","text":"t","priority":0}}),
        ),
        (
            Contribution::prompt_section("i", "T", "t"),
            json!({"kind":"prompt_section","params":{"id":"i","title":"T","text":"t"}}),
        ),
        (
            Contribution::PromptSection(PromptSection::new("i", "T", "t").order(-2).budget(9)),
            json!({"kind":"prompt_section","params":{"id":"i","title":"T","text":"t","order":-2,"budget":9}}),
        ),
        (
            Contribution::tool_bundle("i", [ToolDeclaration::new("a").description("d")]),
            json!({"kind":"tool_bundle","params":{"id":"i","tools":[{"name":"a","description":"d"}]}}),
        ),
        (
            Contribution::tool_bundle("i", [ToolDeclaration::new("a").route("b")]),
            json!({"kind":"tool_bundle","params":{"id":"i","tools":[{"name":"a","route":"b"}]}}),
        ),
        (Contribution::tool_bundle("i", ["a"]), json!({"kind":"tool_bundle","params":{"id":"i","tools":["a"]}})),
        (Contribution::tool_limit("i", ["a"]), json!({"kind":"tool_bundle","params":{"id":"i","allow":["a"]}})),
        (
            Contribution::prompt_manifest_diagnostic("a.b", "t"),
            json!({"kind":"prompt_manifest_diagnostic","params":{"code":"a.b","text":"t"}}),
        ),
        (Contribution::audit("m"), json!({"kind":"audit","params":{"message":"m"}})),
        (Contribution::background_job("j", 7), json!({"kind":"background_job","params":{"job":"j","input":7}})),
        (Contribution::Noop, json!({"kind":"noop"})),
    ];
    for (contribution, form) in table {
        assert_eq!(serde_json::to_value(&contribution).unwrap(), form);
        assert_eq!(serde_json::from_value::<Contribution>(form).unwrap(), contribution);
    }
}

#[test]
fn equal_contributions_have_one_stable_fingerprint_and_different_ones_differ() {
    let read = |text: &str| serde_json::from_str::<Contribution>(text).unwrap().fingerprint();
    let table = [
        (r#"{"kind":"noop"}"#, "ea200ce48fadfb7b7ebe0ffdff03d98d"),
        (r#"{"kind":"audit","params":{"message":"seen"}}"#, "24a087af7452b76d26010a00ce47fb5e"),
        (
            r#"{"kind":"policy","params":{"domain":"d","key":"k","value":{"a":1,"b":[true,null]},"priority":2}}"#,
            "d1529d93075920b3ebbc0e14ba07f913",
        ),
    ];
    for (written, expected) in table {
        assert_eq!(read(written), expected, "{written}");
    }
    let other_order =
        r#"{"params":{"priority":2,"value":{"b":[true,null],"a":1},"key":"k","domain":"d"},"kind":"policy"}"#;
    assert_eq!(read(other_order), read(table[2].0), "the order of keys does not matter");

    let distinct = [
        Contribution::Noop,
        Contribution::audit(""),
        Contribution::audit("null"),
        Contribution::background_job("j", Value::Null),
        Contribution::background_job("j", "null"),
        Contribution::background_job("j", json!(["a", "b"])),
        Contribution::background_job("j", json!(["ab"])),
        Contribution::background_job("j", json!([["a"], "b"])),
        Contribution::background_job("j", json!([["a", "b"]])),
        Contribution::background_job("j", json!({ "a": "b" })),
        Contribution::policy("a", "bc", 1, 0),
        Contribution::policy("ab", "c", 1, 0),
        Contribution::policy("ab", "c", 1, 1),
    ];
    let prints: std::collections::HashSet<String> = distinct.iter().map(Contribution::fingerprint).collect();
    assert_eq!(prints.len(), distinct.len());
}

#[test]
fn diagnostics_of_the_prompt_are_reported_once_and_in_order() {
    let diagnostic = |code: &'static str, text| Contribution::prompt_manifest_diagnostic(code, text);
    let both = all([
        diagnostic("b", "1"),
        Contribution::Noop,
        diagnostic("a", "1"),
        diagnostic("b", "1"),
        diagnostic("b", "2"),
    ]);
    let shown: Vec<String> = both.prompt_manifest_diagnostics().iter().map(ToString::to_string).collect();
    assert_eq!(shown, ["b: 1", "a: 1", "b: 2"]);
}

#[test]
fn notes_and_jobs_keep_their_order_and_a_noop_adds_nothing() {
    let both = all([
        Contribution::audit("a"),
        Contribution::background_job("index", json!({ "id": 1 })),
        Contribution::Noop,
        Contribution::audit("b"),
    ]);
    assert_eq!(both.audit_notes().map(|note| &*note.message).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(both.background_jobs().collect::<Vec<_>>(), [("index", &json!({ "id": 1 }))]);
    assert_eq!(all([Contribution::Noop]).summary(), None);
    assert_eq!(both.summary(), Some("contributes"));
}

/// All views, as text.
fn views(all: &Contributions) -> String {
    format!("{:#?}", (all.policies(), all.prompt_context(), all.prompt_sections(), all.tool_bundles()))
}

fn contribution() -> impl Strategy<Value = Contribution> {
    let name = || prop::sample::select(vec!["a", "b", "c"]);
    let text = || prop::sample::select(vec![String::new(), "é".to_owned(), "日本".repeat(4_000)]);
    prop_oneof![
        (name(), name(), name(), 0..2).prop_map(|(d, k, v, p)| Contribution::policy(d, k, v, p)),
        (name(), name(), text(), 0..2).prop_map(|(d, i, t, p)| PromptContext::new(d, i, t).priority(p).into()),
        (name(), name(), text()).prop_map(|(i, t, text)| Contribution::prompt_section(i, t, text)),
        (name(), prop::collection::vec(name(), 0..3)).prop_map(|(i, tools)| Contribution::tool_bundle(i, tools)),
        (name(), prop::collection::vec(name(), 0..3)).prop_map(|(i, tools)| Contribution::tool_limit(i, tools)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// The readers of a stage take different times. Their contributions are merged in plan order.
    #[test]
    fn merging_does_not_depend_on_which_reader_finishes_first(
        given in prop::collection::vec((contribution(), 0..50_u64), 1..8),
    ) {
        let hooks: Vec<Hook> = given.iter().cloned().enumerate().map(|(i, (one, millis))| {
            Hook::at::<PrePromptContext>(&format!("h{i}")).async_reader(move |_, _, ()| -> BoxFuture<'_, Contribution> {
                let one = one.clone();
                Box::pin(async move {
                    tokio::time::sleep(Duration::from_millis(millis)).await;
                    one
                })
            })
        }).collect();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let ran = runtime.block_on(testing::run(hooks, &PrePromptContext::new("hello"), ())).unwrap();
        let in_order = all(given.into_iter().map(|(one, _)| one));
        prop_assert_eq!(views(&ran.verdict), views(&in_order));
    }

    /// A contribution that is made twice counts once. Sections are the exception: their texts are joined.
    #[test]
    fn merging_is_idempotent(given in prop::collection::vec(contribution(), 0..12)) {
        let once = all(given.iter().cloned());
        let twice = all(given.iter().chain(&given).cloned());
        prop_assert_eq!(once.policies(), twice.policies());
        prop_assert_eq!(once.prompt_context(), twice.prompt_context());
        prop_assert_eq!(once.tool_bundles(), twice.tool_bundles());
    }

    /// The bounds hold for every list of contributions.
    #[test]
    fn every_view_stays_within_its_bounds(given in prop::collection::vec(contribution(), 0..24)) {
        let all = all(given);
        let (context, sections) = (all.prompt_context(), all.prompt_sections());
        prop_assert!(context.entries.len() <= 16 && sections.entries.len() <= 16);
        prop_assert!(context.entries.iter().map(|entry| entry.text.chars().count()).sum::<usize>() <= 12_000);
        prop_assert!(sections.entries.iter().all(|entry| entry.text.chars().count() <= 8_000));
        prop_assert!(sections.entries.iter().map(|entry| entry.text.chars().count()).sum::<usize>() <= 16_000);
    }
}

/// Every contribution has its name in records and the capability that it needs.
#[test]
fn each_contribution_has_a_name_a_capability_and_a_view() {
    let table = [
        (Contribution::policy("model", "profile", "small", 1), "policy model.profile", Some(Capability::Policy)),
        (
            Contribution::prompt_context("user", "tier", "gold"),
            "prompt_context user.tier",
            Some(Capability::PromptContext),
        ),
        (Contribution::prompt_section("tone", "Tone", "kind"), "prompt_section tone", Some(Capability::PromptSection)),
        (Contribution::tool_bundle("pay", ["refund"]), "tool_bundle pay", Some(Capability::ToolBundle)),
        (
            Contribution::prompt_manifest_diagnostic("a.b", "text"),
            "prompt_manifest_diagnostic a.b",
            Some(Capability::PromptManifestDiagnostic),
        ),
        (Contribution::audit("seen"), "audit", Some(Capability::Audit)),
        (Contribution::background_job("index", json!({})), "background_job index", Some(Capability::BackgroundJob)),
        (Contribution::Noop, "noop", None),
    ];
    assert!(Contributions::default().is_empty());
    for (one, name, capability) in &table {
        assert_eq!(one.capability(), *capability, "{name}");
        let alone = Contributions::from(one.clone());
        assert!(!alone.is_empty() && alone.iter().eq([one]), "{name}");
        let names: Vec<_> = alone.contributed().into_iter().map(|id| id.what).collect();
        assert_eq!(names, [*name]);
        assert_eq!(alone.summary(), capability.map(|_| "contributes"), "{name}");
    }
    let every = all(table.into_iter().map(|(one, ..)| one));
    assert_eq!(every.audit_notes().map(|note| note.message.as_str()).collect::<Vec<_>>(), ["seen"]);
    assert_eq!(every.background_jobs().collect::<Vec<_>>(), [("index", &json!({}))]);
    assert_eq!(every.prompt_manifest_diagnostics().iter().map(ToString::to_string).collect::<Vec<_>>(), ["a.b: text"]);
}
