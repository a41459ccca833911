use crate::{book, edited, has, open, plain, stream, words};
use pdf_tool::{Edit, Error, FieldKind, NoTypesetter, Pdf, SaveOptions, Typesetter, edit};
use std::cell::RefCell;

/// A form of a text, a date, a check box, a radio group, a choice and a field that is read-only.
fn form() -> Vec<u8> {
    let more = vec![
        "<</Fields [7 0 R 8 0 R 9 0 R 10 0 R 13 0 R 14 0 R 15 0 R] /DA (/Helv 0 Tf 0 g)>>".to_owned(),
        "<</T (name) /FT /Tx /MaxLen 12 /Ff 2 /Subtype /Widget /Rect [10 10 110 24]>>".to_owned(),
        "<</T (born) /FT /Tx /Subtype /Widget /Rect [10 30 110 44] /AA <</F <</S /JavaScript /JS (AFDate_FormatEx\\(\"dd.mm.yyyy\"\\);)>>>>>>".to_owned(),
        "<</T (agree) /FT /Btn /Subtype /Widget /Rect [10 50 20 60] /AP <</N <</Ja 16 0 R /Off 16 0 R>>>>>>".to_owned(),
        "<</T (size) /FT /Btn /Ff 49152 /Kids [11 0 R 12 0 R] /Opt [(Small) (Large)]>>".to_owned(),
        "<</Parent 10 0 R /Subtype /Widget /Rect [30 50 40 60] /AP <</N <</0 16 0 R>>>>>>".to_owned(),
        "<</Parent 10 0 R /Subtype /Widget /Rect [50 50 60 60] /AP <</N <</1 16 0 R>>>>>>".to_owned(),
        "<</T (land) /FT /Ch /Ff 131072 /Opt [[(CH) (Switzerland)] (Austria)] /Subtype /Widget /Rect [10 70 110 84]>>".to_owned(),
        "<</T (fixed) /FT /Tx /Ff 1 /V (x) /Subtype /Widget /Rect [120 70 190 84]>>".to_owned(),
        "<</T (sign) /FT /Sig /Subtype /Widget /Rect [120 10 190 24]>>".to_owned(),
        stream("/Type /XObject /Subtype /Form /BBox [0 0 10 10]", "0 0 10 10 re f"),
    ];
    let annotations = "/Annots [7 0 R 8 0 R 9 0 R 11 0 R 12 0 R 13 0 R 14 0 R 15 0 R]";
    book(&[&words("Form")], "/AcroForm 6 0 R", annotations, &more)
}

fn fill(field: &str, value: &str) -> Edit {
    Edit::FillField { field: field.to_owned(), value: value.to_owned() }
}

fn value(pdf: &Pdf, name: &str) -> String {
    pdf.fields().into_iter().find(|it| it.name == name).unwrap().value
}

#[test]
fn fields_are_listed_with_all_that_a_person_needs() {
    let fields = open(&form()).fields();
    assert_eq!(fields.len(), 7);
    assert!(fields[0].is_required && fields[0].max_length == Some(12) && fields[0].page == Some(1));
    assert_eq!(fields[0].rect, Some([10.0, 10.0, 110.0, 24.0]));
    let radio = &fields[3];
    assert_eq!(radio.kind, FieldKind::Radio);
    assert_eq!(radio.options[1], ("1".to_owned(), "Large".to_owned()));
    assert_eq!(fields[4].options[0], ("CH".to_owned(), "Switzerland".to_owned()));
    assert!(fields[5].is_read_only);
}

#[test]
fn every_kind_of_field_is_filled_with_its_appearance() {
    let edits = [
        fill("name", "Zoë (1)"),
        fill("born", "2026-01-31"),
        fill("agree", "yes"),
        fill("size", "Large"),
        fill("land", "Switzerland"),
    ];
    let (bytes, _) = edited(&form(), &edits).unwrap();
    let pdf = open(&bytes);
    assert_eq!(value(&pdf, "name"), "Zoë (1)");
    assert_eq!(value(&pdf, "born"), "31.01.2026");
    assert_eq!(value(&pdf, "agree"), "Ja");
    assert_eq!(value(&pdf, "size"), "1");
    assert_eq!(value(&pdf, "land"), "CH");
    let content = plain(&bytes);
    assert!(has(&content, "(31.01.2026) Tj") && has(&content, "(Switzerland) Tj"));
    assert!(has(&content, "/AS /Ja") && has(&content, "/AS /1") && has(&content, "/AS /Off"));
}

