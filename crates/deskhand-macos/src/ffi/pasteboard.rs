//! The general pasteboard.

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
use parking_lot::Mutex;

use super::text;
use crate::clipboard::{PasteboardApi, PasteboardItem, PasteboardScope, ReadAccess};

/// The general pasteboard. Apple does not document it as thread-safe, so one thread at a time uses it.
#[derive(Default)]
pub(crate) struct GeneralPasteboard {
    lock: Mutex<()>,
}

impl PasteboardApi for GeneralPasteboard {
    fn change_count(&self) -> isize {
        let _lock = self.lock.lock();
        autoreleasepool(|_| NSPasteboard::generalPasteboard().changeCount())
    }

    fn item_types(&self) -> Vec<Vec<String>> {
        let _lock = self.lock.lock();
        autoreleasepool(|_| {
            let items = NSPasteboard::generalPasteboard().pasteboardItems();
            let types = |item: Retained<NSPasteboardItem>| {
                item.types().iter().map(|uti| text::copy(&uti)).collect()
            };
            items.map(|items| items.iter().map(types).collect()).unwrap_or_default()
        })
    }

    fn data(&self, item: usize, uti: &str) -> Option<Vec<u8>> {
        let _lock = self.lock.lock();
        autoreleasepool(|_| {
            let items = NSPasteboard::generalPasteboard().pasteboardItems()?;
            let data = items.iter().nth(item)?.dataForType(&NSString::from_str(uti))?;
            Some(data.to_vec())
        })
    }

    fn replace(&self, items: Vec<PasteboardItem>, scope: PasteboardScope) -> bool {
        let _lock = self.lock.lock();
        autoreleasepool(|_| {
            let board = NSPasteboard::generalPasteboard();
            match scope {
                PasteboardScope::AllDevices => board.clearContents(),
                PasteboardScope::ThisMac => board
                    .prepareForNewContentsWithOptions(NSPasteboardContentsOptions::CurrentHostOnly),
            };
            let mut written: Vec<Retained<ProtocolObject<dyn NSPasteboardWriting>>> = Vec::new();
            for types in items {
                let item = NSPasteboardItem::new();
                for (uti, data) in types {
                    let data = NSData::with_bytes(&data);
                    if !item.setData_forType(&data, &NSString::from_str(&uti)) {
                        return false;
                    }
                }
                written.push(ProtocolObject::from_retained(item));
            }
            board.writeObjects(&NSArray::from_retained_slice(&written))
        })
    }

    fn clear(&self) {
        let _lock = self.lock.lock();
        autoreleasepool(|_| NSPasteboard::generalPasteboard().clearContents());
    }

    fn read_access(&self) -> ReadAccess {
        if !available!(macos = 15.4) {
            return ReadAccess::Allowed;
        }
        let _lock = self.lock.lock();
        let behaviour = autoreleasepool(|_| NSPasteboard::generalPasteboard().accessBehavior());
        if behaviour == NSPasteboardAccessBehavior::AlwaysDeny {
            ReadAccess::Denied
        } else {
            ReadAccess::Allowed
        }
    }

    fn mime_type_of(&self, uti: &str) -> Option<String> {
        autoreleasepool(|_| {
            let uti = UTType::typeWithIdentifier(&NSString::from_str(uti))?;
            Some(text::copy(&*uti.preferredMIMEType()?))
        })
    }

    fn uti_of(&self, mime_type: &str) -> Option<String> {
        autoreleasepool(|_| {
            let uti = UTType::typeWithMIMEType(&NSString::from_str(mime_type))?;
            Some(text::copy(&uti.identifier()))
        })
    }

    fn to_png(&self, picture: &[u8]) -> Option<Vec<u8>> {
        autoreleasepool(|_| {
            let picture = NSBitmapImageRep::imageRepWithData(&NSData::with_bytes(picture))?;
            let none = NSDictionary::new();
            // SAFETY: the dictionary of properties is empty, so it contains no value of a wrong type.
            let png = unsafe {
                picture.representationUsingType_properties(NSBitmapImageFileType::PNG, &none)
            };
            Some(png?.to_vec())
        })
    }

    fn file_path_url(&self, url: &str) -> Option<String> {
        autoreleasepool(|_| {
            let url = NSURL::URLWithString(&NSString::from_str(url))?;
            Some(text::copy(&*url.filePathURL()?.absoluteString()?))
        })
    }
}
