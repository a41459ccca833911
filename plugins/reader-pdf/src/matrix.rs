//! Moves points on a page and keeps the rectangles that are painted.

use unpdf::parser::backend::PageBox;

/// The matrix `[a b c d e f]` of ISO 32000-1, 8.3.3.
pub(crate) type Matrix = [f32; 6];

pub(crate) type Point = (f32, f32);

pub(crate) const IDENTITY: Matrix = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0];

/// Returns the matrix that applies `a` first, then `b`.
pub(crate) fn multiply(a: Matrix, b: Matrix) -> Matrix {
    [
        a[0] * b[0] + a[1] * b[2],
        a[0] * b[1] + a[1] * b[3],
        a[2] * b[0] + a[3] * b[2],
        a[2] * b[1] + a[3] * b[3],
        a[4] * b[0] + a[5] * b[2] + b[4],
        a[4] * b[1] + a[5] * b[3] + b[5],
    ]
}

pub(crate) fn apply(m: Matrix, (x, y): Point) -> Point {
    (m[0] * x + m[2] * y + m[4], m[1] * x + m[3] * y + m[5])
}

/// Returns the matrix that takes points back, or `None` if there is none.
pub(crate) fn inverse([a, b, c, d, e, f]: Matrix) -> Option<Matrix> {
    let scale = a * d - b * c;
    let inverse = [d, -b, -c, a, c * f - d * e, b * e - a * f].map(|part| part / scale);
    inverse.iter().all(|part| part.is_finite()).then_some(inverse)
}

/// A rectangle whose sides are parallel to those of the page, in points from its lower left corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rect {
    pub(crate) left: f32,
    pub(crate) bottom: f32,
    pub(crate) right: f32,
    pub(crate) top: f32,
}

impl Rect {
    pub(crate) fn of(page: PageBox) -> Rect {
        Rect { left: page.llx, bottom: page.lly, right: page.urx, top: page.ury }
    }

    /// Returns the smallest rectangle that holds all points.
    pub(crate) fn around(points: &[Point]) -> Rect {
        let mut rect = Rect {
            left: f32::INFINITY,
            bottom: f32::INFINITY,
            right: f32::NEG_INFINITY,
            top: f32::NEG_INFINITY,
        };
        for (x, y) in points {
            rect.left = rect.left.min(*x);
            rect.right = rect.right.max(*x);
            rect.bottom = rect.bottom.min(*y);
            rect.top = rect.top.max(*y);
        }
        rect
    }

    pub(crate) fn overlap(self, other: Rect) -> Rect {
        Rect {
            left: self.left.max(other.left),
            bottom: self.bottom.max(other.bottom),
            right: self.right.min(other.right),
            top: self.top.min(other.top),
        }
    }

    /// Returns the area, which is 0 for an empty rectangle.
    pub(crate) fn area(self) -> f32 {
        (self.right - self.left).max(0.0) * (self.top - self.bottom).max(0.0)
    }

    pub(crate) fn holds(self, (x, y): Point) -> bool {
        x >= self.left && x <= self.right && y >= self.bottom && y <= self.top
    }
}

/// A path: its corners, and whether it has curves.
#[derive(Clone, Default)]
pub(crate) struct Path {
    parts: Vec<Vec<Point>>,
    is_curved: bool,
}

/// The most corners of a part of a path. A rectangle has fewer.
const MAX_CORNERS: usize = 64;

impl Path {
    pub(crate) fn begin(&mut self, at: Point) {
        self.parts.push(vec![at]);
    }

    pub(crate) fn line(&mut self, to: Point) {
        match self.parts.last_mut() {
            Some(part) if part.len() < MAX_CORNERS => part.push(to),
            Some(part) => {
                self.is_curved = true;
                // The rectangle around the part still has to grow.
                let around = Rect::around(part);
                *part = vec![(around.left, around.bottom), (around.right, around.top), to];
            }
            None => self.begin(to),
        }
    }

    pub(crate) fn curve(&mut self, points: &[Point]) {
        self.is_curved = true;
        points.iter().for_each(|point| self.line(*point));
    }

    pub(crate) fn rectangle(&mut self, m: Matrix, [x, y, w, h]: [f32; 4]) {
        let corners = [(x, y), (x + w, y), (x + w, y + h), (x, y + h)];
        self.parts.push(corners.map(|corner| apply(m, corner)).to_vec());
    }

    pub(crate) fn clear(&mut self) {
        self.parts.clear();
        self.is_curved = false;
    }

    /// Returns the rectangles that the path consists of, or `None` if it has other shapes.
    pub(crate) fn rectangles(&self) -> Option<Vec<Rect>> {
        let rectangle = |part: &Vec<Point>| {
            let rect = Rect::around(part);
            let on = |value: f32, edge: f32| (value - edge).abs() < 0.05;
            let is_corner = |(x, y): &Point| {
                (on(*x, rect.left) || on(*x, rect.right))
                    && (on(*y, rect.bottom) || on(*y, rect.top))
            };
            let mut corners = part.clone();
            if corners.len() == 5 && corners.first() == corners.last() {
                corners.pop();
            }
            let is_round = corners.len() == 4
                && corners.iter().all(is_corner)
                // A bow tie has the same corners as a rectangle.
                && corners.windows(2).all(|pair| matches!(pair, [a, b] if on(a.0, b.0) || on(a.1, b.1)));
            is_round.then_some(rect)
        };
        (!self.is_curved).then(|| self.parts.iter().map(rectangle).collect()).flatten()
    }

    /// Returns how many long lines it has that are neither level nor upright.
    pub(crate) fn slanted(&self) -> usize {
        /// The round corners of a frame are smaller.
        const LONG: f32 = 10.0;
        let is_slanted = |pair: &&[Point]| match pair {
            [a, b] => (a.0 - b.0).abs() > LONG && (a.1 - b.1).abs() > LONG,
            _ => false,
        };
        self.parts.iter().map(|part| part.windows(2).filter(is_slanted).count()).sum()
    }

    pub(crate) fn around(&self) -> Rect {
        let mut points: Vec<Point> = Vec::with_capacity(2 * self.parts.len());
        for part in &self.parts {
            let rect = Rect::around(part);
            points.extend([(rect.left, rect.bottom), (rect.right, rect.top)]);
        }
        Rect::around(&points)
    }
}
