//! Finds tables and paragraphs that are written sideways or upside down on a page whose other text is upright, and gives
//! them a place between the upright text.

use super::judge::Why;
use super::parts::{Piece, parts};
use super::turn::{self, Turn};
use super::watch::{Show, Watched};
use crate::matrix::{IDENTITY, Matrix, Point, Rect, apply, inverse, multiply};

/// The fewest letters in other directions that are looked at.
const FEWEST: usize = 12;

/// The most blocks of one page that are turned.
const MAX_BLOCKS: usize = 64;

/// How far apart two pieces of one line are, in sizes of their letters, if they are words and not cells.
const WORD: f32 = 1.0;

/// How far apart two cells of a row are at most, in sizes of their letters. Labels of two charts are farther apart.
const CELLS: f32 = 14.0;

/// How many letters a line of a paragraph has.
const LINE: usize = 20;

/// How near upright cells are to the turned headers above them, and to the turned label beside them, in sizes of the
/// letters.
const NEAR: f32 = 3.0;

/// The largest number of lines of a turned label beside the rows of a table.
const LABEL: usize = 3;

/// The most headers and the most cells that are compared, and how often rules are compared with the text of a page.
const MAX_COMPARED: usize = 2_000;
const MAX_RULES: usize = 5_000_000;

/// The fewest slanted lines between the letters of a chart.
const CHART: usize = 8;

/// The share of the letters in other directions that has to be in blocks. Otherwise the page is turned as a whole.
const MOST: f32 = 0.8;

/// The room around a block that has no place of its own, in points.
const ROOM: f32 = 14.0;

/// The room below the lowest block, in points.
const MARGIN: f32 = 36.0;

/// What moves on a page, and where to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Move {
    area: Rect,
    /// The direction of the text that moves, or `None` for everything that is there.
    quarter: Option<u8>,
    matrix: Matrix,
}

/// All that moves on a page.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Moves(Vec<Move>);

impl Moves {
    /// Returns the movement of something at this place of the page.
    pub(crate) fn at(&self, place: Point) -> Matrix {
        self.find(place, None)
    }

    /// Returns the movement of text.
    pub(crate) fn of(&self, show: &Show, watched: &Watched) -> Matrix {
        match rect(show, watched) {
            Some(rect) => self.find(middle(rect), Some(show.quarter)),
            None => IDENTITY,
        }
    }

    fn find(&self, place: Point, quarter: Option<Option<u8>>) -> Matrix {
        let is_it = |it: &&Move| {
            let is_same = match (quarter, it.quarter) {
                (Some(quarter), Some(_)) => it.quarter == quarter,
                _ => true,
            };
            is_same && it.area.holds(place)
        };
        self.0.iter().find(is_it).map_or(IDENTITY, |it| it.matrix)
    }
}

/// A block in the frame of the turned page.
struct Block {
    rect: Rect,
    /// Its direction on the turned page.
    quarter: u8,
    letters: usize,
}

/// Returns the visible text in each direction, by the number of letters.
fn letters(watched: &Watched, fates: &[Option<Why>]) -> [usize; 4] {
    let mut letters = [0_usize; 4];
    for (show, _) in seen(watched, fates) {
        let count = show.quarter.and_then(|quarter| letters.get_mut(usize::from(quarter)));
        count.into_iter().for_each(|count| *count += show.glyphs.len());
    }
    letters
}

fn seen<'a>(
    watched: &'a Watched,
    fates: &'a [Option<Why>],
) -> impl Iterator<Item = (&'a Show, &'a Option<Why>)> {
    watched.shows.iter().zip(fates).filter(|(_, fate)| fate.is_none())
}

