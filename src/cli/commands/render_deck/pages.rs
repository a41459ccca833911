//! Divides slides into pages that have room on a layout. Sizes of letters are estimated; the tool measures them again on the
//! layout itself.

use console::measure_text_width;

use super::layouts::{Frame, Layouts};
use mitt::render::{ChartDescription, SlideKind, SlideLine, SlidePart, SlideText};

/// Break within a paragraph.
const BREAK: char = '\u{b}';

/// Height of a line of 20 points in cm, space between paragraphs, and width of half an em.
const LINE: f64 = 0.847;
const SPACE: f64 = 0.2;
const HALF_EM: f64 = 0.353;

/// Height of a line and width of half an em in table cells, whose text has 18 points, and the margins of a cell, in cm.
const CELL_LINE: f64 = 0.762;
const CELL_HALF_EM: f64 = 0.3175;
const CELL_MARGIN: (f64, f64) = (0.508, 0.254);

/// Margins of a text beside and above it, and indent of a level.
const MARGIN: (f64, f64) = (0.6, 0.25);
const INDENT: f64 = 1.0;

/// Most lines of a text that stands above or below a table, chart or picture.
const SHORT: usize = 3;

/// Least height that a chart or picture needs beside a text.
const LEAST_VISUAL: f64 = 4.0;

/// Gap between a text and what it stands above.
pub(super) const GAP: f64 = 0.3;

/// A page: a slide as it is written.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Page {
    pub(super) kind: SlideKind,
    pub(super) title: String,
    pub(super) subtitle: Option<String>,
    pub(super) body: Body,
    /// `true` if the previous page has the same title.
    pub(super) is_continued: bool,
}

/// What a page has below its title.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Body {
    Nothing,
    Text(Vec<SlideLine>),
    /// A table, chart or picture, with short texts above and below.
    Visual {
        above: Vec<String>,
        visual: Visual,
        below: Vec<String>,
    },
    /// A text with a chart or picture at its right.
    Beside(Vec<SlideLine>, Visual),
}

/// Something that is no text.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Visual {
    Table(Vec<Vec<String>>),
    Chart(Box<ChartDescription>),
    /// Its index among the pictures.
    Picture(usize),
}

impl Visual {
    fn alone(self) -> Body {
        Body::Visual { above: Vec::new(), visual: self, below: Vec::new() }
    }
}

/// Divides slides into pages.
pub(super) fn pages(slides: &[SlideText], layouts: &Layouts) -> Vec<Page> {
    let mut pages = Vec::new();
    for slide in slides {
        let bodies = bodies(&slide.parts, layouts);
        for (at, body) in bodies.into_iter().enumerate() {
            pages.push(Page {
                kind: slide.kind,
                title: slide.title.clone(),
                subtitle: slide.subtitle.clone(),
                body,
                is_continued: at > 0 || slide.is_continued,
            });
        }
    }
    pages
}

fn bodies(parts: &[SlidePart], layouts: &Layouts) -> Vec<Body> {
    let mut made = Vec::new();
    let mut text: Vec<SlideLine> = Vec::new();
    for part in parts {
        let (visual, below) = match part {
            SlidePart::Text(lines) => {
                text.extend(lines.iter().cloned());
                continue;
            }
            SlidePart::Table(rows) => (Visual::Table(rows.clone()), None),
            SlidePart::Chart { chart, below } => (Visual::Chart(chart.clone()), below.clone()),
            SlidePart::Picture { index, below } => (Visual::Picture(*index), below.clone()),
        };
        with_visual(std::mem::take(&mut text), visual, below, layouts, &mut made);
    }
    if !text.is_empty() {
        text_below(text, layouts, &mut made);
    }
    if made.is_empty() {
        made.push(Body::Nothing);
    }
    made
}

/// Adds a table, chart or picture with the text before it.
fn with_visual(
    text: Vec<SlideLine>,
    visual: Visual,
    below: Option<String>,
    layouts: &Layouts,
    made: &mut Vec<Body>,
) {
    let below: Vec<String> = below.into_iter().collect();
    let is_table = matches!(visual, Visual::Table(_));
    if !text.is_empty() && !is_short(&text, layouts) {
        if !is_table && below.is_empty() && fits_beside(&text, layouts) {
            return made.push(Body::Beside(text, visual));
        }
        add_text(text, layouts, made);
        return add_visual(Vec::new(), visual, below, layouts, made);
    }
    let above = text.into_iter().map(|line| line.text).collect();
    add_visual(above, visual, below, layouts, made);
}

