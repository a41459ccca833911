//! A theme as a file: TOML in which every key is optional. Reads the whole file, and reports all problems by line.

use std::ops::RangeInclusive;
use std::sync::Arc;

use toml_edit::{ImDocument, Item, Key, TableLike};

use super::builtin::quoted;
use super::running::{MAX_TEXT, running_segments};
use super::{Color, Logo, LogoKind, MAX_LOGO_BYTES, Running, Theme, ThemeLayout};
use mitt_base::by_line::{LineProblem, by_line, line_of};
use mitt_base::{Error, ErrorKind, Result, text};

/// Most bytes of a file.
const MAX_BYTES: usize = 64 * 1024;

/// Most families of fonts for one use, and most characters of a name.
const MAX_FAMILIES: usize = 8;
const MAX_FAMILY: usize = 100;

/// Allowed sizes of text, in points.
const SIZES: RangeInclusive<f64> = 5.0..=96.0;

/// Allowed margins, in millimetres.
const MARGINS: RangeInclusive<f64> = 5.0..=80.0;

/// Allowed heights of a logo, in millimetres.
const LOGO_HEIGHTS: RangeInclusive<f64> = 3.0..=60.0;

/// Default height of a logo, in millimetres.
const LOGO_HEIGHT: f64 = 14.0;

/// Least contrast of text to its background: AA of WCAG 2.2 for text of any size.
const CONTRAST: f64 = 4.5;

const KEYS: [&str; 8] = ["base", "colors", "fonts", "sizes", "margins", "logo", "header", "footer"];
const COLORS: [&str; 8] = ["page", "text", "muted", "accent", "link", "line", "fill", "band"];
const FONTS: [&str; 3] = ["text", "headings", "code"];
const SIZE_KEYS: [&str; 5] = ["text", "code", "small", "title", "headings"];
const MARGIN_KEYS: [&str; 4] = ["top", "bottom", "left", "right"];
const LOGO_KEYS: [&str; 3] = ["file", "height", "description"];
const RUNNING_KEYS: [&str; 4] = ["left", "center", "right", "first"];

/// Reads a theme from the text of a file.
pub(super) fn parse(
    name: &str,
    text: &str,
    logo: &mut dyn FnMut(&str) -> Result<Arc<[u8]>>,
) -> Result<Theme> {
    if text.len() > MAX_BYTES {
        let message = format!("{name}: expected at most {MAX_BYTES} bytes, got {}", text.len());
        return Err(Error::new(ErrorKind::Input, message));
    }
    let document = ImDocument::parse(text).map_err(|error| {
        let what = text::shortened(&text::single_line(error.message()), 300);
        let message = format!("{name}:{}: {what}", line_of(text, error.span()));
        Error::new(ErrorKind::Input, message).hint("expected TOML, such as `base = \"report\"`")
    })?;
    let mut reader = Reader { text, problems: Vec::new() };
    let theme = reader.theme(document.as_table(), logo);
    if reader.problems.is_empty() {
        Ok(theme)
    } else {
        Err(by_line(name, reader.problems, |count| {
            format!("{name}: {count} problems with the theme")
        }))
    }
}

/// Reads keys, and continues after a mistake.
struct Reader<'a> {
    text: &'a str,
    problems: Vec<LineProblem>,
}

