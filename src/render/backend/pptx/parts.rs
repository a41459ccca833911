//! The parts of every file of slides: theme, master, layouts, and the list of slides.

use std::fmt::Write as _;

use super::design::Design;
use super::measure::{BOTTOM, HEIGHT, ROOM, SIDE, TOP, WIDTH};
use crate::model::language::Language;
use crate::shared::office::OfficeFonts;
use crate::shared::ooxml::HEAD;

/// The namespaces of parts with shapes.
pub(super) const NAMESPACES: &str = concat!(
    "xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\"",
    " xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\"",
    " xmlns:p=\"http://schemas.openxmlformats.org/presentationml/2006/main\""
);

/// Layouts by their index: name in the program, kind.
pub(super) const LAYOUTS: [(&str, &str); 3] =
    [("Title Slide", "title"), ("Section Header", "secHead"), ("Title and Content", "obj")];

/// Layouts and the master share one range of identifiers, which begins here.
const FIRST_LAYOUT: u64 = 2_147_483_649;
const MASTER: u64 = 2_147_483_648;

/// First identifier of slides.
const FIRST_SLIDE: usize = 256;

/// Converts points to the unit of the format.
pub(super) fn emu(points: f64) -> i64 {
    (points * 12_700.0).round() as i64
}

/// Position on a slide: left, top, width, height in points.
pub(super) type Rect = (f64, f64, f64, f64);

/// Positions of titles and text: on the first slide, on section slides, on all others.
pub(super) const FIRST_TITLE: Rect = (SIDE, 150.0, ROOM, 130.0);
pub(super) const FIRST_SUBTITLE: Rect = (SIDE, 296.0, ROOM, 60.0);
pub(super) const SECTION_TITLE: Rect = (SIDE, 190.0, ROOM, 120.0);
pub(super) const TITLE: Rect = (SIDE, 28.0, ROOM, 68.0);
pub(super) const BODY: Rect = (SIDE, TOP, ROOM, BOTTOM - TOP);

/// Position of the number of a slide.
const NUMBER: Rect = (WIDTH - SIDE - 100.0, HEIGHT - 34.0, 100.0, 22.0);

/// Returns position and size of a shape.
pub(super) fn transform((left, top, width, height): Rect) -> String {
    format!(
        "<a:xfrm><a:off x=\"{}\" y=\"{}\"/><a:ext cx=\"{}\" cy=\"{}\"/></a:xfrm>",
        emu(left),
        emu(top),
        emu(width),
        emu(height)
    )
}

/// Returns `ppt/presentation.xml`.
pub(super) fn presentation(slides: usize, language: &Language) -> String {
    let mut xml = format!(
        "{HEAD}<p:presentation {NAMESPACES} saveSubsetFonts=\"1\"{}><p:sldMasterIdLst><p:sldMasterId id=\"{MASTER}\" \
         r:id=\"rIdMaster\"/></p:sldMasterIdLst><p:sldIdLst>",
        if language.is_from_right() { " rtl=\"1\"" } else { "" }
    );
    for slide in 0..slides {
        let _ = write!(xml, "<p:sldId id=\"{}\" r:id=\"rId{}\"/>", FIRST_SLIDE + slide, slide + 1);
    }
    let _ = write!(
        xml,
        "</p:sldIdLst><p:sldSz cx=\"{}\" cy=\"{}\"/><p:notesSz cx=\"6858000\" cy=\"9144000\"/></p:presentation>",
        emu(WIDTH),
        emu(HEIGHT)
    );
    // An empty list of slides is not allowed.
    xml.replace("<p:sldIdLst></p:sldIdLst>", "")
}

/// Returns `ppt/theme/theme1.xml`.
pub(super) fn theme(design: &Design) -> String {
    let look = &design.look;
    let own = &look.colors;
    let color =
        |name: &str, value: &str| format!("<a:{name}><a:srgbClr val=\"{value}\"/></a:{name}>");
    let colors = [
        ("dk1", &*own.text),
        ("lt1", &*own.page),
        ("dk2", &*own.accent),
        ("lt2", &*own.fill),
        // Blue, orange, green, red, purple, brown: distinguishable for the colour-blind, after Okabe and Ito.
        ("accent1", "0072B2"),
        ("accent2", "E69F00"),
        ("accent3", "009E73"),
        ("accent4", "D55E00"),
        ("accent5", "CC79A7"),
        ("accent6", "56B4E9"),
        ("hlink", &*own.link),
        ("folHlink", "8250DF"),
    ];
    let colors: String = colors.map(|(name, value)| color(name, value)).concat();
    let fonts = |fonts: &OfficeFonts| {
        let OfficeFonts { latin, east_asian, complex } = fonts;
        format!(
            "<a:latin typeface=\"{latin}\"/><a:ea typeface=\"{east_asian}\"/><a:cs typeface=\"{complex}\"/>"
        )
    };
    const FILL: &str = "<a:solidFill><a:schemeClr val=\"phClr\"/></a:solidFill>";
    let line = |width: u32| format!("<a:ln w=\"{width}\">{FILL}</a:ln>");
    format!(
        "{HEAD}<a:theme xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\" name=\"Report\"><a:themeElements>\
         <a:clrScheme name=\"Report\">{colors}</a:clrScheme><a:fontScheme name=\"Report\"><a:majorFont>{}</a:majorFont>\
         <a:minorFont>{}</a:minorFont></a:fontScheme><a:fmtScheme name=\"Report\"><a:fillStyleLst>{FILL}{FILL}{FILL}</a:fillStyleLst>\
         <a:lnStyleLst>{}{}{}</a:lnStyleLst><a:effectStyleLst>{EFFECT}{EFFECT}{EFFECT}</a:effectStyleLst>\
         <a:bgFillStyleLst>{FILL}{FILL}{FILL}</a:bgFillStyleLst></a:fmtScheme></a:themeElements></a:theme>",
        fonts(&look.headings),
        fonts(&look.text),
        line(6_350),
        line(12_700),
        line(19_050)
    )
}

