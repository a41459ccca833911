//! Distinguishes text in European languages from letters without meaning, by pairs of adjacent letters.

/// How rare it is that a letter follows another one: eighths of a bit, for the end of a word and the letters from `a` to
/// `z`. Made of the messages of programs in 31 languages, each language with the same weight, without accents.
#[rustfmt::skip]
const RARITY: [[u8; 27]; 27] = [
    [96, 29, 39, 37, 29, 33, 38, 43, 46, 34, 51, 37, 38, 37, 32, 37, 30, 65, 42, 29, 33, 41, 37, 54, 63, 61, 48],
    [17, 51, 45, 39, 37, 57, 58, 47, 59, 40, 54, 40, 29, 38, 25, 52, 44, 69, 27, 34, 29, 46, 44, 70, 71, 57, 48],
    [32, 21, 58, 67, 74, 22, 66, 76, 47, 23, 47, 83, 27, 57, 56, 26, 74, 96, 29, 47, 55, 29, 67, 84, 80, 42, 76],
    [27, 24, 68, 51, 54, 26, 68, 84, 22, 22, 62, 36, 49, 68, 55, 24, 62, 90, 39, 43, 36, 41, 82, 84, 84, 69, 56],
    [24, 21, 66, 71, 59, 16, 72, 65, 51, 23, 65, 60, 51, 63, 45, 25, 58, 96, 43, 50, 60, 34, 54, 73, 84, 57, 54],
    [16, 42, 55, 42, 41, 53, 54, 44, 60, 41, 57, 41, 33, 39, 24, 60, 49, 77, 24, 29, 33, 55, 52, 75, 53, 65, 50],
    [25, 25, 79, 66, 51, 30, 37, 64, 57, 15, 66, 71, 41, 66, 70, 20, 64, 93, 37, 48, 40, 36, 88, 87, 85, 59, 94],
    [22, 24, 66, 63, 57, 23, 75, 48, 46, 26, 50, 67, 42, 57, 35, 31, 57, 96, 30, 44, 44, 25, 68, 83, 94, 50, 69],
    [23, 18, 74, 73, 59, 18, 68, 93, 64, 26, 56, 56, 49, 58, 58, 24, 70, 90, 48, 67, 33, 37, 48, 76, 96, 48, 87],
    [22, 38, 50, 36, 36, 33, 49, 41, 64, 60, 50, 37, 33, 38, 22, 35, 50, 73, 37, 29, 31, 57, 43, 83, 61, 78, 46],
    [33, 15, 49, 71, 53, 15, 73, 73, 73, 34, 76, 58, 44, 63, 52, 27, 44, 83, 64, 44, 54, 27, 63, 77, 83, 72, 66],
    [20, 21, 60, 54, 63, 23, 71, 54, 41, 30, 71, 44, 42, 65, 52, 25, 50, 89, 43, 36, 34, 32, 66, 67, 93, 51, 80],
    [23, 21, 60, 69, 44, 21, 64, 55, 59, 21, 49, 55, 33, 59, 52, 27, 65, 91, 76, 45, 40, 35, 62, 89, 83, 51, 66],
    [23, 17, 37, 78, 67, 17, 77, 80, 47, 26, 69, 68, 56, 43, 55, 28, 35, 96, 65, 50, 61, 37, 78, 91, 93, 58, 85],
    [18, 25, 73, 45, 31, 25, 53, 32, 52, 27, 53, 53, 64, 60, 45, 31, 71, 92, 73, 40, 27, 39, 56, 91, 95, 47, 71],
    [21, 51, 46, 41, 36, 57, 54, 40, 60, 44, 54, 41, 33, 32, 23, 51, 38, 86, 23, 32, 37, 45, 42, 54, 76, 74, 49],
    [29, 20, 79, 46, 60, 23, 68, 60, 48, 31, 70, 60, 35, 63, 52, 22, 40, 96, 22, 47, 40, 35, 71, 84, 88, 65, 78],
    [21, 45, 64, 61, 55, 43, 63, 63, 64, 50, 62, 64, 31, 58, 56, 61, 55, 54, 49, 61, 32, 9, 64, 27, 64, 59, 60],
    [21, 21, 58, 52, 43, 21, 67, 47, 59, 24, 59, 50, 56, 43, 49, 28, 61, 70, 44, 41, 37, 37, 51, 70, 88, 56, 54],
    [18, 29, 72, 41, 73, 25, 69, 67, 44, 27, 68, 35, 44, 59, 56, 34, 41, 73, 64, 40, 20, 37, 60, 75, 96, 51, 53],
    [20, 21, 78, 68, 71, 20, 70, 72, 41, 23, 72, 58, 57, 63, 54, 28, 66, 96, 32, 48, 43, 33, 59, 70, 63, 49, 56],
    [22, 37, 42, 44, 42, 37, 56, 45, 61, 37, 50, 39, 32, 30, 25, 50, 39, 96, 29, 28, 29, 57, 58, 68, 67, 64, 47],
    [30, 15, 69, 67, 66, 14, 79, 75, 79, 22, 73, 73, 55, 68, 48, 27, 64, 96, 49, 54, 65, 50, 75, 84, 81, 48, 72],
    [23, 17, 58, 60, 48, 24, 65, 47, 46, 20, 68, 62, 51, 52, 42, 30, 57, 78, 41, 35, 70, 61, 78, 47, 61, 54, 67],
    [12, 34, 44, 45, 59, 29, 52, 70, 59, 27, 79, 60, 58, 43, 72, 46, 30, 82, 62, 58, 25, 46, 75, 79, 44, 41, 60],
    [13, 30, 49, 44, 48, 39, 62, 53, 62, 49, 57, 45, 40, 35, 36, 45, 27, 84, 42, 31, 28, 50, 60, 66, 67, 63, 61],
    [22, 18, 52, 63, 50, 20, 76, 53, 53, 21, 67, 57, 49, 49, 42, 31, 60, 71, 60, 56, 52, 41, 52, 55, 76, 46, 50],
];

