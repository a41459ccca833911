//! Formats of cells. New ones are appended; those that are there keep their bytes and their numbers.

use super::dates::{built_in, is_built_in_date};
use crate::xml::{
    Tag, TagKind, XmlToken, children, element, escape, first_tag, set_attribute, xml_tokens,
};
use std::collections::BTreeMap;

/// Most formats of a workbook; Excel allows 65 490.
const MAX_FORMATS: usize = 64_000;

/// What changes in the format of cells. What is `None` stays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Format {
    pub number_format: Option<String>,
    pub bold: Option<bool>,
    pub italic: Option<bool>,
    pub underline: Option<bool>,
    /// `FF0000`.
    pub color: Option<String>,
    pub font: Option<String>,
    /// Size in points.
    pub size: Option<f64>,
    /// `FFFF00`, or `none`.
    pub fill: Option<String>,
    /// `thin`, `medium`, `thick`, `double`, `dashed`, `dotted`, `hair`, or `none`; on all sides.
    pub border: Option<String>,
    /// `left`, `center`, `right`, `general` …
    pub horizontal: Option<String>,
    /// `top`, `center`, `bottom`.
    pub vertical: Option<String>,
    pub wrap: Option<bool>,
}

/// What formulas can ask of the format of a cell.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CellLook {
    /// Code of the number format.
    pub(crate) code: String,
    pub(crate) horizontal: Option<String>,
    pub(crate) is_locked: bool,
}

/// A list of formats in the source, and what is appended to it.
#[derive(Debug, Default)]
struct List {
    items: Vec<String>,
    /// Number of those that were there.
    old: usize,
}

impl List {
    fn read(xml: &str, name: &str) -> Self {
        let items: Vec<String> = element(xml, name)
            .map(|it| children(it.1).into_iter().map(str::to_owned).collect())
            .unwrap_or_default();
        Self { old: items.len(), items }
    }

    /// Returns the number of an item, which is appended if there is none like it.
    fn add(&mut self, item: String) -> u32 {
        // The first ones have meanings of their own.
        let found = self.items.iter().rposition(|it| *it == item);
        found.unwrap_or_else(|| {
            self.items.push(item);
            self.items.len() - 1
        }) as u32
    }

    fn added(&self) -> &[String] {
        &self.items[self.old.min(self.items.len())..]
    }
}

#[derive(Debug)]
pub(crate) struct Styles {
    xml: String,
    prefix: String,
    formats: List,
    fonts: List,
    fills: List,
    borders: List,
    /// Formats of conditional formats.
    differences: List,
    codes: BTreeMap<u32, String>,
    new_codes: Vec<(u32, String)>,
}

impl Styles {
    pub(crate) fn read(xml: String) -> Self {
        let prefix = xml_tokens(&xml).find_map(|token| match token {
            XmlToken::Tag(tag) => Some(tag.prefix().to_owned()),
            _ => None,
        });
        let mut codes = BTreeMap::new();
        if let Some((_, list)) = element(&xml, "numFmts") {
            for tag in children(list).into_iter().filter_map(first_tag) {
                let code = tag.text("formatCode").unwrap_or_default();
                codes.insert(tag.number("numFmtId").unwrap_or(0), code);
            }
        }
        Self {
            formats: List::read(&xml, "cellXfs"),
            fonts: List::read(&xml, "fonts"),
            fills: List::read(&xml, "fills"),
            borders: List::read(&xml, "borders"),
            differences: List::read(&xml, "dxfs"),
            codes,
            new_codes: Vec::new(),
            prefix: prefix.unwrap_or_default(),
            xml,
        }
    }

    /// Returns `true` if there are formats to which others can be added.
    pub(crate) fn has_formats(&self) -> bool {
        !self.formats.items.is_empty()
    }

    fn format(&self, style: u32) -> &str {
        self.formats.items.get(style as usize).map_or("<xf/>", String::as_str)
    }

    /// Returns the code of the number format of a cell.
    pub(crate) fn code(&self, style: u32) -> String {
        let number =
            first_tag(self.format(style)).and_then(|tag| tag.number("numFmtId")).unwrap_or(0);
        match self.codes.get(&number) {
            Some(code) => code.clone(),
            None if is_built_in_date(number) => built_in(number).unwrap_or("yyyy-mm-dd").to_owned(),
            None => built_in(number).unwrap_or("General").to_owned(),
        }
    }

