//! Pixels as a `CGImage` holds them, made into those of the seam.

/// What a `CGImage` holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Raster {
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// From the beginning of a row to that of the next, in bytes: rows are padded.
    pub(crate) stride: usize,
    pub(crate) bits_per_component: usize,
    pub(crate) bits_per_pixel: usize,
    /// Its `CGBitmapInfo`.
    pub(crate) info: u32,
    pub(crate) data: Vec<u8>,
}

/// Rows of blue, green, red and a spare byte, without anything between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tight {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) data: Vec<u8>,
}

/// The parts of `CGBitmapInfo`.
const ALPHA: u32 = 0x1f;
const FLOATS: u32 = 1 << 8;
const ORDER: u32 = 0x7000;
const ORDER_32_LITTLE: u32 = 2 << 12;
const ORDER_32_BIG: u32 = 4 << 12;

/// Where the colours of a pixel are among its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Layout {
    /// How many bytes a pixel takes.
    bytes: usize,
    blue: usize,
    green: usize,
    red: usize,
    /// Where its opacity is, when the colours do not have it worked in yet.
    opacity: Option<usize>,
}

impl Layout {
    fn of(raster: &Raster) -> Option<Self> {
        let (alpha, order) = (raster.info & ALPHA, raster.info & ORDER);
        if raster.bits_per_component != 8 || raster.info & FLOATS != 0 {
            return None;
        }
        // Without a word about it bytes come in the order they are named.
        let little = match order {
            ORDER_32_LITTLE => true,
            0 | ORDER_32_BIG => false,
            _ => return None,
        };
        if raster.bits_per_pixel == 24 && alpha == 0 && !little {
            return Some(Self { bytes: 3, blue: 2, green: 1, red: 0, opacity: None });
        }
        if raster.bits_per_pixel != 32 {
            return None;
        }
        // kCGImageAlpha: None 0, PremultipliedLast 1, PremultipliedFirst 2, Last 3, First 4,
        // NoneSkipLast 5, NoneSkipFirst 6.
        let (first, worked_in) = match alpha {
            1 | 5 => (false, true),
            2 | 6 => (true, true),
            3 => (false, false),
            4 => (true, false),
            _ => return None,
        };
        let (blue, green, red, opacity) = match (first, little) {
            (true, true) => (0, 1, 2, 3),
            (true, false) => (3, 2, 1, 0),
            (false, true) => (1, 2, 3, 0),
            (false, false) => (2, 1, 0, 3),
        };
        Some(Self { bytes: 4, blue, green, red, opacity: (!worked_in).then_some(opacity) })
    }

    fn is_ours(self) -> bool {
        (self.bytes, self.blue, self.green, self.red, self.opacity) == (4, 0, 1, 2, None)
    }
}

