//! What a statement does, by its words and by its tree.

use std::ops::ControlFlow;

use sqlparser::ast::{Expr, Function, Ident, ObjectName, Query, SetExpr, Statement, TableFactor, Visit, Visitor};
use sqlparser::keywords::Keyword;
use sqlparser::parser::Parser;
use sqlparser::tokenizer::{Token, Tokenizer, Whitespace};

use wildmatch::WildMatch;

use super::ReadOnlySql;
use crate::parameters::rows;

/// Longer statements are denied.
const CHARACTERS: usize = 50_000;

/// The most key words and operators of an expression and those around it, which commas end: a tree can be as deep as it
/// has of them, and walking a deep one ends the program. Names and values do not count, so that a list can be long.
const OPERATORS: usize = 400;

/// The most key words and operators: the parser takes long for functions within each other.
const ALL_OPERATORS: usize = 2_000;

/// The most parentheses, `CASE`, `NOT` and `INTERVAL` within each other: the parser takes much room for each, and may try
/// it in two ways.
const NESTING: usize = 10;

/// Words behind a `NOT` that begins no expression.
const NEGATED: &str = "BETWEEN DISTINCT EXISTS GLOB ILIKE IN LIKE MATCH MATERIALIZED NULL REGEXP RLIKE SIMILAR";

/// Hints of SQL Server that lock more than a reader does.
const LOCKS: &str = "UPDLOCK XLOCK TABLOCK TABLOCKX HOLDLOCK PAGLOCK ROWLOCK SERIALIZABLE REPEATABLEREAD";

impl ReadOnlySql {
    /// Whether a text is one statement that only reads.
    ///
    /// # Errors
    /// What it is or does instead.
    pub fn check(&self, sql: &str) -> Result<(), String> {
        if sql.chars().count() > CHARACTERS {
            return Err(format!("it is longer than {CHARACTERS} characters"));
        }
        if sql.contains('\0') {
            return Err("it contains a null character".to_owned());
        }
        let mut tokens = Tokenizer::new(self.dialect, sql).tokenize().map_err(|error| error.to_string())?;
        self.check_words(sql, &tokens)?;
        if self.name == "sqlite" {
            spell_out(&mut tokens);
        }
        let is_shown = tokens.iter().all(is_shown);
        let mut parser = Parser::new(self.dialect).with_recursion_limit(30).with_tokens(tokens);
        while parser.consume_token(&Token::SemiColon) {}
        let statement = parser.parse_statement().map_err(|error| error.to_string())?;
        while parser.consume_token(&Token::SemiColon) {}
        // What the parser does not come to, nobody has judged: it ends a statement at an `END`.
        if parser.peek_token_ref().token != Token::EOF {
            return Err(format!("there is more behind it: `{}`", parser.peek_token_ref()));
        }
        if matches!(statement, Statement::ShowVariable { .. }) && !is_shown {
            return Err("its `SHOW` contains more than names and texts".to_owned());
        }
        let mut walk = Walk { sql: self, scopes: vec![], calls: false, problem: None };
        let _ = statement.visit(&mut walk);
        walk.problem.map_or(Ok(()), Err)
    }

