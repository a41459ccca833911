//! The pictures of a document for a backend: each is checked once, under whatever name, and their total size is limited.

use std::collections::HashMap;
use std::sync::Arc;

use super::head::{self, Format};
use super::svg;
use crate::model::picture::MAX_PICTURE_BYTES;
use crate::model::picture::data_uri;
use crate::model::picture::pictures::{
    MAX_PICTURES, MAX_PICTURES_BYTES, PictureSource, Pictures, too_large,
};
use mitt_base::text;

/// Most pixels of all pictures in a document: a hundred million. Decoded they take 400 MB, and a typesetter has all of them
/// at once.
const MAX_ALL_PIXELS: u64 = 100_000_000;

/// Most characters of an address in a message.
const MAX_SHOWN: u64 = 60;

/// A picture that passed its checks.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Picture {
    pub(crate) format: Format,
    pub(crate) file: Arc<[u8]>,
    /// Natural width and height as shown, in points.
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// Orientation from 1 to 8, as in camera metadata; 1 is upright.
    pub(crate) orientation: u8,
    /// Pixel images within a drawing.
    pub(crate) inner: Vec<Vec<u8>>,
    /// Parts of a drawing that were left out, if any.
    pub(crate) left_out: Option<String>,
}

impl Picture {
    /// Returns width and height within this space, in points: never enlarged, with the same aspect ratio.
    pub(crate) fn within(&self, width: f64, height: f64) -> (f64, f64) {
        let scale = (width / self.width).min(height / self.height).min(1.0);
        (self.width * scale, self.height * scale)
    }
}

/// Conversion of a picture by a backend. Its error is the reason why the picture is not shown.
type Accept<'a> = &'a dyn Fn(Picture) -> Result<Picture, String>;

/// The pictures of a document.
pub(crate) struct Gallery<'a> {
    given: &'a Pictures,
    accept: Accept<'a>,
    all: Vec<Picture>,
    /// By content, because the same picture may have many names.
    by_content: HashMap<Arc<[u8]>, Result<usize, String>>,
    by_name: HashMap<String, Result<usize, String>>,
    pixels: u64,
    /// Bytes of pictures within the document itself, and of the caller's.
    bytes: u64,
}

impl<'a> Gallery<'a> {
    pub(crate) fn new(given: &'a Pictures, accept: Accept<'a>) -> Gallery<'a> {
        Gallery {
            given,
            accept,
            all: Vec::new(),
            by_content: HashMap::new(),
            by_name: HashMap::new(),
            pixels: 0,
            bytes: given.bytes(),
        }
    }

    /// Returns the number of the picture at an address, from 0.
    ///
    /// # Errors
    ///
    /// The reason why it is not shown; empty if the caller supplied no pictures at all.
    pub(crate) fn find(&mut self, url: &str) -> Result<usize, String> {
        if let Some(known) = self.by_name.get(url) {
            return known.clone();
        }
        let found = self.file(url).and_then(|file| match self.by_content.get(&file) {
            Some(known) => known.clone(),
            None => {
                let looked = self.look(&file);
                self.by_content.insert(file, looked.clone());
                looked
            }
        });
        let found = found.map_err(|reason| named(url, &reason));
        self.by_name.insert(url.to_owned(), found.clone());
        found
    }

    /// Returns all pictures that were found, by number.
    pub(crate) fn all(&self) -> &[Picture] {
        &self.all
    }

    fn file(&mut self, url: &str) -> Result<Arc<[u8]>, String> {
        if let Some(content) = data_uri::decode(url) {
            let content = content?;
            let size = content.len() as u64;
            if size > MAX_PICTURE_BYTES {
                return Err(too_large(MAX_PICTURE_BYTES, size));
            }
            self.bytes = self.bytes.saturating_add(size);
            if self.bytes > MAX_PICTURES_BYTES {
                return Err(too_much_of_all());
            }
            return Ok(content.into());
        }
        match self.given.get(url) {
            Some(PictureSource::File(file)) => Ok(file.clone()),
            Some(PictureSource::Missing(reason)) => Err(reason.clone()),
            // The caller supplied no pictures at all.
            None if self.given.is_empty() => Err(String::new()),
            None if self.given.len() >= MAX_PICTURES => Err(too_many()),
            None => Err("it was not given".to_owned()),
        }
    }

    /// Checks a picture for the first time.
    fn look(&mut self, file: &Arc<[u8]>) -> Result<usize, String> {
        if self.all.len() >= MAX_PICTURES {
            return Err(too_many());
        }
        if file.is_empty() {
            return Err("the file is empty".to_owned());
        }
        let format = head::format(file)
            .ok_or_else(|| "expected a PNG, JPEG, GIF, WebP or SVG".to_owned())?;
        let (picture, pixels) = match format {
            Format::Svg => {
                let drawing = svg::read(file)?;
                let picture = Picture {
                    format,
                    file: drawing.text.into_bytes().into(),
                    width: drawing.points.0,
                    height: drawing.points.1,
                    orientation: 1,
                    inner: drawing.inner,
                    left_out: drawing.left_out,
                };
                (picture, drawing.pixels)
            }
            _ => {
                let head = head::read(format, file)?;
                let (width, height) = head.points();
                let picture = Picture {
                    format,
                    file: file.clone(),
                    width,
                    height,
                    orientation: head.orientation,
                    inner: Vec::new(),
                    left_out: None,
                };
                (picture, head.pixels())
            }
        };
        if self.pixels.saturating_add(pixels) > MAX_ALL_PIXELS {
            return Err(format!(
                "all pictures of a document have at most {} million pixels; make them smaller",
                MAX_ALL_PIXELS / 1_000_000
            ));
        }
        let picture = (self.accept)(picture)?;
        self.pixels += pixels;
        self.all.push(picture);
        Ok(self.all.len() - 1)
    }
}

