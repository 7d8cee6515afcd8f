use std::time::Duration;

use super::{Audience, DecisionForm, EventSpec, Exit2, FieldEffect, HandlerTypes};

/// One row per event. The columns are in the order of the fields of [`EventSpec`].
macro_rules! events {
    ($($(#[$doc:meta])* $event:ident $kind:tt $matched:tt $exit2:ident $decision:ident $stop:ident $message:ident $output:tt $types:ident $millis:literal;)*) => {
        /// An event in rule files.
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
                decision: DecisionForm::$decision,
                stop: FieldEffect::$stop,
                message: Audience::$message,
                output: events!(@list $output),
                types: HandlerTypes::$types,
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
    /// Before a person is asked for permission.
    PermissionRequest "permission_request" "tool_name" Ignored Behavior Counts Person ["decision"] NoAgent 600_000;
    /// After a call was denied.
    PermissionDenied - "tool_name" Ignored Nothing NotStated NotStated ["retry"] All 600_000;
    /// After a tool succeeded.
    PostToolUse "after_tool_call_success" "tool_name" Feedback Block Counts Person ["additionalContext" "updatedToolOutput" "updatedMCPToolOutput" "classifierContext"] All 600_000;
    /// After a tool failed.
    PostToolUseFailure "after_tool_call_failure" "tool_name" Feedback Block Counts Person ["additionalContext"] All 600_000;
    /// After all tool calls of a step.
    PostToolBatch - - Stop Block Counts Person ["additionalContext"] All 600_000;
    /// After a person submitted a prompt.
    UserPromptSubmit "user_prompt_submit" - Deny Block Counts Person ["additionalContext" "sessionTitle" "suppressOriginalPrompt"] All 30_000;
    /// Before a command is expanded into a prompt.
    UserPromptExpansion - "command_name" Deny Block Counts Person ["additionalContext" "suppressOriginalPrompt"] All 600_000;
    /// Before the turn ends.
    Stop "stop" - Continue Block Counts Person ["additionalContext"] All 600_000;
    /// Before the turn of a sub-agent ends.
    SubagentStop "stop" "agent_type" Continue Block Counts Person ["additionalContext"] All 600_000;
    /// When a teammate becomes idle.
    TeammateIdle - - Continue Nothing Counts NotStated - All 600_000;
    /// After a task was created.
    TaskCreated - - Deny Block Discarded NotStated - All 600_000;
    /// After a task was completed.
    TaskCompleted - - Deny Nothing Counts NotStated - All 600_000;
    /// Before the conversation is compacted.
    PreCompact "before_compaction" "trigger" Deny Block Discarded Nobody - NoModel 600_000;
    /// After the conversation was compacted.
    PostCompact "post_compact" "trigger" Notice Nothing Discarded Nobody - NoModel 600_000;
    /// Before the model is switched.
    PreModelSwitch - "to_model" Deny Permission NotStated NotStated ["permissionDecision" "permissionDecisionReason"] NoModel 30_000;
    /// After the model was switched.
    PostModelSwitch - "to_model" Notice Nothing NotStated NotStated ["additionalContext"] NoModel 30_000;
    /// When a session starts.
    SessionStart "session_start" "source" Notice Nothing Counts Person ["additionalContext" "initialUserMessage" "sessionTitle" "watchPaths" "reloadSkills"] Local 600_000;
    /// After a session ended.
    SessionEnd "session_end" "reason" Notice Nothing Discarded Nobody - NoModel 1_500;
    /// When a sub-agent starts.
    SubagentStart "before_agent_start" "agent_type" Notice Nothing Counts Person ["additionalContext"] NoModel 600_000;
    /// When the workspace is set up.
    Setup - "trigger" Notice Nothing Discarded Nobody ["additionalContext"] Command 600_000;
    /// When the person is notified.
    Notification - "notification_type" Ignored Nothing Discarded Nobody ["additionalContext"] NoModel 600_000;
    /// After a turn ended with an error.
    StopFailure "turn_end" "error" Ignored Nothing Discarded Nobody - NoModel 600_000;
    /// After an instruction file was loaded.
    InstructionsLoaded - "load_reason" Ignored Nothing Discarded Nobody - NoModel 600_000;
    /// After a settings file changed.
    ConfigChange - "source" Deny Block Discarded Nobody - NoModel 600_000;
    /// After the working directory changed.
    CwdChanged - - Notice Nothing Discarded Person ["watchPaths"] NoModel 600_000;
    /// After a watched file changed.
    FileChanged - "file_path" Notice Nothing Discarded Person ["watchPaths"] NoModel 600_000;
    /// After a directory was added.
    DirectoryAdded - "source" Ignored Nothing Discarded Model - NoModel 600_000;
    /// Before a worktree is created.
    WorktreeCreate - - Deny Nothing Discarded Nobody ["worktreePath"] NoModel 600_000;
    /// Before a worktree is removed.
    WorktreeRemove - - Deny Nothing Discarded Nobody - NoModel 600_000;
    /// When a server asks the person for input.
    Elicitation - "mcp_server_name" Deny Nothing Discarded Nobody ["action" "content"] NoModel 600_000;
    /// After the person answered a server.
    ElicitationResult - "mcp_server_name" Deny Nothing Discarded Nobody ["action" "content"] NoModel 600_000;
    /// When a message is displayed.
    MessageDisplay - - Ignored Nothing Discarded Nobody ["displayContent"] NoModel 10_000;
}