impl Reader<'_> {
    fn theme(
        &mut self,
        table: &dyn TableLike,
        logo: &mut dyn FnMut(&str) -> Result<Arc<[u8]>>,
    ) -> Theme {
        self.known(table, "", &KEYS);
        let mut theme = self.base(table);
        if let Some(colors) = self.table(table, "colors", &COLORS) {
            let of = &mut theme.colors;
            for (name, color) in [
                ("page", &mut of.page),
                ("text", &mut of.text),
                ("muted", &mut of.muted),
                ("accent", &mut of.accent),
                ("link", &mut of.link),
                ("line", &mut of.line),
                ("fill", &mut of.fill),
                ("band", &mut of.band),
            ] {
                self.color(colors, name, color);
            }
            self.contrasts(colors, &theme);
        }
        if let Some(fonts) = self.table(table, "fonts", &FONTS) {
            let of = &mut theme.fonts;
            for (name, families) in
                [("text", &mut of.text), ("headings", &mut of.headings), ("code", &mut of.code)]
            {
                self.families(fonts, name, families);
            }
        }
        if let Some(sizes) = self.table(table, "sizes", &SIZE_KEYS) {
            let of = &mut theme.sizes;
            for (name, size) in [
                ("text", &mut of.text),
                ("code", &mut of.code),
                ("small", &mut of.small),
                ("title", &mut of.title),
            ] {
                self.number(sizes, "sizes", name, "points", &SIZES, size);
            }
            self.headings(sizes, &mut of.headings);
        }
        if let Some(margins) = self.table(table, "margins", &MARGIN_KEYS) {
            let of = &mut theme.margins;
            for (name, margin) in [
                ("top", &mut of.top),
                ("bottom", &mut of.bottom),
                ("left", &mut of.left),
                ("right", &mut of.right),
            ] {
                self.number(margins, "margins", name, "millimetres", &MARGINS, margin);
            }
        }
        if let Some(table) = self.table(table, "logo", &LOGO_KEYS) {
            theme.logo = self.logo(table, logo);
        }
        for (name, running) in [("header", &mut theme.header), ("footer", &mut theme.footer)] {
            if let Some(table) = self.table(table, name, &RUNNING_KEYS) {
                *running = Some(self.running(table, name));
            }
        }
        theme
    }

    /// Returns the built-in theme on which the file is based.
    fn base(&mut self, table: &dyn TableLike) -> Theme {
        let Some(name) = self.string(table, "", "base") else {
            return Theme::of(ThemeLayout::Plain);
        };
        Theme::named(&name).unwrap_or_else(|error| {
            let hint = error.hints().first().cloned().unwrap_or_default();
            self.problem(table, "", "base", &error.to_string(), &hint);
            Theme::default()
        })
    }

    /// Returns a table of the file, and checks that its keys are known.
    fn table<'t>(
        &mut self,
        table: &'t dyn TableLike,
        name: &str,
        known: &[&str],
    ) -> Option<&'t dyn TableLike> {
        let item = table.get(name)?;
        let Some(inner) = item.as_table_like() else {
            let what = format!("expected a table, got {}", item.type_name());
            self.problem(
                table,
                "",
                name,
                &what,
                &format!("write `[{name}]`, and its keys below it"),
            );
            return None;
        };
        self.known(inner, name, known);
        Some(inner)
    }

    fn known(&mut self, table: &dyn TableLike, of: &str, known: &[&str]) {
        for (name, _) in table.iter().filter(|(name, _)| !known.contains(name)) {
            let hint = match text::nearest(name, known.iter().copied()).first() {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("known are {}", quoted(known.iter().copied())),
            };
            self.problem(table, of, name, "unknown key", &hint);
        }
    }

    fn color(&mut self, table: &dyn TableLike, name: &str, color: &mut Color) {
        let Some(text) = self.string(table, "colors", name) else { return };
        match Color::parse(&text) {
            Some(read) => *color = read,
            None => {
                let shown = text::one_line(text::cut_bytes(&text, 40));
                let what = format!("expected a colour, got `{shown}`");
                self.problem(table, "colors", name, &what, "write `#rrggbb`, such as `#1f4e79`");
            }
        }
    }

    /// Checks that text is legible.
    fn contrasts(&mut self, table: &dyn TableLike, theme: &Theme) {
        let colors = &theme.colors;
        for (name, color) in [
            ("text", colors.text),
            ("muted", colors.muted),
            ("accent", colors.accent),
            ("link", colors.link),
        ] {
            let is_given = table.contains_key(name) || table.contains_key("page");
            let contrast = color.contrast(colors.page);
            if is_given && contrast < CONTRAST {
                let key = if table.contains_key(name) { name } else { "page" };
                let what = format!(
                    "expected a contrast of at least {CONTRAST} to the page, got {contrast:.1} for `{name}` {color}"
                );
                let hint = "take a darker colour on a light page, or a lighter one on a dark page";
                self.problem(table, "colors", key, &what, hint);
            }
        }
        for (name, ground) in [("fill", colors.fill), ("band", colors.band)] {
            let is_given = table.contains_key(name) || table.contains_key("text");
            let contrast = colors.text.contrast(ground);
            if is_given && contrast < CONTRAST {
                let key = if table.contains_key(name) { name } else { "text" };
                let what = format!(
                    "expected a contrast of at least {CONTRAST} of `text` to `{name}`, got {contrast:.1}"
                );
                self.problem(table, "colors", key, &what, "set `text`, `fill` and `band` together");
            }
        }
    }

    fn families(&mut self, table: &dyn TableLike, name: &str, families: &mut Vec<String>) {
        let Some(item) = table.get(name) else { return };
        let list: Option<Vec<String>> = match item.as_array() {
            Some(array) => array.iter().map(|value| value.as_str().map(str::to_owned)).collect(),
            None => item.as_str().map(|one| vec![one.to_owned()]),
        };
        let is_name = |name: &String| !name.trim().is_empty() && name.chars().count() <= MAX_FAMILY;
        match list {
            Some(list) if list.len() <= MAX_FAMILIES && list.iter().all(is_name) => {
                *families = list
            }
            _ => {
                let what = format!(
                    "expected at most {MAX_FAMILIES} names of fonts, each of at most {MAX_FAMILY} characters"
                );
                self.problem(table, "fonts", name, &what, "such as `[\"Noto Serif CJK SC\"]`");
            }
        }
    }

    fn number(
        &mut self,
        table: &dyn TableLike,
        of: &str,
        name: &str,
        unit: &str,
        range: &RangeInclusive<f64>,
        number: &mut f64,
    ) {
        let Some(item) = table.get(name) else { return };
        match as_number(item.as_value()).filter(|value| range.contains(value)) {
            Some(value) => *number = value,
            None => {
                let what = format!(
                    "expected {unit} from {} to {}, got {}",
                    range.start(),
                    range.end(),
                    shown(item)
                );
                self.problem(table, of, name, &what, "");
            }
        }
    }

    fn headings(&mut self, table: &dyn TableLike, sizes: &mut [f64; 6]) {
        let Some(item) = table.get("headings") else { return };
        let list = item.as_array().map(|array| array.iter().map(|one| as_number(Some(one))));
        let list: Option<Vec<f64>> = list.and_then(Iterator::collect);
        match list {
            Some(list)
                if (1..=6).contains(&list.len()) && list.iter().all(|it| SIZES.contains(it)) =>
            {
                let last = list.last().copied().unwrap_or(sizes[5]);
                for (index, size) in sizes.iter_mut().enumerate() {
                    *size = list.get(index).copied().unwrap_or(last);
                }
            }
            _ => {
                let what = format!(
                    "expected one to six sizes in points from {} to {}, got {}",
                    SIZES.start(),
                    SIZES.end(),
                    shown(item)
                );
                let hint =
                    "such as `[16, 13, 11]`, from the highest level; the last is that of all below";
                self.problem(table, "sizes", "headings", &what, hint);
            }
        }
    }

    fn logo(
        &mut self,
        table: &dyn TableLike,
        read: &mut dyn FnMut(&str) -> Result<Arc<[u8]>>,
    ) -> Option<Logo> {
        let mut height = LOGO_HEIGHT;
        self.number(table, "logo", "height", "millimetres", &LOGO_HEIGHTS, &mut height);
        let description = self.string(table, "logo", "description").unwrap_or_default();
        let description = text::cut_chars(&description, MAX_TEXT as u64).0.to_owned();
        let Some(file) = self.string(table, "logo", "file") else {
            if !table.contains_key("file") {
                self.problem(table, "", "logo", "`file` is missing", "name a PNG or JPEG file");
            }
            return None;
        };
        let bytes = match read(&file) {
            Ok(bytes) => bytes,
            Err(error) => {
                let hint = error.hints().first().cloned().unwrap_or_default();
                self.problem(table, "logo", "file", &error.to_string(), &hint);
                return None;
            }
        };
        let kind = LogoKind::of(&bytes).filter(|_| bytes.len() <= MAX_LOGO_BYTES);
        if kind.is_none() {
            let what = format!(
                "expected a PNG or JPEG picture of at most {MAX_LOGO_BYTES} bytes and 16 million pixels"
            );
            self.problem(table, "logo", "file", &what, "");
        }
        Some(Logo { kind: kind?, bytes, height, description })
    }

    fn running(&mut self, table: &dyn TableLike, of: &str) -> Running {
        let mut running = Running { first: true, ..Running::default() };
        for (name, place) in [
            ("left", &mut running.left),
            ("center", &mut running.center),
            ("right", &mut running.right),
        ] {
            let Some(text) = self.string(table, of, name) else { continue };
            if text.chars().count() > MAX_TEXT {
                let what = format!("expected at most {MAX_TEXT} characters");
                self.problem(table, of, name, &what, "");
            } else if let Err((what, hint)) = running_segments(&text) {
                self.problem(table, of, name, &what, &hint);
            } else {
                *place = text;
            }
        }
        match table.get("first").map(Item::as_bool) {
            Some(Some(first)) => running.first = first,
            Some(None) => self.problem(table, of, "first", "expected `true` or `false`", ""),
            None => {}
        }
        running
    }

    fn string(&mut self, table: &dyn TableLike, of: &str, name: &str) -> Option<String> {
        let item = table.get(name)?;
        let text = item.as_str().map(str::to_owned);
        if text.is_none() {
            let what = format!("expected a text, got {}", item.type_name());
            self.problem(table, of, name, &what, "put it in quotation marks");
        }
        text
    }

    fn problem(&mut self, table: &dyn TableLike, of: &str, name: &str, what: &str, hint: &str) {
        let item = table.get(name).and_then(Item::span);
        let line = line_of(self.text, table.key(name).and_then(Key::span).or(item));
        let dot = if of.is_empty() { "" } else { "." };
        let name = text::one_line(&text::shortened(name, 80));
        self.problems.push(LineProblem {
            line,
            what: format!("{of}{dot}{name}: {what}"),
            hint: hint.to_owned(),
        });
    }
}

fn as_number(value: Option<&toml_edit::Value>) -> Option<f64> {
    let value = value?;
    value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64))
}

/// Returns an item as it is written in the file, for messages.
fn shown(item: &Item) -> String {
    let text = item.to_string();
    format!("`{}`", text::one_line(text::cut_bytes(text.trim(), 40)))
}
