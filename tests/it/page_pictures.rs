//! Pages of PDF files as pictures: the tool, the command, what people see of foreign files, and files that want too much.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use mitt::guard::RuleSet;
use mitt::{CacheDir, DocumentOptions, ErrorKind, Host, HostBuilder, Session, SessionOptions};
use mitt_base::Error;
use mitt_serve::preview::{OutlineKind, PreviewFile, Previews};
use serde_json::{Value, json};

use crate::support::{cache, mitt, root, text};

fn builder() -> HostBuilder {
    Host::builder().cache(CacheDir::new(cache()))
}

/// Returns a session with a document.
async fn session(host: &Host, bytes: Vec<u8>) -> Session {
    let options = SessionOptions { keeps_sources: true, ..SessionOptions::default() };
    let session = host.session(options).unwrap();
    let mut options = DocumentOptions::default();
    options.keeps_unread = true;
    session.add_document_bytes_with("a.pdf", bytes, &options).await.unwrap();
    session
}

async fn draw(session: &Session, mut arguments: Value) -> Result<Value, Error> {
    arguments["document"] = json!("a.pdf");
    let report = session.call("page_pictures__draw_pages", &arguments.to_string()).await;
    report.result.map(Value::from)
}

fn terms() -> Vec<u8> {
    fs::read(root().join("examples/research/warranty-terms.pdf")).unwrap()
}

fn stream(dict: &str, content: &str) -> String {
    format!("<<{dict} /Length {}>>\nstream\n{content}\nendstream", content.len())
}