/// Adds a text behind the last table, chart or picture.
fn text_below(text: Vec<SlideLine>, layouts: &Layouts, made: &mut Vec<Body>) {
    let can_be_short = is_short(&text, layouts);
    match made.last_mut() {
        Some(Body::Visual { above, visual, below }) if can_be_short && below.is_empty() => {
            let lines: Vec<String> = text.iter().map(|line| line.text.clone()).collect();
            let left = layouts.region.height - strip(above, layouts) - strip(&lines, layouts);
            let is_enough = match visual {
                Visual::Table(rows) => left >= table_height(rows, layouts),
                _ => left >= LEAST_VISUAL,
            };
            if is_enough {
                *below = lines;
                return;
            }
        }
        Some(Body::Visual { above, visual, below })
            if above.is_empty()
                && below.is_empty()
                && !matches!(visual, Visual::Table(_))
                && fits_beside(&text, layouts) =>
        {
            let visual = visual.clone();
            made.pop();
            return made.push(Body::Beside(text, visual));
        }
        _ => {}
    }
    add_text(text, layouts, made);
}

fn add_text(text: Vec<SlideLine>, layouts: &Layouts, made: &mut Vec<Body>) {
    let room = layouts.region.height - MARGIN.1;
    made.extend(divided(text, layouts.region.width, room).into_iter().map(Body::Text));
}

fn add_visual(
    above: Vec<String>,
    visual: Visual,
    below: Vec<String>,
    layouts: &Layouts,
    made: &mut Vec<Body>,
) {
    let Visual::Table(rows) = visual else {
        return made.push(Body::Visual { above, visual, below });
    };
    let room = layouts.region.height;
    let first = room - strip(&above, layouts);
    let mut pieces = divided_rows(&rows, first, room, layouts).into_iter().map(Visual::Table);
    if let Some(visual) = pieces.next() {
        made.push(Body::Visual { above, visual, below });
    }
    made.extend(pieces.map(Visual::alone));
}

/// Returns `true` if a text can stand above a table, chart or picture, because it has few lines and no list.
fn is_short(text: &[SlideLine], layouts: &Layouts) -> bool {
    let lines = text.iter().map(|it| lines_of(&it.text, layouts.region.width, 0, HALF_EM));
    text.iter().all(|it| it.level == 0) && lines.sum::<usize>() <= SHORT
}

fn fits_beside(text: &[SlideLine], layouts: &Layouts) -> bool {
    let slot = layouts.two.as_ref().and_then(|it| it.content.as_ref()).and_then(|it| it.frame);
    slot.is_some_and(|it| {
        let height: f64 = text.iter().map(|line| height_of(line, it.width)).sum();
        height <= it.height - MARGIN.1
    })
}

/// Returns the height that a text above or below something needs, with the gap.
pub(super) fn strip(lines: &[String], layouts: &Layouts) -> f64 {
    if lines.is_empty() {
        return 0.0;
    }
    let count = lines.iter().map(|it| lines_of(it, layouts.region.width, 0, HALF_EM));
    count.sum::<usize>() as f64 * LINE + MARGIN.1 + GAP
}

/// Returns the number of lines of a paragraph.
fn lines_of(text: &str, width: f64, level: usize, half_em: f64) -> usize {
    let room = (width - MARGIN.0 - INDENT * level as f64).max(half_em * 4.0);
    let lines = text
        .split(BREAK)
        .map(|it| ((measure_text_width(it) as f64 * half_em) / room).ceil().max(1.0) as usize);
    lines.sum()
}

fn height_of(line: &SlideLine, width: f64) -> f64 {
    lines_of(&line.text, width, line.level, HALF_EM) as f64 * LINE + SPACE
}

