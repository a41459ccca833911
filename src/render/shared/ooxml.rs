//! Parts that Word files and slides share: the archive, properties of the file, fonts. Knows nothing of text or slides.

use std::fmt::Write as _;
use std::io::{Cursor, Write as _};
use std::time::Duration;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use crate::model::language::Language;
use crate::shared::losses::Losses;
use crate::shared::xml::push_text;
use mitt_base::time::Moment;
use mitt_base::{Error, Result};

/// Begins every part.
pub(crate) const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";

/// Namespaces of relationships: of the package, and of Office.
pub(crate) const RELATIONSHIPS: &str =
    "http://schemas.openxmlformats.org/package/2006/relationships";
pub(crate) const OFFICE: &str =
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/// Returns the font for East Asian letters of a document, which Office has on Windows and macOS, and the tag of their
/// language.
///
/// The Chinese one is Microsoft YaHei: it has no serifs, like the fonts of the PDF, has a bold face, and is part of every
/// Windows since Vista in every language and of Office for macOS. 等线 comes only with a Chinese Office; 宋体 has no bold face
/// and no fitting Latin letters.
pub(crate) fn east_asian(language: &Language) -> (&'static str, &'static str) {
    match (language.code.as_str(), language.region.as_deref()) {
        ("zh", Some("TW" | "HK" | "MO")) => ("Microsoft JhengHei", "zh-TW"),
        ("ja", _) => ("Yu Gothic", "ja-JP"),
        ("ko", _) => ("Malgun Gothic", "ko-KR"),
        _ => ("Microsoft YaHei", "zh-CN"),
    }
}

/// Properties of a file.
pub(crate) struct Properties<'a> {
    pub(crate) title: Option<&'a str>,
    pub(crate) author: Option<&'a str>,
    pub(crate) created: Option<Duration>,
}

impl Properties<'_> {
    /// Returns `docProps/core.xml`.
    pub(crate) fn part(&self, language: &Language, losses: &mut Losses) -> String {
        let mut xml = format!(
            "{HEAD}<cp:coreProperties xmlns:cp=\"http://schemas.openxmlformats.org/package/2006/metadata/core-properties\" \
             xmlns:dc=\"http://purl.org/dc/elements/1.1/\" xmlns:dcterms=\"http://purl.org/dc/terms/\" \
             xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">"
        );
        let tag = language.tag();
        for (name, text) in
            [("title", self.title), ("creator", self.author), ("language", Some(tag.as_str()))]
        {
            let text = text.unwrap_or_default().trim();
            if !text.is_empty() {
                let _ = write!(xml, "<dc:{name}>");
                push_text(&mut xml, text, losses);
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

/// The archive. Entries have no time, so that the same parts give the same bytes.
pub(crate) struct Archive(ZipWriter<Cursor<Vec<u8>>>);

impl Archive {
    pub(crate) fn new() -> Archive {
        Archive(ZipWriter::new(Cursor::new(Vec::new())))
    }

    /// Adds a part that is text.
    pub(crate) fn add(&mut self, name: &str, xml: &str) -> Result<()> {
        self.entry(name, xml.as_bytes(), CompressionMethod::Deflated)
    }

    /// Adds a part that is already compressed.
    pub(crate) fn store(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        self.entry(name, bytes, CompressionMethod::Stored)
    }

    pub(crate) fn finish(self) -> Result<Vec<u8>> {
        Ok(self.0.finish().map_err(|error| failed(&error))?.into_inner())
    }

    fn entry(&mut self, name: &str, bytes: &[u8], method: CompressionMethod) -> Result<()> {
        let options = SimpleFileOptions::default()
            .compression_method(method)
            .last_modified_time(DateTime::DEFAULT);
        self.0.start_file(name, options).map_err(|error| failed(&error))?;
        self.0.write_all(bytes).map_err(|error| failed(&error))
    }
}

fn failed(error: &dyn std::fmt::Display) -> Error {
    Error::bug(format!("the document cannot be packed: {error}"))
}
