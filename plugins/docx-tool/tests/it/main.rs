//! Tests of whole documents, built in memory or read from the corpora beside the project.

mod accepting;
mod blocks;
mod comments;
mod comparing;
mod comparing_formats;
mod converting;
mod corpus;
mod fields;
mod hostile;
mod markdown;
mod notes;
mod ordering;
mod package;
mod properties;
mod redacting;
mod tables;
mod words;

use docx_tool::{
    Document, Edit, EditOptions, Edited, Error, ReadOptions, Structure, View, edit, read,
};
use std::collections::BTreeMap;

const W: &str = "xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\" \
    xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\" \
    xmlns:mc=\"http://schemas.openxmlformats.org/markup-compatibility/2006\"";
const STYLES: &str = "<w:style w:type=\"paragraph\" w:default=\"1\" w:styleId=\"Normal\"><w:name w:val=\"Normal\"/></w:style>\
    <w:style w:type=\"paragraph\" w:styleId=\"H1\"><w:name w:val=\"heading 1\"/></w:style>\
    <w:style w:type=\"paragraph\" w:styleId=\"Quote\"><w:name w:val=\"Quote\"/></w:style>";

/// Makes a document with this content of its body.
fn docx(body: &str) -> Vec<u8> {
    docx_with(body, &[])
}

/// Makes a document with further parts: name, type of its relationship, media type, content of the root.
fn docx_with(body: &str, parts: &[(&str, &str, &str)]) -> Vec<u8> {
    let office = "application/vnd.openxmlformats-officedocument.wordprocessingml";
    let mut types = format!(
        "<Override PartName=\"/word/document.xml\" ContentType=\"{office}.document.main+xml\"/>\
         <Override PartName=\"/word/styles.xml\" ContentType=\"{office}.styles+xml\"/>"
    );
    let base = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let mut relations =
        format!("<Relationship Id=\"rId1\" Type=\"{base}/styles\" Target=\"styles.xml\"/>");
    for (number, (name, kind, _)) in parts.iter().enumerate() {
        types.push_str(&format!(
            "<Override PartName=\"/word/{name}\" ContentType=\"{office}.{kind}+xml\"/>"
        ));
        relations.push_str(&format!(
            "<Relationship Id=\"rId{}\" Type=\"{base}/{kind}\" Target=\"{name}\"/>",
            number + 2
        ));
    }
    let package = "http://schemas.openxmlformats.org/package/2006";
    let head = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";
    let mut files = vec![
        (
            "[Content_Types].xml".to_owned(),
            format!(
                "{head}<Types xmlns=\"{package}/content-types\"><Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>{types}</Types>"
            ),
        ),
        (
            "_rels/.rels".to_owned(),
            format!(
                "{head}<Relationships xmlns=\"{package}/relationships\"><Relationship Id=\"rId1\" Type=\"{base}/officeDocument\" Target=\"word/document.xml\"/></Relationships>"
            ),
        ),
        (
            "word/_rels/document.xml.rels".to_owned(),
            format!(
                "{head}<Relationships xmlns=\"{package}/relationships\">{relations}</Relationships>"
            ),
        ),
        (
            "word/document.xml".to_owned(),
            format!("{head}<w:document {W}><w:body>{body}</w:body></w:document>"),
        ),
        ("word/styles.xml".to_owned(), format!("{head}<w:styles {W}>{STYLES}</w:styles>")),
    ];
    for (name, _, content) in parts {
        files.push((format!("word/{name}"), format!("{head}{content}")));
    }
    zip(&files)
}

/// Makes an archive without compression.
fn zip(files: &[(String, String)]) -> Vec<u8> {
    let bytes: Vec<(String, Vec<u8>)> =
        files.iter().map(|(name, text)| (name.clone(), text.clone().into_bytes())).collect();
    zip_bytes(&bytes)
}