/// Divides a text into pieces of at most this height. A piece does not end with a line to which the next ones belong.
fn divided(text: Vec<SlideLine>, width: f64, room: f64) -> Vec<Vec<SlideLine>> {
    let mut pieces: Vec<Vec<SlideLine>> = Vec::new();
    let mut piece: Vec<SlideLine> = Vec::new();
    let mut height = 0.0;
    let mut rest = text.into_iter().rev().collect::<Vec<_>>();
    while let Some(line) = rest.pop() {
        let own = height_of(&line, width);
        if height + own <= room {
            height += own;
            piece.push(line);
            continue;
        }
        if piece.is_empty() {
            // A paragraph that is higher than a slide.
            let Some((first, second)) = cut(&line, room / own) else {
                pieces.push(vec![line]);
                continue;
            };
            pieces.push(vec![first]);
            rest.push(second);
            continue;
        }
        let mut level = line.level;
        rest.push(line);
        let leads = piece.iter().rev().take_while(|it| {
            let leads_in = it.level < level;
            level = it.level;
            leads_in
        });
        let leads = leads.count();
        if leads > 0 && leads < piece.len() && leads <= SHORT {
            rest.extend(piece.split_off(piece.len() - leads).into_iter().rev());
        }
        pieces.push(std::mem::take(&mut piece));
        height = 0.0;
    }
    if !piece.is_empty() {
        pieces.push(piece);
    }
    pieces
}

/// Cuts a paragraph behind this part of it, or at the end of a sentence before; `None` if it cannot be divided.
fn cut(line: &SlideLine, part: f64) -> Option<(SlideLine, SlideLine)> {
    let wanted = (measure_text_width(&line.text) as f64 * part * 0.95) as usize;
    let (mut columns, mut end, mut sentence) = (0, 0, 0);
    for (at, c) in line.text.char_indices() {
        columns += measure_text_width(c.encode_utf8(&mut [0; 4]));
        if columns > wanted {
            break;
        }
        let behind = at + c.len_utf8();
        match c {
            BREAK | '。' | '！' | '？' | '；' => (end, sentence) = (behind, behind),
            ' ' => {
                end = behind;
                if line.text[..at].ends_with(['.', '!', '?', ';']) {
                    sentence = behind;
                }
            }
            _ if measure_text_width(c.encode_utf8(&mut [0; 4])) > 1 => end = behind,
            _ => {}
        }
    }
    let at = if sentence * 2 > end { sentence } else { end };
    let (first, second) = (line.text[..at].trim_end(), line.text[at..].trim_start());
    let with = |text: &str| SlideLine { level: line.level, text: text.to_owned() };
    (!first.is_empty() && !second.is_empty()).then(|| (with(first), with(second)))
}

fn table_height(rows: &[Vec<String>], layouts: &Layouts) -> f64 {
    rows.iter().map(|row| row_height(row, layouts.region.width)).sum()
}

fn row_height(row: &[String], width: f64) -> f64 {
    let room = width / row.len().max(1) as f64 - CELL_MARGIN.0 + MARGIN.0;
    let lines = row.iter().map(|cell| lines_of(cell, room, 0, CELL_HALF_EM)).max();
    lines.unwrap_or(1) as f64 * CELL_LINE + CELL_MARGIN.1
}

/// Divides the rows of a table, whose first one is the header of each piece.
fn divided_rows(
    rows: &[Vec<String>],
    first: f64,
    room: f64,
    layouts: &Layouts,
) -> Vec<Vec<Vec<String>>> {
    let Some((head, body)) = rows.split_first() else { return Vec::new() };
    let width = layouts.region.width;
    let of_head = row_height(head, width);
    let mut pieces: Vec<Vec<Vec<String>>> = Vec::new();
    let (mut piece, mut height, mut most) = (vec![head.clone()], of_head, first);
    for row in body {
        let own = row_height(row, width);
        if height + own > most && piece.len() > 1 {
            pieces.push(std::mem::replace(&mut piece, vec![head.clone()]));
            (height, most) = (of_head, room);
        }
        height += own;
        piece.push(row.clone());
    }
    // A single last row does not get a slide of its own.
    if piece.len() == 2
        && let Some(last) = pieces.last_mut().filter(|it| it.len() > 3)
        && let Some(row) = last.pop()
    {
        piece.insert(1, row);
    }
    pieces.push(piece);
    pieces
}

/// What the tool measured: which part of its height a text or table has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Excess {
    /// Index of the page.
    pub(super) page: usize,
    pub(super) is_table: bool,
    /// Height that there is, as a part of the one that is needed.
    pub(super) share: f64,
}

