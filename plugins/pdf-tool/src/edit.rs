//! A batch of edits. They are done in order on a copy in memory, and nothing is delivered unless all of them succeed.

use crate::action::{Done, Edit, Files};
use crate::appearance;
use crate::draw::{Pen, Typesetter};
use crate::error::{Error, Result, invalid, unsupported};
use crate::file::Pdf;
use crate::fill;
use crate::flatten::flatten;
use crate::form::{Field, FieldKind};
use crate::object::{Dict, Object};
use crate::sheets;
use crate::signed;
use crate::stamp::{Mark, color};
use crate::text::{counted, counted_is, line, no_page};
use std::collections::BTreeSet;

/// Most edits of a batch.
const MAX_EDITS: usize = 2_000;
/// Most bookmarks that are set.
const MAX_ITEMS: usize = 10_000;
/// Most pages after an edit.
const MAX_PAGES: usize = 50_000;

/// Said where changes are appended.
const APPENDED: &str = "The document is signed. The changes are appended, so that its signatures stay intact; they are not \
    verified here, and the old values stay in the file.";

/// Does edits.
///
/// # Errors
///
/// `invalid-argument` - edits cannot be done; each is listed. `unsupported` - the document is signed, or forbids it.
pub fn edit(
    pdf: &mut Pdf,
    edits: &[Edit],
    breaks_signatures: bool,
    files: &Files<'_>,
    typesetter: &dyn Typesetter,
) -> Result<Done> {
    if edits.is_empty() || edits.len() > MAX_EDITS {
        return invalid(format!("expected 1 to {MAX_EDITS} edits, got {}", edits.len()));
    }
    let mut out = Done::default();
    out.warnings.extend(pdf.repairs.iter().cloned());
    check_permissions(pdf, edits)?;
    if !pdf.signatures().is_empty() && !breaks_signatures {
        signed::check(pdf, edits)?;
        pdf.begin_increment()?;
        out.warnings.push(APPENDED.to_owned());
    } else if let Some(warning) = pdf.open_signatures(breaks_signatures)? {
        out.warnings.push(warning);
    }
    let mut problems = Vec::new();
    let mut filling = None;
    for (at, edit) in edits.iter().enumerate() {
        if filled(edit).is_none() {
            filling = None;
        } else if filling.is_none() {
            filling = Some(Filling::start(pdf, &edits[at..], typesetter)?);
        }
        match one(pdf, edit, &mut filling, files, typesetter) {
            Ok((sentence, warnings)) => {
                out.done.push(sentence);
                out.warnings.extend(warnings);
            }
            Err(error @ (Error::Unsupported(_) | Error::Malformed(_))) if edits.len() == 1 => {
                return Err(error);
            }
            Err(error) => problems.push(format!("edits[{at}]: {error}")),
        }
    }
    if !problems.is_empty() {
        problems.truncate(50);
        return Err(Error::Invalid(problems.join("\n")));
    }
    if edits.iter().any(|it| matches!(it, Edit::FillField { .. }))
        && let Some((form, dict)) = pdf.form()
    {
        if dict.has("CO") {
            out.warnings.push(
                "Fields that the form calculates are not calculated; fill them too.".to_owned(),
            );
        }
        // A viewer that makes all appearances anew would replace those that were made here, perhaps in a font without the
        // characters. So all are made here.
        if pdf.value(dict, "NeedAppearances") == &Object::Bool(true) {
            let filled: BTreeSet<&str> = edits.iter().filter_map(filled).map(|it| it.0).collect();
            let fields = pdf.fields();
            let is_old = |field: &&Field| {
                let is_text =
                    matches!(field.kind, FieldKind::Text | FieldKind::Combo | FieldKind::List);
                is_text && !filled.contains(field.name.as_str()) && !field.value.is_empty()
            };
            let old: Vec<&Field> = fields.iter().filter(is_old).collect();
            out.warnings.extend(appearance::show_all(pdf, &old, typesetter)?);
            if let Some(dict) = pdf.object_mut(form) {
                dict.remove("NeedAppearances");
            }
        }
    }
    let mut seen = BTreeSet::new();
    out.warnings.retain(|it| seen.insert(it.clone()));
    Ok(out)
}

/// Returns the name of a field that is filled, and its value.
fn filled(edit: &Edit) -> Option<(&str, &str)> {
    if let Edit::FillField { field, value } = edit { Some((field, value)) } else { None }
}

/// Fields that are filled one after the other.
struct Filling<'a> {
    fields: Vec<Field>,
    pen: Pen<'a>,
}

