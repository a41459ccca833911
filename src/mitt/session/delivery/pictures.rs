//! Pictures for files that are rendered: how a text finds those that it names.
//!
//! A text can name pictures of its own session only: delivered files, files of the workspace, and pictures that were added.
//! Nothing is fetched, and no other file is read.

use std::sync::Arc;

use super::state::Delivery;
use mitt_base::memory::{Account, Charge};
use mitt_base::{Error, ErrorKind, Result, text};
use mitt_render::{Block, Cancel, Doc, Inline, Pictures, Workbook, local_names, markdown_unless};

/// Most bytes of all pictures of a workbook, as its writer accepts them.
const MAX_SHEET_PICTURES_BYTES: u64 = 20 << 20;

/// Pictures that a text names, with the charges for copied ones.
#[derive(Default)]
pub(super) struct ReferencedPictures {
    pub(super) pictures: Pictures,
    pub(super) charges: Vec<Charge>,
}

impl Delivery {
    /// Returns the pictures of the session that a text names. For a long text, this is blocking work.
    ///
    /// # Errors
    ///
    /// The text is not valid Markdown, or the work was cancelled.
    pub(super) fn pictures_of(
        &self,
        markdown: &str,
        memory: &Account,
        cancel: &Cancel,
    ) -> Result<ReferencedPictures> {
        Ok(self.pictures_for(&markdown_unless(markdown, cancel)?, memory))
    }

    /// Returns the pictures of the session that a document names.
    fn pictures_for(&self, doc: &Doc, memory: &Account) -> ReferencedPictures {
        let mut charges = Vec::new();
        let pictures = Pictures::collect(doc, |name, most| {
            let names = local_names(name).map_err(|reason| {
                reason
                    .replace("files beside the document", "pictures of this session")
                    .replace("a path from the document's folder", "a name of this session")
                    .replace("the document's folder", "this session")
            })?;
            names
                .iter()
                .find_map(|name| self.picture(name, most, memory, &mut charges))
                .unwrap_or_else(|| Err("this session has no file of this name".to_owned()))
        });
        ReferencedPictures { pictures, charges }
    }

    /// Returns the pictures of the session that a text or values name.
    pub(super) fn pictures_with(
        &self,
        (markdown, names): (&str, &[String]),
        memory: &Account,
        cancel: &Cancel,
    ) -> Result<ReferencedPictures> {
        if names.is_empty() {
            return self.pictures_in(markdown, memory, cancel);
        }
        let mut doc = markdown_unless(markdown, cancel)?;
        doc.blocks.extend(names.iter().map(|name| Block::Paragraph {
            content: vec![Inline::Image {
                url: name.clone(),
                description: String::new(),
                title: None,
            }],
        }));
        Ok(self.pictures_for(&doc, memory))
    }

    /// Like [`Delivery::pictures_of`], but skips the parsing of texts that cannot name a picture.
    pub(super) fn pictures_in(
        &self,
        markdown: &str,
        memory: &Account,
        cancel: &Cancel,
    ) -> Result<ReferencedPictures> {
        if markdown.contains("![") {
            self.pictures_of(markdown, memory, cancel)
        } else {
            Ok(ReferencedPictures::default())
        }
    }

    /// Fills in the files of a workbook's pictures: those without bytes, by `names` in their order. Returns the charges for
    /// copies.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Arguments`] - the session has no picture of this name, it has another format, or the pictures are too large
    /// together.
    pub(super) fn with_pictures(
        &self,
        book: &mut Workbook,
        names: &[String],
        memory: &Account,
    ) -> Result<Vec<Charge>> {
        let mut charges = Vec::new();
        let mut left = MAX_SHEET_PICTURES_BYTES;
        let pictures = book.sheets.iter_mut().flat_map(|sheet| &mut sheet.blocks);
        let pictures = pictures.flat_map(|block| &mut block.pictures);
        for (picture, name) in pictures.filter(|picture| picture.bytes.is_empty()).zip(names) {
            let found = self.picture(name, left, memory, &mut charges);
            let none = || Err("this session has no file of this name".to_owned());
            let bytes = found.unwrap_or_else(none).and_then(|bytes| {
                if is_for_sheets(&bytes) {
                    Ok(bytes)
                } else {
                    Err("expected a PNG or JPEG picture, got another kind".to_owned())
                }
            });
            let shown = text::one_line(text::cut_bytes(name, 200));
            let refused =
                |reason| Error::new(ErrorKind::Arguments, format!("picture `{shown}`: {reason}"));
            picture.bytes = bytes.map_err(refused)?;
            left = left.saturating_sub(picture.bytes.len() as u64);
        }
        Ok(charges)
    }

