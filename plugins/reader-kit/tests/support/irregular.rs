//! Irregular compound files, as some programs write them.

fn number(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
}

/// Returns irregular forms of a compound file, each with a name. The contents of the streams stay the same.
pub(crate) fn irregular(bytes: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let sector = 1 << u16::from_le_bytes(bytes[0x1E..0x20].try_into().unwrap());
    let sectors = bytes.len().div_ceil(sector) - 1;
    let mut listed = (0x4C..0x200).step_by(4).filter(|at| number(bytes, *at) < sectors);
    let last = listed.next_back().unwrap();
    let start = (number(bytes, last) + 1) * sector;
    // The entries of the last sector of the FAT for sectors that the file does not have.
    let before = (last - 0x4C) / 4 * (sector / 4);
    let beyond = start + 4 * (sectors - before)..start + sector;
    assert!(!beyond.is_empty(), "the last sector of the FAT is full");
    let filled = |mark: u32| {
        let mut bytes = bytes.to_vec();
        for entry in bytes[beyond.clone()].as_chunks_mut::<4>().0 {
            *entry = mark.to_le_bytes();
        }
        bytes
    };
    let mut listed_twice = bytes.to_vec();
    listed_twice[last + 4..last + 8].copy_from_slice(&bytes[last..last + 4]);
    let mut uncounted = filled(0xFFFF_FFFE);
    uncounted[0x2C..0x30].copy_from_slice(&0u32.to_le_bytes());
    let mut longer = filled(0xFFFF_FFFE);
    longer.resize(bytes.len() + 100, 0);
    vec![
        ("the FAT is filled up with ends of chains", filled(0xFFFF_FFFE)),
        ("the FAT is filled up with sector 1", filled(1)),
        ("the FAT is filled up with invalid marks", filled(0xFFFF_FFFB)),
        ("a sector of the FAT is listed twice", listed_twice),
        ("the header counts no sector of the FAT", uncounted),
        ("the length is not a number of whole sectors", longer),
    ]
}