impl<'a> Filling<'a> {
    /// Lets the host set the values of all edits up to the next one that fills no field.
    ///
    /// # Errors
    ///
    /// Those of [`appearance::prepare`].
    fn start(pdf: &mut Pdf, edits: &[Edit], typesetter: &'a dyn Typesetter) -> Result<Self> {
        let (fields, mut pen) = (pdf.fields(), Pen::of_fields(typesetter));
        let mut values = Vec::new();
        for (name, value) in edits.iter().map_while(filled) {
            // What cannot be filled is reported in its turn.
            if let Ok(field) = find(&fields, name)
                && let Ok(value) = fill::check(pdf, field, value)
            {
                values.push((field, value));
            }
        }
        let values: Vec<(&Field, &str)> =
            values.iter().map(|(field, value)| (*field, value.as_str())).collect();
        appearance::prepare(pdf, &values, &mut pen)?;
        Ok(Self { fields, pen })
    }
}

/// Refuses what an encrypted file forbids to its user.
fn check_permissions(pdf: &Pdf, edits: &[Edit]) -> Result<()> {
    let denied = pdf.denied();
    let may = |names: &[&str]| names.iter().any(|it| !denied.contains(it));
    for edit in edits {
        let allowed = match edit {
            Edit::FillField { .. } => may(&["fill", "annotate", "modify"]),
            Edit::SelectPages { .. }
            | Edit::RotatePages { .. }
            | Edit::InsertBlank { .. }
            | Edit::Sheets { .. }
            | Edit::SetOutline(_) => may(&["assemble", "modify"]),
            Edit::RemoveAnnotations { .. } => may(&["annotate", "modify"]),
            _ => may(&["modify"]),
        };
        if !allowed {
            return forbidden(&denied);
        }
    }
    Ok(())
}

pub(crate) fn forbidden<T>(denied: &[&str]) -> Result<T> {
    unsupported(format!(
        "the protection of the document forbids it ({}); pass the owner's password as `password`",
        denied.join(", ")
    ))
}

fn find<'a>(fields: &'a [Field], name: &str) -> Result<&'a Field> {
    if let Some(field) = fields.iter().find(|it| it.name == name) {
        return Ok(field);
    }
    // The last part of a name is enough if it is the only one.
    let mut short = fields.iter().filter(|it| it.name.rsplit('.').next() == Some(name));
    if let (Some(field), None) = (short.next(), short.next()) {
        return Ok(field);
    }
    if fields.is_empty() {
        return Err(Error::NotFound(
            "the document has no form fields; put text on its pages with `add-text`".to_owned(),
        ));
    }
    let near = mitt_guest::nearest(name, fields.iter().map(|it| it.name.as_str()));
    let hint = match near {
        Some(near) => format!("did you mean `{}`?", line(near, 100)),
        None => {
            let names: Vec<String> =
                fields.iter().take(20).map(|it| format!("`{}`", line(&it.name, 100))).collect();
            format!("there are: {}", names.join(", "))
        }
    };
    Err(Error::NotFound(format!("no field `{}`; {hint}", line(name, 100))))
}

