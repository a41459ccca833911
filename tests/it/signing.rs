//! Signatures of PDF files: `mitt pdf sign` and `verify` as a user types them, and the tool with keys of a session.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use async_trait::async_trait;
use mitt::guard::RuleSet;
use mitt::{ApprovalRequest, Approver, Decision, ErrorKind, Session, SessionOptions};
use mitt::{SigningKey, SigningKeys};
use serde_json::{Value, json};

use crate::support::{TestSkill, command, host, mitt, root, text};

fn keys() -> PathBuf {
    root().join("src/types/signing/test_keys")
}

/// Copies a key into the folder. Checked-out files can often be written by a group, and a key that others can change is refused.
fn key_file(folder: &Path, name: &str) -> String {
    let path = folder.join(name);
    fs::copy(keys().join(name), &path).unwrap();
    set_mode(&path, 0o600);
    name.to_owned()
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;

    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[cfg(not(unix))]
fn set_mode(_: &Path, _: u32) {}

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
    let (p12, ca) = (key_file(folder, "p256.p12"), key_file(folder, "ca.pem"));
    let visible = ["--visible", "1:300,60,220,60", "--text", "{name} 签署\n{date}\n{reason}"];
    let sign = ["pdf", "sign", "a.pdf", "--key", &p12, "--reason", "批准", "-o", "b.pdf"];
    let (code, _, stderr) = run(folder, &sign);
    assert!(code == 3 && stderr.contains("needs a password"), "{stderr}");
    assert!(stderr.contains("--key-password-file"), "{stderr}");
    let password = ["--key-password-file", "secret.txt"];
    done(folder, &[&sign[..], &password, &visible].concat());
    let (key, certificate) = (key_file(folder, "rsa.key"), key_file(folder, "rsa.pem"));
    let sign = ["pdf", "sign", "b.pdf", "--key", &key, "--cert", &certificate];
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
    let (code, ..) =
        run(folder, &["pdf", "verify", "c.pdf", "--trust", &key_file(folder, "p384.pem")]);
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
    let option = format!("office={}", key_file(folder, "p256.p12"));
    let call = r#"{"document": "a.pdf", "filename": "b.pdf"}"#;
    let line =
        ["call", "pdf_tool__sign_pdf", "--json", call, "--doc", "a.pdf", "--signing-key", &option];
    let (code, _, stderr) = run(folder, &line);
    assert!(code == 3 && stderr.contains("MITT_SIGNING_PASSWORD_OFFICE"), "{stderr}");
    let mut with_password = command(folder, &line);
    let output = with_password.env("MITT_SIGNING_PASSWORD_OFFICE", "secret").output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("with the key `office`"));
    // An empty variable is no password, and a key is loaded only where tools can sign.
    let output = command(folder, &line).env("MITT_SIGNING_PASSWORD_OFFICE", "").output().unwrap();
    assert!(text(&output.stderr).contains("needs a password"), "{}", text(&output.stderr));
    done(folder, &["pdf", "info", "a.pdf", "--signing-key", &option]);
    // Without a key, the error says who names one.
    let (code, _, stderr) = run(folder, &line[..6]);
    assert!(code == 5 && stderr.contains("--signing-key NAME=FILE"), "{stderr}");
    // A project's file names none.
    fs::write(folder.join("mitt.toml"), "signing-key = \"office=a.p12\"\n").unwrap();
    let (code, _, stderr) = run(folder, &["config", "show"]);
    assert!(code == 3 && stderr.contains("with which keys files are signed"), "{stderr}");
}

#[cfg(unix)]
#[test]
fn a_key_that_others_can_change_or_read_is_refused() {
    let folder = folder();
    let folder = folder.path();
    let (key, certificate) = (key_file(folder, "rsa.key"), key_file(folder, "rsa.pem"));
    let p12 = key_file(folder, "p256.p12");
    let plain = ["pdf", "sign", "a.pdf", "--key", &key, "--cert", &certificate, "-o", "b.pdf"];
    let sealed = ["pdf", "sign", "a.pdf", "--key", &p12, "-o", "c.pdf"];
    let sealed = [&sealed[..], &["--key-password-file", "secret.txt"]].concat();
    for (name, mode, line, expected) in [
        (&key, 0o640, &plain[..], "other users may read it"),
        (&key, 0o620, &plain, "may write to it"),
        (&p12, 0o602, &sealed, "may write to it"),
    ] {
        set_mode(&folder.join(name), mode);
        let (code, _, stderr) = run(folder, line);
        assert!(code == 3 && stderr.contains(expected), "{mode:o}: {stderr}");
        assert!(stderr.contains(&format!("chmod 600 {name}")), "{stderr}");
    }
    assert!(!folder.join("b.pdf").exists() && !folder.join("c.pdf").exists());
    // A password protects what others may read.
    set_mode(&folder.join(&p12), 0o644);
    done(folder, &sealed);
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
    let keys = SigningKeys::new(vec![key("office"), key("lab")]).unwrap().without_approval();
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

#[tokio::test]
async fn nothing_is_signed_where_nobody_can_approve_it() {
    let keys = SigningKeys::new(vec![key("office")]).unwrap();
    let session = open(SessionOptions { signing_keys: Some(keys), ..Default::default() }).await;
    let arguments = r#"{"document": "a.pdf", "filename": "b.pdf"}"#;
    let report = session.call("pdf_tool__sign_pdf", arguments).await;
    let error = report.result.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Denied);
    assert!(error.render().contains("SessionOptions::approver"), "{}", error.render());
    assert!(report.artifacts.is_empty());
    assert!(!session.journal().iter().any(|it| it["kind"] == "signature"));
}

