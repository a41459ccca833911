//! `mitt redact` of texts and mails, as a user types it, and the rules for what is delivered.

use std::fs;
use std::io::{Cursor, Read as _, Write as _};
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use encoding_rs::GB18030;
use serde_json::{Value, json};

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

/// Rules of a company, and a text in which they and kinds of personal data find something.
const RULES: &str = "rules:\n  - { word: Kingfisher, id: projects }\n  - word: 机密文件\n";
const TEXT: &str = "Call 138 0013 8000 or li.wei@corp.example about order 20240506. The project Kingfisher, no kingfishers. 这是机密文件。";
const FOUND: [&str; 4] = ["138 0013", "li.wei", "Kingfisher,", "机密"];

/// Redacts a file by the rules. Returns what is printed, after no stream has quoted what was found.
#[track_caller]
fn by_rules(folder: &Path, name: &str, more: &[&str]) -> Value {
    let rules = ["redact", name, "--rule", "phone,email,all", "--words", "words.yaml", "--json"];
    let (code, stdout, stderr) = run(folder, &[&rules[..], more].concat());
    assert_eq!(code, 0, "{name}: {stderr}");
    for text in FOUND {
        assert!(!stdout.contains(text) && !stderr.contains(text), "{name}: {stdout} {stderr}");
    }
    serde_json::from_str(&stdout).unwrap()
}

#[test]
fn what_rules_find_is_removed_from_every_type() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("words.yaml"), RULES).unwrap();
    fs::write(
        folder.join("a.md"),
        format!("# Report\n\n{TEXT}\n\n| who | phone |\n|---|---|\n| Anna | 13900139000 |\n"),
    )
    .unwrap();
    for name in ["a.pdf", "a.docx", "a.pptx", "a.xlsx"] {
        let (code, _, stderr) = run(folder, &["render", "a.md", "-o", name]);
        assert_eq!(code, 0, "{stderr}");
    }
    for name in ["a.md", "a.pdf", "a.docx", "a.pptx"] {
        let printed = by_rules(folder, name, &[]);
        let rules = json!({ "phone": 2, "email": 1, "projects": 1, "words/2": 1 });
        assert_eq!(printed["rules"], rules, "{name}: {printed}");
        let made = printed["path"].as_str().unwrap();
        let (_, text, _) = run(folder, &["ingest", made, "-q"]);
        for gone in FOUND.iter().chain(&["13900139000"]) {
            assert!(!text.contains(gone), "{name}: {gone} {text}");
        }
        // A rule for a word means no longer ones, and a date is no phone.
        assert!(text.contains("kingfishers") && text.contains("20240506"), "{name}: {text}");
    }
    let printed = by_rules(folder, "a.xlsx", &[]);
    assert_eq!(printed["rules"], json!({ "phone": 1 }), "{printed}");
}

#[test]
fn rules_reach_what_people_do_not_see() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("words.yaml"), RULES).unwrap();
    let mail = "From: Anna <a@b.c>\r\nSubject: Hello\r\nX-Phone: 13900139000\r\nMIME-Version: 1.0\r\n\
        Content-Type: multipart/alternative; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nplease call us at 138 0013\r\n8000 today\r\n\
        --b\r\nContent-Type: text/html\r\n\r\n<p>please <!-- 13700137000 --> call</p>\r\n--b--\r\n";
    fs::write(folder.join("a.eml"), mail).unwrap();
    let (code, stdout, stderr) = run(folder, &["redact", "a.eml", "--rule", "phone"]);
    assert_eq!((code, stdout.as_str()), (0, "a.redacted.eml\n"), "{stderr}");
    let made = fs::read_to_string(folder.join("a.redacted.eml")).unwrap();
    for gone in ["13900139000", "0013", "8000", "13700137000"] {
        assert!(!made.contains(gone), "{gone}: {made}");
    }
    assert!(made.contains("today") && made.contains("Hello"), "{made}");
    // More texts than one call of the tool takes.
    let rows: String = (0..900).map(|it| format!("{it},139{:08}\n", it * 7919)).collect();
    fs::write(folder.join("b.csv"), format!("id,phone\n{rows}")).unwrap();
    let printed = by_rules(folder, "b.csv", &[]);
    assert_eq!(printed["rules"], json!({ "phone": 900 }), "{}", printed["rules"]);
    let made = fs::read_to_string(folder.join("b.redacted.csv")).unwrap();
    assert!(made.lines().nth(900).unwrap().starts_with("899,") && !made.contains(",139"));
}

