//! The package: its parts, their relationships, the archive. Knows nothing of the text.

use std::fmt::Write as _;

use super::deck::Media;
use super::design::Design;
use super::parts;
use crate::model::language::Language;
use crate::shared::chart::{BOOK_KIND, CHART_KIND, ChartParts, chart_name};
use crate::shared::losses::Losses;
use crate::shared::office_pictures::picture_kinds;
use crate::shared::ooxml::{Archive, HEAD, OFFICE, RELATIONSHIPS};
use crate::shared::picture::Format;
use crate::shared::xml::push_text;
use mitt_base::Result;

const KIND: &str = "application/vnd.openxmlformats-officedocument.presentationml";

/// A slide as a part, with its link targets.
pub(super) struct SlidePart {
    pub(super) xml: String,
    /// Index of its layout.
    pub(super) layout: usize,
    pub(super) targets: Vec<Target>,
}

/// Target of a relationship of a slide, by number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Address(String),
    /// Index of a slide.
    Slide(usize),
    /// Number of a picture, from 0.
    Picture(usize),
    /// Number of a chart, from 1.
    Chart(usize),
}

/// Returns the identifier of the relationship with this number; that of the layout is `rId1`.
pub(super) fn identifier(target: usize) -> String {
    format!("rId{}", target + 2)
}

/// Returns the relationships of a part.
fn relationships<'a>(all: impl Iterator<Item = (String, &'a str, String, bool)>) -> String {
    let mut xml = format!("{HEAD}<Relationships xmlns=\"{RELATIONSHIPS}\">");
    for (id, kind, target, is_outside) in all {
        let kind = if kind.contains('/') { kind.to_owned() } else { format!("{OFFICE}/{kind}") };
        let _ = write!(xml, "<Relationship Id=\"{id}\" Type=\"{kind}\" Target=\"");
        // Characters that XML cannot hold were reported with the link.
        push_text(&mut xml, &target, &mut Losses::default());
        xml.push_str(if is_outside { "\" TargetMode=\"External\"/>" } else { "\"/>" });
    }
    xml + "</Relationships>"
}

fn inside(
    id: impl Into<String>,
    kind: &str,
    target: impl Into<String>,
) -> (String, &str, String, bool) {
    (id.into(), kind, target.into(), false)
}

/// Returns the name of a picture's part below `ppt`.
fn media_name(number: usize, format: Format) -> String {
    format!("media/image{}.{}", number + 1, format.extension())
}

fn of_slide(slide: &SlidePart, media: &[Media]) -> String {
    let layout = inside(
        "rId1",
        "slideLayout",
        format!("../slideLayouts/slideLayout{}.xml", slide.layout + 1),
    );
    let targets = slide.targets.iter().enumerate().map(|(index, target)| match target {
        Target::Address(url) => (identifier(index), "hyperlink", url.clone(), true),
        Target::Slide(slide) => {
            inside(identifier(index), "slide", format!("slide{}.xml", slide + 1))
        }
        Target::Picture(number) => {
            let format = media.get(*number).map_or(Format::Png, |media| media.format);
            inside(identifier(index), "image", format!("../{}", media_name(*number, format)))
        }
        Target::Chart(number) => {
            inside(identifier(index), "chart", format!("../{}", chart_name(*number)))
        }
    });
    relationships(std::iter::once(layout).chain(targets))
}

