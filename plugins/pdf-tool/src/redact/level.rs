//! The state of one content stream, and how places lie to each other.

use crate::content::{Matrix, Operation};
use crate::file::Pdf;
use crate::object::{Dict, Object};
use crate::redact::fonts::FontId;
use mitt_guest::FoldMap;
use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

/// The font that is set.
#[derive(Clone)]
pub(crate) struct Font {
    /// Its name; empty if it has none.
    pub(crate) name: Rc<[u8]>,
    /// The font, once a string is shown in it.
    pub(crate) id: Option<FontId>,
}

impl Font {
    pub(crate) fn new(name: &[u8]) -> Self {
        Self { name: name.into(), id: None }
    }
}

/// The state of graphics and text.
#[derive(Clone)]
pub(crate) struct State {
    pub(crate) ctm: Matrix,
    pub(crate) font: Font,
    pub(crate) size: f64,
    pub(crate) char_space: f64,
    pub(crate) word_space: f64,
    pub(crate) scale: f64,
    pub(crate) leading: f64,
    pub(crate) rise: f64,
    pub(crate) mode: i64,
}

/// A path that is being built.
pub(crate) struct Path {
    pub(crate) start: usize,
    pub(crate) bounds: [f64; 4],
    pub(crate) is_clip: bool,
}

/// What is known within one content stream.
pub(crate) struct Level {
    pub(crate) resources: Dict,
    pub(crate) owner: Option<u32>,
    pub(crate) state: State,
    pub(crate) saved: Vec<State>,
    pub(crate) tm: Matrix,
    pub(crate) line: Matrix,
    /// Fonts in which strings were shown, by their names here. A content may set fonts very often.
    pub(crate) fonts: FoldMap<Rc<[u8]>, FontId>,
    /// The font of the last glyph if it is written from top to bottom.
    pub(crate) vertical: Option<FontId>,
    pub(crate) edits: Vec<(Range<usize>, Vec<u8>)>,
    /// Names that were replaced, and names that are still in use.
    pub(crate) replaced: BTreeSet<Vec<u8>>,
    pub(crate) used: BTreeSet<Vec<u8>>,
    pub(crate) path: Option<Path>,
}

impl Level {
    pub(crate) fn move_line(&mut self, x: f64, y: f64) {
        self.line = Matrix([1.0, 0.0, 0.0, 1.0, x, y]).then(self.line);
        self.tm = self.line;
    }

    pub(crate) fn shift(&mut self, x: f64, y: f64) {
        self.tm = Matrix([1.0, 0.0, 0.0, 1.0, x, y]).then(self.tm);
    }

    /// Sets the font of a name.
    pub(crate) fn set_font(&mut self, name: &[u8]) {
        self.state.font = match self.fonts.get_key_value(name) {
            Some((name, id)) => Font { name: Rc::clone(name), id: Some(*id) },
            None => Font::new(name),
        };
    }

    pub(crate) fn extend_path(&mut self, operation: &Operation<'_>) {
        let numbers: Vec<f64> = operation.operands.iter().filter_map(Object::as_f64).collect();
        let mut points: Vec<(f64, f64)> = match (operation.operator, &numbers[..]) {
            (b"re", [x, y, w, h]) => vec![(*x, *y), (x + w, *y), (*x, y + h), (x + w, y + h)],
            (_, numbers) => numbers.chunks_exact(2).map(|it| (it[0], it[1])).collect(),
        };
        for point in &mut points {
            *point = self.state.ctm.apply(point.0, point.1);
        }
        let path = self.path.get_or_insert(Path {
            start: operation.span.start,
            bounds: [f64::MAX, f64::MAX, f64::MIN, f64::MIN],
            is_clip: false,
        });
        for (x, y) in points {
            let [a, b, c, d] = path.bounds;
            path.bounds = [a.min(x), b.min(y), c.max(x), d.max(y)];
        }
    }

    /// Paints another object instead of one.
    pub(crate) fn replace(
        &mut self,
        pdf: &Pdf,
        operation: &Operation<'_>,
        old: &[u8],
        number: u32,
    ) {
        let mut names = pdf.dict(&self.resources, "XObject").cloned().unwrap_or_default();
        let free =
            (0..).map(|it| format!("MittR{it}")).find(|it| !names.has(it)).unwrap_or_default();
        names.set(&free, Object::Ref(number));
        self.resources.set("XObject", names);
        if !old.is_empty() {
            self.replaced.insert(old.to_vec());
        }
        self.used.insert(free.clone().into_bytes());
        self.edits.push((operation.span.clone(), format!("/{free} Do").into_bytes()));
    }
}

/// Returns `true` if two rectangles share more than an edge.
pub(crate) fn overlap(a: &[f64; 4], b: &[f64; 4]) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

/// Returns `true` if a rectangle lies in another one, within a point.
pub(crate) fn is_inside(inner: &[f64; 4], outer: &[f64; 4]) -> bool {
    inner[0] >= outer[0] - 1.0
        && inner[1] >= outer[1] - 1.0
        && inner[2] <= outer[2] + 1.0
        && inner[3] <= outer[3] + 1.0
}

/// Returns `true` if a glyph lies in an area: so much of it that a part would be seen there.
pub(crate) fn touches(glyph: &[f64; 4], area: &[f64; 4]) -> bool {
    let share = |low: f64, high: f64, from: f64, to: f64| {
        if high - low < 1e-6 {
            return if (from..=to).contains(&low) { 1.0 } else { 0.0 };
        }
        ((high.min(to) - low.max(from)) / (high - low)).max(0.0)
    };
    let x = share(glyph[0], glyph[2], area[0], area[2]);
    let y = share(glyph[1], glyph[3], area[1], area[3]);
    // The box of a glyph is higher than what is seen of it.
    x > 0.1 && y > 0.2
}
