//! Repairs Chinese text that is encoded as Latin letters. Old programs set GB 2312 in system fonts that they declare as
//! Latin (WinAnsi). A Chinese Windows shows Chinese, but the file says `ÖÐ¹ú` for 中国.

use encoding_rs::GBK;
use unpdf::{Block, InlineContent, Page};

/// Fewest characters on a page that are evidence.
const FEWEST: usize = 8;

/// What the text would be if its letters were bytes.
#[derive(Default)]
struct Reading {
    /// Pairs of letters that are a character of GB 2312, and how many of them are frequent Chinese characters.
    pairs: usize,
    frequent: usize,
    /// Letters beyond ASCII that are not part of such a pair.
    others: usize,
}

/// Decodes the text of a page as GB 2312 if it was misread. Returns whether it was.
pub(crate) fn repair(page: &mut Page) -> bool {
    let mut reading = Reading::default();
    for_each_text(page, &mut |text| drop(read(text, &mut reading)));
    let Reading { pairs, frequent, others } = reading;
    // In a language with Latin letters, those beyond ASCII are rarely in pairs, and such a pair is even more rarely a
    // frequent character.
    let is_misread = pairs >= FEWEST && others * 20 <= pairs && frequent * 2 >= pairs;
    if is_misread {
        for_each_text(page, &mut |text| *text = read(text, &mut Reading::default()));
    }
    is_misread
}

pub(crate) fn for_each_text(page: &mut Page, visit: &mut dyn FnMut(&mut String)) {
    for block in &mut page.elements {
        match block {
            Block::Paragraph(paragraph) => inlines(&mut paragraph.content, visit),
            Block::Table(table) => {
                let cells = table.rows.iter_mut().flat_map(|row| &mut row.cells);
                cells.flat_map(|cell| &mut cell.content).for_each(|paragraph| {
                    inlines(&mut paragraph.content, visit);
                });
            }
            Block::Code { content } | Block::Raw { content } => visit(content),
            _ => {}
        }
    }
}

fn inlines(content: &mut [InlineContent], visit: &mut dyn FnMut(&mut String)) {
    for item in content {
        match item {
            InlineContent::Text(run) => visit(&mut run.text),
            InlineContent::Link { text, .. } => visit(text),
            _ => {}
        }
    }
}

/// Returns text with its pairs of letters decoded. Removes single spaces between two Chinese characters, because they
/// come from the widths of the Latin letters.
fn read(text: &str, reading: &mut Reading) -> String {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    let mut is_behind_pair = false;
    while let Some(character) = characters.next() {
        let pair = characters.peek().and_then(|next| pair(character, *next));
        if let Some((read, is_frequent)) = pair {
            characters.next();
            reading.pairs += 1;
            reading.frequent += usize::from(is_frequent);
            if is_behind_pair && out.ends_with(' ') {
                out.pop();
            }
            out.push(read);
            is_behind_pair = true;
            continue;
        }
        reading.others += usize::from(!character.is_ascii() && character.is_alphanumeric());
        is_behind_pair = is_behind_pair && character == ' ' && !out.ends_with(' ');
        out.push(character);
    }
    out
}

/// Returns the character of two letters, and whether it is one of the 3 755 of the first level, which are the frequent
/// ones.
fn pair(first: char, second: char) -> Option<(char, bool)> {
    let byte = |letter: char| u8::try_from(u32::from(letter)).ok().filter(|byte| *byte >= 0xA1);
    let lead = byte(first).filter(|lead| *lead <= 0xF7)?;
    // A Latin font shows a soft hyphen as a hyphen.
    let trail = if second == '-' { 0xAD } else { byte(second)? };
    let bytes = [lead, trail];
    let read = GBK.decode_without_bom_handling_and_without_replacement(&bytes)?;
    Some((read.chars().next()?, (0xB0..=0xD7).contains(&lead)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use unpdf::{Paragraph, TextRun};

    fn repaired(text: &str) -> Option<String> {
        let mut page = Page::new(1, 100.0, 100.0);
        let mut paragraph = Paragraph::new();
        paragraph.content.push(InlineContent::Text(TextRun::new(text)));
        page.elements.push(Block::Paragraph(paragraph));
        let is_misread = repair(&mut page);
        let Block::Paragraph(paragraph) = &page.elements[0] else { panic!() };
        let InlineContent::Text(run) = &paragraph.content[0] else { panic!() };
        assert_eq!(is_misread, run.text != text);
        is_misread.then(|| run.text.clone())
    }

    #[test]
    fn letters_that_are_chinese_are_read_so() {
        let text = "¹Ø ÓÚ ºì ¾ü ×÷ Õ½ µÄ Ô-Ôò 12 ¡-¡- £± end";
        assert_eq!(repaired(text).unwrap(), "关于红军作战的原则 12 ……１ end");
    }

    #[test]
    fn languages_with_accents_stay() {
        for text in [
            "Les élèves ont créé été à la fenêtre, où l'été a été très réussi; là-bas, forêt, âge, île",
            "ÄÖÜ äöü ß Größe Fräulein Übermäßig öffentliche Ärzte Möbelstücke",
            "ÄÅÖ ÅÄÖ åäö",
            "«Año» ¡Olé! ¿Qué? ¡Aquí! £±",
        ] {
            assert_eq!(repaired(text), None, "{text}");
        }
    }
}
