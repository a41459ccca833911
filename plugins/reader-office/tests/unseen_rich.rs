//! Tests that text of RTF documents which people do not see is left out, with a warning.

use mitt_reader_kit::Content;
use reader_office::read;

/// White is 1, navy is 2, black is 3.
fn document(body: &str) -> Content {
    let text = format!(
        "{{\\rtf1\\ansi{{\\colortbl;\\red255\\green255\\blue255;\\red0\\green0\\blue128;\\red0\\green0\\blue0;}}\\pard Pay 4,200 EUR.\\par {body}}}"
    );
    read(text.as_bytes(), "rtf").unwrap()
}

fn cell(shading: &str, text: &str) -> String {
    format!("\\trowd{shading}\\cellx2000\\cellx4000\\pard\\intbl {text}\\cell x\\cell\\row\\pard ")
}

fn shape(words: &str, properties: &[(&str, &str)], text: &str) -> String {
    let properties: String = properties
        .iter()
        .map(|(name, value)| format!("{{\\sp{{\\sn {name}}}{{\\sv {value}}}}}"))
        .collect();
    format!("{{\\shp{{\\*\\shpinst{words}{properties}{{\\shptxt \\pard {text}\\par}}}}}}\\par ")
}

#[test]
fn what_nobody_sees_is_left_out_and_told() {
    for (hidden, reason, place) in [
        ("{\\v PLANT one}\\par ".to_owned(), "marked as hidden", "paragraph 2"),
        ("{\\cf1 PLANT one}\\par ".to_owned(), "in the colour behind it", "paragraph 2"),
        ("\\cf1 PLANT {\\b one}\\plain\\par ".to_owned(), "in the colour behind it", "paragraph 2"),
        (
            "{\\cf2\\highlight2 PLANT one}\\par ".to_owned(),
            "in the colour behind it",
            "paragraph 2",
        ),
        (
            "\\pard\\cbpat2{\\cf2 PLANT one}\\par\\pard ".to_owned(),
            "in the colour behind it",
            "paragraph 2",
        ),
        ("{\\fs2 PLANT one}\\par ".to_owned(), "not larger than 1 pt", "paragraph 2"),
        ("{\\charscalex1 PLANT one}\\par ".to_owned(), "not larger than 1 pt", "paragraph 2"),
        (cell("", "{\\cf1 PLANT one}"), "in the colour behind it", "table 1"),
        (cell("\\clcbpat2", "{\\cf2 PLANT one}"), "in the colour behind it", "table 1"),
        (shape("", &[("fHidden", "1")], "PLANT one"), "marked as hidden", "a text box"),
        (
            shape("\\shpleft-30000\\shpright-20000", &[], "PLANT one"),
            "outside of the page",
            "a text box",
        ),
        (
            shape("", &[("fillColor", "8388608")], "{\\cf2 PLANT one}"),
            "in the colour behind it",
            "a text box",
        ),
        (
            "{\\footer \\pard{\\cf1 PLANT one}\\par}".to_owned(),
            "in the colour behind it",
            "a footer",
        ),
    ] {
        let content = document(&hidden);
        assert!(content.markdown.contains("4,200"), "{hidden}");
        assert!(!content.markdown.contains("PLANT"), "{hidden}: {}", content.markdown);
        let expected = format!(
            "text that nobody sees was left out in {place}: 8 characters in 1 place ({reason} 8)"
        );
        assert_eq!(content.warnings, [expected], "{hidden}");
    }
}

#[test]
fn text_that_stands_out_from_its_ground_stays() {
    for seen in [
        "{\\cf0 PLANT one}\\par ".to_owned(),
        "{\\cf1\\chcbpat2 PLANT one}\\par ".to_owned(),
        "{\\cf1\\highlight3 PLANT one}\\par ".to_owned(),
        "{\\cf1\\cb2 PLANT one}\\par ".to_owned(),
        "{\\cf1\\shad PLANT one}\\par ".to_owned(),
        "\\pard\\cbpat2{\\cf1 PLANT one}\\par\\pard ".to_owned(),
        "\\pard\\shading5000{\\cf1 PLANT one}\\par\\pard ".to_owned(),
        "{\\cf9 PLANT one}\\par ".to_owned(),
        "{\\v\\v0 PLANT one}\\par ".to_owned(),
        "{\\fs2\\fs20 PLANT one}\\par ".to_owned(),
        cell("\\clcbpat2", "{\\cf1 PLANT one}"),
        cell("\\clshdng5000", "{\\cf1 PLANT one}"),
        shape("", &[("fillColor", "8388608")], "{\\cf1 PLANT one}"),
        shape("", &[("fFilled", "0")], "{\\cf1 PLANT one}"),
        shape("", &[("fillType", "7")], "{\\cf1 PLANT one}"),
        shape("\\shpleft100\\shpright2000", &[], "PLANT one"),
        shape("\\shpfblwtxt1", &[("fillColor", "0")], "x") + "{\\cf1 PLANT one}\\par ",
    ] {
        let content = document(&seen);
        assert!(content.markdown.contains("PLANT one"), "{seen}: {}", content.markdown);
        assert!(content.warnings.is_empty(), "{seen}: {:?}", content.warnings);
    }
}
