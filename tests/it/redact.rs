//! `mitt redact` of texts and mails, as a user types it, and the rules for what is delivered.

use std::fs;
use std::path::Path;

use encoding_rs::GB18030;
use serde_json::Value;

use crate::support::{mitt, text};

fn run(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = mitt(folder, arguments);
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

const MAIL: &str = "From: Li Wei <li.wei@example.com>\r\nTo: Anna <anna@example.com>\r\nSubject: =?utf-8?B?5byg5Lyf?= offer\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<p>Dear Li&nbsp;<b>Wei</b></p>\r\n--b\r\nContent-Type: image/png; name=photo.png\r\nContent-Transfer-Encoding: base64\r\n\r\niVBORw0KGgo=\r\n--b--\r\n";

#[test]
fn texts_keep_their_form() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let table =
        "姓名,备注\r\n张伟,\"电话 555-1234，\"\"张伟\"\"的客户\"\r\n李娜,本年度会员体系升级\r\n";
    fs::write(folder.join("a.csv"), GB18030.encode(table).0).unwrap();
    fs::write(folder.join("a.tsv"), "a\tb\n1\tLi Wei\n").unwrap();
    fs::write(folder.join("a.md"), "# Li *Wei*\n\ntext\n").unwrap();
    fs::write(folder.join("a.txt"), "\u{feff}one\r\nLi\r\nWei\r\n").unwrap();
    let words = ["--word", "张伟", "--word", "li wei", "--pattern", "\\d{3}-\\d{4}"];
    let (code, stdout, stderr) = run(folder, &[&["redact", "a.csv"][..], &words].concat());
    assert_eq!((code, stdout.trim()), (0, "a.redacted.csv"), "{stderr}");
    assert!(stderr.contains("line 2 (3)") && stderr.contains("3 hits"), "{stderr}");
    let out = fs::read(folder.join("a.redacted.csv")).unwrap();
    let expected = table.replace("张伟", "██").replace("555-1234", "████████");
    assert_eq!(GB18030.decode(&out).0, expected);
    for (file, expected) in [
        ("a.tsv", "a\tb\n1\t██████\n"),
        ("a.md", "# ███*███*\n\ntext\n"),
        ("a.txt", "\u{feff}one\r\n██\r\n███\r\n"),
    ] {
        let target = format!("out.{}", &file[2..]);
        let arguments = [&["redact", file, "-o", &target][..], &words].concat();
        let (code, _, stderr) = run(folder, &arguments);
        assert_eq!(code, 0, "{file}: {stderr}");
        assert_eq!(fs::read_to_string(folder.join(&target)).unwrap(), expected, "{file}");
    }
    let (code, _, stderr) = run(folder, &["redact", "a.tsv", "--word", "nobody", "-o", "no.tsv"]);
    assert_eq!(code, 3, "{stderr}");
    assert!(stderr.contains("nothing to remove was found") && !folder.join("no.tsv").exists());
    let (code, _, stderr) = run(folder, &["redact", "a.tsv", "--word", "li", "--accept-unread"]);
    assert!(code != 0 && stderr.contains("--accept-unread"), "{stderr}");
}

#[test]
fn mails_lose_what_nobody_searched_unless_it_is_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("a.eml"), MAIL).unwrap();
    let words = ["--word", "Li Wei", "--word", "张伟", "--word", "li.wei", "--json"];
    let (code, stdout, stderr) = run(folder, &[&["redact", "a.eml"][..], &words].concat());
    assert_eq!(code, 0, "{stderr}");
    let printed: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(printed["hits"], 4, "{printed}");
    assert!(printed["warnings"].to_string().contains("photo.png"), "{printed}");
    let out = fs::read_to_string(folder.join("a.redacted.eml")).unwrap();
    assert!(out.contains("<b>***</b>") && out.contains("Anna <anna@example.com>"), "{out}");
    assert!(!out.contains("photo.png") && !out.contains("li.wei"), "{out}");
    let more = ["redact", "a.eml", "-o", "b.eml", "--accept-unread"];
    let (code, stdout, stderr) = run(folder, &[&more[..], &words].concat());
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("look at them"), "{stdout}");
    assert!(fs::read_to_string(folder.join("b.eml")).unwrap().contains("photo.png"));
}

#[test]
fn rules_hold_for_redacted_texts() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("rules.yaml"), "action: block\nwords: [hush]\n").unwrap();
    fs::write(folder.join("a.csv"), "a,b\n1,hush\n").unwrap();
    let (code, _, stderr) =
        run(folder, &["redact", "a.csv", "--word", "1", "--words", "rules.yaml"]);
    assert!(code != 0, "{stderr}");
    assert!(!folder.join("a.redacted.csv").exists());
}
