//! The component: converts between the types of the interface and those of this crate, and calls the host.

#[allow(unused_qualifications, unreachable_pub, reason = "generated code")]
mod bindings {
    wit_bindgen::generate!({
        path: ["../../wit", "wit"],
        world: "mitt:page-pictures/plugin",
        generate_all,
    });
}

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::text::line;
use crate::{Format, HostFonts, Options, PdfFile, Size};
use bindings::exports::mitt::page_pictures::tools as wit;
use bindings::mitt::host::files;
use bindings::mitt::host::log;
use bindings::mitt::host::types::Error;

/// Most pages of one call.
const MAX_PAGES: usize = 20;

/// Most bytes of the pictures of one call.
const MAX_BYTES: usize = 64 << 20;

/// Most sizes of pages that are returned.
const MAX_SIZES: usize = 5_000;

/// Pixels per inch, unless the call says otherwise.
const DEFAULT_DPI: u32 = 150;

/// Most warnings of a call.
const MAX_WARNINGS: usize = 100;

struct Plugin;

/// The fonts of the host.
struct Host;

impl HostFonts for Host {
    fn chinese(&self, bold: bool) -> Option<Vec<u8>> {
        // Without it, a warning says what is missing.
        files::chinese_font(bold).ok()
    }
}

impl From<crate::Error> for Error {
    fn from(error: crate::Error) -> Self {
        match error {
            crate::Error::Invalid(text) => Self::InvalidArgument(text),
            crate::Error::Malformed(text) => Self::Malformed(text),
            crate::Error::Unsupported(text) => Self::Unsupported(text),
            crate::Error::Quota(text) => Self::Quota(text),
        }
    }
}

/// Number of the page that is drawn now; 0 if there is none.
static PAGE: AtomicUsize = AtomicUsize::new(0);

/// Reports panics with the page: a trap has no text.
fn report_panics() {
    mitt_guest::report_panics();
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let page = PAGE.load(Ordering::Relaxed);
        if page > 0 {
            log::write(
                log::Level::Error,
                &format!("page {page} is damaged in a way that ends the drawing"),
            );
        }
        report(info);
    }));
}

