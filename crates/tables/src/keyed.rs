//! A secret from a file, and what it makes of cells: pseudonyms, and draws that no one else can repeat.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

/// Smallest number of bytes of a key.
pub const LEAST_KEY_BYTES: usize = 16;

/// A secret key. Wiped from memory when dropped; never printed.
#[derive(Clone)]
pub struct Key {
    /// A block of SHA-256, as HMAC wants it.
    block: Arc<Zeroizing<[u8; 64]>>,
}

/// Why there is no key.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The file cannot be read.
    #[error("{}: the key cannot be read: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The file says too little.
    #[error("{}: the key has {bytes} bytes, and fewer than {LEAST_KEY_BYTES} can be guessed", path.display())]
    TooShort {
        /// The file.
        path: PathBuf,
        /// How many bytes it has.
        bytes: usize,
    },
}

impl Key {
    /// The bytes of a file, without the ends of lines behind them.
    pub fn from_file(path: &Path) -> Result<Key, KeyError> {
        let bytes = std::fs::read(path).map_err(|source| KeyError::Io { path: path.to_owned(), source })?;
        let bytes = Zeroizing::new(bytes);
        let secret = bytes.trim_ascii_end();
        if secret.len() < LEAST_KEY_BYTES {
            return Err(KeyError::TooShort { path: path.to_owned(), bytes: secret.len() });
        }
        Ok(Key::of_bytes(secret))
    }

    /// A key that everybody who knows the seed can compute.
    pub fn from_seed(seed: u64) -> Key {
        Key::of_bytes(format!("paravent seed {seed}").as_bytes())
    }

    fn of_bytes(bytes: &[u8]) -> Key {
        let mut block = Zeroizing::new([0; 64]);
        match bytes.len() <= 64 {
            true => block[..bytes.len()].copy_from_slice(bytes),
            false => block[..32].copy_from_slice(&Sha256::digest(bytes)),
        }
        Key { block: Arc::new(block) }
    }

    /// HMAC-SHA256 of the parts; each is preceded by its length, so that no two lists of parts are the same bytes.
    pub fn mac<'a>(&self, purpose: &str, parts: impl IntoIterator<Item = Option<&'a [u8]>>) -> [u8; 32] {
        let mut inner = Sha256::new_with_prefix(self.padded(0x36));
        let mut add = |part: Option<&[u8]>| {
            let length = part.map_or(u64::MAX, |part| part.len() as u64);
            inner.update(length.to_be_bytes());
            inner.update(part.unwrap_or_default());
        };
        add(Some(purpose.as_bytes()));
        parts.into_iter().for_each(add);
        self.outer(&inner.finalize())
    }

    /// The pseudonym of a cell of a column: 32 hexadecimal digits, the same for equal cells wherever the key is the same.
    pub fn pseudonym(&self, column: &str, cell: &str) -> String {
        let mac = self.mac("paravent pseudonym", [Some(column.as_bytes()), Some(cell.as_bytes())]);
        hex::encode(&mac[..16])
    }

    fn padded(&self, with: u8) -> Zeroizing<[u8; 64]> {
        let mut block = self.block.as_ref().clone();
        block.iter_mut().for_each(|byte| *byte ^= with);
        block
    }

    fn outer(&self, inner: &[u8]) -> [u8; 32] {
        let mut outer = Sha256::new_with_prefix(self.padded(0x5c));
        outer.update(inner);
        outer.finalize().into()
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// HMAC of a message that is not split into parts.
    fn hmac(key: &[u8], message: &[u8]) -> String {
        let key = Key::of_bytes(key);
        let mut inner = Sha256::new_with_prefix(key.padded(0x36));
        inner.update(message);
        hex::encode(key.outer(&inner.finalize()))
    }

    #[test]
    fn it_is_hmac_of_rfc_4231() {
        let vectors: [(&[u8], &[u8], &str); 3] = [
            (&[0x0b; 20], b"Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
            (
                b"Jefe",
                b"what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ),
            (
                &[0xaa; 131],
                b"Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            ),
        ];
        for (key, message, expected) in vectors {
            assert_eq!(hmac(key, message), expected);
        }
    }

    #[test]
    fn equal_cells_of_one_column_have_one_pseudonym() {
        let (key, other) = (Key::from_seed(1), Key::from_seed(2));
        assert_eq!(key.pseudonym("id", "7"), key.pseudonym("id", "7"));
        assert_eq!(key.pseudonym("id", "7").len(), 32);
        assert_ne!(key.pseudonym("id", "7"), key.pseudonym("id", "8"));
        assert_ne!(key.pseudonym("id", "7"), key.pseudonym("name", "7"));
        assert_ne!(key.pseudonym("id", "7"), other.pseudonym("id", "7"));
    }

    #[test]
    fn parts_do_not_run_together() {
        let key = Key::from_seed(1);
        let mac = |parts: [Option<&str>; 2]| key.mac("p", parts.map(|part| part.map(str::as_bytes)));
        assert_ne!(mac([Some("ab"), Some("c")]), mac([Some("a"), Some("bc")]));
        assert_ne!(mac([Some(""), Some("c")]), mac([None, Some("c")]));
    }

    #[test]
    fn short_keys_and_prints_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        std::fs::write(&path, "fifteen bytes..\n").unwrap();
        assert!(matches!(Key::from_file(&path), Err(KeyError::TooShort { bytes: 15, .. })));
        std::fs::write(&path, "a secret of 24 bytes....\n").unwrap();
        assert_eq!(format!("{:?}", Key::from_file(&path).unwrap()), "Key(..)");
        assert!(matches!(Key::from_file(&folder.path().join("none")), Err(KeyError::Io { .. })));
    }
}
