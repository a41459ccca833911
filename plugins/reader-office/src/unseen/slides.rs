//! Takes unseen text out of the XML of slides.

use super::colour::{Alpha, Paint};
use super::deck::{Deck, Moved, Placeholder};
use super::floats::{has_style_fill, is_hidden};
use super::scene::{Rect, Scene};
use super::{Unseen, Why, judge};
use crate::splice::Splice;
use crate::xml::Node;
use std::collections::HashSet;
use std::ops::Range;

/// Styles of tables that fill nothing: without and with lines.
const PLAIN_TABLES: [&str; 2] =
    ["{2D5ABB26-0587-4C30-8999-92F81FD0307C}", "{5940675A-B579-460E-94D1-54222C63F5DA}"];

/// Returns the text of a part without what people do not see; `None` if that is nothing. `root` is the part, and `place`
/// is what it is called.
pub(crate) fn remove(
    text: &str,
    root: &Node,
    deck: &Deck<'_>,
    place: &str,
    unseen: &mut Unseen,
) -> Option<String> {
    let mut scene = Scene::new(deck.background(root));
    let shows =
        |node: &Node| !node.attribute("showMasterSp").is_some_and(|it| it == "0" || it == "false");
    let mut is_shown = shows(root);
    let mut behind = Vec::new();
    for parent in &deck.parents {
        if is_shown {
            behind.push(*parent);
        }
        is_shown &= shows(parent);
    }
    let mut walker = Walker {
        deck,
        scene: &mut scene,
        moving: HashSet::new(),
        is_own: false,
        place,
        unseen,
        gone: Vec::new(),
    };
    for parent in behind.into_iter().rev() {
        walker.part(parent);
    }
    walker.is_own = true;
    moving(root, false, &mut walker.moving);
    walker.part(root);
    let mut gone = walker.gone;
    if gone.is_empty() {
        return None;
    }
    gone.sort_unstable_by_key(|range| range.start);
    let mut out = Splice::new(text);
    for range in gone {
        out.replace(range, "");
    }
    Some(out.finish())
}

/// Adds the shapes that an animation moves.
fn moving(node: &Node, is_motion: bool, out: &mut HashSet<String>) {
    for child in node.nodes() {
        if is_motion && child.name == "spTgt" {
            out.extend(child.attribute("spid").map(str::to_owned));
        }
        if child.name != "cSld" {
            moving(child, is_motion || child.name == "animMotion", out);
        }
    }
}

/// Where shapes are.
#[derive(Clone, Copy, Default)]
struct Around {
    moved: Option<Moved>,
    why: Option<Why>,
    is_moving: bool,
}

struct Walker<'a> {
    deck: &'a Deck<'a>,
    scene: &'a mut Scene,
    moving: HashSet<String>,
    /// `false` in layouts and masters, of which only what they paint counts.
    is_own: bool,
    place: &'a str,
    unseen: &'a mut Unseen,
    /// Where the texts are that are left out.
    gone: Vec<Range<usize>>,
}

/// Text of a shape or of a cell.
struct Block<'a> {
    body: &'a Node,
    behind: Paint,
    why: Option<Why>,
    models: Vec<&'a Node>,
    place: Option<Placeholder<'a>>,
    /// Colour that the style of a shape gives to its text.
    colour: Option<Paint>,
}

