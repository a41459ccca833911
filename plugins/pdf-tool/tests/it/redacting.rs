use crate::{book, has, open, plain, stream, words};
use pdf_tool::{Error, Pdf, Redaction, SearchedTexts, redact, searched_texts};

fn by_words(words: &[&str]) -> Redaction {
    Redaction { words: words.iter().map(|it| (*it).to_owned()).collect(), ..Redaction::default() }
}

fn one(content: &str) -> Vec<u8> {
    book(&[content], "", "", &[])
}

#[test]
fn glyphs_go_and_the_rest_keeps_its_place() {
    let (bytes, removed) = redact(open(&one(&words("Call Ada now"))), &by_words(&["ada"])).unwrap();
    let content = plain(&bytes);
    assert!(!has(&content, "Ada") && has(&content, "[(Call ) -1779 ( now) ] TJ"));
    assert_eq!((removed.places, removed.pages), (1, vec![1]));
}

#[test]
fn a_word_is_found_over_strings_lines_ligatures_and_hyphens() {
    let cases = [
        "BT /F1 12 Tf 10 50 Td [(Se) -20 (cr) 30 (et)] TJ ET",
        "BT /F1 12 Tf 10 50 Td (Sec) Tj 100 0 Td (ret) Tj ET BT /F1 12 Tf 10 30 Td (secret) Tj ET",
        "BT /F1 12 Tf 14 TL 10 50 Td (Sec-) Tj (ret) ' ET",
        "BT /F1 12 Tf 10 50 Td (S) Tj ET BT /F1 12 Tf 18 50 Td (ecret) Tj ET",
        // The second half comes first in the content.
        "BT /F1 12 Tf 30.67 50 Td (ret) Tj ET BT /F1 12 Tf 10 50 Td (Sec) Tj ET",
    ];
    for content in cases {
        let (bytes, _) = redact(open(&one(content)), &by_words(&["secret"])).unwrap();
        let content_after = plain(&bytes);
        assert!(!has(&content_after, "cret") && !has(&content_after, "(ret)"), "{content}");
    }
}

#[test]
fn patterns_are_found_and_bad_ones_are_refused() {
    let redaction = Redaction { patterns: vec![r"\d{3}-\d{4}".to_owned()], ..Redaction::default() };
    let (bytes, _) = redact(open(&one(&words("Tel 555-1234 x"))), &redaction).unwrap();
    assert!(!has(&plain(&bytes), "1234"));
    for pattern in ["(", "x*", ""] {
        let redaction = Redaction { patterns: vec![pattern.to_owned()], ..Redaction::default() };
        assert!(matches!(redact(open(&one("")), &redaction), Err(Error::Invalid(_))), "{pattern}");
    }
}

#[test]
fn nothing_found_and_nothing_wanted_are_errors() {
    assert!(matches!(
        redact(open(&one(&words("x"))), &by_words(&["secret"])),
        Err(Error::NotFound(_))
    ));
    assert!(matches!(
        redact(open(&one(&words("x"))), &Redaction::default()),
        Err(Error::Invalid(_))
    ));
}

#[test]
fn text_in_a_form_goes_where_it_is_hit_and_the_old_form_too() {
    let form = stream(
        "/Type /XObject /Subtype /Form /BBox [0 0 200 100] /Resources <</Font <</F1 3 0 R>>>>",
        "BT /F1 12 Tf 0 0 Td (keep secret) Tj ET",
    );
    let more = ["<</Font <</F1 3 0 R>> /XObject <</Fm 7 0 R>>>>".to_owned(), form];
    let bytes = book(&["q 1 0 0 1 10 50 cm /Fm Do Q"], "", "/Resources 6 0 R", &more);
    let (bytes, _) = redact(open(&bytes), &by_words(&["secret"])).unwrap();
    assert!(!has(&plain(&bytes), "secret") && has(&plain(&bytes), "(keep )"));
}

