//! What a document has and a format cannot show: told by place, so that its author finds it.

use std::collections::BTreeMap;

use super::xml::push_text;
use mitt_base::text;

/// Places of one kind that a warning lists; the others are counted.
const MAX_PLACES: usize = 3;

/// As many of pictures that are not shown: each has a reason of its own.
const MAX_PICTURES: usize = 12;

/// Characters of a heading, or of what is quoted, that a warning shows.
const MAX_SHOWN: u64 = 40;

/// Characters of a reason that a warning shows.
const MAX_REASON: u64 = 200;

/// What is told of a document.
#[derive(Default)]
pub(crate) struct Told {
    kinds: BTreeMap<Kind, Found>,
    /// The block of the text that is being drawn, from 1; 0 in front of them.
    block: usize,
    heading: String,
    in_notes: bool,
}

/// Kinds of what is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// An image, of which only the description is shown.
    Image,
    /// A drawing, of which something is left out.
    Drawing,
    /// A link that leads to where none may lead.
    Link,
    /// A character that files of this kind cannot hold.
    Character,
    /// A formula that is shown as its source, for what is not understood in it.
    Math,
    /// A formula that stands on one line, as files of this kind have no others.
    #[cfg_attr(
        not(any(feature = "pdf-compact", feature = "pptx")),
        allow(dead_code, reason = "formulas have fraction lines")
    )]
    MathLine,
    /// Something of the looks of a formula that is not drawn.
    MathLook,
    /// Code that is not coloured.
    #[cfg_attr(not(feature = "highlight"), allow(dead_code, reason = "code is plain there"))]
    PlainCode,
    /// A table with more columns than fit.
    #[cfg_attr(
        not(any(feature = "docx", feature = "pptx")),
        allow(dead_code, reason = "a page of the web has no width")
    )]
    WideTable,
    /// A row of a table that is higher than a slide.
    #[cfg_attr(not(feature = "pptx"), allow(dead_code, reason = "pages go on"))]
    TallRow,
    /// A table that is set in parts.
    #[cfg_attr(not(feature = "pdf"), allow(dead_code, reason = "only pages have a width"))]
    PartedTable,
    /// A chart that does not show all.
    Chart,
}

#[derive(Default)]
struct Found {
    times: usize,
    places: Vec<String>,
}

impl Told {
    /// The next block of the text, as people count, begins.
    pub(crate) fn enter(&mut self, block: usize) {
        self.block = block;
    }

    /// The text goes on below this heading.
    pub(crate) fn below(&mut self, heading: &str) {
        self.heading = text::cut_chars(heading.trim(), MAX_SHOWN).0.to_owned();
    }

    /// The text ends, and its notes begin.
    pub(crate) fn enter_notes(&mut self) {
        self.in_notes = true;
    }

    /// Something of a kind is here; `what` names it, if it has a name.
    pub(crate) fn tell(&mut self, kind: Kind, what: &str) {
        self.tell_why(kind, what, "");
    }

    /// As [`Told::tell`], with the reason, if there is one.
    pub(crate) fn tell_why(&mut self, kind: Kind, what: &str, why: &str) {
        let place = match (self.in_notes, self.block, self.heading.as_str()) {
            (true, ..) => "footnotes".to_owned(),
            (_, 0, _) => "title".to_owned(),
            (_, block, "") => format!("block {block}"),
            (_, block, heading) => format!("block {block}, under `{}`", plain(heading)),
        };
        let found = self.kinds.entry(kind).or_default();
        found.times += 1;
        let most = if kind == Kind::Image { MAX_PICTURES } else { MAX_PLACES };
        if found.places.len() < most {
            let what = text::cut_chars(what, MAX_SHOWN).0;
            let place = match text::cut_chars(why, MAX_REASON).0 {
                "" => place,
                why => format!("{place}: {why}"),
            };
            found.places.push(match what.is_empty() {
                true => format!("({place})"),
                false => format!("`{}` ({place})", plain(what)),
            });
        }
    }

    /// Tell the characters of a text that files of this kind cannot hold.
    pub(crate) fn tell_illegal(&mut self, text: &str) {
        push_text(&mut String::new(), text, self);
    }

    /// One sentence for each kind.
    pub(crate) fn into_warnings(self) -> Vec<String> {
        self.kinds.into_iter().map(|(kind, found)| sentence(kind, &found)).collect()
    }
}

fn sentence(kind: Kind, found: &Found) -> String {
    let what = match kind {
        Kind::Image => "images are not shown, their descriptions are",
        Kind::Drawing => "drawings are shown without a part of them",
        Kind::Link => {
            "links are text only, as they do not lead to `http`, `https`, `mailto`, a heading or a file beside the document"
        }
        Kind::Character => "control characters are left out",
        Kind::Math => "formulas are shown as their source, for what is not understood in them",
        Kind::MathLine => "formulas stand on one line, with a slash in place of a fraction line",
        Kind::MathLook => "something of how formulas should look is left out",
        Kind::PlainCode => {
            "code has no colours, as lines of more than 250 bytes and more than 128 KiB have none"
        }
        Kind::WideTable => {
            "tables have more columns than fit on a page; a workbook would show them better"
        }
        Kind::TallRow => {
            "rows of tables are higher than a slide and end below it; a document would show them whole"
        }
        Kind::PartedTable => {
            "tables are set in parts below each other, as they have more columns than can be read on a page"
        }
        Kind::Chart => "charts do not show all",
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
        let mut told = Told::default();
        told.tell(Kind::Character, "");
        told.enter(2);
        told.tell(Kind::Image, "a`b");
        told.below(" 结果 ");
        told.enter(7);
        (0..1_000).for_each(|_| told.tell(Kind::Math, &"x".repeat(100)));
        told.enter_notes();
        told.tell(Kind::Link, "javascript:x");
        told.tell_why(Kind::Drawing, "d", &"y".repeat(300));
        insta::assert_snapshot!(told.into_warnings().join("\n"), @r#"
        images are not shown, their descriptions are: `a b` (block 2)
        drawings are shown without a part of them: `d` (footnotes: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy)
        links are text only, as they do not lead to `http`, `https`, `mailto`, a heading or a file beside the document: `javascript:x` (footnotes)
        control characters are left out: (title)
        formulas are shown as their source, for what is not understood in them: `xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx` (block 7, under `结果`), `xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx` (block 7, under `结果`), `xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx` (block 7, under `结果`), and 997 more
        "#);
    }
}
