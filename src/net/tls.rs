//! TLS configuration of clients, passed to each of them, so that nothing is installed for the whole process.
//!
//! Knows no service.

use std::sync::Arc;

use rustls::crypto::ring::default_provider;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};

/// The name of a certificate's unknown issuer in errors of the handshake.
pub const UNKNOWN_ISSUER: &str = "UnknownIssuer";

/// Returns a configuration with the system's root certificates, or Mozilla's if there are none, as in a bare container, and
/// with those of the embedder in PEM. Without `with_certificates` it has only those of the embedder.
///
/// # Errors
///
/// One of the embedder's certificates is invalid.
pub fn tls_config(with_certificates: bool, more: &[Vec<u8>]) -> Result<ClientConfig, String> {
    let mut roots = RootCertStore::empty();
    // Reading them takes a while, and an address without TLS needs none.
    if with_certificates {
        // Certificates that cannot be read are skipped.
        let native = rustls_native_certs::load_native_certs().certs;
        let (n_known, _) = roots.add_parsable_certificates(native);
        if n_known == 0 {
            roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        }
    }
    for pem in more {
        let before = roots.len();
        for certificate in CertificateDer::pem_slice_iter(pem) {
            let added = certificate
                .map_err(|error| error.to_string())
                .and_then(|certificate| roots.add(certificate).map_err(|error| error.to_string()));
            added.map_err(|error| format!("this is no root certificate: {error}"))?;
        }
        if roots.len() == before {
            return Err("there is no certificate in this PEM text".to_owned());
        }
    }
    let builder = ClientConfig::builder_with_provider(Arc::new(default_provider()));
    let builder = builder.with_safe_default_protocol_versions();
    let builder = builder.map_err(|error| format!("cannot set up TLS: {error}"))?;
    let mut config = builder.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}
