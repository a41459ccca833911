//! Inserts a document into a template: the document is written as a file of its own, whose content is moved to its place in
//! the template. Numbers of styles, lists, notes, links and pictures are changed to free ones.

use std::collections::{BTreeMap, BTreeSet};

use super::lists::Restarts;
use super::package::Package;
use super::styles;
use super::tree::{Element, Node, Tree};
use mitt_base::{Error, ErrorKind, Result};

/// Namespace of Word's elements. The strict form has another one, which hardly any program writes.
const WORD: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";

/// Kinds of parts that are not copied: the template has its own, or they are merged.
const MERGED: [&str; 9] = [
    "styles",
    "settings",
    "fontTable",
    "numbering",
    "footnotes",
    "endnotes",
    "header",
    "footer",
    "theme",
];

/// Most levels of references between copied parts.
const MAX_COPIED: usize = 4;

/// Checks that the main part of a template is in a supported form.
pub(super) fn check_main(root: &Element) -> Result<()> {
    let space = root.get("xmlns:w").unwrap_or_default();
    if root.is("w:document") && space == WORD {
        return Ok(());
    }
    let message =
        "template: its main part is not in the usual form of Word (transitional, prefix `w`)";
    Err(Error::new(ErrorKind::Input, message)
        .hint("open it in Word and save it as `Word document (.docx)`"))
}

/// Returns the width of the text in a template in twentieths of a point, according to its last section.
pub(super) fn text_width(root: &Element) -> Option<u32> {
    let section = last_section(root)?;
    let number = |name: &str, key: &str| -> Option<u32> {
        let text = section.find(name)?.get(key)?;
        text.split('.').next()?.parse().ok()
    };
    let margins = number("w:pgMar", "w:left")?.saturating_add(number("w:pgMar", "w:right")?);
    let width = number("w:pgSz", "w:w")?.saturating_sub(margins);
    // Several columns on a page are narrower.
    let columns = number("w:cols", "w:num").unwrap_or(1).clamp(1, 20);
    let space = number("w:cols", "w:space").unwrap_or(720).saturating_mul(columns - 1);
    Some(width.saturating_sub(space) / columns).filter(|width| (1_000..=40_000).contains(width))
}

fn last_section(root: &Element) -> Option<&Element> {
    root.find("w:body")?.elements().rev().find(|it| it.is("w:sectPr"))
}

/// Removes the text of a template except for its last section, which defines paper, headers and footers, including those
/// inherited from earlier sections.
pub(super) fn clear_body(root: &mut Element) {
    let Some(body) = root.find_mut("w:body") else { return };
    let mut inherited: Vec<Element> = Vec::new();
    let key = |it: &Element| (it.name.clone(), it.get("w:type"));
    for block in body.elements().filter(|it| it.is("w:p")) {
        let Some(section) = block.find("w:pPr").and_then(|it| it.find("w:sectPr")) else {
            continue;
        };
        for reference in section.elements().filter(|it| it.name.ends_with("Reference")) {
            inherited.retain(|it| key(it) != key(reference));
            inherited.push(reference.clone());
        }
    }
    let last =
        body.children.iter().rposition(|node| node.element().is_some_and(|it| it.is("w:sectPr")));
    let section = last.map(|last| body.children.swap_remove(last));
    body.children.clear();
    if let Some(Node::Element(mut section)) = section {
        inherited.retain(|it| !section.elements().any(|own| key(own) == key(it)));
        let inherited = inherited.into_iter().map(Node::Element);
        section.children.splice(0..0, inherited);
        body.children.push(Node::Element(section));
    }
}

/// How a file is merged.
pub(super) struct Merging<'m> {
    /// Goes into the names of its bookmarks.
    pub(super) mark: &'m str,
    /// `true` for a file of another program.
    pub(super) is_foreign: bool,
    /// `true` if its title, author and times become those of the template.
    pub(super) has_properties: bool,
}

