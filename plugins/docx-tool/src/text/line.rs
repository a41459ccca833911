//! The characters of a paragraph, in its views.

use crate::xml::{Id, Ns, Tree};
use std::collections::HashSet;

/// The character of a page break, where breaks are characters.
pub(crate) const PAGE_BREAK: char = '\u{c}';
/// The character of a column break, where breaks are characters.
pub(crate) const COLUMN_BREAK: char = '\u{e}';

/// Something of a run.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    /// `w:t`, `w:tab`, an object.
    pub(crate) node: Id,
    pub(crate) run: Id,
    /// Its characters; empty for an object.
    pub(crate) text: String,
    /// Where it begins in the accepted text.
    pub(crate) start: usize,
    /// The innermost `w:del` or `w:moveFrom` around it.
    pub(crate) deleted: Option<Id>,
    /// The innermost `w:ins` or `w:moveTo` around it.
    pub(crate) inserted: Option<Id>,
    pub(crate) link: Option<Id>,
    /// The innermost content control around it.
    pub(crate) control: Option<Id>,
    /// What begins the innermost field whose result it belongs to.
    pub(crate) field: Option<Id>,
}

impl Piece {
    pub(super) fn is_visible(&self) -> bool {
        !self.text.is_empty() && self.deleted.is_none()
    }

    pub(crate) fn end(&self) -> usize {
        if self.deleted.is_some() { self.start } else { self.start + self.text.len() }
    }
}

/// The pieces of a paragraph in order.
#[derive(Debug, Default)]
pub(crate) struct Line {
    pub(crate) pieces: Vec<Piece>,
    /// The accepted text.
    pub(crate) text: String,
}

/// A state of a document with changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// As if all changes were rejected.
    Original,
    /// As if all changes were accepted.
    Accepted,
    /// With `[-deleted-]` and `[+inserted+]`.
    Marks,
}

#[derive(Clone, Copy, Default)]
struct Around {
    deleted: Option<Id>,
    inserted: Option<Id>,
    link: Option<Id>,
    control: Option<Id>,
    field: Option<Id>,
}

impl Line {
    /// Reads a paragraph. `codes` are the runs that belong to instructions of fields.
    pub(crate) fn read(tree: &Tree, paragraph: Id, codes: &HashSet<Id>) -> Self {
        Self::read_as(tree, paragraph, codes, false)
    }

    /// Does what [`Self::read`] does, with [`PAGE_BREAK`] and [`COLUMN_BREAK`] as characters of the text.
    pub(crate) fn read_with_breaks(tree: &Tree, paragraph: Id, codes: &HashSet<Id>) -> Self {
        Self::read_as(tree, paragraph, codes, true)
    }

    fn read_as(tree: &Tree, paragraph: Id, codes: &HashSet<Id>, has_breaks: bool) -> Self {
        let mut reader = Reader {
            tree,
            codes,
            has_breaks,
            line: Self::default(),
            fields: Vec::new(),
            is_result: Vec::new(),
        };
        reader.container(paragraph, Around::default());
        reader.line
    }

    /// Returns the text in a view.
    pub(crate) fn view(&self, view: View) -> String {
        match view {
            View::Accepted => self.text.clone(),
            View::Original => {
                let kept = |piece: &&Piece| piece.inserted.is_none();
                self.pieces.iter().filter(kept).map(|piece| piece.text.as_str()).collect()
            }
            View::Marks => self.marked(),
        }
    }

    fn marked(&self) -> String {
        let mut out = String::new();
        let mut open = "";
        for piece in self.pieces.iter().filter(|piece| !piece.text.is_empty()) {
            let state = match (piece.deleted.is_some(), piece.inserted.is_some()) {
                (true, _) => "-",
                (false, true) => "+",
                (false, false) => "",
            };
            if state != open {
                push_mark(&mut out, open, state);
                open = state;
            }
            out.push_str(&piece.text);
        }
        push_mark(&mut out, open, "");
        out
    }
}

fn push_mark(out: &mut String, old: &str, new: &str) {
    if !old.is_empty() {
        out.push_str(old);
        out.push(']');
    }
    if !new.is_empty() {
        out.push('[');
        out.push_str(new);
    }
}

struct Reader<'a> {
    tree: &'a Tree,
    codes: &'a HashSet<Id>,
    has_breaks: bool,
    line: Line,
    /// Open complex fields: the runs that begin them, and whether their result has begun.
    fields: Vec<Id>,
    is_result: Vec<bool>,
}

