//! What a document says outside of its pages.

use crate::content::Matrix;
use crate::draw::{NoTypesetter, Pen};
use crate::error::Result;
use crate::file::Pdf;
use crate::form::FieldKind;
use crate::object::{Dict, Object, Stream};
use crate::redact::Removed;
use crate::redact::find::Terms;
use crate::redact::fonts::Fonts;
use crate::redact::level::overlap;
use crate::redact::walk::Walk;
use crate::write::{reachable, real};
use std::collections::{BTreeMap, BTreeSet};

/// Removes what nobody sees and nobody can check: attachments, XMP, data of programs, scripts, XFA.
pub(super) fn remove_hidden(pdf: &mut Pdf, removed: &mut Removed) {
    let attached = pdf.attachments();
    if !attached.is_empty() {
        let annotations: BTreeSet<u32> = attached.iter().filter_map(|it| it.annotation).collect();
        for page in pdf.pages.clone() {
            pdf.remove_annotations(page, |it| annotations.contains(&it));
        }
        pdf.set_names("EmbeddedFiles", Vec::new());
        removed.other.push(format!("Attachments: {}.", attached.len()));
    }
    if !pdf.names("JavaScript").is_empty() {
        pdf.set_names("JavaScript", Vec::new());
        removed.other.push("Scripts of the document.".to_owned());
    }
    if pdf.has_xfa()
        && let Some((form, _)) = pdf.form()
        && let Some(dict) = pdf.object_mut(form)
    {
        dict.remove("XFA");
        removed.other.push("The XFA part of the form.".to_owned());
    }
    let mut hidden = 0;
    for key in ["Metadata", "PieceInfo", "AF", "SpiderInfo", "Collection", "Threads"] {
        hidden += usize::from(pdf.catalog_mut().remove(key).is_some());
    }
    for (_, value) in pdf.objects.iter_mut() {
        let Some(dict) = value.as_dict_mut() else { continue };
        for key in ["Metadata", "PieceInfo", "Thumb", "LastModified", "AF"] {
            hidden += usize::from(dict.remove(key).is_some());
        }
    }
    if hidden > 0 {
        removed
            .other
            .push("XMP metadata, small pictures of pages and data of programs.".to_owned());
    }
}

/// Removes everything on a page.
pub(super) fn empty_page(pdf: &mut Pdf, page: u32) {
    let [x, y, right, top] = pdf.page_box(page);
    let rect = [x, y, right - x, top - y].map(real).join(" ");
    let content = pdf.add(Stream::deflated(Dict::new(), format!("0 g {rect} re f\n").as_bytes()));
    let fields: BTreeSet<u32> = {
        let here: BTreeSet<u32> = pdf.annotations(page).into_iter().collect();
        let of_page =
            pdf.fields().into_iter().filter(|it| it.widgets.iter().all(|it| here.contains(it)));
        of_page.map(|it| it.number).chain(here.iter().copied()).collect()
    };
    crate::flatten::remove_fields(pdf, &fields);
    if let Some(dict) = pdf.object_mut(page) {
        for key in ["Annots", "Thumb", "B", "AA", "StructParents", "Group", "PresSteps"] {
            dict.remove(key);
        }
        dict.set("Contents", Object::Ref(content));
        dict.set("Resources", Dict::new());
    }
}

