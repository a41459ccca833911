//! Identifies the type of a file by its content. The name only distinguishes kinds of text, because these look alike.

mod container;
mod file_type;
#[cfg(test)]
mod hostile;
mod mail;

use std::io::Cursor;

use file_format::FileFormat;

pub(super) use container::zip_names;
pub use file_type::FileType;
use file_type::NAMED;
use mitt_text::{decode, delimited};

/// Returns the type of a file, and a warning if its name contradicts it. The content takes precedence.
pub(super) fn sniff(name: &str, bytes: &[u8]) -> (FileType, Option<String>) {
    let extension = name
        .rsplit_once('.')
        .map(|(_, extension)| extension.to_ascii_lowercase())
        .unwrap_or_default();
    let found = binary(&extension, bytes).unwrap_or_else(|| text(&extension, bytes));
    let expected = NAMED.iter().find(|(known, _)| *known == extension);
    let warning = match expected {
        Some((_, types)) if !types.contains(&found) && !is_refused(&found) => Some(format!(
            "the name ends in `.{extension}`, but the content is {}",
            found.media_type()
        )),
        _ => None,
    };
    (found, warning)
}

/// Returns whether the type is refused with a reason of its own, whatever the name of the file.
fn is_refused(found: &FileType) -> bool {
    matches!(found, FileType::EncryptedOffice | FileType::Damaged { .. })
}

/// Returns a type with a signature; `None` if it may be text.
fn binary(extension: &str, bytes: &[u8]) -> Option<FileType> {
    if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
        return Some(zip(extension, bytes));
    }
    if is_bare_workbook(bytes) {
        return Some(FileType::Xls);
    }
    if bytes.starts_with(b"{\\rt") {
        return Some(FileType::Rtf);
    }
    if bytes.starts_with(b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1") {
        return Some(compound(bytes));
    }
    if bytes.starts_with(b"\x78\x9F\x3E\x22") {
        return Some(FileType::Mail { extension: "tnef", media_type: "application/ms-tnef" });
    }
    if bytes.starts_with(b"PAR1") || bytes.starts_with(b"PARE") {
        return Some(FileType::Parquet);
    }
    if bytes.starts_with(b"ARROW1") || bytes.starts_with(b"FEA1") || is_arrow_stream(bytes) {
        return Some(FileType::Arrow);
    }
    // Some garbage before the header is common, and PDF readers accept it.
    if find(&bytes[..bytes.len().min(1024)], b"%PDF-") {
        return Some(FileType::Pdf);
    }
    let format = FileFormat::from_reader(Cursor::new(bytes)).ok()?;
    let media_type = format.media_type();
    // Subtitles, feeds and XML drawings have types of their own but are text; printer languages are not readable.
    let is_markup = matches!(media_type, "text/rtf" | "application/rtf" | "application/postscript");
    // Tools that look at the first line may take a mail for anything.
    let is_text = mail::kind(extension, bytes).is_some()
        || media_type == "application/octet-stream"
        || media_type.starts_with("text/")
        || !bytes.contains(&0) && !is_binary(&decode::beginning(bytes));
    (is_markup || !is_text).then(|| other(media_type))
}

