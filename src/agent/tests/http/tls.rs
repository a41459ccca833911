//! TLS: trusted certificates, errors for untrusted ones, and HTTP/2 if the server supports it.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response, Version};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::server::{DONE, text};
use super::*;

const ISSUER: &str = include_str!("tls/issuer.pem");

/// Returns a server with a certificate for `localhost` of an unknown issuer, and the HTTP versions of its requests.
async fn server(protocol: &'static str) -> (String, Arc<Mutex<Vec<Version>>>) {
    let certificate = CertificateDer::from_pem_slice(include_bytes!("tls/server.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_slice(include_bytes!("tls/server.key")).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()));
    let config = config.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    let mut config = config.with_single_cert(vec![certificate], key).unwrap();
    config.alpn_protocols = vec![protocol.into()];
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://localhost:{}", listener.local_addr().unwrap().port());
    let asked = Arc::new(Mutex::new(Vec::new()));
    let known = asked.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let Ok(stream) = acceptor.accept(stream).await else { continue };
            let known = known.clone();
            let answer = service_fn(move |request: Request<Incoming>| {
                known.lock().unwrap().push(request.version());
                let body = Full::new(Bytes::from(text("Hello") + DONE));
                let response = Response::builder().header("content-type", "text/event-stream");
                async move { Ok::<_, Infallible>(response.body(body).unwrap()) }
            });
            let stream = TokioIo::new(stream);
            tokio::spawn(async move {
                if protocol == "h2" {
                    let server = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
                    let _ = server.serve_connection(stream, answer).await;
                } else {
                    let server = hyper::server::conn::http1::Builder::new();
                    let _ = server.serve_connection(stream, answer).await;
                }
            });
        }
    });
    (url, asked)
}

#[test]
fn a_trusted_server_is_asked_over_both_versions_of_http() {
    run(async {
        for (protocol, version) in [("http/1.1", Version::HTTP_11), ("h2", Version::HTTP_2)] {
            let (url, asked) = server(protocol).await;
            let model = client(&format!("{url}#m")).root_certificates(ISSUER).build().unwrap();
            for _ in 0..2 {
                let (events, error) = ask(&model).await;
                assert!(error.is_none(), "{protocol}: {error:?}");
                assert_eq!(events, [ChatEvent::Text("Hello".into())]);
            }
            assert_eq!(*asked.lock().unwrap(), [version, version]);
        }
    });
}

#[test]
fn an_unknown_issuer_is_told_at_once_and_how_to_trust_it() {
    run(async {
        let (url, asked) = server("http/1.1").await;
        let model = client(&format!("{url}#m")).build().unwrap();
        let formatted = formatted(&url, &ask(&model).await);
        assert!(
            formatted.starts_with("URL#m: the certificate of URL is of an unknown issuer\n"),
            "{formatted}"
        );
        assert!(
            formatted.ends_with("in the environment variable `SSL_CERT_FILE` passes: false"),
            "{formatted}"
        );
        assert!(!formatted.contains("tried"), "{formatted}");
        // By the right issuer, but for another name.
        let url = url.replace("localhost", "127.0.0.1");
        let model = client(&format!("{url}#m")).root_certificates(ISSUER).build().unwrap();
        let (_, error) = ask(&model).await;
        let error = error.expect("it is another's").render();
        assert!(
            error.contains("NotValidForName") || error.contains("not valid for name"),
            "{error}"
        );
        assert!(asked.lock().unwrap().is_empty());
    });
}

#[test]
fn what_is_no_certificate_is_refused() {
    for (pem, why) in [
        ("", "there is no certificate in this PEM text"),
        ("words", "there is no certificate in this PEM text"),
        (include_str!("tls/server.key"), "there is no certificate in this PEM text"),
        (
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
            "this is no root certificate: invalid peer certificate: BadEncoding",
        ),
    ] {
        let error = client("https://models.test#m").root_certificates(pem).build().unwrap_err();
        assert_eq!(error.to_string(), why, "{pem}");
    }
}
