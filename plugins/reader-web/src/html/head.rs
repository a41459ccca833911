//! Reads the metadata of a page: title, author, dates, address, language.

use dom_query::Document;
use mitt_reader_kit::{clean, single_line};
use serde_json::Value;

/// Longest JSON-LD of a page that is read, and the longest value that is kept.
const MAX_DATA_BYTES: usize = 256 << 10;
const MAX_VALUE_CHARACTERS: usize = 1_000;

/// Deepest nesting in JSON-LD that is searched.
const MAX_DEPTH: usize = 4;

#[derive(Debug, Default)]
pub(crate) struct Head {
    pub(crate) title: Option<String>,
    pub(crate) metadata: Vec<(String, String)>,
    /// Address of the page, from its metadata.
    pub(crate) address: Option<String>,
    /// Base address of relative links, from its `<base>`.
    pub(crate) base: Option<String>,
}

pub(crate) fn read(document: &Document) -> Head {
    let named = named(document);
    let meta = |names: &[&str]| {
        names.iter().find_map(|name| {
            named.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
        })
    };
    let data = data(document);
    let from_data = |name: &str| data.as_ref().and_then(|it| text(it.get(name)?));
    let attribute = |selector: &str, name: &str| {
        document.select_single(selector).attr(name).and_then(|it| tidy(&it))
    };
    let title = document.select("head title, title").iter().next().and_then(|it| tidy(&it.text()));
    let heading = || {
        let headings = document.select("h1");
        headings.iter().find_map(|it| tidy(&it.text()))
    };
    let title = meta(&["og:title"]).or(title).or_else(heading);
    let is_name = |it: &String| !it.contains("://");
    let address = attribute("link[rel~=canonical]", "href").or(meta(&["og:url"]));
    let pairs = [
        (
            "author",
            meta(&["author", "dc.creator", "article:author", "citation_author", "parsely-author"])
                .filter(is_name)
                .or_else(|| from_data("author"))
                .filter(is_name),
        ),
        (
            "published",
            meta(&[
                "article:published_time",
                "datepublished",
                "date",
                "pubdate",
                "publishdate",
                "dc.date.issued",
                "dc.date",
                "citation_publication_date",
                "citation_date",
                "og:published_time",
            ])
            .or_else(|| from_data("datePublished"))
            .or_else(|| attribute("time[pubdate]", "datetime"))
            .or_else(|| attribute("[itemprop=datePublished]", "datetime")),
        ),
        (
            "modified",
            meta(&["article:modified_time", "datemodified", "last-modified", "og:updated_time"])
                .or_else(|| from_data("dateModified")),
        ),
        ("url", address.clone()),
        (
            "language",
            attribute("html", "lang").or_else(|| attribute("html", "xml:lang")).or(meta(&[
                "content-language",
                "og:locale",
                "dc.language",
            ])),
        ),
        ("description", meta(&["description", "og:description", "dc.description"])),
        ("site", meta(&["og:site_name", "application-name"])),
        ("keywords", meta(&["keywords", "news_keywords"])),
    ];
    let metadata = pairs.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Head { title, metadata: metadata.collect(), address, base: attribute("base", "href") }
}

/// Returns every `<meta>` that has a name, in lower case.
fn named(document: &Document) -> Vec<(String, String)> {
    let metas = document.select("meta");
    let pairs = metas.iter().filter_map(|meta| {
        let name =
            ["name", "property", "itemprop", "http-equiv"].iter().find_map(|it| meta.attr(it))?;
        Some((name.trim().to_ascii_lowercase(), tidy(&meta.attr("content")?)?))
    });
    pairs.collect()
}

fn tidy(text: &str) -> Option<String> {
    let text = single_line(&clean(text));
    let text: String = text.chars().take(MAX_VALUE_CHARACTERS).collect();
    (!text.is_empty()).then_some(text)
}

/// Returns the first object of JSON-LD that has an author or a date.
fn data(document: &Document) -> Option<Value> {
    let scripts = document.select("script[type='application/ld+json']");
    scripts.iter().find_map(|script| {
        let text = script.text();
        if text.len() > MAX_DATA_BYTES {
            return None;
        }
        find(serde_json::from_str(&text).ok()?, MAX_DEPTH)
    })
}

fn find(value: Value, depth: usize) -> Option<Value> {
    match value {
        Value::Object(map) => {
            if ["author", "datePublished"].iter().any(|it| map.contains_key(*it)) {
                return Some(Value::Object(map));
            }
            let graph = map.into_iter().find(|(name, _)| name == "@graph")?;
            depth.checked_sub(1).and_then(|depth| find(graph.1, depth))
        }
        Value::Array(values) => {
            let depth = depth.checked_sub(1)?;
            values.into_iter().find_map(|value| find(value, depth))
        }
        _ => None,
    }
}

/// Returns a text, the name of a thing, or a list of them.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => tidy(text),
        Value::Object(map) => map.get("name").and_then(Value::as_str).and_then(tidy),
        Value::Array(values) => {
            let names: Vec<String> = values
                .iter()
                .filter_map(|it| it.as_str().or(it.get("name").and_then(Value::as_str)))
                .filter_map(tidy)
                .collect();
            tidy(&names.join(", "))
        }
        _ => None,
    }
}
