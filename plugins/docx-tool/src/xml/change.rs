//! Changes of a tree.

use super::escape::{attributes, escape, escape_attr, is_name_byte};
use super::{Id, Kind, NIL, Node, Ns, Span, Tree};

impl Tree {
    /// Appends to the buffer, which grows by an eighth only: a large part would not fit into the memory twice.
    pub(super) fn push_text(&mut self, new: &str) {
        let free = self.text.capacity() - self.text.len();
        if free < new.len() {
            self.text.reserve_exact(new.len().max(self.text.len() / 8).max(4_096));
        }
        self.text.push_str(new);
    }

    fn retag(&mut self, tag: &str) -> Span {
        let start = self.text.len() as u32;
        self.push_text(tag);
        self.is_changed = true;
        Span { start, end: self.text.len() as u32 }
    }

    /// Sets an attribute; `name` has its prefix if it needs one. An attribute of the same local name is replaced.
    pub(crate) fn set_attr(&mut self, id: Id, name: &str, value: &str) {
        let tag = self.open_tag(id);
        let local = name.rsplit(':').next().unwrap_or(name);
        let is_declaration = name.starts_with("xmlns");
        let found = attributes(tag).find(|(it, _)| {
            if is_declaration {
                *it == name
            } else {
                it.rsplit(':').next() == Some(local) && !it.starts_with("xmlns")
            }
        });
        let new = match found {
            Some((_, old)) => {
                let at = old.as_ptr() as usize - tag.as_ptr() as usize;
                format!("{}{}{}", &tag[..at], escape_attr(value), &tag[at + old.len()..])
            }
            None => {
                let end = tag.len() - if tag.ends_with("/>") { 2 } else { 1 };
                let head = tag[..end].trim_end();
                format!("{head} {name}=\"{}\"{}", escape_attr(value), &tag[end..])
            }
        };
        self.put_open(id, &new);
    }

    /// Removes an attribute by its local name.
    pub(crate) fn remove_attr(&mut self, id: Id, local: &str) {
        let tag = self.open_tag(id);
        let found = attributes(tag)
            .find(|(it, _)| it.rsplit(':').next() == Some(local) && !it.starts_with("xmlns"));
        let Some((name, value)) = found else { return };
        let start = name.as_ptr() as usize - tag.as_ptr() as usize;
        let end = value.as_ptr() as usize - tag.as_ptr() as usize + value.len() + 1;
        let new = format!("{}{}", tag[..start].trim_end(), &tag[end..]);
        self.put_open(id, &new);
    }

    /// Gives an element another local name; its prefix and its attributes stay.
    pub(crate) fn rename(&mut self, id: Id, local: &str) {
        let node = self.nodes[id as usize];
        let at = (node.local.start - node.open.start) as usize;
        let tag = &self.text[node.open.range()];
        let old = (node.local.end - node.local.start) as usize;
        let new = format!("{}{local}{}", &tag[..at], &tag[at + old..]);
        let close = &self.text[node.close.range()];
        // The end tag has one more byte in front of the same prefix.
        let close = if close.is_empty() {
            String::new()
        } else {
            format!("<{}{}{local}>", "/", &new[1..at])
        };
        self.put_open(id, &new);
        if !close.is_empty() {
            self.nodes[id as usize].close = self.retag(&close);
        }
    }

    fn put_open(&mut self, id: Id, tag: &str) {
        let span = self.retag(tag);
        let name = &tag[1..];
        let end = name.bytes().position(|it| !is_name_byte(it)).unwrap_or(name.len());
        let start = name[..end].find(':').map_or(0, |at| at + 1);
        let node = &mut self.nodes[id as usize];
        node.open = span;
        node.local =
            Span { start: span.start + 1 + start as u32, end: span.start + 1 + end as u32 };
    }

    /// Makes an empty element one with a start tag and an end tag.
    fn unclose(&mut self, id: Id) {
        let node = &self.nodes[id as usize];
        if node.kind != Kind::Element || node.close != Span::default() {
            return;
        }
        let tag = self.open_tag(id);
        let new = format!("{}>", tag[..tag.len() - 2].trim_end());
        let name = &new[1..];
        let end = name.bytes().position(|it| !is_name_byte(it)).unwrap_or(name.len());
        let close = format!("</{}>", &name[..end]);
        self.put_open(id, &new);
        self.nodes[id as usize].close = self.retag(&close);
    }