/// The blocks of a merged file.
pub(super) struct Merged {
    pub(super) blocks: Vec<Node>,
    /// What was left out.
    pub(super) warnings: Vec<String>,
}

/// Merges the contents of `ours` into the template and returns the blocks. `main` is the template's main part, which gets
/// the prefixes that the text needs.
pub(super) fn merge(
    template: &mut Package<'_>,
    main: &mut Tree,
    ours: &[u8],
    merging: &Merging<'_>,
) -> Result<Merged> {
    let mut ours = Package::open(ours)?;
    let own_main = ours.main.clone();
    let mut text = ours.tree(&own_main)?.root;
    let mut warnings = Vec::new();
    if merging.is_foreign {
        check_main(&text)?;
        warnings.append(&mut ours.warnings);
        foreign_text(&mut text, &mut warnings)?;
        // A list of a style would continue that of the template.
        Restarts::of(&mut ours)?.write_lists(&mut text);
    }
    namespaces(&mut main.root, &text)?;
    let notes_name = ours.part_of_kind("footnotes")?;
    let mut notes = match &notes_name {
        Some(name) => ours.tree(name)?.root,
        None => Element::new("w:footnotes", ""),
    };
    notes.children.retain(|node| {
        node.element().is_some_and(|it| it.is("w:footnote") && it.get("w:type").is_none())
    });
    let numbers = merge_lists(template, &mut ours, merging)?;
    merge_styles(template, &mut ours, (&mut text, &mut notes), numbers)?;
    let ids = Ids::of(&main.root, numbers, merging);
    ids.apply(&mut text);
    ids.apply(&mut notes);
    let target = template.main.clone();
    let used = merging.is_foreign.then(|| references(&text));
    let links = copy_references(template, &mut ours, (&own_main, used.as_ref()), &target, 0)?;
    refer_anew(&mut text, &links);
    merge_notes(template, &mut ours, &mut text, notes, notes_name.as_deref())?;
    if merging.has_properties {
        replace_properties(template, &mut ours)?;
    }
    let Some(body) = text.find_mut("w:body") else {
        return Ok(Merged { blocks: Vec::new(), warnings });
    };
    let mut blocks = std::mem::take(&mut body.children);
    // The template's last section is kept.
    blocks.retain(|node| !node.element().is_some_and(|it| it.is("w:sectPr")));
    Ok(Merged { blocks, warnings })
}

/// Removes from a foreign text what belongs to other parts of its file.
fn foreign_text(text: &mut Element, warnings: &mut Vec<String>) -> Result<()> {
    let (mut sections, mut comments, mut notes) = (0_usize, 0_usize, 0_usize);
    let mut has_headers = false;
    text.visit_mut(&mut |element| {
        notes += usize::from(element.is("w:endnoteReference"));
        has_headers |= matches!(element.name.as_str(), "w:headerReference" | "w:footerReference");
        let is_paragraph = element.is("w:pPr");
        element.children.retain(|node| {
            let Some(inner) = node.element() else { return true };
            let is_section = is_paragraph && inner.is("w:sectPr");
            let is_comment = matches!(
                inner.name.as_str(),
                "w:commentRangeStart" | "w:commentRangeEnd" | "w:commentReference"
            );
            sections += usize::from(is_section);
            comments += usize::from(inner.is("w:commentReference"));
            has_headers |= is_section && inner.elements().any(|it| it.name.ends_with("Reference"));
            !is_section && !is_comment
        });
    });
    if notes > 0 {
        let message = format!("it has endnotes, which are not carried over: {notes}");
        return Err(Error::new(ErrorKind::Input, message).hint("turn them into footnotes in Word"));
    }
    for (is_left_out, what) in [
        (has_headers, "its headers and footers are left out".to_owned()),
        (sections > 0, format!("paper and columns of its sections are left out: {sections}")),
        (comments > 0, format!("comments are left out: {comments}")),
    ] {
        if is_left_out {
            warnings.push(what);
        }
    }
    Ok(())
}