#[test]
fn everything_outside_of_pages_is_searched() {
    let more = [
        "<</Type /Outlines /First 7 0 R /Last 7 0 R>>".to_owned(),
        "<</Title (About Secret) /Parent 6 0 R>>".to_owned(),
        "<</Type /Annot /Subtype /Text /Rect [0 0 9 9] /Contents (a secret)>>".to_owned(),
        "<</T (f) /FT /Tx /V (secret) /Subtype /Widget /Rect [10 10 90 24]>>".to_owned(),
        "<</Fields [9 0 R]>>".to_owned(),
        stream("/Type /Metadata /Subtype /XML", "<?xpacket?><x>secret</x>"),
        "<</F (secret.txt) /EF <</F 13 0 R>>>>".to_owned(),
        stream("", "secret"),
        "<</Type /StructTreeRoot /K <</S /P /ActualText (sec)>>>>".to_owned(),
    ];
    let catalog = "/Outlines 6 0 R /AcroForm 10 0 R /Metadata 11 0 R /StructTreeRoot 14 0 R \
        /Names <</EmbeddedFiles <</Names [(secret.txt) 12 0 R]>>>>";
    let bytes = book(&[&words("plain")], catalog, "/Annots [8 0 R 9 0 R]", &more);
    let (bytes, removed) = redact(open(&bytes), &by_words(&["secret"])).unwrap();
    let content = plain(&bytes);
    for left in ["secret", "Secret", "(sec)"] {
        assert!(!has(&content, left), "{left}");
    }
    assert!(has(&content, "(plain)"));
    assert!(removed.other.iter().any(|it| it.contains("form fields")), "{:?}", removed.other);
    assert!(open(&bytes).attachments().is_empty());
}

#[test]
fn hidden_parts_alone_are_enough_only_if_the_caller_says_so() {
    let more = [
        stream("/Type /Metadata /Subtype /XML", "<?xpacket?><x>secret</x>"),
        stream("/Type /EmbeddedFile", "secret"),
        "<</Type /Filespec /F (data.xml) /EF <</F 7 0 R>>>>".to_owned(),
    ];
    let names = "/Metadata 6 0 R /Names <</EmbeddedFiles <</Names [(data.xml) 8 0 R]>>>>";
    let bytes = book(&[&words("public")], names, "", &more);
    let found = redact(open(&bytes), &by_words(&["secret"]));
    assert!(matches!(found, Err(Error::NotFound(_))));
    let redaction = Redaction { without_hits: true, ..by_words(&["secret"]) };
    let (bytes, removed) = redact(open(&bytes), &redaction).unwrap();
    assert!(!has(&plain(&bytes), "secret") && open(&bytes).attachments().is_empty());
    assert!(removed.other.iter().any(|it| it.starts_with("Attachments")), "{:?}", removed.other);
    // Nothing at all is still an error.
    assert!(matches!(redact(open(&bytes), &redaction), Err(Error::NotFound(_))));
}

#[test]
fn an_area_takes_text_paths_and_pixels() {
    // A picture of 4 × 2 gray pixels over the lower half of the page, and a path in its left part.
    let content = "q 200 0 0 50 0 0 cm /Im Do Q 10 10 20 20 re f 150 60 20 20 re f BT /F1 12 Tf 10 20 Td (gone) Tj 0 50 Td (stays) Tj ET";
    let picture = stream(
        "/Type /XObject /Subtype /Image /Width 4 /Height 2 /BitsPerComponent 8 /ColorSpace /DeviceGray",
        "ABCDEFGH",
    );
    let more = ["<</Font <</F1 3 0 R>> /XObject <</Im 7 0 R>>>>".to_owned(), picture];
    let bytes = book(&[content], "", "/Resources 6 0 R", &more);
    let redaction = Redaction { areas: vec![(1, [0.0, 0.0, 100.0, 55.0])], ..Redaction::default() };
    let (bytes, _) = redact(open(&bytes), &redaction).unwrap();
    let content = plain(&bytes);
    assert!(!has(&content, "gone") && has(&content, "(stays)"));
    assert!(!has(&content, "10 10 20 20 re") && has(&content, "150 60 20 20 re"));
    assert!(has(&content, "\0\0CD\0\0GH") && !has(&content, "ABCD"));
    assert!(has(&content, "0 0 100 55 re f"), "the place is black");
}