/// Identifies an archive by its main folder. A document may embed whole workbooks, but not at the top.
fn zip(extension: &str, bytes: &[u8]) -> FileType {
    // OpenDocument begins with its media type, uncompressed.
    const OPEN: [(&[u8], FileType); 3] = [
        (b"application/vnd.oasis.opendocument.spreadsheet", FileType::Ods),
        (b"application/vnd.oasis.opendocument.text", FileType::Odt),
        (b"application/vnd.oasis.opendocument.presentation", FileType::Odp),
    ];
    for (media_type, file_type) in OPEN {
        if find(&bytes[..bytes.len().min(256)], media_type) {
            return file_type;
        }
    }
    // EPUB begins like that as well.
    if find(&bytes[..bytes.len().min(256)], b"application/epub+zip") {
        return FileType::Epub;
    }
    let whole = zip_names(bytes);
    let is_whole = whole.is_some();
    let names = whole.unwrap_or_else(|| container::zip_local_names(bytes));
    let is_office = names.iter().any(|name| name == "[content_types].xml");
    let has = |name: &str| names.iter().any(|found| found == name);
    let has_folder = |folder: &str| is_office && names.iter().any(|name| name.starts_with(folder));
    if has("xl/workbook.bin") {
        return FileType::Xlsb;
    } else if has_folder("xl/") {
        return if has("xl/vbaproject.bin") { FileType::Xlsm } else { FileType::Xlsx };
    } else if has_folder("word/") {
        return FileType::Docx;
    } else if has_folder("ppt/") {
        return FileType::Pptx;
    }
    let known = match FileFormat::from_reader(Cursor::new(bytes)) {
        Ok(FileFormat::OfficeOpenXmlSpreadsheet) => Some(FileType::Xlsx),
        Ok(FileFormat::OfficeOpenXmlDocument) => Some(FileType::Docx),
        Ok(FileFormat::OfficeOpenXmlPresentation) => Some(FileType::Pptx),
        // If another program repacked it, its media type comes after other parts.
        Ok(FileFormat::OpendocumentSpreadsheet) => Some(FileType::Ods),
        Ok(FileFormat::OpendocumentText) => Some(FileType::Odt),
        Ok(FileFormat::OpendocumentPresentation) => Some(FileType::Odp),
        _ => None,
    };
    // Its media type is compressed, and nothing is decompressed here, so the name decides.
    let by_name = match extension {
        "odt" | "ott" => Some(FileType::Odt),
        "ods" | "ots" => Some(FileType::Ods),
        "odp" | "otp" => Some(FileType::Odp),
        _ => None,
    };
    let is_open = has("meta-inf/manifest.xml") && has("content.xml");
    if let Some(known) = known.or(by_name.filter(|_| is_open)) {
        return known;
    }
    if has("meta-inf/container.xml") && names.iter().any(|name| name.ends_with(".opf")) {
        return FileType::Epub;
    }
    if is_office && let Some(office) = relocated(extension, &names) {
        return office;
    }
    if !is_whole {
        return FileType::Damaged { what: "an archive (docx, xlsx, pptx, zip, …)" };
    }
    match FileFormat::from_reader(Cursor::new(bytes)) {
        // A file with a directory is an archive, even of an unknown kind.
        Ok(format) if format.media_type() != "application/octet-stream" => {
            other(format.media_type())
        }
        _ => other("application/zip"),
    }
}

/// Identifies an office document whose parts are in unusual folders, which only its relationships define. Nothing is decompressed
/// here, so the names of its parts, and then the name of the file, decide; its reader checks.
fn relocated(extension: &str, names: &[String]) -> Option<FileType> {
    let has_part = |stem: &str| {
        names.iter().any(|name| {
            let file = name.rsplit('/').next().unwrap_or_default();
            file.starts_with(stem) && file.ends_with(".xml")
        })
    };
    if names.iter().any(|name| name.rsplit('/').next() == Some("workbook.bin")) {
        Some(FileType::Xlsb)
    } else if has_part("workbook") {
        Some(if extension == "xlsm" { FileType::Xlsm } else { FileType::Xlsx })
    } else if has_part("presentation") {
        Some(FileType::Pptx)
    } else if has_part("document") {
        Some(FileType::Docx)
    } else {
        match extension {
            "xlsb" => Some(FileType::Xlsb),
            "xlsm" => Some(FileType::Xlsm),
            "xlsx" => Some(FileType::Xlsx),
            "pptx" | "pptm" => Some(FileType::Pptx),
            "docx" | "docm" => Some(FileType::Docx),
            _ => None,
        }
    }
}

/// Returns whether the bytes are an old workbook without a compound file: the first record begins a workbook or a sheet.
fn is_bare_workbook(bytes: &[u8]) -> bool {
    let Some([9, version, length, 0, _, _, kind, kinds]) = bytes.first_chunk() else {
        return false;
    };
    matches!(version, 0 | 2 | 4 | 8)
        && (4..=16).contains(length)
        && matches!((kind, kinds), (0x05 | 0x10 | 0x20 | 0x40, 0) | (0, 1))
}

/// Returns whether the bytes are an Arrow stream, which begins with a mark and the length of its schema, a multiple of 8 bytes.
fn is_arrow_stream(bytes: &[u8]) -> bool {
    let Some((&[0xFF, 0xFF, 0xFF, 0xFF, a, b, c, d], rest)) = bytes.split_first_chunk() else {
        return false;
    };
    let length = u32::from_le_bytes([a, b, c, d]) as usize;
    length > 0 && length.is_multiple_of(8) && length <= rest.len()
}

