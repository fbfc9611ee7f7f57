//! Certificates are compared with the fingerprints of the agreement; who sends one must sign with its key.

use super::identity::{Fingerprint, Identity};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, DistinguishedName, Error, ServerConfig,
    SignatureScheme,
};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Accepts these certificates and no others. Validity dates, names and issuers do not matter: the fingerprint was handed over by
/// people.
#[derive(Debug)]
struct Pinned {
    known: BTreeSet<Fingerprint>,
    provider: Arc<CryptoProvider>,
}

impl Pinned {
    fn new(known: impl Iterator<Item = Fingerprint>) -> Arc<Pinned> {
        Arc::new(Pinned { known: known.collect(), provider: Arc::new(ring::default_provider()) })
    }

    fn is_known(&self, certificate: &CertificateDer<'_>) -> Result<(), Error> {
        match self.known.contains(&Fingerprint::of(certificate)) {
            true => Ok(()),
            false => Err(Error::InvalidCertificate(CertificateError::ApplicationVerificationFailure)),
        }
    }

    fn signed_tls12(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn signed_tls13(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

/// Signatures are checked alike on both sides.
macro_rules! signatures {
    () => {
        fn verify_tls12_signature(
            &self,
            message: &[u8],
            certificate: &CertificateDer<'_>,
            signature: &DigitallySignedStruct,
        ) -> Result<HandshakeSignatureValid, Error> {
            self.signed_tls12(message, certificate, signature)
        }

        fn verify_tls13_signature(
            &self,
            message: &[u8],
            certificate: &CertificateDer<'_>,
            signature: &DigitallySignedStruct,
        ) -> Result<HandshakeSignatureValid, Error> {
            self.signed_tls13(message, certificate, signature)
        }

        fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
            self.schemes()
        }
    };
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.is_known(end_entity).map(|()| ServerCertVerified::assertion())
    }

    signatures!();
}

impl ClientCertVerifier for Pinned {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        self.is_known(end_entity).map(|()| ClientCertVerified::assertion())
    }

    signatures!();
}

impl Identity {
    /// To dial a party with one of these certificates.
    pub(super) fn client_config(
        &self,
        known: impl Iterator<Item = Fingerprint>,
    ) -> Result<Arc<ClientConfig>, Error> {
        let pinned = Pinned::new(known);
        let mut config = ClientConfig::builder_with_provider(pinned.provider.clone())
            .with_protocol_versions(&[&rustls::version::TLS13])?
            .dangerous()
            .with_custom_certificate_verifier(pinned)
            .with_client_auth_cert(vec![self.certificate.clone()], self.key.clone_key())?;
        config.resumption = rustls::client::Resumption::disabled();
        Ok(Arc::new(config))
    }

    /// To be dialled by parties with one of these certificates.
    pub(super) fn server_config(
        &self,
        known: impl Iterator<Item = Fingerprint>,
    ) -> Result<Arc<ServerConfig>, Error> {
        let pinned = Pinned::new(known);
        let mut config = ServerConfig::builder_with_provider(pinned.provider.clone())
            .with_protocol_versions(&[&rustls::version::TLS13])?
            .with_client_cert_verifier(pinned)
            .with_single_cert(vec![self.certificate.clone()], self.key.clone_key())?;
        config.send_tls13_tickets = 0;
        Ok(Arc::new(config))
    }
}
