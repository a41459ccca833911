//! Structure of a document for screen readers: a tree beside the pages.

use std::num::NonZeroU16;

use krilla::tagging::{
    Identifier, ListNumbering, Node, TableHeaderScope, Tag, TagGroup, TagKind, TagTree,
};

/// Kind of a part.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
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
pub(super) type Part = u32;

/// The parts of a document as a tree.
pub(super) struct Tags {
    parts: Vec<(Kind, Vec<Child>)>,
}

enum Child {
    Part(Part),
    Content(Identifier),
}

impl Tags {
    /// The part that contains all others.
    pub(super) const ROOT: Part = 0;

    pub(super) fn new() -> Tags {
        Tags { parts: vec![(Kind::Document, Vec::new())] }
    }

    /// Adds a part within another one.
    pub(super) fn add(&mut self, parent: Part, kind: Kind) -> Part {
        let part = u32::try_from(self.parts.len()).unwrap_or(u32::MAX);
        self.parts.push((kind, Vec::new()));
        if let Some((_, children)) = self.parts.get_mut(parent as usize) {
            children.push(Child::Part(part));
        }
        part
    }

    /// Assigns drawn content to a part.
    pub(super) fn drawn(&mut self, part: Part, content: Identifier) {
        if let Some((_, children)) = self.parts.get_mut(part as usize) {
            children.push(Child::Content(content));
        }
    }

    /// Returns the tree in the writer's form. A part is created after its parent, so the last ones are finished first.
    pub(super) fn into_tree(self, language: String) -> TagTree {
        let mut groups: Vec<Option<TagGroup>> = self.parts.iter().map(|_| None).collect();
        let mut tree = TagTree::new().with_lang(Some(language));
        for (index, (kind, children)) in self.parts.into_iter().enumerate().rev() {
            let nodes: Vec<Node> = children
                .into_iter()
                .filter_map(|child| match child {
                    Child::Content(content) => Some(Node::from(content)),
                    Child::Part(part) => groups.get_mut(part as usize)?.take().map(Node::from),
                })
                .collect();
            if kind == Kind::Document {
                tree.children = nodes;
                break;
            }
            if let Some(group) = groups.get_mut(index).filter(|_| !nodes.is_empty()) {
                *group = Some(TagGroup::with_children(tag(&kind), nodes));
            }
        }
        tree
    }
}

fn tag(kind: &Kind) -> TagKind {
    match kind {
        Kind::Document | Kind::Paragraph => Tag::P.into(),
        Kind::Heading(level) => {
            let level = NonZeroU16::new(u16::from(*level)).unwrap_or(NonZeroU16::MIN);
            Tag::Hn(level, None).into()
        }
        Kind::Code => Tag::Code.into(),
        Kind::Quote => Tag::BlockQuote.into(),
        Kind::Note => Tag::Note.into(),
        Kind::List { is_numbered: true } => Tag::L(ListNumbering::Decimal).into(),
        Kind::List { is_numbered: false } => Tag::L(ListNumbering::Disc).into(),
        Kind::Item => Tag::LI.into(),
        Kind::Label => Tag::Lbl.into(),
        Kind::Body => Tag::LBody.into(),
        Kind::Table => Tag::Table.into(),
        Kind::Head => Tag::THead.into(),
        Kind::Rows => Tag::TBody.into(),
        Kind::Row => Tag::TR.into(),
        Kind::HeadCell => Tag::TH(TableHeaderScope::Column).into(),
        Kind::Cell => Tag::TD.into(),
        Kind::Link => Tag::Link.into(),
        Kind::Contents => Tag::TOC.into(),
        Kind::Entry => Tag::TOCI.into(),
    }
}
