//! Joins documents, and takes them apart.

use crate::error::{Result, invalid};
use crate::file::Pdf;
use crate::object::{Dict, Object};
use crate::text::{counted, line};
use crate::write::SaveOptions;
use std::collections::{BTreeMap, BTreeSet};

/// Most documents of a call, and most files that one gives.
pub(crate) const MAX_FILES: usize = 200;
/// Most pages together.
const MAX_PAGES: usize = 50_000;

/// Joins documents. Returns the new one and warnings.
///
/// # Errors
///
/// `invalid-argument` - too few or too many. `unsupported` - one forbids it.
pub fn merge(documents: Vec<(String, Pdf)>) -> Result<(Pdf, Vec<String>)> {
    if !(2..=MAX_FILES).contains(&documents.len()) {
        return invalid(format!("expected 2 to {MAX_FILES} documents, got {}", documents.len()));
    }
    if documents.iter().map(|it| it.1.pages.len()).sum::<usize>() > MAX_PAGES {
        return invalid(format!("the documents have more than {MAX_PAGES} pages together"));
    }
    let mut warnings = Vec::new();
    for (name, pdf) in &documents {
        let denied = pdf.denied();
        if denied.contains(&"assemble") && denied.contains(&"modify") {
            return crate::edit::forbidden(&denied);
        }
        warnings.extend(pdf.repairs.iter().map(|it| format!("`{name}`: {it}")));
    }
    let mut documents = documents.into_iter();
    let Some((first, mut base)) = documents.next() else { return invalid("no documents") };
    tidy(&mut base, &first, &mut warnings);
    for (name, mut other) in documents {
        tidy(&mut other, &name, &mut warnings);
        join(&mut base, other, &name, &mut warnings)?;
    }
    Ok((base, warnings))
}

/// Removes what cannot be in a joined document.
fn tidy(pdf: &mut Pdf, name: &str, warnings: &mut Vec<String>) {
    if !pdf.signatures().is_empty() {
        pdf.drop_signatures();
        warnings.push(format!(
            "`{name}`: its signatures are removed, because they hold only for the file alone."
        ));
    }
    if pdf.has_xfa() {
        if let Some((form, _)) = pdf.form()
            && let Some(dict) = pdf.object_mut(form)
        {
            dict.remove("XFA");
        }
        warnings.push(format!("`{name}`: the XFA part of its form is removed."));
    }
}

