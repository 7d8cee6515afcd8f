//! Kinds of every form: subjects that are an `Option` or a `Result`, kinds without subject or verdict, lists of kinds.
#![allow(clippy::unwrap_used)] // hooks of tests unwrap to assert
#![allow(clippy::ptr_arg, clippy::needless_pass_by_value, clippy::unnecessary_wraps, clippy::option_option)] // these forms are tested here

use crate::common::{BeforePublish, set, summary};
use hook_sdk::data::ToolCall;
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;

/// Its subject is an `Option` that can be removed as a whole.
#[derive(HookKind)]
#[hook_kind(name = "choose_model", subject = Option<String>, removable)]
struct ChooseModel;

/// Its subject is a `Result`.
#[derive(HookKind)]
#[hook_kind(name = "settle_payment", subject = Result<u32, String>)]
struct SettlePayment;

/// A kind without a subject and without a verdict.
#[derive(HookKind)]
#[hook_kind(name = "page_read", match(r#type, page = place.page))]
struct PageRead {
    r#type: String,
    place: Place,
}

struct Place {
    page: &'static str,
}

mod made {
    use hook_sdk::prelude::*;

    /// Fires before a parcel is sent.
    #[derive(Debug, PartialEq, HookKind)]
    #[hook_kind(name = "before_parcel", match(r#type), new(r#type, grams))]
    #[non_exhaustive]
    pub(crate) struct BeforeParcel {
        pub(crate) r#type: String,
        pub(crate) grams: u32,
        /// The recipient.
        pub(crate) to: Option<String>,
        pub(crate) r#ref: String,
        pub(crate) fragile: bool,
    }

    #[derive(Debug, PartialEq, HookKind)]
    #[hook_kind(name = "after_parcel", new)]
    pub(crate) struct AfterParcel;
}

