//! Places of a text after redaction: pages, sheets and slides begin elsewhere then.

use mitt_guard::REDACTED;

use mitt_types::Place;

/// Moves places to the same content after redaction. The text between two marks is located by its beginning.
pub(in crate::session) fn move_places(places: &mut [Place], before: &str, after: &str) {
    // Shorter beginnings are tried because text that remains between two redacted parts of a word may be short.
    const BEGINNINGS: [usize; 3] = [64, 16, 4];
    let (mut spans, mut from, mut to) = (Vec::new(), 0, 0);
    for piece in after.split(REDACTED) {
        let rest = before.get(from..).unwrap_or_default();
        let found = match to {
            0 => 0,
            // The text ends with a mark.
            _ if piece.is_empty() => rest.len(),
            _ => BEGINNINGS
                .iter()
                .find_map(|length| rest.find(mitt_base::text::cut_bytes(piece, *length)))
                .unwrap_or(0),
        };
        spans.push((from + found, to));
        from += found + piece.len();
        to += piece.len() + REDACTED.len();
    }
    let (mut in_before, mut in_after) = (Characters::of(before), Characters::of(after));
    for place in places {
        let at = in_before.byte_of(place.offset);
        let n_before = spans.partition_point(|(start, _)| *start <= at);
        let (start, to) = n_before.checked_sub(1).map_or((0, 0), |last| spans[last]);
        let end = spans.get(n_before).map_or(after.len(), |(_, to)| *to);
        place.offset = in_after.index_of((to + at - start).min(end));
    }
}

/// Maps between bytes and characters of a text, from left to right.
struct Characters<'t> {
    text: &'t str,
    byte: usize,
    index: u64,
}

impl<'t> Characters<'t> {
    fn of(text: &'t str) -> Characters<'t> {
        Characters { text, byte: 0, index: 0 }
    }

    /// Returns the byte of a character. Characters must be requested in ascending order.
    fn byte_of(&mut self, index: u64) -> usize {
        while self.index < index && self.next() {}
        self.byte
    }

    /// Returns the number of the first character that begins at or after a byte.
    fn index_of(&mut self, byte: usize) -> u64 {
        while self.byte < byte && self.next() {}
        self.index
    }

    fn next(&mut self) -> bool {
        let Some(character) = self.text[self.byte..].chars().next() else { return false };
        self.byte += character.len_utf8();
        self.index += 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_move_with_what_stands_there() {
        let before = "第一页 secret word. 第二页 a secret. end";
        let after = "第一页 [███] word. 第二页 a [███]. end";
        let place = |text: &str, at: &str| Place {
            offset: text[..text.find(at).unwrap()].chars().count() as u64,
            label: at.to_owned(),
        };
        let mut places = ["第一页", "word", "第二页", "end"].map(|at| place(before, at));
        let expected = ["第一页", "word", "第二页", "end"].map(|at| place(after, at));
        move_places(&mut places, before, after);
        assert_eq!(places, expected);
        let (before, after) = ("a [sec](u)ret. 第二页", "a [[███]](u). 第二页");
        let mut places = [place(before, "第二页")];
        move_places(&mut places, before, after);
        assert!(places[0].offset.abs_diff(place(after, "第二页").offset) <= 3);
        let mut all = [place("secret", "secret")];
        move_places(&mut all, "secret", REDACTED);
        assert_eq!(all[0].offset, 0);
    }
}
