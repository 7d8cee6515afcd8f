//! A model call: what is sent, and what becomes of the answer.

use super::*;

#[test]
fn a_model_call_applies_every_answer() {
    let cx = cx();
    let run = |hooks: &HookSet, outputs: &[Result<ModelAnswer, &str>]| {
        let mut messages = Messages::from(vec![Message::new(Role::User, "hello")]);
        let (mut calls, mut outputs) = (Vec::new(), outputs.iter());
        let step = hooks.model_call(&cx, ModelRequest::new("Be kind."), &mut messages);
        let said = step.run_blocking(|request, messages| {
            calls.push(format!("{} {}", request.system_prompt, messages.last().unwrap().text()));
            outputs.next().cloned().expect("one more call")
        });
        (said.map_err(|error| error.to_string()), calls, messages.len())
    };
    let text = |text: &str| Ok(ModelAnswer::text(text));
    let said = |text: &str| Ok(Message::new(Role::Assistant, text));
    assert_eq!(run(&set([]), &[text("hi")]), (said("hi"), vec!["Be kind. hello".to_owned()], 1));
    assert_eq!(run(&set([]), &[Err("offline")]).0, Err("offline".to_owned()));
    let answers = Hook::at::<PreModelCall>("cache").writer(|_, _, request: &mut ModelRequest| {
        *request = request.clone().answer("cached");
    });
    assert_eq!(run(&set([answers]), &[]), (said("cached"), vec![], 1));
    let answers = Hook::at::<PreModelCall>("main").writer(|_, _, request: &mut ModelRequest| {
        *request = request.clone().answer("closed");
    });
    assert_eq!(
        run(&set([answers.only("call_site", "main")]), &[]).0,
        said("closed"),
        "a loop that names no purpose has one"
    );
    let sees = Hook::at::<PrefilterLlmHistory>("sees").writer(|_, _, messages: &mut Messages| {
        messages[0].rewrite_text(|_| Some("[masked]".to_owned()));
    });
    assert_eq!(run(&set([sees]), &[text("hi")]), (said("hi"), vec!["Be kind. [masked]".to_owned()], 1));
    let again = || {
        Hook::at::<PostModelCall>("again").writer(|_, _, reply: &mut ModelReply| {
            reply.messages.push(Message::new(Role::User, "again"));
            ReplyVerdict::Continue
        })
    };
    let (answer, calls, messages) = run(&set([again()]), &[text("1"), Err("2"), text("3"), text("4")]);
    assert_eq!((answer, calls.len(), messages), (said("4"), 4, 4), "three more calls, and no more");
    // Text that was shown cannot be taken back, and a call is run.
    assert_eq!(run(&set([again()]), &[Ok(ModelAnswer::text("shown").streamed(true))]).1.len(), 1);
    let calls = || vec![Block::ToolUse(ToolCall::new("", "pay", json!({}))), Block::ToolUse(call())];
    let (answer, times, _) = run(&set([again()]), &[Ok(ModelAnswer::new(calls()))]);
    let ids: Vec<_> = answer.unwrap().tool_calls().map(|call| call.id.clone()).collect();
    assert_eq!((times.len(), ids), (1, vec!["call_0".to_owned(), "call_1".to_owned()]));
    // The arguments of an answer that was cut off may be cut off too.
    let cut = ModelAnswer::new(calls()).stop_reason("max_tokens");
    assert_eq!(run(&set([]), &[Ok(cut)]).0.unwrap().tool_calls().count(), 0);
    let ends = Hook::at::<PostModelCall>("ends").reader(|_, _, _| halts::<ReplyVerdict>());
    assert_eq!(run(&set([ends]), &[text("hi")]).0, Err("the turn was halted: enough".to_owned()));
}

#[test]
fn calls_get_ids_of_their_own_and_stay_those_of_their_tool() {
    let calls = |ids: &[&str]| -> Vec<Block> {
        ids.iter().map(|id| Block::ToolUse(ToolCall::new(*id, "pay", json!({})))).collect()
    };
    let ids = |message: &Message| message.tool_calls().map(|call| call.id.clone()).collect::<Vec<_>>();
    let mut messages = Messages::from(vec![Message::of(Role::Assistant, calls(&["a", "call_1"]))]);
    let (hooks, cx) = (set([]), cx());
    let mut said = |content: Vec<Block>| {
        let step = hooks.model_call(&cx, ModelRequest::new("Be kind."), &mut messages);
        step.run_blocking(|_, _| content.clone()).unwrap()
    };
    // One that the conversation has, one twice, and one that is missing.
    let reply = said(calls(&["a", "b", "b", ""]));
    assert_eq!(ids(&reply), ["call_2", "b", "call_4", "call_5"]);
    // A model that says that the call was declared as another tool is not believed.
    let mut call = ToolCall::new("c", "pay", json!({}));
    call.declared_as = Some("look".to_owned());
    let reply = said(vec![Block::ToolUse(call)]);
    assert_eq!(reply.tool_calls().next().unwrap().declared_as, None);
}
