//! Structure of a document for screen readers: a tree beside the pages.

use std::num::NonZeroU16;

use krilla::tagging::{
    Identifier, ListNumbering, Node, TableHeaderScope, Tag, TagGroup, TagKind, TagTree,
};

/// Role of a part.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum StructureRole {
    Document,
    Heading(u8),
    Paragraph,
    Code,
    Quote,
    Note,
    List { is_numbered: bool },
    Item,
    Label,
    Body,
    Table,
    Head,
    Rows,
    Row,
    HeadCell,
    Cell,
    Link,
    Contents,
    Entry,
}

/// Index of a part.
pub(super) type StructureId = u32;

/// The parts of a document as a tree.
pub(super) struct Tags {
    parts: Vec<(StructureRole, Vec<Child>)>,
}

enum Child {
    Part(StructureId),
    Content(Identifier),
}

impl Tags {
    /// The part that contains all others.
    pub(super) const ROOT: StructureId = 0;

    pub(super) fn new() -> Tags {
        Tags { parts: vec![(StructureRole::Document, Vec::new())] }
    }

    /// Adds a part within another one.
    pub(super) fn add(&mut self, parent: StructureId, role: StructureRole) -> StructureId {
        let part = u32::try_from(self.parts.len()).unwrap_or(u32::MAX);
        self.parts.push((role, Vec::new()));
        if let Some((_, children)) = self.parts.get_mut(parent as usize) {
            children.push(Child::Part(part));
        }
        part
    }

    /// Assigns drawn content to a part.
    pub(super) fn drawn(&mut self, part: StructureId, content: Identifier) {
        if let Some((_, children)) = self.parts.get_mut(part as usize) {
            children.push(Child::Content(content));
        }
    }

    /// Returns the tree in the writer's form. A part is created after its parent, so the last ones are finished first.
    pub(super) fn into_tree(self, language: String) -> TagTree {
        let mut groups: Vec<Option<TagGroup>> = self.parts.iter().map(|_| None).collect();
        let mut tree = TagTree::new().with_lang(Some(language));
        for (index, (role, children)) in self.parts.into_iter().enumerate().rev() {
            let nodes: Vec<Node> = children
                .into_iter()
                .filter_map(|child| match child {
                    Child::Content(content) => Some(Node::from(content)),
                    Child::Part(part) => groups.get_mut(part as usize)?.take().map(Node::from),
                })
                .collect();
            if role == StructureRole::Document {
                tree.children = nodes;
                break;
            }
            if let Some(group) = groups.get_mut(index).filter(|_| !nodes.is_empty()) {
                *group = Some(TagGroup::with_children(tag(&role), nodes));
            }
        }
        tree
    }
}

fn tag(role: &StructureRole) -> TagKind {
    match role {
        StructureRole::Document | StructureRole::Paragraph => Tag::P.into(),
        StructureRole::Heading(level) => {
            let level = NonZeroU16::new(u16::from(*level)).unwrap_or(NonZeroU16::MIN);
            Tag::Hn(level, None).into()
        }
        StructureRole::Code => Tag::Code.into(),
        StructureRole::Quote => Tag::BlockQuote.into(),
        StructureRole::Note => Tag::Note.into(),
        StructureRole::List { is_numbered: true } => Tag::L(ListNumbering::Decimal).into(),
        StructureRole::List { is_numbered: false } => Tag::L(ListNumbering::Disc).into(),
        StructureRole::Item => Tag::LI.into(),
        StructureRole::Label => Tag::Lbl.into(),
        StructureRole::Body => Tag::LBody.into(),
        StructureRole::Table => Tag::Table.into(),
        StructureRole::Head => Tag::THead.into(),
        StructureRole::Rows => Tag::TBody.into(),
        StructureRole::Row => Tag::TR.into(),
        StructureRole::HeadCell => Tag::TH(TableHeaderScope::Column).into(),
        StructureRole::Cell => Tag::TD.into(),
        StructureRole::Link => Tag::Link.into(),
        StructureRole::Contents => Tag::TOC.into(),
        StructureRole::Entry => Tag::TOCI.into(),
    }
}
