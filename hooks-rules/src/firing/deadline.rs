//! How long a run may take.

use std::time::Duration;

use super::active::ActiveRule;
use super::owner::Owner;
use crate::event::Event;

/// The variable by which a person gives the rules at the end of a session more time.
const SESSION_END: &str = "CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS";

/// The most that rules of settings can give the end of a session.
const LONGEST_END: Duration = Duration::from_secs(60);

/// How long a rule may take, which the end of a session shares among all: nobody is there any more who could wait. Rules of
/// settings that say more time give it to all, those of plugins do not.
pub(super) fn of(rule: &ActiveRule, among: &[&ActiveRule]) -> Duration {
    if rule.rule.event != Event::SessionEnd {
        return rule.rule.timeout;
    }
    let own =
        |active: &&&ActiveRule| active.rule.timeout_is_written && matches!(active.owner, Owner::User | Owner::Project);
    let said = among.iter().filter(own).map(|active| active.rule.timeout.min(LONGEST_END)).max();
    let by_person = std::env::var(SESSION_END).ok().and_then(|millis| millis.parse().ok()).map(Duration::from_millis);
    let usual = rule.rule.dialect.command_timeout(Event::SessionEnd);
    let shared = by_person.unwrap_or_else(|| said.unwrap_or(usual).max(usual));
    if rule.rule.timeout_is_written { rule.rule.timeout.min(shared) } else { shared }
}