/// Returns a PDF of one page of 200 x 100 points, with these resources and further objects from 5 on.
fn page(resources: &str, content: &str, more: &[String]) -> Vec<u8> {
    let mut objects = vec![
        "<</Type /Catalog /Pages 2 0 R>>".to_owned(),
        "<</Type /Pages /Kids [3 0 R] /Count 1>>".to_owned(),
        format!(
            "<</Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] /Contents 4 0 R /Resources <<{resources}>>>>"
        ),
        stream("", content),
    ];
    objects.extend_from_slice(more);
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

/// Returns a page with the words 中文 in a font that is not in the file.
fn chinese() -> Vec<u8> {
    let fonts = [
        "<</Type /Font /Subtype /Type0 /BaseFont /SimSun /Encoding /GBK-EUC-H /DescendantFonts [6 0 R]>>",
        "<</Type /Font /Subtype /CIDFontType2 /BaseFont /SimSun /CIDSystemInfo <</Registry (Adobe) /Ordering (GB1) /Supplement 2>> /DW 1000>>",
    ];
    let text = "BT /F1 40 Tf 10 30 Td <D6D0CEC4> Tj ET";
    page("/Font <</F1 5 0 R>>", text, &fonts.map(str::to_owned))
}

/// Returns the number of dark pixels of a picture, and its size.
fn dark(picture: &[u8]) -> (usize, u32, u32) {
    let picture = image::load_from_memory(picture).unwrap().into_luma8();
    (picture.pixels().filter(|it| it.0[0] < 128).count(), picture.width(), picture.height())
}

#[tokio::test]
async fn pages_become_pictures() {
    let session = session(&builder().build().unwrap(), terms()).await;
    let drawn = draw(&session, json!({ "pages": "1,last", "dpi": 72 })).await.unwrap();
    assert_eq!(drawn["pictures"][0]["file"]["name"], "a-1.png", "{drawn}");
    let (count, width, height) = dark(&session.artifact_content("a-1.png").unwrap());
    assert!(count > 1_000, "{count}");
    assert_eq!(
        (json!(width), json!(height)),
        (drawn["pictures"][0]["width"].clone(), drawn["pictures"][0]["height"].clone())
    );
    let one = json!({ "width": 300, "format": "jpeg", "filename": "cover.jpg" });
    let drawn = draw(&session, one).await.unwrap();
    assert_eq!(drawn["pictures"][0]["file"]["media_type"], "image/jpeg");
    assert_eq!(dark(&session.artifact_content("cover.jpg").unwrap()).1, 300);
    for (arguments, expected) in [
        (json!({ "pages": "1-99" }), "page 99 does not exist"),
        (json!({ "dpi": 9_999 }), "expected a `dpi` from 10 to 600, got 9999"),
        (json!({ "dpi": 72, "width": 100 }), "expected `dpi` or `width`, got both"),
        (json!({ "filename": "b/c.png" }), "is a path"),
    ] {
        let error = draw(&session, arguments).await.unwrap_err();
        assert!(error.render().contains(expected), "{}", error.render());
    }
}

#[tokio::test]
async fn chinese_text_is_drawn_with_the_font_of_the_host() {
    let session = session(&builder().build().unwrap(), chinese()).await;
    let drawn = draw(&session, json!({ "dpi": 72 })).await.unwrap();
    let expected = "Page 1: these fonts are not in the file, and similar ones stand in: `SimSun`.";
    assert_eq!(drawn["warnings"], json!([expected]));
    let (count, ..) = dark(&session.artifact_content("a-1.png").unwrap());
    assert!(count > 300, "{count}");
}

#[tokio::test]
async fn rules_about_content_refuse_pictures() {
    let rules = RuleSet::yaml("t", "rules: [{words: [secretword], id: b}]\n").unwrap();
    let session = session(&builder().guard(rules).build().unwrap(), terms()).await;
    let error = draw(&session, json!({})).await.unwrap_err();
    let expected = "no rule about content can check the text in it";
    assert!(error.render().contains(expected), "{}", error.render());
    assert!(session.artifacts().is_empty());
}

/// Returns 59 million black pixels of four colours with 16 bits, compressed, in hexadecimal digits.
fn black() -> String {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    let row = vec![0xff; 7_600 * 8];
    (0..7_700).for_each(|_| encoder.write_all(&row).unwrap());
    encoder.finish().unwrap().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[tokio::test]
async fn pages_that_never_end_reach_a_limit() {
    // Each form draws the next one ten times, thirty levels deep.
    let form = |at: usize| {
        let resources = format!("/Resources <</XObject <</F {} 0 R>>>>", at + 1);
        let dict = format!("/Type /XObject /Subtype /Form /BBox [0 0 200 100] {resources}");
        stream(&dict, &"/F Do ".repeat(10))
    };
    let mut forms: Vec<String> = (5..35).map(form).collect();
    forms.push(stream("/Type /XObject /Subtype /Form /BBox [0 0 200 100]", "0 0 1 1 re f"));
    let deep = page("/XObject <</F 5 0 R>>", "/F Do", &forms);
    // A picture of 59 million pixels of four colours, each page of which needs some 500 MB.
    let picture = "/Type /XObject /Subtype /Image /Width 7600 /Height 7700 /BitsPerComponent 16 /ColorSpace /DeviceCMYK /Filter [/ASCIIHexDecode /FlateDecode]";
    let content = "200 0 0 100 0 0 cm /P Do";
    let large = page("/XObject <</P 5 0 R>>", content, &[stream(picture, &black())]);
    let host = builder().build().unwrap();
    let session_of_deep = session(&host, deep).await;
    let error = draw(&session_of_deep, json!({ "dpi": 72 })).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Limit(_)), "{}", error.render());
    let session_of_large = session(&host, large).await;
    let error = draw(&session_of_large, json!({ "dpi": 72 })).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Limit(_)), "{}", error.render());
    assert!(session_of_deep.artifacts().is_empty());
}

