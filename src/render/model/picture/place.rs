//! Addresses of pictures in a document, and which of them may be files.

use std::collections::HashSet;

use crate::model::doc::{Block, Doc, Inline};

/// Most bytes of a picture's name. File systems allow no longer ones.
pub(crate) const MAX_NAME_BYTES: usize = 2_048;

/// Returns the addresses of all pictures in a document, in the order of the text, each once; without `data:` addresses,
/// which contain the picture.
pub fn picture_names(doc: &Doc) -> Vec<&str> {
    let mut names = Vec::new();
    let mut seen = HashSet::new();
    addresses(doc, &mut |url| {
        let is_itself = scheme(url).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data"));
        if !is_itself && seen.insert(url) {
            names.push(url);
        }
    });
    names
}

/// Calls `visit` with the address of each picture, once for each use.
pub(crate) fn addresses<'a>(doc: &'a Doc, visit: &mut dyn FnMut(&'a str)) {
    let mut walk = Walk { visit };
    for blocks in std::iter::once(&doc.blocks).chain(&doc.footnotes) {
        blocks.iter().for_each(|block| walk.block(block));
    }
}

struct Walk<'a, 'v> {
    visit: &'v mut dyn FnMut(&'a str),
}

impl<'a> Walk<'a, '_> {
    fn block(&mut self, block: &'a Block) {
        match block {
            Block::Heading { content, .. } | Block::Paragraph { content } => self.inlines(content),
            Block::Quote { blocks, .. } => blocks.iter().for_each(|block| self.block(block)),
            Block::List(list) => {
                list.items.iter().flat_map(|item| &item.blocks).for_each(|block| self.block(block));
            }
            Block::Table(table) => {
                let cells = table.head.iter().chain(table.rows.iter().flatten());
                cells.for_each(|cell| self.inlines(cell));
            }
            _ => {}
        }
    }

    fn inlines(&mut self, content: &'a [Inline]) {
        for inline in content {
            match inline {
                Inline::Image { url, .. } => (self.visit)(url),
                Inline::Emphasis { content }
                | Inline::Strong { content }
                | Inline::Strikethrough { content }
                | Inline::Styled { content, .. }
                | Inline::Link { content, .. } => self.inlines(content),
                _ => {}
            }
        }
    }
}

/// Returns the scheme of an address, if it has one.
pub(crate) fn scheme(url: &str) -> Option<&str> {
    let (scheme, _) = url.split_once(':')?;
    let is_one = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'));
    is_one.then_some(scheme)
}

/// Returns the possible paths of the file at a picture's address, relative and of plain names: as written, and with its
/// escapes decoded (`%20`).
///
/// # Errors
///
/// The address leads elsewhere: to the web, to a root, above the folder. The text says so.
pub fn local_names(url: &str) -> Result<Vec<String>, String> {
    // A Windows drive is no scheme, and not allowed either.
    if let Some(scheme) = scheme(url).filter(|scheme| scheme.len() > 1) {
        return Err(match scheme.to_ascii_lowercase().as_str() {
            "http" | "https" => "pictures of the web are not fetched".to_owned(),
            _ => "files beside the document and `data:` only".to_owned(),
        });
    }
    let mut names = Vec::new();
    for name in [Some(url.to_owned()), unescaped(url)].into_iter().flatten() {
        let name = plain_path(&name)?;
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Ok(names)
}

/// Returns a path if every part of it is a plain name.
fn plain_path(path: &str) -> Result<String, String> {
    let refused = |problem: &str| Err(problem.to_owned());
    if path.len() > MAX_NAME_BYTES || path.contains('\0') {
        return refused("it is no path of a file");
    }
    if path.starts_with(['/', '\\', '~']) || path.get(1..2) == Some(":") {
        return refused("expected a path from the document's folder, got one from a root");
    }
    if path.contains('\\') {
        return refused("expected a path with `/` between its parts");
    }
    let parts: Vec<_> = path.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    if parts.contains(&"..") {
        return refused("it leads out of the document's folder");
    }
    if parts.is_empty() {
        return refused("it names no file");
    }
    Ok(parts.join("/"))
}

/// Decodes the escapes of an address; `None` if it has none, or if they are no text.
fn unescaped(url: &str) -> Option<String> {
    url.contains('%').then(|| String::from_utf8(super::data_uri::unescaped(url)).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_of_the_whole_document_and_each_once() {
        let source = "![a](1.png) [![b](2.png)](http://x)\n\n> - ![c](<3 图.png> \"t\")\n\n| ![d](4.png) |\n|--|\n| *![e](1.png)* |\n\nx[^1] ![f](data:image/png;base64,AA) ![g][r]\n\n[r]: 5.png\n\n[^1]: ![h](6.png)\n";
        let doc = crate::markdown(source).unwrap();
        assert_eq!(picture_names(&doc), ["1.png", "2.png", "3 图.png", "4.png", "5.png", "6.png"]);
    }

    #[test]
    fn only_paths_below_the_folder_are_files() {
        let of = |url: &str| local_names(url).map(|names| names.join(" | "));
        assert_eq!(of("a.png").unwrap(), "a.png");
        assert_eq!(of("./图/a b.png").unwrap(), "图/a b.png");
        assert_eq!(of("%E5%9B%BE%20a.png").unwrap(), "%E5%9B%BE%20a.png | 图 a.png");
        assert_eq!(of("100%.png").unwrap(), "100%.png");
        assert_eq!(of("%FF.png").unwrap(), "%FF.png");
        for (url, reason) in [
            ("https://a.test/x.png", "pictures of the web are not fetched"),
            ("HTTP://a.test/x.png", "pictures of the web are not fetched"),
            ("file:///etc/passwd", "files beside the document and `data:` only"),
            ("/etc/passwd", "expected a path from the document's folder, got one from a root"),
            ("//host/a.png", "expected a path from the document's folder, got one from a root"),
            ("%2Fetc/passwd", "expected a path from the document's folder, got one from a root"),
            ("C:\\a.png", "expected a path from the document's folder, got one from a root"),
            ("~/a.png", "expected a path from the document's folder, got one from a root"),
            ("a\\b.png", "expected a path with `/` between its parts"),
            ("../a.png", "it leads out of the document's folder"),
            ("a/../../b.png", "it leads out of the document's folder"),
            ("%2e%2e/a.png", "it leads out of the document's folder"),
            ("a%00.png", "it is no path of a file"),
            ("", "it names no file"),
            ("./", "it names no file"),
        ] {
            assert_eq!(of(url).unwrap_err(), reason, "{url}");
        }
    }
}
