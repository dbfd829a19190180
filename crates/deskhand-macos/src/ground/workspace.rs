//! Apps as the workspace of AppKit knows them.

use std::{path::PathBuf, sync::mpsc};

use block2::RcBlock;
use deskhand_platform::Deadline;
use objc2::rc::{Retained, autoreleasepool};
use objc2_app_kit::{NSRunningApplication, NSWorkspace, NSWorkspaceOpenConfiguration};
use objc2_foundation::{NSArray, NSError, NSLocale, NSString, NSURL};

use super::{process::System, text};
use crate::apps::{
    Workspace,
    launch::{Document, Launch, NotOpened},
};

impl Workspace for System {
    fn with_id(&self, id: &str) -> Option<PathBuf> {
        autoreleasepool(|_| {
            let found = NSWorkspace::sharedWorkspace()
                .URLForApplicationWithBundleIdentifier(&NSString::from_str(id))?;
            Some(PathBuf::from(text::copy(&*found.path()?)))
        })
    }

    fn languages(&self) -> Vec<String> {
        autoreleasepool(|_| {
            NSLocale::preferredLanguages().iter().map(|one| text::copy(&one)).collect()
        })
    }

    fn open(&self, launch: &Launch, by: Deadline) -> Result<u32, NotOpened> {
        let (tell, told) = mpsc::channel();
        autoreleasepool(|_| {
            let setup = NSWorkspaceOpenConfiguration::configuration();
            setup.setActivates(false);
            setup.setAddsToRecentItems(false);
            setup.setPromptsUserIfNeeded(false);
            let words: Vec<Retained<NSString>> =
                launch.arguments.iter().map(|word| NSString::from_str(word)).collect();
            setup.setArguments(&NSArray::from_retained_slice(&words));
            let app = NSURL::fileURLWithPath(&NSString::from_str(&launch.app.to_string_lossy()));
            let documents =
                launch.documents.iter().map(address).collect::<Result<Vec<_>, NotOpened>>()?;
            // It is called once, on a queue of the system's; the sender may be used on any thread.
            let done = RcBlock::new(move |app: *mut NSRunningApplication, error: *mut NSError| {
                // SAFETY: both are null or live objects that the caller keeps for the time of the call.
                let (app, error) = unsafe { (app.as_ref(), error.as_ref()) };
                // Whoever waited may have gone on without it.
                let _ = tell.send(answer(app, error));
            });
            let workspace = NSWorkspace::sharedWorkspace();
            if documents.is_empty() {
                workspace.openApplicationAtURL_configuration_completionHandler(
                    &app,
                    &setup,
                    Some(&done),
                );
            } else {
                workspace.openURLs_withApplicationAtURL_configuration_completionHandler(
                    &NSArray::from_retained_slice(&documents),
                    &app,
                    &setup,
                    Some(&done),
                );
            }
            Ok(())
        })?;
        told.recv_timeout(by.left()).unwrap_or(Err(NotOpened::Late))
    }

    fn quit(&self, pid: u32, still: &dyn Fn() -> bool) -> Option<bool> {
        let pid = libc::pid_t::try_from(pid).ok()?;
        autoreleasepool(|_| {
            // The object stands for the process that has the number now, and for no later one.
            let app = NSRunningApplication::runningApplicationWithProcessIdentifier(pid)?;
            Some(still() && app.terminate())
        })
    }
}

fn answer(app: Option<&NSRunningApplication>, error: Option<&NSError>) -> Result<u32, NotOpened> {
    match (app.map(NSRunningApplication::processIdentifier), error) {
        (_, Some(error)) => Err(NotOpened::Refused(text::copy(&error.localizedDescription()))),
        (Some(pid), None) => u32::try_from(pid)
            .map_err(|_| NotOpened::Refused("it ended as soon as it had started".to_owned())),
        (None, None) => Err(NotOpened::Refused("macOS does not say why".to_owned())),
    }
}

fn address(document: &Document) -> Result<Retained<NSURL>, NotOpened> {
    match document {
        Document::File(path) => {
            Ok(NSURL::fileURLWithPath(&NSString::from_str(&path.to_string_lossy())))
        }
        Document::Address(text) => NSURL::URLWithString(&NSString::from_str(text))
            .ok_or_else(|| NotOpened::Refused(format!("`{text}` is no address"))),
    }
}