#[test]
fn the_constructor_takes_the_listed_fields_and_setters_set_the_others() {
    use made::{AfterParcel, BeforeParcel};
    let parcel = BeforeParcel::new("box", 200_u8);
    let bare = BeforeParcel { r#type: "box".into(), grams: 200, to: None, r#ref: String::new(), fragile: false };
    assert_eq!(parcel, bare);
    let parcel = parcel.to("Ada").r#ref("7").fragile(true);
    assert_eq!(parcel, BeforeParcel { to: Some("Ada".into()), r#ref: "7".into(), fragile: true, ..bare });
    assert_eq!(AfterParcel::new(), AfterParcel);
}

mod nested {
    use hook_sdk::prelude::*;

    /// A gate without a subject.
    #[derive(HookKind)]
    #[hook_kind(name = "may_enter", verdict = Permission)]
    pub(crate) enum MayEnter {
        Front,
        Back,
    }
}

fn fired<K: HookKind>(hooks: &HookSet, event: &K, subject: K::Subject) -> Fired<K> {
    hooks.fire_blocking(&HookContext::new(), event, subject).unwrap()
}

#[hook(id = "bare_option", kind = ChooseModel)]
fn bare_option(_model: Option<String>) -> Option<String> {
    None
}

#[hook(id = "option_removed", kind = ChooseModel)]
fn option_removed(_model: Option<String>) -> Option<Option<String>> {
    None
}

#[hook(id = "option_in_result", kind = ChooseModel)]
fn option_in_result(model: Option<String>) -> Result<Option<String>, String> {
    model.map(|model| Some(model + "-large")).ok_or_else(|| "no model".to_owned())
}

#[hook(id = "option_lent", kind = ChooseModel)]
fn option_lent(model: &mut Option<String>) {
    *model = Some("small".into());
}

#[test]
fn a_returned_option_is_the_subject_if_the_subject_is_an_option() {
    let model = || Some("medium".to_owned());
    assert_eq!(fired(&set(hooks![bare_option]), &ChooseModel, model()).subject, Some(None));
    assert_eq!(fired(&set(hooks![option_removed]), &ChooseModel, model()).subject, None);
    let larger = fired(&set(hooks![option_in_result]), &ChooseModel, model());
    assert_eq!(larger.subject, Some(Some("medium-large".into())));
    assert_eq!(fired(&set(hooks![option_in_result]), &ChooseModel, None).report.failures[0].cause, "no model");
    assert_eq!(fired(&set(hooks![option_lent]), &ChooseModel, None).subject, Some(Some("small".into())));
}

#[hook(id = "bare_result", kind = SettlePayment)]
fn bare_result(_payment: Result<u32, String>) -> Result<u32, String> {
    Err("declined".into())
}

#[hook(id = "result_in_result", kind = SettlePayment)]
fn result_in_result(_payment: Result<u32, String>) -> Result<Result<u32, String>, String> {
    Err("the hook failed".into())
}

#[test]
fn a_returned_result_is_the_subject_if_the_subject_is_a_result() {
    let declined = fired(&set(hooks![bare_result]), &SettlePayment, Ok(3));
    assert_eq!(declined.subject, Err("declined".into()));
    assert!(declined.report.failures.is_empty());
    let failed = fired(&set(hooks![result_in_result]), &SettlePayment, Ok(3));
    assert_eq!(failed.subject, Ok(3));
    assert_eq!(failed.report.failures[0].cause, "the hook failed");
}

#[hook(id = "observes", kind = PageRead, type = "html", page = "in*")]
fn observes(event: &PageRead) -> Result<(), String> {
    Err(event.place.page.to_owned())
}

#[hook(id = "unit_subject", kind = PageRead)]
fn unit_subject((): (), nothing: &PageRead) -> Result<(), String> {
    Err(nothing.r#type.clone())
}

#[test]
fn a_kind_without_subject_is_observed_and_filtered_by_its_fields() {
    let read = |page, r#type: &str| PageRead { place: Place { page }, r#type: r#type.into() };
    let hooks = set(hooks![observes]);
    assert_eq!(fired(&hooks, &read("index", "html"), ()).report.failures[0].cause, "index");
    assert!(fired(&hooks, &read("about", "html"), ()).report.failures.is_empty());
    assert!(fired(&hooks, &read("index", "text"), ()).report.failures.is_empty());
    assert_eq!(fired(&set(hooks![unit_subject]), &read("index", "text"), ()).report.failures[0].cause, "text");
}

#[hook(id = "front_only", kind = nested::MayEnter)]
fn front_only(event: &nested::MayEnter) -> Permission {
    match event {
        nested::MayEnter::Front => Permission::Allow,
        nested::MayEnter::Back => Permission::deny("use the front"),
    }
}

#[test]
fn a_kind_can_be_named_by_the_path_of_its_type() {
    let hooks = set(hooks![front_only]);
    assert_eq!(summary(&fired(&hooks, &nested::MayEnter::Front, ()), "-"), "- | allow");
    assert_eq!(summary(&fired(&hooks, &nested::MayEnter::Back, ()), "-"), "- | deny");
}

#[hook(id = "everywhere", kind = [before_tool_call, BeforePublish, nested::MayEnter], on_failure = deny)]
fn everywhere(_cx: &HookContext) -> Permission {
    Permission::deny("closed")
}

#[hook(id = "both_texts", kind = [ChooseText, BeforePublish])]
fn both_texts(text: &mut String) {
    text.push('!');
}

/// Another kind with the same subject.
#[derive(HookKind)]
#[hook_kind(name = "choose_text", subject = String)]
struct ChooseText;

#[test]
fn one_hook_runs_at_every_kind_of_its_list() {
    let hooks = set(hooks![everywhere]);
    let call = ToolCall::new("1", "search", ToolInput::default());
    assert!(fired(&hooks, &BeforeToolCall::new(call), ToolInput::default()).verdict.denial().is_some());
    assert!(fired(&hooks, &BeforePublish { topic: "news".into() }, String::new()).verdict.denial().is_some());
    assert!(fired(&hooks, &nested::MayEnter::Front, ()).verdict.denial().is_some());
    let hooks = set(hooks![both_texts]);
    assert_eq!(fired(&hooks, &ChooseText, "a".into()).subject, "a!");
    assert_eq!(fired(&hooks, &BeforePublish { topic: "news".into() }, "a".into()).subject, Some("a!".into()));
}

#[hook(id = "control", kind = user_prompt_submit)]
fn control(event: &UserPromptSubmit) -> PromptVerdict {
    PromptVerdict::context(&event.prompt)
}

#[hook(id = "one_contribution", kind = pre_prompt_context)]
fn one_contribution() -> Contribution {
    Contribution::audit("one")
}

#[hook(id = "several_contributions", kind = pre_prompt_context)]
fn several_contributions() -> Result<Vec<Contribution>, String> {
    Ok(vec![Contribution::audit("two"), Contribution::audit("three")])
}

#[hook(id = "perhaps_a_contribution", kind = pre_prompt_context)]
fn perhaps_a_contribution() -> Option<Contribution> {
    None
}

#[test]
fn a_returned_value_is_converted_into_the_verdict() {
    let prompt = fired(&set(hooks![control]), &UserPromptSubmit::new("hi", Messages::default()), Messages::default());
    assert_eq!(prompt.verdict.contexts, ["hi"]);
    let hooks = set(hooks![one_contribution, several_contributions, perhaps_a_contribution]);
    assert_eq!(fired(&hooks, &PrePromptContext::new("hi"), ()).verdict.iter().count(), 3);
}

/// The names of its fields are similar to names of options.
#[derive(HookKind)]
#[hook_kind(name = "answer_sent", match(code, node))]
struct AnswerSent {
    code: &'static str,
    node: &'static str,
}

#[hook(id = "by_code", kind = AnswerSent, code = "5*", node = "eu_*")]
fn by_code() -> Result<(), String> {
    Err("it ran".to_owned())
}

#[hook(id = "by_model", kind = post_model_call, model = "small-*")]
fn by_model() {}

#[test]
fn a_field_can_have_a_name_that_is_similar_to_an_option() {
    let set = set(hooks![by_code, by_model]);
    for (code, node, runs) in [("500", "eu_1", 1), ("200", "eu_1", 0), ("500", "us_1", 0)] {
        let fired = fired(&set, &AnswerSent { code, node }, ());
        assert_eq!(fired.report.failures.len(), runs, "{code} {node}");
    }
}