    fn check_words(&self, sql: &str, tokens: &[Token]) -> Result<(), String> {
        let is_nested = |token: &Token| matches!(token, Token::Whitespace(Whitespace::MultiLineComment(text)) if text.contains("/*"));
        // `U&"pg_sl\0065ep"` is a name, and this parser reads it as the operator `&`.
        let is_escaped = |three: &[Token]| match three {
            [word, Token::Ampersand, Token::Word(quoted)] => is_word(word, "U") && quoted.quote_style.is_some(),
            _ => false,
        };
        let has_dollars = ["clickhouse", "duckdb", "postgres", "redshift", "snowflake"].contains(&self.name);
        let is_hidden = |token: &Token| match token {
            Token::DollarQuotedString(_) => !has_dollars,
            // This parser takes a backslash for an escape of the quote.
            Token::HexStringLiteral(text) => !text.bytes().all(|byte| byte.is_ascii_hexdigit()),
            // Postgres ends it there.
            Token::Whitespace(Whitespace::SingleLineComment { comment, .. }) => comment.trim_end().contains('\r'),
            Token::Whitespace(_) | Token::EscapedStringLiteral(_) | Token::UnicodeStringLiteral(_) => false,
            // The others have a backslash for an escape where this parser does, or nowhere.
            Token::SingleQuotedString(_) | Token::DoubleQuotedString(_)
                if !["ansi", "databricks"].contains(&self.name) =>
            {
                false
            }
            // A backslash may be an escape, also in a name or a text such as `r'…'`.
            other => ["\\'", "\\\"", "\\`"].iter().any(|quote| other.to_string().contains(quote)),
        };
        let words: Vec<&Token> = tokens.iter().filter(|token| !matches!(token, Token::Whitespace(_))).collect();
        // `E'\''` where this parser knows none, and a tag such as `$€$`.
        let is_split = |two: &[Token]| match two {
            [Token::Word(_), Token::SingleQuotedString(text)] => text.contains('\\'),
            [Token::Placeholder(begins), Token::Word(_)] => begins.starts_with('$'),
            _ => false,
        };
        // A text goes on in the next one, with its escapes: `E'a' '\''`.
        let goes_on = |two: &[&Token]| {
            two[0].to_string().ends_with('\'')
                && matches!(two[1], Token::SingleQuotedString(text) if text.contains('\\'))
        };
        let is_ambiguous =
            tokens.iter().any(is_hidden) || tokens.windows(2).any(is_split) || words.windows(2).any(goes_on);
        // An escape in a text can be one, too.
        let is_plain =
            |token: &&&Token| !matches!(token, Token::EscapedStringLiteral(_) | Token::UnicodeStringLiteral(_));
        let spaces = |text: &str| text.chars().filter(|c| c.is_whitespace() && !c.is_ascii()).count();
        let within: usize = words.iter().filter(is_plain).map(|token| spaces(&token.to_string())).sum();
        let problems = [
            // MySQL runs the text in some comments, or not, as its version says. The parser always reads it.
            (
                ["/*!", "/*M!", "/*+"].iter().any(|begin| sql.contains(begin)),
                "it contains a comment that a database may run",
            ),
            (
                tokens.iter().any(is_nested),
                "it contains a comment within another, which databases end in different places",
            ),
            (tokens.windows(3).any(is_escaped), "it contains a name with escapes; write it plainly"),
            (is_ambiguous, "it contains a text or comment that databases end in different places"),
            (spaces(sql) > within, "it contains white space that is not plain outside of a text or name"),
            (self.name == "mysql" && tokens.contains(&Token::Assignment), "it sets a variable with `:=`"),
        ];
        if let Some((_, problem)) = problems.iter().find(|(is, _)| *is) {
            return Err((*problem).to_owned());
        }
        let is_operator = |token: &&Token| match token {
            Token::Word(word) => word.keyword != Keyword::NoKeyword,
            Token::Comma | Token::Period | Token::Number(..) | Token::SingleQuotedString(_) => false,
            _ => true,
        };
        if words.iter().copied().filter(is_operator).count() > ALL_OPERATORS {
            return Err(format!("it has more than {ALL_OPERATORS} key words and operators"));
        }
        // A name can be `end`, too, but not behind one of these.
        let is_operand = |token: &&Token| match token {
            Token::RParen | Token::RBracket => true,
            Token::Comma | Token::Period => false,
            token => !is_operator(token) || is_word(token, "NULL TRUE FALSE END"),
        };
        // For each of the parentheses around: the operators, and the open `CASE` and the like, since the last comma.
        let mut levels = vec![(0_usize, 0_usize)];
        for (at, word) in words.iter().enumerate() {
            let last = levels.len() - 1;
            let (operators, cases) = &mut levels[last];
            *operators += usize::from(is_operator(word));
            match word {
                Token::Word(word) if word.keyword == Keyword::CASE => *cases += 1,
                Token::Word(word) if word.keyword == Keyword::NOT => {
                    *cases += usize::from(!words.get(at + 1).is_some_and(|next| is_word(next, NEGATED)));
                }
                Token::Word(word) if word.keyword == Keyword::INTERVAL => {
                    let is_value = |next: &&Token| matches!(next, Token::SingleQuotedString(_) | Token::Number(..));
                    *cases += usize::from(!words.get(at + 1).is_some_and(is_value));
                }
                Token::Word(word) if word.keyword == Keyword::END && words[..at].last().is_some_and(is_operand) => {
                    *cases = cases.saturating_sub(1);
                }
                Token::Comma => (*operators, *cases) = (0, 0),
                Token::LParen | Token::LBracket | Token::LBrace => levels.push((0, 0)),
                Token::RParen | Token::RBracket | Token::RBrace if last > 0 => levels.truncate(last),
                _ => {}
            }
            let (operators, cases) = levels.iter().fold((0, 0), |sum, level| (sum.0 + level.0, sum.1 + level.1));
            if levels.len() - 1 + cases > NESTING {
                return Err(format!("more than {NESTING} parentheses, `CASE` or `NOT` are within each other"));
            }
            if operators > OPERATORS {
                return Err(format!("an expression has more than {OPERATORS} key words and operators"));
            }
            let Token::Word(word) = word else { continue };
            let mut statements = rows(include_str!("../../../data/sql_statements.txt"));
            if self.name == "mssql" && statements.any(|known| is_word(words[at], known)) {
                return Err(format!(
                    "`{}` begins a statement; write a name like this as `[{}]`",
                    word.value, word.value
                ));
            }
            // The parser takes it for the name of a column in `SELECT INTO x FROM t`.
            if word.keyword == Keyword::INTO {
                return Err("it writes with `INTO`".to_owned());
            }
            // SQL Server reads hints with and without `WITH`: `t (UPDLOCK)`.
            if self.name == "mssql" && is_one_of(&word.value, LOCKS) {
                return Err(format!("`{}` locks rows", word.value));
            }
            // Postgres calls `f(x)` when it reads `(x).f`, and databases move a sequence on when they read `s.nextval`.
            let behind = (at > 1 && *words[at - 1] == Token::Period).then(|| words[at - 2]);
            // The package of a function counts too: `utl_http.request(…)`.
            let mut after = at + 1;
            while words.get(after) == Some(&&Token::Period) {
                after += 2;
            }
            let is_called = words.get(after) == Some(&&Token::LParen);
            // Oracle calls a function of a package without parentheses.
            let is_of_package =
                self.name == "oracle" && after > at + 1 && word.value.contains('_') && !is_table(&words, &word.value);
            // `IN (…)` and the like are no calls, but no such word is in the list.
            let is_used = ((is_called || is_of_package) && !is_value_list(&words, at))
                || matches!(behind, Some(Token::RParen | Token::RBracket));
            let is_next = matches!(behind, Some(Token::Word(_))) && word.value.eq_ignore_ascii_case("nextval");
            if (is_used && self.functions_denied.iter().any(|denied| denied.matches(&word.value))) || is_next {
                return Err(format!("the function `{}` may not be called", word.value));
            }
        }
        Ok(())
    }
}

