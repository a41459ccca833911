use std::io::Read as _;

use quick_xml::Reader;
use quick_xml::events::Event;
use zip::ZipArchive;

use super::*;
use crate::{CommonOptions, markdown};

mod texts;
mod themes;

struct Opened(ZipArchive<std::io::Cursor<Vec<u8>>>);

impl Opened {
    fn part(&mut self, name: &str) -> String {
        let mut text = String::new();
        self.0.by_name(name).unwrap().read_to_string(&mut text).unwrap();
        text
    }

    fn slide(&mut self, number: usize) -> String {
        self.part(&format!("ppt/slides/slide{number}.xml"))
    }
}

fn made(source: &str, options: &PptxOptions) -> (Pptx, Opened) {
    let made = pptx(&markdown(source).unwrap(), options).unwrap();
    let opened = Opened(ZipArchive::new(std::io::Cursor::new(made.bytes.clone())).unwrap());
    (made, opened)
}

/// Returns the text of a part, paragraph by paragraph.
fn text(xml: &str) -> String {
    let mut reader = Reader::from_str(xml);
    let (mut out, mut is_text) = (String::new(), false);
    loop {
        match reader.read_event().unwrap() {
            Event::Start(tag) => is_text = tag.name().as_ref() == "a:t",
            Event::End(tag) if tag.name().as_ref() == "a:p" => out.push('\n'),
            Event::End(_) => is_text = false,
            Event::Text(text) if is_text => out.push_str(&text),
            Event::GeneralRef(name) if is_text => {
                out.push('&');
                out.push_str(&name);
            }
            Event::Eof => return out,
            _ => {}
        }
    }
}

fn all_text(source: &str) -> Vec<String> {
    let (made, mut opened) = made(source, &PptxOptions::default());
    (1..=made.slides).map(|number| text(&opened.slide(number))).collect()
}

#[test]
fn headings_begin_slides() {
    let source = "# 年度汇报\n\n## 第一部分\n\n### 收入\n\n增长 **12.5%**\n\n#### 细分\n\n- 华东\n- 华南\n\n### 用户\n\n文字\n";
    assert_eq!(
        all_text(source),
        [
            "年度汇报\n",
            "第一部分\n2\n",
            "收入\n增长 12.5%\n细分\n华东\n华南\n3\n",
            "用户\n文字\n4\n"
        ]
    );
    // The highest headings begin the slides if text follows them.
    assert_eq!(all_text("## A\n\nx\n\n### B\n\ny\n\n## C\n\nz\n").len(), 2);
}

#[test]
fn text_without_headings_is_on_slides_too_and_rules_part_it() {
    assert_eq!(all_text("one\n\n---\n\ntwo\n\n***\n\n---\n"), ["one\n1\n", "two\n2\n", "3\n"]);
    assert_eq!(all_text("# T\n\none\n"), ["T\n", "T\none\n2\n"]);
    assert_eq!(all_text(""), [""; 0]);
}

#[test]
fn what_does_not_fit_goes_on_under_the_same_title() {
    let source = format!("## 长文\n\n{}\n", "甲乙丙丁戊己庚辛。".repeat(400));
    let slides = all_text(&source);
    assert!(slides.len() > 2, "{}", slides.len());
    assert!(slides[1].starts_with("长文（续）\n"), "{}", slides[1]);
    let text: String = slides.iter().flat_map(|slide| slide.lines().skip(1)).collect();
    let text: String = text.chars().filter(|c| !c.is_ascii_digit()).collect();
    assert_eq!(text, "甲乙丙丁戊己庚辛。".repeat(400));
}

#[test]
fn long_tables_repeat_their_head() {
    let mut source = "## 表\n\n| 月份 | DAU |\n|---|---:|\n".to_owned();
    (1..=60).for_each(|row| source.push_str(&format!("| 第 {row} 月 | {row}00 |\n")));
    let slides = all_text(&source);
    assert!(slides.len() > 2);
    for slide in &slides {
        assert!(slide.contains("月份\nDAU\n"), "{slide}");
    }
    let all = slides.concat();
    for row in 1..=60 {
        assert_eq!(all.matches(&format!("第 {row} 月\n")).count(), 1, "{row}");
    }
}

#[test]
fn a_heading_goes_with_what_it_stands_above() {
    let source =
        format!("## S\n\n{}\n### 小标题\n\n{}\n", "- 项目\n".repeat(10), "文字很长。".repeat(60));
    let slides = all_text(&source);
    let with = slides.iter().find(|slide| slide.contains("小标题")).unwrap();
    assert!(with.contains("小标题\n文字很长"), "{with}");
}

