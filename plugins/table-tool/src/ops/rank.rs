//! `rank`: the position of each row in an order.

use crate::column::PARSE_HINT;
use crate::groups::Groups;
use crate::order::{Ranks, natural_order_warning, sorted};
use crate::problem::{Failure, Problems};
use crate::table::{Frame, Outcome};
use mitt_guest::tables::{Chunk, Source};

/// The rank of equal values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RankMethod {
    Competition,
    Dense,
    Ordinal,
}

/// The arguments of `rank`.
pub(crate) struct Ranking<'a> {
    pub(crate) column: &'a str,
    pub(crate) descending: bool,
    pub(crate) method: RankMethod,
    pub(crate) group_by: &'a [String],
    pub(crate) name: Option<String>,
}

pub(crate) fn rank<T: Source>(table: &T, ranking: Ranking<'_>) -> Result<Outcome<T>, Failure> {
    let frame = Frame::data(table)?;
    let mut problems = Problems::default();
    let mut lookup = frame.lookup();
    let column_idx = lookup.find("column", ranking.column, &mut problems);
    let group_idxs = lookup.find_all("group-by", ranking.group_by, &mut problems);
    let name = ranking.name.unwrap_or_else(|| format!("{}_rank", ranking.column));
    lookup.new_name("name", &name, &mut problems);
    problems.check()?;
    let column = frame.column(column_idx.unwrap_or(0))?;
    column.check_order(&mut problems);
    if column.mixed().is_some() {
        problems.note_if_any(|| PARSE_HINT.to_owned());
    }
    problems.check()?;

    let groups = Groups::new(&frame.columns(&group_idxs)?, frame.n_rows);
    let keys = [Ranks::of_groups(&groups), Ranks::new(&column, ranking.descending)];
    let mut ranks: Vec<Option<i64>> = vec![None; frame.n_rows];
    let mut above: Option<(u32, u64)> = None;
    let (mut ordinal, mut competition, mut dense) = (0, 0, 0);
    for row in sorted(&keys, frame.n_rows, usize::MAX) {
        let row = row as usize;
        if column.is_null(row) {
            continue;
        }
        let (group, rank) = (groups.of_row[row], keys[1].of_row[row]);
        if above.is_none_or(|(above, _)| above != group) {
            (ordinal, competition, dense) = (0, 0, 0);
        }
        ordinal += 1;
        if ordinal == 1 || above != Some((group, rank)) {
            competition = ordinal;
            dense += 1;
        }
        above = Some((group, rank));
        ranks[row] = Some(match ranking.method {
            RankMethod::Competition => competition,
            RankMethod::Dense => dense,
            RankMethod::Ordinal => ordinal,
        });
    }
    let warnings = natural_order_warning(&column).into_iter().collect();
    Ok(Outcome { table: frame.with(vec![(name, Chunk::integers(ranks))])?, warnings })
}
