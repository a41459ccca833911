//! `mitt pdf`, `mitt redact`, and `mitt fill` with PDF forms, as a user types them.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::render::pdf_text;
use crate::support::{mitt, text};

const TEXT: &str = "---\ntitle: 合同\n---\n# 第一章\n\n签约人张伟，电话 555-1234。\n\n\\newpage\n\n# 第二章\n\n付款期限三十天，张伟签字。\n";

fn run(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = mitt(folder, arguments);
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

/// Runs a command that must succeed, and returns its standard output.
#[track_caller]
fn done(folder: &Path, arguments: &[&str]) -> String {
    let (code, stdout, stderr) = run(folder, arguments);
    assert_eq!(code, 0, "{arguments:?}: {stderr}");
    stdout
}

/// Does what [`done`] does with `--json`.
#[track_caller]
fn read(folder: &Path, arguments: &[&str]) -> Value {
    serde_json::from_str(&done(folder, &[arguments, &["--json"]].concat())).unwrap()
}

/// Returns a folder with `a.pdf`, of two pages with Chinese text and a bookmark each.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.md"), TEXT).unwrap();
    done(folder.path(), &["render", "a.md", "-o", "a.pdf"]);
    folder
}

/// Returns a form of one page: a required text of at most twenty characters, and a check box.
fn form() -> Vec<u8> {
    let content = "BT /F1 12 Tf 20 170 Td (Application) Tj ET";
    let objects = [
        "<</Type /Catalog /Pages 2 0 R /AcroForm 5 0 R>>".to_owned(),
        "<</Type /Pages /Kids [3 0 R] /Count 1>>".to_owned(),
        "<</Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R /Annots [7 0 R 8 0 R] /Resources <</Font <</F1 6 0 R>>>>>>".to_owned(),
        format!("<</Length {}>>\nstream\n{content}\nendstream", content.len()),
        "<</Fields [7 0 R 8 0 R] /DA (/Helv 0 Tf 0 g)>>".to_owned(),
        "<</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>".to_owned(),
        "<</Type /Annot /Subtype /Widget /FT /Tx /T (name) /Ff 2 /MaxLen 20 /Rect [20 120 200 140] /P 3 0 R>>".to_owned(),
        "<</Type /Annot /Subtype /Widget /FT /Btn /T (agree) /Rect [20 80 34 94] /P 3 0 R>>".to_owned(),
    ];
    let mut file = "%PDF-1.7\n".to_owned();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for (at, object) in objects.iter().enumerate() {
        table += &format!("{:010} 00000 n \n", file.len());
        file += &format!("{} 0 obj\n{object}\nendobj\n", at + 1);
    }
    let (start, size) = (file.len(), objects.len() + 1);
    file += &format!("{table}trailer\n<</Size {size} /Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n");
    file.into_bytes()
}

/// Returns the values of the fields of a form by their names.
fn values(folder: &Path, file: &str) -> Vec<(String, String)> {
    let read = read(folder, &["pdf", "info", file]);
    let of = |field: &Value, name: &str| field[name].as_str().unwrap().to_owned();
    let fields = read["fields"].as_array().unwrap().iter();
    fields.map(|field| (of(field, "name"), of(field, "value"))).collect()
}

#[test]
fn what_a_pdf_has_is_printed() {
    let folder = folder();
    fs::write(folder.path().join("form.pdf"), form()).unwrap();
    let stdout = done(folder.path(), &["pdf", "info", "a.pdf"]);
    for line in [
        "2 pages",
        "  1-2: 210 x 297 mm (A4)",
        "  title: 合同",
        "  第一章, page 1",
        "  第二章, page 2",
    ] {
        assert!(stdout.contains(line), "{line}: {stdout}");
    }
    let stdout = done(folder.path(), &["pdf", "info", "form.pdf"]);
    for line in
        ["  name (text, page 1, required, at most 20 characters)", "  agree (check box, page 1)"]
    {
        assert!(stdout.contains(line), "{line}: {stdout}");
    }
    let read = read(folder.path(), &["pdf", "info", "a.pdf"]);
    assert_eq!((&read["page_count"], &read["path"]), (&json!(2), &json!("a.pdf")));
    let (code, _, stderr) = run(folder.path(), &["pdf", "info", "a.md"]);
    assert!(code == 3 && stderr.contains("expected a name that ends in `.pdf`"), "{stderr}");
}

