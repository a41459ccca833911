//! Tests that text of documents and slides before Office 2007 which people do not see is left out, with a warning. The files
//! are made by `make_old.py`.

use mitt_reader_kit::{Content, Error};
use reader_office::read;
use std::io::{Cursor, Read, Write};

fn file(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/tests/files/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn content(name: &str) -> Content {
    let content = read(&file(name), name.rsplit('.').next().unwrap()).unwrap();
    assert!(!content.markdown.contains("PLANT"), "{name}: {}", content.markdown);
    content
}

#[test]
fn tracked_deletions_among_many_runs_are_left_out() {
    let content = content("many_runs.doc");
    assert!(content.markdown.contains("SHOWN within 60 days."), "{}", content.markdown);
}

#[test]
fn old_documents_are_read_without_what_nobody_sees() {
    let content = content("unseen.doc");
    for seen in ["4,200", "dark", "marked", "embossed", "style", "cell"] {
        assert!(content.markdown.contains(seen), "{seen}: {}", content.markdown);
    }
    assert_eq!(content.markdown.matches("SHOWN").count(), 5, "{}", content.markdown);
    assert_eq!(content.markdown.matches("Seen").count(), 8, "{}", content.markdown);
    assert!(content.markdown.contains("ACME") && content.markdown.contains("Entry"));
    // Instructions of fields are not counted.
    assert_eq!(
        content.warnings,
        [
            "text that nobody sees was left out in paragraph 2, paragraph 3, paragraph 4, paragraph 5, paragraph 9 and more: \
             113 characters in 10 places (marked as hidden 27, not larger than 1 pt 20, in the colour behind it 66)"
        ]
    );
}

#[test]
fn drawings_of_old_documents_are_grounds() {
    let left_out = |place: &str, letters: usize, pieces: &str| {
        format!(
            "text that nobody sees was left out in {place}: {letters} characters in {pieces} (in the colour behind it \
             {letters})"
        )
    };
    for (name, seen, warnings) in [
        // White text in a dark box is seen, and not on the page, with or without a box that has no fill.
        ("boxes.doc", "SHOWN box", vec![left_out("paragraph 2", 10, "1 place")]),
        ("clear_box.doc", "Seen", vec![left_out("paragraph 2, a text box", 19, "2 places")]),
        // It may lie on a drawing behind the text.
        ("behind.doc", "SHOWN page", vec![]),
        // A drawing of the page header lies behind the header.
        ("header.doc", "SHOWN header", vec![left_out("paragraph 2", 10, "1 place")]),
    ] {
        let content = content(name);
        assert!(content.markdown.contains(seen), "{name}: {}", content.markdown);
        assert_eq!(content.warnings, warnings, "{name}");
    }
}

#[test]
fn old_slides_are_read_without_what_nobody_sees() {
    let content = content("unseen.ppt");
    for seen in ["Seen text", "filled", "over", "background", "cell", "Title seen", "Body seen"] {
        assert!(content.markdown.contains(seen), "{seen}: {}", content.markdown);
    }
    assert_eq!(content.markdown.matches("SHOWN").count(), 4, "{}", content.markdown);
    assert_eq!(
        content.warnings,
        [
            "text that nobody sees was left out in slide 1, slide 2, slide 3: 84 characters in 6 places (not larger than 1 \
             pt 10, in the colour behind it 65, outside of the page 9)",
            "slide 3 is hidden in the presentation",
        ]
    );
}

/// Returns the streams of a document: the text, and its tables.
fn streams(name: &str) -> [Vec<u8>; 2] {
    let mut file = cfb::CompoundFile::open(Cursor::new(file(name))).unwrap();
    ["/WordDocument", "/1Table"].map(|name| {
        let mut content = Vec::new();
        file.open_stream(name).unwrap().read_to_end(&mut content).unwrap();
        content
    })
}

fn document([text, table]: &[Vec<u8>; 2]) -> Result<Content, Error> {
    let mut file = cfb::CompoundFile::create(Cursor::new(Vec::new())).unwrap();
    file.create_stream("/WordDocument").unwrap().write_all(text).unwrap();
    file.create_stream("/1Table").unwrap().write_all(table).unwrap();
    file.flush().unwrap();
    read(&file.into_inner().into_inner(), "doc")
}

/// Place of the place of the pieces in the head of a document.
const PIECES: usize = 0x01A2;

fn number(data: &[u8], at: usize) -> usize {
    u32::from_le_bytes(data[at..at + 4].try_into().unwrap()) as usize
}

/// Replaces the pieces of a document: before them lists of properties, and for each piece its end, its place and what it
/// changes.
fn with_pieces(streams: &mut [Vec<u8>; 2], lists: &[&[u8]], pieces: &[(usize, usize, u16)]) {
    let [text, table] = streams;
    let mut new = Vec::new();
    for list in lists {
        new.push(1);
        new.extend((list.len() as u16).to_le_bytes());
        new.extend(*list);
    }
    new.push(2);
    new.extend((4 + 12 * pieces.len() as u32).to_le_bytes());
    new.extend([0; 4]);
    pieces.iter().for_each(|(end, ..)| new.extend((*end as u32).to_le_bytes()));
    for (_, place, change) in pieces {
        new.extend([0; 2]);
        new.extend((*place as u32).to_le_bytes());
        new.extend(change.to_le_bytes());
    }
    text[PIECES..PIECES + 4].copy_from_slice(&(table.len() as u32).to_le_bytes());
    text[PIECES + 4..PIECES + 8].copy_from_slice(&(new.len() as u32).to_le_bytes());
    table.extend(new);
}

/// Returns the end of the only piece of a document, and its place.
fn piece([text, table]: &[Vec<u8>; 2]) -> (usize, usize) {
    let at = number(text, PIECES);
    assert_eq!((table[at], number(table, at + 1)), (2, 16), "one piece");
    (number(table, at + 9), number(table, at + 15))
}

#[test]
fn pieces_that_change_the_look_of_their_text_are_followed() {
    let (end, place) = piece(&streams("behind.doc"));
    let white: &[u8] = &[0x42, 0x2A, 8];
    let navy: &[u8] = &[0x42, 0x2A, 9];
    let shaded: &[u8] = &[0x42, 0x2A, 9, 0x66, 0x48, 0x20, 0x01];
    for (lists, change, reason) in [
        // One property in the piece itself: hidden.
        (&[][..], 0x01B8, Some("marked as hidden")),
        (&[navy, shaded], 3, Some("in the colour behind it")),
        (&[navy, shaded], 1, None),
        // White letters have a drawing behind them.
        (&[white], 1, None),
        // Nothing, and a list that is not there.
        (&[], 0, None),
        (&[white], 9, None),
    ] {
        let mut changed = streams("behind.doc");
        with_pieces(&mut changed, lists, &[(end, place, change)]);
        let content = document(&changed).unwrap();
        let is_read = content.markdown.contains("Seen") && content.markdown.contains("SHOWN");
        assert_eq!(is_read, reason.is_none(), "{change}: {}", content.markdown);
        let warnings: Vec<_> =
            content.warnings.iter().filter(|it| it.contains("nobody sees")).collect();
        match reason {
            Some(reason) => assert!(warnings[0].contains(reason), "{warnings:?}"),
            None => assert!(warnings.is_empty(), "{warnings:?}"),
        }
    }
}

#[test]
fn documents_whose_pieces_overlap_are_said_not_to_be_looked_at() {
    let mut changed = streams("unseen.doc");
    let (end, place) = piece(&changed);
    let count = changed[0].len() / (2 * end) + 2;
    let pieces: Vec<_> = (1..=count).map(|index| (index * end, place, 0)).collect();
    with_pieces(&mut changed, &[], &pieces);
    let content = document(&changed).unwrap();
    let told = "text that nobody sees was not looked for, because the file has too many parts";
    assert!(content.warnings.iter().any(|it| it == told), "{:?}", content.warnings);
}

#[test]
fn slides_with_too_many_shapes_are_said_not_to_be_looked_at() {
    /// Groups in one another, each a record of a group.
    const DEPTH: usize = 40;
    let mut stream = Vec::new();
    let mut file = cfb::CompoundFile::open(Cursor::new(file("unseen.ppt"))).unwrap();
    file.open_stream("/PowerPoint Document").unwrap().read_to_end(&mut stream).unwrap();
    // A drawing of a slide becomes groups in one another.
    let slide = stream.windows(4).position(|kind| kind == [0x0F, 0, 0xEE, 0x03]).unwrap();
    let drawing = stream[slide..].windows(2).position(|kind| kind == [0x02, 0xF0]);
    let at = slide + drawing.unwrap() + 2;
    let length = number(&stream, at);
    assert!(length > 8 * DEPTH);
    for level in 0..DEPTH {
        let group = [&[0x0F, 0, 3, 0xF0][..], &((length - 8 * (level + 1)) as u32).to_le_bytes()];
        let place = at + 4 + 8 * level;
        stream[place..place + 8].copy_from_slice(&group.concat());
    }
    file.open_stream("/PowerPoint Document").unwrap().write_all(&stream).unwrap();
    file.flush().unwrap();
    let content = read(&file.into_inner().into_inner(), "ppt").unwrap();
    let told = "text that nobody sees was not looked for, because the file has too many parts";
    assert!(content.warnings.iter().any(|it| it == told), "{:?}", content.warnings);
}

#[test]
fn changed_bytes_do_no_harm() {
    for name in ["unseen.doc", "boxes.doc", "unseen.ppt"] {
        let (bytes, extension) = (file(name), name.rsplit('.').next().unwrap());
        let mut state = 7_u32;
        for _ in 0..300 {
            let mut changed = bytes.clone();
            for _ in 0..20 {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let at = 512 + (state >> 8) as usize % (bytes.len() - 512);
                changed[at] = (state >> 3) as u8;
            }
            let _ = read(&changed, extension);
        }
        for cut in (0..bytes.len()).step_by(997) {
            let _ = read(&bytes[..cut], extension);
        }
    }
}
