//! Words in the names that pages give to their parts.

/// Splits a name into words: `siteNav main-menu` becomes `site`, `nav`, `main`, `menu`.
pub fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut was_small = false;
    for character in name.chars().chain([' ']) {
        let begins = character.is_uppercase() && was_small;
        if (begins || !character.is_alphabetic()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if character.is_alphabetic() {
            word.extend(character.to_lowercase());
        }
        was_small = character.is_lowercase();
    }
    words
}
