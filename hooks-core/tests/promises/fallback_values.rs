//! Fallbacks of hooks that are built as values: a fallback is the function of another hook, in any form.

use std::time::Duration;

use hook_sdk::hook::BoxFuture;
use hook_sdk::testing;

use super::support::*;

#[derive(Debug, HookKind)]
#[hook_kind(name = "edit_value", subject = String, verdict = Permission)]
struct EditValue;

/// One hook of each form. They fail if `error` is given.
fn forms(id: &str, error: Option<&'static str>) -> Vec<Hook> {
    let said = move || error.map_or(Ok(Permission::ask("really?")), |error| Err(error.to_owned()));
    let left = move |text: String| error.map_or_else(|| Ok(format!("{text} instead")), |error| Err(error.to_owned()));
    vec![
        Hook::at::<EditValue>(id).reader(move |_, _, _| said()),
        Hook::at::<EditValue>(id).writer(move |_, _, text: &mut String| {
            text.push_str(if error.is_some() { " lost" } else { " instead" });
            said()
        }),
        Hook::at::<EditValue>(id).replacer(move |_, _, text| left(text)),
        Hook::at::<EditValue>(id).async_reader(move |_, _, _| -> BoxFuture<'_, Result<Permission, String>> {
            Box::pin(async move { said() })
        }),
        Hook::at::<EditValue>(id).async_replacer(move |_, _, text| -> BoxFuture<'_, Result<String, String>> {
            Box::pin(async move { left(text) })
        }),
    ]
}

#[tokio::test]
async fn the_function_of_the_fallback_answers_in_every_form() {
    for (i, (first, second)) in forms("first", Some("out of order")).iter().zip(&forms("second", None)).enumerate() {
        let ran = testing::run([first.clone().fallback(second)], &EditValue, "text".to_owned()).await.unwrap();
        let [failure] = &ran.report.failures[..] else { panic!("form {i}: {ran}") };
        assert_eq!((failure.hook.as_str(), failure.cause.as_str(), failure.fell_back), ("first", "out of order", true));
        let rewrites = matches!(i, 1 | 2 | 4);
        assert_eq!(ran.subject, if rewrites { "text instead" } else { "text" }, "form {i}");
        assert_eq!(matches!(ran.verdict, Permission::Ask(_)), matches!(i, 0 | 1 | 3), "form {i}");
    }
}

#[tokio::test]
async fn if_the_fallback_fails_too_on_failure_applies() {
    for (i, (first, second)) in forms("first", Some("one")).iter().zip(&forms("second", Some("two"))).enumerate() {
        let ran = testing::run([first.clone().fallback(second)], &EditValue, "text".to_owned()).await.unwrap();
        let denial = ran.verdict.denial().unwrap_or_else(|| panic!("form {i}: {ran}"));
        assert_eq!(denial.by.as_ref().unwrap().as_str(), "first", "form {i}");
        assert_eq!(ran.report.failures[0].cause, "one; its fallback failed too (error): two", "form {i}");
        assert_eq!(ran.subject, "text", "form {i}");
    }
}

#[test]
fn a_fallback_of_another_form_or_kind_is_refused() {
    let at_another_kind = Hook::at::<BeforeToolCall>("second").reader(|_, _, _| ());
    let names = ["reader", "writer", "replacer", "async_reader", "async_replacer"];
    let (hooks, others) = (forms("first", None), forms("second", None));
    for (hook, name) in hooks.iter().zip(names) {
        for (other, of_other) in others.iter().zip(names) {
            let registered = Registry::empty().register(hook.clone().fallback(other));
            if name == of_other {
                registered.unwrap();
            } else {
                let expected = format!("is a `{of_other}`, but must be a `{name}` like the hook");
                let refused = registered.unwrap_err().to_string();
                assert!(refused.contains(&expected), "{refused}");
            }
        }
        let refused = Registry::empty().register(hook.clone().fallback(&at_another_kind)).unwrap_err().to_string();
        assert!(refused.contains("runs at `before_tool_call`, but must run at `edit_value` like the hook"));
    }
}

#[test]
fn a_fallback_without_a_verdict_is_refused_for_a_hook_that_decides() {
    let silent = Hook::at::<EditValue>("second").reader(|_, _, _| ());
    let hook = Hook::at::<EditValue>("first").reader(|_, _, _| Permission::deny("no"));
    Registry::empty().register(silent.clone().fallback(&hook)).unwrap();
    let refused = Registry::empty().register(hook.fallback(&silent)).unwrap_err().to_string();
    assert!(
        refused.contains("returns no verdict, but the hook does at `edit_value`; return a verdict from it"),
        "{refused}"
    );
}

/// The two run one after the other, so together they may take twice the deadline.
#[tokio::test(start_paused = true)]
async fn hook_and_fallback_each_have_the_whole_deadline() {
    let after = |id: &str, wait: Duration| {
        Hook::at::<EditValue>(id).async_replacer(move |_, _, text| -> BoxFuture<'_, String> {
            Box::pin(async move {
                tokio::time::sleep(wait).await;
                text + " instead"
            })
        })
    };
    let second = Duration::from_secs(1);
    let table = [(Duration::from_millis(999), "text instead"), (Duration::from_millis(1_001), "text")];
    for (wait, expected) in table {
        let hook = after("slow", second * 60).timeout(hook_sdk::hook::Timeout::After(second));
        let start = tokio::time::Instant::now();
        let ran =
            testing::run([hook.fallback(&after("less_slow", wait))], &EditValue, "text".to_owned()).await.unwrap();
        assert_eq!(ran.subject, expected);
        assert_eq!(start.elapsed(), second + wait.min(second));
    }
}
