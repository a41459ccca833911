//! Decides which text people do not see: by its own look, by what lies behind it, and by what it is in.

use super::around::{Around, SHAPES, paint, rect};
use super::blocks::Reading;
use super::styles::TextProperties;
use crate::unseen::colour::WHITE;
use crate::unseen::scene::{Rect, Scene};
use crate::unseen::{Paint, Why, is_seen, judge};
use crate::xml::Node;

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
        let is_off = area.is_some_and(|area| {
            if is_text {
                // The origin of the place lies somewhere on the page.
                style.is_free && (area.left + area.width <= -width || area.left >= width)
            } else {
                !area.meets(&Rect { left: 0.0, top: 0.0, width, height })
            }
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
