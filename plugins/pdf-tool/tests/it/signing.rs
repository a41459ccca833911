use crate::{book, file, has, open, words};
use pdf_tool::{Edit, Error, NoTypesetter, Pdf, Permissions, Protection, SaveOptions, edit};

/// A signed form; `reference` is what the signature allows, `lock` part of its field.
fn signed(reference: &str, lock: &str) -> Vec<u8> {
    let more = [
        "<</Fields [7 0 R 8 0 R 9 0 R] /DA (/Helv 10 Tf 0 g)>>".to_owned(),
        "<</T (name) /FT /Tx /Subtype /Widget /Rect [10 10 90 24] /P 4 0 R>>".to_owned(),
        "<</T (city) /FT /Tx /Subtype /Widget /Rect [10 30 90 44] /P 4 0 R>>".to_owned(),
        format!("<</T (sig) /FT /Sig /V 10 0 R {lock}>>"),
        format!("<</Type /Sig /Filter /F /Contents <00> /ByteRange [0 1 2 3] {reference}>>"),
        "<</Type /Annot /Subtype /Text /Rect [0 0 9 9] /Contents (note)>>".to_owned(),
    ];
    book(&[&words("x")], "/AcroForm 6 0 R", "/Annots [7 0 R 8 0 R 11 0 R]", &more)
}

fn level(level: u8) -> String {
    format!("/Reference [<</TransformMethod /DocMDP /TransformParams <</P {level}>>>>]")
}

fn done(bytes: &[u8], edits: &[Edit], breaks: bool) -> Result<(Vec<u8>, Vec<String>), Error> {
    let mut pdf = Pdf::open(bytes.to_vec(), None)?;
    let files = |_: &str| Ok(b"content".to_vec());
    let done = edit(&mut pdf, edits, breaks, &files, &NoTypesetter)?;
    Ok((pdf.save(&SaveOptions { is_packed: true, protection: None })?, done.warnings))
}

fn fill(field: &str) -> Edit {
    Edit::FillField { field: field.to_owned(), value: "new value".to_owned() }
}

fn value(bytes: &[u8], name: &str) -> String {
    open(bytes).fields().into_iter().find(|it| it.name == name).unwrap().value
}

#[test]
fn a_field_is_filled_behind_the_bytes_that_are_signed() {
    let bytes = signed(&level(2), "");
    let (new, warnings) = done(&bytes, &[fill("name")], false).unwrap();
    assert!(new.starts_with(&bytes) && warnings[0].contains("appended"), "{warnings:?}");
    assert_eq!(value(&new, "name"), "new value");
    let pdf = open(&new);
    assert!(pdf.repairs.is_empty() && pdf.signatures() == ["sig"]);
    // Only what changed is appended.
    let increment = &new[bytes.len()..];
    assert!(!has(increment, "/Catalog") && !has(increment, "/Type /Page/"), "the page stays");
    // Another increment goes behind the first one.
    let (again, _) = done(&new, &[fill("city")], false).unwrap();
    assert!(again.starts_with(&new));
    assert_eq!(
        (value(&again, "name"), value(&again, "city")),
        ("new value".to_owned(), "new value".to_owned())
    );
}

#[test]
fn what_the_signature_does_not_allow_is_refused_by_name() {
    let attach = Edit::AttachFile { name: "a.txt".to_owned(), description: String::new() };
    let comments = Edit::RemoveAnnotations { pages: "all".to_owned() };
    let title = Edit::SetMetadata { name: "title".to_owned(), value: "x".to_owned() };
    for (level_of, edit, word) in [
        (1, fill("name"), "fill-field"),
        (2, comments.clone(), "remove-annotations"),
        (3, attach.clone(), "attach-file"),
        (3, title, "set-metadata"),
        (3, Edit::Flatten { fields: Vec::new() }, "flatten"),
    ] {
        let bytes = signed(&level(level_of), "");
        match done(&bytes, std::slice::from_ref(&edit), false) {
            Err(Error::Unsupported(text)) => {
                assert!(text.contains(word) && text.contains("break_signatures"), "{text}")
            }
            other => panic!("{word}: {other:?}"),
        }
        let (new, _) = done(&bytes, &[edit], true).unwrap();
        assert!(open(&new).signatures().is_empty(), "{word}");
    }
    for reference in [level(3), String::new()] {
        let bytes = signed(&reference, "");
        let (new, _) = done(&bytes, std::slice::from_ref(&comments), false).unwrap();
        assert!(new.starts_with(&bytes) && open(&new).annotation_infos().is_empty());
    }
}

