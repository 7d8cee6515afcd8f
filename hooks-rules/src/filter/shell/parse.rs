//! Finds the commands that a line runs, with a bash grammar. `None` if the grammar cannot parse the line.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use tree_sitter::{Node, ParseOptions, Parser, Tree};

use super::command::{Assignment, Command, Commands};
use super::nodes::{
    begins_a_word, calculates, ends_a_word, feeds, holds_a_command, holds_an_end, is_arithmetic, is_arithmetic_itself,
    is_plain_mark, leaves_text_out, names_an_integer, words_behind, writes,
};
use super::programs;
use super::seen::{Seen, is_known, sets, takes_any_value};
use super::word::Word;

/// Longer lines are not parsed.
const LONGEST: usize = 1 << 18;

/// The maximum nesting of commands.
const DEPTH: usize = 200;

/// A line that takes longer to parse is treated as not understood.
const PATIENCE: Duration = Duration::from_millis(200);

pub(super) fn read(line: &str) -> Option<Commands> {
    let tree = tree(line)?;
    if continues_a_word(line) || continues_an_empty_line(line) {
        return None;
    }
    // These commands change how a shell resolves program names.
    let plain: String = line.chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect();
    if ["BASH_ALIASES", "BASH_CMDS", "POSIXLY_CORRECT"].iter().any(|name| plain.contains(name)) {
        return None;
    }
    let mut walk =
        Walk { source: line, found: Commands::default(), hides: false, calculates: false, seen: Seen::default() };
    walk.node(tree.root_node(), false, 0)?;
    if walk.seen.leaves_a_command(line) {
        return None;
    }
    // Arithmetic evaluates the value of a variable.
    (!(walk.hides && walk.calculates)).then_some(walk.found)
}

/// A construct in the line that only bash supports.
#[cfg(feature = "runner")]
pub(super) fn bash_only(line: &str) -> Option<&'static str> {
    let tree = tree(line)?;
    let mut nodes = vec![tree.root_node()];
    while let Some(node) = nodes.pop() {
        let found = match (node.kind(), node.is_named()) {
            ("test_command", _) if line[node.byte_range()].starts_with("[[") => Some("[["),
            ("process_substitution", _) => Some("<("),
            ("herestring_redirect", _) => Some("<<<"),
            ("array", _) => Some("=(…)"),
            ("function", false) => Some("function"),
            _ => None,
        };
        if found.is_some() {
            return found;
        }
        let mut cursor = node.walk();
        nodes.extend(node.children(&mut cursor));
    }
    None
}

/// The syntax tree of a line, if the grammar can parse it.
fn tree(line: &str) -> Option<Tree> {
    if line.len() > LONGEST || line.contains('\0') {
        return None;
    }
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).ok()?;
    let began = Instant::now();
    let mut patience = |_: &tree_sitter::ParseState| {
        if began.elapsed() > PATIENCE { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let line = with_plain_braces(line);
    let bytes = line.as_bytes();
    let options = ParseOptions::new().progress_callback(&mut patience);
    let tree = parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options))?;
    (!tree.root_node().has_error()).then_some(tree)
}

/// Whether a backslash at the end of a line may stand within a word or an operator. The shell joins the lines before it reads
/// them, as in `x=` and `$ rm`, which is an assignment and a command. The grammar reads `$ rm` first.
fn continues_a_word(line: &str) -> bool {
    line.match_indices("\\\n").any(|(at, joint)| {
        let (before, after) = (&line[..at], &line[at + joint.len()..]);
        let is_behind = |operators: &[&str]| operators.iter().any(|operator| before.ends_with(operator));
        let begins_anew = is_behind(&["&&", "|", ";", "("]) && !is_behind(&[">|"]);
        let is_apart = begins_anew && after.starts_with(|c: char| c.is_alphanumeric() || c == ' ');
        !before.is_empty() && !before.ends_with([' ', '\t']) && !is_apart
    })
}

/// Whether a backslash at the end of a line follows nothing but blanks. The grammar then joins the lines before and behind it.
fn continues_an_empty_line(line: &str) -> bool {
    line.match_indices("\\\n").any(|(at, _)| line[..at].trim_end_matches([' ', '\t']).ends_with('\n'))
}

/// The line with another word of the same length for each argument `{}`, as of `find`, which the grammar does not parse.
fn with_plain_braces(line: &str) -> String {
    let mut plain = line.to_owned();
    for (at, braces) in line.match_indices("{}") {
        let end = at + braces.len();
        let begins = at == 0 || line[..at].ends_with([' ', '\t', '\n']);
        let stands_apart = begins && line[end..].starts_with([' ', '\t']);
        if stands_apart {
            plain.replace_range(at..end, "__");
        }
    }
    plain
}