impl Walker<'_> {
    fn part(&mut self, root: &Node) {
        let around = Around { moved: Some(Moved::default()), ..Around::default() };
        if let Some(tree) = root.child("cSld").and_then(|it| it.child("spTree")) {
            self.shapes(tree, around);
        }
    }

    fn shapes(&mut self, tree: &Node, around: Around) {
        for node in tree.nodes() {
            match node.name.as_str() {
                "sp" => self.shape(node, around),
                "grpSp" => {
                    let (around, _) = self.enter(node, around, None);
                    let transform = node.child("grpSpPr").and_then(|it| it.child("xfrm"));
                    let moved = match (around.moved, transform) {
                        (moved, None) => moved,
                        (moved, Some(transform)) => moved.and_then(|it| it.inside(transform)),
                    };
                    self.shapes(node, Around { moved, ..around });
                }
                "graphicFrame" => {
                    let (around, rect) = self.enter(node, around, None);
                    self.table(node, around, rect);
                    self.scene.push(rect, Paint::Unknown);
                }
                "pic" => {
                    let (around, rect) = self.enter(node, around, None);
                    if around.why.is_none() {
                        self.scene.push(rect, Paint::Unknown);
                    }
                }
                // The same shapes, for newer and for older programs.
                "AlternateContent" | "Choice" | "Fallback" => self.shapes(node, around),
                _ => {}
            }
        }
    }

    /// Returns where a shape is, and why all in it is unseen. `model` has its place if it has none itself.
    fn enter(&self, node: &Node, outer: Around, model: Option<&Node>) -> (Around, Option<Rect>) {
        let names =
            node.nodes().find(|it| it.name.starts_with("nv")).and_then(|it| it.child("cNvPr"));
        let own = ["spPr", "grpSpPr"].iter().find_map(|it| node.child(it)?.child("xfrm"));
        let own = own.or(node.child("xfrm"));
        let rect = own.and_then(|transform| outer.moved?.rect(transform)).or_else(|| {
            let transform = model?.child("spPr")?.child("xfrm")?;
            Moved::default().rect(transform)
        });
        let is_moving = outer.is_moving
            || names.and_then(|it| it.attribute("id")).is_some_and(|id| self.moving.contains(id));
        let [width, height] = self.deck.size;
        let slide = Rect { left: 0.0, top: 0.0, width, height };
        let is_off = rect.is_some_and(|rect| !rect.meets(&slide) && rect.width + rect.height > 0.0);
        let own = if names.is_some_and(is_hidden) {
            Some(Why::Hidden)
        } else {
            (is_off && !is_moving && width > 0.0).then_some(Why::Outside)
        };
        (Around { why: outer.why.or(own), is_moving, ..outer }, rect)
    }

    fn shape(&mut self, node: &Node, around: Around) {
        let deck = self.deck;
        let place = Placeholder::of(node);
        // Layouts and masters only show prompts in their places.
        if place.is_some() && !self.is_own {
            return;
        }
        let models = place.map(|place| deck.models(place)).unwrap_or_default();
        let model = models
            .iter()
            .copied()
            .find(|model| model.child("spPr").is_some_and(|it| it.child("xfrm").is_some()));
        let (around, rect) = self.enter(node, around, model);
        let shapes = std::iter::once(node).chain(models.iter().copied());
        let fill = shapes
            .filter_map(|shape| deck.theme.fill(shape.child("spPr")?, Alpha::Opacity))
            .next()
            .unwrap_or(if has_style_fill(node.child("style")) {
                Paint::Unknown
            } else {
                Paint::Clear
            });
        if let Some(body) = node.child("txBody").filter(|_| self.is_own) {
            let reference = node.child("style").and_then(|it| it.child("fontRef"));
            let block = Block {
                body,
                behind: fill.over(self.scene.behind(rect)),
                why: around.why,
                models,
                place,
                colour: reference
                    .filter(|it| it.nodes().next().is_some())
                    .map(|it| deck.theme.inner(it, Alpha::Opacity)),
            };
            self.text(&block);
        }
        if around.why.is_none() {
            self.scene.push(rect, fill);
        }
    }

    fn table(&mut self, frame: &Node, around: Around, rect: Option<Rect>) {
        let data = frame.child("graphic").and_then(|it| it.child("graphicData"));
        let Some(table) = data.and_then(|it| it.child("tbl")).filter(|_| self.is_own) else {
            return;
        };
        let style = table.child("tblPr").and_then(|it| it.child("tableStyleId")).map(Node::text);
        let is_plain = style.is_none_or(|style| PLAIN_TABLES.contains(&style.trim()));
        let behind = if is_plain { self.scene.behind(rect) } else { Paint::Unknown };
        for cell in table.nodes().filter(|it| it.name == "tr").flat_map(Node::nodes) {
            let Some(body) = cell.child("txBody") else { continue };
            let own = cell.child("tcPr").and_then(|it| self.deck.theme.fill(it, Alpha::Opacity));
            let block = Block {
                body,
                behind: own.unwrap_or(Paint::Clear).over(behind),
                why: around.why,
                models: Vec::new(),
                place: None,
                // The style of the table may have a colour of its own.
                colour: (!is_plain).then_some(Paint::Unknown),
            };
            self.text(&block);
        }
    }

    fn text(&mut self, block: &Block<'_>) {
        let scale = block.body.child("bodyPr").and_then(|it| it.child("normAutofit"));
        let scale = scale.and_then(|it| it.attribute("fontScale"));
        let scale = scale.and_then(|it| {
            it.trim_end_matches('%')
                .parse::<f64>()
                .ok()
                .map(|number| if it.ends_with('%') { number / 100.0 } else { number / 100_000.0 })
        });
        for paragraph in block.body.nodes().filter(|it| it.name == "p") {
            let level = paragraph.child("pPr").and_then(|it| it.attribute("lvl")?.parse().ok());
            if let Some(why) = block.why {
                self.unseen.add(why, &paragraph.text(), self.place);
                self.gone.push(paragraph.range.clone());
                continue;
            }
            let styles =
                self.deck.text_styles(block.body, &block.models, block.place, level.unwrap_or(0));
            for run in paragraph.nodes().filter(|it| matches!(it.name.as_str(), "r" | "fld")) {
                let Some(text) = run.child("t") else { continue };
                let (colour, behind, size) = self.look(run.child("rPr"), block, &styles);
                match judge(colour, behind, size.map(|size| size * scale.unwrap_or(1.0))) {
                    Some(why) => {
                        self.unseen.add(why, &text.text(), self.place);
                        self.gone.push(text.range.clone());
                    }
                    None => self.unseen.seen(),
                }
            }
        }
    }

    /// Returns the colour of a run, what lies behind it, and its size in points.
    fn look(
        &self,
        own: Option<&Node>,
        block: &Block<'_>,
        (near, far): &(Vec<&Node>, Vec<&Node>),
    ) -> (Paint, Paint, Option<f64>) {
        let theme = &self.deck.theme;
        let fill = |it: &Node| theme.fill(it, Alpha::Opacity);
        let near = || own.into_iter().chain(near.iter().copied());
        let far = || far.iter().copied();
        let colour = near().find_map(fill).or(block.colour).or_else(|| far().find_map(fill));
        let colour =
            colour.unwrap_or_else(|| theme.colour("tx1").map_or(Paint::Unknown, Paint::Plain));
        let size = near().chain(far()).find_map(|it| it.attribute("sz")?.parse::<f64>().ok());
        let behind = own
            .and_then(|it| it.child("highlight"))
            .map_or(Paint::Clear, |it| theme.inner(it, Alpha::Opacity));
        let has_effects = near().any(|it| {
            let line = it.child("ln").and_then(fill);
            let effects = ["effectLst", "effectDag"].iter().filter_map(|name| it.child(name));
            line.is_some_and(|it| it != Paint::Clear)
                || effects.flat_map(Node::nodes).next().is_some()
                || it.child("hlinkClick").is_some()
        });
        let colour = if has_effects { Paint::Unknown } else { colour };
        (colour, behind.over(block.behind), size.map(|size| size / 100.0))
    }
}
