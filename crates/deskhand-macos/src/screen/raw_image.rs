//! Converts the pixels of a `CGImage` to BGRA.

/// The pixels of a `CGImage` in any format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RawImage {
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// The bytes per row, including padding.
    pub(crate) stride: usize,
    pub(crate) bits_per_component: usize,
    pub(crate) bits_per_pixel: usize,
    /// The `CGBitmapInfo`.
    pub(crate) info: u32,
    pub(crate) data: Vec<u8>,
}

/// Pixels of four bytes (blue, green, red, alpha) without padding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BgraImage {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) data: Vec<u8>,
}

// The bit fields of `CGBitmapInfo`.
const ALPHA: u32 = 0x1f;
const FLOATS: u32 = 1 << 8;
const ORDER: u32 = 0x7000;
const ORDER_32_LITTLE: u32 = 2 << 12;
const ORDER_32_BIG: u32 = 4 << 12;

/// The position of each component in the bytes of a pixel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PixelLayout {
    /// The number of bytes per pixel.
    bytes: usize,
    blue: usize,
    green: usize,
    red: usize,
    /// The alpha component, if the colours are not premultiplied with it.
    alpha: Option<usize>,
}

impl PixelLayout {
    fn of(raw_image: &RawImage) -> Option<Self> {
        let (alpha, order) = (raw_image.info & ALPHA, raw_image.info & ORDER);
        if raw_image.bits_per_component != 8 || raw_image.info & FLOATS != 0 {
            return None;
        }
        // The default order is that of the names.
        let little = match order {
            ORDER_32_LITTLE => true,
            0 | ORDER_32_BIG => false,
            _ => return None,
        };
        if raw_image.bits_per_pixel == 24 && alpha == 0 && !little {
            return Some(Self { bytes: 3, blue: 2, green: 1, red: 0, alpha: None });
        }
        if raw_image.bits_per_pixel != 32 {
            return None;
        }
        // kCGImageAlpha: None 0, PremultipliedLast 1, PremultipliedFirst 2, Last 3, First 4,
        // NoneSkipLast 5, NoneSkipFirst 6.
        let (first, premultiplied) = match alpha {
            1 | 5 => (false, true),
            2 | 6 => (true, true),
            3 => (false, false),
            4 => (true, false),
            _ => return None,
        };
        let (blue, green, red, alpha) = match (first, little) {
            (true, true) => (0, 1, 2, 3),
            (true, false) => (3, 2, 1, 0),
            (false, true) => (1, 2, 3, 0),
            (false, false) => (2, 1, 0, 3),
        };
        Some(Self { bytes: 4, blue, green, red, alpha: (!premultiplied).then_some(alpha) })
    }

    fn is_bgra(self) -> bool {
        (self.bytes, self.blue, self.green, self.red, self.alpha) == (4, 0, 1, 2, None)
    }
}

