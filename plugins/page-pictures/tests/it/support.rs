//! Files that tests write, and pictures that they look at.

use std::sync::Arc;

use page_pictures::{Error, Format, NoFonts, Options, PdfFile, Picture, Size};

/// Returns a PDF of these objects, numbered from 1. The first one is the catalog.
pub(crate) fn pdf(objects: &[String]) -> Vec<u8> {
    let mut file = b"%PDF-1.7\n".to_vec();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for (at, object) in objects.iter().enumerate() {
        table += &format!("{:010} 00000 n \n", file.len());
        file.extend(format!("{} 0 obj\n{object}\nendobj\n", at + 1).as_bytes());
    }
    let (start, size) = (file.len(), objects.len() + 1);
    file.extend(
        format!("{table}trailer\n<</Size {size} /Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n")
            .as_bytes(),
    );
    file
}

pub(crate) fn stream(dict: &str, content: &str) -> String {
    format!("<<{dict} /Length {}>>\nstream\n{content}\nendstream", content.len())
}

/// Returns a PDF of one page. `page` has the entries of its dictionary, `resources` those of its resources, and `more` are the
/// objects from 5 on.
pub(crate) fn page(page: &str, resources: &str, content: &str, more: &[String]) -> Vec<u8> {
    let mut objects = vec![
        "<</Type /Catalog /Pages 2 0 R>>".to_owned(),
        "<</Type /Pages /Kids [3 0 R] /Count 1>>".to_owned(),
        format!("<</Type /Page /Parent 2 0 R {page} /Contents 4 0 R /Resources <<{resources}>>>>"),
        stream("", content),
    ];
    objects.extend_from_slice(more);
    pdf(&objects)
}

pub(crate) fn open(bytes: Vec<u8>) -> PdfFile {
    PdfFile::open(bytes, None, Arc::new(NoFonts)).unwrap()
}

pub(crate) fn draw(bytes: Vec<u8>, size: Size) -> Result<Picture, Error> {
    open(bytes).draw(0, &Options { size, format: Format::Png })
}

/// The pixels of a picture: red, green, blue.
pub(crate) struct Pixels {
    pub(crate) width: u32,
    pub(crate) height: u32,
    rgb: Vec<u8>,
}

impl Pixels {
    pub(crate) fn of(picture: &Picture) -> Pixels {
        let mut reader =
            png::Decoder::new(std::io::Cursor::new(&picture.bytes)).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        bytes.truncate(info.buffer_size());
        let rgb = match info.color_type {
            png::ColorType::Grayscale => bytes.iter().flat_map(|it| [*it; 3]).collect(),
            _ => bytes,
        };
        assert_eq!((info.width, info.height), (picture.width.into(), picture.height.into()));
        Pixels { width: info.width, height: info.height, rgb }
    }

    pub(crate) fn at(&self, x: u32, y: u32) -> [u8; 3] {
        let at = 3 * (y * self.width + x) as usize;
        self.rgb[at..at + 3].try_into().unwrap()
    }

    /// Returns the number of pixels that are darker than grey.
    pub(crate) fn dark(&self) -> usize {
        self.rgb.chunks(3).filter(|it| it.iter().all(|it| *it < 128)).count()
    }

    pub(crate) fn rgb(&self) -> &[u8] {
        &self.rgb
    }
}
