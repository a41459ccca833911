//! The package: which parts there are, what refers to what, the archive. Knows nothing of the text.

use std::collections::BTreeSet;
use std::io::{Cursor, Write as _};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::charts::Charts;
use super::pictures::part_name;
use super::runs::Links;
use crate::picture::{Format, Picture};
use crate::told::Told;
use crate::xml::push_text;
use mitt_base::{Error, Result};

/// Begins every part.
pub(super) const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";

/// The namespaces of parts with text.
pub(super) const NAMESPACES: &str = concat!(
    "xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"",
    " xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\"",
    " xmlns:m=\"http://schemas.openxmlformats.org/officeDocument/2006/math\"",
    " xmlns:wp=\"http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing\"",
    " xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\"",
    " xmlns:pic=\"http://schemas.openxmlformats.org/drawingml/2006/picture\""
);

const RELATIONSHIPS: &str = "http://schemas.openxmlformats.org/package/2006/relationships";
const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/// Parts that the document refers to: its identifier, kind and name. Links are numbered on their own.
const FIXED: [(&str, &str, &str); 8] = [
    ("rIdStyles", "styles", "styles.xml"),
    ("rIdSettings", "settings", "settings.xml"),
    ("rIdFonts", "fontTable", "fontTable.xml"),
    ("rIdNumbering", "numbering", "numbering.xml"),
    ("rIdNotes", "footnotes", "footnotes.xml"),
    ("rIdHeader", "header", "header1.xml"),
    ("rIdFooter", "footer", "footer1.xml"),
    // Of the first page. Word makes a part for each, even where they are alike.
    ("rIdFirstFooter", "footer", "footer2.xml"),
];

/// A part.
pub(super) struct Part {
    name: &'static str,
    xml: String,
}

impl Part {
    pub(super) fn new(name: &'static str, xml: String) -> Part {
        Part { name, xml }
    }
}

/// What a part with text refers to.
pub(super) fn relationships(
    links: &Links,
    (pictures, charts): (&[Picture], &Charts),
    is_document: bool,
) -> String {
    let mut xml = format!("{HEAD}<Relationships xmlns=\"{RELATIONSHIPS}\">");
    for (id, kind, name) in FIXED.iter().filter(|_| is_document) {
        xml.push_str(&format!(
            "<Relationship Id=\"{id}\" Type=\"{OFFICE}/{kind}\" Target=\"{name}\"/>"
        ));
    }
    for number in links.pictures() {
        let Some(picture) = pictures.get(*number) else { continue };
        xml.push_str(&format!(
            "<Relationship Id=\"rIdPicture{number}\" Type=\"{OFFICE}/image\" Target=\"{}\"/>",
            part_name(*number, picture.format)
        ));
    }
    for (index, url) in links.urls().iter().enumerate() {
        xml.push_str(&format!(
            "<Relationship Id=\"rId{index}\" Type=\"{OFFICE}/hyperlink\" Target=\""
        ));
        // What is in it was told where the link stands.
        push_text(&mut xml, url, &mut Told::default());
        xml.push_str("\" TargetMode=\"External\"/>");
    }
    for number in charts.numbers(!is_document) {
        xml.push_str(&format!(
            "<Relationship Id=\"rIdChart{number}\" Type=\"{OFFICE}/image\" Target=\"media/chart{number}.png\"/>"
        ));
    }
    xml + "</Relationships>"
}

/// The kind of each part.
fn content_types(pictures: &[Picture], charts: &Charts) -> String {
    let word = "application/vnd.openxmlformats-officedocument.wordprocessingml";
    let mut xml = format!(
        "{HEAD}<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">\
         <Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
         <Default Extension=\"xml\" ContentType=\"application/xml\"/>\
         <Override PartName=\"/docProps/core.xml\" ContentType=\"application/vnd.openxmlformats-package.core-properties+xml\"/>\
         <Override PartName=\"/word/document.xml\" ContentType=\"{word}.document.main+xml\"/>"
    );
    let mut formats: BTreeSet<_> = pictures.iter().map(|picture| picture.format).collect();
    if !charts.files().is_empty() {
        formats.insert(Format::Png);
    }
    let defaults = formats.into_iter().map(|format| {
        let (extension, kind) = (format.extension(), format.media_type());
        format!("<Default Extension=\"{extension}\" ContentType=\"{kind}\"/>")
    });
    // Extensions stand before parts.
    let at = xml.find("<Override").unwrap_or(xml.len());
    xml.insert_str(at, &defaults.collect::<String>());
    for (_, kind, name) in FIXED {
        xml.push_str(&format!(
            "<Override PartName=\"/word/{name}\" ContentType=\"{word}.{kind}+xml\"/>"
        ));
    }
    xml + "</Types>"
}

fn package_relationships() -> String {
    format!(
        "{HEAD}<Relationships xmlns=\"{RELATIONSHIPS}\">\
         <Relationship Id=\"rId1\" Type=\"{OFFICE}/officeDocument\" Target=\"word/document.xml\"/>\
         <Relationship Id=\"rId2\" Type=\"{RELATIONSHIPS}/metadata/core-properties\" Target=\"docProps/core.xml\"/>\
         </Relationships>"
    )
}

/// The archive. Entries have no time, so that the same parts make the same bytes.
pub(super) fn pack(parts: Vec<Part>, (pictures, charts): (&[Picture], &Charts)) -> Result<Vec<u8>> {
    let first = [
        // The kinds come first: programs that guess what a file is look there.
        Part::new("[Content_Types].xml", content_types(pictures, charts)),
        Part::new("_rels/.rels", package_relationships()),
    ];
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(DateTime::DEFAULT);
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let failed = |error: &dyn std::fmt::Display| {
        Error::bug(format!("the document cannot be packed: {error}"))
    };
    for part in first.into_iter().chain(parts) {
        zip.start_file(part.name, options).map_err(|error| failed(&error))?;
        zip.write_all(part.xml.as_bytes()).map_err(|error| failed(&error))?;
    }
    // They are packed already.
    let stored = options.compression_method(CompressionMethod::Stored);
    for (number, picture) in pictures.iter().enumerate() {
        let name = format!("word/{}", part_name(number, picture.format));
        zip.start_file(name, stored).map_err(|error| failed(&error))?;
        zip.write_all(&picture.file).map_err(|error| failed(&error))?;
    }
    for (index, picture) in charts.files().iter().enumerate() {
        let name = format!("word/media/chart{}.png", index + 1);
        zip.start_file(name, stored).map_err(|error| failed(&error))?;
        zip.write_all(picture).map_err(|error| failed(&error))?;
    }
    Ok(zip.finish().map_err(|error| failed(&error))?.into_inner())
}
