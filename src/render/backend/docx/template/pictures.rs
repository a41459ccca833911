//! Pictures at marks, `{{logo|picture:6cm}}`, and in frames of the template whose alternative text is a mark, `{{logo}}`.

use std::collections::BTreeMap;

use super::filler::{DRAWING, Filler};
use super::insert::is_empty;
use super::insertion::{self, Insertion};
use super::marks::{self, Mark};
use super::package::Package;
use super::scope::Binding;
use super::tree::{Element, Tree};
use crate::model::doc::Doc;
use crate::shared::picture::{Format, Gallery, Picture};
use crate::{DocxOptions, FillValue};
use mitt_base::Result;

/// English metric units in a point and in a twentieth of a point.
const POINT: f64 = 12_700.0;
const TWENTIETH: f64 = 635.0;

/// Largest height of a picture without a size: 20 cm, so that it fits on a page.
const MAX_HEIGHT: f64 = 7_200_000.0;

/// Beginning of the name of a relationship that is not made yet. The number of the picture follows.
const PENDING: &str = "mitt:";

/// A drawing in a line, without identifier, size, alternative text and relationship.
const INLINE: &str = "<w:drawing><wp:inline xmlns:wp=\"http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing\" distT=\"0\" distB=\"0\" distL=\"0\" distR=\"0\"><wp:extent/><wp:docPr/><wp:cNvGraphicFramePr><a:graphicFrameLocks xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\" noChangeAspect=\"1\"/></wp:cNvGraphicFramePr><a:graphic xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\"><a:graphicData uri=\"http://schemas.openxmlformats.org/drawingml/2006/picture\"><pic:pic xmlns:pic=\"http://schemas.openxmlformats.org/drawingml/2006/picture\"><pic:nvPicPr><pic:cNvPr id=\"0\" name=\"\"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x=\"0\" y=\"0\"/><a:ext/></a:xfrm><a:prstGeom prst=\"rect\"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing>";

/// Returns the pictures of a filling.
pub(super) fn gallery(options: &DocxOptions) -> Gallery<'_> {
    Gallery::new(&options.common.pictures, &accept)
}

/// Accepts what every version of Word shows.
fn accept(picture: Picture) -> std::result::Result<Picture, String> {
    match picture.format {
        Format::Png | Format::Jpeg => super::super::pictures::accept(picture),
        _ => Err("expected a PNG or JPEG".to_owned()),
    }
}

/// A picture that a value names.
struct Named {
    number: usize,
    /// Natural width and height, in English metric units.
    size: [f64; 2],
    description: String,
}

/// What a value says about a picture.
enum Wanted {
    /// Its place stays empty.
    Nothing,
    Picture(Named),
    /// A problem was recorded, or only names of files are collected.
    Unknown,
}

