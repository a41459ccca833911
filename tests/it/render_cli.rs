//! `mitt render` as a user types it: themes, standards, attachments of a PDF, font folders, and time limits.

use std::path::Path;
use std::process::Output;

use crate::render::pdf_text;
use crate::support::{command, unpacked};

fn run(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, &["render"]).args(arguments).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

const TEXT: &str = "---\ntitle: 年度报告\nauthor: 张三\ndate: 2025\n---\n引言\n\n## 一、概况\n\n收入**增长** 12.5%。\n\n## 二、结论\n\n文字\n";

/// Returns a folder with the text.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.md"), TEXT).unwrap();
    folder
}

/// The smallest PNG: one dot.
const PNG: &[u8] = &[
    0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 0x0D, 0x49, 0x48, 0x44, 0x52, 0, 0, 0,
    1, 0, 0, 0, 1, 8, 2, 0, 0, 0, 0x90, 0x77, 0x53, 0xDE, 0, 0, 0, 0x0C, 0x49, 0x44, 0x41, 0x54,
    0x08, 0xD7, 0x63, 0xF8, 0xCF, 0xC0, 0, 0, 3, 1, 1, 0, 0x18, 0xDD, 0x8D, 0xB0, 0, 0, 0, 0, 0x49,
    0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82,
];

#[test]
fn themes_reach_the_pages_with_and_without_a_worker() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("logo.png"), PNG).unwrap();
    let own = "base = 'report'\n[colors]\naccent = '#7a1f2b'\n[logo]\nfile = 'logo.png'\ndescription = '标志'\n[footer]\ncenter = '{author} {page}/{pages}'\n";
    std::fs::write(at("own.toml"), own).unwrap();
    let mut made = Vec::new();
    for (theme, pages) in
        [("plain", 1), ("report", 3), ("letter", 1), ("slides", 4), ("own.toml", 3)]
    {
        let mut files = Vec::new();
        for worker in ["always", "never"] {
            let arguments = [
                "a.md", "-o", "a.pdf", "--force", "--theme", theme, "--worker", worker, "--clock",
                "0", "--json",
            ];
            let output = run(folder.path(), &arguments);
            assert!(output.status.success(), "{theme}: {}", said(&output));
            let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(told["pages"], pages, "{theme}");
            files.push(std::fs::read(at("a.pdf")).unwrap());
        }
        assert_eq!(files[0], files[1], "{theme}");
        made.extend(files.pop());
    }
    // Readers leave out headers and footers, so the file itself must show that they matter.
    assert!(made.len() == 5 && made[4] != made[1]);
    let output = run(folder.path(), &["a.md", "-o", "toc.pdf", "--toc"]);
    assert!(output.status.success(), "{}", said(&output));
    assert!(pdf_text(&std::fs::read(at("toc.pdf")).unwrap()).contains("目录"));
    // A web page has the colours.
    let output = run(folder.path(), &["a.md", "-o", "a.html", "--theme", "own.toml"]);
    assert!(output.status.success(), "{}", said(&output));
    assert!(said(&output).contains("the logo of the theme is left out"), "{}", said(&output));
    assert!(std::fs::read_to_string(at("a.html")).unwrap().contains("--blue:#7a1f2b"));
    // So have Word files and slides, which report that they have no cover of their own.
    for (name, told) in [("a.docx", "no page numbers"), ("a.pptx", "no layout `report`")] {
        let plain = run(folder.path(), &["a.md", "-o", name]);
        assert!(plain.status.success(), "{}", said(&plain));
        let before = std::fs::read(at(name)).unwrap();
        let output = run(folder.path(), &["a.md", "-o", name, "--force", "--theme", "own.toml"]);
        assert!(output.status.success() && said(&output).contains(told), "{}", said(&output));
        assert_ne!(before, std::fs::read(at(name)).unwrap());
    }
}

