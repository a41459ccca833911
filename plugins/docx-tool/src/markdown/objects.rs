//! What a paragraph has beside characters: pictures, text boxes, charts, equations.

use crate::story::shorten;
use crate::text::Piece;
use crate::xml::{Id, Ns, Tree};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Object {
    Picture {
        description: Option<String>,
        /// Id of the relationship that leads to the file.
        relation: Option<String>,
    },
    /// The content of a text box.
    TextBox(Id),
    /// A footnote or an endnote: its name in Markdown and its id.
    Note(String),
    Symbol(Option<char>),
    PageBreak,
    /// The text of an equation.
    Equation(String),
    /// Something else by its name: `a chart`.
    Other(&'static str),
}

/// Returns the objects of a piece without characters.
pub(super) fn objects(tree: &Tree, piece: &Piece) -> Vec<Object> {
    let node = piece.node;
    if tree.ns(node) == Ns::M {
        return vec![Object::Equation(equation(tree, node))];
    }
    let note = |prefix: &str| {
        let id = tree.attr(node, "id").unwrap_or_default();
        let plain: String = id.chars().filter(|it| it.is_alphanumeric()).take(12).collect();
        vec![Object::Note(format!("{prefix}{plain}"))]
    };
    match tree.name(node) {
        "footnoteReference" => note(""),
        "endnoteReference" => note("e"),
        "br" if tree.attr(node, "type").as_deref() == Some("page") => vec![Object::PageBreak],
        "sym" => vec![Object::Symbol(symbol(tree, node))],
        "object" => vec![Object::Other("an embedded object")],
        "drawing" | "pict" => drawing(tree, node),
        "" if tree.ns(node) == Ns::Mc && tree.local(node) == "AlternateContent" => {
            match tree.any_child(node, "Choice").or_else(|| tree.any_child(node, "Fallback")) {
                Some(branch) => drawing(tree, branch),
                None => Vec::new(),
            }
        }
        _ => Vec::new(),
    }
}

fn drawing(tree: &Tree, top: Id) -> Vec<Object> {
    let mut out = Vec::new();
    let mut description = None;
    let mut below = tree.descendants(top);
    while let Some(it) = below.next() {
        if tree.is(it, "txbxContent") {
            out.push(Object::TextBox(it));
            below.skip_children();
            continue;
        }
        let attribute = |name: &str| tree.attr(it, name).filter(|it| !it.trim().is_empty());
        match tree.local(it) {
            "Fallback" => below.skip_children(),
            "docPr" | "cNvPr" | "shape" => {
                let own = attribute("descr").or_else(|| attribute("alt"));
                let own = own.or_else(|| attribute("title"));
                description = own.map(|it| it.into_owned()).or(description);
            }
            "chart" => out.push(Object::Other("a chart")),
            "relIds" => out.push(Object::Other("a diagram")),
            "blip" | "imagedata" => {
                let relation = ["embed", "id"].into_iter().find_map(attribute);
                out.push(Object::Picture {
                    description: description.clone(),
                    relation: relation.map(|it| it.into_owned()),
                });
            }
            _ => {}
        }
    }
    if out.is_empty() {
        out.push(Object::Other("a drawing"));
    }
    out
}

fn equation(tree: &Tree, node: Id) -> String {
    let mut out = String::new();
    for it in tree.descendants(node) {
        if tree.ns(it) == Ns::M && tree.local(it) == "t" {
            out.push_str(&tree.text(it));
        }
        if out.len() > 2_000 {
            break;
        }
    }
    shorten(&out, 300)
}

/// Returns the character of a symbol, if its font has the meanings of Unicode. Fonts such as Wingdings have their own.
fn symbol(tree: &Tree, node: Id) -> Option<char> {
    let code = u32::from_str_radix(&tree.attr(node, "char")?, 16).ok()?;
    let font = tree.attr(node, "font").unwrap_or_default().to_lowercase();
    let own = match (font.as_str(), code & 0xff) {
        ("wingdings", 0xa8) => Some('☐'),
        ("wingdings", 0xfe) => Some('☑'),
        ("wingdings", 0xfd) => Some('☒'),
        ("wingdings", 0xfc) => Some('✓'),
        ("wingdings", 0xfb) => Some('✗'),
        ("wingdings", 0xe0) => Some('→'),
        ("symbol", 0xb7) => Some('•'),
        _ => None,
    };
    let is_own_font = font.contains("dings") || font == "symbol";
    own.or_else(|| {
        char::from_u32(code).filter(|it| !is_own_font && !('\u{e000}'..='\u{f8ff}').contains(it))
    })
}

/// Says what an object is, for a list of losses. `None` if nothing of it is lost.
pub(super) fn name(object: &Object) -> Option<String> {
    Some(match object {
        Object::Picture { description: None, .. } => "a picture without a description".to_owned(),
        Object::TextBox(_) => "a text box".to_owned(),
        Object::Symbol(None) => "a symbol of a special font".to_owned(),
        Object::Equation(text) => format!("the equation \"{}\"", shorten(text, 60)),
        Object::Other(name) => (*name).to_owned(),
        _ => return None,
    })
}