/// Returns the content type of each part.
fn content_types(slides: usize, media: &[Media], charts: usize) -> String {
    let mut xml = format!(
        "{HEAD}<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">\
         <Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
         <Default Extension=\"xml\" ContentType=\"application/xml\"/>\
         <Override PartName=\"/docProps/core.xml\" ContentType=\"application/vnd.openxmlformats-package.core-properties+xml\"/>\
         <Override PartName=\"/ppt/presentation.xml\" ContentType=\"{KIND}.presentation.main+xml\"/>\
         <Override PartName=\"/ppt/theme/theme1.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.theme+xml\"/>\
         <Override PartName=\"/ppt/slideMasters/slideMaster1.xml\" ContentType=\"{KIND}.slideMaster+xml\"/>"
    );
    // Extensions come before parts.
    let at = xml.find("<Override").unwrap_or(xml.len());
    xml.insert_str(at, &picture_kinds(media.iter().map(|media| media.format)));
    if charts > 0 {
        xml.insert_str(at, BOOK_KIND);
    }
    for chart in 1..=charts {
        let name = chart_name(chart);
        let _ = write!(xml, "<Override PartName=\"/ppt/{name}\" ContentType=\"{CHART_KIND}\"/>");
    }
    for layout in 1..=parts::LAYOUTS.len() {
        let _ = write!(
            xml,
            "<Override PartName=\"/ppt/slideLayouts/slideLayout{layout}.xml\" ContentType=\"{KIND}.slideLayout+xml\"/>"
        );
    }
    for slide in 1..=slides {
        let _ = write!(
            xml,
            "<Override PartName=\"/ppt/slides/slide{slide}.xml\" ContentType=\"{KIND}.slide+xml\"/>"
        );
    }
    xml + "</Types>"
}

/// Returns the archive of the parts.
pub(super) fn pack(
    properties: String,
    slides: Vec<SlidePart>,
    (media, charts): (&[Media], &[ChartParts]),
    language: &Language,
    design: &Design,
) -> Result<Vec<u8>> {
    let layouts = 1..=parts::LAYOUTS.len();
    let layout_names =
        layouts.clone().map(|n| (format!("rId{n}"), format!("../slideLayouts/slideLayout{n}.xml")));
    let of_master = layout_names
        .map(|(id, target)| inside(id, "slideLayout", target))
        .chain([inside("rIdTheme", "theme", "../theme/theme1.xml")]);
    let of_presentation = [
        inside("rIdMaster", "slideMaster", "slideMasters/slideMaster1.xml"),
        inside("rIdTheme", "theme", "theme/theme1.xml"),
    ];
    let of_slides = (1..=slides.len())
        .map(|n| inside(format!("rId{n}"), "slide", format!("slides/slide{n}.xml")));
    let of_package = [
        inside("rId1", "officeDocument", "ppt/presentation.xml"),
        inside("rId2", CORE, "docProps/core.xml"),
    ];
    let mut archive = Archive::new();
    // Content types come first, because programs that guess the type of a file look there.
    archive.add("[Content_Types].xml", &content_types(slides.len(), media, charts.len()))?;
    archive.add("_rels/.rels", &relationships(of_package.into_iter()))?;
    archive.add("docProps/core.xml", &properties)?;
    archive.add("ppt/presentation.xml", &parts::presentation(slides.len(), language))?;
    archive.add(
        "ppt/_rels/presentation.xml.rels",
        &relationships(of_presentation.into_iter().chain(of_slides)),
    )?;
    archive.add("ppt/theme/theme1.xml", &parts::theme(design))?;
    archive.add("ppt/slideMasters/slideMaster1.xml", &parts::master(design))?;
    archive.add("ppt/slideMasters/_rels/slideMaster1.xml.rels", &relationships(of_master))?;
    for (index, number) in layouts.enumerate() {
        archive.add(
            &format!("ppt/slideLayouts/slideLayout{number}.xml"),
            &parts::layout(index, design),
        )?;
        let master = inside("rId1", "slideMaster", "../slideMasters/slideMaster1.xml");
        archive.add(
            &format!("ppt/slideLayouts/_rels/slideLayout{number}.xml.rels"),
            &relationships(std::iter::once(master)),
        )?;
    }
    for (index, slide) in slides.iter().enumerate() {
        let number = index + 1;
        archive.add(&format!("ppt/slides/slide{number}.xml"), &slide.xml)?;
        archive
            .add(&format!("ppt/slides/_rels/slide{number}.xml.rels"), &of_slide(slide, media))?;
    }
    for (number, media) in media.iter().enumerate() {
        archive.store(&format!("ppt/{}", media_name(number, media.format)), &media.bytes)?;
    }
    for (index, chart) in charts.iter().enumerate() {
        chart.store(&mut archive, "ppt", index + 1)?;
    }
    archive.finish()
}

/// Relationship type of the core properties, which belongs to the package and not to Office.
const CORE: &str =
    "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties";