#[test]
fn what_is_wrong_with_a_theme_is_told_before_anything_is_made() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("wrong.toml"), "[colors]\nacent = '#000'\n").unwrap();
    std::fs::write(at("outside.toml"), "[logo]\nfile = '../logo.png'\n").unwrap();
    std::fs::write(at("font.toml"), "[fonts]\ntext = 'Noto Sanz'\n").unwrap();
    std::fs::write(at("large.toml"), "#".repeat(70_000)).unwrap();
    for (theme, expected) in [
        ("raport", "--theme: there is no theme `raport`\nhint: did you mean `report`?"),
        ("absent.toml", "--theme: cannot read absent.toml"),
        ("wrong.toml", "wrong.toml:2: colors.acent: unknown key\nhint: did you mean `accent`?"),
        ("outside.toml", "outside.toml:2: logo.file: cannot read `../logo.png`"),
        (
            "font.toml",
            "theme: fonts.text: there is no font `Noto Sanz`\nhint: did you mean `noto sans`?",
        ),
        ("large.toml", "--theme: expected at most 65536 bytes, got more in large.toml"),
    ] {
        let output = run(folder.path(), &["a.md", "-o", "a.pdf", "--theme", theme]);
        assert!(
            !output.status.success()
                && said(&output).to_lowercase().contains(&expected.to_lowercase()),
            "{}",
            said(&output)
        );
        assert!(!at("a.pdf").exists());
    }
}

#[test]
fn standards_and_files_inside_are_kept_and_refused() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("数据.csv"), "年,收入\n2025,1.5\n").unwrap();
    let has = |bytes: &[u8], what: &[u8]| bytes.windows(what.len()).any(|part| part == what);
    let arguments = [
        "a.md",
        "-o",
        "a.pdf",
        "--force",
        "--pdf-standard",
        "ua-1,a-3a",
        "--attach",
        "数据.csv",
        "--worker",
        "always",
    ];
    let output = run(folder.path(), &arguments);
    assert!(output.status.success(), "{}", said(&output));
    let bytes = std::fs::read(at("a.pdf")).unwrap();
    let bytes = unpacked(&bytes);
    for what in
        ["<pdfaid:part>3<", "<pdfuaid:part>1<", "/AFRelationship/Source", "/AFRelationship/Data"]
    {
        assert!(has(&bytes, what.as_bytes()), "{what}");
    }
    // Written by us and read by another program: the attachments are inside.
    if let Ok(listed) =
        std::process::Command::new("pdfdetach").arg("-list").arg(at("a.pdf")).output()
    {
        let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
        assert!(
            listed.contains("2 embedded files")
                && listed.contains("a.md")
                && listed.contains("数据.csv"),
            "{listed}"
        );
        let saved = std::process::Command::new("pdfdetach")
            .current_dir(folder.path())
            .args(["-save", "1", "-o", "back", "a.pdf"])
            .status();
        assert!(saved.is_ok_and(|status| status.success()));
        let back = std::fs::read_to_string(at("back")).unwrap();
        assert!(back == TEXT || back.starts_with("年,收入"), "{back}");
    } else {
        eprintln!("skipped: no pdfdetach to take the files out again");
    }
    for (arguments, expected) in [
        (&["--pdf-standard", "a-9"][..], "there is no standard `a-9`"),
        (
            &["--pdf-standard", "a-2a,a-3a"],
            "a PDF keeps one standard for archives, got `a-2a` and `a-3a`",
        ),
        (
            &["--pdf-standard", "a-2b", "--attach", "数据.csv"],
            "`a-2b` does not allow attached files",
        ),
        (&["--attach", "absent.csv"], "--attach: cannot read absent.csv"),
    ] {
        let mut all = vec!["a.md", "-o", "b.pdf"];
        all.extend(arguments);
        let output = run(folder.path(), &all);
        assert!(!output.status.success() && said(&output).contains(expected), "{}", said(&output));
    }
    let output = run(folder.path(), &["a.md", "-o", "a.html", "--pdf-standard", "ua-1"]);
    assert!(
        said(&output).contains("--pdf-standard, --attach: expected a PDF, got a.html"),
        "{}",
        said(&output)
    );
}

#[test]
fn rules_for_words_are_kept_inside_too() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("words.txt"), "机密\n").unwrap();
    std::fs::write(at("b.txt"), "这是机密。").unwrap();
    let output =
        run(folder.path(), &["a.md", "-o", "a.pdf", "--attach", "b.txt", "--words", "words.txt"]);
    let text = said(&output);
    let is_kept = !output.status.success() && text.contains("--attach b.txt");
    assert!(is_kept && !text.contains("机密") && !at("a.pdf").exists(), "{text}");
}

