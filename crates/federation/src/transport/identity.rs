//! A party's certificate and key.

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use sha2::{Digest, Sha256};
use std::fmt;

/// SHA-256 of a certificate: what parties pin.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(pub [u8; 32]);

/// A certificate with its key.
pub struct Identity {
    pub(super) certificate: CertificateDer<'static>,
    pub(super) key: PrivateKeyDer<'static>,
}

/// Why there is no identity.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IdentityError {
    /// No certificate could be made.
    #[error("the certificate cannot be made")]
    Generate,
    /// Not a certificate.
    #[error("there is no certificate in the file")]
    Certificate,
    /// Not a key.
    #[error("there is no private key in the file")]
    Key,
    /// Certificate and key belong to different identities, or the key is of an unknown kind.
    #[error("the key does not belong to the certificate")]
    Mismatch,
}

impl Fingerprint {
    /// Of a certificate.
    pub(super) fn of(certificate: &CertificateDer<'_>) -> Fingerprint {
        Fingerprint(Sha256::digest(certificate.as_ref()).into())
    }

    /// Of a certificate in PEM.
    pub fn of_pem(pem: &[u8]) -> Result<Fingerprint, IdentityError> {
        let certificate = CertificateDer::from_pem_slice(pem).map_err(|_| IdentityError::Certificate)?;
        Ok(Fingerprint::of(&certificate))
    }

    /// Reads 64 hexadecimal digits.
    pub fn parse(text: &str) -> Option<Fingerprint> {
        let mut bytes = [0u8; 32];
        hex::decode_to_slice(text, &mut bytes).ok()?;
        Some(Fingerprint(bytes))
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fingerprint({self})")
    }
}

/// The key stays out of logs.
impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Identity({})", self.fingerprint())
    }
}

impl Identity {
    /// A new one: PEM of the certificate and of its key (ECDSA on P-256). The certificate says nothing but that it is one.
    pub fn generate() -> Result<(String, String), IdentityError> {
        let made = rcgen::generate_simple_self_signed(vec!["paravent.invalid".to_owned()])
            .map_err(|_| IdentityError::Generate)?;
        Ok((made.cert.pem(), made.signing_key.serialize_pem()))
    }

    /// Reads certificate and key, and checks that they belong together.
    pub fn from_pem(certificate: &[u8], key: &[u8]) -> Result<Identity, IdentityError> {
        let certificate =
            CertificateDer::from_pem_slice(certificate).map_err(|_| IdentityError::Certificate)?;
        let key = PrivateKeyDer::from_pem_slice(key).map_err(|_| IdentityError::Key)?;
        let identity = Identity { certificate, key };
        identity.client_config(std::iter::empty()).map_err(|_| IdentityError::Mismatch)?;
        Ok(identity)
    }

    /// What the others pin.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(&self.certificate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_of_another_certificate_is_refused() {
        let (mine, my_key) = Identity::generate().unwrap();
        let (_, other_key) = Identity::generate().unwrap();
        let identity = Identity::from_pem(mine.as_bytes(), my_key.as_bytes()).unwrap();
        assert_eq!(Fingerprint::of_pem(mine.as_bytes()), Ok(identity.fingerprint()));
        assert_eq!(Fingerprint::parse(&identity.fingerprint().to_string()), Some(identity.fingerprint()));
        let mixed = Identity::from_pem(mine.as_bytes(), other_key.as_bytes());
        assert_eq!(mixed.unwrap_err(), IdentityError::Mismatch);
        assert_eq!(Identity::from_pem(b"", my_key.as_bytes()).unwrap_err(), IdentityError::Certificate);
        assert_eq!(Identity::from_pem(mine.as_bytes(), b"x").unwrap_err(), IdentityError::Key);
        assert_eq!(Fingerprint::parse("00"), None);
    }
}