#[test]
fn rules_that_do_not_exist_and_words_that_stay_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("words.yaml"), RULES).unwrap();
    fs::write(folder.join("a.txt"), TEXT).unwrap();
    fs::write(folder.join("b.txt"), "Nothing of it.").unwrap();
    for (arguments, code, expected) in [
        (&["redact", "a.txt", "--rule", "phon"][..], 3, "did you mean `phone`?"),
        (&["redact", "a.txt", "--rule", "all"], 3, "there is no such file"),
        (&["redact", "b.txt", "--rule", "phone"], 3, "nothing to remove was found"),
        // The rules that were not named hold for the result.
        (&["redact", "a.txt", "--rule", "phone", "--words", "words.yaml"], 12, "`projects`"),
    ] {
        let (found, stdout, stderr) = run(folder, arguments);
        assert!(found == code && stderr.contains(expected), "{arguments:?}: {found} {stderr}");
        assert!(stdout.is_empty() && !folder.join("a.redacted.txt").exists(), "{stdout}");
    }
}

/// Returns a package whose parts `edit` changes by their names and texts, with more parts.
fn repacked(
    package: &[u8],
    edit: impl Fn(&str, String) -> String,
    more: &[(&str, &str)],
) -> Vec<u8> {
    let mut source = zip::ZipArchive::new(Cursor::new(package)).unwrap();
    let mut out = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    for at in 0..source.len() {
        let mut entry = source.by_index(at).unwrap();
        let name = entry.name().unwrap().into_owned();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).unwrap();
        let content = match String::from_utf8(content) {
            Ok(text) => edit(&name, text).into_bytes(),
            Err(binary) => binary.into_bytes(),
        };
        out.start_file(name, options).unwrap();
        out.write_all(&content).unwrap();
    }
    for (name, text) in more {
        out.start_file(*name, options).unwrap();
        out.write_all(text.as_bytes()).unwrap();
    }
    out.finish().unwrap().into_inner()
}

/// Returns the texts of all parts of a package.
fn parts(package: &[u8]) -> String {
    let mut source = zip::ZipArchive::new(Cursor::new(package)).unwrap();
    let mut all = String::new();
    for at in 0..source.len() {
        let mut content = Vec::new();
        source.by_index(at).unwrap().read_to_end(&mut content).unwrap();
        all.push_str(&String::from_utf8_lossy(&content));
    }
    all
}

/// Writes a file that `mitt render` makes of a Markdown text.
fn render(folder: &Path, text: &str, name: &str) -> Vec<u8> {
    fs::write(folder.join("source.md"), text).unwrap();
    let (code, _, stderr) = run(folder, &["render", "source.md", "-o", name]);
    assert_eq!(code, 0, "{stderr}");
    fs::read(folder.join(name)).unwrap()
}

#[test]
fn rules_reach_attributes_of_office_files() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let book = render(folder, "| who | phone |\n|---|---|\n| Anna | 13900139000 |\n", "a.xlsx");
    let cache = "<pivotCacheDefinition xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" recordCount=\"1\">\
        <cacheFields count=\"1\"><cacheField name=\"phone\"><sharedItems><s v=\"13900139000\"/><s v='13700137000'/></sharedItems>\
        </cacheField></cacheFields></pivotCacheDefinition>";
    let book =
        repacked(&book, |_, text| text, &[("xl/pivotCache/pivotCacheDefinition1.xml", cache)]);
    fs::write(folder.join("a.xlsx"), book).unwrap();
    let fields = "<w:p><w:fldSimple w:instr=' HYPERLINK \"mailto:li@corp.example\" '><w:r><w:t>x</w:t></w:r></w:fldSimple></w:p>\
        <w:sdt><w:sdtPr><w:tag w:val=\"13800138000\"/></w:sdtPr><w:sdtContent><w:p><w:r><w:t>y</w:t></w:r></w:p></w:sdtContent></w:sdt>";
    let variable =
        "<w:docVars><w:docVar w:name=\"a\" w:val='13600136000'/></w:docVars></w:settings>";
    let edit = |name: &str, text: String| match name {
        "word/document.xml" => text.replacen("<w:body>", &format!("<w:body>{fields}"), 1),
        "word/settings.xml" => text.replacen("</w:settings>", variable, 1),
        _ => text,
    };
    let document = render(folder, "Hello\n", "a.docx");
    let document = repacked(&document, edit, &[]);
    let before = parts(&document);
    fs::write(folder.join("a.docx"), document).unwrap();
    for (name, gone) in [
        ("a.xlsx", &["13900139000", "13700137000"][..]),
        ("a.docx", &["li@corp.example", "13800138000", "13600136000"]),
    ] {
        let made = format!("out.{name}");
        let arguments = ["redact", name, "--rule", "phone,email", "-o", &made];
        let (code, _, stderr) = run(folder, &arguments);
        assert_eq!(code, 0, "{name}: {stderr}");
        let made = parts(&fs::read(folder.join(&made)).unwrap());
        for text in gone {
            assert!(!made.contains(text), "{name}: {text}");
            assert!(name == "a.xlsx" || before.contains(text), "{text}");
        }
    }
}