    /// Returns a file of the session; `None` if it has none of this name.
    fn picture(
        &self,
        name: &str,
        most: u64,
        memory: &Account,
        charges: &mut Vec<Charge>,
    ) -> Option<std::result::Result<Arc<[u8]>, String>> {
        let too_large = || format!("expected a file of at most {most} bytes, got more");
        let mut charged = |size: u64| match memory.charge(size) {
            _ if size > most => Err(too_large()),
            Ok(charge) => {
                charges.push(charge);
                Ok(())
            }
            Err(limit) => Err(Error::reached(limit).to_string()),
        };
        if let Some(artifact) = self.artifacts.list().into_iter().find(|it| it.name == name) {
            let content = charged(artifact.size).and_then(|()| {
                self.artifacts.content(name).map_err(|_| "it cannot be read".to_owned())
            });
            // The file may have grown since it was delivered.
            let content = content.and_then(|content| {
                if content.len() as u64 > artifact.size {
                    Err("it was changed".to_owned())
                } else {
                    Ok(content.into())
                }
            });
            return Some(content);
        }
        if let Ok(content) = self.content.workspace(|workspace| workspace.read(name)) {
            return Some(charged(content.len() as u64).map(|()| content.as_slice().into()));
        }
        let kept = self.content.picture(name)?;
        Some(if kept.len() as u64 > most { Err(too_large()) } else { Ok(kept) })
    }
}

