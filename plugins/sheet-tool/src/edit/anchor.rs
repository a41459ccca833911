//! Anchors of drawings in cells.

use crate::xml::{Tag, TagKind};

/// Anchor of a drawing, which keeps its size.
#[derive(Default)]
pub(super) struct Anchor {
    pub(super) end: AnchorEnd,
    /// How far its first row or column has moved.
    by: i64,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum AnchorEnd {
    From,
    To,
    #[default]
    Other,
}

impl Anchor {
    pub(super) fn tag(&mut self, tag: &Tag<'_>) {
        match (tag.name, tag.kind) {
            ("from", TagKind::Open) => self.end = AnchorEnd::From,
            ("to", TagKind::Open) => self.end = AnchorEnd::To,
            ("from" | "to", TagKind::Close) => self.end = AnchorEnd::Other,
            _ => {}
        }
    }

    pub(super) fn moved(&mut self, number: u32, below: impl Fn(u32) -> u32) -> u32 {
        if self.end == AnchorEnd::From {
            let new = below(number);
            self.by = i64::from(new) - i64::from(number);
            return new;
        }
        u32::try_from(i64::from(number) + self.by).unwrap_or(number)
    }
}
