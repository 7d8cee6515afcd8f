//! What is stored, and the end of a turn.

use hook_sdk::Hook;
use hook_sdk::data::{Block, CompactedHistory, Message, ModelRequest, ResultRow};
use hook_sdk::kinds::{
    AfterCreateMessage, AfterToolCall, BeforeCompaction, BeforeCreateMessage, BeforeStoreToolResult, BeforeToolCall,
    PostCompact, PostTurn, PreModelCall, Stop, TurnEnd, UserPromptSubmit,
};
use hook_sdk::verdict::{Permission, PromptVerdict, StopVerdict};
use serde_json::json;

use super::{
    Case, FOLLOW_UP, PROBED, attributes, calls_a_tool, comes, continues_once, fails, fails_after, fails_at,
    fails_later, gate, halts, halts_after, halts_at, halts_later, is_of_a_tool, is_of_the_answer, is_of_the_follow_up,
    masks_rows, says, watched, watches,
};
use crate::expect::Expect::{
    AlwaysSends, Announces, Calls, Comes, ComesAtAll, ComesInTheTurn, ComesPerRow, EndsOnce, NeverRunsWith, NeverSends,
    NeverShows, NeverStores, Runs, RunsWith, Sends, SendsAsThePerson, Shows, Stores, StoresBefore, StoresNothing,
};
use crate::world::Person::{Suspends, Yes};
use crate::world::Scenario::{Answer, Failure, LongTurns, Tool, TwoRounds, TwoTools};
use crate::world::{ANSWER, ASIDE, Act, Acts, ERROR, LONG, NEXT, OUTPUT, PROMPT};

