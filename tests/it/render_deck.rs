//! `mitt render … -o talk.pptx --template company.pptx`: slides on the layouts of a presentation that exists.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Read as _, Write as _};
use std::path::Path;
use std::process::Output;

use mitt::render::{PptxOptions, markdown, pptx};
use serde_json::Value;

use crate::support::{command, root};

const TEXT: &str = "---\ntitle: 年度汇报\nauthor: 李明\ndate: 2026\n---\n# 第一部分\n\n## 收入\n\n- 增长 **12.5%**\n  - 亚洲\n\n1. 一\n2. 二\n\n## 表格\n\n下表：\n\n| 月份 | DAU |\n|---|---:|\n| 1 月 | 1,200 |\n\n## 图表\n\n```chart\ntype: column\ntitle: 收入\n\n| 季度 | 收入 |\n|---|---|\n| Q1 | 1.5 |\n| Q2 | 2 |\n```\n\n## 图片\n\n![标志](logo.png)\n\n## 引用\n\n> [!NOTE]\n> 见[网页](https://a.test)。[^1]\n\n```\nfn a() {\n\tb\n}\n```\n\n[^1]: 脚注。\n";

/// The smallest PNG: one dot.
const PNG: &[u8] = &[
    0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 0x0D, 0x49, 0x48, 0x44, 0x52, 0, 0, 0,
    1, 0, 0, 0, 1, 8, 2, 0, 0, 0, 0x90, 0x77, 0x53, 0xDE, 0, 0, 0, 0x0C, 0x49, 0x44, 0x41, 0x54,
    0x08, 0xD7, 0x63, 0xF8, 0xCF, 0xC0, 0, 0, 3, 1, 1, 0, 0x18, 0xDD, 0x8D, 0xB0, 0, 0, 0, 0, 0x49,
    0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82,
];

/// Returns a folder with a text, its picture, and a template of three layouts and two slides.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.md"), TEXT).unwrap();
    fs::write(folder.path().join("logo.png"), PNG).unwrap();
    fs::write(folder.path().join("company.pptx"), template()).unwrap();
    folder
}

fn template() -> Vec<u8> {
    let doc = markdown("# 模板\n\n## 示例\n\nOld text.\n").unwrap();
    pptx(&doc, &PptxOptions::default()).unwrap().bytes
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, &["render"]).args(arguments).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn parts(file: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let mut zip = zip::ZipArchive::new(Cursor::new(file)).unwrap();
    let mut parts = BTreeMap::new();
    for number in 0..zip.len() {
        let mut part = zip.by_index(number).unwrap();
        let mut content = Vec::new();
        part.read_to_end(&mut content).unwrap();
        parts.insert(part.name().unwrap().into_owned(), content);
    }
    parts
}

/// Returns a package with changed parts.
fn changed(file: &[u8], change: impl Fn(&str, Vec<u8>) -> Vec<u8>) -> Vec<u8> {
    let mut out = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts(file) {
        out.start_file(&*name, zip::write::SimpleFileOptions::default()).unwrap();
        out.write_all(&change(&name, content)).unwrap();
    }
    out.finish().unwrap().into_inner()
}