#[test]
fn files_are_joined_and_split() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    // The same name in two folders.
    fs::create_dir(at("other")).unwrap();
    fs::write(at("b.md"), "# 附件\n\n清单\n").unwrap();
    done(folder.path(), &["render", "b.md", "-o", "other/a.pdf"]);
    let stdout = done(folder.path(), &["pdf", "merge", "a.pdf", "other/a.pdf", "-o", "all.pdf"]);
    assert_eq!(stdout, "all.pdf\n");
    let all = pdf_text(&fs::read(at("all.pdf")).unwrap());
    assert!(all.contains("第二章") && all.contains("清单"), "{all}");
    assert_eq!(read(folder.path(), &["pdf", "info", "all.pdf"])["page_count"], 3);

    // Without `-o`, the files are in a folder that has the name of the source.
    let stdout = done(folder.path(), &["pdf", "split", "all.pdf", "--pages", "1-2,3-"]);
    assert_eq!(
        stdout.lines().map(Path::new).collect::<Vec<_>>(),
        [Path::new("all").join("all-1.pdf"), Path::new("all").join("all-2.pdf"),]
    );
    let last = pdf_text(&fs::read(at("all/all-2.pdf")).unwrap());
    assert!(last.contains("清单") && !last.contains("第二章"), "{last}");
    let parts = read(folder.path(), &["pdf", "split", "a.pdf", "--bookmarks", "-o", "chapters"]);
    assert_eq!(parts["files"][1]["title"], "第二章");
    assert_eq!(
        (&parts["files"][1]["pages"], parts["files"].as_array().unwrap().len()),
        (&json!(1), 2)
    );
    done(folder.path(), &["pdf", "split", "all.pdf", "--every", "1", "-o", "single"]);
    assert_eq!(fs::read_dir(at("single")).unwrap().count(), 3);

    // A file of the user is not replaced, and then none is written.
    fs::create_dir(at("mine")).unwrap();
    fs::write(at("mine/all-2.pdf"), "precious").unwrap();
    let split = ["pdf", "split", "all.pdf", "--every", "2", "-o", "mine"];
    let (code, _, stderr) = run(folder.path(), &split);
    assert!(code == 3 && stderr.contains("is there already"), "{stderr}");
    assert_eq!(fs::read_dir(at("mine")).unwrap().count(), 1);
    for (arguments, code, expected) in [
        (
            &["pdf", "merge", "a.pdf", "other/a.pdf", "-o", "a.pdf", "--force"][..],
            3,
            "is the source itself",
        ),
        (
            &["pdf", "merge", "a.pdf", "b.md", "-o", "c.pdf"],
            3,
            "b.md: expected a name that ends in `.pdf`",
        ),
        (&["pdf", "merge", "a.pdf", "-o", "c.pdf"], 2, "values required"),
        (&["pdf", "split", "a.pdf"], 2, "--every"),
        (&["pdf", "split", "a.pdf", "--pages", "1,7"], 1, "page 7 does not exist"),
    ] {
        let (found, _, stderr) = run(folder.path(), arguments);
        assert!(found == code && stderr.contains(expected), "{arguments:?}: {found} {stderr}");
    }
}

