//! What the tool found after it made the slides, in words of the text: numbers and names in place of anchors.

use std::collections::BTreeMap;

use regex::{Captures, Regex};
use serde::Deserialize;

use super::pages::Excess;

/// Anchors of slides and shapes in a message.
const ANCHOR: &str = r"(?:\bslide )?\b(s\d+(?:/\d+)?)\b";

/// The number of a slide in a warning.
const NUMBER: &str = r"\bslide (\d+)\b";

/// Most numbers of slides that a warning lists.
const MAX_NUMBERS: usize = 12;

/// A slide as `read_deck` returns it.
#[derive(Debug, Deserialize)]
pub(super) struct ReadSlide {
    pub(super) number: u32,
    /// `s256`
    pub(super) anchor: String,
    pub(super) shapes: Vec<ReadShape>,
}

/// A shape as `read_deck` returns it.
#[derive(Debug, Deserialize)]
pub(super) struct ReadShape {
    /// `s256/5-3fa9`
    anchor: String,
    kind: String,
    name: String,
    placeholder: Option<String>,
}

/// What `edit_deck` returns.
#[derive(Debug, Deserialize)]
pub(super) struct Edited {
    pub(super) name: String,
    overflows: Vec<Overflow>,
    warnings: Vec<String>,
}

/// Text that is larger than its shape.
#[derive(Debug, Deserialize)]
struct Overflow {
    /// `s256/5`
    shape: String,
    needs: f64,
    has: f64,
}

