//! Finds unseen text on slides of PowerPoint 97 to 2003.
//!
//! Each slide is a record with shapes. Their texts are in them, or in a list of the presentation.

use super::art::{self, OPTIONS, Properties, Scheme, Shape};
use super::bytes::{i32_at, index_at, u16_at, u32_at};
use super::records::Record;
use super::runs::{self, Run};
use super::{Changes, DAMAGED, INTRICATE, Obstacle};
use crate::unseen::scene::{Rect, Scene};
use crate::unseen::{Paint, Unseen, Why, is_seen, judge};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

const DOCUMENT: u16 = 0x03E8;
const DOCUMENT_ATOM: u16 = 0x03E9;
const SLIDE: u16 = 0x03EE;
const SLIDE_ATOM: u16 = 0x03EF;
const SLIDE_PLACE: u16 = 0x03F3;
const MASTER: u16 = 0x03F8;
const DRAWING_GROUP: u16 = 0x040B;
const DRAWING: u16 = 0x040C;
const SCHEME: u16 = 0x07F0;
const PLACEHOLDER: u16 = 0x0BC3;
const OUTLINE_TEXT: u16 = 0x0F9E;
const TEXT_HEADER: u16 = 0x0F9F;
const WIDE_TEXT: u16 = 0x0FA0;
const STYLE: u16 = 0x0FA1;
const NARROW_TEXT: u16 = 0x0FA8;
const LINK: u16 = 0x0FDF;
const SLIDE_LIST: u16 = 0x0FF0;
const EDIT: u16 = 0x0FF5;
const PLACES: u16 = 0x1772;
const SHARED_ART: u16 = 0xF000;
const ART: u16 = 0xF002;
const TEXT_BOX: u16 = 0xF00D;
const CLIENT_DATA: u16 = 0xF011;

/// Most edits of a presentation, and most objects in it.
const MAX_EDITS: usize = 10_000;
const MAX_OBJECTS: usize = 1 << 20;

/// Points of a unit of slides.
const UNIT: f64 = 72.0 / 576.0;

/// A soft hyphen, which every text drops.
const NOTHING: u16 = 0xAD;

/// Masters that a slide follows: a title master, and the main master.
const MAX_MASTERS: usize = 2;

/// Returns what has to change in the stream of a presentation. `user` is the stream that says where the last edit is.
///
/// # Errors
///
/// The edits are damaged, or a slide is too intricate.
pub(super) fn changes(
    stream: &[u8],
    user: &[u8],
    unseen: &mut Unseen,
) -> Result<Changes, Obstacle> {
    const ENCRYPTED: u32 = 0xF3D1_C4DF;
    if u32_at(user, 12) == Some(ENCRYPTED) {
        return Ok(Changes::new());
    }
    let deck = Deck::read(stream, user).ok_or(DAMAGED)?;
    let mut changes = Changes::new();
    for (listed, number) in deck.list(0).into_iter().zip(1..) {
        let Some(slide) = deck.part(listed.object) else { continue };
        if slide.is_intricate {
            return Err(INTRICATE);
        }
        let place = format!("slide {number}");
        let mut walker = Walker {
            deck: &deck,
            scheme: slide.scheme,
            listed: &listed.texts,
            place: &place,
            unseen,
            changes: &mut changes,
            done: HashSet::new(),
        };
        walker.slide(&slide);
    }
    Ok(changes)
}

/// A presentation, in its last edit.
struct Deck<'a> {
    stream: &'a [u8],
    /// Where each object is.
    places: HashMap<u32, usize>,
    document: Record<'a>,
    /// Objects of the masters, by the numbers that slides give them.
    masters: HashMap<u32, u32>,
    /// Properties that all shapes share.
    shared: Properties,
    size: [f64; 2],
}

/// A slide in the list of a presentation, with its texts there.
struct Listed<'a> {
    object: u32,
    number: u32,
    texts: Vec<Text<'a>>,
}

