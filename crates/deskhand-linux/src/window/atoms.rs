//! Atoms for window management, beside those that the window list needs.

x11rb::atom_manager! {
    /// The properties and messages of EWMH and ICCCM.
    pub(super) WmAtoms: WmAtomsCookie {
        _NET_CLOSE_WINDOW,
        _NET_MOVERESIZE_WINDOW,
        _NET_SUPPORTED,
        _NET_SUPPORTING_WM_CHECK,
        _NET_WM_DESKTOP,
        _NET_WM_STATE_FULLSCREEN,
        _NET_WM_STATE_MAXIMIZED_HORZ,
        _NET_WM_STATE_MAXIMIZED_VERT,
        _NET_WM_WINDOW_TYPE,
        WM_CHANGE_STATE,
        WM_DELETE_WINDOW,
        WM_PROTOCOLS,
        WM_TAKE_FOCUS,
    }
}
