//! Screenshots with ScreenCaptureKit, or with `CGWindowListCreateImage` on older systems.

use std::{
    ffi::c_void,
    mem,
    ptr::NonNull,
    sync::mpsc::{self, Sender},
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
use parking_lot::Mutex;

use super::{permission, text, window_list::WindowServer};
use crate::screen::{
    Area, CaptureApi, CaptureError, ImageRequest, MacosVersion, RawImage, ScreenApi,
};

type CaptureResult = Result<Option<RawImage>, CaptureError>;

impl ScreenApi for WindowServer {
    fn version(&self) -> MacosVersion {
        let version = NSProcessInfo::processInfo().operatingSystemVersion();
        let part = |number: isize| u32::try_from(number).unwrap_or(0);
        MacosVersion { major: part(version.majorVersion), minor: part(version.minorVersion) }
    }

    fn can_record(&self) -> bool {
        CGPreflightScreenCaptureAccess()
    }

    fn program_to_allow(&self) -> String {
        permission::this_program()
    }

    fn capture(&self, api: CaptureApi, request: ImageRequest, deadline: Deadline) -> CaptureResult {
        autoreleasepool(|_| match api {
            CaptureApi::ScreenCaptureKit => capture_with_kit(request, deadline),
            CaptureApi::WindowList => Ok(capture_with_window_list(request)),
        })
    }
}

/// Captures with ScreenCaptureKit. A first completion handler receives the shareable content and starts the capture,
/// a second one receives the image. Both run on a system queue.
fn capture_with_kit(request: ImageRequest, deadline: Deadline) -> CaptureResult {
    // On macOS 26, programs crashed that created window filters on two threads at once.
    static FILTER_LOCK: Mutex<()> = Mutex::new(());
    // A program without windows connects to the window server only on its first call. ScreenCaptureKit aborts the
    // program if there is no connection.
    CGMainDisplayID();
    let (sender, receiver) = mpsc::channel::<CaptureResult>();
    let on_content = RcBlock::new(move |content: *mut SCShareableContent, error: *mut NSError| {
        // SAFETY: the framework passes objects or null, alive until this block returns (get rule).
        let (content, error) = unsafe { (content.as_ref(), error.as_ref()) };
        let _lock = FILTER_LOCK.lock();
        match content.and_then(|content| filter(content, request)) {
            Some(filter) => capture_image(&filter, request, sender.clone()),
            // After the deadline there is no receiver.
            None => drop(sender.send(error.map_or(Ok(None), |error| Err(capture_error(error))))),
        }
    });
    // SAFETY: the framework copies the block, which owns all it uses: a channel that any thread may use.
    unsafe {
        SCShareableContent::getShareableContentExcludingDesktopWindows_onScreenWindowsOnly_completionHandler(
            false, false, &on_content,
        );
    }
    receiver.recv_timeout(deadline.remaining()).unwrap_or(Err(CaptureError::Timeout))
}

/// The filter for the requested display or window, or `None` if it does not exist.
fn filter(
    content: &SCShareableContent,
    request: ImageRequest,
) -> Option<Retained<SCContentFilter>> {
    // SAFETY: reads lists and numbers of immutable objects that `content` and the lists keep alive, and creates a
    // filter (init rule), which retains its object.
    unsafe {
        match request {
            ImageRequest::DisplayPart { display, .. } => {
                let one = content.displays().iter().find(|one| one.displayID() == display)?;
                let none = NSArray::new();
                let filter = SCContentFilter::alloc();
                Some(SCContentFilter::initWithDisplay_excludingWindows(filter, &one, &none))
            }
            ImageRequest::Window { number, .. } => {
                let one = content.windows().iter().find(|one| one.windowID() == number)?;
                let filter = SCContentFilter::alloc();
                Some(SCContentFilter::initWithDesktopIndependentWindow(filter, &one))
            }
        }
    }
}

/// Starts the capture of an image. The result goes to `sender`.
fn capture_image(filter: &SCContentFilter, request: ImageRequest, sender: Sender<CaptureResult>) {
    let on_image = RcBlock::new(move |image: *mut CGImage, error: *mut NSError| {
        // SAFETY: the framework passes objects or null, alive until this block returns (get rule).
        let (image, error) = unsafe { (image.as_ref(), error.as_ref()) };
        let result = match image.and_then(raw_image) {
            Some(image) => Ok(Some(image)),
            None => error.map_or(Ok(None), |error| Err(capture_error(error))),
        };
        // After the deadline there is no receiver.
        drop(sender.send(result));
    });
    // SAFETY: the settings are a new object that no other code has before the call. The framework copies the block,
    // which owns all it uses, and retains filter and settings as long as it needs them. The name of the colour space,
    // which the settings do not retain, is a constant. `CaptureApi::for_version` ensures that the system has these
    // methods.
    unsafe {
        let settings = SCStreamConfiguration::new();
        let (width, height) = match request {
            ImageRequest::DisplayPart { inside, size, .. } => {
                settings.setSourceRect(rect(inside));
                size
            }
            ImageRequest::Window { size, .. } => size,
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
            Some(&on_image),
        );
    }
}

fn capture_error(error: &NSError) -> CaptureError {
    CaptureError::Failed { code: error.code(), why: text::copy(&error.localizedDescription()) }
}

type CreateImage = unsafe extern "C-unwind" fn(
    CGRect,
    CGWindowListOption,
    CGWindowID,
    CGWindowImageOption,
) -> *mut CGImage;

/// Captures with `CGWindowListCreateImage`. The function is looked up at run time: macOS 15 removed it from its
/// headers, and a program that is linked to a missing symbol does not start.
fn capture_with_window_list(request: ImageRequest) -> Option<RawImage> {
    // SAFETY: searches the loaded libraries for a name, which ends with a zero byte.
    let symbol = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"CGWindowListCreateImage".as_ptr()) };
    let symbol = NonNull::new(symbol)?;
    // SAFETY: CGWindow.h of macOS 10.5 to 14 declares a function of this name with this signature.
    let create = unsafe { mem::transmute::<NonNull<c_void>, CreateImage>(symbol) };
    let best = CGWindowImageOption::BestResolution;
    let (area, list_option, window, image_option) = match request {
        ImageRequest::DisplayPart { area, .. } => {
            (rect(area), CGWindowListOption::OptionOnScreenOnly, kCGNullWindowID, best)
        }
        ImageRequest::Window { number, .. } => (
            // SAFETY: a constant of CoreGraphics that stands for the bounds of the window.
            unsafe { CGRectNull },
            CGWindowListOption::OptionIncludingWindow,
            number,
            best | CGWindowImageOption::BoundsIgnoreFraming,
        ),
    };
    // SAFETY: takes plain values, from any thread.
    let image = NonNull::new(unsafe { create(area, list_option, window, image_option) })?;
    // SAFETY: the result of a function named Create belongs to the caller (create rule); `CFRetained` releases it.
    let image: CFRetained<CGImage> = unsafe { CFRetained::from_raw(image) };
    raw_image(&image)
}

/// Copies the pixels of an image.
fn raw_image(image: &CGImage) -> Option<RawImage> {
    let image = Some(image);
    let provider = CGImage::data_provider(image)?;
    Some(RawImage {
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
