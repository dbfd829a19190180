//! Pictures: ScreenCaptureKit, and the window server's own on systems from before it.

use std::{
    ffi::c_void,
    mem,
    ptr::NonNull,
    sync::{
        Mutex, PoisonError,
        mpsc::{self, Sender},
    },
};

use block2::RcBlock;
use deskhand_platform::Deadline;
use objc2::{
    AnyThread,
    rc::{Retained, autoreleasepool},
};
use objc2_core_foundation::{CFRetained, CGPoint, CGRect, CGSize};
use objc2_core_graphics::{
    CGDataProvider, CGImage, CGMainDisplayID, CGPreflightScreenCaptureAccess, CGRectNull,
    CGWindowID, CGWindowImageOption, CGWindowListOption, kCGColorSpaceSRGB, kCGNullWindowID,
};
use objc2_core_video::kCVPixelFormatType_32BGRA;
use objc2_foundation::{NSArray, NSError, NSProcessInfo};
use objc2_screen_capture_kit::{
    SCCaptureResolutionType, SCContentFilter, SCScreenshotManager, SCShareableContent,
    SCStreamConfiguration,
};

use super::{permission, text, window_list::WindowServer};
use crate::screen::{Area, Pictures, Raster, Refusal, Road, Shot, Version};

type Taken = Result<Option<Raster>, Refusal>;

impl Pictures for WindowServer {
    fn version(&self) -> Version {
        let version = NSProcessInfo::processInfo().operatingSystemVersion();
        let part = |number: isize| u32::try_from(number).unwrap_or(0);
        Version { major: part(version.majorVersion), minor: part(version.minorVersion) }
    }

    fn may_record(&self) -> bool {
        CGPreflightScreenCaptureAccess()
    }

    fn who(&self) -> String {
        permission::who()
    }

    fn take(&self, road: Road, shot: Shot, by: Deadline) -> Taken {
        autoreleasepool(|_| match road {
            Road::CaptureKit => by_kit(shot, by),
            Road::WindowList => Ok(by_list(shot)),
        })
    }
}

/// Asks ScreenCaptureKit. What there is comes to a first block, which asks for the picture; that comes to a
/// second one. Both are called on a queue of the system.
fn by_kit(shot: Shot, by: Deadline) -> Taken {
    // On macOS 26 programs were seen to crash that made filters of windows on two threads at once.
    static TURN: Mutex<()> = Mutex::new(());
    // A program without windows has no connection to the window server until it asks for something;
    // ScreenCaptureKit takes the connection for granted and ends the program without it.
    CGMainDisplayID();
    let (tell, told) = mpsc::channel::<Taken>();
    let found = RcBlock::new(move |content: *mut SCShareableContent, error: *mut NSError| {
        // SAFETY: the framework passes objects or null, alive until this block returns (get rule).
        let (content, error) = unsafe { (content.as_ref(), error.as_ref()) };
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        match content.and_then(|content| filter(content, shot)) {
            Some(filter) => picture(&filter, shot, tell.clone()),
            // Whoever waited may be gone; then nobody misses the answer.
            None => drop(tell.send(error.map_or(Ok(None), |error| Err(refusal(error))))),
        }
    });
    // SAFETY: the framework copies the block, which owns all it uses; that is a channel any thread may use.
    unsafe {
        SCShareableContent::getShareableContentExcludingDesktopWindows_onScreenWindowsOnly_completionHandler(
            false, false, &found,
        );
    }
    told.recv_timeout(by.left()).unwrap_or(Err(Refusal::Late))
}

/// What is to be in the picture; `None` when there is no such display or window.
fn filter(content: &SCShareableContent, shot: Shot) -> Option<Retained<SCContentFilter>> {
    // SAFETY: reads lists and numbers of immutable objects that `content` and the lists keep alive, and makes
    // a filter of one of them (init rule), which retains it.
    unsafe {
        match shot {
            Shot::Part { display, .. } => {
                let one = content.displays().iter().find(|one| one.displayID() == display)?;
                let none = NSArray::new();
                let filter = SCContentFilter::alloc();
                Some(SCContentFilter::initWithDisplay_excludingWindows(filter, &one, &none))
            }
            Shot::Window { number, .. } => {
                let one = content.windows().iter().find(|one| one.windowID() == number)?;
                let filter = SCContentFilter::alloc();
                Some(SCContentFilter::initWithDesktopIndependentWindow(filter, &one))
            }
        }
    }
}