/// Returns whether a file begins as a picture that a workbook can show; its writer checks the rest.
fn is_for_sheets(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x89PNG") || bytes.starts_with(b"\xFF\xD8\xFF")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Host, Session, SessionOptions};
    use mitt_base::Resource;
    use mitt_render::{MAX_PICTURE_BYTES, MAX_PICTURES};

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n and so on";

    fn session() -> Session {
        let host = Host::builder().no_cache().bundled_skills(false).build().unwrap();
        host.session(SessionOptions::default()).unwrap()
    }

    fn found(session: &Session, markdown: &str) -> (Vec<String>, ReferencedPictures) {
        let found = session
            .inner
            .delivery
            .pictures_of(markdown, session.inner.context.account(), &Cancel::default())
            .unwrap();
        let lines = found.pictures.iter().map(|(name, file)| match file {
            Ok(file) => format!("{name}: {} bytes", file.len()),
            Err(reason) => format!("{name}: {reason}"),
        });
        (lines.collect(), found)
    }

    #[test]
    fn a_text_finds_pictures_of_its_session_and_nothing_else() {
        let session = session();
        session.add_picture("图 1.png", PNG).unwrap();
        session.inner.content.workspace(|it| it.write("chart.svg", b"<svg/>".to_vec())).unwrap();
        let text = "![](<图 1.png>) ![](%E5%9B%BE%201.png) ![](chart.svg) ![](http://a.test/b.png) ![](../a.png) ![](/etc/passwd) ![](file:///etc/passwd) ![](Cargo.toml)";
        let (lines, _) = found(&session, text);
        assert_eq!(
            lines,
            [
                "%E5%9B%BE%201.png: 18 bytes",
                "../a.png: it leads out of this session",
                "/etc/passwd: expected a name of this session, got one from a root",
                "Cargo.toml: this session has no file of this name",
                "chart.svg: 6 bytes",
                "file:///etc/passwd: pictures of this session and `data:` only",
                "http://a.test/b.png: pictures of the web are not fetched",
                "图 1.png: 18 bytes",
            ]
        );
        let other = self::session();
        assert_eq!(
            found(&other, "![](chart.svg)").0,
            ["chart.svg: this session has no file of this name"]
        );
    }

    #[test]
    fn pictures_are_charged_and_bounded() {
        let session = session();
        let used = || session.memory().used;
        let before = used();
        session.add_picture("a.png", PNG).unwrap();
        assert_eq!(used(), before + PNG.len() as u64);
        session.add_picture("a.png", PNG).unwrap();
        assert_eq!(used(), before + PNG.len() as u64);
        for (name, bytes) in [("a.txt", &b"text"[..]), ("../a.png", PNG), ("", PNG), ("a.png", b"")]
        {
            let error = session.add_picture(name, bytes).unwrap_err();
            assert_eq!(*error.kind(), ErrorKind::Input, "{error}");
        }
        let mut large = PNG.to_vec();
        large.resize(usize::try_from(MAX_PICTURE_BYTES).unwrap() + 1, 0);
        assert!(matches!(
            session.add_picture("b.png", &large).unwrap_err().kind(),
            ErrorKind::Limit(_)
        ));
        large.pop();
        for name in ["b.png", "c.png", "d.png"] {
            session.add_picture(name, &large).unwrap();
        }
        let error = session.add_picture("e.png", &large).unwrap_err();
        assert!(
            matches!(error.kind(), ErrorKind::Limit(_)) && error.to_string().contains("`e.png`"),
            "{error}"
        );
        let many = self::session();
        for number in 0..MAX_PICTURES {
            many.add_picture(&format!("{number}.png"), PNG).unwrap();
        }
        assert!(many.add_picture("one more.png", PNG).is_err());
        assert!(many.add_picture("0.png", PNG).is_ok());
    }

    #[test]
    fn what_is_copied_for_a_rendering_is_charged_until_it_is_done() {
        let session = session();
        session.inner.content.workspace(|it| it.write("a.png", vec![1; 50_000])).unwrap();
        let before = session.memory().used;
        let (_, found) = found(&session, "![](a.png)");
        assert_eq!(session.memory().used, before + 50_000);
        drop(found);
        assert_eq!(session.memory().used, before);
        let small = Account::root(Resource::SessionMemory, 10);
        let found =
            session.inner.delivery.pictures_of("![](a.png)", &small, &Cancel::default()).unwrap();
        let reason = found.pictures.iter().next().unwrap().1.unwrap_err().to_owned();
        assert!(reason.contains("limit of 10 bytes"), "{reason}");
    }

    #[test]
    fn a_workbook_finds_pictures_of_its_session_and_nothing_else() {
        use mitt_render::{Picture, Sheet, SheetBlock};

        let session = session();
        session.add_picture("a.png", PNG).unwrap();
        session.add_picture("b.gif", b"GIF89a and so on").unwrap();
        let account = session.inner.context.account();
        for (name, expected) in [
            ("a.png", Ok(PNG.len())),
            ("b.gif", Err("picture `b.gif`: expected a PNG or JPEG picture, got another kind")),
            ("../a.png", Err("picture `../a.png`: this session has no file of this name")),
            ("/etc/passwd", Err("picture `/etc/passwd`: this session has no file of this name")),
        ] {
            let block = SheetBlock { pictures: vec![Picture::default()], ..SheetBlock::default() };
            let sheet = Sheet { blocks: vec![block], ..Sheet::default() };
            let mut book = Workbook { sheets: vec![sheet], ..Workbook::default() };
            let found =
                session.inner.delivery.with_pictures(&mut book, &[name.to_owned()], account);
            let found = found.map(|_| book.sheets[0].blocks[0].pictures[0].bytes.len());
            assert_eq!(found.map_err(|error| error.to_string()), expected.map_err(str::to_owned));
        }
    }
}