/// Returns the text that an appearance of an annotation draws, and `true` if it has a hit.
fn has_hit(
    pdf: &Pdf,
    fonts: &mut Fonts,
    page: u32,
    annotation: u32,
    terms: &Terms,
) -> Result<bool> {
    let Some(dict) = pdf.object(annotation) else { return Ok(false) };
    let mut forms = Vec::new();
    if let Some(states) = pdf.dict(dict, "AP") {
        for (_, value) in states.iter() {
            match (value.as_ref(), pdf.resolve(value)) {
                (Some(number), Object::Stream(_)) => forms.push(number),
                (_, Object::Dict(states)) => {
                    forms.extend(states.iter().filter_map(|it| it.1.as_ref()))
                }
                _ => {}
            }
        }
    }
    for form in forms {
        if stream_hits(pdf, fonts, page, form, terms)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns `true` if the text that a form draws has a hit.
fn stream_hits(pdf: &Pdf, fonts: &mut Fonts, page: u32, form: u32, terms: &Terms) -> Result<bool> {
    let Some(stream) = pdf.objects.get(&form).and_then(Object::as_stream) else { return Ok(false) };
    let resources = pdf.dict(&stream.dict, "Resources").cloned().unwrap_or_default();
    let content = pdf.decode(stream)?.bytes;
    let mut walk = Walk::new(pdf, fonts, page, None, 0);
    walk.run(&content, &resources, Some(form), Matrix::IDENTITY)?;
    let mut hits = vec![false; walk.glyphs.len()];
    terms.mark(&walk.glyphs, &mut hits);
    let unread = [std::mem::take(&mut walk.unknown), std::mem::take(&mut walk.programs)];
    fonts.unread.extend(unread.into_iter().flatten());
    Ok(hits.contains(&true))
}

/// Annotations that were hit.
#[derive(Default)]
pub(super) struct Annotated {
    /// Annotations and links that are removed.
    removed: usize,
    /// Places of fields, which are emptied once all pages are searched.
    widgets: BTreeSet<u32>,
}

/// Removes annotations in areas and those with hits; notes fields in areas and those that show hits.
pub(super) fn annotations(
    pdf: &mut Pdf,
    fonts: &mut Fonts,
    page: u32,
    areas: &[[f64; 4]],
    terms: &Terms,
    hit: &mut Annotated,
) -> Result<()> {
    let mut gone = BTreeSet::new();
    for annotation in pdf.annotations(page) {
        let Some(dict) = pdf.object(annotation) else { continue };
        let rect = pdf.rect(dict.get("Rect")).unwrap_or_default();
        let in_area = areas.iter().any(|it| overlap(&rect, it));
        let is_widget = pdf.value(dict, "Subtype").is_name("Widget");
        let texts = ["Contents", "RC", "Subj", "T"].iter().filter_map(|it| pdf.text(dict, it));
        let mut is_hit = texts.into_iter().any(|it| !is_widget && terms.hit(&it));
        if let Some(action) = pdf.dict(dict, "A") {
            is_hit |= ["URI", "JS", "F"]
                .iter()
                .filter_map(|it| pdf.text(action, it))
                .any(|it| terms.hit(&it));
        }
        is_hit = is_hit || has_hit(pdf, fonts, page, annotation, terms)?;
        if is_widget {
            if in_area || is_hit {
                hit.widgets.insert(annotation);
            }
        } else if in_area || is_hit {
            gone.insert(annotation);
        }
    }
    hit.removed += remove_from_page(pdf, page, &gone);
    Ok(())
}

/// Removes annotations of a page and their objects, which the structure of the document may name. Returns how many.
fn remove_from_page(pdf: &mut Pdf, page: u32, gone: &BTreeSet<u32>) -> usize {
    if gone.is_empty() {
        return 0;
    }
    let before = pdf.annotations(page);
    let count = pdf.remove_annotations(page, |it| gone.contains(&it));
    let kept: BTreeSet<u32> = pdf.annotations(page).into_iter().collect();
    for annotation in before.into_iter().filter(|it| !kept.contains(it)) {
        pdf.remove(annotation);
    }
    count
}

/// Adds a field or a place of it, and the fields above it, which may hold its value.
fn add_holders(pdf: &Pdf, field: u32, holders: &mut BTreeSet<u32>) {
    let mut next = Some(field);
    while let Some(number) = next.filter(|it| holders.insert(*it)) {
        next = pdf.object(number).and_then(|it| it.get("Parent").as_ref());
    }
}

fn remove_values(pdf: &mut Pdf, fields: &BTreeSet<u32>) {
    for number in fields {
        if let Some(dict) = pdf.object_mut(*number) {
            for key in ["V", "DV", "RV"] {
                dict.remove(key);
            }
        }
    }
}

/// Removes places that were hit and belong to no field that is listed, so that nothing empties them. Returns how many.
fn remove_unlisted(pdf: &mut Pdf, unlisted: &BTreeSet<u32>) -> usize {
    if unlisted.is_empty() {
        return 0;
    }
    let pages = pdf.pages.clone();
    let count = pages.into_iter().map(|it| remove_from_page(pdf, it, unlisted)).sum();
    crate::flatten::remove_fields(pdf, unlisted);
    count
}

/// Empties fields that were noted and those whose values have hits.
pub(super) fn fields(
    pdf: &mut Pdf,
    hit: &Annotated,
    terms: &Terms,
    removed: &mut Removed,
) -> Result<()> {
    removed.note_hits("annotations and links, which are removed", hit.removed);
    let fields = pdf.fields();
    let mut emptied = 0;
    let mut unlisted = hit.widgets.clone();
    let mut holders = BTreeSet::new();
    for field in fields {
        for widget in &field.widgets {
            unlisted.remove(widget);
        }
        let is_here = field.widgets.iter().any(|it| hit.widgets.contains(it));
        let values = ["V", "DV", "RV"].map(|it| pdf.inherited(field.number, it));
        let of = |value: &Object| match value {
            Object::Str(bytes) => terms.hit(&crate::text::decode(bytes)),
            Object::Name(bytes) => terms.hit(&crate::text::decode(bytes)),
            Object::Array(values) => values.iter().any(|it| {
                pdf.resolve(it).as_str().is_some_and(|it| terms.hit(&crate::text::decode(it)))
            }),
            Object::Stream(stream) => {
                pdf.decode(stream).is_ok_and(|it| terms.hit(&crate::text::decode(&it.bytes)))
            }
            _ => false,
        };
        if !is_here && !values.iter().any(of) {
            continue;
        }
        emptied += 1;
        for number in field.widgets.iter().chain([&field.number]) {
            add_holders(pdf, *number, &mut holders);
        }
        for number in field.widgets.iter().chain([&field.number]) {
            if let Some(dict) = pdf.object_mut(*number) {
                for key in ["V", "DV", "RV", "AA", "AP", "I"] {
                    dict.remove(key);
                }
                // The caption of a button may be what was hit.
                if field.kind == FieldKind::Button {
                    dict.remove("MK");
                }
                dict.set("AS", Object::name("Off"));
            }
        }
        if matches!(field.kind, FieldKind::Text | FieldKind::Combo | FieldKind::List) {
            for number in field.widgets.iter().chain([&field.number]) {
                if let Some(dict) = pdf.object_mut(*number) {
                    dict.remove("AS");
                }
            }
            let mut pen = Pen::of_fields(&NoTypesetter);
            crate::appearance::show(pdf, &field, "", &mut pen)?;
        }
    }
    removed.note_hits("form fields, which are emptied", emptied);
    for widget in &unlisted {
        add_holders(pdf, *widget, &mut holders);
    }
    // Only now, because other fields are hit by a value that they inherit.
    remove_values(pdf, &holders);
    let count = remove_unlisted(pdf, &unlisted);
    removed.note_hits("places of fields that the form does not list, which are removed", count);
    Ok(())
}

/// Empties forms and patterns that draw hits, and that no page shows in its content.
pub(super) fn loose(
    pdf: &mut Pdf,
    fonts: &mut Fonts,
    known: u32,
    terms: &Terms,
    removed: &mut Removed,
) -> Result<()> {
    if terms.is_empty() {
        return Ok(());
    }
    let Some(&page) = pdf.pages.first() else { return Ok(()) };
    let is_drawn = |stream: &Stream| {
        pdf.value(&stream.dict, "Subtype").is_name("Form")
            || pdf.value(&stream.dict, "PatternType").as_int() == Some(1)
    };
    let forms: Vec<u32> = reachable(pdf)
        .sorted()
        .into_iter()
        .filter(|it| pdf.objects.get(it).and_then(Object::as_stream).is_some_and(is_drawn))
        .collect();
    let mut count = 0;
    // New forms were walked through when they were made.
    for form in forms.into_iter().filter(|it| *it < known) {
        if !stream_hits(pdf, fonts, page, form, terms)? {
            continue;
        }
        let Some(Object::Stream(stream)) = pdf.objects.get(&form) else { continue };
        let mut dict = stream.dict.clone();
        dict.set("Resources", Dict::new());
        pdf.objects.insert(form, Stream::deflated(dict, b"").into());
        count += 1;
    }
    removed.note_hits("patterns and forms outside of pages, which are emptied", count);
    Ok(())
}

fn each_string(value: &mut Object, change: &mut dyn FnMut(&mut Vec<u8>)) {
    match value {
        Object::Str(text) => change(text),
        Object::Array(values) => values.iter_mut().for_each(|it| each_string(it, change)),
        Object::Dict(dict) => dict.iter_mut().for_each(|it| each_string(it.1, change)),
        Object::Stream(stream) => stream.dict.iter_mut().for_each(|it| each_string(it.1, change)),
        _ => {}
    }
}

/// Blackens hits in all strings: bookmarks, metadata, tags, names of layers. Texts that stand for content are removed,
/// because they may say it in other words.
pub(super) fn sweep(pdf: &mut Pdf, terms: &Terms, by_area: bool, removed: &mut Removed) {
    let (mut strings, mut alternates) = (0, 0);
    for (_, value) in pdf.objects.iter_mut() {
        each_dict(value, &mut |dict| {
            for key in ["ActualText", "E"] {
                if matches!(dict.get(key), Object::Str(_)) {
                    dict.remove(key);
                    alternates += 1;
                }
            }
            if by_area && matches!(dict.get("Alt"), Object::Str(_)) {
                dict.remove("Alt");
                alternates += 1;
            }
        });
        each_string(value, &mut |text| {
            let plain = crate::text::decode(text);
            if terms.hit(&plain) {
                strings += 1;
                if let Object::Str(new) = Object::text(&terms.blacken(&plain)) {
                    *text = new;
                }
            }
        });
    }
    strings += old_destinations(pdf, terms);
    let mut streams = 0;
    for number in reachable(pdf).sorted() {
        let Some(Object::Stream(stream)) = pdf.objects.get(&number) else { continue };
        if text_of(pdf, stream).is_some_and(|it| terms.hit(&it)) {
            pdf.objects.insert(number, Stream::new(Dict::new(), Vec::new()).into());
            streams += 1;
        }
    }
    let outside = "bookmarks, metadata, tags and other texts outside of pages";
    removed.note_hits(outside, strings + streams);
    if alternates > 0 {
        removed.other.push(format!("Alternate texts: {alternates}."));
    }
}

/// Renames destinations of the oldest kind, whose names are not strings. Returns how many had a hit.
fn old_destinations(pdf: &mut Pdf, terms: &Terms) -> usize {
    let Some(mut all) = pdf.dict(pdf.catalog(), "Dests").cloned() else { return 0 };
    let taken: BTreeSet<Vec<u8>> = all.iter().map(|it| it.0.to_vec()).collect();
    let hit: Vec<Vec<u8>> =
        taken.iter().filter(|it| terms.hit(&crate::text::decode(it))).cloned().collect();
    let mut free =
        (1..).map(|it| format!("removed{it}").into_bytes()).filter(|it| !taken.contains(it));
    let mut names = BTreeMap::new();
    for old in hit {
        let Some(new) = free.next() else { break };
        if let Some(value) = all.remove(&old) {
            all.set(&new, value);
        }
        names.insert(old, new);
    }
    if names.is_empty() {
        return 0;
    }
    if let Some(number) = pdf.catalog().get("Dests").as_ref() {
        pdf.objects.insert(number, all.into());
    } else {
        pdf.catalog_mut().set("Dests", all);
    }
    for (_, value) in pdf.objects.iter_mut() {
        each_dict(value, &mut |dict| {
            for key in ["Dest", "D", "OpenAction"] {
                if let Some(new) = dict.get(key).as_name().and_then(|it| names.get(it)) {
                    dict.set(key, Object::Name(new.as_slice().into()));
                }
            }
        });
    }
    names.len()
}

fn each_dict(value: &mut Object, change: &mut dyn FnMut(&mut Dict)) {
    match value {
        Object::Dict(dict) => {
            change(dict);
            dict.iter_mut().for_each(|it| each_dict(it.1, change));
        }
        Object::Stream(stream) => {
            change(&mut stream.dict);
            stream.dict.iter_mut().for_each(|it| each_dict(it.1, change));
        }
        Object::Array(values) => values.iter_mut().for_each(|it| each_dict(it, change)),
        _ => {}
    }
}

/// Returns the text of a stream that is neither content, nor a picture, nor a font: scripts, XML, rich text.
fn text_of(pdf: &Pdf, stream: &Stream) -> Option<String> {
    let dict = &stream.dict;
    let is_other = [
        "Subtype",
        "PatternType",
        "ShadingType",
        "FunctionType",
        "Length1",
        "N",
        "CMapName",
        "FormType",
    ];
    if is_other.iter().any(|it| dict.has(it)) && !dict.get("Subtype").is_name("XML") {
        return None;
    }
    if crate::load::raw(stream).len() > 4 << 20 {
        return None;
    }
    let bytes = pdf.decode(stream).ok()?.bytes;
    // Content streams have been walked through; tables of fonts name single characters.
    let is_wide = matches!(bytes[..], [0xfe, 0xff, ..] | [0xff, 0xfe, ..] | [0xef, 0xbb, 0xbf, ..]);
    if !is_wide && !is_script(&bytes) {
        return None;
    }
    let text = crate::text::decode(&bytes);
    let is_text =
        text.chars().take(400).filter(|it| it.is_control() && !it.is_whitespace()).count() == 0;
    (is_text && is_script(text.as_bytes())).then_some(text)
}

/// Returns `true` if a text has a word that scripts, XML or rich text have.
fn is_script(text: &[u8]) -> bool {
    text.iter().enumerate().any(|(at, first)| {
        let rest = &text[at..];
        match first {
            b'<' => ["<?x", "<x:", "<body"].iter().any(|it| rest.starts_with(it.as_bytes())),
            b'f' => rest.starts_with(b"function"),
            b'a' => rest.starts_with(b"app."),
            b'v' => rest.starts_with(b"var "),
            b't' => rest.starts_with(b"this."),
            _ => false,
        }
    })
}

/// Returns what has a hit in the result; `None` if nothing has.
pub(super) fn leftover(pdf: &Pdf, terms: &Terms) -> Option<String> {
    fn strings(value: &Object, terms: &Terms) -> bool {
        match value {
            Object::Str(text) => terms.hit(&crate::text::decode(text)),
            Object::Array(values) => values.iter().any(|it| strings(it, terms)),
            Object::Dict(dict) => dict.iter().any(|it| strings(it.1, terms)),
            Object::Stream(stream) => stream.dict.iter().any(|it| strings(it.1, terms)),
            _ => false,
        }
    }
    let old = pdf.dict(pdf.catalog(), "Dests").into_iter().flat_map(Dict::iter);
    if old.into_iter().any(|it| terms.hit(&crate::text::decode(it.0))) {
        return Some("the name of a destination".to_owned());
    }
    for (number, value) in pdf.objects.iter() {
        if strings(value, terms) {
            return Some(format!("a text in object {number}"));
        }
        if let Object::Stream(stream) = value
            && text_of(pdf, stream).is_some_and(|it| terms.hit(&it))
        {
            return Some(format!("a text in stream {number}"));
        }
    }
    None
}
