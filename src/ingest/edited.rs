//! Edited files, texts and drafts of mails: which types there are, what must not be in them, and what their reader sees in them.
//!
//! Nothing is decompressed here: the names of the parts decide, and the reader in the sandbox does the rest.

use std::sync::Arc;

use super::sniff::{self, FileType};
use super::{Readers, ask};
use mitt_base::memory::Charge;
use mitt_base::{Error, ErrorKind, Result, text};
use mitt_skill::{RegistryInternal as _, capability::ReaderContent};
use mitt_types::{Document, DocumentInternal as _};

/// Returns the type of an edited file: a Word file, a workbook, a presentation, a PDF, a mail, a picture of a page, or a text
/// whose name says so.
///
/// # Errors
///
/// [`ErrorKind::Arguments`] - the content is of another type or damaged.
/// [`ErrorKind::Input`] - it is an Office file with macros or a signature.
pub fn edited_type(name: &str, bytes: &[u8]) -> Result<FileType> {
    let (file_type, _) = sniff::sniff(name, bytes);
    match file_type {
        FileType::Docx | FileType::Xlsx | FileType::Xlsm | FileType::Pptx => {}
        FileType::Pdf => return Ok(file_type),
        FileType::Mail { extension: "eml", .. } if text_type(name).is_none() => {
            return Ok(file_type);
        }
        FileType::Picture { extension: "png" | "jpg", .. } => return Ok(file_type),
        other => {
            if let Some(named) = text_type(name).filter(|_| is_text(&other)) {
                return Ok(named);
            }
            let message = format!(
                "content: expected a Word file, a workbook, a presentation, a PDF, a mail, a picture or a text (`.docx`, `.xlsx`, `.pptx`, `.pdf`, `.eml`, `.png`, `.jpg`, `.txt`, `.md`, `.csv`, `.tsv`), got {}",
                other.media_type()
            );
            return Err(Error::new(ErrorKind::Arguments, message));
        }
    }
    let Some(names) = sniff::zip_names(bytes) else {
        let message = "content: the file is damaged: the directory of its parts is missing";
        return Err(Error::new(ErrorKind::Arguments, message));
    };
    let is_macro = |name: &String| {
        ["vbaproject.bin", "vbadata.xml"].iter().any(|end| name.ends_with(end))
            || name.starts_with("xl/macrosheets/")
    };
    if file_type == FileType::Xlsm || names.iter().any(is_macro) {
        let message = "the file has macros, which no `.docx`, `.xlsx` or `.pptx` may have";
        return Err(Error::new(ErrorKind::Input, message)
            .hint("save the document without macros and give that file"));
    }
    if names.iter().any(|name| name.starts_with("_xmlsignatures/")) {
        let message = "the file is signed, and no signature outlives a change";
        return Err(Error::new(ErrorKind::Input, message)
            .hint("remove the signature in Office (File, Info) and give that file"));
    }
    Ok(file_type)
}

/// Returns `true` if a file begins as a package (a Word file, a workbook, a presentation) or a PDF does.
pub fn is_package_or_pdf(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK") || bytes.starts_with(b"%PDF-")
}

/// Returns the type of a text by the name of its file. The content of a text says little: a table is a text too.
pub fn text_type(name: &str) -> Option<FileType> {
    let extension = name.rsplit_once('.')?.1.to_ascii_lowercase();
    match extension.as_str() {
        "txt" => Some(FileType::Text),
        "md" => Some(FileType::Markdown),
        "csv" | "tsv" => Some(FileType::Csv),
        _ => None,
    }
}

/// Returns `true` for content that people read as a text.
fn is_text(found: &FileType) -> bool {
    matches!(
        found,
        FileType::Text
            | FileType::Markdown
            | FileType::Csv
            | FileType::Html
            | FileType::Json
            | FileType::JsonLines
            | FileType::Notebook
            | FileType::Xml
            | FileType::Fodt
            | FileType::Mail { extension: "eml" | "mbox" | "mhtml", .. }
    )
}

/// Reads an edited file as its reader sees it. Returns the document without warnings, and the charge for its text. `is_checked`
/// returns `true` for the content of a file that the rules have already seen.
///
/// # Errors
///
/// [`ErrorKind::Input`] - the file cannot be read, is a picture, or has files in it that no rule has seen. [`ErrorKind::Limit`], [`ErrorKind::Trap`] - the reader reached a limit or
/// crashed at this file.
pub async fn read_edited(
    readers: &Readers<'_>,
    (name, file_type): (&str, &FileType),
    bytes: Arc<[u8]>,
    is_checked: &(dyn Fn(&[u8]) -> bool + Sync),
) -> Result<(Document, Charge)> {
    if matches!(file_type, FileType::Docx | FileType::Xlsx | FileType::Pptx) && has_twins(&bytes) {
        return Err(Error::new(ErrorKind::Input, "two of its parts have the same name"));
    }
    if matches!(file_type, FileType::Picture { .. }) {
        // Recognition of text makes mistakes, and a rule must see every letter.
        let message = "it is a picture, and no rule about content can check the text in it";
        return Err(Error::new(ErrorKind::Input, message)
            .hint("use the text of the document instead, which the rules have seen"));
    }
    let extension = file_type.extension();
    let Some(reader) =
        readers.registry.reader_with_progress(extension, readers.on_compiling).await?
    else {
        let message = format!("no skill reads `.{extension}` files, so that no rule can check it");
        return Err(Error::new(ErrorKind::Input, message));
    };
    let (content, _) = ask(readers, &reader, bytes, name, file_type, None).await?;
    let ReaderContent { title, metadata, markdown, places, tables, parts, working, .. } = content;
    // Names of files inside are part of the text that the reader returns.
    if let Some((inner, _)) = parts.files.iter().find(|(_, content)| !is_checked(content)) {
        let inner = text::one_line(text::cut_bytes(inner, 100));
        let message = format!("the file `{inner}` is in it, which no rule checks");
        return Err(Error::new(ErrorKind::Input, message)
            .hint("attach only documents and delivered files of this session"));
    }
    let document = Document {
        title,
        metadata,
        characters: markdown.chars().count() as u64,
        text: markdown,
        places,
        tables: tables.into(),
        ..Document::empty(name, file_type.media_type())
    };
    Ok((document, working))
}

