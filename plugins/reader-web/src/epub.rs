//! Reads EPUB 2 and 3: the chapters in reading order.

use crate::decode::decode;
use crate::html::address::Base;
use crate::html::write::Room;
use crate::html::{end, piece, room_warnings};
use crate::xml::tree::Tree;
use mitt_reader_kit::{Content, ENCRYPTED, Error, Place, clean, single_line};
use std::collections::HashMap;
use std::io::{Cursor, Read as _};
use zip::ZipArchive;

/// Most uncompressed bytes of one file, and of all files.
const MAX_FILE: u64 = 32 << 20;
const MAX_BYTES: u64 = 128 << 20;

const MAX_CHAPTERS: usize = 10_000;

/// Algorithms that obfuscate fonts. They encrypt no text.
const OF_FONTS: [&str; 2] =
    ["http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"];

struct Book<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    left: u64,
}

/// Reads a book.
///
/// # Errors
///
/// `unsupported` - the book is encrypted. `malformed` - the book is damaged. `quota` - it holds more than the limits of
/// [`MAX_BYTES`] and [`MAX_FILE`].
pub(crate) fn read(bytes: &[u8]) -> Result<Content, Error> {
    let archive = ZipArchive::new(Cursor::new(bytes))
        .map_err(|error| Error::Malformed(format!("the book is damaged: {}", legible(&error))))?;
    let mut book = Book { archive, left: MAX_BYTES };
    if let Some(text) = book.text("META-INF/encryption.xml")? {
        check_encryption(&text)?;
    }
    let path = package_path(&mut book)?;
    let package = book.text(&path)?.ok_or_else(|| missing(&path))?;
    let package = parse(&package, &path)?;
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
    let mut warnings = Vec::new();
    let items = items(&package);
    let chapters = chapters(&package, &items, &mut warnings);
    let labels = labels(&mut book, &items, &folder)?;
    let mut room = Room::default();
    let mut piece_warnings = Vec::new();
    let mut markdown = String::new();
    let mut places = Vec::new();
    let mut missing = Vec::new();
    for href in chapters {
        let name = joined(&folder, &href);
        let Some(text) = book.text(&name)? else {
            missing.push(name);
            continue;
        };
        let first_table = room.tables.len();
        let (title, text) =
            piece(&opened(&text), Some(&Base::inside()), &mut room, &mut piece_warnings);
        if text.trim().is_empty() {
            continue;
        }
        let heading = text
            .lines()
            .find(|it| it.starts_with('#'))
            .map(|it| single_line(it.trim_start_matches('#')));
        let label = labels.get(&name).cloned().or(heading).or(title).filter(|it| !it.is_empty());
        let number = places.len() + 1;
        let label = label.map_or(format!("chapter {number}"), |it| {
            format!("chapter {number}: {}", it.chars().take(100).collect::<String>())
        });
        for table in room.tables.iter_mut().skip(first_table) {
            table.place = Some(label.clone());
        }
        places.push(Place { at: markdown.len(), label });
        markdown.push_str(&text);
        markdown.push_str("\n\n");
    }
    if let Some(first) = missing.first() {
        warnings.push(format!(
            "chapters that the book names and does not have: {}, first {}",
            missing.len(),
            clean(first)
        ));
    }
    piece_warnings.sort_unstable();
    piece_warnings.dedup();
    warnings.extend(piece_warnings.into_iter().take(20));
    room_warnings(&room, &mut warnings);
    if places.is_empty() && !missing.is_empty() {
        return Err(Error::Malformed("the book is damaged: none of its chapters is in it".into()));
    }
    end(&mut markdown);
    let (title, metadata) = about(&package);
    Ok(Content {
        title,
        metadata,
        markdown,
        places,
        tables: room.tables,
        warnings,
        ..Content::default()
    })
}

impl Book<'_> {
    /// Returns a file as text; `None` if it does not exist.
    fn text(&mut self, name: &str) -> Result<Option<String>, Error> {
        let Some(index) = self.archive.index_for_name(name) else { return Ok(None) };
        let file = match self.archive.by_index(index) {
            Ok(file) => file,
            Err(zip::result::ZipError::UnsupportedArchive(reason))
                if reason.to_lowercase().contains("password") =>
            {
                return Err(Error::Unsupported(ENCRYPTED.into()));
            }
            Err(error) => {
                return Err(Error::Malformed(format!("the book is damaged: {}", legible(&error))));
            }
        };
        let most = MAX_FILE.min(self.left);
        let mut bytes = Vec::new();
        let read = file.take(most + 1).read_to_end(&mut bytes);
        read.map_err(|error| {
            Error::Malformed(format!("the book is damaged at {}: {}", clean(name), legible(&error)))
        })?;
        let length = bytes.len() as u64;
        if length > most {
            return Err(Error::Quota(format!(
                "the book holds more than is unpacked: {MAX_FILE} bytes of a file, {MAX_BYTES} together"
            )));
        }
        self.left -= length;
        Ok(Some(decode(&bytes).text))
    }
}