impl<'v> Filler<'v, '_> {
    /// Returns the sign of what a mark beside other text inserts.
    pub(super) fn insert_in_line(&mut self, mark: &str) -> Result<String> {
        let Some((name, parsed)) = insertion::of(mark) else { return Ok(String::new()) };
        let (width, height) = match parsed {
            Ok(Insertion::Picture(width, height)) => (width, height),
            Ok(_) => {
                self.problem(mark, "stands beside other text, or in a row of a table that begins with a mark: put it into a paragraph of its own");
                return Ok(String::new());
            }
            Err(what) => {
                self.problem(mark, &what);
                return Ok(String::new());
            }
        };
        let Wanted::Picture(picture) = self.picture(mark, name) else { return Ok(String::new()) };
        let room = f64::from(self.room.unwrap_or(self.width)) * TWENTIETH;
        let size = fitted(picture.size, width, height, room);
        let mut drawing = Tree::read("drawing", INLINE.as_bytes(), &mut 100)?.root;
        self.take(drawing.count())?;
        drawing.visit_mut(&mut |element| match element.name.as_str() {
            "wp:extent" | "a:ext" => set_size(element, size),
            "wp:docPr" => {
                element.set("id", Some(PENDING));
                element.set("name", Some("Picture"));
                element.set("descr", Some(&picture.description));
            }
            "a:blip" => element.set("r:embed", Some(&format!("{PENDING}{}", picture.number))),
            _ => {}
        });
        self.drawings.push(drawing);
        Ok(format!("{DRAWING}{}{DRAWING}", self.drawings.len() - 1))
    }

    /// Replaces the picture of a frame whose alternative text is a mark.
    pub(super) fn frame(&mut self, drawing: &mut Element) -> Result<()> {
        let mut found = None;
        drawing.visit(&mut |element| {
            if element.is("wp:docPr") && found.is_none() {
                found = element.get("descr").filter(|it| it.contains("{{"));
            }
        });
        let Some(text) = found else { return Ok(()) };
        let Some(Mark::Value(mark)) = marks::alone(&text) else { return Ok(()) };
        let name = insertion::of(mark).map_or(mark, |(name, _)| name);
        let mut frame = None;
        let mut pictures = 0;
        drawing.visit(&mut |element| match element.name.as_str() {
            "wp:extent" if frame.is_none() => frame = size_of(element),
            "a:blip" => pictures += 1,
            _ => {}
        });
        let Some(frame) = frame.filter(|_| pictures == 1) else {
            self.problem(mark, "is the alternative text of a shape that is not one picture: put a picture there, or write `{{name|picture}}` in a paragraph");
            return Ok(());
        };
        let picture = match self.picture(mark, name) {
            Wanted::Picture(picture) => picture,
            Wanted::Nothing => {
                *drawing = Element::new("w:t", "");
                return Ok(());
            }
            Wanted::Unknown => return Ok(()),
        };
        let [width, height] = frame.map(|side| Some(side.round() as u64));
        let size = fitted(picture.size, width, height, f64::INFINITY);
        drawing.visit_mut(&mut |element| match element.name.as_str() {
            "wp:extent" => set_size(element, size),
            "a:ext" if element.get("cx").is_some() => set_size(element, size),
            "wp:docPr" => element.set("descr", Some(&picture.description)),
            "pic:blipFill" => {
                element.children.retain(|node| node.element().is_none_or(|it| !it.is("a:srcRect")))
            }
            "a:blip" => {
                element.set("r:embed", Some(&format!("{PENDING}{}", picture.number)));
                element.set("r:link", None);
                // A drawing beside the pixels would be shown in their place.
                element.children.retain(|node| node.element().is_none_or(|it| !it.is("a:extLst")));
            }
            _ => {}
        });
        Ok(())
    }

    /// Returns the picture that a value names: a text, or a record with `picture` and `alt`.
    fn picture(&mut self, mark: &str, name: &str) -> Wanted {
        let Some(binding) = self.scope.find(name) else {
            self.scope.is_missing(name, self.part);
            return Wanted::Unknown;
        };
        let (value, alternative) = match binding {
            Binding::One(value) if is_empty(value) => return Wanted::Nothing,
            Binding::One(value @ FillValue::Record(_)) => {
                let text = |key: &str| value.get(key).and_then(FillValue::as_text);
                (text("picture"), text("alt").map(str::to_owned))
            }
            Binding::One(value) => (value.as_text(), None),
            _ => (None, None),
        };
        let Some(file) = value.map(str::trim).filter(|it| !it.is_empty()) else {
            self.problem(mark, "expected the name of a picture, or `{\"picture\": \"logo.png\", \"alt\": \"Logo\"}`");
            return Wanted::Unknown;
        };
        if let Some(files) = &mut self.files {
            files.insert(file.to_owned());
            return Wanted::Unknown;
        }
        let number = match self.gallery.find(file) {
            Ok(number) => number,
            Err(why) if why.is_empty() => {
                self.problem(
                    mark,
                    &format!("the picture `{}` was not given", mitt_base::text::one_line(file)),
                );
                return Wanted::Unknown;
            }
            Err(why) => {
                self.problem(mark, &format!("the picture {why}"));
                return Wanted::Unknown;
            }
        };
        let Some(picture) = self.gallery.all().get(number) else { return Wanted::Unknown };
        let size = [picture.width * POINT, picture.height * POINT];
        let last = file.rsplit(['/', '\\']).next().unwrap_or(file);
        let stem = last.rsplit_once('.').map_or(last, |(stem, _)| stem).to_owned();
        let description = alternative.unwrap_or(stem);
        let description =
            description.chars().filter(|c| crate::shared::xml::is_legal(*c)).collect();
        Wanted::Picture(Named { number, size, description })
    }

    /// Notes the pictures of a text in Markdown, if only names of files are wanted.
    pub(super) fn note_pictures(&mut self, doc: &Doc) {
        if let Some(files) = &mut self.files {
            files.extend(crate::model::picture::picture_names(doc).into_iter().map(str::to_owned));
        }
    }
}