/// Returns the identifiers of other parts that a text names.
fn references(text: &Element) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    text.visit(&mut |element| {
        used.extend(element.with_prefix("r:").into_iter().map(|(_, id)| id));
    });
    used
}

/// Adds the prefixes that the text uses.
fn namespaces(main: &mut Element, text: &Element) -> Result<()> {
    for (prefix, space) in text.with_prefix("xmlns:") {
        match main.get(&prefix) {
            None => main.set(&prefix, Some(&space)),
            Some(there) if there == space => {}
            Some(_) => {
                let message = format!("template: it uses the prefix `{prefix}` for something else");
                return Err(Error::new(ErrorKind::Input, message)
                    .hint("open it in Word and save it again as `.docx`"));
            }
        }
    }
    Ok(())
}

fn merge_styles(
    template: &mut Package<'_>,
    ours: &mut Package<'_>,
    (text, notes): (&mut Element, &mut Element),
    numbers: u64,
) -> Result<()> {
    let Some(own) = ours.part_of_kind("styles")? else { return Ok(()) };
    let own = ours.tree(&own)?;
    let name = template.part_of_kind("styles")?;
    let mut tree = match &name {
        Some(name) => template.tree(name)?,
        None => {
            let none =
                format!("{}<w:styles xmlns:w=\"{WORD}\"></w:styles>", crate::shared::ooxml::HEAD);
            Tree::read("styles.xml", none.as_bytes(), &mut 1)?
        }
    };
    let known = tree.root.children.len();
    let mapped = styles::map(&mut tree, &own, &[text, notes]);
    // Lists of added styles have new numbers too.
    for style in tree.root.children.iter_mut().skip(known).filter_map(Node::element_mut) {
        style.visit_mut(&mut |element| {
            if element.is("w:numId") {
                shift(element, "w:val", numbers);
            }
        });
    }
    mapped.apply(text);
    mapped.apply(notes);
    match name {
        Some(name) => template.set(&name, tree.to_xml().into_bytes()),
        None => {
            template.add("styles", tree.to_xml())?;
        }
    }
    Ok(())
}

/// Merges the lists. Returns the offset of their numbers.
fn merge_lists(
    template: &mut Package<'_>,
    ours: &mut Package<'_>,
    merging: &Merging<'_>,
) -> Result<u64> {
    let Some(own) = ours.part_of_kind("numbering")? else { return Ok(0) };
    let own = ours.tree(&own)?;
    let Some(name) = template.part_of_kind("numbering")? else {
        template.add("numbering", own.to_xml())?;
        return Ok(0);
    };
    let mut tree = template.tree(&name)?;
    let highest = |root: &Element, name: &str, key: &str| {
        let all = root.elements().filter(|it| it.is(name)).filter_map(|it| number(it, key));
        all.max().map_or(0, |highest| highest.saturating_add(1))
    };
    let abstracts = highest(&tree.root, "w:abstractNum", "w:abstractNumId");
    let numbers = highest(&tree.root, "w:num", "w:numId");
    let (mut kinds, mut lists) = (Vec::new(), Vec::new());
    for element in own.root.elements() {
        let mut element = element.clone();
        if element.is("w:abstractNum") {
            shift(&mut element, "w:abstractNumId", abstracts);
            if merging.is_foreign {
                // Word takes lists of one identifier for one list.
                element.children.retain(|node| node.element().is_none_or(|it| !it.is("w:nsid")));
            }
            kinds.push(Node::Element(element));
        } else if element.is("w:num") {
            shift(&mut element, "w:numId", numbers);
            if let Some(kind) = element.find_mut("w:abstractNumId") {
                shift(kind, "w:val", abstracts);
            }
            lists.push(Node::Element(element));
        }
    }
    // Definitions of lists come before lists, and a marker of Word behind them.
    let children = &mut tree.root.children;
    let behind = |names: &[&str], children: &[Node]| {
        let is_one =
            |node: &Node| node.element().is_some_and(|it| names.contains(&it.name.as_str()));
        children.iter().position(is_one).unwrap_or(children.len())
    };
    let at = behind(&["w:numIdMacAtCleanup"], children);
    children.splice(at..at, lists);
    let at = behind(&["w:num", "w:numIdMacAtCleanup"], children);
    children.splice(at..at, kinds);
    template.set(&name, tree.to_xml().into_bytes());
    Ok(numbers)
}

