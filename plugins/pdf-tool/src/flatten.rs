//! Makes fields part of their pages: what they show becomes content, and the fields are gone.

use crate::appearance;
use crate::content::Matrix;
use crate::draw::Typesetter;
use crate::error::Result;
use crate::file::Pdf;
use crate::form::{Field, FieldKind};
use crate::object::{Dict, Object};
use crate::write::real;
use std::collections::BTreeSet;

/// Flattens fields. Returns warnings.
///
/// # Errors
///
/// `malformed` - the content of a page cannot be read. Those of [`appearance::show_all`].
pub(crate) fn flatten(
    pdf: &mut Pdf,
    fields: &[Field],
    typesetter: &dyn Typesetter,
) -> Result<Vec<String>> {
    let mut warnings = Vec::new();
    let needs = pdf
        .form()
        .is_some_and(|(_, form)| pdf.value(form, "NeedAppearances") == &Object::Bool(true));
    let is_bare = |field: &&Field| {
        let is_text = matches!(field.kind, FieldKind::Text | FieldKind::Combo | FieldKind::List);
        let has_all = field
            .widgets
            .iter()
            .all(|it| pdf.object(*it).is_some_and(|it| pdf.dict(it, "AP").is_some()));
        is_text && (needs || !has_all) && !field.value.is_empty()
    };
    let bare: Vec<&Field> = fields.iter().filter(is_bare).collect();
    warnings.extend(appearance::show_all(pdf, &bare, typesetter)?);
    let widgets: BTreeSet<u32> = fields.iter().flat_map(|it| it.widgets.iter().copied()).collect();
    for page in pdf.pages.clone() {
        let here: Vec<u32> =
            pdf.annotations(page).into_iter().filter(|it| widgets.contains(it)).collect();
        if here.is_empty() {
            continue;
        }
        let (content, forms) = drawing_of(pdf, page, &here);
        if !content.is_empty() {
            pdf.draw_on(page, &content, &Dict::new().with("XObject", forms), false)?;
        }
        pdf.remove_annotations(page, |it| widgets.contains(&it));
    }
    let gone: BTreeSet<u32> = fields.iter().map(|it| it.number).chain(widgets).collect();
    remove_fields(pdf, &gone);
    Ok(warnings)
}

/// Returns content that draws on a page what widgets show, and the forms that the content names.
pub(crate) fn drawing_of(pdf: &mut Pdf, page: u32, widgets: &[u32]) -> (Vec<u8>, Dict) {
    let mut content = Vec::new();
    let mut forms = Dict::new();
    let base = pdf.free_name(page);
    for (at, widget) in widgets.iter().enumerate() {
        let Some((form, matrix)) = appearance(pdf, *widget) else { continue };
        let name = format!("{base}{at}");
        content.extend(format!("q {} cm /{name} Do Q\n", matrix.0.map(real).join(" ")).bytes());
        forms.set(&name, Object::Ref(form));
    }
    (content, forms)
}