#[test]
fn pages_are_ordered_turned_and_stamped() {
    let folder = folder();
    let pages = ["pdf", "pages", "a.pdf", "--select", "2,1", "--rotate", "2:90", "-o", "b.pdf"];
    let printed = read(folder.path(), &pages);
    assert_eq!((&printed["path"], printed["done"].as_array().unwrap().len()), (&json!("b.pdf"), 2));
    let info = read(folder.path(), &["pdf", "info", "b.pdf"]);
    let rotations = [&info["pages"][0]["rotation"], &info["pages"][1]["rotation"]];
    assert_eq!(rotations, [&json!(90), &json!(0)], "page 2 of the source is the first now");
    let text = pdf_text(&fs::read(folder.path().join("b.pdf")).unwrap());
    assert!(text.find("第二章").unwrap() < text.find("第一章").unwrap(), "{text}");
    let stamp = ["pdf", "stamp", "a.pdf", "--text", "Draft {page}", "--pages", "2", "-o", "c.pdf"];
    done(folder.path(), &stamp);
    let text = pdf_text(&fs::read(folder.path().join("c.pdf")).unwrap());
    assert!(text.contains("Draft2") && !text.contains("Draft1"), "{text}");
}

#[test]
fn pages_are_cropped_and_put_on_sheets() {
    let folder = folder();
    let crop = ["pdf", "crop", "a.pdf", "--margin", "20mm,0,10mm,0", "--pages", "2", "-o", "b.pdf"];
    let printed = read(folder.path(), &crop);
    assert!(printed["warnings"][0].as_str().unwrap().contains("still in the file"), "{printed}");
    let stdout = done(folder.path(), &["pdf", "info", "b.pdf"]);
    assert!(
        stdout.contains("1: 210 x 297 mm (A4)") && stdout.contains("2: 210 x 267 mm"),
        "{stdout}"
    );
    done(folder.path(), &["pdf", "crop", "a.pdf", "--rect", "20mm,20mm,100mm,50mm", "-o", "c.pdf"]);
    let stdout = done(folder.path(), &["pdf", "info", "c.pdf"]);
    assert!(stdout.contains("1-2: 100 x 50 mm"), "{stdout}");
    // The file has no fields, which is no error.
    let sheets = ["pdf", "n-up", "a.pdf", "--paper", "8.5x11in", "--flatten", "-o", "d.pdf"];
    done(folder.path(), &sheets);
    let stdout = done(folder.path(), &["pdf", "info", "d.pdf"]);
    assert!(stdout.contains("1: 279 x 216 mm (Letter)"), "{stdout}");
    let text = pdf_text(&fs::read(folder.path().join("d.pdf")).unwrap());
    assert!(text.contains("第一章") && text.contains("第二章"), "{text}");
    for (arguments, code, expected) in [
        (
            &["crop", "a.pdf", "--rect", "0,0,300mm,10", "-o", "e.pdf"][..],
            3,
            "page 1 is 210 x 297 mm",
        ),
        (
            &["crop", "a.pdf", "--margin", "1mm", "--pages", "3", "-o", "e.pdf"],
            3,
            "page 3 does not",
        ),
        (&["crop", "a.pdf", "--margin", "2m", "-o", "e.pdf"], 2, "`20mm`"),
        (&["n-up", "a.pdf", "--paper", "a6", "-o", "e.pdf"], 2, "`210x297mm`"),
        (&["n-up", "a.pdf", "--count", "3", "-o", "e.pdf"], 2, "2, 4"),
        (&["linearize", "a.pdf", "-o", "e.pdf"], 3, "qpdf --linearize"),
        (&["pdfa", "a.pdf", "-o", "e.pdf"], 3, "--pdf-standard a-2b"),
    ] {
        let (found, _, stderr) = run(folder.path(), &[&["pdf"][..], arguments].concat());
        assert!(found == code && stderr.contains(expected), "{arguments:?}: {found} {stderr}");
    }
    assert!(!folder.path().join("e.pdf").exists());
}

