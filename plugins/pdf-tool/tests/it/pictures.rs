use crate::{book, edited, has, open, plain, words};
use pdf_tool::{Edit, Error, NoTypesetter, Pdf, Picture, Position, SaveOptions, edit};

fn picture(name: &str) -> Picture {
    Picture {
        name: name.to_owned(),
        pages: "all".to_owned(),
        position: Position::TopRight,
        rect: None,
        width: Some(50.0),
        opacity: 1.0,
        margin: 10.0,
        is_behind: false,
    }
}

/// A PNG of two pixels: red, and blue that is half transparent.
fn png() -> Vec<u8> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, 2, 1);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&[255, 0, 0, 255, 0, 0, 255, 128]).unwrap();
    writer.finish().unwrap();
    out
}

/// The head of a JPEG of 4 × 2 pixels; its pixels do not matter here.
fn jpeg(components: u8, orientation: u8) -> Vec<u8> {
    let mut out = vec![0xff, 0xd8, 0xff, 0xe1, 0, 34];
    out.extend(b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0");
    out.extend([orientation, 0, 0, 0, 0, 0, 0, 0]);
    out.extend([0xff, 0xee, 0, 7]);
    out.extend(b"Adobe");
    out.extend([0xff, 0xc0, 0, 8 + 3 * components, 8, 0, 2, 0, 4, components]);
    out.extend(vec![0; usize::from(components) * 3]);
    out.extend([0xff, 0xd9]);
    out
}

fn put(content: Vec<u8>, it: Picture, page: &str) -> Result<(Vec<u8>, Vec<String>), Error> {
    let mut pdf = open(&book(&[&words("below")], "", page, &[]));
    let files = |_: &str| Ok(content.clone());
    let done = edit(&mut pdf, &[Edit::AddPicture(it)], false, &files, &NoTypesetter)?;
    Ok((pdf.save(&SaveOptions::default())?, done.warnings))
}

#[test]
fn a_png_keeps_its_colors_and_its_transparency() {
    let (bytes, warnings) = put(png(), picture("a.png"), "").unwrap();
    let content = plain(&bytes);
    // 50 points wide, 25 high, 10 from the corner of a page of 200 × 100.
    assert!(has(&content, "50 0 0 25 140 65 cm"), "{:?}", warnings);
    assert!(has(&content, "/SMask") && has(&content, "/DeviceRGB") && warnings.is_empty());
    assert!(content.windows(6).any(|it| it == [255, 0, 0, 0, 0, 255]), "the colors");
}

#[test]
fn a_jpeg_stays_as_it_is_and_is_turned_as_the_camera_says() {
    let (bytes, _) = put(jpeg(3, 1), picture("a.jpg"), "").unwrap();
    assert!(bytes.windows(jpeg(3, 1).len()).any(|it| it == jpeg(3, 1)));
    assert!(has(&plain(&bytes), "50 0 0 25 140 65 cm") && has(&bytes, "/DCTDecode"));
    // On its side it is higher than wide: 40 × 80 points in a page of 100.
    let narrow = Picture { width: Some(40.0), ..picture("a.jpg") };
    let (bytes, _) = put(jpeg(3, 6), narrow, "").unwrap();
    assert!(has(&plain(&bytes), "0 -80 40 0 150 90 cm"));
    let (bytes, _) = put(jpeg(4, 1), picture("a.jpg"), "").unwrap();
    assert!(has(&bytes, "/DeviceCMYK") && has(&bytes, "/Decode [1 0 1 0 1 0 1 0]"));
}

#[test]
fn a_rectangle_opacity_and_the_back_are_respected() {
    let it = Picture {
        rect: Some(vec![0.0, 0.0, 100.0, 100.0]),
        opacity: 0.5,
        is_behind: true,
        ..picture("a.png")
    };
    let (bytes, _) = put(png(), it, "").unwrap();
    let content = plain(&bytes);
    assert!(has(&content, "100 0 0 50 0 25 cm") && has(&content, "/ca 0.5"));
    let at = |part: &[u8]| content.windows(part.len()).position(|it| it == part).unwrap();
    let page = open(&bytes);
    drop(page);
    assert!(at(b" Do") > 0 && has(&content, "(below)"));
}

#[test]
fn a_turned_page_shows_the_picture_upright() {
    let (bytes, _) = put(png(), picture("a.png"), "/Rotate 90").unwrap();
    // As seen, the page is 100 × 200; its upper right corner is the right upper one of the page before it is turned.
    assert!(has(&plain(&bytes), "0 50 -25 0 35 40 cm"));
}

#[test]
fn the_first_page_of_another_document_is_a_picture() {
    let other = book(&[&words("LETTERHEAD"), &words("second")], "", "/Rotate 180", &[]);
    let it = Picture { width: None, margin: 0.0, position: Position::Center, ..picture("b.pdf") };
    let (bytes, warnings) = put(other, it, "").unwrap();
    let content = plain(&bytes);
    assert!(has(&content, "LETTERHEAD") && !has(&content, "(second)"));
    assert!(warnings[0].contains("first of 2 pages"), "{warnings:?}");
    assert_eq!(Pdf::open(bytes, None).unwrap().page_count(), 1);
}

#[test]
fn other_files_and_values_out_of_range_are_refused() {
    let bad = |content: &[u8], it: Picture| put(content.to_vec(), it, "").unwrap_err().to_string();
    assert!(bad(b"GIF89a", picture("a.gif")).contains("neither PNG nor JPEG nor PDF"));
    assert!(bad(b"\x89PNG\r\n\x1a\n", picture("a.png")).contains("`a.png` is not a PNG"));
    assert!(bad(&[0xff, 0xd8, 0xff, 0xd9], picture("a.jpg")).contains("is not a JPEG"));
    let png = png();
    for it in [
        Picture { opacity: 2.0, ..picture("a") },
        Picture { width: Some(0.0), ..picture("a") },
        Picture { rect: Some(vec![5.0, 5.0, 5.0, 5.0]), ..picture("a") },
        Picture { margin: -1.0, ..picture("a") },
    ] {
        assert!(put(png.clone(), it.clone(), "").is_err(), "{it:?}");
    }
    let wide = Picture { width: Some(500.0), ..picture("a.png") };
    assert!(put(png, wide, "").unwrap().1[0].contains("not wholly"));
}

#[test]
fn pages_are_put_on_sheets_and_what_is_lost_is_said() {
    let link = "/Annots [<</Type /Annot /Subtype /Link /Rect [0 0 9 9] /A <</S /URI /URI (x)>>>>]";
    let pages: Vec<String> = (1..=5).map(|it| words(&format!("page{it}"))).collect();
    let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
    let bytes = book(&pages, "", link, &[]);
    for (count, sheets, size) in [(2, 3, [595.28, 841.89]), (4, 2, [841.89, 595.28])] {
        let edits = [Edit::Sheets { count, paper: "A4".to_owned() }];
        let (new, done) = edited(&bytes, &edits).unwrap();
        let pdf = open(&new);
        assert_eq!(pdf.page_count(), sheets);
        // The pages are wider than high.
        assert_eq!(pdf.page_infos()[0].rect[2..], size);
        assert!(
            done.warnings.iter().any(|it| it == "Links are not on the sheets: 5."),
            "{:?}",
            done.warnings
        );
        assert!(has(&plain(&new), "page5") && pdf.annotation_infos().is_empty());
        let found = pdf_tool::find_text(open(&new), "a", "page2", None, 9).unwrap();
        assert_eq!((found.places.len(), found.places[0].page), (1, 1));
    }
    for (count, paper) in [(3, "A4"), (2, "A9"), (2, "10x10")] {
        assert!(edited(&bytes, &[Edit::Sheets { count, paper: paper.to_owned() }]).is_err());
    }
    assert!(edited(&bytes, &[Edit::Sheets { count: 2, paper: "300x400".to_owned() }]).is_ok());
}
