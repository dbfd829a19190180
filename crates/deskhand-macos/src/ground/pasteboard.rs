//! The general pasteboard.

use std::sync::{Mutex, MutexGuard, PoisonError};

use objc2::{
    available,
    rc::{Retained, autoreleasepool},
    runtime::ProtocolObject,
};
use objc2_app_kit::{
    NSBitmapImageFileType, NSBitmapImageRep, NSPasteboard, NSPasteboardAccessBehavior,
    NSPasteboardContentsOptions, NSPasteboardItem, NSPasteboardWriting,
};
use objc2_foundation::{NSArray, NSData, NSDictionary, NSString, NSURL};
use objc2_uniform_type_identifiers::UTType;

use super::text;
use crate::clipboard::{Board, Laid, Leave, Reach};

/// The pasteboard of what was copied. Apple does not say that several threads may use it at once, so they
/// take turns.
#[derive(Default)]
pub(crate) struct General {
    turn: Mutex<()>,
}

impl General {
    fn turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Board for General {
    fn count(&self) -> isize {
        let _turn = self.turn();
        autoreleasepool(|_| NSPasteboard::generalPasteboard().changeCount())
    }

    fn kinds(&self) -> Vec<Vec<String>> {
        let _turn = self.turn();
        autoreleasepool(|_| {
            let items = NSPasteboard::generalPasteboard().pasteboardItems();
            let kinds = |item: Retained<NSPasteboardItem>| {
                item.types().iter().map(|kind| text::copy(&kind)).collect()
            };
            items.map(|items| items.iter().map(kinds).collect()).unwrap_or_default()
        })
    }

    fn data(&self, item: usize, kind: &str) -> Option<Vec<u8>> {
        let _turn = self.turn();
        autoreleasepool(|_| {
            let items = NSPasteboard::generalPasteboard().pasteboardItems()?;
            let data = items.iter().nth(item)?.dataForType(&NSString::from_str(kind))?;
            Some(data.to_vec())
        })
    }

    fn replace(&self, items: Vec<Laid>, reach: Reach) -> bool {
        let _turn = self.turn();
        autoreleasepool(|_| {
            let board = NSPasteboard::generalPasteboard();
            match reach {
                Reach::Devices => board.clearContents(),
                Reach::Here => board
                    .prepareForNewContentsWithOptions(NSPasteboardContentsOptions::CurrentHostOnly),
            };
            let mut written: Vec<Retained<ProtocolObject<dyn NSPasteboardWriting>>> = Vec::new();
            for laid in items {
                let item = NSPasteboardItem::new();
                for (kind, data) in laid {
                    let data = NSData::with_bytes(&data);
                    if !item.setData_forType(&data, &NSString::from_str(&kind)) {
                        return false;
                    }
                }
                written.push(ProtocolObject::from_retained(item));
            }
            board.writeObjects(&NSArray::from_retained_slice(&written))
        })
    }

    fn clear(&self) {
        let _turn = self.turn();
        autoreleasepool(|_| NSPasteboard::generalPasteboard().clearContents());
    }

    fn leave(&self) -> Leave {
        if !available!(macos = 15.4) {
            return Leave::Given;
        }
        let _turn = self.turn();
        let behaviour = autoreleasepool(|_| NSPasteboard::generalPasteboard().accessBehavior());
        if behaviour == NSPasteboardAccessBehavior::AlwaysDeny {
            Leave::Denied
        } else {
            Leave::Given
        }
    }

    fn media_of(&self, kind: &str) -> Option<String> {
        autoreleasepool(|_| {
            let kind = UTType::typeWithIdentifier(&NSString::from_str(kind))?;
            Some(text::copy(&*kind.preferredMIMEType()?))
        })
    }

    fn type_of(&self, media: &str) -> Option<String> {
        autoreleasepool(|_| {
            let kind = UTType::typeWithMIMEType(&NSString::from_str(media))?;
            Some(text::copy(&kind.identifier()))
        })
    }

    fn png_of(&self, picture: &[u8]) -> Option<Vec<u8>> {
        autoreleasepool(|_| {
            let picture = NSBitmapImageRep::imageRepWithData(&NSData::with_bytes(picture))?;
            let none = NSDictionary::new();
            // SAFETY: the dictionary of properties is empty, so no value in it has a wrong type.
            let png = unsafe {
                picture.representationUsingType_properties(NSBitmapImageFileType::PNG, &none)
            };
            Some(png?.to_vec())
        })
    }

    fn by_path(&self, address: &str) -> Option<String> {
        autoreleasepool(|_| {
            let address = NSURL::URLWithString(&NSString::from_str(address))?;
            Some(text::copy(&*address.filePathURL()?.absoluteString()?))
        })
    }
}
