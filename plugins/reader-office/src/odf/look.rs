//! Decides which text people do not see: by its own look, by what lies behind it, and by what it is in.

use super::blocks::Reading;
use super::styles::{Styles, TextProperties, length};
use crate::unseen::colour::WHITE;
use crate::unseen::scene::{Rect, Scene};
use crate::unseen::{Paint, Why, is_seen, judge};
use crate::xml::Node;

/// Size of pages in points if a document says nothing: the larger sides of A4 and Letter.
const PAGE: [f64; 2] = [612.0, 842.0];

/// Names of what may be painted on a slide.
const SHAPES: [&str; 11] = [
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
    is_open: bool,
    /// Why everything in it is unseen.
    pub(crate) why: Option<Why>,
    /// Look that the style of a shape gives to its text.
    pub(crate) look: TextProperties,
    is_in_table: bool,
    is_in_shape: bool,
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
    paragraphs: usize,
    tables: usize,
    /// What a place that is not in the main text is called.
    pub(crate) name: Option<String>,
}

/// What lies behind the text, as far as it is not around it.
#[derive(Debug)]
pub(crate) struct Backdrop {
    pub(crate) page: [f64; 2],
    /// Area of drawings that text may lie on, in square points.
    room: f64,
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
fn rect(node: &Node) -> Option<Rect> {
    let side = |name: &str| node.attribute(name).and_then(length);
    if node.attribute("transform").is_some() {
        return None;
    }
    let (left, top) = (side("x").unwrap_or(0.0), side("y").unwrap_or(0.0));
    Some(Rect { left, top, width: side("width")?, height: side("height").unwrap_or(0.0) })
}

impl Reading<'_> {
    /// Begins a slide: with its background, and with what its master paints.
    pub(crate) fn begin_slide(&mut self, page: &Node, masters: Option<&Node>, number: usize) {
        let name = page.attribute("master-page-name");
        let master = masters
            .into_iter()
            .flat_map(Node::nodes)
            .find(|master| master.name == "master-page" && master.attribute("name") == name);
        let styles = self.styles;
        let own = page.attribute("style-name");
        let of_page = |name: Option<&str>| {
            styles.ground("drawing-page", name).filter(|ground| *ground != Paint::Clear)
        };
        let of_master = master.and_then(|master| of_page(master.attribute("style-name")));
        let ground = of_page(own).or(of_master).unwrap_or(WHITE);
        self.places.name = Some(format!("slide {number}"));
        self.around = Around { behind: ground, is_open: false, ..Around::default() };
        let mut scene = Scene::new(ground);
        if let Some(master) = master.filter(|_| !styles.hides_master(own)) {
            let is_painted =
                |it: &&Node| SHAPES.contains(&it.name.as_str()) && it.attribute("class").is_none();
            for shape in master.nodes().filter(is_painted) {
                let style = styles.shape(shape);
                let is_plain = matches!(shape.name.as_str(), "frame" | "line")
                    && shape.child("image").is_none();
                let fill =
                    style.fill.unwrap_or(if is_plain { Paint::Clear } else { Paint::Unknown });
                scene.push(rect(shape), if shape.name == "g" { Paint::Unknown } else { fill });
            }
        }
        self.backdrop.scene = Some(scene);
    }

    /// Ends a slide. Its notes are on a page of their own.
    pub(crate) fn end_slide(&mut self) {
        self.backdrop.scene = None;
        self.backdrop.room = 0.0;
        self.around = Around::default();
        if let Some(name) = &mut self.places.name {
            name.insert_str(0, "the notes of ");
        }
    }

    /// Calls `read` with a changed surrounding.
    pub(crate) fn within<T>(
        &mut self,
        change: impl FnOnce(&mut Around),
        read: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let outer = self.around.clone();
        change(&mut self.around);
        let found = read(self);
        self.around = outer;
        found
    }

    /// Returns the surrounding with the ground of a style.
    pub(crate) fn ground(&self, family: &str, style: Option<&str>) -> Around {
        let mut around = self.around.clone();
        paint(&mut around, self.styles.ground(family, style));
        around
    }

    /// Reads a section of a text, which may be hidden.
    pub(crate) fn section_around(&self, node: &Node) -> Around {
        let mut around = self.ground("section", node.attribute("style-name"));
        let is_hidden = match node.attribute("display") {
            Some("none") => true,
            Some("condition") => node.attribute("is-hidden") == Some("true"),
            _ => false,
        };
        if is_hidden {
            around.why = around.why.or(Some(Why::Hidden));
        }
        around
    }