const EFFECT: &str = "<a:effectStyle><a:effectLst/></a:effectStyle>";

/// Beginning of every tree of shapes.
pub(super) const TREE: &str = "<p:spTree><p:nvGrpSpPr><p:cNvPr id=\"1\" name=\"\"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr>\
    <p:grpSpPr><a:xfrm><a:off x=\"0\" y=\"0\"/><a:ext cx=\"0\" cy=\"0\"/><a:chOff x=\"0\" y=\"0\"/><a:chExt cx=\"0\" cy=\"0\"/></a:xfrm></p:grpSpPr>";

/// Returns a placeholder of the master or of a layout.
fn placeholder(id: u32, kind: &str, place: Rect, body: &str, prompt: &str) -> String {
    format!(
        "<p:sp><p:nvSpPr><p:cNvPr id=\"{id}\" name=\"{prompt} {id}\"/><p:cNvSpPr><a:spLocks noGrp=\"1\"/></p:cNvSpPr><p:nvPr>\
         <p:ph {kind}/></p:nvPr></p:nvSpPr><p:spPr>{}<a:prstGeom prst=\"rect\"><a:avLst/></a:prstGeom></p:spPr>\
         <p:txBody>{body}<a:p><a:r><a:rPr lang=\"en-US\"/><a:t>{prompt}</a:t></a:r></a:p></p:txBody></p:sp>",
        transform(place)
    )
}

fn number(id: u32, design: &Design) -> String {
    let muted = &design.look.colors.muted;
    format!(
        "<p:sp><p:nvSpPr><p:cNvPr id=\"{id}\" name=\"Slide Number {id}\"/><p:cNvSpPr><a:spLocks noGrp=\"1\"/></p:cNvSpPr><p:nvPr>\
         <p:ph type=\"sldNum\" sz=\"quarter\" idx=\"12\"/></p:nvPr></p:nvSpPr><p:spPr>{}<a:prstGeom prst=\"rect\"><a:avLst/></a:prstGeom></p:spPr>\
         <p:txBody><a:bodyPr lIns=\"0\" rIns=\"0\" anchor=\"ctr\"/><a:lstStyle><a:lvl1pPr algn=\"r\"><a:defRPr sz=\"1100\"><a:solidFill>\
         <a:srgbClr val=\"{muted}\"/></a:solidFill></a:defRPr></a:lvl1pPr></a:lstStyle><a:p><a:fld id=\"{FIELD}\" type=\"slidenum\">\
         <a:rPr lang=\"en-US\"/><a:t>‹#›</a:t></a:fld></a:p></p:txBody></p:sp>",
        transform(NUMBER)
    )
}

/// Identifier of a field, which may be arbitrary and is always the same.
pub(super) const FIELD: &str = "{6D697474-0000-4000-8000-000000000001}";

/// Returns the line below the titles, in the first colour of charts or in that of a theme.
fn line(design: &Design) -> String {
    let color = if design.is_plain { "accent1" } else { "tx2" };
    format!(
        "<p:cxnSp><p:nvCxnSpPr><p:cNvPr id=\"20\" name=\"Line 20\"/><p:cNvCxnSpPr/><p:nvPr userDrawn=\"1\"/></p:nvCxnSpPr><p:spPr>{}\
         <a:prstGeom prst=\"line\"><a:avLst/></a:prstGeom><a:ln w=\"12700\"><a:solidFill><a:schemeClr val=\"{color}\"/></a:solidFill></a:ln>\
         </p:spPr></p:cxnSp>",
        transform((SIDE, 99.0, ROOM, 0.0))
    )
}

const TOP_BODY: &str = "<a:bodyPr lIns=\"0\" tIns=\"0\" rIns=\"0\" bIns=\"0\" anchor=\"t\"><a:normAutofit/></a:bodyPr><a:lstStyle/>";

