//! Reads the values of a filled form (ISO 32000-1, 12.7). The library reads only fields that are their own widget.

use crate::comments::decode;
use crate::eye::{as_dict, get};
use mitt_reader_kit::{clean, single_line};
use std::collections::{BTreeMap, BTreeSet};
use unpdf::parser::raw::RawDocument;
use unpdf::parser::raw::tokenizer::{PdfDict, PdfObject, dict_get};

type Id = (u32, u16);

/// The most fields and widgets of a form.
const MAX_FIELDS: usize = 100_000;

/// The deepest tree of fields.
const MAX_DEPTH: usize = 64;

/// The most different values that the widgets of one field have.
const MAX_VALUES: usize = 64;

/// Flags of a field: radio buttons, and a button without a value.
const RADIO: i64 = 1 << 15;
const PUSH: i64 = 1 << 16;

/// The name of a field and its value.
pub(crate) type Field = (String, String);

/// What a field inherits from the fields above it.
#[derive(Clone, Default)]
struct Above<'a> {
    name: String,
    kind: Option<&'a [u8]>,
    flags: i64,
    value: Option<&'a PdfObject>,
    default: Option<&'a PdfObject>,
    options: Option<&'a PdfObject>,
}

struct Form<'a> {
    document: &'a RawDocument,
    known: BTreeSet<Id>,
    fields: Vec<Field>,
}

/// Returns the fields that have a value, in the order of the form. Fields that only pages name come last.
pub(crate) fn read(document: &RawDocument, pages: &BTreeMap<u32, Id>) -> Vec<Field> {
    let mut form = Form { document, known: BTreeSet::new(), fields: Vec::new() };
    let catalog = document.catalog().ok();
    let acro = catalog.and_then(|catalog| as_dict(get(document, catalog, b"AcroForm")?));
    let Some(acro) = acro else { return Vec::new() };
    let fields = get(document, acro, b"Fields").and_then(PdfObject::as_array);
    for field in fields.unwrap_or_default() {
        form.field(field, &Above::default(), 0);
    }
    for id in pages.values() {
        let Ok(page) = document.get_dict(*id) else { continue };
        let notes = get(document, page, b"Annots").and_then(PdfObject::as_array);
        for note in notes.unwrap_or_default() {
            form.widget(note);
        }
    }
    form.fields
}

impl<'a> Form<'a> {
    /// Reads the field of a widget on a page, unless the form has this field.
    fn widget(&mut self, note: &'a PdfObject) {
        let document = self.document;
        let is_field = as_dict(document.resolve(note)).is_some_and(|dict| {
            get(document, dict, b"Subtype").and_then(PdfObject::as_name) == Some(b"Widget")
        });
        if !is_field {
            return;
        }
        let mut top = note;
        for _ in 0..MAX_DEPTH {
            if top.as_reference().is_some_and(|id| self.known.contains(&id)) {
                return;
            }
            let parent = as_dict(document.resolve(top)).and_then(|dict| dict_get(dict, b"Parent"));
            let Some(parent) = parent.filter(|parent| as_dict(document.resolve(parent)).is_some())
            else {
                break;
            };
            top = parent;
        }
        self.field(top, &Above::default(), 0);
    }

    fn field(&mut self, object: &'a PdfObject, above: &Above<'a>, depth: usize) {
        let document = self.document;
        let is_new = object.as_reference().is_none_or(|id| self.known.insert(id));
        if !is_new || depth > MAX_DEPTH || self.known.len() > MAX_FIELDS {
            return;
        }
        let Some(dict) = as_dict(document.resolve(object)) else { return };
        let own = own(document, dict, above);
        let kids = get(document, dict, b"Kids").and_then(PdfObject::as_array).unwrap_or_default();
        // A widget has no name of its own. It belongs to the field.
        let is_named = |kid: &&PdfObject| {
            as_dict(document.resolve(kid)).is_some_and(|kid| dict_get(kid, b"T").is_some())
        };
        if kids.iter().any(|kid| is_named(&kid)) {
            for kid in kids.iter().filter(is_named) {
                self.field(kid, &own, depth + 1);
            }
        }
        let widgets: Vec<&PdfDict> = match kids {
            [] => vec![dict],
            kids => {
                let widgets = kids.iter().filter(|kid| !is_named(kid));
                self.known.extend(widgets.clone().filter_map(PdfObject::as_reference));
                widgets.filter_map(|kid| as_dict(document.resolve(kid))).collect()
            }
        };
        if widgets.is_empty() {
            return;
        }
        // A value that only a widget has is a value too.
        let placed = widgets.iter().filter_map(|widget| get(document, widget, b"V"));
        let mut all: Vec<_> =
            own.value.into_iter().chain(placed).take(MAX_VALUES).map(Some).collect();
        if all.is_empty() {
            // The default counts if there is no value.
            all.push(None);
        }
        let mut values: Vec<String> = Vec::new();
        for found in all {
            let value = value(document, &Above { value: found, ..own.clone() }, &widgets);
            let is_new = |value: &String| !value.is_empty() && !values.contains(value);
            let value = value.filter(is_new);
            values.extend(value);
        }
        let value = (!values.is_empty()).then(|| values.join(", "));
        if let Some(value) = value {
            self.fields.push((own.name, value));
        }
    }
}

