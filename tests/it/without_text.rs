//! Files that only tools use: their text is not read, unless a password or a rule needs it.

use std::fs;

use mitt::guard::RuleSet;
use mitt::{CacheDir, DocumentOptions, Host, HostBuilder, SessionOptions};
use serde_json::{Value, json};

use crate::support::{cache, mitt, text};

/// Adds `a.pdf` with its text left unread, and returns the characters of its document or the name of the problem, and what
/// `read_pdf` says about it.
async fn unread(host: HostBuilder, bytes: Vec<u8>, password: Option<&str>) -> (String, Value) {
    let host = host.cache(CacheDir::new(cache())).build().unwrap();
    let options = SessionOptions { keeps_sources: true, ..SessionOptions::default() };
    let session = host.session(options).unwrap();
    let mut options = DocumentOptions::default();
    options.without_text = true;
    options.password = password.map(str::to_owned);
    let added = session.add_document_bytes_with("a.pdf", bytes, &options).await;
    let found = match added {
        Ok(document) => format!("{} characters", document.characters),
        Err(error) => error.input_problem().unwrap_or("no problem of the file").to_owned(),
    };
    let mut arguments = json!({ "document": "a.pdf", "parts": ["pages"] });
    if let Some(password) = password {
        arguments["password"] = json!(password);
    }
    let report = session.call("pdf_tool__read_pdf", &arguments.to_string()).await;
    (found, report.result.map(Value::from).unwrap_or(Value::Null))
}

#[tokio::test]
async fn the_text_of_a_file_for_tools_is_read_only_for_passwords_and_rules() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.md"), "# 合同\n\n电话 555\n\n\\newpage\n\n付款期限三十天\n")
        .unwrap();
    fs::write(folder.path().join("pw.txt"), "geheim\n").unwrap();
    for line in [
        &["render", "a.md", "-o", "a.pdf"][..],
        &["pdf", "encrypt", "a.pdf", "--password-file", "pw.txt", "-o", "locked.pdf"],
    ] {
        let output = mitt(folder.path(), line);
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
    let plain = fs::read(folder.path().join("a.pdf")).unwrap();
    let locked = fs::read(folder.path().join("locked.pdf")).unwrap();

    let (found, read) = unread(Host::builder(), plain.clone(), None).await;
    assert_eq!((&*found, &read["page_count"]), ("0 characters", &json!(2)));
    let (found, _) = unread(Host::builder(), locked.clone(), None).await;
    assert_eq!(found, "encrypted");
    let (found, _) = unread(Host::builder(), locked.clone(), Some("wrong")).await;
    assert_eq!(found, "encrypted");
    let (found, read) = unread(Host::builder(), locked, Some("geheim")).await;
    assert!(found != "0 characters" && read["page_count"] == 2, "{found}: {read}");

    let rules = |yaml: &str| Host::builder().guard(RuleSet::yaml("t", yaml).unwrap());
    let (found, read) =
        unread(rules("rules: [{words: [电话], id: b}]\n"), plain.clone(), None).await;
    assert!(found != "0 characters", "{found}: {read}");
    let blocking = rules("rules: [{words: [电话], id: b, action: block}]\n");
    let (found, read) = unread(blocking, plain, None).await;
    assert_eq!((&*found, read), ("no problem of the file", Value::Null));
}

#[test]
fn a_command_for_tools_reads_no_text_and_the_tool_refuses_what_is_damaged() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.md"), "# 合同\n\n付款期限三十天\n").unwrap();
    fs::write(
        folder.path().join("edits.json"),
        r#"[{"action":"replace-text","find":"三十","text":"六十"}]"#,
    )
    .unwrap();
    for line in
        [&["render", "a.md", "-o", "a.pdf"][..], &["pdf", "merge", "a.pdf", "a.pdf", "-o", "b.pdf"]]
    {
        let output = mitt(folder.path(), line);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let shown = text(&output.stderr);
        assert!(line[0] == "render" || shown.contains("file    a.pdf  "), "{shown}");
        assert!(!shown.contains("ingest"), "{shown}");
    }
    // Neither a Word file nor a workbook.
    for name in ["a.docx", "a.xlsx", "a.pptx"] {
        fs::write(folder.path().join(name), b"PK\x03\x04 is cut off here").unwrap();
        let output = mitt(
            folder.path(),
            &["edit", name, "--edits", "edits.json", "-o", &format!("new-{name}")],
        );
        let stderr = text(&output.stderr);
        assert!(!output.status.success() && stderr.contains("damaged"), "{name}: {stderr}");
        assert!(!folder.path().join(format!("new-{name}")).exists());
    }
}