/// Writes what SQLite has, and the parser does not know, in words that it knows and that read as much: `PRAGMA f(t)`,
/// `a IS NOT b`, `a GLOB 'x'`.
fn spell_out(tokens: &mut [Token]) {
    let places: Vec<usize> = (0..tokens.len()).filter(|at| !matches!(tokens[*at], Token::Whitespace(_))).collect();
    let is = |token: Option<&Token>, known: &str| token.is_some_and(|token| is_word(token, known));
    let is_pragma = is(places.first().map(|at| &tokens[*at]), "PRAGMA");
    for (number, at) in places.iter().copied().enumerate() {
        let next = |offset: usize| places.get(number + offset).map(|at| &tokens[*at]);
        let behind = if is(next(1), "NOT") { next(2) } else { next(1) };
        let before = number.checked_sub(1).map(|before| &tokens[places[before]]);
        // The name of a column: `t.is`, `a AS is`.
        let is_name = is(before, "SELECT DISTINCT AS WHERE AND OR NOT ON BY")
            || matches!(before, Some(Token::Period | Token::Comma | Token::LParen | Token::Eq))
            || is(behind, "FROM WHERE ORDER GROUP LIMIT AND OR ASC DESC")
            || matches!(behind, None | Some(Token::Comma | Token::RParen | Token::SemiColon | Token::Eq));
        if is(next(0), "IS") && !is_name && !is(behind, "NULL TRUE FALSE DISTINCT") {
            tokens[at] = Token::Eq;
        } else if is(next(0), "GLOB") && matches!(next(1), Some(Token::SingleQuotedString(_) | Token::Placeholder(_))) {
            tokens[at] = Token::make_keyword("LIKE");
        } else if let (Token::Word(word), true) = (&tokens[at], is_pragma && next(1) == Some(&Token::RParen)) {
            tokens[at] = Token::SingleQuotedString(word.value.clone());
        }
    }
}

