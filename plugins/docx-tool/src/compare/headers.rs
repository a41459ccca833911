//! Which headers and footers of two documents belong together.

use super::whole::section_nodes;
use crate::error::Result;
use crate::story::{Document, Story};

/// The parts of two documents: pairs, and those that only one of them has with their names.
#[derive(Debug, Default)]
pub(super) struct Paired {
    pub(super) pairs: Vec<(usize, usize)>,
    pub(super) old_only: Vec<(usize, String)>,
    pub(super) new_only: Vec<(usize, String)>,
}

/// Pairs the parts of two documents: body and notes by their kind, headers and footers by section and pages.
pub(super) fn pair(old: &mut Document, new: &mut Document) -> Result<Paired> {
    let mut out = Paired::default();
    for story in [Story::Body, Story::Footnote, Story::Endnote] {
        let of = |document: &Document| -> Vec<usize> {
            let parts = document.parts.iter().enumerate();
            parts.filter(|(_, it)| it.story == story).map(|(at, _)| at).collect()
        };
        out.pairs.extend(of(old).into_iter().zip(of(new)));
    }
    let mut before = named(old)?;
    let mut after = Vec::new();
    for (at, name) in named(new)? {
        match before.iter().position(|it| it.1 == name) {
            Some(same) => out.pairs.push((before.remove(same).0, at)),
            None => after.push((at, name)),
        }
    }
    // Sections may have been added in front of the others.
    for (at, name) in after {
        let kind = |name: &str| name.split(" of section").next().unwrap_or_default().to_owned();
        match before.iter().position(|it| kind(&it.1) == kind(&name)) {
            Some(same) => out.pairs.push((before.remove(same).0, at)),
            None => out.new_only.push((at, name)),
        }
    }
    out.old_only = before;
    Ok(out)
}

/// Returns the headers and footers that pages show, each with its first name: `first header of section 2`.
fn named(document: &mut Document) -> Result<Vec<(usize, String)>> {
    let mut references = Vec::new();
    let tree = document.tree(0);
    for (number, section) in section_nodes(tree).into_iter().enumerate() {
        for it in tree.elements(section) {
            let kind = match tree.name(it) {
                "headerReference" => "header",
                "footerReference" => "footer",
                _ => continue,
            };
            let pages = tree.attr(it, "type").unwrap_or_default();
            let name = format!("{pages} {kind} of section {}", number + 1);
            references.push((name, tree.attr(it, "id").unwrap_or_default().into_owned()));
        }
    }
    let main = document.package.main.clone();
    let mut out: Vec<(usize, String)> = Vec::new();
    let relations = document.package.relations(&main)?;
    for (name, id) in references {
        let Some(relation) = relations.iter().find(|it| it.id == id && !it.is_external) else {
            continue;
        };
        let part = crate::package::resolve(&main, &relation.target);
        let found = document.parts.iter().position(|it| it.name == part);
        if let Some(at) = found.filter(|at| out.iter().all(|it| it.0 != *at)) {
            out.push((at, name));
        }
    }
    Ok(out)
}
