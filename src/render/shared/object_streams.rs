//! Packs the objects of a PDF that was just written: object streams and a cross-reference stream (ISO 32000-1, 7.5.7 and 7.5.8).
//!
//! The structure by which screen readers find headings and cells takes an object of a hundred bytes for each of them. As
//! separate objects, they are four fifths of a long report; packed, a tenth.
//!
//! Reads only PDFs in the form that this crate writes. Everything else stays as it is, so that nothing is lost.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

/// Objects in one stream. More of them compress better, but a reader must unpack all of them to see one.
const OBJECTS: usize = 200;

/// Fewest objects that are worth packing.
const FEW: usize = 20;

/// First version of PDF with object streams.
const FIRST_VERSION: &[u8] = b"%PDF-1.5";

/// Position of an object.
#[derive(Clone, Copy)]
enum ObjectLocation {
    Free,
    /// At this byte.
    At(usize),
    /// In the object stream of this number, at this index.
    In(usize, usize),
}

/// A PDF as it was written, with its objects by number.
struct Plain<'p> {
    head: &'p [u8],
    /// Bytes between `N 0 obj` and `endobj`, by number; `None` for free numbers.
    objects: Vec<Option<&'p [u8]>>,
    /// Entries of the trailer behind its size, such as `/Root 5 0 R`.
    trailer: &'p [u8],
}

/// Returns the same document in fewer bytes, or the given bytes if it cannot be packed.
pub(crate) fn packed(pdf: Vec<u8>) -> Vec<u8> {
    let packed = Plain::read(&pdf).and_then(|plain| plain.packed());
    match packed {
        Some(packed) if packed.len() < pdf.len() => packed,
        _ => pdf,
    }
}

impl<'p> Plain<'p> {
    fn read(pdf: &'p [u8]) -> Option<Plain<'p>> {
        // Versions are compared as text, since no later version has more digits.
        if pdf.get(..FIRST_VERSION.len())? < FIRST_VERSION {
            return None;
        }
        let end = pdf.strip_suffix(b"%%EOF")?;
        let mark = rfind(end, b"startxref\n")?;
        let table = number(&end[mark + b"startxref\n".len()..])?;
        let (rest, trailer) = (pdf.get(table..mark)?, b"trailer\n<</Size ");
        let at = rfind(rest, trailer)?;
        let entries = rest[..at].strip_prefix(b"xref\n0 ")?;
        let count = number(entries)?;
        let entries = &entries[entries.iter().position(|it| *it == b'\n')? + 1..];
        let trailer = rest[at + trailer.len()..].trim_ascii_end().strip_suffix(b">>")?;
        let trailer = &trailer[trailer.iter().position(|it| *it == b'/')?..];
        if entries.len() != count.checked_mul(20)? {
            return None;
        }
        let mut locations = Vec::new();
        for (number, entry) in entries.chunks_exact(20).enumerate() {
            match (&entry[10..18], number) {
                (b" 65535 f", 0) => {}
                (b" 00000 n", 1..) => locations.push((self::number(&entry[..10])?, number)),
                // A number is missing, or occurs twice.
                _ => return None,
            }
        }
        locations.sort_unstable();
        let head = pdf.get(..locations.first()?.0)?;
        let mut objects = vec![None; count];
        let ends = locations.iter().skip(1).map(|(at, _)| *at).chain([table]);
        for ((start, number), end) in locations.iter().zip(ends) {
            let object = pdf.get(*start..end)?.trim_ascii_end();
            let opened = object.strip_prefix(format!("{number} 0 obj\n").as_bytes())?;
            objects[*number] = Some(opened.strip_suffix(b"endobj")?.trim_ascii_end());
        }
        Some(Plain { head, objects, trailer })
    }

    fn packed(&self) -> Option<Vec<u8>> {
        let numbered = || self.objects.iter().enumerate().filter_map(|(at, it)| Some((at, (*it)?)));
        let is_stream = |object: &[u8]| object.ends_with(b"endstream");
        let small: Vec<(usize, &[u8])> = numbered().filter(|(_, it)| !is_stream(it)).collect();
        if small.len() < FEW {
            return None;
        }
        let mut locations = vec![ObjectLocation::Free; self.objects.len()];
        let mut out = self.head.to_vec();
        for (number, object) in numbered().filter(|(_, it)| is_stream(it)) {
            locations[number] = ObjectLocation::At(out.len());
            self::object(&mut out, number, object);
        }
        for objects in small.chunks(OBJECTS) {
            let stream = locations.len();
            for (at, (number, _)) in objects.iter().enumerate() {
                locations[*number] = ObjectLocation::In(stream, at);
            }
            locations.push(ObjectLocation::At(out.len()));
            object(&mut out, stream, &object_stream(objects)?);
        }
        let start = out.len();
        locations.push(ObjectLocation::At(start));
        let number = locations.len() - 1;
        object(&mut out, number, &self.cross_references(&locations)?);
        out.extend_from_slice(format!("startxref\n{start}\n%%EOF").as_bytes());
        Some(out)
    }

    /// Returns the stream with the positions of all objects.
    fn cross_references(&self, locations: &[ObjectLocation]) -> Option<Vec<u8>> {
        let mut fields = Vec::with_capacity(locations.len() * 7);
        for location in locations {
            let (kind, first, second) = match *location {
                ObjectLocation::Free => (0, 0, u16::MAX),
                ObjectLocation::At(at) => (1, at, 0),
                ObjectLocation::In(stream, at) => (2, stream, u16::try_from(at).ok()?),
            };
            fields.push(kind);
            fields.extend_from_slice(&u32::try_from(first).ok()?.to_be_bytes());
            fields.extend_from_slice(&second.to_be_bytes());
        }
        let size = locations.len();
        let mut dictionary = format!("/Type/XRef/Size {size}/W[1 4 2]").into_bytes();
        dictionary.extend_from_slice(self.trailer);
        stream(&dictionary, &fields)
    }
}

/// Returns objects in one stream: their numbers and offsets, then their bytes.
fn object_stream(objects: &[(usize, &[u8])]) -> Option<Vec<u8>> {
    let (mut index, mut all) = (String::new(), Vec::new());
    for (number, object) in objects {
        index.push_str(&format!("{number} {} ", all.len()));
        all.extend_from_slice(object);
        all.push(b'\n');
    }
    let dictionary = format!("/Type/ObjStm/N {}/First {}", objects.len(), index.len());
    let mut content = index.into_bytes();
    content.append(&mut all);
    stream(dictionary.as_bytes(), &content)
}

fn stream(dictionary: &[u8], content: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content).ok()?;
    let packed = encoder.finish().ok()?;
    let mut out = b"<<".to_vec();
    out.extend_from_slice(dictionary);
    out.extend_from_slice(
        format!("/Length {}/Filter/FlateDecode>>\nstream\n", packed.len()).as_bytes(),
    );
    out.extend_from_slice(&packed);
    out.extend_from_slice(b"\nendstream");
    Some(out)
}

