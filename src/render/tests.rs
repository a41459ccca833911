//! Properties of all text formats: no text of a document is lost, and none becomes markup.

use quick_xml::Reader;
use quick_xml::events::Event;

use super::*;

/// Returns the texts of a part that must be well-formed XML, in elements of one name or in all.
pub(crate) fn texts(xml: &str, element: Option<&str>) -> String {
    let mut reader = Reader::from_str(xml);
    reader.config_mut().check_end_names = true;
    let mut open = Vec::new();
    let mut text = String::new();
    loop {
        let is_shown = || {
            element.is_none_or(|element| open.last().is_some_and(|last: &String| last == element))
        };
        match reader.read_event().unwrap() {
            Event::Start(start) => {
                for attribute in start.attributes() {
                    attribute.unwrap();
                }
                open.push(start.name().as_ref().to_owned());
            }
            Event::End(_) => {
                open.pop().unwrap();
            }
            Event::Text(part) if is_shown() => text.push_str(&part),
            Event::GeneralRef(entity) if is_shown() => text.push(match &*entity {
                "amp" => '&',
                "lt" => '<',
                "gt" => '>',
                "quot" => '"',
                other => panic!("{other}"),
            }),
            Event::Eof => break,
            _ => {}
        }
    }
    assert!(open.is_empty());
    text
}

/// Returns the part of a text that no format may lose.
fn essence(text: &str) -> String {
    text.chars()
        .filter(|c: &char| !c.is_whitespace() && !c.is_control() && *c != '\u{FFFF}')
        .collect()
}

fn html_text(doc: &Doc) -> String {
    let page = html(
        doc,
        &HtmlOptions { common: CommonOptions { contents: true, ..CommonOptions::default() } },
    )
    .unwrap();
    let (_, body) = page.text.split_once("<body").unwrap();
    texts(&format!("<body{}", body.trim_end().trim_end_matches("</html>")), None)
}

#[cfg(feature = "docx")]
fn docx_text(doc: &Doc) -> String {
    use std::io::Read as _;

    let word = docx(
        doc,
        &DocxOptions {
            common: CommonOptions { contents: true, ..CommonOptions::default() },
            ..DocxOptions::default()
        },
    )
    .unwrap();
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(word.bytes)).unwrap();
    let names: Vec<_> = zip.file_names().map(|name| name.unwrap().into_owned()).collect();
    let mut all = String::new();
    for name in names {
        let mut xml = String::new();
        zip.by_name(&name).unwrap().read_to_string(&mut xml).unwrap();
        let text = texts(&xml, Some("w:t"));
        if name.ends_with("document.xml") || name.ends_with("footnotes.xml") {
            all.push_str(&text);
        }
    }
    all
}

/// Returns the text of all slides, with the titles apart, because continuation slides repeat them.
#[cfg(feature = "pptx")]
fn pptx_text(doc: &Doc) -> String {
    use std::io::Read as _;

    let made = pptx(
        doc,
        &PptxOptions { common: CommonOptions { contents: true, ..CommonOptions::default() } },
    )
    .unwrap();
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(made.bytes)).unwrap();
    let (mut titles, mut rest) = (String::new(), String::new());
    for number in 1..=made.slides {
        let mut xml = String::new();
        let name = format!("ppt/slides/slide{number}.xml");
        zip.by_name(&name).unwrap().read_to_string(&mut xml).unwrap();
        texts(&xml, None);
        for shape in xml.split("<p:sp>") {
            let (shape, behind) = shape.split_once("</p:sp>").unwrap_or(("", shape));
            let is = |kind: &str| shape.contains(&format!("type=\"{kind}\""));
            if is("title") || is("ctrTitle") {
                titles.push_str(&shown(shape));
            } else if !is("sldNum") {
                rest.push_str(&shown(shape));
            }
            rest.push_str(&shown(behind));
        }
    }
    format!("{titles}\n{rest}")
}

/// Returns the shown text of a piece of a slide.
#[cfg(feature = "pptx")]
fn shown(piece: &str) -> String {
    let runs = piece.split("<a:t>").skip(1).filter_map(|run| run.split_once("</a:t>"));
    runs.map(|(run, _)| texts(&format!("<t>{run}</t>"), None)).collect()
}

/// Finds the sources of formulas that are drawn, since their characters differ from their text.
fn drawn_formulas(value: &serde_json::Value, found: &mut Vec<String>) {
    match value {
        serde_json::Value::Array(values) => {
            values.iter().for_each(|value| drawn_formulas(value, found))
        }
        serde_json::Value::Object(fields) => {
            let text = fields.get("text").and_then(|text| text.as_str()).unwrap_or_default();
            if fields.get("type").is_some_and(|kind| kind == "math")
                && shared::math::formula(text).is_ok()
            {
                found.push(text.to_owned());
            }
            fields.values().for_each(|value| drawn_formulas(value, found));
        }
        _ => {}
    }
}