fn own<'a>(document: &'a RawDocument, dict: &'a PdfDict, above: &Above<'a>) -> Above<'a> {
    let part = get(document, dict, b"T").and_then(PdfObject::as_str_bytes).map(decode);
    let name = match part {
        Some(part) if above.name.is_empty() => part,
        Some(part) => format!("{}.{part}", above.name),
        None => above.name.clone(),
    };
    Above {
        name,
        kind: get(document, dict, b"FT").and_then(PdfObject::as_name).or(above.kind),
        flags: get(document, dict, b"Ff").and_then(PdfObject::as_i64).unwrap_or(above.flags),
        value: get(document, dict, b"V").or(above.value),
        default: get(document, dict, b"DV").or(above.default),
        options: get(document, dict, b"Opt").or(above.options),
    }
}

/// Returns the value of a field as text, or `None` if it is empty.
fn value(document: &RawDocument, field: &Above<'_>, widgets: &[&PdfDict]) -> Option<String> {
    match field.kind? {
        b"Tx" => text(document, field.value.or(field.default)?),
        b"Btn" if field.flags & PUSH != 0 => None,
        b"Btn" => button(document, field, widgets),
        b"Ch" => {
            let value = field.value.or(field.default)?;
            let items = match value.as_array() {
                Some(items) => items.iter().collect(),
                None => vec![value],
            };
            let chosen = items.into_iter().filter_map(|item| {
                let item = text(document, item)?;
                Some(label(document, field.options, &item).unwrap_or(item))
            });
            Some(chosen.collect::<Vec<_>>().join(", "))
        }
        b"Sig" => {
            let signature = as_dict(field.value?)?;
            Some(signed(document, signature, widgets))
        }
        _ => None,
    }
}

/// Returns what a signature says: its texts, and the description of what it shows.
fn signed(document: &RawDocument, signature: &PdfDict, widgets: &[&PdfDict]) -> String {
    let part = |dict: &PdfDict, key: &[u8]| {
        let text = get(document, dict, key).and_then(|it| text(document, it))?;
        let text = single_line(&clean(&text));
        (!text.is_empty()).then_some(text)
    };
    let mut out = "signed".to_owned();
    let named = [
        (&b"Name"[..], " by "),
        (b"Reason", "; reason: "),
        (b"Location", "; location: "),
        (b"ContactInfo", "; contact: "),
    ];
    for (key, label) in named {
        if let Some(text) = part(signature, key) {
            out.push_str(label);
            out.push_str(&text);
        }
    }
    for shown in widgets.iter().filter_map(|it| part(it, b"Contents")).take(MAX_VALUES) {
        out.push_str("; shows: ");
        out.push_str(&shown);
    }
    out
}

/// Returns the text of a string, or of a stream that holds a long one.
fn text(document: &RawDocument, object: &PdfObject) -> Option<String> {
    match document.resolve(object) {
        PdfObject::Str(bytes) => Some(decode(bytes)),
        PdfObject::Name(name) => Some(String::from_utf8_lossy(name).into_owned()),
        PdfObject::Stream(stream) => {
            unpdf::parser::raw::stream::decompress(stream).ok().map(|bytes| decode(&bytes))
        }
        PdfObject::Integer(value) => Some(value.to_string()),
        PdfObject::Real(value) => Some(value.to_string()),
        _ => None,
    }
}

/// Returns the label of a choice with the stored value if both differ: `l (large)`.
fn label(document: &RawDocument, options: Option<&PdfObject>, chosen: &str) -> Option<String> {
    let options = options?.as_array()?;
    options.iter().find_map(|option| {
        let [kept, shown] = document.resolve(option).as_array()? else { return None };
        let (kept, shown) = (text(document, kept)?, text(document, shown)?);
        (kept == chosen && shown != chosen).then(|| format!("{chosen} ({shown})"))
    })
}

/// Returns the value of a check box, or of the button that is on in a group.
fn button(document: &RawDocument, field: &Above<'_>, widgets: &[&PdfDict]) -> Option<String> {
    let mut states: Vec<&[u8]> = Vec::new();
    for widget in widgets {
        let looks = get(document, widget, b"AP").and_then(as_dict);
        let looks = looks.and_then(|looks| as_dict(get(document, looks, b"N")?));
        states.extend(looks.into_iter().flatten().map(|(state, _)| state.as_slice()));
    }
    states.retain(|state| *state != b"Off");
    states.sort_unstable();
    states.dedup();
    let seen = || {
        let state = widgets.iter().filter_map(|it| get(document, it, b"AS")?.as_name());
        state.into_iter().find(|state| *state != b"Off")
    };
    let state = match field.value {
        Some(PdfObject::Name(state)) => state.as_slice(),
        Some(PdfObject::Str(state)) => state.as_slice(),
        _ => seen().or_else(|| field.default.and_then(PdfObject::as_name))?,
    };
    if state == b"Off" || state.is_empty() {
        return None;
    }
    if field.flags & RADIO == 0 && states.len() <= 1 {
        return Some("[x]".to_owned());
    }
    let state = decode(state);
    // If boxes are numbered, the form has their labels.
    let named = state.parse().ok().and_then(|at: usize| field.options?.as_array()?.get(at));
    Some(named.and_then(|named| text(document, named)).unwrap_or(state))
}
