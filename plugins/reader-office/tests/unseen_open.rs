//! Tests that text of OpenDocument files which people do not see is left out, with a warning.

use mitt_reader_kit::Content;
use reader_office::read;

const STYLES: &str = r##"
<style:default-style style:family="paragraph"><style:text-properties fo:font-size="12pt" style:font-size-asian="12pt"/></style:default-style>
<style:style style:name="White" style:family="text"><style:text-properties fo:color="#ffffff"/></style:style>
<style:style style:name="WhiteToo" style:family="text" style:parent-style-name="White"><style:text-properties fo:font-weight="bold"/></style:style>
<style:style style:name="Navy" style:family="text"><style:text-properties fo:color="#000080"/></style:style>
<style:style style:name="OnDark" style:family="text"><style:text-properties fo:color="#ffffff" fo:background-color="#000080"/></style:style>
<style:style style:name="Marked" style:family="text"><style:text-properties fo:color="#ffff00" fo:background-color="#ffff00"/></style:style>
<style:style style:name="Gone" style:family="text"><style:text-properties text:display="none"/></style:style>
<style:style style:name="Small" style:family="text"><style:text-properties fo:font-size="1pt"/></style:style>
<style:style style:name="SmallBoth" style:family="text"><style:text-properties fo:font-size="1pt" style:font-size-asian="1pt"/></style:style>
<style:style style:name="Automatic" style:family="text" style:parent-style-name="White"><style:text-properties style:use-window-font-color="true"/></style:style>
<style:style style:name="WhiteP" style:family="paragraph"><style:text-properties fo:color="#ffffff"/></style:style>
<style:style style:name="DarkP" style:family="paragraph"><style:paragraph-properties fo:background-color="#000080"/></style:style>
<style:style style:name="DarkC" style:family="table-cell"><style:table-cell-properties fo:background-color="#000080"/></style:style>
<style:style style:name="Secret" style:family="section"><style:section-properties/></style:style>
<style:style style:name="NavyG" style:family="graphic"><style:graphic-properties draw:fill="solid" draw:fill-color="#000080"/></style:style>
<style:style style:name="WhiteG" style:family="graphic"><style:graphic-properties draw:fill="none"/><style:text-properties fo:color="#ffffff"/></style:style>
<style:style style:name="Through" style:family="graphic"><style:graphic-properties style:wrap="run-through" draw:fill="solid" draw:fill-color="#000080"/></style:style>
<style:style style:name="DarkPage" style:family="drawing-page"><style:drawing-page-properties draw:fill="solid" draw:fill-color="#000080"/></style:style>
<style:style style:name="PicturePage" style:family="drawing-page"><style:drawing-page-properties draw:fill="bitmap" draw:fill-image-name="x"/></style:style>
"##;

fn flat(body: &str) -> Content {
    let text = format!(
        r#"<?xml version="1.0"?><office:document office:mimetype="x"><office:automatic-styles>{STYLES}<style:page-layout style:name="L"><style:page-layout-properties fo:page-width="28cm" fo:page-height="21cm"/></style:page-layout></office:automatic-styles><office:body>{body}</office:body></office:document>"#
    );
    read(text.as_bytes(), "fodt").unwrap()
}

fn text(body: &str) -> Content {
    flat(&format!("<office:text><text:p>Pay 4,200 EUR.</text:p>{body}</office:text>"))
}

fn slide(style: &str, body: &str) -> Content {
    flat(&format!(
        "<office:presentation><draw:page draw:style-name=\"{style}\"><draw:frame svg:x=\"1cm\" svg:y=\"1cm\" svg:width=\"9cm\" svg:height=\"2cm\"><draw:text-box><text:p><text:span text:style-name=\"Marked\"/>Pay 4,200 EUR.</text:p></draw:text-box></draw:frame>{body}</draw:page></office:presentation>"
    ))
}

fn span(style: &str) -> String {
    format!("<text:span text:style-name=\"{style}\">PLANT one</text:span>")
}

fn paragraph(style: &str, inner: &str) -> String {
    format!("<text:p text:style-name=\"{style}\">{inner}</text:p>")
}

fn table(style: &str, inner: &str) -> String {
    format!(
        "<table:table><table:table-row><table:table-cell table:style-name=\"{style}\">{inner}</table:table-cell><table:table-cell><text:p>x</text:p></table:table-cell></table:table-row></table:table>"
    )
}

fn frame(style: &str, x: &str, inner: &str) -> String {
    format!(
        "<draw:frame draw:style-name=\"{style}\" svg:x=\"{x}\" svg:y=\"5cm\" svg:width=\"5cm\" svg:height=\"3cm\"><draw:text-box>{inner}</draw:text-box></draw:frame>"
    )
}

/// Returns what the warnings say about unseen text.
fn told(content: &Content) -> Vec<&str> {
    content.warnings.iter().map(String::as_str).filter(|it| it.contains("nobody sees")).collect()
}

