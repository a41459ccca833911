//! Fields of a form.

use crate::file::Pdf;
use crate::object::{Dict, Object};
use std::collections::{BTreeMap, BTreeSet};

/// Most fields of a form.
const MAX_FIELDS: usize = 50_000;
const MAX_DEPTH: usize = 32;

/// What kind of field it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// Text of one or more lines.
    Text,
    /// A box that is checked or not.
    CheckBox,
    /// One of several buttons.
    Radio,
    /// A button that does something.
    Button,
    /// A list that opens.
    Combo,
    /// A list that is open.
    List,
    /// A signature.
    Signature,
}

impl FieldKind {
    /// Returns its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::CheckBox => "check box",
            Self::Radio => "radio",
            Self::Button => "button",
            Self::Combo => "choice",
            Self::List => "list",
            Self::Signature => "signature",
        }
    }
}

/// A field.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its full name.
    pub name: String,
    /// Its kind.
    pub kind: FieldKind,
    /// Number of its object.
    pub(crate) number: u32,
    /// Its places on pages.
    pub(crate) widgets: Vec<u32>,
    /// Page of its first place, from 1.
    pub page: Option<usize>,
    /// Rectangle of its first place.
    pub rect: Option<[f64; 4]>,
    /// What can be chosen: value and text.
    pub options: Vec<(String, String)>,
    /// It must be filled.
    pub is_required: bool,
    /// It is not to be changed.
    pub is_read_only: bool,
    /// Most characters.
    pub max_length: Option<usize>,
    /// Its value; lines for several.
    pub value: String,
    pub(crate) flags: i64,
}

impl Field {
    pub(crate) fn has_flag(&self, bit: u32) -> bool {
        self.flags >> (bit - 1) & 1 == 1
    }
}

impl Pdf {
    /// Returns a value of a field, perhaps inherited.
    pub(crate) fn inherited(&self, field: u32, key: &str) -> Object {
        let mut number = field;
        for _ in 0..MAX_DEPTH {
            let Some(dict) = self.object(number) else { break };
            if dict.has(key) {
                return self.value(dict, key).clone();
            }
            match dict.get("Parent") {
                Object::Ref(parent) => number = *parent,
                _ => break,
            }
        }
        Object::Null
    }

    /// Returns the dictionary of the form.
    pub(crate) fn form(&self) -> Option<(u32, &Dict)> {
        let number = self.catalog().get("AcroForm").as_ref()?;
        Some((number, self.object(number)?))
    }

    /// Returns the fields of the form, in its order; then those that stand only on pages.
    pub fn fields(&self) -> Vec<Field> {
        let mut places = BTreeMap::new();
        let mut orphans = Vec::new();
        for (at, page) in self.pages.iter().enumerate() {
            for annotation in self.annotations(*page) {
                places.entry(annotation).or_insert(at + 1);
                let dict = self.object(annotation);
                if dict.is_some_and(|it| self.value(it, "Subtype").is_name("Widget")) {
                    orphans.push(annotation);
                }
            }
        }
        let mut found = Vec::new();
        let mut seen = BTreeSet::new();
        if let Some((_, form)) = self.form() {
            for field in self.array(form, "Fields") {
                if let Some(number) = field.as_ref() {
                    self.walk_field(number, "", 0, &mut seen, &mut found);
                }
            }
        }
        let of_widgets: BTreeSet<u32> = found.iter().flat_map(|it| it.1.iter().copied()).collect();
        for widget in orphans {
            let is_field = self.object(widget).is_some_and(|it| it.has("FT") && !it.has("Parent"));
            if is_field && !of_widgets.contains(&widget) && !seen.contains(&widget) {
                self.walk_field(widget, "", 0, &mut seen, &mut found);
            }
        }
        let fields = found
            .into_iter()
            .filter_map(|(number, widgets, name)| self.field(number, widgets, name, &places));
        fields.collect()
    }

    fn walk_field(
        &self,
        number: u32,
        prefix: &str,
        depth: usize,
        seen: &mut BTreeSet<u32>,
        found: &mut Vec<(u32, Vec<u32>, String)>,
    ) {
        if depth > MAX_DEPTH || found.len() >= MAX_FIELDS || !seen.insert(number) {
            return;
        }
        let Some(dict) = self.object(number) else { return };
        let name = match (self.text(dict, "T"), prefix) {
            (Some(own), "") => own,
            (Some(own), _) => format!("{prefix}.{own}"),
            (None, _) => prefix.to_owned(),
        };
        let kids: Vec<u32> = self.array(dict, "Kids").iter().filter_map(Object::as_ref).collect();
        let is_field = |it: &u32| self.object(*it).is_some_and(|it| it.has("T"));
        if kids.iter().any(is_field) {
            for kid in kids {
                self.walk_field(kid, &name, depth + 1, seen, found);
            }
            return;
        }
        let widgets = if kids.is_empty() { vec![number] } else { kids };
        found.push((number, widgets, name));
    }

