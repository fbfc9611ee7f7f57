//! The secret that the page shows with every request.

use subtle::ConstantTimeEq;

/// 256 random bits. Who has them may use the server; they are in the fragment of the page's address, which browsers do not send.
#[derive(Clone)]
pub struct Token(String);

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(..)")
    }
}

impl Token {
    /// Draws a token.
    ///
    /// # Errors
    /// If the system gives no random numbers.
    pub fn draw() -> std::io::Result<Token> {
        let mut bytes = [0u8; 32];
        getrandom::fill(&mut bytes).map_err(|error| std::io::Error::other(error.to_string()))?;
        Ok(Token(hex::encode(bytes)))
    }

    /// For the page's address, and for nothing else.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Whether the value of an `Authorization` header shows this token. Takes equally long wherever the two differ.
    pub fn is_shown_by(&self, header: &[u8]) -> bool {
        let Some(shown) = header.strip_prefix(b"Bearer ") else { return false };
        shown.ct_eq(self.0.as_bytes()).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_token_is_the_token() {
        let token = Token::draw().unwrap();
        let header = |text: &str| format!("Bearer {text}").into_bytes();
        assert_eq!(token.expose().len(), 64);
        assert!(token.is_shown_by(&header(token.expose())));
        assert!(!token.is_shown_by(&header(&token.expose()[..63])));
        assert!(!token.is_shown_by(&header("")));
        assert!(!token.is_shown_by(token.expose().as_bytes()));
        assert!(!token.is_shown_by(&header(Token::draw().unwrap().expose())));
        assert_eq!(format!("{token:?}"), "Token(..)");
    }
}
