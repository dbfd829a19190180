//! Pixels from sources other than Deskhand: the X server for the screen, Pillow for image files.
//! Also windows that cover or color a part of the screen.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use x11rb::connection::Connection;
use x11rb::protocol::randr::{ConnectionExt as _, MonitorInfo};
use x11rb::protocol::xproto::{
    ConnectionExt as _, CreateGCAux, CreateWindowAux, ImageFormat, Window, WindowClass,
};
use x11rb::rust_connection::RustConnection;

use crate::TestDesktop;
use crate::inspect::Rect;

/// An RGB image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pixels {
    /// Width in pixels.
    pub width: i32,
    /// Height in pixels.
    pub height: i32,
    /// Red, green and blue bytes, row by row.
    pub rgb: Vec<u8>,
}

impl Pixels {
    /// Returns the color of a pixel.
    pub fn at(&self, x: i32, y: i32) -> [u8; 3] {
        assert!((0..self.width).contains(&x) && (0..self.height).contains(&y), "{x},{y}");
        let at = (y * self.width + x) as usize * 3;
        self.rgb[at..at + 3].try_into().unwrap()
    }

    /// Returns the number of pixels that differ by more than `more_than` in any channel from an
    /// image of the same size.
    pub fn differing(&self, other: &Pixels, more_than: u8) -> usize {
        assert_eq!((self.width, self.height), (other.width, other.height));
        let pairs = self.rgb.chunks_exact(3).zip(other.rgb.chunks_exact(3));
        pairs
            .filter(|(one, two)| one.iter().zip(*two).any(|(a, b)| a.abs_diff(*b) > more_than))
            .count()
    }

    /// Returns a part of the image.
    pub fn part(&self, rect: Rect) -> Pixels {
        let rows = rect.y..rect.y + rect.height;
        let points = rows.flat_map(|y| (rect.x..rect.x + rect.width).map(move |x| (x, y)));
        let rgb = points.flat_map(|(x, y)| self.at(x, y)).collect();
        Pixels { width: rect.width, height: rect.height, rgb }
    }

    /// Paints the part of a rectangle that lies inside the image black.
    pub fn blacken(&mut self, rect: Rect) {
        for y in rect.y.max(0)..(rect.y + rect.height).min(self.height) {
            for x in rect.x.max(0)..(rect.x + rect.width).min(self.width) {
                let at = (y * self.width + x) as usize * 3;
                self.rgb[at..at + 3].fill(0);
            }
        }
    }

    /// Returns the number of different colors.
    pub fn colours(&self) -> usize {
        self.rgb.chunks_exact(3).collect::<std::collections::HashSet<_>>().len()
    }

    /// Reads an image file with Pillow. Panics if the file is damaged or has another format.
    pub fn read(path: &Path, format: &str) -> Pixels {
        let program = "import sys\nfrom PIL import Image\nim = Image.open(sys.argv[1])\n\
                       im.load()\nprint(im.format, *im.size, flush=True)\n\
                       sys.stdout.buffer.write(im.convert('RGB').tobytes())";
        let output = Command::new("/usr/bin/python3").args(["-c", program]).arg(path).output();
        let output = output.expect("python3 runs");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{}: {stderr}", path.display());
        let end = output.stdout.iter().position(|byte| *byte == b'\n').unwrap();
        let header = String::from_utf8_lossy(&output.stdout[..end]).into_owned();
        let words: Vec<&str> = header.split(' ').collect();
        assert_eq!(words[0].to_lowercase(), format, "{}", path.display());
        let (width, height) = (words[1].parse().unwrap(), words[2].parse().unwrap());
        let rgb = output.stdout[end + 1..].to_vec();
        assert_eq!(rgb.len() as i32, width * height * 3);
        Pixels { width, height, rgb }
    }
}

/// A connection to the X server of a test desktop.
pub struct ScreenCapture {
    x: RustConnection,
    root: Window,
}

impl TestDesktop {
    /// Returns an independent reader of this desktop's pixels.
    pub fn screen_capture(&self) -> ScreenCapture {
        let x = self.info().connect_x11().unwrap_or_else(|error| panic!("no display: {error}"));
        let root = x.setup().roots[0].root;
        ScreenCapture { x, root }
    }
}

impl ScreenCapture {
    /// Captures a rectangle of the screen.
    pub fn capture(&self, rect: Rect) -> Pixels {
        let Rect { x, y, width, height } = rect;
        let image = self.x.get_image(
            ImageFormat::Z_PIXMAP,
            self.root,
            x.try_into().unwrap(),
            y.try_into().unwrap(),
            width.try_into().unwrap(),
            height.try_into().unwrap(),
            u32::MAX,
        );
        let data = image.unwrap().reply().unwrap().data;
        let rgb = data.chunks_exact(4).flat_map(|pixel| [pixel[2], pixel[1], pixel[0]]).collect();
        Pixels { width, height, rgb }
    }

