//! The deadline of a run.

use std::time::Duration;

use super::active_rule::ActiveRule;
use super::owner::Owner;
use crate::event::Event;

/// The environment variable with which a person extends the deadline of the rules at `SessionEnd`.
const SESSION_END: &str = "CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS";

/// The maximum to which rules in settings files can extend the deadline of `SessionEnd`.
const LONGEST_END: Duration = Duration::from_secs(60);

/// The deadline of a rule. At `SessionEnd`, all rules share one deadline, because nobody is waiting any more. The
/// longest timeout of rules in settings files extends it for all rules. Timeouts of plugins' rules do not.
pub(super) fn of(rule: &ActiveRule, among: &[&ActiveRule]) -> Duration {
    if rule.rule.event != Event::SessionEnd {
        return rule.rule.timeout;
    }
    let own = |active: &&&ActiveRule| {
        active.rule.timeout_is_written && matches!(active.owner, Owner::Managed | Owner::User | Owner::Project)
    };
    let said = among.iter().filter(own).map(|active| active.rule.timeout.min(LONGEST_END)).max();
    let by_person = std::env::var(SESSION_END).ok().and_then(|millis| millis.parse().ok()).map(Duration::from_millis);
    let usual = rule.rule.dialect.command_timeout(Event::SessionEnd);
    let shared = by_person.unwrap_or_else(|| said.unwrap_or(usual).max(usual));
    if rule.rule.timeout_is_written { rule.rule.timeout.min(shared) } else { shared }
}
