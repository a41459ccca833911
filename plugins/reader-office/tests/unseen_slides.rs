//! Tests that text of slides which people do not see is left out, with a warning.

mod common;

use common::{archive, relations, types};
use mitt_reader_kit::Content;
use reader_office::read;

const SPACES: &str = r#"xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships""#;

const THEME: &str = "<a:themeElements><a:clrScheme name='x'><a:dk1><a:sysClr val='windowText' lastClr='000000'/></a:dk1><a:lt1><a:sysClr val='window' lastClr='FFFFFF'/></a:lt1><a:dk2><a:srgbClr val='203040'/></a:dk2><a:lt2><a:srgbClr val='EEEEEE'/></a:lt2><a:accent1><a:srgbClr val='4472C4'/></a:accent1></a:clrScheme></a:themeElements>";

/// What a test says of its presentation.
#[derive(Default)]
struct Deck<'a> {
    /// The background of the slide.
    background: &'a str,
    shapes: &'a str,
    timing: &'a str,
    layout: &'a str,
    master: &'a str,
    title_style: &'a str,
    notes: &'a str,
}

fn deck(deck: &Deck<'_>) -> Content {
    let Deck { background, shapes, timing, layout, master, title_style, notes } = deck;
    let part = |name: &str, background: &str, shapes: &str, rest: &str| {
        format!(
            "<p:{name} {SPACES}><p:cSld>{background}<p:spTree><p:nvGrpSpPr><p:cNvPr id=\"1\" name=\"\"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>{shapes}</p:spTree></p:cSld>{rest}</p:{name}>"
        )
    };
    let seen = text("100", "0", "", &run("", "Pay 4,200 EUR."));
    let slide = part("sld", background, &format!("{seen}{shapes}"), timing);
    let layout = part("sldLayout", "", layout, "");
    let white =
        "<p:bg><p:bgPr><a:solidFill><a:schemeClr val=\"bg1\"/></a:solidFill></p:bgPr></p:bg>";
    let master = part(
        "sldMaster",
        white,
        master,
        &format!(
            "<p:clrMap bg1=\"lt1\" tx1=\"dk1\" bg2=\"lt2\" tx2=\"dk2\" accent1=\"accent1\"/><p:txStyles><p:titleStyle><a:lvl1pPr><a:defRPr>{title_style}</a:defRPr></a:lvl1pPr></p:titleStyle></p:txStyles>"
        ),
    );
    let notes = part("notes", "", notes, "");
    let parts = [
        (
            "[Content_Types].xml",
            types(&[
                "ppt/presentation.xml presentationml.presentation.main",
                "ppt/slides/slide1.xml presentationml.slide",
                "ppt/slideLayouts/layout1.xml presentationml.slideLayout",
                "ppt/slideMasters/master1.xml presentationml.slideMaster",
                "ppt/notesSlides/notes1.xml presentationml.notesSlide",
                "ppt/theme/theme1.xml theme",
            ]),
        ),
        ("_rels/.rels", relations(&["r1 officeDocument ppt/presentation.xml"])),
        (
            "ppt/_rels/presentation.xml.rels",
            relations(&["r1 slide slides/slide1.xml", "r2 slideMaster slideMasters/master1.xml"]),
        ),
        (
            "ppt/presentation.xml",
            format!(
                "<p:presentation {SPACES}><p:sldMasterIdLst><p:sldMasterId id=\"9\" r:id=\"r2\"/></p:sldMasterIdLst><p:sldIdLst><p:sldId id=\"256\" r:id=\"r1\"/></p:sldIdLst><p:sldSz cx=\"12192000\" cy=\"6858000\"/></p:presentation>"
            ),
        ),
        (
            "ppt/slides/_rels/slide1.xml.rels",
            relations(&[
                "r1 slideLayout ../slideLayouts/layout1.xml",
                "r2 notesSlide ../notesSlides/notes1.xml",
            ]),
        ),
        ("ppt/slides/slide1.xml", slide),
        (
            "ppt/slideLayouts/_rels/layout1.xml.rels",
            relations(&["r1 slideMaster ../slideMasters/master1.xml"]),
        ),
        ("ppt/slideLayouts/layout1.xml", layout),
        (
            "ppt/slideMasters/_rels/master1.xml.rels",
            relations(&[
                "r1 theme ../theme/theme1.xml",
                "r2 slideLayout ../slideLayouts/layout1.xml",
            ]),
        ),
        ("ppt/slideMasters/master1.xml", master),
        ("ppt/notesSlides/notes1.xml", notes),
        ("ppt/theme/theme1.xml", format!("<a:theme {SPACES}>{THEME}</a:theme>")),
    ];
    let parts: Vec<(&str, &[u8])> =
        parts.iter().map(|(name, text)| (*name, text.as_bytes())).collect();
    read(&archive(&parts), "pptx").unwrap()
}

