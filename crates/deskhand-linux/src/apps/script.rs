//! The script interpreters on Linux.

use deskhand_platform::{Interpreters, ShebangArguments};

/// Programs that run scripts or packaged code.
pub(super) const INTERPRETERS: Interpreters = Interpreters {
    names: &[
        "bash",
        "bun",
        "busybox",
        "cjs",
        "dash",
        "deno",
        "dotnet",
        "electron",
        "fish",
        "gjs",
        "gjs-console",
        "guile",
        "java",
        "ksh",
        "lua",
        "mono",
        "mono-sgen",
        "node",
        "nodejs",
        "perl",
        "php",
        "pypy",
        "python",
        "qml",
        "qmlscene",
        "ruby",
        "sh",
        "tclsh",
        "wine",
        "wine-preloader",
        "wine64",
        "wine64-preloader",
        "wish",
        "zsh",
    ],
    shebang: ShebangArguments::Single,
};
