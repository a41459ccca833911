//! Tests that hidden text is left out with a warning, and that text which is printed twice appears once.

mod support;

use support::{One, line, stream};

const VISIBLE: &str = "BT /F 11 Tf 72 700 Td (The total is 900 USD.) Tj ET\n";

/// Reads a page with visible text and these operators. Returns its text and its warnings.
fn read(content: &str) -> (String, String) {
    let content = format!("{VISIBLE}{content}");
    let state = "/ExtGState<</Gone<</ca 0/CA 0>>/Half<</ca 0.5>>/Mul<</BM/Multiply>>>>";
    let picture = "/XObject<</Im 6 0 R/Fm 7 0 R/Box 8 0 R>>";
    let resources = format!("{state}{picture}");
    let form = "/Type/XObject/Subtype/Form/BBox[0 0 595 842]/Resources<</Font<</G 4 0 R>>>>";
    let more = [
        stream(
            "/Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8",
            "x",
        ),
        stream(
            form,
            "BT /G 11 Tf 3 Tr 72 500 Td (planted in a form) Tj 0 Tr 0 -20 Td (shown in a form) Tj ET",
        ),
        stream(&format!("{form}/Group<</S/Transparency>>"), "1 1 0 rg 60 590 300 30 re f"),
    ];
    let content =
        One { content: &content, resources: &resources, more: &more, ..One::default() }.read();
    (content.markdown, content.warnings.join("\n"))
}

#[test]
fn what_is_not_seen_is_left_out_and_told() {
    let planted = line(72, 600, "planted words");
    for (content, why) in [
        (format!("3 Tr {planted} 0 Tr"), "not painted 12"),
        (format!("7 Tr {planted} 0 Tr"), "not painted 12"),
        (format!("1 g {planted} 0 g"), "in the colour behind it 12"),
        (format!("0.98 0.97 1 rg {planted} 0 g"), "in the colour behind it 12"),
        (format!("0 0 0 0 k {planted} 0 g"), "in the colour behind it 12"),
        (
            format!("q 0 0.2 0.4 rg 60 590 300 30 re f 0 0.2 0.42 rg {planted} Q"),
            "in the colour behind it 12",
        ),
        (format!("q 1 Tr 1 G {planted} Q"), "in the colour behind it 12"),
        ("BT /F 0.4 Tf 72 600 Td (planted words) Tj ET".to_owned(), "smaller than 1 pt 12"),
        (
            "BT /F 11 Tf 0.05 0 0 0.05 72 600 Tm (planted words) Tj ET".to_owned(),
            "smaller than 1 pt 12",
        ),
        (format!("q 0.05 0 0 0.05 0 0 cm {planted} Q"), "smaller than 1 pt 12"),
        (format!("q 5 Tz {planted} Q"), "smaller than 1 pt 12"),
        (format!("{planted} 0.9 g 60 590 300 30 re f 0 g"), "covered by what is painted later 12"),
        (
            format!("{planted} 0 g 60 590 m 360 590 l 360 620 l 60 620 l h f"),
            "covered by what is painted later 12",
        ),
        (
            format!("{planted} 0.9 g 60 590 40 30 re 100 590 40 30 re 140 590 60 30 re f 0 g"),
            "covered by what is painted later 12",
        ),
        (
            format!("{planted} q 300 0 0 30 60 590 cm /Im Do Q"),
            "covered by what is painted later 12",
        ),
        (format!("q /Gone gs {planted} Q"), "transparent 12"),
        (format!("q 0 0 50 50 re W n {planted} Q"), "outside of the page or cut off 12"),
        (line(900, 600, "planted words"), "outside of the page or cut off 12"),
        (line(72, -60, "planted words"), "outside of the page or cut off 12"),
    ] {
        let (markdown, warnings) = read(&content);
        assert_eq!(markdown, "The total is 900 USD.\n", "{content}");
        let told = format!(
            "text that nobody sees was left out on page 1: 12 characters in 1 place ({why})"
        );
        assert_eq!(warnings, told, "{content}");
    }
}