/// Characters of a shape.
#[derive(Clone)]
struct Text<'a> {
    /// Place of the characters in the stream.
    at: usize,
    characters: &'a [u8],
    width: usize,
    style: &'a [u8],
    links: Vec<Range<usize>>,
}

/// A slide or a master.
struct Part<'a> {
    scheme: Scheme,
    shapes: Vec<Shape<'a>>,
    /// `true` if its shapes are too many.
    is_intricate: bool,
    flags: u16,
    master: Option<u32>,
}

/// Flags of slides: what they take from their master.
const SHOWS_OBJECTS: u16 = 1;
const HAS_SCHEME: u16 = 2;
const HAS_BACKGROUND: u16 = 4;

impl<'a> Deck<'a> {
    fn read(stream: &'a [u8], user: &[u8]) -> Option<Self> {
        let mut places = HashMap::new();
        let (mut edit, mut document) = (index_at(user, 16)?, None);
        for _ in 0..MAX_EDITS {
            let record = Record::read(stream, edit).filter(|record| record.kind == EDIT)?;
            document = document.or(u32_at(record.data, 16));
            let list = Record::read(stream, index_at(record.data, 12)?)?;
            if list.kind == PLACES {
                // Newer edits come first.
                read_places(list.data, &mut places);
            }
            match index_at(record.data, 8)? {
                0 => break,
                before if before >= edit => return None,
                before => edit = before,
            }
        }
        let document = Record::read(stream, *places.get(&document?)?)?;
        if document.kind != DOCUMENT {
            return None;
        }
        let size = document.child(DOCUMENT_ATOM).and_then(|atom| {
            let [width, height] = [i32_at(atom.data, 0)?, i32_at(atom.data, 4)?];
            Some([f64::from(width) * UNIT, f64::from(height) * UNIT])
        });
        let shared = document.child(DRAWING_GROUP).and_then(|it| it.child(SHARED_ART));
        let mut deck = Self {
            stream,
            places,
            document,
            masters: HashMap::new(),
            shared: shared
                .and_then(|it| it.child(OPTIONS))
                .map(Properties::read)
                .unwrap_or_default(),
            size: size.unwrap_or_default(),
        };
        deck.masters = deck.list(1).into_iter().map(|it| (it.number, it.object)).collect();
        Some(deck)
    }

    /// Returns the slides in a list of the presentation: 0 are slides, 1 are masters.
    fn list(&self, instance: u16) -> Vec<Listed<'a>> {
        let mut lists = self.document.inner().filter(|record| record.kind == SLIDE_LIST);
        let mut found: Vec<Listed<'a>> = Vec::new();
        let Some(list) = lists.find(|record| record.instance == instance) else { return found };
        for record in list.inner() {
            if record.kind == SLIDE_PLACE {
                let object = u32_at(record.data, 0).unwrap_or_default();
                let number = u32_at(record.data, 12).unwrap_or_default();
                found.push(Listed { object, number, texts: Vec::new() });
            } else if let Some(slide) = found.last_mut() {
                take(record, &mut slide.texts);
            }
        }
        found
    }

    /// Returns a slide or a master by the number of its object.
    fn part(&self, object: u32) -> Option<Part<'a>> {
        let record = Record::read(self.stream, *self.places.get(&object)?)?;
        if !matches!(record.kind, SLIDE | MASTER) {
            return None;
        }
        let atom = record.child(SLIDE_ATOM).map(|it| it.data).unwrap_or_default();
        let mut scheme = Scheme::default();
        if let Some(colours) = record.inner().find(|it| it.kind == SCHEME && it.instance == 1) {
            for (slot, colour) in scheme.iter_mut().zip(colours.data.chunks_exact(4)) {
                *slot = Some([colour[0], colour[1], colour[2]]);
            }
        }
        let drawing = record.child(DRAWING).and_then(|it| it.child(ART));
        let shapes = drawing.map_or(Some(Vec::new()), art::shapes);
        Some(Part {
            scheme,
            is_intricate: shapes.is_none(),
            shapes: shapes.unwrap_or_default(),
            flags: u16_at(atom, 20).unwrap_or_default(),
            master: u32_at(atom, 12).filter(|number| *number != 0 && record.kind == SLIDE),
        })
    }

    /// Returns the masters of a slide, from the nearest on.
    fn masters(&self, slide: &Part<'_>) -> Vec<Part<'a>> {
        let mut found: Vec<Part<'a>> = Vec::new();
        let mut next = slide.master;
        while let Some(object) = next.and_then(|number| self.masters.get(&number))
            && found.len() < MAX_MASTERS
            && let Some(part) = self.part(*object)
        {
            next = part.master;
            found.push(part);
        }
        found
    }
}

