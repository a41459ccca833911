//! Small PDF files with a place for a signature.

use std::fmt::Write as _;

/// A file whose signature is still zeros.
pub(crate) struct Placeholder {
    pub(crate) pdf: Vec<u8>,
    pub(crate) byte_range: [usize; 4],
}

/// Returns a file of one page with a signature field; the contents of the signature have room for `room` bytes.
pub(crate) fn placeholder(subfilter: &str, room: usize) -> Placeholder {
    let objects = [
        (1, catalog("4 0 R")),
        (2, "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned()),
        (
            3,
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Resources<<>>/Annots[4 0 R]>>"
                .to_owned(),
        ),
        (4, field("Signature1", 5)),
        (5, signature(subfilter, room)),
    ];
    finish(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n".to_vec(), &objects, None)
}

/// Appends a revision to a file of [`placeholder`], with a second signature field.
pub(crate) fn second_placeholder(pdf: &[u8], subfilter: &str, room: usize) -> Placeholder {
    let text = String::from_utf8_lossy(pdf);
    let previous =
        text.rsplit("startxref\n").next().unwrap().lines().next().unwrap().parse().unwrap();
    let objects =
        [(1, catalog("4 0 R 6 0 R")), (6, field("Signature2", 7)), (7, signature(subfilter, room))];
    finish(pdf.to_vec(), &objects, Some(previous))
}

fn catalog(fields: &str) -> String {
    format!("<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[{fields}]/SigFlags 3>>>>")
}

fn field(name: &str, signature: u32) -> String {
    format!(
        "<</Type/Annot/Subtype/Widget/FT/Sig/T({name})/V {signature} 0 R/Rect[0 0 0 0]/F 132/P 3 0 R>>"
    )
}

fn signature(subfilter: &str, room: usize) -> String {
    let zeros = "00".repeat(room);
    format!(
        "<</Type/Sig/Filter/Adobe.PPKLite/SubFilter/{subfilter}/M (D:20260601120000Z)\
         /ByteRange [0 ########## ########## ##########]/Contents <{zeros}>>>"
    )
}

fn finish(mut pdf: Vec<u8>, objects: &[(u32, String)], previous: Option<usize>) -> Placeholder {
    let revision = pdf.len();
    let mut table = String::new();
    if previous.is_none() {
        table.push_str("0 1\n0000000000 65535 f \n");
    }
    for (number, object) in objects {
        let _ = write!(table, "{number} 1\n{:010} 00000 n \n", pdf.len());
        pdf.extend(format!("{number} 0 obj\n{object}\nendobj\n").into_bytes());
    }
    let start = pdf.len();
    let previous = previous.map_or(String::new(), |previous| format!("/Prev {previous}"));
    pdf.extend(
        format!(
            "xref\n{table}trailer\n<</Size 8/Root 1 0 R{previous}>>\nstartxref\n{start}\n%%EOF\n"
        )
        .into_bytes(),
    );
    let find = |needle: &[u8]| {
        revision
            + pdf[revision..].windows(needle.len()).position(|window| window == needle).unwrap()
    };
    let gap = find(b"/Contents <") + b"/Contents ".len();
    let after = gap + pdf[gap..].iter().position(|byte| *byte == b'>').unwrap() + 1;
    let byte_range = [0, gap, after, pdf.len() - after];
    let marks = find(b"########## ########## ##########");
    pdf[marks..marks + 32].copy_from_slice(
        format!("{:>10} {:>10} {:>10}", byte_range[1], after, byte_range[3]).as_bytes(),
    );
    Placeholder { pdf, byte_range }
}
