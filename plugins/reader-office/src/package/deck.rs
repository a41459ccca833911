//! Takes text that people do not see out of the slides of a presentation, and of the layouts, masters and notes that are
//! read with them.

use super::{Package, part_text};
use crate::unseen::colour::Theme;
use crate::unseen::deck::{Deck, POINT};
use crate::unseen::{Unseen, slides};
use crate::xml::{self, Node};
use office_oxide::core::opc::PartName;
use office_oxide::core::relationships::TargetMode;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// Most bytes of a part that is looked at. A tree of it has to fit into the memory of a reader.
const MAX_PART: usize = 16 << 20;

/// Most bytes of layouts and masters that are kept as trees.
const MAX_KEPT: usize = 16 << 20;

/// A part that is read, and what it is called.
struct Part {
    name: PartName,
    place: String,
}

struct Parts<'p, 'a> {
    package: &'p mut Package<'a>,
    trees: HashMap<String, Option<Rc<Node>>>,
    kept: usize,
}

/// Returns the new contents of parts, by their names in lower case, and the number of parts that were not looked at.
pub(super) fn remove(
    package: &mut Package<'_>,
    unseen: &mut Unseen,
) -> (BTreeMap<String, String>, usize) {
    let mut found = BTreeMap::new();
    let mut skipped = 0;
    let Some(main) = package.main_document_part().ok() else { return (found, 0) };
    let root = part_text(package, &main).and_then(|text| xml::root(&text));
    let mut parts = Parts { package, trees: HashMap::new(), kept: 0 };
    for part in parts.shown(&main, root.as_ref()) {
        let Some(text) = part_text(parts.package, &part.name) else { continue };
        let text = crate::marks::strip(&text).unwrap_or(text);
        let names = parts.parents(&part.name);
        let parents: Option<Vec<Rc<Node>>> = names.iter().map(|name| parts.tree(name)).collect();
        let own = (text.len() <= MAX_PART).then(|| xml::root(&text)).flatten();
        let (Some(parents), Some(own)) = (parents, own) else {
            skipped += 1;
            continue;
        };
        let theme = names.last().unwrap_or(&part.name);
        let theme = parts.related(theme, "theme").into_iter().next();
        let theme = theme.and_then(|name| parts.tree(&name));
        let mut theme = theme.map(|root| Theme::parse(&root)).unwrap_or_default();
        let nodes: Vec<&Node> = parents.iter().map(Rc::as_ref).collect();
        map_colours(&mut theme, &own, &nodes);
        let deck = Deck {
            theme,
            parents: nodes,
            defaults: root.as_ref().and_then(|it| it.child("defaultTextStyle")),
            size: size(root.as_ref(), &own),
        };
        if let Some(new) = slides::remove(&text, &own, &deck, &part.place, unseen) {
            found.insert(part.name.as_str().to_ascii_lowercase(), new);
        }
    }
    (found, skipped)
}

/// Takes the colour map of the master, or the one that the part has instead.
fn map_colours(theme: &mut Theme, own: &Node, parents: &[&Node]) {
    let instead = std::iter::once(own)
        .chain(parents.iter().copied())
        .find_map(|root| root.child("clrMapOvr")?.child("overrideClrMapping"));
    let master = parents.last().copied().unwrap_or(own).child("clrMap");
    if let Some(map) = instead.or(master) {
        theme.map(map);
    }
}

/// Returns the size of slides. Pages of notes have another one, and nothing on them counts as outside.
fn size(presentation: Option<&Node>, own: &Node) -> [f64; 2] {
    let size = presentation.and_then(|it| it.child("sldSz")).filter(|_| own.name != "notes");
    let side =
        |name: &str| size.and_then(|it| it.attribute(name)?.parse::<f64>().ok()).unwrap_or(0.0);
    [side("cx") / POINT, side("cy") / POINT]
}

impl Parts<'_, '_> {
    /// Returns the slides in their order, their notes, and the layouts and masters that they show.
    fn shown(&mut self, main: &PartName, root: Option<&Node>) -> Vec<Part> {
        let Some(list) = root.and_then(|it| it.child("sldIdLst")) else { return Vec::new() };
        let Ok(relations) = self.package.read_rels_for(main) else { return Vec::new() };
        let mut shown: Vec<Part> = Vec::new();
        let mut others: BTreeMap<String, Part> = BTreeMap::new();
        for (slide, number) in list.nodes().filter(|it| it.name == "sldId").zip(1..) {
            // A slide has two attributes of this name. One is that of its relationship.
            let ids = slide.attributes().filter(|(name, _)| *name == "id");
            let target = ids.filter_map(|(_, id)| relations.get_by_id(id)).next();
            let Some(name) = target.and_then(|it| main.resolve_relative(&it.target).ok()) else {
                continue;
            };
            for notes in self.related(&name, "notesSlide") {
                let place = format!("the notes of slide {number}");
                shown.push(Part { name: notes, place });
            }
            for (parent, place) in self.parents(&name).into_iter().zip(["a layout", "a master"]) {
                let key = parent.as_str().to_ascii_lowercase();
                others.entry(key).or_insert(Part { name: parent, place: place.to_owned() });
            }
            shown.push(Part { name, place: format!("slide {number}") });
        }
        shown.extend(others.into_values());
        shown
    }

    fn related(&mut self, name: &PartName, kind: &str) -> Vec<PartName> {
        let Ok(relations) = self.package.read_rels_for(name) else { return Vec::new() };
        relations
            .all()
            .iter()
            .filter(|it| it.target_mode == TargetMode::Internal)
            .filter(|it| it.rel_type.rsplit('/').next() == Some(kind))
            .filter_map(|it| name.resolve_relative(&it.target).ok())
            .collect()
    }

    /// Returns the layout and the master of a slide, the master of a layout, or the master of notes.
    fn parents(&mut self, name: &PartName) -> Vec<PartName> {
        let mut found = Vec::new();
        let mut at = name.clone();
        while found.len() < 2 {
            let next = ["slideLayout", "slideMaster", "notesMaster"].iter().find_map(|kind| {
                // A master names all its layouts.
                let is_up = *kind != "slideLayout" || found.is_empty();
                self.related(&at, kind).into_iter().next().filter(|_| is_up)
            });
            let Some(next) = next else { break };
            found.push(next.clone());
            at = next;
        }
        found
    }

    /// Returns a layout, a master or a theme; `None` if it cannot be read.
    fn tree(&mut self, name: &PartName) -> Option<Rc<Node>> {
        let key = name.as_str().to_ascii_lowercase();
        if let Some(known) = self.trees.get(&key) {
            return known.clone();
        }
        let text = part_text(self.package, name).filter(|text| text.len() + self.kept <= MAX_KEPT);
        self.kept += text.as_ref().map_or(0, String::len);
        let tree = text.and_then(|text| xml::root(&text)).map(Rc::new);
        self.trees.insert(key, tree.clone());
        tree
    }
}
