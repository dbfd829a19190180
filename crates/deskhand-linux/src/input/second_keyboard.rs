//! The second pair of master devices, pointer and keyboard: creates, focuses, parks and removes it.
//!
//! It exists only while it is in use: Chromium accepts keys from the newest master keyboard only,
//! so the user's own keyboard does not work there during that time. It is added and removed only
//! after every app has read about the previous change: GTK, Chromium and LibreOffice crash if a
//! device is gone when they query it. Disabling the device instead does not help: Chromium still
//! ignores the user's keyboard, and Xvfb 21.1 crashed when a disabled device was removed.

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

use super::{
    starting::find_starting_app,
    sync::InputSync,
    timing::{
        DEVICE_CHANGE_TIMEOUT, REMOVAL_STARTUP_TIMEOUT, STARTUP_POLL_INTERVAL, STARTUP_TIMEOUT,
    },
};
use crate::x11::{X11Error, X11Result, XServer};
/// The name of the device. The server appends ` pointer` and ` keyboard`.
const NAME: &str = "deskhand";

/// The only window manager known to ignore the second keyboard. Others may move the user's focus.
const SUPPORTED_WINDOW_MANAGER: &[u8] = b"Openbox";

/// The device id that every X server gives the user's pointer.
const CORE_POINTER: u16 = 2;

/// The mask that stands for any combination of modifiers in a grab.
const ANY_MODIFIER: u32 = 1 << 31;

/// A second pointer and keyboard with a separate connection.
pub(super) struct SecondKeyboard {
    server: XServer,
    pointer: u16,
    keyboard: u16,
    /// A window that ignores keys and exists as long as the window manager runs.
    parking_window: Window,
}

impl SecondKeyboard {
    /// Creates a second keyboard for this connection. The inner error says why that could disturb
    /// the user or an app.
    pub(super) fn new(server: XServer, main_server: &XServer) -> X11Result<Result<Self, String>> {
        let connection = &server.connection;
        let Some(parking_window) = parking_window(&server)? else {
            return Ok(Err("this window manager may move the user's focus to it".to_owned()));
        };
        connection.xinput_xi_query_version(2, 2)?.reply()?;
        if let Some(slow) = wait_until_apps_ready(main_server, Deadline::after(STARTUP_TIMEOUT))? {
            return Ok(Err(slow));
        }
        if devices(&server)?.is_none() {
            let name = NAME.as_bytes().to_vec();
            // The length counts words of four bytes; the fixed part has two.
            let len = 2 + u16::try_from(name.len().div_ceil(4))?;
            let add = HierarchyChangeDataAddMaster { send_core: true, enable: true, name };
            let change = HierarchyChange { len, data: HierarchyChangeData::AddMaster(add) };
            connection.xinput_xi_change_hierarchy(&[change])?.check()?;
        }
        let Some((pointer, keyboard)) = devices(&server)? else {
            return Ok(Err("the X server did not create a second keyboard".to_owned()));
        };
        let keyboard_pair = Self { server, pointer, keyboard, parking_window };
        if let Some(slow) = find_unresponsive_app(main_server)? {
            keyboard_pair.remove(main_server)?;
            return Ok(Err(slow));
        }
        keyboard_pair.become_client_pointer()?;
        Ok(Ok(keyboard_pair))
    }

    /// Makes the second pair this connection's client pointer, which XTEST follows.
    fn become_client_pointer(&self) -> X11Result<()> {
        let Self { server: XServer { connection, root, .. }, pointer, .. } = self;
        connection.xinput_xi_set_client_pointer(x11rb::NONE, *pointer)?.check()?;
        let size = connection.get_geometry(*root)?.reply()?;
        // The server draws a cursor for it too, so it moves to a corner. Coordinates are 16.16
        // fixed point.
        let corner = |length: u16| i32::from(length.saturating_sub(1)) << 16;
        let (x, y) = (corner(size.width), corner(size.height));
        connection
            .xinput_xi_warp_pointer(x11rb::NONE, *root, 0, 0, 0, 0, x, y, *pointer)?
            .check()?;
        Ok(())
    }

    /// Removes it, and waits until every app has read about that.
    pub(super) fn remove(&self, main_server: &XServer) -> X11Result<()> {
        remove(main_server, self.pointer)
    }

    /// Returns the connection that uses the second keyboard.
    pub(super) fn server(&self) -> &XServer {
        &self.server
    }

    /// Sends the second keyboard's keys to a window, and notifies the window that it has the focus.
    pub(super) fn focus_window(&self, window: Window) -> X11Result<()> {
        let connection = &self.server.connection;
        let swing_focus_proxy = self.swing_focus_proxy(window)?;
        if swing_focus_proxy.is_some() {
            // Swing checks the client pointer before it accepts a focus event.
            connection.xinput_xi_set_client_pointer(window, self.pointer)?.check()?;
        }
        self.set_focus(swing_focus_proxy.unwrap_or(window))?;
        if self.is_active(window)? {
            return Ok(());
        }
        // Chromium and Swing wait for a core protocol focus event.
        self.send_focus_event(window, FOCUS_IN_EVENT)
    }

    /// Returns `true` if the window has the user's focus. Such a window must not get a focus-out
    /// event: Chromium would then ignore the user's keys.
    fn is_active(&self, window: Window) -> X11Result<bool> {
        let server = &self.server;
        let active = server.read_u32_list(server.root, server.atoms._NET_ACTIVE_WINDOW)?;
        Ok(active.first() == Some(&window))
    }

