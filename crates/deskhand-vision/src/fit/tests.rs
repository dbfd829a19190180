//! Limits are met, and reductions are reported.

use super::*;

const FREE: Limits = Limits { width: None, height: None, bytes: None };

/// Random pixels, which no format compresses well.
fn noise(width: u32, height: u32) -> Vec<u8> {
    let mut state = 0x2545_f491_u32;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state.to_le_bytes()[1]
    };
    (0..width * height * 4).map(|_| next()).collect()
}

fn options(format: ImageFormat, limits: Limits) -> FitOptions {
    FitOptions { format, quality: 85, limits }
}

const ALL: [ImageFormat; 4] =
    [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::Tiff, ImageFormat::Webp];

#[test]
fn without_limits_nothing_is_reduced() {
    let bytes = noise(120, 80);
    let picture = Picture::new(120, 80, &bytes).unwrap();
    for format in ALL {
        let fitted = fit(&picture, options(format, FREE), &|_| {}).unwrap();
        assert_eq!((fitted.width, fitted.height), (120, 80));
        assert_eq!(fitted.reductions, []);
    }
}

#[test]
fn scaling_keeps_the_aspect_ratio() {
    let sizes =
        [((1920, 1080), (1568, 882)), ((1080, 1920), (882, 1568)), ((800, 600), (800, 600))];
    let limits = Limits { width: Some(1568), height: Some(1568), bytes: None };
    for (from, to) in sizes {
        assert_eq!(fit_within(from, limits), to);
    }
    let narrow = Limits { width: Some(10), height: None, bytes: None };
    assert_eq!(fit_within((5000, 3), narrow), (10, 1));
}

#[test]
fn every_format_meets_the_byte_limit_and_reports_reductions() {
    let bytes = noise(640, 480);
    let picture = Picture::new(640, 480, &bytes).unwrap();
    for format in ALL {
        for most in [400_000, 60_000, 8_000] {
            let limits = Limits { bytes: Some(most), ..FREE };
            let fitted = fit(&picture, options(format, limits), &|_| {}).unwrap();
            assert!(fitted.bytes.len() <= most, "{format:?} {most}: {}", fitted.bytes.len());
            let unreduced =
                (fitted.width, fitted.height) == (640, 480) && fitted.bytes.len() > most / 3;
            assert!(!fitted.reductions.is_empty() || unreduced, "{format:?} {most}");
            // The result is not much smaller than necessary.
            assert!(fitted.bytes.len() > most / 4, "{format:?} {most}: {}", fitted.bytes.len());
        }
    }
}

#[test]
fn quality_is_lowered_before_size() {
    let bytes = noise(400, 300);
    let picture = Picture::new(400, 300, &bytes).unwrap();
    let whole = fit(&picture, options(ImageFormat::Jpeg, FREE), &|_| {}).unwrap().bytes.len();
    let limits = Limits { bytes: Some(whole * 8 / 10), ..FREE };
    let fitted = fit(&picture, options(ImageFormat::Jpeg, limits), &|_| {}).unwrap();
    assert_eq!((fitted.width, fitted.height), (400, 300));
    assert!(matches!(fitted.reductions[..], [Reduction::Quality { from: 85, .. }]));
}

#[test]
fn an_impossible_byte_limit_is_refused() {
    let bytes = noise(64, 64);
    let picture = Picture::new(64, 64, &bytes).unwrap();
    let limits = Limits { bytes: Some(100), ..FREE };
    let refused = fit(&picture, options(ImageFormat::Png, limits), &|_| {});
    assert!(matches!(refused, Err(Error::TooManyBytes { max_bytes: 100, .. })), "{refused:?}");
}

#[test]
fn painting_is_encoded_at_every_size() {
    let bytes = vec![0; 300 * 200 * 4];
    let picture = Picture::new(300, 200, &bytes).unwrap();
    let limits = Limits { width: Some(150), height: None, bytes: None };
    let paint = |canvas: &mut Canvas| canvas.fill(canvas.bounds(), [7, 8, 9]);
    let fitted = fit(&picture, options(ImageFormat::Png, limits), &paint).unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(&fitted.bytes)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((info.width, info.height), (150, 100));
    assert!(pixels.chunks_exact(3).all(|pixel| pixel == [7, 8, 9]));
}
