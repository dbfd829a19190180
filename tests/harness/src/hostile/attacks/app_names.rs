//! Names that could refer to the protected apps, or be mistaken for other apps.

use super::{
    Attack,
    Step::{Call, InvalidCall},
    attack,
};

pub(super) const ATTACKS: &[Attack] = &[
    attack("by name", &[Call("ax_click", r#"{"app":"gtk3_vault.py","query":"Press me"}"#)]),
    attack("in capitals", &[Call("ax_click", r#"{"app":"GTK3_VAULT.PY","query":"Press me"}"#)]),
    attack(
        "with spaces around",
        &[Call("ax_click", r#"{"app":"  gtk3_vault.py ","query":"Press me"}"#)],
    ),
    attack(
        "with a tab and a line end",
        &[Call("ax_click", r#"{"app":"gtk3_vault.py\t\n","query":"Press me"}"#)],
    ),
    attack("without its ending", &[Call("ax_click", r#"{"app":"gtk3_vault","query":"Press me"}"#)]),
    attack("by a part of its name", &[Call("ax_click", r#"{"app":"vault","query":"Press me"}"#)]),
    attack(
        "in wide letters",
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
        "with a space nobody sees",
        &[Call("ax_click", r#"{"app":"gtk3_va\u200bult.py","query":"Press me"}"#)],
    ),
    attack(
        "with tags nobody sees",
        &[Call("ax_click", r#"{"app":"gtk3_vault.py\udb40\udc41","query":"Press me"}"#)],
    ),
    attack(
        "written from right to left",
        &[Call("ax_click", r#"{"app":"\u202eyp.tluav_3ktg","query":"Press me"}"#)],
    ),
    attack(
        "with a soft hyphen",
        &[Call("ax_click", r#"{"app":"gtk3_vau\u00adlt.py","query":"Press me"}"#)],
    ),
    attack(
        "with half a surrogate",
        &[Call("ax_click", r#"{"app":"gtk3_vault.py\ud800","query":"Press me"}"#)],
    ),
    attack(
        "with a null at its end",
        &[Call("ax_click", r#"{"app":"gtk3_vault.py\u0000kcalc","query":"Press me"}"#)],
    ),
    attack(
        "the other app with a null and its name",
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
        "by the name of a linked desktop file",
        &[Call("ax_click", r#"{"app":"org.example.Innocent","query":"Press me"}"#)],
    ),
    attack(
        "by the file name of a linked desktop file",
        &[Call("ax_click", r#"{"app":"org.example.Innocent.desktop","query":"Press me"}"#)],
    ),
    attack(
        "by the words in a linked desktop file",
        &[Call("ax_click", r#"{"app":"Innocent App","query":"Press me"}"#)],
    ),
    attack("by the name of a bus", &[Call("ax_click", r#"{"app":":1.3","query":"Press me"}"#)]),
    attack(
        "by the beginning of a path of elements",
        &[Call("ax_click", r#"{"app":"app($V)","query":"Press me"}"#)],
    ),
    attack(
        "the editor by name",
        &[Call("ax_type", r#"{"app":"mousepad","text":"x","query":"role:text"}"#)],
    ),
    attack(
        "the editor in capitals",
        &[Call("ax_type", r#"{"app":"MOUSEPAD","text":"x","query":"role:text"}"#)],
    ),
    attack(
        "the editor by its desktop file",
        &[Call("ax_type", r#"{"app":"org.xfce.mousepad","text":"x","query":"role:text"}"#)],
    ),
    attack(
        "the editor by its desktop file's name",
        &[Call("ax_type", r#"{"app":"org.xfce.mousepad.desktop","text":"x","query":"role:text"}"#)],
    ),
    attack(
        "the editor by its path",
        &[Call("ax_type", r#"{"app":"/usr/bin/mousepad","text":"x","query":"role:text"}"#)],
    ),
    attack(
        "the editor by a roundabout path",
        &[Call("ax_type", r#"{"app":"/usr/bin/../bin//mousepad","text":"x","query":"role:text"}"#)],
    ),
    attack(
        "the editor by what the system tells of it",
        &[Call("ax_type", r#"{"app":"/proc/$M/exe","text":"x","query":"role:text"}"#)],
    ),
    attack(
        "the editor with a Cyrillic o",
        &[Call("ax_type", r#"{"app":"m\u043eusepad","text":"x","query":"role:text"}"#)],
    ),
    attack(
        "the editor with a joined accent",
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
    attack("a pid below zero", &[Call("ax_click", r#"{"app":"-$V","query":"Press me"}"#)]),
    attack("a pid with zeros before it", &[Call("ax_click", r#"{"app":"000$V","query":"Press me"}"#)]),
    attack("a pid with spaces around it", &[Call("ax_click", r#"{"app":" $V ","query":"Press me"}"#)]),
    attack("a pid with a line end", &[Call("ax_click", r#"{"app":"$V\n","query":"Press me"}"#)]),
    attack("a pid with a null", &[Call("ax_click", r#"{"app":"$V\u0000","query":"Press me"}"#)]),
    attack(
        "a pid that overflows 32 bits to it",
        &[Call("ax_click", r#"{"app":"$V32","query":"Press me"}"#)],
    ),
    attack(
        "a pid that overflows 64 bits to it",
        &[Call("ax_click", r#"{"app":"$V64","query":"Press me"}"#)],
    ),
    attack("a pid in hexadecimal", &[Call("ax_click", r#"{"app":"$VHEX","query":"Press me"}"#)]),
    attack("a pid as a fraction", &[Call("ax_click", r#"{"app":"$V.0","query":"Press me"}"#)]),
    attack("a pid with an exponent", &[Call("ax_click", r#"{"app":"$Ve0","query":"Press me"}"#)]),
    attack("a pid in wide digits", &[Call("ax_click", r#"{"app":"$VWIDE","query":"Press me"}"#)]),
    attack("a pid as a number", &[InvalidCall("ax_click", r#"{"app":$V,"query":"Press me"}"#)]),
    attack(
        "a pid as a number with a fraction",
        &[InvalidCall("ax_click", r#"{"app":$V.0,"query":"Press me"}"#)],
    ),
    attack("a pid between quotes", &[Call("ax_click", r#"{"app":"\"$V\"","query":"Press me"}"#)]),
    attack(
        "two pids, the free one first",
        &[Call("ax_click", r#"{"app":"$C,$V","query":"Press me"}"#)],
    ),
    attack("a glob", &[Call("ax_click", r#"{"app":"*","query":"Press me"}"#)]),
    attack("nothing", &[Call("ax_click", r#"{"app":"","query":"Press me"}"#)]),
    attack(
        "an alias of the free app that is its name",
        &[
            Call("ax_connect", r#"{"app":"$C","alias":"gtk3_vault.py"}"#),
            Call("ax_click", r#"{"app":"gtk3_vault.py","query":"Press me"}"#),
            Call("ax_get_tree", r#"{"app":"gtk3_vault.py"}"#),
        ],
    ),
    attack(
        "an alias of the free app that is its pid",
        &[
            InvalidCall("ax_connect", r#"{"app":"$C","alias":"$V"}"#),
            Call("ax_click", r#"{"app":"$V","query":"Press me"}"#),
            Call("ax_get_tree", r#"{"app":"$V"}"#),
        ],
    ),
    attack(
        "an alias for it that is the free app's name",
        &[
            Call("ax_connect", r#"{"app":"$V","alias":"kcalc"}"#),
            Call("ax_click", r#"{"app":"kcalc","query":"Press me"}"#),
        ],
    ),
    attack(
        "an alias for it that is the free app's pid",
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
        "an alias nobody sees",
        &[
            Call("ax_connect", r#"{"app":"$V","alias":"\u200b"}"#),
            Call("ax_click", r#"{"app":"\u200b","query":"Press me"}"#),
        ],
    ),
    attack(
        "an alias that is empty",
        &[
            InvalidCall("ax_connect", r#"{"app":"$V","alias":""}"#),
            Call("ax_click", r#"{"app":"","query":"Press me"}"#),
        ],
    ),
    attack(
        "an alias that is a path of elements",
        &[
            Call("ax_connect", r#"{"app":"$C","alias":"app($V)/window[0]"}"#),
            Call("ax_click", r#"{"app":"app($V)/window[0]","query":"Press me"}"#),
        ],
    ),
];
