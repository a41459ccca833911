//! Text of mails and of inserted pages that people do not see.

use mitt_html::{Page, Viewer, read};

fn mail(html: &str) -> Page {
    read(html, Viewer::Mail)
}

const LEFT_OUT: &str =
    "text that the page hides from people was left out: 5 characters in 1 places";

#[test]
fn what_an_element_hides_is_left_out_with_a_warning() {
    for hidden in [
        "<div style='display:none'>PLANT</div>",
        "<div style='display/* */:/* */none'>PLANT</div>",
        "<div style='d\\69splay:none'>PLANT</div>",
        "<div style='color:red;display:none !important'>PLANT</div>",
        "<p hidden>PLANT</p>",
        "<p style='visibility:hidden'>PLANT</p>",
        "<p style='opacity:0'>PLANT</p>",
        "<p style='opacity:0.01'>PLANT</p>",
        "<p style='filter:opacity(0)'>PLANT</p>",
        "<p style='font-size:0'>PLANT</p>",
        "<p style='font-size:1px'>PLANT</p>",
        "<p style='font-size:0.01em'>PLANT</p>",
        "<p style='color:#fff'>PLANT</p>",
        "<p style='color:rgb(254, 254, 254)'>PLANT</p>",
        "<p style='color:rgba(0,0,0,0)'>PLANT</p>",
        "<p><font color=white>PLANT</font></p>",
        "<table><tr><td bgcolor='#333333'><span style='color:#333'>PLANT</span></td></tr></table>",
        "<p style='background:black'>PLANT</p>",
        "<p style='position:absolute;left:-9999px'>PLANT</p>",
        "<p style='text-indent:-9999px'>PLANT</p>",
        "<p style='margin-left:-9999px'>PLANT</p>",
        "<div style='max-height:0;overflow:hidden'>PLANT</div>",
        "<div style='max-height:0px;max-width:0px;overflow:hidden;mso-hide:all'>PLANT</div>",
        "<div style='height:1px;overflow:hidden'>PLANT</div>",
        "<p style='clip-path:inset(100%)'>PLANT</p>",
        "<p style='clip-path:circle(0)'>PLANT</p>",
        "<p style='clip-path:polygon(0 0, 0 0, 0 0)'>PLANT</p>",
        "<p style='transform:scale(0)'>PLANT</p>",
        "<p style='content-visibility:hidden'>PLANT</p>",
        "<dialog>PLANT</dialog>",
        "<table><tr style='display:none'><td>PLANT</td></tr></table>",
        "<div style='display:none'><div><b>PLANT</b></div></div>",
        "<img style='display:none' alt=PLANT>",
    ] {
        let page = mail(&format!("<p>Visible</p>{hidden}"));
        assert_eq!(page.markdown, "Visible", "{hidden}");
        assert_eq!(page.hidden, [LEFT_OUT], "{hidden}");
        assert!(page.warnings.is_empty(), "{hidden}");
    }
}

