//! Documents by address: what is fetched, what is refused, and what is reported. The rules of the network are tested in
//! `mitt-net`.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::models;
use crate::support::{mitt, text};

/// A server with two files, a redirect, and a redirect to an internal address.
pub(crate) struct Server {
    port: u16,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub(crate) fn start() -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let heard = asked.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let mut lines = BufReader::new(&stream).lines().map_while(Result::ok);
                let path = lines.next().unwrap_or_default();
                let path = path.split(' ').nth(1).unwrap_or_default().to_owned();
                for _ in lines.by_ref().take_while(|line| !line.is_empty()) {}
                heard.lock().unwrap().push(path.clone());
                let (head, body) = match path.split('?').next().unwrap_or_default() {
                    "/sales.csv" => ("200 OK\r\nContent-Type: text/csv", "月份,收入\n1月,1.20\n"),
                    "/report" => ("200 OK\r\nContent-Type: application/pdf", "# Login\n"),
                    "/moved" => ("301 Moved\r\nLocation: /sales.csv", ""),
                    "/inside" => ("302 Found\r\nLocation: http://169.254.169.254/latest", ""),
                    _ => ("404 Not Found", ""),
                };
                let answer = format!("HTTP/1.1 {head}\r\nConnection: close\r\n\r\n{body}");
                let _ = (&stream).write_all(answer.as_bytes());
            }
        });
        Server { port, asked }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    pub(crate) fn allowed(&self) -> [String; 4] {
        ["--fetch-host".into(), self.url(""), "--fetch-network".into(), "127.0.0.1".into()]
    }

    pub(crate) fn asked(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

fn run(folder: &Path, args: &[String]) -> (i32, String, String) {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let output = mitt(folder, &args);
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

fn args(server: &Server, before: &[&str], path: &str, after: &[&str]) -> Vec<String> {
    let mut args: Vec<String> = before.iter().map(|&it| it.to_owned()).collect();
    args.push(server.url(path));
    args.extend(after.iter().map(|&it| it.to_owned()));
    args.extend(server.allowed());
    args
}

#[test]
fn an_address_is_read_as_a_file_is_and_says_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start();
    let (code, stdout, stderr) =
        run(folder.path(), &args(&server, &["ingest"], "/moved?token=secret", &["--json"]));
    assert_eq!(code, 0, "{stderr}");
    let document: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(document["name"], "sales.csv");
    assert_eq!(document["metadata"]["url"], server.url("/sales.csv"));
    assert_eq!(document["tables"][0]["rows"], json!([["1月", 1.20]]));
    let (code, stdout, stderr) =
        run(folder.path(), &args(&server, &["ingest"], "/report?token=secret", &[]));
    assert_eq!((code, stdout.as_str()), (0, "# Login\n"), "{stderr}");
    assert!(stderr.contains("its server calls it application/pdf, but the content is"), "{stderr}");
    // As a document of a call, too.
    let called = args(
        &server,
        &["call", "document_tool__read_table", "-j", r#"{"name":"sales.csv"}"#, "-d"],
        "/sales.csv",
        &[],
    );
    let (code, stdout, stderr) = run(folder.path(), &called);
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("[[\"1月\",1.2]]"), "{stdout}");
}

#[test]
fn nothing_is_fetched_that_was_not_allowed() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start();
    let refused = |args: &[String], expected: &str| {
        let (code, stdout, stderr) = run(folder.path(), args);
        assert_eq!((code, stdout.as_str()), (3, ""), "{stderr}");
        assert!(stderr.contains(expected), "{expected}: {stderr}");
        assert!(!stderr.contains("secret"), "{stderr}");
    };
    let ingest = |url: String| ["ingest".to_owned(), url];
    refused(&ingest(server.url("/sales.csv?secret")), "the host 127.0.0.1 is not allowed");
    // Typing it allows the host, but no address of this machine.
    let url = format!("https://127.0.0.1:{}/", server.port);
    refused(&ingest(url), "allow it with `--fetch-network 127.0.0.1`");
    refused(&ingest("https://localhost/".to_owned()), "localhost is at ");
    assert_eq!(server.asked(), 0);
    refused(
        &args(&server, &["ingest"], "/inside?secret", &[]),
        "redirects to http://169.254.169.254/latest",
    );
    refused(&args(&server, &["ingest"], "/none?secret", &[]), "answered 404 Not Found");
    // Forbidden words do not leave in addresses either.
    fs::write(folder.path().join("words.txt"), "机密\n").unwrap();
    let before = server.asked();
    let (code, _, stderr) = run(
        folder.path(),
        &args(&server, &["ingest", "--words", "words.txt"], "/sales.csv?q=机密", &[]),
    );
    assert_eq!(code, 12, "{stderr}");
    assert_eq!(server.asked(), before);
    // A project cannot allow hosts.
    fs::write(folder.path().join("mitt.toml"), "fetch-host = [\"*\"]\n").unwrap();
    let (code, _, stderr) = run(folder.path(), &["tools".to_owned()]);
    assert_ne!(code, 0);
    assert!(stderr.contains("it says what leaves this machine"), "{stderr}");
}

#[test]
fn a_run_finds_its_addresses_again() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start();
    let url = server.url("/sales.csv");
    let allowed = server.allowed();
    let allowed = allowed.each_ref().map(String::as_str);
    let model = models::Server::start(Vec::new());
    let first = ["run", "-m", &model.model(), "-d", &url, "What is in it?"];
    let (code, _, stderr) = models::run(folder.path(), &[&first[..], &allowed].concat());
    assert_eq!(code, 9, "{stderr}");
    let model = models::Server::start(vec![json!({ "text": "One month." })]);
    let again = ["run", "-m", &model.model(), "--resume"];
    let (code, stdout, stderr) = models::run(folder.path(), &[&again[..], &allowed].concat());
    assert_eq!((code, stdout.as_str()), (0, "One month.\n"), "{stderr}");
    assert_eq!(server.asked(), 2);
}
