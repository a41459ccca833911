//! Pictures at marks and in frames.

use super::{Template, body, p, part, values};
use crate::backend::docx::template::tests::SPACES;
use crate::shared::picture::samples;
use crate::{CommonOptions, Docx, DocxOptions, Pictures, docx_files, fill_docx};
use mitt_base::Result;
use serde_json::json;

fn options() -> DocxOptions {
    let mut pictures = Pictures::default();
    // 40 x 20 pixels are 30 x 15 points.
    pictures.insert("logo.png", samples::png(40, 20, None).into());
    pictures.insert("gone.png", Vec::new().into());
    pictures.insert(
        "a.svg",
        b"<svg xmlns='http://www.w3.org/2000/svg' width='1' height='1'/>".to_vec().into(),
    );
    DocxOptions {
        common: CommonOptions { pictures, ..CommonOptions::default() },
        ..DocxOptions::default()
    }
}

fn filled(template: &Template, json: serde_json::Value) -> Result<Docx> {
    fill_docx(&template.bytes(), &values(json), None, &options())
}

fn sizes(xml: &str) -> Vec<String> {
    let extents = xml.split("<wp:extent").skip(1);
    extents.map(|rest| rest.split("/>").next().unwrap().trim().to_owned()).collect()
}

#[test]
fn pictures_have_their_size_and_text() {
    let template = Template::of(
        &[
            p("a {{logo|picture}} b"),
            p("{{logo|picture:6cm}}{{logo|picture:x1cm}}{{logo|picture:2cm x 2cm}}"),
            p("{{named|picture}}{{none|picture}}"),
            p("{{#photos}}{{file|picture:1cm}}{{/photos}}"),
        ]
        .concat(),
    );
    let json = json!({
        "logo": "logo.png",
        "named": {"picture": "logo.png", "alt": "A \"logo\" & more"},
        "none": null,
        "photos": [{"file": "logo.png"}, {"file": "logo.png"}],
    });
    let made = filled(&template, json.clone()).unwrap();
    let xml = body(&made.bytes);
    let expected = [
        [381_000, 190_500],
        [2_160_000, 1_080_000],
        [720_000, 360_000],
        [720_000, 360_000],
        [381_000, 190_500],
        [360_000, 180_000],
        [360_000, 180_000],
    ];
    assert_eq!(
        sizes(&xml),
        expected.map(|[width, height]| format!("cx=\"{width}\" cy=\"{height}\""))
    );
    assert!(
        xml.contains("descr=\"A &quot;logo&quot; &amp; more\"") && xml.contains("descr=\"logo\""),
        "{xml}"
    );
    assert!(xml.contains("a </w:t><w:drawing>"), "{xml}");
    let ids: Vec<&str> =
        xml.split("<wp:docPr id=\"").skip(1).map(|it| it.split('"').next().unwrap()).collect();
    assert_eq!(ids, ["1", "2", "3", "4", "5", "6", "7"]);
    // The file is in the package once.
    let relationships = part(&made.bytes, "word/_rels/document.xml.rels");
    assert_eq!(relationships.matches("/word/mitt/image-1.png").count(), 1, "{relationships}");
    assert!(
        part(&made.bytes, "[Content_Types].xml")
            .contains("PartName=\"/word/mitt/image-1.png\" ContentType=\"image/png\"")
    );
    assert!(!xml.contains("mitt:") && !xml.contains('\u{FFFE}'), "{xml}");
    let files = docx_files(&template.bytes(), &values(json), &DocxOptions::default()).unwrap();
    assert_eq!(files, ["logo.png"]);
}

fn frame(text: &str) -> String {
    format!(
        "<w:p><w:r><w:drawing><wp:inline xmlns:wp=\"wp\"><wp:extent cx=\"1000000\" cy=\"1000000\"/><wp:docPr id=\"5\" name=\"x\" descr=\"{text}\"/><a:graphic xmlns:a=\"a\"><pic:pic xmlns:pic=\"pic\"><pic:blipFill><a:blip r:embed=\"rIdOld\"><a:extLst/></a:blip><a:srcRect l=\"10\"/></pic:blipFill><pic:spPr><a:xfrm><a:ext cx=\"1000000\" cy=\"1000000\"/></a:xfrm></pic:spPr></pic:pic></a:graphic></wp:inline></w:drawing></w:r></w:p>"
    )
}

#[test]
fn a_frame_is_replaced_and_keeps_its_place() {
    let header = format!("<w:hdr {SPACES}>{}</w:hdr>", frame("{{logo}}"));
    let template =
        Template::of(&[frame("{{logo|picture}}"), frame("{{none}}"), frame("a {{x}}")].concat())
            .with("word/header1.xml", &header);
    let made = filled(&template, json!({"logo": "logo.png", "none": ""})).unwrap();
    let header = part(&made.bytes, "word/header1.xml");
    for xml in [&header, &body(&made.bytes)] {
        assert!(xml.contains("<wp:extent cx=\"1000000\" cy=\"500000\"/>"), "{xml}");
        assert!(
            xml.contains("<a:ext cx=\"1000000\" cy=\"500000\"/>") && xml.contains("descr=\"logo\""),
            "{xml}"
        );
        assert!(!xml.contains("r:embed=\"mitt"), "{xml}");
    }
    assert!(!header.contains("srcRect") && !header.contains("extLst"), "{header}");
    assert!(part(&made.bytes, "word/_rels/header1.xml.rels").contains("/word/mitt/image-1.png"));
    // The empty one is gone, and that with other text stays.
    let xml = body(&made.bytes);
    assert_eq!(
        (xml.matches("<w:drawing>").count(), xml.matches("rIdOld").count()),
        (2, 1),
        "{xml}"
    );
}

#[test]
fn pictures_that_cannot_be_shown_are_refused_by_name() {
    let shape = "<w:p><w:r><w:drawing><wp:inline xmlns:wp=\"wp\"><wp:extent cx=\"9\" cy=\"9\"/><wp:docPr id=\"5\" name=\"x\" descr=\"{{logo}}\"/></wp:inline></w:drawing></w:r></w:p>";
    for (template, value, expected) in [
        (
            p("{{logo|picture}}"),
            json!("other.png"),
            "`{{logo|picture}}` (text): the picture `other.png`: it was not given",
        ),
        (p("{{logo|picture}}"), json!("gone.png"), "`gone.png`: the file is empty"),
        (p("{{logo|picture}}"), json!("a.svg"), "`a.svg`: expected a PNG or JPEG"),
        (p("{{logo|picture}}"), json!([1]), "expected the name of a picture"),
        (p("{{logo|picture:99cm}}"), json!("logo.png"), "a width of at most 56 cm"),
        (
            p("{{lgo|picture}}"),
            json!("logo.png"),
            "no value for `lgo` (text; did you mean `logo`?)",
        ),
        (
            shape.to_owned(),
            json!("logo.png"),
            "is the alternative text of a shape that is not one picture",
        ),
    ] {
        let error = filled(&Template::of(&template), json!({"logo": value})).unwrap_err().render();
        assert!(error.contains(expected), "{template}: {error}");
    }
    let none = DocxOptions::default();
    let template = Template::of(&p("{{logo|picture}}")).bytes();
    let error = fill_docx(&template, &values(json!({"logo": "a.png"})), None, &none).unwrap_err();
    assert!(error.render().contains("the picture `a.png` was not given"), "{}", error.render());
}