#[test]
fn what_a_style_sheet_hides_is_left_out_with_a_warning() {
    for css in [
        ".x{display:none}",
        "div{opacity:0}",
        ".x{color:#ffffff}",
        ".x{color:#fff;font-size:1px}",
        "p + .x{display:none}",
        "p ~ div{display:none}",
        "div:nth-child(2){display:none}",
        "div:last-child{display:none}",
        "div:only-of-type{display:none}",
        "div:not(.y){display:none}",
        ":is(section, div.x){display:none}",
        "[class^=x]{display:none}",
        "div[class~='x'] {display:none}",
        "[title$=end]{display:none}",
        "[title*=\"the\" i]{display:none}",
        ".\\78 {display:none}",
        "@media screen{.x{display:none}}",
        ".x{display:none !important} .x{display:block}",
        "a:hover{background:#222} .x{color:white}",
        "body{background:#222;color:#222} p{color:white}",
    ] {
        let page = mail(&format!(
            "<style>{css}</style><p>Visible</p><div class=x title='the end'>PLANT</div>"
        ));
        assert_eq!(page.markdown, "Visible", "{css}");
        assert_eq!(page.hidden, [LEFT_OUT], "{css}");
    }
    // A rule that is `!important` wins over the element.
    let page = mail(
        "<style>.x{display:none!important}</style><p>Visible<b class=x style='display:block'>PLANT</b>",
    );
    assert_eq!((page.markdown.as_str(), page.hidden.len()), ("Visible", 1));
    // No script lets text of a mail appear, and nobody can unfold it, however much it is.
    let much = "PLANT and more of it. ".repeat(50);
    for hidden in [
        format!("<style>.x{{display:none}}</style><p>Visible</p><div class=x>{much}</div>"),
        format!("<p>Visible</p><div style='opacity:0'>{much}</div>"),
        format!("<p>Visible</p><div class=accordion hidden>{much}</div>"),
        format!("<p>Visible</p><button aria-controls=x></button><div id=x hidden>{much}</div>"),
    ] {
        let page = mail(&hidden);
        assert_eq!((page.markdown.as_str(), page.hidden.len()), ("Visible", 1), "{hidden}");
    }
}

#[test]
fn what_people_see_stays() {
    for seen in [
        "<p>SEEN</p>",
        "<p aria-hidden=true>SEEN</p>",
        "<noscript>SEEN</noscript>",
        "<td style='font-size:0'><span style='font-size:14px'>SEEN</span></td>",
        "<p style='color:white;background:navy'>SEEN</p>",
        "<table bgcolor=navy><tr><td><font color=white>SEEN</font></td></tr></table>",
        "<table background='cid:a'><tr><td style='color:white'>SEEN</td></tr></table>",
        "<div style='background-image:url(cid:a)'><p style='color:white'>SEEN</p></div>",
        "<div style='background:linear-gradient(red,blue);color:white'>SEEN</div>",
        "<div style='color:white'><a href='https://x.org/' style='color:inherit2'>SEEN</a></div>",
        "<div style='background:#000'><a href='https://x.org/'>SEEN</a></div>",
        "<style>.x{background:#036} .x b{color:#fff}</style><div class=x><b>SEEN</b></div>",
        "<style>div:has(b){background:#036} b{color:#fff}</style><div><b>SEEN</b></div>",
        "<style>body{background:#036;color:#fff}</style><p>SEEN</p>",
        "<style>@media (max-width:600px){p{display:none}}</style><p>SEEN</p>",
        "<style>@media (prefers-color-scheme:dark){p{color:white}}</style><p>SEEN</p>",
        "<style>u + .body p{display:none}</style><p>SEEN</p>",
        "<style>.x:hover{display:none}</style><p class=x>SEEN</p>",
        "<style>p:nth-child(3){display:none}</style><p>SEEN</p>",
        "<a href='https://x.org/' style='mso-hide:all;background:#036;color:#fff'>SEEN</a>",
        "<div style='line-height:0;max-height:none;overflow:hidden'>SEEN</div>",
        "<div style='height:40px;overflow:hidden'>SEEN</div>",
        "<p style='display:none;display:block'>SEEN</p>",
        "<p style='clip-path:inset(5%)'>SEEN</p>",
        "<div style='margin-left:-9999px;padding-left:9999px'>SEEN</div>",
    ] {
        let page = mail(seen);
        assert!(page.markdown.contains("SEEN"), "{seen}: {:?}", page.markdown);
        assert!(page.hidden.is_empty(), "{seen}: {:?}", page.hidden);
    }
}

