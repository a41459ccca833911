//! Maps our styles to the template's: each style that the text uses is replaced by the template's style of the same name or
//! id; styles that it lacks are added.

use std::collections::{BTreeMap, BTreeSet};

use super::tree::{Element, Node, Tree};

/// Names that programs in other languages give to Word's built-in styles. Word itself always writes the English one,
/// whatever it shows.
const LOCAL: [(&str, &[&str]); 12] = [
    ("title", &["标题", "標題", "表題", "titel", "titre", "título", "제목"]),
    ("subtitle", &["副标题", "副標題", "副題", "untertitel", "sous-titre", "subtítulo"]),
    ("heading", &["标题", "標題", "見出し", "überschrift", "titre", "título", "제목"]),
    ("listparagraph", &["列表段落", "列出段落", "清單段落", "リスト段落", "listenabsatz"]),
    ("quote", &["引用", "引文", "引用文", "zitat", "citation", "cita"]),
    ("hyperlink", &["超链接", "超連結", "ハイパーリンク"]),
    ("footnotetext", &["脚注文本", "註腳文字", "脚注文字列", "fußnotentext"]),
    ("footnotereference", &["脚注引用", "註腳參照", "脚注参照", "fußnotenzeichen"]),
    ("toc", &["目录", "目錄", "目次", "verzeichnis", "tm"]),
    ("tocheading", &["toc标题", "目录标题", "目錄標題"]),
    ("header", &["页眉", "頁首", "kopfzeile"]),
    ("footer", &["页脚", "頁尾", "fußzeile"]),
];

/// Elements that follow the indent in a paragraph's properties.
const BEHIND_INDENT: [&str; 13] = [
    "w:contextualSpacing",
    "w:mirrorIndents",
    "w:suppressOverlap",
    "w:jc",
    "w:textDirection",
    "w:textAlignment",
    "w:textboxTightWrap",
    "w:outlineLvl",
    "w:divId",
    "w:cnfStyle",
    "w:rPr",
    "w:sectPr",
    "w:pPrChange",
];

/// Elements that name a style, and its kind.
const NAMING: [(&str, &str); 3] =
    [("w:pStyle", "paragraph"), ("w:rStyle", "character"), ("w:tblStyle", "table")];

/// Ids of the template's styles for ours.
pub(super) struct Mapped {
    ids: BTreeMap<String, String>,
}