fn run(properties: &str, text: &str) -> String {
    let close = if properties.contains('>') { "" } else { ">" };
    format!("<a:r><a:rPr lang=\"en\" {properties}{close}</a:rPr><a:t>{text}</a:t></a:r>")
}

/// Returns a shape with text, 2 by 1 inches, at a place in points.
fn text(x: &str, y: &str, properties: &str, runs: &str) -> String {
    shape(x, y, "", properties, "", runs)
}

fn shape(x: &str, y: &str, names: &str, properties: &str, place: &str, runs: &str) -> String {
    let transform = match x {
        "" => String::new(),
        _ => {
            let emu = |it: &str| it.parse::<i64>().unwrap() * 12_700;
            format!(
                "<a:xfrm><a:off x=\"{}\" y=\"{}\"/><a:ext cx=\"1828800\" cy=\"914400\"/></a:xfrm>",
                emu(x),
                emu(y)
            )
        }
    };
    format!(
        "<p:sp><p:nvSpPr><p:cNvPr id=\"7\" name=\"s\" {names}/><p:cNvSpPr/><p:nvPr>{place}</p:nvPr></p:nvSpPr><p:spPr>{transform}{properties}</p:spPr><p:txBody><a:bodyPr/><a:p>{runs}</a:p></p:txBody></p:sp>"
    )
}

fn solid(colour: &str) -> String {
    format!("<a:solidFill><a:srgbClr val=\"{colour}\"/></a:solidFill>")
}

fn plant(properties: &str) -> String {
    run(properties, "PLANT one")
}

fn white() -> String {
    plant(&format!(">{}", solid("FFFFFF")))
}

fn table(style: &str, cell: &str, runs: &str) -> String {
    format!(
        "<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id=\"8\" name=\"t\"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm><a:off x=\"1270000\" y=\"3810000\"/><a:ext cx=\"1828800\" cy=\"914400\"/></p:xfrm><a:graphic><a:graphicData uri=\"http://schemas.openxmlformats.org/drawingml/2006/table\"><a:tbl><a:tblPr>{style}</a:tblPr><a:tblGrid><a:gridCol w=\"9\"/><a:gridCol w=\"9\"/></a:tblGrid><a:tr h=\"9\"><a:tc><a:txBody><a:bodyPr/><a:p>{runs}</a:p></a:txBody><a:tcPr>{cell}</a:tcPr></a:tc><a:tc><a:txBody><a:bodyPr/><a:p><a:r><a:t>x</a:t></a:r></a:p></a:txBody><a:tcPr/></a:tc></a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>"
    )
}

const TITLE: &str = "<p:ph type=\"title\"/>";

