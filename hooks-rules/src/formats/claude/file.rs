use crate::dialect::Dialect;
use crate::event::Event;
use crate::json_type::json_type_name;
use crate::matcher::{Matcher, has_no_effect, matches_nothing};
use crate::syntax::{Draft, Drafts, Flaw, Flaws, HandlerSupport, Json, Node, OF_GROUP, handler, warn_of_keys};

/// Parses a group: a matcher, and an inner list of handlers.
pub(super) fn group(terms: HandlerSupport, event: Event, node: &Node, drafts: &mut Drafts, flaws: &mut Flaws) {
    if node.entries().is_none() {
        let problem = format!("a group is an object, not {}", json_type_name(&node.value()));
        flaws.push(Flaw::error(node.span.clone(), problem, "write `{\"matcher\": \"…\", \"hooks\": [{…}]}`"));
        return;
    }
    warn_of_keys(node.entries().unwrap_or_default(), OF_GROUP, flaws, |meant| match meant {
        "matcher" => ", so its handlers run for everything",
        _ => "",
    });
    warn_of_handler_keys(node, flaws);
    let Some(list) = node.get("hooks") else {
        let help = "put the handler into an inner list: `{\"matcher\": \"…\", \"hooks\": [{…}]}`";
        flaws.push(Flaw::error(node.span.clone(), "this group has no inner `hooks` list", help));
        return;
    };
    let Json::Array(handlers) = &list.json else {
        let problem = format!("the inner `hooks` is a list of handlers, not {}", json_type_name(&list.value()));
        flaws.push(Flaw::error(list.span.clone(), problem, "write `\"hooks\": [{…}]`"));
        return;
    };
    let written = node.get("matcher").map(Node::value);
    let matcher = match Matcher::read(Dialect::Claude, event, written.as_ref()) {
        Ok(matcher) => matcher,
        Err(bad) => {
            let span = node.get("matcher").map_or(node.span.clone(), |matcher| matcher.span.clone());
            flaws.push(Flaw::error(span, bad.problem, bad.help));
            return;
        }
    };
    if let (Some(entry), Some(text)) = (node.get("matcher"), written.as_ref().and_then(|w| w.as_str()))
        && event.is_of_a_tool()
        && text.contains('(')
        && text.ends_with(')')
        && !text.contains(['|', '\\', '^', '.'])
    {
        let help = format!("write the tool as matcher, and `\"if\": \"{text}\"` on the handler");
        let problem = "this looks like a permission rule; as a matcher it is a regular expression";
        flaws.push(Flaw::warning(entry.span.clone(), problem, help));
    }
    if let (Some(entry), Some(flaw)) = (node.get("matcher"), matches_nothing(event, &matcher, written.as_ref())) {
        flaws.push(Flaw::warning(entry.span.clone(), flaw.0, flaw.1));
    }
    let is_read = event.spec().matched.is_some();
    if let (Some(node), Some((problem, help))) = (node.get("matcher"), has_no_effect(event, is_read, written.as_ref()))
    {
        flaws.push(Flaw::warning(node.span.clone(), problem, help));
    }
    for node in handlers {
        if let Some(entry) = node.entry("matcher") {
            let problem = "`matcher` belongs to the group, so this handler runs for all that the group selects";
            let help = "move it to the group, next to the inner `hooks` list";
            flaws.push(Flaw::warning(entry.key_span.clone(), problem, help));
        }
        if drafts.are_full(node) {
            return;
        }
        if let Some((handler, mut parts)) = handler(terms, event, node, &[], flaws) {
            parts.check_filter(node, &matcher, flaws);
            let (matcher, written_matcher) = (matcher.clone(), written.clone());
            drafts.kept.push(Draft { event, matcher, written_matcher, handler, span: node.span.clone(), parts });
        }
    }
}

/// Warns about fields of handlers that a group has.
fn warn_of_handler_keys(group: &Node, flaws: &mut Flaws) {
    const KEYS: &[(&str, &str)] = &[
        ("if", ", so its handlers run for every call that the matcher selects"),
        ("timeout", ", so its handlers have their own timeouts"),
        ("onFailure", ", so a failure of its handlers does not block"),
        ("async", ", so its handlers are waited for"),
        ("asyncRewake", ", so its handlers are waited for"),
        ("once", ""),
        ("shell", ""),
    ];
    for (key, effect) in KEYS {
        if let (Some(entry), Some(_)) = (group.entry(key), group.get("hooks")) {
            let problem = format!("`{key}` belongs to a handler and has no effect on a group{effect}");
            let help = format!("write it in each handler of the inner list: `{{\"type\": …, \"{key}\": …}}`");
            flaws.push(Flaw::warning(entry.key_span.clone(), problem, help));
        }
    }
}
