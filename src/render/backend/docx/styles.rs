//! Styles and fonts. All text gets its formatting from styles, except for widths that depend on the content, so changing the
//! font of a style changes it in the whole document.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::design::{Design, size};
use super::frame::Frame;
use super::namespaces::NAMESPACES;
use crate::model::doc::QuoteKind;
use crate::model::language::Language;
use crate::shared::highlight::Token;
use crate::shared::office::OfficeColors;
use crate::shared::ooxml::{HEAD, east_asian};

/// Text sizes of tables in half points, from which `table` chooses.
const TABLE_SIZES: [u32; 6] = [19, 17, 16, 15, 13, 11];

/// Indent of a quotation on each side, in twentieths of a point.
pub(super) const QUOTE_INDENT: u32 = 284;

/// Indent of code on each side, for its frame, in twentieths of a point.
pub(super) const CODE_INDENT: u32 = 90;

const BLACK: &str = "000000";

/// Returns the name of the style for a kind of code.
pub(super) fn token_style(token: Token) -> String {
    format!("Code{}", in_title_case(token.name()))
}

fn in_title_case(name: &str) -> String {
    let (first, rest) = name.split_at(name.len().min(1));
    first.to_uppercase() + rest
}

/// Writes the styles for kinds of code. Weight and slope distinguish them where colours do not.
fn code_styles(xml: &mut String, design: &Design) {
    let keyword = format!("<w:b/><w:bCs/>{}", color(&design.look.colors.accent));
    for &token in Token::ALL {
        let run = match token.name() {
            "keyword" => &keyword,
            "string" => "<w:color w:val=\"8A3B00\"/>",
            "comment" => "<w:i/><w:iCs/><w:color w:val=\"59636E\"/>",
            "number" => "<w:color w:val=\"0B6E69\"/>",
            "inserted" => "<w:color w:val=\"0A5C9E\"/>",
            "deleted" => "<w:color w:val=\"A33B00\"/>",
            _ => "<w:color w:val=\"6F3FA0\"/>",
        };
        let name = format!("Code {}", in_title_case(token.name()));
        let base = Style { based_on: "DefaultParagraphFont", ..BASE };
        Style { id: &token_style(token), name: &name, run, ..base }.write(xml, "character");
    }
}

/// Returns the name of the style for a quotation or an admonition.
pub(super) fn quote_style(kind: Option<QuoteKind>) -> &'static str {
    match kind {
        None => "Quote",
        Some(QuoteKind::Note) => "CalloutNote",
        Some(QuoteKind::Tip) => "CalloutTip",
        Some(QuoteKind::Important) => "CalloutImportant",
        Some(QuoteKind::Warning) => "CalloutWarning",
        Some(QuoteKind::Caution) => "CalloutCaution",
    }
}

/// Returns the colours of a quotation or an admonition: of its line, and behind its text.
pub(super) fn quote_colors(kind: Option<QuoteKind>, colors: &OfficeColors) -> (&str, &str) {
    match kind {
        None => (&colors.line, &colors.fill),
        Some(QuoteKind::Note) => ("0969DA", "EEF5FD"),
        Some(QuoteKind::Tip) => ("1A7F37", "EFF6F1"),
        Some(QuoteKind::Important) => ("8250DF", "F6F3FD"),
        Some(QuoteKind::Warning) => ("C08A00", "FBF7ED"),
        Some(QuoteKind::Caution) => ("CF222E", "FCEFF0"),
    }
}

/// Returns the name of the style for text in a table, by its size in points.
pub(super) fn table_style(size: f64) -> String {
    let half_points = (size * 2.0).round();
    let known = TABLE_SIZES.iter().find(|known| f64::from(**known) == half_points);
    match known {
        Some(19) | None => "TableText".to_owned(),
        Some(size) => format!("TableText{size}"),
    }
}

/// Returns the line on the left of a quotation, at a distance in points from the text.
pub(super) fn quote_line(
    kind: Option<QuoteKind>,
    space: u32,
    is_from_right: bool,
    colors: &OfficeColors,
) -> String {
    let (line, fill) = quote_colors(kind, colors);
    let side = if is_from_right { "right" } else { "left" };
    format!(
        "<w:pBdr><w:{side} w:val=\"single\" w:sz=\"20\" w:space=\"{space}\" w:color=\"{line}\"/></w:pBdr>\
         <w:shd w:val=\"clear\" w:color=\"auto\" w:fill=\"{fill}\"/>"
    )
}