#[test]
fn what_nobody_sees_is_left_out_and_told() {
    let dark = format!("<p:bg><p:bgPr>{}</p:bgPr></p:bg>", solid("000080"));
    let of = |shapes: &str, reason: &str| (shapes.to_owned(), String::new(), reason.to_owned());
    for (shapes, background, reason) in [
        of(&shape("100", "200", "hidden=\"1\"", "", "", &plant("")), "marked as hidden"),
        of(&text("-500", "200", "", &plant("")), "outside of the page"),
        of(&text("100", "600", "", &plant("")), "outside of the page"),
        of(&text("100", "200", "", &white()), "in the colour behind it"),
        of(
            &text(
                "100",
                "200",
                "",
                &plant("><a:solidFill><a:schemeClr val=\"bg1\"/></a:solidFill>"),
            ),
            "in the colour behind it",
        ),
        of(
            &text("100", "200", &solid("000080"), &plant(&format!(">{}", solid("000080")))),
            "in the colour behind it",
        ),
        (
            text("100", "200", "", &plant(&format!(">{}", solid("000082")))),
            dark.clone(),
            "in the colour behind it".to_owned(),
        ),
        of(&text("100", "200", "", &plant("sz=\"100\">")), "not larger than 1 pt"),
        of(
            &text(
                "100",
                "200",
                "",
                &plant(
                    "><a:solidFill><a:srgbClr val=\"112233\"><a:alpha val=\"0\"/></a:srgbClr></a:solidFill>",
                ),
            ),
            "transparent",
        ),
        of(&text("100", "200", "", &plant("><a:noFill/>")), "transparent"),
        of(
            &table(
                "<a:tableStyleId>{2D5ABB26-0587-4C30-8999-92F81FD0307C}</a:tableStyleId>",
                "",
                &white(),
            ),
            "in the colour behind it",
        ),
        of(
            &table(
                "<a:tableStyleId>{5C22544A-7EE6-4342-B048-85BDC9FD1C3A}</a:tableStyleId>",
                &solid("FFFFFF"),
                &white(),
            ),
            "in the colour behind it",
        ),
        of(
            &format!(
                "<p:grpSp><p:nvGrpSpPr><p:cNvPr id=\"3\" name=\"g\" hidden=\"1\"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>{}</p:grpSp>",
                text("100", "200", "", &plant(""))
            ),
            "marked as hidden",
        ),
        of(
            &format!(
                "<p:grpSp><p:nvGrpSpPr><p:cNvPr id=\"3\" name=\"g\"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr><a:xfrm><a:off x=\"-9000000\" y=\"0\"/><a:ext cx=\"1828800\" cy=\"914400\"/><a:chOff x=\"1270000\" y=\"2540000\"/><a:chExt cx=\"1828800\" cy=\"914400\"/></a:xfrm></p:grpSpPr>{}</p:grpSp>",
                text("100", "200", "", &plant(""))
            ),
            "outside of the page",
        ),
    ] {
        let content = deck(&Deck { shapes: &shapes, background: &background, ..Deck::default() });
        // Black on navy is seen.
        assert!(content.markdown.contains("4,200"), "{shapes}: {}", content.markdown);
        assert!(!content.markdown.contains("PLANT"), "{shapes}: {}", content.markdown);
        let expected = format!(
            "text that nobody sees was left out in slide 1: 8 characters in 1 place ({reason} 8)"
        );
        assert_eq!(told(&content), [expected], "{shapes}");
    }
}

/// Returns what the warnings say about unseen text.
fn told(content: &Content) -> Vec<&str> {
    content.warnings.iter().map(String::as_str).filter(|it| it.contains("nobody sees")).collect()
}