fn one(
    pdf: &mut Pdf,
    edit: &Edit,
    filling: &mut Option<Filling<'_>>,
    files: &Files<'_>,
    typesetter: &dyn Typesetter,
) -> Result<(String, Vec<String>)> {
    let count = pdf.pages.len();
    match edit {
        Edit::FillField { field, value } => {
            if pdf.has_xfa() {
                return unsupported(
                    "the form is of the kind XFA, which is not filled here; ask for a version without XFA",
                );
            }
            let Some(Filling { fields, pen }) = filling else {
                return invalid("no field is filled");
            };
            let field = find(fields, field)?;
            let value = fill::check(pdf, field, value)?;
            let warnings = fill::fill(pdf, field, &value, pen)?;
            Ok((
                format!(
                    "Field `{}`: `{}` instead of `{}`.",
                    field.name,
                    line(&value, 80),
                    line(&field.value, 80)
                ),
                warnings,
            ))
        }
        Edit::Flatten { fields: names } => {
            let all = pdf.fields();
            if pdf.value(pdf.catalog(), "NeedsRendering") == &Object::Bool(true) {
                return unsupported("the form is drawn by XFA scripts, which are not run here");
            }
            let mut warnings = Vec::new();
            let chosen: Vec<Field> = if names.is_empty() {
                all
            } else {
                names.iter().map(|it| find(&all, it).cloned()).collect::<Result<_>>()?
            };
            if chosen.is_empty() {
                return Err(Error::NotFound("the document has no form fields".to_owned()));
            }
            if pdf.has_xfa() && names.is_empty() {
                warnings.push("The XFA part of the form is removed.".to_owned());
            }
            warnings.extend(flatten(pdf, &chosen, typesetter)?);
            let is = counted_is(chosen.len(), "field");
            let pages = if chosen.len() == 1 { "its page" } else { "their pages" };
            Ok((format!("{is} part of {pages} now."), warnings))
        }
        Edit::SelectPages { pages } => {
            let order = crate::ranges::pages(pages, count)?;
            let warnings = pdf.select(&order)?;
            let is = if order.len() == 1 { "is" } else { "are" };
            Ok((format!("{} of {} {is} kept.", order.len(), counted(count, "page")), warnings))
        }
        Edit::RotatePages { pages, angle } => {
            if angle % 90 != 0 {
                return invalid(format!("expected an `angle` of 90, 180 or 270, got {angle}"));
            }
            let chosen: BTreeSet<usize> = crate::ranges::pages(pages, count)?.into_iter().collect();
            for at in &chosen {
                let page = pdf.pages[*at];
                let turn = (pdf.rotation(page) + angle % 360).rem_euclid(360);
                if let Some(dict) = pdf.object_mut(page) {
                    dict.set("Rotate", turn);
                }
            }
            let is = counted_is(chosen.len(), "page");
            Ok((format!("{is} turned by {angle} degrees."), Vec::new()))
        }
        Edit::CropPages { pages, rect } => {
            let [left, bottom, right, top] = rect[..] else {
                return invalid("expected a `rect` of left, bottom, right, top in points");
            };
            if !rect.iter().all(|it| it.is_finite()) || right - left < 1.0 || top - bottom < 1.0 {
                return invalid(
                    "expected a `rect` whose right is larger than its left, and top than its bottom",
                );
            }
            let chosen: BTreeSet<usize> = crate::ranges::pages(pages, count)?.into_iter().collect();
            for at in &chosen {
                let page = pdf.pages[*at];
                // A length in points would be another one on this page.
                if let Some(unit) = pdf.user_unit(page) {
                    return unsupported(format!(
                        "page {} is measured in units of {unit} points (`UserUnit`), so it cannot be cropped in points",
                        at + 1
                    ));
                }
                let media = pdf
                    .object(page)
                    .and_then(|it| pdf.rect(it.get("MediaBox")))
                    .unwrap_or([0.0, 0.0, 612.0, 792.0]);
                let cut = [
                    left.max(media[0]),
                    bottom.max(media[1]),
                    right.min(media[2]),
                    top.min(media[3]),
                ];
                if cut[2] - cut[0] < 1.0 || cut[3] - cut[1] < 1.0 {
                    return invalid(format!(
                        "the rectangle is outside of page {}, which is {media:?}",
                        at + 1
                    ));
                }
                if let Some(dict) = pdf.object_mut(page) {
                    dict.set("CropBox", Object::numbers(&cut));
                    for key in ["TrimBox", "BleedBox", "ArtBox"] {
                        dict.remove(key);
                    }
                }
            }
            let warning = "Cropping hides what is outside; it is still in the file. Use `redact` to remove it.".to_owned();
            Ok((format!("{} cropped.", counted_is(chosen.len(), "page")), vec![warning]))
        }
        Edit::InsertBlank { after, count: wanted } => {
            if *after > count {
                return invalid(no_page(after, count));
            }
            if *wanted == 0 || count + wanted > MAX_PAGES {
                let most = counted(MAX_PAGES - count, "page");
                return invalid(format!("expected 1 to {most}, got {wanted}"));
            }
            let like = pdf.pages[after.saturating_sub(1)];
            let (rect, turn) = (pdf.page_box(like), pdf.rotation(like));
            let mut labels = pdf.label_of_pages();
            for at in 0..*wanted {
                let page = Dict::new()
                    .with("Type", Object::name("Page"))
                    .with("MediaBox", Object::numbers(&rect))
                    .with("Rotate", turn)
                    .with("Resources", Dict::new());
                let page = pdf.add(page);
                pdf.pages.insert(after + at, page);
            }
            if labels.iter().any(Option::is_some) {
                // Blank pages have no label of their own.
                let blank = vec![Some((Dict::new(), 1)); *wanted];
                labels.splice(after..after, blank);
                pdf.set_labels(&labels);
            }
            let is = counted_is(*wanted, "empty page");
            Ok((format!("{is} inserted behind page {after}."), Vec::new()))
        }
        Edit::AddText(text) => {
            let mark = Mark {
                text: text.text.clone(),
                pages: crate::ranges::pages(&text.pages, count)?,
                position: text.position,
                size: text.size,
                color: color(&text.color)?,
                angle: text.angle,
                opacity: text.opacity,
                margin: text.margin,
                start: text.start,
                is_behind: text.is_behind,
            };
            let warnings = pdf.stamp(&mark, typesetter)?;
            Ok((format!("The text is on {}.", counted(mark.pages.len(), "page")), warnings))
        }
        Edit::AddPicture(it) => {
            let content = files(&it.name).map_err(Error::NotFound)?;
            let pages = crate::ranges::pages(&it.pages, count)?;
            let warnings = pdf.add_picture(it, content, &pages)?;
            let on = counted(pages.len(), "page");
            Ok((format!("`{}` is on {on}.", line(&it.name, 100)), warnings))
        }
        Edit::Sheets { count: on_one, paper } => {
            let warnings = sheets::arrange(pdf, *on_one, paper)?;
            let sheets = counted(pdf.pages.len(), "sheet");
            Ok((format!("{} on {sheets}.", counted_is(count, "page")), warnings))
        }
        Edit::SetMetadata { name, value } => {
            let warning = pdf.set_metadata(name, value)?;
            Ok((format!("`{name}` is set."), warning.into_iter().collect()))
        }
        Edit::SetOutline(items) => {
            if items.len() > MAX_ITEMS {
                return invalid(format!(
                    "expected at most {MAX_ITEMS} bookmarks, got {}",
                    items.len()
                ));
            }
            let mut before = 0;
            for item in items {
                if item.level == 0 || item.level > before + 1 || item.level > 20 {
                    return invalid(format!(
                        "bookmark `{}`: expected a `level` from 1 to {}",
                        line(&item.title, 60),
                        before + 1
                    ));
                }
                if let Some(page) = item.page.filter(|it| *it == 0 || *it > count) {
                    return invalid(format!(
                        "bookmark `{}`: {}",
                        line(&item.title, 60),
                        no_page(page, count)
                    ));
                }
                before = item.level;
            }
            pdf.set_outline(items);
            Ok((format!("{} set.", counted_is(items.len(), "bookmark")), Vec::new()))
        }
        Edit::AttachFile { name, description } => {
            let content = files(name).map_err(Error::NotFound)?;
            pdf.attach(name, &content, description)?;
            Ok((format!("`{name}` is attached."), Vec::new()))
        }
        Edit::RemoveAttachment { name } => {
            pdf.detach(name)?;
            Ok((format!("`{name}` is removed."), Vec::new()))
        }
        Edit::RemoveAnnotations { pages } => {
            let chosen: BTreeSet<usize> = crate::ranges::pages(pages, count)?.into_iter().collect();
            let mut removed = 0;
            for at in &chosen {
                let page = pdf.pages[*at];
                let kept: BTreeSet<u32> = pdf
                    .annotations(page)
                    .into_iter()
                    .filter(|it| {
                        let kind = pdf
                            .object(*it)
                            .map(|it| pdf.value(it, "Subtype").clone())
                            .unwrap_or_default();
                        // Fields and links are not comments.
                        kind.is_name("Widget") || kind.is_name("Link")
                    })
                    .collect();
                removed += pdf.remove_annotations(page, |it| !kept.contains(&it));
            }
            let is = counted_is(removed, "annotation");
            Ok((format!("{is} removed; links and fields stay."), Vec::new()))
        }
    }
}

