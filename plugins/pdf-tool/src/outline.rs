//! Bookmarks, and what links lead to.

use crate::file::Pdf;
use crate::object::{Dict, Object};
use std::collections::{BTreeMap, BTreeSet};

/// Most bookmarks, and most names of a tree.
const MAX_ITEMS: usize = 100_000;
const MAX_DEPTH: usize = 32;

/// A bookmark that is in the document.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) number: u32,
    pub(crate) kids: Vec<Node>,
}

/// A bookmark.
#[derive(Clone, Debug)]
pub struct OutlineItem {
    /// Its title.
    pub title: String,
    /// Its level, from 1.
    pub level: usize,
    /// Page from 1, if it leads to one.
    pub page: Option<usize>,
}

/// What a link or a bookmark leads to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Target {
    /// A page of this document.
    Page(u32),
    /// A page that is not there.
    Lost,
    /// An address.
    Uri(String),
    /// Something else, or nothing.
    Other,
}

impl Pdf {
    /// Returns the entries of a name tree.
    pub(crate) fn name_tree(&self, root: &Object) -> Vec<(Vec<u8>, Object)> {
        let mut out = Vec::new();
        let mut seen = BTreeSet::new();
        let mut todo = vec![(root, 0)];
        while let Some((node, depth)) = todo.pop() {
            if let Object::Ref(number) = node
                && !seen.insert(*number)
            {
                continue;
            }
            let Some(dict) = self.resolve(node).as_dict() else { continue };
            for pair in self.array(dict, "Names").chunks_exact(2) {
                if out.len() >= MAX_ITEMS {
                    return out;
                }
                if let Some(name) = self.resolve(&pair[0]).as_str() {
                    out.push((name.to_vec(), pair[1].clone()));
                }
            }
            if depth < MAX_DEPTH {
                todo.extend(self.array(dict, "Kids").iter().rev().map(|it| (it, depth + 1)));
            }
        }
        out
    }

    /// Returns a name tree of the catalog.
    pub(crate) fn names(&self, key: &str) -> Vec<(Vec<u8>, Object)> {
        let Some(names) = self.dict(self.catalog(), "Names") else { return Vec::new() };
        self.name_tree(names.get(key))
    }

    /// Sets a name tree of the catalog; an empty one is removed.
    pub(crate) fn set_names(&mut self, key: &str, mut entries: Vec<(Vec<u8>, Object)>) {
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        let mut names = self.dict(self.catalog(), "Names").cloned().unwrap_or_default();
        if entries.is_empty() {
            names.remove(key);
        } else {
            let list: Vec<Object> =
                entries.into_iter().flat_map(|(name, value)| [Object::Str(name), value]).collect();
            names.set(key, Dict::new().with("Names", list));
        }
        if names.is_empty() {
            self.catalog_mut().remove("Names");
        } else {
            self.catalog_mut().set("Names", names);
        }
    }

    /// Returns the destinations that have names.
    pub(crate) fn named_destinations(&self) -> BTreeMap<Vec<u8>, Object> {
        let mut all: BTreeMap<Vec<u8>, Object> = self.names("Dests").into_iter().collect();
        if let Some(old) = self.dict(self.catalog(), "Dests") {
            all.extend(
                old.iter().take(MAX_ITEMS).map(|(name, value)| (name.to_vec(), value.clone())),
            );
        }
        all
    }

    /// Returns what a destination leads to.
    pub(crate) fn destination(&self, value: &Object, named: &BTreeMap<Vec<u8>, Object>) -> Target {
        let mut value = self.resolve(value);
        for _ in 0..4 {
            match value {
                Object::Array(parts) => {
                    return match parts.first() {
                        Some(Object::Ref(page)) if self.pages.contains(page) => Target::Page(*page),
                        Some(Object::Int(at)) => {
                            let page = usize::try_from(*at).ok().and_then(|it| self.pages.get(it));
                            page.map_or(Target::Lost, |it| Target::Page(*it))
                        }
                        _ => Target::Lost,
                    };
                }
                Object::Dict(dict) => value = self.value(dict, "D"),
                other => match other.as_bytes() {
                    Some(name) => match named.get(name) {
                        Some(found) => value = self.resolve(found),
                        None => return Target::Lost,
                    },
                    None => return Target::Other,
                },
            }
        }
        Target::Other
    }

    /// Returns what a bookmark or a link leads to.
    pub(crate) fn target(&self, dict: &Dict, named: &BTreeMap<Vec<u8>, Object>) -> Target {
        if dict.has("Dest") {
            return self.destination(dict.get("Dest"), named);
        }
        let Some(action) = self.dict(dict, "A") else { return Target::Other };
        match self.value(action, "S").as_name() {
            Some(b"GoTo") => self.destination(action.get("D"), named),
            Some(b"URI") => Target::Uri(self.text(action, "URI").unwrap_or_default()),
            _ => Target::Other,
        }
    }

    /// Returns the tree of bookmarks.
    pub(crate) fn outline_tree(&self) -> Vec<Node> {
        let mut seen = BTreeSet::new();
        match self.dict(self.catalog(), "Outlines") {
            Some(root) => self.outline_level(root, 0, &mut seen),
            None => Vec::new(),
        }
    }

    fn outline_level(&self, parent: &Dict, depth: usize, seen: &mut BTreeSet<u32>) -> Vec<Node> {
        let mut nodes = Vec::new();
        let mut next = parent.get("First").as_ref();
        while let Some(number) = next {
            if depth >= MAX_DEPTH || seen.len() >= MAX_ITEMS || !seen.insert(number) {
                break;
            }
            let Some(dict) = self.object(number) else { break };
            let kids = self.outline_level(dict, depth + 1, seen);
            nodes.push(Node { number, kids });
            next = dict.get("Next").as_ref();
        }
        nodes
    }

