//! Writes conditional formats, rules for input, sparklines and notes.

use rust_xlsxwriter as writer;
use writer::{
    Color, ConditionalFormat2ColorScale, ConditionalFormat3ColorScale, ConditionalFormatAverage,
    ConditionalFormatAverageRule, ConditionalFormatBlank, ConditionalFormatCell,
    ConditionalFormatCellRule, ConditionalFormatDataBar, ConditionalFormatDuplicate,
    ConditionalFormatFormula, ConditionalFormatIconSet, ConditionalFormatIconType,
    ConditionalFormatText, ConditionalFormatTextRule, ConditionalFormatTop,
    ConditionalFormatTopRule, ConditionalFormatValue, DataValidation, DataValidationErrorStyle,
    DataValidationRule, Format, Note, Sparkline, SparklineType, Worksheet, XlsxError,
};

use super::cells::{self, serial_of};
use super::{column_number, formula, header_row, legal, letters, styles};
use crate::model::workbook::{
    Block, InputKind, InputRule, RowStyle, Rule, RuleKind, RuleLook, Sheet, SparklineKind,
};

/// Empty rows below the data that also get rules for input.
const MORE_ROWS: u32 = 1_000;
const LAST_ROW: u32 = 1_048_575;
/// Most characters of the title of a message.
const TITLE_CHARACTERS: u64 = 32;

/// Returns the first and the last row of the data of a block, without totals at the end; one empty row if there is no data.
pub(super) fn data_rows(block: &Block) -> (u32, u32) {
    let totals = block.rows.iter().rev().take_while(|row| row.style == RowStyle::Total).count();
    let first = header_row(block) + 1;
    let rows = u32::try_from(cells::rows(block) - totals).unwrap_or(u32::MAX);
    (first, first.saturating_add(rows.max(1) - 1).min(LAST_ROW))
}

/// Applies all of them to a sheet.
pub(super) fn apply(out: &mut Worksheet, sheet: &Sheet) -> Result<(), XlsxError> {
    for block in &sheet.blocks {
        let rows = data_rows(block);
        for rule in &block.rules {
            mark(out, block, rows, rule)?;
        }
        if let Some(format) = styles::band(sheet.look) {
            let right = block.column as usize + block.columns.len() - 1;
            let band =
                ConditionalFormatFormula::new().set_rule("=MOD(ROW(),2)=0").set_format(format);
            let [left, right] = [block.column as usize, right].map(column_number);
            out.add_conditional_format(rows.0, left, rows.1, right, &band)?;
        }
        for input in &block.inputs {
            self::input(out, block, sheet, rows, input)?;
        }
        for sparklines in &block.sparklines {
            let at = |index: u32| column_number((block.column + index) as usize);
            let range = (out.name(), rows.0, at(sparklines.first), rows.1, at(sparklines.last));
            let range = (range.0.as_str(), range.1, range.2, range.3, range.4);
            let accent = styles::accent(sheet.look);
            let small = Sparkline::new().set_range(range).set_sparkline_color(accent);
            let small = match sparklines.kind {
                SparklineKind::Line => small
                    .set_type(SparklineType::Line)
                    .set_line_weight(1.5)
                    .show_last_point(true)
                    .set_last_point_color(Color::RGB(0xC0_00_00)),
                SparklineKind::Column => small.set_type(SparklineType::Column),
                SparklineKind::WinLoss => small
                    .set_type(SparklineType::WinLose)
                    .show_negative_points(true)
                    .set_negative_points_color(Color::RGB(0xC0_00_00)),
            };
            let column = at(sparklines.column);
            // A group has more than one row.
            if rows.0 == rows.1 {
                out.add_sparkline(rows.0, column, &small)?
            } else {
                out.add_sparkline_group(rows.0, column, rows.1, column, &small)?
            };
        }
        for note in &block.notes {
            let row = note.row.map_or(header_row(block), |row| header_row(block) + 1 + row);
            let lines = note.text.lines().map(|line| 1 + line.chars().count() / 16).sum::<usize>();
            let height = u32::try_from(lines.clamp(4, 30)).unwrap_or(4) * 17;
            let made = Note::new(legal(&note.text).as_ref())
                .add_author_prefix(false)
                .set_width(200)
                .set_height(height)
                .set_font_name(styles::FONT)
                .set_font_size(9);
            let column = column_number((block.column + note.column) as usize);
            out.insert_note(row, column, &made)?;
        }
    }
    Ok(())
}

/// Returns ranges such as `A2:A9 C2:C9`, for columns that need not be adjacent.
fn ranges(block: &Block, rows: (u32, u32), columns: &[u32]) -> String {
    let range = |index: &u32| {
        let letters = letters((block.column + index) as usize);
        format!("{letters}{}:{letters}{}", u64::from(rows.0) + 1, u64::from(rows.1) + 1)
    };
    columns.iter().map(range).collect::<Vec<_>>().join(" ")
}

