//! A picture or chart in a line of text. Knows no files: the content is a part that a relationship names.

use std::fmt::Write as _;

use super::writer::Writer;
use crate::shared::xml::push_text;

/// A drawing in a line of text.
pub(super) struct Drawing<'a> {
    /// Name in lists of programs: `Picture 3`.
    pub(super) name: &'a str,
    /// Description and title.
    pub(super) description: &'a str,
    pub(super) title: Option<&'a str>,
    /// Width and height in English metric units.
    pub(super) size: [u64; 2],
}

/// A picture in a line of text.
pub(super) struct InlinePicture<'a> {
    pub(super) drawing: Drawing<'a>,
    /// Name of its file.
    pub(super) file: &'a str,
    /// Relationship to its part.
    pub(super) relationship: &'a str,
}

impl Writer<'_> {
    pub(super) fn inline_picture(&mut self, picture: &InlinePicture<'_>) {
        let InlinePicture { drawing, file, relationship } = picture;
        let (id, [cx, cy]) = (self.drawings + 1, drawing.size);
        let graphic = format!(
            "<a:graphic><a:graphicData uri=\"http://schemas.openxmlformats.org/drawingml/2006/picture\"><pic:pic>\
             <pic:nvPicPr><pic:cNvPr id=\"{id}\" name=\"{file}\"/><pic:cNvPicPr/></pic:nvPicPr>\
             <pic:blipFill><a:blip r:embed=\"{relationship}\"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill>\
             <pic:spPr><a:xfrm><a:off x=\"0\" y=\"0\"/><a:ext cx=\"{cx}\" cy=\"{cy}\"/></a:xfrm>\
             <a:prstGeom prst=\"rect\"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData></a:graphic>"
        );
        let locked = "<wp:cNvGraphicFramePr><a:graphicFrameLocks noChangeAspect=\"1\"/></wp:cNvGraphicFramePr>";
        self.inline_drawing(drawing, &(locked.to_owned() + &graphic));
    }

    /// Writes a drawing whose frame contains `graphic`.
    pub(super) fn inline_drawing(&mut self, drawing: &Drawing<'_>, graphic: &str) {
        let Drawing { name, description, title, size: [cx, cy] } = *drawing;
        self.drawings += 1;
        let id = self.drawings;
        let _ = write!(
            self.xml,
            "<w:r><w:drawing><wp:inline distT=\"0\" distB=\"0\" distL=\"0\" distR=\"0\">\
             <wp:extent cx=\"{cx}\" cy=\"{cy}\"/><wp:docPr id=\"{id}\" name=\"{name}\""
        );
        for (attribute, text) in [("descr", Some(description)), ("title", title)] {
            if let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) {
                let _ = write!(self.xml, " {attribute}=\"");
                push_text(&mut self.xml, text, &mut self.losses);
                self.xml.push('"');
            }
        }
        let _ = write!(self.xml, "/>{graphic}</wp:inline></w:drawing></w:r>");
    }
}
