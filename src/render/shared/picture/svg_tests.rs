use super::*;

const HEAD: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"10\" height=\"20\">";

fn drawn(inner: &str) -> Result<Drawing, String> {
    read(format!("{HEAD}{inner}</svg>").as_bytes())
}

fn rewritten(inner: &str) -> String {
    let text = drawn(inner).unwrap().text;
    text.strip_prefix(HEAD).unwrap().strip_suffix("</svg>").unwrap().to_owned()
}

#[test]
fn drawings_are_written_as_they_are() {
    let inner = "<g id=\"a\" style=\"fill:url(#b)\"><path d=\"M0 0\"/><text x=\"1\">a &amp; b 图 &lt;</text></g><use xlink:href=\"#a\"/>";
    assert_eq!(rewritten(inner), inner);
    assert_eq!(rewritten("<text a='\"'>&#x56FE;</text>"), "<text a=\"&quot;\">图</text>");
    assert_eq!(
        rewritten("<style><![CDATA[a>b{fill:red}]]></style>"),
        "<style>a&gt;b{fill:red}</style>"
    );
    assert!(drawn("<g/>").unwrap().left_out.is_none());
    let text = "<?xml version=\"1.0\"?>\n<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"http://www.w3.org/x.dtd\">\n<!-- c --><svg viewBox=\"0 0 4 2\" width=\"2in\"/>";
    let drawing = read(text.as_bytes()).unwrap();
    assert_eq!(
        (drawing.points, drawing.text.as_str()),
        ((144.0, 72.0), "<svg viewBox=\"0 0 4 2\" width=\"2in\"/>")
    );
}

#[test]
fn nothing_of_a_drawing_runs_or_refers_outside() {
    for (inner, expected) in [
        ("<script>alert(1)</script><g/>", "<g/>"),
        ("<script href='x'/><g/>", "<g/>"),
        ("<SCRIPT><g/></SCRIPT>", ""),
        ("<g onload='alert(1)' ONCLICK='x' id='a'/>", "<g id=\"a\"/>"),
        ("<foreignObject><p xmlns='http://www.w3.org/1999/xhtml'>x</p></foreignObject>", ""),
        ("<image href='http://a.test/x.png' width='1'/>", "<image width=\"1\"/>"),
        ("<image xlink:href='file:///etc/passwd'/>", "<image/>"),
        ("<image href='../x.png'/>", "<image/>"),
        ("<use href='http://a.test/x.svg#a'/>", "<use/>"),
        ("<image href='data:image/svg+xml,%3Csvg/%3E'/>", "<image/>"),
        ("<image href='data:image/png;base64,AAAA'/>", "<image/>"),
        ("<a href='javascript:alert(1)'><g/></a>", "<a><g/></a>"),
        ("<g style='fill:url(http://a.test/x)'/>", "<g style=\"fill:none\"/>"),
        ("<g fill='URL( \"http://a\" )'/>", "<g fill=\"none\"/>"),
        ("<style>@import url(http://a.test);a{fill:red}</style>", "<style>a{fill:red}</style>"),
        ("<style>a{background:url(x.png)}</style>", "<style>a{background:none}</style>"),
        ("<filter id='f'><feBlend/></filter><g filter='url(#f)'/>", "<g/>"),
        ("<g style='filter:url(#f)'/>", "<g style=\"x-none:url(#f)\"/>"),
    ] {
        assert_eq!(rewritten(inner), expected, "{inner}");
    }
    assert_eq!(drawn("<script/>").unwrap().left_out.unwrap(), "scripts and what is not drawing");
    assert_eq!(
        drawn("<image href='x'/><g onload='x'/>").unwrap().left_out.unwrap(),
        "scripts and what is not drawing, what it refers to outside"
    );
}

