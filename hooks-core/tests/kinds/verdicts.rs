//! How answers are folded, as tables.

use hooks_core::kinds::{Stop, StopReason};
use hooks_core::prelude::*;
use hooks_core::{HookId, testing};

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
fn the_contexts_of_all_prompt_verdicts_are_kept_in_their_order() {
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
fn who_decided_is_named_and_not_who_only_said_something() {
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
fn what_goes_with_a_stop_is_kept_in_order() {
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
fn verdicts_survive_json() {
    let stop = StopVerdict::end("enough").with_context("a").suppress_output();
    let json = serde_json::to_value(&stop).unwrap();
    assert_eq!(json["decision"]["end"], "enough");
    assert_eq!(serde_json::from_value::<StopVerdict>(json).unwrap(), stop);
    let start = AgentStart::system_prompt("one").with_context("b");
    assert_eq!(serde_json::from_value::<AgentStart>(serde_json::to_value(&start).unwrap()).unwrap(), start);
    assert_eq!(serde_json::to_value(ReplyVerdict::Continue).unwrap(), "continue");
}

/// The word that records and reports show for a verdict. A verdict without a word is silent, and only such a verdict is.
#[test]
fn every_verdict_that_says_something_has_a_word() {
    fn word<V: Verdict>(verdict: impl Into<V>) -> Option<&'static str> {
        let verdict = verdict.into();
        assert_eq!(verdict.is_silent(), verdict.summary().is_none(), "{verdict:?}");
        verdict.summary()
    }
    let table = [
        ("permission", word::<Permission>(()), None),
        ("permission", word::<Permission>(Permission::allow()), Some("allow")),
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
        ("retry", word::<Retry>(Retry::after(std::time::Duration::ZERO)), Some("retry")),
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
