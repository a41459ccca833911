//! Conversion of what a sheet shows besides its values, from the generated types to those of the renderer.

use mitt_contract::host::mitt::host::render as wit;
use mitt_render::{
    CellNote, DefinedName, InputKind, InputRule, Orientation, PageSetup, Picture, Protection, Rule,
    RuleKind, RuleLook, SheetAppearance, SparklineKind, Sparklines, Style, Workbook,
};

pub(super) fn look(style: wit::SheetStyle, accent: Option<u32>) -> SheetAppearance {
    let style = match style {
        wit::SheetStyle::Report => Style::Report,
        wit::SheetStyle::Plain => Style::Plain,
        wit::SheetStyle::Financial => Style::Financial,
        wit::SheetStyle::Dark => Style::Dark,
    };
    SheetAppearance { style, accent }
}

pub(super) fn page(page: &wit::PageSetup) -> PageSetup {
    PageSetup {
        orientation: page.orientation.map(|orientation| match orientation {
            wit::Orientation::Portrait => Orientation::Portrait,
            wit::Orientation::Landscape => Orientation::Landscape,
        }),
        paper: page.paper.map(|paper| match paper {
            wit::Paper::A4 => mitt_render::Paper::A4,
            wit::Paper::Letter => mitt_render::Paper::Letter,
        }),
    }
}

pub(super) fn protection(protection: wit::Protection) -> Protection {
    Protection { password: protection.password }
}

pub(super) fn name(name: wit::DefinedName) -> DefinedName {
    DefinedName { name: name.name, formula: name.formula }
}

pub(super) fn rule(rule: wit::Rule) -> Rule {
    Rule {
        columns: rule.columns,
        kind: kind(rule.kind),
        value: rule.value,
        upper: rule.upper,
        look: match rule.look {
            wit::RuleLook::Red => RuleLook::Red,
            wit::RuleLook::Yellow => RuleLook::Yellow,
            wit::RuleLook::Green => RuleLook::Green,
            wit::RuleLook::Blue => RuleLook::Blue,
            wit::RuleLook::Grey => RuleLook::Grey,
            wit::RuleLook::Bold => RuleLook::Bold,
        },
    }
}

fn kind(kind: wit::RuleKind) -> RuleKind {
    use wit::RuleKind as Wit;

    match kind {
        Wit::Equal => RuleKind::Equal,
        Wit::NotEqual => RuleKind::NotEqual,
        Wit::Greater => RuleKind::Greater,
        Wit::GreaterOrEqual => RuleKind::GreaterOrEqual,
        Wit::Less => RuleKind::Less,
        Wit::LessOrEqual => RuleKind::LessOrEqual,
        Wit::Between => RuleKind::Between,
        Wit::NotBetween => RuleKind::NotBetween,
        Wit::Top => RuleKind::Top,
        Wit::Bottom => RuleKind::Bottom,
        Wit::TopPercent => RuleKind::TopPercent,
        Wit::BottomPercent => RuleKind::BottomPercent,
        Wit::AboveAverage => RuleKind::AboveAverage,
        Wit::BelowAverage => RuleKind::BelowAverage,
        Wit::Duplicate => RuleKind::Duplicate,
        Wit::Unique => RuleKind::Unique,
        Wit::Contains => RuleKind::Contains,
        Wit::NotContains => RuleKind::NotContains,
        Wit::Blank => RuleKind::Blank,
        Wit::Formula => RuleKind::Formula,
        Wit::Bars => RuleKind::Bars,
        Wit::TwoColors => RuleKind::TwoColors,
        Wit::ThreeColors => RuleKind::ThreeColors,
        Wit::Arrows => RuleKind::Arrows,
        Wit::Lights => RuleKind::Lights,
        Wit::Pennants => RuleKind::Flags,
        Wit::Signs => RuleKind::Signs,
        Wit::Ratings => RuleKind::Ratings,
    }
}

pub(super) fn input(input: wit::InputRule) -> InputRule {
    InputRule {
        columns: input.columns,
        kind: match input.kind {
            wit::InputKind::Choices => InputKind::Choices,
            wit::InputKind::Whole => InputKind::Whole,
            wit::InputKind::Decimal => InputKind::Decimal,
            wit::InputKind::Date => InputKind::Date,
            wit::InputKind::Length => InputKind::Length,
            wit::InputKind::Custom => InputKind::Custom,
        },
        choices: input.choices,
        minimum: input.minimum,
        maximum: input.maximum,
        formula: input.formula,
        prompt: input.prompt,
        message: input.message,
        warns: input.warns,
    }
}

pub(super) fn sparklines(small: &wit::Sparklines) -> Sparklines {
    Sparklines {
        column: small.column,
        first: small.first,
        last: small.last,
        kind: match small.kind {
            wit::SparklineKind::Line => SparklineKind::Line,
            wit::SparklineKind::Column => SparklineKind::Column,
            wit::SparklineKind::WinLoss => SparklineKind::WinLoss,
        },
    }
}

pub(super) fn note(note: wit::CellNote) -> CellNote {
    CellNote { column: note.column, row: note.row, text: note.text }
}

/// Most pictures of a workbook, as its writer accepts them.
const MAX_PICTURES: usize = 100;

/// Adds pictures without bytes to the sheets, and returns their names in the order of the sheets. The error says what is invalid.
pub(super) fn illustrate(
    book: &mut Workbook,
    pictures: Vec<wit::SheetPicture>,
) -> Result<Vec<String>, String> {
    let count = pictures.len();
    if count > MAX_PICTURES {
        return Err(format!("pictures: expected at most {MAX_PICTURES}, got {count}"));
    }
    let mut names = Vec::with_capacity(count);
    for (index, wit::SheetPicture { sheet, name, description, width }) in
        pictures.into_iter().enumerate()
    {
        let blocks = book.sheets.get_mut(sheet as usize).map(|sheet| &mut sheet.blocks);
        let block = blocks.and_then(|blocks| blocks.first_mut()).ok_or_else(|| {
            format!(
                "pictures[{index}].sheet: expected the index of a sheet with a block, got {sheet}"
            )
        })?;
        block.pictures.push(Picture { description, width, ..Picture::default() });
        names.push((sheet, name));
    }
    // The sort is stable, so the pictures of a sheet keep their order.
    names.sort_by_key(|(sheet, _)| *sheet);
    Ok(names.into_iter().map(|(_, name)| name).collect())
}
