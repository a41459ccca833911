//! Blackens words and patterns in all parts of a presentation, and proves it: the result is read again in another way.

mod decode;
mod labels;
mod objects;
mod part;
mod policy;
mod proof;
mod terms;

use crate::deck::Deck;
use crate::error::{Error, Result, invalid, malformed};
use crate::xml::{Splices, Xml};
use labels::Labels;
use mitt_package::{Zip, counted, either};
use std::collections::{BTreeMap, BTreeSet};
use terms::Terms;

/// Most hits of a call.
const MAX_HITS: usize = 100_000;
/// Most places that are listed.
const MAX_PLACES: usize = 200;
/// Most words of the format, and places of pictures, that one warning names.
const MAX_NAMED: usize = 20;

/// A presentation without what was to be removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redacted {
    pub bytes: Vec<u8>,
    /// Where hits were: `notes of slide 3 (2)`.
    pub places: Vec<String>,
    pub hits: u32,
    pub warnings: Vec<String>,
}

/// Removes words and what patterns match from a presentation.
///
/// # Errors
/// [`Error::Invalid`] - a word or pattern cannot be used, or there are too many hits; [`Error::NotFound`] - there is no
/// hit; [`Error::Malformed`] - something would be left, or a part cannot be read; [`Error::Unsupported`] - the file has
/// macros or a signature.
pub fn redact(bytes: Vec<u8>, words: &[String], patterns: &[String]) -> Result<Redacted> {
    let terms = Terms::new(words, patterns)?;
    let deck = Deck::open(bytes)?;
    deck.check_editable()?;
    let labels = Labels::read(&deck)?;
    let mut work = Work { deck, terms, labels, report: Report::default() };
    work.run()?;
    let Work { mut deck, terms, report, .. } = work;
    if report.hits == 0 {
        let hint = if report.warnings.is_empty() {
            String::new()
        } else {
            format!(" ({})", report.warnings.join(" "))
        };
        return Err(Error::NotFound(format!("none of the words and patterns was found{hint}")));
    }
    deck.make_presentation()?;
    let bytes = deck.save()?;
    drop(deck);
    match proof::leftover(&bytes, &terms) {
        Ok(None) => {}
        Ok(Some(place)) => {
            return malformed(format!(
                "nothing was delivered, because a hit would be left: {place}"
            ));
        }
        Err(why) => {
            return malformed(format!(
                "nothing was delivered, because the result cannot be read: {why}"
            ));
        }
    }
    let mut places: Vec<String> =
        report.places.iter().map(|(place, count)| format!("{place} ({count})")).collect();
    places.sort_by_cached_key(|it| labels::order(it));
    if places.len() > MAX_PLACES {
        let more = places.len() - MAX_PLACES + 1;
        places.truncate(MAX_PLACES - 1);
        places.push(counted(more, "further place"));
    }
    let hits = u32::try_from(report.hits).unwrap_or(u32::MAX);
    Ok(Redacted { bytes, places, hits, warnings: report.warnings })
}

#[derive(Debug, Default)]
struct Report {
    hits: usize,
    places: BTreeMap<String, usize>,
    keywords: BTreeSet<String>,
    links: usize,
    warnings: Vec<String>,
}

impl Report {
    fn add(&mut self, place: String, hits: usize) -> Result<()> {
        if hits == 0 {
            return Ok(());
        }
        self.hits += hits;
        *self.places.entry(place).or_default() += hits;
        if self.hits > MAX_HITS {
            return invalid(format!(
                "expected at most {MAX_HITS} hits, got more; use longer words or narrower patterns"
            ));
        }
        Ok(())
    }
}

struct Work {
    deck: Deck,
    terms: Terms,
    labels: Labels,
    report: Report,
}

/// What a part is.
enum Form {
    Xml(String),
    /// An archive, such as a workbook.
    Archive,
    Picture,
    Recording,
    /// An object of OLE.
    Object,
    Other,
}