/// Returns the form that an annotation shows, and the matrix that places it. `None` if it shows nothing.
pub(crate) fn appearance(pdf: &mut Pdf, annotation: u32) -> Option<(u32, Matrix)> {
    let dict = pdf.object(annotation)?;
    let flags = pdf.value(dict, "F").as_int().unwrap_or(0);
    // Hidden, or not seen on screens.
    if flags & 0b10_0010 != 0 {
        return None;
    }
    let rect = pdf.rect(dict.get("Rect"))?;
    let states = pdf.dict(dict, "AP")?;
    let normal = states.get("N").clone();
    let value = match pdf.resolve(&normal) {
        Object::Stream(_) => normal,
        Object::Dict(states) => {
            let state = pdf.value(dict, "AS").as_name().unwrap_or(b"Off");
            states.find(state)?.clone()
        }
        _ => return None,
    };
    let form = value.as_ref()?;
    let stream = pdf.resolve(&value).as_stream()?;
    // Without a box of its own, an appearance is as large as its place.
    let whole = [0.0, 0.0, rect[2] - rect[0], rect[3] - rect[1]];
    let bbox = pdf.rect(stream.dict.get("BBox")).unwrap_or(whole);
    let numbers = pdf.numbers(stream.dict.get("Matrix"));
    let matrix = numbers.try_into().map_or(Matrix::IDENTITY, Matrix);
    let around = matrix.bounds(bbox);
    let scale = |from: f64, to: f64| if from.abs() < 1e-9 { 1.0 } else { to / from };
    let x = scale(around[2] - around[0], rect[2] - rect[0]);
    let y = scale(around[3] - around[1], rect[3] - rect[1]);
    let place = Matrix([x, 0.0, 0.0, y, rect[0] - around[0] * x, rect[1] - around[1] * y]);
    // Some appearances lack what a form needs: fonts that stand in the resources of the form.
    let shared = pdf
        .form()
        .and_then(|(_, form)| pdf.dict(form, "DR"))
        .and_then(|it| pdf.dict(it, "Font"))
        .cloned();
    let mut resources =
        pdf.object(form).and_then(|it| pdf.dict(it, "Resources")).cloned().unwrap_or_default();
    let mut fonts = pdf.dict(&resources, "Font").cloned().unwrap_or_default();
    for (name, font) in shared.iter().flat_map(Dict::iter) {
        if fonts.find(name).is_none() {
            fonts.set(name, font.clone());
        }
    }
    if !fonts.is_empty() {
        resources.set("Font", fonts);
    }
    if let Some(dict) = pdf.object_mut(form) {
        dict.set("Resources", resources);
        dict.set("Type", Object::name("XObject"));
        dict.set("Subtype", Object::name("Form"));
        dict.set("BBox", Object::numbers(&bbox));
    }
    Some((form, place))
}

/// Removes fields and widgets from the form; parents without kids go too. The form goes with its last field.
pub(crate) fn remove_fields(pdf: &mut Pdf, gone: &BTreeSet<u32>) {
    let Some((form, _)) = pdf.form() else { return };
    prune(pdf, form, "Fields", gone, 0, &mut BTreeSet::new());
    for number in gone {
        pdf.remove(*number);
    }
    let Some((_, dict)) = pdf.form() else { return };
    if pdf.array(dict, "Fields").is_empty() {
        pdf.catalog_mut().remove("AcroForm");
    } else if let Some(dict) = pdf.object_mut(form) {
        dict.remove("CO");
    }
}

/// Returns `true` if nothing is left.
fn prune(
    pdf: &mut Pdf,
    owner: u32,
    key: &str,
    gone: &BTreeSet<u32>,
    depth: usize,
    seen: &mut BTreeSet<u32>,
) -> bool {
    if depth > 32 || !seen.insert(owner) {
        return false;
    }
    let Some(dict) = pdf.object(owner).filter(|it| it.has(key)) else { return false };
    let mut kids = pdf.array(dict, key).to_vec();
    let before = kids.len();
    kids.retain(|it| {
        let Some(kid) = it.as_ref() else { return false };
        !gone.contains(&kid) && !prune(pdf, kid, "Kids", gone, depth + 1, seen)
    });
    let is_empty = kids.is_empty() && before > 0;
    if kids.len() != before
        && let Some(dict) = pdf.object_mut(owner)
    {
        dict.set(key, kids);
    }
    is_empty
}

impl Pdf {
    /// Removes annotations of a page; those that answer a removed one and their windows go too. Returns how many.
    pub(crate) fn remove_annotations(&mut self, page: u32, is_gone: impl Fn(u32) -> bool) -> usize {
        let all = self.annotations(page);
        let mut gone: BTreeSet<u32> = all.iter().copied().filter(|it| is_gone(*it)).collect();
        let of = |it: u32| -> Vec<u32> {
            let Some(dict) = self.object(it) else { return Vec::new() };
            ["Parent", "IRT"].iter().filter_map(|key| dict.get(key).as_ref()).collect()
        };
        let is_widget =
            |it: u32| self.object(it).is_some_and(|it| self.value(it, "Subtype").is_name("Widget"));
        for it in &all {
            if !is_widget(*it) && of(*it).iter().any(|parent| gone.contains(parent)) {
                gone.insert(*it);
            }
        }
        let kept: Vec<Object> =
            all.iter().filter(|it| !gone.contains(it)).map(|it| Object::Ref(*it)).collect();
        let count = all.len() - kept.len();
        if count > 0
            && let Some(dict) = self.object_mut(page)
        {
            if kept.is_empty() {
                dict.remove("Annots");
            } else {
                dict.set("Annots", kept);
            }
        }
        count
    }
}
