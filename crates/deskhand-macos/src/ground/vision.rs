//! Text recognition: Vision over a bitmap of CoreGraphics.

use std::ptr;

use deskhand_platform::{Error, Pixels, Reader, ReadingPace, Result};
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
use crate::vision::{Found, MacReader, Recognizer, Wanted};

/// The running system.
struct System;

/// The text in pictures, as this Mac reads it.
pub(crate) fn reader() -> Box<dyn Reader> {
    Box::new(MacReader::new(System))
}

impl Recognizer for System {
    fn languages(&self, pace: ReadingPace) -> Result<Vec<String>> {
        autoreleasepool(|_| {
            let request = request(pace);
            // The request itself tells since macOS 12, its class did before.
            let known = if available!(macos = 12.0) {
                // SAFETY: takes nothing but the request, which is ours; the array comes retained.
                unsafe { request.supportedRecognitionLanguagesAndReturnError() }
            } else {
                #[expect(deprecated, reason = "the only way on macOS 11")]
                // SAFETY: plain numbers in; the array comes retained.
                unsafe {
                    VNRecognizeTextRequest::supportedRecognitionLanguagesForTextRecognitionLevel_revision_error(
                        level(pace),
                        request.revision(),
                    )
                }
            };
            let known = known.map_err(|error| trouble(&error))?;
            Ok(known.iter().map(|code| text::copy(&code)).collect())
        })
    }

    fn recognize(&self, picture: &Pixels, wanted: &Wanted) -> Result<Vec<Found>> {
        autoreleasepool(|_| {
            let request = request(wanted.pace);
            request.setUsesLanguageCorrection(wanted.pace == ReadingPace::Careful);
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
            // SAFETY: no options, so none of a wrong type; the handler retains the image it is given.
            let handler = unsafe {
                VNImageRequestHandler::initWithCGImage_options(
                    VNImageRequestHandler::alloc(),
                    &image,
                    &NSDictionary::new(),
                )
            };
            let all = NSArray::from_retained_slice(&[request.clone().into_super().into_super()]);
            handler.performRequests_error(&all).map_err(|error| trouble(&error))?;
            Ok(request
                .results()
                .iter()
                .flat_map(|found| found.iter())
                .filter_map(|it| text(&it))
                .collect())
        })
    }
}

fn request(pace: ReadingPace) -> Retained<VNRecognizeTextRequest> {
    let request = VNRecognizeTextRequest::new();
    request.setRecognitionLevel(level(pace));
    request
}

fn level(pace: ReadingPace) -> VNRequestTextRecognitionLevel {
    match pace {
        ReadingPace::Careful => VNRequestTextRecognitionLevel::Accurate,
        ReadingPace::Quick => VNRequestTextRecognitionLevel::Fast,
    }
}

fn text(found: &VNRecognizedTextObservation) -> Option<Found> {
    let best = found.topCandidates(1).firstObject()?;
    // SAFETY: reads four numbers of an observation that is retained and changes no more.
    let place = unsafe { found.boundingBox() };
    let (origin, size) = (place.origin, place.size);
    let place = [origin.x, origin.y, size.width, size.height];
    Some(Found::new(text::copy(&best.string()), best.confidence(), place))
}

/// The picture as the system takes it, with a copy of the bytes.
fn image(picture: &Pixels) -> Result<CFRetained<CGImage>> {
    let failed = || Error::Unexpected {
        what: "the system's graphics".to_owned(),
        why: "it makes no image of the picture".to_owned(),
    };
    let bytes = CFData::from_bytes(&picture.data);
    let provider = CGDataProvider::with_cf_data(Some(&bytes)).ok_or_else(failed)?;
    let colours = CGColorSpace::new_device_rgb();
    // Blue, green, red and one that means nothing: 32 bits of which the least significant come first.
    let layout =
        CGBitmapInfo(CGImageByteOrderInfo::Order32Little.0 | CGImageAlphaInfo::NoneSkipFirst.0);
    let (width, height) = (picture.width as usize, picture.height as usize);
    // SAFETY: the provider has width x height x 4 bytes, as the room checked, and is retained by the image;
    // no decode array is given.
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

fn trouble(error: &NSError) -> Error {
    Error::Unexpected {
        what: "the system's text recognition".to_owned(),
        why: text::copy(&error.localizedDescription()),
    }
}