fn number(element: &Element, key: &str) -> Option<u64> {
    element.get(key)?.parse().ok().filter(|number| *number < 1 << 30)
}

fn shift(element: &mut Element, key: &str, by: u64) {
    if let Some(old) = number(element, key) {
        element.set(key, Some(&(old + by).to_string()));
    }
}

/// Offsets of numbers in the text, so that they do not collide with the template's.
struct Ids<'m> {
    merging: &'m Merging<'m>,
    lists: u64,
    bookmarks: u64,
    drawings: u64,
}

impl<'m> Ids<'m> {
    fn of(main: &Element, lists: u64, merging: &'m Merging<'m>) -> Ids<'m> {
        let (mut bookmarks, mut drawings) = (0, 0);
        main.visit(&mut |element| match element.name.as_str() {
            "w:bookmarkStart" => {
                bookmarks = bookmarks.max(number(element, "w:id").unwrap_or(0) + 1)
            }
            "wp:docPr" => drawings = drawings.max(number(element, "id").unwrap_or(0) + 1),
            _ => {}
        });
        Ids { merging, lists, bookmarks, drawings }
    }

    fn apply(&self, part: &mut Element) {
        let mut names = Vec::new();
        if self.merging.is_foreign {
            part.visit(&mut |element| {
                if element.is("w:bookmarkStart") {
                    names.extend(element.get("w:name"));
                }
            });
        }
        let mark = self.merging.mark;
        part.visit_mut(&mut |element| match element.name.as_str() {
            "w:numId" => shift(element, "w:val", self.lists),
            "w:bookmarkStart" => {
                shift(element, "w:id", self.bookmarks);
                self.rename(element, "w:name");
            }
            "w:bookmarkEnd" => shift(element, "w:id", self.bookmarks),
            "w:hyperlink" => self.rename(element, "w:anchor"),
            "w:instrText" => {
                for node in &mut element.children {
                    if let Node::Text(text) = node {
                        *text = if self.merging.is_foreign {
                            renamed(text, &names, mark)
                        } else {
                            text.replace(" _Note", &format!(" _Note{mark}"))
                        };
                    }
                }
            }
            "wp:docPr" => shift(element, "id", self.drawings),
            _ => {}
        });
    }

    /// Renames a bookmark, because a template that we wrote has the same names, and one of another program may have any.
    fn rename(&self, element: &mut Element, key: &str) {
        let (Some(name), mark) = (element.get(key), self.merging.mark) else { return };
        if self.merging.is_foreign {
            // Word takes forty characters.
            let name: String = format!("{mark}_{name}").chars().take(40).collect();
            element.set(key, Some(&name));
            return;
        }
        for own in ["_Toc", "_Note"] {
            if let Some(rest) = name.strip_prefix(own) {
                element.set(key, Some(&format!("{own}{mark}{rest}")));
            }
        }
    }
}

