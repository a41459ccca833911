//! Pictures that a call delivered, as content of its result: clients display them in the conversation, where a link would be
//! only a name. They are scaled down, because models charge for size; the file stays unchanged.

use std::io::Cursor;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use color_quant::NeuQuant;
use rmcp::model::ContentBlock;

use super::options::Images;
use mitt::Artifact;
use mitt_base::Result;

/// The supported type. Models refuse other kinds of pictures, or these can run scripts.
const MEDIA_TYPE: &str = "image/png";

/// Most pictures in one result.
const MAX_PICTURES: usize = 4;

/// Largest file that is shown, in bytes. A chart has 50 to 500 kB.
const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;
/// Most pixels of such a file: 64 MiB of memory while it is decoded.
const MAX_PIXELS: u64 = 16 * 1024 * 1024;

/// Memory for scaling a picture: the file, its pixels, and the smaller pixels.
pub(super) const WORKING_BYTES: u64 = MAX_FILE_BYTES + 4 * MAX_PIXELS + 8 * 1024 * 1024;

/// Most bytes of a scaled picture.
const MAX_BYTES: usize = 64_000;
/// Longest side in pixels, and smaller sizes to try if a picture has too many bytes.
const SIDES: [u32; 4] = [800, 640, 480, 320];

/// Clients that display pictures, or pass them to the model as pictures: words in the names of clients. All others are
/// assumed to put pictures into the next request as text, as frameworks do.
const SHOW: [&str; 18] = [
    "anthropic",
    "cherry",
    "claude",
    "codex",
    "copilot",
    "cursor",
    "gemini",
    "goose",
    "inspector",
    "librechat",
    "lm studio",
    "lmstudio",
    "opencode",
    "qwen",
    "visual studio code",
    "vscode",
    "windsurf",
    "zed",
];

/// Returns `true` if results for a client with this name include pictures.
pub(super) fn has_images(wanted: Images, client: Option<&str>) -> bool {
    match wanted {
        Images::Always => true,
        Images::Never => false,
        Images::Auto => client.is_some_and(|name| {
            let name = name.to_lowercase();
            SHOW.iter().any(|word| name.contains(word))
        }),
    }
}

/// Returns the names of a call's files that can be shown as pictures.
pub(super) fn of(artifacts: &[Artifact]) -> Vec<String> {
    let fits = |it: &&Artifact| it.media_type == MEDIA_TYPE && it.size <= MAX_FILE_BYTES;
    artifacts.iter().filter(fits).take(MAX_PICTURES).map(|artifact| artifact.name.clone()).collect()
}

/// Returns the pictures of these files. A file that was replaced or removed meanwhile, or cannot be made small enough, is
/// skipped; its link says where it is.
pub(super) fn shown(names: &[String], read: impl Fn(&str) -> Result<Vec<u8>>) -> Vec<ContentBlock> {
    let content = |name: &String| {
        let bytes = read(name).ok().filter(|bytes| bytes.len() as u64 <= MAX_FILE_BYTES)?;
        Some(ContentBlock::image(STANDARD.encode(small(bytes)?), MEDIA_TYPE))
    };
    names.iter().filter_map(content).collect()
}

/// Returns the picture with at most [`MAX_BYTES`] and no side longer than the first of [`SIDES`]. `None` if it is not a
/// picture, or cannot be made so small.
fn small(bytes: Vec<u8>) -> Option<Vec<u8>> {
    let picture = Picture::read(&bytes)?;
    if bytes.len() <= MAX_BYTES && picture.width.max(picture.height) <= SIDES[0] {
        return Some(bytes);
    }
    drop(bytes);
    let mut tried = 0;
    for side in SIDES {
        let longest = picture.width.max(picture.height).min(side);
        if longest == tried {
            continue;
        }
        tried = longest;
        let written = picture.reduced(longest).written().ok()?;
        if written.len() <= MAX_BYTES {
            return Some(written);
        }
    }
    None
}

/// A picture with four bytes per pixel: red, green, blue, alpha.
struct Picture {
    width: u32,
    height: u32,
    pixels: Vec<u8>,
}