    /// Sets the tree of bookmarks.
    pub(crate) fn set_outline_tree(&mut self, nodes: &[Node]) {
        if nodes.is_empty() {
            self.catalog_mut().remove("Outlines");
            return;
        }
        let root =
            match self.catalog().get("Outlines").as_ref().filter(|it| self.object(*it).is_some()) {
                Some(root) => root,
                None => {
                    let root = self.add(Dict::new().with("Type", Object::name("Outlines")));
                    self.catalog_mut().set("Outlines", Object::Ref(root));
                    root
                }
            };
        self.link_level(root, nodes, true);
    }

    fn link_level(&mut self, parent: u32, nodes: &[Node], is_root: bool) {
        for (at, node) in nodes.iter().enumerate() {
            let previous = at.checked_sub(1).map(|it| nodes[it].number);
            let next = nodes.get(at + 1).map(|it| it.number);
            if let Some(dict) = self.object_mut(node.number) {
                for (key, value) in [("Parent", Some(parent)), ("Prev", previous), ("Next", next)] {
                    match value {
                        Some(value) => dict.set(key, Object::Ref(value)),
                        None => {
                            dict.remove(key);
                        }
                    }
                }
            }
            self.link_level(node.number, &node.kids, false);
        }
        let count = i64::try_from(nodes.len()).unwrap_or(0);
        let Some(dict) = self.object_mut(parent) else { return };
        let (Some(first), Some(last)) = (nodes.first(), nodes.last()) else {
            for key in ["First", "Last", "Count"] {
                dict.remove(key);
            }
            return;
        };
        dict.set("First", Object::Ref(first.number));
        dict.set("Last", Object::Ref(last.number));
        // Open levels stay open; only the kids that are seen count.
        let was_open = is_root || dict.get("Count").as_int().is_none_or(|it| it > 0);
        dict.set("Count", if was_open { count } else { -count });
    }

    /// Returns the bookmarks in order.
    pub fn outline(&self) -> Vec<OutlineItem> {
        let named = self.named_destinations();
        let numbers: BTreeMap<u32, usize> =
            self.pages.iter().enumerate().map(|(at, it)| (*it, at + 1)).collect();
        let mut items = Vec::new();
        let mut todo: Vec<(Node, usize)> =
            self.outline_tree().into_iter().rev().map(|it| (it, 1)).collect();
        while let Some((node, level)) = todo.pop() {
            if let Some(dict) = self.object(node.number) {
                let page = match self.target(dict, &named) {
                    Target::Page(page) => numbers.get(&page).copied(),
                    _ => None,
                };
                items.push(OutlineItem {
                    title: self.text(dict, "Title").unwrap_or_default(),
                    level,
                    page,
                });
            }
            todo.extend(node.kids.into_iter().rev().map(|it| (it, level + 1)));
        }
        items
    }

    /// Replaces the bookmarks. Levels are those of a tree: each is at most one deeper than the one before.
    pub(crate) fn set_outline(&mut self, items: &[OutlineItem]) {
        let mut levels: Vec<Vec<Node>> = vec![Vec::new()];
        let close = |levels: &mut Vec<Vec<Node>>| {
            if let (Some(kids), Some(parents)) = (levels.pop(), levels.last_mut())
                && let Some(parent) = parents.last_mut()
            {
                parent.kids = kids;
            }
        };
        for item in items {
            let page = item.page.and_then(|it| self.pages.get(it.saturating_sub(1))).copied();
            let mut dict = Dict::new().with("Title", Object::text(&item.title));
            if let Some(page) = page {
                dict.set("Dest", vec![Object::Ref(page), Object::name("Fit")]);
            }
            let number = self.add(dict);
            while levels.len() > item.level.max(1) {
                close(&mut levels);
            }
            while levels.len() < item.level && levels.last().is_some_and(|it| !it.is_empty()) {
                levels.push(Vec::new());
            }
            if let Some(level) = levels.last_mut() {
                level.push(Node { number, kids: Vec::new() });
            }
        }
        while levels.len() > 1 {
            close(&mut levels);
        }
        self.catalog_mut().remove("Outlines");
        self.set_outline_tree(&levels.pop().unwrap_or_default());
    }

    /// Removes bookmarks; those whose kids stay are kept.
    pub(crate) fn prune_outline(&mut self, is_gone: &dyn Fn(&Self, &Dict) -> bool) -> usize {
        fn keep(
            pdf: &Pdf,
            nodes: Vec<Node>,
            is_gone: &dyn Fn(&Pdf, &Dict) -> bool,
            count: &mut usize,
        ) -> Vec<Node> {
            let mut out = Vec::new();
            for node in nodes {
                let kids = keep(pdf, node.kids, is_gone, count);
                let is_dead = pdf.object(node.number).is_none_or(|it| is_gone(pdf, it));
                if is_dead && kids.is_empty() {
                    *count += 1;
                } else {
                    out.push(Node { number: node.number, kids });
                }
            }
            out
        }
        let mut count = 0;
        let tree = self.outline_tree();
        if tree.is_empty() {
            return 0;
        }
        let kept = keep(self, tree, is_gone, &mut count);
        if count > 0 {
            self.set_outline_tree(&kept);
        }
        count
    }
}