/// Returns an instruction of a field with the new names of bookmarks.
fn renamed(instruction: &str, names: &[String], mark: &str) -> String {
    let word = |word: &str| {
        if names.iter().any(|name| name == word.trim_matches('"')) {
            word.replacen(word.trim_matches('"'), &format!("{mark}_{}", word.trim_matches('"')), 1)
        } else {
            word.to_owned()
        }
    };
    instruction.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// Adds to `to` the references of `from` in our file: links, and copies of parts. Returns the new identifiers.
fn copy_references(
    template: &mut Package<'_>,
    ours: &mut Package<'_>,
    (from, used): (&str, Option<&BTreeSet<String>>),
    to: &str,
    depth: usize,
) -> Result<BTreeMap<String, String>> {
    let mut ids = BTreeMap::new();
    let tree = ours.relationships(from)?;
    let mut links: (Vec<String>, Vec<String>) = Default::default();
    for relationship in tree.root.elements() {
        let get = |key: &str| relationship.get(key).unwrap_or_default();
        let (id, target) = (get("Id"), get("Target"));
        if used.is_some_and(|used| !used.contains(&id)) {
            continue;
        }
        let kind = get("Type");
        let kind = kind.rsplit('/').next().unwrap_or_default();
        if get("TargetMode") == "External" {
            links.0.push(id);
            links.1.push(target);
            continue;
        }
        let Some(name) = super::package::resolved(from, &target) else { continue };
        if MERGED.contains(&kind) || depth >= MAX_COPIED || !ours.has(&name) {
            continue;
        }
        let (new, file) = template.copy(ours, &name, to)?;
        let inner = copy_references(template, ours, (&name, None), &new, depth + 1)?;
        if !inner.is_empty() {
            // A chart names its workbook.
            let mut part = template.tree(&new)?;
            refer_anew(&mut part.root, &inner);
            template.set(&new, part.to_xml().into_bytes());
        }
        let made = template.refer(to, kind, &[file], false)?;
        ids.extend(made.into_iter().map(|made| (id.clone(), made)));
    }
    let made = template.refer(to, "hyperlink", &links.1, true)?;
    ids.extend(links.0.into_iter().zip(made));
    Ok(ids)
}

/// Replaces identifiers in a part by the new ones.
fn refer_anew(part: &mut Element, ids: &BTreeMap<String, String>) {
    if ids.is_empty() {
        return;
    }
    part.visit_mut(&mut |element| {
        for (key, old) in element.with_prefix("r:") {
            if let Some(new) = ids.get(&old) {
                element.set(&key, Some(new));
            }
        }
    });
}

/// Adds footnotes behind those of the template.
fn merge_notes(
    template: &mut Package<'_>,
    ours: &mut Package<'_>,
    text: &mut Element,
    mut notes: Element,
    own: Option<&str>,
) -> Result<()> {
    let (Some(own), true) = (own, notes.elements().next().is_some()) else { return Ok(()) };
    let name = match template.part_of_kind("footnotes")? {
        Some(name) => name,
        None => {
            // Keeps the lines above notes, and removes the notes.
            let mut tree = ours.tree(own)?;
            tree.root
                .children
                .retain(|node| node.element().is_some_and(|it| it.get("w:type").is_some()));
            template.add("footnotes", tree.to_xml())?
        }
    };
    let links = copy_references(template, ours, (own, None), &name, 0)?;
    refer_anew(&mut notes, &links);
    let mut tree = template.tree(&name)?;
    let ids = tree.root.elements().filter_map(|it| number(it, "w:id"));
    let by = ids.max().unwrap_or(0);
    for note in notes.elements_mut() {
        shift(note, "w:id", by);
    }
    text.visit_mut(&mut |element| {
        if element.is("w:footnoteReference") {
            shift(element, "w:id", by);
        }
    });
    let space = ours.tree(own)?.root;
    namespaces(&mut tree.root, &space)?;
    tree.root.children.append(&mut notes.children);
    template.set(&name, tree.to_xml().into_bytes());
    Ok(())
}

/// Replaces title, author and times of the template by those of the document.
fn replace_properties(template: &mut Package<'_>, ours: &mut Package<'_>) -> Result<()> {
    let name = template.properties()?;
    let own = ours.properties()?;
    if let (Some(name), Some(own)) = (name, own) {
        let tree = ours.tree(&own)?;
        template.set(&name, tree.to_xml().into_bytes());
    }
    Ok(())
}