struct Walk<'a> {
    source: &'a str,
    found: Commands,
    /// Whether a variable may contain `$` or a backtick as text: from quotes, from a computed value, or from input.
    hides: bool,
    /// Whether the line contains arithmetic.
    calculates: bool,
    seen: Seen,
}

impl<'a> Walk<'a> {
    fn text(&self, node: Node<'_>) -> &'a str {
        &self.source[node.byte_range()]
    }

    /// Collects the commands that a node runs. `is_fed` says whether their standard input is redirected.
    fn node(&mut self, node: Node<'_>, is_fed: bool, depth: usize) -> Option<()> {
        if depth > DEPTH {
            return None;
        }
        self.hides |= matches!(node.kind(), "command_substitution" | "process_substitution")
            || matches!(node.kind(), "raw_string" | "ansi_c_string" | "heredoc_body" | "string_content" | "word")
                && self.text(node).contains(['$', '`', '\\']);
        if is_arithmetic_itself(node, self.text(node)) {
            self.calculates = true;
            self.hides |= takes_any_value(node, self.text(node));
        }
        if (node.is_named() && !is_known(node.kind())) || leaves_text_out(node, self.source) {
            return None;
        }
        self.seen.node(node);
        self.found.acts |= sets(node, self.source);
        if node.kind() == "test_command" && !self.text(node).starts_with("[[") {
            self.found.tests.push(self.text(node).to_owned());
        }
        match node.kind() {
            // A loop sets a variable by which programs find other programs.
            "for_statement"
                if node.child_by_field_name("variable").is_some_and(|name| programs::is_run(self.text(name))) =>
            {
                return None;
            }
            "for_statement" | "select_statement" if names_an_integer(self.text(node)) => self.calculates = true,
            // Within a word, the shell reads `#` as part of the word.
            "comment" if !begins_a_word(self.source, node.start_byte()) => return None,
            "variable_assignment" | "file_redirect" | "herestring_redirect"
                if !ends_a_word(self.source, node.end_byte()) =>
            {
                return None;
            }
            "heredoc_start" if !is_plain_mark(self.text(node)) => return None,
            "heredoc_body" if self.ends_before(node) => return None,
            // Prompt expansion runs commands in the value of a variable.
            "expansion" if self.text(node).contains('@') => return None,
            "command" | "declaration_command" | "unset_command" => self.command(node, None, is_fed)?,
            "redirected_statement" => return self.redirected(node, is_fed, depth),
            "variable_assignment" => self.assignment(node),
            // The content of backticks is unescaped before it is parsed.
            "command_substitution" if self.text(node).starts_with('`') && self.text(node).contains('\\') => {
                return None;
            }
            // The grammar does not know where quotes and line ends are in an expansion.
            "expansion" if self.text(node).contains(['\'', '"', '\\', '\n']) => return None,
            // The `$` is a word of its own: `<<< $ rm`.
            "simple_expansion" if self.text(node).contains([' ', '\t', '\n']) => return None,
            "simple_expansion" | "expansion" | "command_substitution" | "process_substitution" => {
                self.found.computes = true;
            }
            // The grammar treats backticks in these nodes as text, but the shell does not.
            "word" | "regex" | "extglob_pattern" if holds_an_end(self.text(node)) => return None,
            "word" | "regex" | "extglob_pattern" | "heredoc_content" | "string_content"
                if holds_a_command(self.text(node)) =>
            {
                return None;
            }
            "heredoc_body" if self.is_plain(node) => {
                self.seen.literal(node);
                return Some(());
            }
            "heredoc_body" if node.named_child_count() == 0 && holds_a_command(self.text(node)) => return None,
            // Arithmetic evaluates text in quotes.
            "raw_string" if Word::of(node, self.source).hides_a_command() && is_arithmetic(node) => return None,
            _ => {}
        }
        let mut cursor = node.walk();
        let mut is_fed = is_fed;
        for child in node.children(&mut cursor) {
            self.node(child, is_fed, depth + 1)?;
            is_fed |= node.kind() == "pipeline" && child.is_named();
        }
        Some(())
    }

    /// A statement with redirections. The grammar attaches some of its words to them: `>file name word`.
    fn redirected(&mut self, node: Node<'_>, is_fed: bool, depth: usize) -> Option<()> {
        let body = node.child_by_field_name("body");
        let mut cursor = node.walk();
        let others: Vec<_> = node.children(&mut cursor).filter(|child| Some(*child) != body).collect();
        let is_fed = is_fed || others.iter().any(|redirect| feeds(*redirect, self.source));
        let writes = others.iter().any(|redirect| writes(*redirect, self.source));
        self.found.acts |= writes;
        self.found.writes |= writes;
        if writes {
            let files = others.iter().filter_map(|redirect| redirect.child_by_field_name("destination"));
            self.found.written.extend(files.map(|file| Word::of(file, self.source)));
        }
        match body {
            Some(body) if body.kind() == "command" => {
                self.command(body, Some(&others), is_fed)?;
                self.inside(body, depth)?;
            }
            // The words after the file belong to the last command of the statement, but the grammar does not say which
            // one that is.
            Some(_) if others.iter().any(|redirect| !words_behind(*redirect).is_empty()) => return None,
            Some(body) => self.node(body, is_fed, depth + 1)?,
            None => self.command(node, Some(&others), is_fed)?,
        }
        for other in others {
            // A command after the delimiter of a here-document may read it too.
            self.node(other, true, depth + 1)?;
        }
        Some(())
    }

    /// Collects the commands in the words of a command.
    fn inside(&mut self, command: Node<'_>, depth: usize) -> Option<()> {
        let mut cursor = command.walk();
        let children: Vec<_> = command.children(&mut cursor).collect();
        children.into_iter().try_for_each(|child| self.node(child, false, depth + 1))
    }

    /// Adds a simple command. `redirects` are those of the surrounding statement.
    fn command(&mut self, node: Node<'_>, redirects: Option<&[Node<'_>]>, is_fed: bool) -> Option<()> {
        let mut parts = Vec::new();
        let mut is_fed = is_fed;
        if node.kind() != "redirected_statement" {
            let mut cursor = node.walk();
            for part in node.children(&mut cursor) {
                match part.kind() {
                    // The walk visits assignments before a command separately. Assignments after `export` are
                    // arguments.
                    "variable_assignment" if node.kind() == "command" => {}
                    "command_name" => parts.extend(part.child(0)),
                    "file_redirect" | "herestring_redirect" => {
                        is_fed |= feeds(part, self.source);
                        parts.extend(words_behind(part));
                    }
                    // The body of a function whose definition looks like a call is not an argument.
                    "subshell" => return None,
                    _ => parts.push(part),
                }
            }
        }
        for redirect in redirects.unwrap_or_default() {
            parts.extend(words_behind(*redirect));
        }
        parts.sort_by_key(Node::start_byte);
        let mut command = Command { is_fed, ..Command::default() };
        let mut end = None;
        for part in &parts {
            let word = Word::of(*part, self.source);
            let (start, source) = (part.start_byte(), self.text(*part));
            // The grammar ends the word earlier than the shell does.
            let goes_on = end.is_some_and(|end: usize| {
                self.source.get(end..start).is_some_and(|between| between.replace("\\\n", "").is_empty())
            });
            match command.words.last_mut().filter(|_| goes_on) {
                Some(last) => last.append(&word),
                None => {
                    command.source.push_str(if command.words.is_empty() { "" } else { " " });
                    command.words.push(word);
                }
            }
            command.source.push_str(source);
            self.found.computes |= command.words.last().is_some_and(|word| word.text.contains('{') && word.computed);
            end = Some(part.end_byte());
        }
        if !command.words.is_empty() {
            self.found.writes |= programs::writes(&command.words);
            self.calculates |=
                calculates(&command.words) || command.words.iter().any(|word| names_an_integer(&word.text));
            // The input that it reads is unknown.
            let reads = |word: &Word| matches!(word.text.as_str(), "read" | "mapfile" | "readarray" | "getopts");
            self.hides |= command.words.iter().any(reads);
            self.found.simple.push(command);
        }
        Some(())
    }