fn join(base: &mut Pdf, mut other: Pdf, name: &str, warnings: &mut Vec<String>) -> Result<()> {
    if other.drop_tags() {
        warnings.push(format!("`{name}`: its tags for screen readers are removed."));
    }
    if !other.names("JavaScript").is_empty() {
        warnings.push(format!("`{name}`: its scripts are removed."));
    }
    rename_destinations(base, &mut other);
    rename_fonts(base, &mut other);
    let renamed = rename_fields(base, &mut other);
    if !renamed.is_empty() {
        let shown: Vec<String> = renamed
            .iter()
            .take(10)
            .map(|(old, new)| format!("`{}` to `{}`", line(old, 60), line(new, 60)))
            .collect();
        warnings.push(format!(
            "`{name}`: fields are renamed, because their names are in use: {} ({} in all).",
            shown.join(", "),
            renamed.len()
        ));
    }
    let mut labels = base.label_of_pages();
    labels.extend(other.label_of_pages());
    let catalog = other.catalog().clone();
    let form = other.form().map(|it| it.1.clone());
    let tree = other.outline_tree();
    let (destinations, files) = (other.names("Dests"), other.names("EmbeddedFiles"));
    let old_destinations = other.dict(&catalog, "Dests").cloned();
    let layers = other.dict(&catalog, "OCProperties").cloned();
    let pages = other.pages.clone();
    let other_lists =
        form.as_ref().map(|it| (other.array(it, "Fields").to_vec(), other.dict(it, "DR").cloned()));
    let other_config = layers.as_ref().map(|it| {
        let config = other.dict(it, "D").cloned().unwrap_or_default();
        let lists: Vec<(&str, Vec<Object>)> = ["ON", "OFF", "Order"]
            .iter()
            .map(|key| (*key, other.array(&config, key).to_vec()))
            .collect();
        (other.array(it, "OCGs").to_vec(), lists)
    });
    let other_fonts = other_lists
        .as_ref()
        .and_then(|it| it.1.as_ref())
        .and_then(|it| other.dict(it, "Font"))
        .cloned();
    let needs =
        form.as_ref().is_some_and(|it| other.value(it, "NeedAppearances") == &Object::Bool(true));
    let mut carrier = Dict::new();
    carrier.set(
        "Dests",
        destinations
            .into_iter()
            .flat_map(|(name, value)| [Object::Str(name), value])
            .collect::<Vec<_>>(),
    );
    carrier.set(
        "Files",
        files.into_iter().flat_map(|(name, value)| [Object::Str(name), value]).collect::<Vec<_>>(),
    );
    if let Some(it) = old_destinations {
        carrier.set("Old", it);
    }
    if let Some((fields, _)) = other_lists {
        carrier.set("Fields", fields);
    }
    if let Some(fonts) = other_fonts {
        carrier.set("Fonts", fonts);
    }
    if let Some((groups, lists)) = other_config {
        carrier.set("OCGs", groups);
        for (key, list) in lists {
            carrier.set(key, list);
        }
    }
    // The lists travel as an object, so that their references are shifted too.
    let carrier = other.add(carrier);
    let by = base.absorb(other)?;
    let carried = base.object(carrier + by).cloned().unwrap_or_default();
    base.objects.remove(&(carrier + by));
    base.pages.extend(pages.iter().map(|it| it + by));
    if labels.iter().any(Option::is_some) {
        base.set_labels(&labels);
    }
    let pairs = |key: &str| -> Vec<(Vec<u8>, Object)> {
        let list = carried.get(key).as_array().unwrap_or_default();
        let of = |it: &[Object]| Some((it[0].as_str()?.to_vec(), it[1].clone()));
        list.chunks_exact(2).filter_map(of).collect()
    };
    let mut destinations = base.names("Dests");
    destinations.extend(pairs("Dests"));
    base.set_names("Dests", destinations);
    let mut files = base.names("EmbeddedFiles");
    for (key, value) in pairs("Files") {
        let mut free = key.clone();
        let mut count = 1_u32;
        while files.iter().any(|it| it.0 == free) {
            count += 1;
            free = [key.as_slice(), format!("-{count}").as_bytes()].concat();
        }
        files.push((free, value));
    }
    base.set_names("EmbeddedFiles", files);
    if let Some(old) = carried.get("Old").as_dict() {
        let mut all = base.dict(base.catalog(), "Dests").cloned().unwrap_or_default();
        for (name, value) in old.iter() {
            all.set(name, value.clone());
        }
        base.catalog_mut().set("Dests", all);
    }
    if let Some(fields) = carried.get("Fields").as_array().filter(|it| !it.is_empty()) {
        join_form(base, fields, carried.get("Fonts").as_dict(), needs);
    }
    if let Some(groups) = carried.get("OCGs").as_array().filter(|it| !it.is_empty()) {
        let mut layers = base.dict(base.catalog(), "OCProperties").cloned().unwrap_or_default();
        let mut all = base.array(&layers, "OCGs").to_vec();
        all.extend_from_slice(groups);
        let mut config = base.dict(&layers, "D").cloned().unwrap_or_default();
        for key in ["ON", "OFF", "Order"] {
            let mut list = base.array(&config, key).to_vec();
            list.extend_from_slice(carried.get(key).as_array().unwrap_or_default());
            if !list.is_empty() {
                config.set(key, list);
            }
        }
        layers.set("OCGs", all);
        layers.set("D", config);
        base.catalog_mut().set("OCProperties", layers);
    }
    let mut nodes = base.outline_tree();
    nodes.extend(tree.into_iter().map(|it| moved(it, by)));
    base.set_outline_tree(&nodes);
    Ok(())
}

fn moved(node: crate::outline::Node, by: u32) -> crate::outline::Node {
    crate::outline::Node {
        number: node.number + by,
        kids: node.kids.into_iter().map(|it| moved(it, by)).collect(),
    }
}