    /// Returns what formulas can ask of a format.
    pub(crate) fn cell_look(&self, style: u32) -> CellLook {
        let format = self.format(style);
        let part = |name: &str, attribute: &str| {
            let (_, element) = element(format, name)?;
            first_tag(element)?.text(attribute)
        };
        let is_open = part("protection", "locked").is_some_and(|it| matches!(&*it, "0" | "false"));
        CellLook {
            code: self.code(style),
            horizontal: part("alignment", "horizontal"),
            is_locked: !is_open,
        }
    }

    /// Returns `true` if all formats have the same numbers.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.xml == other.xml
    }

    /// Returns what a person sees of a format: kinds in the same order for all, with their values.
    pub(crate) fn look(&self, style: u32) -> Vec<(&'static str, String)> {
        let tag = first_tag(self.format(style));
        let number = |name: &str| tag.and_then(|it| it.number(name)).unwrap_or(0) as usize;
        let font = self.fonts.items.get(number("fontId")).map_or("", String::as_str);
        let fill = self.fills.items.get(number("fillId")).map_or("", String::as_str);
        let mut look = vec![("number format", self.code(style)), ("fill", shown_fill(fill))];
        look.extend(shown_font(font));
        look
    }

    /// Returns what a person sees of a conditional format.
    pub(crate) fn difference_look(&self, number: u32) -> String {
        let Some(item) = self.differences.items.get(number as usize) else { return String::new() };
        let mut look: Vec<(&str, String)> =
            element(item, "font").map(|it| shown_font(it.1)).unwrap_or_default();
        // Here the background is the colour that is seen.
        let fill = element(item, "bgColor").map_or("none".to_owned(), |it| shown_color(it.1));
        look.push(("fill", fill));
        look.retain(|it| !matches!(it.1.as_str(), "none" | "no" | "automatic"));
        let shown = look.iter().map(|(kind, value)| format!("{kind} {value}"));
        shown.collect::<Vec<_>>().join(", ")
    }

    pub(crate) fn shows_dates(&self, style: u32) -> bool {
        mitt_number_format::is_date(&self.code(style))
    }

    /// Returns the format that shows a date and is otherwise like `style`.
    pub(crate) fn for_date(&mut self, style: u32, has_time: bool) -> Result<u32, String> {
        if self.shows_dates(style) {
            return Ok(style);
        }
        let code = if has_time { "yyyy-mm-dd hh:mm" } else { "yyyy-mm-dd" };
        self.changed(style, &Format { number_format: Some(code.to_owned()), ..Format::default() })
    }

    /// Returns the number of a format that is like `style` but for a change.
    ///
    /// # Errors
    /// One sentence: what cannot be set.
    pub(crate) fn changed(&mut self, style: u32, change: &Format) -> Result<u32, String> {
        if self.formats.items.len() >= MAX_FORMATS {
            return Err("the workbook has too many formats".to_owned());
        }
        let mut xf = self.format(style).to_owned();
        let number =
            |xf: &str, name: &str| first_tag(xf).and_then(|tag| tag.number(name)).unwrap_or(0);
        if let Some(code) = &change.number_format {
            let id = self.number_of(code)?;
            xf = with(&xf, &[("numFmtId", &id.to_string()), ("applyNumberFormat", "1")]);
        }
        let font = self.changed_font(number(&xf, "fontId"), change)?;
        if let Some(font) = font {
            xf = with(&xf, &[("fontId", &font.to_string()), ("applyFont", "1")]);
        }
        if let Some(fill) = &change.fill {
            let prefix = &self.prefix;
            let item = match fill.as_str() {
                "none" => format!(
                    "<{prefix}fill><{prefix}patternFill patternType=\"none\"/></{prefix}fill>"
                ),
                fill => format!(
                    "<{prefix}fill><{prefix}patternFill patternType=\"solid\"><{prefix}fgColor rgb=\"{}\"/><{prefix}bgColor indexed=\"64\"/></{prefix}patternFill></{prefix}fill>",
                    color(fill)?
                ),
            };
            let id = if fill == "none" { 0 } else { self.fills.add(item) };
            xf = with(&xf, &[("fillId", &id.to_string()), ("applyFill", "1")]);
        }
        if let Some(border) = &change.border {
            const KNOWN: [&str; 8] =
                ["none", "thin", "medium", "thick", "double", "dashed", "dotted", "hair"];
            if !KNOWN.contains(&border.as_str()) {
                return Err(format!("expected a border of {}, got `{border}`", KNOWN.join(", ")));
            }
            let prefix = &self.prefix;
            let side = |name: &str| match border.as_str() {
                "none" => format!("<{prefix}{name}/>"),
                style => format!(
                    "<{prefix}{name} style=\"{style}\"><{prefix}color auto=\"1\"/></{prefix}{name}>"
                ),
            };
            let sides: String = ["left", "right", "top", "bottom"].into_iter().map(side).collect();
            let id = self
                .borders
                .add(format!("<{prefix}border>{sides}<{prefix}diagonal/></{prefix}border>"));
            xf = with(&xf, &[("borderId", &id.to_string()), ("applyBorder", "1")]);
        }
        if change.horizontal.is_some() || change.vertical.is_some() || change.wrap.is_some() {
            xf = self.aligned(&xf, change)?;
        }
        Ok(self.formats.add(xf))
    }

    fn number_of(&mut self, code: &str) -> Result<u32, String> {
        if code.is_empty()
            || code.chars().count() > 255
            || !code.matches('"').count().is_multiple_of(2)
        {
            return Err(format!("expected a number format of Excel, got `{code}`"));
        }
        for id in [0, 1, 2, 3, 4, 9, 10, 11, 12, 13, 49] {
            if built_in(id) == Some(code) {
                return Ok(id);
            }
        }
        if let Some((id, _)) = self.codes.iter().find(|it| it.1 == code) {
            return Ok(*id);
        }
        let id = self.codes.keys().max().map_or(164, |max| (max + 1).max(164));
        self.codes.insert(id, code.to_owned());
        self.new_codes.push((id, code.to_owned()));
        Ok(id)
    }

    fn changed_font(&mut self, id: u32, change: &Format) -> Result<Option<u32>, String> {
        const ORDER: [&str; 15] = [
            "b",
            "i",
            "strike",
            "condense",
            "extend",
            "outline",
            "shadow",
            "u",
            "vertAlign",
            "sz",
            "color",
            "name",
            "family",
            "charset",
            "scheme",
        ];
        let prefix = self.prefix.clone();
        let old = self
            .fonts
            .items
            .get(id as usize)
            .cloned()
            .unwrap_or_else(|| format!("<{prefix}font/>"));
        let mut parts: Vec<(String, String)> = children(&old)
            .into_iter()
            .filter_map(|raw| Some((first_tag(raw)?.name.to_owned(), raw.to_owned())))
            .collect();
        let mut set = |name: &str, raw: Option<String>| {
            parts.retain(|it| it.0 != name);
            parts.extend(raw.map(|raw| (name.to_owned(), raw)));
        };
        let mut is_changed = false;
        for (name, value) in [("b", change.bold), ("i", change.italic), ("u", change.underline)] {
            if let Some(value) = value {
                is_changed = true;
                set(name, value.then(|| format!("<{prefix}{name}/>")));
            }
        }
        if let Some(value) = &change.color {
            is_changed = true;
            set("color", Some(format!("<{prefix}color rgb=\"{}\"/>", color(value)?)));
        }
        if let Some(name) = &change.font {
            is_changed = true;
            set("name", Some(format!("<{prefix}name val=\"{}\"/>", escape(name))));
            set("scheme", None);
        }
        if let Some(size) = change.size {
            if !(1.0..=409.0).contains(&size) {
                return Err(format!("expected a size of the font from 1 to 409, got {size}"));
            }
            is_changed = true;
            set("sz", Some(format!("<{prefix}sz val=\"{size}\"/>")));
        }
        if !is_changed {
            return Ok(None);
        }
        parts.sort_by_key(|it| ORDER.iter().position(|name| *name == it.0));
        let inner: String = parts.into_iter().map(|it| it.1).collect();
        Ok(Some(self.fonts.add(format!("<{prefix}font>{inner}</{prefix}font>"))))
    }

    fn aligned(&self, xf: &str, change: &Format) -> Result<String, String> {
        let prefix = &self.prefix;
        let old =
            element(xf, "alignment").map_or(format!("<{prefix}alignment/>"), |it| it.1.to_owned());
        let mut new = old.clone();
        if let Some(value) = &change.horizontal {
            const KNOWN: [&str; 7] =
                ["general", "left", "center", "right", "fill", "justify", "centerContinuous"];
            if !KNOWN.contains(&value.as_str()) {
                return Err(format!("expected {}, got `{value}`", KNOWN.join(", ")));
            }
            new = set_attribute(&new, "horizontal", value);
        }
        if let Some(value) = &change.vertical {
            if !["top", "center", "bottom", "justify"].contains(&value.as_str()) {
                return Err(format!("expected top, center, bottom or justify, got `{value}`"));
            }
            new = set_attribute(&new, "vertical", value);
        }
        if let Some(value) = change.wrap {
            new = set_attribute(&new, "wrapText", if value { "1" } else { "0" });
        }
        let xf = with(xf, &[("applyAlignment", "1")]);
        if xf.contains(&old) {
            return Ok(xf.replacen(&old, &new, 1));
        }
        let end = xf.find('>').map_or(xf.len(), |at| at + 1);
        Ok(match xf[..end].strip_suffix("/>") {
            Some(open) => format!("{}>{new}</{prefix}xf>", open.trim_end()),
            None => format!("{}{new}{}", &xf[..end], &xf[end..]),
        })
    }

    /// Adds a format for a conditional format, and returns its number.
    pub(crate) fn add_difference(&mut self, change: &Format) -> Result<u32, String> {
        let prefix = self.prefix.clone();
        let mut inner = String::new();
        if change.bold.is_some() || change.italic.is_some() || change.color.is_some() {
            inner.push_str(&format!("<{prefix}font>"));
            for (name, value) in [("b", change.bold), ("i", change.italic)] {
                if value == Some(true) {
                    inner.push_str(&format!("<{prefix}{name}/>"));
                }
            }
            if let Some(value) = &change.color {
                inner.push_str(&format!("<{prefix}color rgb=\"{}\"/>", color(value)?));
            }
            inner.push_str(&format!("</{prefix}font>"));
        }
        if let Some(fill) = change.fill.as_deref().filter(|it| *it != "none") {
            // In these formats the background is the colour that is seen.
            inner.push_str(&format!(
                "<{prefix}fill><{prefix}patternFill><{prefix}bgColor rgb=\"{}\"/></{prefix}patternFill></{prefix}fill>",
                color(fill)?
            ));
        }
        if inner.is_empty() {
            return Err("a conditional format needs a fill, a colour, bold or italic".to_owned());
        }
        Ok(self.differences.add(format!("<{prefix}dxf>{inner}</{prefix}dxf>")))
    }

    /// Returns the part with what was added; `None` if nothing was.
    pub(crate) fn written(&self) -> Option<String> {
        let mut xml = self.xml.clone();
        let codes: Vec<String> = self
            .new_codes
            .iter()
            .map(|(id, code)| {
                format!(
                    "<{}numFmt numFmtId=\"{id}\" formatCode=\"{}\"/>",
                    self.prefix,
                    escape(code)
                )
            })
            .collect();
        let lists: [(&str, &[String]); 6] = [
            ("numFmts", &codes),
            ("fonts", self.fonts.added()),
            ("fills", self.fills.added()),
            ("borders", self.borders.added()),
            ("cellXfs", self.formats.added()),
            ("dxfs", self.differences.added()),
        ];
        for (name, added) in lists {
            if !added.is_empty() {
                xml = appended(&xml, name, added, &self.prefix);
            }
        }
        (xml != self.xml).then_some(xml)
    }
}

