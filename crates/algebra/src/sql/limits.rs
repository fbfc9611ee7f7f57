//! How large a statement may be, so that no statement can exhaust the stack.

use super::wording::problem;
use datafusion::common::{DataFusionError, Result};
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::parser::ParserError;
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer};

/// Longest statement in bytes.
const LONGEST: usize = 1 << 20;
/// Most keywords and operators: chains such as `1 + 1 + 1 …` and `… UNION ALL …` are trees as deep as they are long.
const MOST_OPERATORS: usize = 2_000;
/// Deepest nesting that the parser follows.
pub(super) const DEEPEST: usize = 100;

/// Deepest nesting of `NOT (`, `CAST (` and the like. The parser reads such a word as an operator and, where that fails, once more as the name of a function:
/// a mistake below n of them is met 2^n times.
const MOST_TRIES: usize = 12;

/// The tokens of a statement that is not too large.
pub(super) fn tokens(sql: &str) -> Result<Vec<TokenWithSpan>> {
    if sql.len() > LONGEST {
        return Err(problem(format!("the statement is longer than {} KiB", LONGEST >> 10)));
    }
    let tokens = Tokenizer::new(&GenericDialect {}, sql)
        .tokenize_with_location()
        .map_err(|error| DataFusionError::SQL(Box::new(ParserError::from(error)), None))?;
    if tokens.iter().filter(|token| is_operator(&token.token)).count() > MOST_OPERATORS {
        return Err(problem(format!("the statement has more than {MOST_OPERATORS} keywords and operators")));
    }
    match tries(&tokens) > MOST_TRIES {
        true => Err(problem(format!(
            "the statement is nested too deeply: more than {MOST_TRIES} words such as NOT or CAST, each in the parentheses of the other"
        ))),
        false => Ok(tokens),
    }
}

/// How many words that the parser may read in two ways stand in each other's parentheses.
fn tries(tokens: &[TokenWithSpan]) -> usize {
    let (mut open, mut deepest) = (Vec::new(), 0);
    let mut before = &Token::EOF;
    for token in tokens.iter().map(|token| &token.token) {
        match token {
            Token::Whitespace(_) => continue,
            Token::LParen => {
                open.push(matches!(before, Token::Word(word) if is_read_twice(word.keyword)));
                deepest = deepest.max(open.iter().filter(|twice| **twice).count());
            }
            Token::RParen => drop(open.pop()),
            _ => {}
        }
        before = token;
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