/// Returns the value with which a cell is compared.
fn value(text: &str) -> ConditionalFormatValue {
    if text.starts_with('=') {
        return writer::Formula::new(formula::stored(text).0.as_ref()).into();
    }
    match (text.parse::<f64>(), serial_of(text)) {
        (Ok(number), _) if number.is_finite() => number.into(),
        (_, Some(serial)) => serial.into(),
        _ => legal(text).as_ref().into(),
    }
}

fn mark(
    out: &mut Worksheet,
    block: &Block,
    rows: (u32, u32),
    rule: &Rule,
) -> Result<(), XlsxError> {
    let Some(column) = rule.columns.first() else { return Ok(()) };
    let at = column_number((block.column + column) as usize);
    let multi = ranges(block, rows, &rule.columns);
    let format = marked(rule.look);
    let text = rule.value.as_deref().unwrap_or_default();
    let count = text.parse().unwrap_or(10_u16);
    macro_rules! add {
        ($format:expr) => {
            out.add_conditional_format(rows.0, at, rows.1, at, &$format.set_multi_range(multi))
        };
    }
    let first = || value(text);
    let second = || value(rule.upper.as_deref().unwrap_or_default());
    let compare = match rule.kind {
        RuleKind::Equal => Some(ConditionalFormatCellRule::EqualTo(first())),
        RuleKind::NotEqual => Some(ConditionalFormatCellRule::NotEqualTo(first())),
        RuleKind::Greater => Some(ConditionalFormatCellRule::GreaterThan(first())),
        RuleKind::GreaterOrEqual => Some(ConditionalFormatCellRule::GreaterThanOrEqualTo(first())),
        RuleKind::Less => Some(ConditionalFormatCellRule::LessThan(first())),
        RuleKind::LessOrEqual => Some(ConditionalFormatCellRule::LessThanOrEqualTo(first())),
        RuleKind::Between => Some(ConditionalFormatCellRule::Between(first(), second())),
        RuleKind::NotBetween => Some(ConditionalFormatCellRule::NotBetween(first(), second())),
        _ => None,
    };
    if let Some(compare) = compare {
        add!(ConditionalFormatCell::new().set_rule(compare).set_format(format))?;
        return Ok(());
    }
    let top = |rule| ConditionalFormatTop::new().set_rule(rule).set_format(&format);
    let average = |rule| ConditionalFormatAverage::new().set_rule(rule).set_format(&format);
    let holds = |rule| ConditionalFormatText::new().set_rule(rule).set_format(&format);
    let icons = |icons| ConditionalFormatIconSet::new().set_icon_type(icons);
    let (low, high) = match rule.look {
        RuleLook::Red => (0x63_BE_7B, 0xF8_69_6B),
        _ => (0xF8_69_6B, 0x63_BE_7B),
    };
    match rule.kind {
        RuleKind::Top => add!(top(ConditionalFormatTopRule::Top(count))),
        RuleKind::Bottom => add!(top(ConditionalFormatTopRule::Bottom(count))),
        RuleKind::TopPercent => add!(top(ConditionalFormatTopRule::TopPercent(count))),
        RuleKind::BottomPercent => add!(top(ConditionalFormatTopRule::BottomPercent(count))),
        RuleKind::AboveAverage => add!(average(ConditionalFormatAverageRule::AboveAverage)),
        RuleKind::BelowAverage => add!(average(ConditionalFormatAverageRule::BelowAverage)),
        RuleKind::Duplicate => add!(ConditionalFormatDuplicate::new().set_format(&format)),
        RuleKind::Unique => add!(ConditionalFormatDuplicate::new().invert().set_format(&format)),
        RuleKind::Contains => add!(holds(ConditionalFormatTextRule::Contains(legal(text).into()))),
        RuleKind::NotContains => {
            add!(holds(ConditionalFormatTextRule::DoesNotContain(legal(text).into())))
        }
        RuleKind::Blank => add!(ConditionalFormatBlank::new().set_format(&format)),
        RuleKind::Bars => {
            let color = Color::RGB(bar_color(rule.look));
            add!(ConditionalFormatDataBar::new().set_fill_color(color).set_solid_fill(true))
        }
        RuleKind::TwoColors => add!(
            ConditionalFormat2ColorScale::new()
                .set_minimum_color(Color::White)
                .set_maximum_color(Color::RGB(bar_color(rule.look)))
        ),
        RuleKind::ThreeColors => add!(
            ConditionalFormat3ColorScale::new()
                .set_minimum_color(Color::RGB(low))
                .set_midpoint_color(Color::RGB(0xFF_EB_84))
                .set_maximum_color(Color::RGB(high))
        ),
        RuleKind::Arrows => add!(icons(ConditionalFormatIconType::ThreeArrows)),
        RuleKind::Lights => add!(icons(ConditionalFormatIconType::ThreeTrafficLights)),
        RuleKind::Flags => add!(icons(ConditionalFormatIconType::ThreeFlags)),
        RuleKind::Signs => add!(icons(ConditionalFormatIconType::ThreeSymbols)),
        RuleKind::Ratings => add!(icons(ConditionalFormatIconType::FiveHistograms)),
        _ => {
            let stored = formula::stored(text).0.into_owned();
            let rule = writer::Formula::new(stored);
            add!(ConditionalFormatFormula::new().set_rule(rule).set_format(&format))
        }
    }?;
    Ok(())
}