fn form(part: &str, bytes: &[u8]) -> Form {
    if let Some(text) = decode::xml(bytes) {
        return Form::Xml(text);
    }
    let extension = part.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    if bytes.starts_with(b"PK\x03\x04") {
        return Form::Archive;
    }
    match &*extension {
        "png" | "jpg" | "jpeg" | "jpe" | "gif" | "bmp" | "dib" | "tif" | "tiff" | "emf" | "wmf"
        | "emz" | "wmz" | "ico" | "webp" | "jfif" | "wdp" | "jxr" | "pict" | "pct" | "eps"
        | "svgz" | "heic" | "avif" => Form::Picture,
        "mp3" | "mp4" | "m4a" | "m4v" | "wav" | "wma" | "wmv" | "avi" | "mov" | "mpg" | "mpeg"
        | "mid" | "midi" | "aif" | "aiff" | "au" | "ogg" | "oga" | "ogv" | "webm" | "mkv"
        | "flac" | "aac" | "3gp" | "asf" => Form::Recording,
        _ if bytes.starts_with(&[0xd0, 0xcf, 0x11, 0xe0]) => Form::Object,
        _ => Form::Other,
    }
}

impl Work {
    fn run(&mut self) -> Result<()> {
        let mut pictures = BTreeSet::new();
        let mut recordings = BTreeSet::new();
        let mut objects = BTreeSet::new();
        let of_file = self.deck.package.relations("")?.into_iter();
        let thumbnails: BTreeSet<String> =
            of_file.filter(|it| it.kind() == "thumbnail").map(|it| it.target).collect();
        for name in self.deck.package.names() {
            // A picture that showed an object may be gone.
            if !self.deck.package.has(&name) || name.ends_with('/') {
                continue;
            }
            let bytes = self.deck.package.bytes(&name)?;
            let place = self.labels.of(&name);
            if thumbnails.contains(&name) {
                let hits = usize::from(decode::hit(&bytes, &self.terms));
                self.report.add("preview picture of the file".to_owned(), hits)?;
                continue;
            }
            match form(&name, &bytes) {
                Form::Xml(text) => self.xml(&name, text, bytes.len(), place)?,
                Form::Archive => self.archive(&name, bytes, place)?,
                Form::Picture => {
                    if decode::hit(&bytes, &self.terms) {
                        objects::blacken_picture(&mut self.deck, &name)?;
                        self.report.warnings.push(format!(
                            "A file of the {place} had a hit in its bytes and was replaced by a black picture."
                        ));
                        self.report.add(place, 1)?;
                    } else {
                        pictures.insert(name);
                    }
                }
                Form::Recording => {
                    if decode::hit(&bytes, &self.terms) {
                        self.remove(&name, place, "it had a hit in its bytes")?
                    } else {
                        recordings.insert(name);
                    }
                }
                Form::Object => {
                    if decode::hit(&bytes, &self.terms) {
                        self.remove(&name, place, "it had a hit")?
                    } else {
                        objects.insert(name);
                    }
                }
                Form::Other => {
                    if decode::hit(&bytes, &self.terms) {
                        self.remove(&name, place, "it had a hit")?;
                    }
                }
            }
        }
        self.names()?;
        self.thumbnails(&thumbnails)?;
        self.name("Pictures were not searched: {}.", &pictures)?;
        self.name("Audio and video were not searched: {}.", &recordings)?;
        self.name(
            "Embedded objects were searched only for plain text; remove them if they are not to be given away: {}.",
            &objects,
        )?;
        self.summaries();
        Ok(())
    }

    fn xml(&mut self, name: &str, text: String, size: usize, place: String) -> Result<()> {
        let was_wide = size != text.len();
        let cleaned = Xml::parse(text).and_then(|xml| part::clean(name, &xml, &self.terms));
        let cleaned = match cleaned {
            Ok(cleaned) if cleaned.stuck.is_none() => cleaned,
            other => {
                // Not a part that Office wrote; what it has can be found only as plain text.
                let why = other.map_or_else(|why| why, |it| it.stuck.unwrap_or_default());
                let bytes = self.deck.package.bytes(name)?;
                if !decode::hit(&bytes, &self.terms) {
                    self.report.warnings.push(format!(
                        "The {place} cannot be read ({why}) and was searched only for plain text."
                    ));
                    return Ok(());
                }
                if !name.to_ascii_lowercase().contains("customxml/") {
                    return malformed(format!(
                        "the part `{name}` has a hit and cannot be changed: {why}"
                    ));
                }
                self.deck.package.put(name, b"<redacted/>".to_vec());
                self.report
                    .warnings
                    .push(format!("The {place} was emptied: it had a hit, and {why}."));
                return self.report.add(place, 1);
            }
        };
        self.report.keywords.extend(cleaned.keywords);
        self.report.links += cleaned.links;
        if let Some(text) = cleaned.text {
            self.deck.package.put(name, if was_wide { narrow(&text) } else { text }.into_bytes());
            self.report.add(place, cleaned.hits)?;
        }
        Ok(())
    }

