//! Models behind proxies and TLS, configured by environment variables: `HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`,
//! `SSL_CERT_FILE`.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::support::{command, root, text};

const KEY: &str = "sk-network-0123456789";

const ANSWER: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n\
    data: {\"choices\":[{\"delta\":{\"content\":\"Hello\"}}]}\n\n\
    data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

/// Returns the folder with self-signed certificates.
fn certificates() -> PathBuf {
    root().join("src/agent/tests/http/tls")
}

/// A proxy that is also the server behind it. Records each request as a text.
struct Proxy {
    url: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    fn start() -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let known = asked.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let known = known.clone();
                std::thread::spawn(move || serve(stream.unwrap(), &known));
            }
        });
        Proxy { url, asked }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

/// Serves one connection, directly or through a tunnel.
fn serve(mut stream: TcpStream, asked: &Mutex<Vec<String>>) {
    let Some(head) = request(&mut stream) else { return };
    let is_tunnel = head.starts_with("CONNECT ");
    asked.lock().unwrap().push(head);
    if !is_tunnel {
        let _ = stream.write_all(ANSWER.as_bytes());
        return;
    }
    stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").unwrap();
    let read = |name: &str| std::fs::read(certificates().join(name)).unwrap();
    let certificate = CertificateDer::from_pem_slice(&read("server.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_slice(&read("server.key")).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()));
    let config = config.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    let config = config.with_single_cert(vec![certificate], key).unwrap();
    let connection = ServerConnection::new(Arc::new(config)).unwrap();
    let mut stream = StreamOwned::new(connection, stream);
    let Some(inner) = request(&mut stream) else { return };
    asked.lock().unwrap().push(inner);
    let _ = stream.write_all(ANSWER.as_bytes());
    stream.conn.send_close_notify();
    let _ = stream.flush();
}

/// Reads a request with its body; `None` if the connection breaks off.
fn request(stream: &mut impl Read) -> Option<String> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 65_536];
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.to_lowercase().lines().find_map(|line| {
                line.strip_prefix("content-length: ")?.trim().parse::<usize>().ok()
            });
            if body.len() >= length.unwrap_or(0) {
                return Some(text);
            }
        }
        match stream.read(&mut buffer) {
            Ok(n) if n > 0 => bytes.extend_from_slice(&buffer[..n]),
            _ => return None,
        }
    }
}

/// Runs a request to a model with these environment variables.
fn ask(folder: &Path, model: &str, variables: &[(&str, &str)]) -> (i32, String, String) {
    let mut command = command(folder, &["run", "--model", model, "Say hello"]);
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"] {
        command.env_remove(name).env_remove(name.to_lowercase());
    }
    command.env_remove("SSL_CERT_FILE").env_remove("SSL_CERT_DIR").env("MITT_MODEL_KEY", KEY);
    let output = command.envs(variables.iter().copied()).output().unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_service_is_reached_through_the_proxy_of_the_environment() {
    let folder = tempfile::tempdir().unwrap();
    let proxy = Proxy::start();
    let issuer = certificates().join("issuer.pem");
    let variables = [("HTTPS_PROXY", &*proxy.url), ("SSL_CERT_FILE", issuer.to_str().unwrap())];
    let (code, stdout, stderr) = ask(folder.path(), "https://models.test/v1#m", &variables);
    assert_eq!((code, stdout.as_str()), (0, "Hello\n"), "{stderr}");
    let asked = proxy.asked();
    assert!(asked[0].starts_with("CONNECT models.test:443 HTTP/1.1\r\n"), "{}", asked[0]);
    assert!(asked[1].starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{}", asked[1]);
    assert!(!asked[0].contains(KEY) && asked[1].contains(KEY), "the key goes to the service alone");

    let proxy = Proxy::start();
    let (code, stdout, stderr) =
        ask(folder.path(), "http://models.test/v1#m", &[("HTTP_PROXY", &proxy.url)]);
    assert_eq!((code, stdout.as_str()), (0, "Hello\n"), "{stderr}");
    let asked = proxy.asked();
    assert!(asked[0].starts_with("POST http://models.test/v1/chat/completions "), "{}", asked[0]);
}

#[test]
fn an_issuer_that_the_system_does_not_know_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let proxy = Proxy::start();
    let (code, _, stderr) =
        ask(folder.path(), "https://models.test/v1#m", &[("HTTPS_PROXY", &proxy.url)]);
    assert_eq!(code, 9, "{stderr}");
    assert!(
        stderr.contains("the certificate of https://models.test/v1 is of an unknown issuer"),
        "{stderr}"
    );
    assert!(stderr.contains("in the environment variable `SSL_CERT_FILE`"), "{stderr}");
    assert_eq!(proxy.asked().len(), 1, "once, and nothing behind the tunnel");
}

#[test]
fn who_needs_no_proxy_is_asked_without() {
    let folder = tempfile::tempdir().unwrap();
    let proxy = Proxy::start();
    let variables =
        [("HTTPS_PROXY", &*proxy.url), ("HTTP_PROXY", &*proxy.url), ("NO_PROXY", "models.test")];
    let (code, _, stderr) = ask(folder.path(), "https://models.test/v1#m", &variables);
    assert_eq!(
        (code, stderr.contains("no connection to https://models.test/v1")),
        (9, true),
        "{stderr}"
    );
    // A local server is never reached through a proxy.
    let server = Proxy::start();
    let (code, stdout, stderr) = ask(folder.path(), &format!("{}/v1#m", server.url), &variables);
    assert_eq!((code, stdout.as_str()), (0, "Hello\n"), "{stderr}");
    // It is also asked how long requests may be.
    let asked = server.asked();
    assert!(asked.iter().any(|it| it.starts_with("POST /v1/chat/completions ")), "{asked:?}");
    assert!(proxy.asked().is_empty(), "{:?}", proxy.asked());
}
