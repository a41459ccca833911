//! The package: its parts, their relationships, the archive. Knows nothing of the text.

use super::pictures::part_name;
use super::references::{Charts, File, Links};
use crate::shared::chart::{BOOK_KIND, CHART_KIND, chart_name};
use crate::shared::losses::Losses;
use crate::shared::office_pictures::picture_kinds;
use crate::shared::ooxml::{Archive, HEAD, OFFICE, RELATIONSHIPS};
use crate::shared::picture::{Format, Picture};
use crate::shared::xml::push_text;
use mitt_base::Result;

/// Parts to which every document refers: identifier, kind and name. Links are numbered separately.
const FIXED: [(&str, &str, &str); 9] = [
    ("rIdStyles", "styles", "styles.xml"),
    ("rIdSettings", "settings", "settings.xml"),
    ("rIdFonts", "fontTable", "fontTable.xml"),
    ("rIdNumbering", "numbering", "numbering.xml"),
    ("rIdNotes", "footnotes", "footnotes.xml"),
    ("rIdHeader", "header", "header1.xml"),
    ("rIdFooter", "footer", "footer1.xml"),
    // For the first page. Word writes a part for each, even if they are alike.
    ("rIdFirstHeader", "header", "header2.xml"),
    ("rIdFirstFooter", "footer", "footer2.xml"),
];

/// A part.
pub(super) struct PackagePart {
    name: &'static str,
    xml: String,
}

impl PackagePart {
    pub(super) fn new(name: &'static str, xml: String) -> PackagePart {
        PackagePart { name, xml }
    }
}

/// Returns the relationships of a part with text.
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
        // Characters that XML cannot hold were reported with the link.
        push_text(&mut xml, url, &mut Losses::default());
        xml.push_str("\" TargetMode=\"External\"/>");
    }
    for (number, file) in charts.standing(!is_document) {
        let (kind, target) = match file {
            File::Native(_) => ("chart", chart_name(number)),
            File::Picture(_) => ("image", format!("media/chart{number}.png")),
        };
        xml.push_str(&format!(
            "<Relationship Id=\"rIdChart{number}\" Type=\"{OFFICE}/{kind}\" Target=\"{target}\"/>"
        ));
    }
    xml + "</Relationships>"
}

/// Returns the content type of each part.
fn content_types(pictures: &[Picture], charts: &Charts) -> String {
    let word = "application/vnd.openxmlformats-officedocument.wordprocessingml";
    let mut xml = format!(
        "{HEAD}<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">\
         <Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
         <Default Extension=\"xml\" ContentType=\"application/xml\"/>\
         <Override PartName=\"/docProps/core.xml\" ContentType=\"application/vnd.openxmlformats-package.core-properties+xml\"/>\
         <Override PartName=\"/word/document.xml\" ContentType=\"{word}.document.main+xml\"/>"
    );
    let is_picture = |(_, file): (usize, &File)| matches!(file, File::Picture(_));
    let drawn = charts.files().any(is_picture).then_some(Format::Png);
    let formats = pictures.iter().map(|picture| picture.format).chain(drawn);
    // Extensions come before parts.
    let at = xml.find("<Override").unwrap_or(xml.len());
    xml.insert_str(at, &picture_kinds(formats));
    let natives = || charts.files().filter(|it| !is_picture(*it));
    if natives().next().is_some() {
        xml.insert_str(at, BOOK_KIND);
    }
    for (number, _) in natives() {
        let name = chart_name(number);
        xml.push_str(&format!(
            "<Override PartName=\"/word/{name}\" ContentType=\"{CHART_KIND}\"/>"
        ));
    }
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

/// Returns the archive of the parts.
pub(super) fn pack(
    parts: Vec<PackagePart>,
    (pictures, charts): (&[Picture], &Charts),
) -> Result<Vec<u8>> {
    let mut archive = Archive::new();
    // Content types come first, because programs that guess the type of a file look there.
    archive.add("[Content_Types].xml", &content_types(pictures, charts))?;
    archive.add("_rels/.rels", &package_relationships())?;
    for part in parts {
        archive.add(part.name, &part.xml)?;
    }
    for (number, picture) in pictures.iter().enumerate() {
        archive.store(&format!("word/{}", part_name(number, picture.format)), &picture.file)?;
    }
    for (number, file) in charts.files() {
        match file {
            File::Native(parts) => parts.store(&mut archive, "word", number)?,
            File::Picture(file) => {
                archive.store(&format!("word/media/chart{number}.png"), file)?;
            }
        }
    }
    archive.finish()
}
