//! A page as a tree: what people see of it, without what is hidden from them, without scripts and styles.

use dom_query::{Document, NodeData, NodeRef};

/// Elements in one another that are kept as such; the text of deeper ones stays.
const MAX_DEPTH: usize = 100;

/// Most nodes of a page.
const MAX_NODES: usize = 2_000_000;

/// Number of a node, in the order of the page.
pub(crate) type Id = usize;

/// A page, or a chapter.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    /// What was left out as hidden: how many places, and their characters.
    pub(crate) hidden: Amount,
    /// Deeper elements lie in one another than are told apart.
    pub(crate) is_too_deep: bool,
    /// It has more nodes than are kept.
    pub(crate) is_too_large: bool,
}

/// Pieces and their characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Amount {
    pub(crate) pieces: usize,
    pub(crate) characters: usize,
}

#[derive(Debug)]
struct Node {
    data: Data,
    parent: Id,
    children: Vec<Id>,
}

#[derive(Debug)]
enum Data {
    Text(String),
    Element(Element),
}

/// An element: its name, and its attributes in small letters.
#[derive(Debug, Default)]
pub(crate) struct Element {
    pub(crate) name: String,
    attributes: Vec<(String, String)>,
}

impl Element {
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    pub(crate) fn is(&self, names: &[&str]) -> bool {
        names.contains(&self.name.as_str())
    }

    /// Whether a list of words in an attribute has one of these.
    pub(crate) fn has_word(&self, attribute: &str, words: &[&str]) -> bool {
        let value = self.attribute(attribute).unwrap_or_default();
        value
            .split_ascii_whitespace()
            .any(|it| words.iter().any(|word| it.eq_ignore_ascii_case(word)))
    }
}

/// What text looks like, as far as inline styles say so.
#[derive(Clone, Default)]
struct Look {
    /// Text of the same colour is not seen on it.
    background: Option<String>,
    colour: Option<String>,
    /// Too small for anybody's eyes.
    is_tiny: bool,
}

impl Look {
    fn is_unseen(&self) -> bool {
        let colour = self.colour.as_deref();
        self.is_tiny
            || colour == Some("transparent")
            || colour.is_some() && colour == self.background.as_deref()
    }
}

impl Tree {
    /// The body of a page.
    pub(crate) fn new(document: &Document) -> Tree {
        let mut tree = Tree::default();
        let styles = document.select_single("style, link[rel=stylesheet]");
        // Who writes no style sheet has a white page.
        let background = (!styles.exists()).then(|| "white".to_owned());
        let root = Element { name: "body".into(), attributes: Vec::new() };
        tree.nodes.push(Node { data: Data::Element(root), parent: 0, children: Vec::new() });
        let first = document.body().unwrap_or_else(|| document.root());
        let mut open = Vec::new();
        let ahead = |node: NodeRef<'_>, parent: Id, depth: usize, look: &Look| {
            let children = node.children_it(true);
            children.map(|child| (child.id, parent, depth, look.clone())).collect::<Vec<_>>()
        };
        open.extend(ahead(first, 0, 0, &Look { background, ..Look::default() }));
        while let Some((id, parent, depth, look)) = open.pop() {
            if tree.nodes.len() >= MAX_NODES {
                tree.is_too_large = true;
                break;
            }
            let Some(node) = document.tree.get(&id) else { continue };
            let Some((id, look)) = tree.add(node, parent, &look) else { continue };
            let is_too_deep = depth >= MAX_DEPTH;
            tree.is_too_deep |= is_too_deep;
            open.extend(ahead(node, if is_too_deep { parent } else { id }, depth + 1, &look));
        }
        tree
    }

    /// Take one node in; gives an element whose children are to be taken in.
    fn add(&mut self, node: NodeRef<'_>, parent: Id, outer: &Look) -> Option<(Id, Look)> {
        let text = node.query_or(None, |it| match &it.data {
            NodeData::Text { contents } => Some(contents.to_string()),
            _ => None,
        });
        if let Some(text) = text {
            if outer.is_unseen() {
                self.hidden.characters += text.trim().chars().count();
            } else {
                self.push(Data::Text(text), parent);
            }
            return None;
        }
        let element = element(node)?;
        if is_no_text(&element) {
            return None;
        }
        if is_hidden(&element) {
            let characters: usize =
                node.text().split_whitespace().map(|it| it.chars().count()).sum();
            if characters > 0 {
                self.hidden.pieces += 1;
                self.hidden.characters += characters;
            }
            return None;
        }
        let look = look(&element, outer);
        if look.is_unseen() && !outer.is_unseen() && !node.text().trim().is_empty() {
            self.hidden.pieces += 1;
        }
        Some((self.push(Data::Element(element), parent), look))
    }

    fn push(&mut self, data: Data, parent: Id) -> Id {
        let id = self.nodes.len();
        self.nodes.push(Node { data, parent, children: Vec::new() });
        if let Some(parent) = self.nodes.get_mut(parent) {
            parent.children.push(id);
        }
        id
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn children(&self, id: Id) -> &[Id] {
        self.nodes.get(id).map_or(&[], |node| &node.children)
    }

    pub(crate) fn parent(&self, id: Id) -> Id {
        self.nodes.get(id).map_or(0, |node| node.parent)
    }

    pub(crate) fn element(&self, id: Id) -> Option<&Element> {
        match &self.nodes.get(id)?.data {
            Data::Element(element) => Some(element),
            Data::Text(_) => None,
        }
    }

    /// The text of a node of text.
    pub(crate) fn text(&self, id: Id) -> Option<&str> {
        match &self.nodes.get(id)?.data {
            Data::Text(text) => Some(text),
            Data::Element(_) => None,
        }
    }

    /// Whether a node is an element of one of these names.
    pub(crate) fn is(&self, id: Id, names: &[&str]) -> bool {
        self.element(id).is_some_and(|it| it.is(names))
    }

    /// A node and all below it, in order; not what lies below elements that `enter` refuses.
    pub(crate) fn walk(&self, from: Id, mut enter: impl FnMut(Id) -> bool) {
        let mut open = vec![from];
        while let Some(id) = open.pop() {
            if enter(id) {
                open.extend(self.children(id).iter().rev());
            }
        }
    }

    /// All text of a node, as it stands.
    pub(crate) fn text_of(&self, from: Id) -> String {
        let mut out = String::new();
        self.walk(from, |id| {
            match self.text(id) {
                Some(text) => out.push_str(text),
                None if self.is(id, &["br"]) => out.push('\n'),
                None => {}
            }
            true
        });
        out
    }

    /// Whether an element of one of these names lies below a node.
    pub(crate) fn has_below(&self, from: Id, names: &[&str]) -> bool {
        let mut found = false;
        self.walk(from, |id| {
            found |= id != from && self.is(id, names);
            !found
        });
        found
    }
}