#[test]
fn looks_are_inherited_from_layouts_and_masters() {
    let title = shape("", "", "", "", TITLE, &plant(""));
    let place = shape("100", "200", "", "", TITLE, &run("", "Click"));
    let white = solid("FFFFFF");
    let content =
        deck(&Deck { shapes: &title, layout: &place, title_style: &white, ..Deck::default() });
    assert!(!content.markdown.contains("PLANT"), "{}", content.markdown);
    assert_eq!(told(&content).len(), 1);
    // The title has a dark place, or its layout has a dark shape there.
    let filled = shape("100", "200", "", &solid("000080"), TITLE, &run("", "Click"));
    let band = text("90", "190", &solid("000080"), &run("", ""))
        .replace("1828800", "9828800")
        .replace("914400", "3914400");
    for layout in [filled, format!("{band}{place}")] {
        let content =
            deck(&Deck { shapes: &title, layout: &layout, title_style: &white, ..Deck::default() });
        assert!(content.markdown.contains("PLANT one"), "{layout}: {}", content.markdown);
        assert!(told(&content).is_empty(), "{layout}");
    }
    // Texts of masters that every slide shows are judged too, and so are notes.
    let hidden = text("100", "300", "", &self::white());
    let content = deck(&Deck { master: &hidden, ..Deck::default() });
    assert!(!content.markdown.contains("PLANT"), "{}", content.markdown);
    assert!(told(&content)[0].contains("in a master: 8 characters"), "{:?}", content.warnings);
    let hidden = shape("100", "300", "", "", "<p:ph type=\"body\" idx=\"1\"/>", &self::white());
    let content = deck(&Deck { notes: &hidden, ..Deck::default() });
    assert!(!content.markdown.contains("PLANT"), "{}", content.markdown);
    assert!(
        told(&content)[0].contains("in the notes of slide 1: 8 characters"),
        "{:?}",
        content.warnings
    );
}

#[test]
fn text_that_stands_out_from_its_ground_stays() {
    let dark = format!("<p:bg><p:bgPr>{}</p:bgPr></p:bg>", solid("000080"));
    let picture = "<p:bg><p:bgPr><a:blipFill/></p:bgPr></p:bg>";
    let photo = "<p:pic><p:nvPicPr><p:cNvPr id=\"5\" name=\"p\"/><p:cNvPicPr/><p:nvPr/></p:nvPicPr><p:blipFill/><p:spPr><a:xfrm><a:off x=\"1270000\" y=\"2540000\"/><a:ext cx=\"9828800\" cy=\"1914400\"/></a:xfrm></p:spPr></p:pic>";
    let moved = "<p:timing><p:animMotion><p:cBhvr><p:tgtEl><p:spTgt spid=\"7\"/></p:tgtEl></p:cBhvr></p:animMotion></p:timing>";
    let of = |shapes: &str| (shapes.to_owned(), "", "");
    for (shapes, background, timing) in [
        of(&text("100", "200", "", &plant(""))),
        of(&text("100", "200", &solid("000080"), &white())),
        of(&text("100", "200", "<a:gradFill/>", &white())),
        (text("100", "200", "", &white()), dark.as_str(), ""),
        (text("100", "200", "", &white()), picture, ""),
        of(&format!("{photo}{}", text("110", "210", "", &white()))),
        of(&format!(
            "{}{}",
            text("100", "200", &solid("000080"), ""),
            text("110", "210", "", &white())
        )),
        of(&table(
            "<a:tableStyleId>{5C22544A-7EE6-4342-B048-85BDC9FD1C3A}</a:tableStyleId>",
            "",
            &white(),
        )),
        of(&table("", &solid("000080"), &white())),
        of(&text(
            "100",
            "200",
            "",
            &plant(&format!("><a:ln>{}</a:ln>{}", solid("000000"), solid("FFFFFF"))),
        )),
        of(&text(
            "100",
            "200",
            "",
            &plant(&format!(
                ">{}<a:highlight><a:srgbClr val=\"000000\"/></a:highlight>",
                solid("FFFFFF")
            )),
        )),
        of(&text("900", "500", "", &plant(""))),
        (text("-500", "200", "", &plant("")), "", moved),
    ] {
        let content = deck(&Deck { shapes: &shapes, background, timing, ..Deck::default() });
        assert!(content.markdown.contains("PLANT one"), "{shapes}: {}", content.markdown);
        assert!(told(&content).is_empty(), "{shapes}: {:?}", content.warnings);
    }
}
