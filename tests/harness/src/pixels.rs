//! Pixels told by others: the X server itself for what is on the screen, Pillow for what is in a
//! file. And windows of our own to cover or to colour a place.

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

/// A picture of three bytes a pixel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pixels {
    /// From left to right.
    pub width: i32,
    /// From top to bottom.
    pub height: i32,
    /// Red, green and blue, row by row.
    pub rgb: Vec<u8>,
}

impl Pixels {
    /// The colour of a pixel.
    pub fn at(&self, x: i32, y: i32) -> [u8; 3] {
        assert!((0..self.width).contains(&x) && (0..self.height).contains(&y), "{x},{y}");
        let at = (y * self.width + x) as usize * 3;
        self.rgb[at..at + 3].try_into().unwrap()
    }

    /// How many pixels differ from those of another of the same size, by more than a little in any
    /// colour.
    pub fn differing(&self, other: &Pixels, more_than: u8) -> usize {
        assert_eq!((self.width, self.height), (other.width, other.height));
        let pairs = self.rgb.chunks_exact(3).zip(other.rgb.chunks_exact(3));
        pairs
            .filter(|(one, two)| one.iter().zip(*two).any(|(a, b)| a.abs_diff(*b) > more_than))
            .count()
    }

    /// A part of it.
    pub fn part(&self, rect: Rect) -> Pixels {
        let rows = rect.y..rect.y + rect.height;
        let points = rows.flat_map(|y| (rect.x..rect.x + rect.width).map(move |x| (x, y)));
        let rgb = points.flat_map(|(x, y)| self.at(x, y)).collect();
        Pixels { width: rect.width, height: rect.height, rgb }
    }

    /// Makes a part black, as far as it lies inside.
    pub fn blacken(&mut self, rect: Rect) {
        for y in rect.y.max(0)..(rect.y + rect.height).min(self.height) {
            for x in rect.x.max(0)..(rect.x + rect.width).min(self.width) {
                let at = (y * self.width + x) as usize * 3;
                self.rgb[at..at + 3].fill(0);
            }
        }
    }

    /// How many colours it has.
    pub fn colours(&self) -> usize {
        self.rgb.chunks_exact(3).collect::<std::collections::HashSet<_>>().len()
    }

    /// Reads a file with Pillow, which must find it whole and in this format.
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

/// A connection of our own to the X server of a stage.
pub struct ScreenCapture {
    x: RustConnection,
    root: Window,
}

impl TestDesktop {
    /// An independent look at the pixels of this desktop.
    pub fn screen_capture(&self) -> ScreenCapture {
        let x = self.info().connect_x11().unwrap_or_else(|error| panic!("no display: {error}"));
        let root = x.setup().roots[0].root;
        ScreenCapture { x, root }
    }
}

impl ScreenCapture {
    /// What the X server shows in a place of its screen.
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

    /// The same once it has kept still for a while, as a program draws in steps; a caret may blink.
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
        panic!("{rect:?} does not keep still");
    }

    /// Covers a place with a window in front of all others, in one colour.
    pub fn cover(&self, rect: Rect, [red, green, blue]: [u8; 3]) -> OverlayWindow<'_> {
        let colour = u32::from_be_bytes([0, red, green, blue]);
        self.window(rect, &CreateWindowAux::new().background_pixel(colour))
    }

    /// Covers a place with noise, of which no format makes a small file.
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

    /// All windows on the screen from the backmost to the frontmost, and who has the keyboard.
    pub fn stacking_and_focus(&self) -> (Vec<Window>, Window) {
        let stack = self.x.query_tree(self.root).unwrap().reply().unwrap().children;
        (stack, self.x.get_input_focus().unwrap().reply().unwrap().focus)
    }

    /// Makes the second of two displays the main one; the first then lies left of it, at negative
    /// coordinates.
    pub fn make_second_main(&self) {
        let monitors = self.x.randr_get_monitors(self.root, true).unwrap().reply().unwrap();
        for (index, monitor) in monitors.monitors.into_iter().enumerate() {
            let monitor = MonitorInfo { primary: index == 1, ..monitor };
            // A name that is taken is refused.
            self.x.randr_delete_monitor(self.root, monitor.name).unwrap().check().unwrap();
            self.x.randr_set_monitor(self.root, monitor).unwrap().check().unwrap();
        }
    }

    fn sync(&self) {
        self.x.get_input_focus().unwrap().reply().unwrap();
    }
}

/// A window of our own, gone when dropped.
pub struct OverlayWindow<'a> {
    eye: &'a ScreenCapture,
    window: Window,
}

impl Drop for OverlayWindow<'_> {
    fn drop(&mut self) {
        // The server may be gone already.
        let _ = self.eye.x.destroy_window(self.window);
        let _ = self.eye.x.flush();
        std::thread::sleep(Duration::from_millis(50));
    }
}