#[tokio::test]
async fn pages_of_foreign_files_are_shown() {
    let shown = async |host: &Host, bytes: Vec<u8>| {
        let file = PreviewFile {
            tenant: "acme",
            name: "a.pdf",
            media_type: "",
            sha256: "0123",
            size: bytes.len() as u64,
            is_rendered: false,
        };
        let previews = Previews::new(host.clone());
        previews.open(file, || async move { Ok::<_, Error>(bytes) }).await.unwrap()
    };
    let host = builder().build().unwrap();
    let preview = shown(&host, terms()).await;
    let outline = preview.outline();
    assert_eq!(
        (outline.kind, outline.media_type.as_str()),
        (OutlineKind::Pages, "application/pdf")
    );
    let number = outline.pages.len() as u64;
    let (count, width, _) = dark(&preview.page(number, 400).await.unwrap());
    assert!(count > 100 && width == 400, "{count} {width}");
    // Pages at once are not mixed up.
    let [first, again] = [preview.page(1, 200), preview.page(number, 400)];
    let (first, again) = tokio::join!(first, again);
    assert_eq!(
        (dark(&first.unwrap()).1, dark(&again.unwrap())),
        (200, dark(&preview.page(number, 400).await.unwrap()))
    );
    for (page, width, expected) in [
        (number + 1, 400, format!("expected a page from 1 to {number}, got {}", number + 1)),
        (1, 99, "expected a width from 100 pixels on, got 99".to_owned()),
    ] {
        assert_eq!(preview.page(page, width).await.unwrap_err().to_string(), expected);
    }
    let never = || async { Err::<Vec<u8>, _>(Error::bug("loaded again")) };
    assert!(preview.text(0, 100, never).await.unwrap().total > 100);

    // A page without text has nothing but its look.
    let drawing = page("", "0 0 100 50 re f", &[]);
    let preview = shown(&host, drawing).await;
    assert_eq!(preview.kind(), OutlineKind::Pages);
    assert!(dark(&preview.page(1, 200).await.unwrap()).0 > 1_000);

    let rules = RuleSet::yaml("t", "rules: [{words: [secretword], id: b}]\n").unwrap();
    let ruled = builder().guard(rules).build().unwrap();
    assert_eq!(shown(&ruled, terms()).await.kind(), OutlineKind::Text);
    assert_eq!(shown(&host, b"%PDF-1.7\n%%EOF".to_vec()).await.kind(), OutlineKind::None);
}

fn run(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = mitt(folder, arguments);
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn the_command_writes_pictures_to_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a.md"), "# 一\n\n文字\n\n\\newpage\n\n# 二\n").unwrap();
    assert_eq!(run(folder.path(), &["render", "a.md", "-o", "a.pdf"]).0, 0);
    let (code, stdout, stderr) = run(folder.path(), &["pdf", "pictures", "a.pdf", "--dpi", "72"]);
    assert_eq!(code, 0, "{stderr}");
    let paths: Vec<_> = ["a-1.png", "a-2.png"].map(|it| Path::new("a").join(it)).to_vec();
    assert_eq!(stdout.lines().map(Path::new).collect::<Vec<_>>(), paths);
    assert_eq!(dark(&fs::read(at("a/a-2.png")).unwrap()).1, 595);
    let line = [
        "pdf", "pictures", "a.pdf", "--pages", "last", "--width", "200", "--format", "jpeg", "-o",
        "b", "--json",
    ];
    let (code, stdout, stderr) = run(folder.path(), &line);
    let read: Value = serde_json::from_str(&stdout).unwrap_or_else(|_| panic!("{stderr}"));
    assert_eq!(
        (code, &read["pictures"][0]["page"], &read["pictures"][0]["width"]),
        (0, &json!(2), &json!(200))
    );
    assert_eq!(fs::read_dir(at("b")).unwrap().count(), 1);

    // A file of the user is not replaced, and then none is written.
    fs::create_dir(at("mine")).unwrap();
    fs::write(at("mine/a-2.png"), "precious").unwrap();
    let (code, _, stderr) = run(folder.path(), &["pdf", "pictures", "a.pdf", "-o", "mine"]);
    assert!(code == 3 && stderr.contains("is there already"), "{stderr}");
    assert_eq!(fs::read_dir(at("mine")).unwrap().count(), 1);
    for (options, code, expected) in [
        (&["--pages", "7"][..], 3, "--pages: page 7 does not exist; there are 2"),
        (&["--dpi", "9"], 2, "10..=600"),
        (&["--dpi", "72", "--width", "100"], 2, "cannot be used with"),
    ] {
        let line = [&["pdf", "pictures", "a.pdf"][..], options].concat();
        let (found, _, stderr) = run(folder.path(), &line);
        assert!(found == code && stderr.contains(expected), "{options:?}: {found} {stderr}");
    }

    // A protected file needs its password.
    fs::write(at("secret.txt"), "geheim").unwrap();
    let encrypt = ["pdf", "encrypt", "a.pdf", "--password-file", "secret.txt", "-o", "locked.pdf"];
    assert_eq!(run(folder.path(), &encrypt).0, 0);
    let line = ["pdf", "pictures", "locked.pdf", "--password-file", "secret.txt"];
    let (code, _, stderr) = run(folder.path(), &line);
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(fs::read_dir(at("locked")).unwrap().count(), 2);
    assert_ne!(run(folder.path(), &["pdf", "pictures", "locked.pdf", "-o", "c"]).0, 0);
}