/// Takes the places of objects that no newer edit has.
fn read_places(mut data: &[u8], places: &mut HashMap<u32, usize>) {
    while let Some(head) = u32_at(data, 0) {
        let (first, count) = (head & 0xF_FFFF, head >> 20);
        for index in 0..count {
            let Some(place) = index_at(data, 4 + 4 * index as usize) else { return };
            if places.len() < MAX_OBJECTS {
                places.entry(first + index).or_insert(place);
            }
        }
        data = data.get(4 + 4 * count as usize..).unwrap_or_default();
    }
}

/// Adds what a record says about a text to the texts so far.
fn take<'a>(record: Record<'a>, texts: &mut Vec<Text<'a>>) {
    match record.kind {
        TEXT_HEADER => {
            texts.push(Text { at: 0, characters: &[], width: 1, style: &[], links: Vec::new() })
        }
        WIDE_TEXT | NARROW_TEXT => {
            if let Some(text) = texts.last_mut() {
                (text.at, text.characters) = (record.at, record.data);
                text.width = if record.kind == WIDE_TEXT { 2 } else { 1 };
            }
        }
        STYLE => {
            if let Some(text) = texts.last_mut() {
                text.style = record.data;
            }
        }
        LINK => {
            let range = index_at(record.data, 0).zip(index_at(record.data, 4));
            if let (Some(text), Some((start, end))) = (texts.last_mut(), range) {
                text.links.push(start..end);
            }
        }
        _ => {}
    }
}

struct Walker<'a> {
    deck: &'a Deck<'a>,
    scheme: Scheme,
    listed: &'a [Text<'a>],
    place: &'a str,
    unseen: &'a mut Unseen,
    changes: &'a mut Changes,
    /// Places of the texts that were looked at. Two shapes may show one.
    done: HashSet<usize>,
}