/// Divides pages whose texts or tables are too high. Returns `false` if none can be divided.
pub(super) fn divide(pages: &mut Vec<Page>, excess: &[Excess], layouts: &Layouts) -> bool {
    let mut is_changed = false;
    let mut out = Vec::with_capacity(pages.len() + excess.len());
    for (at, page) in std::mem::take(pages).into_iter().enumerate() {
        let own: Vec<&Excess> = excess.iter().filter(|it| it.page == at).collect();
        let bodies = match own.first() {
            Some(own) => smaller(page.body.clone(), own, layouts),
            None => vec![page.body.clone()],
        };
        is_changed |= bodies.len() > 1;
        for (part, body) in bodies.into_iter().enumerate() {
            out.push(Page { body, is_continued: page.is_continued || part > 0, ..page.clone() });
        }
    }
    *pages = out;
    is_changed
}

fn smaller(body: Body, excess: &Excess, layouts: &Layouts) -> Vec<Body> {
    let width = layouts.region.width;
    match body {
        Body::Text(lines) => {
            let all: f64 = lines.iter().map(|it| height_of(it, width)).sum();
            let room = all * excess.share * 0.97;
            divided(lines, width, room).into_iter().map(Body::Text).collect()
        }
        Body::Visual { above, visual: Visual::Table(rows), below } if excess.is_table => {
            let room = table_height(&rows, layouts) * excess.share * 0.97;
            let mut made = Vec::new();
            let mut pieces = divided_rows(&rows, room, room, layouts).into_iter();
            if let Some(rows) = pieces.next() {
                made.push(Body::Visual { above, visual: Visual::Table(rows), below });
            }
            made.extend(pieces.map(|rows| Visual::Table(rows).alone()));
            made
        }
        Body::Visual { above, visual, below } if !above.is_empty() => {
            let text = above.into_iter().map(|text| SlideLine { level: 0, text }).collect();
            vec![Body::Text(text), Body::Visual { above: Vec::new(), visual, below }]
        }
        Body::Beside(lines, visual) => vec![Body::Text(lines), visual.alone()],
        body => vec![body],
    }
}

/// Returns the place of a picture in a frame: as large as on a slide of our own, and not larger.
pub(super) fn natural(frame: &Frame, size: (f64, f64)) -> Frame {
    let (width, height) = (size.0 * 2.54 / 72.0, size.1 * 2.54 / 72.0);
    let scale = (frame.width / width).min(frame.height / height).min(1.0);
    let (width, height) = ((width * scale).max(0.1), (height * scale).max(0.1));
    let x = frame.x + (frame.width - width) / 2.0;
    Frame { x, y: frame.y + (frame.height - height) / 2.0, width, height }
}

#[cfg(test)]
mod tests {
    use super::super::layouts::tests::chosen;
    use super::*;

    fn lines(texts: &[(usize, &str)]) -> Vec<SlideLine> {
        let line =
            |(level, text): &(usize, &str)| SlideLine { level: *level, text: (*text).to_owned() };
        texts.iter().map(line).collect()
    }

    fn rows(count: usize) -> Vec<Vec<String>> {
        (0..=count).map(|row| vec![format!("r{row}"), "x".to_owned()]).collect()
    }

    /// Returns the bodies of a slide in short.
    fn shown(parts: &[SlidePart]) -> Vec<String> {
        let show = |body: Body| match body {
            Body::Nothing => "nothing".to_owned(),
            Body::Text(lines) => format!("text {}", lines.len()),
            Body::Visual { above, visual: Visual::Table(rows), below } => {
                format!("{} table {} {}", above.len(), rows.len(), below.len())
            }
            Body::Visual { above, below, .. } => {
                format!("{} picture {}", above.len(), below.len())
            }
            Body::Beside(lines, _) => format!("text {} beside", lines.len()),
        };
        bodies(parts, &chosen()).into_iter().map(show).collect()
    }

    #[test]
    fn parts_are_arranged_as_there_is_room() {
        let text = |texts: &[(usize, &str)]| SlidePart::Text(lines(texts));
        let picture = || SlidePart::Picture { index: 0, below: None };
        assert_eq!(shown(&[]), ["nothing"]);
        assert_eq!(shown(&[text(&[(0, "a"), (1, "b")])]), ["text 2"]);
        assert_eq!(shown(&[text(&[(0, "a")]), SlidePart::Table(rows(3))]), ["1 table 4 0"]);
        assert_eq!(shown(&[picture(), text(&[(0, "a")])]), ["0 picture 1"]);
        let list = [(0, "a"), (1, "b"), (1, "c")];
        assert_eq!(shown(&[text(&list), picture()]), ["text 3 beside"]);
        assert_eq!(shown(&[picture(), text(&list)]), ["text 3 beside"]);
        assert_eq!(shown(&[text(&list), SlidePart::Table(rows(2))]), ["text 3", "0 table 3 0"]);
        let captioned = SlidePart::Picture { index: 0, below: Some("c".to_owned()) };
        assert_eq!(shown(&[text(&list), captioned]), ["text 3", "0 picture 1"]);
    }