/// The fewest pairs of letters that are evidence.
const FEWEST: usize = 60;

/// Fewest pairs inside of words for a verdict that the letters have no meaning. Formulas have single letters.
const FEWEST_INSIDE: usize = 40;

/// Text of these languages has a mean rarity of 3.8 bits. In samples of 60 pairs, one of a thousand has more than 4.7. With its
/// letters exchanged, text has a mean of 5.8.
const NATURAL: f32 = 4.6;
const STRANGE: f32 = 5.2;

/// The largest share of letters of other writing systems.
const MAX_OTHERS: f32 = 0.1;

/// Returns whether letters are text in one of these languages, or `None` if that is not certain. `None` among the letters
/// is the end of a word.
pub(crate) fn judge(letters: &[Option<char>]) -> Option<bool> {
    let (mut pairs, mut inside, mut rarity) = (0_usize, 0_usize, 0_usize);
    let (mut known, mut others) = (0_usize, 0_usize);
    let mut before = 0;
    for letter in letters {
        let at = match letter.map(index) {
            Some(Some(at)) => {
                known += usize::from(at > 0);
                at
            }
            Some(None) => {
                others += 1;
                0
            }
            None => 0,
        };
        // A number or a space after another one says nothing.
        if before > 0 || at > 0 {
            pairs += 1;
            inside += usize::from(before > 0 && at > 0);
            let rare = RARITY.get(before).and_then(|row| row.get(at));
            rarity += usize::from(*rare.unwrap_or(&0));
        }
        before = at;
    }
    if pairs < FEWEST || others as f32 > MAX_OTHERS * (known + others) as f32 {
        return None;
    }
    let mean = rarity as f32 / 8.0 / pairs as f32;
    match mean {
        mean if mean < NATURAL => Some(true),
        mean if mean > STRANGE && inside >= FEWEST_INSIDE => Some(false),
        _ => None,
    }
}

/// Returns the place of a letter in the table, 0 for what is no letter, or `None` for a letter of another writing system.
fn index(letter: char) -> Option<usize> {
    let plain = match letter {
        'A'..='Z' | 'a'..='z' => letter.to_ascii_lowercase(),
        'À'..='Å' | 'à'..='å' | 'Ā'..='ą' | 'Æ' | 'æ' => 'a',
        'Ç' | 'ç' | 'Ć'..='č' => 'c',
        'Ď'..='đ' | 'Ð' | 'ð' => 'd',
        'È'..='Ë' | 'è'..='ë' | 'Ē'..='ě' => 'e',
        'Ĝ'..='ģ' => 'g',
        'Ì'..='Ï' | 'ì'..='ï' | 'Ĩ'..='ı' => 'i',
        'Ķ' | 'ķ' => 'k',
        'Ĺ'..='ł' => 'l',
        'Ñ' | 'ñ' | 'Ń'..='ň' => 'n',
        'Ò'..='Ö' | 'Ø' | 'ò'..='ö' | 'ø' | 'Ō'..='œ' => 'o',
        'Ŕ'..='ř' => 'r',
        'Ś'..='š' | 'ß' => 's',
        'Ţ'..='ŧ' => 't',
        'Ù'..='Ü' | 'ù'..='ü' | 'Ũ'..='ų' => 'u',
        'Ý' | 'ý' | 'ÿ' => 'y',
        'Ź'..='ž' => 'z',
        other if other.is_alphabetic() => return None,
        _ => return Some(0),
    };
    Some((plain as usize).saturating_sub('a' as usize) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXTS: [&str; 6] = [
        "The figures of the survey were collected in the spring, and no value was corrected afterwards.",
        "Die Zahlen der Umfrage wurden im Frühling erhoben, und kein Wert wurde später geändert.",
        "Les chiffres de l'enquête ont été recueillis au printemps et aucune valeur n'a été corrigée.",
        "Výsledky průzkumu byly získány na jaře a žádná hodnota nebyla později změněna ani doplněna.",
        "Luvut kerättiin keväällä, eikä mitään arvoa korjattu sen jälkeen missään toimistossa.",
        "THE FIGURES OF THE SURVEY WERE COLLECTED IN THE SPRING AND NO VALUE WAS CORRECTED.",
    ];

    fn letters(text: &str) -> Vec<Option<char>> {
        text.chars().map(Some).collect()
    }

    #[test]
    fn languages_are_text_and_exchanged_letters_are_not() {
        for text in TEXTS {
            assert_eq!(judge(&letters(text)), Some(true), "{text}");
            // Each letter stands for another one.
            let exchanged = |letter: char| match index(letter) {
                Some(at @ 1..) => char::from(b'a' + ((at * 7 + 3) % 26) as u8),
                _ => letter,
            };
            let exchanged: String = text.chars().map(exchanged).collect();
            assert_eq!(judge(&letters(&exchanged)), Some(false), "{exchanged}");
        }
    }

    #[test]
    fn short_text_numbers_and_other_writing_systems_are_no_evidence() {
        for text in [
            "Xq zt",
            "x z q x k x z w q k x z x q w x k z x q x z k w x z q x k x z w q k x z x q w x k z x q",
            "2019 1 204.50 2020 1 310.75 2021 998.00 2022 1 114.25 2023 1 020.00 2024 1 333.10 2025",
            "Цифры опроса были собраны весной, и ни одно значение не было исправлено после этого нигде.",
        ] {
            assert_eq!(judge(&letters(text)), None, "{text}");
        }
    }
}