    /// Stops sending keys to a window, and notifies the window.
    pub(super) fn park(&self, window: Window) -> X11Result<()> {
        // The window may have closed; the keyboard must leave it in any case.
        let parked = self.set_focus(self.parking_window);
        let notified = if self.is_active(window)? {
            Ok(())
        } else {
            self.send_focus_event(window, FOCUS_OUT_EVENT)
        };
        if self.swing_focus_proxy(window)?.is_some() {
            let connection = &self.server.connection;
            connection.xinput_xi_set_client_pointer(window, CORE_POINTER)?.check()?;
        }
        parked.and(notified)
    }

    /// Moves the second keyboard's focus. It does so under a grab, so that window managers ignore
    /// the focus events: without the grab Openbox activates the window.
    fn set_focus(&self, window: Window) -> X11Result<()> {
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
            return Err(std::io::Error::other("another program grabs its focus").into());
        }
        let focused = connection
            .xinput_xi_set_focus(window, x11rb::CURRENT_TIME, device)
            .map_err(X11Error::from)
            .and_then(|cookie| cookie.check().map_err(X11Error::from));
        connection.xinput_xi_passive_ungrab_device(window, 0, device, kind, &[ANY_MODIFIER])?;
        connection.xinput_xi_ungrab_device(x11rb::CURRENT_TIME, device)?.check()?;
        focused
    }

    fn send_focus_event(&self, window: Window, kind: u8) -> X11Result<()> {
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

    /// Returns the child window through which Swing receives its keys.
    fn swing_focus_proxy(&self, window: Window) -> X11Result<Option<Window>> {
        let connection = &self.server.connection;
        // A window that has closed has no children.
        let Ok(tree) = connection.query_tree(window)?.reply() else { return Ok(None) };
        for child in tree.children {
            let (name, kind) = (AtomEnum::WM_NAME, AtomEnum::ANY);
            let reply = connection.get_property(false, child, name, kind, 0, 16)?;
            if reply.reply().is_ok_and(|reply| reply.value == b"FocusProxy") {
                return Ok(Some(child));
            }
        }
        Ok(None)
    }
}

/// Waits until no app is starting and all apps have read their events. Returns a message about an
/// app that is not ready by the deadline.
fn wait_until_apps_ready(main_server: &XServer, deadline: Deadline) -> X11Result<Option<String>> {
    loop {
        let Some(app) = find_starting_app(main_server)? else {
            return find_unresponsive_app(main_server);
        };
        if deadline.has_passed() {
            return Ok(Some(format!("{app} is starting and might crash when a keyboard is added")));
        }
        std::thread::sleep(STARTUP_POLL_INTERVAL);
    }
}

/// Returns a message about an app that does not read its events in time.
fn find_unresponsive_app(main_server: &XServer) -> X11Result<Option<String>> {
    let slow = InputSync::new(main_server, None)?
        .find_unresponsive_window(Deadline::after(DEVICE_CHANGE_TIMEOUT))?;
    let Some(window) = slow else { return Ok(None) };
    let (title, kind) = (main_server.atoms._NET_WM_NAME, AtomEnum::ANY);
    let reply = main_server.connection.get_property(false, window, title, kind, 0, 64)?.reply();
    // If the window has closed, it has no title.
    let title = reply.map(|reply| reply.value).unwrap_or_default();
    let title = String::from_utf8_lossy(&title).into_owned();
    Ok(Some(format!("window {title:?} does not respond and might crash when a keyboard is added")))
}

/// Removes the second keyboard when every app is ready for that, or after a timeout. The caller
/// must own the background keyboard's selection lock.
pub(super) fn remove(main_server: &XServer, pointer: u16) -> X11Result<()> {
    wait_until_apps_ready(main_server, Deadline::after(REMOVAL_STARTUP_TIMEOUT))?;
    let removal = HierarchyChangeDataRemoveMaster {
        deviceid: pointer,
        return_mode: ChangeMode::FLOAT,
        return_pointer: 0,
        return_keyboard: 0,
    };
    // The length is three words of four bytes.
    let change = HierarchyChange { len: 3, data: HierarchyChangeData::RemoveMaster(removal) };
    main_server.connection.xinput_xi_change_hierarchy(&[change])?.check()?;
    find_unresponsive_app(main_server).map(drop)
}

/// Returns the pointer id of an existing second pair.
pub(super) fn find(main_server: &XServer) -> X11Result<Option<u16>> {
    main_server.connection.xinput_xi_query_version(2, 2)?.reply()?;
    Ok(devices(main_server)?.map(|(pointer, _)| pointer))
}

/// Returns the ids of the second pointer and keyboard.
fn devices(server: &XServer) -> X11Result<Option<(u16, u16)>> {
    const ALL: u16 = 0;
    let all = server.connection.xinput_xi_query_device(ALL)?.reply()?.infos;
    let device_named = |last: &str| {
        let name = format!("{NAME} {last}");
        all.iter().find(|one| one.name == name.as_bytes()).map(|one| one.deviceid)
    };
    Ok(device_named("pointer").zip(device_named("keyboard")))
}

/// Returns the window manager's own window if this window manager ignores the second keyboard.
fn parking_window(server: &XServer) -> X11Result<Option<Window>> {
    let connection = &server.connection;
    let name = connection.intern_atom(false, b"_NET_SUPPORTING_WM_CHECK")?.reply()?.atom;
    let Some(window) = server.read_u32_list(server.root, name)?.first().copied() else {
        return Ok(None);
    };
    let (title, kind) = (server.atoms._NET_WM_NAME, AtomEnum::ANY);
    let reply = connection.get_property(false, window, title, kind, 0, 16)?;
    // After a window manager ends, its property on the root may name a window that no longer
    // exists.
    let known = reply.reply().is_ok_and(|reply| reply.value == SUPPORTED_WINDOW_MANAGER);
    Ok(known.then_some(window))
}
