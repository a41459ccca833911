//! Characters that no font has. They are drawn as a red box and reported by writing system; a text that would be mostly
//! boxes is refused.

use std::collections::{BTreeMap, BTreeSet};

use super::{listed, named, scripts};
use crate::model::writing_systems::to_install;
use mitt_base::{Error, ErrorKind, Remedy, Result};

/// Characters of text around a missing one in a message.
const CONTEXT: usize = 12;

/// Most characters of a writing system in a message.
const MAX_LISTED: usize = 3;

/// Replaces a character that no font has. The bundled fonts have it.
pub(crate) const BOX: &str = "□";

/// Missing characters of a document.
#[derive(Default)]
pub(crate) struct Missing {
    scripts: BTreeMap<&'static str, MissingCharacters>,
    /// Number of missing characters.
    letters: u64,
    /// Number of letters, missing or not.
    all_letters: u64,
}

/// Missing characters of one writing system.
struct MissingCharacters {
    characters: BTreeSet<char>,
    times: u64,
    /// The text around the first one.
    place: String,
}

impl Missing {
    /// Counts a character that can be drawn.
    pub(crate) fn note_drawn(&mut self, c: char) {
        self.all_letters += u64::from(c.is_alphabetic());
    }

    /// Records the character `c` at `at` of `text`, which cannot be drawn.
    pub(crate) fn note_missing(&mut self, c: char, text: &str, at: usize) {
        self.letters += 1;
        self.all_letters += 1;
        let found = self.scripts.entry(scripts::name(c)).or_insert_with(|| MissingCharacters {
            characters: BTreeSet::new(),
            times: 0,
            place: around(text, at),
        });
        found.characters.insert(c);
        found.times += 1;
    }

    /// Returns a warning if characters are missing: each writing system with its first place.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Arguments`] - more than half of the letters are missing.
    pub(crate) fn warning(&self) -> Result<Option<String>> {
        let missing = self.scripts.iter().map(|(script, found)| {
            let times = match found.times {
                1 => "once".to_owned(),
                times => format!("{times} times"),
            };
            let characters = listed(found.characters.iter().map(|c| named(*c)), MAX_LISTED);
            format!("{script}, {times}, first in `{}`: {characters}", found.place)
        });
        let missing = missing.collect::<Vec<_>>().join("; ");
        let names: Vec<&str> = self.scripts.keys().copied().collect();
        let way_out = Remedy::Font { packages: to_install(&names) };
        if self.letters * 2 > self.all_letters {
            let message = format!("no font has most letters of this text: {missing}");
            return Err(Error::new(ErrorKind::Arguments, message).remedy(way_out));
        }
        let is_any = self.letters > 0;
        let warning =
            || format!("drawn as {BOX}, as no font has them: {missing}; {}", way_out.text());
        Ok(is_any.then(warning))
    }
}

/// Returns the text around a position.
fn around(text: &str, at: usize) -> String {
    let start = text[..at].char_indices().rev().nth(CONTEXT - 1).map_or(0, |(index, _)| index);
    let part: String = text[start..].chars().take(2 * CONTEXT).collect();
    part.replace(['\n', '`'], " ")
}
