//! Decodes the data of streams. Each result is bounded, and so is their sum.

use crate::object::{Dict, Object};
use miniz_oxide::inflate::stream::{InflateState, inflate};
use miniz_oxide::{DataFormat, MZError, MZFlush, MZStatus};

/// Largest data of one stream after decoding.
pub(crate) const MAX_STREAM: usize = 64 << 20;
/// Most filters of one stream.
const MAX_FILTERS: usize = 8;

/// What decoding gave.
pub(crate) struct Decoded {
    pub(crate) bytes: Vec<u8>,
    /// First filter that is for pictures, and was not decoded.
    pub(crate) picture: Option<Vec<u8>>,
    /// The data is damaged; what was read of it is there.
    pub(crate) is_damaged: bool,
}

/// Returns the filters of a stream with their parameters. Values are direct.
pub(crate) fn filters(dict: &Dict) -> Vec<(Vec<u8>, Dict)> {
    let either = |long: &str, short: &str| {
        if dict.has(long) { dict.get(long).clone() } else { dict.get(short).clone() }
    };
    let names: Vec<Vec<u8>> = match either("Filter", "F") {
        Object::Name(name) => vec![name.to_vec()],
        Object::Array(values) => {
            values.iter().filter_map(|it| Some(it.as_name()?.to_vec())).collect()
        }
        _ => Vec::new(),
    };
    let parameters = match either("DecodeParms", "DP") {
        Object::Dict(dict) => vec![dict],
        Object::Array(values) => {
            values.iter().map(|it| it.as_dict().cloned().unwrap_or_default()).collect()
        }
        _ => Vec::new(),
    };
    let with =
        |(at, name): (usize, Vec<u8>)| (name, parameters.get(at).cloned().unwrap_or_default());
    names.into_iter().enumerate().map(with).collect()
}

/// Decodes data by its filters, up to one for pictures. `None` if it is too large or a filter is unknown.
pub(crate) fn decode(raw: &[u8], filters: &[(Vec<u8>, Dict)], limit: usize) -> Option<Decoded> {
    if filters.len() > MAX_FILTERS {
        return None;
    }
    let limit = limit.min(MAX_STREAM);
    let mut decoded = Decoded { bytes: raw.to_vec(), picture: None, is_damaged: false };
    for (name, parameters) in filters {
        let (bytes, is_damaged) = match name.as_slice() {
            b"FlateDecode" | b"Fl" => {
                let (bytes, damage) = flate(&decoded.bytes, limit)?;
                (predict(bytes, parameters)?, damage)
            }
            b"LZWDecode" | b"LZW" => {
                let (bytes, damage) = lzw(&decoded.bytes, parameters, limit)?;
                (predict(bytes, parameters)?, damage)
            }
            b"ASCIIHexDecode" | b"AHx" => (ascii_hex(&decoded.bytes), false),
            b"ASCII85Decode" | b"A85" => (ascii_85(&decoded.bytes), false),
            b"RunLengthDecode" | b"RL" => (run_length(&decoded.bytes, limit)?, false),
            b"Crypt" => continue,
            b"DCTDecode" | b"DCT" | b"JPXDecode" | b"CCITTFaxDecode" | b"CCF" | b"JBIG2Decode" => {
                decoded.picture = Some(name.clone());
                return Some(decoded);
            }
            _ => return None,
        };
        if bytes.len() > limit {
            return None;
        }
        decoded.bytes = bytes;
        decoded.is_damaged |= is_damaged;
    }
    Some(decoded)
}

/// Inflates; damaged data gives what was read before. `None` if it is too large.
pub(crate) fn flate(data: &[u8], limit: usize) -> Option<(Vec<u8>, bool)> {
    let (bytes, is_damaged) = inflated(data, DataFormat::Zlib, limit)?;
    if bytes.is_empty() && is_damaged {
        // Some writers leave the header out or damage it.
        if let Some((raw, damage)) =
            inflated(data.get(2..).unwrap_or_default(), DataFormat::Raw, limit)
            && !raw.is_empty()
        {
            return Some((raw, damage));
        }
        let (raw, damage) = inflated(data, DataFormat::Raw, limit)?;
        return Some(if damage { (Vec::new(), !data.is_empty()) } else { (raw, true) });
    }
    Some((bytes, is_damaged))
}

fn inflated(mut data: &[u8], format: DataFormat, limit: usize) -> Option<(Vec<u8>, bool)> {
    let mut state = InflateState::new_boxed(format);
    let mut out = Vec::new();
    let mut chunk = vec![0; 64 << 10];
    loop {
        let step = inflate(&mut state, data, &mut chunk, MZFlush::None);
        out.extend_from_slice(&chunk[..step.bytes_written]);
        if out.len() > limit {
            return None;
        }
        data = &data[step.bytes_consumed..];
        match step.status {
            Ok(MZStatus::StreamEnd) => return Some((out, false)),
            Ok(_) if step.bytes_written == 0 && step.bytes_consumed == 0 => {
                return Some((out, true));
            }
            Ok(_) => {}
            Err(MZError::Buf) if step.bytes_written > 0 => {}
            Err(_) => return Some((out, true)),
        }
    }
}

