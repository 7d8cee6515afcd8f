//! How the verdicts of several hooks are merged, as tables.

use std::time::Duration;

use hook_sdk::kinds::{Stop, StopReason};
use hook_sdk::prelude::*;
use hook_sdk::verdict::{Attribution, Denial, FollowUp, PromptDecision, Question};
use hook_sdk::{HookId, testing};
use serde_json::json;

fn fold<V: Verdict>(answers: impl IntoIterator<Item = V>) -> V {
    let mut folded = V::from(());
    for answer in answers {
        if folded.is_final() {
            break;
        }
        folded.merge(answer);
    }
    folded
}

#[test]
fn the_last_opinion_on_a_reply_decides() {
    use ReplyVerdict::{Continue, NoOpinion, Stop};
    let table = [
        (vec![], NoOpinion),
        (vec![Stop, Continue], Continue),
        (vec![Continue, Stop], Stop),
        (vec![Continue, NoOpinion], Continue),
    ];
    for (answers, expected) in table {
        assert_eq!(fold(answers.clone()), expected, "{answers:?}");
    }
}

#[test]
fn the_contexts_of_all_prompt_verdicts_are_kept_in_order() {
    let folded = fold([
        PromptVerdict::default().with_context("one").with_context("two"),
        ().into(),
        PromptVerdict::context("three"),
    ]);
    assert_eq!(folded.contexts, ["one", "two", "three"]);
}

#[test]
fn a_stop_is_blocked_ended_or_continued() {
    let go = || StopVerdict::continue_with("more");
    let blank = || StopVerdict::continue_with(" \n");
    let table = [
        (vec![], "None"),
        (vec![go(), ().into()], "Continue(more)"),
        (vec![blank(), blank()], "Continue(go on)"),
        (vec![blank(), go()], "Continue(more)"),
        (vec![go(), blank()], "Continue(more)"),
        (vec![go(), StopVerdict::continue_with("and on")], "Continue(more\n\nand on)"),
        (vec![go(), StopVerdict::end("enough")], "End(enough)"),
        (vec![StopVerdict::end("enough"), go()], "End(enough)"),
        (vec![go(), StopVerdict::block("no")], "Block(no)"),
        (vec![StopVerdict::block("no"), StopVerdict::end("enough")], "Block(no)"),
    ];
    for (answers, expected) in table {
        let decision = match fold(answers.clone()).decision {
            StopDecision::Continue(text) => format!("Continue({text})"),
            StopDecision::End(reason) => format!("End({reason})"),
            StopDecision::Block(reason) => format!("Block({reason})"),
            _ => "None".to_owned(),
        };
        assert_eq!(decision, expected, "{answers:?}");
    }
}

#[test]
fn a_verdict_names_the_hook_that_decided_and_no_other() {
    let says = |id| Hook::at::<Stop>(id).reader(|_, _, ()| StopVerdict::default().with_context("a"));
    let goes_on = |id| Hook::at::<Stop>(id).reader(|_, _, ()| StopVerdict::continue_with("more"));
    let ends = |id| Hook::at::<Stop>(id).reader(|_, _, ()| StopVerdict::end("enough"));
    let table = [
        (vec![says("a")], None),
        (vec![says("a"), goes_on("b"), goes_on("c"), says("d")], Some("b")),
        (vec![goes_on("a"), ends("b"), goes_on("c")], Some("b")),
    ];
    for (hooks, expected) in table {
        let fired = testing::run_blocking(hooks, &Stop::new(StopReason::FinalResponse), ()).unwrap();
        assert_eq!(fired.verdict.by.as_ref().map(HookId::as_str), expected, "{:?}", fired.verdict);
    }
}

#[test]
fn the_contexts_of_a_stop_are_kept_in_order() {
    let first = StopVerdict::default().with_context("a").with_system_message("x");
    let second = StopVerdict::default().with_context("b").with_system_message("y").suppress_output();
    let all = fold([first, second]);
    assert_eq!((all.contexts.joined().as_str(), all.suppress_output), ("a\n\nb", true));
    assert_eq!(all.system_messages, ["x", "y"]);
}

