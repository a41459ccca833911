//! Reads the shapes of drawings in documents and slides before Office 2007: places, fills, and whether they are hidden.

use super::bytes::{i16_at, i32_at, u16_at, u32_at};
use super::records::{Record, Records};
use crate::unseen::Paint;

pub(super) const GROUP: u16 = 0xF003;
pub(super) const SHAPE: u16 = 0xF004;
const SHAPE_ATOM: u16 = 0xF00A;
const GROUP_ATOM: u16 = 0xF009;
pub(super) const OPTIONS: u16 = 0xF00B;
const CHILD_ANCHOR: u16 = 0xF00F;
const CLIENT_ANCHOR: u16 = 0xF010;

/// Most shapes of a drawing that are looked at.
const MAX_SHAPES: usize = 20_000;

/// Deepest nesting of groups that is followed.
const MAX_DEPTH: usize = 30;

/// Properties of shapes.
const PICTURE: u16 = 0x0104;
const FILL_TYPE: u16 = 0x0180;
const FILL_COLOUR: u16 = 0x0181;
const FILL_OPACITY: u16 = 0x0182;
const FILL_FLAGS: u16 = 0x01BF;
const MASTER: u16 = 0x0301;
const GROUP_FLAGS: u16 = 0x03BF;
/// Bits of these properties that say whether a shape is filled or hidden, and those that say that the first ones count.
const IS_FILLED: u32 = 1 << 4;
const IS_HIDDEN: u32 = 1 << 1;
const COUNTS: u32 = 16;

/// Opacity at which a fill covers what is behind it, and at which it is not seen. 1 is 65536.
const OPAQUE: u32 = 62_259;
const CLEAR: u32 = 3_277;

/// An area in the units of the drawing: left, top, right, bottom.
pub(super) type Area = [f64; 4];

/// The properties of a shape that are plain numbers.
#[derive(Clone, Default)]
pub(super) struct Properties(Vec<(u16, u32)>);

impl Properties {
    pub(super) fn read(record: Record<'_>) -> Self {
        let entries = record.data.chunks_exact(6).take(record.instance.into());
        let entry = |entry: &[u8]| Some((u16_at(entry, 0)? & 0x3FFF, u32_at(entry, 2)?));
        Self(entries.filter_map(entry).collect())
    }

    pub(super) fn one(name: u16, value: u32) -> Self {
        Self(vec![(name, value)])
    }

    pub(super) fn get(&self, name: u16) -> Option<u32> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    fn flag(&self, name: u16, flag: u32) -> Option<bool> {
        let flags = self.get(name)?;
        (flags & flag << COUNTS != 0).then_some(flags & flag != 0)
    }
}

/// A shape. Groups are shapes too, before those in them.
#[derive(Clone, Default)]
pub(super) struct Shape<'a> {
    pub(super) id: u32,
    kind: u16,
    flags: u32,
    pub(super) properties: Properties,
    /// `None` if its place is not known.
    pub(super) area: Option<Area>,
    /// Number of the outermost shape around it, or its own.
    pub(super) outermost: u32,
    is_in_hidden: bool,
    pub(super) records: Option<Record<'a>>,
}

/// Colours that a number of a scheme means.
pub(super) type Scheme = [Option<[u8; 3]>; 8];

impl Shape<'_> {
    pub(super) fn is_background(&self) -> bool {
        self.flags & 0x400 != 0
    }

    pub(super) fn is_group(&self) -> bool {
        self.flags & 1 != 0
    }

    /// Returns `true` for a shape that was deleted.
    pub(super) fn is_deleted(&self) -> bool {
        self.flags & 8 != 0
    }

    pub(super) fn is_hidden(&self) -> bool {
        self.is_in_hidden || self.properties.flag(GROUP_FLAGS, IS_HIDDEN) == Some(true)
    }

    /// Returns the number of the shape of a master that this one follows.
    pub(super) fn master(&self) -> Option<u32> {
        self.properties.get(MASTER)
    }

    /// Returns the fill of the shape. A property that the shape does not set comes from the nearest of `parents` that sets it.
    /// Returns [`Paint::Unknown`] if neither the shape nor a parent has the flag for a fill.
    pub(super) fn fill(&self, parents: &[&Properties], scheme: &Scheme) -> Paint {
        let is_line = matches!(self.kind, 20 | 32..=40);
        if self.is_group() || is_line {
            return Paint::Clear;
        }
        if self.kind == 75 || self.properties.get(PICTURE).is_some() {
            return Paint::Unknown;
        }
        let all = || std::iter::once(&self.properties).chain(parents.iter().copied());
        let value = |name| all().find_map(|properties| properties.get(name));
        match all().find_map(|properties| properties.flag(FILL_FLAGS, IS_FILLED)) {
            None => return Paint::Unknown,
            Some(false) => return Paint::Clear,
            Some(true) => {}
        }
        match value(FILL_OPACITY) {
            Some(..CLEAR) => return Paint::Clear,
            Some(..OPAQUE) => return Paint::Unknown,
            _ => {}
        }
        if value(FILL_TYPE).is_some_and(|kind| kind != 0) {
            return Paint::Unknown;
        }
        colour(value(FILL_COLOUR).unwrap_or(0x00FF_FFFF), scheme)
    }
}

