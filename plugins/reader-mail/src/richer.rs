//! Decides which form of a mail is shown: its plain text or its page.

use std::collections::HashSet;

/// Most words of one form that are compared.
const MAX_WORDS: usize = 200_000;
/// Most letters of a plain text that may be a stub, such as "view this mail in a browser".
const SHELL: usize = 300;
/// Most words that a warning names.
const MAX_NAMED: usize = 8;

/// The forms of a mail that are shown if it has both.
#[derive(Debug, PartialEq)]
pub(crate) enum Shown {
    Text,
    Page,
    Both,
}

/// Compares the words of both forms. Both are Markdown.
pub(crate) fn shown(text: &str, page: &str, has_tables: bool) -> Shown {
    let letters = |text: &str| text.chars().filter(|character| character.is_alphanumeric()).count();
    let (bare, rich) = (letters(text), letters(page));
    if bare == 0 || bare < SHELL && bare * 4 < rich {
        return Shown::Page;
    }
    if rich == 0 {
        return Shown::Text;
    }
    // Programs write the targets of links into the text, or omit them.
    let in_page = lacking(&words(page, false), &words(text, true));
    let in_text = lacking(&words(text, false), &words(page, true));
    if !has_tables && in_page.numbers == 0 && in_page.words * 5 <= in_page.of {
        return Shown::Text;
    }
    if in_text.numbers > 0 || in_text.words * 2 > in_text.of { Shown::Both } else { Shown::Page }
}

/// The number of words of one form that the other lacks.
struct Lacking {
    words: usize,
    /// Missing words with digits.
    numbers: usize,
    /// All words of the form.
    of: usize,
}

fn lacking(own: &HashSet<String>, other: &HashSet<String>) -> Lacking {
    let missing = || own.iter().filter(|word| !other.contains(*word));
    let has_digit = |word: &&String| word.chars().any(char::is_numeric);
    Lacking {
        words: missing().count(),
        numbers: missing().filter(has_digit).count(),
        of: own.len(),
    }
}

/// Returns a warning with the words that only the form has that is not shown.
pub(crate) fn unshown(shown: &Shown, text: &str, page: &str) -> Option<String> {
    let (hidden, shown, names) = match shown {
        Shown::Both => return None,
        Shown::Page => (text, page, "plain text of the mail has words that its page"),
        Shown::Text => (page, text, "page of the mail has words that its plain text"),
    };
    let others = words(shown, true);
    let mut missing = ordered_words(hidden, false);
    let mut known = HashSet::new();
    // A single letter is a mark of a list, or what is left of an address.
    missing.retain(|word| word.len() > 1 && !others.contains(word) && known.insert(word.clone()));
    if missing.is_empty() {
        return None;
    }
    let more = missing.len().saturating_sub(MAX_NAMED);
    missing.truncate(MAX_NAMED);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    Some(format!("the {names} lacks, and is not shown: {}{rest}", missing.join(", ")))
}

/// Returns the words of a text in lower case. Numbers lose the separators between their digits. Text without spaces is split
/// into pairs of characters.
fn words(text: &str, with_links: bool) -> HashSet<String> {
    ordered_words(text, with_links).into_iter().collect()
}

fn ordered_words(text: &str, with_links: bool) -> Vec<String> {
    let mut found = Vec::new();
    for chunk in text.split_whitespace() {
        if found.len() >= MAX_WORDS {
            break;
        }
        // The target of a link, an address, or the mark of a picture.
        let chunk = match chunk.find("](") {
            Some(at) if !with_links => chunk.get(..at).unwrap_or(chunk),
            _ => chunk,
        };
        let is_target = ["://", "cid:", "mailto:", "www."].iter().any(|mark| chunk.contains(mark));
        if is_target && !with_links {
            continue;
        }
        push_words(chunk, &mut found);
    }
    found
}

fn push_words(chunk: &str, found: &mut Vec<String>) {
    let mut word = String::new();
    let mut last = None;
    let mut characters = chunk.chars().peekable();
    while let Some(character) = characters.next() {
        let is_wide = character >= '\u{2e80}' && character.is_alphabetic();
        if character.is_alphanumeric() && !is_wide {
            word.extend(character.to_lowercase());
            last = None;
            continue;
        }
        // A separator in a number is dropped: 4,200 is 4200.
        let within = matches!(character, ',' | '.' | '\'' | '\\')
            && word.chars().next_back().is_some_and(char::is_numeric)
            && characters
                .peek()
                .is_some_and(|next| next.is_numeric() || *next == '.' || *next == ',');
        if within {
            continue;
        }
        if !word.is_empty() {
            found.push(std::mem::take(&mut word));
        }
        if is_wide {
            if let Some(last) = last {
                found.push([last, character].iter().collect());
            }
            last = Some(character);
        } else {
            last = None;
        }
    }
    if !word.is_empty() {
        found.push(word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stub_does_not_hide_the_page() {
        let stub = "Your mail program does not show HTML. View this message in a browser.";
        for page in [
            "Invoice total 4,200 EUR is due on 2026-04-30.",
            "Please approve the attached contract before Friday noon, and call me.",
            "合同总额请见附件，付款安排另行通知。",
        ] {
            assert_eq!(shown(stub, page, false), Shown::Both, "{page}");
            assert_eq!(shown("", page, false), Shown::Page);
            assert_eq!(shown("See", page, false), Shown::Page);
        }
    }

    #[test]
    fn the_same_words_are_the_text() {
        for (text, page) in [
            (
                "The offer is 4200 EUR, see https://x.org/9.",
                "The offer is **4,200 EUR**, see [here](https://x.org/9).",
            ),
            ("合同总额 1,000 元\n", "合同总额 **1,000** 元"),
            ("- a-b 1.5 c\n- d", "- a\\-b 1.5 c\n- d"),
        ] {
            assert_eq!(shown(text, page, false), Shown::Text, "{page}");
            assert_eq!(shown(text, page, true), Shown::Page, "{page}");
        }
    }

    #[test]
    fn a_number_that_the_text_has_not_is_shown() {
        let text = "Dear all, the offer for the desks is in the table. Regards, Ann";
        let page = format!("{text} Total 99");
        assert_eq!(shown(text, &page, false), Shown::Page);
        assert_eq!(shown(&format!("{text} Order 7"), &page, false), Shown::Both);
    }
    #[test]
    fn words_of_the_form_that_is_not_shown_are_named() {
        let text = "Hello Bob,\nTotal 1,234. Not approved.";
        let page = "Hello Bob, total 1,234.";
        assert_eq!(shown(text, page, true), Shown::Page);
        assert_eq!(
            unshown(&Shown::Page, text, page).unwrap(),
            "the plain text of the mail has words that its page lacks, and is not shown: not, approved"
        );
        let long = (0..20).map(|n| format!("word{n}")).collect::<Vec<_>>().join(" ");
        assert!(unshown(&Shown::Text, page, &long).unwrap().ends_with("word7 and 12 more"));
        for same in ["hello **Bob**, total 1234", "", "Bob a)"] {
            assert_eq!(unshown(&Shown::Page, same, page), None, "{same}");
        }
        assert_eq!(unshown(&Shown::Both, text, page), None);
    }
}
