//! Collects what a format cannot show of a document, with places, so that the author finds it.

use std::collections::BTreeMap;

use mitt_base::text;

/// Most places of one kind in a warning; the others are counted.
const MAX_PLACES: usize = 3;

/// Most places of pictures that are not shown, since each has a reason of its own.
const MAX_PICTURES: usize = 12;

/// Most characters of a heading or of quoted text in a warning.
const MAX_SHOWN: u64 = 40;

/// Most characters of a reason in a warning.
const MAX_REASON: u64 = 200;

/// The losses of a document.
#[derive(Default)]
pub(crate) struct Losses {
    kinds: BTreeMap<LossKind, Loss>,
    /// Number of the current block, from 1; 0 before the first one.
    block: usize,
    heading: String,
    in_notes: bool,
}

/// Kinds of losses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LossKind {
    /// An image of which only the description is shown.
    Image,
    /// A drawing that is shown in part.
    Drawing,
    /// A link with a target that is not allowed.
    Link,
    /// A character that the format cannot hold.
    Character,
    /// A formula that is shown as its source, because it is not understood.
    Math,
    /// A formula on one line, in a format without fraction lines.
    MathLine,
    /// A visual detail of a formula that is not drawn.
    MathLook,
    /// Code without colours.
    PlainCode,
    /// A table with more columns than fit.
    WideTable,
    /// A row of a table that is higher than a slide.
    TallRow,
    /// A table that is divided into parts.
    PartedTable,
    /// A chart that does not show everything.
    Chart,
}

#[derive(Default)]
struct Loss {
    times: usize,
    places: Vec<String>,
}

impl Losses {
    /// Begins the next block of the text, counted from 1.
    pub(crate) fn enter_block(&mut self, block: usize) {
        self.block = block;
    }

    /// Notes the heading of the text that follows.
    pub(crate) fn below(&mut self, heading: &str) {
        self.heading = text::cut_chars(heading.trim(), MAX_SHOWN).0.to_owned();
    }

    /// Ends the text and begins its notes.
    pub(crate) fn enter_notes(&mut self) {
        self.in_notes = true;
    }

    /// Records a loss at this place; `what` names the element, if it has a name.
    pub(crate) fn record(&mut self, kind: LossKind, what: &str) {
        self.record_why(kind, what, "");
    }

    /// Does what [`Losses::record`] does, with a reason.
    pub(crate) fn record_why(&mut self, kind: LossKind, what: &str, why: &str) {
        let place = match (self.in_notes, self.block, self.heading.as_str()) {
            (true, ..) => "footnotes".to_owned(),
            (_, 0, _) => "title".to_owned(),
            (_, block, "") => format!("block {block}"),
            (_, block, heading) => format!("block {block}, under `{}`", plain(heading)),
        };
        let found = self.kinds.entry(kind).or_default();
        found.times += 1;
        let most = if kind == LossKind::Image { MAX_PICTURES } else { MAX_PLACES };
        if found.places.len() < most {
            let what = text::cut_chars(what, MAX_SHOWN).0;
            let place = match text::cut_chars(why, MAX_REASON).0 {
                "" => place,
                why => format!("{place}: {why}"),
            };
            found.places.push(if what.is_empty() {
                format!("({place})")
            } else {
                format!("`{}` ({place})", plain(what))
            });
        }
    }

    /// Returns one sentence for each kind.
    pub(crate) fn into_warnings(self) -> Vec<String> {
        self.kinds.into_iter().map(|(kind, found)| sentence(kind, &found)).collect()
    }
}

fn sentence(kind: LossKind, found: &Loss) -> String {
    let what = match kind {
        LossKind::Image => "images are not shown, their descriptions are",
        LossKind::Drawing => "drawings are shown without a part of them",
        LossKind::Link => {
            "links are text only, as they do not lead to `http`, `https`, `mailto`, a heading or a file beside the document"
        }
        LossKind::Character => "control characters are left out",
        LossKind::Math => "formulas are shown as their source, for what is not understood in them",
        LossKind::MathLine => {
            "formulas stand on one line, with a slash in place of a fraction line"
        }
        LossKind::MathLook => "something of how formulas should look is left out",
        LossKind::PlainCode => {
            "code has no colours, as lines of more than 250 bytes and more than 128 KiB have none"
        }
        LossKind::WideTable => {
            "tables have more columns than fit on a page; a workbook would show them better"
        }
        LossKind::TallRow => {
            "rows of tables are higher than a slide and end below it; a document would show them whole"
        }
        LossKind::PartedTable => {
            "tables are set in parts below each other, as they have more columns than can be read on a page"
        }
        LossKind::Chart => "charts do not show all",
    };
    let more = found.times.saturating_sub(found.places.len());
    let mut places = found.places.join(", ");
    if more > 0 {
        places.push_str(&format!(", and {more} more"));
    }
    format!("{what}: {places}")
}

fn plain(text: &str) -> String {
    text.replace(|c: char| c == '`' || c.is_control(), " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_name_places_and_have_an_end() {
        let mut losses = Losses::default();
        losses.record(LossKind::Character, "");
        losses.enter_block(2);
        losses.record(LossKind::Image, "a`b");
        losses.below(" 结果 ");
        losses.enter_block(7);
        (0..1_000).for_each(|_| losses.record(LossKind::Math, &"x".repeat(100)));
        losses.enter_notes();
        losses.record(LossKind::Link, "javascript:x");
        losses.record_why(LossKind::Drawing, "d", &"y".repeat(300));
        insta::assert_snapshot!(losses.into_warnings().join("\n"), @r#"
        images are not shown, their descriptions are: `a b` (block 2)
        drawings are shown without a part of them: `d` (footnotes: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy)
        links are text only, as they do not lead to `http`, `https`, `mailto`, a heading or a file beside the document: `javascript:x` (footnotes)
        control characters are left out: (title)
        formulas are shown as their source, for what is not understood in them: `xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx` (block 7, under `结果`), `xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx` (block 7, under `结果`), `xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx` (block 7, under `结果`), and 997 more
        "#);
    }
}