/// Finds a shape by its slide and its number there.
fn find<'a>(slides: &'a [ReadSlide], anchor: &str) -> Option<(&'a ReadSlide, &'a ReadShape)> {
    let (slide, _) = anchor.split_once('/')?;
    let slide = slides.iter().find(|it| it.anchor == slide)?;
    let is_it = |shape: &&ReadShape| {
        let rest = shape.anchor.strip_prefix(anchor);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    Some((slide, slide.shapes.iter().find(is_it)?))
}

/// Returns the pages whose texts or tables are too high. Titles are not: they cannot be divided. `kept` slides are before
/// the first page.
pub(super) fn excess(edited: &Edited, slides: &[ReadSlide], kept: usize) -> Vec<Excess> {
    let mut found: Vec<Excess> = Vec::new();
    for overflow in &edited.overflows {
        let Some((slide, shape)) = find(slides, &overflow.shape) else { continue };
        let kind = shape.placeholder.as_deref().unwrap_or_default();
        let is_title = ["title", "ctrTitle", "subTitle"].iter().any(|it| kind.starts_with(it));
        let Some(page) = (slide.number as usize).checked_sub(kept + 1).filter(|_| !is_title) else {
            continue;
        };
        let share = (overflow.has / overflow.needs.max(0.1)).clamp(0.05, 1.0);
        found.push(Excess { page, is_table: shape.kind == "table", share });
    }
    found
}

/// Returns the warnings of the tool, each once. `own` are the anchors of the template's slides.
pub(super) fn tool_warnings(edited: &Edited, slides: &[ReadSlide], own: &[String]) -> Vec<String> {
    let overflows = edited.overflows.iter().map(|Overflow { shape, needs, has }| {
        format!(
            "the text of {shape} may not fit: it needs about {needs} cm and has {has} cm; shorten it"
        )
    });
    let all = edited.warnings.iter().cloned().chain(overflows);
    once(all.map(|it| in_words(&it, slides, own)))
}

/// Returns messages that differ only in the number of their slide once, with the numbers of the other slides.
fn once(messages: impl Iterator<Item = String>) -> Vec<String> {
    let Ok(number) = Regex::new(NUMBER) else { return messages.collect() };
    let mut groups: Vec<(String, String, Vec<String>)> = Vec::new();
    for message in messages {
        let key = number.replace_all(&message, "slide").into_owned();
        match groups.iter_mut().find(|it| it.0 == key) {
            Some((_, _, others)) => {
                others.extend(number.captures(&message).map(|it| it[1].to_owned()))
            }
            None => groups.push((key, message, Vec::new())),
        }
    }
    let group = |(_, first, others): (String, String, Vec<String>)| match others.len() {
        0 => first,
        count if count > MAX_NUMBERS => format!("{first}; so it is on {count} further slides"),
        _ => format!("{first}; so it is on slides {}", others.join(", ")),
    };
    groups.into_iter().map(group).collect()
}

/// Replaces anchors by numbers of slides and names of shapes.
fn in_words(message: &str, slides: &[ReadSlide], own: &[String]) -> String {
    let Ok(anchors) = Regex::new(ANCHOR) else { return message.to_owned() };
    let numbers: BTreeMap<&str, u32> = slides.iter().map(|it| (&*it.anchor, it.number)).collect();
    let replaced = anchors.replace_all(message, |found: &Captures<'_>| {
        let whole = &found[1];
        let anchor = whole.split('/').next().unwrap_or(whole);
        let slide = match (numbers.get(anchor), own.iter().position(|it| it == anchor)) {
            (Some(number), _) => format!("slide {number}"),
            (None, Some(at)) => format!("slide {} of the template", at + 1),
            (None, None) => return found[0].to_owned(),
        };
        match find(slides, whole) {
            Some((_, shape)) => format!("`{}` on {slide}", shape.name),
            None => slide,
        }
    });
    replaced.trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slides() -> Vec<ReadSlide> {
        let shape = |anchor: &str, kind: &str, placeholder: Option<&str>| ReadShape {
            anchor: anchor.to_owned(),
            kind: kind.to_owned(),
            name: format!("Shape {anchor}"),
            placeholder: placeholder.map(str::to_owned),
        };
        let slide = |number: u32, anchor: &str, shapes: Vec<ReadShape>| ReadSlide {
            number,
            anchor: anchor.to_owned(),
            shapes,
        };
        vec![
            slide(1, "s256", Vec::new()),
            slide(
                2,
                "s300",
                vec![
                    shape("s300/2-ab12", "text", Some("title")),
                    shape("s300/3", "text", Some("body 1")),
                    shape("s300/33-0000", "table", None),
                ],
            ),
        ]
    }

    fn edited(overflows: &[(&str, f64, f64)], warnings: &[&str]) -> Edited {
        let overflow = |(shape, needs, has): &(&str, f64, f64)| Overflow {
            shape: (*shape).to_owned(),
            needs: *needs,
            has: *has,
        };
        Edited {
            name: "a.pptx".to_owned(),
            overflows: overflows.iter().map(overflow).collect(),
            warnings: warnings.iter().map(|it| (*it).to_owned()).collect(),
        }
    }

    #[test]
    fn texts_and_tables_of_new_slides_are_divided_and_titles_are_not() {
        let all = [("s300/2", 4.0, 2.0), ("s300/3", 4.0, 2.0), ("s300/33", 10.0, 1.0)];
        let found = excess(&edited(&all, &[]), &slides(), 1);
        assert_eq!(
            found,
            [
                Excess { page: 0, is_table: false, share: 0.5 },
                Excess { page: 0, is_table: true, share: 0.1 }
            ]
        );
        assert!(excess(&edited(&all, &[]), &slides(), 2).is_empty());
    }

    #[test]
    fn warnings_name_slides_and_shapes() {
        let warnings = [
            "On the new slide, s300/3 and s300/33 overlap.",
            "Links on s256 to the deleted slide s270 were removed.",
            "Of s999, only the first 10 shapes were read.",
        ];
        let edited = edited(&[("s300/3", 14.2, 12.6)], &warnings);
        assert_eq!(
            tool_warnings(&edited, &slides(), &["s270".to_owned()]),
            [
                "On the new slide, `Shape s300/3` on slide 2 and `Shape s300/33-0000` on slide 2 overlap",
                "Links on slide 1 to the deleted slide 1 of the template were removed",
                "Of s999, only the first 10 shapes were read",
                "the text of `Shape s300/3` on slide 2 may not fit: it needs about 14.2 cm and has 12.6 cm; shorten it"
            ]
        );
    }

    #[test]
    fn one_warning_of_many_slides_is_printed_once() {
        let message =
            |slide: usize| format!("`A` on slide {slide} and `B` on slide {slide} overlap");
        let all = (3..6).map(message).chain(["other on slide 3".to_owned()]);
        assert_eq!(
            once(all),
            [
                "`A` on slide 3 and `B` on slide 3 overlap; so it is on slides 4, 5",
                "other on slide 3"
            ]
        );
        assert!(once((1..40).map(message))[0].ends_with("; so it is on 38 further slides"));
    }
}
