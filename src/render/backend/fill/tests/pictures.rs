//! Pictures in cells.

use super::*;
use crate::shared::picture::samples;
use crate::{MAX_PICTURES, Pictures};

fn options(names: &[&str]) -> FillOptions {
    let mut pictures = Pictures::default();
    for name in names {
        pictures.insert(name, samples::png(40, 20, None).into());
    }
    FillOptions { pictures, ..FillOptions::default() }
}

#[test]
fn pictures_fill_their_cells_within_their_proportions() {
    let template = book(
        &cells(&[&["{{logo|picture}}"], &[], &["{{items.name}}", "{{items.photo|picture}}"]]),
        "<mergeCells count=\"1\"><mergeCell ref=\"A1:B2\"/></mergeCells><tableParts/>",
    );
    let given = json(
        r#"{"logo": {"picture": "logo.png", "alt": "A \"logo\""}, "items": [{"name": "a", "photo": "a.png"}, {"name": "b", "photo": null}, {"name": "c", "photo": "a.png"}]}"#,
    );
    assert_eq!(xlsx_files(&template, &given).unwrap(), ["logo.png", "a.png"]);
    let filled = fill_xlsx(&template, &given, &options(&["logo.png", "a.png"])).unwrap();
    let drawing = part(&filled.bytes, "xl/drawings/drawing1.xml");
    assert_eq!(drawing.matches("<xdr:oneCellAnchor").count(), 3);
    // Two columns of 59 pixels less two, twice as wide as high: 58; but two rows have 40 pixels less two.
    assert!(drawing.contains("<xdr:ext cx=\"723900\" cy=\"361950\"/>"), "{drawing}");
    assert!(drawing.contains("descr=\"A &quot;logo&quot;\""), "{drawing}");
    for row in [2, 4] {
        assert!(
            drawing.contains(&format!(
                "<xdr:col>1</xdr:col><xdr:colOff>9525</xdr:colOff><xdr:row>{row}</xdr:row>"
            )),
            "{drawing}"
        );
    }
    let sheet = part(&filled.bytes, "xl/worksheets/s.xml");
    assert!(sheet.contains("r:id=\"rId1\"/><tableParts/>"), "{sheet}");
    assert_eq!(value(&filled.bytes, "S", "A1"), Data::Empty);
    // Both names have the same content, which is there once.
    let media: Vec<_> =
        parts(&filled.bytes).into_keys().filter(|name| name.contains("media")).collect();
    assert_eq!(media, ["xl/media/image1.png"]);
    let types = part(&filled.bytes, "[Content_Types].xml");
    assert!(
        types.contains("Extension=\"png\"") && types.contains("/xl/drawings/drawing1.xml"),
        "{types}"
    );
}

#[test]
fn pictures_that_cannot_be_shown_are_refused_by_place() {
    let template = |mark: &str| book(&cells(&[&[mark]]), "");
    let given = json(r#"{"logo": "logo.png", "n": 1, "text": "x.gif", "none": ""}"#);
    for (mark, message) in [
        ("{{logo|picture}}", "S!A1: the picture `logo.png` was not given"),
        ("{{logo|picture}} x", "stands beside other text"),
        ("{{logo|picture:6cm}}", "a picture has the size of its cell"),
        ("{{n|picture}}", "expected the name of a picture"),
        ("{{missing|picture}}", "`missing` at S!A1"),
        ("{{logo|table}}", "only templates of Word have `|table`"),
    ] {
        let error = fill(&template(mark), &given).unwrap_err().render();
        assert!(error.contains(message), "{mark}: {error}");
    }
    let mut broken = options(&["logo.png"]);
    broken.pictures.insert("logo.png", b"no picture".to_vec().into());
    let error = fill_xlsx(&template("{{logo|picture}}"), &given, &broken).unwrap_err().render();
    assert!(error.contains("S!A1: the picture `logo.png`"), "{error}");
    assert!(fill(&template("{{none|picture}}"), &given).is_ok());
}

#[test]
fn a_mark_for_a_picture_is_found_wherever_it_stands() {
    let long: String = (0..30_000).map(|n| format!("{n} ")).collect();
    let given = json(r#"{"logo": "logo.png"}"#);
    for (mark, names) in [("{{logo|picture}}", &["logo.png"][..]), ("{{logo}}", &[])] {
        let template = book(&cells(&[&[long.as_str()], &[long.as_str()], &[mark]]), "");
        assert_eq!(xlsx_files(&template, &given).unwrap(), names, "{mark}");
    }
}

#[test]
fn names_of_pictures_come_from_values_and_are_bounded() {
    let template = book(&cells(&[&["{{a|picture}}"]]), "");
    let many: Vec<String> = (0..300).map(|n| format!("\"{n}.PNG\"")).collect();
    let given =
        json(&format!("{{\"l\": [{}], \"a\": \"logo.jpg\", \"b\": \"text\"}}", many.join(",")));
    let names = xlsx_files(&template, &given).unwrap();
    assert_eq!((names.len(), names[0].as_str()), (MAX_PICTURES, "logo.jpg"));
    let plain = book(&cells(&[&["{{a}}"]]), "");
    assert!(xlsx_files(&plain, &given).unwrap().is_empty());
}
