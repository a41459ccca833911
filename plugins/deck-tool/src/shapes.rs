//! Shapes of a slide, a layout or a master: what they are and where they stand.

use crate::xml::{Id, Ns, Xml};
use std::collections::{BTreeMap, BTreeSet};

/// EMU of a centimetre.
pub(crate) const CM: f64 = 360_000.0;
/// Most shapes of a slide that are listed.
pub(crate) const MAX_SHAPES: usize = 5_000;
/// Ids of shapes are below.
const MAX_ID: u32 = 0x7fff_ffff;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Picture,
    Table,
    Chart,
    Diagram,
    Object,
    Group,
    Line,
    Other,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Picture => "picture",
            Self::Table => "table",
            Self::Chart => "chart",
            Self::Diagram => "diagram",
            Self::Object => "object",
            Self::Group => "group",
            Self::Line => "line",
            Self::Other => "other",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Placeholder {
    /// Its type as written; `obj` if none is.
    pub(crate) kind: String,
    pub(crate) index: u32,
}

impl Placeholder {
    pub(crate) fn is_title(&self) -> bool {
        matches!(&*self.kind, "title" | "ctrTitle")
    }

    /// Returns `true` for what layouts repeat: date, footer, slide number.
    pub(crate) fn is_footer(&self) -> bool {
        matches!(&*self.kind, "dt" | "ftr" | "sldNum" | "hdr")
    }
}

/// A rectangle in EMU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Frame {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) cx: f64,
    pub(crate) cy: f64,
}

impl Frame {
    pub(crate) fn overlap(&self, other: &Self) -> f64 {
        let width = (self.x + self.cx).min(other.x + other.cx) - self.x.max(other.x);
        let height = (self.y + self.cy).min(other.y + other.cy) - self.y.max(other.y);
        if width > 0.0 && height > 0.0 { width * height } else { 0.0 }
    }

    pub(crate) fn area(&self) -> f64 {
        self.cx * self.cy
    }

    pub(crate) fn contains(&self, other: &Self) -> bool {
        self.overlap(other) > 0.98 * other.area()
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) node: Id,
    pub(crate) id: u32,
    /// 1 for the first shape of this id; damaged files have an id several times.
    pub(crate) ordinal: u32,
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) placeholder: Option<Placeholder>,
    /// The element that has its paragraphs.
    pub(crate) body: Option<Id>,
    /// Its own place on the slide; `None` if it is that of its placeholder.
    pub(crate) frame: Option<Frame>,
    /// Shapes that older programs show in place of these.
    pub(crate) fallbacks: Vec<Id>,
}

/// How a group moves its children: `x * scale + shift`.
#[derive(Clone, Copy, Debug)]
struct Transform {
    scale: (f64, f64),
    shift: (f64, f64),
}

/// Returns the element that has the shapes.
pub(crate) fn tree(xml: &Xml) -> Option<Id> {
    xml.path(xml.root(), Ns::P, &["cSld", "spTree"])
}

/// Returns an id that no shape of a part has.
pub(crate) fn free_id(xml: &Xml) -> u32 {
    let names = xml.below(xml.root()).filter(|&it| xml.local(it) == "cNvPr");
    let taken: BTreeSet<u32> = names.filter_map(|it| xml.number(it, "id")).collect();
    let next = taken.last().map_or(2, |it| it.saturating_add(1)).max(2);
    // Ids are below 2^31, and a file may have one above.
    if next < MAX_ID { next } else { (2..).find(|it| !taken.contains(it)).unwrap_or(next) }
}

/// Returns the shapes in the order of drawing; a group before its members.
pub(crate) fn shapes(xml: &Xml) -> Vec<Shape> {
    let mut out = Vec::new();
    if let Some(tree) = tree(xml) {
        collect(xml, tree, Transform { scale: (1.0, 1.0), shift: (0.0, 0.0) }, &mut out);
    }
    let mut seen: BTreeMap<u32, u32> = BTreeMap::new();
    for shape in &mut out {
        let count = seen.entry(shape.id).or_default();
        *count += 1;
        shape.ordinal = *count;
    }
    out
}

fn collect(xml: &Xml, parent: Id, transform: Transform, out: &mut Vec<Shape>) {
    for node in xml.children(parent) {
        if out.len() >= MAX_SHAPES {
            return;
        }
        if xml.is(node, Ns::Mc, "AlternateContent") {
            let choice = xml.child(node, Ns::Mc, "Choice").or(xml.child(node, Ns::Mc, "Fallback"));
            let Some(choice) = choice else { continue };
            let start = out.len();
            collect(xml, choice, transform, out);
            let others = xml.children(node).filter(|&it| it != choice);
            let mut by_id: BTreeMap<u32, Vec<Id>> = BTreeMap::new();
            for it in others.flat_map(|it| xml.below(it)).filter(|&it| is_shape(xml, it)) {
                by_id.entry(identity(xml, it).0).or_default().push(it);
            }
            for shape in &mut out[start..] {
                shape.fallbacks = by_id.get(&shape.id).cloned().unwrap_or_default();
            }
        } else if is_shape(xml, node) {
            let shape = shape(xml, node, transform);
            let is_group = shape.kind == Kind::Group;
            out.push(shape);
            if is_group {
                collect(xml, node, inside(xml, node, transform), out);
            }
        }
    }
}