/// A style for paragraphs or characters.
struct Style<'a> {
    id: &'a str,
    name: &'a str,
    /// Style that it extends.
    based_on: &'a str,
    /// Style of the next paragraph that a user types.
    next: &'a str,
    /// `true` if the gallery of styles shows it.
    is_shown: bool,
    paragraph: &'a str,
    run: &'a str,
}

/// Defaults for all styles.
const BASE: Style<'static> = Style {
    id: "",
    name: "",
    based_on: "Normal",
    next: "",
    is_shown: false,
    paragraph: "",
    run: "",
};

impl Style<'_> {
    fn write(&self, xml: &mut String, kind: &str) {
        let Style { id, name, based_on, next, is_shown, paragraph, run } = self;
        let custom = if is_built_in(name) { "" } else { " w:customStyle=\"1\"" };
        let _ = write!(
            xml,
            "<w:style w:type=\"{kind}\"{custom} w:styleId=\"{id}\"><w:name w:val=\"{name}\"/>"
        );
        for (element, value) in [("basedOn", based_on), ("next", next)] {
            if !value.is_empty() {
                let _ = write!(xml, "<w:{element} w:val=\"{value}\"/>");
            }
        }
        xml.push_str("<w:uiPriority w:val=\"9\"/>");
        if *is_shown {
            xml.push_str("<w:qFormat/>");
        }
        for (element, value) in [("pPr", paragraph), ("rPr", run)] {
            if !value.is_empty() {
                let _ = write!(xml, "<w:{element}>{value}</w:{element}>");
            }
        }
        xml.push_str("</w:style>");
    }
}

/// Returns `true` if Word has a style of this name in every language.
fn is_built_in(name: &str) -> bool {
    !name.starts_with("Callout")
        && !name.starts_with("Table Text")
        && !name.starts_with("Code ")
        && !matches!(name, "Source Code" | "Inline Code")
}

/// Returns `word/styles.xml`.
pub(super) fn part(language: &Language, frame: &Frame<'_>) -> String {
    let design = frame.design;
    let (_, tag) = east_asian(language);
    let (latin_tag, complex_tag) = match language.code.as_str() {
        // Latin text in these languages counts as English for the spelling checker.
        "zh" | "ja" | "ko" => ("en-US".to_owned(), "ar-SA".to_owned()),
        _ if language.is_from_right() => ("en-US".to_owned(), language.tag()),
        _ => (language.tag(), "ar-SA".to_owned()),
    };
    let bidi = if language.is_from_right() { "<w:bidi/>" } else { "" };
    // A line of both scripts is as high as Chinese requires.
    let line = if matches!(language.code.as_str(), "zh" | "ja" | "ko") { 288 } else { 276 };
    // Word's default is black, which turns white on dark ground.
    let text = design.look.colors.text.as_str();
    let ink = if text == BLACK { String::new() } else { color(text) };
    let mut xml = format!(
        "{HEAD}<w:styles {NAMESPACES}><w:docDefaults><w:rPrDefault><w:rPr>{}{ink}{}\
         <w:lang w:val=\"{latin_tag}\" w:eastAsia=\"{}\" w:bidi=\"{complex_tag}\"/></w:rPr></w:rPrDefault>\
         <w:pPrDefault><w:pPr>{bidi}<w:spacing w:after=\"120\" w:line=\"{line}\" w:lineRule=\"auto\"/></w:pPr></w:pPrDefault>\
         </w:docDefaults>",
        Design::fonts(&design.look.text),
        size(design.sizes.text),
        tag
    );
    xml.push_str(
        "<w:style w:type=\"paragraph\" w:default=\"1\" w:styleId=\"Normal\"><w:name w:val=\"Normal\"/><w:qFormat/>\
         <w:pPr><w:jc w:val=\"both\"/></w:pPr></w:style>\
         <w:style w:type=\"character\" w:default=\"1\" w:styleId=\"DefaultParagraphFont\">\
         <w:name w:val=\"Default Paragraph Font\"/><w:uiPriority w:val=\"1\"/><w:semiHidden/></w:style>\
         <w:style w:type=\"numbering\" w:default=\"1\" w:styleId=\"NoList\"><w:name w:val=\"No List\"/>\
         <w:uiPriority w:val=\"99\"/><w:semiHidden/></w:style>",
    );
    headings(&mut xml, design);
    text_styles(&mut xml, design, language.is_from_right());
    frame_styles(&mut xml, frame);
    character_styles(&mut xml, design);
    code_styles(&mut xml, design);
    table_styles(&mut xml, design);
    xml + "</w:styles>"
}