#[test]
fn what_is_seen_stays() {
    let shown = line(72, 600, "shown words");
    for content in [
        format!("q 0 g 60 590 300 30 re f 1 g {shown} Q"),
        format!("q 0 0 0 1 k 60 590 300 30 re f 0 0 0 0 k {shown} Q"),
        // Visibility is not known over pictures, patterns, and shapes other than rectangles.
        format!("q 300 0 0 30 60 590 cm /Im Do Q q 1 g {shown} Q"),
        format!("q 0.2 g 60 590 m 300 560 360 590 200 700 c f 1 g {shown} Q"),
        format!("q 0.9 g {shown} Q"),
        format!("q 1 1 0 rg {shown} Q"),
        // The paint comes before the text, is half transparent or blended, lies beside it, covers a part of it, or
        // leaves a corner free.
        format!("0.9 g 60 590 300 30 re f 0 g {shown}"),
        format!("{shown} q /Half gs 0.9 g 60 590 300 30 re f Q"),
        format!("{shown} q /Mul gs 1 1 0 rg 60 590 300 30 re f Q"),
        format!("{shown} 0.9 g 60 630 300 30 re f 0 g"),
        format!("{shown} 0.9 g 60 590 40 30 re f 0 g"),
        format!("{shown} q 0 0 50 50 re W n 60 590 300 30 re f Q"),
        format!("{shown} 60 590 300 30 re S"),
        format!("q 7 Tr {shown} 0 0 1 rg 60 590 300 30 re f Q"),
        format!("q 5 Tr {shown} 0 0 1 rg 60 590 300 30 re f Q"),
        format!("{shown} q /Mul gs /Box Do Q"),
        format!("q 2 Tr 1 g 0 G {shown} Q"),
        "q BT /F 1 Tf 11 0 0 11 72 600 Tm (shown words) Tj ET Q".to_owned(),
        "q 100 0 0 100 0 0 cm BT /F 0.11 Tf 0.72 6 Td (shown words) Tj ET Q".to_owned(),
    ] {
        let (markdown, warnings) = read(&content);
        assert!(markdown.contains("shown words"), "{content}: {markdown} {warnings}");
        assert!(markdown.contains("900 USD") && warnings.is_empty(), "{content}: {warnings}");
    }
}

#[test]
fn text_around_what_is_left_out_stays_where_it_is() {
    let (markdown, _) = read(
        "BT /F 11 Tf 72 600 Td (seen ) Tj 3 Tr (planted ) Tj 0 Tr [(wo) 20 (rds)] TJ 0 -14 Td (next line) Tj ET",
    );
    assert!(!markdown.contains("planted") && markdown.contains("words"), "{markdown}");
    let at = |text: &str| markdown.find(text).unwrap_or_else(|| panic!("{text}: {markdown}"));
    assert!(
        at("900 USD") < at("seen") && at("seen") < at("words") && at("words") < at("next line")
    );
}

#[test]
fn forms_are_looked_into() {
    let (markdown, warnings) = read("/Fm Do");
    assert!(!markdown.contains("planted") && markdown.contains("shown in a form"), "{markdown}");
    assert!(warnings.contains("not painted 14"), "{warnings}");
    let (markdown, warnings) = read("q /Gone gs /Fm Do Q");
    assert!(!markdown.contains("shown in a form"), "{markdown}");
    assert!(warnings.contains("transparent"), "{warnings}");
}

#[test]
fn the_letters_of_a_scan_stay() {
    let picture = [stream(
        "/Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8",
        "x",
    )];
    let lines: String =
        (0..40).map(|at| line(72, 760 - 16 * at, &format!("recognised line {at}"))).collect();
    for content in [
        format!("q 595 0 0 842 0 0 cm /Im Do Q 3 Tr {lines}"),
        format!("3 Tr {lines} q 595 0 0 842 0 0 cm /Im Do Q"),
        // The letters are painted below the picture.
        format!("{lines} q 595 0 0 842 0 0 cm /Im Do Q"),
        // The scan has two strips.
        format!("q 595 0 0 421 0 0 cm /Im Do Q q 595 0 0 421 0 421 cm /Im Do Q 3 Tr {lines}"),
    ] {
        let resources = "/XObject<</Im 6 0 R>>";
        let content = One { content: &content, resources, more: &picture, ..One::default() }.read();
        assert_eq!(content.markdown.matches("recognised line").count(), 40, "{}", content.markdown);
        assert!(content.warnings.is_empty(), "{:?}", content.warnings);
    }
}

