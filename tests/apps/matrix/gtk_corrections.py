"""Widgets of the GTK matrix windows that the app corrects. Only the state in which they settle is logged.

The window that imports this module chooses the version of GTK.
"""

from gi.repository import GLib, Gtk

from oracle import CLAMP, REFUSED, SPRING_MS, Settled, digits


class Corrections:
    """These widgets. `add` gives a widget a name and puts it into the window."""

    def __init__(self, oracle, add, spring, combo=None):
        self.oracle = oracle
        self.add = add
        self.all = []
        self.checks = [
            self.springing("Veto", Gtk.CheckButton(label="Veto"), GLib.idle_add),
            self.springing("Spring", spring, lambda back: GLib.timeout_add(SPRING_MS, back)),
        ]
        self.entries = [self.entry("Upper", self.upper), self.entry("Digits", self.digits)]
        self.clamp = self.clamped()
        self.combo = combo and self.refusing(combo)

    def settled(self, widget, event, read):
        def later(delay_ms, log):
            # On a busy machine several timers are due at once. The corrections run first.
            GLib.timeout_add(delay_ms, log, priority=GLib.PRIORITY_LOW)

        self.all.append(Settled(self.oracle, later, widget, event, read))
        return self.all[-1]

    def springing(self, name, check, schedule):
        self.add(check, name)
        settled = self.settled(name.lower(), "toggled", check.get_active)

        def toggled(*_):
            settled.changed()
            if check.get_active():
                schedule(lambda: check.set_active(False))

        check.connect("notify::active", toggled)
        return check

    def entry(self, name, correct):
        entry = self.add(Gtk.Entry(), name)
        entry.connect("changed", self.settled(name.lower(), "text", entry.get_text).changed)
        entry.connect("changed", correct)
        return entry

    @staticmethod
    def upper(entry):
        def rewrite():
            text = entry.get_text()
            if text != text.upper():
                entry.set_text(text.upper())
                entry.set_position(-1)

        GLib.idle_add(rewrite)

    @staticmethod
    def digits(entry):
        text = entry.get_text()
        if digits(text) != text:
            entry.set_text(digits(text))

    def clamped(self):
        spin = self.add(Gtk.SpinButton.new_with_range(0, 100, 1), "Clamp")
        spin.connect("value-changed", self.settled("clamp", "value", spin.get_value).changed)
        spin.connect("value-changed", lambda _s: GLib.idle_add(lambda: spin.set_value(min(spin.get_value(), CLAMP))))
        return spin

    def refusing(self, combo):
        self.add(combo, "Refuse")
        for choice in REFUSED:
            combo.append_text(choice)
        combo.connect("changed", self.settled("refuse", "chosen", combo.get_active_text).changed)
        combo.connect("changed", lambda _c: GLib.idle_add(lambda: combo.set_active(0)))
        return combo

    def reset(self):
        for check in self.checks:
            check.set_active(False)
        for entry in self.entries:
            entry.set_text("")
        self.clamp.set_value(10)
        if self.combo:
            self.combo.popdown()
            self.combo.set_active(0)
        for settled in self.all:
            settled.reset()
