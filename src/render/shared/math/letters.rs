//! Letters of mathematical alphabets as the Unicode characters for them.

use super::tree::{Alphabet, Letters};

/// Start of an alphabet: capital and small Latin letters, capital and small Greek ones, digits. Zero for missing ones.
struct Block {
    latin: u32,
    greek: u32,
    figures: u32,
}

const NONE: u32 = 0;

fn block(letters: Letters) -> Option<Block> {
    // Bold letters are italic unless stated otherwise, as other letters are.
    let is_italic = letters.is_italic.unwrap_or(letters.is_bold);
    let (latin, greek, figures) = match (letters.alphabet, letters.is_bold, is_italic) {
        (Alphabet::Serif, false, false) => return None,
        (Alphabet::Serif, false, true) => (0x1D434, 0x1D6E2, NONE),
        (Alphabet::Serif, true, false) => (0x1D400, 0x1D6A8, 0x1D7CE),
        (Alphabet::Serif, true, true) => (0x1D468, 0x1D71C, 0x1D7CE),
        (Alphabet::Sans, false, false) => (0x1D5A0, NONE, 0x1D7E2),
        (Alphabet::Sans, false, true) => (0x1D608, NONE, 0x1D7E2),
        (Alphabet::Sans, true, false) => (0x1D5D4, 0x1D756, 0x1D7EC),
        (Alphabet::Sans, true, true) => (0x1D63C, 0x1D790, 0x1D7EC),
        (Alphabet::Monospaced, ..) => (0x1D670, NONE, 0x1D7F6),
        (Alphabet::Script, false, _) => (0x1D49C, NONE, NONE),
        (Alphabet::Script, true, _) => (0x1D4D0, NONE, NONE),
        (Alphabet::Fraktur, false, _) => (0x1D504, NONE, NONE),
        (Alphabet::Fraktur, true, _) => (0x1D56C, NONE, NONE),
        (Alphabet::Blackboard, ..) => (0x1D538, NONE, 0x1D7D8),
    };
    Some(Block { latin, greek, figures })
}

/// Returns `text` in the letters of an alphabet. Characters without a counterpart stay.
pub(crate) fn styled(text: &str, letters: Letters) -> String {
    match block(letters) {
        Some(block) => text.chars().map(|c| letter(c, &block)).collect(),
        None => text.to_owned(),
    }
}

fn letter(c: char, block: &Block) -> char {
    let code = u32::from(c);
    let at = |start: u32, first: char, more: u32| {
        (start != NONE).then(|| start + (code - u32::from(first)) + more)
    };
    let styled = match c {
        'A'..='Z' => at(block.latin, 'A', 0),
        'a'..='z' => at(block.latin, 'a', 26),
        '0'..='9' => at(block.figures, '0', 0),
        'Α'..='Ω' => at(block.greek, 'Α', 0),
        '∇' => at(block.greek, '∇', 25),
        'α'..='ω' => at(block.greek, 'α', 26),
        '∂' => at(block.greek, '∂', 51),
        'ϵ' => at(block.greek, 'ϵ', 52),
        'ϑ' => at(block.greek, 'ϑ', 53),
        'ϰ' => at(block.greek, 'ϰ', 54),
        'ϕ' => at(block.greek, 'ϕ', 55),
        'ϱ' => at(block.greek, 'ϱ', 56),
        'ϖ' => at(block.greek, 'ϖ', 57),
        _ => None,
    };
    styled.map_or(c, |code| char::from_u32(hole(code)).unwrap_or(c))
}

/// Returns the character for letters that Unicode had before it got the alphabets.
fn hole(code: u32) -> u32 {
    match code {
        0x1D455 => 0x210E,
        0x1D49D => 0x212C,
        0x1D4A0 => 0x2130,
        0x1D4A1 => 0x2131,
        0x1D4A3 => 0x210B,
        0x1D4A4 => 0x2110,
        0x1D4A7 => 0x2112,
        0x1D4A8 => 0x2133,
        0x1D4AD => 0x211B,
        0x1D4BA => 0x212F,
        0x1D4BC => 0x210A,
        0x1D4C4 => 0x2134,
        0x1D506 => 0x212D,
        0x1D50B => 0x210C,
        0x1D50C => 0x2111,
        0x1D515 => 0x211C,
        0x1D51D => 0x2128,
        0x1D53A => 0x2102,
        0x1D53F => 0x210D,
        0x1D545 => 0x2115,
        0x1D547 => 0x2119,
        0x1D548 => 0x211A,
        0x1D549 => 0x211D,
        0x1D551 => 0x2124,
        code => code,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_those_of_unicode() {
        let of =
            |alphabet, is_bold, is_italic| Letters { alphabet, is_bold, is_italic, is_word: false };
        let all = "ABCEFHILMNPQRZ aegho 09 Γα";
        for (letters, expected) in [
            (of(Alphabet::Blackboard, false, None), "𝔸𝔹ℂ𝔼𝔽ℍ𝕀𝕃𝕄ℕℙℚℝℤ 𝕒𝕖𝕘𝕙𝕠 𝟘𝟡 Γα"),
            (of(Alphabet::Script, false, None), "𝒜ℬ𝒞ℰℱℋℐℒℳ𝒩𝒫𝒬ℛ𝒵 𝒶ℯℊ𝒽ℴ 09 Γα"),
            (of(Alphabet::Fraktur, false, None), "𝔄𝔅ℭ𝔈𝔉ℌℑ𝔏𝔐𝔑𝔓𝔔ℜℨ 𝔞𝔢𝔤𝔥𝔬 09 Γα"),
            (of(Alphabet::Serif, true, Some(false)), "𝐀𝐁𝐂𝐄𝐅𝐇𝐈𝐋𝐌𝐍𝐏𝐐𝐑𝐙 𝐚𝐞𝐠𝐡𝐨 𝟎𝟗 𝚪𝛂"),
            (of(Alphabet::Serif, true, Some(true)), "𝑨𝑩𝑪𝑬𝑭𝑯𝑰𝑳𝑴𝑵𝑷𝑸𝑹𝒁 𝒂𝒆𝒈𝒉𝒐 𝟎𝟗 𝜞𝜶"),
            (of(Alphabet::Serif, false, Some(true)), "𝐴𝐵𝐶𝐸𝐹𝐻𝐼𝐿𝑀𝑁𝑃𝑄𝑅𝑍 𝑎𝑒𝑔ℎ𝑜 09 𝛤𝛼"),
            (of(Alphabet::Sans, false, Some(false)), "𝖠𝖡𝖢𝖤𝖥𝖧𝖨𝖫𝖬𝖭𝖯𝖰𝖱𝖹 𝖺𝖾𝗀𝗁𝗈 𝟢𝟫 Γα"),
            (of(Alphabet::Monospaced, false, None), "𝙰𝙱𝙲𝙴𝙵𝙷𝙸𝙻𝙼𝙽𝙿𝚀𝚁𝚉 𝚊𝚎𝚐𝚑𝚘 𝟶𝟿 Γα"),
            (of(Alphabet::Serif, false, None), all),
        ] {
            assert_eq!(styled(all, letters), expected, "{letters:?}");
        }
    }
}