#[test]
fn what_nobody_sees_is_left_out_and_told() {
    for (hidden, reason) in [
        (paragraph("", &span("Gone")), "marked as hidden"),
        (paragraph("", &span("White")), "in the colour behind it"),
        (paragraph("", &span("WhiteToo")), "in the colour behind it"),
        (paragraph("WhiteP", "PLANT one"), "in the colour behind it"),
        (paragraph("DarkP", &span("Navy")), "in the colour behind it"),
        (paragraph("", &span("Marked")), "in the colour behind it"),
        (paragraph("", &span("Small")), "not larger than 1 pt"),
        (table("", &paragraph("", &span("White"))), "in the colour behind it"),
        (table("DarkC", &paragraph("", &span("Navy"))), "in the colour behind it"),
        (
            format!(
                "<text:section text:style-name=\"Secret\" text:display=\"none\">{}</text:section>",
                paragraph("", "PLANT one")
            ),
            "marked as hidden",
        ),
        (
            format!(
                "<text:section text:display=\"condition\" text:is-hidden=\"true\">{}</text:section>",
                paragraph("", "PLANT one")
            ),
            "marked as hidden",
        ),
        (
            paragraph(
                "",
                "<text:hidden-text text:string-value=\"PLANT one\">PLANT one</text:hidden-text>",
            ),
            "marked as hidden",
        ),
        (paragraph("", &frame("", "-90cm", &paragraph("", "PLANT one"))), "outside of the page"),
        (
            paragraph("", &frame("NavyG", "1cm", &paragraph("", &span("Navy")))),
            "in the colour behind it",
        ),
        (
            paragraph("", &frame("", "1cm", &paragraph("", &span("White")))),
            "in the colour behind it",
        ),
    ] {
        let content = text(&hidden);
        assert!(content.markdown.contains("4,200"), "{hidden}");
        assert!(!content.markdown.contains("PLANT"), "{hidden}: {}", content.markdown);
        let place = if hidden.starts_with("<table") { "table 1" } else { "paragraph 2" };
        let place = if hidden.contains("<text:section") { "paragraph 2" } else { place };
        let expected = format!(
            "text that nobody sees was left out in {place}: 8 characters in 1 place ({reason} 8)"
        );
        assert_eq!(told(&content), [expected], "{hidden}");
    }
}

#[test]
fn text_that_stands_out_from_its_ground_stays() {
    let through = "<text:p><draw:frame draw:style-name=\"Through\" svg:x=\"1cm\" svg:y=\"1cm\" svg:width=\"15cm\" svg:height=\"5cm\"><draw:image xlink:href=\"x\"/></draw:frame></text:p>";
    for seen in [
        paragraph("", "PLANT one"),
        paragraph("", &span("OnDark")),
        paragraph("", &span("Automatic")),
        paragraph("DarkP", &span("White")),
        table("DarkC", &paragraph("", &span("White"))),
        format!(
            "<text:section text:display=\"condition\" text:is-hidden=\"false\">{}</text:section>",
            paragraph("", "PLANT one")
        ),
        paragraph("", &frame("NavyG", "1cm", &paragraph("", &span("White")))),
        paragraph("", &frame("", "3cm", &paragraph("", "PLANT one"))),
        format!("{through}{}", paragraph("", &span("White"))),
    ] {
        let content = text(&seen);
        assert!(content.markdown.contains("PLANT one"), "{seen}: {}", content.markdown);
        assert!(told(&content).is_empty(), "{seen}: {:?}", content.warnings);
    }
    // Each script has a size of its own.
    let chinese = |style: &str| paragraph("", &span(style).replace("PLANT one", "年度报告"));
    assert!(text(&chinese("Small")).markdown.contains("年度报告"));
    assert!(!text(&chinese("SmallBoth")).markdown.contains("年度报告"));
}

#[test]
fn slides_have_backgrounds_shapes_and_edges() {
    for (style, hidden, reason) in [
        ("", frame("", "1cm", &paragraph("", &span("White"))), "in the colour behind it"),
        ("", frame("WhiteG", "1cm", &paragraph("", "PLANT one")), "in the colour behind it"),
        ("DarkPage", frame("", "1cm", &paragraph("", &span("Navy"))), "in the colour behind it"),
        ("", frame("", "-20cm", &paragraph("", "PLANT one")), "outside of the page"),
        ("", frame("", "29cm", &paragraph("", "PLANT one")), "outside of the page"),
        ("", frame("NavyG", "1cm", &paragraph("", &span("Navy"))), "in the colour behind it"),
    ] {
        let content = slide(style, &hidden);
        assert!(content.markdown.contains("4,200"), "{hidden}");
        assert!(!content.markdown.contains("PLANT"), "{style} {hidden}: {}", content.markdown);
        let expected = format!(
            "text that nobody sees was left out in slide 1: 8 characters in 1 place ({reason} 8)"
        );
        assert_eq!(told(&content), [expected], "{style} {hidden}");
    }
    let band = "<draw:rect draw:style-name=\"NavyG\" svg:x=\"0cm\" svg:y=\"4cm\" svg:width=\"20cm\" svg:height=\"8cm\"/>";
    let unknown =
        "<draw:custom-shape svg:x=\"0cm\" svg:y=\"4cm\" svg:width=\"20cm\" svg:height=\"8cm\"/>";
    let white = frame("", "1cm", &paragraph("", &span("White")));
    for (style, seen) in [
        ("DarkPage", white.clone()),
        ("PicturePage", white.clone()),
        ("", format!("{band}{white}")),
        ("", format!("{unknown}{white}")),
        ("", frame("NavyG", "1cm", &paragraph("", &span("White")))),
        ("", frame("", "1cm", &paragraph("", "PLANT one"))),
    ] {
        let content = slide(style, &seen);
        assert!(content.markdown.contains("PLANT one"), "{style} {seen}: {}", content.markdown);
        assert!(told(&content).is_empty(), "{style} {seen}: {:?}", content.warnings);
    }
}