fn join_form(base: &mut Pdf, fields: &[Object], fonts: Option<&Dict>, needs: bool) {
    let form = match base.form() {
        Some((form, _)) => form,
        None => {
            let form = base.add(Dict::new().with("Fields", Vec::new()));
            base.catalog_mut().set("AcroForm", Object::Ref(form));
            form
        }
    };
    let Some(dict) = base.object(form).cloned() else { return };
    let mut all = base.array(&dict, "Fields").to_vec();
    all.extend_from_slice(fields);
    let mut resources = base.dict(&dict, "DR").cloned().unwrap_or_default();
    let mut names = base.dict(&resources, "Font").cloned().unwrap_or_default();
    for (name, font) in fonts.into_iter().flat_map(Dict::iter) {
        if names.find(name).is_none() {
            names.set(name, font.clone());
        }
    }
    resources.set("Font", names);
    if let Some(dict) = base.object_mut(form) {
        dict.set("Fields", all);
        dict.set("DR", resources);
        if needs {
            dict.set("NeedAppearances", true);
        }
    }
}

/// Calls a function for each dictionary of a value.
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

/// Gives destinations names that the first document does not have, and changes what leads to them.
fn rename_destinations(base: &Pdf, other: &mut Pdf) {
    let used = base.named_destinations();
    let own = other.named_destinations();
    let mut map: BTreeMap<Vec<u8>, Vec<u8>> = BTreeMap::new();
    for name in own.keys().filter(|it| used.contains_key(*it)) {
        let mut count = 1_u32;
        let free = loop {
            count += 1;
            let free = [name.as_slice(), format!("-{count}").as_bytes()].concat();
            if !used.contains_key(&free) && !own.contains_key(&free) {
                break free;
            }
        };
        map.insert(name.clone(), free);
    }
    if map.is_empty() {
        return;
    }
    let renamed = |value: &mut Object| match value {
        Object::Str(name) => {
            if let Some(new) = map.get(name) {
                *name = new.clone();
            }
        }
        Object::Name(name) => {
            if let Some(new) = map.get(&**name) {
                *name = new.as_slice().into();
            }
        }
        _ => {}
    };
    for (_, value) in other.objects.iter_mut() {
        each_dict(value, &mut |dict| {
            if let Some(value) = dict.get_mut(b"Dest") {
                renamed(value);
            }
            if dict.get("S").is_name("GoTo")
                && let Some(value) = dict.get_mut(b"D")
            {
                renamed(value);
            }
        });
    }
    let tree = other
        .names("Dests")
        .into_iter()
        .map(|(name, value)| (map.get(&name).cloned().unwrap_or(name), value));
    let tree = tree.collect();
    other.set_names("Dests", tree);
    if let Some(old) = other.dict(other.catalog(), "Dests").cloned() {
        let mut new = Dict::new();
        for (name, value) in old.iter() {
            new.set(map.get(name).map_or(name, Vec::as_slice), value.clone());
        }
        other.catalog_mut().set("Dests", new);
    }
}

/// Gives fonts of the form other names where the first form has other fonts of these names.
fn rename_fonts(base: &Pdf, other: &mut Pdf) {
    fn fonts(pdf: &Pdf) -> Dict {
        let form = pdf.form().and_then(|(_, form)| pdf.dict(form, "DR"));
        form.and_then(|it| pdf.dict(it, "Font")).cloned().unwrap_or_default()
    }
    let (used, own) = (fonts(base), fonts(other));
    let is_same = |name: &[u8]| {
        let of = |pdf: &Pdf, fonts: &Dict| {
            let font = pdf.resolve(fonts.find(name)?).as_dict()?;
            (!font.has("FontDescriptor")).then(|| pdf.text(font, "BaseFont"))
        };
        of(base, &used).is_some_and(|it| Some(it) == of(other, &own))
    };
    let mut map = BTreeMap::new();
    for (name, _) in own.iter().filter(|it| used.find(it.0).is_some()) {
        if !is_same(name) {
            let mut free = name.to_vec();
            while used.find(&free).is_some()
                || own.find(&free).is_some()
                || map.values().any(|it| *it == free)
            {
                free.push(b'x');
            }
            map.insert(name.to_vec(), free);
        }
    }
    // What fields inherit from their form they must have on their own.
    let default = other.form().map(|(_, form)| {
        (form.get("DA").clone(), form.get("Q").clone(), other.array(form, "Fields").to_vec())
    });
    if let Some((appearance, align, fields)) = default {
        for field in fields.iter().filter_map(Object::as_ref) {
            if let Some(dict) = other.object_mut(field) {
                if !dict.has("DA") && !appearance.is_null() {
                    dict.set("DA", appearance.clone());
                }
                if !dict.has("Q") && !align.is_null() {
                    dict.set("Q", align.clone());
                }
            }
        }
    }
    if map.is_empty() {
        return;
    }
    for (_, value) in other.objects.iter_mut() {
        each_dict(value, &mut |dict| {
            let Some(Object::Str(text)) = dict.get_mut(b"DA") else { return };
            let renamed = text.split(|it| *it == b' ').map(|part| {
                let new = part.strip_prefix(b"/").and_then(|it| map.get(it));
                new.map_or(part.to_vec(), |it| [&b"/"[..], it].concat())
            });
            *text = renamed.collect::<Vec<_>>().join(&b' ');
        });
    }
    let mut new = Dict::new();
    for (name, font) in own.iter() {
        new.set(map.get(name).map_or(name, Vec::as_slice), font.clone());
    }
    let Some((form, dict)) = other.form() else { return };
    let mut resources = other.dict(dict, "DR").cloned().unwrap_or_default();
    resources.set("Font", new);
    if let Some(dict) = other.object_mut(form) {
        dict.set("DR", resources);
    }
}

