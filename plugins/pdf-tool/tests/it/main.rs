//! Tests of whole documents, built in memory or read from the corpora beside the project.

mod corpus;
mod forms;
mod hostile;
mod joining;
mod new_signatures;
mod pages;
mod pictures;
mod places;
mod protecting;
mod redacting;
mod redacting_fields;
mod redacting_fonts;
mod signing;
mod verifying;

use pdf_tool::{Done, Edit, Error, NoTypesetter, Pdf, Position, SaveOptions, Text, edit};

/// Makes a file of objects, numbered from 1. The first one is the catalog, unless `trailer` says otherwise.
fn file(objects: &[String]) -> Vec<u8> {
    let mut out = b"%PDF-1.7\n".to_vec();
    let mut places = Vec::new();
    for (at, object) in objects.iter().enumerate() {
        places.push(out.len());
        out.extend(format!("{} 0 obj\n{object}\nendobj\n", at + 1).bytes());
    }
    let start = out.len();
    out.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).bytes());
    for place in places {
        out.extend(format!("{place:010} 00000 n \n").bytes());
    }
    out.extend(
        format!(
            "trailer\n<</Root 1 0 R /Size {}>>\nstartxref\n{start}\n%%EOF\n",
            objects.len() + 1
        )
        .bytes(),
    );
    out
}

fn stream(dict: &str, data: &str) -> String {
    format!("<<{dict} /Length {}>>\nstream\n{data}\nendstream", data.len())
}

/// Makes a file of pages with this content. More objects begin with number 4 + 2 × pages; `catalog` is part of the catalog,
/// `page` of each page.
fn book(contents: &[&str], catalog: &str, page: &str, more: &[String]) -> Vec<u8> {
    let kids: Vec<String> = (0..contents.len()).map(|it| format!("{} 0 R", 4 + 2 * it)).collect();
    let mut objects = vec![
        format!("<</Type /Catalog /Pages 2 0 R {catalog}>>"),
        format!(
            "<</Type /Pages /Kids [{}] /Count {} /MediaBox [0 0 200 100]>>",
            kids.join(" "),
            contents.len()
        ),
        "<</Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding>>"
            .to_owned(),
    ];
    for (at, content) in contents.iter().enumerate() {
        let number = 5 + 2 * at;
        objects.push(format!(
            "<</Type /Page /Parent 2 0 R /Contents {number} 0 R /Resources <</Font <</F1 3 0 R>>>> {page}>>"
        ));
        objects.push(stream("", content));
    }
    objects.extend_from_slice(more);
    file(&objects)
}

/// A line of text at a place.
fn words(text: &str) -> String {
    format!("BT /F1 12 Tf 10 50 Td ({text}) Tj ET")
}

fn open(bytes: &[u8]) -> Pdf {
    Pdf::open(bytes.to_vec(), None).unwrap()
}

fn edited(bytes: &[u8], edits: &[Edit]) -> Result<(Vec<u8>, Done), Error> {
    let mut pdf = Pdf::open(bytes.to_vec(), None)?;
    let files = |_: &str| Ok(b"content of the file".to_vec());
    let done = edit(&mut pdf, edits, false, &files, &NoTypesetter)?;
    Ok((pdf.save(&SaveOptions::default())?, done))
}

fn has(bytes: &[u8], part: &str) -> bool {
    bytes.windows(part.len()).any(|it| it == part.as_bytes())
}

/// Returns all data of a file, decompressed, to search it.
fn plain(bytes: &[u8]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    let mut at = 0;
    while let Some(found) = bytes[at..].windows(7).position(|it| it == b"stream\n") {
        at += found + 7;
        if let Ok(data) = miniz_oxide::inflate::decompress_to_vec_zlib(&bytes[at..]) {
            out.extend(data);
        } else if let Err(error) = miniz_oxide::inflate::decompress_to_vec_zlib(&bytes[at..]) {
            out.extend(error.output);
        }
    }
    out
}

fn text(text: &str) -> Edit {
    Edit::AddText(Text {
        text: text.to_owned(),
        pages: "all".to_owned(),
        position: Position::Bottom,
        size: 10.0,
        color: "000000".to_owned(),
        angle: 0.0,
        opacity: 1.0,
        margin: 10.0,
        start: None,
        is_behind: false,
    })
}
