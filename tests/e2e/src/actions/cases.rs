//! The table of cases: what is done to which widget, and what the app must then tell.

use super::cell::{Before, Case, Reach, Situation, Told, Wanted};
use super::toolkit::Toolkit;

use Before::{Ask, Nothing, Other, Ticks};
use Reach::{Hand, Never, Noisy, Open, Silent};
use Told::{Above, Anything, Below, Branch, Flag, Items, Number, Text};

const fn case(
    (widget, action): (&'static str, &'static str),
    words: &'static [&'static str],
    before: Before,
    (id, event, value): (&'static str, &'static str, Told),
    reach: Reach,
) -> Case {
    let wanted = Wanted { widget: id, event, value };
    Case { widget, action, words, before, wanted, reach }
}

/// How long a command waits for an element that will never be ready.
const SOON: &str = "0.4";

const PUSHED: (&str, &str, Told) = ("push", "pressed", Anything);
const TYPED: &str = "Grüße, мир 你好";
const LINES: &str = "one line\nand another";

/// Every case.
#[rustfmt::skip]
pub const CASES: &[Case] = &[
    case(("button", "click"), &["click", "@push"], Nothing, PUSHED, Open),
    case(("button", "act"), &["act", "press", "@push"], Nothing, PUSHED, Open),
    case(("button, labels tick", "click"), &["click", "@push"], Ticks, PUSHED, Open),
    case(("idle button", "click"), &["click", "@idle"], Nothing, ("idle", "pressed", Anything), Silent),
    case(("idle button", "act"), &["act", "press", "@idle"], Nothing, ("idle", "pressed", Anything), Silent),
    case(("idle button, labels tick", "click"), &["click", "@besideclock"], Ticks, ("besideclock", "pressed", Anything), Noisy),
    case(("disabled button", "click"), &["click", "@disabled", "--timeout", SOON], Nothing, ("disabled", "pressed", Anything), Never),
    case(("disabled button", "act"), &["act", "press", "@disabled", "--timeout", SOON], Nothing, ("disabled", "pressed", Anything), Never),
    case(("toggle", "click"), &["click", "@toggle"], Nothing, ("toggle", "toggled", Flag(true)), Open),
    case(("toggle", "click"), &["click", "@toggle"], Other, ("toggle", "toggled", Flag(false)), Open),
    case(("toggle", "set"), &["set", "@toggle", "true"], Nothing, ("toggle", "toggled", Flag(true)), Open),
    case(("check box", "click"), &["click", "@check"], Nothing, ("check", "toggled", Flag(true)), Open),
    case(("check box", "click"), &["click", "@check"], Other, ("check", "toggled", Flag(false)), Open),
    case(("check box", "set"), &["set", "@check", "true"], Nothing, ("check", "toggled", Flag(true)), Open),
    case(("check box", "set"), &["set", "@check", "false"], Other, ("check", "toggled", Flag(false)), Open),
    case(("check box, labels tick", "click"), &["click", "@check"], Ticks, ("check", "toggled", Flag(true)), Open),
    case(("radio", "click"), &["click", "@medium"], Nothing, ("radio", "chosen", Text("Medium")), Open),
    case(("radio", "set"), &["set", "@large", "true"], Nothing, ("radio", "chosen", Text("Large")), Open),
    case(("switch", "click"), &["click", "@switch"], Nothing, ("switch", "toggled", Flag(true)), Open),
    case(("switch", "set"), &["set", "@switch", "true"], Nothing, ("switch", "toggled", Flag(true)), Open),
    case(("switch", "set"), &["set", "@switch", "false"], Other, ("switch", "toggled", Flag(false)), Open),
    case(("entry", "type"), &["type", " more", "--into", "@entry"], Nothing, ("entry", "text", Text("start more")), Open),
    case(("entry", "type"), &["type", TYPED, "--into", "@entry", "--clear"], Nothing, ("entry", "text", Text(TYPED)), Open),
    case(("entry", "set"), &["set", "@entry", "new words"], Nothing, ("entry", "text", Text("new words")), Open),
    case(("entry, labels tick", "set"), &["set", "@entry", "new words"], Ticks, ("entry", "text", Text("new words")), Open),
    case(("entry", "focus"), &["focus", "@entry"], Nothing, ("Entry", "focused", Anything), Hand),
    case(("read-only entry", "set"), &["set", "@fixed", "changed", "--timeout", SOON], Nothing, ("fixed", "text", Anything), Never),
    case(("read-only entry", "type"), &["type", "x", "--into", "@fixed", "--timeout", SOON], Nothing, ("fixed", "text", Anything), Never),
    case(("password", "type"), &["type", "opensesame", "--into", "@secret", "--clear"], Nothing, ("secret", "text", Text("opensesame")), Open),
    case(("password", "set"), &["set", "@secret", "opensesame"], Nothing, ("secret", "text", Text("opensesame")), Open),
    case(("text area", "type"), &["type", LINES, "--into", "@notes", "--clear"], Nothing, ("notes", "text", Text(LINES)), Open),
    case(("text area", "set"), &["set", "@notes", LINES], Nothing, ("notes", "text", Text(LINES)), Open),
    case(("spin button", "set"), &["set", "@spin", "42"], Nothing, ("spin", "value", Number(42.0)), Open),
    case(("spin button", "act"), &["act", "increment", "@spin"], Nothing, ("spin", "value", Above(10.0)), Open),
    case(("slider", "set"), &["set", "@slider", "70"], Nothing, ("slider", "value", Number(70.0)), Open),
    case(("slider", "act"), &["act", "increment", "@slider"], Nothing, ("slider", "value", Above(20.0)), Open),
    case(("slider", "act"), &["act", "decrement", "@slider"], Nothing, ("slider", "value", Below(20.0)), Open),
    case(("progress bar", "set"), &["set", "@progress", "0.9", "--timeout", SOON], Nothing, ("progress", "value", Anything), Never),
    case(("combo box", "set"), &["set", "@combo", "Norway"], Nothing, ("combo", "chosen", Text("Norway")), Open),
    case(("combo box", "select"), &["select", "@combo", "Sweden"], Nothing, ("combo", "chosen", Text("Sweden")), Open),
    case(("combo box by number", "select"), &["select", "@combo", "#2"], Nothing, ("combo", "chosen", Text("Norway")), Open),
    case(("editable combo", "set"), &["set", "@editable", "Denmark"], Nothing, ("editable", "text", Text("Denmark")), Open),
    case(("editable combo", "select"), &["select", "@editable", "Norway"], Nothing, ("editable", "text", Text("Norway")), Open),
    case(("list", "select"), &["select", "@list", "Banana"], Nothing, ("list", "selected", Items(&["Banana"])), Open),
    case(("list", "click"), &["click", "@cherry"], Nothing, ("list", "selected", Items(&["Cherry"])), Open),
    case(("list", "double click"), &["click", "@cherry", "--type", "double"], Nothing, ("list", "activated", Text("Cherry")), Hand),
    case(("multiple list", "select"), &["select", "@multi", "Apple tree", "Cherry tree"], Nothing, ("multi", "selected", Items(&["Apple tree", "Cherry tree"])), Open),
    case(("long list", "select"), &["select", "@long", "Row 180"], Nothing, ("long", "selected", Items(&["Row 180"])), Open),
    case(("long list", "click"), &["click", "@row180"], Nothing, ("long", "selected", Items(&["Row 180"])), Open),
    case(("long list", "scroll"), &["scroll", "@row180"], Nothing, ("long", "scrolled", Above(0.0)), Open),
    case(("long list", "scroll"), &["scroll", "@long", "--direction", "down", "--amount", "300"], Nothing, ("long", "scrolled", Above(0.0)), Hand),
    case(("tree", "expand"), &["expand", "@animals"], Nothing, ("tree", "expanded", Branch("Animals", true)), Open),
    case(("tree", "collapse"), &["collapse", "@animals"], Other, ("tree", "expanded", Branch("Animals", false)), Open),
    case(("expander", "expand"), &["expand", "@details"], Nothing, ("details", "expanded", Flag(true)), Open),
    case(("expander", "collapse"), &["collapse", "@details"], Other, ("details", "expanded", Flag(false)), Open),
    case(("expander", "click"), &["click", "@details"], Nothing, ("details", "expanded", Flag(true)), Open),
    case(("tab", "click"), &["click", "@pagetwo"], Nothing, ("tabs", "chosen", Text("Page two")), Open),
    case(("tab", "select"), &["select", "@tabs", "Page three"], Nothing, ("tabs", "chosen", Text("Page three")), Open),
    case(("menu", "click"), &["click", "@actions"], Nothing, ("actions", "opened", Anything), Open),
    case(("menu item", "click"), &["click", "@runjob"], Nothing, ("runjob", "pressed", Anything), Silent),
    case(("check menu item", "click"), &["click", "@verbose"], Nothing, ("verbose", "toggled", Flag(true)), Open),
    case(("check menu item", "set"), &["set", "@verbose", "false"], Other, ("verbose", "toggled", Flag(false)), Open),
    case(("disabled menu item", "click"), &["click", "@notnow", "--timeout", SOON], Nothing, ("notnow", "pressed", Anything), Never),
    case(("context menu", "right click"), &["click", "@context", "--type", "right"], Nothing, ("context", "opened", Anything), Hand),
    case(("context menu", "act"), &["act", "show-menu", "@context"], Nothing, ("context", "opened", Anything), Hand),
    case(("link", "click"), &["click", "@link"], Nothing, ("link", "pressed", Anything), Silent),
    case(("dialog opener", "click"), &["click", "@ask"], Nothing, ("ask", "opened", Anything), Open),
    case(("dialog", "click"), &["click", "@yes"], Ask, ("ask", "answered", Text("yes")), Open),
    case(("vanishing button", "click"), &["click", "@vanish"], Nothing, ("vanish", "pressed", Anything), Open),
    case(("slow button", "click"), &["click", "@slow"], Nothing, ("slow", "finished", Anything), Open),
    case(("drag source", "drag"), &["drag", "@source", "@target"], Nothing, ("target", "dropped", Anything), Hand),
    case(("nothing", "click"), &["click", "role:button title:Nowhere", "--timeout", SOON], Nothing, ("push", "pressed", Anything), Never),
    case(("several", "click"), &["click", "@several", "--timeout", SOON], Nothing, ("push", "pressed", Anything), Never),
];