    fn assignment(&mut self, node: Node<'_>) {
        let name = node.child_by_field_name("name").map(|name| self.text(name).to_owned()).unwrap_or_default();
        let value = node.child_by_field_name("value");
        let mut value = value.map(|value| Word::of(value, self.source)).unwrap_or_default();
        // If parts of the value are computed, keep those in single quotes, because arithmetic would evaluate them.
        if value.computed {
            let mut cursor = node.walk();
            let children: Vec<_> = node.children(&mut cursor).collect();
            let plain = |part: &Node<'_>| part.kind() == "raw_string";
            value.text.extend(children.iter().filter(|part| plain(part)).map(|part| self.text(*part)));
        }
        self.calculates |= names_an_integer(&name) || names_an_integer(&value.text);
        self.found.assignments.push(Assignment { name, value });
    }

    /// Whether a line within the here-document ends it for the shell, but not for the grammar.
    fn ends_before(&self, body: Node<'_>) -> bool {
        let mut before = body.prev_sibling();
        while let Some(node) = before {
            if node.kind() == "heredoc_start" {
                let mark = self.text(node).trim_matches(['\'', '"', '\\']);
                return self.text(body).lines().any(|line| line.trim_start_matches('\t') == mark);
            }
            before = node.prev_sibling();
        }
        false
    }

    /// Whether a here-document is literal text, because its delimiter is quoted.
    fn is_plain(&self, body: Node<'_>) -> bool {
        let mut before = body.prev_sibling();
        while let Some(node) = before {
            if node.kind() == "heredoc_start" {
                return self.text(node).contains(['\'', '"', '\\']);
            }
            before = node.prev_sibling();
        }
        false
    }
}