fn headings(xml: &mut String, design: &Design) {
    let (colors, sizes) = (&design.look.colors, &design.sizes);
    let accent = &colors.accent;
    let fonts = heading_fonts(design);
    // A cover has the title in its upper half.
    let before = if design.has_cover { 3_600 } else { 0 };
    let title = format!(
        "<w:keepNext/><w:pBdr><w:bottom w:val=\"single\" w:sz=\"10\" w:space=\"6\" w:color=\"{accent}\"/></w:pBdr>\
         <w:spacing w:before=\"{before}\" w:after=\"240\"/><w:jc w:val=\"left\"/>"
    );
    let base = Style { next: "Normal", is_shown: true, ..BASE };
    let run = format!("{fonts}<w:b/><w:bCs/>{}{}", color(accent), size(sizes.title));
    Style { id: "Title", name: "Title", paragraph: &title, run: &run, ..base }
        .write(xml, "paragraph");
    let paragraph = "<w:spacing w:after=\"240\"/><w:jc w:val=\"left\"/>";
    Style { id: "Subtitle", name: "Subtitle", paragraph, run: &color(&colors.muted), ..base }
        .write(xml, "paragraph");
    for (index, points) in sizes.headings.into_iter().enumerate() {
        let level = index + 1;
        let before = if level == 1 { 320 } else { 240 };
        let ink = if level < 4 { accent } else { &colors.text };
        Style {
            id: &format!("Heading{level}"),
            name: &format!("heading {level}"),
            paragraph: &format!(
                "<w:keepNext/><w:keepLines/><w:spacing w:before=\"{before}\" w:after=\"120\"/><w:jc w:val=\"left\"/>\
                 <w:outlineLvl w:val=\"{index}\"/>"
            ),
            run: &format!("{fonts}<w:b/><w:bCs/>{}{}", color(ink), size(points)),
            ..base
        }
        .write(xml, "paragraph");
    }
}

/// Returns the fonts of headings, if they differ from those of text.
fn heading_fonts(design: &Design) -> String {
    let look = &design.look;
    if look.headings == look.text { String::new() } else { Design::fonts(&look.headings) }
}

/// Returns the element of a run for text of this colour.
fn color(digits: &str) -> String {
    format!("<w:color w:val=\"{digits}\"/>")
}

fn text_styles(xml: &mut String, design: &Design, is_from_right: bool) {
    let colors = &design.look.colors;
    let base = Style { is_shown: true, ..BASE };
    let tight = "<w:spacing w:after=\"120\"/><w:contextualSpacing/>";
    Style { id: "ListParagraph", name: "List Paragraph", paragraph: tight, ..base }
        .write(xml, "paragraph");
    let code = format!(
        "<w:pBdr>{}</w:pBdr><w:shd w:val=\"clear\" w:color=\"auto\" w:fill=\"{}\"/>\
         <w:spacing w:before=\"120\" w:after=\"160\" w:line=\"252\" w:lineRule=\"auto\"/>\
         <w:ind w:left=\"{CODE_INDENT}\" w:right=\"{CODE_INDENT}\"/><w:jc w:val=\"left\"/>",
        ["top", "left", "bottom", "right"]
            .map(|side| format!(
                "<w:{side} w:val=\"single\" w:sz=\"4\" w:space=\"4\" w:color=\"{}\"/>",
                colors.line
            ))
            .concat(),
        colors.fill
    );
    // Half a point larger than in a PDF, whose monospaced font is larger.
    let run = format!(
        "{}<w:noProof/>{}",
        Design::fonts(&design.look.code),
        size(design.sizes.code + 0.5)
    );
    Style { id: "SourceCode", name: "Source Code", paragraph: &code, run: &run, ..base }
        .write(xml, "paragraph");
    let kinds = [
        (None, "Quote"),
        (Some(QuoteKind::Note), "Callout Note"),
        (Some(QuoteKind::Tip), "Callout Tip"),
        (Some(QuoteKind::Important), "Callout Important"),
        (Some(QuoteKind::Warning), "Callout Warning"),
        (Some(QuoteKind::Caution), "Callout Caution"),
    ];
    for (kind, name) in kinds {
        let paragraph = format!(
            "{}<w:ind w:left=\"{INDENT}\" w:right=\"{INDENT}\"/>",
            quote_line(kind, QUOTE_SPACE, is_from_right, colors)
                + "<w:spacing w:before=\"60\" w:after=\"60\"/>",
            INDENT = QUOTE_INDENT,
        );
        Style { id: quote_style(kind), name, paragraph: &paragraph, ..base }
            .write(xml, "paragraph");
    }
}

