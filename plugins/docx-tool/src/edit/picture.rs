//! Pictures from documents of the session.

use super::{Batch, Done, Where, place_new};
use crate::error::{Result, invalid};
use crate::story::Paragraph;
use crate::text;
use crate::xml::{Tree, escape_attr};

/// English metric units of an inch, a centimetre and a twentieth of a point.
const EMU_INCH: f64 = 914_400.0;
const EMU_CM: f64 = 360_000.0;
const EMU_TWIP: f64 = 635.0;
/// Most bytes of a picture, 32 MiB.
const MAX_BYTES: usize = 32 << 20;

/// What the head of a picture says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Head {
    pub(crate) is_png: bool,
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// Pixels in an inch.
    pub(crate) density: f64,
}

/// Reads the head of a PNG or JPEG file.
pub(crate) fn head(bytes: &[u8]) -> Option<Head> {
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") { png(bytes) } else { jpeg(bytes) }
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?).into())
}

fn png(bytes: &[u8]) -> Option<Head> {
    if bytes.get(12..16)? != b"IHDR" {
        return None;
    }
    let (width, height) = (u32_at(bytes, 16)?, u32_at(bytes, 20)?);
    let mut density = 96.0;
    let mut at = 33;
    while let (Some(length), Some(kind)) = (u32_at(bytes, at), bytes.get(at + 4..at + 8)) {
        match kind {
            b"pHYs" if bytes.get(at + 16) == Some(&1) => {
                density = f64::from(u32_at(bytes, at + 8)?) * 0.0254;
            }
            b"IDAT" => break,
            _ => {}
        }
        at = at.checked_add(12)?.checked_add(length as usize)?;
    }
    Some(Head { is_png: true, width, height, density })
}

fn jpeg(bytes: &[u8]) -> Option<Head> {
    if !bytes.starts_with(&[0xff, 0xd8, 0xff]) {
        return None;
    }
    let mut density = 96.0;
    let mut at = 2;
    loop {
        while bytes.get(at)? == &0xff && bytes.get(at + 1)? == &0xff {
            at += 1;
        }
        if bytes.get(at)? != &0xff {
            return None;
        }
        let marker = *bytes.get(at + 1)?;
        let length = u16_at(bytes, at + 2)? as usize;
        match marker {
            0xe0 if bytes.get(at + 4..at + 9)? == b"JFIF\0" => {
                let value = f64::from(u16_at(bytes, at + 12)?);
                match bytes.get(at + 11)? {
                    1 => density = value,
                    2 => density = value * 2.54,
                    _ => {}
                }
            }
            // Start of a frame; three of these markers are others.
            0xc0..=0xcf if !matches!(marker, 0xc4 | 0xc8 | 0xcc) => {
                let (height, width) = (u16_at(bytes, at + 5)?, u16_at(bytes, at + 7)?);
                return Some(Head { is_png: false, width, height, density });
            }
            0xd9 | 0xda => return None,
            _ => {}
        }
        at += 2 + length.max(2);
    }
}