fn legible(error: &impl std::fmt::Display) -> String {
    single_line(&clean(&error.to_string()))
}

fn missing(name: &str) -> Error {
    Error::Malformed(format!("the book is damaged: there is no {} in it", clean(name)))
}

fn parse(text: &str, name: &str) -> Result<Tree, Error> {
    Tree::parse(text).map_err(|damage| {
        Error::Malformed(format!(
            "the book is damaged: {} at line {}, column {}",
            clean(name),
            damage.line,
            damage.column
        ))
    })
}

/// Checks that only fonts are encrypted.
fn check_encryption(text: &str) -> Result<(), Error> {
    let Ok(tree) = Tree::parse(text) else { return Err(Error::Unsupported(ENCRYPTED.into())) };
    let is_text = tree.nodes.iter().any(|node| {
        node.name == "EncryptionMethod"
            && node.attribute("Algorithm").is_some_and(|it| !OF_FONTS.contains(&it))
    });
    // Only a book with encrypted content has encrypted keys.
    if is_text { Err(Error::Unsupported(ENCRYPTED.into())) } else { Ok(()) }
}

/// Returns the path of the package: from the container, or of the only one.
fn package_path(book: &mut Book<'_>) -> Result<String, Error> {
    if let Some(text) = book.text("META-INF/container.xml")?
        && let Ok(tree) = Tree::parse(&text)
        && let Some(path) = tree
            .nodes
            .iter()
            .find_map(|it| if it.name == "rootfile" { it.attribute("full-path") } else { None })
    {
        return Ok(path.to_owned());
    }
    let mut names: Vec<String> = book
        .archive
        .file_names()
        .flatten()
        .filter(|it| it.ends_with(".opf"))
        .map(|it| it.into_owned())
        .collect();
    names.sort_unstable();
    names
        .into_iter()
        .next()
        .ok_or_else(|| Error::Malformed("the book is damaged: it has no list of its files".into()))
}

#[derive(Default)]
struct Item {
    href: String,
    media_type: String,
    is_contents: bool,
}

fn items(package: &Tree) -> HashMap<String, Item> {
    let mut items = HashMap::new();
    for node in package.nodes.iter().filter(|it| it.name == "item") {
        let of = |name: &str| node.attribute(name).unwrap_or_default().to_owned();
        let is_contents = of("properties").split(' ').any(|it| it == "nav");
        items
            .insert(of("id"), Item { href: of("href"), media_type: of("media-type"), is_contents });
    }
    items
}

/// Returns the addresses of the chapters in reading order.
fn chapters(
    package: &Tree,
    items: &HashMap<String, Item>,
    warnings: &mut Vec<String>,
) -> Vec<String> {
    let is_page = |item: &Item| item.media_type.contains("html") || item.media_type.is_empty();
    let mut found: Vec<String> = Vec::new();
    let mut others = 0;
    for node in package.nodes.iter().filter(|it| it.name == "itemref") {
        match node.attribute("idref").and_then(|it| items.get(it)) {
            // Chapters have their own headings, so the contents are left out.
            Some(item) if item.is_contents => {}
            Some(item) if is_page(item) => found.push(item.href.clone()),
            _ => others += 1,
        }
    }
    if found.is_empty() {
        let pages = package.nodes.iter().filter(|it| {
            it.name == "item" && it.attribute("media-type").is_some_and(|it| it.contains("html"))
        });
        found = pages.filter_map(|it| it.attribute("href")).map(str::to_owned).collect();
        if !found.is_empty() {
            warnings.push("the book does not say in which order its chapters are: they are in that of its files".into());
        }
    }
    if others > 0 {
        warnings.push(format!("parts of the book that are no text were left out: {others}"));
    }
    if found.len() > MAX_CHAPTERS {
        warnings.push(format!("{MAX_CHAPTERS} of the {} chapters were read", found.len()));
        found.truncate(MAX_CHAPTERS);
    }
    found
}

