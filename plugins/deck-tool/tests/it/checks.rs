//! What is reported of new text: too long, in the way of something else, hard to read. And what is not.

use crate::common::{deck, edit_parts, no_files, run};
use deck_tool::{Content, Edit, Edited, Filling, edit};

const MASTER: &str = "ppt/slideMasters/slideMaster1.xml";
const LAYOUT: &str = "ppt/slideLayouts/slideLayout1.xml";
const THEME: &str = "ppt/theme/theme1.xml";

fn plan(title: &str, body: &str) -> Edit {
    let filling = |placeholder: &str, text: &str| Filling {
        placeholder: placeholder.to_owned(),
        content: Content::Text(text.to_owned()),
    };
    Edit::NewSlide {
        layout: "sldLayout 1".to_owned(),
        position: None,
        fillings: vec![filling("title", title), filling("1", body)],
        notes: None,
    }
}

/// Adds a slide to the presentation with other contents of its parts.
fn on(changes: &[(&str, &str, &str)]) -> Edited {
    let bytes = edit_parts(&deck(), changes);
    edit(bytes, &[plan("Plan", "One\n\tTwo")], &no_files).unwrap()
}

#[test]
fn a_title_that_is_too_long_is_reported() {
    let long = "A title that says everything that the slide says, and then some more of it again";
    let done = run(&[plan(long, "One")]);
    assert_eq!(done.overflows.len(), 1);
    let found = &done.overflows[0];
    assert!(found.shape == "s258/2" && found.needs_cm > found.has_cm, "{found:?}");
    assert_eq!(run(&[plan("A title that is short", "One")]).overflows, []);
    // If the layout shrinks titles, the shrunk one is judged.
    let shrink = (LAYOUT, "<a:bodyPr/>", "<a:bodyPr><a:normAutofit/></a:bodyPr>");
    let edits = |text: &str| {
        let bytes = edit_parts(&deck(), &[shrink]);
        edit(bytes, &[plan(text, "One")], &no_files).unwrap()
    };
    assert_eq!(edits(long).overflows, []);
    assert_eq!(edits(&long.repeat(9)).overflows.len(), 1);
}

#[test]
fn light_text_on_a_light_background_is_reported() {
    let light =
        "<a:defRPr sz=\"4400\"><a:solidFill><a:srgbClr val=\"FFFFCC\"/></a:solidFill></a:defRPr>";
    let done = on(&[(MASTER, "<a:defRPr sz=\"4400\"/>", light)]);
    assert_eq!(done.warnings.len(), 1, "{:?}", done.warnings);
    assert!(done.warnings[0].starts_with("The text of s258/2 has a contrast of only 1.0"));
    let dark = light.replace("FFFFCC", "333366");
    assert_eq!(on(&[(MASTER, "<a:defRPr sz=\"4400\"/>", &dark)]).warnings, [""; 0]);
    // A new text box too.
    let edits = [Edit::AddContent {
        slide: "s257".to_owned(),
        place: vec![1.0, 8.0, 9.0, 3.0],
        content: Content::Text("Box".to_owned()),
    }];
    let white = [(THEME, "<a:srgbClr val=\"000000\"/>", "<a:srgbClr val=\"FEFEFE\"/>")];
    let done = edit(edit_parts(&deck(), &white), &edits, &no_files).unwrap();
    assert!(done.warnings.iter().any(|it| it.contains("contrast")), "{:?}", done.warnings);
}

