//! Variables that scripts export at the start of a session, for the shell tools of an app.

use hook_sdk::HookContext;

use super::rules::Rules;
use crate::event::Event;

impl Rules {
    /// Returns `command` as a command line for `sh` that first sets the variables which scripts exported to
    /// `CLAUDE_ENV_FILE` at the start of the session. If there are none, or there is no folder for the file
    /// ([`session_files`](crate::RulesBuilder::session_files)), returns `command` unchanged.
    ///
    /// According to the contract, these variables are for commands that the model runs, not for scripts of rules.
    ///
    /// ```
    /// use hook_sdk::HookContext;
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
        // If no rule can have exported anything, the file is from an earlier run.
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