#[test]
fn lines_for_previews_are_left_out_with_the_ordinary_warning() {
    let filler = "&zwnj;&nbsp;&#847;&#8199;".repeat(60);
    let page = mail(&format!(
        "<style>.preheader{{display:none !important;mso-hide:all}}</style><body>\
         <span class=preheader>PLANT</span><div style='display:none;max-height:0'>{filler}</div><h1>News</h1>"
    ));
    assert_eq!(
        (page.markdown.as_str(), page.hidden.as_slice()),
        ("# News", [LEFT_OUT.to_owned()].as_slice())
    );
    // Filler alone is no text.
    let page = mail(&format!("<div style='display:none'>{filler}</div><p>News</p>"));
    assert_eq!((page.markdown.as_str(), page.hidden.len()), ("News", 0));
}

#[test]
fn hidden_text_does_not_hide_in_depth_tables_or_odd_elements() {
    let deep = format!(
        "<p>Visible</p>{}<div style='display:none'><p><b>PLANT</b></p></div>{}",
        "<div>".repeat(150),
        "</div>".repeat(150)
    );
    let page = mail(&deep);
    assert_eq!(
        (page.markdown.as_str(), page.hidden.as_slice()),
        ("Visible", [LEFT_OUT.to_owned()].as_slice())
    );
    // Below what is written with its structure, only the text that people see is kept.
    let deeper = format!(
        "<p>Visible</p>{}<p style='display:none'>PLANT</p><p>deep</p>",
        "<div>".repeat(40_000)
    );
    let page = mail(&deeper);
    assert!(page.markdown.contains("Visible") && page.markdown.contains("deep"));
    assert!(!page.markdown.contains("PLANT"), "{}", page.markdown);
    assert_eq!(
        (page.warnings.len(), page.hidden.as_slice()),
        (1, [LEFT_OUT.to_owned()].as_slice())
    );
    let page = mail(
        "<table><tr><th>a<th>b</tr><tr><td>1<td>2<span style='color:#fff'>PLANT</span></tr>\
         <tr hidden><td>PLANT<td>3</tr></table>",
    );
    assert_eq!(page.markdown, "| a | b |\n| --- | --- |\n| 1 | 2 |");
    assert_eq!((page.tables[0].data.rows.len(), page.hidden.len()), (1, 1));
    for odd in
        ["<iframe>PLANT</iframe>", "<template>PLANT</template>", "<svg><text>PLANT</text></svg>"]
    {
        assert_eq!(mail(&format!("<p>Visible</p>{odd}")).markdown, "Visible", "{odd}");
    }
    // The whole page is hidden: nothing is left, and the warning says so.
    for all in [
        "<body style='display:none'><p>PLANT</p></body>",
        "<html hidden><body><p>PLANT</p></body></html>",
        "<style>html{opacity:0}</style><p>PLANT</p>",
        "<style>:root{background:#000;color:#000}</style><p>PLANT</p>",
    ] {
        let page = mail(all);
        assert_eq!(
            (page.markdown.as_str(), page.hidden.as_slice()),
            ("", &[LEFT_OUT.to_owned()][..]),
            "{all}"
        );
    }
    let many = "<p hidden>x</p>".repeat(100_000);
    assert_eq!(mail(&format!("<p>Visible</p>{many}")).markdown, "Visible");
}

#[test]
fn each_program_has_its_own_way_to_hide() {
    let page = "<p>Visible</p><p style='mso-hide:all'>Word</p><p aria-hidden=true>voice</p>";
    let text = |viewer| read(page, viewer).markdown.replace('\n', "");
    assert_eq!(text(Viewer::Mail), "VisibleWordvoice");
    assert_eq!(text(Viewer::Word), "Visiblevoice");
    assert_eq!(text(Viewer::Browser), "VisibleWord");
    // A browser runs scripts, which show what is most of the page.
    let most = format!("<p>Visible</p><div style='opacity:0'>{}</div>", "text of it. ".repeat(40));
    let read = read(&most, Viewer::Browser);
    assert!(read.markdown.contains("text of it"));
    assert!(read.hidden[0].contains("until a script lets it appear"), "{:?}", read.hidden);
}