#[test]
fn what_a_field_does_not_take_is_refused_with_the_place() {
    let edits = [
        fill("name", "much longer than twelve"),
        fill("land", "Mars"),
        fill("size", "Huge"),
        fill("agree", "perhaps"),
        fill("fixed", "y"),
        fill("sign", "me"),
        fill("nam", "x"),
        fill("born", "a\nb"),
    ];
    let Err(Error::Invalid(text)) = edited(&form(), &edits) else { panic!() };
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 8, "{text}");
    assert!(lines[0].contains("at most 12 characters, got 23"));
    assert!(lines[1].contains("`CH` (Switzerland)"));
    assert!(lines[4].contains("read-only"));
    assert!(lines[6].contains("did you mean `name`?"));
}

#[test]
fn a_long_text_gets_a_smaller_size_and_one_that_does_not_fit_a_warning() {
    let long = "W".repeat(12);
    let (bytes, done) = edited(&form(), &[fill("name", &long)]).unwrap();
    assert!(done.warnings.is_empty(), "{:?}", done.warnings);
    // A field of 14 points has text of 9 points, if it fits; this one is 96 points wide.
    assert!(
        !has(&plain(&bytes), " 9 Tf") && has(&plain(&bytes), &format!(" 8.474576 Tf ({long}) Tj"))
    );
    let wide = "W".repeat(90);
    let (_, done) = edited(&form(), &[fill("born", &wide)]).unwrap();
    assert!(done.warnings[0].contains("too small"), "{:?}", done.warnings);
}

#[test]
fn flattening_makes_fields_content_and_leaves_no_form() {
    let (bytes, _) = edited(
        &form(),
        &[fill("name", "Ada"), fill("agree", "x"), Edit::Flatten { fields: Vec::new() }],
    )
    .unwrap();
    let pdf = open(&bytes);
    assert!(pdf.fields().is_empty());
    let content = plain(&bytes);
    assert!(!has(&content, "/AcroForm") && !has(&content, "/Widget"));
    assert!(has(&content, "(Ada) Tj") && has(&content, "1 0 0 1 10 10 cm /Mitt0x0 Do"));
    // A box that is not checked, as those of the radio group, draws nothing.
    assert_eq!(content.windows(4).filter(|it| it == b" Do ").count(), 3);
}

#[test]
fn some_fields_are_flattened_and_the_others_stay() {
    let (bytes, _) =
        edited(&form(), &[Edit::Flatten { fields: vec!["size".to_owned(), "fixed".to_owned()] }])
            .unwrap();
    let pdf = open(&bytes);
    let names: Vec<String> = pdf.fields().into_iter().map(|it| it.name).collect();
    assert_eq!(names, ["name", "born", "agree", "land", "sign"]);
    assert!(has(&plain(&bytes), "(x) Tj"), "a value without an appearance gets one");
}

#[test]
fn xfa_is_refused_by_name() {
    let bytes = String::from_utf8(form())
        .unwrap()
        .replace("/DA (/Helv 0 Tf 0 g)", "/XFA [] /DA (/Helv 0 Tf)")
        .into_bytes();
    assert!(
        matches!(edited(&bytes, &[fill("name", "x")]), Err(Error::Unsupported(text)) if text.contains("XFA"))
    );
}

