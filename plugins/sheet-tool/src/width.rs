//! Half-width and full-width forms of letters, digits, signs and katakana.

/// Full-width katakana for the half-width ones from U+FF61 on.
const KATAKANA: &str = "。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン゛゜";

/// Returns the half-width form of letters, digits, signs and katakana.
pub(crate) fn narrow(all: &str) -> String {
    let mut out = String::new();
    for c in all.chars() {
        match c {
            '\u{3000}' => out.push(' '),
            '\u{ff01}'..='\u{ff5e}' => out.extend(char::from_u32(u32::from(c) - 0xfee0)),
            c => match halves(c) {
                Some(halves) => out.extend(halves),
                None => out.push(c),
            },
        }
    }
    out
}

/// Returns the half-width form of a katakana, with the mark of voice as a letter of its own.
fn halves(c: char) -> Option<Vec<char>> {
    let half = |c: char| {
        let at = KATAKANA.chars().position(|it| it == c)?;
        char::from_u32(0xff61 + at as u32)
    };
    if let Some(half) = half(c) {
        return Some(vec![half]);
    }
    let code = u32::from(c);
    let (base, mark) = match c {
        'ヴ' => ('ウ', '\u{ff9e}'),
        // Each of these stands behind its plain letter.
        'ガ' | 'ギ' | 'グ' | 'ゲ' | 'ゴ' | 'ザ' | 'ジ' | 'ズ' | 'ゼ' | 'ゾ' | 'ダ' | 'ヂ'
        | 'ヅ' | 'デ' | 'ド' | 'バ' | 'ビ' | 'ブ' | 'ベ' | 'ボ' => {
            (char::from_u32(code - 1)?, '\u{ff9e}')
        }
        'パ' | 'ピ' | 'プ' | 'ペ' | 'ポ' => (char::from_u32(code - 2)?, '\u{ff9f}'),
        _ => return None,
    };
    Some(vec![half(base)?, mark])
}

/// Returns the full-width form of letters, digits, signs and katakana.
pub(crate) fn wide(all: &str) -> String {
    let mut out = String::new();
    let mut chars = all.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            ' ' => out.push('\u{3000}'),
            '!'..='~' => out.extend(char::from_u32(u32::from(c) + 0xfee0)),
            '\u{ff61}'..='\u{ff9f}' => {
                let full = KATAKANA.chars().nth((u32::from(c) - 0xff61) as usize).unwrap_or(c);
                let steps = match chars.peek() {
                    Some('\u{ff9e}') => 1,
                    Some('\u{ff9f}') => 2,
                    _ => 0,
                };
                let voiced = match full {
                    'ウ' if steps == 1 => Some('ヴ'),
                    full => char::from_u32(u32::from(full) + steps),
                };
                let voiced = voiced.filter(|it| {
                    steps > 0 && halves(*it).is_some_and(|it| it.len() == 2 && it[0] == c)
                });
                match voiced {
                    Some(voiced) => {
                        out.push(voiced);
                        chars.next();
                    }
                    None => out.push(full),
                }
            }
            c => out.push(c),
        }
    }
    out
}