    fn archive(&mut self, name: &str, bytes: Vec<u8>, place: String) -> Result<()> {
        match nested(bytes, &self.terms, &mut self.report.keywords, 1) {
            Ok(Nested { bytes: Some(bytes), hits, warnings }) => {
                self.deck.package.put(name, bytes);
                let previews = objects::blacken_previews(&mut self.deck, name)?;
                if previews > 0 {
                    self.report.warnings.push(format!(
                        "The picture that shows the {place} was replaced by a black one."
                    ));
                }
                self.report
                    .warnings
                    .extend(warnings.iter().map(|it| format!("In the {place}: {it}")));
                self.report.add(place, hits)
            }
            Ok(it) => {
                self.report
                    .warnings
                    .extend(it.warnings.iter().map(|it| format!("In the {place}: {it}")));
                Ok(())
            }
            Err(why) => self.remove(name, place, &why),
        }
    }

    fn remove(&mut self, name: &str, place: String, why: &str) -> Result<()> {
        // Without these parts nobody finds the others.
        if name.ends_with(".rels") || name == "[Content_Types].xml" {
            return malformed(format!("the part `{name}` has a hit and cannot be read as XML"));
        }
        let done = objects::remove(&mut self.deck, name)?;
        self.report.warnings.push(format!("A file of the {place} {done}: {why}."));
        self.report.add(place, 1)
    }

    /// Removes the picture of the first slide that file managers show, because it shows what stood there.
    fn thumbnails(&mut self, parts: &BTreeSet<String>) -> Result<()> {
        if self.report.hits == 0 || parts.is_empty() {
            return Ok(());
        }
        let relations = self.deck.package.relations("")?.into_iter();
        let ids = relations.filter(|it| it.kind() == "thumbnail").map(|it| it.id).collect();
        self.deck.package.unrelate("", &ids)?;
        for part in parts.iter().filter(|it| it.starts_with("docProps/")) {
            self.deck.package.remove(part)?;
        }
        self.report.warnings.push("The preview picture of the file was removed.".to_owned());
        Ok(())
    }

    /// Warns of parts by the slides that show them.
    fn name(&mut self, text: &str, parts: &BTreeSet<String>) -> Result<()> {
        if parts.is_empty() {
            return Ok(());
        }
        let mut slides = BTreeSet::new();
        let mut shown = BTreeSet::new();
        for (at, slide) in self.deck.slides()?.iter().enumerate() {
            for relation in self.deck.package.relations(&slide.part)? {
                if parts.contains(&relation.target) {
                    slides.insert(at + 1);
                    shown.insert(relation.target);
                }
            }
        }
        let rest: BTreeSet<String> =
            parts.difference(&shown).map(|it| self.labels.of(it)).collect();
        let mut all: Vec<String> = slides.iter().map(|it| format!("slide {it}")).collect();
        // Parts that no slide shows are those of layouts and masters, as a rule.
        all.extend(rest);
        if all.len() > MAX_NAMED {
            let more = all.len() - MAX_NAMED;
            all.truncate(MAX_NAMED);
            all.push(format!("{more} more"));
        }
        self.report.warnings.push(text.replace("{}", &all.join(", ")));
        Ok(())
    }

    /// Renames parts whose names have a hit.
    fn names(&mut self) -> Result<()> {
        for name in self.deck.package.names() {
            if labels::source(&name).is_some() || !proof::has_named_hit(&name, &self.terms) {
                continue;
            }
            if name == self.deck.main {
                return malformed(format!("the main part `{name}` has a hit in its name"));
            }
            let place = self.labels.of(&name);
            objects::rename(&mut self.deck, &name)?;
            self.report.add(format!("name of a file in the archive: {place}"), 1)?;
        }
        Ok(())
    }

