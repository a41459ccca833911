//! What a shape holds - text, a table, a chart - and the anchors by which edits name slides and shapes.

use crate::charts::{self, ChartData};
use crate::deck::{Deck, Slide};
use crate::error::{Error, Result};
use crate::package::relation_of;
use crate::scene::Sheet;
use crate::shapes::{Kind, Shape, graphic};
use crate::tables;
use crate::text::{body_text, hash};
use crate::xml::Ns;

/// What a shape holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    None,
    Text(String),
    Table(Vec<Vec<String>>),
    Chart(ChartData),
}

/// Returns what a shape of a part holds. A chart that cannot be read has no content.
pub(crate) fn content(deck: &Deck, sheet: &Sheet, shape: &Shape) -> Content {
    let xml = &*sheet.xml;
    match shape.kind {
        Kind::Table => {
            let table = graphic(xml, shape.node);
            table.map_or(Content::None, |it| Content::Table(tables::texts(xml, it)))
        }
        Kind::Chart => {
            let chart = chart_part(deck, sheet, shape).and_then(|it| deck.package.xml(&it).ok());
            let chart = chart.filter(|it| it.ns(it.root()) == Ns::C);
            chart.map_or(Content::None, |it| Content::Chart(charts::read(&it)))
        }
        _ => shape.body.map_or(Content::None, |it| Content::Text(body_text(xml, it))),
    }
}

/// Returns the part of a chart.
pub(crate) fn chart_part(deck: &Deck, sheet: &Sheet, shape: &Shape) -> Option<String> {
    let id = relation_of(&sheet.xml, graphic(&sheet.xml, shape.node)?)?;
    let relation = deck.package.relation(&sheet.part, &id).ok()?;
    Some(relation.target).filter(|it| deck.package.has(it))
}

impl Content {
    /// Returns a text that changes whenever the content does.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::None => String::new(),
            Self::Text(text) => text.clone(),
            Self::Table(rows) => {
                rows.iter().map(|it| it.join("\u{1f}")).collect::<Vec<_>>().join("\u{1e}")
            }
            Self::Chart(chart) => {
                let mut out = format!("{}\u{1e}{}", chart.title, chart.data.columns.join("\u{1f}"));
                for row in &chart.data.rows {
                    out.push('\u{1e}');
                    row.iter().for_each(|it| out.push_str(&format!("{}\u{1f}", it.text())));
                }
                out
            }
        }
    }
}

/// Returns the anchor of a shape: `s256/5-3fa9`.
pub(crate) fn anchor(slide: u32, shape: &Shape, content: &Content) -> String {
    let number = match shape.ordinal {
        1 => shape.id.to_string(),
        ordinal => format!("{}.{ordinal}", shape.id),
    };
    match content.text() {
        text if text.is_empty() => format!("s{slide}/{number}"),
        text => format!("s{slide}/{number}-{}", hash(&text)),
    }
}

/// An anchor as it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Anchor {
    pub(crate) slide: Name,
    /// Id and ordinal of a shape.
    pub(crate) shape: Option<(u32, u32)>,
    pub(crate) hash: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    /// The id of a slide.
    Id(u32),
    /// The number of a slide that this batch made, from 1.
    New(usize),
}

impl Anchor {
    /// Parses `s256`, `s256/5`, `s256/5.2-3fa9` or `new1/5`.
    ///
    /// # Errors
    /// [`Error::Invalid`] - it has another form.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let wrong =
            || Error::Invalid(format!("expected an anchor such as `s256/5-3fa9`, got `{text}`"));
        let (slide, shape) = match text.trim().split_once('/') {
            Some((slide, shape)) => (slide, Some(shape)),
            None => (text.trim(), None),
        };
        let slide = match (slide.strip_prefix("new"), slide.strip_prefix('s')) {
            (Some(number), _) => Name::New(number.parse().map_err(|_| wrong())?),
            (None, Some(id)) => Name::Id(id.parse().map_err(|_| wrong())?),
            _ => return Err(wrong()),
        };
        let Some(shape) = shape else { return Ok(Self { slide, shape: None, hash: None }) };
        let (number, hash) = match shape.split_once('-') {
            Some((number, hash)) => (number, Some(hash.to_owned())),
            None => (shape, None),
        };
        let (id, ordinal) = number.split_once('.').unwrap_or((number, "1"));
        let id = id.parse().map_err(|_| wrong())?;
        Ok(Self { slide, shape: Some((id, ordinal.parse().map_err(|_| wrong())?)), hash })
    }
}

/// Finds a slide.
///
/// # Errors
/// [`Error::NotFound`] - nothing has this name.
pub(crate) fn find_slide(slides: &[Slide], made: &[u32], name: Name) -> Result<(usize, Slide)> {
    let id = match name {
        Name::Id(id) => Some(id),
        Name::New(number) => number.checked_sub(1).and_then(|it| made.get(it)).copied(),
    };
    let found = slides.iter().position(|it| Some(it.id) == id);
    found.map(|at| (at, slides[at].clone())).ok_or_else(|| match name {
        Name::Id(id) => {
            let ids: Vec<String> = slides.iter().take(40).map(|it| format!("s{}", it.id)).collect();
            Error::NotFound(format!("there is no slide s{id}; there are {}", ids.join(", ")))
        }
        Name::New(number) => {
            Error::NotFound(format!("this batch has made no slide `new{number}` so far"))
        }
    })
}

/// Finds a shape of a slide.
///
/// # Errors
/// [`Error::NotFound`] - nothing has this id.
pub(crate) fn find_shape(sheet: &Sheet, slide: u32, (id, ordinal): (u32, u32)) -> Result<&Shape> {
    let found = sheet.shapes.iter().find(|it| (it.id, it.ordinal) == (id, ordinal));
    found.ok_or_else(|| {
        let ids: Vec<String> = sheet.shapes.iter().take(40).map(|it| it.id.to_string()).collect();
        Error::NotFound(format!("s{slide} has no shape {id}; it has {}", ids.join(", ")))
    })
}