/// Checks that every text of the document is in every format.
fn check(source: &str) {
    let doc = markdown(source).unwrap();
    let mut drawn = Vec::new();
    drawn_formulas(&serde_json::to_value(&doc).unwrap(), &mut drawn);
    let formats = [
        ("html", html_text(&doc)),
        #[cfg(feature = "docx")]
        ("docx", docx_text(&doc)),
        #[cfg(feature = "pptx")]
        ("pptx", pptx_text(&doc)),
    ];
    for (name, text) in formats {
        let text = essence(&text);
        doc.for_each_text(&mut |part| {
            if drawn.iter().any(|formula| formula == part) {
                return;
            }
            assert!(text.contains(&essence(part)), "{name} lost `{part}` of:\n{source}\n{text}");
        });
    }
}

/// Returns the specifications of CommonMark and GitHub's Markdown, if they are beside the project.
pub(crate) fn specifications() -> Vec<String> {
    let folder =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora/markdown");
    let mut sources = Vec::new();
    for name in ["commonmark/spec.txt", "gfm/spec.txt"] {
        let Ok(source) = std::fs::read_to_string(folder.join(name)) else {
            #[expect(clippy::print_stderr, reason = "says why the test is skipped")]
            {
                eprintln!("skipped: ../shared/corpora/markdown/{name} is not there");
            }
            continue;
        };
        sources.push(source);
    }
    sources
}

#[test]
fn no_text_of_the_specifications_is_lost() {
    for source in specifications() {
        check(&source);
        let fence = "`".repeat(32);
        let examples = source.split(&fence);
        let mut count = 0;
        for example in examples.skip(1).step_by(2) {
            let (markdown, _) = example.rsplit_once("\n.\n").unwrap_or((example, ""));
            check(&markdown.trim_start_matches(" example").replace('→', "\t"));
            count += 1;
        }
        assert!(count > 600, "{count}");
    }
}

/// Pseudorandom numbers, the same in each run.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % most
    }
}

#[test]
fn random_text_survives() {
    const PIECES: [&str; 60] = [
        "增长",
        "报告",
        "，",
        "。",
        "“",
        "”",
        "——",
        "（",
        "）",
        "A",
        "b",
        " ",
        "\n",
        "\n\n",
        "*",
        "**",
        "~~",
        "`",
        "``",
        "- ",
        "1. ",
        "> ",
        "# ",
        "## ",
        "|",
        "|---|---|\n",
        "[^1]",
        "\n\n[^1]: ",
        "[a](http://x.y/",
        ")",
        "](",
        "![",
        "<b>",
        "</b>",
        "<!-- ",
        "-->",
        "&amp;",
        "&#1;",
        "&lt;",
        "]]>",
        "<?",
        "\"",
        "'",
        "\\",
        "\t",
        "    ",
        "```\n",
        "$",
        "$$",
        "x^2",
        "12.5%",
        "🚀",
        "\u{202E}",
        "𠮷",
        "\u{FFFF}",
        "---\n",
        "- [x] ",
        "[!NOTE]\n",
        "\\newpage\n",
        "<br>",
    ];
    let mut numbers = Numbers(0x5EED);
    for _ in 0..400 {
        let length = 1 + numbers.below(60);
        let source: String = (0..length).map(|_| PIECES[numbers.below(PIECES.len())]).collect();
        check(&source);
    }
}

#[test]
fn hostile_documents_are_text_or_refused() {
    for source in [
        "]]> <![CDATA[ x ]]> <!-- -- --> <?xml?> &unknown; &#0; &#xD800;",
        "<script>alert(1)</script> <img src=x onerror=alert(1)>\n\n<style>*{}</style>",
        "[a](javascript:alert(1)) [b](<data:text/html,x>) [c](file:///etc/passwd) [d](vbscript:x) [e](https://x\"onclick=y)",
        "![a\"><b](x\"y) `\"><script>`",
        "```a\"b<c>\nx\n```",
        "# a\" id=x onclick=\"y\n\n[l](#a-idx-onclicky)",
    ] {
        check(source);
        let page = html(&markdown(source).unwrap(), &HtmlOptions::default()).unwrap().text;
        for bad in
            ["<script", "<img", "href=\"javascript", "href=\"data", "href=\"file", "onclick=\"y"]
        {
            assert!(!page.contains(bad), "{bad}: {source}");
        }
    }
    check(&"字".repeat(100_000));
    check(&"x".repeat(100_000));
    let error = markdown(&"a\n\n".repeat(100_000)).unwrap_err();
    assert!(error.to_string().starts_with("document: expected at most 60000 elements"), "{error}");
    // A tree that does not come from Markdown is bounded as well.
    let text = |text: &str| Inline::Text { text: text.into() };
    let doc = Doc {
        blocks: vec![Block::Paragraph { content: vec![text("a"); 100_000] }],
        ..Doc::default()
    };
    let error = html(&doc, &HtmlOptions::default()).unwrap_err();
    assert!(error.to_string().starts_with("document: expected at most 60000 elements"), "{error}");
    #[cfg(feature = "docx")]
    assert!(docx(&doc, &DocxOptions::default()).is_err());
}

