//! Text in pictures and on scanned pages, and Office documents behind a password.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use mitt::guard::RuleSet;
use mitt::ocr::{Ocr, OcrOptions, Picture, Recognised, Tesseract};
use mitt::{CacheDir, DocumentOptions, ErrorKind, Host, HostBuilder, Result, Session};
use serde_json::{Value, json};

use crate::support::{cache, command, root, session, text};

const PICTURES: &str = "plugins/reader-images/tests/fixtures";
pub(crate) const ENCRYPTED: &str = "plugins/reader-encrypted/tests/fixtures";
pub(crate) const PASSWORD: &str = "密码 Pass-1";

fn picture(name: &str) -> Vec<u8> {
    fs::read(root().join(PICTURES).join(name)).unwrap()
}

/// Recognises these texts, one for each picture; an empty one stands for a failure, and `wait` never returns.
#[derive(Debug, Default)]
struct Player {
    texts: Mutex<Vec<&'static str>>,
    running: Arc<AtomicUsize>,
}

impl Player {
    fn new(texts: &[&'static str]) -> Player {
        Player { texts: Mutex::new(texts.to_vec()), ..Player::default() }
    }
}

/// Counts running recognitions.
struct Running(Arc<AtomicUsize>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[async_trait]
impl Ocr for Player {
    async fn recognise(&self, picture: Picture) -> Result<Recognised> {
        assert!(picture.png.starts_with(b"\x89PNG\r\n\x1a\n"));
        let said = {
            let mut texts = self.texts.lock().unwrap();
            if texts.is_empty() { "more" } else { texts.remove(0) }
        };
        self.running.fetch_add(1, Ordering::SeqCst);
        let _running = Running(self.running.clone());
        match said {
            "wait" => std::future::pending().await,
            "" => Err(mitt::Error::new(ErrorKind::Host, "the player failed")),
            said => Ok(Recognised {
                text: said.to_owned(),
                confidence: Some(91.4),
                doubtful: vec![said.to_owned()],
                ..Recognised::default()
            }),
        }
    }

    async fn name(&self) -> String {
        "player 1".to_owned()
    }

    async fn warnings(&self) -> Vec<String> {
        vec!["the player is no program".to_owned()]
    }
}

fn builder() -> HostBuilder {
    Host::builder().cache(CacheDir::new(cache()))
}

fn opened(host: HostBuilder) -> Session {
    host.build().unwrap().session(Default::default()).unwrap()
}

fn played(texts: &[&'static str]) -> Session {
    opened(builder().ocr(OcrOptions::new(Arc::new(Player::new(texts)))))
}

#[tokio::test]
async fn without_a_program_pictures_need_ocr() {
    let session = session();
    for name in ["page.png", "page.webp", "page.gif", "page.bmp", "turned.jpg", "fax.tiff"] {
        let error = session.add_document_bytes(name, picture(name)).await.unwrap_err();
        assert_eq!(error.input_problem(), Some("needs-ocr"), "{name}: {error}");
        assert!(error.render().contains("`tesseract-ocr-chi-sim`"), "{}", error.render());
    }
    let mixed = session.add_document_bytes("mixed.pdf", picture("mixed.pdf")).await.unwrap();
    assert_eq!(mixed.warnings, ["pages 2, 4 were not read: pictures of text need OCR"]);
    // A header that claims an absurd size is refused, with or without OCR.
    let mut bomb = b"BM\x36\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0".to_vec();
    bomb.extend([60_000u32.to_le_bytes(), 60_000u32.to_le_bytes()].concat());
    bomb.extend([1, 0, 24, 0]);
    bomb.resize(200, 0);
    for session in [session, played(&[])] {
        let error = session.add_document_bytes("a.bmp", bomb.clone()).await.unwrap_err();
        assert_eq!(error.input_problem(), Some("too-large"), "{error}");
    }
}

#[tokio::test]
async fn a_picture_is_a_document_and_says_how_it_was_read() {
    let session = played(&["# 年报\n\n利润"]);
    let document = session.add_document_bytes("page.png", picture("page.png")).await.unwrap();
    assert_eq!(document.text, "\\# 年报\n\n利润\n\n");
    assert!(document.places.is_empty());
    let value = |name: &str| {
        document.metadata.iter().find(|(it, _)| it == name).map(|(_, value)| value.clone()).unwrap()
    };
    assert_eq!(
        [value("ocr"), value("ocr pages"), value("ocr confidence")],
        ["player 1", "1", "91 %"]
    );
    let expected = [
        "the player is no program",
        "the text of page 1 was recognised in pictures, ocr confidence 91 %",
        "page 1: these lines are not certain: `# 年报\\n\\n利润`",
    ];
    assert_eq!(document.warnings, expected);
    // A picture without text is an error like an empty file.
    let error = played(&[" "]).add_document_bytes("a.png", picture("page.png")).await.unwrap_err();
    assert_eq!(error.input_problem(), Some("empty"), "{error}");
}

#[tokio::test]
async fn scanned_pages_stand_where_they_are() {
    let session = played(&["甲", "乙"]);
    let document = session.add_document_bytes("mixed.pdf", picture("mixed.pdf")).await.unwrap();
    let labels: Vec<&str> = document.places.iter().map(|place| place.label.as_str()).collect();
    assert_eq!(labels, ["page 1", "page 2", "page 3", "page 4"]);
    let at = |n: usize| -> String {
        document.text.chars().skip(document.places[n].offset as usize).take(6).collect()
    };
    assert_eq!((at(0).as_str(), at(2).as_str()), ("Page 1", "Page 3"));
    // Two pages are read concurrently, in either order.
    let mut read = [at(1).chars().next().unwrap(), at(3).chars().next().unwrap()];
    read.sort_unstable();
    assert_eq!(read, ['乙', '甲']);
}

/// A page whose font numbers its glyphs in the order in which the text needs them: `A` is the first one.
fn numbered() -> Vec<u8> {
    const TEXT: &str =
        "the figures of the survey were collected in the spring and no value was corrected";
    let mut known: Vec<char> = Vec::new();
    let number = |letter: char| match known.iter().position(|it| *it == letter) {
        _ if letter == ' ' => ' ',
        Some(at) => char::from(b'A' + at as u8),
        None => {
            known.push(letter);
            char::from(b'@' + known.len() as u8)
        }
    };
    let codes: String = TEXT.chars().map(number).collect();
    let stream = |dict: &str, data: &str| {
        format!("<<{dict}/Length {}>>stream\n{data}\nendstream", data.len())
    };
    let objects = [
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</G 4 0 R>>>>/Contents 7 0 R>>".to_owned(),
        "<</Type/Font/Subtype/TrueType/BaseFont/ABCDEF+Serif/FontDescriptor 5 0 R>>".to_owned(),
        "<</Type/FontDescriptor/FontName/ABCDEF+Serif/Flags 4/FontFile2 6 0 R>>".to_owned(),
        stream("", "none"),
        stream("", &format!("BT /G 9 Tf 40 700 Td ({codes}) Tj ET")),
    ];
    let mut out = "%PDF-1.7\n".to_owned();
    for (at, object) in objects.iter().enumerate() {
        out += &format!("{} 0 obj\n{object}\nendobj\n", at + 1);
    }
    (out + "trailer\n<</Size 8/Root 1 0 R>>\n%%EOF\n").into_bytes()
}

#[tokio::test]
async fn text_in_unknown_letters_is_read_in_the_picture_of_the_page() {
    let session = played(&["The figures of the survey"]);
    let document = session.add_document_bytes("a.pdf", numbered()).await.unwrap();
    assert_eq!(document.text, "The figures of the survey\n\n");
    let told = document.warnings.join("\n");
    assert!(told.contains("the fonts on page 1 do not say what their letters are"), "{told}");
    assert!(told.contains("the text of page 1 was recognised in pictures"), "{told}");
    // Without a program, the error says why there is no text.
    let error = self::session().add_document_bytes("a.pdf", numbered()).await.unwrap_err();
    assert_eq!(error.input_problem(), Some("needs-ocr"), "{error}");
    let told = error.render();
    assert!(told.contains("the fonts on page 1 do not say what their letters are"), "{told}");
    assert!(!told.contains("ABC"), "{told}");
}

#[tokio::test]
async fn pages_that_are_not_read_are_named() {
    // A recognition that fails.
    let session = played(&["", "乙"]);
    let document = session.add_document_bytes("a.pdf", picture("mixed.pdf")).await.unwrap();
    let told = document.warnings.join("\n");
    assert!(told.contains(" was not read: the player failed"), "{told}");
    assert!(told.contains("recognised in pictures"), "{told}");

    // When the time is over, running recognitions end.
    let player = Player::new(&["wait", "wait"]);
    let running = player.running.clone();
    let mut options = OcrOptions::new(Arc::new(player));
    options.time = Duration::from_secs(2);
    options.pages = 1;
    let session = opened(builder().ocr(options.clone()));
    tokio::time::timeout(Duration::from_secs(300), async {
        let document = session.add_document_bytes("b.pdf", picture("mixed.pdf")).await.unwrap();
        let told = document.warnings.join("\n");
        assert!(told.contains("pages 2, 4 were not read: the time for recognising"), "{told}");
    })
    .await
    .unwrap();
    assert_eq!(running.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn who_gives_up_ends_what_runs() {
    let player = Player::new(&["wait"]);
    let running = player.running.clone();
    let session = opened(builder().ocr(OcrOptions::new(Arc::new(player))));
    {
        let adding = session.add_document_bytes("page.png", picture("page.png"));
        tokio::pin!(adding);
        while running.load(Ordering::SeqCst) == 0 {
            let step = tokio::time::timeout(Duration::from_millis(5), &mut adding).await;
            assert!(step.is_err(), "{step:?}");
        }
    }
    while running.load(Ordering::SeqCst) > 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn the_guard_sees_what_was_recognised() {
    const RULES: &str =
        "rules:\n  - {word: 机密文件, id: b}\n  - {word: heron, action: redact, id: r}\n";
    let with = |texts: &[&'static str]| {
        let rules = RuleSet::yaml("t", RULES).unwrap();
        opened(builder().guard(rules).ocr(OcrOptions::new(Arc::new(Player::new(texts)))))
    };
    let session = with(&["A heron flies"]);
    let document = session.add_document_bytes("a.png", picture("page.png")).await.unwrap();
    assert_eq!(document.text, "A [███] flies\n\n");
    assert!(!document.warnings.join("").contains("heron"), "{:?}", document.warnings);
    for name in ["page.png", "mixed.pdf"] {
        let session = with(&["這是機 密 文 件", "這是機 密 文 件"]);
        let error = session.add_document_bytes(name, picture(name)).await.unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Blocked, "{name}: {error}");
        assert!(session.documents().is_empty());
        assert!(!error.render().contains('密'), "{}", error.render());
    }
}

/// Needs Debian's packages `tesseract-ocr` and `tesseract-ocr-chi-sim`.
#[tokio::test]
async fn tesseract_reads_chinese_and_english() {
    let Some(tesseract) = Tesseract::find() else {
        eprintln!("skipped: tesseract is not installed");
        return;
    };
    let name = tesseract.name().await;
    if !name.contains("chi_sim") || !name.contains("eng") {
        eprintln!("skipped: tesseract has not both languages: {name}");
        return;
    }
    let session = opened(builder().ocr(OcrOptions::new(Arc::new(tesseract))));
    for name in ["page.png", "page.webp", "page.gif", "page.bmp", "turned.jpg"] {
        let document = session.add_document_bytes(name, picture(name)).await.unwrap();
        for part in ["2025年经营报告", "净利润同比增长百分之四十", "Revenue grew by 12 percent"]
        {
            assert!(document.text.contains(part), "{name}: {}", document.text);
        }
    }
    let document = session.add_document_bytes("fax.tiff", picture("fax.tiff")).await.unwrap();
    assert!(document.text.contains("合同编号"), "{}", document.text);
    assert!(document.text.contains("乙方"), "{}", document.text);
    let document = session.add_document_bytes("mixed.pdf", picture("mixed.pdf")).await.unwrap();
    for part in ["第二页是", "第四页是"] {
        assert!(document.text.contains(part), "{}", document.text);
    }
}

#[test]
fn the_program_recognises_where_it_may() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("page.png"), picture("page.png")).unwrap();
    let ingest = |args: &[&str], program: &str| {
        let args = [&["ingest", "page.png", "--json"], args].concat();
        let output = command(folder.path(), &args).env("MITT_TESSERACT", program).output().unwrap();
        (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
    };
    let (code, _, stderr) = ingest(&["--ocr", "never"], "");
    assert_eq!((code, stderr.contains("nothing here recognises it")), (3, true), "{stderr}");
    // A program that cannot be started is reported.
    let (code, _, stderr) = ingest(&[], "/no/such/tesseract");
    assert_eq!(code, 3, "{stderr}");
    assert!(stderr.contains("cannot be started"), "{stderr}");
}

#[tokio::test]
async fn encrypted_documents_are_read_with_their_password() {
    let file = |name: &str| fs::read(root().join(ENCRYPTED).join(name)).unwrap();
    let session = session();
    let mut options = DocumentOptions::default();
    let added = session.add_document_bytes_with("agile.docx", file("agile.docx"), &options).await;
    let error = added.unwrap_err();
    assert_eq!(error.input_problem(), Some("encrypted"), "{error}");
    assert!(error.render().contains("give its password"), "{}", error.render());
    options.password = Some("wrong".to_owned());
    let added = session.add_document_bytes_with("agile.docx", file("agile.docx"), &options).await;
    assert!(added.unwrap_err().render().contains("the password does not open it"));
    options.password = Some(PASSWORD.to_owned());
    let added = session.add_document_bytes_with("agile.docx", file("agile.docx"), &options).await;
    let document = added.unwrap();
    assert_eq!(document.text, "# 密级：内部\n\n2025年净利润同比增长 40%。\n");
    // The size is that of the given file.
    assert_eq!(document.size, file("agile.docx").len() as u64);
    assert_eq!(document.sha256, mitt_base::digest::sha256(&file("agile.docx")));
    assert!(document.media_type.ends_with("wordprocessingml.document"));
    // A workbook that everybody may read.
    let book = session.add_document_bytes("nobody.xlsx", file("nobody.xlsx")).await.unwrap();
    assert_eq!(book.tables[0].data.rows(), 1);
    assert!(book.warnings[0].contains("without a password of its own"), "{:?}", book.warnings);

    // Files of Office 97 to 2003 are recognised by their content.
    for (name, part) in
        [("locked.doc", "2025年净利润同比增长 40%。"), ("locked.xls", "| 1月 | 1200 |")]
    {
        let error = session.add_document_bytes(name, file(name)).await.unwrap_err();
        assert_eq!(error.input_problem(), Some("encrypted"), "{name}: {error}");
        let added = session.add_document_bytes_with(name, file(name), &options).await;
        let document = added.unwrap();
        assert!(document.text.contains(part), "{name}: {}", document.text);
        assert_eq!(document.sha256, mitt_base::digest::sha256(&file(name)));
    }

    // Without that reader, nothing unlocks it.
    let bare = opened(builder().bundled_skills(false));
    let error = bare.add_document_bytes("a.docx", file("agile.docx")).await.unwrap_err();
    assert_eq!(error.input_problem(), Some("encrypted"), "{error}");
}

#[test]
fn the_program_takes_the_password_of_a_document_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(root().join(ENCRYPTED).join("agile.docx"), folder.path().join("a.docx")).unwrap();
    fs::write(folder.path().join("right.txt"), PASSWORD).unwrap();
    let output =
        command(folder.path(), &["ingest", "a.docx", "--json", "--password-file", "right.txt"])
            .output()
            .unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["text"], json!("# 密级：内部\n\n2025年净利润同比增长 40%。\n"));
    // Without a terminal, nobody is asked.
    let output = command(folder.path(), &["ingest", "a.docx"]).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stderr).contains("`--password-file FILE`"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_person_at_the_terminal_is_asked_for_a_password() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(root().join(ENCRYPTED).join("agile.docx"), folder.path().join("a.docx")).unwrap();
    let Some(shown) = crate::support::answering(folder.path(), "ingest a.docx", PASSWORD) else {
        return;
    };
    assert!(shown.contains("a.docx is encrypted. Its password"), "{shown}");
    assert!(shown.contains("2025年净利润同比增长 40%"), "{shown}");
}