/// Identifies a compound file by the streams in its root.
fn compound(bytes: &[u8]) -> FileType {
    let entries = container::compound_entries(bytes).unwrap_or_default();
    let named = |name: &str| entries.iter().find(|found| found.name.eq_ignore_ascii_case(name));
    let has = |name: &str| named(name).is_some();
    let begins = |name: &str| container::stream_beginning(bytes, named(name)?);
    // Checked first, because rights management adds a readable `WordDocument` that only says "protected".
    if has("EncryptedPackage") {
        FileType::EncryptedOffice
    } else if has("WordDocument") {
        match begins("WordDocument") {
            Some(text) if is_locked_text(&text) => FileType::EncryptedOffice,
            _ => FileType::Doc,
        }
    } else if has("PowerPoint Document") || has("PP97_DUALSTORAGE") {
        if is_locked_deck(bytes) { FileType::EncryptedOffice } else { FileType::Ppt }
    } else if has("Workbook") || has("Book") {
        match begins("Workbook").or_else(|| begins("Book")) {
            Some(book) if is_locked_workbook(&book) => FileType::EncryptedOffice,
            _ => FileType::Xls,
        }
    } else if has("__properties_version1.0") {
        FileType::Mail { extension: "msg", media_type: "application/vnd.ms-outlook" }
    } else {
        match FileFormat::from_reader(Cursor::new(bytes)) {
            Ok(FileFormat::MicrosoftWordDocument) => FileType::Doc,
            Ok(FileFormat::MicrosoftExcelSpreadsheet) => FileType::Xls,
            Ok(FileFormat::MicrosoftPowerpointPresentation) => FileType::Ppt,
            // Its reader says what else is wrong with it.
            _ if container::has_encrypted_entry(bytes) => FileType::EncryptedOffice,
            _ if entries.is_empty() => {
                FileType::Damaged { what: "a compound file (doc, xls, ppt, msg)" }
            }
            _ => other("application/x-ole-storage"),
        }
    }
}

/// Returns whether a Word text is encrypted with a password: a flag in its header says so. The obfuscation of Word 95 is not
/// supported.
fn is_locked_text(text: &[u8]) -> bool {
    const ENCRYPTED: u8 = 0x01;
    const OBFUSCATED: u8 = 0x80;
    text.starts_with(b"\xEC\xA5")
        && text.get(11).is_some_and(|it| it & (ENCRYPTED | OBFUSCATED) == ENCRYPTED)
}

/// Returns whether a workbook is encrypted with a password: one of its first records says so.
fn is_locked_workbook(mut records: &[u8]) -> bool {
    const PASSWORD: u16 = 0x002F;
    for _ in 0..4 {
        let Some((&[a, b, c, d], rest)) = records.split_first_chunk() else { return false };
        if u16::from_le_bytes([a, b]) == PASSWORD {
            return true;
        }
        records = rest.get(usize::from(u16::from_le_bytes([c, d]))..).unwrap_or_default();
    }
    false
}

/// Returns whether a presentation is encrypted with a password: the short stream about its last user has another token then.
fn is_locked_deck(bytes: &[u8]) -> bool {
    find(bytes, b"\x14\0\0\0\xDF\xC4\xD1\xF3")
}

/// Returns the kind of a text. Among kinds that look alike the name decides; without a useful name, the structure.
fn text(extension: &str, bytes: &[u8]) -> FileType {
    let start = decode::beginning(bytes);
    if is_binary(&start) {
        return other("application/octet-stream");
    }
    if let Some((extension, media_type)) = mail::kind(extension, bytes) {
        return FileType::Mail { extension, media_type };
    }
    if is_flat(&start) {
        return FileType::Fodt;
    }
    if is_html(&start) {
        return FileType::Html;
    }
    let is_object = start.trim_start().starts_with('{');
    match extension {
        "csv" | "tsv" | "tab" => FileType::Csv,
        "md" | "markdown" => FileType::Markdown,
        "html" | "htm" | "xhtml" => FileType::Html,
        "ipynb" if is_object => FileType::Notebook,
        "json" | "geojson" if is_object && is_notebook(&start) => FileType::Notebook,
        "json" | "geojson" => FileType::Json,
        "jsonl" | "ndjson" => FileType::JsonLines,
        "xml" | "rss" | "atom" | "rdf" | "opml" => FileType::Xml,
        "" | "txt" if is_feed(&start) => FileType::Xml,
        "txt" if delimited::shape(&start) == Some(b'\t') => FileType::Csv,
        // Programs write tables as text and name them `.xls`; text without an extension may be anything.
        "" | "xls" | "xlsx" | "dat" if delimited::shape(&start).is_some() => FileType::Csv,
        "" if start.starts_with("# ") || start.contains("\n# ") || start.contains("\n## ") => {
            FileType::Markdown
        }
        _ => FileType::Text,
    }
}

