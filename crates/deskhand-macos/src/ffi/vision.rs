//! Text recognition with Vision.

use std::ptr;

use deskhand_platform::{Error, Pixels, RecognitionLevel, Result, TextRecognizer};
use objc2::{
    AllocAnyThread, available,
    rc::{Retained, autoreleasepool},
};
use objc2_core_foundation::{CFData, CFRetained};
use objc2_core_graphics::{
    CGBitmapInfo, CGColorRenderingIntent, CGColorSpace, CGDataProvider, CGImage, CGImageAlphaInfo,
    CGImageByteOrderInfo,
};
use objc2_foundation::{NSArray, NSDictionary, NSError, NSString};
use objc2_vision::{
    VNImageRequestHandler, VNRecognizeTextRequest, VNRecognizedTextObservation,
    VNRequestTextRecognitionLevel,
};

use super::text;
use crate::vision::{MacTextRecognizer, TextObservation, VisionApi, VisionRequest};

/// The Vision framework.
struct SystemVision;

/// Recognizes text in pictures.
pub(crate) fn text_recognizer() -> Box<dyn TextRecognizer> {
    Box::new(MacTextRecognizer::new(SystemVision))
}

impl VisionApi for SystemVision {
    fn languages(&self, pace: RecognitionLevel) -> Result<Vec<String>> {
        autoreleasepool(|_| {
            let request = request(pace);
            // Since macOS 12 the request reports the languages, before that its class did.
            let known = if available!(macos = 12.0) {
                // SAFETY: takes only the request, which belongs to this function; the array is retained.
                unsafe { request.supportedRecognitionLanguagesAndReturnError() }
            } else {
                #[expect(deprecated, reason = "the only way on macOS 11")]
                // SAFETY: takes plain numbers; the array is retained.
                unsafe {
                    VNRecognizeTextRequest::supportedRecognitionLanguagesForTextRecognitionLevel_revision_error(
                        level(pace),
                        request.revision(),
                    )
                }
            };
            let known = known.map_err(|error| vision_error(&error))?;
            Ok(known.iter().map(|code| text::copy(&code)).collect())
        })
    }

    fn recognize(&self, picture: &Pixels, wanted: &VisionRequest) -> Result<Vec<TextObservation>> {
        autoreleasepool(|_| {
            let request = request(wanted.pace);
            request.setUsesLanguageCorrection(wanted.pace == RecognitionLevel::Accurate);
            if wanted.languages.is_empty() {
                if available!(macos = 13.0) {
                    request.setAutomaticallyDetectsLanguage(true);
                }
            } else {
                let codes: Vec<Retained<NSString>> =
                    wanted.languages.iter().map(|code| NSString::from_str(code)).collect();
                request.setRecognitionLanguages(&NSArray::from_retained_slice(&codes));
            }
            let image = image(picture)?;
            // SAFETY: there are no options of a wrong type; the handler retains the image.
            let handler = unsafe {
                VNImageRequestHandler::initWithCGImage_options(
                    VNImageRequestHandler::alloc(),
                    &image,
                    &NSDictionary::new(),
                )
            };
            let all = NSArray::from_retained_slice(&[request.clone().into_super().into_super()]);
            handler.performRequests_error(&all).map_err(|error| vision_error(&error))?;
            Ok(request
                .results()
                .iter()
                .flat_map(|found| found.iter())
                .filter_map(|it| observation(&it))
                .collect())
        })
    }
}

fn request(pace: RecognitionLevel) -> Retained<VNRecognizeTextRequest> {
    let request = VNRecognizeTextRequest::new();
    request.setRecognitionLevel(level(pace));
    request
}

fn level(pace: RecognitionLevel) -> VNRequestTextRecognitionLevel {
    match pace {
        RecognitionLevel::Accurate => VNRequestTextRecognitionLevel::Accurate,
        RecognitionLevel::Fast => VNRequestTextRecognitionLevel::Fast,
    }
}

fn observation(found: &VNRecognizedTextObservation) -> Option<TextObservation> {
    let best = found.topCandidates(1).firstObject()?;
    // SAFETY: reads four numbers of an observation that is retained and immutable.
    let bounds = unsafe { found.boundingBox() };
    let (origin, size) = (bounds.origin, bounds.size);
    let bounds = [origin.x, origin.y, size.width, size.height];
    Some(TextObservation::new(text::copy(&best.string()), best.confidence(), bounds))
}

/// Converts a picture to a `CGImage` with a copy of its pixels.
fn image(picture: &Pixels) -> Result<CFRetained<CGImage>> {
    let failed = || Error::Unexpected {
        what: "CoreGraphics".to_owned(),
        why: "it cannot create an image from the picture".to_owned(),
    };
    let bytes = CFData::from_bytes(&picture.data);
    let provider = CGDataProvider::with_cf_data(Some(&bytes)).ok_or_else(failed)?;
    let colours = CGColorSpace::new_device_rgb();
    // Blue, green, red and an unused byte, as a little-endian 32-bit number.
    let layout =
        CGBitmapInfo(CGImageByteOrderInfo::Order32Little.0 | CGImageAlphaInfo::NoneSkipFirst.0);
    let (width, height) = (picture.width as usize, picture.height as usize);
    // SAFETY: the provider has width x height x 4 bytes, as `vision` has checked, and the image retains it. There is no
    // decode array.
    let image = unsafe {
        CGImage::new(
            width,
            height,
            8,
            32,
            width * 4,
            colours.as_deref(),
            layout,
            Some(&provider),
            ptr::null(),
            false,
            CGColorRenderingIntent::RenderingIntentDefault,
        )
    };
    image.ok_or_else(failed)
}

fn vision_error(error: &NSError) -> Error {
    Error::Unexpected {
        what: "the system's text recognition".to_owned(),
        why: text::copy(&error.localizedDescription()),
    }
}
