#!/usr/bin/python3
"""The GTK 3 window of the action matrix: one of each widget. Signal handlers log every event.

    gtk3_window.py LOG        then `reset`, `other`, `ticks` or `ask` on standard input
"""

import sys

import gi

sys.dont_write_bytecode = True
gi.require_version("Gtk", "3.0")
gi.require_version("Gdk", "3.0")
gi.require_version("Atk", "1.0")
from gi.repository import Atk, Gdk, GLib, Gtk  # noqa: E402

from gtk_corrections import Corrections  # noqa: E402
from oracle import ANIMALS, FRUIT, LANDS, NOTES, ROWS, SIZES, TABS, Oracle, commands  # noqa: E402

oracle = Oracle(sys.argv[1])


def named(widget, name):
    widget.get_accessible().set_name(name)
    return widget


class Canvas(Gtk.DrawingArea):
    """A button that is only drawn: a click changes its picture and nothing in the tree."""

    def __init__(self):
        super().__init__(can_focus=True)
        self.filled = False
        self.set_size_request(-1, 34)
        self.add_events(Gdk.EventMask.BUTTON_PRESS_MASK | Gdk.EventMask.KEY_PRESS_MASK)
        self.get_accessible().set_role(Atk.Role.PUSH_BUTTON)

    def do_draw(self, cairo):
        cairo.set_source_rgb(*((0.2, 0.4, 0.8) if self.filled else (0.8, 0.8, 0.8)))
        cairo.paint()

    def do_button_press_event(self, _event):
        return self.press()

    def do_key_press_event(self, event):
        return event.keyval in (Gdk.KEY_space, Gdk.KEY_Return) and self.press()

    def press(self):
        self.filled = not self.filled
        self.queue_draw()
        oracle.say("canvas", "pressed")
        return True


