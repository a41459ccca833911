//! Raised and lowered text, which becomes another number when it is written in line: `10` and a raised `3`.

/// Above or below the line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Script {
    Above,
    Below,
}

/// How a raised or lowered text is written.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Written {
    /// With these characters of Unicode, which say the same.
    Unicode(String),
    /// `^{…}` or `_{…}`.
    Braces(char),
    /// As it stands: nobody takes it for a power.
    Plain,
}

/// How to write `text`, which has no white space at its ends, behind the character `previous`.
pub(crate) fn written(text: &str, script: Script, previous: Option<char>) -> Written {
    if text.is_empty() {
        return Written::Plain;
    }
    if script == Script::Above {
        match text {
            "TM" => return Written::Unicode("™".to_owned()),
            "SM" => return Written::Unicode("℠".to_owned()),
            _ => {}
        }
        // Signs that are raised anyway, and citations such as `[3]`.
        if text.starts_with('[') || text.chars().all(|c| "*†‡§¶™®℠©°º\u{aa}′″‴".contains(c))
        {
            return Written::Plain;
        }
        const ORDINALS: [&str; 9] = ["st", "nd", "rd", "th", "er", "re", "ère", "ème", "eme"];
        if previous.is_some_and(|character| character.is_ascii_digit())
            && ORDINALS.contains(&text.to_lowercase().as_str())
        {
            return Written::Plain;
        }
    }
    match text.chars().map(|character| unicode(character, script)).collect() {
        Some(text) => Written::Unicode(text),
        None => Written::Braces(if script == Script::Above { '^' } else { '_' }),
    }
}

fn unicode(character: char, script: Script) -> Option<char> {
    const LINE: &str = "0123456789+-−=()";
    let line = LINE.chars().position(|known| known == character)?;
    match script {
        Script::Above => "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾".chars().nth(line),
        Script::Below => "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎".chars().nth(line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_kept_and_ordinals_stay_words() {
        let unicode = |text: &str| Written::Unicode(text.to_owned());
        for (previous, text, script, expected) in [
            ('m', "2", Script::Above, unicode("²")),
            ('0', "−3", Script::Above, unicode("⁻³")),
            ('H', "2", Script::Below, unicode("₂")),
            ('x', "n+1", Script::Above, Written::Braces('^')),
            ('x', "i", Script::Below, Written::Braces('_')),
            ('1', "st", Script::Above, Written::Plain),
            ('x', "th", Script::Above, Written::Braces('^')),
            ('2', "e", Script::Above, Written::Braces('^')),
            ('s', "[3,4]", Script::Above, Written::Plain),
            ('s', "*", Script::Above, Written::Plain),
            ('s', "TM", Script::Above, unicode("™")),
            ('s', "", Script::Above, Written::Plain),
        ] {
            assert_eq!(written(text, script, Some(previous)), expected, "{previous}{text}");
        }
    }
}