/// Returns width and height within a box or the room, with the picture's own proportions.
fn fitted(natural: [f64; 2], width: Option<u64>, height: Option<u64>, room: f64) -> [u64; 2] {
    let [own_width, own_height] = natural.map(|side| side.max(1.0));
    let scale = match (width, height) {
        (Some(width), Some(height)) => (width as f64 / own_width).min(height as f64 / own_height),
        (Some(width), None) => width as f64 / own_width,
        (None, Some(height)) => height as f64 / own_height,
        (None, None) => (room / own_width).min(MAX_HEIGHT / own_height).min(1.0),
    };
    // At least one pixel of a screen, and at most the side of Word's largest paper.
    [own_width, own_height].map(|side| (side * scale).clamp(9_525.0, 20_160_000.0).round() as u64)
}

fn set_size(element: &mut Element, [width, height]: [u64; 2]) {
    element.set("cx", Some(&width.to_string()));
    element.set("cy", Some(&height.to_string()));
}

fn size_of(element: &Element) -> Option<[f64; 2]> {
    let side = |key: &str| element.get(key)?.parse::<f64>().ok().filter(|side| *side >= 1.0);
    Some([side("cx")?, side("cy")?])
}

/// The parts of the pictures that were placed.
#[derive(Default)]
pub(super) struct Placed {
    /// Name of the part of each picture, by its number.
    parts: BTreeMap<usize, String>,
}

impl Placed {
    /// Makes the relationships of the pictures in a part, and numbers its drawings.
    pub(super) fn finish(
        &mut self,
        package: &mut Package<'_>,
        (part, root): (&str, &mut Element),
        pictures: &[Picture],
    ) -> Result<()> {
        let (mut numbers, mut highest) = (Vec::new(), 0_u64);
        root.visit(&mut |element| {
            if let Some(number) = pending(element) {
                numbers.push(number);
            }
            if element.is("wp:docPr") {
                let id = element.get("id").and_then(|id| id.parse().ok());
                highest = highest.max(id.filter(|id| *id < 1 << 30).unwrap_or(0));
            }
        });
        numbers.sort_unstable();
        numbers.dedup();
        let mut targets = Vec::new();
        for number in &numbers {
            let Some(picture) = pictures.get(*number) else { continue };
            if !self.parts.contains_key(number) {
                let name = package.store(
                    "image",
                    picture.format.extension(),
                    &picture.file,
                    picture.format.media_type(),
                );
                self.parts.insert(*number, name);
            }
            targets.extend(self.parts.get(number).map(|name| format!("/{name}")));
        }
        if targets.is_empty() {
            return Ok(());
        }
        let ids = package.refer(part, "image", &targets, false)?;
        let ids: BTreeMap<usize, String> = numbers.into_iter().zip(ids).collect();
        root.visit_mut(&mut |element| {
            if let Some(id) = pending(element).and_then(|number| ids.get(&number)) {
                element.set("r:embed", Some(id));
            }
            if element.is("wp:docPr") && element.get("id").as_deref() == Some(PENDING) {
                highest += 1;
                element.set("id", Some(&highest.to_string()));
                element.set("name", Some(&format!("Picture {highest}")));
            }
        });
        Ok(())
    }
}

/// Returns the number of the picture whose relationship is not made yet.
fn pending(element: &Element) -> Option<usize> {
    if !element.is("a:blip") {
        return None;
    }
    element.get("r:embed")?.strip_prefix(PENDING)?.parse().ok()
}