fn zip_bytes(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut directory = Vec::new();
    for (name, content) in files {
        let at = out.len() as u32;
        let mut fields = Vec::new();
        for number in [20_u16, 0, 0, 0, 0x5a21] {
            fields.extend(number.to_le_bytes());
        }
        let length = content.len() as u32;
        for number in [crc32fast::hash(content), length, length] {
            fields.extend(number.to_le_bytes());
        }
        fields.extend((name.len() as u16).to_le_bytes());
        fields.extend([0, 0]);
        out.extend(0x0403_4b50_u32.to_le_bytes());
        out.extend(&fields);
        out.extend(name.as_bytes());
        out.extend(content);
        directory.extend(0x0201_4b50_u32.to_le_bytes());
        directory.extend(20_u16.to_le_bytes());
        directory.extend(&fields);
        directory.extend([0; 10]);
        directory.extend(at.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let at = out.len() as u32;
    let size = directory.len() as u32;
    out.extend(directory);
    out.extend(0x0605_4b50_u32.to_le_bytes());
    out.extend([0; 4]);
    for _ in 0..2 {
        out.extend((files.len() as u16).to_le_bytes());
    }
    out.extend(size.to_le_bytes());
    out.extend(at.to_le_bytes());
    out.extend([0, 0]);
    out
}

/// Reads all files of an archive: the packed bytes with the local header, and the content.
fn unzip(bytes: &[u8]) -> BTreeMap<String, (Vec<u8>, Vec<u8>)> {
    let u16_at = |at: usize| u16::from_le_bytes(bytes[at..at + 2].try_into().unwrap()) as usize;
    let u32_at = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let end = (0..=bytes.len() - 22).rev().find(|&at| u32_at(at) == 0x0605_4b50).unwrap();
    let mut at = u32_at(end + 16);
    let mut out = BTreeMap::new();
    for _ in 0..u16_at(end + 10) {
        let (packed, local) = (u32_at(at + 20), u32_at(at + 42));
        let name = String::from_utf8(bytes[at + 46..at + 46 + u16_at(at + 28)].to_vec()).unwrap();
        let start = local + 30 + u16_at(local + 26) + u16_at(local + 28);
        let data = &bytes[start..start + packed];
        let content = match u16_at(at + 10) {
            0 => data.to_vec(),
            _ => miniz_oxide::inflate::decompress_to_vec(data).unwrap(),
        };
        out.insert(name, (bytes[local..start + packed].to_vec(), content));
        at += 46 + u16_at(at + 28) + u16_at(at + 30) + u16_at(at + 32);
    }
    out
}

fn part(bytes: &[u8], name: &str) -> String {
    String::from_utf8(unzip(bytes)[name].1.clone()).unwrap()
}

/// Returns the content of the body, with the marks of changes shortened.
fn body(bytes: &[u8]) -> String {
    let text = part(bytes, "word/document.xml");
    let start = text.find("<w:body>").unwrap() + 8;
    let mut text = text[start..text.rfind("</w:body>").unwrap()].to_owned();
    text = text.replace(" w:date=\"2026-11-27T10:00:00Z\"", "").replace(" w:author=\"Mitt\"", "");
    // Ids differ, and are of no interest.
    while let Some(at) = text.find(" w:id=\"") {
        let end = at + 7 + text[at + 7..].find('"').unwrap() + 1;
        text.replace_range(at..end, "");
    }
    text
}

fn options(is_tracked: bool) -> EditOptions {
    EditOptions::new(is_tracked, None, Some("2026-11-27T10:00:00Z")).unwrap()
}

fn no_files(name: &str) -> Result<Vec<u8>, String> {
    Err(format!("no document `{name}`"))
}

fn tracked(bytes: &[u8], edits: &[Edit]) -> Result<Edited, Error> {
    edit(bytes.to_vec(), edits, &options(true), &no_files)
}

fn plain(bytes: &[u8], edits: &[Edit]) -> Result<Edited, Error> {
    edit(bytes.to_vec(), edits, &options(false), &no_files)
}

fn structure(bytes: &[u8], view: View) -> Structure {
    let options = ReadOptions { view, is_outline: false, find: None, from: 0, limit: usize::MAX };
    read(&mut Document::open(bytes.to_vec()).unwrap(), &options).unwrap()
}

fn texts(bytes: &[u8], view: View) -> Vec<String> {
    structure(bytes, view).paragraphs.into_iter().map(|it| it.text).collect()
}

/// Returns the anchor of a paragraph by its index among all.
fn anchor(bytes: &[u8], index: usize) -> String {
    structure(bytes, View::Accepted).paragraphs[index].anchor.clone()
}

fn table(bytes: &[u8]) -> String {
    structure(bytes, View::Accepted).tables[0].anchor.clone()
}

fn accepted(bytes: &[u8]) -> Vec<u8> {
    plain(bytes, &[Edit::AcceptChanges(Default::default())]).unwrap().bytes
}

fn rejected(bytes: &[u8]) -> Vec<u8> {
    plain(bytes, &[Edit::RejectChanges(Default::default())]).unwrap().bytes
}

fn replace(at: &str, find: &str, replacement: &str) -> Edit {
    Edit::ReplaceText {
        at: at.to_owned(),
        find: find.to_owned(),
        replacement: replacement.to_owned(),
        occurrence: None,
    }
}

/// Replaces a text of the first paragraph, and returns the body.
fn replaced(paragraph: &str, find: &str, replacement: &str, is_tracked: bool) -> String {
    let bytes = docx(paragraph);
    let edits = [replace(&anchor(&bytes, 0), find, replacement)];
    body(&edit(bytes, &edits, &options(is_tracked), &no_files).unwrap().bytes)
}