#[test]
fn the_first_system_prompt_wins_and_contexts_are_joined() {
    let all = fold([
        AgentStart::context("a"),
        AgentStart::system_prompt("one").with_context("b"),
        AgentStart::system_prompt("two"),
        AgentStart::from(Contexts::from("c")),
    ]);
    assert_eq!(all.system_prompt.as_deref(), Some("one"));
    assert_eq!(all.contexts.iter().collect::<Vec<_>>(), ["a", "b", "c"]);
}

#[test]
fn verdicts_round_trip_through_json() {
    let stop = StopVerdict::end("enough").with_context("a").suppress_output();
    let json = serde_json::to_value(&stop).unwrap();
    assert_eq!(json["decision"]["end"], "enough");
    assert_eq!(serde_json::from_value::<StopVerdict>(json).unwrap(), stop);
    let start = AgentStart::system_prompt("one").with_context("b");
    assert_eq!(serde_json::from_value::<AgentStart>(serde_json::to_value(&start).unwrap()).unwrap(), start);
    assert_eq!(serde_json::to_value(ReplyVerdict::Continue).unwrap(), "continue");
}

/// Records and reports show a word for a verdict. Only a silent verdict has none.
#[test]
fn every_verdict_that_is_not_silent_has_a_word() {
    fn word<V: Verdict>(verdict: impl Into<V>) -> Option<&'static str> {
        let verdict = verdict.into();
        assert_eq!(verdict.is_silent(), verdict.summary().is_none(), "{verdict:?}");
        verdict.summary()
    }
    let table = [
        ("permission", word::<Permission>(()), None),
        ("permission", word::<Permission>(Permission::Allow), Some("allow")),
        ("permission", word::<Permission>(Permission::deny("no")), Some("deny")),
        ("permission", word::<Permission>(Permission::ask("may it?")), Some("ask")),
        ("prompt", word::<PromptVerdict>(()), None),
        ("prompt", word::<PromptVerdict>(PromptVerdict::block("no")), Some("block")),
        ("stop", word::<StopVerdict>(()), None),
        ("stop", word::<StopVerdict>(StopVerdict::end("enough")), Some("end")),
        ("reply", word::<ReplyVerdict>(()), None),
        ("reply", word::<ReplyVerdict>(ReplyVerdict::Stop), Some("stop")),
        ("reply", word::<ReplyVerdict>(ReplyVerdict::Continue), Some("continue")),
        ("retry", word::<Retry>(()), None),
        ("retry", word::<Retry>(Retry::Never), Some("no retry")),
        ("retry", word::<Retry>(Retry::After(std::time::Duration::ZERO)), Some("retry")),
        ("contexts", word::<Contexts>(()), None),
        ("contexts", word::<Contexts>("be brief"), Some("contexts")),
        ("agent start", word::<AgentStart>(()), None),
        ("agent start", word::<AgentStart>(AgentStart::system_prompt("be kind")), Some("system prompt")),
        ("contributions", word::<Contributions>(()), None),
    ];
    for (verdict, word, expected) in table {
        assert_eq!(word, expected, "{verdict}");
    }
}

#[test]
fn an_attribution_names_the_place_of_the_rule() {
    let rule = || Attribution::new(HookId::named("no_rm").unwrap());
    let table = [
        (rule(), "no_rm"),
        (rule().file("hooks.json", 3), "no_rm (hooks.json:3)"),
        (rule().plugin("acme"), "no_rm (plugin acme)"),
        (rule().file("hooks.json", 3).plugin("acme"), "no_rm (hooks.json:3, plugin acme)"),
    ];
    for (attribution, text) in table {
        assert_eq!(attribution.to_string(), text);
        let denial = Denial::from("no".to_owned()).attributed_to(attribution.clone());
        assert_eq!(denial.by, Some(HookId::named("no_rm").unwrap()));
        assert_eq!(denial.attribution.as_deref(), Some(&attribution));
        let question = Question::new("why").attributed_to(attribution.clone());
        assert_eq!((question.by, question.attribution.as_deref()), (denial.by, Some(&attribution)));
    }
    assert_eq!(Denial::from("no"), Denial::from("no".to_owned()));
}

#[test]
fn a_question_contains_what_an_approver_needs() {
    let question = Question::new("a refund").risk("high").choices(["half", "all"]).details(json!({"cents": 9}));
    let asked = serde_json::to_value(Permission::from(question)).unwrap();
    let expected = json!({
        "permission": "ask", "by": null, "reason": "a refund", "risk": "high", "choices": ["half", "all"], "details": {"cents": 9},
    });
    assert_eq!(asked, expected);
}

