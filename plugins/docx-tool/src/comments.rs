//! Comments and their threads.

use crate::error::{Error, Result};
use crate::marks::Marks;
use crate::package::Package;
use crate::story::{Anchors, Document};
use crate::text;
use crate::xml::{Id, MC_URI, Tree, W_URI, W14_URI, W15_URI, escape, escape_attr};
use std::collections::{BTreeMap, HashMap, HashSet};

/// A comment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comment {
    pub id: String,
    pub author: String,
    pub date: Option<String>,
    pub text: String,
    /// The comment that it answers.
    pub parent: Option<String>,
    pub is_resolved: bool,
    /// The text that it is about.
    pub on: String,
    /// Anchor of the paragraph where that begins.
    pub at: Option<String>,
}

/// The parts of comments.
struct Parts {
    comments: String,
    extended: Option<String>,
}

const COMMENTS_TYPE: &str =
    "application/vnd.openxmlformats-officedocument.wordprocessingml.comments+xml";
const EXTENDED_TYPE: &str =
    "application/vnd.openxmlformats-officedocument.wordprocessingml.commentsExtended+xml";
const EXTENDED_RELATION: &str =
    "http://schemas.microsoft.com/office/2011/relationships/commentsExtended";

impl Document {
    /// Lists the comments with what they are about.
    ///
    /// # Errors
    /// [`Error::Malformed`] - a part cannot be read.
    pub fn comments(&mut self) -> Result<Vec<Comment>> {
        let Some(parts) = parts(&mut self.package)? else { return Ok(Vec::new()) };
        let states = states(&mut self.package, parts.extended.as_deref())?;
        let mut list = Vec::new();
        let mut by_paragraph = HashMap::new();
        let Some(tree) = self.package.tree(&parts.comments)? else { return Ok(list) };
        let Some(root) = tree.root() else { return Ok(list) };
        for node in tree.elements(root).filter(|&it| tree.is(it, "comment")).take(50_000) {
            let attribute = |name: &str| tree.attr(node, name).map(|it| it.into_owned());
            let comment = Comment {
                id: attribute("id").unwrap_or_default(),
                author: attribute("author").unwrap_or_default(),
                date: attribute("date"),
                text: crate::story::container_text(
                    tree,
                    node,
                    &HashSet::new(),
                    text::View::Accepted,
                ),
                ..Comment::default()
            };
            if let Some(paragraph) = paragraph_id(tree, node) {
                by_paragraph.insert(paragraph, list.len());
            }
            list.push(comment);
        }
        for (paragraph, (parent, is_done)) in states {
            if let Some(&at) = by_paragraph.get(&paragraph) {
                list[at].is_resolved = is_done;
                let parent = parent.and_then(|it| by_paragraph.get(&it).copied());
                list[at].parent = parent.map(|it| list[it].id.clone());
            }
        }
        let mut places = self.commented();
        for comment in &mut list {
            if let Some((on, at)) = places.remove(&comment.id) {
                comment.on = on;
                comment.at = at;
            }
        }
        Ok(list)
    }