#[test]
fn files_are_protected_and_opened_again() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("pw.txt"), "geheim 密码\nsecond line\n").unwrap();
    fs::write(at("owner.txt"), "owner\n").unwrap();
    let (code, _, stderr) = run(folder.path(), &["pdf", "encrypt", "a.pdf", "-o", "locked.pdf"]);
    assert!(code == 3 && stderr.contains("there is no password"), "{stderr}");
    let encrypt = [
        "pdf",
        "encrypt",
        "a.pdf",
        "--password-file",
        "pw.txt",
        "--owner-password-file",
        "owner.txt",
        "--deny",
        "copy,modify",
        "-o",
        "locked.pdf",
    ];
    let printed = done(folder.path(), &encrypt);
    assert_eq!(printed, "locked.pdf\n");
    let (code, _, stderr) = run(folder.path(), &["pdf", "info", "locked.pdf"]);
    assert!(code == 3 && stderr.contains("--password-file FILE"), "{stderr}");
    let info = done(folder.path(), &["pdf", "info", "locked.pdf", "--password-file", "pw.txt"]);
    assert!(info.contains("AES 256") && info.contains("Denied: modify, copy"), "{info}");
    // The user's password does not remove the limits; the owner's does.
    let decrypt = |password: &str| {
        let line = ["pdf", "decrypt", "locked.pdf", "--password-file", password, "-o", "open.pdf"];
        run(folder.path(), &line)
    };
    let (code, _, stderr) = decrypt("pw.txt");
    assert!(code == 1 && stderr.contains("owner"), "{stderr}");
    let (code, _, stderr) = decrypt("owner.txt");
    assert_eq!(code, 0, "{stderr}");
    assert!(pdf_text(&fs::read(at("open.pdf")).unwrap()).contains("付款期限三十天"));
    let merge = ["pdf", "merge", "a.pdf", "locked.pdf", "-o", "all.pdf"];
    let (code, _, stderr) = run(folder.path(), &merge);
    assert!(code == 3 && stderr.contains("`mitt pdf decrypt`"), "{stderr}");
    for action in ["compress", "repair"] {
        let name = format!("{action}.pdf");
        done(folder.path(), &["pdf", action, "a.pdf", "-o", &name]);
        assert!(pdf_text(&fs::read(at(&name)).unwrap()).contains("付款期限三十天"), "{action}");
    }
}

#[test]
fn a_damaged_file_is_repaired_and_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let whole = form();
    let table = whole.windows(5).position(|part| part == b"xref\n").unwrap();
    fs::write(folder.path().join("a.pdf"), &whole[..table]).unwrap();
    done(folder.path(), &["pdf", "repair", "a.pdf", "-o", "b.pdf"]);
    assert!(done(folder.path(), &["ingest", "b.pdf", "-q"]).contains("Application"));
    // What nobody can read is not repaired, and not kept while rules cannot check it.
    fs::write(folder.path().join("cut.pdf"), b"%PDF-1.7\n1 0 obj\n<</Length 9").unwrap();
    fs::write(folder.path().join("words.txt"), "secret\n").unwrap();
    for more in [&[][..], &["--words", "words.txt"]] {
        let line = [&["pdf", "repair", "cut.pdf", "-o", "c.pdf"], more].concat();
        let (code, _, stderr) = run(folder.path(), &line);
        assert!(code != 0 && stderr.contains("damaged"), "{stderr}");
    }
    assert!(!folder.path().join("c.pdf").exists());
}

#[test]
fn files_are_attached() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("form.pdf"), form()).unwrap();
    fs::write(at("b.csv"), "a\n1\n").unwrap();
    let attach =
        ["pdf", "attach", "a.pdf", "--file", "form.pdf", "--description", "表格", "-o", "b.pdf"];
    done(folder.path(), &attach);
    let info = read(folder.path(), &["pdf", "info", "b.pdf"]);
    let attached = &info["attachments"][0];
    assert_eq!((&attached["name"], &attached["description"]), (&json!("form.pdf"), &json!("表格")));
    assert_eq!(attached["size"], form().len());
    let (code, _, stderr) =
        run(folder.path(), &["pdf", "attach", "a.pdf", "--file", "b.csv", "-o", "c.pdf"]);
    assert!(code == 3 && stderr.contains("--file: expected a Word file"), "{stderr}");
}

