use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct Shell {
    command: String,
}

#[derive(Deserialize)]
struct File {
    file_path: String,
}

/// Pushes are made by people. This reads the line as text: quotes can hide the word.
#[hook(id = "no_push", kind = before_tool_call, tool = "Bash")]
fn no_push(input: &ToolInput) -> Permission {
    match input.read::<Shell>() {
        Ok(shell) if shell.command.contains("push") => Permission::deny("people push"),
        Ok(_) => Permission::NoOpinion,
        Err(error) => Permission::deny(error),
    }
}

/// A person sees a change of the build before it is made.
#[hook(id = "ask_for_ci", kind = before_tool_call, tool = "Edit|Write")]
fn ask_for_ci(input: &ToolInput) -> Permission {
    match input.read::<File>() {
        Ok(file) if file.file_path.contains(".github/workflows") => Permission::ask("this changes the build"),
        Ok(_) => Permission::NoOpinion,
        Err(error) => Permission::deny(error),
    }
}

/// A prompt with a key never reaches the model.
#[hook(id = "no_keys", kind = user_prompt_submit)]
fn no_keys(event: &UserPromptSubmit) -> PromptVerdict {
    let has_key = event.prompt.contains("PRIVATE KEY");
    if has_key { PromptVerdict::block("the prompt holds a private key") } else { PromptVerdict::default() }
}

#[cfg(test)]
mod tests {
    use hooks_hosts::HostTrial;

    use super::*;

    type Tested = Result<(), Box<dyn std::error::Error>>;

    #[test]
    fn claude_code_cannot_push() -> Tested {
        let guards = HostTrial::of("claude", hooks![no_push])?;
        let push = r#"{"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/shop", "tool_use_id": "1",
            "tool_name": "Bash", "tool_input": {"command": "git push --force"}}"#;
        guards.answer(push)?.expect_denied("people push");
        guards.answer(push.replace("push --force", "status"))?.expect_passed();
        Ok(())
    }

    #[test]
    fn codex_cannot_patch_the_build() -> Tested {
        let guards = HostTrial::of("codex", hooks![ask_for_ci])?;
        let patch = r#"{"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/shop", "tool_use_id": "1",
            "tool_name": "apply_patch", "tool_input": {"command":
            "*** Begin Patch\n*** Update File: .github/workflows/ci.yml\n@@\n-a\n+b\n*** End Patch\n"}}"#;
        for change in ["Update File: ", "Add File: ", "Delete File: ", "Update File: old.yml\\n*** Move to: "] {
            // Codex cannot ask a person there, so it hears a denial.
            let ran = guards.answer(patch.replace("Update File: ", change))?;
            assert!(format!("{:?}", ran.answer.stdout).contains("deny"), "{change}");
        }
        Ok(())
    }

    #[test]
    fn no_key_reaches_gemini() -> Tested {
        let guards = HostTrial::of("gemini", hooks![no_keys])?;
        let prompt =
            r#"{"hook_event_name": "BeforeAgent", "session_id": "s", "prompt": "-----BEGIN PRIVATE KEY-----"}"#;
        guards.answer(prompt)?.expect_denied("private key");
        Ok(())
    }
}
