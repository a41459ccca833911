//! What is around a text of a document, and what lies behind it.

use super::styles::{Styles, TextProperties, length};
use crate::unseen::colour::WHITE;
use crate::unseen::scene::{Rect, Scene};
use crate::unseen::{Paint, Why};
use crate::xml::Node;

/// Size of pages in points if a document says nothing: the larger sides of A4 and Letter.
const PAGE: [f64; 2] = [612.0, 842.0];

/// Names of what may be painted on a slide.
pub(super) const SHAPES: [&str; 11] = [
    "frame",
    "g",
    "custom-shape",
    "rect",
    "ellipse",
    "circle",
    "polygon",
    "path",
    "regular-polygon",
    "caption",
    "page-thumbnail",
];

/// What is around a text.
#[derive(Clone, Debug)]
pub(crate) struct Around {
    pub(crate) behind: Paint,
    /// `true` if nothing but the page is behind the text. Drawings may lie between.
    pub(super) is_open: bool,
    /// Why everything in it is unseen.
    pub(crate) why: Option<Why>,
    /// Look that the style of a shape gives to its text.
    pub(crate) look: TextProperties,
    pub(super) is_in_table: bool,
    pub(super) is_in_shape: bool,
}

impl Default for Around {
    fn default() -> Self {
        Self {
            behind: WHITE,
            is_open: true,
            why: None,
            look: TextProperties::default(),
            is_in_table: false,
            is_in_shape: false,
        }
    }
}

impl Around {
    /// Returns what is around text on a page of this colour.
    pub(crate) fn on(paper: Paint) -> Self {
        Self { behind: paper, ..Self::default() }
    }
}

/// Where text is, for warnings.
#[derive(Debug, Default)]
pub(crate) struct Places {
    pub(super) paragraphs: usize,
    pub(super) tables: usize,
    /// What a place that is not in the main text is called.
    pub(crate) name: Option<String>,
}

/// What lies behind the text, as far as it is not around it.
#[derive(Debug)]
pub(crate) struct Backdrop {
    pub(crate) page: [f64; 2],
    /// Area of drawings that text may lie on, in square points.
    pub(super) room: f64,
    /// The shapes of a slide.
    pub(crate) scene: Option<Scene>,
}

impl Backdrop {
    pub(crate) fn of(styles: &Styles, body: Option<&Node>, margins: Option<&Node>) -> Self {
        let mut page = PAGE;
        for (one, other) in page.iter_mut().zip(styles.page_size) {
            *one = other.max(*one);
        }
        let in_margins = margins.map_or(0.0, |node| room(styles, node));
        let is_large = in_margins >= page[0] * page[1] / 8.0;
        let room = body.map_or(0.0, |node| room(styles, node));
        Self { page, room: if is_large { f64::INFINITY } else { room }, scene: None }
    }
}

/// Returns the area of the filled drawings that text does not flow around.
fn room(styles: &Styles, node: &Node) -> f64 {
    let own = rect(node).filter(|_| node.attribute("style-name").is_some()).map_or(0.0, |rect| {
        let style = styles.shape(node);
        let has_picture = node.child("image").or(node.child("object")).is_some();
        // A frame without a fill is empty, and a drawing has a fill that programs choose.
        let is_filled = match style.fill {
            Some(fill) => fill != Paint::Clear && !fill.is_like(WHITE),
            None => node.name != "frame",
        };
        let is_filled = is_filled || has_picture;
        if style.runs_through && is_filled {
            (rect.width * rect.height).clamp(0.0, 4_000_000.0)
        } else {
            0.0
        }
    });
    own + node.nodes().map(|child| room(styles, child)).sum::<f64>()
}

/// Returns the area of a shape in points. `None` if it is not known, such as that of a turned shape.
pub(super) fn rect(node: &Node) -> Option<Rect> {
    let side = |name: &str| node.attribute(name).and_then(length);
    if node.attribute("transform").is_some() {
        return None;
    }
    let (left, top) = (side("x").unwrap_or(0.0), side("y").unwrap_or(0.0));
    Some(Rect { left, top, width: side("width")?, height: side("height").unwrap_or(0.0) })
}

pub(super) fn paint(around: &mut Around, ground: Option<Paint>) {
    if let Some(ground) = ground.filter(|ground| *ground != Paint::Clear) {
        around.behind = ground;
        around.is_open = false;
    }
}