#[test]
fn attached_files_are_extracted() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    let rows = "月,收入\n1,2.5\n";
    fs::write(at("rows.csv"), rows).unwrap();
    fs::write(at("letter.md"), "# Letter\n\nWith rows.\n").unwrap();
    fs::write(at("form.pdf"), form()).unwrap();
    done(folder.path(), &["render", "letter.md", "--attach", "rows.csv", "-o", "letter.pdf"]);
    done(folder.path(), &["pdf", "attach", "letter.pdf", "--file", "form.pdf", "-o", "both.pdf"]);
    let printed = done(folder.path(), &["pdf", "extract", "both.pdf", "-o", "files"]);
    assert_eq!(printed.lines().count(), 2, "{printed}");
    assert_eq!(fs::read_to_string(at("files/rows.csv")).unwrap(), rows);
    assert_eq!(fs::read(at("files/form.pdf")).unwrap(), form());
    // One of them, from a protected file, beside it.
    fs::write(at("secret.txt"), "geheim\n").unwrap();
    let encrypt =
        ["pdf", "encrypt", "both.pdf", "--password-file", "secret.txt", "-o", "locked.pdf"];
    done(folder.path(), &encrypt);
    let one = ["pdf", "extract", "locked.pdf", "--name", "rows.csv"];
    let (code, _, stderr) = run(folder.path(), &one);
    assert!(code != 0 && stderr.contains("--password-file"), "{stderr}");
    let given = [&one[..], &["--password-file", "secret.txt"]].concat();
    let extracted = read(folder.path(), &given);
    assert_eq!(extracted["files"].as_array().unwrap().len(), 1, "{extracted}");
    assert_eq!(fs::read_to_string(at("locked/rows.csv")).unwrap(), rows);
    // What the user changed stays.
    fs::write(at("files/rows.csv"), "mine").unwrap();
    let (code, _, stderr) = run(folder.path(), &["pdf", "extract", "both.pdf", "-o", "files"]);
    assert!(code != 0 && stderr.contains("--force"), "{stderr}");
    assert_eq!(fs::read_to_string(at("files/rows.csv")).unwrap(), "mine");
    // Rules do not look at bytes.
    fs::write(at("words.txt"), "secret\n").unwrap();
    for (line, expected) in [
        (&["pdf", "extract", "both.pdf", "--name", "row.csv"][..], "there are `"),
        (&["pdf", "extract", "a.pdf"], "no file is attached"),
        (&["pdf", "extract", "both.pdf", "--words", "words.txt"], "rules about content"),
    ] {
        let (code, _, stderr) = run(folder.path(), line);
        assert!(code != 0 && stderr.contains(expected), "{stderr}");
    }
    assert!(!at("both").exists() && !at("a").exists());
}

#[test]
fn signatures_are_verified_and_the_exit_code_says_so() {
    let folder = folder();
    let at = folder.path();
    let (code, stdout, _) = run(at, &["pdf", "verify", "a.pdf"]);
    assert_eq!((code, stdout.trim()), (1, "a.pdf: no signatures"));
    fs::write(at.join("ca.pem"), "hello").unwrap();
    let (code, _, stderr) = run(at, &["pdf", "verify", "a.pdf", "--trust", "ca.pem"]);
    assert!(code == 3 && stderr.contains("--trust: ca.pem: has no certificate"), "{stderr}");

    let Some(corpora) = crate::support::corpora() else { return };
    let signed = fs::read(corpora.join("pdfjs/signed_verified.pdf")).unwrap();
    fs::write(at.join("signed.pdf"), &signed).unwrap();
    // Its bytes are those that were signed, but the signature leaves out more than itself.
    let (code, stdout, _) = run(at, &["pdf", "verify", "signed.pdf", "--json"]);
    let verified: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, &verified["verified"], &verified["total"]), (1, &json!(false), &json!(1)));
    assert_eq!(verified["signatures"][0]["digest"], "passed", "{verified}");
    let coverage = verified["signatures"][0]["coverage"].as_str().unwrap();
    assert!(coverage.starts_with("suspicious: "), "{coverage}");
    // A changed byte of the first page, which is not compressed there.
    let mut changed = signed;
    let digit = changed.windows(9).position(|it| it == b"/MediaBox").unwrap() + 11;
    let digit = digit + changed[digit..].iter().position(u8::is_ascii_digit).unwrap();
    changed[digit] ^= 1;
    fs::write(at.join("changed.pdf"), &changed).unwrap();
    let (code, stdout, _) = run(at, &["pdf", "verify", "changed.pdf"]);
    assert_eq!(code, 1, "{stdout}");
    assert!(stdout.contains("signed bytes: failed"), "{stdout}");
    assert!(stdout.contains("changed.pdf: 0 of 1 hold"), "{stdout}");
}