/// Returns how a page with these bounds is turned and what moves on it, or `None` if nothing moves. `rotation` is the
/// `/Rotate` of the page, in quarters.
pub(crate) fn find(
    watched: &Watched,
    fates: &[Option<Why>],
    media: Rect,
    rotation: u8,
) -> Option<Turn> {
    let letters = letters(watched, fates);
    // The `/Rotate` of the page counts if any of its text is upright then.
    let base = match letters.get(usize::from(rotation)) {
        Some(count) if *count > 0 => rotation,
        _ => turn::quarters(watched, fates, rotation),
    };
    let upright = letters.get(usize::from(base)).copied().unwrap_or(0);
    let others = letters.iter().sum::<usize>() - upright;
    if upright == 0
        || others < FEWEST
        || watched.is_cut
        || seen(watched, fates).any(|(show, _)| !show.is_placed || show.is_vertical)
    {
        return None;
    }
    let turn = turn::turn(media, base);
    let pieces: Vec<Piece> = seen(watched, fates)
        .filter_map(|(show, _)| {
            let quarter = (show.quarter? + 4 - base) % 4;
            let rect = moved(rect(show, watched)?, turn.matrix);
            let is_there = rect.left.is_finite() && rect.bottom.is_finite();
            let letters = show.glyphs.len();
            is_there.then_some(Piece { rect, quarter, letters, size: show.size })
        })
        .collect();
    let parts = parts(&pieces)?;
    let of = |part: &Vec<usize>| -> Vec<Piece> {
        part.iter().filter_map(|at| pieces.get(*at).copied()).collect()
    };
    let upright: Vec<Piece> = pieces.iter().filter(|piece| piece.quarter == 0).copied().collect();
    let upright = lines(&upright).concat();
    let all: usize = pieces.iter().map(|piece| piece.letters).sum();
    let blocks = parts.iter().map(of).filter_map(|part| block(&part, &upright, all));
    let mut blocks: Vec<Block> = blocks.take(MAX_BLOCKS).collect();
    let slanted = watched.drawings.iter().filter(|it| it.slanted > 0);
    let slanted = slanted.map(|it| (middle(moved(it.rect, turn.matrix)), it.slanted));
    let slanted: Vec<(Point, usize)> = slanted.take(MAX_COMPARED).collect();
    blocks.retain(|block| {
        let inside = slanted.iter().filter(|(place, _)| block.rect.holds(*place));
        inside.map(|(_, count)| count).sum::<usize>() < CHART
    });
    let inside: usize = blocks.iter().map(|block| block.letters).sum();
    let is_mostly_upright = others * 2 <= all;
    if blocks.is_empty() || !is_mostly_upright && (inside as f32) < MOST * others as f32 {
        return None;
    }
    let drawings = watched.drawings.iter().map(|it| moved(it.rect, turn.matrix));
    let drawings: Vec<Rect> = drawings.take(MAX_RULES).collect();
    let mut left = MAX_RULES;
    blocks.iter_mut().for_each(|block| with_rules(block, &drawings, &upright, &mut left));
    place(blocks, &upright, turn, base)
}

/// Makes a block as large as the rules and fillings of its table. `left` is the number of comparisons that are left.
fn with_rules(block: &mut Block, drawings: &[Rect], upright: &[Piece], left: &mut usize) {
    /// How often the block may grow.
    const TIMES: usize = 4;
    for _ in 0..TIMES {
        let before = block.rect;
        for drawing in drawings {
            let near = grown(block.rect).overlap(*drawing);
            let is_near = near.left <= near.right && near.bottom <= near.top;
            let cost = if is_near { 1 + upright.len() } else { 1 };
            let Some(rest) = left.checked_sub(cost) else { return };
            *left = rest;
            if !is_near {
                continue;
            }
            let larger = both(block.rect, *drawing);
            if !upright.iter().any(|piece| larger.holds(middle(piece.rect))) {
                block.rect = larger;
            }
        }
        if block.rect == before {
            break;
        }
    }
}

/// Returns the part of a page as a block if it is a table or a paragraph on its own. Headers of columns and labels of
/// rows belong to the upright text beside them.
fn block(part: &[Piece], upright: &[Piece], all: usize) -> Option<Block> {
    let quarter = part.first()?.quarter;
    if quarter == 0 {
        return None;
    }
    let rect = around(part);
    let turned = turn::turn(rect, quarter).matrix;
    let lines = lines(
        &part.iter().map(|it| Piece { rect: moved(it.rect, turned), ..*it }).collect::<Vec<_>>(),
    );
    let letters: usize = part.iter().map(|piece| piece.letters).sum();
    let is_body = letters * 2 > all;
    let is_row = |line: &&Vec<Piece>| {
        let near = |pair: &[Piece]| match pair {
            [one, other] => other.rect.left - one.rect.right < CELLS * one.size,
            _ => false,
        };
        line.windows(2).any(near)
    };
    let is_table = lines.iter().filter(is_row).count() > 1;
    let is_long = |line: &&Vec<Piece>| line.iter().any(|piece| piece.letters >= LINE);
    let is_paragraph = lines.iter().filter(is_long).count() * 2 > lines.len();
    let is_block = lines.len() > 1
        && (is_table || is_paragraph)
        && (is_body
            || !is_header(rect, &lines, quarter, upright) && !is_label(rect, &lines, upright));
    is_block.then_some(Block { rect, quarter, letters })
}