/// Points between the line of a quotation and its text.
pub(super) const QUOTE_SPACE: u32 = 8;

/// Writes the styles of header, footer, contents and footnotes.
fn frame_styles(xml: &mut String, frame: &Frame<'_>) {
    let design = frame.design;
    let colors = &design.look.colors;
    let base = BASE;
    let small = format!("{}{}", color(&colors.muted), size(design.sizes.small));
    let header = format!(
        "<w:pBdr><w:bottom w:val=\"single\" w:sz=\"4\" w:space=\"4\" w:color=\"{}\"/></w:pBdr>\
         <w:spacing w:after=\"0\" w:line=\"240\" w:lineRule=\"auto\"/><w:jc w:val=\"left\"/>",
        colors.line
    );
    Style { id: "Header", name: "header", paragraph: &header, run: &small, ..base }
        .write(xml, "paragraph");
    let footer =
        "<w:spacing w:after=\"0\" w:line=\"240\" w:lineRule=\"auto\"/><w:jc w:val=\"center\"/>";
    Style { id: "Footer", name: "footer", paragraph: footer, run: &small, ..base }
        .write(xml, "paragraph");
    let note =
        "<w:spacing w:after=\"40\" w:line=\"252\" w:lineRule=\"auto\"/><w:jc w:val=\"left\"/>";
    let run = design.follows(18);
    Style { id: "FootnoteText", name: "footnote text", paragraph: note, run: &run, ..base }
        .write(xml, "paragraph");
    let caption =
        "<w:spacing w:after=\"200\" w:line=\"252\" w:lineRule=\"auto\"/><w:jc w:val=\"center\"/>";
    let run = format!("{}{}", color(&colors.muted), design.follows(19));
    Style { id: "Caption", name: "caption", paragraph: caption, run: &run, is_shown: true, ..base }
        .write(xml, "paragraph");
    let heading =
        "<w:keepNext/><w:spacing w:before=\"120\" w:after=\"120\"/><w:jc w:val=\"left\"/>";
    let run = format!(
        "{}<w:b/><w:bCs/>{}{}",
        heading_fonts(design),
        color(&colors.accent),
        size(design.sizes.headings[0])
    );
    Style { id: "TOCHeading", name: "TOC Heading", paragraph: heading, run: &run, ..base }
        .write(xml, "paragraph");
    let width = frame.width(false);
    for level in 1..=3_u32 {
        let left = (level - 1) * 252;
        let paragraph = format!(
            "<w:tabs><w:tab w:val=\"right\" w:leader=\"dot\" w:pos=\"{width}\"/></w:tabs><w:spacing w:after=\"60\"/>\
             <w:ind w:left=\"{left}\"/><w:jc w:val=\"left\"/>"
        );
        let (id, name) = (format!("TOC{level}"), format!("toc {level}"));
        Style { id: &id, name: &name, next: "Normal", paragraph: &paragraph, ..base }
            .write(xml, "paragraph");
    }
}

fn character_styles(xml: &mut String, design: &Design) {
    let colors = &design.look.colors;
    let base = Style { based_on: "DefaultParagraphFont", ..BASE };
    let run = format!("{}<w:u w:val=\"single\"/>", color(&colors.link));
    Style { id: "Hyperlink", name: "Hyperlink", run: &run, ..base }.write(xml, "character");
    let run = "<w:vertAlign w:val=\"superscript\"/>";
    Style { id: "FootnoteReference", name: "footnote reference", run, ..base }
        .write(xml, "character");
    // In the plain theme a little darker than blocks of code, because it has no border.
    let fill = if colors.fill == "F6F8FA" { "EFF1F3" } else { &colors.fill };
    let run = format!(
        "{}<w:noProof/>{}<w:shd w:val=\"clear\" w:color=\"auto\" w:fill=\"{fill}\"/>",
        Design::fonts(&design.look.code),
        design.follows(19)
    );
    Style { id: "InlineCode", name: "Inline Code", is_shown: true, run: &run, ..base }
        .write(xml, "character");
}