/// Returns the layout of each slide and its texts, in their order.
fn slides(file: &[u8]) -> Vec<(String, String)> {
    let parts = parts(file);
    let text = |name: &str| String::from_utf8(parts[name].clone()).unwrap();
    let targets = |name: &str| -> BTreeMap<String, String> {
        let relations = text(name);
        let attribute = |entry: &str, name: &str| {
            let rest = entry.split(&format!(" {name}=\"")).nth(1)?;
            rest.split('"').next().map(str::to_owned)
        };
        let entries = relations.split("<Relationship ").skip(1).map(|it| format!(" {it}"));
        entries.filter_map(|it| Some((attribute(&it, "Id")?, attribute(&it, "Target")?))).collect()
    };
    let list = text("ppt/presentation.xml");
    let relations = targets("ppt/_rels/presentation.xml.rels");
    let ids = list.split("<p:sldId ").skip(1);
    let ids = ids.map(|it| it.split("r:id=\"").nth(1).unwrap().split('"').next().unwrap());
    let slide = |id: &str| {
        let name = relations[id].rsplit('/').next().unwrap();
        let layout = targets(&format!("ppt/slides/_rels/{name}.rels"));
        let layout = layout.into_values().find(|it| it.contains("slideLayout")).unwrap();
        let layout = text(&format!("ppt/slideLayouts/{}", layout.rsplit('/').next().unwrap()));
        let layout = layout.split("<p:cSld name=\"").nth(1).unwrap().split('"').next().unwrap();
        let xml = text(&format!("ppt/slides/{name}"));
        let mut shown = String::new();
        for paragraph in xml.split("<a:p>").skip(1) {
            for run in paragraph.split("<a:t>").skip(1) {
                shown.push_str(run.split("</a:t>").next().unwrap());
            }
            shown.push('|');
        }
        for (part, shape) in [("<c:chart", "CHART|"), ("<p:pic>", "PICTURE|")] {
            shown.push_str(&shape.repeat(xml.matches(part).count()));
        }
        (layout.to_owned(), shown)
    };
    ids.map(slide).collect()
}