impl RawImage {
    /// Converts to BGRA, on black where the image is transparent. Returns `None` for an unsupported format or
    /// missing data.
    pub(crate) fn into_bgra(self) -> Option<BgraImage> {
        let layout = PixelLayout::of(&self)?;
        let Self { width, height, stride, data, .. } = self;
        let line = width.checked_mul(layout.bytes)?;
        let whole = stride.checked_mul(height.checked_sub(1)?)?.checked_add(line)?;
        if width == 0 || stride < line || data.len() < whole {
            return None;
        }
        if layout.is_bgra() && stride == line {
            let mut data = data;
            data.truncate(whole);
            return Some(BgraImage { width, height, data });
        }
        let mut out = Vec::with_capacity(width.checked_mul(height)?.checked_mul(4)?);
        for row in data.chunks(stride).take(height) {
            let row = row.get(..line)?;
            if layout.is_bgra() {
                out.extend_from_slice(row);
                continue;
            }
            for pixel in row.chunks_exact(layout.bytes) {
                let colour = |at: usize| {
                    let full = pixel.get(at).copied().unwrap_or(0);
                    match layout.alpha.and_then(|at| pixel.get(at)) {
                        Some(alpha) => (u16::from(full) * u16::from(*alpha) / 255) as u8,
                        None => full,
                    }
                };
                out.extend([colour(layout.blue), colour(layout.green), colour(layout.red), 255]);
            }
        }
        Some(BgraImage { width, height, data: out })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw_image(info: u32, bits_per_pixel: usize, stride: usize, data: &[u8]) -> RawImage {
        let (bits_per_component, data) = (8, data.to_vec());
        RawImage { width: 2, height: 2, stride, bits_per_component, bits_per_pixel, info, data }
    }

    fn first(info: u32, pixel: [u8; 4]) -> Option<Vec<u8>> {
        let image = raw_image(info, 32, 8, &pixel.repeat(4)).into_bgra()?;
        Some(image.data[..3].to_vec())
    }

    #[test]
    fn row_padding_is_removed() {
        // The format of screenshots: premultiplied, alpha first, 32 bits little-endian.
        let rows = [[1, 2, 3, 255, 4, 5, 6, 255, 99, 99], [7, 8, 9, 255, 10, 11, 12, 255, 99, 99]];
        let image =
            raw_image(2 | ORDER_32_LITTLE, 32, 10, rows.as_flattened()).into_bgra().unwrap();
        assert_eq!(image.data, [1, 2, 3, 255, 4, 5, 6, 255, 7, 8, 9, 255, 10, 11, 12, 255]);
        // The last row may have no padding.
        let short = raw_image(2 | ORDER_32_LITTLE, 32, 10, &rows.as_flattened()[..18]).into_bgra();
        assert_eq!(short.unwrap(), image);
    }

    #[test]
    fn every_component_order_is_supported() {
        let expected = Some(vec![10, 20, 30]);
        for skip_or_premultiplied in [2, 6] {
            assert_eq!(first(skip_or_premultiplied | ORDER_32_LITTLE, [10, 20, 30, 255]), expected);
            assert_eq!(first(skip_or_premultiplied | ORDER_32_BIG, [255, 30, 20, 10]), expected);
            assert_eq!(first(skip_or_premultiplied, [255, 30, 20, 10]), expected);
        }
        for skip_or_premultiplied in [1, 5] {
            assert_eq!(first(skip_or_premultiplied | ORDER_32_LITTLE, [255, 10, 20, 30]), expected);
            assert_eq!(first(skip_or_premultiplied, [30, 20, 10, 255]), expected);
        }
        let packed = raw_image(0, 24, 6, &[30, 20, 10].repeat(4)).into_bgra().unwrap();
        assert_eq!(packed.data, [10, 20, 30, 255].repeat(4));
    }

    #[test]
    fn transparent_pixels_are_drawn_on_black() {
        assert_eq!(first(4 | ORDER_32_LITTLE, [200, 100, 50, 51]), Some(vec![40, 20, 10]));
        assert_eq!(first(3, [50, 100, 200, 0]), Some(vec![0, 0, 0]));
        assert_eq!(first(2 | ORDER_32_LITTLE, [40, 20, 10, 51]), Some(vec![40, 20, 10]));
    }

    #[test]
    fn unsupported_formats_are_rejected() {
        let usual = || raw_image(2 | ORDER_32_LITTLE, 32, 8, &[0; 16]);
        assert!(usual().into_bgra().is_some());
        assert!(
            RawImage { bits_per_component: 16, bits_per_pixel: 64, ..usual() }
                .into_bgra()
                .is_none()
        );
        assert!(RawImage { info: FLOATS | 2, ..usual() }.into_bgra().is_none());
        assert!(RawImage { info: 2 | 1 << 12, ..usual() }.into_bgra().is_none());
        assert!(RawImage { info: 7, ..usual() }.into_bgra().is_none());
        assert!(RawImage { bits_per_pixel: 16, ..usual() }.into_bgra().is_none());
        assert!(RawImage { data: vec![0; 15], ..usual() }.into_bgra().is_none());
        assert!(RawImage { stride: 7, ..usual() }.into_bgra().is_none());
        assert!(RawImage { width: 0, ..usual() }.into_bgra().is_none());
        assert!(RawImage { height: 0, ..usual() }.into_bgra().is_none());
    }
}