/// Returns whether a text is OpenDocument in a single XML file.
fn is_flat(start: &str) -> bool {
    start.trim_start().starts_with("<?xml")
        && start.contains("<office:document ")
        && start.contains("application/vnd.oasis.opendocument.text")
}

/// Returns whether a JSON object is a notebook, judging by its first cell.
fn is_notebook(start: &str) -> bool {
    start.contains("\"cells\"") && start.contains("\"cell_type\"")
}

/// Returns whether a text without a useful name is XML with a declaration, or a feed.
fn is_feed(start: &str) -> bool {
    let start = start.trim_start();
    ["<?xml", "<rss", "<feed", "<rdf:RDF"].iter().any(|tag| start.starts_with(tag))
}

/// Returns whether there are too many control characters for a text in any encoding: more than one in a hundred.
fn is_binary(start: &str) -> bool {
    let controls = start.chars().filter(|c| {
        c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{c}' | '\u{1b}' | '\u{1a}')
    });
    controls.count() * 100 > start.chars().count()
}

/// Returns whether a text is a web page: its first element says so, after any comments and declarations.
fn is_html(start: &str) -> bool {
    let start = start.to_ascii_lowercase();
    let mut rest = start.trim_start();
    loop {
        rest = if let Some(comment) = rest.strip_prefix("<!--") {
            comment.split_once("-->").map_or("", |(_, rest)| rest).trim_start()
        } else if let Some(declaration) = rest.strip_prefix("<?xml") {
            declaration.split_once('>').map_or("", |(_, rest)| rest).trim_start()
        } else {
            break;
        };
    }
    ["<!doctype html", "<html", "<head", "<body", "<meta ", "<table", "<style"]
        .iter()
        .any(|tag| rest.starts_with(tag))
}

fn other(media_type: &str) -> FileType {
    const ARCHIVES: [(&str, &str); 4] = [
        ("zip", "application/zip"),
        ("tar", "application/x-tar"),
        ("gz", "application/gzip"),
        ("7z", "application/x-7z-compressed"),
    ];
    const PICTURES: [(&str, &str); 7] = [
        ("png", "image/png"),
        ("png", "image/apng"),
        ("jpg", "image/jpeg"),
        ("gif", "image/gif"),
        ("webp", "image/webp"),
        ("bmp", "image/bmp"),
        ("tiff", "image/tiff"),
    ];
    let is_it = |(_, known): &(&str, &str)| *known == media_type;
    if let Some((extension, media_type)) = ARCHIVES.into_iter().find(is_it) {
        FileType::Archive { extension, media_type }
    } else if let Some((extension, media_type)) = PICTURES.into_iter().find(is_it) {
        FileType::Picture { extension, media_type }
    } else {
        FileType::Other { media_type: media_type.to_owned() }
    }
}

fn find(bytes: &[u8], part: &[u8]) -> bool {
    memchr::memmem::find(bytes, part).is_some()
}

#[cfg(test)]
mod tests {
    use super::file_type::{JPEG, PNG};
    use super::*;

    const FLAT: &str = "<?xml version=\"1.0\"?><office:document office:mimetype=\"application/vnd.oasis.opendocument.text\"/>";

