//! Tests what is around the text of a page: first paragraphs, sidebars, captions, boxes, lines of the page.

use mitt_reader_kit::{Content, File};

fn read(html: &str) -> Content {
    let file = File { name: "page.html".into(), extension: "html".into(), password: None };
    reader_web::read(html.as_bytes(), &file).unwrap()
}

fn sentences(count: usize) -> String {
    (0..count)
        .map(|n| format!("<p>Sentence number {n} says something, and it takes a while to say so, as sentences do.</p>"))
        .collect()
}

const LEAD: &str =
    "This is the first paragraph of it, and it says what happened, where, and to whom.";

#[test]
fn the_first_paragraph_is_kept_wherever_it_stands() {
    let text = sentences(8);
    for page in [
        format!(
            "<article><header><h1>Title</h1><p class=lead>{LEAD}</p></header><div class=body>{text}</div></article>"
        ),
        format!(
            "<article><div class=top><h1>Title</h1><h2>{LEAD}</h2></div><div class=body>{text}</div></article>"
        ),
        format!(
            "<div class=article><div><h1>Title</h1></div><div class=chapo><div>{LEAD}</div></div><div class=body>{text}</div></div>"
        ),
        format!(
            "<main><h1>Title</h1><section><figure><img src=a.png></figure><strong>{LEAD}</strong></section><section>{text}</section></main>"
        ),
    ] {
        let content = read(&page);
        let at =
            content.markdown.find(LEAD).unwrap_or_else(|| panic!("{page}\n{}", content.markdown));
        assert!(at < content.markdown.find("number 0").unwrap(), "{}", content.markdown);
        assert_eq!(content.markdown.matches(LEAD).count(), 1, "{}", content.markdown);
        assert!(content.markdown.contains("number 7"));
    }
    // Parts there that are not sentences of the text.
    for (what, between) in [
        ("links", format!("<p><a href=/a>{LEAD}</a></p>")),
        ("a list", format!("<ul><li>{LEAD}</ul>")),
        ("a form", format!("<form><p>{LEAD}</p></form>")),
        ("a short line", "<p>By somebody, today</p>".to_owned()),
        ("a box", format!("<div class=newsletter><p>{LEAD}</p></div>")),
    ] {
        let page = format!(
            "<div><div class=top><h1>Title</h1>{between}</div><div class=body>{text}</div></div>"
        );
        let content = read(&page);
        assert!(
            content.markdown.starts_with("# Title\n\nSentence number 0"),
            "{what}: {}",
            content.markdown
        );
    }
}

#[test]
fn a_sidebar_that_is_longer_than_the_text_is_no_text() {
    let text = sentences(4);
    let aside = "Words of the shop, which every page of it has beside its text, and which nobody came for. ".repeat(12);
    for open in [
        "<article>",
        "<div class='entry-content'>",
        "<div class='post hentry'>",
        "<div itemprop=articleBody>",
        "<div class=articleBody>",
    ] {
        let close = if open == "<article>" { "</article>" } else { "</div>" };
        for side in [
            "<div id=sidebar><div class='widget widget_text'>",
            "<aside><div>",
            "<div class='sidebar-2'><div>",
        ] {
            let end = if side.starts_with("<aside") { "</div></aside>" } else { "</div></div>" };
            let page = format!(
                "<body><h1>Title</h1><div>{open}{text}{close}</div>{side}<p>{aside}</p>{end}"
            );
            let content = read(&page);
            assert!(content.markdown.contains("number 3"), "{open} {side}: {}", content.markdown);
            assert!(
                !content.markdown.contains("of the shop"),
                "{open} {side}: {}",
                content.markdown
            );
            assert!(content.warnings[0].contains("was left out"), "{:?}", content.warnings);
        }
    }
    // If nothing else is called the text, a name for most of the page is not believed.
    let page = format!("<body><p>A line.</p><div id=sidebar><p>{aside}</p>{text}</div>");
    assert!(read(&page).markdown.contains("of the shop"));
    // Nor is a name for a part that contains the text.
    let page =
        format!("<body><div class=sidebar-right><h1>Title</h1><article>{text}</article></div>");
    assert!(read(&page).markdown.contains("number 3"));
}

#[test]
fn a_name_is_not_believed_of_most_of_the_text() {
    let links: String = (0..150)
        .map(|n| format!("<li><a href=/{n}>Another page of this site, number {n} of many</a>"))
        .collect();
    let text = sentences(20);
    for part in [
        format!("<article><div class='the-content sticky-sidebar-parent'>{text}</div></article>"),
        format!(
            "<article><div><section class='documentContent__sharingContainer'>{text}</section></div></article>"
        ),
        format!("<div class='entry-content'><form action=/cart>{text}</form></div>"),
        format!("<div class='news-body'><div class='teaserTyp3'>{text}</div></div>"),
    ] {
        let content = read(&format!("<body><h1>Title</h1>{part}<div><ul>{links}</ul></div>"));
        assert!(content.markdown.contains("number 19 says"), "{part}: {}", content.markdown);
    }
    // The text is a small part of the page.
    let page = format!(
        "<body><h1>Title</h1><article>{text}<div class=sharing><p>Send it to your friends</p></div></article><div><ul>{links}</ul></div>"
    );
    assert!(!read(&page).markdown.contains("your friends"));
}