#[test]
fn a_picture_that_cannot_be_blanked_goes_as_a_whole_with_a_warning() {
    let picture = stream(
        "/Type /XObject /Subtype /Image /Width 4 /Height 2 /BitsPerComponent 8 /ColorSpace /DeviceGray /Filter /JPXDecode",
        "ABCDEFGH",
    );
    let more = ["<</XObject <</Im 7 0 R>>>>".to_owned(), picture];
    let bytes = book(&["q 200 0 0 50 0 0 cm /Im Do Q"], "", "/Resources 6 0 R", &more);
    let redaction = Redaction { areas: vec![(1, [0.0, 0.0, 100.0, 55.0])], ..Redaction::default() };
    let (bytes, removed) = redact(open(&bytes), &redaction).unwrap();
    assert!(!has(&bytes, "ABCDEFGH"));
    assert!(removed.warnings.iter().any(|it| it.contains("removed as a whole")));
}

#[test]
fn text_over_a_scan_takes_the_pixels_under_it() {
    let content = "q 200 0 0 100 0 0 cm /Im Do Q BT 3 Tr /F1 12 Tf 10 50 Td (secret) Tj ET";
    let picture = stream(
        "/Type /XObject /Subtype /Image /Width 8 /Height 1 /BitsPerComponent 8 /ColorSpace /DeviceGray",
        "STUVWXYZ",
    );
    let more = ["<</Font <</F1 3 0 R>> /XObject <</Im 7 0 R>>>>".to_owned(), picture];
    let bytes = book(&[content], "", "/Resources 6 0 R", &more);
    let (bytes, _) = redact(open(&bytes), &by_words(&["secret"])).unwrap();
    assert!(has(&plain(&bytes), "\0\0UVWXYZ") && !has(&plain(&bytes), "STUV"));
}

#[test]
fn whole_pages_are_emptied_and_others_stay() {
    let bytes = book(&[&words("first"), &words("second")], "", "", &[]);
    let redaction = Redaction { pages: Some("1".to_owned()), ..Redaction::default() };
    let (bytes, removed) = redact(open(&bytes), &redaction).unwrap();
    assert!(!has(&plain(&bytes), "(first)") && has(&plain(&bytes), "(second)"));
    assert_eq!(removed.pages, [1]);
    assert_eq!(open(&bytes).page_count(), 2);
}

#[test]
fn earlier_revisions_are_not_kept() {
    let mut bytes = one(&words("secret"));
    let at = bytes.windows(10).rposition(|it| it == b"startxref\n").unwrap();
    let start = String::from_utf8_lossy(&bytes[at + 10..]).lines().next().unwrap().to_owned();
    let place = bytes.len();
    let new = stream("", &words("other word"));
    bytes.extend(format!("5 0 obj\n{new}\nendobj\n").bytes());
    let table = bytes.len();
    bytes.extend(format!("xref\n5 1\n{place:010} 00000 n \ntrailer\n<</Root 1 0 R /Size 6 /Prev {start}>>\nstartxref\n{table}\n%%EOF\n").bytes());
    assert!(has(&bytes, "secret"));
    let (bytes, _) = redact(open(&bytes), &by_words(&["other"])).unwrap();
    assert!(!has(&plain(&bytes), "secret") && has(&plain(&bytes), "( word)"));
}

#[test]
fn a_form_in_itself_ends_and_its_old_content_goes() {
    let form = stream(
        "/Type /XObject /Subtype /Form /BBox [0 0 200 100] /Resources <</Font <</F1 3 0 R>> /XObject <</Fm 7 0 R>>>>",
        "BT /F1 12 Tf 0 0 Td (secret) Tj ET /Fm Do",
    );
    let more = ["<</XObject <</Fm 7 0 R>>>>".to_owned(), form];
    let bytes = book(&["/Fm Do"], "", "/Resources 6 0 R", &more);
    let (bytes, _) = redact(open(&bytes), &by_words(&["secret"])).unwrap();
    assert!(!has(&plain(&bytes), "secret"));
}

#[test]
fn forms_nested_deeper_than_20_levels_are_refused() {
    let mut more = vec!["<</XObject <</Fm 7 0 R>>>>".to_owned()];
    for at in 0..25 {
        let dict = format!(
            "/Subtype /Form /BBox [0 0 9 9] /Resources <</XObject <</Fm {} 0 R>>>>",
            at + 8
        );
        more.push(stream(&dict, "/Fm Do"));
    }
    more.push(stream("/Subtype /Form /BBox [0 0 9 9]", "BT ET"));
    let bytes = book(&["/Fm Do"], "", "/Resources 6 0 R", &more);
    assert!(
        matches!(redact(open(&bytes), &by_words(&["secret"])), Err(Error::Malformed(text)) if text.contains("20 levels"))
    );
}

