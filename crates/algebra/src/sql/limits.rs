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

/// The tokens of a statement that is not too large.
pub(super) fn tokens(sql: &str) -> Result<Vec<TokenWithSpan>> {
    if sql.len() > LONGEST {
        return Err(problem(format!("the statement is longer than {} KiB", LONGEST >> 10)));
    }
    let tokens = Tokenizer::new(&GenericDialect {}, sql)
        .tokenize_with_location()
        .map_err(|error| DataFusionError::SQL(Box::new(ParserError::from(error)), None))?;
    match tokens.iter().filter(|token| is_operator(&token.token)).count() > MOST_OPERATORS {
        true => Err(problem(format!("the statement has more than {MOST_OPERATORS} keywords and operators"))),
        false => Ok(tokens),
    }
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