#[test]
fn words_are_removed_from_a_pdf_for_good() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    let before = fs::read(at("a.pdf")).unwrap();
    fs::write(at("words.txt"), "# names\n张伟\n\n").unwrap();
    let redact = ["redact", "a.pdf", "--words-file", "words.txt", "--pattern", r"\d{3}-\d{4}"];
    let stdout = done(folder.path(), &redact);
    assert_eq!(stdout, "a.redacted.pdf\n");
    let made = fs::read(at("a.redacted.pdf")).unwrap();
    let text = pdf_text(&made);
    assert!(!text.contains("张伟") && !text.contains("555"), "{text}");
    assert!(text.contains("签约人") && text.contains("付款期限三十天"), "{text}");
    let ingested = done(folder.path(), &["ingest", "a.redacted.pdf", "-q"]);
    assert!(!ingested.contains("张伟") && ingested.contains("第二章"), "{ingested}");
    assert_eq!(fs::read(at("a.pdf")).unwrap(), before);
    // Whole pages and places.
    let area = ["redact", "a.pdf", "--area", "1:0,0,600,850", "--pages", "2", "-o", "b.pdf"];
    let printed = read(folder.path(), &area);
    assert!(!printed["places"].as_array().unwrap().is_empty(), "{printed}");
    let text = pdf_text(&fs::read(at("b.pdf")).unwrap());
    assert!(!text.contains("签约人") && !text.contains("付款"), "{text}");

    // A person who reads no error believes that something was removed.
    let (code, stdout, stderr) =
        run(folder.path(), &["redact", "a.pdf", "--word", "李四", "-o", "c.pdf"]);
    assert!(code == 3 && stdout.is_empty(), "{code} {stdout}");
    assert!(stderr.contains("a.pdf: nothing to remove was found"), "{stderr}");
    assert!(!at("c.pdf").exists());
    fs::write(at("empty.txt"), "# nothing\n").unwrap();
    for (arguments, code, expected) in [
        (&["redact", "a.pdf"][..], 2, "--word"),
        (&["redact", "a.md", "--word", "x"], 3, "nothing to remove was found"),
        (&["redact", "a.odt", "--word", "x"], 3, "expected one of `.pdf`, `.docx`"),
        (&["redact", "a.pdf", "--words-file", "empty.txt"], 3, "expected a word or phrase"),
        (&["redact", "a.pdf", "--word", "x", "-o", "a.pdf", "--force"], 3, "is the source itself"),
        (&["redact", "a.pdf", "--word", "x", "-o", "a.docx"], 3, "ends in `.pdf`"),
        (&["redact", "a.pdf", "--area", "1:1,2,3"], 2, "1:60,700,200,24"),
        (&["redact", "a.pdf", "--pattern", "(", "-o", "d.pdf"], 1, "invalid-argument"),
    ] {
        let (found, _, stderr) = run(folder.path(), arguments);
        assert!(found == code && stderr.contains(expected), "{arguments:?}: {found} {stderr}");
    }
}