#[test]
fn text_that_stands_for_marked_content_goes() {
    let content = "/Span <</ActualText (secret)>> BDC BT /F1 12 Tf 10 50 Td (secret) Tj ET EMC";
    let (bytes, _) = redact(open(&one(content)), &by_words(&["secret"])).unwrap();
    assert!(!has(&plain(&bytes), "secret"));
}

#[test]
fn a_signed_document_is_refused_and_the_way_out_named() {
    let more = [
        "<</Fields [7 0 R]>>".to_owned(),
        "<</T (s) /FT /Sig /V <</Type /Sig /Contents <00>>> /Subtype /Widget /Rect [0 0 9 9]>>"
            .to_owned(),
    ];
    let bytes = book(&[&words("secret")], "/AcroForm 6 0 R", "/Annots [7 0 R]", &more);
    let refused = redact(open(&bytes), &by_words(&["secret"]));
    assert!(matches!(refused, Err(Error::Unsupported(text)) if text.contains("break_signatures")));
    let redaction = Redaction { breaks_signatures: true, ..by_words(&["secret"]) };
    assert!(redact(open(&bytes), &redaction).is_ok());
}

#[test]
fn a_font_that_cannot_be_read_is_no_proof() {
    let more = ["<</Font <</F1 3 0 R /F2 7 0 R>>>>".to_owned(),
        "<</Type /Font /Subtype /Type0 /BaseFont /Odd /Encoding /Identity-H /DescendantFonts [8 0 R]>>".to_owned(),
        "<</Type /Font /Subtype /CIDFontType2 /BaseFont /Odd /CIDSystemInfo <</Registry (Adobe) /Ordering (Identity) /Supplement 0>>>>".to_owned()];
    let content = "BT /F1 12 Tf 10 50 Td (secret) Tj /F2 12 Tf 60 0 Td <00410042> Tj ET";
    let bytes = book(&[content], "", "/Resources 6 0 R", &more);
    match redact(open(&bytes), &by_words(&["secret"])) {
        Err(Error::Unsupported(text)) => {
            assert!(text.contains("`Odd` (page 1)") && text.contains("accept_unread"), "{text}")
        }
        other => panic!("{other:?}"),
    }
    let accepted = Redaction { accepts_unread: true, ..by_words(&["secret"]) };
    let (new, removed) = redact(open(&bytes), &accepted).unwrap();
    assert!(!has(&plain(&new), "secret"));
    assert!(removed.warnings.iter().any(|it| it.contains("`Odd`")), "{:?}", removed.warnings);
    // What is removed with its place need not be read.
    let by_area =
        Redaction { areas: vec![(1, [60.0, 40.0, 200.0, 70.0])], ..by_words(&["secret"]) };
    assert!(redact(open(&bytes), &by_area).is_ok());
}

#[test]
fn glyphs_that_show_text_of_their_own_are_not_silent() {
    let font = |program: &str| {
        [
            "<</Font <</F1 3 0 R /T3 7 0 R>>>>".to_owned(),
            "<</Type /Font /Subtype /Type3 /Name /Seal /FontBBox [0 0 1 1] /FontMatrix [1 0 0 1 0 0] /FirstChar 65 /LastChar 65 \
                /Widths [1] /Encoding <</Differences [65 /A]>> /CharProcs <</A 8 0 R>> /Resources <</Font <</F1 3 0 R>>>>>>".to_owned(),
            stream("", program),
        ]
    };
    let content = "BT /F1 12 Tf 10 50 Td (secret) Tj /T3 12 Tf 60 0 Td (A) Tj ET";
    let shows = "1 0 d0 BT /F1 1 Tf (secret) Tj ET";
    let bytes = book(&[content], "", "/Resources 6 0 R", &font(shows));
    assert!(
        matches!(redact(open(&bytes), &by_words(&["secret"])), Err(Error::Unsupported(text)) if text.contains("`Seal` (page 1)"))
    );
    let bytes = book(&[content], "", "/Resources 6 0 R", &font("1 0 d0 0 0 1 1 re f"));
    assert!(redact(open(&bytes), &by_words(&["secret"])).is_ok());
}