/// Renames fields of the top level whose names are in use. Returns old and new names.
fn rename_fields(base: &Pdf, other: &mut Pdf) -> Vec<(String, String)> {
    let tops = |pdf: &Pdf| -> Vec<(u32, String)> {
        let Some((_, form)) = pdf.form() else { return Vec::new() };
        let fields = pdf.array(form, "Fields").iter().filter_map(Object::as_ref);
        fields.filter_map(|it| Some((it, pdf.text(pdf.object(it)?, "T")?))).collect()
    };
    let mut used: BTreeSet<String> = tops(base).into_iter().map(|it| it.1).collect();
    let own = tops(other);
    let names: BTreeSet<&String> = own.iter().map(|it| &it.1).collect();
    let mut renamed = Vec::new();
    for (number, name) in &own {
        if !used.contains(name) {
            continue;
        }
        let mut count = 2_u32;
        let new = loop {
            let new = format!("{name}-{count}");
            if !used.contains(&new) && !names.contains(&new) {
                break new;
            }
            count += 1;
        };
        used.insert(new.clone());
        if let Some(dict) = other.object_mut(*number) {
            dict.set("T", Object::text(&new));
        }
        renamed.push((name.clone(), new));
    }
    renamed
}

/// How a document is taken apart.
#[derive(Clone, Debug)]
pub enum SplitBy {
    /// One file for each list, separated by `;` or one after the other.
    Pages(Vec<String>),
    /// One file for each bookmark of this level.
    Bookmarks(usize),
    /// Files of so many pages.
    Every(usize),
    /// Files of at most so many bytes.
    Size(usize),
}

