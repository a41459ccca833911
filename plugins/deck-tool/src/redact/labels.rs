//! How parts are named to users: by their slide, and by what they are.

use crate::deck::Deck;
use crate::error::Result;
use std::collections::{BTreeMap, BTreeSet};

/// Names of parts for users.
#[derive(Debug)]
pub(crate) struct Labels(BTreeMap<String, String>);

impl Labels {
    /// Reads which parts belong to which slide.
    ///
    /// # Errors
    /// [`crate::Error::Malformed`] - relationships cannot be read.
    pub(crate) fn read(deck: &Deck) -> Result<Self> {
        let mut labels = Self(BTreeMap::new());
        let slides = deck.slides()?.into_iter().enumerate();
        let mut roots: Vec<(String, String)> =
            slides.map(|(at, slide)| (slide.part, format!("slide {}", at + 1))).collect();
        let folders = ["slideLayouts/", "slideMasters/", "notesMasters/", "handoutMasters/"];
        for part in deck.package.names() {
            if part.ends_with(".xml") && folders.iter().any(|it| part.contains(it)) {
                let place = labels.of(&part);
                roots.push((part, place));
            }
        }
        for (root, place) in roots {
            labels.0.entry(root.clone()).or_insert_with(|| place.clone());
            let mut next = vec![root];
            let mut seen = BTreeSet::new();
            while let Some(part) = next.pop() {
                for relation in
                    deck.package.relations(&part)?.into_iter().filter(|it| !it.is_external)
                {
                    let Some(noun) = noun(relation.kind()) else { continue };
                    if !seen.insert(relation.target.clone()) {
                        continue;
                    }
                    let label = format!("{noun} of {place}");
                    labels.0.entry(relation.target.clone()).or_insert(label);
                    next.push(relation.target);
                }
            }
        }
        Ok(labels)
    }

    /// Returns the name of a part: `notes of slide 3`.
    pub(crate) fn of(&self, part: &str) -> String {
        if let Some(label) = self.0.get(part) {
            return label.clone();
        }
        if let Some(source) = source(part) {
            return match source.as_str() {
                "" => "links of the file".to_owned(),
                source => format!("links of {}", self.of(source)),
            };
        }
        let (folder, name) = part.rsplit_once('/').unwrap_or(("", part));
        let stem = name.split('.').next().unwrap_or(name);
        match folder.rsplit('/').next().unwrap_or_default() {
            "docProps" => "properties of the file".to_owned(),
            "customXml" => "custom XML".to_owned(),
            "tags" => "tags".to_owned(),
            "slideLayouts" => format!("layout ({stem})"),
            "slideMasters" => format!("master ({stem})"),
            "notesMasters" => "master of notes".to_owned(),
            "handoutMasters" => "master of handouts".to_owned(),
            "theme" => format!("theme ({stem})"),
            _ => match stem {
                "presentation" => "presentation (sections, shows)".to_owned(),
                "commentAuthors" | "authors" => "authors of comments".to_owned(),
                _ => format!("`{part}`"),
            },
        }
    }
}

/// Returns the part whose relationships a part has.
pub(crate) fn source(part: &str) -> Option<String> {
    let (folder, name) = part.rsplit_once('/').unwrap_or(("", part));
    let name = name.strip_suffix(".rels")?;
    let folder = folder.strip_suffix("_rels")?;
    Some(format!("{folder}{name}"))
}

/// Returns a key that sorts places by the numbers in them: `slide 2` before `slide 10`.
pub(crate) fn order(place: &str) -> Vec<(String, u64)> {
    let mut out: Vec<(String, u64)> = vec![(String::new(), 0)];
    for c in place.chars() {
        let Some(last) = out.last_mut() else { break };
        match c.to_digit(10) {
            Some(digit) => last.1 = last.1.saturating_mul(10).saturating_add(u64::from(digit)),
            None if last.1 > 0 => out.push((c.to_string(), 0)),
            None => last.0.push(c),
        }
    }
    out
}

/// Returns what a part of a slide is; `None` for parts that slides share.
fn noun(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "notesSlide" => "notes",
        "comments" => "comments",
        "chart" | "chartEx" | "chartUserShapes" | "chartStyle" | "chartColorStyle" => "chart",
        "package" | "oleObject" | "control" | "activeXControlBinary" => "embedded object",
        "diagramData" | "diagramDrawing" | "diagramLayout" | "diagramQuickStyle"
        | "diagramColors" => "diagram",
        "vmlDrawing" | "drawing" => "drawing",
        "tags" => "tags",
        "themeOverride" => "theme",
        "image" => "picture",
        "audio" | "video" | "media" => "recording",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::order;

    #[test]
    fn places_are_in_the_order_of_slides() {
        let mut all = ["slide 10 (1)", "notes of slide 2", "slide 9 (12)", "slide 9 (2)"];
        all.sort_by_cached_key(|it| order(it));
        assert_eq!(all, ["notes of slide 2", "slide 9 (2)", "slide 9 (12)", "slide 10 (1)"]);
    }
}
