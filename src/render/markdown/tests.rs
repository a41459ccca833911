use super::*;
use crate::render::doc::{Block, Inline, plain_text};

/// The inlines of the only paragraph.
fn paragraph(source: &str) -> Vec<Inline> {
    match markdown(source).unwrap().blocks.remove(0) {
        Block::Paragraph { content } => content,
        other => panic!("{other:?}"),
    }
}

#[test]
fn emphasis_beside_chinese_punctuation() {
    for (source, strong) in [
        ("**真，**她", "真，"),
        ("这是**“重要”**的", "“重要”"),
        ("**重要提示（Note）：**请注意。", "重要提示（Note）："),
        ("**plain** text", "plain"),
    ] {
        let content = paragraph(source);
        let found = content.iter().find_map(|inline| match inline {
            Inline::Strong { content } => Some(plain_text(content)),
            _ => None,
        });
        assert_eq!(found.as_deref(), Some(strong), "{source}: {content:?}");
        assert_eq!(plain_text(&content), source.replace("**", ""));
    }
    // Code keeps its asterisks.
    assert_eq!(paragraph("`**真，**她`"), [Inline::Code { text: "**真，**她".into() }]);
}

#[test]
fn line_breaks_of_the_source() {
    assert_eq!(plain_text(&paragraph("第一行\n第二行")), "第一行第二行");
    assert_eq!(plain_text(&paragraph("first\nsecond")), "first second");
}

#[test]
fn html_is_shown_and_images_are_described() {
    let doc = markdown("<script>alert(1)</script>\n\n![图](http://x/y.png) a <b>c</b>").unwrap();
    let mut texts = Vec::new();
    doc.for_each_text(&mut |text| texts.push(text.to_owned()));
    let all = texts.concat();
    assert!(
        all.contains("<script>alert(1)</script>") && all.contains("<b>") && all.contains('图'),
        "{all}"
    );
}

#[test]
fn too_much_is_refused() {
    let error = markdown(&"x".repeat(MAX_MARKDOWN_BYTES + 1)).unwrap_err();
    insta::assert_snapshot!(error, @"markdown: at most 2097152 bytes, got 2097153");
}

#[test]
fn hostile_nesting_ends() {
    for source in [
        ">".repeat(50_000),
        "- ".repeat(20_000),
        "*a_ ".repeat(20_000),
        "[".repeat(50_000),
        "`".repeat(50_000),
    ] {
        markdown(&source).unwrap();
    }
}

#[test]
fn specifications_are_read() {
    let folder =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpora/markdown");
    let Ok(files) = std::fs::read_dir(&folder) else {
        #[expect(clippy::print_stderr, reason = "says why the test is skipped")]
        {
            eprintln!("skipped: the folder ../shared/corpora/markdown is not there");
        }
        return;
    };
    let folders = files.map(|folder| folder.unwrap().path()).filter(|path| path.is_dir());
    for file in folders.flat_map(|folder| std::fs::read_dir(folder).unwrap()) {
        let source = std::fs::read(file.unwrap().path()).unwrap();
        markdown(&String::from_utf8_lossy(&source)).unwrap();
    }
}