/// A part of a document.
pub struct Part {
    /// What it is: pages, or the title of a bookmark.
    pub title: String,
    /// Its pages, from 1.
    pub pages: Vec<usize>,
    /// The file.
    pub bytes: Vec<u8>,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// Takes a document apart.
///
/// # Errors
///
/// `invalid-argument` - it cannot be split so. `unsupported` - the document forbids it.
pub fn split(mut pdf: Pdf, by: &SplitBy) -> Result<Vec<Part>> {
    let denied = pdf.denied();
    if denied.contains(&"assemble") && denied.contains(&"modify") {
        return crate::edit::forbidden(&denied);
    }
    let mut warnings = Vec::new();
    tidy(&mut pdf, "the document", &mut warnings);
    let count = pdf.pages.len();
    let spans: Vec<(String, Vec<usize>)> = match by {
        SplitBy::Pages(lists) => {
            let of = |it: &String| Ok((it.trim().to_owned(), crate::ranges::pages(it, count)?));
            lists.iter().map(of).collect::<Result<_>>()?
        }
        SplitBy::Bookmarks(level) => {
            let items: Vec<_> = pdf.outline().into_iter().filter(|it| it.level == *level).collect();
            let mut starts: Vec<(String, usize)> = Vec::new();
            for item in items {
                if let Some(page) = item.page
                    && starts.last().is_none_or(|it| it.1 < page - 1)
                {
                    starts.push((item.title, page - 1));
                }
            }
            if starts.is_empty() {
                return invalid(format!(
                    "the document has no bookmarks of level {level} that lead to pages"
                ));
            }
            if starts[0].1 > 0 {
                starts.insert(0, ("beginning".to_owned(), 0));
            }
            let end = |at: usize| starts.get(at + 1).map_or(count, |it| it.1);
            starts
                .iter()
                .enumerate()
                .map(|(at, (title, from))| (title.clone(), (*from..end(at)).collect()))
                .collect()
        }
        SplitBy::Every(each) => {
            if *each == 0 {
                return invalid("expected at least 1 page for each file");
            }
            let all: Vec<usize> = (0..count).collect();
            all.chunks(*each).map(|it| (span(it), it.to_vec())).collect()
        }
        SplitBy::Size(most) => {
            if *most < 10_000 {
                return invalid(format!("expected a size of at least 10 000 bytes, got {most}"));
            }
            by_size(&pdf, *most).into_iter().map(|it| (span(&it), it)).collect()
        }
    };
    if spans.len() > MAX_FILES {
        return invalid(format!(
            "that would be {} files; at most {MAX_FILES} are made",
            spans.len()
        ));
    }
    let mut parts = Vec::new();
    let mut total = 0;
    for (title, pages) in spans {
        let mut copy = pdf.copy();
        let mut said = warnings.clone();
        said.extend(copy.select(&pages)?);
        let options = SaveOptions { is_packed: true, protection: None };
        let bytes = copy.save(&options)?;
        total += bytes.len();
        if total > 200 << 20 {
            return invalid(
                "the files would be larger than 200 MiB together; split into fewer pages at a time",
            );
        }
        if let SplitBy::Size(most) = by
            && bytes.len() > *most
        {
            let most = counted(*most, "byte");
            said.push(format!("The file is larger than {most}, because one page alone is."));
        }
        parts.push(Part {
            title,
            pages: pages.iter().map(|it| it + 1).collect(),
            bytes,
            warnings: said,
        });
    }
    Ok(parts)
}

fn span(pages: &[usize]) -> String {
    match pages {
        [] => String::new(),
        [one] => (one + 1).to_string(),
        [first, .., last] => format!("{}-{}", first + 1, last + 1),
    }
}

/// Groups pages so that their objects together are not larger than a size.
fn by_size(pdf: &Pdf, most: usize) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut seen: BTreeSet<u32> = BTreeSet::new();
    let mut size = 0;
    let stops: BTreeSet<u32> = pdf.pages.iter().copied().chain([pdf.root()]).collect();
    for (at, page) in pdf.pages.iter().enumerate() {
        let measure = |seen: &mut BTreeSet<u32>| {
            let mut sum = 0;
            let mut todo: Vec<&Object> = pdf
                .object(*page)
                .into_iter()
                .flat_map(|it| it.iter().filter(|it| it.0 != b"Parent").map(|it| it.1))
                .collect();
            while let Some(value) = todo.pop() {
                match value {
                    Object::Ref(number) if !stops.contains(number) && seen.insert(*number) => {
                        todo.extend(pdf.objects.get(number));
                        sum += 60;
                    }
                    Object::Array(values) => {
                        sum += values.len() * 4;
                        todo.extend(values);
                    }
                    Object::Dict(dict) => {
                        sum += dict.len() * 10;
                        todo.extend(dict.iter().map(|it| it.1));
                    }
                    Object::Stream(stream) => {
                        sum += crate::load::raw(stream).len();
                        todo.extend(stream.dict.iter().map(|it| it.1));
                    }
                    Object::Str(text) => sum += text.len(),
                    _ => {}
                }
            }
            sum
        };
        let more = measure(&mut seen);
        if size + more > most * 95 / 100 && size > 0 {
            seen.clear();
            size = measure(&mut seen);
            groups.push(vec![at]);
        } else {
            size += more;
            match groups.last_mut() {
                Some(group) => group.push(at),
                None => groups.push(vec![at]),
            }
        }
    }
    groups
}
