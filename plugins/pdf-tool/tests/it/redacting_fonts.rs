use crate::{book, has, open, plain, stream};
use pdf_tool::{Redaction, redact};
use std::time::{Duration, Instant};

fn by_word(word: &str) -> Redaction {
    Redaction { words: vec![word.to_owned()], ..Redaction::default() }
}

#[test]
fn many_settings_of_fonts_take_linear_time() {
    let content = format!(
        "BT /F1 12 Tf 10 50 Td (secret) Tj ET BT /F2 12 Tf {} {} ET",
        "q (a) Tj Q ".repeat(150_000),
        "/F3 12 Tf ".repeat(150_000)
    );
    let page = "/Resources <</Font <</F1 3 0 R /F2 3 0 R /F3 3 0 R>>>>";
    let bytes = book(&[&content], "", page, &[]);
    let start = Instant::now();
    let (bytes, _) = redact(open(&bytes), &by_word("secret")).unwrap();
    assert!(!has(&plain(&bytes), "secret"));
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

/// Makes a page that sets a font and paints a form. The form has another font of that name, whose `A` is an `m`.
fn inheriting(page: &str, form: &str) -> Vec<u8> {
    let own = "/Resources <</Font <</F1 8 0 R>>>>";
    let more = [
        "<</Font <</F1 3 0 R>> /XObject <</Fm 7 0 R>>>>".to_owned(),
        stream(&format!("/Type /XObject /Subtype /Form /BBox [0 0 200 100] {own}"), form),
        "<</Type /Font /Subtype /Type1 /BaseFont /Own /FirstChar 65 /LastChar 65 /Widths [500] \
         /Encoding <</Type /Encoding /Differences [65 /m 97 /b /c /d /e /f /g]>>>>"
            .to_owned(),
    ];
    let bytes = String::from_utf8(book(&[page], "", "", &more)).unwrap();
    bytes.replacen("/Resources <</Font <</F1 3 0 R>>>>", "/Resources 6 0 R", 1).into_bytes()
}

#[test]
fn a_form_inherits_the_font_and_not_its_name() {
    let form = "BT 10 50 Td (faced) Tj ET";
    let bytes = inheriting("/F1 12 Tf q /Fm Do Q", form);
    let (new, removed) = redact(open(&bytes), &by_word("faced")).unwrap();
    assert_eq!((removed.places, has(&plain(&new), "faced")), (1, false));
    // What the form sets itself is its own font, also when the font of the page has shown something.
    let form = "BT 10 50 Td (faced) Tj /F1 12 Tf 0 -20 Td (A) Tj ET";
    let bytes = inheriting("BT /F1 12 Tf 10 90 Td (n) Tj ET /Fm Do", form);
    let (new, removed) = redact(open(&bytes), &by_word("m")).unwrap();
    let content = plain(&new);
    assert_eq!((removed.places, has(&content, "(A)"), has(&content, "faced")), (1, false, true));
    assert!(redact(open(&bytes), &by_word("faced")).is_ok());
}