/// Returns a text that is not empty. Models often send an empty string for an omitted one.
fn given(text: Option<String>) -> Option<String> {
    text.filter(|it| !it.trim().is_empty())
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn open(document: &str, password: Option<String>) -> Result<PdfFile, Error> {
    let bytes = files::read(document)?;
    Ok(PdfFile::open(bytes, given(password).as_deref(), Arc::new(Host))?)
}

/// Returns the name of the picture of a page: the number goes before the extension.
fn picture_name(name: &str, page: usize, format: Format) -> String {
    let extensions = ["pdf", "png", "jpg", "jpeg"];
    let stem = match name.rsplit_once('.') {
        Some((stem, extension)) if extensions.contains(&&*extension.to_ascii_lowercase()) => stem,
        _ => name,
    };
    format!("{stem}-{page}.{}", format.extension())
}

/// Returns `true` if a name has the extension of a format.
fn has_extension(name: &str, format: Format) -> bool {
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    extension.is_some_and(|it| it.eq_ignore_ascii_case(format.extension()))
}

/// Returns the indexes of the pages to draw, each once.
fn wanted(pages: Option<String>, page_count: usize) -> Result<Vec<usize>, Error> {
    let mut indexes = Vec::new();
    for index in crate::pages(given(pages).as_deref().unwrap_or("1"), page_count)? {
        if indexes.len() > MAX_PAGES {
            break;
        }
        if !indexes.contains(&index) {
            indexes.push(index);
        }
    }
    if indexes.len() > MAX_PAGES {
        return Err(Error::InvalidArgument(format!(
            "expected at most {MAX_PAGES} pages a call, got more; draw the others with further calls"
        )));
    }
    Ok(indexes)
}

fn size(dpi: Option<u32>, width: Option<u32>) -> Result<Size, Error> {
    match (dpi, width) {
        (None, Some(width)) => Ok(Size::Width(width)),
        (dpi, None) => Ok(Size::Dpi(dpi.unwrap_or(DEFAULT_DPI))),
        (Some(_), Some(_)) => {
            Err(Error::InvalidArgument("expected `dpi` or `width`, got both".to_owned()))
        }
    }
}

impl wit::Guest for Plugin {
    fn draw_pages(
        document: String,
        pages: Option<String>,
        dpi: Option<u32>,
        width: Option<u32>,
        format: Option<wit::PictureFormat>,
        filename: Option<String>,
        password: Option<String>,
    ) -> Result<wit::Drawn, Error> {
        report_panics();
        let format = match format {
            Some(wit::PictureFormat::Jpeg) => Format::Jpeg,
            Some(wit::PictureFormat::Png) | None => Format::Png,
        };
        let options = Options { size: size(dpi, width)?, format };
        options.check()?;
        let name = given(filename).unwrap_or_else(|| document.clone());
        let name_is_whole = has_extension(&name, format);
        let file = open(&document, password)?;
        let mut drawn = wit::Drawn {
            pictures: Vec::new(),
            page_count: count(file.page_count()),
            warnings: Vec::new(),
        };
        let wanted = wanted(pages, file.page_count())?;
        let is_single = wanted.len() == 1;
        let mut bytes = 0;
        for index in wanted {
            let page = index + 1;
            PAGE.store(page, Ordering::Relaxed);
            let picture = file.draw(index, &options)?;
            PAGE.store(0, Ordering::Relaxed);
            bytes += picture.bytes.len();
            if bytes > MAX_BYTES {
                return Err(Error::Quota(format!(
                    "the pictures up to page {page} have {bytes} bytes, and one call makes at most {MAX_BYTES}; draw fewer pages, fewer dpi or `jpeg`"
                )));
            }
            let warnings: Vec<String> = picture.warnings.iter().map(|it| line(it, 900)).collect();
            let name = if is_single && name_is_whole {
                name.clone()
            } else {
                picture_name(&name, page, format)
            };
            let file = files::deliver(&picture.bytes, &name, &warnings)?;
            let room = MAX_WARNINGS.saturating_sub(drawn.warnings.len());
            drawn.warnings.extend(warnings.into_iter().take(room));
            drawn.pictures.push(wit::PagePicture {
                page: count(page),
                file,
                width: picture.width.into(),
                height: picture.height.into(),
            });
        }
        Ok(drawn)
    }

    fn read_page_sizes(
        document: String,
        password: Option<String>,
    ) -> Result<wit::PageSizes, Error> {
        report_panics();
        let file = open(&document, password)?;
        let size = |it: crate::PageSize| wit::PageSize { width: it.width, height: it.height };
        Ok(wit::PageSizes {
            page_count: count(file.page_count()),
            sizes: file.sizes(MAX_SIZES).into_iter().map(size).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_named_after_their_page() {
        for (name, expected) in [
            ("report.pdf", "report-3.png"),
            ("seite.PNG", "seite-3.png"),
            ("报告.v1", "报告.v1-3.png"),
            ("a", "a-3.png"),
        ] {
            assert_eq!(picture_name(name, 3, Format::Png), expected);
        }
        assert_eq!(picture_name("a.png", 1, Format::Jpeg), "a-1.jpg");
        assert!(has_extension("a.PNG", Format::Png) && has_extension("a.jpg", Format::Jpeg));
        assert!(!has_extension("a.png", Format::Jpeg) && !has_extension("png", Format::Png));
    }

    #[test]
    fn at_most_twenty_pages_are_drawn_at_once() {
        let wanted = |pages: &str| wanted(Some(pages.to_owned()), 1_000_000);
        assert_eq!(wanted("3,1,3,2-4").unwrap(), [2, 0, 1, 3]);
        assert_eq!(wanted("  ").unwrap(), [0]);
        assert_eq!(wanted("1-20").unwrap().len(), 20);
        assert_eq!(wanted("1-20,5").unwrap().len(), 20);
        for pages in ["1-21", "1-100000"] {
            let Err(Error::InvalidArgument(text)) = wanted(pages) else { panic!("{pages}") };
            assert!(text.contains("at most 20 pages"), "{text}");
        }
    }

    #[test]
    fn a_size_is_given_once() {
        assert_eq!(size(None, None).unwrap(), Size::Dpi(150));
        assert_eq!(size(None, Some(800)).unwrap(), Size::Width(800));
        assert_eq!(size(Some(96), None).unwrap(), Size::Dpi(96));
        assert!(size(Some(96), Some(800)).is_err());
    }
}

bindings::export!(Plugin with_types_in bindings);