    /// Replaces the character data of an element, and marks white space at its ends as significant.
    pub(crate) fn set_text(&mut self, id: Id, text: &str) {
        let old: Vec<Id> = self.children(id).filter(|&it| self.kind(it) == Kind::Text).collect();
        for child in old {
            self.detach(child);
        }
        let span = self.retag(&escape(text));
        let child = self.push(Kind::Text, Ns::None, Span::default(), span);
        self.append(id, child);
    }

    pub(super) fn link_last(&mut self, parent: Id, id: Id) {
        let last = self.nodes[parent as usize].last;
        let node = &mut self.nodes[id as usize];
        node.parent = parent;
        node.previous = last;
        match last {
            NIL => self.nodes[parent as usize].first = id,
            _ => self.nodes[last as usize].next = id,
        }
        self.nodes[parent as usize].last = id;
    }

    pub(super) fn unlink(&mut self, id: Id) {
        let Node { parent, next, previous, .. } = self.nodes[id as usize];
        if parent == NIL {
            return;
        }
        match previous {
            NIL => self.nodes[parent as usize].first = next,
            _ => self.nodes[previous as usize].next = next,
        }
        match next {
            NIL => self.nodes[parent as usize].last = previous,
            _ => self.nodes[next as usize].previous = previous,
        }
        let node = &mut self.nodes[id as usize];
        (node.parent, node.next, node.previous) = (NIL, NIL, NIL);
    }

    /// Takes a node out of the document.
    pub(crate) fn detach(&mut self, id: Id) {
        self.unlink(id);
        self.is_changed = true;
    }

    /// Puts a node behind the last child.
    pub(crate) fn append(&mut self, parent: Id, id: Id) {
        self.unlink(id);
        self.unclose(parent);
        self.link_last(parent, id);
        self.is_changed = true;
    }

    /// Puts a node in front of the first child.
    pub(crate) fn prepend(&mut self, parent: Id, id: Id) {
        match self.first(parent) {
            Some(first) => self.insert_before(first, id),
            None => self.append(parent, id),
        }
    }

    pub(crate) fn insert_before(&mut self, place: Id, id: Id) {
        // It stands there already.
        if place == id {
            return;
        }
        self.unlink(id);
        let parent = self.nodes[place as usize].parent;
        let previous = self.nodes[place as usize].previous;
        let node = &mut self.nodes[id as usize];
        (node.parent, node.previous, node.next) = (parent, previous, place);
        self.nodes[place as usize].previous = id;
        match previous {
            NIL => self.nodes[parent as usize].first = id,
            _ => self.nodes[previous as usize].next = id,
        }
        self.is_changed = true;
    }

    pub(crate) fn insert_after(&mut self, place: Id, id: Id) {
        match self.next(place) {
            Some(next) => self.insert_before(next, id),
            None => {
                let parent = self.nodes[place as usize].parent;
                self.append(parent, id);
            }
        }
    }

    /// Puts nodes behind a place in their order. Returns the last of them.
    pub(crate) fn insert_all_after(&mut self, place: Id, ids: &[Id]) -> Id {
        ids.iter().fold(place, |place, &id| {
            self.insert_after(place, id);
            id
        })
    }

    /// Puts an element around a node.
    pub(crate) fn wrap(&mut self, id: Id, wrapper: Id) {
        self.insert_before(id, wrapper);
        self.append(wrapper, id);
    }

    /// Replaces an element by its children.
    pub(crate) fn unwrap(&mut self, id: Id) {
        while let Some(child) = self.first(id) {
            self.insert_before(id, child);
        }
        self.detach(id);
    }

    /// Copies an element without its children.
    pub(crate) fn copy_shallow(&mut self, id: Id) -> Id {
        let node = self.nodes[id as usize];
        let copy = self.push(node.kind, node.ns, node.local, node.open);
        self.nodes[copy as usize].close = node.close;
        self.is_changed = true;
        copy
    }

    /// Copies a node with everything in it.
    pub(crate) fn copy(&mut self, id: Id) -> Id {
        let top = self.copy_shallow(id);
        let (mut from, mut to) = (id, top);
        loop {
            if let Some(child) = self.first(from) {
                let copy = self.copy_shallow(child);
                self.link_last(to, copy);
                (from, to) = (child, copy);
                continue;
            }
            loop {
                if from == id {
                    return top;
                }
                let parent = self.nodes[to as usize].parent;
                if let Some(next) = self.next(from) {
                    let copy = self.copy_shallow(next);
                    self.link_last(parent, copy);
                    (from, to) = (next, copy);
                    break;
                }
                from = self.nodes[from as usize].parent;
                to = parent;
            }
        }
    }
}