/// Returns whether two parts of a package have the same name. Programs disagree which of them counts, so a reader could see
/// another one than Office.
fn has_twins(bytes: &[u8]) -> bool {
    let mut names = sniff::zip_names(bytes).unwrap_or_default();
    names.sort_unstable();
    names.windows(2).any(|pair| pair[0] == pair[1])
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write as _};

    use super::*;

    fn package(names: &[&str]) -> Vec<u8> {
        let options = zip::write::SimpleFileOptions::default();
        let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for name in names {
            zip.start_file(*name, options).unwrap();
            zip.write_all(b"<a/>").unwrap();
        }
        zip.finish().unwrap().into_inner()
    }

    const TYPES: &str = "[Content_Types].xml";

    #[test]
    fn the_content_decides_the_type() {
        for (part, expected) in [
            ("word/document.xml", FileType::Docx),
            ("xl/workbook.xml", FileType::Xlsx),
            ("ppt/presentation.xml", FileType::Pptx),
        ] {
            let bytes = package(&[TYPES, part]);
            for name in ["a.docx", "a.xlsx", "a", "a.pdf"] {
                assert_eq!(edited_type(name, &bytes).unwrap(), expected, "{name}");
            }
            // Cut short, it has no directory.
            let error = edited_type("a.docx", &bytes[..bytes.len() - 30]).unwrap_err();
            assert_eq!(*error.kind(), ErrorKind::Arguments, "{error}");
        }
        let mail = b"From: a@example.com\r\nSubject: b\r\nMIME-Version: 1.0\r\n\r\nc";
        assert_eq!(edited_type("a.eml", mail).unwrap().extension(), "eml");
        for (name, expected) in [
            ("a.txt", FileType::Text),
            ("A.MD", FileType::Markdown),
            ("a.csv", FileType::Csv),
            ("a.tsv", FileType::Csv),
        ] {
            for bytes in [&b"text"[..], b"a\tb\n1\t2\n", b"<html><p>a", b"{\"a\": 1}", mail, b""] {
                assert_eq!(edited_type(name, bytes).unwrap(), expected, "{name}");
            }
            for bytes in [&package(&[TYPES, "word/document.xml"])[..], b"%PDF-1.7\n"] {
                assert!(!matches!(edited_type(name, bytes), Ok(it) if it == expected), "{name}");
            }
        }
        for (bytes, expected) in
            [(&b"\x89PNG\r\n\x1a\n\0"[..], "png"), (b"\xff\xd8\xff\xe0\0\x10JFIF", "jpg")]
        {
            assert_eq!(edited_type("a", bytes).unwrap().extension(), expected);
        }
        assert!(edited_type("a.gif", b"GIF89a\x01\0\x01\0").is_err());
        for bytes in [&b"text"[..], b"a,b\n1,2\n", &package(&["a.txt"]), b"", b"PK\x03\x04"] {
            let error = edited_type("a.docx", bytes).unwrap_err();
            assert_eq!(*error.kind(), ErrorKind::Arguments, "{error}");
            assert!(error.to_string().starts_with("content: "), "{error}");
        }
        assert_eq!(edited_type("a.docx", b"%PDF-1.7\n").unwrap(), FileType::Pdf);
    }

    #[test]
    fn macros_and_signatures_are_refused() {
        for (part, more, expected) in [
            ("word/document.xml", "word/vbaProject.bin", "has macros"),
            ("word/document.xml", "word/vbaData.xml", "has macros"),
            ("xl/workbook.xml", "xl/vbaProject.bin", "has macros"),
            ("xl/workbook.xml", "xl/macrosheets/sheet1.xml", "has macros"),
            ("ppt/presentation.xml", "ppt/VBAPROJECT.BIN", "has macros"),
            ("xl/workbook.xml", "_xmlsignatures/sig1.xml", "is signed"),
        ] {
            let error = edited_type("a.docx", &package(&[TYPES, part, more])).unwrap_err();
            assert_eq!(*error.kind(), ErrorKind::Input, "{more}");
            assert!(error.to_string().contains(expected), "{more}: {error}");
        }
    }

    #[test]
    fn parts_of_the_same_name_are_found() {
        assert!(!has_twins(&package(&[TYPES, "word/document.xml", "word/styles.xml"])));
        assert!(has_twins(&package(&[TYPES, "word/document.xml", "Word/Document.xml"])));
    }
}