#[test]
fn text_that_is_printed_twice_is_there_once() {
    let once = |content: &str, expected: &str| {
        let content = One { content, ..One::default() }.read();
        assert_eq!(content.markdown.trim(), expected);
    };
    let text = "Total amount 1,250.00 EUR";
    let at = |x: f32, y: f32| format!("BT /F 11 Tf {x} {y} Td ({text}) Tj ET\n");
    // The copies lie exactly on the text, a little beside it, four times, and as a shadow.
    once(&(at(72.0, 700.0) + &at(72.0, 700.0)), text);
    once(&(at(72.0, 700.0) + &at(72.3, 700.0)), text);
    once(&[0.0, 0.2, 0.4, 0.6].map(|by| at(72.0 + by, 700.0)).concat(), text);
    once(&format!("0.6 g {} 0 g {}", at(73.5, 698.6), at(72.0, 700.0)), text);
    // Each letter is printed twice: at a place of its own, after a distance, or in one array.
    let mut letters = String::from("BT /F 11 Tf 1 0 0 1 72 700 Tm\n");
    let mut moved = letters.clone();
    for (index, letter) in "GUID: 1100 aabb".chars().enumerate() {
        let x = 72.0 + 8.0 * index as f32;
        letters +=
            &format!("1 0 0 1 {x} 700 Tm ({letter}) Tj 1 0 0 1 {} 700 Tm ({letter}) Tj\n", x + 0.3);
        moved += &format!("({letter}) Tj 0.3 0 Td ({letter}) Tj 7.7 0 Td\n");
    }
    let read = |content: String| One { content: &content, ..One::default() }.read().markdown;
    for markdown in [read(letters + "ET"), read(moved + "ET")] {
        let squeezed: String = markdown.split_whitespace().collect();
        assert_eq!(squeezed, "GUID:1100aabb");
    }
    once("BT /F 11 Tf 72 700 Td [(R)700(R)(e)540(ent)] TJ ET", "Rent");
    // Every line is printed, then all of them again.
    let page = line(72, 700, "First line of it.") + &line(72, 600, "Another one below.");
    once(&format!("{page}{}", page.replace("72", "72.2")), "First line of it. Another one below.");
}

#[test]
fn letters_and_words_that_are_doubled_stay() {
    for text in
        ["Balance 11 aabb 2002 EUR is not doubled.", "Will ill lilli 1111 ....", "that that is is"]
    {
        let letters: String = text
            .chars()
            .fold((String::new(), 72.0), |(out, x), letter| {
                let wide = if "ilI.,".contains(letter) { 2.6 } else { 6.2 };
                (format!("{out}BT /F 11 Tf {x} 500 Td ({letter}) Tj ET\n"), x + wide)
            })
            .0;
        let content = line(72, 700, text) + &letters + &line(72, 300, text) + &line(72, 286, text);
        let content = One { content: &content, ..One::default() }.read().markdown;
        let squeezed: String = content.split_whitespace().collect();
        let expected: String = text.split_whitespace().collect();
        assert_eq!(squeezed.matches(&expected).count(), 4, "{content}");
    }
}

#[test]
fn layers_that_are_off_are_left_out_and_told() {
    let groups = ["<</Type/OCG/Name(on)>>", "<</Type/OCG/Name(off)>>"].map(str::to_owned);
    let rule = "<</Type/OCMD/OCGs[6 0 R 7 0 R]/P/AllOn>>".to_owned();
    let form = stream(
        "/Type/XObject/Subtype/Form/BBox[0 0 595 842]/OC 7 0 R/Resources<</Font<</F 4 0 R>>>>",
        "BT /F 11 Tf 72 300 Td (in a form) Tj ET",
    );
    let more = [groups[0].clone(), groups[1].clone(), rule, form];
    let resources = "/Properties<</On 6 0 R/Off 7 0 R/Both 8 0 R>>/XObject<</Fm 9 0 R>>";
    let content = format!(
        "{}/OC/On BDC {} EMC /OC/Off BDC {} /Span BMC {} EMC EMC {} /OC/Both BDC {} EMC /Fm Do",
        line(72, 700, "always"),
        line(72, 650, "layer on"),
        line(72, 600, "layer off"),
        line(72, 550, "inner"),
        line(72, 500, "behind"),
        line(72, 450, "both"),
    );
    let read = |state: &str| {
        let catalog = format!("/OCProperties<</OCGs[6 0 R 7 0 R]/D<<{state}>>>>");
        let content =
            One { content: &content, resources, catalog: &catalog, more: &more, page: "" }.read();
        let words: Vec<&str> = content.markdown.split_whitespace().collect();
        (words.join(" "), content.warnings)
    };
    let all = "always layer on layer off inner behind both in a form";
    assert_eq!(read(""), (all.to_owned(), Vec::new()));
    let told = "text that nobody sees was left out on page 1: 24 characters in 4 places (on layers that are off 24)";
    let some = ("always layer on behind".to_owned(), vec![told.to_owned()]);
    assert_eq!(read("/OFF[7 0 R]"), some);
    assert_eq!(read("/BaseState/OFF/ON[6 0 R]"), some);
    assert_eq!(read("/BaseState/OFF").0, "always behind");
}