fn lzw(data: &[u8], parameters: &Dict, limit: usize) -> Option<(Vec<u8>, bool)> {
    use weezl::{BitOrder, LzwStatus, decode::Decoder};
    let is_early = parameters.get("EarlyChange").as_int() != Some(0);
    let mut decoder = if is_early {
        Decoder::with_tiff_size_switch(BitOrder::Msb, 8)
    } else {
        Decoder::new(BitOrder::Msb, 8)
    };
    let (mut data, mut out, mut chunk) = (data, Vec::new(), vec![0; 64 << 10]);
    loop {
        let step = decoder.decode_bytes(data, &mut chunk);
        out.extend_from_slice(&chunk[..step.consumed_out]);
        if out.len() > limit {
            return None;
        }
        data = &data[step.consumed_in..];
        match step.status {
            Ok(LzwStatus::Ok) => {}
            Ok(LzwStatus::Done) => return Some((out, false)),
            Ok(LzwStatus::NoProgress) | Err(_) => return Some((out, true)),
        }
    }
}

/// Undoes a predictor. `None` if its parameters are beyond reason.
fn predict(data: Vec<u8>, parameters: &Dict) -> Option<Vec<u8>> {
    let number = |key: &str, default: usize| {
        parameters.get(key).as_int().map_or(Some(default), |it| usize::try_from(it).ok())
    };
    let predictor = number("Predictor", 1)?;
    if predictor <= 1 {
        return Some(data);
    }
    let (colors, bits, columns) =
        (number("Colors", 1)?, number("BitsPerComponent", 8)?, number("Columns", 1)?);
    if colors == 0
        || colors > 64
        || !matches!(bits, 1 | 2 | 4 | 8 | 16)
        || columns == 0
        || columns > 1 << 24
    {
        return None;
    }
    let pixel = (colors * bits).div_ceil(8);
    let row = (colors * bits * columns).div_ceil(8);
    if predictor == 2 {
        return Some(tiff(data, colors, bits, row));
    }
    let mut out = Vec::with_capacity(data.len());
    let mut previous = vec![0_u8; row];
    for line in data.chunks(row + 1) {
        let mut current = line[1..].to_vec();
        current.resize(row, 0);
        for at in 0..row {
            let left = if at >= pixel { current[at - pixel] } else { 0 };
            let up = previous[at];
            let corner = if at >= pixel { previous[at - pixel] } else { 0 };
            let add = match line[0] {
                1 => left,
                2 => up,
                3 => u8::try_from(u16::midpoint(u16::from(left), u16::from(up))).unwrap_or(0),
                4 => paeth(left, up, corner),
                _ => 0,
            };
            current[at] = current[at].wrapping_add(add);
        }
        out.extend_from_slice(
            &current[..(line.len() - 1).max(if line.len() > 1 { row } else { 0 })],
        );
        previous = current;
    }
    Some(out)
}

fn paeth(left: u8, up: u8, corner: u8) -> u8 {
    let (a, b, c) = (i16::from(left), i16::from(up), i16::from(corner));
    let (pa, pb, pc) = ((b - c).abs(), (a - c).abs(), (a + b - 2 * c).abs());
    if pa <= pb && pa <= pc {
        left
    } else if pb <= pc {
        up
    } else {
        corner
    }
}

fn tiff(mut data: Vec<u8>, colors: usize, bits: usize, row: usize) -> Vec<u8> {
    // Other depths do not occur; they stay as they are.
    if bits == 8 {
        for line in data.chunks_mut(row) {
            for at in colors..line.len() {
                line[at] = line[at].wrapping_add(line[at - colors]);
            }
        }
    }
    data
}

fn ascii_hex(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut high = None;
    for byte in data {
        if *byte == b'>' {
            break;
        }
        let Some(digit) = char::from(*byte).to_digit(16).and_then(|it| u8::try_from(it).ok())
        else {
            continue;
        };
        match high.take() {
            Some(first) => out.push(first << 4 | digit),
            None => high = Some(digit),
        }
    }
    if let Some(first) = high {
        out.push(first << 4);
    }
    out
}

fn ascii_85(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut group = [0_u32; 5];
    let mut count = 0;
    for byte in data {
        match byte {
            b'~' => break,
            b'z' if count == 0 => out.extend([0; 4]),
            b'!'..=b'u' => {
                group[count] = u32::from(byte - b'!');
                count += 1;
                if count == 5 {
                    out.extend(quad(group));
                    count = 0;
                }
            }
            _ => {}
        }
    }
    if count > 1 {
        group[count..].fill(84);
        out.extend(&quad(group)[..count - 1]);
    }
    out
}

fn quad(group: [u32; 5]) -> [u8; 4] {
    group.iter().fold(0_u32, |sum, it| sum.wrapping_mul(85).wrapping_add(*it)).to_be_bytes()
}

fn run_length(data: &[u8], limit: usize) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(&length) = data.get(at) {
        at += 1;
        match length {
            0..=127 => {
                let end = (at + usize::from(length) + 1).min(data.len());
                out.extend_from_slice(&data[at..end]);
                at = end;
            }
            128 => break,
            _ => {
                let Some(byte) = data.get(at) else { break };
                out.resize(out.len() + 257 - usize::from(length), *byte);
                at += 1;
            }
        }
        if out.len() > limit {
            return None;
        }
    }
    Some(out)
}
