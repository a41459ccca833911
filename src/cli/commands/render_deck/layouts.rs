//! Which layouts of a presentation are for titles, sections and contents. Their placeholders decide, as names are in any
//! language and layouts may have any name; a name that says what its layout is for counts too.

use serde::Deserialize;

use mitt_base::{Error, ErrorKind, Result, text};

/// Most layouts that an error lists.
const MAX_LISTED: usize = 20;

/// Part of a slide's area that a placeholder for contents has at least, and each of two that are beside each other.
const LEAST: f64 = 0.18;
const LEAST_HALF: f64 = 0.1;

/// Parts of a slide's height between which the title of a section stands.
const MIDDLE: std::ops::Range<f64> = 0.3..0.8;

/// Words in the names of layouts.
const OF_TITLES: [&str; 6] = ["title slide", "cover", "标题幻灯片", "封面", "標題投影片", "首页"];
const OF_SECTIONS: [&str; 9] =
    ["section", "divider", "chapter", "节", "章", "过渡", "转场", "分隔", "區段"];
const OF_CONTENTS: [&str; 5] = ["content", "title and text", "内容", "內容", "正文"];
const OF_UPRIGHT_TEXT: [&str; 5] = ["vert", "竖", "垂直", "直排", "直書"];

/// A layout as `read_deck` returns it.
#[derive(Debug, Deserialize)]
pub(super) struct ReadLayout {
    pub(super) name: String,
    pub(super) placeholders: Vec<String>,
}

/// A rectangle on a slide in centimetres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Frame {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Frame {
    fn area(&self) -> f64 {
        self.width * self.height
    }

    /// Returns it as the tool takes it.
    pub(super) fn place(&self) -> [f64; 4] {
        [self.x, self.y, self.width, self.height].map(|it| (it * 100.0).round() / 100.0)
    }
}

/// A placeholder of a layout.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Slot {
    /// What names it in edits: `1 body "Text Placeholder 2"`.
    pub(super) label: String,
    /// By which a slide finds its place; some programs give all the same one.
    index: String,
    kind: String,
    name: String,
    pub(super) frame: Option<Frame>,
}

impl Slot {
    /// Reads a placeholder from its line; `None` if the line has another form.
    fn of(line: &str) -> Option<Slot> {
        let (label, place) = match line.rsplit_once("\" at ") {
            Some((label, place)) => (format!("{label}\""), Some(place)),
            None => (line.to_owned(), None),
        };
        let (index, rest) = label.split_once(' ')?;
        let (kind, name) = rest.split_once(' ')?;
        let (index, kind) = (index.to_owned(), kind.to_owned());
        let name = name.trim_matches('"').to_owned();
        let frame = place.and_then(|place| {
            let numbers = place.strip_suffix(" cm")?.replace(" x ", ", ");
            let numbers: Vec<f64> = numbers.split(", ").filter_map(|it| it.parse().ok()).collect();
            let [x, y, width, height] = numbers.try_into().ok()?;
            Some(Frame { x, y, width, height })
        });
        Some(Slot { label, index, kind, name, frame })
    }

    fn is_title(&self) -> bool {
        matches!(&*self.kind, "title" | "ctrTitle")
    }

    /// Returns `true` for text of several levels, and for anything.
    fn takes_contents(&self) -> bool {
        matches!(&*self.kind, "obj" | "body")
    }
}

/// A layout with the placeholders that are filled.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Use {
    /// Its name.
    pub(super) layout: String,
    pub(super) title: Option<Slot>,
    pub(super) subtitle: Option<Slot>,
    pub(super) content: Option<Slot>,
    /// The one at the right of two.
    pub(super) second: Option<Slot>,
}

/// The layouts for new slides.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Layouts {
    pub(super) title: Use,
    pub(super) section: Use,
    pub(super) content: Use,
    /// Two contents beside each other.
    pub(super) two: Option<Use>,
    /// Where contents stand on the layout for contents.
    pub(super) region: Frame,
    /// Width and height of a slide.
    pub(super) size: (f64, f64),
}

/// A layout of the presentation.
struct Layout {
    name: String,
    slots: Vec<Slot>,
    /// Height and area of a slide.
    height: f64,
    area: f64,
}

impl Layout {
    fn title(&self) -> Option<&Slot> {
        self.slots.iter().find(|it| it.is_title())
    }

    /// Returns the placeholders that are no title.
    fn others(&self) -> impl Iterator<Item = &Slot> {
        self.slots.iter().filter(|it| !it.is_title())
    }

    fn is_named(&self, words: &[&str]) -> bool {
        let name = self.name.to_lowercase();
        words.iter().any(|word| name.contains(word))
    }