/// Returns a body with its text at the bottom, in this size and colour.
fn title_body(anchor: &str, size: u32, is_strong: bool, color: &str) -> String {
    format!(
        "<a:bodyPr lIns=\"0\" tIns=\"0\" rIns=\"0\" bIns=\"0\" anchor=\"{anchor}\"><a:normAutofit/></a:bodyPr><a:lstStyle><a:lvl1pPr>\
         <a:buNone/><a:defRPr sz=\"{size}\" b=\"{}\"><a:solidFill><a:schemeClr val=\"{color}\"/></a:solidFill></a:defRPr></a:lvl1pPr></a:lstStyle>",
        u8::from(is_strong)
    )
}

/// Returns `ppt/slideMasters/slideMaster1.xml`.
pub(super) fn master(design: &Design) -> String {
    let fonts = |name: &str| {
        format!(
            "<a:latin typeface=\"+{name}-lt\"/><a:ea typeface=\"+{name}-ea\"/><a:cs typeface=\"+{name}-cs\"/>"
        )
    };
    let run = |size: u32, color: &str, strong: u8, name: &str| {
        format!(
            "<a:defRPr sz=\"{size}\" b=\"{strong}\" kern=\"1200\"><a:solidFill><a:schemeClr val=\"{color}\"/></a:solidFill>{}</a:defRPr>",
            fonts(name)
        )
    };
    let mut levels = String::new();
    for level in 1..=9 {
        let _ = write!(
            levels,
            "<a:lvl{level}pPr marL=\"0\" indent=\"0\" algn=\"l\" rtl=\"0\" eaLnBrk=\"1\" latinLnBrk=\"0\" hangingPunct=\"1\">\
             <a:buNone/>{}</a:lvl{level}pPr>",
            run(2_000, "tx1", 0, "mn")
        );
    }
    let layouts: String = (0..LAYOUTS.len() as u64)
        .map(|n| format!("<p:sldLayoutId id=\"{}\" r:id=\"rId{}\"/>", FIRST_LAYOUT + n, n + 1))
        .collect();
    format!(
        "{HEAD}<p:sldMaster {NAMESPACES}><p:cSld><p:bg><p:bgPr><a:solidFill><a:schemeClr val=\"bg1\"/></a:solidFill><a:effectLst/></p:bgPr></p:bg>\
         {TREE}{}{}{}</p:spTree></p:cSld><p:clrMap bg1=\"lt1\" tx1=\"dk1\" bg2=\"lt2\" tx2=\"dk2\" accent1=\"accent1\" accent2=\"accent2\" \
         accent3=\"accent3\" accent4=\"accent4\" accent5=\"accent5\" accent6=\"accent6\" hlink=\"hlink\" folHlink=\"folHlink\"/>\
         <p:sldLayoutIdLst>{layouts}</p:sldLayoutIdLst><p:txStyles><p:titleStyle><a:lvl1pPr algn=\"l\" eaLnBrk=\"1\" hangingPunct=\"1\">\
         <a:buNone/>{}</a:lvl1pPr></p:titleStyle><p:bodyStyle>{levels}</p:bodyStyle><p:otherStyle>{levels}</p:otherStyle></p:txStyles></p:sldMaster>",
        placeholder(2, "type=\"title\"", TITLE, &title_body("b", 2_800, true, "tx2"), "Title"),
        placeholder(3, "type=\"body\" idx=\"1\"", BODY, TOP_BODY, "Text"),
        number(4, design),
        run(2_800, "tx2", 1, "mj")
    )
}

/// Returns `ppt/slideLayouts/slideLayout1.xml`, and so on.
pub(super) fn layout(index: usize, design: &Design) -> String {
    let (name, kind) = LAYOUTS.get(index).copied().unwrap_or(LAYOUTS[2]);
    let shapes = match index {
        0 => [
            placeholder(
                2,
                "type=\"ctrTitle\"",
                FIRST_TITLE,
                &title_body("b", 4_000, true, "tx2"),
                "Title",
            ),
            placeholder(
                3,
                "type=\"subTitle\" idx=\"1\"",
                FIRST_SUBTITLE,
                &title_body("t", 2_000, false, "tx1"),
                "Subtitle",
            ),
        ]
        .concat(),
        1 => placeholder(
            2,
            "type=\"title\"",
            SECTION_TITLE,
            &title_body("ctr", 3_600, true, "tx2"),
            "Title",
        ),
        _ => [
            placeholder(2, "type=\"title\"", TITLE, &title_body("b", 2_800, true, "tx2"), "Title"),
            placeholder(3, "idx=\"1\"", BODY, TOP_BODY, "Text"),
            line(design),
        ]
        .concat(),
    };
    format!(
        "{HEAD}<p:sldLayout {NAMESPACES} type=\"{kind}\" preserve=\"1\"><p:cSld name=\"{name}\">{TREE}{shapes}{}</p:spTree></p:cSld>\
         <p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:sldLayout>",
        number(9, design)
    )
}
