//! Encrypted connections.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::super::NatsStore;
use super::server::{Servers, program};
use crate::store::contract::submitted;

/// Makes a certificate of this machine and the one that signed it; returns `false` if there is no program for that, which is
/// printed.
#[expect(clippy::print_stderr, reason = "a test that does nothing says why")]
#[expect(clippy::disallowed_methods, reason = "it ends by itself")]
fn make_certificates(folder: &Path) -> bool {
    let script = "set -e
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 \
            -keyout ca.key -out ca.pem -subj /CN=authority
        openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
            -keyout server.key -out server.csr -subj /CN=localhost
        echo subjectAltName=DNS:localhost,IP:127.0.0.1 >extensions
        openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 \
            -extfile extensions -out server.pem";
    let mut command = Command::new("sh");
    command.arg("-c").arg(script).current_dir(folder).stdout(Stdio::null()).stderr(Stdio::null());
    let is_made = command.status().is_ok_and(|status| status.success());
    if !is_made {
        eprintln!("skipped: openssl makes no certificates here");
    }
    is_made
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_encrypted_connection_checks_the_certificate() {
    let Some(program) = program() else { return };
    let folder = TempDir::new().unwrap();
    if !make_certificates(folder.path()) {
        return;
    }
    let path = |name: &str| folder.path().join(name).display().to_string();
    let tls = format!(
        "tls {{ cert_file: \"{}\", key_file: \"{}\" }}\nauthorization {{ token: \"s3cret\" }}",
        path("server.pem"),
        path("server.key")
    );
    let servers = Servers::start_with(&program, 1, &tls);
    let host = servers.address("").replace("nats://", "");
    let open = async |address: String| {
        NatsStore::open(&address, None, Arc::new(|| Duration::from_secs(1))).await
    };
    let roots = path("ca.pem");
    let store = open(format!("tls://s3cret@{host}?tls_ca={roots}")).await.unwrap();
    submitted(&store, "a", "run_1", 1).await;
    // A server that demands TLS gets it also without `tls://`.
    open(format!("nats://s3cret@{host}?tls_ca={roots}")).await.unwrap();
    let begin = Instant::now();
    let text = open(format!("tls://s3cret@{host}")).await.unwrap_err().render();
    assert!(text.contains("invalid peer certificate") && !text.contains("s3cret"), "{text}");
    // Nor is a connection made without it to a server that has none.
    let plain = Servers::start(&program, 1);
    let text = open(plain.address("").replace("nats://", "tls://")).await.unwrap_err().render();
    assert!(text.contains("the server need not have TLS"), "{text}");
    assert!(begin.elapsed() < Duration::from_secs(15), "{text}");
}