fn object(out: &mut Vec<u8>, number: usize, object: &[u8]) {
    out.extend_from_slice(format!("{number} 0 obj\n").as_bytes());
    out.extend_from_slice(object);
    out.extend_from_slice(b"\nendobj\n\n");
}

/// Parses the number at the beginning.
fn number(text: &[u8]) -> Option<usize> {
    let digits = text.iter().take_while(|it| it.is_ascii_digit()).count();
    std::str::from_utf8(&text[..digits]).ok()?.parse().ok()
}

fn rfind(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).rposition(|it| it == what)
}

/// Returns a document followed by the contents of its object streams, to search in.
#[cfg(test)]
pub(crate) fn unpacked(pdf: &[u8]) -> Vec<u8> {
    use std::io::Read as _;

    let mut all = pdf.to_vec();
    let mark = b"/Type/ObjStm";
    for (at, _) in pdf.windows(mark.len()).enumerate().filter(|(_, it)| it == mark) {
        let start = at + pdf[at..].windows(7).position(|it| it == b"stream\n").unwrap() + 7;
        let mut decoder = flate2::read::ZlibDecoder::new(&pdf[start..]);
        decoder.read_to_end(&mut all).unwrap();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a document of these objects in the form of our writers.
    fn document(version: &str, objects: &[String]) -> Vec<u8> {
        let mut out = format!("%PDF-{version}\n%\u{80}\n\n").into_bytes();
        let mut table = format!("xref\n0 {}\n0000000000 65535 f\r\n", objects.len() + 1);
        for (at, text) in objects.iter().enumerate() {
            table.push_str(&format!("{:010} 00000 n\r\n", out.len()));
            object(&mut out, at + 1, text.as_bytes());
        }
        let (start, size) = (out.len(), objects.len() + 1);
        out.extend_from_slice(table.as_bytes());
        let end = format!("trailer\n<</Size {size}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF");
        out.extend_from_slice(end.as_bytes());
        out
    }

    fn objects(count: usize) -> Vec<String> {
        let element = |at: usize| format!("<</Type/StructElem/S/TD/P {at} 0 R/Lang(zh)>>");
        let stream = "<</Length 17>>\nstream\nxref\ntrailer\n<<>>\nendstream".to_owned();
        (1..count).map(element).chain([stream]).collect()
    }

    #[test]
    fn small_objects_are_packed() {
        let plain = document("1.7", &objects(500));
        let packed = packed(plain.clone());
        assert!(packed.len() * 5 < plain.len(), "{} of {}", packed.len(), plain.len());
        let count = |what: &[u8]| packed.windows(what.len()).filter(|it| *it == what).count();
        assert_eq!(
            (count(b"/Type/ObjStm"), count(b"/Type/XRef"), count(b"/StructElem")),
            (3, 1, 0)
        );
        assert_eq!(count(b"/Root 1 0 R"), 1);
        assert_eq!(count(b"stream\nxref\ntrailer\n<<>>\nendstream"), 1, "streams stay as they are");
        assert_eq!(packed, self::packed(packed.clone()), "nothing is packed twice");
    }

    #[test]
    fn what_looks_otherwise_is_left_as_it_is() {
        let whole = document("1.7", &objects(100));
        let text = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut changed = whole.clone();
            change(&mut changed);
            changed
        };
        for other in [
            Vec::new(),
            document("1.4", &objects(100)),
            document("1.7", &objects(10)),
            text(&|it| it.truncate(it.len() - 1)),
            text(&|it| it.extend_from_slice(b"\n")),
            text(&|it| it.insert(20, b' ')),
            text(&|it| {
                let at = rfind(it, b"65535 f").unwrap();
                it[at + 18] = b'x';
            }),
        ] {
            assert_eq!(packed(other.clone()), other);
        }
        assert_ne!(packed(whole.clone()), whole);
    }
}