/// The query of a widget in a toolkit; `None` where the toolkit has no such widget.
pub fn query(toolkit: Toolkit, name: &str) -> Option<&'static str> {
    use Toolkit::{Chromium, Firefox, Gtk3, Gtk4, Qt5, Qt6, Swing};
    Some(match (name, toolkit) {
        ("push", _) => "role:button title:Push",
        ("idle", _) => "role:button title:Idle",
        ("besideclock", _) => "role:button title:\"Beside clock\"",
        ("disabled", _) => "role:button title:Disabled",
        ("vanish", _) => "role:button title:Vanish",
        ("slow", _) => "role:button title:Slow",
        ("ask", _) => "role:button title:Ask",
        ("yes", _) => "role:button title:Yes",
        ("toggle", Gtk4) => "role:button title:Toggle",
        ("toggle", Qt5 | Qt6) => "role:checkbox title:Toggle",
        ("toggle", Chromium | Firefox) => "title:Toggle",
        ("toggle", _) => "role:togglebutton title:Toggle",
        ("check", _) => "role:checkbox title:Check",
        ("medium", Gtk4) => "role:checkbox title:Medium",
        ("large", Gtk4) => "role:checkbox title:Large",
        ("medium", _) => "role:radio title:Medium",
        ("large", _) => "role:radio title:Large",
        ("switch" | "link" | "details", Swing) | ("details", Qt5 | Qt6) => return None,
        // Its items come into the tree with the open menu.
        ("runjob" | "verbose" | "notnow", Gtk4) => return None,
        ("switch", Gtk3) => "role:togglebutton title:Switch",
        ("switch", Chromium | Firefox) => "title:Switch",
        ("switch", _) => "role:checkbox title:Switch",
        ("link", Gtk3 | Qt5 | Qt6) => "role:button title:Website",
        ("link", _) => "role:link title:Website",
        ("entry", _) => "role:textbox title:Entry",
        ("fixed", Chromium | Firefox) => "role:textbox title:Fixed",
        ("fixed", _) => "title:Fixed",
        ("secret", _) => "role:password title:Secret",
        ("notes", Chromium | Firefox) => "role:textbox title:Notes",
        ("notes", _) => "title:Notes",
        ("spin", _) => "role:spinbutton title:Spin",
        ("slider", _) => "role:slider title:Slider",
        ("progress", _) => "role:progressbar title:Progress",
        ("combo", Qt5 | Qt6 | Swing) => "role:combobox title:Finland",
        ("combo", _) => "role:combobox title:Combo",
        ("editable", Qt5 | Qt6) => "role:combobox title:Sweden",
        ("editable", _) => "role:combobox title:Editable",
        ("list", Chromium | Firefox) => "role:listbox title:List",
        ("list", _) => "title:List",
        ("cherry", Swing) => "role:label title:Cherry",
        ("cherry", Gtk3) => "role:cell title:Cherry",
        ("cherry", _) => "role:listitem title:Cherry",
        ("multi", Chromium | Firefox) => "role:listbox title:Multi",
        ("multi", _) => "title:Multi",
        ("long", Chromium | Firefox) => "role:listbox title:Long",
        ("long", _) => "title:Long",
        ("row180", Swing) => "role:label title:\"Row 180\"",
        ("row180", Gtk3) => "role:cell title:\"Row 180\"",
        ("row180", _) => "role:listitem title:\"Row 180\"",
        ("animals", Gtk4) => "role:panel title:Animals",
        ("animals", Gtk3 | Qt5 | Qt6) => "role:cell title:Animals",
        ("animals", Swing) => "role:label title:Animals",
        ("animals", _) => "role:treeitem title:Animals",
        ("details", Gtk3) => "role:togglebutton title:Details",
        ("details", Chromium) => "role:togglebutton title:Details",
        ("details", _) => "role:button title:Details",
        ("pagetwo", Gtk4) => "//tab[2]",
        ("pagetwo", _) => "role:tab title:\"Page two\"",
        ("tabs", Gtk4 | Qt5 | Qt6) => "role:tablist",
        ("tabs", _) => "role:tablist title:Tabs",
        ("actions", Gtk3 | Swing) => "role:menu title:Actions",
        ("actions", Chromium | Firefox) => "title:Actions",
        ("actions", _) => "role:menuitem title:Actions",
        ("runjob", _) => "role:menuitem title:\"Run job\"",
        ("verbose", _) => "title:Verbose",
        ("notnow", _) => "role:menuitem title:\"Not now\"",
        ("context", _) => "role:button title:Context",
        ("source", Gtk3 | Chromium | Firefox) => "role:button title:\"Drag source\"",
        ("target", Gtk3 | Chromium | Firefox) => "role:button title:\"Drop target\"",
        ("source", _) => "role:label title:\"Drag source\"",
        ("target", _) => "role:label title:\"Drop target\"",
        ("several", Gtk4) => "role:checkbox",
        ("several", _) => "role:radio",
        (_, _) => return None,
    })
}