/// Whether a name is also that of a table, so that it is no package before a period: `http_log.a FROM http_log`. An alias
/// or a table expression would only hide a package.
fn is_table(words: &[&Token], name: &str) -> bool {
    let stops = |word: &Token| {
        !matches!(word, Token::Word(_) | Token::Comma | Token::Period)
            || is_word(word, "SELECT BY WHERE ON USING HAVING FROM JOIN")
    };
    let begins = |word: &Token| matches!(word, Token::Comma | Token::Period) || is_word(word, "FROM JOIN");
    let is_read = |at: usize| {
        !matches!(words.get(at + 1), Some(Token::Period | Token::LParen))
            && at.checked_sub(1).is_some_and(|before| begins(words[before]))
            && words[..at].iter().rev().find(|word| stops(word)).is_some_and(|word| is_word(word, "FROM JOIN"))
    };
    let is_name = |word: &Token| matches!(word, Token::Word(word) if word.value.eq_ignore_ascii_case(name));
    !words.iter().any(|word| is_word(word, "WITH"))
        && words.iter().enumerate().any(|(at, word)| is_name(word) && is_read(at))
}

/// Whether a name before a parenthesis is that of a table expression: `WITH url (a) AS (…)`, `FROM t AS file (a)`.
fn is_value_list(words: &[&Token], at: usize) -> bool {
    at.checked_sub(1).is_some_and(|before| is_word(words[before], "WITH AS RECURSIVE"))
}

/// Whether a token can stand in `SHOW`, of which the parser keeps only the words.
fn is_shown(token: &Token) -> bool {
    use Token::{Number, Period, SemiColon, SingleQuotedString};
    matches!(token, Token::Word(_) | Token::Whitespace(_) | Number(..) | Period | SemiColon | SingleQuotedString(_))
}

/// Whether a token is one of these words, and not in quotes.
fn is_word(token: &Token, known: &str) -> bool {
    matches!(token, Token::Word(word) if word.quote_style.is_none() && is_one_of(&word.value, known))
}

fn is_one_of(name: &str, known: &str) -> bool {
    known.split_whitespace().any(|known| name.eq_ignore_ascii_case(known))
}

struct Walk<'a> {
    sql: &'a ReadOnlySql,
    /// Of each query around, from the outside in.
    scopes: Vec<Scope>,
    /// Whether the next name is that of a function that reads no table.
    calls: bool,
    problem: Option<String>,
}

/// Functions in the place of a table that take their rows from their arguments.
const ROWS: &str = "explode flatten generate_series generator json_array_elements json_array_elements_text json_each json_each_text \
    json_object_keys json_to_recordset json_tree jsonb_array_elements jsonb_array_elements_text jsonb_each \
    jsonb_each_text jsonb_object_keys jsonb_to_recordset openjson regexp_matches regexp_split_to_table split_to_table \
    string_split string_to_table unnest";

/// Formats of files.
const FORMATS: &str = "avro binaryfile csv delta geojson gpkg gz iceberg json jsonl ndjson orc parquet shp text tsv xlsx \
    xml zst";

/// The table expressions that a query defines, in order.
#[derive(Default)]
struct Scope {
    names: Vec<Ident>,
    /// How many of them can be read here. Behind a name that is defined later, or outside, there may be a table.
    visible: usize,
}