fn too_many() -> String {
    format!("at most {MAX_PICTURES} pictures are shown")
}

fn too_much_of_all() -> String {
    format!("all pictures of a document have at most {MAX_PICTURES_BYTES} bytes")
}

/// Returns the reason with the address, which is shortened if it contains the picture.
fn named(url: &str, reason: &str) -> String {
    let is_data = url.get(..5).is_some_and(|prefix| prefix.eq_ignore_ascii_case("data:"));
    let shown = if is_data { "data:…" } else { text::cut_chars(url, MAX_SHOWN).0 };
    match reason {
        "" => String::new(),
        _ => format!("`{}`: {reason}", text::one_line(shown).replace('`', "'")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;

    fn as_it_is(picture: Picture) -> Result<Picture, String> {
        Ok(picture)
    }

    #[test]
    fn a_picture_of_two_names_is_one() {
        let mut given = Pictures::default();
        let file: Arc<[u8]> = samples::png(4, 3, None).into();
        given.insert("a.png", file.clone());
        given.insert("图.jpg", file.to_vec().into());
        given.insert("b.png", samples::png(3, 3, None).into());
        let mut gallery = Gallery::new(&given, &as_it_is);
        let numbers = ["a.png", "图.jpg", "b.png", "a.png"].map(|name| gallery.find(name));
        assert_eq!(numbers, [Ok(0), Ok(0), Ok(1), Ok(0)]);
        assert_eq!(gallery.all().len(), 2);
        assert_eq!(gallery.all()[0].within(1.0, 100.0), (1.0, 0.75));
        assert_eq!(gallery.all()[0].within(100.0, 100.0), (3.0, 2.25));
    }

    #[test]
    fn what_is_not_shown_says_why() {
        let mut given = Pictures::default();
        given.insert("empty.png", Vec::new().into());
        given.insert("text.png", b"hello".to_vec().into());
        given.insert("cut.png", samples::png(9, 9, None)[..40].into());
        given.insert_missing("no`ne.png", "no such file");
        let mut gallery = Gallery::new(&given, &as_it_is);
        for (name, reason) in [
            ("empty.png", "`empty.png`: the file is empty"),
            ("text.png", "`text.png`: expected a PNG, JPEG, GIF, WebP or SVG"),
            ("cut.png", "`cut.png`: the file is damaged or cut short"),
            ("no`ne.png", "`no'ne.png`: no such file"),
            ("other.png", "`other.png`: it was not given"),
            ("data:image/png;base64,?", "`data:…`: it is not base64"),
        ] {
            assert_eq!(gallery.find(name), Err(reason.to_owned()));
        }
        let none = Pictures::default();
        let mut gallery = Gallery::new(&none, &as_it_is);
        assert_eq!(gallery.find("a.png"), Err(String::new()));
        let refuse = |_: Picture| Err("never".to_owned());
        given.insert("a.png", samples::png(2, 2, None).into());
        let mut gallery = Gallery::new(&given, &refuse);
        assert_eq!(gallery.find("a.png"), Err("`a.png`: never".to_owned()));
        assert!(gallery.all().is_empty());
    }

    #[test]
    fn all_pixels_are_counted_and_each_picture_once() {
        let mut given = Pictures::default();
        for number in 0..4 {
            // Only the header promises this size.
            let mut file = samples::png(1, 1, Some(100 + number));
            file[16..20].copy_from_slice(&10_000_u32.to_be_bytes());
            file[20..24].copy_from_slice(&4_000_u32.to_be_bytes());
            given.insert(&number.to_string(), file.into());
        }
        let mut gallery = Gallery::new(&given, &as_it_is);
        assert!(gallery.find("0").is_ok() && gallery.find("0").is_ok());
        assert!(gallery.find("1").is_ok());
        let refused = gallery.find("2").unwrap_err();
        assert!(refused.contains("at most 100 million pixels"), "{refused}");
        assert!(gallery.find("1").is_ok());
    }

    #[test]
    fn pictures_in_the_document_itself_are_bounded_in_number() {
        let none = Pictures::default();
        let mut gallery = Gallery::new(&none, &as_it_is);
        let url =
            |number: usize| format!("data:image/svg+xml,<svg width='{}' height='1'/>", number + 1);
        for number in 0..MAX_PICTURES {
            assert_eq!(gallery.find(&url(number)), Ok(number));
        }
        let refused = gallery.find(&url(MAX_PICTURES)).unwrap_err();
        assert_eq!(refused, "`data:…`: at most 200 pictures are shown");
    }
}