/// Where a widget gives accessibility no way to do it. Each row was tried with pyatspi, which listed
/// no fitting action or set a value the app did not take; the fields of web pages are known from
/// their lack of a working EditableText. A refusal of our own is no reason to be in here.
fn lacks(toolkit: Toolkit, widget: &str, action: &str) -> bool {
    use Toolkit::{Chromium, Firefox, Gtk3, Gtk4, Qt5, Qt6, Swing};
    match toolkit {
        Gtk3 => false,
        // The choices of a combo box are not in the tree, so they have a number and no name.
        Gtk4 => matches!(
            widget,
            "check box" | "check box, labels tick" | "radio" | "combo box" | "menu"
        ),
        // An item of a combo box only changes the list that drops down; a branch can be selected.
        Qt5 | Qt6 => match widget {
            "combo box" | "combo box by number" | "tree" => true,
            "editable combo" => action == "select",
            _ => false,
        },
        Swing => matches!((widget, action), ("slider" | "spin button", "set")),
        Chromium | Firefox => matches!(
            widget,
            "entry" | "entry, labels tick" | "password" | "text area" | "editable combo"
        ),
    }
}

/// How far a case can get in a toolkit and a situation.
pub fn reach(toolkit: Toolkit, case: &Case, situation: Situation) -> Reach {
    let is_shut = match situation {
        // No toolkit shows a menu of a window that is not on the screen.
        Situation::Minimized => case.widget == "menu",
        // A hand must open the menu first, which is a click of its own.
        Situation::Focus => case.takes_mode() && case.widget.ends_with("menu item"),
        Situation::Background | Situation::Covered => false,
    };
    let needs_hand = is_shut || lacks(toolkit, case.widget, case.action);
    let is_by_hand = situation == Situation::Focus && case.takes_mode() && !is_shut;
    // Proven with pyatspi for GTK 3 alone: its scroll bars take a value.
    let has_bar = toolkit == Toolkit::Gtk3 && case.action == "scroll";
    match case.reach {
        Hand if is_by_hand || has_bar => Open,
        Open if needs_hand && !is_by_hand => Hand,
        Open | Hand | Silent | Noisy | Never => case.reach,
    }
}