#[tokio::test]
async fn a_signature_is_in_the_journal() {
    let keys = SigningKeys::new(vec![key("office")]).unwrap().without_approval();
    let session = open(SessionOptions { signing_keys: Some(keys), ..Default::default() }).await;
    let arguments = r#"{"document": "a.pdf", "filename": "b.pdf"}"#;
    session.call("pdf_tool__sign_pdf", arguments).await.result.unwrap();
    let journal = session.journal();
    let entry = journal.iter().find(|it| it["kind"] == "signature").unwrap();
    assert_eq!((&entry["key"], &entry["tool"]), (&json!("office"), &json!("pdf_tool__sign_pdf")));
}

/// Returns a component whose tool `run` has a message signed twice with the key `office`. It returns the outcome of the first
/// signature, of the second, and the number of the second one's error, a byte each; 0 is success.
fn signing_twice(message: &[u8]) -> String {
    let data: String = message.iter().map(|byte| format!("\\{byte:02x}")).collect();
    let length = message.len();
    let errors = [
        "invalid-argument",
        "not-found",
        "already-exists",
        "unsupported",
        "malformed",
        "quota",
        "other",
    ];
    let cases: String = errors.iter().map(|it| format!("(case \"{it}\" string)")).collect();
    format!(
        r#"(component
            (import "mitt:host/types@0.1.0" (instance $types
                (type $e (variant {cases}))
                (export "error" (type (eq $e)))))
            (alias export $types "error" (type $error))
            (import "mitt:host/signing@0.1.0" (instance $signing
                (alias outer 1 $error (type $e))
                (export "error" (type $error (eq $e)))
                (export "sign" (func (param "key" string) (param "message" (list u8))
                    (result (result (list u8) (error $error)))))))
            (core module $memory
                (memory (export "memory") 2)
                (global $next (mut i32) (i32.const 65536))
                (func (export "realloc") (param i32 i32 i32 i32) (result i32)
                    (local $at i32)
                    (local.set $at (global.get $next))
                    (global.set $next (i32.and
                        (i32.add (i32.add (global.get $next) (local.get 3)) (i32.const 7)) (i32.const -8)))
                    (local.get $at))
                (data (i32.const 8) "office")
                (data (i32.const 64) "{data}"))
            (core instance $m (instantiate $memory))
            (core func $sign (canon lower (func $signing "sign")
                (memory (core memory $m "memory")) (realloc (core func $m "realloc"))))
            (core module $run
                (import "m" "memory" (memory 2))
                (import "m" "sign" (func $sign (param i32 i32 i32 i32 i32)))
                (func (export "run") (result i32)
                    (call $sign (i32.const 8) (i32.const 6) (i32.const 64) (i32.const {length}) (i32.const 32768))
                    (call $sign (i32.const 8) (i32.const 6) (i32.const 64) (i32.const {length}) (i32.const 32800))
                    (i32.or (i32.load8_u (i32.const 32768)) (i32.or
                        (i32.shl (i32.load8_u (i32.const 32800)) (i32.const 8))
                        (i32.shl (i32.load8_u (i32.const 32804)) (i32.const 16))))))
            (core instance $i (instantiate $run
                (with "m" (instance (export "memory" (memory $m "memory")) (export "sign" (func $sign))))))
            (func (export "run") (result u32) (canon lift (core func $i "run"))))"#
    )
}

/// Returns an element of DER with fewer than 256 bytes.
fn der(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let content = parts.concat();
    match u8::try_from(content.len()).unwrap() {
        length @ 0..128 => [&[tag, length], &content[..]].concat(),
        length => [&[tag, 0x81, length], &content[..]].concat(),
    }
}

/// Returns the signed attributes of a document for the certificate of `office`.
fn signed_attributes() -> Vec<u8> {
    use base64::Engine as _;

    let pem = fs::read_to_string(keys().join("p256.pem")).unwrap();
    let body: String = pem.lines().filter(|line| !line.starts_with('-')).collect();
    let certificate = base64::engine::general_purpose::STANDARD.decode(body).unwrap();
    let hex = mitt_base::digest::sha256(&certificate);
    let byte = |at: usize| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap();
    let digest: Vec<u8> = (0..32).map(byte).collect();
    let own = der(0x30, &[&der(0x30, &[&der(0x30, &[&der(4, &[&digest])])])]);
    let attribute = |id: &[u8], value: &[u8]| der(0x30, &[&der(6, &[id]), &der(0x31, &[value])]);
    const PKCS9: [u8; 8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09];
    let pkcs9 = |more: &[u8]| [&PKCS9[..], more].concat();
    let data = [&PKCS9[..7], &[7, 1]].concat();
    der(
        0x31,
        &[
            &attribute(&pkcs9(&[3]), &der(6, &[&data])),
            &attribute(&pkcs9(&[4]), &der(4, &[&[7; 32]])),
            &attribute(&pkcs9(&[16, 2, 47]), &own),
        ],
    )
}