#[test]
fn lists_are_lists_and_numbers_count_on() {
    let source = "## L\n\n3. a\n   - b\n4. c\n\ntext\n\n1. d\n\n- [x] done\n- [ ] open\n";
    let xml = made(source, &PptxOptions::default()).1.slide(1);
    assert_eq!(xml.matches("<a:buAutoNum type=\"arabicPeriod\" startAt=\"3\"/>").count(), 2);
    assert_eq!(xml.matches("<a:buAutoNum type=\"arabicPeriod\" startAt=\"1\"/>").count(), 1);
    assert_eq!(xml.matches("<a:buChar char=\"•\"/>").count(), 1);
    assert!(xml.contains("<a:buChar char=\"☑\"/>") && xml.contains("<a:buChar char=\"☐\"/>"));
    // The format has no number zero.
    assert!(text(&made("## L\n\n0. a\n", &PptxOptions::default()).1.slide(1)).contains("0. a"));
}

#[test]
fn links_lead_to_addresses_and_slides_and_nowhere_else() {
    let source = "## A\n\n[web](https://a.test/?x=1&y=2) [slide](#b) [bad](javascript:alert(1))\n\n## B\n\nx\n";
    let (made, mut opened) = made(source, &PptxOptions::default());
    let relations = opened.part("ppt/slides/_rels/slide1.xml.rels");
    assert!(relations.contains("Target=\"https://a.test/?x=1&amp;y=2\" TargetMode=\"External\""));
    assert!(relations.contains("Target=\"slide2.xml\""));
    assert!(!relations.contains("javascript"));
    assert!(opened.slide(1).contains("r:id=\"rId3\" action=\"ppaction://hlinksldjump\""));
    assert_eq!(made.warnings.len(), 1, "{:?}", made.warnings);
    assert!(made.warnings[0].contains("javascript:alert(1)"), "{:?}", made.warnings);
}

#[test]
fn contents_and_notes_are_slides() {
    let options =
        PptxOptions { common: CommonOptions { contents: true, ..CommonOptions::default() } };
    let source = "# T\n\n## A\n\nx[^1]\n\n## B\n\ny[^2] z[^1]\n\n[^1]: 说明一\n[^2]: 说明二\n";
    let (made, mut opened) = made(source, &options);
    assert_eq!(made.slides, 5);
    assert_eq!(text(&opened.slide(2)), "目录\nA\nB\n2\n");
    assert!(opened.part("ppt/slides/_rels/slide2.xml.rels").contains("Target=\"slide4.xml\""));
    assert_eq!(text(&opened.slide(4)), "B\ny2 z1\n4\n");
    assert_eq!(text(&opened.slide(5)), "注释\n说明一\n说明二\n5\n");
}

#[test]
fn properties_say_who_made_it_and_the_same_text_makes_the_same_bytes() {
    let source = "---\ntitle: 汇报 & 总结\nauthor: [张三, Li]\n---\n\n# A\n\nx\n";
    let created = Some(std::time::Duration::from_secs(86_400));
    let options = PptxOptions { common: CommonOptions { created, ..CommonOptions::default() } };
    let (first, mut opened) = made(source, &options);
    let core = opened.part("docProps/core.xml");
    for part in [
        "<dc:title>汇报 &amp; 总结</dc:title>",
        "<dc:creator>张三; Li</dc:creator>",
        "1970-01-02T00:00:00Z</dcterms:created>",
    ] {
        assert!(core.contains(part), "{core}");
    }
    assert_eq!(first.bytes, made(source, &options).0.bytes);
}

#[test]
fn characters_that_xml_forbids_are_left_out_and_told() {
    let content = vec![crate::Inline::Text { text: "a\u{1}b".into() }];
    let doc = Doc { blocks: vec![crate::Block::Paragraph { content }], ..Doc::default() };
    let made = pptx(&doc, &PptxOptions::default()).unwrap();
    assert_eq!(made.warnings, ["control characters are left out: `U+0001` (block 1)"]);
}

#[test]
fn slides_are_bounded() {
    let source = "a\n\n---\n\n".repeat(MAX_SLIDES);
    let error = pptx(&markdown(&source).unwrap(), &PptxOptions::default()).unwrap_err();
    assert!(error.to_string().contains("expected at most 2000 slides, got 2001"), "{error}");
    let source = "a\n\n---\n\n".repeat(MAX_SLIDES - 1) + "a\n";
    assert_eq!(made(&source, &PptxOptions::default()).0.slides, MAX_SLIDES);
}

#[test]
fn every_part_is_whole_and_named() {
    let source = "# T\n\n## A\n\n> [!WARNING]\n> q `c` *重点* ~~s~~ **b**<br>n\n\n```rust\nfn a() {}\n```\n\n| a | b |\n|---|---|\n| 1 | |\n";
    let (_, mut opened) = made(source, &PptxOptions::default());
    let names: Vec<_> = opened.0.file_names().map(|name| name.unwrap().into_owned()).collect();
    let types = opened.part("[Content_Types].xml");
    for name in &names {
        let xml = opened.part(name);
        let mut reader = Reader::from_str(&xml);
        while !matches!(reader.read_event().unwrap(), Event::Eof) {}
        if !name.ends_with(".rels") && name != "[Content_Types].xml" {
            assert!(types.contains(&format!("PartName=\"/{name}\"")), "{name}");
        }
    }
    assert!(opened.slide(2).contains("u=\"dotted\""));
}