    fn is_upright(&self) -> bool {
        let is_upright =
            |name: &str| OF_UPRIGHT_TEXT.iter().any(|it| name.to_lowercase().contains(it));
        is_upright(&self.name) || self.slots.iter().any(|it| is_upright(&it.name))
    }

    /// Returns the part of the slide that a placeholder has; one without a place may be as large as needed.
    fn share(&self, slot: &Slot) -> f64 {
        slot.frame.map_or(0.4, |frame| frame.area() / self.area)
    }

    fn has_middle_title(&self) -> bool {
        let middle = self.title().and_then(|it| it.frame);
        middle.is_some_and(|it| MIDDLE.contains(&((it.y + it.height / 2.0) / self.height)))
    }

    /// Returns the largest placeholder for contents, if it is large enough.
    fn content(&self) -> Option<&Slot> {
        let all = self.others().filter(|it| it.takes_contents() && self.share(it) >= LEAST);
        all.max_by(|one, other| self.share(one).total_cmp(&self.share(other)))
    }

    /// Returns how well it suits titles; `None` if not at all.
    fn rank_as_title(&self) -> Option<i32> {
        let title = self.title()?;
        let has = |kind: &str| self.others().any(|it| it.kind == kind);
        let rank = 100 * i32::from(title.kind == "ctrTitle")
            + 60 * i32::from(self.is_named(&OF_TITLES))
            + 30 * i32::from(has("subTitle"))
            + 10 * i32::from(self.has_middle_title())
            - 30 * self.others().filter(|it| !matches!(&*it.kind, "subTitle" | "body")).count()
                as i32
            - 20 * i32::from(self.is_upright());
        (rank >= 30).then_some(rank)
    }

    /// Returns how well it suits titles of sections; `None` if not at all.
    fn rank_as_section(&self) -> Option<i32> {
        let title = self.title()?;
        let others = self.others().count() as i32;
        let small = |it: &&Slot| it.kind == "body" && self.share(it) < 0.3;
        let rank = 60 * i32::from(self.is_named(&OF_SECTIONS))
            + 20 * i32::from(self.has_middle_title())
            + 20 * i32::from(others == 1 && self.others().any(|it| small(&it)))
            + 20 * i32::from(others == 0 && self.has_middle_title())
            + 10 * i32::from(title.kind == "title")
            - 40 * self.others().filter(|it| it.kind != "body" && it.kind != "subTitle").count()
                as i32
            - 10 * (others - 1).max(0)
            - 60 * i32::from(self.is_upright());
        (rank >= 40).then_some(rank)
    }

    /// Returns how well it suits contents; `None` if not at all.
    fn rank_as_content(&self) -> Option<i32> {
        let (title, content) = (self.title()?, self.content()?);
        let rank = 40 * i32::from(self.is_named(&OF_CONTENTS))
            + 20 * i32::from(content.kind == "obj")
            + (40.0 * self.share(content)) as i32
            - 25 * (self.others().count() as i32 - 1)
            - 50 * i32::from(title.kind == "ctrTitle")
            - 100 * i32::from(self.is_upright());
        Some(rank)
    }

    /// Returns two placeholders for contents that are beside each other and all that there is below the title.
    fn pair(&self) -> Option<(&Slot, &Slot)> {
        self.title().filter(|it| it.kind == "title")?;
        let others: Vec<&Slot> = self.others().collect();
        let [one, other] = others[..] else { return None };
        let (first, second) = (one.frame?, other.frame?);
        let is_large = |it: &Slot| it.takes_contents() && self.share(it) >= LEAST_HALF;
        let is_even = (first.height - second.height).abs() < first.height * 0.2
            && (first.y - second.y).abs() < self.height * 0.1;
        let is_apart = one.index != other.index;
        if !(is_large(one) && is_large(other) && is_even && is_apart) || self.is_upright() {
            return None;
        }
        let ((left, frame), right) = if first.x <= second.x {
            ((one, first), (other, second))
        } else {
            ((other, second), (one, first))
        };
        (frame.x + frame.width <= right.1.x + 0.2).then_some((left, right.0))
    }

    fn with(&self, subtitle: Option<&Slot>, content: Option<&Slot>, second: Option<&Slot>) -> Use {
        Use {
            layout: self.name.clone(),
            title: self.title().cloned(),
            subtitle: subtitle.cloned(),
            content: content.cloned(),
            second: second.cloned(),
        }
    }
}