/// Returns whether each line of a part stands over or under a cell of its own.
fn is_header(rect: Rect, lines: &[Vec<Piece>], quarter: u8, upright: &[Piece]) -> bool {
    if quarter == 2 || lines.len() > MAX_COMPARED {
        return false;
    }
    // The lines run up or down: each has a place from left to right.
    let (width, size) = (rect.right - rect.left, size(lines));
    let place = |line: &Vec<Piece>| {
        let y = line.first().map_or(0.0, |piece| middle(piece.rect).1);
        if quarter == 1 { rect.left + width - y } else { rect.left + y }
    };
    let mut places: Vec<f32> = lines.iter().map(place).collect();
    places.sort_by(f32::total_cmp);
    let step = width / lines.len() as f32;
    let is_near = |it: &&Piece| {
        let (above, below) = (it.rect.bottom - rect.top, rect.bottom - it.rect.top);
        (-size..NEAR * size).contains(&above) || (-size..NEAR * size).contains(&below)
    };
    let near = upright.iter().filter(is_near).map(|it| it.rect);
    let near: Vec<Rect> = near.take(MAX_COMPARED).collect();
    let is_over = |x: &&f32| {
        let is_cell = |cell: &Rect| {
            cell.right - cell.left < 2.5 * step.max(size)
                && cell.left - step / 2.0 <= **x
                && **x <= cell.right + step / 2.0
        };
        near.iter().any(is_cell)
    };
    places.iter().filter(is_over).count() * 2 >= places.len()
}

/// Returns whether a part of few lines stands beside upright text.
fn is_label(rect: Rect, lines: &[Vec<Piece>], upright: &[Piece]) -> bool {
    let size = size(lines);
    let is_beside = |it: &&Piece| {
        let (right, left) = (it.rect.left - rect.right, rect.left - it.rect.right);
        let y = middle(it.rect).1;
        ((-size..NEAR * size).contains(&right) || (-size..NEAR * size).contains(&left))
            && rect.bottom <= y
            && y <= rect.top
    };
    lines.len() <= LABEL && upright.iter().filter(is_beside).count() > 1
}

fn size(lines: &[Vec<Piece>]) -> f32 {
    lines.iter().flatten().map(|piece| piece.size).fold(0.0, f32::max)
}

/// Returns the lines of upright pieces from the top, with neighbouring words as one piece.
fn lines(pieces: &[Piece]) -> Vec<Vec<Piece>> {
    let mut sorted = pieces.to_vec();
    sorted.sort_by(|a, b| b.rect.bottom.total_cmp(&a.rect.bottom));
    let mut lines: Vec<Vec<Piece>> = Vec::new();
    for piece in sorted {
        let is_same = |line: &&mut Vec<Piece>| {
            let last = line.last().map_or(f32::INFINITY, |last| last.rect.bottom);
            (last - piece.rect.bottom).abs() < piece.size / 2.0
        };
        match lines.last_mut().filter(is_same) {
            Some(line) => line.push(piece),
            None => lines.push(vec![piece]),
        }
    }
    for line in &mut lines {
        line.sort_by(|a, b| a.rect.left.total_cmp(&b.rect.left));
        let mut joined: Vec<Piece> = Vec::with_capacity(line.len());
        for piece in line.drain(..) {
            let is_word = |last: &&mut Piece| piece.rect.left - last.rect.right < WORD * piece.size;
            match joined.last_mut().filter(is_word) {
                Some(last) => {
                    last.rect = both(last.rect, piece.rect);
                    last.letters += piece.letters;
                }
                None => joined.push(piece),
            }
        }
        *line = joined;
    }
    lines
}

/// A stretch of the page from one height to another that blocks take.
struct Band {
    /// Where the blocks begin, and where what follows them begins.
    top: f32,
    bottom: f32,
    blocks: Vec<Block>,
}