fn shown_font(font: &str) -> Vec<(&'static str, String)> {
    let switch = |name: &str| {
        let tag = element(font, name).and_then(|it| first_tag(it.1));
        let is_on =
            tag.is_some_and(|it| !matches!(it.attribute("val"), Some("0" | "false" | "none")));
        if is_on { "yes" } else { "no" }.to_owned()
    };
    let color = element(font, "color").map_or("automatic".to_owned(), |it| shown_color(it.1));
    vec![
        ("bold", switch("b")),
        ("italic", switch("i")),
        ("underline", switch("u")),
        ("colour", color),
    ]
}

fn shown_fill(fill: &str) -> String {
    if element(fill, "gradientFill").is_some() {
        return format!("gradient {}", fill.split_ascii_whitespace().collect::<Vec<_>>().join(" "));
    }
    let pattern = element(fill, "patternFill").and_then(|it| first_tag(it.1));
    let kind = pattern.and_then(|it| it.text("patternType")).unwrap_or_default();
    let color = element(fill, "fgColor").map_or("automatic".to_owned(), |it| shown_color(it.1));
    match kind.as_str() {
        "" | "none" => "none".to_owned(),
        "solid" => color,
        other => format!("{other} {color}"),
    }
}

fn shown_color(raw: &str) -> String {
    let Some(tag) = first_tag(raw) else { return "automatic".to_owned() };
    let tint = tag.text("tint").map(|it| format!(" tint {it}")).unwrap_or_default();
    if let Some(rgb) = tag.text("rgb") {
        let plain = if rgb.len() == 8 { &rgb[2..] } else { &rgb };
        return format!("{}{tint}", plain.to_uppercase());
    }
    for kind in ["theme", "indexed"] {
        // The last one of the indexed colours is that of the system.
        if let Some(number) = tag.text(kind).filter(|it| (kind, it.as_str()) != ("indexed", "64")) {
            return format!("{kind} {number}{tint}");
        }
    }
    "automatic".to_owned()
}