    #[test]
    fn open_documents_are_told_by_their_media_type() {
        for (kind, expected) in [
            ("text", FileType::Odt),
            ("presentation", FileType::Odp),
            ("spreadsheet", FileType::Ods),
        ] {
            let bytes = format!("PK\u{3}\u{4}mimetypeapplication/vnd.oasis.opendocument.{kind}PK");
            assert_eq!(sniff("a", bytes.as_bytes()).0, expected, "{kind}");
        }
        // Repacked, with the media type at any position, compressed or not.
        let packed_anew = |method| {
            let options = zip::write::SimpleFileOptions::default().compression_method(method);
            let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
            for (name, content) in [
                ("Thumbnails/thumbnail.png", "x".repeat(300).as_str()),
                ("content.xml", "<a/>"),
                ("mimetype", "application/vnd.oasis.opendocument.text"),
                ("META-INF/manifest.xml", "<a/>"),
            ] {
                zip.start_file(name, options).unwrap();
                std::io::Write::write_all(&mut zip, content.as_bytes()).unwrap();
            }
            zip.finish().unwrap().into_inner()
        };
        let stored = packed_anew(zip::CompressionMethod::Stored);
        assert_eq!(sniff("a", &stored).0, FileType::Odt);
        let packed = packed_anew(zip::CompressionMethod::Deflated);
        assert_eq!(sniff("a.odt", &packed).0, FileType::Odt);
        assert_ne!(sniff("a", &packed).0, FileType::Odt);
        let mail = FileType::Mail { extension: "msg", media_type: "application/vnd.ms-outlook" };
        assert_eq!(sniff("a", &hostile::compound_of("__properties_version1.0")).0, mail);
        let outlook = FileType::Mail { extension: "tnef", media_type: "application/ms-tnef" };
        for name in ["winmail.dat", "a", "b.bin"] {
            assert_eq!(
                sniff(name, b"\x78\x9F\x3E\x22\x01\0\x01"),
                (outlook.clone(), None),
                "{name}"
            );
        }
    }

    #[test]
    fn old_documents_behind_a_password_are_known() {
        for (text, expected) in [
            (&b"\xEC\xA5\xC1\0\0\0\0\0\0\0\0\x13"[..], true),
            (b"\xEC\xA5\xC1\0\0\0\0\0\0\0\0\x12", false),
            // Word 95 obfuscates its text differently.
            (b"\xEC\xA5\xC1\0\0\0\0\0\0\0\0\x81", false),
            (b"\0\0\0\0\0\0\0\0\0\0\0\x01", false),
            (b"\xEC\xA5", false),
        ] {
            assert_eq!(is_locked_text(text), expected, "{text:?}");
        }
        let beginning = b"\x09\x08\x02\0\0\x06";
        for (next, expected) in [
            (&b"\x2F\0\x06\0"[..], true),
            (b"\x86\0\0\0\x2F\0\x04\0", true),
            (b"\xE1\0\x02\0\xB0\x04\xC1\0\x02\0\0\0", false),
            (b"\xFF\xFF\xFF\xFF", false),
            (b"", false),
        ] {
            assert_eq!(is_locked_workbook(&[beginning, next].concat()), expected, "{next:?}");
        }
        assert!(is_locked_deck(b"\0\0\xF6\x0F\x20\0\0\0\x14\0\0\0\xDF\xC4\xD1\xF3"));
        assert!(!is_locked_deck(b"\0\0\xF6\x0F\x20\0\0\0\x14\0\0\0\x5F\xC0\x91\xE3"));
    }

    #[test]
    fn text_is_told_by_its_name() {
        for (name, content, expected) in [
            ("a.csv", "a,b\n1,2\n", FileType::Csv),
            ("a.TSV", "a\tb\n", FileType::Csv),
            ("a.md", "# a", FileType::Markdown),
            ("a.txt", "年份", FileType::Text),
            ("a", "", FileType::Text),
            ("a.json", "{\"a\": 1}", FileType::Json),
            ("a.json", "{\"cells\": [{\"cell_type\": \"code\"}]}", FileType::Notebook),
            ("a.ipynb", "{\"nbformat\": 4}", FileType::Notebook),
            ("a.ipynb", "no notebook", FileType::Text),
            ("a.ndjson", "{}\n{}", FileType::JsonLines),
            ("a.json", "<!DOCTYPE html><p>", FileType::Html),
            ("a", "<?xml version=\"1.0\"?><rss/>", FileType::Xml),
            ("a.svg", "<?xml version=\"1.0\"?><svg/>", FileType::Text),
            ("a.xhtml", "<?xml version=\"1.0\"?><html/>", FileType::Html),
            ("a.txt", "  <!DOCTYPE html><p>", FileType::Html),
            (
                "a.xls",
                "<!-- made by a server -->\n<table><tr><td>1</td></tr></table>",
                FileType::Html,
            ),
            ("a.xls", "name\tprice\nx\t1\ny\t2\n", FileType::Csv),
            ("a.txt", "name\tprice\nx\t1\ny\t2\n", FileType::Csv),
            ("a.txt", "First, a sentence.\nThen, another.\n", FileType::Text),
            ("a", "name,price\nx,1\ny,2\n", FileType::Csv),
            ("a", "# Title\n\ntext, and more\n", FileType::Markdown),
            ("a.xml", "<?xml version=\"1.0\"?><data/>", FileType::Xml),
            ("a.xml", FLAT, FileType::Fodt),
            ("a.txt", "{\\rtf1 x}", FileType::Rtf),
            ("a.txt", "a\u{1}\u{2}\u{3}", other("application/octet-stream")),
            ("a.docx", "PK\u{3}\u{4}", damaged("an archive (docx, xlsx, pptx, zip, …)")),
        ] {
            assert_eq!(sniff(name, content.as_bytes()).0, expected, "{name}");
        }
    }

