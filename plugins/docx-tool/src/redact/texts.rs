//! The texts of a part: those of paragraphs, of instructions of fields, and of any other element.

use crate::xml::{Id, Kind, Ns, Tree};

/// A piece of a text.
#[derive(Debug)]
struct Piece {
    /// The node of the characters; `None` for a tab or a line break, which stays.
    node: Option<Id>,
    text: String,
    /// Characters at both ends that are not shown.
    margins: (usize, usize),
    is_deleted: bool,
    is_inserted: bool,
    kind: &'static str,
}

/// A text that is read as one.
#[derive(Debug, Default)]
pub(super) struct Text {
    pieces: Vec<Piece>,
    /// `true` for instructions of fields, which may have addresses in them.
    pub(super) is_instruction: bool,
}

/// Characters with the piece and the index in it that each comes from.
#[derive(Debug, Default)]
pub(super) struct View {
    pub(super) text: String,
    pub(super) from: Vec<(u32, u32)>,
}

/// Which characters of a text are redacted, by piece.
pub(super) type Marked = Vec<Vec<bool>>;

impl Text {
    /// Returns the text as it stands, as if changes were accepted, and as if they were rejected.
    pub(super) fn views(&self) -> Vec<View> {
        let mut out = vec![self.view(&|_| true)];
        if self.pieces.iter().any(|it| it.is_deleted || it.is_inserted) {
            out.push(self.view(&|it| !it.is_deleted));
            out.push(self.view(&|it| !it.is_inserted));
        }
        out
    }

    fn view(&self, wanted: &dyn Fn(&Piece) -> bool) -> View {
        let mut out = View::default();
        for (index, piece) in self.pieces.iter().enumerate().filter(|it| wanted(it.1)) {
            let count = piece.text.chars().count();
            let shown = piece.margins.0..count.saturating_sub(piece.margins.1);
            for (at, it) in piece.text.chars().enumerate().filter(|it| shown.contains(&it.0)) {
                out.text.push(it);
                out.from.push((index as u32, at as u32));
            }
        }
        out
    }

    pub(super) fn unmarked(&self) -> Marked {
        self.pieces.iter().map(|it| vec![false; it.text.chars().count()]).collect()
    }

    /// Returns what a hit that begins in this piece is called.
    pub(super) fn kind(&self, piece: u32) -> &'static str {
        self.pieces.get(piece as usize).map_or("text", |it| it.kind)
    }

    /// Returns the nodes whose text changes, with their new texts.
    pub(super) fn changes(&self, marked: &Marked, sign: char) -> Vec<(Id, String)> {
        let mut out = Vec::new();
        for (piece, marks) in self.pieces.iter().zip(marked) {
            if let Some(node) = piece.node.filter(|_| marks.contains(&true)) {
                let text = piece.text.chars().zip(marks);
                out.push((
                    node,
                    text.map(|(it, &is_hit)| if is_hit { sign } else { it }).collect(),
                ));
            }
        }
        out
    }
}

#[derive(Clone, Copy, Default)]
struct Around {
    is_deleted: bool,
    is_inserted: bool,
    is_hidden: bool,
    is_in_box: bool,
}

/// Returns the texts of a part.
pub(super) fn texts(tree: &Tree) -> Vec<Text> {
    let mut out = Vec::new();
    if let Some(root) = tree.root() {
        let is_preserved = preserves(tree, root);
        let mut reader = Reader { tree, out: &mut out, is_preserved };
        reader.block(root, false, Around::default());
    }
    out
}

fn preserves(tree: &Tree, node: Id) -> bool {
    tree.attrs(node).any(|(name, value)| name == "xml:space" && value == "preserve")
}

struct Reader<'a> {
    tree: &'a Tree,
    out: &'a mut Vec<Text>,
    is_preserved: bool,
}

