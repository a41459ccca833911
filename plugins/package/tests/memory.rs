//! Memory that reading a part needs. A program of its own, because it measures all memory that it has.

use miniz_oxide::deflate::compress_to_vec;
use mitt_package::{MAX_PART_BYTES, Zip};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

struct Measured;

static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

fn grow(bytes: usize) {
    let now = NOW.fetch_add(bytes, Ordering::Relaxed) + bytes;
    MOST.fetch_max(now, Ordering::Relaxed);
}

// SAFETY: every call goes to the allocator of the system; only sizes are counted.
unsafe impl GlobalAlloc for Measured {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Measured = Measured;

/// Memory of the decompressor.
const OTHER_BYTES: usize = 64 << 10;

/// Returns an archive of one deflated part whose directory states a size.
fn archive(data: &[u8], crc: u32, stated: u32) -> Zip {
    let mut fields = b"\x14\0\0\0\x08\0\0\0\0\0".to_vec();
    fields.extend(crc.to_le_bytes());
    fields.extend((data.len() as u32).to_le_bytes());
    fields.extend(stated.to_le_bytes());
    fields.extend(b"\x01\0\0\0");
    let mut out = b"PK\x03\x04".to_vec();
    out.extend(&fields);
    out.push(b'a');
    out.extend(data);
    let directory = out.len() as u32;
    out.extend(b"PK\x01\x02\x14\0");
    out.extend(&fields);
    out.extend([0; 14]);
    out.push(b'a');
    let size = out.len() as u32 - directory;
    out.extend(b"PK\x05\x06\0\0\0\0\x01\0\x01\0");
    out.extend(size.to_le_bytes());
    out.extend(directory.to_le_bytes());
    out.extend([0; 2]);
    Zip::open(out).unwrap()
}

/// Reads the part, and returns the most memory that this needed.
fn read(zip: &Zip) -> (Result<Option<Vec<u8>>, String>, usize) {
    let before = NOW.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    let read = zip.read("a");
    (read, MOST.load(Ordering::Relaxed) - before)
}

#[test]
fn a_part_is_read_into_a_buffer_of_its_size() {
    let mut content = Vec::new();
    for row in 0..200_000_u32 {
        content.extend(format!("<c r=\"A{row}\"><v>{}</v></c>", row % 977).bytes());
    }
    let crc = crc32fast::hash(&content);
    let packed = compress_to_vec(&content, 1);
    let length = content.len() as u32;
    assert!(packed.len() > MAX_PART_BYTES / 1_032 && packed.len() < content.len() / 4);
    let (read_back, most) = read(&archive(&packed, crc, length));
    let read_back = read_back.unwrap().unwrap();
    assert!(read_back == content && read_back.capacity() == content.len());
    assert!(most < content.len() + OTHER_BYTES, "{most} for {}", content.len());
    // A size that is stated too small or too large does not become a buffer beyond it.
    for stated in [0, 1, length - 1, length + 1, 2 * length, MAX_PART_BYTES as u32] {
        let (error, most) = read(&archive(&packed, crc, stated));
        assert_eq!(error.unwrap_err(), "the part `a` is damaged", "{stated}");
        assert!(most < stated as usize + OTHER_BYTES, "{most} for {stated}");
    }
    // No content of these bytes is as long, so no buffer is made for it.
    let zeros = vec![0; 1 << 20];
    let packed = compress_to_vec(&zeros, 9);
    let (error, most) = read(&archive(&packed, crc32fast::hash(&zeros), MAX_PART_BYTES as u32));
    assert_eq!(error.unwrap_err(), "the part `a` is damaged");
    assert!(most < OTHER_BYTES, "{most}");
    let (zeros_back, _) = read(&archive(&packed, crc32fast::hash(&zeros), 1 << 20));
    assert!(zeros_back.unwrap().unwrap() == zeros);
    // A content of no bytes is two bytes long.
    let (empty, _) = read(&archive(&compress_to_vec(b"", 6), 0, 0));
    assert_eq!(empty.unwrap().unwrap(), b"");
}