#[rustfmt::skip]
pub(super) const CASES: &[Case] = &[
    // What is stored.
    Case { kind: "before_create_message", when: "watches", scenario: Tool, person: Yes,
           hooks: watched::<BeforeCreateMessage>, expect: &[ComesPerRow("before_create_message"), ComesInTheTurn("before_create_message")] },
    Case { kind: "before_store_tool_result", when: "watches two calls", scenario: TwoTools, person: Yes,
           hooks: watched::<BeforeStoreToolResult>, expect: &[Comes("before_store_tool_result", 2), ComesInTheTurn("before_store_tool_result")] },
    Case { kind: "after_create_message", when: "watches where the turn happens", scenario: Tool, person: Yes,
           hooks: watched::<AfterCreateMessage>, expect: &[ComesPerRow("after_create_message"), ComesInTheTurn("after_create_message")] },
    Case { kind: "before_create_message", when: "masks the input in the row of a call", scenario: Tool, person: Yes,
           hooks: |_| vec![Hook::at::<BeforeCreateMessage>("probe").writer(|_, _, row: &mut Message| {
               for block in &mut row.content {
                   if let Block::ToolUse(call) = block { call.input = json!({ "word": PROBED }).into(); }
               }
           })],
           expect: &[RunsWith("blue"), NeverRunsWith(PROBED), NeverStores("blue"), NeverSends("blue")] },
    Case { kind: "before_create_message", when: "masks every row", scenario: Tool, person: Yes,
           hooks: |_| vec![Hook::at::<BeforeCreateMessage>("probe").writer(|_, _, row: &mut Message| { row.rewrite_text(|_| Some(PROBED.to_owned())); })],
           expect: &[Stores(PROBED), NeverStores(PROMPT), NeverStores(OUTPUT), NeverStores(ANSWER)] },
    Case { kind: "before_create_message", when: "masks every row of two answers", scenario: TwoRounds, person: Yes,
           hooks: |_| vec![Hook::at::<BeforeCreateMessage>("probe").writer(|_, _, row: &mut Message| { row.rewrite_text(|_| Some(PROBED.to_owned())); })],
           expect: &[NeverStores(PROMPT), NeverStores(OUTPUT), NeverStores(ANSWER), NeverStores(ASIDE), NeverSends(PROMPT), NeverSends(OUTPUT), NeverSends(ASIDE)] },
    Case { kind: "before_create_message", when: "masks the rows of a turn that another hook halts after a call", scenario: Tool, person: Yes,
           hooks: |acts| [vec![masks_rows()], halts::<AfterToolCall>(acts)].concat(), expect: &[NeverStores(OUTPUT)] },
    Case { kind: "before_create_message", when: "masks the answer", scenario: Answer, person: Yes,
           hooks: |_| vec![masks_rows()], expect: &[Shows(PROBED), NeverShows(ANSWER), NeverStores(ANSWER)] },
    Case { kind: "before_create_message", when: "masks the row of an answer that `stop` blocks", scenario: Answer, person: Yes,
           hooks: |_| vec![masks_rows(), Hook::at::<Stop>("blocks").reader(|_, _, ()| StopVerdict::block("a secret reason"))],
           expect: &[NeverStores("a secret reason"), NeverStores(ANSWER)] },
    Case { kind: "before_create_message", when: "halts at the row with a call", scenario: Tool, person: Yes,
           hooks: |_| halts_at(calls_a_tool), expect: &[Runs(0), Calls(1)] },
    Case { kind: "before_create_message", when: "halts at the row of a result", scenario: Tool, person: Yes,
           hooks: |_| halts_at(is_of_a_tool), expect: &[Runs(1), Calls(1)] },
    Case { kind: "before_create_message", when: "masks the row of a denied call", scenario: Tool, person: Yes,
           hooks: |_| vec![
               Hook::at::<BeforeToolCall>("denies").reader(|_, _, _| Permission::deny("a secret reason")),
               Hook::at::<BeforeCreateMessage>("probe").writer(|_, _, row: &mut Message| { row.rewrite_text(|_| Some(PROBED.to_owned())); }),
           ],
           expect: &[NeverStores("a secret reason")] },
    Case { kind: "before_create_message", when: "masks the row of a failed call", scenario: Failure, person: Yes,
           hooks: |_| vec![Hook::at::<BeforeCreateMessage>("probe").writer(|_, _, row: &mut Message| { row.rewrite_text(|_| Some(PROBED.to_owned())); })],
           expect: &[NeverStores(ERROR)] },
    Case { kind: "before_create_message", when: "masks the rows of a turn that `stop` continues", scenario: Answer, person: Yes,
           hooks: |_| vec![
               Hook::at::<Stop>("continues").reader(|_, event: &Stop, ()| {
                   if event.stop_hook_active { StopVerdict::default() } else { StopVerdict::continue_with("a secret order") }
               }),
               Hook::at::<BeforeCreateMessage>("probe").writer(|_, _, row: &mut Message| { row.rewrite_text(|_| Some(PROBED.to_owned())); }),
           ],
           expect: &[NeverStores(ANSWER), NeverStores("a secret order"), NeverSends(ANSWER), NeverSends("a secret order")] },
    Case { kind: "before_create_message", when: "halts at the follow-up of `stop`", scenario: Answer, person: Yes,
           hooks: |_| [vec![continues_once(FOLLOW_UP)], halts_at(is_of_the_follow_up)].concat(), expect: &[Calls(1)] },
    Case { kind: "before_create_message", when: "is required and fails at the row with a call", scenario: Tool, person: Yes,
           hooks: |_| fails_at(calls_a_tool), expect: &[Runs(0), Calls(1), NeverStores("call_1")] },
    Case { kind: "before_create_message", when: "is required and fails at the row of a result", scenario: Tool, person: Yes,
           hooks: |_| fails_at(is_of_a_tool), expect: &[Runs(1), Calls(1), NeverStores(OUTPUT)] },
    Case { kind: "before_create_message", when: "is required and fails at the row of the answer", scenario: Answer, person: Yes,
           hooks: |_| fails_at(is_of_the_answer), expect: &[NeverShows(ANSWER), NeverStores(ANSWER)] },
    Case { kind: "before_create_message", when: "is required and fails at the follow-up of `stop`", scenario: Answer, person: Yes,
           hooks: |_| [vec![continues_once(FOLLOW_UP)], fails_at(is_of_the_follow_up)].concat(), expect: &[Calls(1), NeverStores(FOLLOW_UP)] },
    Case { kind: "before_create_message", when: "masks a result that a person is to have said", scenario: TwoTools, person: Yes,
           hooks: |_| vec![attributes(), masks_rows()], expect: &[Runs(2), NeverStores(OUTPUT), NeverSends(OUTPUT)] },
    Case { kind: "before_create_message", when: "masks the rows of a turn that `stop` continues without end", scenario: Answer, person: Yes,
           hooks: |_| [vec![masks_rows()], says::<Stop>(|| StopVerdict::continue_with(FOLLOW_UP))].concat(), expect: &[NeverStores(FOLLOW_UP), NeverStores(ANSWER)] },
    Case { kind: "before_create_message", when: "is required and fails", scenario: Answer, person: Yes,
           hooks: fails::<BeforeCreateMessage>, expect: &[Calls(0), StoresNothing] },
    Case { kind: "before_create_message", when: "halts", scenario: Answer, person: Yes,
           hooks: halts::<BeforeCreateMessage>, expect: &[Calls(0)] },
    Case { kind: "before_store_tool_result", when: "rewrites the row", scenario: Tool, person: Yes,
           hooks: |_| vec![Hook::at::<BeforeStoreToolResult>("probe").writer(|_, _, row: &mut ResultRow| row.content = vec![PROBED.into()])],
           expect: &[Stores(PROBED), NeverStores(OUTPUT)] },
    Case { kind: "before_store_tool_result", when: "rewrites the rows of two calls", scenario: TwoTools, person: Yes,
           hooks: |_| vec![Hook::at::<BeforeStoreToolResult>("probe").writer(|_, _, row: &mut ResultRow| row.content = vec![PROBED.into()])],
           expect: &[NeverStores(OUTPUT)] },
    Case { kind: "before_store_tool_result", when: "rewrites the rows of two answers", scenario: TwoRounds, person: Yes,
           hooks: |_| vec![Hook::at::<BeforeStoreToolResult>("probe").writer(|_, _, row: &mut ResultRow| row.content = vec![PROBED.into()])],
           expect: &[NeverStores(OUTPUT)] },
    Case { kind: "before_store_tool_result", when: "halts later", scenario: TwoRounds, person: Yes,
           hooks: halts_later::<BeforeStoreToolResult>, expect: &[Calls(2)] },
    Case { kind: "before_store_tool_result", when: "is required and fails later", scenario: TwoRounds, person: Yes,
           hooks: fails_later::<BeforeStoreToolResult>, expect: &[Calls(2)] },
    Case { kind: "before_store_tool_result", when: "halts", scenario: Tool, person: Yes,
           hooks: halts::<BeforeStoreToolResult>, expect: &[Calls(1)] },
    Case { kind: "before_store_tool_result", when: "is required and fails", scenario: Tool, person: Yes,
           hooks: fails::<BeforeStoreToolResult>, expect: &[Calls(1), NeverStores(OUTPUT)] },
    Case { kind: "after_create_message", when: "watches", scenario: Tool, person: Yes,
           hooks: |acts| {
               let acts = acts.clone();
               vec![Hook::at::<AfterCreateMessage>("probe").reader(move |_, event: &AfterCreateMessage, ()| acts.note(Act::Announced { row: event.message.clone() }))]
           },
           expect: &[Announces] },
    Case { kind: "after_create_message", when: "watches two calls", scenario: TwoTools, person: Yes,
           hooks: |acts| {
               let acts = acts.clone();
               vec![Hook::at::<AfterCreateMessage>("probe").reader(move |_, event: &AfterCreateMessage, ()| acts.note(Act::Announced { row: event.message.clone() }))]
           },
           expect: &[Announces] },
    Case { kind: "after_create_message", when: "watches a turn that `stop` continues", scenario: Answer, person: Yes,
           hooks: |acts| vec![watches(acts), continues_once(FOLLOW_UP)], expect: &[Announces] },
    Case { kind: "after_create_message", when: "watches an answer that `stop` blocks", scenario: Answer, person: Yes,
           hooks: |acts| vec![watches(acts), Hook::at::<Stop>("blocks").reader(|_, _, ()| StopVerdict::block("no"))], expect: &[Announces] },
    Case { kind: "after_create_message", when: "watches the rows of two answers", scenario: TwoRounds, person: Yes,
           hooks: |acts| vec![watches(acts)], expect: &[Announces] },
    Case { kind: "after_create_message", when: "watches results that a person is to have said", scenario: TwoTools, person: Yes,
           hooks: |acts| vec![watches(acts), attributes(), masks_rows()], expect: &[Announces] },
    Case { kind: "after_create_message", when: "watches a turn that `stop` continues without end", scenario: Answer, person: Yes,
           hooks: |acts| [vec![watches(acts), masks_rows()], says::<Stop>(|| StopVerdict::continue_with(FOLLOW_UP))].concat(), expect: &[Announces] },
    Case { kind: "after_create_message", when: "is required and fails at the row with a call", scenario: Tool, person: Yes,
           hooks: |_| vec![fails_after(calls_a_tool)], expect: &[Runs(0), Calls(1)] },
    Case { kind: "after_create_message", when: "is required and fails at the row of a result", scenario: Tool, person: Yes,
           hooks: |_| vec![fails_after(is_of_a_tool)], expect: &[Runs(1), Calls(1)] },
    Case { kind: "after_create_message", when: "watches masked rows", scenario: Tool, person: Yes,
           hooks: |acts| vec![watches(acts), masks_rows()], expect: &[Announces] },
    Case { kind: "after_create_message", when: "watches the masked rows of a turn that `stop` continues", scenario: Answer, person: Yes,
           hooks: |acts| vec![watches(acts), masks_rows(), continues_once(FOLLOW_UP)], expect: &[Announces] },
    Case { kind: "after_create_message", when: "watches the masked row of an answer that `stop` blocks", scenario: Answer, person: Yes,
           hooks: |acts| vec![watches(acts), masks_rows(), Hook::at::<Stop>("blocks").reader(|_, _, ()| StopVerdict::block("no"))], expect: &[Announces] },
    Case { kind: "after_create_message", when: "halts at the follow-up of `stop`", scenario: Answer, person: Yes,
           hooks: |_| vec![continues_once(FOLLOW_UP), halts_after(is_of_the_follow_up)], expect: &[Calls(1)] },
    Case { kind: "after_create_message", when: "halts at the row with a call", scenario: Tool, person: Yes,
           hooks: |_| vec![halts_after(calls_a_tool)],
           expect: &[Runs(0), Calls(1)] },
    Case { kind: "after_create_message", when: "halts at the row of a result", scenario: Tool, person: Yes,
           hooks: |_| vec![halts_after(is_of_a_tool)],
           expect: &[Runs(1), Calls(1)] },
    Case { kind: "after_create_message", when: "halts", scenario: Answer, person: Yes,
           hooks: halts::<AfterCreateMessage>, expect: &[Calls(0)] },
    Case { kind: "after_create_message", when: "is required and fails", scenario: Answer, person: Yes,
           hooks: fails::<AfterCreateMessage>, expect: &[Calls(0)] },

    // A conversation that is too long.
    Case { kind: "before_compaction", when: "watches", scenario: LongTurns, person: Yes,
           hooks: watched::<BeforeCompaction>, expect: &[ComesAtAll("before_compaction")] },
    Case { kind: "before_compaction", when: "denies", scenario: LongTurns, person: Yes,
           hooks: |_| says::<BeforeCompaction>(|| Permission::deny(PROBED)), expect: &[AlwaysSends(LONG), Sends(NEXT)] },
    Case { kind: "post_compact", when: "watches", scenario: LongTurns, person: Yes,
           hooks: watched::<PostCompact>, expect: &[ComesAtAll("post_compact")] },
    Case { kind: "post_compact", when: "rewrites the summary", scenario: LongTurns, person: Yes,
           hooks: |_| vec![Hook::at::<PostCompact>("probe").writer(|_, _, rest: &mut CompactedHistory| rest.summary = Some(PROBED.to_owned()))],
           expect: &[Sends(PROBED), Sends(NEXT)] },

    // The end.
    Case { kind: "stop", when: "watches", scenario: Tool, person: Yes,
           hooks: watched::<Stop>, expect: &[Comes("stop", 1), ComesInTheTurn("stop")] },
    Case { kind: "post_turn", when: "watches", scenario: Tool, person: Yes,
           hooks: watched::<PostTurn>, expect: &[Comes("post_turn", 1), ComesInTheTurn("post_turn")] },
    Case { kind: "stop", when: "blocks the answer", scenario: Answer, person: Yes,
           hooks: |_| says::<Stop>(|| StopVerdict::block(PROBED)),
           expect: &[Calls(1), NeverShows(ANSWER), NeverStores(ANSWER), Shows(PROBED), Stores(PROBED)] },
    Case { kind: "stop", when: "blocks the answer after a tool", scenario: Tool, person: Yes,
           hooks: |_| says::<Stop>(|| StopVerdict::block(PROBED)),
           expect: &[NeverShows(ANSWER), NeverStores(ANSWER)] },
    Case { kind: "stop", when: "blocks the answer of a turn that it continued", scenario: Answer, person: Yes,
           hooks: |_| vec![Hook::at::<Stop>("probe").reader(|_, event: &Stop, ()| {
               if event.stop_hook_active { StopVerdict::block(PROBED) } else { StopVerdict::continue_with("carry on") }
           })],
           expect: &[Calls(2), NeverShows("answer 2"), NeverStores("answer 2")] },
    Case { kind: "stop", when: "continues the turn", scenario: Answer, person: Yes,
           hooks: |_| vec![Hook::at::<Stop>("probe").reader(|_, event: &Stop, ()| {
               if event.stop_hook_active { StopVerdict::default() } else { StopVerdict::continue_with(PROBED) }
           })],
           expect: &[Calls(2), SendsAsThePerson(PROBED), Sends("answer 1"), StoresBefore("answer 1", PROBED), StoresBefore(PROBED, "answer 2"), Shows("answer 2")] },
    Case { kind: "stop", when: "continues the turn, and then halts", scenario: Answer, person: Yes,
           hooks: |_| vec![continues_once(FOLLOW_UP), halts_later::<Stop>(&Acts::default()).remove(0)],
           expect: &[Calls(2), NeverShows("answer 2"), NeverStores("answer 2")] },
    Case { kind: "stop", when: "continues the turn, and then is required and fails", scenario: Answer, person: Yes,
           hooks: |_| vec![continues_once(FOLLOW_UP), fails_later::<Stop>(&Acts::default()).remove(0)],
           expect: &[Calls(2), NeverShows("answer 2"), NeverStores("answer 2")] },
    Case { kind: "stop", when: "continues the turn without end", scenario: Answer, person: Yes,
           hooks: |_| says::<Stop>(|| StopVerdict::continue_with(PROBED)), expect: &[Shows(ANSWER)] },
    Case { kind: "stop", when: "ends the turn that another hook continues", scenario: Answer, person: Yes,
           hooks: |_| vec![
               Hook::at::<Stop>("continues").reader(|_, _, ()| StopVerdict::continue_with("carry on")),
               Hook::at::<Stop>("probe").reader(|_, _, ()| StopVerdict::end(PROBED)),
           ],
           expect: &[Calls(1), Shows(ANSWER), Stores(ANSWER)] },
    Case { kind: "stop", when: "continues the turn, and then ends it", scenario: Answer, person: Yes,
           hooks: |_| vec![continues_once(FOLLOW_UP), Hook::at::<Stop>("probe").reader(|_, event: &Stop, ()| {
               if event.stop_hook_active { StopVerdict::end(PROBED) } else { StopVerdict::default() }
           }), Hook::at::<Stop>("again").reader(|_, event: &Stop, ()| {
               if event.stop_hook_active { StopVerdict::continue_with("once more") } else { StopVerdict::default() }
           })],
           expect: &[Calls(2), Shows("answer 2"), Stores("answer 2")] },
    Case { kind: "stop", when: "has a message for the person, and continues", scenario: Answer, person: Yes,
           hooks: |_| vec![continues_once(FOLLOW_UP), Hook::at::<Stop>("probe").reader(|_, event: &Stop, ()| {
               if event.stop_hook_active { StopVerdict::default() } else { StopVerdict::default().with_system_message(PROBED) }
           })],
           expect: &[Calls(2), Shows(PROBED), NeverSends(PROBED), NeverStores(PROBED)] },
    Case { kind: "stop", when: "blocks an answer in the model's place", scenario: Answer, person: Yes,
           hooks: |_| vec![
               Hook::at::<PreModelCall>("answers").writer(|_, _, request: &mut ModelRequest| *request = request.clone().answer("an answer in its place")),
               Hook::at::<Stop>("probe").reader(|_, _, ()| StopVerdict::block("no")),
           ],
           expect: &[NeverShows("an answer in its place"), NeverStores("an answer in its place")] },
    Case { kind: "stop", when: "has a message for the person", scenario: Answer, person: Yes,
           hooks: |_| says::<Stop>(|| StopVerdict::default().with_system_message(PROBED)),
           expect: &[Shows(PROBED), NeverSends(PROBED), Shows(ANSWER)] },
    Case { kind: "stop", when: "adds a context", scenario: Answer, person: Yes,
           hooks: |_| says::<Stop>(|| StopVerdict::default().with_context(PROBED)), expect: &[Shows(PROBED)] },
    Case { kind: "stop", when: "hides its context", scenario: Answer, person: Yes,
           hooks: |_| says::<Stop>(|| StopVerdict::default().with_context(PROBED).suppress_output()),
           expect: &[NeverShows(PROBED), Shows(ANSWER)] },
    Case { kind: "stop", when: "hides its context, and continues", scenario: Answer, person: Yes,
           hooks: |_| vec![continues_once(FOLLOW_UP), Hook::at::<Stop>("probe").reader(|_, _, ()| StopVerdict::default().with_context(PROBED).suppress_output())],
           expect: &[Calls(2), NeverShows(PROBED)] },
    Case { kind: "stop", when: "hides its context, and has a message for the person", scenario: Answer, person: Yes,
           hooks: |_| says::<Stop>(|| StopVerdict::default().with_context("a hidden context").with_system_message(PROBED).suppress_output()),
           expect: &[Shows(PROBED), NeverShows("a hidden context"), Shows(ANSWER)] },
    Case { kind: "stop", when: "halts", scenario: Answer, person: Yes,
           hooks: halts::<Stop>, expect: &[Calls(1), NeverShows(ANSWER), NeverStores(ANSWER), Shows(PROBED)] },
    Case { kind: "stop", when: "is required and fails", scenario: Answer, person: Yes,
           hooks: fails::<Stop>, expect: &[Calls(1), NeverShows(ANSWER), NeverStores(ANSWER)] },
    Case { kind: "turn_end", when: "watches", scenario: Tool, person: Yes,
           hooks: watched::<TurnEnd>, expect: &[EndsOnce, ComesInTheTurn("turn_end")] },
    Case { kind: "turn_end", when: "watches a turn that a gate halts", scenario: Tool, person: Yes,
           hooks: |acts| [vec![comes::<TurnEnd>(acts)], halts::<BeforeToolCall>(acts)].concat(), expect: &[EndsOnce] },
    Case { kind: "turn_end", when: "watches a turn that a failure ends", scenario: Answer, person: Yes,
           hooks: |acts| [vec![comes::<TurnEnd>(acts)], fails::<PreModelCall>(acts)].concat(), expect: &[EndsOnce] },
    Case { kind: "turn_end", when: "watches a turn that waits for a person", scenario: Tool, person: Suspends,
           hooks: |acts| [vec![comes::<TurnEnd>(acts)], gate(|| Permission::ask(PROBED))].concat(), expect: &[EndsOnce] },
    Case { kind: "turn_end", when: "watches a turn whose prompt is blocked", scenario: Answer, person: Yes,
           hooks: |acts| [vec![comes::<TurnEnd>(acts)], says::<UserPromptSubmit>(|| PromptVerdict::block(PROBED))].concat(), expect: &[EndsOnce] },
    Case { kind: "turn_end", when: "watches a turn that `stop` continues", scenario: Answer, person: Yes,
           hooks: |acts| vec![comes::<TurnEnd>(acts), continues_once(FOLLOW_UP)], expect: &[EndsOnce] },
    Case { kind: "turn_end", when: "watches an answer that `stop` blocks", scenario: Answer, person: Yes,
           hooks: |acts| vec![comes::<TurnEnd>(acts), Hook::at::<Stop>("blocks").reader(|_, _, ()| StopVerdict::block("no"))], expect: &[EndsOnce] },
];
