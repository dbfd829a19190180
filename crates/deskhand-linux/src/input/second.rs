//! The second master device: made, pointed at a window, parked, removed.
//!
//! It is there only while it is used: Chromium takes keys from the last master keyboard alone, so the
//! person's own is dead in it meanwhile. And it comes and goes only when every app has read of the
//! last change: GTK, Chromium and LibreOffice crash when a device is gone by the time they ask for it.
//! Switching it off instead helps nobody: Chromium stays deaf, and Xvfb 21.1 went down when a device
//! that was off was removed.

use std::time::Duration;

use deskhand_platform::Deadline;
use x11rb::protocol::{
    xinput::{
        ChangeMode, ConnectionExt as _, GrabMode22, GrabOwner, GrabType, HierarchyChange,
        HierarchyChangeData, HierarchyChangeDataAddMaster, HierarchyChangeDataRemoveMaster,
    },
    xproto::{
        AtomEnum, ConnectionExt as _, EventMask, FOCUS_IN_EVENT, FOCUS_OUT_EVENT, FocusInEvent,
        GrabMode, NotifyDetail, NotifyMode, Window,
    },
};

use super::{pulse::Pulse, starting::starting};
use crate::x11::{Server, Trouble};

type Asked<T> = std::result::Result<T, Trouble>;

/// The name of the device; the server adds `pointer` and `keyboard`.
const NAME: &str = "deskhand";

/// The window manager that was seen not to notice the second keyboard. Others may move the focus of
/// the person at the desk.
const KNOWN_MANAGER: &[u8] = b"Openbox";

/// The number every server gives the pointer of the person at the desk.
const CORE_POINTER: u16 = 2;

/// How long all apps together may take to read a change.
const KEEPS_UP: Duration = Duration::from_secs(1);

/// How long apps that are starting are waited for before a keyboard is made.
const STARTED: Duration = Duration::from_secs(3);

/// How long apps that started while it was there are waited for before it is removed. Chromium does
/// not hear the person all that time.
pub(super) const STARTED_MEANWHILE: Duration = Duration::from_secs(5);

/// How often to look whether an app has started.
const STEP: Duration = Duration::from_millis(10);

/// Stands for any combination of modifiers in a grab.
const ANY_MODIFIER: u32 = 1 << 31;

/// A second keyboard on a connection of its own.
pub(super) struct Second {
    server: Server,
    pointer: u16,
    keyboard: u16,
    /// A window that ignores keys and lives as long as the window manager.
    parking: Window,
}

impl Second {
    /// Makes a second keyboard for this connection; why not, where it is not known to leave everybody
    /// alone.
    pub(super) fn new(server: Server, desk: &Server) -> Asked<Result<Self, String>> {
        let connection = &server.connection;
        let Some(parking) = parking(&server)? else {
            return Ok(Err("this window manager may give it the person's focus".to_owned()));
        };
        connection.xinput_xi_query_version(2, 2)?.reply()?;
        if let Some(slow) = unsettled(desk, Deadline::after(STARTED))? {
            return Ok(Err(slow));
        }
        if devices(&server)?.is_none() {
            let name = NAME.as_bytes().to_vec();
            // Counted in words of four bytes: the fixed part is two.
            let len = 2 + u16::try_from(name.len().div_ceil(4))?;
            let add = HierarchyChangeDataAddMaster { send_core: true, enable: true, name };
            let change = HierarchyChange { len, data: HierarchyChangeData::AddMaster(add) };
            connection.xinput_xi_change_hierarchy(&[change])?.check()?;
        }
        let Some((pointer, keyboard)) = devices(&server)? else {
            return Ok(Err("the X server made none".to_owned()));
        };
        let second = Self { server, pointer, keyboard, parking };
        if let Some(slow) = unread(desk)? {
            second.remove(desk)?;
            return Ok(Err(slow));
        }
        second.settle_in()?;
        Ok(Ok(second))
    }

