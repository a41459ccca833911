//! Redaction: words are taken out of every place of a document, and the result is searched again.
//!
//! Redaction is no tracked change, because a tracked change keeps what it removes. What cannot be changed, such as an
//! embedded workbook with a hit, is refused by name.

mod attributes;
mod files;
mod matcher;
mod texts;
mod verify;

use crate::error::{Error, Result, invalid};
use crate::package::{Package, resolve};
use crate::story::shorten;
use crate::xml::{Id, Kind, Tree, escape};
use attributes::{Attributes, is_part_name, local};
use files::FileKind;
use matcher::{BLOCK, Matcher, masked};
use mitt_package::{counted, either};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use texts::{Text, View};

/// What stands for an address with a hit, because blocks are no address.
const NO_ADDRESS: &str = "https://redacted.invalid/";
/// What stands for an element's name or a comment with a hit.
const NO_TEXT: &str = "[redacted]";
/// Most bytes of all parts unpacked, 128 MiB: they are in the memory at once.
const MAX_UNPACKED: usize = 128 << 20;
/// Most bytes of all XML, 48 MiB, because every text is read with its place. 5 000 pages have about as much.
const MAX_XML: usize = 48 << 20;
/// Characters of paragraphs that are searched together, and how many paragraphs a phrase may go over.
const MAX_JOINED: usize = 1 << 20;
const MAX_SPAN: usize = 100;
/// Most places in a result.
const MAX_PLACES: usize = 500;

/// A redacted document.
#[derive(Debug)]
pub struct Redacted {
    pub bytes: Vec<u8>,
    /// Places with the number of hits in each.
    pub places: Vec<(String, usize)>,
    pub warnings: Vec<String>,
}

/// Takes words and matches of patterns out of a document.
///
/// # Errors
/// [`Error::Invalid`] - a word or a pattern cannot be used; [`Error::Unsupported`] - a hit stands where it cannot be taken
/// out; those of [`crate::Document::open`].
pub fn redact(bytes: Vec<u8>, words: &[String], patterns: &[String]) -> Result<Redacted> {
    let matcher = Matcher::new(words, patterns)?;
    let package = Package::open(bytes)?;
    if package.has_macros() {
        return Err(Error::Unsupported(
            "expected a document without macros (.docx), got one with macros; save it as .docx in Word".to_owned(),
        ));
    }
    if package.is_signed() {
        return Err(Error::Unsupported(
            "expected a document without a signature, got a signed one (`_xmlsignatures/`); remove the signature in Word under File > Info"
                .to_owned(),
        ));
    }
    let mut work = Work {
        package,
        matcher,
        attributes: Attributes::default(),
        places: BTreeMap::new(),
        warnings: Vec::new(),
        fixed: (0, String::new()),
    };
    work.remove_thumbnails()?;
    work.files()?;
    work.custom_xml()?;
    work.xml()?;
    work.package.make_document()?;
    let bytes = work.package.save_anew()?;
    let Work { package, matcher, attributes, places, warnings, fixed } = work;
    // The new file is read again without the old one in the memory.
    drop(package);
    verify::verify(&bytes, &matcher, &attributes)?;
    Ok(finish(bytes, places, warnings, &fixed))
}

struct Work {
    package: Package,
    matcher: Matcher,
    attributes: Attributes,
    places: BTreeMap<String, usize>,
    warnings: Vec<String>,
    /// Number of values of the format with a hit, and the first of them.
    fixed: (usize, String),
}

impl Work {
    fn count(&mut self, part: &str, kind: &str, hits: usize) {
        *self.places.entry(format!("{part}: {kind}")).or_default() += hits;
    }

    /// Small pictures of the first page show what was redacted.
    fn remove_thumbnails(&mut self) -> Result<()> {
        let mut names = BTreeSet::new();
        for relation in self.package.relations("")? {
            if relation.kind == "thumbnail" && !relation.is_external {
                names.insert(resolve("", &relation.target));
            }
        }
        names.extend(self.package.names().into_iter().filter(|it| {
            it.rsplit('/')
                .next()
                .is_some_and(|it| it.to_ascii_lowercase().starts_with("thumbnail."))
        }));
        for name in names {
            if self.package.has(&name) {
                self.package.remove(&name)?;
                // It is a picture, so no word was found in it.
                self.warnings.push(format!("the thumbnail `{name}` was removed"));
            }
        }
        Ok(())
    }