impl Reader<'_> {
    fn container(&mut self, container: Id, around: Around) {
        let tree = self.tree;
        for child in tree.elements(container) {
            match tree.name(child) {
                "r" => self.run(child, around),
                "ins" | "moveTo" => {
                    self.container(child, Around { inserted: Some(child), ..around });
                }
                "del" | "moveFrom" => {
                    self.container(child, Around { deleted: Some(child), ..around });
                }
                "hyperlink" => self.container(child, Around { link: Some(child), ..around }),
                "fldSimple" => self.container(child, Around { field: Some(child), ..around }),
                "sdt" => {
                    if let Some(content) = tree.child(child, "sdtContent") {
                        self.container(content, Around { control: Some(child), ..around });
                    }
                }
                "smartTag" | "customXml" | "dir" | "bdo" | "rubyBase" => {
                    self.container(child, around);
                }
                // An equation has no characters here, but a place.
                "" if tree.ns(child) == Ns::M => self.object(child, child, around),
                _ => {}
            }
        }
    }

    fn object(&mut self, node: Id, run: Id, around: Around) {
        let start = self.line.text.len();
        let Around { deleted, inserted, link, control, field } = around;
        let text = String::new();
        self.line.pieces.push(Piece {
            node,
            run,
            text,
            start,
            deleted,
            inserted,
            link,
            control,
            field,
        });
    }

    fn run(&mut self, run: Id, around: Around) {
        let tree = self.tree;
        let is_code = self.codes.contains(&run);
        for node in tree.elements(run) {
            let name = tree.name(node);
            let mut around = around;
            let text = match name {
                "rPr" | "lastRenderedPageBreak" => continue,
                "t" if !is_code => run_text(tree, node),
                "delText" if !is_code => {
                    around.deleted = around.deleted.or(Some(run));
                    run_text(tree, node)
                }
                "tab" | "ptab" if !is_code => "\t".to_owned(),
                "cr" if !is_code => "\n".to_owned(),
                "br" if !is_code
                    && tree.attr(node, "type").is_none_or(|it| &*it == "textWrapping") =>
                {
                    "\n".to_owned()
                }
                "br" if !is_code && self.has_breaks => match tree.attr(node, "type").as_deref() {
                    Some("column") => COLUMN_BREAK.to_string(),
                    _ => PAGE_BREAK.to_string(),
                },
                "noBreakHyphen" if !is_code => "\u{2011}".to_owned(),
                "softHyphen" if !is_code => "\u{ad}".to_owned(),
                "ruby" => {
                    if let Some(base) = tree.child(node, "rubyBase") {
                        self.container(base, around);
                    }
                    continue;
                }
                "fldChar" => {
                    match tree.attr(node, "fldCharType").as_deref() {
                        Some("begin") => {
                            self.fields.push(run);
                            self.is_result.push(false);
                        }
                        Some("separate") => {
                            if let Some(last) = self.is_result.last_mut() {
                                *last = true;
                            }
                        }
                        Some("end") => {
                            self.fields.pop();
                            self.is_result.pop();
                        }
                        _ => {}
                    }
                    String::new()
                }
                _ => String::new(),
            };
            if self.is_result.last() == Some(&true) {
                around.field = self.fields.last().copied().or(around.field);
            }
            let start = self.line.text.len();
            if around.deleted.is_none() {
                self.line.text.push_str(&text);
            }
            let Around { deleted, inserted, link, control, field } = around;
            self.line.pieces.push(Piece {
                node,
                run,
                text,
                start,
                deleted,
                inserted,
                link,
                control,
                field,
            });
        }
    }
}

/// Returns the characters of `w:t`. White space at its ends counts only if the element says so, and a line end in it is
/// a space.
fn run_text(tree: &Tree, node: Id) -> String {
    let text = tree.text(node);
    let is_kept =
        tree.keeps_space() || tree.attr(node, "space").is_some_and(|it| &*it == "preserve");
    let text = if is_kept { text } else { text.trim_matches([' ', '\t', '\n', '\r']).to_owned() };
    if text.contains(['\t', '\n', '\r']) { text.replace(['\t', '\n', '\r'], " ") } else { text }
}

/// Returns the runs of a part that belong to instructions of complete fields.
pub(crate) fn field_codes(tree: &Tree) -> HashSet<Id> {
    let mut codes = HashSet::new();
    let Some(root) = tree.root() else { return codes };
    // Open fields: the runs of their instructions, and whether the instruction is over.
    let mut open: Vec<(Vec<Id>, bool)> = Vec::new();
    for node in tree.descendants(root) {
        match tree.name(node) {
            "fldChar" => match tree.attr(node, "fldCharType").as_deref() {
                Some("begin") => open.push((Vec::new(), false)),
                Some("separate") => {
                    if let Some(last) = open.last_mut() {
                        last.1 = true;
                    }
                }
                Some("end") => {
                    if let Some((runs, _)) = open.pop() {
                        codes.extend(runs);
                    }
                }
                _ => {}
            },
            "t" | "delText" | "tab" => {
                if let (Some(run), Some(field)) =
                    (tree.parent(node), open.iter_mut().find(|(_, is_over)| !is_over))
                    && field.0.last() != Some(&run)
                {
                    field.0.push(run);
                }
            }
            _ => {}
        }
    }
    codes
}