#[test]
fn rules_of_words_hold_for_hidden_texts_of_the_result() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("words.yaml"), RULES).unwrap();
    let document = render(folder, "Call 13800138000.\n", "a.docx");
    let hidden =
        "<w:p><w:bookmarkStart w:id=\"7\" w:name=\"Kingfisher\"/><w:bookmarkEnd w:id=\"7\"/></w:p>";
    let edit = |name: &str, text: String| match name {
        "word/document.xml" => text.replacen("<w:body>", &format!("<w:body>{hidden}"), 1),
        _ => text,
    };
    fs::write(folder.join("a.docx"), repacked(&document, edit, &[])).unwrap();
    let arguments = ["redact", "a.docx", "--rule", "phone", "--words", "words.yaml"];
    let (code, stdout, stderr) = run(folder, &arguments);
    assert_eq!((code, stdout.as_str()), (12, ""), "{stderr}");
    assert!(stderr.contains("blocked by the rule `projects`"), "{stderr}");
    assert!(!folder.join("a.redacted.docx").exists());
    let printed = by_rules(folder, "a.docx", &[]);
    assert_eq!(printed["rules"]["projects"], 1, "{printed}");
}

#[test]
fn words_that_are_not_found_beside_rules_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("a.txt"), "Li Wei: 13800138000, or write to\nli@corp.example\nbefore")
        .unwrap();
    let redact = ["redact", "a.txt", "--rule", "phone,email", "--json", "-o", "b.txt"];
    let (code, stdout, stderr) = run(folder, &[&redact[..], &["--word", "Li Wie"]].concat());
    assert_eq!(code, 0, "{stderr}");
    let printed: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(printed["warnings"], json!(["nothing was found for `Li Wie`"]));
    assert!(stderr.contains("warning: nothing was found for `Li Wie`"), "{stderr}");
    // The address takes no word of the lines around it.
    assert_eq!(printed["rules"], json!({ "phone": 1, "email": 1 }));
    let made = fs::read_to_string(folder.join("b.txt")).unwrap();
    assert_eq!(
        made,
        format!("Li Wei: {}, or write to\n{}\nbefore", "█".repeat(11), "█".repeat(15))
    );
    let (code, stdout, stderr) =
        run(folder, &[&redact[..], &["--force", "--word", "Li Wei"]].concat());
    assert_eq!(code, 0, "{stderr}");
    let printed: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(printed["warnings"], json!([]));
}

#[test]
fn numbers_that_go_on_behind_a_line_break_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("a.txt"), "tel 138\n12345678\n").unwrap();
    render(folder, "ID 1101051949\\\n1231002X end\n", "a.docx");
    for (file, rule, rest) in [("a.txt", "phone", "12345678"), ("a.docx", "id-card", "1231002X")] {
        let made = format!("made-{file}");
        let redact = ["redact", file, "--rule", "phone,id-card", "--json", "-o", &made];
        let (code, stdout, stderr) = run(folder, &redact);
        assert_eq!(code, 0, "{file}: {stderr}");
        let printed: Value = serde_json::from_str(&stdout).unwrap();
        assert_eq!(printed["rules"], json!({ rule: 1 }), "{file}");
        let (_, text, _) = run(folder, &["ingest", &made]);
        assert!(!text.contains(rest), "{file}: {text}");
    }
    // What is found in two forms of a text counts once.
    fs::write(folder.join("b.txt"), "li@corp.example +86 138 1234 5678").unwrap();
    let redact = ["redact", "b.txt", "--rule", "phone,email", "--json", "-o", "made.txt"];
    let (code, stdout, stderr) = run(folder, &redact);
    assert_eq!(code, 0, "{stderr}");
    let printed: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(printed["rules"], json!({ "phone": 1, "email": 1 }));
}

#[test]
fn what_a_redaction_removes_anyway_is_enough() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let book = render(folder, "| who | phone |\n|---|---|\n| Anna | 13900139000 |\n", "data.xlsx");
    render(folder, "Hello\n", "clean.pdf");
    let attach = ["pdf", "attach", "clean.pdf", "--file", "data.xlsx", "-o", "a.pdf"];
    let (code, _, stderr) = run(folder, &attach);
    assert_eq!(code, 0, "{stderr}");
    let mail = format!(
        "From: Anna <a@b.example>\r\nSubject: Hello\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n\
        --b\r\nContent-Type: text/plain\r\n\r\nHello\r\n--b\r\nContent-Type: application/octet-stream; name=data.xlsx\r\n\
        Content-Disposition: attachment; filename=data.xlsx\r\nContent-Transfer-Encoding: base64\r\n\r\n{}\r\n--b--\r\n",
        STANDARD.encode(book)
    );
    fs::write(folder.join("a.eml"), mail).unwrap();
    for name in ["a.pdf", "a.eml"] {
        let (code, stdout, stderr) = run(folder, &["redact", name, "--rule", "phone", "--json"]);
        assert_eq!(code, 0, "{name}: {stderr}");
        let printed: Value = serde_json::from_str(&stdout).unwrap();
        assert_eq!(printed["rules"], json!({ "phone": 1 }), "{printed}");
        let made = printed["path"].as_str().unwrap();
        let (_, text, _) = run(folder, &["ingest", made, "-q"]);
        assert!(text.contains("Hello") && !text.contains("13900139000"), "{name}: {text}");
    }
}