impl Raster {
    /// The same pixels as the seam has them, on black where they are not opaque; `None` when they are of a
    /// kind nobody asked for, or fewer than they should be.
    pub(crate) fn tight(self) -> Option<Tight> {
        let layout = Layout::of(&self)?;
        let Self { width, height, stride, data, .. } = self;
        let line = width.checked_mul(layout.bytes)?;
        let whole = stride.checked_mul(height.checked_sub(1)?)?.checked_add(line)?;
        if width == 0 || stride < line || data.len() < whole {
            return None;
        }
        if layout.is_ours() && stride == line {
            let mut data = data;
            data.truncate(whole);
            return Some(Tight { width, height, data });
        }
        let mut out = Vec::with_capacity(width.checked_mul(height)?.checked_mul(4)?);
        for row in data.chunks(stride).take(height) {
            let row = row.get(..line)?;
            if layout.is_ours() {
                out.extend_from_slice(row);
                continue;
            }
            for pixel in row.chunks_exact(layout.bytes) {
                let colour = |at: usize| {
                    let full = pixel.get(at).copied().unwrap_or(0);
                    match layout.opacity.and_then(|at| pixel.get(at)) {
                        Some(part) => (u16::from(full) * u16::from(*part) / 255) as u8,
                        None => full,
                    }
                };
                out.extend([colour(layout.blue), colour(layout.green), colour(layout.red), 255]);
            }
        }
        Some(Tight { width, height, data: out })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raster(info: u32, bits_per_pixel: usize, stride: usize, data: &[u8]) -> Raster {
        let (bits_per_component, data) = (8, data.to_vec());
        Raster { width: 2, height: 2, stride, bits_per_component, bits_per_pixel, info, data }
    }

    fn first(info: u32, pixel: [u8; 4]) -> Option<Vec<u8>> {
        let told = raster(info, 32, 8, &pixel.repeat(4)).tight()?;
        Some(told.data[..3].to_vec())
    }

    #[test]
    fn padding_between_rows_is_dropped() {
        // What screens give: premultiplied, alpha first, 32 bits with the little end first.
        let rows = [[1, 2, 3, 255, 4, 5, 6, 255, 99, 99], [7, 8, 9, 255, 10, 11, 12, 255, 99, 99]];
        let told = raster(2 | ORDER_32_LITTLE, 32, 10, rows.as_flattened()).tight().unwrap();
        assert_eq!(told.data, [1, 2, 3, 255, 4, 5, 6, 255, 7, 8, 9, 255, 10, 11, 12, 255]);
        // The last row may end without it.
        let short = raster(2 | ORDER_32_LITTLE, 32, 10, &rows.as_flattened()[..18]).tight();
        assert_eq!(short.unwrap(), told);
    }

    #[test]
    fn every_order_of_colours_is_understood() {
        let wanted = Some(vec![10, 20, 30]);
        for skip_or_premultiplied in [2, 6] {
            assert_eq!(first(skip_or_premultiplied | ORDER_32_LITTLE, [10, 20, 30, 255]), wanted);
            assert_eq!(first(skip_or_premultiplied | ORDER_32_BIG, [255, 30, 20, 10]), wanted);
            assert_eq!(first(skip_or_premultiplied, [255, 30, 20, 10]), wanted);
        }
        for skip_or_premultiplied in [1, 5] {
            assert_eq!(first(skip_or_premultiplied | ORDER_32_LITTLE, [255, 10, 20, 30]), wanted);
            assert_eq!(first(skip_or_premultiplied, [30, 20, 10, 255]), wanted);
        }
        let packed = raster(0, 24, 6, &[30, 20, 10].repeat(4)).tight().unwrap();
        assert_eq!(packed.data, [10, 20, 30, 255].repeat(4));
    }

    #[test]
    fn what_is_not_opaque_lies_on_black() {
        assert_eq!(first(4 | ORDER_32_LITTLE, [200, 100, 50, 51]), Some(vec![40, 20, 10]));
        assert_eq!(first(3, [50, 100, 200, 0]), Some(vec![0, 0, 0]));
        assert_eq!(first(2 | ORDER_32_LITTLE, [40, 20, 10, 51]), Some(vec![40, 20, 10]));
    }

    #[test]
    fn what_nobody_asked_for_is_refused() {
        let usual = || raster(2 | ORDER_32_LITTLE, 32, 8, &[0; 16]);
        assert!(usual().tight().is_some());
        assert!(Raster { bits_per_component: 16, bits_per_pixel: 64, ..usual() }.tight().is_none());
        assert!(Raster { info: FLOATS | 2, ..usual() }.tight().is_none());
        assert!(Raster { info: 2 | 1 << 12, ..usual() }.tight().is_none());
        assert!(Raster { info: 7, ..usual() }.tight().is_none());
        assert!(Raster { bits_per_pixel: 16, ..usual() }.tight().is_none());
        assert!(Raster { data: vec![0; 15], ..usual() }.tight().is_none());
        assert!(Raster { stride: 7, ..usual() }.tight().is_none());
        assert!(Raster { width: 0, ..usual() }.tight().is_none());
        assert!(Raster { height: 0, ..usual() }.tight().is_none());
    }
}