    /// Searches what is not XML, and the names of all parts.
    fn files(&mut self) -> Result<()> {
        let mut pictures = Vec::new();
        let mut others = Vec::new();
        let mut problems = Vec::new();
        let (mut total, mut xml) = (0, 0);
        for name in self.package.names() {
            if !is_part_name(&name) && self.matcher.is_in(&name) {
                problems.push(format!(
                    "the name of the part `{name}` has a hit; save the document anew in Word, which gives parts other names"
                ));
                continue;
            }
            let bytes = self.package.bytes(&name)?.unwrap_or_default();
            total += bytes.len();
            if total > MAX_UNPACKED {
                return Err(Error::Unsupported(format!(
                    "expected at most {MAX_UNPACKED} bytes unpacked, got more, counted up to `{name}`; cut the document into several ones"
                )));
            }
            match files::kind(&name) {
                FileKind::Xml => {
                    xml += bytes.len();
                    if xml > MAX_XML {
                        return Err(Error::Unsupported(format!(
                            "expected at most {MAX_XML} bytes of XML, got more, counted up to `{name}`; cut the document into several ones"
                        )));
                    }
                }
                FileKind::Font => {}
                FileKind::Picture if files::is_in_picture(&bytes, &self.matcher) => {
                    problems.push(format!(
                        "the data of the picture `{name}` have a hit; replace the picture in Word"
                    ));
                }
                FileKind::Picture => pictures.push(format!("`{name}`")),
                FileKind::Other => match files::search(&bytes, &self.matcher) {
                    Ok(None) => others.push(format!("`{name}`")),
                    Ok(Some(place)) => problems.push(format!(
                        "the embedded file `{name}` has a hit in {place}; delete it in Word, and call again"
                    )),
                    Err(why) => problems.push(format!("`{name}`: {why}; delete it in Word, and call again")),
                },
            }
        }
        if !problems.is_empty() {
            problems.truncate(20);
            return Err(Error::Unsupported(problems.join("\n")));
        }
        for (names, what) in [
            (&pictures, "what pictures show is not searched; look at them"),
            (&others, "embedded files were searched for plain text only, and stay as they are"),
        ] {
            if !names.is_empty() {
                let shown: Vec<&str> = names.iter().take(40).map(String::as_str).collect();
                let more = match names.len().saturating_sub(40) {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                self.warnings.push(format!("{what}: {}{more}", shown.join(", ")));
            }
        }
        Ok(())
    }

    /// Removes data of other programs that has a hit.
    fn custom_xml(&mut self) -> Result<()> {
        let names: Vec<String> = self
            .package
            .names()
            .into_iter()
            .filter(|it| it.to_ascii_lowercase().starts_with("customxml/"))
            .filter(|it| files::kind(it) == FileKind::Xml && !it.ends_with(".rels"))
            .collect();
        for name in names {
            let Some(tree) = self.package.tree(&name)? else { continue };
            if !has_hit(tree, &self.matcher) {
                continue;
            }
            let mut gone = vec![name.clone()];
            for relation in self.package.relations(&name)? {
                if !relation.is_external {
                    gone.push(resolve(&name, &relation.target));
                }
            }
            let own = crate::package::relations_name(&name);
            gone.push(own);
            for it in gone {
                if self.package.has(&it) {
                    self.package.remove(&it)?;
                }
            }
            self.count(&name, "custom XML removed", 1);
            self.warnings.push(format!(
                "`{name}` had a hit and was removed; content controls that show its data keep their redacted text"
            ));
        }
        Ok(())
    }

    fn xml(&mut self) -> Result<()> {
        let names: Vec<String> = self
            .package
            .names()
            .into_iter()
            .filter(|it| files::kind(it) == FileKind::Xml)
            .collect();
        for name in &names {
            if let Some(tree) = self.package.tree(name)? {
                self.attributes.learn(tree);
            }
        }
        // A style is known by its id before and after.
        let known: Vec<String> = self.attributes.custom_styles.iter().cloned().collect();
        for id in known {
            let hits = self.matcher.hits(&id);
            self.attributes.custom_styles.insert(masked(&id, &hits));
        }
        for name in &names {
            let Some(tree) = self.package.tree(name)? else { continue };
            let mut found = Found::default();
            if name.ends_with(".rels") {
                addresses(tree, &self.matcher, &mut found);
            } else {
                for text in texts::texts(tree) {
                    redact_text(tree, &text, &self.matcher, &mut found);
                }
                if self.matcher.has_phrases() {
                    redact_phrases(tree, &self.matcher, &mut found);
                }
                nodes(tree, &self.matcher, &self.attributes, &mut found);
            }
            for (kind, count) in found.counts {
                self.count(name, kind, count);
            }
            if found.fixed.0 > 0 {
                if self.fixed.0 == 0 {
                    self.fixed.1 = format!("`{}` in `{name}`", shorten(&found.fixed.1, 80));
                }
                self.fixed.0 += found.fixed.0;
            }
        }
        Ok(())
    }
}

/// Puts a result together.
fn finish(
    bytes: Vec<u8>,
    places: BTreeMap<String, usize>,
    mut warnings: Vec<String>,
    fixed: &(usize, String),
) -> Redacted {
    if fixed.0 > 0 {
        let why = either(fixed.0, "stays, because it is", "stay, because they are");
        let values = counted(fixed.0, "value");
        warnings.push(format!(
            "{values} of the file format {why} no text of the document, first {}",
            fixed.1
        ));
    }
    let mut places: Vec<(String, usize)> = places.into_iter().collect();
    if places.is_empty() {
        warnings.push("nothing was found, so no text was changed".to_owned());
    }
    if places.len() > MAX_PLACES {
        warnings.push(format!("and {}", counted(places.len() - MAX_PLACES, "more place")));
        places.truncate(MAX_PLACES);
    }
    Redacted { bytes, places, warnings }
}

/// What was found in a part.
#[derive(Debug, Default)]
struct Found {
    counts: BTreeMap<&'static str, usize>,
    fixed: (usize, String),
}

impl Found {
    fn add(&mut self, kind: &'static str) {
        *self.counts.entry(kind).or_default() += 1;
    }
}

/// Returns `true` if custom XML has a hit anywhere, also in names.
fn has_hit(tree: &Tree, matcher: &Matcher) -> bool {
    let all = texts::texts(tree);
    if all.iter().flat_map(Text::views).any(|it| matcher.is_in(&it.text)) {
        return true;
    }
    tree.descendants(crate::xml::DOCUMENT).any(|it| match tree.kind(it) {
        Kind::Element => {
            matcher.is_in(tree.local(it))
                || tree.attrs(it).any(|(name, value)| {
                    let is_schema = name.starts_with("xmlns") || name.starts_with("xsi:");
                    !is_schema && (matcher.is_in(name) || matcher.is_in_address(&value))
                })
        }
        Kind::Other => matcher.is_in(tree.token(it)) && !tree.token(it).starts_with("<?xml "),
        Kind::Text => false,
    })
}

/// Marks the characters of hits of a view.
fn mark(marked: &mut texts::Marked, view: &View, hits: &[Range<usize>]) {
    for &(piece, at) in hits.iter().flat_map(|it| view.from.get(it.clone()).unwrap_or_default()) {
        let place = marked.get_mut(piece as usize).and_then(|it| it.get_mut(at as usize));
        if let Some(place) = place {
            *place = true;
        }
    }
}

fn redact_text(tree: &mut Tree, text: &Text, matcher: &Matcher, found: &mut Found) {
    let mut marked = text.unmarked();
    let mut places = BTreeSet::new();
    for view in text.views() {
        let mut hits = matcher.hits(&view.text);
        let is_hidden = hits.is_empty() && text.is_instruction && matcher.is_in_address(&view.text);
        if is_hidden {
            // The hit is written with percent signs, so its place is not known.
            hits.push(0..view.from.len());
        }
        for hit in &hits {
            let characters = view.from.get(hit.clone()).unwrap_or_default();
            // A hit that shares a character with one of an earlier view is the same place.
            let is_known = characters.iter().any(|&(piece, at)| {
                marked.get(piece as usize).and_then(|it| it.get(at as usize)) == Some(&true)
            });
            if !is_known {
                places.extend(characters.first());
            }
        }
        mark(&mut marked, &view, &hits);
    }
    for (piece, _) in places {
        found.add(text.kind(piece));
    }
    for (node, new) in text.changes(&marked, BLOCK) {
        replace_text(tree, node, &new);
    }
}

/// Redacts words with spaces that begin in one paragraph and end in another.
fn redact_phrases(tree: &mut Tree, matcher: &Matcher, found: &mut Found) {
    let paragraphs: Vec<Text> =
        texts::texts(tree).into_iter().filter(|it| !it.is_instruction).collect();
    let mut marked: BTreeMap<usize, texts::Marked> = BTreeMap::new();
    let mut starts = BTreeSet::new();
    let mut first = 0;
    while first < paragraphs.len() {
        // A whole part at once would need much memory, because each character knows where it comes from.
        let mut joined = View::default();
        let mut views: Vec<View> = Vec::new();
        for text in &paragraphs[first..] {
            if joined.from.len() > MAX_JOINED && views.len() > 2 * MAX_SPAN {
                break;
            }
            let Some(view) = text.views().into_iter().next() else { break };
            joined.text.push_str(&view.text);
            joined.text.push('\n');
            let number = views.len() as u32;
            joined.from.extend((0..view.from.len()).map(|at| (number, at as u32)));
            joined.from.push((number, u32::MAX));
            views.push(view);
        }
        for hit in matcher.phrase_hits(&joined.text) {
            let places = joined.from.get(hit).unwrap_or_default();
            if let Some(&(number, at)) = places.first() {
                starts.insert((first + number as usize, at));
            }
            for &(number, at) in places.iter().filter(|it| it.1 != u32::MAX) {
                let index = first + number as usize;
                let own = marked.entry(index).or_insert_with(|| paragraphs[index].unmarked());
                let at = at as usize;
                mark(own, &views[number as usize], std::slice::from_ref(&(at..at + 1)));
            }
        }
        let is_end = first + views.len() >= paragraphs.len();
        first += if is_end { views.len().max(1) } else { views.len() - MAX_SPAN };
    }
    for _ in starts {
        found.add("text over several paragraphs");
    }
    for (number, marked) in marked {
        for (node, new) in paragraphs[number].changes(&marked, BLOCK) {
            replace_text(tree, node, &new);
        }
    }
}

fn replace_text(tree: &mut Tree, node: Id, text: &str) {
    for new in tree.fragment(&escape(text)) {
        tree.insert_before(node, new);
    }
    tree.detach(node);
}

/// Redacts values of attributes and comments, and removes marks of sessions of editing.
fn nodes(tree: &mut Tree, matcher: &Matcher, attributes: &Attributes, found: &mut Found) {
    let all: Vec<Id> = tree.descendants(crate::xml::DOCUMENT).collect();
    for id in all {
        match tree.kind(id) {
            Kind::Text => {}
            Kind::Other => {
                if matcher.is_in(tree.token(id)) && !tree.token(id).starts_with("<?xml ") {
                    tree.detach(id);
                    found.add("comment in the file removed");
                }
            }
            Kind::Element if tree.is(id, "rsids") => tree.detach(id),
            Kind::Element => {
                let mut changes: Vec<(String, Option<String>)> = Vec::new();
                for (name, value) in tree.attrs(id) {
                    if local(name).starts_with("rsid") {
                        changes.push((name.to_owned(), None));
                        continue;
                    }
                    if name.starts_with("xmlns") || !matcher.is_in_address(&value) {
                        continue;
                    }
                    if !attributes.is_free(tree, id, name, &value) {
                        if value.contains(|it: char| it.is_alphabetic()) {
                            found.fixed.0 += 1;
                            let text = format!("{} {name}=\"{value}\"", tree.local(id));
                            found.fixed.1 =
                                if found.fixed.1.is_empty() { text } else { found.fixed.1.clone() };
                        }
                        continue;
                    }
                    let hits = matcher.hits(&value);
                    let new = if hits.is_empty() {
                        // The hit is written with percent signs.
                        NO_TEXT.to_owned()
                    } else {
                        masked(&value, &hits)
                    };
                    found.add(attributes.kind(tree, id, name));
                    changes.push((name.to_owned(), Some(new)));
                }
                for (name, new) in changes {
                    match new {
                        Some(new) => tree.set_attr(id, &name, &new),
                        None => tree.remove_attr(id, local(&name)),
                    }
                }
            }
        }
    }
}

/// Replaces the addresses of links that have a hit.
fn addresses(tree: &mut Tree, matcher: &Matcher, found: &mut Found) {
    let Some(root) = tree.root() else { return };
    let all: Vec<Id> = tree.elements(root).collect();
    for id in all {
        let is_external =
            tree.attr(id, "TargetMode").is_some_and(|it| it.eq_ignore_ascii_case("external"));
        let has_hit = tree.attr(id, "Target").is_some_and(|it| matcher.is_in_address(&it));
        if is_external && has_hit {
            tree.set_attr(id, "Target", NO_ADDRESS);
            found.add("address of a link");
        }
    }
}

/// Checks a name before the work.
///
/// # Errors
/// [`Error::Invalid`] - the name of the new file has a hit.
pub fn check_name(filename: &str, words: &[String], patterns: &[String]) -> Result<()> {
    if Matcher::new(words, patterns)?.is_in(filename) {
        invalid("expected a name of the new file without a word to redact; give another one")
    } else {
        Ok(())
    }
}