#[test]
fn charts_and_pictures_stand_on_slides_and_say_what_they_show() {
    let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"10\" height=\"10\"/>";
    let mut pictures = crate::Pictures::default();
    let mut file = std::io::Cursor::new(Vec::new());
    image::RgbImage::new(40, 20).write_to(&mut file, image::ImageFormat::Png).unwrap();
    pictures.insert("a.png", file.into_inner().into());
    pictures.insert("b.svg", svg.as_bytes().to_vec().into());
    let options = PptxOptions { common: CommonOptions { pictures, ..CommonOptions::default() } };
    let source = "## A\n\n![图 <1>](a.png \"说明\")\n\n![图 2](a.png)\n\nx ![in](a.png)\n\n![svg](b.svg)\n\n![none](c.png \"标题\")\n\n\
                  ```chart\ntype: column\nsource: us\n| a | b |\n|---|---|\n| x | 1 |\n| y | 2 |\n```\n";
    let (made, mut opened) = made(source, &options);
    let all: String = (1..=made.slides).map(|number| opened.slide(number)).collect();
    assert!(all.contains("none (标题)]"), "{all}");
    assert!(all.contains("descr=\"图 &lt;1&gt;\"") && all.contains("<a:t>说明</a:t>"), "{all}");
    assert_eq!(all.matches("<p:pic>").count(), 2);
    assert!(
        all.contains("descr=\"Column chart, 2 categories from x to y. b: x 1, y 2.\""),
        "{all}"
    );
    let on_slide = all.split("</p:sld>").find(|slide| slide.contains("name=\"Chart ")).unwrap();
    assert!(on_slide.contains("<a:t>Source: us</a:t>"), "{on_slide}");
    assert!(opened.part("ppt/charts/chart1.xml").contains("<c:barDir val=\"col\"/>"));
    let types = opened.part("[Content_Types].xml");
    assert!(types.contains("/ppt/charts/chart1.xml") && types.contains("Extension=\"xlsx\""));
    let of_chart = opened.part("ppt/charts/_rels/chart1.xml.rels");
    assert!(of_chart.contains("../embeddings/chart1.xlsx"), "{of_chart}");
    // The picture is stored once.
    let names: Vec<_> = opened.0.file_names().map(|name| name.unwrap().into_owned()).collect();
    assert_eq!(names.iter().filter(|name| name.starts_with("ppt/media/")).count(), 1, "{names:?}");
    assert!(opened.part("[Content_Types].xml").contains("Extension=\"png\""));
    let warnings = made.warnings.join("\n");
    for part in ["`in` (block 4", "stand by themselves", "`svg`", "`none`"] {
        assert!(warnings.contains(part), "{part}: {warnings}");
    }
}

#[test]
fn code_keeps_its_lines_and_shows_where_one_goes_on() {
    let (_, mut opened) = made("# T\n\n```\na\n\nb\n```\n\ntext\n", &PptxOptions::default());
    let slide = opened.slide(2);
    // Two columns of 13 points.
    assert_eq!(slide.matches("marL=\"203200\" indent=\"-203200\"").count(), 3, "{slide}");
    // An empty line is as high as the others, and space follows the last one.
    assert!(slide.contains("<a:endParaRPr lang=\"en-US\" sz=\"1300\"/>"), "{slide}");
    assert_eq!(slide.matches("<a:spcAft><a:spcPts val=\"0\"/>").count(), 2, "{slide}");
    // A column of code is wider than a letter: lines that continue are counted.
    let long = format!("```\n{}```\n", format!("{}\n", "x".repeat(120)).repeat(16));
    assert!(all_text(&format!("# T\n\n{long}")).len() > 2);
}

#[test]
fn numbers_of_two_digits_have_room() {
    let list = (1..=10).map(|n| format!("{n}. item\n")).collect::<String>();
    let (_, mut opened) = made(&format!("# T\n\n{list}"), &PptxOptions::default());
    let slide = opened.slide(2);
    let wide = (f64::from(2_u8) * 0.6 + 0.6) * 19.0;
    let wide = wide.round() * 12_700.0;
    assert_eq!(slide.matches(&format!("indent=\"-{wide}\"")).count(), 10, "{slide}");
}

#[test]
fn text_below_a_table_looks_like_the_text_above() {
    let source = "# T\n\nabove\n\n| a |\n|---|\n| 1 |\n\nbelow\n";
    let (_, mut opened) = made(source, &PptxOptions::default());
    let slide = opened.slide(2);
    let (_, below) = slide.split_once("txBox=\"1\"").unwrap();
    assert!(below.contains("<a:lvl1pPr><a:defRPr><a:solidFill><a:schemeClr val=\"tx1\"/></a:solidFill><a:latin typeface=\"+mn-lt\"/>"), "{below}");
}