    /// Captures a rectangle once it has stopped changing. Programs draw in steps; up to 99 changing
    /// pixels are ignored because a caret may blink.
    pub fn capture_when_still(&self, rect: Rect) -> Pixels {
        let mut last = self.capture(rect);
        let mut unchanged = 0;
        for _ in 0..80 {
            std::thread::sleep(Duration::from_millis(200));
            let now = self.capture(rect);
            unchanged = if now.differing(&last, 0) < 100 { unchanged + 1 } else { 0 };
            if unchanged == 4 {
                return now;
            }
            last = now;
        }
        panic!("{rect:?} keeps changing");
    }

    /// Covers a rectangle with a topmost window of one color.
    pub fn cover(&self, rect: Rect, [red, green, blue]: [u8; 3]) -> OverlayWindow<'_> {
        let colour = u32::from_be_bytes([0, red, green, blue]);
        self.window(rect, &CreateWindowAux::new().background_pixel(colour))
    }

    /// Covers a rectangle with random noise, which no image format compresses well.
    pub fn noise(&self, rect: Rect) -> OverlayWindow<'_> {
        let (width, height) = (rect.width as u16, rect.height as u16);
        let depth = self.x.setup().roots[0].root_depth;
        let (pixmap, gc) = (self.x.generate_id().unwrap(), self.x.generate_id().unwrap());
        self.x.create_pixmap(depth, pixmap, self.root, width, height).unwrap();
        self.x.create_gc(gc, pixmap, &CreateGCAux::new()).unwrap();
        for row in 0..height {
            let line: Vec<u8> = (0..usize::from(width) * 4).map(|_| fastrand::u8(..)).collect();
            let y = row.cast_signed();
            self.x
                .put_image(ImageFormat::Z_PIXMAP, pixmap, gc, width, 1, 0, y, 0, depth, &line)
                .unwrap();
        }
        let cover = self.window(rect, &CreateWindowAux::new().background_pixmap(pixmap));
        self.x.free_gc(gc).unwrap();
        self.x.free_pixmap(pixmap).unwrap();
        cover
    }

    fn window(&self, rect: Rect, attributes: &CreateWindowAux) -> OverlayWindow<'_> {
        let window = self.x.generate_id().unwrap();
        let (x, y) = (rect.x as i16, rect.y as i16);
        let (width, height) = (rect.width as u16, rect.height as u16);
        let attributes = attributes.override_redirect(1);
        let (class, copy) = (WindowClass::INPUT_OUTPUT, x11rb::COPY_FROM_PARENT);
        self.x
            .create_window(0, window, self.root, x, y, width, height, 0, class, copy, &attributes)
            .unwrap();
        self.x.map_window(window).unwrap();
        self.sync();
        std::thread::sleep(Duration::from_millis(100));
        OverlayWindow { eye: self, window }
    }

    /// Returns the window stack from bottom to top, and the window with the keyboard focus.
    pub fn stacking_and_focus(&self) -> (Vec<Window>, Window) {
        let stack = self.x.query_tree(self.root).unwrap().reply().unwrap().children;
        (stack, self.x.get_input_focus().unwrap().reply().unwrap().focus)
    }

    /// Makes the second of two displays the primary one. The first display then has negative
    /// coordinates.
    pub fn make_second_main(&self) {
        let monitors = self.x.randr_get_monitors(self.root, true).unwrap().reply().unwrap();
        for (index, monitor) in monitors.monitors.into_iter().enumerate() {
            let monitor = MonitorInfo { primary: index == 1, ..monitor };
            // RandR refuses a monitor name that is in use.
            self.x.randr_delete_monitor(self.root, monitor.name).unwrap().check().unwrap();
            self.x.randr_set_monitor(self.root, monitor).unwrap().check().unwrap();
        }
    }

    fn sync(&self) {
        self.x.get_input_focus().unwrap().reply().unwrap();
    }
}

/// A topmost window that is destroyed on drop.
pub struct OverlayWindow<'a> {
    eye: &'a ScreenCapture,
    window: Window,
}

impl Drop for OverlayWindow<'_> {
    fn drop(&mut self) {
        // The X server may have exited.
        let _ = self.eye.x.destroy_window(self.window);
        let _ = self.eye.x.flush();
        std::thread::sleep(Duration::from_millis(50));
    }
}