impl Pdf {
    /// Refuses a signed document, unless its signatures may break. Then they are removed; returns a warning.
    ///
    /// # Errors
    ///
    /// `unsupported` - it is signed.
    pub(crate) fn open_signatures(&mut self, may_break: bool) -> Result<Option<String>> {
        let signed = self.signatures();
        if signed.is_empty() {
            return Ok(None);
        }
        let names: Vec<String> =
            signed.iter().take(5).map(|it| format!("`{}`", line(it, 60))).collect();
        if !may_break {
            return unsupported(format!(
                "the document is signed ({}), and this change breaks its signatures; ask \
                    the user, then set `break_signatures`",
                names.join(", ")
            ));
        }
        self.drop_signatures();
        Ok(Some(format!(
            "Signatures are removed, because the change breaks them: {}.",
            names.join(", ")
        )))
    }

    /// Removes the values of signatures. What they show stays.
    pub(crate) fn drop_signatures(&mut self) {
        for field in self.fields().iter().filter(|it| it.kind == FieldKind::Signature) {
            for number in field.widgets.iter().chain([&field.number]) {
                if let Some(dict) = self.object_mut(*number) {
                    dict.remove("V");
                    dict.remove("Lock");
                }
            }
        }
        self.catalog_mut().remove("Perms");
        self.catalog_mut().remove("DSS");
        if let Some((form, _)) = self.form()
            && let Some(dict) = self.object_mut(form)
        {
            dict.remove("SigFlags");
        }
    }
}
