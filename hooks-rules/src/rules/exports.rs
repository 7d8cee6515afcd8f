//! What scripts export at the start of a session, for the shell tools of an app.

use hooks_core::HookContext;

use super::Rules;
use crate::event::Event;

impl Rules {
    /// `command` as a line for `sh`, with the variables that scripts exported when the session began, by way of
    /// `CLAUDE_ENV_FILE`. Where they exported nothing, or there is no folder for it
    /// ([`session_files`](crate::RulesBuilder::session_files)), the line is the command.
    ///
    /// The contract has these variables for the commands that a model runs, and not for scripts of rules.
    ///
    /// ```
    /// use hooks_core::HookContext;
    /// use hooks_rules::Rules;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let text = r#"{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "./level.sh"}]}]}}"#;
    /// let rules = Rules::builder().text("hooks.json", text).session_files(folder.path()).build();
    /// let cx = HookContext::builder().conversation("c-1").build();
    /// assert_eq!(rules.shell_line(&cx, "make test"), "make test");
    ///
    /// // As a script does: echo 'export LEVEL=3' >> "$CLAUDE_ENV_FILE"
    /// std::fs::write(folder.path().join("c-1.sh"), "export LEVEL=3\n")?;
    /// let line = rules.shell_line(&cx, "echo $LEVEL");
    /// # #[cfg(unix)]
    /// assert_eq!(std::process::Command::new("sh").arg("-c").arg(line).output()?.stdout, b"3\n");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn shell_line(&self, cx: &HookContext, command: &str) -> String {
        // Where no rule could have exported something, what is there is of another time.
        let exports = {
            let state = self.state();
            state.active.iter().any(|active| active.rule.event == Event::SessionStart && state.runs(active))
        };
        let files = self.shared().files.as_ref().filter(|_| exports);
        let exported = files.and_then(|files| files.exported(cx.session().unwrap_or_default()));
        match exported {
            Some(path) => format!(". '{}'\n{command}", path.to_string_lossy().replace('\'', r"'\''")),
            None => command.to_owned(),
        }
    }
}