/// Gives each block a place of its own. Text below moves down if a block needs more room than it had.
fn place(mut blocks: Vec<Block>, upright: &[Piece], turn: Turn, base: u8) -> Option<Turn> {
    blocks.sort_by(|a, b| b.rect.top.total_cmp(&a.rect.top));
    let mut bands: Vec<Band> = Vec::new();
    for block in blocks {
        match bands.last_mut().filter(|band| block.rect.top > band.bottom) {
            Some(band) => {
                band.bottom = band.bottom.min(block.rect.bottom);
                band.blocks.push(block);
            }
            None => bands.push(Band {
                top: block.rect.top,
                bottom: block.rect.bottom,
                blocks: vec![block],
            }),
        }
    }
    let taken: Vec<Rect> = bands
        .iter()
        .flat_map(|band| band.blocks.iter().map(|block| block.rect))
        .chain(upright.iter().map(|piece| piece.rect))
        .collect();
    for band in &mut bands {
        let is_beside = |piece: &Piece| {
            let y = middle(piece.rect).1;
            band.bottom < y && y < band.top
        };
        if upright.iter().any(is_beside) {
            // The blocks follow the text beside them.
            let below = free_below(&taken, band.bottom);
            (band.top, band.bottom) = (below, below);
        }
    }
    bands.sort_by(|a, b| b.top.total_cmp(&a.top));
    let back = inverse(turn.matrix)?;
    let to_page = |matrix: Matrix| multiply(multiply(turn.matrix, matrix), back);
    let down = |by: f32| [1.0, 0.0, 0.0, 1.0, 0.0, -by];
    let (width, height) = turn.size;
    let (mut moves, mut below) = (Vec::new(), Vec::new());
    let (mut shift, mut right, mut lowest) = (0.0_f32, width, height);
    for band in bands {
        let room = band.top - band.bottom;
        let gap = if room > 0.0 { 0.0 } else { ROOM };
        let mut top = band.top - shift - gap;
        // What was the left side of the page's lower edge comes first.
        let mut blocks = band.blocks;
        blocks.sort_by(|a, b| a.rect.left.total_cmp(&b.rect.left));
        for (at, block) in blocks.iter().enumerate() {
            let own = turn::turn(block.rect, block.quarter);
            let left = block
                .rect
                .left
                .min(width - ROOM - own.size.0)
                .max(ROOM.min(block.rect.left.max(0.0)));
            if at > 0 {
                top -= ROOM;
            }
            let place = [1.0, 0.0, 0.0, 1.0, left, top - own.size.1];
            top -= own.size.1;
            right = right.max(left + own.size.0 + ROOM);
            lowest = lowest.min(top);
            moves.push(Move {
                area: moved(grown(block.rect), back),
                quarter: Some((block.quarter + base) % 4),
                matrix: to_page(multiply(own.matrix, place)),
            });
        }
        let needed = band.top - shift - (top - gap);
        shift += (needed - room).max(0.0);
        if shift > 0.0 {
            let area = Rect { left: -FAR, right: FAR, bottom: -FAR, top: band.bottom };
            below.push(Move {
                area: moved(area, back),
                quarter: None,
                matrix: to_page(down(shift)),
            });
        }
    }
    // The lowest text moves farthest.
    below.reverse();
    moves.extend(below);
    // No text is nearer to the edge of the page than before.
    let below = shift.max(MARGIN - lowest);
    Some(Turn {
        matrix: multiply(turn.matrix, [1.0, 0.0, 0.0, 1.0, 0.0, below]),
        size: (right, height + below),
        is_grown: true,
        moves: Moves(moves),
    })
}

/// Farther than any page.
const FAR: f32 = 1.0e6;

/// How far the rules of a table are from its text, in points.
const RULES: f32 = 8.0;

fn grown(rect: Rect) -> Rect {
    let Rect { left, bottom, right, top } = rect;
    Rect { left: left - RULES, bottom: bottom - RULES, right: right + RULES, top: top + RULES }
}

/// Returns the greatest height at or below `from` where a line across the page meets nothing.
fn free_below(taken: &[Rect], from: f32) -> f32 {
    let mut sorted = taken.to_vec();
    sorted.sort_by(|a, b| b.top.total_cmp(&a.top));
    let mut at = from;
    for rect in sorted {
        if rect.top > at && rect.bottom < at {
            at = rect.bottom;
        }
    }
    at
}

fn both(a: Rect, b: Rect) -> Rect {
    Rect {
        left: a.left.min(b.left),
        bottom: a.bottom.min(b.bottom),
        right: a.right.max(b.right),
        top: a.top.max(b.top),
    }
}

fn around(pieces: &[Piece]) -> Rect {
    pieces.iter().map(|piece| piece.rect).reduce(both).unwrap_or(Rect::around(&[(0.0, 0.0)]))
}

fn middle(rect: Rect) -> Point {
    ((rect.left + rect.right) / 2.0, (rect.bottom + rect.top) / 2.0)
}

/// Returns the rectangle at its place after a turn by quarters.
fn moved(rect: Rect, matrix: Matrix) -> Rect {
    Rect::around(&[apply(matrix, (rect.left, rect.bottom)), apply(matrix, (rect.right, rect.top))])
}

/// Returns the rectangle around the letters of a show.
fn rect(show: &Show, watched: &Watched) -> Option<Rect> {
    const DESCENT: f32 = 0.2;
    let first = watched.glyphs.get(show.glyphs.start).filter(|_| !show.glyphs.is_empty())?;
    let corner = |at: Point, part: f32| (at.0 + part * show.up.0, at.1 + part * show.up.1);
    let (from, to) = (first.at, show.end);
    Some(Rect::around(&[
        corner(from, -DESCENT),
        corner(from, 0.8),
        corner(to, -DESCENT),
        corner(to, 0.8),
    ]))
}