/// Returns a colour of a drawing: red, green, blue and what they mean.
fn colour(value: u32, scheme: &Scheme) -> Paint {
    let [red, green, blue, meaning] = value.to_le_bytes();
    match meaning {
        // The second bit asks for the nearest colour of a palette.
        0 | 2 => Paint::Plain([red, green, blue]),
        8 => of_scheme(red, scheme),
        _ => Paint::Unknown,
    }
}

/// Returns a colour by its number in a scheme.
pub(super) fn of_scheme(number: u8, scheme: &Scheme) -> Paint {
    scheme.get(usize::from(number)).copied().flatten().map_or(Paint::Unknown, Paint::Plain)
}

/// How the shapes of a group are moved and stretched: units of the drawing for one of the group, and a shift.
#[derive(Clone, Copy)]
struct Moved {
    times: [f64; 2],
    plus: [f64; 2],
}

impl Moved {
    /// Returns how shapes in a group are moved, from its area and from what it calls this area.
    fn inside(area: Area, named: Area) -> Option<Self> {
        let axis = |low: usize| {
            let (size, named_size) = (area[low + 2] - area[low], named[low + 2] - named[low]);
            let times = size / named_size;
            (named_size != 0.0).then_some((times, area[low] - named[low] * times))
        };
        let ((x, left), (y, top)) = (axis(0)?, axis(1)?);
        Some(Self { times: [x, y], plus: [left, top] })
    }

    fn area(self, [left, top, right, bottom]: Area) -> Area {
        let at = |axis: usize, value: f64| value * self.times[axis] + self.plus[axis];
        [at(0, left), at(1, top), at(0, right), at(1, bottom)]
    }
}

/// Returns the shapes of a drawing from back to front; `None` if there are too many.
pub(super) fn shapes(drawing: Record<'_>) -> Option<Vec<Shape<'_>>> {
    let mut found = Vec::new();
    let around = Around { moved: None, outermost: None, is_hidden: false };
    collect(drawing.inner(), around, 0, &mut found)?;
    Some(found)
}

#[derive(Clone, Copy)]
struct Around {
    /// `None` outside of groups.
    moved: Option<Option<Moved>>,
    outermost: Option<u32>,
    is_hidden: bool,
}

fn collect<'a>(
    records: Records<'a>,
    around: Around,
    depth: usize,
    out: &mut Vec<Shape<'a>>,
) -> Option<()> {
    let mut inside = around;
    let mut is_first = true;
    for record in records {
        match record.kind {
            _ if out.len() >= MAX_SHAPES || depth > MAX_DEPTH => return None,
            GROUP => collect(record.inner(), inside, depth + 1, out)?,
            SHAPE => {
                let (shape, named) = shape(record, inside);
                // The first shape of a group is the group itself. The outermost group of a drawing is the drawing.
                if is_first && shape.is_group() && shape.flags & 4 == 0 {
                    let moved =
                        shape.area.zip(named).and_then(|(area, named)| Moved::inside(area, named));
                    inside = Around {
                        moved: Some(moved),
                        outermost: Some(shape.outermost),
                        is_hidden: shape.is_hidden(),
                    };
                }
                out.push(shape);
            }
            _ => {}
        }
        is_first = false;
    }
    Some(())
}

/// Returns a shape, and what a group calls its area.
fn shape(record: Record<'_>, around: Around) -> (Shape<'_>, Option<Area>) {
    let mut shape =
        Shape { records: Some(record), is_in_hidden: around.is_hidden, ..Shape::default() };
    let mut named = None;
    for part in record.inner() {
        match part.kind {
            SHAPE_ATOM => {
                shape.kind = part.instance;
                shape.id = u32_at(part.data, 0).unwrap_or_default();
                shape.flags = u32_at(part.data, 4).unwrap_or_default();
            }
            GROUP_ATOM => named = wide(part.data),
            OPTIONS => shape.properties = Properties::read(part),
            CHILD_ANCHOR => {
                let moved = around.moved.flatten();
                shape.area = wide(part.data).zip(moved).map(|(area, moved)| moved.area(area));
            }
            // Slides have the top before the left.
            CLIENT_ANCHOR => {
                let area = match part.data.len() {
                    8 => narrow(part.data),
                    _ => wide(part.data),
                };
                shape.area = area.map(|[top, left, right, bottom]| [left, top, right, bottom]);
            }
            _ => {}
        }
    }
    // A shape that is turned may lie anywhere near its place.
    if shape.properties.get(4).is_some_and(|turn| turn != 0) {
        shape.area = None;
    }
    shape.outermost = around.outermost.unwrap_or(shape.id);
    (shape, named)
}

fn wide(data: &[u8]) -> Option<Area> {
    let at = |index: usize| i32_at(data, 4 * index).map(f64::from);
    Some([at(0)?, at(1)?, at(2)?, at(3)?])
}

fn narrow(data: &[u8]) -> Option<Area> {
    let at = |index: usize| i16_at(data, 2 * index).map(f64::from);
    Some([at(0)?, at(1)?, at(2)?, at(3)?])
}
