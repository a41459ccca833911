//! The table of contents: a field that Word can update, with its entries filled in for readers who do not update it.

use std::fmt::Write as _;

use super::paragraph::{BlockContext, Properties};
use super::runs::RunFormat;
use super::writer::Writer;

/// Levels of headings in it.
const LEVELS: u8 = 3;

impl Writer<'_> {
    /// Writes the table of contents. Page numbers appear with the update of the field: nothing here knows where a page ends,
    /// and a wrong number would be worse than none.
    pub(super) fn contents(&mut self) {
        let entries = self.outline.contents(LEVELS);
        if entries.is_empty() {
            return;
        }
        self.xml.push_str(
            "<w:sdt><w:sdtPr><w:docPartObj><w:docPartGallery w:val=\"Table of Contents\"/><w:docPartUnique/>\
             </w:docPartObj></w:sdtPr><w:sdtContent>",
        );
        let context = BlockContext::default();
        self.open(&context, Properties { style: "TOCHeading", ..Properties::default() });
        self.run(self.frame.language.say("目录", "Contents"), RunFormat::default());
        self.close();
        for (place_in_list, (level, index, text)) in entries.iter().enumerate() {
            let style = format!("TOC{level}");
            self.open(&context, Properties { style: &style, ..Properties::default() });
            if place_in_list == 0 {
                self.xml.push_str(concat!(
                    "<w:r><w:fldChar w:fldCharType=\"begin\"/></w:r>",
                    "<w:r><w:instrText xml:space=\"preserve\"> TOC \\o \"1-3\" \\h \\z \\u </w:instrText></w:r>",
                    "<w:r><w:fldChar w:fldCharType=\"separate\"/></w:r>"
                ));
            }
            let _ = write!(self.xml, "<w:hyperlink w:anchor=\"_Toc{index}\" w:history=\"1\">");
            self.run(text, RunFormat::default());
            self.xml.push_str("</w:hyperlink>");
            if place_in_list + 1 == entries.len() {
                self.xml.push_str("<w:r><w:fldChar w:fldCharType=\"end\"/></w:r>");
            }
            self.close();
        }
        self.xml.push_str("</w:sdtContent></w:sdt>");
    }
}