#[test]
fn a_cancelled_document_ends() {
    let doc = markdown("a").unwrap();
    let options = HtmlOptions::default();
    options.common.cancel.cancel();
    assert!(html(&doc, &options).is_err());
    #[cfg(feature = "docx")]
    {
        let options = DocxOptions {
            common: CommonOptions { cancel: options.common.cancel, ..CommonOptions::default() },
            ..DocxOptions::default()
        };
        assert!(docx(&doc, &options).is_err());
    }
}

#[test]
fn notes_that_refer_to_notes_end_and_lose_nothing() {
    for source in [
        "a[^1]\n\n[^1]: self [^1]\n",
        "a[^1] b[^2]\n\n[^1]: see [^2]\n[^2]: see [^1] and [^3]\n[^3]: only here [^4]\n[^4]: deeper [^3]\n",
        "# T[^1]\n\n## H[^1]\n\n| h[^1] |\n|---|\n| c[^1] |\n\n[^1]: n\n\n    - list\n",
        "unused\n\n[^1]: text that nothing refers to\n",
        "[^1]\n\n[^1]: | a |\n    |---|\n    | b |\n",
        "[^1]\n\n[^1]: # heading\n\n    ```\n    code\n    ```\n",
    ] {
        check(source);
    }
}

#[test]
fn deep_documents_are_written() {
    let list: String = (0..40)
        .map(|level| format!("{}- level {level} **b *i ~~s `c`~~***\n", "  ".repeat(level)))
        .collect();
    let numbers: String =
        (0..12).map(|level| format!("{}1. level {level}\n", "   ".repeat(level))).collect();
    let quote: String =
        (1..40).map(|level| format!("{}q{level}\n\n", "> ".repeat(level))).collect();
    let mixed: String = (0..40).map(|level| format!("{}> - x\n", "  > - ".repeat(level))).collect();
    for source in [
        list,
        numbers,
        quote,
        mixed,
        "- - - a\n- > | a |\n  > |---|\n  > | b |\n- ```\n  x\n  ```\n-\n".into(),
    ] {
        check(&source);
    }
}

/// Returns width, height, dark pixels and bytes of a preview.
#[cfg(feature = "preview")]
fn preview(doc: &Doc, options: PdfOptions) -> (u32, u32, usize, usize) {
    let made = pdf(doc, &options).unwrap();
    let bytes = made.preview.unwrap();
    let picture = image::load_from_memory(&bytes).unwrap().to_luma8();
    let dark = picture.pixels().filter(|pixel| pixel.0[0] < 128).count();
    (picture.width(), picture.height(), dark, bytes.len())
}

#[cfg(all(feature = "preview", any(feature = "pdf", feature = "pdf-compact")))]
#[test]
fn previews_have_the_width_that_was_asked_for_and_a_bounded_size() {
    let doc = markdown("# 报告\n\n收入增长。\n").unwrap();
    let of = |preview_px: u32| PdfOptions { preview_px: Some(preview_px), ..PdfOptions::default() };
    for (width, height) in [(100, 141), (800, 1_131), (2_000, 2_828)] {
        let (drawn, high, dark, bytes) = preview(&doc, of(width));
        assert!(drawn == width && high.abs_diff(height) <= 1, "{drawn} x {high}");
        assert!(dark > 0 && bytes < MAX_PREVIEW_BYTES, "{dark} {bytes}");
    }
    assert!(pdf(&doc, &PdfOptions::default()).unwrap().preview.is_none());
    for width in [0, 99, 2_001, u32::MAX] {
        let error = pdf(&doc, &of(width)).unwrap_err().to_string();
        assert!(error.starts_with("preview: expected a width of 100 to 2000 pixels"), "{error}");
    }
}

/// Noise, which no image format compresses, is drawn with fewer pixels.
#[cfg(all(feature = "preview", feature = "pdf"))]
#[test]
fn previews_of_photographs_are_smaller() {
    let mut numbers = Numbers(7);
    let noise = image::RgbImage::from_fn(600, 800, |_, _| {
        image::Rgb(std::array::from_fn(|_| u8::try_from(numbers.below(256)).unwrap()))
    });
    let mut file = std::io::Cursor::new(Vec::new());
    noise.write_to(&mut file, image::ImageFormat::Png).unwrap();
    let mut pictures = Pictures::default();
    pictures.insert("noise.png", file.into_inner().into());
    let doc = markdown("![](noise.png)\n").unwrap();
    let options = PdfOptions {
        common: CommonOptions { pictures, ..CommonOptions::default() },
        preview_px: Some(2_000),
        ..PdfOptions::default()
    };
    let (width, _, dark, bytes) = preview(&doc, options);
    assert!(width < 2_000 && dark > 1_000 && bytes <= MAX_PREVIEW_BYTES, "{width} {dark} {bytes}");
}