#[test]
fn the_last_opinion_on_another_call_decides() {
    let (wait, longer) = (Retry::After(Duration::from_secs(1)), Retry::After(Duration::from_secs(2)));
    let table = [
        (vec![], Retry::NoOpinion),
        (vec![wait, Retry::NoOpinion], wait),
        (vec![wait, longer], longer),
        (vec![longer, Retry::Never], Retry::Never),
        (vec![Retry::Never, wait], wait),
    ];
    for (answers, expected) in table {
        assert_eq!(fold(answers.clone()), expected, "{answers:?}");
    }
}

#[test]
fn contexts_are_merged_from_every_type_that_converts_into_them() {
    let answers = [
        Contexts::from("one"),
        Some("two".to_owned()).into(),
        None.into(),
        vec!["three".to_owned(), "four".to_owned()].into(),
    ];
    assert_eq!(
        serde_json::to_value(fold(answers)).unwrap(),
        serde_json::to_value(Contexts::from(["one", "two", "three", "four"].map(str::to_owned).to_vec())).unwrap()
    );
}

#[test]
fn a_prompt_is_stopped_or_blocked_for_a_reason() {
    let table = [
        (PromptVerdict::stop("done"), PromptDecision::Stop("done".into())),
        (PromptVerdict::block(" "), PromptDecision::Block("no reason given".into())),
    ];
    for (verdict, decision) in table {
        assert!(verdict.is_final());
        assert_eq!(verdict.decision, decision);
    }
    assert_eq!(FollowUp::from("on\n").as_str(), "on");
}

/// Each merge rule for a field, with an unset answer before, between and after the others.
#[test]
fn each_merge_rule_treats_an_unset_field_as_no_opinion() {
    #[derive(Clone, Debug, PartialEq, Verdict)]
    struct Choice {
        #[verdict(first)]
        first: Option<u8>,
        #[verdict(last)]
        last: Option<u8>,
        #[verdict(max)]
        most: Option<u8>,
        #[verdict(min)]
        least: Option<u8>,
        #[verdict(any)]
        any: bool,
        #[verdict(joined)]
        joined: Vec<u8>,
        #[verdict(intersected)]
        common: Option<Vec<u8>>,
    }
    let says = |numbers: &[u8]| Choice {
        first: Some(numbers[0]),
        last: Some(numbers[0]),
        most: Some(numbers[0]),
        least: Some(4 - numbers[0]),
        any: numbers[0] == 2,
        joined: numbers.to_vec(),
        common: Some(numbers.to_vec()),
    };
    let silent = || Choice::from(());
    let (one, two, three) = (says(&[1, 7]), says(&[3, 7, 1]), says(&[2, 1]));
    let folded = fold([silent(), one, silent(), two, three, silent()]);
    let expected = Choice {
        first: Some(1),
        last: Some(2),
        most: Some(3),
        least: Some(1),
        any: true,
        joined: vec![1, 7, 3, 7, 1, 2, 1],
        common: Some(vec![1]),
    };
    assert_eq!(folded, expected);
    assert_eq!(fold([silent(), silent()]), silent());
}

#[test]
fn a_flag_is_silent_until_a_hook_sets_it() {
    #[derive(Clone, Debug, PartialEq, Verdict)]
    struct Alarm {
        #[verdict(any, final)]
        raised: bool,
    }
    for raised in [false, true] {
        let alarm = Alarm { raised };
        assert_eq!((alarm.is_silent(), Verdict::is_final(&alarm)), (!raised, raised));
    }
}

#[test]
fn a_verdict_of_an_app_may_store_the_rule_that_decided() {
    #[derive(Clone, Debug, PartialEq, Verdict)]
    struct Ruling {
        #[verdict(first)]
        limit: Option<u8>,
        #[verdict(by)]
        rule: Option<std::sync::Arc<Attribution>>,
    }
    let rule = std::sync::Arc::new(Attribution::new(HookId::named("no_rm").unwrap()));
    let ruling = Ruling { limit: Some(1), rule: Some(std::sync::Arc::clone(&rule)) };
    assert_eq!(ruling.attribution(), Some(&rule));
    assert_eq!(Ruling::from(()).attribution(), None);
}