fn element(node: NodeRef<'_>) -> Option<Element> {
    let element = node.element_ref()?;
    let name = element.name.local.to_string();
    let attributes = element.attrs.iter();
    let attributes = attributes.map(|it| {
        let prefix = it.name.prefix.as_ref().map(|it| format!("{it}:")).unwrap_or_default();
        (format!("{prefix}{}", it.name.local), it.value.to_string())
    });
    Some(Element { name, attributes: attributes.collect() })
}

/// What is for the browser, and what a page falls back on.
fn is_no_text(element: &Element) -> bool {
    element.is(&[
        "script", "style", "template", "noscript", "iframe", "object", "embed", "canvas", "audio",
        "video", "svg", "head", "meta", "link", "title", "base", "datalist", "noframes", "applet",
        "rp",
    ])
}

/// Whether an element says itself that people do not see it.
fn is_hidden(element: &Element) -> bool {
    let is_true = |name| element.attribute(name).is_some_and(|it| it.eq_ignore_ascii_case("true"));
    if element.attribute("hidden").is_some()
        || is_true("aria-hidden")
        || element.is(&["dialog"]) && element.attribute("open").is_none()
    {
        return true;
    }
    let style = Style::of(element);
    let is_zero = |name: &str| style.get(name).is_some_and(|it| number(it) == Some(0.0));
    let is = |name: &str, value: &str| style.get(name) == Some(value);
    let is_far = |name: &str| {
        style.get(name).and_then(number).is_some_and(|it| !(-900.0..=9_000.0).contains(&it))
    };
    let is_clipped =
        style.get("clip").is_some_and(|it| it.replace([' ', ','], "").starts_with("rect(0"))
            || style
                .get("clip-path")
                .is_some_and(|it| it.contains("inset(50%") || it.contains("inset(100%"));
    is("display", "none")
        || is("visibility", "hidden")
        || is("visibility", "collapse") && !element.is(&["tr", "col"])
        || is_zero("opacity")
        || (is_zero("width") || is_zero("height") || is_zero("max-height"))
            && (is("overflow", "hidden") || is("overflow", "clip"))
        || is_zero("width") && is_zero("height")
        || is("transform", "scale(0)")
        || is_far("text-indent")
        || (is("position", "absolute") || is("position", "fixed"))
            && (is_far("left") || is_far("top") || is_far("right") || is_clipped)
}

/// What the text in an element looks like.
fn look(element: &Element, outer: &Look) -> Look {
    let style = Style::of(element);
    let background = style.get("background-color").or(style.get("background"));
    let background = background.or(element.attribute("bgcolor")).map(colour);
    let text = style.get("color").or(element.attribute("color")).map(colour);
    let is_tiny = match style.get("font-size") {
        // Parts of an em are a size that may be large.
        Some(size) => number(size).is_some_and(|it| {
            it == 0.0 || it <= 1.0 && (size.ends_with("px") || size.ends_with("pt"))
        }),
        None => outer.is_tiny,
    };
    Look {
        background: background.or_else(|| outer.background.clone()),
        colour: text.or_else(|| outer.colour.clone()),
        is_tiny,
    }
}

/// A colour in one way of writing, as far as it matters: white and black are written in many.
fn colour(text: &str) -> String {
    let text = text.trim().to_ascii_lowercase().replace(' ', "");
    match text.as_str() {
        "#fff"
        | "#ffffff"
        | "white"
        | "rgb(255,255,255)"
        | "#fefefe"
        | "#fffffe"
        | "#fdfdfd"
        | "rgba(255,255,255,1)"
        | "hsl(0,0%,100%)" => "white".into(),
        "#000" | "#000000" | "black" | "rgb(0,0,0)" => "black".into(),
        it if it.starts_with("rgba(") && (it.ends_with(",0)") || it.ends_with(",0.0)")) => {
            "transparent".into()
        }
        it => it.to_owned(),
    }
}

/// The number at the beginning of a value: `-9999` of `-9999px`.
fn number(value: &str) -> Option<f64> {
    let end = value.find(|it: char| !it.is_ascii_digit() && !"+-.".contains(it));
    value.get(..end.unwrap_or(value.len()))?.parse().ok()
}

/// An inline style in small letters.
struct Style(Vec<(String, String)>);

impl Style {
    fn of(element: &Element) -> Style {
        let style = element.attribute("style").unwrap_or_default();
        let pairs = style.split(';').filter_map(|it| it.split_once(':'));
        let tidy = |text: &str| text.replace("!important", "").trim().to_ascii_lowercase();
        Style(pairs.map(|(name, value)| (tidy(name), tidy(value))).collect())
    }

    /// The last one counts.
    fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}
