//! Signatures of PDF files: `mitt pdf sign` and `verify` as a user types them, and the tool with keys of a session.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use mitt::{ApprovalRequest, Approver, Decision, ErrorKind, Session, SessionOptions};
use mitt::{SigningKey, SigningKeys};
use serde_json::{Value, json};

use crate::support::{command, host, mitt, root, text};

fn keys() -> PathBuf {
    root().join("src/mitt/signing/test_keys")
}

fn key_file(name: &str) -> String {
    keys().join(name).to_str().unwrap().to_owned()
}

fn run(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = mitt(folder, arguments);
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

#[track_caller]
fn done(folder: &Path, arguments: &[&str]) -> String {
    let (code, stdout, stderr) = run(folder, arguments);
    assert_eq!(code, 0, "{arguments:?}: {stderr}");
    stdout
}

/// Returns a folder with `a.pdf` and the password of the keys.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.md"), "# 合同\n\n张伟同意。\n").unwrap();
    fs::write(folder.path().join("secret.txt"), "secret\n").unwrap();
    done(folder.path(), &["render", "a.md", "-o", "a.pdf"]);
    folder
}

#[test]
fn a_user_signs_twice_and_verifies() {
    let folder = folder();
    let folder = folder.path();
    let (p12, ca) = (key_file("p256.p12"), key_file("ca.pem"));
    let visible = ["--visible", "1:300,60,220,60", "--text", "{name} 签署\n{date}\n{reason}"];
    let sign = ["pdf", "sign", "a.pdf", "--key", &p12, "--reason", "批准", "-o", "b.pdf"];
    let (code, _, stderr) = run(folder, &sign);
    assert!(code == 3 && stderr.contains("needs a password"), "{stderr}");
    assert!(stderr.contains("--key-password-file"), "{stderr}");
    let password = ["--key-password-file", "secret.txt"];
    done(folder, &[&sign[..], &password, &visible].concat());
    let sign =
        ["pdf", "sign", "b.pdf", "--key", &key_file("rsa.key"), "--cert", &key_file("rsa.pem")];
    done(folder, &[&sign[..], &["-o", "c.pdf"]].concat());
    let (b, c) = (fs::read(folder.join("b.pdf")).unwrap(), fs::read(folder.join("c.pdf")).unwrap());
    assert!(c.starts_with(&b));

    let verify = ["pdf", "verify", "c.pdf", "--trust", &ca, "--json"];
    let result: Value = serde_json::from_str(&done(folder, &verify)).unwrap();
    assert_eq!((&result["verified"], &result["held"]), (&json!(true), &json!(2)));
    for signature in result["signatures"].as_array().unwrap() {
        assert_eq!(signature["digest"], "passed");
        assert!(signature["chain"].as_str().unwrap().starts_with("trusted"));
    }
    assert_eq!(result["signatures"][0]["reason"], "批准");
    let (code, stdout, _) = run(folder, &["pdf", "verify", "a.pdf"]);
    assert!(code == 1 && stdout.contains("no signatures"), "{stdout}");
    let (code, ..) = run(folder, &["pdf", "verify", "c.pdf", "--trust", &key_file("p384.pem")]);
    assert_eq!(code, 1, "another authority");
    let mut changed = c;
    changed[40] ^= 1;
    fs::write(folder.join("d.pdf"), changed).unwrap();
    assert_eq!(run(folder, &["pdf", "verify", "d.pdf"]).0, 1);

    fs::write(folder.join("wrong.txt"), "nonsense\n").unwrap();
    let wrong =
        ["pdf", "sign", "a.pdf", "--key", &p12, "--key-password-file", "wrong.txt", "-o", "e.pdf"];
    let (code, _, stderr) = run(folder, &wrong);
    assert!(code == 3 && stderr.contains("password of the key file is wrong"), "{stderr}");
    assert!(!stderr.contains("nonsense") && !folder.join("e.pdf").exists());
}

