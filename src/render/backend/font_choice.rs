//! Chooses useful fonts among many: those with characters that no other has. Opens no files. `pdf` reads them.

use std::sync::Arc;

use crate::model::disabled::built;
use crate::shared::font_face::Face;

/// Weights that a document uses: of text and of strong text.
const REGULAR: u16 = 400;
const BOLD: u16 = 700;

/// Chooses fonts by the characters that they have and the bundled ones lack.
///
/// It examines fonts one after the other, each only once and without keeping it, and then returns the numbers of those to
/// pass to [`FontSet::with_extra`](crate::FontSet::with_extra).
#[derive(Default)]
pub struct FontChoice {
    files: Vec<File>,
}

struct File {
    faces: Vec<Face>,
    bytes: u64,
}

impl FontChoice {
    /// Examines the next file. Returns `true` if it is a font, or if this build cannot know (feature `pdf`).
    pub fn look_at(&mut self, file: Arc<[u8]>) -> bool {
        let bytes = file.len() as u64;
        let faces: Option<Vec<Face>> =
            built!(if feature = "pdf", else None, crate::backend::pdf::faces(file));
        let Some(faces) = faces else { return true };
        let is_font = !faces.is_empty();
        self.files.push(File { faces, bytes });
        is_font
    }

    /// Returns the numbers of useful files, from 0 in the order in which they were examined, with at most `max_bytes` bytes
    /// together.
    ///
    /// For the same characters, a font without serifs is preferred, like the bundled ones, then the first. The
    /// bold face of a family is included.
    pub fn chosen(&self, max_bytes: u64) -> Vec<usize> {
        // The bundled fonts take 16 MB once they are unpacked.
        if self.files.iter().all(|file| file.faces.is_empty()) {
            return Vec::new();
        }
        let bundled: Option<Vec<u64>> =
            built!(if feature = "pdf", else None, crate::backend::pdf::bundled());
        let Some(mut covered) = bundled else { return Vec::new() };
        let is_new = |covered: &[u64], point: u32| {
            covered.get(point as usize / 64).is_some_and(|word| word & (1 << (point % 64)) == 0)
        };
        let gain = |covered: &[u64], file: &File| {
            let Some(face) = file.regular() else { return 0 };
            face.points().filter(|point| is_new(covered, *point)).count()
        };
        let mut order: Vec<(bool, std::cmp::Reverse<usize>, usize)> = Vec::new();
        for (index, file) in self.files.iter().enumerate() {
            let gained = gain(&covered, file);
            if gained > 0 {
                order.push((file.is_ornate(), std::cmp::Reverse(gained), index));
            }
        }
        order.sort();
        let mut chosen = Vec::new();
        let mut left = max_bytes;
        for (.., index) in order {
            let Some(file) = self.files.get(index) else { continue };
            if gain(&covered, file) == 0 || file.bytes > left {
                continue;
            }
            for point in file.regular().into_iter().flat_map(Face::points) {
                if let Some(word) = covered.get_mut(point as usize / 64) {
                    *word |= 1 << (point % 64);
                }
            }
            for index in std::iter::once(index).chain(self.bold_of(file)) {
                let bytes = self.files.get(index).map_or(u64::MAX, |file| file.bytes);
                if bytes <= left && !chosen.contains(&index) {
                    left -= bytes;
                    chosen.push(index);
                }
            }
        }
        chosen.sort_unstable();
        chosen
    }

    /// Returns `true` if the bundled fonts have all of these letters, and draw them correctly; `false` if this build has none
    /// (feature `pdf`).
    pub fn is_bundled(letters: &str) -> bool {
        built!(if feature = "pdf", else false, crate::backend::pdf::is_bundled(letters))
    }

    /// Returns the family of an examined file; `None` if it is not a font.
    pub fn family(&self, index: usize) -> Option<&str> {
        self.files.get(index)?.faces.first().map(|face| face.family.as_str())
    }

    /// Returns the first file with all of these letters.
    pub fn first_with(&self, letters: &str) -> Option<usize> {
        self.files.iter().position(|file| file.has(letters))
    }

    /// Returns the files that suit these letters best: one with all of them, preferably a plain one without serifs by its
    /// name, then the smallest; and the bold face of its family.
    pub fn best_with(&self, letters: &str) -> Vec<usize> {
        let able = self.files.iter().enumerate().filter(|(_, file)| file.has(letters));
        let best = able.min_by_key(|(_, file)| (file.is_ornate(), !file.is_sans(), file.bytes));
        let Some((index, file)) = best else { return Vec::new() };
        let bold = self.bold_of(file).filter(|bold| *bold != index);
        std::iter::once(index).chain(bold).collect()
    }

    /// Returns the file with the bold face of a family.
    fn bold_of(&self, file: &File) -> Option<usize> {
        let family = &file.regular()?.family;
        self.files.iter().position(|other| {
            other
                .faces
                .iter()
                .any(|face| face.family == *family && face.is_upright && face.weight == BOLD)
        })
    }
}

impl File {
    /// Returns its first upright face of regular weight.
    fn regular(&self) -> Option<&Face> {
        self.faces.iter().find(|face| face.is_upright && face.weight == REGULAR)
    }

    /// Returns `true` if the upright face of regular weight has all of these letters.
    fn has(&self, letters: &str) -> bool {
        let has = |face: &Face| letters.chars().all(|c| face.has(c));
        self.regular().is_some_and(has)
    }

    /// Returns `true` if the font has no serifs, by its name. Other fonts may have a rare style, such as Rashi for Hebrew.
    fn is_sans(&self) -> bool {
        self.faces.iter().any(|face| face.family.split([' ', '-']).any(|word| word == "Sans"))
    }

    /// Returns `true` if the font has serifs or letters of one width, by its name.
    fn is_ornate(&self) -> bool {
        let is_ornate = |face: &Face| {
            face.family.split([' ', '-']).any(|word| matches!(word, "Serif" | "Mono" | "Display"))
        };
        self.faces.iter().all(is_ornate)
    }
}