#[test]
fn drawings_have_an_end() {
    let laughs = |levels: usize, times: usize| {
        let mut text = "<g id=\"a0\"><rect/></g>".to_owned();
        for level in 1..=levels {
            let uses = format!("<use href=\"#a{}\"/>", level - 1).repeat(times);
            text.push_str(&format!("<g id=\"a{level}\">{uses}</g>"));
        }
        text
    };
    assert!(drawn(&laughs(3, 10)).is_ok());
    let refused = |inner: &str| drawn(inner).unwrap_err();
    assert!(refused(&laughs(9, 10)).contains("at most 200000 elements"));
    assert!(refused(&laughs(30, 1)).contains("names itself"));
    assert!(refused("<g id='a'><use href='#a'/></g>").contains("names itself"));
    assert!(refused("<g id='a'><g id='a'/></g>").contains("names itself"));
    assert!(refused(&"<g>".repeat(100)).contains("at most 64 levels"));
    assert!(refused(&"<g/>".repeat(60_000)).contains("at most 50000 elements"));
    let marks = format!(
        "<marker id='m'>{}</marker><path marker-mid='url(#m)' d='M0 0'/>",
        "<rect/>".repeat(200)
    );
    assert!(refused(&marks).contains("by what names what"));
    let styled = format!(
        "<style>path{{clip-path:url(#c)}}</style><g id='c'>{}</g>{}",
        "<path/>".repeat(500),
        "<path/>".repeat(500)
    );
    assert!(refused(&styled).contains("by what names what"));
    let entities = "<!DOCTYPE svg [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><svg width='1' height='1'>&b;</svg>";
    assert!(read(entities.as_bytes()).unwrap_err().contains("without entities"));
    assert!(refused("&unknown;").contains("without entities"));
    for broken in ["<g>", "<g></p>", "</svg><svg>", "<g a=b/>", "<"] {
        assert!(drawn(broken).is_err(), "{broken}");
    }
    assert!(read(b"<html><svg/></html>").is_err());
    assert!(read(&vec![b' '; MAX_BYTES + 1]).unwrap_err().contains("at most 4194304 bytes"));
    assert!(read(b"<svg\xFF/>").unwrap_err().contains("UTF-8"));
}

#[test]
fn sizes_are_read_in_all_units() {
    let of = |attributes: &str| read(format!("<svg {attributes}/>").as_bytes()).map(|it| it.points);
    assert_eq!(of("width='96' height='48px'"), Ok((72.0, 36.0)));
    assert_eq!(of("width='2.54cm' height='25.4mm'"), Ok((72.0, 72.0)));
    assert_eq!(of("width='100%' height='100%' viewBox='0,0 40 20'"), Ok((30.0, 15.0)));
    assert_eq!(of("height='40' viewBox='0 0 2 1'"), Ok((60.0, 30.0)));
    assert_eq!(of("width='1em' height='1e1'"), Ok((12.0, 7.5)));
    for wrong in [
        "",
        "width='10'",
        "width='0' height='1'",
        "width='-1' height='1'",
        "width='1e9' height='1'",
        "width='inf' height='1'",
        "viewBox='0 0 0 0'",
        "viewBox='a'",
    ] {
        assert!(of(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn pictures_in_drawings_are_looked_at() {
    use base64::Engine as _;

    let png = super::super::samples::png(30, 20, None);
    let url = |bytes: &[u8]| {
        let content = base64::engine::general_purpose::STANDARD.encode(bytes);
        format!("<image href=\"data:image/png;base64,{content}\"/>")
    };
    let drawing = drawn(&url(&png)).unwrap();
    assert_eq!((drawing.pixels, drawing.inner.len(), drawing.left_out), (600, 1, None));
    let mut bomb = png;
    bomb[16..20].copy_from_slice(&100_000_u32.to_be_bytes());
    let drawing = drawn(&url(&bomb)).unwrap();
    assert_eq!(drawing.inner.len(), 0);
    assert_eq!(drawing.left_out.unwrap(), "damaged pictures");
}
