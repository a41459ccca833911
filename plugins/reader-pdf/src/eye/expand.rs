//! Replaces each form in the operators of a page by its own operators, and marks the operators of layers that are off.

use super::layers::Layers;
use super::resources::{find, get, numbers};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use unpdf::parser::backend::{ContentOp, PdfValue, ResourceScope};
use unpdf::parser::raw::tokenizer::{PdfDict, PdfObject, PdfStream, dict_get};
use unpdf::parser::raw::{RawDocument, content, stream};

type Id = (u32, u16);

/// The most operators of a page. A form that paints others many times would otherwise not end.
const MAX_OPERATORS: usize = 1_000_000;

/// The deepest nesting of forms.
const MAX_DEPTH: usize = 24;

/// Marks the start and the end of a form that is painted as one group.
pub(crate) const GROUP: &str = "group";

/// An operator of a page, or of a form on it.
pub(crate) struct Operator {
    pub(crate) op: ContentOp,
    /// `true` if it belongs to a layer that is off.
    pub(crate) is_off: bool,
}

/// All operators of a page.
pub(crate) struct Expanded {
    pub(crate) operators: Vec<Operator>,
    /// `true` if the page paints forms. Their names are looked up in other resources.
    pub(crate) has_forms: bool,
    /// `true` if the page has more operators than are read.
    pub(crate) is_cut: bool,
}

pub(crate) fn expand(
    document: &RawDocument,
    layers: &Layers,
    page: Id,
    data: &[u8],
) -> Option<Expanded> {
    let operators = content::parse_content_stream(data).ok()?;
    let mut expander = Expander {
        document,
        layers,
        page,
        known: HashMap::new(),
        path: Vec::new(),
        off: BTreeMap::new(),
        out: Expanded {
            operators: Vec::with_capacity(operators.len()),
            has_forms: false,
            is_cut: false,
        },
    };
    expander.paint(operators.into_iter(), None, false);
    Some(expander.out)
}

struct Expander<'a> {
    document: &'a RawDocument,
    layers: &'a Layers,
    page: Id,
    /// The operators of each form, or `None` if they cannot be unpacked.
    known: HashMap<Id, Option<Rc<Vec<ContentOp>>>>,
    /// The forms that are being painted, the outermost first.
    path: Vec<Id>,
    /// `true` for each name of marked content whose layer is off.
    off: BTreeMap<(Option<Id>, Vec<u8>), bool>,
    out: Expanded,
}

impl<'a> Expander<'a> {
    fn paint(
        &mut self,
        operators: impl Iterator<Item = ContentOp>,
        form: Option<Id>,
        is_off: bool,
    ) {
        // `true` for each open mark whose layer is off.
        let mut marks: Vec<bool> = Vec::new();
        let mut hidden = usize::from(is_off);
        for op in operators {
            if self.out.operators.len() >= MAX_OPERATORS {
                self.out.is_cut = true;
                return;
            }
            match op.operator.as_str() {
                "BMC" | "BDC" => {
                    let is_off = op.operator == "BDC" && self.is_mark_off(&op, form);
                    hidden += usize::from(is_off);
                    marks.push(is_off);
                }
                "EMC" => hidden -= usize::from(marks.pop().unwrap_or(false)),
                "Do" => {
                    if let Some((id, stream)) = self.painted(&op, form) {
                        self.object(&op, (id, stream), form, hidden > 0);
                        continue;
                    }
                }
                _ => {}
            }
            self.push(op, form, hidden > 0);
        }
    }

    fn push(&mut self, mut op: ContentOp, form: Option<Id>, is_off: bool) {
        op.form = form;
        self.out.operators.push(Operator { op, is_off });
    }

    fn is_mark_off(&mut self, op: &ContentOp, form: Option<Id>) -> bool {
        let [PdfValue::Name(kind), PdfValue::Name(name), ..] = op.operands.as_slice() else {
            return false;
        };
        if kind != b"OC" {
            return false;
        }
        if let Some(known) = self.off.get(&(form, name.clone())) {
            return *known;
        }
        let scope = ResourceScope { page: self.page, form };
        let is_off = find(self.document, scope, b"Properties", name)
            .is_some_and(|owner| self.layers.is_off(self.document, owner));
        self.off.insert((form, name.clone()), is_off);
        is_off
    }

    fn painted(&self, op: &ContentOp, form: Option<Id>) -> Option<(Id, &'a PdfStream)> {
        let Some(PdfValue::Name(name)) = op.operands.first() else { return None };
        let scope = ResourceScope { page: self.page, form };
        let id = find(self.document, scope, b"XObject", name)?.as_reference()?;
        Some((id, self.document.resolve(self.document.get_object(id)?).as_stream()?))
    }

    fn object(
        &mut self,
        op: &ContentOp,
        (id, stream): (Id, &'a PdfStream),
        form: Option<Id>,
        is_off: bool,
    ) {
        let document = self.document;
        let is_off = is_off
            || dict_get(&stream.dict, b"OC")
                .is_some_and(|owner| self.layers.is_off(document, owner));
        let kind = get(document, &stream.dict, b"Subtype").and_then(PdfObject::as_name);
        if kind != Some(b"Form") {
            return self.push(op.clone(), form, is_off);
        }
        if self.path.contains(&id) || self.path.len() >= MAX_DEPTH {
            return;
        }
        let Some(operators) = self.operators(id, stream) else {
            // The library reports what it cannot unpack.
            return self.push(op.clone(), form, is_off);
        };
        self.out.has_forms = true;
        self.begin(&stream.dict, form);
        let group = get(document, &stream.dict, b"Group").and_then(super::resources::as_dict);
        if group.is_some() {
            self.push(ContentOp::new(GROUP, Vec::new()), form, false);
        }
        self.path.push(id);
        self.paint(operators.iter().cloned(), Some(id), is_off);
        self.path.pop();
        self.push(ContentOp::new("Q", Vec::new()), form, false);
    }

    /// Saves the state, moves to the place of the form, and clips to its bounds.
    fn begin(&mut self, dict: &PdfDict, form: Option<Id>) {
        let reals = |numbers: &[f32]| numbers.iter().copied().map(PdfValue::Real).collect();
        self.push(ContentOp::new("q", Vec::new()), form, false);
        let of = |key: &[u8]| numbers(self.document, dict_get(dict, key)?);
        let (matrix, bounds) = (of(b"Matrix"), of(b"BBox"));
        if let Some(matrix) = matrix.filter(|matrix| matrix.len() == 6) {
            self.push(ContentOp::new("cm", reals(&matrix)), form, false);
        }
        if let Some([a, b, c, d]) = bounds.as_deref() {
            let rect = [a.min(*c), b.min(*d), (c - a).abs(), (d - b).abs()];
            self.push(ContentOp::new("re", reals(&rect)), form, false);
            self.push(ContentOp::new("W", Vec::new()), form, false);
            self.push(ContentOp::new("n", Vec::new()), form, false);
        }
    }

    fn operators(&mut self, id: Id, form: &PdfStream) -> Option<Rc<Vec<ContentOp>>> {
        let parse = || {
            let data = stream::decompress(form).ok()?;
            content::parse_content_stream(&data).ok().map(Rc::new)
        };
        self.known.entry(id).or_insert_with(parse).clone()
    }
}