    fn summaries(&mut self) {
        let report = &mut self.report;
        if report.links > 0 {
            let lead = either(report.links, "its address and leads", "their addresses and lead");
            let links = counted(report.links, "link");
            report.warnings.push(format!("{links} had a hit in {lead} nowhere now."));
        }
        if !report.keywords.is_empty() {
            let named: Vec<String> =
                report.keywords.iter().take(MAX_NAMED).map(|it| format!("`{it}`")).collect();
            let more = match report.keywords.len() - named.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            report.warnings.push(format!(
                "These words of the file format match and stay, because the file would break without them: {}{more}.",
                named.join(", ")
            ));
        }
    }
}

/// An archive in the presentation.
struct Nested {
    /// Its new content; `None` if it has no hit.
    bytes: Option<Vec<u8>>,
    hits: usize,
    warnings: Vec<String>,
}

/// Blackens hits in an archive that is a part, such as the workbook of a chart.
///
/// # Errors
/// One phrase: why it must be removed.
fn nested(
    bytes: Vec<u8>,
    terms: &Terms,
    keywords: &mut BTreeSet<String>,
    depth: usize,
) -> Result<Nested, String> {
    if depth > proof::MAX_DEPTH {
        return Err(format!("files are nested deeper than {} levels", proof::MAX_DEPTH));
    }
    let zip = Zip::open(bytes)?;
    let mut out = Nested { bytes: None, hits: 0, warnings: Vec::new() };
    let mut parts = Vec::new();
    let mut removed = Vec::new();
    let mut pictures = 0;
    for name in zip.names() {
        if proof::has_named_hit(name, terms) {
            return Err("the name of a file in it has a hit".to_owned());
        }
        let bytes = zip.read(name)?.unwrap_or_default();
        match form(name, &bytes) {
            Form::Xml(text) => {
                let was_wide = bytes.len() != text.len();
                let cleaned = part::clean(name, &Xml::parse(text)?, terms)?;
                if let Some(place) = cleaned.stuck {
                    return Err(format!("it has a hit that cannot be blackened alone, in {place}"));
                }
                keywords.extend(cleaned.keywords);
                out.hits += cleaned.hits;
                if let Some(text) = cleaned.text {
                    let text = if was_wide { narrow(&text) } else { text };
                    parts.push((name.to_owned(), text.into_bytes()));
                }
            }
            Form::Archive => {
                let inner = nested(bytes, terms, keywords, depth + 1)?;
                out.hits += inner.hits;
                out.warnings.extend(inner.warnings);
                parts.extend(inner.bytes.map(|it| (name.to_owned(), it)));
            }
            Form::Picture if name.starts_with("docProps/") => removed.push(name.to_owned()),
            form => {
                if decode::hit(&bytes, terms) {
                    return Err("a file in it has a hit in its bytes".to_owned());
                }
                pictures += usize::from(!matches!(form, Form::Other));
            }
        }
    }
    if pictures > 0 {
        out.warnings.push(match pictures {
            1 => "1 picture, recording or object was not searched.".to_owned(),
            _ => format!("{pictures} pictures, recordings or objects were not searched."),
        });
    }
    if out.hits > 0 {
        if !removed.is_empty() {
            without_previews(&zip, &mut parts)?;
        }
        out.bytes = Some(zip.rewrite(&parts, &removed)?);
    } else if !removed.is_empty() {
        out.warnings.push("its preview picture was not searched.".to_owned());
    }
    Ok(out)
}

/// Removes the relationships of an archive to its preview pictures.
fn without_previews(zip: &Zip, parts: &mut Vec<(String, Vec<u8>)>) -> Result<(), String> {
    let name = "_rels/.rels";
    let changed = parts.iter().position(|it| it.0 == name).map(|at| parts.remove(at).1);
    let bytes = match changed {
        Some(bytes) => bytes,
        None => zip.read(name)?.unwrap_or_default(),
    };
    let xml = Xml::parse(decode::xml(&bytes).unwrap_or_default())?;
    let mut splices = Splices::default();
    for id in xml.children(xml.root()) {
        if xml.attr(id, "Type").is_some_and(|it| it.ends_with("/thumbnail")) {
            xml.remove(id, &mut splices);
        }
    }
    parts.push((name.to_owned(), xml.splice(splices)?.into_text().into_bytes()));
    Ok(())
}

/// Returns XML that was in UTF-16 as one that says UTF-8.
fn narrow(text: &str) -> String {
    let text = text.trim_start_matches('\u{feff}');
    match text.split_once("?>").filter(|_| text.starts_with("<?xml")) {
        Some((_, rest)) => format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>{rest}"),
        None => text.to_owned(),
    }
}