impl Layouts {
    /// Chooses layouts by their placeholders.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - no layout has a title; the message lists the layouts.
    pub(super) fn choose(read: &[ReadLayout], size: (f64, f64)) -> Result<Layouts> {
        let mut all: Vec<Layout> = Vec::new();
        for layout in read {
            // Edits name a layout, so that only the first one of a name can be chosen.
            if all.iter().all(|it| it.name != layout.name) {
                let slots = layout.placeholders.iter().filter_map(|it| Slot::of(it)).collect();
                let (height, area) = (size.1, (size.0 * size.1).max(1.0));
                all.push(Layout { name: layout.name.clone(), slots, height, area });
            }
        }
        let Some(titled) = all.iter().filter(|it| it.title().is_some()).min_by_key(|it| {
            // The fewest other placeholders.
            let is_centered = it.title().is_some_and(|it| it.kind == "ctrTitle");
            (it.others().count(), is_centered, it.has_middle_title())
        }) else {
            return Err(without_titles(&all));
        };
        let best = |rank: fn(&Layout) -> Option<i32>| {
            let ranked = all.iter().filter_map(|it| Some((rank(it)?, it)));
            // The first one of several with the same rank.
            ranked.rev().max_by_key(|it| it.0).map(|it| it.1)
        };
        let content = match best(Layout::rank_as_content) {
            Some(layout) => layout.with(None, layout.content(), None),
            None => titled.with(None, None, None),
        };
        let section = best(Layout::rank_as_section).or_else(|| best(Layout::rank_as_title));
        let section = section.unwrap_or(titled).with(None, None, None);
        let title = match best(Layout::rank_as_title) {
            Some(layout) => layout.with(subtitle(layout), None, None),
            None => section.clone(),
        };
        let two = all.iter().find_map(|it| it.pair().map(|pair| (it, pair)));
        let two = two.map(|(it, (left, right))| it.with(None, Some(left), Some(right)));
        let region = region(&content, size);
        Ok(Layouts { title, section, content, two, region, size })
    }
}

/// Returns the placeholder for authors and date.
fn subtitle(layout: &Layout) -> Option<&Slot> {
    let of = |kind: &str| layout.others().find(|it| it.kind == kind);
    of("subTitle").or_else(|| of("body"))
}

/// Returns where contents stand: in their placeholder, or below the title.
fn region(content: &Use, (width, height): (f64, f64)) -> Frame {
    if let Some(frame) = content.content.as_ref().and_then(|it| it.frame) {
        return frame;
    }
    let (x, usual) = (width * 0.08, height * 0.25);
    let below = content.title.as_ref().and_then(|it| it.frame).map(|it| it.y + it.height + 0.3);
    let y = below.filter(|it| *it < height * 0.5).unwrap_or(usual);
    Frame { x, y, width: width - 2.0 * x, height: height * 0.92 - y }
}