    /// Returns the surrounding in a shape or a frame, and puts the shape on the slide.
    pub(crate) fn shape_around(&mut self, node: &Node) -> Around {
        let mut around = self.around.clone();
        let style = self.styles.shape(node);
        let area = rect(node);
        around.look = style.look.clone();
        let is_text = self.backdrop.scene.is_none();
        let is_hidden = matches!(node.attribute("display"), Some("none" | "printer"));
        let [width, height] = self.backdrop.page;
        let is_off = area.is_some_and(|area| match is_text {
            // What the place is relative to lies somewhere on the page.
            true => style.is_free && (area.left + area.width <= -width || area.left >= width),
            false => !area.meets(&Rect { left: 0.0, top: 0.0, width, height }),
        });
        if is_hidden {
            around.why = around.why.or(Some(Why::Hidden));
        } else if is_off && node.name != "g" {
            around.why = around.why.or(Some(Why::Outside));
        }
        let has_picture = node.child("image").or(node.child("object")).is_some();
        let fill = match style.fill {
            _ if has_picture => Paint::Unknown,
            Some(fill) => fill,
            // A frame is empty, and a drawing has a fill that programs choose.
            None if matches!(node.name.as_str(), "frame" | "g" | "line") => Paint::Clear,
            None => Paint::Unknown,
        };
        if let Some(scene) = &mut self.backdrop.scene {
            if !around.is_in_shape {
                around.behind = scene.behind(area);
                around.is_open = false;
            }
            if around.why.is_none() && node.name != "g" {
                scene.push(area, fill);
            }
        }
        if node.name != "g" {
            around.is_in_shape = true;
        }
        paint(&mut around, Some(fill));
        around
    }

    /// Begins a paragraph and returns its surrounding.
    pub(crate) fn paragraph_around(&mut self, style: Option<&str>) -> Around {
        if !self.around.is_in_table && !self.around.is_in_shape {
            self.places.paragraphs += 1;
        }
        self.ground("paragraph", style)
    }

    pub(crate) fn table_around(&mut self, node: &Node) -> Around {
        let mut around = self.ground("table", node.attribute("style-name"));
        if !around.is_in_table && !around.is_in_shape {
            self.places.tables += 1;
        }
        around.is_in_table = true;
        // A template fills cells, depending on their places.
        if node.attribute("template-name").is_some() && around.is_in_shape {
            paint(&mut around, Some(Paint::Unknown));
        }
        around
    }

    /// Returns whether a text of this look is unseen, and counts it.
    pub(crate) fn is_unseen(&mut self, look: &TextProperties, text: &str) -> bool {
        let around = &self.around;
        let why = around.why.or(match look.hidden {
            Some(true) => Some(Why::Hidden),
            _ => {
                let own = look.background.unwrap_or(Paint::Clear);
                let why = judge(look.paint(), own.over(around.behind), look.size_of(text));
                let is_open = around.is_open && own == Paint::Clear;
                if why == Some(Why::Colour) && is_open && self.may_lie_on_a_drawing(look, text) {
                    None
                } else {
                    why
                }
            }
        });
        let Some(why) = why else {
            self.notes.unseen.seen();
            return false;
        };
        let place = match (&self.places.name, self.around.is_in_table) {
            (Some(name), _) => name.clone(),
            (None, true) => format!("table {}", self.places.tables),
            (None, false) => format!("paragraph {}", self.places.paragraphs),
        };
        self.notes.unseen.add(why, text, &place);
        true
    }

    /// Returns whether text in the colour of the page may lie on a drawing, because these have room for it.
    fn may_lie_on_a_drawing(&mut self, look: &TextProperties, text: &str) -> bool {
        let size = look.size_of(text).unwrap_or(10.0);
        let letters = text.chars().filter(|it| is_seen(*it)).count() as f64;
        self.backdrop.room -= letters * size * size / 2.0;
        self.backdrop.room >= 0.0
    }
}

fn paint(around: &mut Around, ground: Option<Paint>) {
    if let Some(ground) = ground.filter(|ground| *ground != Paint::Clear) {
        around.behind = ground;
        around.is_open = false;
    }
}
