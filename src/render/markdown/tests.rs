use super::*;
use crate::doc::{Block, Inline, plain_text};

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
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora/markdown");
    for name in ["commonmark/spec.txt", "gfm/spec.txt"] {
        let Ok(source) = std::fs::read_to_string(folder.join(name)) else {
            #[expect(clippy::print_stderr, reason = "says why the test is skipped")]
            {
                eprintln!("skipped: ../shared/corpora/markdown/{name} is not there");
            }
            continue;
        };
        assert!(!markdown(&source).unwrap().blocks.is_empty());
        // Each example by itself as well.
        for example in source.split(&"`".repeat(32)) {
            markdown(&example.replace('→', "\t")).unwrap();
        }
    }
}

#[test]
fn elements_that_are_too_deep_cost_no_more_than_others() {
    // A stack of skipped elements that is searched at every event took minutes for this.
    let started = std::time::Instant::now();
    for source in [">".repeat(1_000_000), "> - ".repeat(300_000), "1. ".repeat(600_000)] {
        markdown(&source).unwrap();
    }
    assert!(started.elapsed() < std::time::Duration::from_secs(20), "{:?}", started.elapsed());
}

#[test]
fn lists_tasks_and_notes() {
    let doc = markdown(
        "- [x] a\n- b\n\n3. c\n\n4. d\n\ne[^2] f[^1]\n\n[^1]: one\n[^2]: two\n[^3]: three\n",
    )
    .unwrap();
    let [
        Block::List(tasks),
        Block::List(numbers),
        Block::Paragraph { content },
        Block::Paragraph { content: label },
        _,
    ] = &doc.blocks[..]
    else {
        panic!("{doc:?}");
    };
    assert_eq!(
        (tasks.start, tasks.tight, tasks.items[0].checked, tasks.items[1].checked),
        (None, true, Some(true), None)
    );
    assert_eq!((numbers.start, numbers.tight, numbers.items.len()), (Some(3), false, 2));
    assert!(
        matches!(content[..], [_, Inline::Footnote { index: 0 }, _, Inline::Footnote { index: 1 }]),
        "{content:?}"
    );
    // Notes are in the order of their references, and one that nothing refers to is kept as text.
    let texts: Vec<_> =
        doc.footnotes.iter().map(|note| format!("{note:?}").contains("two")).collect();
    assert_eq!((texts, plain_text(label).as_str()), (vec![true, false], "[3]"));
}
