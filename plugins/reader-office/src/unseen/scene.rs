//! Follows what shapes on a slide or a page cover.

use super::colour::Paint;

/// Least sides of a text, because a box may be lower than its text. In points.
const LEAST: f64 = 15.0;

/// An area in points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rect {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

impl Rect {
    /// Returns the area in which a shape is, however it is turned.
    pub(crate) fn turned(self) -> Rect {
        let half = self.width.hypot(self.height) / 2.0;
        let (x, y) = (self.left + self.width / 2.0, self.top + self.height / 2.0);
        Rect { left: x - half, top: y - half, width: 2.0 * half, height: 2.0 * half }
    }

    fn right(&self) -> f64 {
        self.left + self.width
    }

    fn bottom(&self) -> f64 {
        self.top + self.height
    }

    pub(crate) fn meets(&self, other: &Rect) -> bool {
        self.left < other.right()
            && other.left < self.right()
            && self.top < other.bottom()
            && other.top < self.bottom()
    }

    fn holds(&self, other: &Rect) -> bool {
        self.left <= other.left
            && self.top <= other.top
            && self.right() >= other.right()
            && self.bottom() >= other.bottom()
    }

    fn of_text(self) -> Rect {
        Rect { width: self.width.max(LEAST), height: self.height.max(LEAST), ..self }
    }
}

/// What was painted so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scene {
    pub(crate) ground: Paint,
    /// Shapes from back to front. `None` for one whose place is not known.
    shapes: Vec<(Option<Rect>, Paint)>,
}

impl Scene {
    /// Most shapes that are followed.
    const MAX: usize = 2_000;

    pub(crate) fn new(ground: Paint) -> Self {
        Self { ground, shapes: Vec::new() }
    }

    pub(crate) fn push(&mut self, rect: Option<Rect>, paint: Paint) {
        match self.shapes.len() {
            _ if paint == Paint::Clear => {}
            Self::MAX.. => self.ground = Paint::Unknown,
            _ => self.shapes.push((rect, paint)),
        }
        if self.shapes.len() >= Self::MAX {
            self.shapes.clear();
            self.ground = Paint::Unknown;
        }
    }

    /// Returns what lies behind a text in this area.
    pub(crate) fn behind(&self, area: Option<Rect>) -> Paint {
        let area = area.map(Rect::of_text);
        // What lies partly behind the text has to have the colour of what lies behind the rest.
        let mut partly: Vec<Paint> = Vec::new();
        let mut found = self.ground;
        for (rect, paint) in self.shapes.iter().rev() {
            match (area, rect) {
                (Some(area), Some(rect)) if !rect.meets(&area) => {}
                (Some(area), Some(rect)) if rect.holds(&area) => {
                    found = *paint;
                    break;
                }
                _ => partly.push(*paint),
            }
        }
        if partly.iter().all(|paint| paint.is_like(found)) { found } else { Paint::Unknown }
    }
}

#[cfg(test)]
mod tests {
    use super::super::colour::WHITE;
    use super::*;

    #[test]
    fn what_lies_behind_is_the_nearest_shape_that_holds_a_text() {
        let rect = |left: f64, side: f64| Some(Rect { left, top: 0.0, width: side, height: side });
        let navy = Paint::Plain([0, 0, 128]);
        let mut scene = Scene::new(WHITE);
        scene.push(rect(0.0, 100.0), navy);
        assert_eq!(scene.behind(rect(10.0, 20.0)), navy);
        assert_eq!(scene.behind(rect(90.0, 20.0)), Paint::Unknown);
        assert_eq!(scene.behind(rect(200.0, 20.0)), WHITE);
        assert_eq!(scene.behind(None), Paint::Unknown);
        scene.push(rect(150.0, 100.0), WHITE);
        assert_eq!(scene.behind(rect(240.0, 20.0)), WHITE);
        scene.push(rect(5.0, 30.0), Paint::Unknown);
        assert_eq!(scene.behind(rect(10.0, 20.0)), Paint::Unknown);
        for _ in 0..3_000 {
            scene.push(rect(5.0, 1.0), navy);
        }
        assert_eq!(scene.behind(rect(200.0, 20.0)), Paint::Unknown);
    }
}