#[test]
fn names_of_old_destinations_are_searched() {
    let more = [
        "<</Secret_Plan [4 0 R /Fit] /Other [4 0 R /Fit]>>".to_owned(),
        "<</Type /Annot /Subtype /Link /Rect [0 0 9 9] /Dest /Secret_Plan>>".to_owned(),
    ];
    let bytes = book(&[&words("a secret")], "/Dests 6 0 R", "/Annots [7 0 R]", &more);
    let (new, _) = redact(open(&bytes), &by_words(&["secret"])).unwrap();
    let content = plain(&new);
    assert!(!has(&content, "Secret") && has(&content, "/Other"));
    assert_eq!(open(&new).annotation_infos()[0].target.as_deref(), Some("page 1"));
}

#[test]
fn blanks_inside_of_a_word_hide_nothing() {
    let cases = [
        // Blank glyphs between letters that touch.
        "BT /F1 12 Tf 10 50 Td [(Mit ) 278 (arbei ) 278 (terinnen)] TJ ET",
        // Blanks that are seen.
        "BT /F1 12 Tf 10 50 Td (Mit arbei terinnen) Tj ET",
        // Letters that are set apart, by shifts and by strings.
        "BT /F1 12 Tf 10 50 Td [(M) -400 (i) -400 (t) -400 (a) -400 (r) -400 (b) -400 (e) -400 (i) -400 (t) -400 (e) -400 (r)] TJ ET",
    ];
    for content in cases {
        let (bytes, removed) = redact(open(&one(content)), &by_words(&["Mitarbeiter"])).unwrap();
        let after = plain(&bytes);
        assert!(!has(&after, "arbei") && !has(&after, "(M)") && !has(&after, "(Mit"), "{content}");
        assert_eq!(removed.places, 1, "{content}");
    }
    let (bytes, removed) = redact(open(&one(cases[1])), &by_words(&["Mitarbeiter"])).unwrap();
    assert!(has(&plain(&bytes), "(innen)"));
    let named = removed.warnings.iter().any(|it| it.contains("`Mit arbei ter` on page 1"));
    assert!(named, "{:?}", removed.warnings);
    // Where nothing is seen between the letters, there is nothing to check.
    let (_, removed) = redact(open(&one(cases[0])), &by_words(&["Mitarbeiter"])).unwrap();
    assert!(removed.warnings.is_empty(), "{:?}", removed.warnings);
}

#[test]
fn short_words_do_not_join_others() {
    let page = words("all in one");
    let found = redact(open(&one(&page)), &by_words(&["Li"]));
    assert!(matches!(found, Err(Error::NotFound(_))), "{found:?}");
    let (bytes, _) = redact(open(&one(&words("Mr L i here"))), &by_words(&["Li"])).unwrap();
    assert!(has(&plain(&bytes), "(Mr )") && !has(&plain(&bytes), "L i"));
    let (bytes, _) = redact(open(&one(&words("all in Li"))), &by_words(&["Li"])).unwrap();
    assert!(has(&plain(&bytes), "(all in )"));
}

#[test]
fn titles_with_blanks_inside_of_words_are_blackened() {
    let more = [
        "<</Type /Outlines /First 7 0 R /Last 7 0 R>>".to_owned(),
        "<</Title (The S e c r e t plan) /Parent 6 0 R>>".to_owned(),
    ];
    let bytes = book(&[&words("secret")], "/Outlines 6 0 R", "", &more);
    let (bytes, _) = redact(open(&bytes), &by_words(&["secret"])).unwrap();
    assert!(!has(&plain(&bytes), "S e c"));
    assert_eq!(open(&bytes).page_count(), 1);
}