/// Returns the format of a marked cell: one of Excel's own light fills, with legible text.
fn marked(look: RuleLook) -> Format {
    let (text, fill) = match look {
        RuleLook::Red => (0x9C_00_06, 0xFF_C7_CE),
        RuleLook::Yellow => (0x7F_60_00, 0xFF_EB_9C),
        RuleLook::Green => (0x00_61_00, 0xC6_EF_CE),
        RuleLook::Blue => (0x1F_4E_79, 0xDD_EB_F7),
        RuleLook::Grey => (0x59_59_59, 0xED_ED_ED),
        RuleLook::Bold => return Format::new().set_bold(),
    };
    Format::new().set_font_color(Color::RGB(text)).set_background_color(Color::RGB(fill))
}

fn bar_color(look: RuleLook) -> u32 {
    match look {
        RuleLook::Red => 0xF8_69_6B,
        RuleLook::Yellow => 0xFF_C0_00,
        RuleLook::Green => 0x63_BE_7B,
        RuleLook::Blue | RuleLook::Bold => 0x8F_B8_E0,
        RuleLook::Grey => 0xBF_BF_BF,
    }
}

/// Adds a rule for input.
fn input(
    out: &mut Worksheet,
    block: &Block,
    sheet: &Sheet,
    rows: (u32, u32),
    input: &InputRule,
) -> Result<(), XlsxError> {
    let Some(column) = input.columns.first() else { return Ok(()) };
    let end = rows.1.saturating_add(MORE_ROWS).min(LAST_ROW);
    let is_free = block.rows.iter().all(|row| row.style != RowStyle::Total)
        && sheet
            .blocks
            .iter()
            .all(|other| other == block || other.row <= block.row || header_row(other) > end);
    let rows = (rows.0, if is_free { end } else { rows.1 });
    let mut made = match input.kind {
        InputKind::Choices => match &input.formula {
            Some(range) => DataValidation::new().allow_list_formula(of_text(range)),
            None => DataValidation::new().allow_list_strings(&input.choices)?,
        },
        InputKind::Whole => DataValidation::new().allow_whole_number_formula(bounds(input)),
        InputKind::Decimal => DataValidation::new().allow_decimal_number_formula(bounds(input)),
        InputKind::Date => DataValidation::new().allow_date_formula(bounds(input)),
        InputKind::Length => DataValidation::new().allow_text_length_formula(bounds(input)),
        InputKind::Custom => DataValidation::new()
            .allow_custom(of_text(input.formula.as_deref().unwrap_or_default())),
    };
    let title = block.columns.get(*column as usize).map_or("", |column| column.header.as_str());
    let title = legal(mitt_base::text::cut_chars(title, TITLE_CHARACTERS).0);
    if let Some(prompt) = &input.prompt {
        made = made.set_input_title(title.as_ref())?.set_input_message(legal(prompt).as_ref())?;
    }
    if let Some(message) = &input.message {
        made = made.set_error_title(title.as_ref())?.set_error_message(legal(message).as_ref())?;
    }
    if input.warns {
        made = made.set_error_style(DataValidationErrorStyle::Warning);
    }
    let made = made.set_multi_range(ranges(block, rows, &input.columns));
    let at = column_number((block.column + column) as usize);
    out.add_data_validation(rows.0, at, rows.1, at, &made)?;
    Ok(())
}

fn of_text(formula: &str) -> writer::Formula {
    writer::Formula::new(formula::stored(formula).0.as_ref())
}

/// Returns the rule for a range, or for one of its bounds. Dates are numbers.
fn bounds(input: &InputRule) -> DataValidationRule<writer::Formula> {
    let end = |text: &String| {
        let date = || serial_of(text).map(|serial| serial.to_string());
        let number = text.parse::<f64>().is_ok().then(|| text.clone()).or_else(date);
        writer::Formula::new(number.unwrap_or_else(|| "0".into()))
    };
    match (&input.minimum, &input.maximum) {
        (Some(least), Some(most)) => DataValidationRule::Between(end(least), end(most)),
        (Some(least), None) => DataValidationRule::GreaterThanOrEqualTo(end(least)),
        (None, Some(most)) => DataValidationRule::LessThanOrEqualTo(end(most)),
        // Any date, number or length.
        (None, None) => {
            let least = match input.kind {
                InputKind::Date => "1",
                InputKind::Length => "0",
                _ => "-1E+300",
            };
            DataValidationRule::GreaterThanOrEqualTo(writer::Formula::new(least))
        }
    }
}
