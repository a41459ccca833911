//! Divides the text of a page into parts whose text runs in one direction.

use crate::matrix::Rect;

/// The most pieces of text on a page that is divided.
const MAX_PIECES: usize = 20_000;

/// The most pieces that are sorted, over all parts.
const MAX_SORTED: usize = 400_000;

/// The smallest room between two parts, in points.
const MIN_ROOM: f32 = 0.5;

/// A piece of text on the page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    pub(crate) rect: Rect,
    /// The counterclockwise quarter turns of its text.
    pub(crate) quarter: u8,
    pub(crate) letters: usize,
    /// The size of its letters in points.
    pub(crate) size: f32,
}

/// Where a part is cut: the position among its sorted pieces.
struct Cut {
    is_upright: bool,
    at: usize,
    /// How many letters run in another direction than most letters on their side of the cut.
    strange: usize,
    room: f32,
}

/// Returns the parts, each as numbers of pieces. A part whose directions cannot be divided by a straight cut is left
/// out. Returns `None` if the page has too many pieces.
pub(crate) fn parts(pieces: &[Piece]) -> Option<Vec<Vec<usize>>> {
    if pieces.len() > MAX_PIECES {
        return None;
    }
    let mut open = vec![(0..pieces.len()).collect::<Vec<usize>>()];
    let (mut parts, mut sorted) = (Vec::new(), 0);
    while let Some(part) = open.pop() {
        let quarter = |at: &usize| pieces.get(*at).map(|piece| piece.quarter);
        let first = part.first().and_then(quarter);
        if part.iter().all(|at| quarter(at) == first) {
            parts.push(part);
            continue;
        }
        sorted += part.len();
        if sorted > MAX_SORTED {
            return None;
        }
        let cuts = [cut(pieces, &part, false), cut(pieces, &part, true)];
        let best = cuts
            .into_iter()
            .flatten()
            .min_by(|a, b| a.strange.cmp(&b.strange).then_with(|| b.room.total_cmp(&a.room)));
        if let Some(best) = best {
            let mut one = by_place(pieces, &part, best.is_upright);
            let other = one.split_off(best.at);
            open.extend([one, other]);
        }
    }
    Some(parts)
}

/// Returns where a piece begins and ends along the cuts of one direction: an upright cut moves from left to right.
fn extent(piece: &Piece, is_upright: bool) -> (f32, f32) {
    if is_upright {
        (piece.rect.left, piece.rect.right)
    } else {
        (piece.rect.bottom, piece.rect.top)
    }
}

fn by_place(pieces: &[Piece], part: &[usize], is_upright: bool) -> Vec<usize> {
    let mut sorted = part.to_vec();
    let start = |at: &usize| pieces.get(*at).map_or(0.0, |piece| extent(piece, is_upright).0);
    sorted.sort_by(|a, b| start(a).total_cmp(&start(b)));
    sorted
}

/// Returns the cut in one direction that divides the directions of the text best, or `None` if every cut would go
/// through text.
fn cut(pieces: &[Piece], part: &[usize], is_upright: bool) -> Option<Cut> {
    let sorted = by_place(pieces, part, is_upright);
    let mut all = [0_usize; 4];
    let count = |letters: &mut [usize; 4], at: &usize| {
        let Some(piece) = pieces.get(*at) else { return };
        if let Some(count) = letters.get_mut(usize::from(piece.quarter)) {
            *count += piece.letters.max(1);
        }
    };
    sorted.iter().for_each(|at| count(&mut all, at));
    let strange = |letters: &[usize; 4]| {
        letters.iter().sum::<usize>() - letters.iter().max().copied().unwrap_or(0)
    };
    let mut before = [0_usize; 4];
    let mut end = f32::NEG_INFINITY;
    let mut best: Option<Cut> = None;
    for (at, number) in sorted.iter().enumerate() {
        let Some(piece) = pieces.get(*number) else { continue };
        let (start, next) = extent(piece, is_upright);
        let room = start - end;
        if at > 0 && room >= MIN_ROOM {
            let mut after = all;
            after.iter_mut().zip(&before).for_each(|(all, before)| *all -= before);
            let strange = strange(&before) + strange(&after);
            let is_better = best.as_ref().is_none_or(|best| {
                strange < best.strange || strange == best.strange && room > best.room
            });
            if is_better {
                best = Some(Cut { is_upright, at, strange, room });
            }
        }
        end = end.max(next);
        count(&mut before, number);
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(quarter: u8, (left, bottom, right, top): (f32, f32, f32, f32)) -> Piece {
        let rect = Rect { left, bottom, right, top };
        Piece { rect, quarter, letters: 10, size: 10.0 }
    }

    fn found(pieces: &[Piece]) -> Vec<Vec<usize>> {
        let mut parts = parts(pieces).unwrap();
        parts.iter_mut().for_each(|part| part.sort_unstable());
        parts.sort();
        parts
    }

    #[test]
    fn a_part_ends_where_the_direction_changes() {
        let pieces = [
            piece(0, (50.0, 780.0, 300.0, 790.0)),
            // Two columns of two lines, sideways.
            piece(1, (100.0, 100.0, 110.0, 200.0)),
            piece(1, (100.0, 400.0, 110.0, 500.0)),
            piece(1, (120.0, 100.0, 130.0, 200.0)),
            piece(1, (120.0, 400.0, 130.0, 500.0)),
            piece(0, (50.0, 30.0, 300.0, 40.0)),
        ];
        assert_eq!(found(&pieces), [vec![0], vec![1, 2, 3, 4], vec![5]]);
        assert_eq!(found(&pieces[1..5]), [vec![0, 1, 2, 3]]);
    }

    #[test]
    fn text_across_each_other_is_no_part() {
        let pieces = [
            piece(0, (0.0, 50.0, 100.0, 60.0)),
            piece(1, (50.0, 0.0, 60.0, 100.0)),
            piece(0, (200.0, 50.0, 300.0, 60.0)),
        ];
        assert_eq!(found(&pieces), [vec![2]]);
    }

    #[test]
    fn the_work_is_bounded() {
        let many = vec![piece(0, (0.0, 0.0, 1.0, 1.0)); MAX_PIECES + 1];
        assert!(parts(&many).is_none());
        // Lines whose directions take turns, which are parted one by one.
        let turns = (0..4_000_u16).map(|at| {
            let y = f32::from(at) * 12.0;
            piece((at % 2) as u8, (0.0, y, 10.0, y + 10.0))
        });
        assert!(parts(&turns.collect::<Vec<_>>()).is_none());
    }
}