class Window(Gtk.Window):
    """The window with its columns of widgets."""

    def __init__(self):
        super().__init__(title="Matrix GTK3", default_width=1100, default_height=800)
        self.pushes = 0
        self.ticking = None
        columns = Gtk.Box(spacing=12, margin=6)
        for fill in (self.buttons, self.fields, self.choices, self.lists, self.correct):
            column = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=5)
            fill(column)
            columns.pack_start(column, True, True, 0)
        whole = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        whole.pack_start(self.menus(), False, False, 0)
        whole.pack_start(columns, True, True, 0)
        self.add(whole)
        self.connect("destroy", Gtk.main_quit)
        self.connect("set-focus", self.on_focus)

    def on_focus(self, _window, widget):
        if widget is not None:
            oracle.say(widget.get_accessible().get_name(), "focused")

    def button(self, column, label, widget, then=None):
        button = Gtk.Button(label=label)

        def pressed(_button):
            oracle.say(widget, "pressed")
            if then:
                then()

        button.connect("clicked", pressed)
        column.pack_start(button, False, False, 0)
        return button

    def buttons(self, column):
        self.counted = Gtk.Label(label="Pushes: 0")
        self.button(column, "Push", "push", self.count)
        column.pack_start(self.counted, False, False, 0)
        self.button(column, "Idle", "idle")
        self.button(column, "Disabled", "disabled").set_sensitive(False)
        self.toggle = Gtk.ToggleButton(label="Toggle")
        self.check = Gtk.CheckButton(label="Check")
        self.switch = named(Gtk.Switch(halign=Gtk.Align.START), "Switch")
        for widget, name in ((self.toggle, "toggle"), (self.check, "check")):
            widget.connect("toggled", lambda w, n=name: oracle.say(n, "toggled", w.get_active()))
            column.pack_start(widget, False, False, 0)
        self.switch.connect("notify::active", lambda w, _p: oracle.say("switch", "toggled", w.get_active()))
        column.pack_start(self.switch, False, False, 0)
        self.radios = []
        for size in SIZES:
            radio = Gtk.RadioButton.new_with_label_from_widget(self.radios[0] if self.radios else None, size)
            radio.connect("toggled", lambda w, s=size: w.get_active() and oracle.say("radio", "chosen", s))
            column.pack_start(radio, False, False, 0)
            self.radios.append(radio)
        link = Gtk.LinkButton(uri="about:blank", label="Website")
        link.connect("activate-link", lambda _w: oracle.say("link", "pressed") or True)
        column.pack_start(link, False, False, 0)
        self.button(column, "Ask", "ask", lambda: GLib.idle_add(self.ask))
        self.vanish = self.button(column, "Vanish", "vanish", lambda: self.vanish.hide())
        self.button(column, "Slow", "slow", lambda: GLib.timeout_add(400, self.slow_done))
        self.slow = Gtk.Label(label="Slow: idle")
        column.pack_start(self.slow, False, False, 0)
        self.clock = Gtk.Label(label="00:00")
        self.ticker = Gtk.Label(label="0")
        self.button(column, "Beside clock", "besideclock")
        column.pack_start(self.clock, False, False, 0)
        column.pack_start(self.ticker, False, False, 0)

    def fields(self, column):
        self.entry = named(Gtk.Entry(), "Entry")
        self.fixed = named(Gtk.Entry(editable=False), "Fixed")
        self.secret = named(Gtk.Entry(visibility=False, input_purpose=Gtk.InputPurpose.PASSWORD), "Secret")
        for widget, name in ((self.entry, "entry"), (self.fixed, "fixed"), (self.secret, "secret")):
            widget.connect("changed", lambda w, n=name: oracle.say(n, "text", w.get_text()))
            column.pack_start(widget, False, False, 0)
        self.entry.connect("activate", lambda w: oracle.say("entry", "activated", w.get_text()))
        self.notes = named(Gtk.TextView(), "Notes")
        self.notes.set_size_request(200, 80)
        buffer = self.notes.get_buffer()
        buffer.connect("changed", lambda b: oracle.say("notes", "text", b.get_text(*b.get_bounds(), True)))
        column.pack_start(self.notes, False, False, 0)
        self.spin = named(Gtk.SpinButton.new_with_range(0, 100, 1), "Spin")
        self.slider = named(Gtk.Scale.new_with_range(Gtk.Orientation.HORIZONTAL, 0, 100, 1), "Slider")
        for widget, name in ((self.spin, "spin"), (self.slider, "slider")):
            widget.connect("value-changed", lambda w, n=name: oracle.say(n, "value", w.get_value()))
            column.pack_start(widget, False, False, 0)
        self.progress = named(Gtk.ProgressBar(fraction=0.3), "Progress")
        self.progress.connect("notify::fraction", lambda w, _p: oracle.say("progress", "value", w.get_fraction()))
        column.pack_start(self.progress, False, False, 0)
        source = Gtk.Button(label="Drag source")
        self.target = Gtk.Button(label="Drop target")
        kinds = [Gtk.TargetEntry.new("text/plain", 0, 0)]
        source.drag_source_set(Gdk.ModifierType.BUTTON1_MASK, kinds, Gdk.DragAction.COPY)
        source.connect("drag-data-get", lambda _w, _c, data, _i, _t: data.set_text("Source", -1))
        self.target.drag_dest_set(Gtk.DestDefaults.ALL, kinds, Gdk.DragAction.COPY)
        self.target.connect("drag-data-received", self.dropped)
        column.pack_start(source, False, False, 0)
        column.pack_start(self.target, False, False, 0)

    def dropped(self, target, _context, _x, _y, data, _info, _time):
        oracle.say("target", "dropped", data.get_text())
        target.set_label("Dropped")

    def choices(self, column):
        self.combo = named(Gtk.ComboBoxText(), "Combo")
        self.editable = named(Gtk.ComboBoxText.new_with_entry(), "Editable")
        for land in LANDS:
            self.combo.append_text(land)
            self.editable.append_text(land)
        self.combo.connect("changed", lambda w: oracle.say("combo", "chosen", w.get_active_text()))
        inner = named(self.editable.get_child(), "Editable text")
        inner.connect("changed", lambda w: oracle.say("editable", "text", w.get_text()))
        column.pack_start(self.combo, False, False, 0)
        column.pack_start(self.editable, False, False, 0)
        self.details = Gtk.Expander(label="Details")
        self.details.add(Gtk.Label(label="Inside details"))
        self.details.connect("notify::expanded", lambda w, _p: oracle.say("details", "expanded", w.get_expanded()))
        column.pack_start(self.details, False, False, 0)
        self.tabs = named(Gtk.Notebook(), "Tabs")
        for tab in TABS:
            self.tabs.append_page(Gtk.Label(label=f"Inside {tab}"), Gtk.Label(label=tab))
        self.tabs.connect("switch-page", lambda _w, _p, number: oracle.say("tabs", "chosen", TABS[number]))
        column.pack_start(self.tabs, False, False, 0)
        area = named(Gtk.Button(label="Context"), "Context")
        menu = Gtk.Menu()
        item = Gtk.MenuItem(label="Copy name")
        item.connect("activate", lambda _w: oracle.say("copyname", "pressed"))
        menu.append(item)
        menu.attach_to_widget(area)
        menu.show_all()
        menu.connect("show", lambda _w: oracle.say("context", "opened"))

        def popup(event):
            menu.popup_at_pointer(event) if event else menu.popup_at_widget(
                area, Gdk.Gravity.SOUTH_WEST, Gdk.Gravity.NORTH_WEST, None)
            return True

        area.connect("button-press-event", lambda _w, event: event.button == 3 and popup(event))
        area.connect("popup-menu", lambda _w: popup(None))
        self.context = menu
        column.pack_start(area, False, False, 0)

    def lists(self, column):
        self.views = {}
        for name, rows, mode, height in (("List", FRUIT, Gtk.SelectionMode.SINGLE, 120),
                                         ("Multi", [f"{f} tree" for f in FRUIT], Gtk.SelectionMode.MULTIPLE, 120),
                                         ("Long", ROWS, Gtk.SelectionMode.SINGLE, 140)):
            store = Gtk.ListStore(str)
            for row in rows:
                store.append((row,))
            self.view(column, name, store, mode, height)
        store = Gtk.TreeStore(str)
        for kind, kinds in ANIMALS.items():
            parent = store.append(None, (kind,))
            for one in kinds:
                store.append(parent, (one,))
        tree = self.view(column, "Tree", store, Gtk.SelectionMode.SINGLE, 120)
        for signal, now in (("row-expanded", True), ("row-collapsed", False)):
            tree.connect(signal, lambda w, i, _p, n=now: oracle.say("tree", "expanded", [w.get_model()[i][0], n]))

    def correct(self, column):
        def add(widget, name):
            column.pack_start(named(widget, name), False, False, 0)
            return widget

        self.corrections = Corrections(oracle, add, Gtk.CheckButton(label="Spring"), Gtk.ComboBoxText())
        add(Canvas(), "Canvas")

    def view(self, column, name, store, mode, height):
        view = named(Gtk.TreeView(model=store, headers_visible=False), name)
        view.append_column(Gtk.TreeViewColumn(name, Gtk.CellRendererText(), text=0))
        selection = view.get_selection()
        selection.set_mode(mode)
        low = name.lower()

        def selected(chosen):
            model, paths = chosen.get_selected_rows()
            oracle.say(low, "selected", [model[path][0] for path in paths])

        selection.connect("changed", selected)
        view.connect("row-activated", lambda w, path, _c: oracle.say(low, "activated", w.get_model()[path][0]))
        scrolled = Gtk.ScrolledWindow()
        scrolled.set_size_request(220, height)
        scrolled.add(view)
        adjustment = scrolled.get_vadjustment()
        adjustment.connect("value-changed", lambda a: oracle.say(low, "scrolled", a.get_value()))
        column.pack_start(scrolled, False, False, 0)
        self.views[name] = view
        return view

    def menus(self):
        bar = Gtk.MenuBar()
        top = Gtk.MenuItem(label="Actions")
        menu = Gtk.Menu()
        run = Gtk.MenuItem(label="Run job")
        run.connect("activate", lambda _w: oracle.say("runjob", "pressed"))
        self.verbose = Gtk.CheckMenuItem(label="Verbose")
        self.verbose.connect("toggled", lambda w: oracle.say("verbose", "toggled", w.get_active()))
        off = Gtk.MenuItem(label="Not now", sensitive=False)
        off.connect("activate", lambda _w: oracle.say("notnow", "pressed"))
        for item in (run, self.verbose, off):
            menu.append(item)
        menu.connect("show", lambda _w: oracle.say("actions", "opened"))
        top.set_submenu(menu)
        bar.append(top)
        self.menu = menu
        return bar

    def count(self):
        self.pushes += 1
        self.counted.set_text(f"Pushes: {self.pushes}")

    def slow_done(self):
        self.slow.set_text("Slow: done")
        oracle.say("slow", "finished")

    def ask(self):
        dialog = Gtk.Dialog(title="Question", transient_for=self, modal=True)
        dialog.add_buttons("Yes", Gtk.ResponseType.OK, "No", Gtk.ResponseType.CANCEL)
        dialog.get_content_area().add(Gtk.Label(label="Really continue?"))
        dialog.show_all()
        oracle.say("ask", "opened")
        self.dialog = dialog

        def answered(_dialog, answer):
            oracle.say("ask", "answered", "yes" if answer == Gtk.ResponseType.OK else "no")
            self.dialog = None
            dialog.destroy()

        dialog.connect("response", answered)

    dialog = None

    def tick(self):
        number = int(self.ticker.get_text()) + 1
        self.ticker.set_text(str(number))
        if number % 20 == 0:
            self.clock.set_text(f"00:{number // 20:02d}")
        return True

    def ticks(self):
        if self.ticking is None:
            self.ticking = GLib.timeout_add(50, self.tick)

    def other(self):
        """Puts every widget with two states into its second state."""
        oracle.mute()
        for widget in (self.toggle, self.check, self.switch, self.verbose):
            widget.set_active(True)
        self.details.set_expanded(True)
        self.views["Tree"].expand_all()
        GLib.timeout_add(60, lambda: oracle.resume())

    def reset(self):
        oracle.mute()
        if self.ticking is not None:
            GLib.source_remove(self.ticking)
            self.ticking = None
        if self.dialog:
            self.dialog.destroy()
            self.dialog = None
        self.context.popdown()
        self.menu.popdown()
        self.get_children()[0].get_children()[0].deactivate()
        self.pushes = 0
        self.counted.set_text("Pushes: 0")
        self.target.set_label("Drop target")
        self.slow.set_text("Slow: idle")
        self.vanish.show()
        for widget in (self.toggle, self.check, self.switch, self.verbose):
            widget.set_active(False)
        self.radios[0].set_active(True)
        for entry, text in ((self.entry, "start"), (self.fixed, "fixed text"), (self.secret, "")):
            entry.set_text(text)
            entry.set_position(-1)
        self.notes.get_buffer().set_text(NOTES)
        self.spin.set_value(10)
        self.slider.set_value(20)
        self.combo.set_active(0)
        self.editable.set_active(2)
        self.details.set_expanded(False)
        self.tabs.set_current_page(0)
        for view in self.views.values():
            view.get_selection().unselect_all()
            view.get_vadjustment().set_value(0)
        self.views["Tree"].collapse_all()
        self.corrections.reset()
        self.set_focus(None)
        GLib.timeout_add(30, lambda: oracle.resume())


def main():
    window = Window()
    window.show_all()
    handlers = {"reset": window.reset, "ticks": window.ticks, "other": window.other, "ask": window.ask}
    GLib.io_add_watch(0, GLib.IO_IN | GLib.IO_HUP, lambda *_: commands(handlers))
    GLib.timeout_add(0, lambda: print("ready", flush=True))
    Gtk.main()


if __name__ == "__main__":
    main()
