//! Who wrote the manifest? Ed25519 signatures over its bytes.
//!
//! `manifest.sig` is one line: `paravent-signature-1`, the public key and the signature, in hexadecimal, with a blank between them and
//! a line feed at the end. What is signed is [`CONTEXT`] followed by the bytes of `manifest.json` as they are. The manifest
//! holds the digests of the data file and of the reports, so the signature covers every file of the release.
//! RFC 8032; checked in the strict way, which accepts no signature twice in different form.

use std::fmt;

use ed25519_dalek::{Signature, VerifyingKey};

use crate::folder::Folder;
use crate::verification::NotChecked;
use crate::{Check, Verification, VerifyError, data};

/// Name of the signature in the release.
pub(crate) const SIGNATURE: &str = "manifest.sig";
/// Comes before the manifest in what is signed, so that no other document is taken for one.
const CONTEXT: &[u8] = b"paravent manifest 1\n";
/// The same before the annotation of an answer.
const ANSWER_CONTEXT: &[u8] = b"paravent answer 1\n";
const KEY_WORD: &str = "paravent-public-key-1";
const SIGNATURE_WORD: &str = "paravent-signature-1";

/// The public half of a key pair, as `paravent keygen` writes it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PublicKey(VerifyingKey);

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({self})")
    }
}

/// 64 hexadecimal digits.
impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&data::hexadecimal(self.0.as_bytes()))
    }
}

impl PublicKey {
    /// Reads `paravent-public-key-1 <64 hexadecimal digits>`, or the digits alone. `None` for anything else.
    pub fn parse(text: &str) -> Option<PublicKey> {
        let text = text.trim();
        let digits = text.strip_prefix(KEY_WORD).map_or(text, str::trim_start);
        VerifyingKey::from_bytes(&bytes(digits)?).ok().map(PublicKey)
    }
}

/// Who signed the annotation of an answer: the key that the signature names, if it is sound. `None` for anything else.
pub fn signer_of_answer(answer: &[u8], signature: &[u8]) -> Option<PublicKey> {
    let (key, signature) = parse(signature)?;
    key.0.verify_strict(&[ANSWER_CONTEXT, answer].concat(), &signature).ok().map(|()| key)
}

/// What is known of the signature of a release.
pub(crate) enum Signed {
    /// There is no `manifest.sig`.
    Not,
    /// It is no signature at all, or not one of these bytes.
    Wrong(&'static str),
    /// A sound signature with this key.
    By(PublicKey),
}

/// Reads and checks the signature, with the key that it names itself.
pub(crate) fn read(dir: &Folder<'_>, manifest: &[u8]) -> Result<Signed, VerifyError> {
    let text = match dir.read(SIGNATURE) {
        Ok(text) => text,
        Err(VerifyError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
            return Ok(Signed::Not);
        }
        Err(error) => return Err(error),
    };
    let Some((key, signature)) = parse(&text) else {
        return Ok(Signed::Wrong("the file is no signature"));
    };
    let message = [CONTEXT, manifest].concat();
    Ok(match key.0.verify_strict(&message, &signature) {
        Ok(()) => Signed::By(key),
        Err(_) => Signed::Wrong("the manifest is not the one that was signed"),
    })
}

fn parse(text: &[u8]) -> Option<(PublicKey, Signature)> {
    let line = std::str::from_utf8(text).ok()?.strip_suffix('\n')?;
    let mut words = line.split(' ');
    if words.next()? != SIGNATURE_WORD {
        return None;
    }
    let key = VerifyingKey::from_bytes(&bytes(words.next()?)?).ok()?;
    let signature = Signature::from_bytes(&bytes(words.next()?)?);
    words.next().is_none().then_some((PublicKey(key), signature))
}

/// So many bytes from lower-case hexadecimal digits.
fn bytes<const N: usize>(digits: &str) -> Option<[u8; N]> {
    let digits = digits.as_bytes();
    let value = |digit: u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    if digits.len() != 2 * N {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = 16 * value(pair[0])? + value(pair[1])?;
    }
    Some(bytes)
}

/// Adds what the signature says to the verdict on a release of another kind.
pub(crate) fn added(
    verification: Verification,
    dir: &Folder<'_>,
    manifest: &[u8],
    key: Option<&PublicKey>,
) -> Result<Verification, VerifyError> {
    let signed = read(dir, manifest)?;
    let (check, open) = check(&signed, key);
    let mut verification = verification;
    verification.checks.extend(check);
    verification.not_checked.extend(open);
    verification.signer = signed.signer();
    Ok(verification)
}

impl Signed {
    /// The key of a sound signature.
    pub(crate) fn signer(&self) -> Option<String> {
        match self {
            Signed::By(key) => Some(key.to_string()),
            Signed::Not | Signed::Wrong(_) => None,
        }
    }
}

/// The check, where one can be made, and what is left open.
pub(crate) fn check(signed: &Signed, key: Option<&PublicKey>) -> (Option<Check>, Option<NotChecked>) {
    let check = |problem: Option<String>, fine: String| {
        let problems: Vec<String> = problem.into_iter().collect();
        Check::new("signature", Some(SIGNATURE), &problems, fine)
    };
    let open = |why: String| Some(NotChecked { name: "signature".to_owned(), subject: None, why });
    match (signed, key) {
        (Signed::Wrong(what), _) => (Some(check(Some((*what).to_owned()), String::new())), None),
        (Signed::Not, None) => {
            let why = "the release is not signed: nobody vouches for what its manifest says";
            (None, open(why.to_owned()))
        }
        (Signed::Not, Some(_)) => {
            (Some(check(Some("the release is not signed".to_owned()), String::new())), None)
        }
        (Signed::By(signer), None) => {
            let why = format!("no key was given to compare with the signer's, {signer}");
            (None, open(why))
        }
        (Signed::By(signer), Some(key)) => {
            let other = (signer != key).then(|| format!("signed with another key, {signer}"));
            (Some(check(other, format!("signed with the key {key}"))), None)
        }
    }
}
