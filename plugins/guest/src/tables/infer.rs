//! Infers the type of a column of cells, as the host does.

use super::chunk::{Bits, Chunk, Values};
use super::decimal::Decimal;
use super::wit::types::Cell;

impl Chunk {
    /// Returns the narrowest chunk that holds the cells: whole numbers, decimals, wide decimals, booleans or texts. `Mixed`
    /// if the cells have several types, or a number has more than 38 digits.
    pub fn from_cells(cells: Vec<Cell>) -> Chunk {
        let has = |wanted: fn(&Cell) -> bool| cells.iter().any(wanted);
        let kinds = (
            has(|cell| matches!(cell, Cell::Boolean(_))),
            has(|cell| matches!(cell, Cell::Number(_))),
            has(|cell| matches!(cell, Cell::Text(_))),
        );
        let validity = || cells.iter().map(|cell| !matches!(cell, Cell::Null)).collect::<Bits>();
        match kinds {
            (false, false, false) => Chunk::from(Values::Empty(cells.len())),
            (true, false, false) => {
                let bits = cells.iter().map(|cell| matches!(cell, Cell::Boolean(true)));
                Chunk::new(Values::Booleans(bits.collect()), validity())
            }
            (false, true, false) => match numbers(&cells) {
                Some(values) => Chunk::new(values, validity()),
                None => Chunk::from(Values::Mixed(cells)),
            },
            (false, false, true) => {
                let texts = || {
                    cells.iter().map(|cell| match cell {
                        Cell::Text(text) => Some(text.as_str()),
                        _ => None,
                    })
                };
                let chunk = Chunk::dictionary(texts());
                let repeats = matches!(&chunk.values, Values::Dictionary { keys, values } if values.len() < keys.len());
                if repeats { chunk } else { Chunk::texts(texts()) }
            }
            _ => Chunk::from(Values::Mixed(cells)),
        }
    }
}

fn numbers(cells: &[Cell]) -> Option<Values> {
    let mut decimals = Vec::with_capacity(cells.len());
    for cell in cells {
        decimals.push(match cell {
            Cell::Number(lexeme) => Decimal::parse(lexeme)?,
            _ => Decimal { units: 0, scale: 0 },
        });
    }
    let scale = decimals.iter().map(|decimal| decimal.scale).max().unwrap_or(0);
    let wide = decimals.into_iter().map(|decimal| decimal.rescaled(scale));
    let wide: Vec<i128> = wide.collect::<Option<_>>()?;
    let narrow: Option<Vec<i64>> = wide.iter().map(|units| i64::try_from(*units).ok()).collect();
    Some(match narrow {
        Some(units) if scale == 0 => Values::Integers(units),
        Some(units)
            if scale <= 18 && units.iter().all(|units| units.unsigned_abs() < 10u64.pow(18)) =>
        {
            Values::Decimals { scale, units }
        }
        _ => Values::WideDecimals { scale, units: wide },
    })
}