#[test]
fn a_folder_of_fonts_gives_what_is_missing() {
    let folder = folder();
    std::fs::write(folder.path().join("ko.md"), "# 보고서\n\n한국어 문서입니다.\n").unwrap();
    let missing = run(folder.path(), &["ko.md", "-o", "ko.pdf"]);
    assert!(said(&missing).contains("Debian: `fonts-noto-cjk`"), "{}", said(&missing));
    let output = run(folder.path(), &["ko.md", "-o", "ko.pdf", "--font-folder", "absent"]);
    assert!(said(&output).contains("--font-folder: cannot read absent"), "{}", said(&output));
    let fonts = "/usr/share/fonts/opentype/noto";
    if !Path::new(fonts).join("NotoSansCJK-Regular.ttc").exists() {
        eprintln!("skipped: {fonts} has no NotoSansCJK-Regular.ttc");
        return;
    }
    let output = run(folder.path(), &["ko.md", "-o", "ko.pdf", "--font-folder", fonts]);
    assert!(output.status.success(), "{}", said(&output));
    assert!(!said(&output).contains("warning"), "{}", said(&output));
    let bytes = std::fs::read(folder.path().join("ko.pdf")).unwrap();
    assert!(pdf_text(&bytes).contains("한국어문서입니다"));
    // Of faces that share their characters, the one for the language.
    let name = b"NotoSansCJKkr";
    assert!(unpacked(&bytes).windows(name.len()).any(|part| part == name));
}

#[test]
fn warnings_name_commands_of_the_program_with_and_without_a_worker() {
    let folder = folder();
    std::fs::write(folder.path().join("few.md"), "# 报告\n\n见附录 한국어 部分，完整。\n").unwrap();
    for worker in ["always", "never"] {
        let output =
            run(folder.path(), &["few.md", "-o", "few.pdf", "--force", "--worker", worker]);
        let text = said(&output);
        let is_named = text.contains("`mitt fonts add <folder>`");
        assert!(output.status.success() && is_named, "{worker}: {text}");
    }
}

#[test]
fn a_layout_that_takes_too_long_ends_in_every_theme() {
    let folder = folder();
    let text: String =
        (0..20_000).map(|n| format!("{n} 一段很长的文字，需要排版很多页。\n\n")).collect();
    std::fs::write(folder.path().join("long.md"), text).unwrap();
    for theme in ["plain", "report", "letter", "slides"] {
        let started = std::time::Instant::now();
        let arguments = ["long.md", "-o", "long.pdf", "--theme", theme, "--max-time", "400ms"];
        let output = run(folder.path(), &arguments);
        assert!(said(&output).contains("time limit of 400 ms"), "{theme}: {}", said(&output));
        // Much shorter than the layout takes.
        assert!(started.elapsed() < std::time::Duration::from_secs(30), "{theme}");
        assert!(!folder.path().join("long.pdf").exists());
    }
}

#[test]
fn options_that_a_format_does_not_take_are_refused_by_name() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("t.docx"), "no template is read before the options are looked at").unwrap();
    for (output, options, expected) in [
        (
            "a.xlsx",
            &["--contents"][..],
            "--contents: expected a PDF, Word file, web page or slides, got a.xlsx",
        ),
        (
            "a.xlsx",
            &["--theme", "report"],
            "--theme: expected a PDF, Word file, web page or slides, got a.xlsx",
        ),
        (
            "a.xlsx",
            &["--template", "t.docx"],
            "--template: expected a Word file (`.docx`) or slides (`.pptx`), got a.xlsx",
        ),
        (
            "a.pptx",
            &["--paper", "a4"],
            "--paper: expected a PDF, Word file, web page or workbook, got a.pptx",
        ),
        (
            "a.docx",
            &["--theme", "report", "--template", "t.docx"],
            "--theme: the looks are those of the template",
        ),
        ("a.pptx", &["--attach", "a.md"], "--pdf-standard, --attach: expected a PDF, got a.pptx"),
        (
            "a.html",
            &["--pdf-standard", "ua-1"],
            "--pdf-standard, --attach: expected a PDF, got a.html",
        ),
        ("a.html", &["--preview", "a.png"], "--preview: expected a PDF, got a.html"),
        ("a.docx", &["--preview", "a.png"], "--preview: expected a PDF, got a.docx"),
        (
            "a.docx",
            &["--paper", "a4", "--template", "t.docx"],
            "--paper: the paper is that of the template",
        ),
        (
            "a.pdf",
            &["--paper", "a4", "--theme", "slides"],
            "--paper: slides are as wide as a screen (16:9)",
        ),
        (
            "a.pdf",
            &["--preview", "a.jpg"],
            "--preview: expected a name that ends in `.png`, got a.jpg",
        ),
    ] {
        let output_file = output;
        let output = run(folder.path(), &[&["a.md", "-o", output][..], options].concat());
        assert_eq!(output.status.code(), Some(3), "{output_file} {options:?}: {}", said(&output));
        assert!(said(&output).contains(expected), "{output_file} {options:?}: {}", said(&output));
        assert!(said(&output).contains("hint: "), "{}", said(&output));
        assert!(!at(output_file).exists());
    }
}

