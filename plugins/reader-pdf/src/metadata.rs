//! Metadata of a document.

use mitt_reader_kit::{clean, single_line};
use unpdf::Metadata;

/// Returns the title, and the other metadata by name.
pub(crate) fn read(metadata: &Metadata) -> (Option<String>, Vec<(String, String)>) {
    // The library drops the time zone, so the value is written without one.
    let moment = |moment: &Option<_>| {
        moment.as_ref().map(|moment: &chrono::DateTime<chrono::Utc>| {
            moment.format("%Y-%m-%dT%H:%M:%S").to_string()
        })
    };
    let pairs = [
        ("author", metadata.author.clone()),
        ("subject", metadata.subject.clone()),
        ("keywords", metadata.keywords.clone()),
        ("creator", metadata.creator.clone()),
        ("producer", metadata.producer.clone()),
        ("created", moment(&metadata.created)),
        ("modified", moment(&metadata.modified)),
        ("pages", Some(metadata.page_count.to_string())),
    ];
    let pairs =
        pairs.into_iter().filter_map(|(name, value)| Some((name.to_owned(), tidy(&value?)?)));
    (metadata.title.as_deref().and_then(tidy), pairs.collect())
}

/// Placeholders that programs write if the author gave no title.
const NOTHING: [&str; 6] =
    ["anonymous", "(anonymous)", "unspecified", "(unspecified)", "untitled", "(untitled)"];

fn tidy(text: &str) -> Option<String> {
    let text = single_line(&clean(text));
    (!text.is_empty() && !NOTHING.contains(&text.to_lowercase().as_str())).then_some(text)
}