    /// Makes this connection's pointer and keyboard the second ones, for XTEST too.
    fn settle_in(&self) -> Asked<()> {
        let Self { server: Server { connection, root, .. }, pointer, .. } = self;
        connection.xinput_xi_set_client_pointer(x11rb::NONE, *pointer)?.check()?;
        let size = connection.get_geometry(*root)?.reply()?;
        // Its cursor is drawn as well: it waits in a corner. The numbers have 16 binary places.
        let corner = |length: u16| i32::from(length.saturating_sub(1)) << 16;
        let (x, y) = (corner(size.width), corner(size.height));
        connection
            .xinput_xi_warp_pointer(x11rb::NONE, *root, 0, 0, 0, 0, x, y, *pointer)?
            .check()?;
        Ok(())
    }

    /// Removes it, and waits until every app has read of that.
    pub(super) fn remove(&self, desk: &Server) -> Asked<()> {
        remove(desk, self.pointer)
    }

    /// The connection whose keyboard is the second one.
    pub(super) fn server(&self) -> &Server {
        &self.server
    }

    /// Lets keys go to a window, which is told that it has the keyboard.
    pub(super) fn point_at(&self, window: Window) -> Asked<()> {
        let connection = &self.server.connection;
        let proxy = self.proxy(window)?;
        if proxy.is_some() {
            // Swing asks whose keyboard is meant before it believes a focus event.
            connection.xinput_xi_set_client_pointer(window, self.pointer)?.check()?;
        }
        self.focus(proxy.unwrap_or(window))?;
        if self.is_active(window)? {
            return Ok(());
        }
        // Chromium and Swing wait for an event of the core protocol.
        self.tell(window, FOCUS_IN_EVENT)
    }

    /// Whether the person's own keyboard is with a window. Such a window must not be told that it
    /// lost the keyboard: Chromium would take no key from the person any more.
    fn is_active(&self, window: Window) -> Asked<bool> {
        let server = &self.server;
        let active = server.numbers(server.root, server.atoms._NET_ACTIVE_WINDOW)?;
        Ok(active.first() == Some(&window))
    }

    /// Lets keys go nowhere, and tells the window that had them.
    pub(super) fn park(&self, window: Window) -> Asked<()> {
        // The window may be gone by now, and must not be the keyboard's any longer in any case.
        let parked = self.focus(self.parking);
        let told =
            if self.is_active(window)? { Ok(()) } else { self.tell(window, FOCUS_OUT_EVENT) };
        if self.proxy(window)?.is_some() {
            let connection = &self.server.connection;
            connection.xinput_xi_set_client_pointer(window, CORE_POINTER)?.check()?;
        }
        parked.and(told)
    }

    /// Moves the second keyboard's focus. A grab on the way makes the focus events ones that window
    /// managers ignore: a plain change makes Openbox activate the window.
    fn focus(&self, window: Window) -> Asked<()> {
        let (connection, device) = (&self.server.connection, self.keyboard);
        let kind = GrabType::FOCUS_IN;
        let granted = connection
            .xinput_xi_passive_grab_device(
                x11rb::CURRENT_TIME,
                window,
                x11rb::NONE,
                0,
                device,
                kind,
                GrabMode22::ASYNC,
                GrabMode::ASYNC,
                GrabOwner::NO_OWNER,
                &[0],
                &[ANY_MODIFIER],
            )?
            .reply()?;
        if !granted.modifiers.is_empty() {
            return Err(std::io::Error::other("somebody else grabs its focus").into());
        }
        let focused = connection
            .xinput_xi_set_focus(window, x11rb::CURRENT_TIME, device)
            .map_err(Trouble::from)
            .and_then(|cookie| cookie.check().map_err(Trouble::from));
        connection.xinput_xi_passive_ungrab_device(window, 0, device, kind, &[ANY_MODIFIER])?;
        connection.xinput_xi_ungrab_device(x11rb::CURRENT_TIME, device)?.check()?;
        focused
    }

    fn tell(&self, window: Window, kind: u8) -> Asked<()> {
        let event = FocusInEvent {
            response_type: kind,
            detail: NotifyDetail::NONLINEAR,
            sequence: 0,
            event: window,
            mode: NotifyMode::NORMAL,
        };
        let connection = &self.server.connection;
        connection.send_event(false, window, EventMask::NO_EVENT, event)?.check()?;
        Ok(())
    }