/// Returns the name of each file in the table of contents. The first name counts.
fn labels(
    book: &mut Book<'_>,
    items: &HashMap<String, Item>,
    folder: &str,
) -> Result<HashMap<String, String>, Error> {
    let mut labels = HashMap::new();
    let mut lists: Vec<&Item> = items
        .values()
        .filter(|it| it.is_contents || it.media_type == "application/x-dtbncx+xml")
        .collect();
    // That of EPUB 3 comes first.
    lists.sort_by_key(|it| (!it.is_contents, it.href.clone()));
    for list in lists {
        let name = joined(folder, &list.href);
        let Some(Ok(tree)) = book.text(&name)?.map(|it| Tree::parse(&it)) else { continue };
        let inner = name.rsplit_once('/').map_or("", |(folder, _)| folder);
        let mut add = |href: Option<&str>, text: String| {
            let text = single_line(&text);
            if let Some(href) = href.filter(|_| !text.is_empty()) {
                labels.entry(joined(inner, href)).or_insert(text);
            }
        };
        for (id, node) in tree.nodes.iter().enumerate() {
            match node.name.as_str() {
                "a" => add(node.attribute("href"), tree.text_of(id)),
                "navPoint" => {
                    let href =
                        tree.child(id, "content").and_then(|it| tree.get(it)?.attribute("src"));
                    let text = tree.child(id, "navLabel").map(|it| tree.text_of(it));
                    add(href, text.unwrap_or_default());
                }
                _ => {}
            }
        }
    }
    Ok(labels)
}

/// Returns a path in the book from an address relative to a folder.
fn joined(folder: &str, href: &str) -> String {
    let href = decoded(href.split('#').next().unwrap_or_default());
    let mut steps: Vec<&str> = folder.split('/').filter(|it| !it.is_empty()).collect();
    for step in href.split('/') {
        match step {
            "" | "." => {}
            ".." => {
                steps.pop();
            }
            step => steps.push(step),
        }
    }
    steps.join("/")
}

/// Decodes percent encoding.
fn decoded(href: &str) -> String {
    let mut bytes = Vec::with_capacity(href.len());
    let mut rest = href.bytes();
    while let Some(byte) = rest.next() {
        let mut ahead = rest.clone();
        let digits = (byte == b'%').then(|| {
            [ahead.next(), ahead.next()].into_iter().flatten().map(char::from).collect::<String>()
        });
        match digits.and_then(|it| u8::from_str_radix(&it, 16).ok().filter(|_| it.len() == 2)) {
            Some(code) => {
                bytes.push(code);
                rest = ahead;
            }
            None => bytes.push(byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns the title, and other metadata.
fn about(package: &Tree) -> (Option<String>, Vec<(String, String)>) {
    const NAMES: [(&str, &str); 9] = [
        ("creator", "author"),
        ("language", "language"),
        ("date", "published"),
        ("identifier", "identifier"),
        ("publisher", "publisher"),
        ("description", "description"),
        ("subject", "subject"),
        ("contributor", "contributor"),
        ("rights", "copyright"),
    ];
    let all = |name: &str| {
        let nodes =
            package.nodes.iter().enumerate().filter(|(_, it)| it.name == name && it.prefix == "dc");
        let texts = nodes.map(|(id, _)| single_line(&package.text_of(id)));
        texts.filter(|it| !it.is_empty()).collect::<Vec<_>>()
    };
    let title = all("title").into_iter().next();
    let pairs = NAMES.into_iter().filter_map(|(element, name)| {
        let texts = all(element);
        let text: String = texts.join(", ").chars().take(1_000).collect();
        (!text.is_empty()).then(|| (name.to_owned(), text))
    });
    (title, pairs.collect())
}

/// Turns XHTML into HTML, in which `<title/>` would not be closed.
pub(crate) fn opened(text: &str) -> String {
    const EMPTY: [&str; 16] = [
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param",
        "source", "track", "wbr", "image", "path",
    ];
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        out.push_str(before);
        if tag.starts_with("<!--") {
            let end = tag.find("-->").map_or(tag.len(), |it| it + 3);
            let (comment, after) = tag.split_at(end);
            out.push_str(comment);
            rest = after;
            continue;
        }
        let end = tag_end(tag);
        let (tag, after) = tag.split_at(end);
        let name: String = tag
            .chars()
            .skip(1)
            .take_while(|it| it.is_ascii_alphanumeric() || "-:_".contains(*it))
            .collect();
        match tag.strip_suffix("/>") {
            Some(start)
                if !name.is_empty() && !EMPTY.contains(&name.to_ascii_lowercase().as_str()) =>
            {
                out.push_str(start);
                out.push_str("></");
                out.push_str(&name);
                out.push('>');
            }
            _ => out.push_str(tag),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Returns the end of the tag that begins here. A `>` in quotation marks does not end it.
pub(crate) fn tag_end(tag: &str) -> usize {
    let mut quote = None;
    for (at, byte) in tag.bytes().enumerate() {
        match (byte, quote) {
            (b'"' | b'\'', None) => quote = Some(byte),
            (byte, Some(mark)) if byte == mark => quote = None,
            (b'>', None) => return at + 1,
            _ => {}
        }
    }
    tag.len()
}