impl Picture {
    fn read(bytes: &[u8]) -> Option<Picture> {
        let mut decoder = png::Decoder::new(Cursor::new(bytes));
        decoder.set_transformations(
            png::Transformations::normalize_to_color8() | png::Transformations::ALPHA,
        );
        decoder.set_limits(png::Limits { bytes: usize::try_from(8 * MAX_PIXELS).ok()? });
        let (width, height) = decoder.read_header_info().ok().map(png::Info::size)?;
        if u64::from(width) * u64::from(height) > MAX_PIXELS {
            return None;
        }
        let mut reader = decoder.read_info().ok()?;
        let mut pixels = vec![0; reader.output_buffer_size()?];
        let frame = reader.next_frame(&mut pixels).ok()?;
        pixels.truncate(frame.buffer_size());
        let pixels = match frame.color_type {
            png::ColorType::Rgba => pixels,
            png::ColorType::GrayscaleAlpha => {
                pixels.chunks_exact(2).flat_map(|it| [it[0], it[0], it[0], it[1]]).collect()
            }
            _ => return None,
        };
        Some(Picture { width, height, pixels })
    }

    /// Returns the picture scaled so that its longest side has `longest` pixels; each pixel is the mean of those that it
    /// replaces.
    fn reduced(&self, longest: u32) -> Picture {
        let scaled = |side: u32| {
            let all = u64::from(self.width.max(self.height));
            u32::try_from(u64::from(side) * u64::from(longest) / all).unwrap_or(longest).max(1)
        };
        let (width, height) = (scaled(self.width), scaled(self.height));
        let mut pixels = Vec::with_capacity(width as usize * height as usize * 4);
        // The source pixels of a target pixel end where those of the next one begin.
        let range = |at: u32, of: u32, all: u32| {
            let begin = |at: u32| (u64::from(at) * u64::from(all) / u64::from(of)) as usize;
            begin(at)..begin(at + 1).max(begin(at) + 1)
        };
        for y in 0..height {
            for x in 0..width {
                let (mut sums, mut count) = ([0_u32; 4], 0);
                for row in range(y, height, self.height) {
                    for column in range(x, width, self.width) {
                        let at = (row * self.width as usize + column) * 4;
                        for (sum, part) in sums.iter_mut().zip(&self.pixels[at..at + 4]) {
                            *sum += u32::from(*part);
                        }
                        count += 1;
                    }
                }
                pixels.extend(
                    sums.map(|sum| u8::try_from((sum + count / 2) / count).unwrap_or(u8::MAX)),
                );
            }
        }
        Picture { width, height, pixels }
    }