    /// The child Swing takes its keys by.
    fn proxy(&self, window: Window) -> Asked<Option<Window>> {
        let connection = &self.server.connection;
        // A window that is gone has no children.
        let Ok(tree) = connection.query_tree(window)?.reply() else { return Ok(None) };
        for child in tree.children {
            let (name, kind) = (AtomEnum::WM_NAME, AtomEnum::ANY);
            let asked = connection.get_property(false, child, name, kind, 0, 16)?;
            if asked.reply().is_ok_and(|reply| reply.value == b"FocusProxy") {
                return Ok(Some(child));
            }
        }
        Ok(None)
    }
}

/// Waits until no app is starting and all have read everything sent to them so far; why they have
/// not by the deadline, in words.
fn unsettled(desk: &Server, by: Deadline) -> Asked<Option<String>> {
    loop {
        let Some(app) = starting(desk)? else { return unread(desk) };
        if by.passed() {
            return Ok(Some(format!("{app} is starting, and may crash of a new keyboard")));
        }
        std::thread::sleep(STEP);
    }
}

/// Which app has not read everything sent to it so far, in words.
fn unread(desk: &Server) -> Asked<Option<String>> {
    let slow = Pulse::new(desk, None)?.unread(Deadline::after(KEEPS_UP))?;
    let Some(window) = slow else { return Ok(None) };
    let (title, kind) = (desk.atoms._NET_WM_NAME, AtomEnum::ANY);
    let asked = desk.connection.get_property(false, window, title, kind, 0, 64)?.reply();
    // A window that is gone meanwhile has no name.
    let title = asked.map(|reply| reply.value).unwrap_or_default();
    let title = String::from_utf8_lossy(&title).into_owned();
    Ok(Some(format!("window {title:?} does not respond, and may crash of a new keyboard")))
}

/// Removes the second keyboard once every app is ready for that, or has had its time; only whoever
/// has the turn may do that.
pub(super) fn remove(desk: &Server, pointer: u16) -> Asked<()> {
    unsettled(desk, Deadline::after(STARTED_MEANWHILE))?;
    let gone = HierarchyChangeDataRemoveMaster {
        deviceid: pointer,
        return_mode: ChangeMode::FLOAT,
        return_pointer: 0,
        return_keyboard: 0,
    };
    // Three words of four bytes.
    let change = HierarchyChange { len: 3, data: HierarchyChangeData::RemoveMaster(gone) };
    desk.connection.xinput_xi_change_hierarchy(&[change])?.check()?;
    unread(desk).map(drop)
}

/// The pointer of a second keyboard that is there already.
pub(super) fn find(desk: &Server) -> Asked<Option<u16>> {
    desk.connection.xinput_xi_query_version(2, 2)?.reply()?;
    Ok(devices(desk)?.map(|(pointer, _)| pointer))
}

/// The numbers of the second pointer and keyboard.
fn devices(server: &Server) -> Asked<Option<(u16, u16)>> {
    const ALL: u16 = 0;
    let all = server.connection.xinput_xi_query_device(ALL)?.reply()?.infos;
    let called = |last: &str| {
        let name = format!("{NAME} {last}");
        all.iter().find(|one| one.name == name.as_bytes()).map(|one| one.deviceid)
    };
    Ok(called("pointer").zip(called("keyboard")))
}

/// A window of the window manager's own, if it is one that lets the second keyboard be.
fn parking(server: &Server) -> Asked<Option<Window>> {
    let connection = &server.connection;
    let name = connection.intern_atom(false, b"_NET_SUPPORTING_WM_CHECK")?.reply()?.atom;
    let Some(window) = server.numbers(server.root, name)?.first().copied() else {
        return Ok(None);
    };
    let (title, kind) = (server.atoms._NET_WM_NAME, AtomEnum::ANY);
    let asked = connection.get_property(false, window, title, kind, 0, 16)?;
    // What an ended window manager left on the root names no window any more.
    let known = asked.reply().is_ok_and(|reply| reply.value == KNOWN_MANAGER);
    Ok(known.then_some(window))
}