/// Asks for a picture; it is told when it is there.
fn picture(filter: &SCContentFilter, shot: Shot, tell: Sender<Taken>) {
    let taken = RcBlock::new(move |image: *mut CGImage, error: *mut NSError| {
        // SAFETY: the framework passes objects or null, alive until this block returns (get rule).
        let (image, error) = unsafe { (image.as_ref(), error.as_ref()) };
        let answer = match image.and_then(raster) {
            Some(raster) => Ok(Some(raster)),
            None => error.map_or(Ok(None), |error| Err(refusal(error))),
        };
        // Whoever waited may be gone; then nobody misses the answer.
        drop(tell.send(answer));
    });
    // SAFETY: the settings are a new object of ours that nobody else sees before the call; the framework copies
    // the block, which owns all it uses, and retains filter and settings as long as it needs them; the name of
    // the colours, which the settings do not retain, is a constant. Road::of has seen to it that the system has
    // these methods.
    unsafe {
        let settings = SCStreamConfiguration::new();
        let (width, height) = match shot {
            Shot::Part { inside, size, .. } => {
                settings.setSourceRect(rect(inside));
                size
            }
            Shot::Window { size, .. } => size,
        };
        settings.setWidth(width);
        settings.setHeight(height);
        settings.setShowsCursor(false);
        settings.setPixelFormat(kCVPixelFormatType_32BGRA);
        settings.setColorSpaceName(kCGColorSpaceSRGB);
        settings.setCaptureResolution(SCCaptureResolutionType::Best);
        settings.setIgnoreShadowsSingleWindow(true);
        SCScreenshotManager::captureImageWithFilter_configuration_completionHandler(
            filter,
            &settings,
            Some(&taken),
        );
    }
}

fn refusal(error: &NSError) -> Refusal {
    Refusal::Error { code: error.code(), why: text::copy(&error.localizedDescription()) }
}

type CreateImage = unsafe extern "C-unwind" fn(
    CGRect,
    CGWindowListOption,
    CGWindowID,
    CGWindowImageOption,
) -> *mut CGImage;

/// Asks the window server. The function is looked up, not linked: macOS 15 has taken it out of its headers,
/// and a program that is linked to what is not there does not start.
fn by_list(shot: Shot) -> Option<Raster> {
    // SAFETY: looks a name up among the libraries that are loaded; the name ends with a zero.
    let symbol = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"CGWindowListCreateImage".as_ptr()) };
    let symbol = NonNull::new(symbol)?;
    // SAFETY: CGWindow.h of macOS 10.5 to 14 declares the function of this name with this signature.
    let create = unsafe { mem::transmute::<NonNull<c_void>, CreateImage>(symbol) };
    let best = CGWindowImageOption::BestResolution;
    let (place, option, window, how) = match shot {
        Shot::Part { place, .. } => {
            (rect(place), CGWindowListOption::OptionOnScreenOnly, kCGNullWindowID, best)
        }
        Shot::Window { number, .. } => (
            // SAFETY: a constant of CoreGraphics: the rectangle that stands for the window's own.
            unsafe { CGRectNull },
            CGWindowListOption::OptionIncludingWindow,
            number,
            best | CGWindowImageOption::BoundsIgnoreFraming,
        ),
    };
    // SAFETY: takes plain values, from any thread.
    let image = NonNull::new(unsafe { create(place, option, window, how) })?;
    // SAFETY: what a function named Create returns is ours (create rule), which `CFRetained` releases.
    let image: CFRetained<CGImage> = unsafe { CFRetained::from_raw(image) };
    raster(&image)
}

/// Copies the pixels out of an image.
fn raster(image: &CGImage) -> Option<Raster> {
    let image = Some(image);
    let provider = CGImage::data_provider(image)?;
    Some(Raster {
        width: CGImage::width(image),
        height: CGImage::height(image),
        stride: CGImage::bytes_per_row(image),
        bits_per_component: CGImage::bits_per_component(image),
        bits_per_pixel: CGImage::bits_per_pixel(image),
        info: CGImage::bitmap_info(image).0,
        data: CGDataProvider::data(Some(&provider))?.to_vec(),
    })
}

fn rect(area: Area) -> CGRect {
    CGRect::new(CGPoint::new(area.x, area.y), CGSize::new(area.width, area.height))
}