    /// Returns the picture as PNG with a palette of 256 colours.
    fn written(&self) -> std::result::Result<Vec<u8>, png::EncodingError> {
        // Samples every third pixel, which finds the few colours of a chart.
        let colours = NeuQuant::new(3, 256, &self.pixels);
        let palette = colours.color_map_rgba();
        let indices: Vec<u8> = self
            .pixels
            .chunks_exact(4)
            .map(|pixel| u8::try_from(colours.index_of(pixel)).unwrap_or(u8::MAX))
            .collect();
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width, self.height);
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::High);
        encoder.set_palette(
            palette.chunks_exact(4).flat_map(|it| [it[0], it[1], it[2]]).collect::<Vec<u8>>(),
        );
        encoder.set_trns(palette.chunks_exact(4).map(|it| it[3]).collect::<Vec<u8>>());
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&indices)?;
        writer.finish()?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mitt_base::Error;

    fn artifact(name: &str, media_type: &str, size: u64) -> Artifact {
        Artifact { name: name.into(), media_type: media_type.into(), size, ..Artifact::default() }
    }

    /// Returns a PNG with pixels from `colour`.
    fn picture(width: u32, height: u32, colour: impl Fn(u32, u32) -> [u8; 3]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width, height);
        encoder.set_color(png::ColorType::Rgb);
        let mut writer = encoder.write_header().unwrap();
        let pixels = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let pixels: Vec<u8> = pixels.flat_map(|(x, y)| colour(x, y)).collect();
        writer.write_image_data(&pixels).unwrap();
        writer.finish().unwrap();
        bytes
    }

    #[test]
    fn pictures_are_shown_within_bounds() {
        let png = |name: &str, size: u64| artifact(name, MEDIA_TYPE, size);
        let all = [
            png("large.png", MAX_FILE_BYTES + 1),
            artifact("a.svg", "image/svg+xml", 10),
            artifact("a.pdf", "application/pdf", 10),
            png("a.png", MAX_FILE_BYTES),
            png("b.png", 1),
            png("c.png", 11),
            png("d.png", 5),
            png("e.png", 5),
        ];
        assert_eq!(of(&all), ["a.png", "b.png", "c.png", "d.png"]);
    }

    #[test]
    fn what_is_gone_or_no_picture_is_not_shown() {
        let line = picture(10, 5, |x, _| [255, 0, u8::try_from(x).unwrap()]);
        let read = |name: &str| match name {
            "a.png" => Ok(line.clone()),
            "grown.png" => Ok(vec![0; 4 * 1024 * 1024 + 1]),
            "text.png" => Ok(b"text".to_vec()),
            _ => Err(Error::input("gone")),
        };
        let names = ["a.png", "b.png", "grown.png", "text.png"].map(str::to_owned);
        let shown = shown(&names, read);
        assert_eq!(shown.len(), 1);
        let image = shown[0].as_image().unwrap();
        // A picture that is small already stays unchanged.
        assert_eq!((&*image.data, &*image.mime_type), (&*STANDARD.encode(&line), MEDIA_TYPE));
    }

    /// Lines in eight colours on white become small and keep their colours; noise is scaled down further or skipped.
    #[test]
    fn pictures_are_made_small() {
        let colours = [[200, 30, 40], [30, 120, 200], [20, 160, 90], [240, 180, 20]];
        let chart = picture(2400, 1200, |x, y| match (x / 7 + y) % 40 {
            at @ 0..4 => colours[at as usize],
            _ => [255, 255, 255],
        });
        let shown = small(chart).unwrap();
        assert!(shown.len() <= MAX_BYTES, "{}", shown.len());
        let read = Picture::read(&shown).unwrap();
        assert!(
            read.width <= 800 && read.width == 2 * read.height,
            "{} {}",
            read.width,
            read.height
        );
        let block =
            picture(
                1600,
                1600,
                |x, y| if x < 800 { colours[usize::from(y > 800)] } else { [255; 3] },
            );
        let read = Picture::read(&small(block).unwrap()).unwrap();
        let at = |x: usize, y: usize| &read.pixels[(y * 800 + x) * 4..][..4];
        for (place, colour) in
            [((100, 100), colours[0]), ((100, 700), colours[1]), ((700, 10), [255; 3])]
        {
            let shown = at(place.0, place.1);
            assert!(
                shown.iter().zip(&colour).all(|(a, b)| a.abs_diff(*b) < 8),
                "{shown:?} {colour:?}"
            );
        }
        let noise = picture(1000, 1000, |x, y| {
            let hash = (x.wrapping_mul(2_654_435_761) ^ y.wrapping_mul(2_246_822_519))
                .wrapping_mul(3_266_489_917);
            [(hash >> 8) as u8, (hash >> 16) as u8, (hash >> 24) as u8]
        });
        assert!(small(noise).is_none_or(|it| it.len() <= MAX_BYTES));
    }

    /// The header claims 60 000 by 60 000 pixels.
    #[test]
    fn pictures_of_absurd_sizes_are_not_read() {
        let mut bomb = picture(1, 1, |_, _| [0; 3]);
        for at in [16, 20] {
            bomb[at..at + 4].copy_from_slice(&60_000_u32.to_be_bytes());
        }
        assert!(small(bomb).is_none());
    }

    #[test]
    fn clients_that_show_pictures_are_known_by_their_names() {
        for (wanted, client, expected) in [
            (Images::Auto, Some("claude-code"), true),
            (Images::Auto, Some("Visual Studio Code"), true),
            (Images::Auto, Some("mcp"), false),
            (Images::Auto, Some("Cline"), false),
            (Images::Auto, None, false),
            (Images::Always, Some("mcp"), true),
            (Images::Never, Some("claude-ai"), false),
        ] {
            assert_eq!(has_images(wanted, client), expected, "{wanted:?} {client:?}");
        }
    }
}