/// What a skill with the grant can have signed: a document, once a call, in a tool that is approved.
#[tokio::test]
async fn a_skill_has_one_document_signed_in_a_call_that_is_approved() {
    const INVALID: u64 = 0;
    const UNSUPPORTED: u64 = 3;
    const QUOTA: u64 = 5;
    let keys = SigningKeys::new(vec![key("office")]).unwrap().without_approval();
    for (message, is_destructive, expected) in [
        (signed_attributes(), true, [0, 1, QUOTA]),
        (signed_attributes(), false, [1, 1, UNSUPPORTED]),
        (b"GET /pay HTTP/1.1".to_vec(), true, [1, 1, INVALID]),
    ] {
        let manifest =
            format!("grants: [signing]\ntools: [{{name: run, destructive: {is_destructive}}}]");
        let skill = TestSkill::new("stamp", &signing_twice(&message), &manifest);
        let options = SessionOptions { signing_keys: Some(keys.clone()), ..Default::default() };
        let session = skill.host().session(options).unwrap();
        let report = session.call("stamp__run", "{}").await;
        let got: Value = report.result.unwrap_or_else(|it| panic!("{}", it.render())).into();
        let got = got.as_u64().unwrap();
        assert_eq!([got & 255, got >> 8 & 255, got >> 16], expected, "{is_destructive}");
        let journal = session.journal();
        let noted = journal.iter().filter(|it| it["kind"] == "signature").count();
        assert_eq!(noted, usize::from(expected[0] == 0));
    }
}

#[tokio::test]
async fn rules_about_content_see_the_texts_of_a_signature() {
    let rules = RuleSet::yaml("t", "rules: [{words: [机密文件], id: b}]\n").unwrap();
    let keys = SigningKeys::new(vec![key("office")]).unwrap().without_approval();
    let session =
        open(SessionOptions { signing_keys: Some(keys), rules: vec![rules], ..Default::default() })
            .await;
    let place = json!({ "page": 1, "rect": [300, 60, 520, 120], "text": "机密文件" });
    for (key, value) in [
        ("reason", json!("机密文件")),
        ("location", json!("机密文件")),
        ("contact", json!("机密文件")),
        ("visible", place),
    ] {
        let mut arguments = json!({ "document": "a.pdf", "filename": "b.pdf" });
        arguments[key] = value;
        let report = session.call("pdf_tool__sign_pdf", &arguments.to_string()).await;
        let error = report.result.expect_err(key);
        assert_eq!(*error.kind(), ErrorKind::Blocked, "{key}: {error}");
        assert!(report.artifacts.is_empty(), "{key}");
    }
    let harmless = json!({ "document": "a.pdf", "filename": "b.pdf", "reason": "批准" });
    session.call("pdf_tool__sign_pdf", &harmless.to_string()).await.result.unwrap();
}

/// Replaces `a.xlsx` while it is asked, and then decides.
struct Replacing {
    session: OnceLock<Session>,
    decision: Decision,
}

async fn make(session: &Session, value: u64) {
    let arguments = json!({ "data": [{ "a": value }], "filename": "a.xlsx" }).to_string();
    session.call("excel_tool__create_excel", &arguments).await.result.unwrap();
}

#[async_trait]
impl Approver for Replacing {
    async fn decide(&self, request: &ApprovalRequest) -> Decision {
        let preview = request.preview().unwrap();
        assert!(preview.last().unwrap().starts_with("file \"a.xlsx\": SHA-256 "), "{preview:?}");
        make(self.session.get().unwrap(), 2).await;
        self.decision.clone()
    }
}

#[tokio::test]
async fn an_approval_is_for_the_file_as_it_was() {
    let arguments = r#"{"document": "a.xlsx", "filename": "b.pdf"}"#;
    for decision in [Decision::Approve, Decision::Pause] {
        let approver = Arc::new(Replacing { session: OnceLock::new(), decision });
        let keys = SigningKeys::new(vec![key("office")]).unwrap();
        let session = open(SessionOptions {
            signing_keys: Some(keys),
            approver: Some(approver.clone()),
            ..Default::default()
        })
        .await;
        let _ = approver.session.set(session.clone());
        make(&session, 1).await;
        let mut report = session.call("pdf_tool__sign_pdf", arguments).await;
        if approver.decision == Decision::Pause {
            let id = session.pending()[0].id.clone();
            report = session.resume(&id, Decision::Approve).await;
        }
        let error = report.result.unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Denied, "{error}");
        assert!(error.to_string().contains("`a.xlsx` was changed since"), "{error}");
    }
}