#[test]
fn keys_of_the_settings_are_named_and_opened_by_a_variable() {
    let folder = folder();
    let folder = folder.path();
    let option = format!("office={}", key_file("p256.p12"));
    let call = r#"{"document": "a.pdf", "filename": "b.pdf"}"#;
    let line =
        ["call", "pdf_tool__sign_pdf", "--json", call, "--doc", "a.pdf", "--signing-key", &option];
    let (code, _, stderr) = run(folder, &line);
    assert!(code == 3 && stderr.contains("MITT_SIGNING_PASSWORD_OFFICE"), "{stderr}");
    let mut with_password = command(folder, &line);
    let output = with_password.env("MITT_SIGNING_PASSWORD_OFFICE", "secret").output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("with the key `office`"));
    // Without a key, the error says who names one.
    let (code, _, stderr) = run(folder, &line[..6]);
    assert!(code == 5 && stderr.contains("--signing-key NAME=FILE"), "{stderr}");
    // A project's file names none.
    fs::write(folder.join("mitt.toml"), "signing-key = \"office=a.p12\"\n").unwrap();
    let (code, _, stderr) = run(folder, &["config", "show"]);
    assert!(code == 3 && stderr.contains("with which keys files are signed"), "{stderr}");
}

fn key(name: &str) -> SigningKey {
    let file = fs::read(keys().join("p256.p12")).unwrap();
    SigningKey::load(name, &file, Some("secret"), &[]).unwrap()
}

async fn open(options: SessionOptions) -> Session {
    let session = host().session(SessionOptions { keeps_sources: true, ..options }).unwrap();
    let folder = folder();
    let pdf = fs::read(folder.path().join("a.pdf")).unwrap();
    session.add_document_bytes("a.pdf", pdf).await.unwrap();
    session
}

#[tokio::test]
async fn a_model_signs_only_with_keys_that_were_named() {
    let keys = SigningKeys::new(vec![key("office"), key("lab")]).unwrap();
    let session = open(SessionOptions { signing_keys: Some(keys), ..Default::default() }).await;
    let call = async |arguments: Value| {
        session.call("pdf_tool__sign_pdf", &arguments.to_string()).await.result
    };
    let error = call(json!({ "document": "a.pdf", "filename": "b.pdf" })).await.unwrap_err();
    assert!(error.render().contains("`office` (") && error.render().contains("`lab` ("), "{error}");
    let error =
        call(json!({ "document": "a.pdf", "filename": "b.pdf", "key": "boss" })).await.unwrap_err();
    assert!(error.render().contains("there is no key `boss`"), "{error}");
    let signed = call(json!({ "document": "a.pdf", "filename": "b.pdf", "key": "lab" })).await;
    assert!(signed.unwrap().to_string().contains("with the key `lab`"));

    let session = open(SessionOptions::default()).await;
    let report =
        session.call("pdf_tool__sign_pdf", r#"{"document": "a.pdf", "filename": "b.pdf"}"#).await;
    let error = report.result.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Denied);
    assert!(error.render().contains("SessionOptions::signing_keys"), "{}", error.render());
}

struct Refusing(Mutex<Vec<String>>);

#[async_trait]
impl Approver for Refusing {
    async fn decide(&self, request: &ApprovalRequest) -> Decision {
        self.0.lock().unwrap().push(request.tool.clone());
        Decision::Deny("not now".to_owned())
    }
}

#[tokio::test]
async fn signing_asks_for_an_approval() {
    let approver = Arc::new(Refusing(Mutex::default()));
    let keys = SigningKeys::new(vec![key("office")]).unwrap();
    let session = open(SessionOptions {
        signing_keys: Some(keys),
        approver: Some(approver.clone()),
        ..Default::default()
    })
    .await;
    let arguments = r#"{"document": "a.pdf", "filename": "b.pdf"}"#;
    let report = session.call("pdf_tool__sign_pdf", arguments).await;
    assert!(report.result.is_err() && report.artifacts.is_empty());
    assert_eq!(*approver.0.lock().unwrap(), ["pdf_tool__sign_pdf"]);
}
