//! Choices out of bytes, and files with some bytes changed: lengths and counts that lie, parts that are there twice or not
//! at all.

/// The bytes that choices are made by; zeros when there are no more.
pub(crate) struct Choices<'d>(pub(crate) &'d [u8]);

impl<'d> Choices<'d> {
    pub(crate) fn rest(&mut self) -> &'d [u8] {
        std::mem::take(&mut self.0)
    }

    pub(crate) fn is_over(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn flip(&mut self) -> bool {
        self.below(2) == 1
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        let Some((byte, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        usize::from(*byte) % end.max(1)
    }

    pub(crate) fn of<'t, T: ?Sized>(&mut self, all: &'t [&'t T]) -> &'t T {
        all[self.below(all.len())]
    }

    /// Returns a place in a file. Most formats have their tables at one of their ends.
    fn place(&mut self, length: usize) -> usize {
        let near = self.below(256) << 8 | self.below(256);
        let place = match self.below(4) {
            0 => near & 0x1ff,
            1 => length.saturating_sub(1 + (near & 0x1ff)),
            _ => (self.below(256) << 16 | near) % length.max(1),
        };
        place.min(length)
    }
}

/// Changes a file at one to six places.
pub(crate) fn damaged(seed: &[u8], choices: &mut Choices<'_>, words: &[&str]) -> Vec<u8> {
    let mut file = seed.to_vec();
    for _ in 0..=choices.below(6) {
        damage(&mut file, choices, words);
    }
    file
}

/// Changes a few bytes, a number, a range of the file, or puts a word of the format in. What is put into the file goes to a
/// place of any of its bytes.
fn damage(file: &mut Vec<u8>, choices: &mut Choices<'_>, words: &[&str]) {
    const DIGITS: [&str; 10] =
        ["0", "-1", "1", "1e9", "65536", "1048577", "4294967295", "99999999999999999999", "", "("];
    const NUMBERS: [u64; 6] = [0, 1, 0x7F, 0xFF, 0x7FFF_FFFF, u64::MAX];
    let at = choices.place(file.len());
    match choices.below(7) {
        0 => {
            for byte in file.iter_mut().skip(at).take(1 + choices.below(4)) {
                *byte ^= 1 << choices.below(8);
            }
        }
        1 => {
            let number = NUMBERS[choices.below(NUMBERS.len())].to_be_bytes();
            let width = [1, 2, 4, 8][choices.below(4)];
            for (place, byte) in file.iter_mut().skip(at).zip(number.into_iter().take(width)) {
                *place = byte;
            }
        }
        2 | 3 => {
            let digits = file.iter().skip(at).position(u8::is_ascii_digit);
            let Some(start) = digits.map(|it| at + it) else { return };
            let end = file.iter().skip(start).position(|byte| !byte.is_ascii_digit());
            let end = end.map_or(file.len(), |it| start + it);
            file.splice(start..end, choices.of(&DIGITS).bytes());
        }
        4 => {
            let end = (at + (choices.below(4) << 8 | choices.below(256))).min(file.len());
            let part = file[at..end].to_vec();
            if choices.flip() {
                drop(file.drain(at..end));
            } else {
                let other = choices.place(file.len());
                file.splice(other..other, part);
            }
        }
        5 if !words.is_empty() => {
            let word = choices.of(words);
            let end = if choices.flip() { at } else { (at + word.len()).min(file.len()) };
            file.splice(at..end, word.bytes());
        }
        _ => {
            if choices.below(8) == 0 {
                file.truncate(at);
            }
        }
    }
}