#[test]
fn fonts_of_type_3_have_a_space_of_their_own() {
    let glyph = || stream("", "1 0 d0 0 0 1 1 re f");
    // Glyphs are one unit wide, and a unit is half of the size. In thousandths, there would be a blank between all letters.
    let font = |matrix: &str, width: &str| {
        let mut more = vec![
            "<</Font <</T3 7 0 R>>>>".to_owned(),
            format!(
                "<</Type /Font /Subtype /Type3 /FontBBox [0 0 0 0] /FontMatrix [{matrix}] /FirstChar 97 /LastChar 101 \
                    /Widths [{}] /Encoding <</Differences [97 /a /b /c /d /e]>> /CharProcs <</a 8 0 R /b 8 0 R /c 8 0 R \
                    /d 8 0 R /e 8 0 R>>>>",
                [width; 5].join(" ")
            ),
        ];
        more.push(glyph());
        more
    };
    for (matrix, width) in
        [("0.5 0 0 0.5 0 0", "1"), ("0.01 0 0 -0.01 0 0", "50"), ("0.001 0 0 0.001 0 0", "500")]
    {
        // Each letter has its own place.
        let content = "BT /T3 12 Tf 10 50 Td (a) Tj 6 0 Td (d) Tj 6 0 Td (d) Tj 9 0 Td (b) Tj ET";
        let bytes = book(&[content], "", "/Resources 6 0 R", &font(matrix, width));
        let redaction = Redaction { patterns: vec!["add b".to_owned()], ..Redaction::default() };
        let (new, removed) = redact(open(&bytes), &redaction).unwrap();
        assert!(!has(&plain(&new), "(a)") && !has(&plain(&new), "(d)"), "{matrix}");
        assert_eq!(
            (removed.places, removed.warnings.len()),
            (1, 0),
            "{matrix}: {:?}",
            removed.warnings
        );
    }
}

#[test]
fn what_was_removed_is_said_in_good_words() {
    let (_, removed) = redact(open(&one(&words("Call Ada now"))), &by_words(&["ada"])).unwrap();
    assert_eq!(removed.summary(), "Removed 1 place in text on page 1.");
    let bytes = book(&[&words("Ada Ada"), &words("Ada")], "", "", &[]);
    let (_, removed) = redact(open(&bytes), &by_words(&["ada"])).unwrap();
    assert_eq!(removed.summary(), "Removed 3 places in text on pages 1, 2.");
    assert_eq!(removed.hits(), 3);
    let redaction = Redaction {
        pages: Some("1".to_owned()),
        areas: vec![(2, [0.0, 0.0, 9.0, 9.0])],
        ..Redaction::default()
    };
    let (_, removed) = redact(open(&bytes), &redaction).unwrap();
    assert_eq!(removed.summary(), "Removed 1 whole page, 1 area on pages 1, 2.");
    // No word was looked for.
    assert_eq!((removed.hits(), removed.done().len()), (0, 1));
}

#[test]
fn names_and_comments_with_hits_go() {
    let content = "% a Zebra comment\nq /Zebra MP 1 0 0 % Zebra\n rg /Zebra_Tag <</Zebra_Key 1 /Kept 2>> BDC EMC /OC /ZebraLayer BDC\n\
        /Spot cs 1 scn BT /F1 12 Tf 10 50 Td (A Zebra, 50% of all) Tj ET EMC Q % the last Zebra";
    let more = [
        "<</Font <</F1 3 0 R>> /ColorSpace <</Spot [/Separation /Zebra#20Red /DeviceGray 8 0 R] /Many [/DeviceN [/ZebraInk /Black] \
            /DeviceGray 8 0 R <</Colorants <</ZebraInk 7 0 R>>>>]>> /Properties <</ZebraLayer 9 0 R>>>>"
            .to_owned(),
        "[/Separation /ZebraInk /DeviceGray 8 0 R]".to_owned(),
        "<</FunctionType 2 /Domain [0 1] /N 1>>".to_owned(),
        "<</Type /OCG /Name (Layer)>>".to_owned(),
    ];
    let bytes = book(&[content], "", "/Resources 6 0 R", &more);
    let (new, removed) = redact(open(&bytes), &by_words(&["zebra"])).unwrap();
    let after = plain(&new);
    assert!(!has(&after, "Zebra"), "{}", String::from_utf8_lossy(&after));
    for kept in ["50% of all", "/Black", "/Kept 2", "/OC /removed", "/DeviceN"] {
        assert!(has(&after, kept), "{kept}: {}", String::from_utf8_lossy(&after));
    }
    let said = removed.other.iter().any(|it| it.contains("names of colours, marks and tags"));
    assert!(said, "{:?}", removed.other);
    // A comment alone is a hit, too, also where nothing else of a page is changed.
    let bytes = book(&["% Zebra\n0 g", &words("Zebra")], "", "", &[]);
    let (new, removed) = redact(open(&bytes), &by_words(&["zebra"])).unwrap();
    assert!(!has(&plain(&new), "Zebra") && removed.pages == [2]);
}