impl Reader<'_> {
    /// Reads an element that has a text of its own.
    fn block(&mut self, node: Id, is_paragraph: bool, around: Around) {
        let mut text = Text::default();
        let mut code = Text { is_instruction: true, ..Text::default() };
        self.children(node, is_paragraph, around, &mut text, &mut code);
        // Most elements have no text, and a part has millions of them.
        self.out.extend([text, code].into_iter().filter(|it| !it.pieces.is_empty()));
    }

    fn children(
        &mut self,
        node: Id,
        is_inside: bool,
        around: Around,
        text: &mut Text,
        code: &mut Text,
    ) {
        let tree = self.tree;
        let is_office = matches!(tree.ns(node), Ns::W | Ns::M) || is_drawing(tree, node);
        let local = tree.local(node);
        for child in tree.children(node) {
            if tree.kind(child) == Kind::Text {
                let is_word = tree.ns(node) == Ns::W;
                let is_code = is_word && matches!(local, "instrText" | "delInstrText");
                let kind = match around {
                    _ if is_code => "field instruction",
                    _ if around.is_deleted => "deleted text",
                    _ if around.is_hidden => "hidden text",
                    _ if around.is_in_box => "text box",
                    _ => "text",
                };
                let content = tree.text_of(child);
                let is_kept = !is_word || self.is_preserved || preserves(tree, node);
                let margins = if is_kept { (0, 0) } else { margins(&content) };
                let piece = Piece {
                    node: Some(child),
                    text: content,
                    margins,
                    is_deleted: around.is_deleted,
                    is_inserted: around.is_inserted,
                    kind,
                };
                // White space between elements is no text.
                let is_text = is_inside || !is_office || !piece.text.trim().is_empty();
                if is_code {
                    code.pieces.push(piece);
                } else if is_text {
                    text.pieces.push(piece);
                }
                continue;
            }
            if tree.kind(child) != Kind::Element {
                continue;
            }
            let mut inner = around;
            let name = tree.local(child);
            let is_word = tree.ns(child) == Ns::W;
            match name {
                "del" | "moveFrom" if is_word => inner.is_deleted = true,
                "ins" | "moveTo" if is_word => inner.is_inserted = true,
                "txbxContent" if is_word => inner.is_in_box = true,
                "r" if is_word => {
                    let own = tree.child(child, "rPr").and_then(|it| tree.child(it, "vanish"));
                    inner.is_hidden = own.is_some_and(|it| crate::fields::is_on(tree, it));
                }
                _ => {}
            }
            let sign = match name {
                _ if !is_inside => None,
                "tab" | "ptab" if is_word => Some('\t'),
                "br" | "cr" => Some('\n'),
                "noBreakHyphen" if is_word => Some('-'),
                _ => None,
            };
            if let Some(sign) =
                sign.filter(|_| !tree.parent(child).is_some_and(|it| tree.is(it, "tabs")))
            {
                text.pieces.push(Piece {
                    node: None,
                    text: sign.to_string(),
                    margins: (0, 0),
                    is_deleted: inner.is_deleted,
                    is_inserted: inner.is_inserted,
                    kind: "text",
                });
            }
            let is_known =
                matches!(tree.ns(child), Ns::W | Ns::M | Ns::Mc) || is_drawing(tree, child);
            let is_paragraph = name == "p" && is_known;
            if is_paragraph || (name == "rt" && is_word) {
                self.block(child, true, inner);
            } else if is_inside && is_known {
                self.children(child, true, inner, text, code);
            } else {
                // A text of an element that Office does not read as a part of a paragraph stands alone.
                self.block(child, false, inner);
            }
        }
    }
}

/// Returns `true` for an element of a drawing, whose namespace is not one that this crate knows: `a:p`, `a:r`, `a:t`.
fn is_drawing(tree: &Tree, node: Id) -> bool {
    tree.ns(node) == Ns::Other && matches!(tree.local(node), "p" | "r" | "t" | "br" | "fld" | "rPr")
}

/// Returns how many characters at both ends of a text are white space.
fn margins(text: &str) -> (usize, usize) {
    let is_space = |it: &char| matches!(it, ' ' | '\t' | '\n' | '\r');
    let start = text.chars().take_while(is_space).count();
    let end = text.chars().rev().take_while(is_space).count();
    (start, if start == text.chars().count() { 0 } else { end })
}