#[test]
fn words_are_removed_from_three_hundred_pages() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let page = |number| format!("# {number}\n\n{}\n", "本季度营业收入稳步增长。".repeat(30));
    let pages: Vec<String> = (0..300).map(page).collect();
    fs::write(at.join("long.md"), pages.join("\n\\newpage\n\n")).unwrap();
    done(at, &["render", "long.md", "-o", "long.pdf"]);
    let found = read(at, &["redact", "long.pdf", "--word", "营业收入", "-o", "short.pdf"]);
    let places = found["places"][0].as_str().unwrap();
    assert!(places.starts_with("Removed 9600 places in text on pages 1, 2, "), "{found}");
    assert!(!pdf_text(&fs::read(at.join("short.pdf")).unwrap()).contains("营业收入"));
}

#[test]
fn words_are_removed_from_office_files_for_good() {
    let folder = folder();
    let source =
        "# 名单\n\n签约人张伟，付款期限三十天。\n\n| 姓名 | 城市 |\n|---|---|\n| 张伟 | 上海 |\n";
    fs::write(folder.path().join("b.md"), source).unwrap();
    for extension in ["docx", "xlsx", "pptx"] {
        let (name, made) = (format!("b.{extension}"), format!("b.redacted.{extension}"));
        done(folder.path(), &["render", "b.md", "-o", &name]);
        let printed = read(folder.path(), &["redact", &name, "--word", "张伟"]);
        assert_eq!(printed["path"], made.as_str());
        assert!(printed["hits"].as_u64().unwrap() >= 1, "{printed}");
        assert!(!printed["places"].as_array().unwrap().is_empty(), "{printed}");
        let ingested = done(folder.path(), &["ingest", &made, "-q"]);
        assert!(!ingested.contains("张伟") && ingested.contains("上海"), "{ingested}");
        let (code, _, stderr) = run(folder.path(), &["redact", &made, "--word", "张伟"]);
        assert!(code == 3 && stderr.contains("nothing to remove was found"), "{stderr}");
        let (code, _, stderr) = run(folder.path(), &["redact", &name, "--pages", "1"]);
        assert!(code == 3 && stderr.contains("--pages"), "{stderr}");
    }
}

#[test]
fn a_form_is_filled_and_flattened() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("form.pdf"), form()).unwrap();
    fs::write(at("v.json"), r#"{"name": "张伟", "agree": true}"#).unwrap();
    let fill = ["fill", "form.pdf", "--data", "v.json", "-o", "out.pdf"];
    assert_eq!(done(folder.path(), &fill), "out.pdf\n");
    let expected = [("name", "张伟"), ("agree", "Yes")].map(|(a, b)| (a.to_owned(), b.to_owned()));
    assert_eq!(values(folder.path(), "out.pdf"), expected);
    let fill = ["fill", "form.pdf", "--data", "v.json", "--flatten", "-o", "flat.pdf"];
    assert_eq!(read(folder.path(), &fill)["path"], "flat.pdf");
    assert!(values(folder.path(), "flat.pdf").is_empty());

    fs::write(at("a.md"), "# A\n").unwrap();
    done(folder.path(), &["render", "a.md", "-o", "a.pdf"]);
    for (arguments, code, expected) in [
        (
            &["fill", "form.pdf", "--set", "nam=A", "--set", "zzzz=1", "-o", "x.pdf"][..],
            4,
            "there is no field `nam`; did you mean `name`?\nthere is no field `zzzz`\n",
        ),
        (
            &["fill", "form.pdf", "--set", "nam=A", "--set", "agree=maybe", "-o", "x.pdf"],
            4,
            "did you mean `name`?\nfield `name` is required and has no value\nfield `agree` is a check box: expected",
        ),
        (
            &["fill", "form.pdf", "--set", "agree=true", "-o", "x.pdf"],
            4,
            "field `name` is required and has no value",
        ),
        (
            &["fill", "form.pdf", "--set", "name=a text of more than twenty", "-o", "x.pdf"],
            1,
            "at most 20 characters",
        ),
        (
            &["fill", "form.pdf", "--set", "name=A", "-o", "form.pdf", "--force"],
            3,
            "the template itself",
        ),
        (&["fill", "form.pdf", "--set", "name=A", "-o", "x.docx"], 3, "ends in `.pdf`"),
        (&["fill", "form.pdf", "--append", "v.json", "-o", "x.pdf"], 3, "only workbooks get rows"),
        (&["fill", "form.pdf", "--content", "a.md", "-o", "x.pdf"], 3, "only Word files"),
        (&["fill", "a.docx", "--flatten", "-o", "x.docx"], 3, "only PDF forms"),
        (&["fill", "a.pdf", "--set", "name=A", "-o", "x.pdf"], 3, "has no form fields"),
    ] {
        let (found, _, stderr) = run(folder.path(), arguments);
        assert!(found == code && stderr.contains(expected), "{arguments:?}: {found} {stderr}");
        assert!(!at("x.pdf").exists());
    }
}