/// Appends items to a list, which is created in its place if there is none.
fn appended(xml: &str, list: &str, items: &[String], prefix: &str) -> String {
    const ORDER: [&str; 9] = [
        "numFmts",
        "fonts",
        "fills",
        "borders",
        "cellStyleXfs",
        "cellXfs",
        "cellStyles",
        "dxfs",
        "tableStyles",
    ];
    let inner: String = items.concat();
    if let Some((at, old)) = element(xml, list) {
        let count = children(old).len() + items.len();
        let open_end = old.find('>').map_or(old.len(), |it| it + 1);
        let open = set_attribute(&old[..open_end], "count", &count.to_string());
        let new = match open.strip_suffix("/>") {
            Some(open) => format!("{}>{inner}</{prefix}{list}>", open.trim_end()),
            None => {
                let close = old.rfind("</").unwrap_or(old.len());
                format!("{open}{}{inner}{}", &old[open_end..close], &old[close..])
            }
        };
        return format!("{}{new}{}", &xml[..at], &xml[at + old.len()..]);
    }
    let new = format!("<{prefix}{list} count=\"{}\">{inner}</{prefix}{list}>", items.len());
    let rank = ORDER.iter().position(|it| *it == list).unwrap_or(ORDER.len());
    let mut all = xml_tokens(xml);
    let mut depth = 0_u32;
    loop {
        let at = all.offset();
        let Some(token) = all.next() else { return xml.to_owned() };
        let XmlToken::Tag(tag) = token else { continue };
        let is_behind =
            |tag: &Tag<'_>| ORDER.iter().position(|it| *it == tag.name).is_none_or(|it| it > rank);
        match tag.kind {
            TagKind::Close => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return format!("{}{new}{}", &xml[..at], &xml[at..]);
                }
            }
            _ if depth == 1 && is_behind(&tag) => {
                return format!("{}{new}{}", &xml[..at], &xml[at..]);
            }
            TagKind::Open => depth += 1,
            TagKind::Empty => {}
        }
    }
}

/// Sets attributes of the first tag of an element.
fn with(element: &str, attributes: &[(&str, &str)]) -> String {
    let end = element.find('>').map_or(element.len(), |at| at + 1);
    let tag = attributes
        .iter()
        .fold(element[..end].to_owned(), |tag, (name, value)| set_attribute(&tag, name, value));
    tag + &element[end..]
}

/// Returns a colour with its opacity.
pub(crate) fn color(text: &str) -> Result<String, String> {
    let digits = text.trim().trim_start_matches('#');
    let is_hex = digits.bytes().all(|it| it.is_ascii_hexdigit());
    match (digits.len(), is_hex) {
        (6, true) => Ok(format!("FF{}", digits.to_uppercase())),
        (8, true) => Ok(digits.to_uppercase()),
        _ => Err(format!("expected a colour such as `FFC000`, got `{text}`")),
    }
}
