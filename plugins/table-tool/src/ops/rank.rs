//! `rank`: place of each row in an order.

use crate::group_key::Groups;
use crate::problem::{Failure, Problems};
use crate::table::{Cell, Lookup, Outcome, PARSE_HINT, Table, check_result_size, place};

/// Which rank equal values get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RankMethod {
    Competition,
    Dense,
    Ordinal,
}

/// What `rank` is asked for.
pub(crate) struct Ranking<'a> {
    pub(crate) column: &'a str,
    pub(crate) descending: bool,
    pub(crate) method: RankMethod,
    pub(crate) group_by: &'a [String],
    pub(crate) name: Option<String>,
}

pub(crate) fn rank(mut table: Table, ranking: Ranking<'_>) -> Result<Outcome, Failure> {
    let mut problems = Problems::default();
    let mut lookup = Lookup::new("data", &table);
    let column_idx = lookup.find("column", ranking.column, &mut problems);
    let group_idxs = lookup.find_all("group-by", ranking.group_by, &mut problems);
    let name = ranking.name.unwrap_or_else(|| format!("{}_rank", ranking.column));
    lookup.new_name("name", &name, &mut problems);
    problems.check()?;
    check_result_size(table.rows.len(), table.columns.len() + 1)?;
    let column_idx = column_idx.unwrap_or(0);
    check_types(&table, column_idx, &mut problems);
    problems.check()?;

    let cell = |row_idx: usize| &table.rows[row_idx][column_idx];
    let mut ranks = vec![Cell::Null; table.rows.len()];
    for members in Groups::new(&table, &group_idxs).members {
        let mut ranked: Vec<usize> =
            members.into_iter().filter(|row_idx| !cell(*row_idx).is_null()).collect();
        ranked
            .sort_by(|one, two| crate::order::compare(cell(*one), cell(*two), ranking.descending));
        let (mut competition, mut dense) = (0, 0);
        for (i, row_idx) in ranked.iter().enumerate() {
            if i == 0 || cell(*row_idx) != cell(ranked[i - 1]) {
                competition = i + 1;
                dense += 1;
            }
            ranks[*row_idx] = Cell::count(match ranking.method {
                RankMethod::Competition => competition,
                RankMethod::Dense => dense,
                RankMethod::Ordinal => i + 1,
            });
        }
    }
    let warnings = crate::order::natural_order_warning(
        ranking.column,
        table.rows.iter().map(|row| &row[column_idx]),
    );
    let warnings = warnings.into_iter().collect();
    table.push_column(name, ranks);
    Ok(Outcome { table, warnings })
}

fn check_types(table: &Table, column_idx: usize, problems: &mut Problems) {
    let mut first: Option<&Cell> = None;
    for (row_idx, row) in table.rows.iter().enumerate() {
        let cell = &row[column_idx];
        let at = || place("data", row_idx, &table.columns[column_idx]);
        match (cell, first) {
            (Cell::Null, _) => {}
            (Cell::Boolean(_), _) => problems.argument(|| {
                format!("{}: expected a number, a text or null, got {}", at(), cell.show())
            }),
            (_, None) => first = Some(cell),
            (_, Some(first)) if cell.compare(first).is_none() => {
                problems.argument(|| {
                    format!(
                        "{}: expected a {} like the cells above, got {}",
                        at(),
                        first.type_name(),
                        cell.show()
                    )
                });
                problems.note(|| PARSE_HINT.to_owned());
            }
            _ => {}
        }
    }
}
