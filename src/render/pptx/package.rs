//! The package: which parts there are, what refers to what, the archive. Knows nothing of the text.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{Cursor, Write as _};
use std::time::Duration;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::deck::Media;
use super::parts;
use crate::language::Language;
use crate::picture::Format;
use crate::told::Told;
use crate::xml::push_text;
use mitt_base::time::Moment;
use mitt_base::{Error, Result};

/// Begins every part.
pub(super) const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";

/// The namespaces of parts with shapes.
pub(super) const NAMESPACES: &str = concat!(
    "xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\"",
    " xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\"",
    " xmlns:p=\"http://schemas.openxmlformats.org/presentationml/2006/main\""
);

const RELATIONSHIPS: &str = "http://schemas.openxmlformats.org/package/2006/relationships";
const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const KIND: &str = "application/vnd.openxmlformats-officedocument.presentationml";

/// A slide as a part, and what it refers to.
pub(super) struct Written {
    pub(super) xml: String,
    /// Index of its layout.
    pub(super) layout: usize,
    pub(super) targets: Vec<Target>,
}

/// What a slide refers to, by number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Address(String),
    /// Index of a slide.
    Slide(usize),
    /// Number of a picture, from 0.
    Picture(usize),
}

/// Identifier of what a slide refers to with this number; that of its layout is `rId1`.
pub(super) fn identifier(target: usize) -> String {
    format!("rId{}", target + 2)
}

/// Properties of the file.
pub(super) struct Properties {
    pub(super) title: Option<String>,
    pub(super) authors: String,
    pub(super) created: Option<Duration>,
}

impl Properties {
    /// `docProps/core.xml`
    pub(super) fn core(&self, language: &Language, told: &mut Told) -> String {
        let mut xml = format!(
            "{HEAD}<cp:coreProperties xmlns:cp=\"http://schemas.openxmlformats.org/package/2006/metadata/core-properties\" \
             xmlns:dc=\"http://purl.org/dc/elements/1.1/\" xmlns:dcterms=\"http://purl.org/dc/terms/\" \
             xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">"
        );
        let tag = language.tag();
        let title = self.title.as_deref().unwrap_or_default();
        for (name, text) in [("title", title), ("creator", &self.authors), ("language", &tag)] {
            if !text.trim().is_empty() {
                let _ = write!(xml, "<dc:{name}>");
                push_text(&mut xml, text.trim(), told);
                let _ = write!(xml, "</dc:{name}>");
            }
        }
        if let Some(created) = self.created {
            let at = Moment::after_epoch(created);
            for name in ["created", "modified"] {
                let _ = write!(
                    xml,
                    "<dcterms:{name} xsi:type=\"dcterms:W3CDTF\">{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z</dcterms:{name}>",
                    at.year, at.month, at.day, at.hour, at.minute, at.second
                );
            }
        }
        xml + "</cp:coreProperties>"
    }
}

/// A list of what a part refers to.
fn relationships<'a>(all: impl Iterator<Item = (String, &'a str, String, bool)>) -> String {
    let mut xml = format!("{HEAD}<Relationships xmlns=\"{RELATIONSHIPS}\">");
    for (id, kind, target, is_outside) in all {
        let kind = if kind.contains('/') { kind.to_owned() } else { format!("{OFFICE}/{kind}") };
        let _ = write!(xml, "<Relationship Id=\"{id}\" Type=\"{kind}\" Target=\"");
        // What is in it was told where the link stands.
        push_text(&mut xml, &target, &mut Told::default());
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

/// The name of a picture's part below `ppt`.
fn media_name(number: usize, format: Format) -> String {
    format!("media/image{}.{}", number + 1, format.extension())
}

fn of_slide(slide: &Written, media: &[Media]) -> String {
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
    });
    relationships(std::iter::once(layout).chain(targets))
}

/// The kind of each part.
fn content_types(slides: usize, media: &[Media]) -> String {
    let mut xml = format!(
        "{HEAD}<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">\
         <Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
         <Default Extension=\"xml\" ContentType=\"application/xml\"/>\
         <Override PartName=\"/docProps/core.xml\" ContentType=\"application/vnd.openxmlformats-package.core-properties+xml\"/>\
         <Override PartName=\"/ppt/presentation.xml\" ContentType=\"{KIND}.presentation.main+xml\"/>\
         <Override PartName=\"/ppt/theme/theme1.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.theme+xml\"/>\
         <Override PartName=\"/ppt/slideMasters/slideMaster1.xml\" ContentType=\"{KIND}.slideMaster+xml\"/>"
    );
    let formats: BTreeSet<_> = media.iter().map(|media| media.format).collect();
    let defaults = formats.into_iter().map(|format| {
        let (extension, kind) = (format.extension(), format.media_type());
        format!("<Default Extension=\"{extension}\" ContentType=\"{kind}\"/>")
    });
    // Extensions stand before parts.
    let at = xml.find("<Override").unwrap_or(xml.len());
    xml.insert_str(at, &defaults.collect::<String>());
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

/// The archive. Entries have no time, so that the same parts make the same bytes.
pub(super) fn pack(
    core: String,
    slides: Vec<Written>,
    media: &[Media],
    language: &Language,
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
    // The kinds come first: programs that guess what a file is look there.
    archive.add("[Content_Types].xml", &content_types(slides.len(), media))?;
    archive.add("_rels/.rels", &relationships(of_package.into_iter()))?;
    archive.add("docProps/core.xml", &core)?;
    archive.add("ppt/presentation.xml", &parts::presentation(slides.len(), language))?;
    archive.add(
        "ppt/_rels/presentation.xml.rels",
        &relationships(of_presentation.into_iter().chain(of_slides)),
    )?;
    archive.add("ppt/theme/theme1.xml", &parts::theme(language))?;
    archive.add("ppt/slideMasters/slideMaster1.xml", &parts::master())?;
    archive.add("ppt/slideMasters/_rels/slideMaster1.xml.rels", &relationships(of_master))?;
    for (index, number) in layouts.enumerate() {
        archive.add(&format!("ppt/slideLayouts/slideLayout{number}.xml"), &parts::layout(index))?;
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
    archive.finish()
}

/// Kind of the properties, which is of the package and not of Office.
const CORE: &str =
    "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties";

struct Archive(ZipWriter<Cursor<Vec<u8>>>);

impl Archive {
    fn new() -> Archive {
        Archive(ZipWriter::new(Cursor::new(Vec::new())))
    }

    fn add(&mut self, name: &str, xml: &str) -> Result<()> {
        self.entry(name, xml.as_bytes(), CompressionMethod::Deflated)
    }

    /// What is packed already.
    fn store(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        self.entry(name, bytes, CompressionMethod::Stored)
    }

    fn entry(&mut self, name: &str, bytes: &[u8], method: CompressionMethod) -> Result<()> {
        let options = SimpleFileOptions::default()
            .compression_method(method)
            .last_modified_time(DateTime::DEFAULT);
        self.0.start_file(name, options).map_err(|error| failed(&error))?;
        self.0.write_all(bytes).map_err(|error| failed(&error))
    }

    fn finish(self) -> Result<Vec<u8>> {
        Ok(self.0.finish().map_err(|error| failed(&error))?.into_inner())
    }
}

fn failed(error: &dyn std::fmt::Display) -> Error {
    Error::bug(format!("the slides cannot be packed: {error}"))
}
