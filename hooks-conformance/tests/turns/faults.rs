//! The ways of getting a loop wrong.

macro_rules! faults {
    ($($fault:ident => $told:literal,)*) => {
        /// One way of getting the loop wrong.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Fault { $($fault,)* }

        /// Each fault, and what the report says of it.
        pub(crate) const FAULTS: &[(Fault, &str)] = &[$((Fault::$fault, $told),)*];
    };
}

faults! {
    RunsDenied => "`before_tool_call` denies: the tool must run 0 times, and ran once",
    RunsDeniedAndHides => "`before_tool_call` denies: the tool must run 0 times, and ran once",
    RunsIfTheGateFails => "`before_tool_call` fails: the tool must run 0 times, and ran once",
    RunsAsked => "asks, and the person says no: the tool must run 0 times, and ran once",
    RunsAskedAndThenAsks => "asked before the tool runs, and was asked afterwards",
    NeverAsks => "asks, and the person says yes: the person must be asked once, and was asked 0 times",
    RunsDeferred => "defers, and the person says no: the tool must run 0 times",
    RunsAnswered => "answers in the tool's place: the tool must run 0 times",
    HidesTheAnswerOfAGate => "answers in the tool's place: the model must read `conformance probe`",
    HidesTheDenial => "`before_tool_call` denies: the model must read `conformance probe`",
    RunsTheOldInput => "rewrites the input: the tool must run with `conformance probe`",
    IgnoresAHaltAtTheGate => "`before_tool_call` halts: the model must be called once, and was called 2 times",
    ForgetsTheCallAfterAHalt => "the call `call_1` has 0 results, and needs one",
    ForgetsTheSecondCallAfterAHalt => "the call `call_2` has 0 results, and needs one",
    SkipsThePermissionRequest => "allows in the person's place: the person must be asked 0 times, and was asked once",
    IgnoresTheRequestsDenial => "denies in the person's place: the tool must run 0 times",
    DoesNotJudgeTheRequestsInput => "allows with another input that a gate denies: the tool must not run with",
    IgnoresTheRewrittenResult => "`after_tool_call_success` rewrites the result: the model must read",
    StoresTheRawResult => "`after_tool_call_success` rewrites the result: no row must contain `tool output`",
    IgnoresTheContextOfAResult => "`after_tool_call_success` adds a context: the model must read",
    IgnoresARemovedResult => "removes the result: the model must not read `tool output`",
    ForgetsARemovedResult => "the call `call_1` has 0 results, and needs one",
    ForgetsHooksAfterAnAnswer => "sees the answer of a gate: the model must not read `a secret answer`",
    IgnoresAHaltAfterTheTool => "`after_tool_call_success` halts: the model must be called once",
    SendsTheResultThatARequiredHookWithheld => "`after_tool_call_success` is required and fails: the model must not read",
    IgnoresARemovedFailure => "`after_tool_call_failure` removes the result: the model must not read `tool error`",
    RetriesWithoutBound => "asks to run the tool again without end: the turn must end, and a tool runs without end",
    IgnoresAHaltAfterAFailure => "`after_tool_call_failure` halts: the model must be called once",
    IgnoresTheLastHalt => "`after_tool_call` halts: the model must be called once",
    StoresABlockedPrompt => "`user_prompt_submit` blocks: no row must contain `the prompt`",
    CallsTheModelWithABlockedPrompt => "`user_prompt_submit` blocks: the model must be called 0 times",
    IgnoresAStoppedPrompt => "`user_prompt_submit` stops the turn: the model must be called 0 times",
    SendsTheOldPrompt => "rewrites the prompt: the model must not read `the prompt`",
    StoresTheOldPrompt => "rewrites the prompt: no row must contain `the prompt`",
    ForgetsTheContext => "`user_prompt_submit` adds a context: the model must read `conformance probe`",
    StoresTheContext => "`user_prompt_submit` adds a context: no row must contain `conformance probe`",
    StoresResultsUnmasked => "`before_create_message` masks every row: no row must contain `tool output`",
    StoresThePromptUnmasked => "`before_create_message` masks every row: no row must contain `the prompt`",
    StoresTheAnswerUnmasked => "`before_create_message` masks every row: no row must contain `answer ",
    StoresWithoutTheRequiredMask => "`before_create_message` is required and fails: nothing must be stored",
    AnnouncesTooEarly => "`after_create_message` must follow the stored row, and came without it",
    AnnouncesNothing => "`after_create_message` must follow each stored row, and did not follow",
    StoresTwice => "`after_create_message` must follow each stored row, and did not follow",
    IgnoresTheSystemPrompt => "rewrites the system prompt: the model must read",
    IgnoresTheAnswerInPlace => "answers in the model's place: the model must be called 0 times",
    IgnoresTheFilteredHistory => "`prefilter_llm_history` adds a message: the model must read",
    IgnoresTheRewrittenAnswer => "`post_model_call` rewrites the answer: the person must see `conformance probe`",
    ShowsTheRawAnswer => "`post_model_call` rewrites the answer: the person must not see `answer ",
    RunsARemovedCall => "`post_model_call` removes a tool call: the tool must run 0 times",
    IgnoresContinue => "asks for another answer: the model must be called 2 times, and was called once",
    ContinuesWithoutItsMessages => "asks for another answer: the model must read",
    StoresTheDiscardedAnswer => "asks for another answer: no row must contain `answer 1`",
    ContinuesWithoutBound => "asks for another answer without end: the turn must end, and the model is called without end",
    ShowsWhatStopBlocks => "`stop` blocks the answer: the person must not see",
    ShowsBeforeStop => "`stop` blocks the answer: the person must not see",
    StoresWhatStopBlocks => "`stop` blocks the answer: no row must contain",
    IgnoresTheFollowUp => "`stop` continues the turn: the model must be called 2 times",
    StopsWithoutTheFollowUp => "`stop` continues the turn: the model must read",
    StopWithoutBound => "continues the turn without end: the turn must end, and the model is called without end",
    IgnoresEnd => "ends the turn that another hook continues: the model must be called once",
    HidesSystemMessages => "has a message for the person: the person must see",
    SendsSystemMessages => "has a message for the person: the model must not read",
    HidesTheContextOfStop => "`stop` adds a context: the person must see",
    ShowsASuppressedContext => "`stop` hides its context: the person must not see",
}
