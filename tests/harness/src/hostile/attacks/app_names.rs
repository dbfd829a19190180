//! Names that could refer to the protected apps, or be mistaken for other apps.

use super::{
    Attack,
    Step::{Call, InvalidCall},
    attack,
};

pub(super) const ATTACKS: &[Attack] = &[
    attack("by name", &[Call("ax_click", r#"{"app":"gtk3_vault.py","query":"Press me"}"#)]),
    attack("in upper case", &[Call("ax_click", r#"{"app":"GTK3_VAULT.PY","query":"Press me"}"#)]),
    attack(
        "with surrounding spaces",
        &[Call("ax_click", r#"{"app":"  gtk3_vault.py ","query":"Press me"}"#)],
    ),
    attack(
        "with a tab and a newline",
        &[Call("ax_click", r#"{"app":"gtk3_vault.py\t\n","query":"Press me"}"#)],
    ),
    attack(
        "without its extension",
        &[Call("ax_click", r#"{"app":"gtk3_vault","query":"Press me"}"#)],
    ),
    attack("by a part of its name", &[Call("ax_click", r#"{"app":"vault","query":"Press me"}"#)]),
    attack(
        "in full-width letters",
        &[Call("ax_click", r#"{"app":"ｇｔｋ３＿ｖａｕｌｔ．ｐｙ","query":"Press me"}"#)],
    ),
    attack(
        "with a Cyrillic a",
        &[Call("ax_click", r#"{"app":"gtk3_v\u0430ult.py","query":"Press me"}"#)],
    ),
    attack(
        "with a Greek nu",
        &[Call("ax_click", r#"{"app":"gtk3_\u03bdault.py","query":"Press me"}"#)],
    ),
    attack(
        "with a zero-width space",
        &[Call("ax_click", r#"{"app":"gtk3_va\u200bult.py","query":"Press me"}"#)],
    ),
    attack(
        "with invisible tag characters",
        &[Call("ax_click", r#"{"app":"gtk3_vault.py\udb40\udc41","query":"Press me"}"#)],
    ),
    attack(
        "with a right-to-left override",
        &[Call("ax_click", r#"{"app":"\u202eyp.tluav_3ktg","query":"Press me"}"#)],
    ),
    attack(
        "with a soft hyphen",
        &[Call("ax_click", r#"{"app":"gtk3_vau\u00adlt.py","query":"Press me"}"#)],
    ),
    attack(
        "with an unpaired surrogate",
        &[Call("ax_click", r#"{"app":"gtk3_vault.py\ud800","query":"Press me"}"#)],
    ),
    attack(
        "with a null character",
        &[Call("ax_click", r#"{"app":"gtk3_vault.py\u0000kcalc","query":"Press me"}"#)],
    ),
    attack(
        "the unprotected app's name, a null character and the vault's name",
        &[Call("ax_click", r#"{"app":"kcalc\u0000gtk3_vault.py","query":"Press me"}"#)],
    ),
    attack("by its interpreter", &[Call("ax_click", r#"{"app":"python3","query":"Press me"}"#)]),
    attack(
        "by its interpreter's version",
        &[Call("ax_click", r#"{"app":"python3.11","query":"Press me"}"#)],
    ),
    attack(
        "by the path of its interpreter",
        &[Call("ax_click", r#"{"app":"/usr/bin/python3","query":"Press me"}"#)],
    ),
    attack("by its title", &[Call("ax_click", r#"{"app":"ledger-9127","query":"Press me"}"#)]),
    attack(
        "by the id of a linked desktop file",
        &[Call("ax_click", r#"{"app":"org.example.Innocent","query":"Press me"}"#)],
    ),
    attack(
        "by the file name of a linked desktop file",
        &[Call("ax_click", r#"{"app":"org.example.Innocent.desktop","query":"Press me"}"#)],
    ),
    attack(
        "by the title in a linked desktop file",
        &[Call("ax_click", r#"{"app":"Innocent App","query":"Press me"}"#)],
    ),
    attack("by a D-Bus name", &[Call("ax_click", r#"{"app":":1.3","query":"Press me"}"#)]),
    attack(
        "by the start of an element path",
        &[Call("ax_click", r#"{"app":"app($V)","query":"Press me"}"#)],
    ),
    attack(
        "the editor by name",
        &[Call("ax_type", r#"{"app":"mousepad","text":"x","query":"role:text"}"#)],
    ),
    attack(
        "the editor in upper case",
        &[Call("ax_type", r#"{"app":"MOUSEPAD","text":"x","query":"role:text"}"#)],
    ),
    attack(
        "the editor by its desktop file id",
        &[Call("ax_type", r#"{"app":"org.xfce.mousepad","text":"x","query":"role:text"}"#)],
    ),
    attack(
        "the editor by its desktop file name",
        &[Call("ax_type", r#"{"app":"org.xfce.mousepad.desktop","text":"x","query":"role:text"}"#)],
    ),
    attack(
        "the editor by its path",
        &[Call("ax_type", r#"{"app":"/usr/bin/mousepad","text":"x","query":"role:text"}"#)],
    ),
    attack(
        "the editor by a path with ..",
        &[Call("ax_type", r#"{"app":"/usr/bin/../bin//mousepad","text":"x","query":"role:text"}"#)],
    ),
    attack(
        "the editor by its /proc path",
        &[Call("ax_type", r#"{"app":"/proc/$M/exe","text":"x","query":"role:text"}"#)],
    ),
    attack(
        "the editor with a Cyrillic o",
        &[Call("ax_type", r#"{"app":"m\u043eusepad","text":"x","query":"role:text"}"#)],
    ),
    attack(
        "the editor with a combining accent",
        &[Call("ax_type", r#"{"app":"mousepad\u0301","text":"x","query":"role:text"}"#)],
    ),
    attack(
        "the editor by its title",
        &[Call(
            "ax_type",
            r#"{"app":"ledger-9127.txt - Mousepad","text":"x","query":"role:text"}"#,
        )],
    ),
    attack("a pid with a sign", &[Call("ax_click", r#"{"app":"+$V","query":"Press me"}"#)]),
    attack("a negative pid", &[Call("ax_click", r#"{"app":"-$V","query":"Press me"}"#)]),
    attack(
        "a pid with leading zeros",
        &[Call("ax_click", r#"{"app":"000$V","query":"Press me"}"#)],
    ),
    attack(
        "a pid with spaces around it",
        &[Call("ax_click", r#"{"app":" $V ","query":"Press me"}"#)],
    ),
    attack("a pid with a newline", &[Call("ax_click", r#"{"app":"$V\n","query":"Press me"}"#)]),
    attack(
        "a pid with a null character",
        &[Call("ax_click", r#"{"app":"$V\u0000","query":"Press me"}"#)],
    ),
    attack(
        "a pid that wraps to the vault's in 32 bits",
        &[Call("ax_click", r#"{"app":"$V32","query":"Press me"}"#)],
    ),
    attack(
        "a pid that wraps to the vault's in 64 bits",
        &[Call("ax_click", r#"{"app":"$V64","query":"Press me"}"#)],
    ),
    attack("a pid in hexadecimal", &[Call("ax_click", r#"{"app":"$VHEX","query":"Press me"}"#)]),
    attack(
        "a pid with a decimal point",
        &[Call("ax_click", r#"{"app":"$V.0","query":"Press me"}"#)],
    ),
    attack("a pid with an exponent", &[Call("ax_click", r#"{"app":"$Ve0","query":"Press me"}"#)]),
    attack(
        "a pid in full-width digits",
        &[Call("ax_click", r#"{"app":"$VWIDE","query":"Press me"}"#)],
    ),
    attack(
        "a pid as a JSON number",
        &[InvalidCall("ax_click", r#"{"app":$V,"query":"Press me"}"#)],
    ),
    attack(
        "a pid as a JSON number with a decimal point",
        &[InvalidCall("ax_click", r#"{"app":$V.0,"query":"Press me"}"#)],
    ),
    attack("a pid in quotes", &[Call("ax_click", r#"{"app":"\"$V\"","query":"Press me"}"#)]),
    attack(
        "two pids, the unprotected one first",
        &[Call("ax_click", r#"{"app":"$C,$V","query":"Press me"}"#)],
    ),
    attack("a glob", &[Call("ax_click", r#"{"app":"*","query":"Press me"}"#)]),
    attack("nothing", &[Call("ax_click", r#"{"app":"","query":"Press me"}"#)]),
    attack(
        "the vault's name as an alias of the unprotected app",
        &[
            Call("ax_connect", r#"{"app":"$C","alias":"gtk3_vault.py"}"#),
            Call("ax_click", r#"{"app":"gtk3_vault.py","query":"Press me"}"#),
            Call("ax_get_tree", r#"{"app":"gtk3_vault.py"}"#),
        ],
    ),
    attack(
        "the vault's pid as an alias of the unprotected app",
        &[
            InvalidCall("ax_connect", r#"{"app":"$C","alias":"$V"}"#),
            Call("ax_click", r#"{"app":"$V","query":"Press me"}"#),
            Call("ax_get_tree", r#"{"app":"$V"}"#),
        ],
    ),
    attack(
        "the unprotected app's name as an alias of the vault",
        &[
            Call("ax_connect", r#"{"app":"$V","alias":"kcalc"}"#),
            Call("ax_click", r#"{"app":"kcalc","query":"Press me"}"#),
        ],
    ),
    attack(
        "the unprotected app's pid as an alias of the vault",
        &[
            InvalidCall("ax_connect", r#"{"app":"$V","alias":"$C"}"#),
            Call("ax_click", r#"{"app":"$C","query":"Press me"}"#),
        ],
    ),
    attack(
        "an alias of an alias",
        &[
            Call("ax_connect", r#"{"app":"$C","alias":"a"}"#),
            Call("ax_connect", r#"{"app":"$V","alias":"a"}"#),
            Call("ax_connect", r#"{"app":"a","alias":"b"}"#),
            Call("ax_click", r#"{"app":"b","query":"Press me"}"#),
        ],
    ),
    attack(
        "an invisible alias",
        &[
            Call("ax_connect", r#"{"app":"$V","alias":"\u200b"}"#),
            Call("ax_click", r#"{"app":"\u200b","query":"Press me"}"#),
        ],
    ),
    attack(
        "an empty alias",
        &[
            InvalidCall("ax_connect", r#"{"app":"$V","alias":""}"#),
            Call("ax_click", r#"{"app":"","query":"Press me"}"#),
        ],
    ),
    attack(
        "an element path as an alias",
        &[
            Call("ax_connect", r#"{"app":"$C","alias":"app($V)/window[0]"}"#),
            Call("ax_click", r#"{"app":"app($V)/window[0]","query":"Press me"}"#),
        ],
    ),
];
