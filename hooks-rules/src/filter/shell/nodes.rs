//! Properties of single nodes of the syntax tree.

use tree_sitter::Node;

use super::word::Word;

/// The words that the grammar attaches to a redirection although they do not belong to it: those after its file, and
/// those after the delimiter of a here-document.
pub(super) fn words_behind(redirect: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = redirect.walk();
    match redirect.kind() {
        "file_redirect" => {
            // `2>&-` has no file.
            let closes = redirect.children(&mut redirect.walk()).any(|child| matches!(child.kind(), ">&-" | "<&-"));
            redirect.children_by_field_name("destination", &mut cursor).skip(usize::from(!closes)).collect()
        }
        "heredoc_redirect" => redirect.children_by_field_name("argument", &mut cursor).collect(),
        _ => Vec::new(),
    }
}

/// Whether a comment begins where a shell allows it: at the start of a word.
pub(super) fn begins_a_word(source: &str, at: usize) -> bool {
    let before = &source[..at];
    let stands_apart = before.is_empty() || before.ends_with([' ', '\t', '\n', ';', '&', '|', '(', ')', '`']);
    let end = before.trim_end_matches([' ', '\t', '\n']);
    // A backslash escapes the space, or joins the lines.
    stands_apart && !end.ends_with('\\')
}

/// Whether the delimiter of a here-document is a single word, either unquoted or completely quoted.
pub(super) fn is_plain_mark(text: &str) -> bool {
    let inner = match text.as_bytes() {
        [b'\'', inner @ .., b'\''] | [b'"', inner @ .., b'"'] => inner,
        other => other.strip_prefix(b"\\").unwrap_or(other),
    };
    !inner.is_empty()
        && inner.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'+'))
}

/// Whether a part of the node that is more than blanks is in none of its children, as the `-` in `make -f - <<A`. The
/// shell has fewer blanks than the grammar.
pub(super) fn leaves_text_out(node: Node<'_>, source: &str) -> bool {
    if node.child_count() == 0 || node.kind() == "heredoc_body" {
        return false;
    }
    let (start, end) = if node.kind() == "program" { (0, source.len()) } else { (node.start_byte(), node.end_byte()) };
    let is_more = |from: usize, to: usize| {
        let between = source.get(from..to).unwrap_or("?");
        !between.is_empty() && !between.replace("\\\n", "").trim_matches([' ', '\t', '\n']).is_empty()
    };
    let mut cursor = node.walk();
    let mut at = start;
    let in_front = node
        .children(&mut cursor)
        .any(|child| is_more(std::mem::replace(&mut at, child.end_byte()), child.start_byte()));
    in_front || is_more(at, end)
}

/// Whether a redirection writes a file, or opens a connection.
pub(super) fn writes(redirect: Node<'_>, source: &str) -> bool {
    if redirect.kind() != "file_redirect" {
        return false;
    }
    let text = source[redirect.byte_range()].trim_start_matches(|c: char| c.is_ascii_digit());
    let to = text.trim_start_matches(['>', '&', '|', '<']).trim();
    let connects = |word: &str| word.starts_with("/dev/tcp/") || word.starts_with("/dev/udp/");
    connects(&to.replace(['"', '\'', '\\'], ""))
        || (text.contains('>') && to != "/dev/null" && !to.trim_end_matches('-').chars().all(|c| c.is_ascii_digit()))
}

/// Whether a word of the shell ends here. The grammar ends some earlier: in `a=x]$: rm`, it takes `:` for the command.
pub(super) fn ends_a_word(source: &str, at: usize) -> bool {
    source[at..].starts_with(|c: char| " \t\n;&|<>()`".contains(c)) || source.len() == at
}

/// Whether the node itself is an arithmetic expression.
pub(super) fn is_arithmetic_itself(node: Node<'_>, text: &str) -> bool {
    match node.kind() {
        "arithmetic_expansion" | "c_style_for_statement" | "subscript" | "test_command" => true,
        "compound_statement" => text.starts_with("(("),
        // An offset, or the name of another variable, which may contain an index.
        "expansion" => text.contains(':') || text.starts_with("${!"),
        _ => false,
    }
}

/// Whether a command evaluates its arguments, or variables that they name, as arithmetic.
pub(super) fn calculates(words: &[Word]) -> bool {
    let has = |flag: &str| words.iter().any(|word| word.text.starts_with('-') && word.text.contains(flag));
    // A variable name may contain an index.
    let computes_a_name = || words[1..].iter().any(|word| word.computed);
    match words.first().map(|name| name.text.as_str()) {
        Some("let") => true,
        Some("declare" | "typeset" | "local" | "export" | "readonly") => has("i") || computes_a_name(),
        Some("test" | "[" | "printf") => has("v"),
        Some("wait") => has("p"),
        Some("read" | "mapfile" | "readarray" | "unset" | "getopts") => {
            words.iter().any(|word| word.text.contains('[')) || computes_a_name()
        }
        _ => false,
    }
}

/// Whether a text names a variable whose new value bash evaluates as arithmetic.
pub(super) fn names_an_integer(text: &str) -> bool {
    ["RANDOM", "SECONDS", "OPTIND", "LINENO", "HISTCMD"].iter().any(|name| text.contains(name))
}

/// Whether a redirection sets standard input.
pub(super) fn feeds(redirect: Node<'_>, source: &str) -> bool {
    let is_input = || source[redirect.byte_range()].trim_start_matches(|c: char| c.is_ascii_digit()).starts_with('<');
    matches!(redirect.kind(), "heredoc_redirect" | "herestring_redirect")
        || (redirect.kind() == "file_redirect" && is_input())
}

/// Whether a text contains an unescaped command substitution.
pub(super) fn holds_a_command(text: &str) -> bool {
    let mut escaped = false;
    let mut dollar = false;
    text.chars().any(|c| {
        let found = !escaped && (c == '`' || (dollar && c == '('));
        dollar = !escaped && c == '$';
        escaped = !escaped && c == '\\';
        found
    })
}

/// Whether the grammar continues a word after the end of its line, although the line does not end with a backslash.
pub(super) fn holds_an_end(text: &str) -> bool {
    text.match_indices('\n').any(|(at, _)| !text[..at].ends_with('\\'))
}

/// Whether a node is inside arithmetic or `[[ ]]`.
pub(super) fn is_arithmetic(node: Node<'_>) -> bool {
    let mut above = node.parent();
    while let Some(parent) = above {
        match parent.kind() {
            "binary_expression"
            | "unary_expression"
            | "arithmetic_expansion"
            | "test_command"
            | "subscript"
            | "ternary_expression"
            | "postfix_expression"
            | "parenthesized_expression"
            | "c_style_for_statement" => return true,
            "command" | "program" => return false,
            _ => above = parent.parent(),
        }
    }
    false
}