    fn field(
        &self,
        number: u32,
        widgets: Vec<u32>,
        name: String,
        places: &BTreeMap<u32, usize>,
    ) -> Option<Field> {
        let flags = self.inherited(number, "Ff").as_int().unwrap_or(0);
        let has = |bit: u32| flags >> (bit - 1) & 1 == 1;
        let kind = match self.inherited(number, "FT").as_name()? {
            b"Tx" => FieldKind::Text,
            b"Btn" if has(17) => FieldKind::Button,
            b"Btn" if has(16) => FieldKind::Radio,
            b"Btn" => FieldKind::CheckBox,
            b"Ch" if has(18) => FieldKind::Combo,
            b"Ch" => FieldKind::List,
            b"Sig" => FieldKind::Signature,
            _ => return None,
        };
        let texts = |value: &Object| -> Vec<String> {
            match self.resolve(value) {
                Object::Str(bytes) => vec![crate::text::decode(bytes)],
                Object::Name(bytes) => vec![crate::text::decode(bytes)],
                Object::Array(values) => {
                    let of = |it: &Object| self.resolve(it).as_str().map(crate::text::decode);
                    values.iter().filter_map(of).collect()
                }
                Object::Stream(stream) => self
                    .decode(stream)
                    .map(|it| vec![crate::text::decode(&it.bytes)])
                    .unwrap_or_default(),
                _ => Vec::new(),
            }
        };
        let listed = match self.inherited(number, "Opt") {
            Object::Array(values) => values,
            _ => Vec::new(),
        };
        let options = match kind {
            FieldKind::CheckBox | FieldKind::Radio => {
                let labels: Vec<String> = listed.iter().map(|it| texts(it).join(" ")).collect();
                let mut options: Vec<(String, String)> = Vec::new();
                for widget in &widgets {
                    let Some(state) = self.on_state(*widget) else { continue };
                    if options.iter().any(|it| it.0 == state) {
                        continue;
                    }
                    let label = state.parse::<usize>().ok().and_then(|it| labels.get(it).cloned());
                    let label = label.unwrap_or_else(|| state.clone());
                    options.push((state, label));
                }
                options
            }
            FieldKind::Combo | FieldKind::List => listed
                .iter()
                .filter_map(|it| {
                    let both = texts(it);
                    Some((both.first()?.clone(), both.get(1).or(both.first())?.clone()))
                })
                .collect(),
            _ => Vec::new(),
        };
        let value = match kind {
            FieldKind::Signature | FieldKind::Button => String::new(),
            _ => texts(&self.inherited(number, "V")).join("\n"),
        };
        let first = *widgets.first()?;
        Some(Field {
            name,
            kind,
            page: widgets.iter().find_map(|it| places.get(it)).copied(),
            rect: self.object(first).and_then(|it| self.rect(it.get("Rect"))),
            number,
            widgets,
            options,
            is_required: has(2),
            is_read_only: has(1),
            max_length: self
                .inherited(number, "MaxLen")
                .as_int()
                .and_then(|it| usize::try_from(it).ok()),
            value,
            flags,
        })
    }

    /// Returns the state of a button that is not `Off`.
    pub(crate) fn on_state(&self, widget: u32) -> Option<String> {
        let dict = self.object(widget)?;
        let states = self.dict(dict, "AP").and_then(|it| self.dict(it, "N"))?;
        let state = states.iter().map(|it| it.0).find(|it| *it != b"Off")?;
        Some(crate::text::decode(state))
    }

    /// Returns `true` if the form is of the kind XFA.
    pub fn has_xfa(&self) -> bool {
        self.form().is_some_and(|(_, form)| !self.value(form, "XFA").is_null())
    }

    /// Returns the names of fields that are signed, and of signatures of the whole document.
    pub fn signatures(&self) -> Vec<String> {
        let fields = self.fields();
        let signed = fields.iter().filter(|it| it.kind == FieldKind::Signature);
        let is_signed = |it: &&Field| matches!(self.inherited(it.number, "V"), Object::Dict(_));
        let mut names: Vec<String> = signed.filter(is_signed).map(|it| it.name.clone()).collect();
        for key in ["DocMDP", "UR3", "UR"] {
            if self.dict(self.catalog(), "Perms").is_some_and(|it| it.has(key)) {
                names.push(format!("({key})"));
            }
        }
        names
    }
}