impl Scope {
    fn defines(&self, name: &Ident) -> bool {
        self.names.iter().take(self.visible).any(|known| match (known.quote_style, name.quote_style) {
            (None, None) => known.value.eq_ignore_ascii_case(&name.value),
            // Databases differ in what an unquoted name is in quotes.
            (known_in, name_in) => known_in == name_in && known.value == name.value,
        })
    }
}

impl Walk<'_> {
    /// Goes on with the walk if there is no problem. A walk is deep, so that what it returns is small.
    fn judged(&mut self, problem: Option<impl Into<String>>) -> ControlFlow<()> {
        self.problem = problem.map(Into::into);
        if self.problem.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// The name as it is written, where quotes make it another one than it is without them.
    fn exact(&self, relation: &ObjectName) -> Option<String> {
        let folded = |text: &str| match self.sql.name {
            "postgres" | "redshift" => text == text.to_lowercase(),
            "ansi" | "oracle" | "snowflake" => text == text.to_uppercase(),
            _ => true,
        };
        let parts: Vec<&Ident> = relation.0.iter().filter_map(|part| part.as_ident()).collect();
        let is_other = parts.iter().any(|ident| ident.quote_style.is_some() && !folded(&ident.value));
        is_other.then(|| parts.iter().map(|ident| ident.value.as_str()).collect::<Vec<_>>().join("."))
    }
}

