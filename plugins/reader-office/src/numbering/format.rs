//! Writes a number in a format of Word.

/// Returns a number as text; `None` if the format is unknown or has no text for the number.
pub(super) fn write(number: u32, format: &str) -> Option<String> {
    let circled = |first: u32, last: u32, base: u32| {
        (first..=last)
            .contains(&number)
            .then(|| char::from_u32(base + number - first))
            .flatten()
            .map(String::from)
    };
    Some(match format {
        "decimal" | "decimalHalfWidth" => number.to_string(),
        "none" => String::new(),
        "decimalZero" | "01, 02, 03, ..." => format!("{number:02}"),
        "001, 002, 003, ..." => format!("{number:03}"),
        "0001, 0002, 0003, ..." => format!("{number:04}"),
        "lowerLetter" => letters(number, 'a'),
        "upperLetter" => letters(number, 'A'),
        "lowerRoman" => roman(number)?.to_lowercase(),
        "upperRoman" => roman(number)?,
        "ordinal" => format!("{number}{}", ordinal_ending(number)),
        "numberInDash" => format!("- {number} -"),
        "hex" => format!("{number:X}"),
        "decimalFullWidth" | "decimalFullWidth2" => digits(number, "０１２３４５６７８９"),
        "decimalEnclosedCircle" | "decimalEnclosedCircleChinese" => circled(1, 20, 0x2460)
            .or_else(|| circled(21, 35, 0x3251))
            .or_else(|| circled(36, 50, 0x32B1))?,
        "decimalEnclosedParen" => circled(1, 20, 0x2474)?,
        "decimalEnclosedFullstop" => circled(1, 20, 0x2488)?,
        "chineseCounting"
        | "chineseCountingThousand"
        | "taiwaneseCounting"
        | "taiwaneseCountingThousand"
        | "japaneseCounting"
        | "ideographDigital"
        | "japaneseDigitalTenThousand"
        | "taiwaneseDigital"
            if number == 0 =>
        {
            "〇".to_owned()
        }
        "ideographDigital" | "japaneseDigitalTenThousand" | "taiwaneseDigital" => {
            digits(number, "〇一二三四五六七八九")
        }
        // The simpler of the two formats uses digits from a hundred on.
        "chineseCounting" if number > 99 => digits(number, "〇一二三四五六七八九"),
        "taiwaneseCounting" if number > 99 => digits(number, "○一二三四五六七八九"),
        "chineseCounting" | "chineseCountingThousand" => {
            chinese(number, "零一二三四五六七八九", "十百千", true)?
        }
        "taiwaneseCounting" | "taiwaneseCountingThousand" => {
            chinese(number, "零一二三四五六七八九", "十百千", true)?
        }
        "japaneseCounting" => japanese(number)?,
        "chineseLegalSimplified" => chinese(number, "零壹贰叁肆伍陆柒捌玖", "拾佰仟", false)?,
        "ideographLegalTraditional" => chinese(number, "零壹貳參肆伍陸柒捌玖", "拾佰仟", false)?,
        "ideographTraditional" => cycle(number, "甲乙丙丁戊己庚辛壬癸")?,
        "ideographZodiac" => cycle(number, "子丑寅卯辰巳午未申酉戌亥")?,
        "ideographEnclosedCircle" => circled(1, 10, 0x3280)?,
        "aiueoFullWidth" | "aiueo" => cycle(
            number,
            "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン",
        )?,
        "irohaFullWidth" | "iroha" => cycle(
            number,
            "イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセスン",
        )?,
        "ganada" => cycle(number, "가나다라마바사아자차카타파하")?,
        "chosung" => cycle(number, "ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ")?,
        "russianLower" => cycle(number, "абвгдежзиклмнопрстуфхцчшщыэюя")?,
        "russianUpper" => cycle(number, "АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЫЭЮЯ")?,
        "cardinalText" => words(number)?,
        "ordinalText" => ordinal_words(number)?,
        _ => return None,
    })
}

/// Returns a, b, … z, aa, bb. Word repeats the letter.
fn letters(number: u32, first: char) -> String {
    let Some(index) = number.checked_sub(1) else { return String::new() };
    let letter = char::from(first as u8 + (index % 26) as u8);
    // Limits the text, because a start value in the file can be any number.
    std::iter::repeat_n(letter, (index / 26 + 1).min(40) as usize).collect()
}

fn roman(number: u32) -> Option<String> {
    const PARTS: [(u32, &str); 13] = [
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ];
    if !(1..=9999).contains(&number) {
        return None;
    }
    let mut rest = number;
    let mut out = String::new();
    for (value, text) in PARTS {
        while rest >= value {
            out.push_str(text);
            rest -= value;
        }
    }
    Some(out)
}

fn ordinal_ending(number: u32) -> &'static str {
    match (number % 100, number % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    }
}

fn digits(number: u32, of: &str) -> String {
    let digits: Vec<char> = of.chars().collect();
    number.to_string().bytes().map(|byte| digits[usize::from(byte - b'0')]).collect()
}

fn cycle(number: u32, of: &str) -> Option<String> {
    let letters: Vec<char> = of.chars().collect();
    let index = number.checked_sub(1)? as usize;
    Some(letters[index % letters.len()].to_string())
}