    /// Returns what each comment is about and where that begins.
    fn commented(&self) -> HashMap<String, (String, Option<String>)> {
        let mut out: HashMap<String, (String, Option<String>)> = HashMap::new();
        let mut anchors = Anchors::new(self);
        for index in 0..self.parts.len() {
            let tree = self.tree(index);
            let Some(root) = tree.root() else { continue };
            let mut open: Vec<String> = Vec::new();
            for node in tree.descendants(root) {
                let id = || tree.attr(node, "id").unwrap_or_default().into_owned();
                match tree.name(node) {
                    "commentRangeStart" | "commentReference" => {
                        let id = id();
                        let entry = out.entry(id.clone()).or_default();
                        if entry.1.is_none() {
                            entry.1 = anchors.around(index, node);
                        }
                        if tree.is(node, "commentRangeStart") && open.len() < 100 {
                            open.push(id);
                        }
                    }
                    "commentRangeEnd" => {
                        let id = id();
                        open.retain(|it| *it != id);
                    }
                    "t" if !open.is_empty() => {
                        let text = tree.text(node);
                        for id in &open {
                            let entry = out.entry(id.clone()).or_default();
                            if entry.0.len() < 500 {
                                entry.0.push_str(&text);
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
        out
    }
}

/// Returns the id of the last paragraph of a comment, which its state refers to.
fn paragraph_id(tree: &Tree, comment: Id) -> Option<String> {
    let last = tree.descendants(comment).filter(|&it| tree.is(it, "p")).last()?;
    tree.attr(last, "paraId").map(|it| it.to_ascii_uppercase())
}

fn parts(package: &mut Package) -> Result<Option<Parts>> {
    let Some(comments) = package.related("comments")?.into_iter().next() else { return Ok(None) };
    let extended = package.related("commentsExtended")?.into_iter().next();
    Ok(Some(Parts { comments, extended }))
}

/// Returns the parent of each comment and whether it is resolved, by ids of paragraphs.
fn states(
    package: &mut Package,
    extended: Option<&str>,
) -> Result<BTreeMap<String, (Option<String>, bool)>> {
    let mut out = BTreeMap::new();
    let Some(name) = extended else { return Ok(out) };
    let Some(tree) = package.tree(name)? else { return Ok(out) };
    let Some(root) = tree.root() else { return Ok(out) };
    for node in tree.elements(root).filter(|&it| tree.local(it) == "commentEx") {
        if let Some(paragraph) = tree.attr(node, "paraId") {
            let parent = tree.attr(node, "paraIdParent").map(|it| it.to_ascii_uppercase());
            let is_done = tree.attr(node, "done").is_some_and(|it| matches!(&*it, "1" | "true"));
            out.insert(paragraph.to_ascii_uppercase(), (parent, is_done));
        }
    }
    Ok(out)
}

/// Returns the parts of comments, and makes them if there are none.
fn ensure_parts(package: &mut Package) -> Result<Parts> {
    if let Some(parts) = parts(package)? {
        return Ok(parts);
    }
    let main = package.main.clone();
    let name = package.free_name(&format!("{}comments", package.folder()), ".xml");
    let name = if package.has(&format!("{}comments.xml", package.folder())) {
        name
    } else {
        format!("{}comments.xml", package.folder())
    };
    let uri = root_namespace(package, &main);
    let xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<w:comments xmlns:w=\"{uri}\" \
         xmlns:mc=\"{MC_URI}\" xmlns:w14=\"{W14_URI}\" mc:Ignorable=\"w14\"></w:comments>"
    );
    package.add_xml(&name, &xml, COMMENTS_TYPE)?;
    let target = name.rsplit('/').next().unwrap_or(&name).to_owned();
    package.relate(&main, "comments", &target, false)?;
    Ok(Parts { comments: name, extended: None })
}

/// Returns the namespace of the main part: transitional or strict.
pub(crate) fn root_namespace(package: &Package, part: &str) -> String {
    let tree = package.get(part);
    let found = tree.and_then(|tree| {
        let root = tree.root()?;
        let prefix = tree.prefix(root).to_owned();
        let name = if prefix.is_empty() { "xmlns".to_owned() } else { format!("xmlns:{prefix}") };
        tree.attrs(root).find(|(it, _)| *it == name).map(|(_, value)| value.into_owned())
    });
    found.unwrap_or_else(|| W_URI.to_owned())
}

fn ensure_extended(package: &mut Package, parts: &mut Parts) -> Result<String> {
    if let Some(name) = &parts.extended {
        return Ok(name.clone());
    }
    let main = package.main.clone();
    let name = format!("{}commentsExtended.xml", package.folder());
    let xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<w15:commentsEx \
         xmlns:mc=\"{MC_URI}\" xmlns:w15=\"{W15_URI}\" mc:Ignorable=\"w15\"></w15:commentsEx>"
    );
    package.add_xml(&name, &xml, EXTENDED_TYPE)?;
    package.relate(&main, EXTENDED_RELATION, "commentsExtended.xml", false)?;
    parts.extended = Some(name.clone());
    Ok(name)
}

fn find(tree: &Tree, id: &str) -> Option<Id> {
    let root = tree.root()?;
    tree.elements(root)
        .find(|&it| tree.is(it, "comment") && tree.attr(it, "id").is_some_and(|it| *it == *id))
}

fn missing(package: &Package, parts: Option<&Parts>, id: &str) -> Error {
    let mut ids = Vec::new();
    if let Some(tree) = parts.and_then(|parts| package.get(&parts.comments))
        && let Some(root) = tree.root()
    {
        ids.extend(tree.elements(root).filter_map(|it| tree.attr(it, "id")).take(50));
    }
    let ids: Vec<String> = ids.iter().map(|it| format!("`{it}`")).collect();
    Error::Invalid(if ids.is_empty() {
        format!("there is no comment `{id}`; the document has none")
    } else {
        format!("there is no comment `{id}`; there are {}", ids.join(", "))
    })
}

/// Adds a comment to the part of comments. Returns its id.
pub(crate) fn add(package: &mut Package, text: &str, marks: &Marks) -> Result<String> {
    let parts = ensure_parts(package)?;
    let tree = package
        .tree(&parts.comments)?
        .ok_or_else(|| Error::Malformed("the part of comments is missing".to_owned()))?;
    tree.declare("w", W_URI).map_err(Error::Unsupported)?;
    let root = tree.root().unwrap_or(crate::xml::DOCUMENT);
    let ids = tree.elements(root).filter_map(|it| tree.attr(it, "id")?.parse::<u32>().ok());
    let id = ids.filter(|it| *it < u32::MAX / 2).max().map_or(0, |it| it + 1);
    let initials: String =
        marks.author.split_whitespace().filter_map(|word| word.chars().next()).take(4).collect();
    let lines: Vec<&str> = text.split('\n').collect();
    let mut content = String::new();
    for (at, line) in lines.iter().enumerate() {
        let reference = match at {
            0 => "<w:r><w:annotationRef/></w:r>",
            _ => "",
        };
        content
            .push_str(&format!("<w:p>{reference}<w:r>{}</w:r></w:p>", text::run_xml(line, false)));
    }
    let xml = format!(
        "<w:comment w:id=\"{id}\" {} w:initials=\"{}\">{content}</w:comment>",
        marks.signature(),
        escape_attr(&initials)
    );
    let comment = tree.element(&xml);
    tree.append(root, comment);
    Ok(id.to_string())
}

/// Gives the last paragraph of a comment an id, unless it has one, and returns it.
fn ensure_paragraph_id(package: &mut Package, parts: &Parts, id: &str) -> Result<String> {
    let mut taken = HashSet::new();
    let names: Vec<String> =
        package.related("header")?.into_iter().chain([package.main.clone()]).collect();
    for name in names.iter().chain([&parts.comments]) {
        if let Some(tree) = package.tree(name)?
            && let Some(root) = tree.root()
        {
            let ids = tree.descendants(root).filter(|&it| tree.is(it, "p"));
            taken.extend(ids.filter_map(|it| Some(tree.attr(it, "paraId")?.to_ascii_uppercase())));
        }
    }
    let known = missing(package, Some(parts), id);
    let tree = package.get_mut(&parts.comments);
    let comment = find(tree, id).ok_or(known)?;
    if let Some(found) = paragraph_id(tree, comment) {
        return Ok(found);
    }
    tree.declare("w14", W14_URI).map_err(Error::Unsupported)?;
    ignore(tree, "w14")?;
    let last = tree.descendants(comment).filter(|&it| tree.is(it, "p")).last();
    let last = match last {
        Some(last) => last,
        None => {
            let paragraph = tree.element("<w:p></w:p>");
            tree.append(comment, paragraph);
            paragraph
        }
    };
    // Below 80000000, as the format demands.
    let number = (0x4d49_0001_u32..).find(|it| !taken.contains(&format!("{it:08X}")));
    let paragraph = format!("{:08X}", number.unwrap_or(0x4d49_0000));
    tree.set_attr(last, "w14:paraId", &paragraph);
    Ok(paragraph)
}

/// Lets programs that do not know a namespace ignore it.
fn ignore(tree: &mut Tree, prefix: &str) -> Result<()> {
    tree.declare("mc", MC_URI).map_err(Error::Unsupported)?;
    let Some(root) = tree.root() else { return Ok(()) };
    let old = tree.attr(root, "Ignorable").unwrap_or_default().into_owned();
    if !old.split_whitespace().any(|it| it == prefix) {
        let new = format!("{old} {prefix}");
        tree.set_attr(root, "mc:Ignorable", new.trim());
    }
    Ok(())
}

/// Sets parent and state of a comment.
fn set_state(
    package: &mut Package,
    parts: &mut Parts,
    id: &str,
    parent: Option<&str>,
    is_done: Option<bool>,
) -> Result<()> {
    let own = ensure_paragraph_id(package, parts, id)?;
    let parent = match parent {
        Some(parent) => Some(ensure_paragraph_id(package, parts, parent)?),
        None => None,
    };
    let name = ensure_extended(package, parts)?;
    let Some(tree) = package.tree(&name)? else { return Ok(()) };
    tree.declare("w15", W15_URI).map_err(Error::Unsupported)?;
    let root = tree.root().unwrap_or(crate::xml::DOCUMENT);
    let mut wanted = vec![(own, parent, is_done)];
    // A parent needs an entry too.
    if let Some((_, Some(parent), _)) = wanted.first() {
        wanted.insert(0, (parent.clone(), None, None));
    }
    for (paragraph, parent, is_done) in wanted {
        let entry = tree.elements(root).find(|&it| {
            tree.attr(it, "paraId").is_some_and(|it| it.eq_ignore_ascii_case(&paragraph))
        });
        let entry = match entry {
            Some(entry) => entry,
            None => {
                let entry = tree.element(&format!(
                    "<w15:commentEx w15:paraId=\"{}\" w15:done=\"0\"/>",
                    escape(&paragraph)
                ));
                tree.append(root, entry);
                entry
            }
        };
        if let Some(parent) = parent {
            tree.set_attr(entry, "w15:paraIdParent", &parent);
        }
        if let Some(is_done) = is_done {
            tree.set_attr(entry, "w15:done", if is_done { "1" } else { "0" });
        }
    }
    Ok(())
}

/// Answers a comment. Returns the id of the answer.
pub(crate) fn answer(
    document: &mut Document,
    id: &str,
    text: &str,
    marks: &Marks,
) -> Result<String> {
    let list = document.comments()?;
    let package = &mut document.package;
    let Some(mut parts) = parts(package)? else { return Err(missing(package, None, id)) };
    let Some(comment) = list.iter().find(|it| it.id == id) else {
        return Err(missing(package, Some(&parts), id));
    };
    // Threads have two levels: an answer to an answer belongs to the first comment.
    let parent = comment.parent.clone().unwrap_or_else(|| id.to_owned());
    let new = add(package, text, marks)?;
    set_state(package, &mut parts, &new, Some(&parent), None)?;
    // The answer stands where its parent stands.
    for part in &document.parts {
        let tree = document.package.get_mut(&part.name);
        let Some(root) = tree.root() else { continue };
        let found: Vec<Id> = tree
            .descendants(root)
            .filter(|&it| {
                matches!(
                    tree.name(it),
                    "commentRangeStart" | "commentRangeEnd" | "commentReference"
                ) && tree.attr(it, "id").is_some_and(|it| *it == *parent)
            })
            .collect();
        for node in found {
            match tree.name(node) {
                "commentReference" => {
                    if let Some(run) = tree.parent(node).filter(|&it| tree.is(it, "r")) {
                        let new_run = tree.element(&reference_xml(&new));
                        tree.insert_after(run, new_run);
                    }
                }
                _ => {
                    let copy = tree.copy(node);
                    tree.set_attr(copy, "w:id", &new);
                    tree.insert_after(node, copy);
                }
            }
        }
    }
    Ok(new)
}

/// Returns the run that refers to a comment.
pub(crate) fn reference_xml(id: &str) -> String {
    format!("<w:r><w:commentReference w:id=\"{id}\"/></w:r>")
}

/// Marks a comment as resolved or open.
pub(crate) fn set_resolved(document: &mut Document, id: &str, is_done: bool) -> Result<()> {
    let list = document.comments()?;
    let package = &mut document.package;
    let Some(mut parts) = parts(package)? else { return Err(missing(package, None, id)) };
    let Some(comment) = list.iter().find(|it| it.id == id) else {
        return Err(missing(package, Some(&parts), id));
    };
    let top = comment.parent.clone().unwrap_or_else(|| id.to_owned());
    set_state(package, &mut parts, &top, None, Some(is_done))
}

/// Deletes a comment with its answers. Returns their number.
pub(crate) fn delete(document: &mut Document, id: &str) -> Result<usize> {
    let list = document.comments()?;
    let package = &mut document.package;
    let Some(parts) = parts(package)? else { return Err(missing(package, None, id)) };
    if !list.iter().any(|it| it.id == id) {
        return Err(missing(package, Some(&parts), id));
    }
    let gone: Vec<String> = list
        .iter()
        .filter(|it| it.id == id || it.parent.as_deref() == Some(id))
        .map(|it| it.id.clone())
        .collect();
    let mut paragraphs = Vec::new();
    let tree = package.get_mut(&parts.comments);
    for id in &gone {
        if let Some(node) = find(tree, id) {
            paragraphs.extend(paragraph_id(tree, node));
            tree.detach(node);
        }
    }
    let others = package
        .related("commentsExtended")?
        .into_iter()
        .chain(package.related("commentsIds")?)
        .collect::<Vec<_>>();
    for name in others {
        let Some(tree) = package.tree(&name)? else { continue };
        let Some(root) = tree.root() else { continue };
        let entries: Vec<Id> = tree
            .elements(root)
            .filter(|&it| {
                tree.attr(it, "paraId")
                    .is_some_and(|it| paragraphs.contains(&it.to_ascii_uppercase()))
            })
            .collect();
        for entry in entries {
            tree.detach(entry);
        }
    }
    for part in &document.parts {
        let tree = document.package.get_mut(&part.name);
        let Some(root) = tree.root() else { continue };
        let found: Vec<Id> = tree
            .descendants(root)
            .filter(|&it| {
                matches!(
                    tree.name(it),
                    "commentRangeStart" | "commentRangeEnd" | "commentReference"
                ) && tree.attr(it, "id").is_some_and(|it| gone.iter().any(|id| *id == *it))
            })
            .collect();
        for node in found {
            let run = tree.parent(node).filter(|&it| tree.is(it, "r"));
            tree.detach(node);
            if let Some(run) = run
                && tree.elements(run).all(|it| tree.is(it, "rPr"))
            {
                tree.detach(run);
            }
        }
    }
    Ok(gone.len())
}
