//! Guesses the encoding of a text that declares none.
//!
//! The cost of a text in an encoding is the number of bits that its letters take in the best language. The result of
//! `chardetng`, the detector of browsers, stays unless another encoding is much cheaper.

use encoding_rs::{Encoding, GB18030};

use super::coding::Coding;
use super::east;
use super::letters::{BIT, Judge, Pairs};
use super::tables::PAGES;

/// Most bytes of the sample whose costs are computed.
const SAMPLE_BYTES: usize = 64 << 10;

/// Bits by which another encoding must be cheaper than the detected one. Longer texts need more.
const MARGIN: u64 = 6;
/// Most bits per letter, on average, in an encoding that is chosen. A text usually takes four to six.
const MOST: u64 = 8;
/// Most bits that a rival may cost more than the chosen encoding.
const NEAR: u64 = 10;

/// A guessed encoding, and one that is nearly as likely.
pub(super) struct Guess {
    pub(super) coding: Coding,
    pub(super) rival: Option<Coding>,
}

/// Guesses the EBCDIC code page of a text. `None` if it is not EBCDIC, where a blank is `@`, and ASCII blanks and line feeds
/// are control characters.
pub(super) fn mainframe(bytes: &[u8]) -> Option<Guess> {
    let sample = &bytes[..bytes.len().min(SAMPLE_BYTES)];
    let blanks = memchr::memchr_iter(b'@', sample).count();
    let ends = memchr::memchr2_iter(0x15, 0x25, sample).count();
    let others = memchr::memchr2_iter(b' ', b'\n', sample).count();
    // Hebrew letters have the bytes of ASCII letters.
    let is_ascii = sample.is_ascii();
    let least = if is_ascii { 8 } else { 2 };
    if sample.len() < 16 || others * 50 > blanks || (blanks + ends) * 100 < sample.len() * least {
        return None;
    }
    let pairs = Pairs::of_mainframe(sample);
    let pages = || PAGES.iter().filter(|page| page.is_mainframe());
    let judge = Judge::new(&pairs, &pages().next()?.table());
    let mut found: Vec<_> = pages().map(|page| (judge.cost(page), page)).collect();
    found.sort_by_key(|(cost, _)| *cost);
    let (cost, page) = *found.first()?;
    let most = if is_ascii { 6 } else { MOST };
    if cost > pairs.total * most * BIT {
        return None;
    }
    let limit = cost + NEAR * BIT;
    let rivals = found.iter().skip(1).take_while(|(cost, _)| *cost <= limit);
    let rival = rivals
        .map(|(_, page)| Coding::Page(page))
        .find(|it| is_other_text(it, &Coding::Page(page), sample));
    Some(Guess { coding: Coding::Page(page), rival })
}

/// Guesses the encoding of a text that is not ASCII. `detected` is the encoding that browsers would use.
pub(super) fn other(sample: &[u8], detected: &'static Encoding) -> Guess {
    let sample = &sample[..sample.len().min(SAMPLE_BYTES)];
    let pairs = Pairs::of_words(sample);
    let latin = std::array::from_fn(|byte| char::from(byte as u8));
    let judge = Judge::new(&pairs, &latin);
    let pages = PAGES.iter().filter(|page| !page.is_mainframe());
    let mut found: Vec<(u64, Coding)> = pages
        .map(|page| (judge.cost(page), Coding::Page(page)))
        .chain(
            east::costs(sample, detected, judge.ascii_cost())
                .into_iter()
                .map(|(cost, wide)| (cost, Coding::Wide(wide))),
        )
        .collect();
    found.sort_by_key(|(cost, _)| *cost);
    let is_detected = |coding: &Coding| coding.encoding().is_some_and(|it| is_same(it, detected));
    let Some(at) = found.iter().position(|(_, coding)| is_detected(coding)) else {
        return Guess { coding: Coding::Known(detected), rival: None };
    };
    let ((detected_cost, detected_as), (best_cost, best_as)) = (found[at], found[0]);
    let is_wide = |coding: Coding| matches!(coding, Coding::Wide(_));
    let margin = match (is_wide(detected_as), is_wide(best_as)) {
        (false, false) => MARGIN + pairs.whole / 100,
        (true, false) => 2 * MARGIN + pairs.whole / 4,
        _ => 4 * MARGIN + pairs.whole / 4,
    };
    let is_better =
        best_cost + margin * BIT < detected_cost && best_cost < pairs.total * MOST * BIT;
    let chosen = if is_better { 0 } else { at };
    let (cost, coding) = (found[chosen].0, found[chosen].1);
    let near = found
        .iter()
        .enumerate()
        .filter(|(index, (it, _))| *index != chosen && *it <= cost + NEAR * BIT);
    let rival = near.map(|(_, (_, it))| *it).find(|it| is_other_text(it, &coding, sample));
    let coding = if is_better { coding } else { Coding::Known(detected) };
    Guess { coding, rival }
}

/// Returns `true` if the encodings are equal, or close enough that text in the one is read as the other.
fn is_same(one: &'static Encoding, other: &'static Encoding) -> bool {
    one == other
        || one == GB18030 && other == encoding_rs::GBK
        || one == encoding_rs::ISO_8859_8_I && other == encoding_rs::ISO_8859_8
}

/// Returns `true` if a text decodes differently in two encodings.
fn is_other_text(one: &Coding, other: &Coding, sample: &[u8]) -> bool {
    one.decode(sample).0 != other.decode(sample).0
}