/// Maps the styles that `parts` use, and adds those to the template that it lacks.
pub(super) fn map(template: &mut Tree, ours: &Tree, parts: &[&Element]) -> Mapped {
    let mut wanted: Vec<(String, &'static str)> = Vec::new();
    for part in parts {
        part.visit(&mut |element| {
            for (naming, kind) in NAMING {
                if element.is(naming)
                    && let Some(id) = element.get("w:val")
                    && !wanted.iter().any(|(known, _)| *known == id)
                {
                    wanted.push((id, kind));
                }
            }
        });
    }
    let own: Vec<&Element> = ours.root.elements().filter(|it| it.is("w:style")).collect();
    let mut known = StyleIndex::of(&template.root);
    let mut mapped = Mapped { ids: BTreeMap::new() };
    let mut added = Vec::new();
    let mut next = 0;
    while let Some((id, kind)) = wanted.get(next).cloned() {
        next += 1;
        let Some(style) = own.iter().find(|it| it.get("w:styleId").as_deref() == Some(&id)) else {
            continue;
        };
        let is_default = style.get("w:default").is_some();
        let there = if is_default {
            known.default_of(kind)
        } else {
            known.find(kind, &name_of(style), &id)
        };
        if let Some(there) = there {
            mapped.ids.insert(id, there);
            continue;
        }
        let free = known.free(&id);
        known.ids.insert(free.clone());
        mapped.ids.insert(id, free.clone());
        // The styles on which it is based are added as well.
        for naming in ["w:basedOn", "w:next", "w:link"] {
            if let Some(other) = style.find(naming).and_then(|it| it.get("w:val"))
                && !wanted.iter().any(|(known, _)| *known == other)
            {
                wanted.push((other, kind));
            }
        }
        let mut style = (*style).clone();
        style.set("w:styleId", Some(&free));
        if kind == "paragraph" {
            without_first_indent(&mut style);
        }
        added.push(style);
    }
    for mut style in added {
        for naming in ["w:basedOn", "w:next", "w:link"] {
            rename(&mut style, naming, &mapped);
        }
        template.root.children.push(Node::Element(style));
    }
    mapped
}

impl Mapped {
    /// Replaces our styles by the template's in a part.
    pub(super) fn apply(&self, part: &mut Element) {
        part.visit_mut(&mut |element| {
            for (naming, _) in NAMING {
                if element.is(naming) {
                    let id = element.get("w:val").and_then(|id| self.ids.get(&id));
                    if let Some(id) = id {
                        element.set("w:val", Some(id));
                    }
                }
            }
            // Chinese templates indent first lines by characters, which overrides the indent of a list.
            if element.is("w:pPr") && element.find("w:numPr").or(element.find("w:ind")).is_some() {
                no_characters(element);
            }
        });
    }
}

fn rename(style: &mut Element, naming: &str, mapped: &Mapped) {
    if let Some(element) = style.find_mut(naming)
        && let Some(id) = element.get("w:val").and_then(|id| mapped.ids.get(&id).cloned())
    {
        element.set("w:val", Some(&id));
    }
}

/// The template's styles.
struct StyleIndex {
    ids: BTreeSet<String>,
    /// Id of a style by its kind and plain name.
    by_name: BTreeMap<(String, String), String>,
    by_local_name: BTreeMap<(String, String), String>,
    kinds: BTreeMap<String, String>,
    defaults: BTreeMap<String, String>,
}

impl StyleIndex {
    fn of(root: &Element) -> StyleIndex {
        let mut known = StyleIndex {
            ids: BTreeSet::new(),
            by_name: BTreeMap::new(),
            by_local_name: BTreeMap::new(),
            kinds: BTreeMap::new(),
            defaults: BTreeMap::new(),
        };
        for style in root.elements().filter(|it| it.is("w:style")) {
            let Some(id) = style.get("w:styleId") else { continue };
            let kind = style.get("w:type").unwrap_or_else(|| "paragraph".to_owned());
            if matches!(style.get("w:default").as_deref(), Some("1" | "true" | "on")) {
                known.defaults.entry(kind.clone()).or_insert_with(|| id.clone());
            }
            let aliases =
                style.find("w:aliases").and_then(|it| it.get("w:val")).unwrap_or_default();
            for name in std::iter::once(name_of(style)).chain(aliases.split(',').map(plain)) {
                if let Some(local) = english(&name) {
                    known.by_local_name.entry((kind.clone(), local)).or_insert_with(|| id.clone());
                }
                known.by_name.entry((kind.clone(), name)).or_insert_with(|| id.clone());
            }
            known.kinds.insert(id.clone(), kind);
            known.ids.insert(id);
        }
        known
    }

    fn default_of(&self, kind: &str) -> Option<String> {
        self.defaults.get(kind).cloned()
    }

    fn find(&self, kind: &str, name: &str, id: &str) -> Option<String> {
        let key = (kind.to_owned(), name.to_owned());
        let by_name = self.by_name.get(&key).or_else(|| self.by_local_name.get(&key));
        let by_id = || {
            let is_it = self.kinds.get(id).is_some_and(|it| it == kind);
            is_it.then(|| id.to_owned())
        };
        by_name.cloned().or_else(by_id)
    }

    fn free(&self, id: &str) -> String {
        let numbered = (2..).map(|n| format!("{id}{n}x"));
        let mut all = std::iter::once(id.to_owned()).chain(numbered);
        all.find(|id| !self.ids.contains(id)).unwrap_or_default()
    }
}

/// Returns the name of a style in the form in which names are compared.
fn name_of(style: &Element) -> String {
    plain(&style.find("w:name").and_then(|it| it.get("w:val")).unwrap_or_default())
}

fn plain(name: &str) -> String {
    name.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect()
}

/// Returns the English name for the name of a style in another language.
fn english(name: &str) -> Option<String> {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = &name[stem.len()..];
    let found = LOCAL.iter().find(|(english, local)| {
        let is_numbered = matches!(*english, "heading" | "toc");
        is_numbered != digits.is_empty() && local.contains(&stem)
    });
    found.map(|(english, _)| format!("{english}{digits}"))
}

/// Prevents that an added style inherits the first-line indent of the template's text.
fn without_first_indent(style: &mut Element) {
    let properties = "w:pPr";
    if style.find(properties).is_none() {
        let before = style.children.iter().position(|node| {
            node.element().is_some_and(|it| it.is("w:rPr") || it.name.starts_with("w:tbl"))
        });
        let at = before.unwrap_or(style.children.len());
        style.children.insert(at, Node::Element(Element::new(properties, "")));
    }
    if let Some(properties) = style.find_mut(properties) {
        no_characters(properties);
        if let Some(indent) = properties.find_mut("w:ind")
            && indent.get("w:hanging").is_none()
            && indent.get("w:firstLine").is_none()
        {
            indent.set("w:firstLine", Some("0"));
        }
    }
}

/// Sets a first-line indent of no characters.
fn no_characters(properties: &mut Element) {
    if properties.find("w:ind").is_none() {
        let at = properties.children.iter().position(|node| {
            node.element().is_some_and(|it| BEHIND_INDENT.contains(&it.name.as_str()))
        });
        let at = at.unwrap_or(properties.children.len());
        properties.children.insert(at, Node::Element(Element::new("w:ind", "")));
    }
    if let Some(indent) = properties.find_mut("w:ind") {
        indent.set("w:firstLineChars", Some("0"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_other_languages_are_known() {
        for (name, expected) in [
            ("标题 1", Some("heading1")),
            ("标题", Some("title")),
            ("Überschrift 3", Some("heading3")),
            ("Titre", Some("title")),
            ("目录 2", Some("toc2")),
            ("列出段落", Some("listparagraph")),
            ("列出段落1", None),
            ("heading 1", None),
        ] {
            assert_eq!(english(&plain(name)).as_deref(), expected, "{name}");
        }
    }
}
