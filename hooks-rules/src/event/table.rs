use std::time::Duration;

use super::{Decides, EventSpec, Exit2, Power, Shown, Types};

/// One row per event, in the order of the columns of [`EventSpec`].
macro_rules! events {
    ($($(#[$doc:meta])* $event:ident $kind:tt $matched:tt $exit2:ident $decision:ident $stop:ident $message:ident $output:tt $types:ident $millis:literal;)*) => {
        /// An event of the wire.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Event {
            $($(#[$doc])* $event,)*
        }

        pub(super) static EVENTS: &[EventSpec] = &[
            $(EventSpec {
                event: Event::$event,
                name: stringify!($event),
                kind: events!(@word $kind),
                matched: events!(@word $matched),
                exit2: Exit2::$exit2,
                decision: Decides::$decision,
                stop: Power::$stop,
                message: Shown::$message,
                output: events!(@list $output),
                types: Types::$types,
                timeout: Duration::from_millis($millis),
                text_is_context: matches!(
                    Event::$event,
                    Event::UserPromptSubmit | Event::UserPromptExpansion | Event::SessionStart | Event::PostModelSwitch
                ),
            },)*
        ];
    };
    (@word -) => { None };
    (@word $word:literal) => { Some($word) };
    (@list -) => { None };
    (@list [$($member:literal)*]) => { Some(&[$($member),*]) };
}

events! {
    /// Before a tool runs.
    PreToolUse "before_tool_call" "tool_name" Deny Permission Counts Person ["permissionDecision" "permissionDecisionReason" "updatedInput" "additionalContext"] All 600_000;
    /// A person is about to be asked.
    PermissionRequest "permission_request" "tool_name" Ignored Behavior Counts Person ["decision"] NoAgent 600_000;
    /// A call was refused.
    PermissionDenied - "tool_name" Ignored Nothing NotStated NotStated ["retry"] All 600_000;
    /// A tool has answered.
    PostToolUse "after_tool_call_success" "tool_name" Feedback Block Counts Person ["additionalContext" "updatedToolOutput" "updatedMCPToolOutput" "classifierContext"] All 600_000;
    /// A tool has failed.
    PostToolUseFailure "after_tool_call_failure" "tool_name" Feedback Block Counts Person ["additionalContext"] All 600_000;
    /// All tools of one step have answered.
    PostToolBatch - - Stop Block Counts Person ["additionalContext"] All 600_000;
    /// A person has submitted a prompt.
    UserPromptSubmit "user_prompt_submit" - Deny Block Counts Person ["additionalContext" "sessionTitle" "suppressOriginalPrompt"] All 30_000;
    /// A command is expanded into a prompt.
    UserPromptExpansion - "command_name" Deny Block Counts Person ["additionalContext" "suppressOriginalPrompt"] All 600_000;
    /// The turn is about to end.
    Stop "stop" - Continue Block Counts Person ["additionalContext"] All 600_000;
    /// A sub-agent's turn is about to end.
    SubagentStop "stop" "agent_type" Continue Block Counts Person ["additionalContext"] All 600_000;
    /// A teammate has nothing to do.
    TeammateIdle - - Continue Nothing Counts NotStated - All 600_000;
    /// A task was created.
    TaskCreated - - Deny Block Discarded NotStated - All 600_000;
    /// A task is done.
    TaskCompleted - - Deny Nothing Counts NotStated - All 600_000;
    /// The conversation is about to be compacted.
    PreCompact "before_compaction" "trigger" Deny Block Discarded Nobody - NoModel 600_000;
    /// The conversation was compacted.
    PostCompact "post_compact" "trigger" Notice Nothing Discarded Nobody - NoModel 600_000;
    /// The model is about to be switched.
    PreModelSwitch - "to_model" Deny Permission NotStated NotStated ["permissionDecision" "permissionDecisionReason"] NoModel 30_000;
    /// The model was switched.
    PostModelSwitch - "to_model" Notice Nothing NotStated NotStated ["additionalContext"] NoModel 30_000;
    /// A session begins.
    SessionStart "session_start" "source" Notice Nothing Counts Person ["additionalContext" "initialUserMessage" "sessionTitle" "watchPaths" "reloadSkills"] Local 600_000;
    /// A session has ended.
    SessionEnd "session_end" "reason" Notice Nothing Discarded Nobody - NoModel 1_500;
    /// A sub-agent begins.
    SubagentStart "before_agent_start" "agent_type" Notice Nothing Counts Person ["additionalContext"] NoModel 600_000;
    /// The workspace is set up.
    Setup - "trigger" Notice Nothing Discarded Nobody ["additionalContext"] Command 600_000;
    /// The person is notified.
    Notification - "notification_type" Ignored Nothing Discarded Nobody ["additionalContext"] NoModel 600_000;
    /// The turn ended with an error.
    StopFailure "turn_end" "error" Ignored Nothing Discarded Nobody - NoModel 600_000;
    /// A file of instructions was loaded.
    InstructionsLoaded - "load_reason" Ignored Nothing Discarded Nobody - NoModel 600_000;
    /// A settings file has changed.
    ConfigChange - "source" Deny Block Discarded Nobody - NoModel 600_000;
    /// The current folder has changed.
    CwdChanged - - Notice Nothing Discarded Person ["watchPaths"] NoModel 600_000;
    /// A watched file has changed.
    FileChanged - "file_path" Notice Nothing Discarded Person ["watchPaths"] NoModel 600_000;
    /// A folder was added.
    DirectoryAdded - "source" Ignored Nothing Discarded Model - NoModel 600_000;
    /// A worktree is to be made.
    WorktreeCreate - - Deny Nothing Discarded Nobody ["worktreePath"] NoModel 600_000;
    /// A worktree is to be removed.
    WorktreeRemove - - Deny Nothing Discarded Nobody - NoModel 600_000;
    /// A server asks the person something.
    Elicitation - "mcp_server_name" Deny Nothing Discarded Nobody ["action" "content"] NoModel 600_000;
    /// The person has answered a server.
    ElicitationResult - "mcp_server_name" Deny Nothing Discarded Nobody ["action" "content"] NoModel 600_000;
    /// A message is shown.
    MessageDisplay - - Ignored Nothing Discarded Nobody ["displayContent"] NoModel 10_000;
}