    #[test]
    fn long_tables_and_lists_are_divided_and_heads_repeated() {
        // 12.57 cm have room for 12 rows of 1.016 cm.
        assert_eq!(shown(&[SlidePart::Table(rows(11))]), ["0 table 12 0"]);
        assert_eq!(shown(&[SlidePart::Table(rows(12))]), ["0 table 11 0", "0 table 3 0"]);
        let pieces = divided_rows(&rows(30), 12.57, 12.57, &chosen());
        assert!(pieces.iter().all(|it| it[0] == ["r0", "x"]));
        assert_eq!(pieces.iter().map(|it| it.len() - 1).sum::<usize>(), 30);
        let list: Vec<(usize, &str)> = (0..30).map(|_| (0, "item")).collect();
        assert_eq!(shown(&[SlidePart::Text(lines(&list))]), ["text 11", "text 11", "text 8"]);
    }

    #[test]
    fn a_piece_does_not_end_with_a_line_that_leads_in() {
        let text = lines(&[(0, "a"), (0, "b"), (1, "c"), (1, "d")]);
        let pieces = divided(text, 22.0, 2.0 * (LINE + SPACE));
        let texts: Vec<Vec<&str>> =
            pieces.iter().map(|it| it.iter().map(|line| &*line.text).collect()).collect();
        assert_eq!(texts, [vec!["a"], vec!["b", "c"], vec!["d"]]);
    }

    #[test]
    fn a_long_paragraph_is_cut_between_sentences_and_nothing_is_lost() {
        let chinese = "一段很长的话，说了很多。".repeat(60);
        let english = "It is a long sentence. ".repeat(60);
        for text in [&*chinese, english.trim()] {
            let pieces = divided(lines(&[(0, text)]), 22.0, 5.0);
            assert!(pieces.len() > 2);
            let texts: Vec<&str> = pieces.iter().map(|it| &*it[0].text).collect();
            assert!(texts.iter().all(|it| it.ends_with(['。', '.'])), "{texts:?}");
            let join = if text.is_ascii() { " " } else { "" };
            assert_eq!(texts.join(join), text);
        }
        let word = "x".repeat(5_000);
        assert_eq!(divided(lines(&[(0, &word)]), 22.0, 5.0).len(), 1);
    }

    #[test]
    fn what_the_tool_finds_too_high_is_divided() {
        let page = |body: Body| Page {
            kind: SlideKind::Content,
            title: "T".to_owned(),
            subtitle: None,
            body,
            is_continued: false,
        };
        let layouts = chosen();
        let list: Vec<(usize, &str)> = (0..8).map(|_| (0, "item")).collect();
        let mut pages = vec![
            page(Body::Nothing),
            page(Body::Text(lines(&list))),
            page(Visual::Table(rows(8)).alone()),
            page(Body::Beside(lines(&list), Visual::Picture(0))),
        ];
        let excess = |page: usize, is_table: bool| Excess { page, is_table, share: 0.6 };
        let found = [excess(1, false), excess(2, true), excess(3, false)];
        assert!(divide(&mut pages, &found, &layouts));
        let again: Vec<bool> = pages.iter().map(|it| it.is_continued).collect();
        assert_eq!(again, [false, false, true, false, true, false, true]);
        assert!(!divide(&mut pages, &[excess(0, false)], &layouts));
        assert_eq!(pages.len(), 7);
    }

    #[test]
    fn small_pictures_keep_their_size() {
        let frame = Frame { x: 1.0, y: 2.0, width: 20.0, height: 10.0 };
        let place = natural(&frame, (72.0, 72.0)).place();
        assert_eq!(place, [9.73, 5.73, 2.54, 2.54]);
        assert_eq!(natural(&frame, (7_200.0, 3_600.0)), frame);
    }
}
