//! Converts chunks between plain data and the generated types. Buffers are moved. Only wide decimals are copied.

use super::chunk::{Bits, Chunk, Texts, Values};
use super::wit::tables as host;

/// Returns a chunk of the host as plain data.
pub(super) fn from_host(chunk: host::Chunk) -> Chunk {
    let values = match chunk.values {
        host::Values::Empty(len) => Values::Empty(len as usize),
        host::Values::Booleans(bits) => {
            Values::Booleans(Bits::new(bits.length as usize, bits.bytes))
        }
        host::Values::Integers(values) => Values::Integers(values),
        host::Values::Decimals(decimals) => {
            Values::Decimals { scale: decimals.scale, units: decimals.units }
        }
        host::Values::WideDecimals(decimals) => {
            let (units, _) = decimals.units.as_chunks::<16>();
            let units = units.iter().map(|bytes| i128::from_le_bytes(*bytes)).collect();
            Values::WideDecimals { scale: decimals.scale, units }
        }
        host::Values::Floats(values) => Values::Floats(values),
        host::Values::Texts(texts) => Values::Texts(Texts::new(texts.offsets, texts.bytes)),
        host::Values::Dictionary(dictionary) => Values::Dictionary {
            keys: dictionary.keys,
            values: Texts::new(dictionary.values.offsets, dictionary.values.bytes),
        },
        host::Values::Dates(days) => Values::Dates(days),
        host::Values::Times(micros) => Values::Times(micros),
        host::Values::DateTimes(micros) => Values::DateTimes(micros),
        host::Values::Mixed(cells) => Values::Mixed(cells),
    };
    let has_validity = !chunk.validity.is_empty();
    let validity = has_validity.then(|| Bits::new(values.len(), chunk.validity));
    Chunk { validity, values }
}

/// Returns a chunk in the type of the host.
pub(super) fn to_host(chunk: Chunk) -> host::Chunk {
    let texts = |texts: Texts| host::Texts { offsets: texts.offsets, bytes: texts.bytes };
    let values = match chunk.values {
        Values::Empty(len) => host::Values::Empty(len as u64),
        Values::Booleans(bits) => host::Values::Booleans(host::Bits {
            length: bits.len() as u64,
            bytes: bits.into_bytes(),
        }),
        Values::Integers(values) => host::Values::Integers(values),
        Values::Decimals { scale, units } => {
            host::Values::Decimals(host::Decimals { scale, units })
        }
        Values::WideDecimals { scale, units } => {
            let units = units.iter().flat_map(|units| units.to_le_bytes()).collect();
            host::Values::WideDecimals(host::WideDecimals { scale, units })
        }
        Values::Floats(values) => host::Values::Floats(values),
        Values::Texts(all) => host::Values::Texts(texts(all)),
        Values::Dictionary { keys, values } => {
            host::Values::Dictionary(host::Dictionary { keys, values: texts(values) })
        }
        Values::Dates(days) => host::Values::Dates(days),
        Values::Times(micros) => host::Values::Times(micros),
        Values::DateTimes(micros) => host::Values::DateTimes(micros),
        Values::Mixed(cells) => host::Values::Mixed(cells),
    };
    host::Chunk { validity: chunk.validity.map(Bits::into_bytes).unwrap_or_default(), values }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::Cell;

    #[test]
    fn chunks_survive_the_border() {
        let bits = |bits: &[bool]| bits.iter().copied().collect::<Bits>();
        let texts: Texts = ["a", "", "中"].into_iter().collect();
        for values in [
            Values::Empty(3),
            Values::Booleans(bits(&[true, false, true])),
            Values::Integers(vec![1, i64::MIN, i64::MAX]),
            Values::Decimals { scale: 2, units: vec![1, -2, 3] },
            Values::WideDecimals { scale: 38, units: vec![1, -(10i128.pow(37)), i128::MAX] },
            Values::Floats(vec![0.1, -0.0, 1e300]),
            Values::Texts(texts.clone()),
            Values::Dictionary { keys: vec![2, 0, 2], values: texts },
            Values::Dates(vec![0, -1, 1]),
            Values::Times(vec![0, 1, 2]),
            Values::DateTimes(vec![0, -1, 2]),
            Values::Mixed(vec![Cell::Null, Cell::Boolean(true), Cell::Number("1".into())]),
        ] {
            let full = Chunk::from(values.clone());
            assert_eq!(from_host(to_host(full.clone())), full);
            if !matches!(values, Values::Empty(_) | Values::Mixed(_)) {
                let chunk = Chunk::new(values, bits(&[true, false, true]));
                assert!(chunk.is_null(1) && chunk.n_nulls() == 1);
                assert_eq!(from_host(to_host(chunk.clone())), chunk);
            }
        }
    }
}