#[test]
fn captions_stand_for_their_pictures() {
    let text = sentences(8);
    for caption in [
        "<figure><img src=a.png alt=''><figcaption>The bridge (in 1912)</figcaption></figure>",
        "<figure><img src=a.png><figcaption><p>The bridge <b>(in 1912)</b></figcaption></figure>",
        "<div class=image><img src=a.png><p class='wp-caption-text'>The bridge (in 1912)</p></div>",
        "<div class=media><img src=a.png><div class='media__caption'>The bridge (in 1912)</div></div>",
        "<p><img src=a.png> <span class=caption>The bridge (in 1912)</span></p>",
    ] {
        let content = read(&format!(
            "<h1>Title</h1><article>{text}{caption}<p>The end of the text, which is a sentence.</p></article>"
        ));
        assert!(
            content.markdown.contains("[picture: The bridge (in 1912)]"),
            "{caption}: {}",
            content.markdown
        );
        assert_eq!(
            content.markdown.matches("bridge").count(),
            1,
            "{caption}: {}",
            content.markdown
        );
        assert!(content.markdown.contains("The end of the text"), "{caption}");
    }
    // A figure may contain something else than a picture, and a long caption is text.
    let long = "A long text below a picture, with much to say. ".repeat(30);
    for (figure, kept) in [
        ("<figure><table><tr><td>1<td>2</table><figcaption>Sales of the year</figcaption></figure>".to_owned(), "\nSales of the year"),
        ("<figure><blockquote>To be or not</blockquote><figcaption>Hamlet, act three</figcaption></figure>".to_owned(), "\nHamlet, act three"),
        (format!("<figure><img src=a.png><figcaption>{long}</figcaption></figure>"), "\nA long text below"),
    ] {
        let content = read(&format!("<h1>Title</h1><article>{}{figure}</article>", sentences(20)));
        assert!(content.markdown.contains(kept), "{figure}: {}", content.markdown);
    }
    // A page of pictures is its captions.
    let gallery: String = (0..9)
        .map(|n| format!("<figure><img src={n}.png><figcaption>Picture {n} shows a costume, which is easy to make.</figcaption></figure>"))
        .collect();
    let content =
        read(&format!("<h1>Costumes</h1><article><p>Nine of them.</p>{gallery}</article>"));
    assert!(
        content.markdown.contains("\nPicture 8 shows a costume")
            && !content.markdown.contains("[picture"),
        "{}",
        content.markdown
    );
}

#[test]
fn lines_and_boxes_of_the_page_are_not_text() {
    let text = sentences(12);
    for around in [
        "<div class='author-bio'><p>Eve writes about bridges, and has done so for a long time, for many papers.</p></div>",
        "<section id=entry-author-info><p>Eve writes about bridges, and has done so for a long time.</p></section>",
        "<h3 id=comments-title>12 answers to this text about bridges</h3>",
        "<p class=postmetadata>This was filed under bridges</p>",
        "<p class='newsletter-teaser'>Read about bridges every week</p>",
        "<article class='post_teaser'>More bridges</article>",
        "<p>- Anzeige -</p>",
        "<div><span>Advertisement:</span></div>",
        "<h4>Seite teilen</h4>",
    ] {
        let page = format!(
            "<h1>Title</h1><div class=body>{text}{around}<p>The end of the text, which is a sentence.</p></div>"
        );
        let content = read(&page);
        assert!(
            content
                .markdown
                .ends_with("as sentences do.\n\nThe end of the text, which is a sentence.\n"),
            "{around}: {}",
            content.markdown
        );
    }
    // Any number of headings at the end with nothing below them.
    let content = read(&format!(
        "<h1>Title</h1><div class=body>{text}<h2>Elsewhere</h2><div class=related><a href=/a>Other</a></div><h3>And there</h3></div>"
    ));
    assert!(content.markdown.ends_with("as sentences do.\n"), "{}", content.markdown);
    // The same words as part of the text.
    for text in [
        "<h2>Elsewhere</h2><p>Sentences below a heading are the text below it.</p>",
        "<h2>The drawing</h2><img src=a.png alt='A drawing'>",
        "<h2>Share</h2><ul><li>Print</li><li>Tweet</li></ul>",
        "<table><tr><th>Share<th>Print</tr><tr><td>1<td>2</tr></table>",
        "<p>Share what you have with others.</p>",
    ] {
        let content = read(&format!("<h1>Title</h1><div class=body>{}{text}</div>", sentences(12)));
        let plain = |html: &str| {
            html.split('<')
                .filter_map(|it| it.split_once('>'))
                .map(|it| it.1.to_owned())
                .filter(|it| !it.is_empty())
                .collect::<Vec<_>>()
        };
        for word in plain(text).iter().filter(|it| *it != "Share" || text.contains("<th>")) {
            assert!(content.markdown.contains(&**word), "{text}: {word}: {}", content.markdown);
        }
    }
}

#[test]
fn a_page_that_gives_almost_nothing_gives_more_and_says_so() {
    let menu = "<div class=menu><p>Everything that this page says, it says in its menu and nowhere else. </p></div>".repeat(6);
    let content = read(&format!("<body><div>Hello</div>{menu}"));
    assert!(content.markdown.contains("in its menu"), "{}", content.markdown);
    assert!(
        content.warnings.iter().any(|it| it.starts_with("almost nothing is left")),
        "{:?}",
        content.warnings
    );
}
