//! Characters that look like others and are not covered by Unicode's compatible forms: short tables of our own.
//!
//! Only single letters of the same shape. Digits for letters (`0` for `o`) and pairs for one letter (`rn` for `m`) are left
//! out, because they would make clean words match.

use std::sync::OnceLock;

/// Returns the plain letter for one in a box or a circle. Letters of flags stay as they are: a flag before a word is no part
/// of it.
pub(super) fn shape(c: char) -> char {
    let (first, plain) = match c {
        '\u{1f130}'..='\u{1f149}' => ('\u{1f130}', 'a'),
        '\u{1f150}'..='\u{1f169}' => ('\u{1f150}', 'a'),
        '\u{1f170}'..='\u{1f189}' => ('\u{1f170}', 'a'),
        '\u{2776}'..='\u{277e}' => ('\u{2776}', '1'),
        '\u{2780}'..='\u{2788}' => ('\u{2780}', '1'),
        '\u{278a}'..='\u{2792}' => ('\u{278a}', '1'),
        _ => return c,
    };
    char::from_u32(plain as u32 + (c as u32 - first as u32)).unwrap_or(c)
}

/// Returns the letters for one that is written as two.
pub(super) fn several(c: char) -> Option<&'static str> {
    Some(match c {
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        _ => return None,
    })
}

/// Forms of a letter within one script: strokes, hooks, small capitals, the final sigma, Chinese radicals.
const VARIANTS: [(&str, &str); 3] = [
    ("øđłħŧıȷɑɡɩɪʙᴄᴅᴇɢʜᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢᴀƒɓƙɗɠðꜰꞯ", "odlhtijagiibcdeghjklmnoprstuvwyzafbkdgdfq"),
    ("ς", "σ"),
    (
        "⻁⻄⻅⻆⻋⻓⻔⻘⻙⻚⻛⻜⻝⻢⻣⻤⻥⻦⻩⻬⻰⺟⺠",
        "虎西见角车长门青韦页风飞食马骨鬼鱼鸟黄齐龙母民",
    ),
];

/// Letters of Cyrillic, Greek, Armenian, Cherokee and kana that look like Latin letters or ideographs.
const OTHER_SCRIPTS: [(&str, &str); 5] = [
    ("авсԁеғһіјкӏмнорԛгѕтѵԝхуьп", "abcdefhijklmhopqrstvwxybn"),
    ("αβεζηικμνορτυχ", "abezhikmnoptyx"),
    ("օսհոցզ", "ouhngq"),
    ("ᎠᎡᎢᎪᎫᎬᎳᎷᎻᏀᏃᏚᏙᏞᏟᏢᏦᏴ", "drtajewmhgzsvlcpkb"),
    ("エロカニトタハ", "工口力二卜夕八"),
];

/// Zeros of decimal digits (Unicode 17, `Nd`) that have no compatible form. The nine other digits follow each of them.
const ZEROS: [char; 68] = [
    '\u{660}',
    '\u{6f0}',
    '\u{7c0}',
    '\u{966}',
    '\u{9e6}',
    '\u{a66}',
    '\u{ae6}',
    '\u{b66}',
    '\u{be6}',
    '\u{c66}',
    '\u{ce6}',
    '\u{d66}',
    '\u{de6}',
    '\u{e50}',
    '\u{ed0}',
    '\u{f20}',
    '\u{1040}',
    '\u{1090}',
    '\u{17e0}',
    '\u{1810}',
    '\u{1946}',
    '\u{19d0}',
    '\u{1a80}',
    '\u{1a90}',
    '\u{1b50}',
    '\u{1bb0}',
    '\u{1c40}',
    '\u{1c50}',
    '\u{a620}',
    '\u{a8d0}',
    '\u{a900}',
    '\u{a9d0}',
    '\u{a9f0}',
    '\u{aa50}',
    '\u{abf0}',
    '\u{104a0}',
    '\u{10d30}',
    '\u{10d40}',
    '\u{11066}',
    '\u{110f0}',
    '\u{11136}',
    '\u{111d0}',
    '\u{112f0}',
    '\u{11450}',
    '\u{114d0}',
    '\u{11650}',
    '\u{116c0}',
    '\u{116d0}',
    '\u{116da}',
    '\u{11730}',
    '\u{118e0}',
    '\u{11950}',
    '\u{11bf0}',
    '\u{11c50}',
    '\u{11d50}',
    '\u{11da0}',
    '\u{11de0}',
    '\u{11f50}',
    '\u{16130}',
    '\u{16a60}',
    '\u{16ac0}',
    '\u{16b50}',
    '\u{16d70}',
    '\u{1e140}',
    '\u{1e2f0}',
    '\u{1e4f0}',
    '\u{1e5f1}',
    '\u{1e950}',
];

/// Returns a decimal digit of any script as an ASCII digit.
pub(super) fn decimal(c: char) -> Option<char> {
    if c < '\u{660}' {
        return None;
    }
    let at = ZEROS.partition_point(|zero| *zero <= c);
    let zero = *ZEROS.get(at.checked_sub(1)?)?;
    char::from_digit(c as u32 - zero as u32, 10)
}

pub(super) fn variant(c: char) -> Option<char> {
    static PAIRS: OnceLock<Vec<(char, char)>> = OnceLock::new();
    found(PAIRS.get_or_init(|| pairs(&VARIANTS)), c)
}

pub(super) fn other_script(c: char) -> Option<char> {
    static PAIRS: OnceLock<Vec<(char, char)>> = OnceLock::new();
    found(PAIRS.get_or_init(|| pairs(&OTHER_SCRIPTS)), c)
}

fn found(pairs: &[(char, char)], c: char) -> Option<char> {
    let at = pairs.binary_search_by_key(&c, |(from, _)| *from).ok()?;
    pairs.get(at).map(|(_, to)| *to)
}

fn pairs(lists: &[(&str, &str)]) -> Vec<(char, char)> {
    // Folding looks letters up in lower case.
    let mut pairs: Vec<(char, char)> = lists
        .iter()
        .flat_map(|(from, to)| from.chars().flat_map(char::to_lowercase).zip(to.chars()))
        .collect();
    pairs.sort_unstable();
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_of_the_lists_are_as_long() {
        for (from, to) in VARIANTS.iter().chain(&OTHER_SCRIPTS) {
            assert_eq!(from.chars().count(), to.chars().count(), "{from}");
        }
        assert_eq!(variant('ᴍ'), Some('m'));
        assert_eq!(other_script('р'), Some('p'));
        assert_eq!(other_script('χ'), Some('x'));
        assert!(ZEROS.is_sorted());
        assert_eq!(
            ['٣', '۹', '०', '๕', '߉', '၉'].map(decimal),
            ['3', '9', '0', '5', '9', '9'].map(Some)
        );
        assert_eq!(['ي', '٪', 'z', '万', '0'].map(decimal), [None; 5]);
    }
}
