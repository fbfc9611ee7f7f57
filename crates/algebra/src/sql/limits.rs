//! How large a statement may be, so that no statement can exhaust the stack.

use super::wording::problem;
use datafusion::common::{DataFusionError, Result};
use datafusion::sql::sqlparser::dialect::{Dialect, GenericDialect};
use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::parser::ParserError;
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer};

/// Longest statement in bytes.
const LONGEST: usize = 1 << 20;
/// Most keywords and operators: chains such as `1 + 1 + 1 …` and `… UNION ALL …` are trees as deep as they are long.
const MOST_OPERATORS: usize = 2_000;
/// Deepest nesting that the parser follows.
pub(super) const DEEPEST: usize = 100;

/// Deepest nesting of `NOT (`, `CAST (`, `ARRAY[` and the like. The parser reads such a word as an operator and, where that fails, once more as the name of a function:
/// a mistake below n of them is met 2^n times.
const MOST_TRIES: usize = 12;

/// The tokens of a statement that is not too large.
pub(super) fn tokens(sql: &str) -> Result<Vec<TokenWithSpan>> {
    tokens_in(&GenericDialect {}, sql)
}

/// Whether another parser may read a text: in `dialect` it has neither a tree that exhausts the stack nor words that are tried 2^n times.
///
/// Each parser asks in its own dialect. What is a string in one may be a thousand operators in another.
pub fn is_readable(dialect: &dyn Dialect, sql: &str) -> bool {
    tokens_in(dialect, sql).is_ok()
}

fn tokens_in(dialect: &dyn Dialect, sql: &str) -> Result<Vec<TokenWithSpan>> {
    if sql.len() > LONGEST {
        return Err(problem(format!("the statement is longer than {} KiB", LONGEST >> 10)));
    }
    let tokens = Tokenizer::new(dialect, sql)
        .tokenize_with_location()
        .map_err(|error| DataFusionError::SQL(Box::new(ParserError::from(error)), None))?;
    if tokens.iter().filter(|token| is_operator(&token.token)).count() > MOST_OPERATORS {
        return Err(problem(format!("the statement has more than {MOST_OPERATORS} keywords and operators")));
    }
    match tries(&tokens) > MOST_TRIES {
        true => Err(problem(format!(
            "the statement is nested too deeply: more than {MOST_TRIES} words such as NOT, CAST or ARRAY, each in the parentheses of the other"
        ))),
        false => Ok(tokens),
    }
}

/// How an opened parenthesis is read.
#[derive(Clone, Copy)]
enum Opened {
    /// In one way.
    Once,
    /// Behind FROM or JOIN: a query, or a join in parentheses. The next one right behind it may be either, too.
    Table,
    /// In one way, and where that fails in another.
    Twice,
    /// As a query, and where that fails as a join.
    TableTwice,
}

impl Opened {
    fn is_twice(self) -> bool {
        matches!(self, Opened::Twice | Opened::TableTwice)
    }
}

/// How many parentheses that the parser may read in two ways stand in each other.
fn tries(tokens: &[TokenWithSpan]) -> usize {
    let (mut open, mut twice, mut deepest) = (Vec::new(), 0_usize, 0);
    let (mut earlier, mut before) = (&Token::EOF, &Token::EOF);
    let keyword = |token: &Token| match token {
        Token::Word(word) => Some(word.keyword),
        _ => None,
    };
    for token in tokens.iter().map(|token| &token.token) {
        match token {
            Token::Whitespace(_) => continue,
            Token::LParen | Token::LBracket => {
                let is_nested = matches!(before, Token::LParen);
                let opened = match (keyword(before), open.last()) {
                    _ if keyword(earlier) == Some(Keyword::INTERVAL) => Opened::Twice,
                    (Some(Keyword::FROM | Keyword::JOIN), _) => Opened::Table,
                    (Some(word), _) if is_read_twice(word) => Opened::Twice,
                    (None, Some(Opened::Table | Opened::TableTwice)) if is_nested => Opened::TableTwice,
                    _ => Opened::Once,
                };
                twice += usize::from(opened.is_twice());
                deepest = deepest.max(twice);
                open.push(opened);
            }
            Token::RParen | Token::RBracket => {
                twice -= usize::from(open.pop().is_some_and(Opened::is_twice));
            }
            _ => {}
        }
        (earlier, before) = (before, token);
    }
    deepest
}

/// Whether a keyword before a parenthesis may begin an expression. Those between expressions and clauses may not.
fn is_read_twice(keyword: Keyword) -> bool {
    !matches!(
        keyword,
        Keyword::NoKeyword
            | Keyword::SELECT
            | Keyword::FROM
            | Keyword::WHERE
            | Keyword::HAVING
            | Keyword::AND
            | Keyword::OR
            | Keyword::IN
            | Keyword::AS
            | Keyword::ON
            | Keyword::USING
            | Keyword::BY
            | Keyword::OVER
            | Keyword::JOIN
            | Keyword::UNION
            | Keyword::ALL
            | Keyword::EXCEPT
            | Keyword::INTERSECT
            | Keyword::VALUES
            | Keyword::WITH
            | Keyword::THEN
            | Keyword::ELSE
            | Keyword::WHEN
    )
}

fn is_operator(token: &Token) -> bool {
    match token {
        Token::Word(word) => word.keyword != Keyword::NoKeyword,
        Token::EOF
        | Token::Number(..)
        | Token::SingleQuotedString(_)
        | Token::Comma
        | Token::Whitespace(_)
        | Token::LParen
        | Token::RParen
        | Token::Period
        | Token::SemiColon
        | Token::RArrow => false,
        _ => true,
    }
}