#[test]
fn a_form_is_filled_for_each_row() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("form.pdf"), form()).unwrap();
    fs::write(at("people.csv"), "no,name,agree\n1,张伟,true\n2,Ana Lima,false\n3,Zoë,true\n")
        .unwrap();
    let each = ["fill", "form.pdf", "--each", "people.csv", "-o", "out/{no}.pdf"];
    let (code, stdout, stderr) = run(folder.path(), &each);
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(stdout, "out/1.pdf\nout/2.pdf\nout/3.pdf\n");
    assert!(stderr.ends_with("3 of 3 files\n"), "{stderr}");
    for (file, name, agree) in [
        ("out/1.pdf", "张伟", "Yes"),
        ("out/2.pdf", "Ana Lima", "Off"),
        ("out/3.pdf", "Zoë", "Yes"),
    ] {
        let found = values(folder.path(), file);
        assert_eq!((found[0].1.as_str(), found[1].1.as_str()), (name, agree), "{file}");
    }

    // A row that fails is reported at the end, and the others are written.
    fs::write(at("people.csv"), "no,name,agree\n4,,true\n5,B,perhaps\n6,C,true\n").unwrap();
    let (code, stdout, stderr) = run(folder.path(), &each);
    assert_eq!((code, stdout.as_str()), (4, "out/6.pdf\n"), "{stderr}");
    let (first, second) = (stderr.find("row 1: ").unwrap(), stderr.find("row 2: ").unwrap());
    assert!(first < second && stderr[first..].contains("field `name` is required"), "{stderr}");
    assert!(stderr.ends_with("1 of 3 files\n"), "{stderr}");
    let (_, stdout, _) = run(folder.path(), &[&each[..], &["--json"]].concat());
    let printed: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(printed["files"].as_array().unwrap().len(), 1);
    assert_eq!(printed["errors"].as_array().unwrap().len(), 2);

    // A column that is neither a field nor in the name of the file is refused before anything is written.
    fs::write(at("people.csv"), "no,nam,agree\n7,A,true\n").unwrap();
    let (code, _, stderr) = run(folder.path(), &each);
    assert!(
        code == 4 && stderr.contains("there is no field `nam`; did you mean `name`?"),
        "{stderr}"
    );
    assert!(!at("out/7.pdf").exists());
}

/// More files than one session makes.
#[test]
fn a_long_series_goes_through_several_sessions() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("form.pdf"), form()).unwrap();
    let rows: Vec<Value> = (0..120).map(|it| json!({ "name": format!("P{it}") })).collect();
    fs::write(folder.path().join("p.json"), Value::from(rows).to_string()).unwrap();
    let each = ["fill", "form.pdf", "--each", "p.json", "-o", "out/{name}.pdf"];
    let printed = read(folder.path(), &each);
    assert_eq!(printed["files"].as_array().unwrap().len(), 120);
    assert_eq!(values(folder.path(), "out/P119.pdf")[0].1, "P119");
}
