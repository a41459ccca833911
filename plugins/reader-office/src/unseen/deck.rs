//! Finds what a slide has from its layout, its master and its presentation: places, fills, colours and sizes.

use super::colour::{Alpha, Paint, Theme};
use super::scene::Rect;
use crate::xml::Node;

/// A point in the units of drawings.
pub(crate) const POINT: f64 = 12_700.0;

/// What a part is shown with.
pub(crate) struct Deck<'a> {
    pub(crate) theme: Theme,
    /// The layout and the master of a slide, or the master of notes.
    pub(crate) parents: Vec<&'a Node>,
    /// The styles of text of the presentation.
    pub(crate) defaults: Option<&'a Node>,
    /// Size of slides in points.
    pub(crate) size: [f64; 2],
}

/// A place in a layout that a shape fills.
#[derive(Clone, Copy)]
pub(crate) struct Placeholder<'a> {
    kind: &'a str,
    index: Option<&'a str>,
}

impl<'a> Placeholder<'a> {
    pub(crate) fn of(shape: &'a Node) -> Option<Self> {
        let own = shape.nodes().find(|node| node.name.starts_with("nv"))?;
        let place = own.child("nvPr")?.child("ph")?;
        Some(Self { kind: place.attribute("type").unwrap_or("obj"), index: place.attribute("idx") })
    }

    /// Returns the kind in a master, which has few.
    fn base(self) -> &'a str {
        match self.kind {
            "ctrTitle" => "title",
            "subTitle" | "obj" | "pic" | "chart" | "tbl" | "clipArt" | "dgm" | "media" => "body",
            kind => kind,
        }
    }
}

impl Deck<'_> {
    /// Returns the shapes of the parents that fill the same place as a shape, from the nearest on.
    pub(crate) fn models(&self, own: Placeholder<'_>) -> Vec<&Node> {
        let mut found = Vec::new();
        let mut own = own;
        for parent in &self.parents {
            let mut shapes = Vec::new();
            placeholders(parent, &mut shapes);
            let by_index =
                own.index.and_then(|index| shapes.iter().find(|(_, it)| it.index == Some(index)));
            let by_kind = || shapes.iter().find(|(_, it)| it.base() == own.base());
            let is_master = parent.name.ends_with("Master");
            let model = if is_master { by_kind() } else { by_index.or_else(by_kind) };
            if let Some((shape, place)) = model {
                found.push(*shape);
                own = *place;
            }
        }
        found
    }

    /// Returns the background of a part, or of the nearest parent that has one.
    pub(crate) fn background(&self, root: &Node) -> Paint {
        let roots = std::iter::once(root).chain(self.parents.iter().copied());
        let mut found = roots.filter_map(|root| root.child("cSld")?.child("bg"));
        let Some(background) = found.next() else { return super::colour::WHITE };
        if let Some(own) = background.child("bgPr") {
            return self.theme.fill(own, Alpha::Opacity).unwrap_or_default();
        }
        // The first fill of a theme is plain, as is no fill at all.
        match background.child("bgRef") {
            Some(own) if matches!(own.attribute("idx"), Some("1001" | "0")) => {
                self.theme.inner(own, Alpha::Opacity)
            }
            _ => Paint::Unknown,
        }
    }

    /// Returns the styles of text for a shape at a level, from the nearest on: `defRPr`.
    pub(crate) fn text_styles<'a>(
        &'a self,
        body: &'a Node,
        models: &[&'a Node],
        place: Option<Placeholder<'_>>,
        level: usize,
    ) -> (Vec<&'a Node>, Vec<&'a Node>) {
        let own = body.child("lstStyle").into_iter();
        let models = models.iter().filter_map(|model| model.child("txBody")?.child("lstStyle"));
        let near = own.chain(models).filter_map(|list| at(list, level)).collect();
        let kind = match place.map(Placeholder::base) {
            Some("title") => "titleStyle",
            Some("body") => "bodyStyle",
            _ => "otherStyle",
        };
        let master = self.parents.iter().find(|parent| parent.name.ends_with("Master"));
        let styles = master.and_then(|master| {
            master.child("txStyles").and_then(|it| it.child(kind)).or(master.child("notesStyle"))
        });
        let defaults = self.defaults.filter(|_| place.is_none());
        let far = defaults.into_iter().chain(styles).filter_map(|list| at(list, level)).collect();
        (near, far)
    }
}

/// Returns the properties of text at a level in a list of styles.
fn at(list: &Node, level: usize) -> Option<&Node> {
    list.child(&format!("lvl{}pPr", level.min(8) + 1)).or(list.child("defPPr"))?.child("defRPr")
}

fn placeholders<'a>(node: &'a Node, out: &mut Vec<(&'a Node, Placeholder<'a>)>) {
    for child in node.nodes() {
        match child.name.as_str() {
            "cSld" | "spTree" | "grpSp" => placeholders(child, out),
            "sp" | "pic" | "graphicFrame" => {
                out.extend(Placeholder::of(child).map(|place| (child, place)));
            }
            _ => {}
        }
    }
}

/// How a group moves and stretches its shapes.
#[derive(Clone, Copy)]
pub(crate) struct Moved {
    times: [f64; 2],
    plus: [f64; 2],
}

impl Default for Moved {
    fn default() -> Self {
        Self { times: [1.0 / POINT; 2], plus: [0.0; 2] }
    }
}

impl Moved {
    /// Returns the area of a shape in points, from its `xfrm`.
    pub(crate) fn rect(self, transform: &Node) -> Option<Rect> {
        let [x, y] = pair(transform.child("off")?, ["x", "y"])?;
        let [width, height] = pair(transform.child("ext")?, ["cx", "cy"])?;
        let rect = Rect {
            left: x * self.times[0] + self.plus[0],
            top: y * self.times[1] + self.plus[1],
            width: width * self.times[0],
            height: height * self.times[1],
        };
        let is_turned = transform.attribute("rot").is_some_and(|it| it != "0");
        Some(if is_turned { rect.turned() } else { rect })
    }

    /// Returns how shapes inside of a group are moved.
    pub(crate) fn inside(self, transform: &Node) -> Option<Moved> {
        let [x, y] = pair(transform.child("off")?, ["x", "y"])?;
        let [width, height] = pair(transform.child("ext")?, ["cx", "cy"])?;
        let from = pair(transform.child("chOff")?, ["x", "y"])?;
        let size = pair(transform.child("chExt")?, ["cx", "cy"])?;
        if size.contains(&0.0) {
            return None;
        }
        let stretch = [width / size[0], height / size[1]];
        let axis = |at: usize, offset: f64| {
            (offset - from[at] * stretch[at]) * self.times[at] + self.plus[at]
        };
        Some(Moved {
            times: [self.times[0] * stretch[0], self.times[1] * stretch[1]],
            plus: [axis(0, x), axis(1, y)],
        })
    }
}

fn pair(node: &Node, names: [&str; 2]) -> Option<[f64; 2]> {
    let number = |name: &str| node.attribute(name)?.parse::<f64>().ok();
    Some([number(names[0])?, number(names[1])?])
}