#[test]
fn names_of_the_format_stay() {
    let content = "/Span BMC BT /F1 12 Tf 10 50 Td (A span) Tj ET EMC";
    let (new, _) = redact(open(&one(content)), &by_words(&["span"])).unwrap();
    assert!(has(&plain(&new), "/Span BMC") && !has(&plain(&new), "span"));
}

#[test]
fn everything_that_is_searched_is_listed() {
    let hidden = "BT 3 Tr /F1 12 Tf 10 20 Td (invisible 4111) Tj 0 Tr ET";
    let turned = "BT /F1 12 Tf 0 1 -1 0 150 10 Tm (up and down) Tj ET";
    let content =
        format!("{} {hidden} {turned} /Private <</Note (in a mark)>> BDC EMC", words("Call Ada"));
    let more = ["<</Title (A bookmark of Ada)>>".to_owned()];
    let note = "/Annots [<</Type /Annot /Subtype /Text /Rect [0 0 9 9] /Contents (a comment)>>]";
    let bytes = book(&[&content, &words("second page")], "/Extra 8 0 R", note, &more);
    let listed = searched_texts(open(&bytes)).unwrap();
    let all = listed.texts.join("\n");
    for text in [
        "Call Ada",
        "invisible 4111",
        "up and down",
        "in a mark",
        "A bookmark of Ada",
        "a comment",
        "second page",
    ] {
        assert!(all.contains(text), "{text}: {all}");
    }
    // What is listed is what is found.
    let (made, _) = redact(open(&bytes), &by_words(&["invisible 4111", "up and down"])).unwrap();
    let left = searched_texts(open(&made)).unwrap().texts.join("\n");
    assert!(
        !left.contains("4111") && !left.contains("and down") && left.contains("Call Ada"),
        "{left}"
    );
}

#[test]
fn a_document_that_must_not_be_copied_lists_nothing() {
    let mut pdf = open(&one(&words("Call Ada")));
    let permissions = pdf_tool::Permissions { copy: false, ..Default::default() };
    let (bytes, _) = pdf_tool::encrypt(&mut pdf, "user", "owner", permissions).unwrap();
    let as_user =
        |password: &str| searched_texts(Pdf::open(bytes.clone(), Some(password)).unwrap());
    assert!(matches!(as_user("user"), Err(Error::Unsupported(_))));
    assert!(as_user("owner").unwrap().texts.contains(&"Call Ada".to_owned()));
}

#[test]
fn texts_come_in_windows() {
    let texts: Vec<String> = (0..3).map(|it| it.to_string().repeat(3 << 20)).collect();
    let listed = SearchedTexts { texts, ..SearchedTexts::default() };
    for (start, count, next) in [(0, 1, Some(1)), (1, 1, Some(2)), (2, 1, None), (3, 0, None)] {
        let (texts, then) = listed.window(start);
        assert_eq!((texts.len(), then), (count, next), "{start}");
    }
    let small = SearchedTexts { texts: vec!["ab".to_owned(); 5], ..SearchedTexts::default() };
    assert_eq!((small.window(1).0.len(), small.window(1).1), (4, None));
}

#[test]
fn a_name_that_stands_for_several_fonts_is_read_on_each_page() {
    let font = |first: &str, second: &str| {
        format!(
            "<</Type /Font /Subtype /Type1 /BaseFont /Own /FirstChar 65 /LastChar 66 /Widths [500 500] \
             /Encoding <</Type /Encoding /Differences [65 /{first} /{second}]>>>>"
        )
    };
    let show = "BT /F1 12 Tf 10 50 Td (AB) Tj ET";
    let bytes = book(&[show, show, show], "", "", &[font("x", "y"), font("y", "x")]);
    // The first and the last page have one font, the second one has another one.
    let bytes = String::from_utf8(bytes).unwrap();
    let mut pages = bytes.split("/F1 3 0 R");
    let mut new = pages.next().unwrap().to_owned();
    for (number, rest) in [10, 11, 10].into_iter().zip(pages) {
        new.push_str(&format!("/F1 {number} 0 R"));
        new.push_str(rest);
    }
    let (_, removed) = redact(open(new.as_bytes()), &by_words(&["yx"])).unwrap();
    assert_eq!(removed.pages, [2]);
    let (_, removed) = redact(open(new.as_bytes()), &by_words(&["xy"])).unwrap();
    assert_eq!(removed.pages, [1, 3]);
}