#[test]
fn a_locked_field_is_refused_and_others_are_filled() {
    let include = "/Lock <</Action /Include /Fields [(name)]>>";
    let exclude = "/Reference [<</TransformMethod /FieldMDP /TransformParams <</Action /Exclude /Fields [(city)]>>>>]";
    for bytes in [signed("", include), signed(exclude, "")] {
        assert!(
            matches!(done(&bytes, &[fill("name")], false), Err(Error::Unsupported(text)) if text.contains("`name` is locked"))
        );
        assert!(done(&bytes, &[fill("city")], false).is_ok());
    }
    let all = signed("", "/Lock <</Action /All>>");
    assert!(done(&all, &[fill("city")], false).is_err());
}

#[test]
fn generations_and_values_inside_of_pages_survive() {
    // The field is object 5 of generation 3; the comment is a value of the list of the page, which inherits its size.
    let objects = [
        "<</Type /Catalog /Pages 2 0 R /AcroForm <</Fields [5 3 R 6 0 R]>>>>",
        "<</Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 200 100]>>",
        "<</Type /Page /Parent 2 0 R /Annots [5 3 R <</Type /Annot /Subtype /Text /Rect [0 0 9 9]>>]>>",
        "null",
        "<</T (name) /FT /Tx /Subtype /Widget /Rect [10 10 90 24] /DA (/Helv 10 Tf 0 g)>>",
        "<</T (sig) /FT /Sig /V <</Contents <00>>>>>",
    ];
    let bytes = file(&objects.map(str::to_owned));
    let text = String::from_utf8(bytes).unwrap().replace("5 0 obj", "5 3 obj");
    let (new, _) = done(text.as_bytes(), &[fill("name")], false).unwrap();
    let increment = &new[text.len()..];
    assert!(has(increment, "5 3 obj") && has(increment, " 00003 n "));
    assert_eq!(value(&new, "name"), "new value");
    let comments = [Edit::RemoveAnnotations { pages: "all".to_owned() }];
    let (new, _) = done(text.as_bytes(), &comments, false).unwrap();
    let increment = &new[text.len()..];
    assert!(has(increment, "[5 3 R]") && !has(increment, "MediaBox"), "the size stays inherited");
    assert!(open(&new).annotation_infos().is_empty() && open(&new).repairs.is_empty());
}

#[test]
fn a_damaged_table_is_not_appended_to() {
    let mut bytes = signed(&level(2), "");
    let at = bytes.windows(9).rposition(|it| it == b"startxref").unwrap();
    bytes.truncate(at);
    assert!(
        matches!(done(&bytes, &[fill("name")], false), Err(Error::Unsupported(text)) if text.contains("damaged"))
    );
}

#[test]
fn a_table_stream_gets_a_table_stream() {
    // A packed file is made here; its signature is no real one.
    let mut pdf = open(&signed(&level(2), ""));
    let bytes = pdf.save(&SaveOptions { is_packed: true, protection: None }).unwrap();
    let (new, _) = done(&bytes, &[fill("name")], false).unwrap();
    assert!(new.starts_with(&bytes) && has(&new[bytes.len()..], "/Type /XRef"));
    assert!(!has(&new[bytes.len()..], "trailer"));
    assert_eq!(value(&new, "name"), "new value");
    assert!(open(&new).repairs.is_empty());
}

#[test]
fn an_encrypted_file_stays_encrypted() {
    let protection = Protection {
        user: "user".to_owned(),
        owner: "owner".to_owned(),
        permissions: Permissions::default(),
    };
    let options = SaveOptions { is_packed: false, protection: Some(protection) };
    let bytes = open(&signed(&level(2), "")).save(&options).unwrap();
    let mut pdf = Pdf::open(bytes.clone(), Some("user")).unwrap();
    let files = |_: &str| Ok(Vec::new());
    edit(&mut pdf, &[fill("name")], false, &files, &NoTypesetter).unwrap();
    assert!(pdf.is_increment());
    let new = pdf.save(&SaveOptions::default()).unwrap();
    assert!(new.starts_with(&bytes) && !has(&new, "new value"));
    assert!(Pdf::open(new.clone(), None).is_err());
    let again = Pdf::open(new, Some("user")).unwrap();
    let field = again.fields().into_iter().find(|it| it.name == "name").unwrap();
    assert_eq!(field.value, "new value");
}