#[test]
fn paper_and_language_reach_workbooks() {
    let folder = folder();
    let table = "---\npaper: a4\n---\n| a | b |\n|---|---|\n| x | 1 |\n";
    std::fs::write(folder.path().join("t.md"), table).unwrap();
    std::fs::write(folder.path().join("u.md"), &table["---\npaper: a4\n---\n".len()..]).unwrap();
    // In the file format, 1 is Letter and 9 is A4.
    for (source, options, expected) in [
        ("t.md", &[][..], "paperSize=\"9\""),
        ("t.md", &["--paper", "letter"], "paperSize=\"1\""),
        ("t.md", &["--language", "en-US"], "paperSize=\"9\""),
        ("u.md", &["--language", "en-US"], "paperSize=\"1\""),
        ("u.md", &["--language", "en-GB"], "paperSize=\"9\""),
    ] {
        let output = run(folder.path(), &[&[source, "-o", "t.xlsx", "--force"], options].concat());
        assert!(output.status.success(), "{}", said(&output));
        let bytes = std::fs::read(folder.path().join("t.xlsx")).unwrap();
        let mut zip = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
        let mut sheet = String::new();
        let mut part = zip.by_name("xl/worksheets/sheet1.xml").unwrap();
        std::io::Read::read_to_string(&mut part, &mut sheet).unwrap();
        assert!(sheet.contains(expected), "{source} {options:?}: {sheet}");
    }
}

#[test]
fn the_first_page_of_a_pdf_is_shown_on_request() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    for (worker, backend) in [("always", "typst"), ("never", "typst"), ("always", "compact")] {
        let arguments = [
            "a.md",
            "-o",
            "a.pdf",
            "--preview",
            "page.png",
            "--worker",
            worker,
            "--pdf-backend",
            backend,
            "--json",
            "--force",
        ];
        let output = run(folder.path(), &arguments);
        assert!(output.status.success(), "{}", said(&output));
        let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&told["preview"], &told["path"]), (&"page.png".into(), &"a.pdf".into()));
        let pdf = std::fs::read(at("a.pdf")).unwrap();
        assert!(pdf_text(&pdf).contains("12.5%") && pdf.trim_ascii_end().ends_with(b"%%EOF"));
        let picture = image::load_from_memory(&std::fs::read(at("page.png")).unwrap()).unwrap();
        let picture = picture.to_luma8();
        assert_eq!(picture.width(), 1_000);
        // A4, black on white.
        assert!((1_413..=1_415).contains(&picture.height()), "{}", picture.height());
        let dark = picture.pixels().filter(|pixel| pixel.0[0] < 100).count();
        let white = picture.pixels().filter(|pixel| pixel.0[0] == 255).count();
        assert!(dark > 1_000 && white > 1_000_000, "{worker} {backend}: {dark} {white}");
    }
    // Without the option there is none; a file of the user is not replaced.
    std::fs::write(at("mine.png"), "mine").unwrap();
    let output = run(folder.path(), &["a.md", "-o", "b.pdf", "--preview", "mine.png"]);
    assert!(!output.status.success() && !at("b.pdf").exists(), "{}", said(&output));
    assert_eq!(std::fs::read(at("mine.png")).unwrap(), b"mine");
}
