//! Numbers and lists.

use crate::crypto::Token;

/// Why bytes are no message. Says nothing of their content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// Ends too early.
    #[error("it ends too early")]
    Truncated,
    /// Goes on after its end.
    #[error("bytes are left over")]
    LeftOver,
    /// Not one of ours.
    #[error("it is not a message of this protocol")]
    NotOurs,
    /// Of another version.
    #[error("it is of version {0}, this is version {ours}", ours = super::VERSION)]
    Version(u16),
    /// An unknown kind.
    #[error("kind {0} is unknown")]
    Kind(u8),
    /// Longer than agreed.
    #[error("it says it has {0} bytes, more than allowed")]
    TooLong(u64),
    /// A list longer than the message.
    #[error("a list is longer than the message")]
    ListTooLong,
    /// Damaged on the way.
    #[error("its checksum is wrong")]
    Checksum,
    /// Cannot be decompressed.
    #[error("it cannot be decompressed")]
    Compression,
    /// Not in the one canonical form.
    #[error("{0}")]
    Form(&'static str),
}

/// Collects a body.
#[derive(Debug, Default)]
pub struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    /// What was written.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// What was written.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Bytes as they are, without a length.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// One byte.
    pub fn u8(&mut self, number: u8) {
        self.bytes.push(number);
    }

    /// Two bytes.
    pub fn u16(&mut self, number: u16) {
        self.raw(&number.to_le_bytes());
    }

    /// Four bytes.
    pub fn u32(&mut self, number: u32) {
        self.raw(&number.to_le_bytes());
    }

    /// Eight bytes.
    pub fn u64(&mut self, number: u64) {
        self.raw(&number.to_le_bytes());
    }

    /// Eight bytes.
    pub fn f64(&mut self, number: f64) {
        self.u64(number.to_bits());
    }

    /// The length of a list. Lists of ours are shorter than 2^32.
    pub fn count(&mut self, count: usize) {
        self.u32(u32::try_from(count).unwrap_or(u32::MAX));
    }

    /// A text with its length.
    pub fn text(&mut self, text: &str) {
        self.count(text.len());
        self.raw(text.as_bytes());
    }

    /// A list of numbers.
    pub fn u32s(&mut self, numbers: &[u32]) {
        self.count(numbers.len());
        numbers.iter().for_each(|&number| self.u32(number));
    }

    /// A list of tokens.
    pub fn tokens(&mut self, tokens: &[Token]) {
        self.count(tokens.len());
        for token in tokens {
            self.u16(u16::try_from(token.0.len()).unwrap_or(u16::MAX));
            self.raw(&token.0);
        }
    }
}

/// Takes a body apart.
#[derive(Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// From the start.
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { rest: bytes }
    }

    /// The next bytes.
    pub fn raw(&mut self, length: usize) -> Result<&'a [u8], DecodeError> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(DecodeError::Truncated)?;
        self.rest = rest;
        Ok(taken)
    }

    /// The next bytes, as many as fit.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let (taken, rest) = self.rest.split_first_chunk::<N>().ok_or(DecodeError::Truncated)?;
        self.rest = rest;
        Ok(*taken)
    }

    /// One byte.
    pub fn u8(&mut self) -> Result<u8, DecodeError> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    /// Two bytes.
    pub fn u16(&mut self) -> Result<u16, DecodeError> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    /// Four bytes.
    pub fn u32(&mut self) -> Result<u32, DecodeError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    /// Eight bytes.
    pub fn u64(&mut self) -> Result<u64, DecodeError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// Rejects NaN.
    pub fn f64(&mut self) -> Result<f64, DecodeError> {
        let number = f64::from_bits(self.u64()?);
        if number.is_nan() { Err(DecodeError::Form("a number is none")) } else { Ok(number) }
    }

    /// 0 or 1.
    pub fn flag(&mut self) -> Result<bool, DecodeError> {
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(DecodeError::Form("a flag is neither 0 nor 1")),
        }
    }

    /// The length of a list whose items take at least `least` bytes each (at least 1): no more than can be there.
    pub fn count(&mut self, least: usize) -> Result<usize, DecodeError> {
        let count = self.u32()? as usize;
        if count > self.rest.len() / least.max(1) { Err(DecodeError::ListTooLong) } else { Ok(count) }
    }

    /// A list of numbers.
    pub fn u32s(&mut self) -> Result<Vec<u32>, DecodeError> {
        let count = self.count(4)?;
        (0..count).map(|_| self.u32()).collect()
    }

    /// A list of tokens.
    pub fn tokens(&mut self) -> Result<Vec<Token>, DecodeError> {
        let count = self.count(2)?;
        (0..count)
            .map(|_| {
                let length = self.u16()?;
                Ok(Token(self.raw(usize::from(length))?.into()))
            })
            .collect()
    }

    /// A list of tokens in strictly ascending order.
    pub fn sorted_tokens(&mut self) -> Result<Vec<Token>, DecodeError> {
        let tokens = self.tokens()?;
        if tokens.windows(2).all(|pair| pair[0] < pair[1]) {
            Ok(tokens)
        } else {
            Err(DecodeError::Form("a dictionary is not sorted"))
        }
    }

    /// The end.
    pub fn finish(self) -> Result<(), DecodeError> {
        if self.rest.is_empty() { Ok(()) } else { Err(DecodeError::LeftOver) }
    }
}