impl Batch<'_> {
    pub(super) fn insert_picture(
        &mut self,
        place: &Paragraph,
        side: Where,
        name: &str,
        bytes: &[u8],
        width_cm: Option<f64>,
        alt: &str,
    ) -> Result<Done> {
        let anchor = self.document.anchor(place);
        if bytes.len() > MAX_BYTES {
            return invalid(format!(
                "expected a picture of at most {MAX_BYTES} bytes, got {}",
                bytes.len()
            ));
        }
        let head = head(bytes).filter(|it| it.width > 0 && it.height > 0);
        let Some(head) = head else {
            return invalid(format!("expected a PNG or JPEG picture, got another file: `{name}`"));
        };
        if place.twin.is_some() {
            return invalid("a picture cannot stand in this text box");
        }
        let density = if (10.0..=2_400.0).contains(&head.density) { head.density } else { 96.0 };
        let ratio = f64::from(head.height) / f64::from(head.width);
        let most = text_width(self.document.tree(0));
        let width = match width_cm {
            Some(cm) if (0.1..=100.0).contains(&cm) => cm * EMU_CM,
            Some(cm) => return invalid(format!("expected a width from 0.1 to 100 cm, got {cm}")),
            None => (f64::from(head.width) / density * EMU_INCH).min(most),
        };
        let (width, height) = (width.round() as u64, (width * ratio).round().max(1.0) as u64);
        let extension = if head.is_png { ".png" } else { ".jpeg" };
        let media = if head.is_png { "image/png" } else { "image/jpeg" };
        let folder = self.document.package.folder().to_owned();
        let file = self.document.package.free_name(&format!("{folder}media/image"), extension);
        self.document.package.add_blob(&file, bytes.to_vec(), media)?;
        let part = self.document.parts[place.part].name.clone();
        let target = file.strip_prefix(&folder).unwrap_or(&file).to_owned();
        let relation = self.document.package.relate(&part, "image", &target, false)?;
        let base = if self.document.package.is_strict() {
            "http://purl.oclc.org/ooxml"
        } else {
            "http://schemas.openxmlformats.org"
        };
        let year = if self.document.package.is_strict() { "" } else { "/2006" };
        let relations = if self.document.package.is_strict() {
            "http://purl.oclc.org/ooxml/officeDocument/relationships"
        } else {
            crate::xml::R_URI
        };
        let at = self.place_beside(place.part, place.node, side)?;
        let (tree, marks) = self.parts_of(place.part);
        let id = next_drawing(tree);
        let (name, alt) = (escape_attr(name), escape_attr(alt));
        let xml = format!(
            "<w:r><w:drawing><wp:inline xmlns:wp=\"{base}/drawingml{year}/wordprocessingDrawing\" distT=\"0\" distB=\"0\" distL=\"0\" distR=\"0\">\
             <wp:extent cx=\"{width}\" cy=\"{height}\"/><wp:docPr id=\"{id}\" name=\"{name}\" descr=\"{alt}\"/>\
             <a:graphic xmlns:a=\"{base}/drawingml{year}/main\"><a:graphicData uri=\"{base}/drawingml{year}/picture\">\
             <pic:pic xmlns:pic=\"{base}/drawingml{year}/picture\"><pic:nvPicPr><pic:cNvPr id=\"{id}\" name=\"{name}\" descr=\"{alt}\"/><pic:cNvPicPr/></pic:nvPicPr>\
             <pic:blipFill><a:blip xmlns:r=\"{relations}\" r:embed=\"{relation}\"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill>\
             <pic:spPr><a:xfrm><a:off x=\"0\" y=\"0\"/><a:ext cx=\"{width}\" cy=\"{height}\"/></a:xfrm><a:prstGeom prst=\"rect\"><a:avLst/></a:prstGeom></pic:spPr>\
             </pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>"
        );
        let run = tree.element(&xml);
        let run = text::inserted(tree, run, marks);
        let paragraph = tree.element("<w:p></w:p>");
        tree.append(paragraph, run);
        place_new(tree, at, side, paragraph, "ins", marks);
        if side == Where::After {
            self.behind.insert((place.part, place.node), paragraph);
        }
        let side = if side == Where::Before { "before" } else { "after" };
        let size = format!(
            "picture {name}, {:.1} x {:.1} cm",
            width as f64 / EMU_CM,
            height as f64 / EMU_CM
        );
        Ok(Done { place: format!("{side} {anchor}"), before: String::new(), after: size })
    }
}

/// Returns an id that no drawing of the part has.
fn next_drawing(tree: &Tree) -> u32 {
    let Some(root) = tree.root() else { return 1 };
    let ids = tree
        .descendants(root)
        .filter(|&it| tree.local(it) == "docPr")
        .filter_map(|it| tree.attr(it, "id")?.parse::<u32>().ok());
    ids.filter(|it| *it < u32::MAX / 2).max().unwrap_or(0) + 1
}

/// Returns the width of the text of a page.
fn text_width(tree: &Tree) -> f64 {
    let find = || {
        let root = tree.root()?;
        let section = tree.descendants(root).filter(|&it| tree.is(it, "sectPr")).last()?;
        let size = tree.child(section, "pgSz")?;
        let margins = tree.child(section, "pgMar");
        let number = |id: Option<_>, name: &str| -> f64 {
            id.and_then(|it| tree.attr(it, name)?.parse().ok()).unwrap_or(0.0)
        };
        let width = number(Some(size), "w") - number(margins, "left") - number(margins, "right");
        (width > 500.0).then_some(width * EMU_TWIP)
    };
    find().unwrap_or(16.0 * EMU_CM)
}
