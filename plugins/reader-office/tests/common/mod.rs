//! Packages made part by part.
#![allow(dead_code, reason = "each test needs a part of it")]

use std::io::{Cursor, Write};
use zip::write::SimpleFileOptions;

pub(crate) const W: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/// Returns an archive of these parts.
pub(crate) fn archive(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        archive.start_file(*name, SimpleFileOptions::default()).unwrap();
        archive.write_all(content).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// Returns relationships from lines of `id kind target`.
pub(crate) fn relations(lines: &[&str]) -> String {
    let relation = |line: &&str| {
        let [id, kind, target] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        format!(r#"<Relationship Id="{id}" Type="{OFFICE}/{kind}" Target="{target}"/>"#)
    };
    format!(
        r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{}</Relationships>"#,
        lines.iter().map(relation).collect::<String>()
    )
}

/// Returns content types from lines of `part type`, with types relative to their common prefix.
pub(crate) fn types(lines: &[&str]) -> String {
    let over = |line: &&str| {
        let (part, kind) = line.split_once(' ').unwrap();
        format!(
            r#"<Override PartName="/{part}" ContentType="application/vnd.openxmlformats-officedocument.{kind}+xml"/>"#
        )
    };
    format!(
        r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>{}</Types>"#,
        lines.iter().map(over).collect::<String>()
    )
}

/// Returns a Word document with a body and other parts (name in `word/`, kind of relationship, content).
pub(crate) fn word(body: &str, others: &[(&str, &str, &[u8])]) -> Vec<u8> {
    let document = format!(
        r#"<?xml version="1.0" encoding="UTF-8"?><w:document xmlns:w="{W}" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" xmlns:r="{OFFICE}" xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><w:body>{body}</w:body></w:document>"#
    );
    let lines: Vec<String> = others
        .iter()
        .enumerate()
        .map(|(index, (name, kind, _))| format!("x{index} {kind} {name}"))
        .collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let (types, root, relations) = (
        types(&["word/document.xml wordprocessingml.document.main"]),
        relations(&["r1 officeDocument word/document.xml"]),
        relations(&lines),
    );
    let names: Vec<String> = others.iter().map(|(name, ..)| format!("word/{name}")).collect();
    let mut parts: Vec<(&str, &[u8])> = vec![
        ("[Content_Types].xml", types.as_bytes()),
        ("_rels/.rels", root.as_bytes()),
        ("word/_rels/document.xml.rels", relations.as_bytes()),
        ("word/document.xml", document.as_bytes()),
    ];
    for (name, (_, _, content)) in names.iter().zip(others) {
        parts.push((name, content));
    }
    archive(&parts)
}
