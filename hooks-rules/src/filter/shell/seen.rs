//! What the walk has seen of a line. Everything else may hold a command.

use std::collections::HashSet;
use std::ops::Range;

use tree_sitter::Node;

use super::nodes::is_arithmetic;
use super::word::Word;

/// The places of a line that the walk has understood.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Where a substitution begins or ends whose commands were found.
    marks: HashSet<usize>,
    /// Text that the shell takes as it is.
    literal: Vec<Range<usize>>,
    /// Text in double quotes and here-documents, in which only `$` and backticks have a meaning.
    quoted: Vec<Range<usize>>,
}

impl Seen {
    pub(super) fn node(&mut self, node: Node<'_>) {
        match node.kind() {
            "command_substitution" | "process_substitution" | "arithmetic_expansion" => {
                self.marks.insert(node.start_byte());
                self.marks.insert(node.end_byte() - 1);
            }
            // A `$` at the end of a string is one.
            "string" => {
                self.marks.insert(node.end_byte().saturating_sub(2));
            }
            "raw_string" | "ansi_c_string" | "comment" => self.literal(node),
            "string_content" | "heredoc_content" => self.quoted.push(node.byte_range()),
            "heredoc_body" if node.named_child_count() == 0 => self.quoted.push(node.byte_range()),
            _ => {}
        }
    }

    pub(super) fn literal(&mut self, node: Node<'_>) {
        self.literal.push(node.byte_range());
    }

    /// Whether something in the line begins a substitution that the walk has not entered.
    pub(super) fn leaves_a_command(mut self, line: &str) -> bool {
        self.literal.sort_by_key(|range| range.start);
        self.quoted.sort_by_key(|range| range.start);
        let is_quoted = |at: usize| {
            let next = self.quoted.partition_point(|range| range.start <= at);
            next > 0 && self.quoted[next - 1].contains(&at)
        };
        let bytes = line.as_bytes();
        let mut literal = self.literal.iter().peekable();
        let mut at = 0;
        while at < bytes.len() {
            while literal.next_if(|range| range.end <= at).is_some() {}
            if let Some(range) = literal.peek().filter(|range| range.start <= at) {
                at = range.end;
                continue;
            }
            let next = bytes.get(at + 1).copied();
            let begins = match (bytes[at], next) {
                (b'\\', Some(_)) => {
                    at += 2;
                    continue;
                }
                (b'`', _) | (b'$', Some(b'(')) => true,
                // `$"…"` is another text in another language.
                (b'<' | b'>', Some(b'(')) | (b'$', Some(b'"')) => !is_quoted(at),
                _ => false,
            };
            if begins && !self.marks.contains(&at) {
                return true;
            }
            at += 1;
        }
        false
    }
}

/// Whether the kind of a node is one that the walk knows. Of others it would not know what they hold.
pub(super) fn is_known(kind: &str) -> bool {
    const KINDS: &[&str] = &[
        "program",
        "command",
        "command_name",
        "word",
        "string",
        "string_content",
        "raw_string",
        "ansi_c_string",
        "concatenation",
        "number",
        "simple_expansion",
        "expansion",
        "variable_name",
        "special_variable_name",
        "command_substitution",
        "process_substitution",
        "variable_assignment",
        "variable_assignments",
        "array",
        "subscript",
        "redirected_statement",
        "file_redirect",
        "file_descriptor",
        "heredoc_redirect",
        "heredoc_start",
        "heredoc_body",
        "heredoc_content",
        "heredoc_end",
        "herestring_redirect",
        "pipeline",
        "list",
        "negated_command",
        "compound_statement",
        "subshell",
        "do_group",
        "for_statement",
        "c_style_for_statement",
        "while_statement",
        "if_statement",
        "elif_clause",
        "else_clause",
        "case_statement",
        "case_item",
        "function_definition",
        "test_command",
        "test_operator",
        "declaration_command",
        "unset_command",
        "arithmetic_expansion",
        "binary_expression",
        "unary_expression",
        "ternary_expression",
        "postfix_expression",
        "parenthesized_expression",
        "brace_expression",
        "extglob_pattern",
        "regex",
        "comment",
    ];
    KINDS.contains(&kind)
}

/// Operators of `[[ ]]` whose operands are arithmetic.
const COMPARE: &[&str] = &["-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-v"];

/// Whether the shell may set a variable here, as arithmetic and loops do, or expand a glob.
pub(super) fn sets(node: Node<'_>, source: &str) -> bool {
    let text = &source[node.byte_range()];
    match node.kind() {
        "for_statement" | "c_style_for_statement" | "arithmetic_expansion" | "subscript" => true,
        "compound_statement" => text.starts_with("(("),
        "test_command" => !text.starts_with('[') || compares(text),
        // `{NAME}>file` sets a variable to the number of the file.
        "file_redirect" => text.starts_with('{') || source[..node.start_byte()].ends_with('}'),
        // What a `case` compares with is a pattern.
        "word" | "extglob_pattern" => {
            Word::of(node, source).computed
                && node.parent().is_none_or(|parent| parent.kind() != "case_item")
                && !is_arithmetic(node)
        }
        _ => false,
    }
}

/// Whether a test does arithmetic. In single brackets only `-v` does, for an index, and it may be in quotes.
fn compares(test: &str) -> bool {
    let is_double = test.starts_with("[[");
    let plain: String = test.chars().filter(|c| is_double || !"\"'\\".contains(*c)).collect();
    let mut words = plain.split(|c: char| c.is_whitespace() || "()!&|".contains(c));
    words.any(|word| if is_double { COMPARE.contains(&word) } else { word == "-v" })
}

/// Whether arithmetic takes a value that anybody may have chosen: a part of a variable, an argument, or one that the shell
/// sets from the line, such as `BASH_COMMAND`.
pub(super) fn takes_any_value(node: Node<'_>, text: &str) -> bool {
    let is_arithmetic = match node.kind() {
        "arithmetic_expansion" | "c_style_for_statement" | "compound_statement" | "subscript" => true,
        "test_command" => text.starts_with("[[") && COMPARE.iter().any(|operator| text.contains(operator)),
        _ => false,
    };
    if !is_arithmetic {
        return false;
    }
    let names = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let is_set = |name: &str| name.starts_with("BASH") || matches!(name, "_" | "PWD" | "OLDPWD" | "DIRSTACK" | "REPLY");
    let takes = |letter: char| letter.is_ascii_digit() || matches!(letter, '@' | '*' | '_' | '!');
    let expands = text.match_indices('$').any(|(at, _)| {
        let behind = text[at + 1..].trim_start_matches('{');
        behind.starts_with(takes)
            || (text[at + 1..].starts_with('{') && behind.contains(['#', '%', '/', ':', '@', '^', ',']))
    });
    names.into_iter().any(is_set) || expands
}