#[test]
fn dark_masters_give_no_false_warnings() {
    let map = "<p:clrMap bg1=\"lt1\" tx1=\"dk1\"/>";
    let swapped = "<p:clrMap bg1=\"dk1\" tx1=\"lt1\"/>";
    let background = |inner: &str| format!("<p:cSld name=\"sldMaster 1\"><p:bg>{inner}</p:bg>");
    let fill = |inner: &str| background(&format!("<p:bgPr>{inner}<a:effectLst/></p:bgPr>"));
    let dark = fill("<a:solidFill><a:schemeClr val=\"bg1\"/></a:solidFill>");
    let blue = fill("<a:solidFill><a:srgbClr val=\"001133\"/></a:solidFill>");
    let picture = fill("<a:blipFill><a:blip r:embed=\"rId9\"/></a:blipFill>");
    let reference = background("<p:bgRef idx=\"1001\"><a:schemeClr val=\"bg1\"/></p:bgRef>");
    let start = "<p:cSld name=\"sldMaster 1\">";
    let white = |size: u32| {
        format!(
            "<a:defRPr sz=\"{size}\"><a:solidFill><a:schemeClr val=\"bg1\"/></a:solidFill></a:defRPr>"
        )
    };
    let (title, first, second) = (white(4_400), white(3_200), white(2_800));
    let styles = [
        (MASTER, "<a:defRPr sz=\"4400\"/>", &*title),
        (MASTER, "<a:defRPr sz=\"3200\"/>", &*first),
        (MASTER, "<a:defRPr sz=\"2800\"/>", &*second),
    ];
    let panel = "<p:grpSpPr/><p:sp><p:nvSpPr><p:cNvPr id=\"9\" name=\"Panel\"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr>\
    <p:spPr><a:xfrm><a:off x=\"0\" y=\"0\"/><a:ext cx=\"9144000\" cy=\"6858000\"/></a:xfrm><a:solidFill>\
    <a:srgbClr val=\"001133\"/></a:solidFill></p:spPr></p:sp>";
    let plain = "<a:fmtScheme name=\"x\"><a:bgFillStyleLst><a:solidFill><a:schemeClr val=\"phClr\"/></a:solidFill>\
    </a:bgFillStyleLst></a:fmtScheme></a:themeElements>";
    let theme = (THEME, "</a:themeElements>", plain);
    let cases = [
        // Dark by the map of colours, as companies do it.
        vec![(MASTER, map, swapped), (MASTER, start, &*dark)],
        vec![(MASTER, map, swapped), (MASTER, start, &*reference), theme],
        // Dark by a fill, with white text in the styles.
        [&[(MASTER, start, &*blue)], &styles[..]].concat(),
        // A picture, or a shape of the master or of the layout, whose colour is not judged.
        [&[(MASTER, start, &*picture)], &styles[..]].concat(),
        [&[(MASTER, "<p:grpSpPr/>", panel)], &styles[..]].concat(),
        [&[(LAYOUT, "<p:grpSpPr/>", panel)], &styles[..]].concat(),
    ];
    for (at, case) in cases.iter().enumerate() {
        let done = on(case);
        assert_eq!((done.warnings, done.overflows.len()), (vec![], 0), "case {at}");
    }
    // The same text without what is behind it is not readable, so the cases above mean something.
    assert_eq!(on(&styles).warnings.len(), 2);
    assert_eq!(on(&[(MASTER, map, swapped)]).warnings.len(), 2);
}

#[test]
fn gradients_and_links_are_not_taken_for_the_colour_of_the_style() {
    let slide = "ppt/slides/slide1.xml";
    let white =
        "<a:defRPr sz=\"3200\"><a:solidFill><a:schemeClr val=\"bg1\"/></a:solidFill></a:defRPr>";
    let style = (MASTER, "<a:defRPr sz=\"3200\"/>", white);
    let warnings = |properties: &str| {
        let new = format!("<a:rPr b=\"1\">{properties}</a:rPr><a:t>Rev");
        let second = format!("<a:r>{new}enue</a:t></a:r></a:p><a:p><a:pPr lvl=\"1\"/>");
        let old = "<a:r><a:rPr b=\"1\"/><a:t>Rev</a:t></a:r><a:r><a:t>enue 20</a:t></a:r><a:r><a:rPr \
        i=\"1\"/><a:t>25</a:t></a:r></a:p><a:p><a:pPr lvl=\"1\"/>";
        let bytes = edit_parts(&deck(), &[style, (slide, old, &second)]);
        let edits = [Edit::SetText {
            shape: "s256/3".to_owned(),
            expected: Some("Revenue\n\tin Asia".to_owned()),
            text: "Revenues\n\tin Asia".to_owned(),
        }];
        edit(bytes, &edits, &no_files).unwrap().warnings.len()
    };
    assert_eq!(warnings(""), 1);
    assert_eq!(warnings("<a:gradFill><a:gsLst/></a:gradFill>"), 0);
    assert_eq!(warnings("<a:hlinkClick r:id=\"rId7\"/>"), 0);
}
