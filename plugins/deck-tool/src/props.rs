//! Properties of the file: title, author and the like, and what `docProps/app.xml` counts.

use crate::deck::Deck;
use crate::error::{Result, invalid};
use crate::escape::escape;
use crate::xml::{Splices, Xml};

const CORE: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\r\n<cp:coreProperties \
xmlns:cp=\"http://schemas.openxmlformats.org/package/2006/metadata/core-properties\" \
xmlns:dc=\"http://purl.org/dc/elements/1.1/\" xmlns:dcterms=\"http://purl.org/dc/terms/\" \
xmlns:dcmitype=\"http://purl.org/dc/dcmitype/\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\
</cp:coreProperties>";
const CORE_KIND: &str =
    "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties";
const CORE_TYPE: &str = "application/vnd.openxmlformats-package.core-properties+xml";

/// Names of properties, and the elements that hold them.
const PROPERTIES: [(&str, &str); 7] = [
    ("title", "dc:title"),
    ("subject", "dc:subject"),
    ("author", "dc:creator"),
    ("keywords", "cp:keywords"),
    ("comments", "dc:description"),
    ("category", "cp:category"),
    ("last-modified-by", "cp:lastModifiedBy"),
];

/// Sets a property, and returns the old value.
///
/// # Errors
/// [`crate::Error::Invalid`] - there is no property of this name.
pub(crate) fn set(deck: &mut Deck, name: &str, value: &str) -> Result<String> {
    let Some((_, element)) = PROPERTIES.iter().find(|it| it.0 == name) else {
        let names: Vec<&str> = PROPERTIES.iter().map(|it| it.0).collect();
        return invalid(format!("expected a property of {}, got `{name}`", names.join(", ")));
    };
    let part = match deck.package.related("", "core-properties")? {
        Some(part) => part,
        None => {
            let part = "docProps/core.xml".to_owned();
            deck.package.put(&part, CORE.as_bytes().to_vec());
            deck.package.set_media_type(&part, CORE_TYPE)?;
            deck.package.relate("", CORE_KIND, &part, false)?;
            part
        }
    };
    let xml = deck.package.xml(&part)?;
    let (prefix, local) = element.split_once(':').unwrap_or(("", element));
    let mut splices = Splices::default();
    let mut old = String::new();
    match xml.any(xml.root(), local) {
        Some(node) => {
            old = xml.content(node);
            xml.set_inner(node, &escape(value), &mut splices);
        }
        None => {
            let uri = match prefix {
                "dc" => "http://purl.org/dc/elements/1.1/",
                _ => "http://schemas.openxmlformats.org/package/2006/metadata/core-properties",
            };
            let new = format!("<{element} xmlns:{prefix}=\"{uri}\">{}</{element}>", escape(value));
            xml.append(xml.root(), &new, &mut splices);
        }
    }
    deck.package.splice(&part, splices)?;
    Ok(old)
}

/// The slides before and after a batch, with their titles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    /// For each slide now: its number before, or its title if it is new.
    pub(crate) slides: Vec<Result<usize, String>>,
    pub(crate) before: usize,
    pub(crate) hidden: usize,
    pub(crate) notes: usize,
}

/// Brings what `docProps/app.xml` counts up to date.
///
/// # Errors
/// [`crate::Error::Malformed`] - the part cannot be read.
pub(crate) fn count(deck: &mut Deck, count: &Count) -> Result<()> {
    let Some(part) = deck.package.related("", "extended-properties")? else { return Ok(()) };
    let xml = deck.package.xml(&part)?;
    let root = xml.root();
    let mut splices = Splices::default();
    for (local, number) in
        [("Slides", count.slides.len()), ("HiddenSlides", count.hidden), ("Notes", count.notes)]
    {
        if let Some(node) = xml.any(root, local)
            && xml.content(node).trim() != number.to_string()
        {
            xml.set_inner(node, &number.to_string(), &mut splices);
        }
    }
    let is_same = count.before == count.slides.len()
        && count.slides.iter().enumerate().all(|(at, it)| *it == Ok(at));
    if !is_same {
        titles(&xml, count, &mut splices);
    }
    deck.package.splice(&part, splices)
}

/// Changes the list of titles: those of slides are its last ones, and the last pair of headings says how many they are.
fn titles(xml: &Xml, count: &Count, out: &mut Splices) {
    let vector = |local: &str| xml.any(xml.any(xml.root(), local)?, "vector");
    let (Some(pairs), Some(list)) = (vector("HeadingPairs"), vector("TitlesOfParts")) else {
        return;
    };
    let last = xml.children(pairs).last().and_then(|it| xml.children(it).last());
    let Some(last) = last.filter(|&it| xml.content(it).trim() == count.before.to_string()) else {
        return;
    };
    let entries: Vec<u32> = xml.children(list).collect();
    let Some(first) = entries.len().checked_sub(count.before).filter(|_| count.before > 0) else {
        return;
    };
    let name = format!("{}lpstr", xml.prefix(entries[first]));
    let new: String = count
        .slides
        .iter()
        .map(|it| match it {
            Ok(at) => {
                entries.get(first + at).map_or_else(String::new, |&it| xml.xml(it).to_owned())
            }
            Err(title) => format!("<{name}>{}</{name}>", escape(title)),
        })
        .collect();
    let range = xml.range(entries[first]).start..xml.range(entries[entries.len() - 1]).end;
    out.replace(range, new);
    xml.set_inner(last, &count.slides.len().to_string(), out);
    xml.set_attr(list, "size", &(first + count.slides.len()).to_string(), out);
}