#[test]
fn a_form_without_fonts_of_its_own_takes_those_of_each_page() {
    let font = |glyph: &str| {
        format!(
            "<</Type /Font /Subtype /Type1 /BaseFont /Own /FirstChar 65 /LastChar 65 /Widths [500] \
             /Encoding <</Type /Encoding /Differences [65 /{glyph}]>>>>"
        )
    };
    let more = [
        "<</Font <</F1 11 0 R>> /XObject <</Fm 10 0 R>>>>".to_owned(),
        "<</Font <</F1 12 0 R>> /XObject <</Fm 10 0 R>>>>".to_owned(),
        stream(
            "/Type /XObject /Subtype /Form /BBox [0 0 200 100]",
            "BT /F1 12 Tf 10 50 Td (A) Tj ET",
        ),
        font("m"),
        font("n"),
    ];
    let bytes = String::from_utf8(book(&["/Fm Do", "/Fm Do"], "", "", &more)).unwrap();
    let own = "/Resources <</Font <</F1 3 0 R>>>>";
    let bytes = bytes.replacen(own, "/Resources 8 0 R", 1).replacen(own, "/Resources 9 0 R", 1);
    for (word, page) in [("m", 1), ("n", 2)] {
        let (_, removed) = redact(open(bytes.as_bytes()), &by_words(&[word])).unwrap();
        assert_eq!(removed.pages, [page], "{word}");
    }
}

#[test]
fn the_new_content_of_a_page_leaves_no_state_behind() {
    let content = "Q q 2 0 0 2 0 0 cm q BT /F1 12 Tf 10 20 Td (secret) Tj ET 0 g";
    let (bytes, removed) = redact(open(&one(content)), &by_words(&["secret"])).unwrap();
    assert_eq!(removed.places, 1);
    let content = plain(&bytes);
    let start = content.windows(9).position(|it| it == b"q\nq\nQ q 2").unwrap();
    let lines: Vec<&[u8]> = content[start..].split(|it| *it == b'\n').collect();
    let count = |word: &[u8]| lines.iter().filter(|it| **it == word).count();
    // Two for what the page restores and one for the cover; two of the page, one around it, one for the cover.
    assert_eq!((count(b"q"), count(b"Q")), (3, 4));
    assert!(has(&content, "0 g\n20 "), "the cover is scaled as the text is");
}

#[test]
fn a_field_on_two_pages_is_emptied_once_and_annotations_are_counted_together() {
    let note =
        |rect: &str| format!("<</Type /Annot /Subtype /Text /Contents (secret) /Rect [{rect}]>>");
    let more = [
        "<</Fields [11 0 R]>>".to_owned(),
        note("0 0 9 9"),
        note("9 9 18 18"),
        "<</FT /Tx /T (f) /V (secret) /Kids [12 0 R 13 0 R]>>".to_owned(),
        "<</Subtype /Widget /Parent 11 0 R /Rect [20 20 80 40]>>".to_owned(),
        "<</Subtype /Widget /Parent 11 0 R /Rect [20 50 80 70]>>".to_owned(),
    ];
    let bytes = book(&[&words("a"), &words("b")], "/AcroForm 8 0 R", "/Annots X", &more);
    let bytes = String::from_utf8(bytes).unwrap();
    let bytes = bytes.replacen("/Annots X", "/Annots [9 0 R 12 0 R]", 1);
    let bytes = bytes.replacen("/Annots X", "/Annots [10 0 R 13 0 R]", 1);
    let (new, removed) = redact(open(bytes.as_bytes()), &by_words(&["secret"])).unwrap();
    assert!(!has(&plain(&new), "secret"));
    assert_eq!(
        removed.other[..2],
        [
            "Hits in annotations and links, which are removed: 2.",
            "Hits in form fields, which are emptied: 1.",
        ]
    );
    let numbers =
        removed.other.iter().filter_map(|it| it.strip_prefix("Hits in ")?.rsplit_once(": "));
    let numbers = numbers.map(|it| it.1.trim_end_matches('.').parse::<usize>().unwrap());
    assert_eq!((removed.hits(), removed.places), (removed.places + numbers.sum::<usize>(), 0));
}