impl Visitor for Walk<'_> {
    type Break = ();

    fn pre_visit_statement(&mut self, statement: &Statement) -> ControlFlow<()> {
        let problem = match statement {
            Statement::Query(_)
            | Statement::Explain { .. }
            | Statement::ExplainTable { .. }
            | Statement::ShowTables { .. }
            | Statement::ShowColumns { .. }
            | Statement::ShowDatabases { .. }
            | Statement::ShowSchemas { .. }
            | Statement::ShowViews { .. }
            | Statement::ShowVariables { .. }
            | Statement::ShowStatus { .. }
            | Statement::ShowProcessList { .. }
            | Statement::ShowCollation { .. }
            | Statement::ShowCharset(_) => return ControlFlow::Continue(()),
            Statement::ShowCreate { obj_name, .. } => return self.pre_visit_relation(obj_name),
            // DuckDB describes a table or file with it.
            Statement::ShowVariable { variable } if self.sql.name == "duckdb" => {
                return self.pre_visit_relation(&ObjectName::from(variable.clone()));
            }
            Statement::ShowVariable { variable } if self.sql.tables.is_some() && variable.len() > 1 => {
                Some("`SHOW` may tell of a table that is not listed".to_owned())
            }
            Statement::ShowVariable { .. } => None,
            Statement::Pragma { name, is_eq: false, .. } if describes(name) && self.sql.tables.is_none() => None,
            other => {
                let text = other.to_string();
                Some(format!("`{}` may do more than read", text.split_whitespace().next().unwrap_or_default()))
            }
        };
        self.judged(problem)
    }

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        let names = query.with.iter().flat_map(|with| &with.cte_tables).map(|table| table.alias.name.clone());
        let is_recursive = query.with.as_ref().is_some_and(|with| with.recursive);
        // A recursive one can read itself.
        self.scopes.push(Scope { names: names.collect(), visible: usize::from(is_recursive) });
        self.judged(if !query.locks.is_empty() {
            Some("it locks rows with `FOR UPDATE` or the like")
        } else if !query.pipe_operators.is_empty() {
            Some("it uses pipes, which are not read here")
        } else {
            not_selected(&query.body)
        })
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.scopes.pop();
        // The definitions of a query are walked before anything else of it.
        if let Some(around) = self.scopes.last_mut() {
            around.visible = (around.visible + 1).min(around.names.len());
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, table: &TableFactor) -> ControlFlow<()> {
        // Its name is the next that is visited.
        self.calls =
            matches!(table, TableFactor::Table { name, args: Some(_), .. } if is_one_of(&name.to_string(), ROWS));
        // DuckDB reads a file whose name is in quotes, and ClickHouse functions in the place of a table are denied above.
        self.judged(match table {
            TableFactor::Table { name, .. }
                if name.0.iter().any(|part| part.as_ident().is_some_and(|ident| ident.quote_style == Some('\''))) =>
            {
                Some("a table whose name is a text may be a file")
            }
            TableFactor::TableFunction { expr: Expr::Function(Function { name, .. }), .. }
            | TableFactor::Function { name, .. }
                if is_one_of(&name.to_string(), ROWS) =>
            {
                None
            }
            TableFactor::TableFunction { .. } | TableFactor::Function { .. } | TableFactor::SemanticView { .. }
                if self.sql.tables.is_some() =>
            {
                Some("it reads rows from something else than a table")
            }
            _ => None,
        })
    }

    fn pre_visit_relation(&mut self, relation: &ObjectName) -> ControlFlow<()> {
        let parts: Option<Vec<String>> =
            relation.0.iter().map(|part| part.as_ident().map(|ident| ident.value.to_lowercase())).collect();
        let Some(parts) = parts else { return self.judged(Some("the name of a table is computed")) };
        if std::mem::take(&mut self.calls) {
            return ControlFlow::Continue(());
        }
        let name = parts.join(".");
        // These read a file for a name that is no table: `"a/b"`, `secrets.csv`, text.`secrets`.
        let is_open = |part: &String| part.contains(['/', '.', '*', '\\', ':']);
        let is_file = name.contains('@')
            || match (self.sql.name, parts.as_slice()) {
                ("duckdb", [_, .., last]) if is_one_of(last, FORMATS) => true,
                ("databricks", [format, _]) if is_one_of(format, FORMATS) => true,
                (dialect, parts) => ["databricks", "duckdb"].contains(&dialect) && parts.iter().any(is_open),
            };
        let is_own = match relation.0.as_slice() {
            [part] => part.as_ident().is_some_and(|ident| self.scopes.iter().any(|scope| scope.defines(ident))),
            _ => false,
        };
        // BigQuery writes a whole path within backticks.
        let is_path = |ident: &Ident| self.sql.name == "bigquery" && ident.quote_style == Some('`');
        let mut idents = relation.0.iter().filter_map(|part| part.as_ident());
        let is_listed = |tables: &[WildMatch]| match self.exact(relation) {
            Some(exact) => tables.iter().any(|table| WildMatch::new(&table.pattern()).matches(&exact)),
            None => tables.iter().any(|table| table.matches(&name)),
        };
        self.judged(match &self.sql.tables {
            _ if is_file => Some(format!("`{name}` is a file")),
            _ if self.sql.name == "mssql" && parts.len() > 3 => Some(format!("`{name}` is on another server")),
            Some(_) if idents.any(|ident| ident.value.contains('.') && !is_path(ident)) => {
                Some(format!("the table `{name}` has a dot in its name"))
            }
            Some(tables) if !is_own && !is_listed(tables) => Some(format!("the table `{name}` is not listed")),
            _ => None,
        })
    }
}

/// Whether a pragma of SQLite only tells how a table is made.
fn describes(pragma: &ObjectName) -> bool {
    const KNOWN: &str = "table_info table_xinfo table_list index_list index_info foreign_key_list";
    pragma.0.last().is_some_and(|name| is_one_of(&name.to_string(), KNOWN))
}

/// What keeps the body of a query from being judged as a selection.
fn not_selected(body: &SetExpr) -> Option<&'static str> {
    match body {
        SetExpr::Insert(_) => Some("it contains an `INSERT`"),
        SetExpr::Update(_) => Some("it contains an `UPDATE`"),
        SetExpr::Delete(_) => Some("it contains a `DELETE`"),
        SetExpr::Merge(_) => Some("it contains a `MERGE`"),
        // The parser keeps its name as a text, which no pattern of `tables` is asked about.
        SetExpr::Table(_) => Some("it reads with `TABLE`; write `SELECT * FROM`"),
        SetExpr::SetOperation { left, right, .. } => not_selected(left).or_else(|| not_selected(right)),
        _ => None,
    }
}