fn table_styles(xml: &mut String, design: &Design) {
    let colors = &design.look.colors;
    let base = BASE;
    for size in TABLE_SIZES {
        let (id, name) = match size {
            19 => ("TableText".to_owned(), "Table Text".to_owned()),
            size => (format!("TableText{size}"), format!("Table Text {}", f64::from(size) / 2.0)),
        };
        let paragraph = "<w:spacing w:before=\"40\" w:after=\"40\" w:line=\"252\" w:lineRule=\"auto\"/><w:jc w:val=\"left\"/>";
        let run = design.follows(size);
        Style { id: &id, name: &name, paragraph, run: &run, ..base }.write(xml, "paragraph");
    }
    let (accent, ink, band) = (&colors.accent, &colors.ink, &colors.band);
    let line = |side: &str, size: u32, color: &str| {
        format!("<w:{side} w:val=\"single\" w:sz=\"{size}\" w:space=\"0\" w:color=\"{color}\"/>")
    };
    let _ = write!(
        xml,
        "<w:style w:type=\"table\" w:default=\"1\" w:styleId=\"TableNormal\"><w:name w:val=\"Normal Table\"/>\
         <w:uiPriority w:val=\"99\"/><w:semiHidden/><w:tblPr><w:tblInd w:w=\"0\" w:type=\"dxa\"/><w:tblCellMar>\
         <w:top w:w=\"0\" w:type=\"dxa\"/><w:left w:w=\"108\" w:type=\"dxa\"/><w:bottom w:w=\"0\" w:type=\"dxa\"/>\
         <w:right w:w=\"108\" w:type=\"dxa\"/></w:tblCellMar></w:tblPr></w:style>\
         <w:style w:type=\"table\" w:customStyle=\"1\" w:styleId=\"ReportTable\"><w:name w:val=\"Report Table\"/>\
         <w:basedOn w:val=\"TableNormal\"/><w:uiPriority w:val=\"40\"/><w:qFormat/><w:tblPr>\
         <w:tblStyleRowBandSize w:val=\"1\"/><w:tblBorders>{}{}{}</w:tblBorders></w:tblPr>\
         <w:tblStylePr w:type=\"firstRow\"><w:rPr><w:b/><w:bCs/><w:color w:val=\"{ink}\"/></w:rPr>\
         <w:tcPr><w:shd w:val=\"clear\" w:color=\"auto\" w:fill=\"{accent}\"/></w:tcPr></w:tblStylePr>\
         <w:tblStylePr w:type=\"band2Horz\"><w:tcPr><w:shd w:val=\"clear\" w:color=\"auto\" w:fill=\"{band}\"/></w:tcPr>\
         </w:tblStylePr></w:style>",
        line("top", 8, accent),
        line("bottom", 8, accent),
        line("insideH", 4, &colors.line),
    );
}

/// Returns `word/fontTable.xml`, with substitutes for missing fonts. Their families decide between sans-serif and
/// monospaced.
pub(super) fn font_table(language: &Language, design: &Design) -> String {
    let (_, tag) = east_asian(language);
    let other = match tag {
        "zh-TW" => "PingFang TC;Noto Sans TC;Noto Sans CJK TC;Source Han Sans TC",
        "ja-JP" => "Hiragino Sans;Noto Sans JP;Noto Sans CJK JP",
        "ko-KR" => "Apple SD Gothic Neo;Noto Sans KR;Noto Sans CJK KR",
        _ => "微软雅黑;PingFang SC;Noto Sans SC;Noto Sans CJK SC;Source Han Sans SC;等线",
    };
    let mut xml = format!("{HEAD}<w:fonts {NAMESPACES}>");
    let look = &design.look;
    let mut known = BTreeSet::new();
    for (name, other, charset, family, pitch) in [
        (&*look.text.latin, "Carlito", "00", "swiss", "variable"),
        (&*look.text.complex, "Liberation Sans", "00", "swiss", "variable"),
        (&*look.code.latin, "DejaVu Sans Mono", "00", "modern", "fixed"),
        (&*look.text.east_asian, other, charset(tag), "swiss", "variable"),
        (&*look.headings.latin, "Carlito", "00", "swiss", "variable"),
        (&*look.headings.east_asian, other, charset(tag), "swiss", "variable"),
        (&*look.code.east_asian, other, charset(tag), "swiss", "variable"),
    ] {
        if !known.insert(name) {
            continue;
        }
        let _ = write!(
            xml,
            "<w:font w:name=\"{name}\"><w:altName w:val=\"{other}\"/><w:charset w:val=\"{charset}\"/>\
             <w:family w:val=\"{family}\"/><w:pitch w:val=\"{pitch}\"/></w:font>"
        );
    }
    xml + "</w:fonts>"
}

/// Returns the number of the Windows character set for a language.
fn charset(tag: &str) -> &'static str {
    match tag {
        "zh-TW" => "88",
        "ja-JP" => "80",
        "ko-KR" => "81",
        _ => "86",
    }
}