fn without_titles(all: &[Layout]) -> Error {
    let mut names: Vec<String> =
        all.iter().take(MAX_LISTED).map(|it| format!("`{}`", text::one_line(&it.name))).collect();
    if all.len() > MAX_LISTED {
        names.push(format!("and {} more", all.len() - MAX_LISTED));
    }
    let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    let message = format!("expected a layout with a placeholder for a title, got {names}");
    Error::new(ErrorKind::Input, message)
        .hint("add such a layout in the view of the slide master, or leave the template out")
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    fn layout(name: &str, placeholders: &[&str]) -> ReadLayout {
        let placeholders = placeholders.iter().map(|it| (*it).to_owned()).collect();
        ReadLayout { name: name.to_owned(), placeholders }
    }

    /// Returns the layouts that python-pptx has, with other names if `names` are given.
    fn usual(names: Option<&str>) -> Vec<ReadLayout> {
        let all = [
            layout(
                "Title Slide",
                &[
                    "0 ctrTitle \"Title 1\" at 1.9, 5.92, 21.59 x 4.08 cm",
                    "1 subTitle \"Subtitle 2\" at 3.81, 10.8, 17.78 x 4.87 cm",
                ],
            ),
            layout(
                "Title and Content",
                &[
                    "0 title \"Title 1\" at 1.27, 0.76, 22.86 x 3.18 cm",
                    "1 obj \"Content Placeholder 2\" at 1.27, 4.45, 22.86 x 12.57 cm",
                ],
            ),
            layout(
                "Section Header",
                &[
                    "0 title \"Title 1\" at 2.01, 12.24, 21.59 x 3.78 cm",
                    "1 body \"Text Placeholder 2\" at 2.01, 8.07, 21.59 x 4.17 cm",
                ],
            ),
            layout(
                "Two Content",
                &[
                    "0 title \"Title 1\" at 1.27, 0.76, 22.86 x 3.18 cm",
                    "1 obj \"Content Placeholder 2\" at 1.27, 4.45, 11.22 x 12.57 cm",
                    "2 obj \"Content Placeholder 3\" at 12.91, 4.45, 11.22 x 12.57 cm",
                ],
            ),
            layout("Title Only", &["0 title \"Title 1\" at 1.27, 0.76, 22.86 x 3.18 cm"]),
            layout("Blank", &[]),
            layout(
                "Title and Vertical Text",
                &[
                    "0 title \"Title 1\" at 1.27, 0.76, 22.86 x 3.18 cm",
                    "1 body \"Vertical Text Placeholder 2\" at 1.27, 4.45, 22.86 x 12.57 cm",
                ],
            ),
        ];
        let rename = |(at, it): (usize, ReadLayout)| match names {
            Some(name) => ReadLayout { name: format!("{name}{at}"), ..it },
            None => it,
        };
        all.into_iter().enumerate().map(rename).collect()
    }

    pub(crate) fn chosen() -> Layouts {
        Layouts::choose(&usual(None), (25.4, 19.05)).unwrap()
    }

    #[test]
    fn layouts_are_chosen_by_placeholders_whatever_their_names() {
        for names in [None, Some("版式"), Some("")] {
            let all = usual(names);
            let layouts = Layouts::choose(&all, (25.4, 19.05)).unwrap();
            let name = |at: usize| &all[at].name;
            assert_eq!(layouts.title.layout, *name(0));
            assert_eq!(layouts.content.layout, *name(1));
            assert_eq!(layouts.section.layout, *name(2));
            assert_eq!(layouts.two.as_ref().map(|it| &it.layout), Some(name(3)));
            assert_eq!(
                layouts.title.subtitle.map(|it| it.label),
                Some("1 subTitle \"Subtitle 2\"".to_owned())
            );
            assert_eq!(layouts.region.place(), [1.27, 4.45, 22.86, 12.57]);
        }
    }

    #[test]
    fn names_in_chinese_count_where_placeholders_are_alike() {
        let text = &[
            "0 title \"标题 1\" at 2, 1, 29 x 3 cm",
            "1 body \"文本占位符 2\" at 2, 5, 29 x 12 cm",
        ][..];
        let all =
            [layout("标题和竖排文字", text), layout("图表页", text), layout("标题和内容", text)];
        let layouts = Layouts::choose(&all, (33.87, 19.05)).unwrap();
        assert_eq!(layouts.content.layout, "标题和内容");
        assert!(layouts.two.is_none());
    }

    #[test]
    fn odd_layouts_do_as_well_as_they_can() {
        let only = [layout("页", &["0 title \"标题 1\" at 2, 1, 29 x 3 cm"])];
        let layouts = Layouts::choose(&only, (33.87, 19.05)).unwrap();
        assert_eq!((&*layouts.title.layout, &*layouts.section.layout), ("页", "页"));
        assert!(layouts.content.content.is_none());
        assert_eq!(layouts.region.place(), [2.71, 4.3, 28.45, 13.23]);
        // The first one of two layouts of a name is the one that edits reach.
        let twins = [
            layout("A", &["0 title \"T\" at 2, 1, 29 x 3 cm"]),
            layout("A", &["0 title \"T\" at 2, 1, 29 x 3 cm", "1 obj \"C\" at 2, 5, 29 x 12 cm"]),
        ];
        assert!(Layouts::choose(&twins, (33.87, 19.05)).unwrap().content.content.is_none());
    }

    #[test]
    fn two_placeholders_of_one_number_are_no_pair() {
        for (number, expected) in [("2", true), ("1", false)] {
            let second = format!("{number} obj \"R\" at 12.91, 4.45, 11.22 x 12.57 cm");
            let all = [layout(
                "Two",
                &[
                    "0 title \"T\" at 1.27, 0.76, 22.86 x 3.18 cm",
                    "1 obj \"L\" at 1.27, 4.45, 11.22 x 12.57 cm",
                    &second,
                ],
            )];
            let layouts = Layouts::choose(&all, (25.4, 19.05)).unwrap();
            assert_eq!(layouts.two.is_some(), expected, "{number}");
        }
    }

    #[test]
    fn layouts_without_a_title_are_listed() {
        let all = [layout("Blank", &[]), layout("图", &["1 pic \"P\" at 1, 1, 5 x 5 cm"])];
        let error = Layouts::choose(&all, (33.87, 19.05)).unwrap_err().render();
        assert!(error.contains("expected a layout with a placeholder for a title"), "{error}");
        assert!(error.contains("got `Blank`, `图`"), "{error}");
        assert!(Layouts::choose(&[], (1.0, 1.0)).unwrap_err().render().contains("got none"));
    }
}