#[test]
fn a_signed_document_is_refused_unless_its_signature_may_break() {
    let signed = "/T (sign) /V <</Type /Sig /Contents <00>>>";
    let bytes = String::from_utf8(form()).unwrap().replace("/T (sign)", signed).into_bytes();
    let edits = [fill("name", "x")];
    assert!(
        matches!(edited(&bytes, &edits), Err(Error::Unsupported(text)) if text.contains("break_signatures"))
    );
    let mut pdf = open(&bytes);
    let done = edit(&mut pdf, &edits, true, &|_| Err(String::new()), &NoTypesetter).unwrap();
    assert!(done.warnings.iter().any(|it| it.contains("Signatures are removed")));
    assert!(pdf.signatures().is_empty());
}

#[test]
fn appearances_that_a_viewer_would_make_are_made_here() {
    let bytes = String::from_utf8(form())
        .unwrap()
        .replace("/DA (/Helv 0 Tf 0 g)", "/NeedAppearances true /DA (/Helv 0 Tf)");
    let (bytes, _) = edited(bytes.as_bytes(), &[fill("name", "Ada")]).unwrap();
    let content = plain(&bytes);
    assert!(!has(&content, "NeedAppearances"));
    assert!(
        has(&content, "(Ada) Tj") && has(&content, "(x) Tj"),
        "also of a field that had a value before"
    );
}

/// Sets each text on a page, and refuses all texts of a call if one has a `嗯`.
#[derive(Default)]
struct Setter(RefCell<Vec<Asked>>);

/// Texts with their size and color.
type Asked = (Vec<String>, f64, [f64; 3]);

impl Typesetter for Setter {
    fn lines(&self, texts: &[String], size: f64, color: [f64; 3]) -> Option<Vec<u8>> {
        self.0.borrow_mut().push((texts.to_vec(), size, color));
        let pages: Vec<String> =
            texts.iter().map(|it| format!("({}) Tj", it.escape_unicode())).collect();
        let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
        (!texts.iter().any(|it| it.contains('嗯'))).then(|| book(&pages, "", "", &[]))
    }
}

fn set(edits: &[Edit], bytes: &[u8]) -> (Vec<u8>, Vec<String>, Setter) {
    let (mut pdf, setter) = (open(bytes), Setter::default());
    let done = edit(&mut pdf, edits, false, &|_| Err(String::new()), &setter).unwrap();
    (pdf.save(&SaveOptions::default()).unwrap(), done.warnings, setter)
}

#[test]
fn values_of_many_fields_are_set_together_in_one_font() {
    let colored = String::from_utf8(form())
        .unwrap()
        .replace("/T (born) /FT /Tx", "/T (born) /FT /Tx /DA (/Helv 6 Tf 1 0 0 rg)");
    let edits = [
        fill("name", "张三"),
        fill("born", "一月"),
        fill("land", "CH"),
        Edit::RotatePages { pages: "1".to_owned(), angle: 90 },
        fill("name", "李四"),
    ];
    let (bytes, warnings, setter) = set(&edits, colored.as_bytes());
    assert!(!warnings.iter().any(|it| it.contains("not in the file")), "{warnings:?}");
    let calls = setter.0.into_inner();
    // One for each color before the page is turned, and one for what is filled afterwards.
    let texts: Vec<_> = calls.iter().map(|(texts, size, _)| (texts.join(" "), *size)).collect();
    assert_eq!(texts, [("张三".into(), 12.0), ("一月".into(), 12.0), ("李四".into(), 12.0)]);
    assert_eq!(calls[1].2, [1.0, 0.0, 0.0]);
    let content = plain(&bytes);
    assert!(has(&content, "q 0.5 0 0 0.5 0 -10.75 cm\n("), "text of 6 points");
    assert!(has(&content, "\\u{674e}\\u{56db}") && has(&content, "(Switzerland) Tj"));
}

#[test]
fn a_value_that_the_host_cannot_set_leaves_the_others_alone() {
    let edits = [fill("name", "张三"), fill("born", "嗯"), fill("land", "Austria")];
    let (bytes, warnings, setter) = set(&edits, &form());
    assert!(warnings[0].contains("not in the file") && warnings.len() == 1, "{warnings:?}");
    assert!(has(&plain(&bytes), "\\u{5f20}\\u{4e09}") && has(&bytes, "/STSong-Light"));
    // Both, each alone, and never again.
    assert_eq!(setter.0.borrow().len(), 3);
}