fn rendered(folder: &Path, template: &str, options: &[&str]) -> (Vec<u8>, Vec<String>) {
    let arguments = ["a.md", "-o", "talk.pptx", "--force", "--json", "--template", template];
    let output = run(folder, &[&arguments[..], options].concat());
    assert!(output.status.success(), "{template} {options:?}: {}", said(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let file = fs::read(folder.join("talk.pptx")).unwrap();
    assert_eq!(report["pages"], slides(&file).len());
    let warnings = report["warnings"].as_array().unwrap();
    (file, warnings.iter().map(|it| it.as_str().unwrap().to_owned()).collect())
}

/// Returns slides as lines.
fn lines(file: &[u8]) -> String {
    let slides = slides(file).into_iter();
    slides.map(|(layout, text)| format!("{layout}: {text}")).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_text_comes_onto_the_layouts_of_a_presentation_and_its_slides_go() {
    let folder = folder();
    let (file, warnings) = rendered(folder.path(), "company.pptx", &[]);
    insta::assert_snapshot!(lines(&file), @r"
    Title Slide: 年度汇报|李明 · 2026|2|
    Section Header: 第一部分|2|
    Title and Content: 收入|增长 12.5%|亚洲|1. 一|2. 二|2|
    Title and Content: 表格|2|下表：|月份|DAU|1 月|1,200|
    Title and Content: 图表|2|CHART|
    Title and Content: 图片|2|PICTURE|
    Title and Content: 引用|说明|见网页。¹|fn a() {    b}|2|
    Title and Content: 注释|1. 脚注。|2|
    ");
    assert_eq!(
        warnings,
        ["formatting within texts is left out: 1 bold span, 1 code block, 1 link"]
    );
    // Masters, layouts and themes stay byte for byte, and no slide of the template is left.
    let (before, after) = (parts(&template()), parts(&file));
    let looks = ["ppt/slideMasters/", "ppt/slideLayouts/", "ppt/theme/"];
    let kept = before.iter().filter(|(name, _)| looks.iter().any(|it| name.starts_with(it)));
    for (name, content) in kept {
        assert_eq!(after.get(name), Some(content), "{name}");
    }
    let core = String::from_utf8(after["docProps/core.xml"].clone()).unwrap();
    assert!(core.contains("年度汇报") && core.contains("李明"), "{core}");
    let all = after.iter().filter(|(name, _)| name.ends_with(".xml"));
    let old = all.filter(|(_, it)| String::from_utf8_lossy(it).contains("Old text"));
    assert_eq!(old.count(), 0);
    let again = rendered(folder.path(), "company.pptx", &["--keep-slides"]).0;
    assert_eq!(slides(&again)[..2], slides(&template())[..]);
    assert_eq!(slides(&again)[2..], slides(&file)[..]);
}

#[test]
fn layouts_of_other_programs_and_names_are_found() {
    let folder = folder();
    let renamed = changed(&template(), |name, content| {
        if !name.starts_with("ppt/slideLayouts/slideLayout") {
            return content;
        }
        let text = String::from_utf8(content).unwrap();
        let (before, rest) = text.split_once("<p:cSld name=\"").unwrap();
        let after = rest.split_once('"').unwrap().1;
        let number = name.chars().filter(char::is_ascii_digit).collect::<String>();
        format!("{before}<p:cSld name=\"公司版式{number}\"{after}").into_bytes()
    });
    fs::write(folder.path().join("renamed.pptx"), &renamed).unwrap();
    // A template of PowerPoint differs in its type.
    let types = |name: &str, content: Vec<u8>| match name {
        "[Content_Types].xml" => String::from_utf8(content)
            .unwrap()
            .replace("presentationml.presentation.main", "presentationml.template.main")
            .into_bytes(),
        _ => content,
    };
    fs::write(folder.path().join("renamed.potx"), changed(&renamed, types)).unwrap();
    for name in ["python-pptx", "libreoffice"] {
        let from = root().join(format!("tests/it/chinese/{name}.pptx"));
        fs::copy(from, folder.path().join(format!("{name}.pptx"))).unwrap();
    }
    let mut made = String::new();
    for name in ["renamed.pptx", "renamed.potx", "python-pptx.pptx", "libreoffice.pptx"] {
        let (file, _) = rendered(folder.path(), name, &["--no-images"]);
        let layouts: Vec<String> = slides(&file).into_iter().map(|it| it.0).collect();
        made.push_str(&format!("{name}: {}\n", layouts.join(", ")));
        let parts = parts(&file);
        let types = String::from_utf8(parts["[Content_Types].xml"].clone()).unwrap();
        assert!(types.contains("presentationml.presentation.main"), "{name}");
    }
    insta::assert_snapshot!(made, @r"
    renamed.pptx: 公司版式1, 公司版式2, 公司版式3, 公司版式3, 公司版式3, 公司版式3, 公司版式3, 公司版式3
    renamed.potx: 公司版式1, 公司版式2, 公司版式3, 公司版式3, 公司版式3, 公司版式3, 公司版式3, 公司版式3
    python-pptx.pptx: Title Only, Title Only, Title and Content, Title and Content, Title and Content, Title and Content, Title and Content, Title and Content
    libreoffice.pptx: Title Slide, Title Slide, Title, Content, Title, Content, Title, Content, Title, Content, Title, Content, Title, Content
    ");
}

#[test]
fn what_is_too_long_for_a_slide_is_divided_and_nothing_is_lost() {
    let folder = folder();
    let mut text = "## List\n\n".to_owned();
    (0..40).for_each(|n| text.push_str(&format!("- item {n:02} with some more words\n")));
    text.push_str("\n## Table\n\n| n | text |\n|---|---|\n");
    (0..40).for_each(|n| text.push_str(&format!("| {n} | row {n:02} |\n")));
    fs::write(folder.path().join("a.md"), text).unwrap();
    for template in ["company.pptx", "small.pptx"] {
        // A layout whose text does not shrink, where the tool finds what the estimate does not.
        let small = changed(&self::template(), |name, content| {
            match name {
            "ppt/slideLayouts/slideLayout3.xml" => String::from_utf8(content)
                .unwrap()
                .replace("<a:normAutofit/></a:bodyPr><a:lstStyle/>", "<a:noAutofit/></a:bodyPr><a:lstStyle><a:lvl1pPr><a:defRPr sz=\"4000\"/></a:lvl1pPr></a:lstStyle>")
                .into_bytes(),
            _ => content,
        }
        });
        fs::write(folder.path().join("small.pptx"), small).unwrap();
        let (file, warnings) = rendered(folder.path(), template, &[]);
        assert!(!warnings.iter().any(|it| it.contains("may not fit")), "{template}: {warnings:?}");
        let slides = slides(&file);
        let all: String = slides.iter().map(|it| it.1.as_str()).collect();
        for n in 0..40 {
            assert_eq!(all.matches(&format!("item {n:02} ")).count(), 1, "{template}: {n}");
            assert_eq!(all.matches(&format!("row {n:02}|")).count(), 1, "{template}: {n}");
        }
        let titles: Vec<&str> = slides.iter().map(|it| it.1.split('|').next().unwrap()).collect();
        assert_eq!(titles[..2], ["List", "List (2)"], "{template}");
        let lists = titles.iter().filter(|it| it.starts_with("List")).count();
        let is_more = template == "small.pptx";
        assert_eq!(lists > 5, is_more, "{template}: {titles:?}");
        let tables = slides.iter().filter(|it| it.1.starts_with("Table"));
        assert!(tables.clone().count() > 2);
        // Each piece of the table has its head.
        tables.for_each(|it| assert!(it.1.contains("|n|text|"), "{}", it.1));
    }
}

#[test]
fn what_is_no_template_is_refused_and_nothing_is_written() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    let macros = changed(&template(), |name, content| match name {
        "[Content_Types].xml" => String::from_utf8(content)
            .unwrap()
            .replace(
                "openxmlformats-officedocument.presentationml.presentation.main",
                "ms-powerpoint.presentation.macroEnabled.main",
            )
            .into_bytes(),
        _ => content,
    });
    fs::write(at("macros.pptx"), macros).unwrap();
    let untitled = changed(&template(), |name, content| {
        if name.starts_with("ppt/slideLayouts/slideLayout") {
            String::from_utf8(content)
                .unwrap()
                .replace("type=\"title\"", "type=\"dt\" idx=\"20\"")
                .replace("type=\"ctrTitle\"", "type=\"dt\" idx=\"20\"")
                .into_bytes()
        } else {
            content
        }
    });
    fs::write(at("untitled.pptx"), untitled).unwrap();
    fs::write(at("damaged.pptx"), "no archive").unwrap();
    for (options, expected) in [
        (&["--template", "macros.pptx"][..], "without macros"),
        (
            &["--template", "untitled.pptx"],
            "expected a layout with a placeholder for a title, got `",
        ),
        (&["--template", "damaged.pptx"], "got another file named damaged.pptx"),
        (&["--template", "none.pptx"], "none.pptx"),
        (
            &["--template", "a.docx"],
            "--template: expected a presentation (`.pptx`, `.potx`), got a.docx",
        ),
        (&["--template", "a.potm"], "save it without macros"),
        (&["--template", "https://a.test/a.pptx"], "got an address"),
        (
            &["--template", "company.pptx", "--theme", "report"],
            "--theme: the looks are those of the template",
        ),
        (&["--keep-slides"], "--keep-slides: expected `--template`"),
    ] {
        let output = run(folder.path(), &[&["a.md", "-o", "b.pptx"][..], options].concat());
        assert!(!output.status.success(), "{options:?}");
        assert!(said(&output).contains(expected), "{options:?}: {}", said(&output));
        assert!(!at("b.pptx").exists(), "{options:?}");
    }
    let output = run(folder.path(), &["a.md", "-o", "b.docx", "--keep-slides"]);
    assert!(
        said(&output).contains("--keep-slides: expected slides (`.pptx`)"),
        "{}",
        said(&output)
    );
    // The template itself is never overwritten.
    let arguments = ["a.md", "-o", "./company.pptx", "--force", "--template", "company.pptx"];
    let output = run(folder.path(), &arguments);
    assert!(said(&output).contains("is the source itself"), "{}", said(&output));
    assert_eq!(fs::read(at("company.pptx")).unwrap(), template());
}

#[test]
fn rules_about_content_hold_for_the_text_and_for_the_template() {
    let folder = folder();
    for (word, place) in
        [("亚洲", "text: blocked"), ("Old text", "document `company.pptx`: text: blocked")]
    {
        fs::write(folder.path().join("words.txt"), format!("{word}\n")).unwrap();
        let arguments =
            ["a.md", "-o", "c.pptx", "--template", "company.pptx", "--words", "words.txt"];
        let output = run(folder.path(), &arguments);
        assert_eq!(output.status.code(), Some(12), "{}", said(&output));
        assert!(said(&output).contains(place), "{}", said(&output));
        assert!(!folder.path().join("c.pptx").exists());
    }
}