/// Returns 十一, 一百零五. `None` above 9999.
fn chinese(number: u32, digits: &str, units: &str, is_short: bool) -> Option<String> {
    if !(1..=9999).contains(&number) {
        return None;
    }
    let digits: Vec<char> = digits.chars().collect();
    let units: Vec<char> = units.chars().collect();
    let mut out = String::new();
    let mut has_gap = false;
    for place in (0..4_u32).rev() {
        let digit = (number / 10_u32.pow(place) % 10) as usize;
        if digit == 0 {
            has_gap = !out.is_empty();
            continue;
        }
        if has_gap {
            out.push(digits[0]);
            has_gap = false;
        }
        // Ten is 十, not 一十, at the beginning.
        if !(is_short && place == 1 && digit == 1 && out.is_empty()) {
            out.push(digits[digit]);
        }
        if place > 0 {
            out.push(units[place as usize - 1]);
        }
    }
    Some(out)
}

/// Returns 百五 for 105. Japanese leaves out both the one and the zero.
fn japanese(number: u32) -> Option<String> {
    if !(1..=9999).contains(&number) {
        return None;
    }
    let digits: Vec<char> = "〇一二三四五六七八九".chars().collect();
    let units: Vec<char> = "十百千".chars().collect();
    let mut out = String::new();
    for place in (0..4_u32).rev() {
        let digit = (number / 10_u32.pow(place) % 10) as usize;
        if digit == 0 {
            continue;
        }
        if place == 0 || digit > 1 {
            out.push(digits[digit]);
        }
        if place > 0 {
            out.push(units[place as usize - 1]);
        }
    }
    Some(out)
}

const ONES: [&str; 20] = [
    "Zero",
    "One",
    "Two",
    "Three",
    "Four",
    "Five",
    "Six",
    "Seven",
    "Eight",
    "Nine",
    "Ten",
    "Eleven",
    "Twelve",
    "Thirteen",
    "Fourteen",
    "Fifteen",
    "Sixteen",
    "Seventeen",
    "Eighteen",
    "Nineteen",
];
const TENS: [&str; 10] =
    ["", "", "Twenty", "Thirty", "Forty", "Fifty", "Sixty", "Seventy", "Eighty", "Ninety"];

fn words(number: u32) -> Option<String> {
    let number = number as usize;
    Some(match number {
        0..=19 => ONES[number].to_owned(),
        20..=99 if number.is_multiple_of(10) => TENS[number / 10].to_owned(),
        20..=99 => format!("{}-{}", TENS[number / 10], ONES[number % 10].to_lowercase()),
        _ => return None,
    })
}

fn ordinal_words(number: u32) -> Option<String> {
    const FIRST: [&str; 20] = [
        "Zeroth",
        "First",
        "Second",
        "Third",
        "Fourth",
        "Fifth",
        "Sixth",
        "Seventh",
        "Eighth",
        "Ninth",
        "Tenth",
        "Eleventh",
        "Twelfth",
        "Thirteenth",
        "Fourteenth",
        "Fifteenth",
        "Sixteenth",
        "Seventeenth",
        "Eighteenth",
        "Nineteenth",
    ];
    let number = number as usize;
    Some(match number {
        0..=19 => FIRST[number].to_owned(),
        20..=99 if number.is_multiple_of(10) => {
            format!("{}ieth", TENS[number / 10].trim_end_matches('y'))
        }
        20..=99 => format!("{}-{}", TENS[number / 10], FIRST[number % 10].to_lowercase()),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_their_formats() {
        for (number, format, expected) in [
            (7, "decimalZero", "07"),
            (28, "lowerLetter", "bb"),
            (26, "upperLetter", "Z"),
            (1994, "upperRoman", "MCMXCIV"),
            (4, "lowerRoman", "iv"),
            (22, "ordinal", "22nd"),
            (113, "ordinal", "113th"),
            (3, "decimalEnclosedCircle", "③"),
            (21, "decimalEnclosedCircleChinese", "㉑"),
            (12, "decimalFullWidth", "１２"),
            (10, "chineseCounting", "十"),
            (11, "chineseCountingThousand", "十一"),
            (20, "chineseCountingThousand", "二十"),
            (105, "chineseCountingThousand", "一百零五"),
            (1010, "chineseCountingThousand", "一千零一十"),
            (2000, "chineseCountingThousand", "二千"),
            (105, "japaneseCounting", "百五"),
            (20, "ideographDigital", "二〇"),
            (11, "chineseLegalSimplified", "壹拾壹"),
            (12, "ideographTraditional", "乙"),
            (2, "ganada", "나"),
            (42, "cardinalText", "Forty-two"),
            (40, "ordinalText", "Fortieth"),
            (21, "ordinalText", "Twenty-first"),
        ] {
            assert_eq!(write(number, format).as_deref(), Some(expected), "{number} {format}");
        }
        for (number, format) in [
            (1, "hebrew1"),
            (0, "upperRoman"),
            (51, "decimalEnclosedCircle"),
            (100, "cardinalText"),
        ] {
            assert_eq!(write(number, format), None, "{number} {format}");
        }
        assert!(write(u32::MAX, "lowerLetter").unwrap().len() < 100);
    }
}