fn is_shape(xml: &Xml, node: Id) -> bool {
    xml.ns(node) == Ns::P
        && matches!(
            xml.local(node),
            "sp" | "pic" | "graphicFrame" | "grpSp" | "cxnSp" | "contentPart"
        )
}

/// Returns the element `nvSpPr` or that of another kind of shape.
fn properties(xml: &Xml, node: Id) -> Option<Id> {
    xml.children(node).find(|&it| xml.local(it).starts_with("nv"))
}

fn identity(xml: &Xml, node: Id) -> (u32, String) {
    let name = properties(xml, node).and_then(|it| xml.any(it, "cNvPr"));
    let id = name.and_then(|it| xml.number(it, "id")).unwrap_or(0);
    (id, name.and_then(|it| xml.attr(it, "name")).unwrap_or_default().into_owned())
}

fn shape(xml: &Xml, node: Id, transform: Transform) -> Shape {
    let (id, name) = identity(xml, node);
    let placeholder = properties(xml, node)
        .and_then(|it| xml.any(it, "nvPr"))
        .and_then(|it| xml.child(it, Ns::P, "ph"))
        .map(|it| Placeholder {
            kind: xml.attr(it, "type").map_or_else(|| "obj".to_owned(), |it| it.into_owned()),
            index: xml.number(it, "idx").unwrap_or(0),
        });
    let body = xml.any(node, "txBody").filter(|_| xml.local(node) == "sp");
    Shape {
        node,
        id,
        ordinal: 1,
        name,
        kind: kind(xml, node),
        placeholder,
        body,
        frame: transformation(xml, node).and_then(|it| frame(xml, it, transform)),
        fallbacks: Vec::new(),
    }
}

/// Returns the content of a graphic frame: a table, a chart.
pub(crate) fn graphic(xml: &Xml, node: Id) -> Option<Id> {
    let data = xml.path(node, Ns::A, &["graphic", "graphicData"])?;
    let first = xml.children(data).next()?;
    if xml.is(first, Ns::Mc, "AlternateContent") {
        return xml.child(first, Ns::Mc, "Choice").and_then(|it| xml.children(it).next());
    }
    Some(first)
}

fn kind(xml: &Xml, node: Id) -> Kind {
    match xml.local(node) {
        "sp" => Kind::Text,
        "pic" => Kind::Picture,
        "grpSp" => Kind::Group,
        "cxnSp" => Kind::Line,
        "graphicFrame" => match graphic(xml, node).map(|it| xml.local(it)) {
            Some("tbl") => Kind::Table,
            Some("chart") => Kind::Chart,
            Some("relIds") => Kind::Diagram,
            Some("oleObj") => Kind::Object,
            _ => Kind::Other,
        },
        _ => Kind::Other,
    }
}

/// Returns the element with offset and size.
pub(crate) fn transformation(xml: &Xml, node: Id) -> Option<Id> {
    xml.child(node, Ns::P, "xfrm").or_else(|| {
        let properties = xml.any(node, "spPr").or(xml.any(node, "grpSpPr"))?;
        xml.child(properties, Ns::A, "xfrm")
    })
}

fn pair(xml: &Xml, xfrm: Id, local: &str, x: &str, y: &str) -> Option<(f64, f64)> {
    let node = xml.child(xfrm, Ns::A, local)?;
    Some((xml.number(node, x)?, xml.number(node, y)?))
}

fn frame(xml: &Xml, xfrm: Id, transform: Transform) -> Option<Frame> {
    let (x, y) = pair(xml, xfrm, "off", "x", "y")?;
    let (cx, cy) = pair(xml, xfrm, "ext", "cx", "cy")?;
    let Transform { scale, shift } = transform;
    Some(Frame {
        x: x * scale.0 + shift.0,
        y: y * scale.1 + shift.1,
        cx: cx * scale.0,
        cy: cy * scale.1,
    })
}

fn inside(xml: &Xml, group: Id, outer: Transform) -> Transform {
    let read = || {
        let xfrm = transformation(xml, group)?;
        let (x, y) = pair(xml, xfrm, "off", "x", "y")?;
        let (cx, cy) = pair(xml, xfrm, "ext", "cx", "cy")?;
        let (inner_x, inner_y) = pair(xml, xfrm, "chOff", "x", "y")?;
        let (inner_cx, inner_cy) = pair(xml, xfrm, "chExt", "cx", "cy")?;
        let ratio = |size: f64, inner: f64| if inner > 0.0 { size / inner } else { 1.0 };
        let own = (ratio(cx, inner_cx), ratio(cy, inner_cy));
        Some(Transform {
            scale: (outer.scale.0 * own.0, outer.scale.1 * own.1),
            shift: (
                outer.shift.0 + outer.scale.0 * (x - inner_x * own.0),
                outer.shift.1 + outer.scale.1 * (y - inner_y * own.1),
            ),
        })
    };
    read().unwrap_or(outer)
}