#[test]
fn latin_values_share_one_font_which_may_be_that_of_the_form() {
    let edits = [fill("name", "Ada"), fill("born", "today"), fill("land", "Austria")];
    let count = |bytes: &[u8]| bytes.windows(20).filter(|it| it == b"/BaseFont /Helvetica").count();
    let (bytes, ..) = set(&edits, &form());
    assert_eq!(count(&bytes), 2, "the font of the page and that of the values");
    let shared = String::from_utf8(form())
        .unwrap()
        .replace("/DA (/Helv 0 Tf 0 g)", "/DR <</Font <</Helv 3 0 R>>>> /DA (/Helv 0 Tf 0 g)");
    let (bytes, ..) = set(&edits, shared.as_bytes());
    assert_eq!(count(&bytes), 1);
    assert!(has(&plain(&bytes), "(Austria) Tj"));
}

#[test]
fn a_font_of_the_form_is_used_only_if_its_codes_are_the_same() {
    let with_font = |font: &str| {
        let resources = format!("/DR <</Font <</Helv {font}>>>> /DA (/Helv 0 Tf 0 g)");
        String::from_utf8(form()).unwrap().replace("/DA (/Helv 0 Tf 0 g)", &resources)
    };
    let all = "/Type /Font /Subtype /Type1 /Encoding /WinAnsiEncoding";
    let add_font = |bytes: String, font: &str| {
        // The font takes the place of the drawing of the buttons, because a font of a form is an object of its own.
        let old = stream("/Type /XObject /Subtype /Form /BBox [0 0 10 10]", "0 0 10 10 re f");
        bytes.replace(&old, font)
    };
    let count = |bytes: &[u8], name: &str| {
        let name = format!("/BaseFont /{name}");
        bytes.windows(name.len()).filter(|it| *it == name.as_bytes()).count()
    };
    for more in ["/ToUnicode 5 0 R", "/Widths [1]", "/FirstChar 9"] {
        let font = format!("<<{all} /BaseFont /Helvetica {more}>>");
        let bytes = add_font(with_font("16 0 R"), &font);
        let (bytes, _) = edited(bytes.as_bytes(), &[fill("name", "Ada")]).unwrap();
        assert_eq!(count(&bytes, "Helvetica"), 3, "{more}: the page, the form and the value");
    }
    let bytes = add_font(with_font("16 0 R"), &format!("<<{all} /BaseFont /STSong-Light>>"));
    let (bytes, _) = edited(bytes.as_bytes(), &[fill("name", "张三")]).unwrap();
    assert!(has(&bytes, "/BaseFont /STSong-Light-UniGB-UTF16-H"));
}

#[test]
fn a_field_with_many_places_has_one_copy_of_what_the_host_set() {
    for (places, copies) in [(4, 4), (5, 1)] {
        let kids: Vec<String> = (8..8 + places).map(|it| format!("{it} 0 R")).collect();
        let kids = kids.join(" ");
        let mut more = vec![
            "<</Fields [7 0 R] /DA (/Helv 0 Tf 0 g)>>".to_owned(),
            format!("<</T (name) /FT /Tx /Kids [{kids}]>>"),
        ];
        for at in 0..places {
            let low = 10 * at;
            more.push(format!(
                "<</Parent 7 0 R /Subtype /Widget /Rect [10 {low} 110 {}]>>",
                low + 9
            ));
        }
        let bytes = book(&[&words("Form")], "/AcroForm 6 0 R", &format!("/Annots [{kids}]"), &more);
        let (bytes, warnings, _) = set(&[fill("name", "张三")], &bytes);
        assert!(warnings.is_empty(), "{warnings:?}");
        let text = "\\u{5f20}\\u{4e09}";
        let content = plain(&bytes);
        let count = content.windows(text.len()).filter(|it| *it == text.as_bytes()).count();
        assert_eq!(count, copies, "{places}");
    }
}
