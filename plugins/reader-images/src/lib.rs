//! Makes clean pictures for text recognition. The recognition program runs outside the sandbox: it gets these pictures, but
//! never the bytes of a document.
//!
//! The reader answers two requests. It reads a picture as a document whose pages are all pictures of text. For the extension
//! `pages`, with page numbers from 1 as the name (`1,2,5`), it returns these pages of a picture or a PDF as nested files
//! (`5.png`): grey, upright and of a bounded size. `5@90` is page 5, turned by 90 degrees clockwise.

mod pdf;
mod pictures;
mod scan;
#[cfg(target_os = "wasi")]
mod threads;

use std::io::Cursor;

use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{GrayImage, ImageEncoder as _};
use mitt_reader_kit::{Content, Error, File, Part, Table, clean, single_line};

mitt_reader_kit::export_reader!(file: crate::read);

/// Most pixels of a picture that is decoded: a page of A4 at 600 dpi has 35 million.
const MAX_PIXELS: u64 = 60_000_000;

/// Most pixels of a result: a page of 42 × 30 cm at 300 dpi.
const MAX_GIVEN: u64 = 20_000_000;

/// Longest side of a result, in pixels. Recognition programs have limits of their own.
const MAX_SIDE: u32 = 16_000;

/// Most pages of a picture, and most pages of one request.
const MAX_PAGES: usize = 1_000;

/// Reads a picture, or draws the pages of a file.
///
/// # Errors
///
/// `unsupported` - it is not a picture of a known format, or it is encrypted. `malformed` - it is damaged. `quota` - it has
/// too many pixels.
pub fn read(bytes: &[u8], file: &File) -> Result<Content<Table>, Error> {
    if file.extension != "pages" {
        return picture(bytes);
    }
    let (wanted, turns): (Vec<u32>, Vec<u32>) = wanted(&file.name)?.into_iter().unzip();
    let mut turns = turns.into_iter();
    let (mut parts, mut warnings) = (Vec::new(), Vec::new());
    let mut take = |page: u32, drawn: Result<GrayImage, Error>| {
        let turn = turns.next().unwrap_or(0);
        match drawn.and_then(|it| png(&turned(it, turn))) {
            Ok(bytes) => parts.push(Part { name: format!("{page}.png"), bytes }),
            Err(error) => warnings.push(format!("page {page}: {}", message(error))),
        }
    };
    if is_pdf(bytes) {
        pdf::draw(bytes, file.password.as_deref(), &wanted, &mut take)?;
    } else {
        let pages = pictures::Pages::of(bytes)?;
        wanted.iter().for_each(|page| take(*page, pages.draw(*page)));
    }
    Ok(Content { parts, warnings, ..Content::default() })
}

/// Returns a picture as a document whose pages are pictures of text. Does not decode the picture.
fn picture(bytes: &[u8]) -> Result<Content<Table>, Error> {
    let pages = pictures::Pages::of(bytes)?;
    let (width, height) = pages.size(1)?;
    let count = pages.count();
    let metadata =
        vec![("width".to_owned(), width.to_string()), ("height".to_owned(), height.to_string())];
    let scanned = (1..=count).collect();
    Ok(Content { metadata, scanned, warnings: pages.warnings(), ..Content::default() })
}

/// Returns the page numbers, each with the degrees to turn the page clockwise.
fn wanted(name: &str) -> Result<Vec<(u32, u32)>, Error> {
    let wrong = || Error::InvalidArgument(format!("expected page numbers, got `{name}`"));
    let page = |page: &str| {
        let (page, turn) = page.split_once('@').unwrap_or((page, "0"));
        let (page, turn) = (page.parse().ok()?, turn.parse().ok()?);
        (page > 0 && matches!(turn, 0 | 90 | 180 | 270)).then_some((page, turn))
    };
    let pages: Vec<(u32, u32)> =
        name.split(',').map(|it| page(it).ok_or_else(wrong)).collect::<Result<_, _>>()?;
    if pages.len() > MAX_PAGES { Err(wrong()) } else { Ok(pages) }
}

fn turned(picture: GrayImage, turn: u32) -> GrayImage {
    match turn {
        90 => image::imageops::rotate90(&picture),
        180 => image::imageops::rotate180(&picture),
        270 => image::imageops::rotate270(&picture),
        _ => picture,
    }
}

fn is_pdf(bytes: &[u8]) -> bool {
    bytes[..bytes.len().min(1024)].windows(5).any(|five| five == b"%PDF-")
}

/// Checks that a picture of this size may be decoded.
///
/// # Errors
/// `quota` - it has too many pixels.
fn check_size((width, height): (u32, u32)) -> Result<(), Error> {
    if width == 0 || height == 0 {
        return Err(damaged("it has no pixels"));
    }
    if is_too_large((width, height)) {
        return Err(too_large((width, height)));
    }
    Ok(())
}

fn is_too_large((width, height): (u32, u32)) -> bool {
    u64::from(width) * u64::from(height) > MAX_PIXELS
}

fn too_large((width, height): (u32, u32)) -> Error {
    Error::Quota(format!(
        "the picture has {width} × {height} pixels, and at most {MAX_PIXELS} are read: make it smaller"
    ))
}

/// Returns the factor by which a picture is made smaller; 1 to keep its size.
fn shrinking(width: f64, height: f64) -> f64 {
    let by_area = (MAX_GIVEN as f64 / (width * height)).sqrt();
    let by_side = f64::from(MAX_SIDE) / width.max(height);
    by_area.min(by_side).min(1.0)
}

/// Returns the perceived lightness of a colour.
fn light(red: u8, green: u8, blue: u8) -> u8 {
    let [red, green, blue] = [red, green, blue].map(u32::from);
    ((299 * red + 587 * green + 114 * blue + 500) / 1000) as u8
}

fn png(picture: &GrayImage) -> Result<Vec<u8>, Error> {
    let mut bytes = Cursor::new(Vec::new());
    let encoder =
        PngEncoder::new_with_quality(&mut bytes, CompressionType::Fast, FilterType::Adaptive);
    let (width, height) = picture.dimensions();
    encoder
        .write_image(picture.as_raw(), width, height, image::ExtendedColorType::L8)
        .map_err(|error| Error::Other(error_text(&error.to_string())))?;
    Ok(bytes.into_inner())
}

fn damaged(error: impl std::fmt::Display) -> Error {
    Error::Malformed(format!("the picture is damaged: {}", error_text(&error.to_string())))
}

fn error_text(text: &str) -> String {
    single_line(&clean(text))
}

fn message(error: Error) -> String {
    match error {
        Error::Unsupported(text)
        | Error::Malformed(text)
        | Error::Quota(text)
        | Error::InvalidArgument(text)
        | Error::NotFound(text)
        | Error::AlreadyExists(text)
        | Error::Other(text) => text,
    }
}
