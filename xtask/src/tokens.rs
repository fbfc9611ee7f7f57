//! Rust source as far as paths need it: words and signs, without comments, strings and tests.

/// A part of the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token {
    /// A name or a keyword.
    Word(String),
    /// `::`
    Colons,
    /// Any other sign.
    Sign(char),
}

/// The tokens that are compiled into the product, and the names of modules that are for tests only.
pub(crate) fn production_tokens(text: &str) -> (Vec<Token>, Vec<String>) {
    let tokens = tokens(text);
    let (mut kept, mut test_modules) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < tokens.len() {
        match test_attribute(&tokens[at..]) {
            Some(length) => {
                let end = item_end(&tokens, at + length);
                let item = &tokens[at + length..end];
                if let Some(name) = declared_module(item) {
                    test_modules.push(name);
                }
                at = end;
            }
            None => {
                kept.push(tokens[at].clone());
                at += 1;
            }
        }
    }
    (kept, test_modules)
}

/// The length of `#[cfg(test)]`, also with `any(test, …)`, if the tokens begin with it.
fn test_attribute(tokens: &[Token]) -> Option<usize> {
    let [Token::Sign('#'), Token::Sign('['), Token::Word(cfg), ..] = tokens else { return None };
    let length = 1 + tokens.iter().position(|token| *token == Token::Sign(']'))?;
    let has = |word: &str| tokens[..length].contains(&Token::Word(word.to_owned()));
    (cfg == "cfg" && has("test") && !has("not")).then_some(length)
}

/// Where the item ends that begins at `at`: after its braces, or after a semicolon.
fn item_end(tokens: &[Token], at: usize) -> usize {
    let (mut braces, mut others) = (0usize, 0usize);
    for (offset, token) in tokens[at..].iter().enumerate() {
        match token {
            Token::Sign('{') => braces += 1,
            Token::Sign('}') => {
                braces = braces.saturating_sub(1);
                if braces == 0 && others == 0 {
                    // `use a::{b};` goes on to its semicolon.
                    let next = tokens.get(at + offset + 1) == Some(&Token::Sign(';'));
                    return at + offset + 1 + usize::from(next);
                }
            }
            Token::Sign('(' | '[') => others += 1,
            Token::Sign(')' | ']') => others = others.saturating_sub(1),
            Token::Sign(';') if braces == 0 && others == 0 => return at + offset + 1,
            _ => {}
        }
    }
    tokens.len()
}

/// The name in `mod name;`, with anything before it.
fn declared_module(item: &[Token]) -> Option<String> {
    match item {
        [.., Token::Word(word), Token::Word(name), Token::Sign(';')] if word == "mod" => Some(name.clone()),
        _ => None,
    }
}

fn tokens(text: &str) -> Vec<Token> {
    let chars: Vec<char> = text.chars().collect();
    let next = |at: usize| chars.get(at).copied().unwrap_or('\0');
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        match chars[at] {
            '/' if next(at + 1) == '/' => at = find(&chars, at, "\n"),
            '/' if next(at + 1) == '*' => at = find(&chars, at + 2, "*/"),
            '"' => at = after_string(&chars, at + 1),
            'r' if raw_string(&chars, at).is_some() => at = raw_string(&chars, at).unwrap_or(chars.len()),
            '\'' if next(at + 1) == '\\' => at = find(&chars, at + 3, "'"),
            '\'' if next(at + 2) == '\'' => at += 3,
            ':' if next(at + 1) == ':' => {
                tokens.push(Token::Colons);
                at += 2;
            }
            c if c.is_alphanumeric() || c == '_' => {
                let end = (at..chars.len())
                    .find(|&end| !(chars[end].is_alphanumeric() || chars[end] == '_'))
                    .unwrap_or(chars.len());
                tokens.push(Token::Word(chars[at..end].iter().collect()));
                at = end;
            }
            c => {
                if !c.is_whitespace() {
                    tokens.push(Token::Sign(c));
                }
                at += 1;
            }
        }
    }
    tokens
}

/// Behind the next occurrence of `mark`.
fn find(chars: &[char], from: usize, mark: &str) -> usize {
    let mark: Vec<char> = mark.chars().collect();
    (from..chars.len()).find(|&at| chars[at..].starts_with(&mark)).map_or(chars.len(), |at| at + mark.len())
}

fn after_string(chars: &[char], mut at: usize) -> usize {
    while at < chars.len() && chars[at] != '"' {
        at += if chars[at] == '\\' { 2 } else { 1 };
    }
    at + 1
}

/// Behind a raw string that begins at `at`, if one does.
fn raw_string(chars: &[char], at: usize) -> Option<usize> {
    let within_word =
        at > 0 && (chars[at - 1].is_alphanumeric() && chars[at - 1] != 'b' || chars[at - 1] == '_');
    let marks = chars[at + 1..].iter().take_while(|c| **c == '#').count();
    if within_word || chars.get(at + 1 + marks) != Some(&'"') {
        return None;
    }
    Some(find(chars, at + 2 + marks, &format!("\"{}", "#".repeat(marks))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let word = |token| match token {
            Token::Word(word) => Some(word),
            Token::Colons | Token::Sign(_) => None,
        };
        production_tokens(text).0.into_iter().filter_map(word).collect()
    }

    #[test]
    fn strings_and_comments_are_left_out() {
        assert_eq!(words("a /* b */ c // d\n e"), ["a", "c", "e"]);
        assert_eq!(words(r##"a "b \" c" d r#"e " f"# g"##), ["a", "d", "g"]);
        assert_eq!(words("fn f<'a>(x: &'a str) { 'b'; '\\n'; '\"' }"), ["fn", "f", "a", "x", "a", "str"]);
    }

    #[test]
    fn tests_are_left_out_with_the_modules_they_declare() {
        let text = "a #[cfg(test)] mod tests { b } c #[cfg(test)] #[path = \"x.rs\"] mod more; d #[cfg(test)] use e::{f}; g";
        assert_eq!(words(text), ["a", "c", "d", "g"]);
        assert_eq!(production_tokens(text).1, ["more"]);
        assert_eq!(words("#[cfg(not(test))] fn a() {}"), ["cfg", "not", "test", "fn", "a"]);
    }
}
