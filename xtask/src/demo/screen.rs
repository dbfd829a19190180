//! Saves a picture of the screen, without Deskhand.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use x11rb::connection::Connection;
use x11rb::protocol::xproto::{ConnectionExt, ImageFormat, Window};
use x11rb::rust_connection::RustConnection;

use crate::error::{Error, Result};

pub(super) struct Screen {
    connection: RustConnection,
    root: Window,
}

impl Screen {
    /// Connects to the display of this process.
    pub(super) fn open() -> Result<Self> {
        let (connection, number) = x11rb::connect(None).map_err(Error::screen)?;
        let screen = connection
            .setup()
            .roots
            .get(number)
            .ok_or_else(|| Error::screen("the display has no screen"))?;
        let root = screen.root;
        Ok(Self { connection, root })
    }

    /// Saves a screenshot as PNG.
    pub(super) fn save(&self, path: &Path) -> Result<Screenshot> {
        let size = self.connection.get_geometry(self.root).map_err(Error::screen)?;
        let size = size.reply().map_err(Error::screen)?;
        let (width, height) = (size.width, size.height);
        let image = self
            .connection
            .get_image(ImageFormat::Z_PIXMAP, self.root, 0, 0, width, height, u32::MAX)
            .map_err(Error::screen)?
            .reply()
            .map_err(Error::screen)?;
        let pixels = rgb(&image.data);
        let file = File::create(path).map_err(Error::file(path))?;
        let mut encoder = png::Encoder::new(BufWriter::new(file), width.into(), height.into());
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_compression(png::Compression::Fast);
        let mut writer = encoder.write_header().map_err(Error::screen)?;
        writer.write_image_data(&pixels).map_err(Error::screen)?;
        writer.finish().map_err(Error::screen)?;
        Ok(Screenshot { width, height, colours: colours(&pixels) })
    }
}

/// The size of a screenshot, and its number of colours.
pub(super) struct Screenshot {
    pub(super) width: u16,
    pub(super) height: u16,
    pub(super) colours: usize,
}

/// Converts pixels to RGB. A local true-colour X server sends blue, green, red and a padding byte.
fn rgb(pixels: &[u8]) -> Vec<u8> {
    pixels.chunks_exact(4).flat_map(|pixel| [pixel[2], pixel[1], pixel[0]]).collect()
}

fn colours(rgb: &[u8]) -> usize {
    rgb.chunks_exact(3).collect::<std::collections::HashSet<_>>().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_are_converted_to_rgb() {
        assert_eq!(rgb(&[1, 2, 3, 0, 4, 5, 6, 0]), [3, 2, 1, 6, 5, 4]);
        assert_eq!(colours(&[1, 1, 1, 2, 2, 2, 1, 1, 1]), 2);
    }
}
