//! Apps, managed by `NSWorkspace`.

use std::{path::PathBuf, sync::mpsc};

use block2::RcBlock;
use deskhand_platform::Deadline;
use objc2::rc::{Retained, autoreleasepool};
use objc2_app_kit::{NSRunningApplication, NSWorkspace, NSWorkspaceOpenConfiguration};
use objc2_foundation::{NSArray, NSError, NSLocale, NSString, NSURL};

use super::{process::SystemProcesses, text};
use crate::apps::{
    WorkspaceApi,
    launch::{AppLaunch, Document, OpenError},
};

impl WorkspaceApi for SystemProcesses {
    fn app_with_bundle_id(&self, id: &str) -> Option<PathBuf> {
        autoreleasepool(|_| {
            let url = NSWorkspace::sharedWorkspace()
                .URLForApplicationWithBundleIdentifier(&NSString::from_str(id))?;
            Some(PathBuf::from(text::copy(&*url.path()?)))
        })
    }

    fn preferred_languages(&self) -> Vec<String> {
        autoreleasepool(|_| {
            NSLocale::preferredLanguages().iter().map(|one| text::copy(&one)).collect()
        })
    }

    fn open_app(&self, launch: &AppLaunch, deadline: Deadline) -> Result<u32, OpenError> {
        let (sender, receiver) = mpsc::channel();
        autoreleasepool(|_| {
            let configuration = NSWorkspaceOpenConfiguration::configuration();
            configuration.setActivates(false);
            configuration.setAddsToRecentItems(false);
            configuration.setPromptsUserIfNeeded(false);
            let arguments: Vec<Retained<NSString>> =
                launch.arguments.iter().map(|word| NSString::from_str(word)).collect();
            configuration.setArguments(&NSArray::from_retained_slice(&arguments));
            let app = NSURL::fileURLWithPath(&NSString::from_str(&launch.app.to_string_lossy()));
            let documents =
                launch.documents.iter().map(document_url).collect::<Result<Vec<_>, OpenError>>()?;
            // The block is called once, on a system queue. The sender may be used on any thread.
            let done = RcBlock::new(move |app: *mut NSRunningApplication, error: *mut NSError| {
                // SAFETY: both are null or live objects during the call.
                let (app, error) = unsafe { (app.as_ref(), error.as_ref()) };
                // After the deadline there is no receiver.
                let _ = sender.send(open_result(app, error));
            });
            let workspace = NSWorkspace::sharedWorkspace();
            if documents.is_empty() {
                workspace.openApplicationAtURL_configuration_completionHandler(
                    &app,
                    &configuration,
                    Some(&done),
                );
            } else {
                workspace.openURLs_withApplicationAtURL_configuration_completionHandler(
                    &NSArray::from_retained_slice(&documents),
                    &app,
                    &configuration,
                    Some(&done),
                );
            }
            Ok(())
        })?;
        receiver.recv_timeout(deadline.remaining()).unwrap_or(Err(OpenError::Timeout))
    }

    fn quit(&self, pid: u32, is_same: &dyn Fn() -> bool) -> Option<bool> {
        let pid = libc::pid_t::try_from(pid).ok()?;
        autoreleasepool(|_| {
            // The object stands for the process that has the pid now, not for a later one.
            let app = NSRunningApplication::runningApplicationWithProcessIdentifier(pid)?;
            Some(is_same() && app.terminate())
        })
    }
}

fn open_result(
    app: Option<&NSRunningApplication>,
    error: Option<&NSError>,
) -> Result<u32, OpenError> {
    match (app.map(NSRunningApplication::processIdentifier), error) {
        (_, Some(error)) => Err(OpenError::Refused(text::copy(&error.localizedDescription()))),
        (Some(pid), None) => {
            u32::try_from(pid).map_err(|_| OpenError::Refused("it ended immediately".to_owned()))
        }
        (None, None) => Err(OpenError::Refused("macOS gives no reason".to_owned())),
    }
}

fn document_url(document: &Document) -> Result<Retained<NSURL>, OpenError> {
    match document {
        Document::File(path) => {
            Ok(NSURL::fileURLWithPath(&NSString::from_str(&path.to_string_lossy())))
        }
        Document::Url(text) => NSURL::URLWithString(&NSString::from_str(text))
            .ok_or_else(|| OpenError::Refused(format!("`{text}` is not a valid URL"))),
    }
}
