use super::matcher::keys;
use crate::dialect::Dialect;
use crate::event::Event;
use crate::matcher::{Matcher, has_no_effect};
use crate::syntax::{Draft, Drafts, Flaw, Flaws, HandlerSupport, Node, handler};

/// Parses a handler, whose fields include the matcher.
pub(super) fn entry(terms: HandlerSupport, event: Event, node: &Node, drafts: &mut Drafts, flaws: &mut Flaws) {
    let written = node.get("matcher").map(Node::value);
    let matcher = match Matcher::read(Dialect::Agentao, event, written.as_ref()) {
        Ok(matcher) => matcher,
        Err(bad) => {
            let span = node.get("matcher").map_or(node.span.clone(), |matcher| matcher.span.clone());
            flaws.push(Flaw::error(span, bad.problem, bad.help));
            return;
        }
    };
    let is_read = !keys(event).is_empty();
    if let (Some(node), Some((problem, help))) = (node.get("matcher"), has_no_effect(event, is_read, written.as_ref()))
    {
        flaws.push(Flaw::warning(node.span.clone(), problem, help));
    }
    if let Some((handler, mut parts)) = handler(terms, event, node, &["matcher"], flaws) {
        parts.check_filter(node, &matcher, flaws);
        drafts.kept.push(Draft { event, matcher, written_matcher: written, handler, span: node.span.clone(), parts });
    }
}