    fn damaged(what: &'static str) -> FileType {
        FileType::Damaged { what }
    }

    #[test]
    fn parts_may_lie_anywhere() {
        for (name, parts, expected) in [
            ("a", &["main/document2.xml"][..], FileType::Docx),
            ("a", &["deck/presentation.xml"], FileType::Pptx),
            ("a", &["workbook.xml"], FileType::Xlsx),
            ("a.docx", &["main/text.xml"], FileType::Docx),
            ("a", &["main/text.xml"], other("application/zip")),
        ] {
            let parts: Vec<&str> = ["[Content_Types].xml"].iter().chain(parts).copied().collect();
            assert_eq!(sniff(name, &hostile::zip_of(&parts)).0, expected, "{parts:?}");
        }
    }

    #[test]
    fn what_lost_its_end_is_damaged() {
        let whole = hostile::zip_of(&["[Content_Types].xml", "_rels/.rels", "word/document.xml"]);
        for end in [4, 20, 60, whole.len() / 2, whole.len() - 30] {
            let (found, warning) = sniff("a.docx", &whole[..end]);
            // Once its parts identify it, its reader reports the damage.
            assert!(
                found == damaged("an archive (docx, xlsx, pptx, zip, …)")
                    || found == FileType::Docx,
                "{end}: {found:?}"
            );
            assert_eq!(warning, None);
        }
        let cut = &hostile::compound_of("WordDocument")[..600];
        assert_eq!(sniff("a.doc", cut).0, damaged("a compound file (doc, xls, ppt, msg)"));
    }

    #[test]
    fn workbooks_are_known_wherever_their_parts_lie() {
        let names = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
        let check = |extension: &str, part: &str, expected| {
            let names = names(&["[content_types].xml", part]);
            assert_eq!(relocated(extension, &names), expected, "{extension} {part}");
        };
        check("", "workbook.xml", Some(FileType::Xlsx));
        check("dat", "book/workbook.bin", Some(FileType::Xlsb));
        check("xlsx", "book/main.xml", Some(FileType::Xlsx));
        check("xlsb", "book/main.bin", Some(FileType::Xlsb));
        check("zip", "book/main.xml", None);
    }

    #[test]
    fn content_wins_over_the_name() {
        let (found, warning) = sniff("report.xlsx", b"%PDF-1.7");
        assert_eq!(found, FileType::Pdf);
        assert_eq!(
            warning.unwrap(),
            "the name ends in `.xlsx`, but the content is application/pdf"
        );
        assert_eq!(sniff("a.xls", b"\x09\x08\x08\0\0\0\x10\0\0\0\0\0").0, FileType::Xls);
        assert_eq!(sniff("a", b"\x09\0\x04\0\x02\0\x10\0").0, FileType::Xls);
        assert_eq!(sniff("a.txt", b"\tone\ttwo\n").0, FileType::Text);
        assert_eq!(sniff("a.csv", b"PAR1\x15\x04").0, FileType::Parquet);
        assert_eq!(sniff("a", b"PARE\x15\x04").0, FileType::Parquet);
        assert_eq!(sniff("a", b"ARROW1\0\0").0, FileType::Arrow);
        assert_eq!(sniff("a", b"FEA1\0\0").0, FileType::Arrow);
        assert_eq!(sniff("a", b"\xFF\xFF\xFF\xFF\x08\0\0\0\x10\0\0\0\0\0\0\0").0, FileType::Arrow);
        assert_ne!(sniff("a", b"\xFF\xFF\xFF\xFF\x08\0\0\0\x10").0, FileType::Arrow);
        assert_eq!(sniff("image.txt", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR").0, PNG);
        let (found, warning) = sniff("photo.png", b"\xFF\xD8\xFF\xE0\0\x10JFIF\0\x01\x01");
        assert_eq!((found, warning.is_some()), (JPEG, true));
    }
}