impl Walker<'_> {
    fn slide(&mut self, slide: &Part<'_>) {
        let masters = self.deck.masters(slide);
        if slide.flags & HAS_SCHEME != 0
            && let Some(master) = masters.first()
        {
            self.scheme = master.scheme;
        }
        let mut scene = Scene::new(self.background(slide, &masters));
        // What is not known may lie behind anything.
        if masters.iter().any(|master| master.is_intricate) {
            scene.push(None, Paint::Unknown);
        }
        let mut shows = slide.flags & SHOWS_OBJECTS != 0;
        let mut shown = Vec::new();
        for master in &masters {
            if shows {
                shown.push(master);
            }
            shows &= master.flags & SHOWS_OBJECTS != 0;
        }
        for master in shown.into_iter().rev() {
            for shape in master.shapes.iter().filter(|shape| is_shown(shape)) {
                // Masters only show prompts in their places.
                if !is_placeholder(shape) && !shape.is_hidden() {
                    scene.push(rect(shape), self.fill(shape, &masters));
                }
            }
        }
        for shape in slide.shapes.iter().filter(|shape| is_shown(shape)) {
            self.shape(shape, &masters, &mut scene);
        }
    }

    /// Returns the background of a slide, or of the nearest master that has one.
    fn background(&self, slide: &Part<'_>, masters: &[Part<'_>]) -> Paint {
        let mut part = slide;
        for master in masters {
            if part.flags & HAS_BACKGROUND == 0 {
                break;
            }
            part = master;
        }
        let shape = part.shapes.iter().find(|shape| shape.is_background());
        match shape.map(|shape| shape.fill(&[], &self.scheme)) {
            // What is behind all is white, but not certainly so.
            Some(Paint::Clear) | None => Paint::Unknown,
            Some(paint) => paint,
        }
    }

    /// Returns the fill of a shape. What it does not say itself is from the shape of a master that it follows.
    fn fill(&self, shape: &Shape<'_>, masters: &[Part<'_>]) -> Paint {
        let followed = shape.master().and_then(|id| {
            masters.iter().flat_map(|master| &master.shapes).find(|shape| shape.id == id)
        });
        let parents: Vec<&Properties> =
            followed.map(|it| &it.properties).into_iter().chain([&self.deck.shared]).collect();
        shape.fill(&parents, &self.scheme)
    }

    fn shape(&mut self, shape: &Shape<'_>, masters: &[Part<'_>], scene: &mut Scene) {
        let rect = rect(shape);
        let fill = self.fill(shape, masters);
        let [width, height] = self.deck.size;
        let slide = Rect { left: 0.0, top: 0.0, width, height };
        let is_off = rect.is_some_and(|rect| {
            !rect.meets(&slide) && rect.width + rect.height > 0.0 && width > 0.0
        });
        let why =
            if shape.is_hidden() { Some(Why::Hidden) } else { is_off.then_some(Why::Outside) };
        let text_box = shape.records.and_then(|it| it.child(TEXT_BOX));
        if let Some(text_box) = text_box {
            let behind = fill.over(scene.behind(rect));
            self.text_box(text_box, behind, why);
        }
        if why.is_none() {
            scene.push(rect, fill);
        }
    }

    fn text_box(&mut self, text_box: Record<'_>, behind: Paint, why: Option<Why>) {
        let mut texts = Vec::new();
        for record in text_box.inner() {
            match record.kind {
                OUTLINE_TEXT => {
                    let index = index_at(record.data, 0);
                    let listed = index.and_then(|index| self.listed.get(index));
                    texts.extend(listed.cloned());
                }
                _ => take(record, &mut texts),
            }
        }
        for text in texts {
            if self.done.insert(text.at) {
                self.text(&text, behind, why);
            }
        }
    }

    fn text(&mut self, text: &Text<'_>, behind: Paint, of_shape: Option<Why>) {
        let count = text.characters.len() / text.width;
        for run in runs::read(text.style, count) {
            let Run { start, end, .. } = run;
            let units: Vec<u16> = (start..end)
                .map(|index| match text.width {
                    1 => text.characters.get(index).copied().map_or(0, u16::from),
                    _ => u16_at(text.characters, 2 * index).unwrap_or_default(),
                })
                .collect();
            let letters: String = String::from_utf16_lossy(&units);
            if !letters.contains(is_seen) {
                continue;
            }
            // Links have a colour of their own.
            let is_link = text.links.iter().any(|link| link.start < end && start < link.end);
            let colour = if is_link { Paint::Unknown } else { run.colour(&self.scheme) };
            let Some(why) = of_shape.or_else(|| judge(colour, behind, run.size)) else {
                self.unseen.seen();
                continue;
            };
            self.unseen.add(why, &letters, self.place);
            let new = units.iter().flat_map(|unit| {
                let unit = if *unit > 0x20 { NOTHING } else { *unit };
                unit.to_le_bytes().into_iter().take(text.width)
            });
            self.changes.push((text.at + start * text.width, new.collect()));
        }
    }
}

fn is_shown(shape: &Shape<'_>) -> bool {
    !shape.is_background() && !shape.is_deleted()
}

fn is_placeholder(shape: &Shape<'_>) -> bool {
    let data = shape.records.and_then(|it| it.child(CLIENT_DATA));
    data.is_some_and(|it| it.child(PLACEHOLDER).is_some())
}

/// Returns the area of a shape in points.
fn rect(shape: &Shape<'_>) -> Option<Rect> {
    let [left, top, right, bottom] = shape.area?.map(|edge| edge * UNIT);
    Some(Rect { left, top, width: right - left, height: bottom - top })
}