#[test]
fn other_documents_are_typeset_before_their_pages_are_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a.md"), "# 营收\n\n一月\n\n## 二月\n\n| 月 | 额 |\n|---|---|\n| 1 | 2 |\n")
        .unwrap();
    fs::write(at("a.txt"), "# 没有标题\n").unwrap();
    fs::write(at("empty.txt"), "\n").unwrap();
    fs::write(at("a.pdf.bak"), terms()).unwrap();
    for name in ["a.docx", "a.pptx", "a.xlsx"] {
        let (code, _, stderr) = run(folder.path(), &["render", "a.md", "-o", name]);
        assert_eq!(code, 0, "{name}: {stderr}");
    }
    // A title slide and two others; a page for all others. Slides lie on their side.
    for (name, pages, is_wide) in
        [("a.docx", 1, false), ("a.pptx", 3, true), ("a.xlsx", 1, false), ("a.txt", 1, false)]
    {
        let out = name.replace('.', "-");
        let line = ["pdf", "pictures", name, "--dpi", "50", "-o", &out, "--json"];
        let (code, stdout, stderr) = run(folder.path(), &line);
        assert_eq!(code, 0, "{name}: {stderr}");
        let read: Value = serde_json::from_str(&stdout).unwrap();
        let pictures = read["pictures"].as_array().unwrap();
        assert_eq!(pictures.len(), pages, "{name}: {read}");
        let (width, height) = (&pictures[0]["width"], &pictures[0]["height"]);
        assert_eq!(width.as_u64() > height.as_u64(), is_wide, "{name}: {read}");
        let picture = fs::read(at(&out).join(format!("a-{pages}.png"))).unwrap();
        assert!(dark(&picture).0 > 20, "{name}");
        let warnings = read["warnings"].to_string();
        assert_eq!(warnings.contains("its layout is Mitt's own"), name != "a.docx", "{warnings}");
    }
    for (name, code, expected) in [
        ("empty.txt", 1, "has no text to convert"),
        ("a-txt/a-1.png", 3, "is a picture already"),
        ("https://a.test/a.pptx", 3, "got an address"),
        ("-", 3, "got standard input"),
        ("a.pdf.bak", 3, "does not end in `.pdf`"),
    ] {
        let (found, _, stderr) = run(folder.path(), &["pdf", "pictures", name, "-o", "c"]);
        assert!(found == code && stderr.contains(expected), "{name}: {found} {stderr}");
    }
    // Without `-o`, the folder has the name of the file without its extension.
    fs::copy(at("a.txt"), at("README")).unwrap();
    let (code, _, stderr) = run(folder.path(), &["pdf", "pictures", "README"]);
    assert!(code == 3 && stderr.contains("README has no extension"), "{stderr}");
    assert!(!at("c").exists() && !at("pages.pdf").exists() && !at("out").exists());
}
