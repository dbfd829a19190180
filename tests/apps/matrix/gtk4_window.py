#!/usr/bin/python3
"""The GTK 4 window of the action matrix: one of each widget. Signal handlers log every event.

    gtk4_window.py LOG        then `reset`, `other`, `ticks` or `ask` on standard input
"""

import sys

import gi

sys.dont_write_bytecode = True
gi.require_version("Gtk", "4.0")
gi.require_version("Gdk", "4.0")
from gi.repository import Gdk, Gio, GLib, GObject, Gtk  # noqa: E402

from gtk_corrections import Corrections  # noqa: E402
from oracle import ANIMALS, FRUIT, LANDS, NOTES, ROWS, SIZES, TABS, Oracle, commands  # noqa: E402

oracle = Oracle(sys.argv[1])


def named(widget, name):
    widget.update_property([Gtk.AccessibleProperty.LABEL], [name])
    return widget


class Canvas(Gtk.DrawingArea):
    """A button that is only drawn: a click changes its picture and nothing in the tree."""

    def __init__(self):
        super().__init__(focusable=True, accessible_role=Gtk.AccessibleRole.BUTTON, content_height=34)
        self.filled = False
        self.set_draw_func(self.paint)
        click = Gtk.GestureClick()
        click.connect("pressed", lambda *_: self.press())
        keys = Gtk.EventControllerKey()
        keys.connect("key-pressed", lambda _k, key, *_: key in (Gdk.KEY_space, Gdk.KEY_Return) and self.press())
        self.add_controller(click)
        self.add_controller(keys)

    def paint(self, _area, cairo, _width, _height):
        cairo.set_source_rgb(*((0.2, 0.4, 0.8) if self.filled else (0.8, 0.8, 0.8)))
        cairo.paint()

    def press(self):
        self.filled = not self.filled
        self.queue_draw()
        oracle.say("canvas", "pressed")
        return True


class Window(Gtk.ApplicationWindow):
    """The window with its columns of widgets."""

    def __init__(self, app):
        super().__init__(application=app, title="Matrix GTK4", default_width=1100, default_height=800)
        self.pushes = 0
        self.ticking = None
        self.dialog = None
        columns = Gtk.Box(spacing=12, margin_start=6, margin_end=6)
        for fill in (self.buttons, self.fields, self.choices, self.lists, self.correct):
            column = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=5, hexpand=True)
            fill(column)
            columns.append(column)
        whole = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        whole.append(self.menus(app))
        whole.append(columns)
        self.set_child(whole)
        self.connect("notify::focus-widget", self.on_focus)

    def on_focus(self, _window, _property):
        widget = self.get_focus()
        while widget is not None:
            if widget is self.entry:
                oracle.say("Entry", "focused")
            widget = widget.get_parent()

    def button(self, column, label, widget, then=None):
        button = Gtk.Button(label=label)

        def pressed(_button):
            oracle.say(widget, "pressed")
            if then:
                then()

        button.connect("clicked", pressed)
        column.append(button)
        return button

    def buttons(self, column):
        self.counted = Gtk.Label(label="Pushes: 0")
        self.button(column, "Push", "push", self.count)
        column.append(self.counted)
        self.button(column, "Idle", "idle")
        self.button(column, "Disabled", "disabled").set_sensitive(False)
        self.toggle = Gtk.ToggleButton(label="Toggle")
        self.check = Gtk.CheckButton(label="Check")
        self.switch = named(Gtk.Switch(halign=Gtk.Align.START), "Switch")
        for widget, name in ((self.toggle, "toggle"), (self.check, "check")):
            widget.connect("toggled", lambda w, n=name: oracle.say(n, "toggled", w.get_active()))
            column.append(widget)
        self.switch.connect("notify::active", lambda w, _p: oracle.say("switch", "toggled", w.get_active()))
        column.append(self.switch)
        self.radios = []
        for size in SIZES:
            radio = Gtk.CheckButton(label=size)
            if self.radios:
                radio.set_group(self.radios[0])
            radio.connect("toggled", lambda w, s=size: w.get_active() and oracle.say("radio", "chosen", s))
            column.append(radio)
            self.radios.append(radio)
        link = Gtk.LinkButton(uri="about:blank", label="Website")
        link.connect("activate-link", lambda _w: oracle.say("link", "pressed") or True)
        column.append(link)
        self.button(column, "Ask", "ask", lambda: GLib.idle_add(self.ask))
        self.vanish = self.button(column, "Vanish", "vanish", lambda: self.vanish.hide())
        self.button(column, "Slow", "slow", lambda: GLib.timeout_add(400, self.slow_done))
        self.slow = Gtk.Label(label="Slow: idle")
        column.append(self.slow)
        self.clock = Gtk.Label(label="00:00")
        self.ticker = Gtk.Label(label="0")
        self.button(column, "Beside clock", "besideclock")
        column.append(self.clock)
        column.append(self.ticker)

    def fields(self, column):
        self.entry = named(Gtk.Entry(), "Entry")
        self.fixed = named(Gtk.Entry(editable=False), "Fixed")
        self.secret = named(Gtk.PasswordEntry(), "Secret")
        for widget, name in ((self.entry, "entry"), (self.fixed, "fixed"), (self.secret, "secret")):
            widget.connect("changed", lambda w, n=name: oracle.say(n, "text", w.get_text()))
            column.append(widget)
        self.entry.connect("activate", lambda w: oracle.say("entry", "activated", w.get_text()))
        self.notes = named(Gtk.TextView(), "Notes")
        self.notes.set_size_request(200, 80)
        buffer = self.notes.get_buffer()
        buffer.connect("changed", lambda b: oracle.say("notes", "text", b.get_text(*b.get_bounds(), True)))
        column.append(self.notes)
        self.spin = named(Gtk.SpinButton.new_with_range(0, 100, 1), "Spin")
        self.slider = named(Gtk.Scale.new_with_range(Gtk.Orientation.HORIZONTAL, 0, 100, 1), "Slider")
        for widget, name in ((self.spin, "spin"), (self.slider, "slider")):
            widget.connect("value-changed", lambda w, n=name: oracle.say(n, "value", w.get_value()))
            column.append(widget)
        progress = named(Gtk.ProgressBar(fraction=0.3), "Progress")
        progress.connect("notify::fraction", lambda w, _p: oracle.say("progress", "value", w.get_fraction()))
        column.append(progress)
        source = Gtk.Label(label="Drag source")
        self.target = Gtk.Label(label="Drop target")
        drag = Gtk.DragSource()
        drag.connect("prepare", lambda *_: Gdk.ContentProvider.new_for_value("Source"))
        source.add_controller(drag)
        drop = Gtk.DropTarget.new(GObject.TYPE_STRING, Gdk.DragAction.COPY)
        drop.connect("drop", self.dropped)
        self.target.add_controller(drop)
        for label in (source, self.target):
            label.set_size_request(-1, 34)
            column.append(label)

    def dropped(self, _drop, value, _x, _y):
        oracle.say("target", "dropped", value)
        self.target.set_text("Dropped")
        return True

    def choices(self, column):
        self.combo = named(Gtk.ComboBoxText(), "Combo")
        self.editable = named(Gtk.ComboBoxText.new_with_entry(), "Editable")
        for land in LANDS:
            self.combo.append_text(land)
            self.editable.append_text(land)
        self.combo.connect("changed", lambda w: oracle.say("combo", "chosen", w.get_active_text()))
        inner = named(self.editable.get_child(), "Editable text")
        inner.connect("changed", lambda w: oracle.say("editable", "text", w.get_text()))
        column.append(self.combo)
        column.append(self.editable)
        self.drop = named(Gtk.DropDown.new_from_strings(SIZES), "Drop down")
        self.drop.connect("notify::selected", lambda w, _p: oracle.say("dropdown", "chosen", SIZES[w.get_selected()]))
        column.append(self.drop)
        self.details = Gtk.Expander(label="Details")
        self.details.set_child(Gtk.Label(label="Inside details"))
        self.details.connect("notify::expanded", lambda w, _p: oracle.say("details", "expanded", w.get_expanded()))
        column.append(self.details)
        self.tabs = named(Gtk.Notebook(), "Tabs")
        for tab in TABS:
            self.tabs.append_page(Gtk.Label(label=f"Inside {tab}"), Gtk.Label(label=tab))
        self.tabs.connect("switch-page", lambda _w, _p, number: oracle.say("tabs", "chosen", TABS[number]))
        column.append(self.tabs)
        area = Gtk.Button(label="Context")
        model = Gio.Menu()
        model.append("Copy name", "win.copy")
        copy = Gio.SimpleAction.new("copy", None)
        copy.connect("activate", lambda *_: oracle.say("copyname", "pressed"))
        self.add_action(copy)
        self.context = Gtk.PopoverMenu.new_from_model(model)
        self.context.set_parent(area)
        self.context.connect("show", lambda _w: oracle.say("context", "opened"))
        right = Gtk.GestureClick(button=3)
        right.connect("pressed", lambda *_: self.context.popup())
        area.add_controller(right)
        column.append(area)

    def lists(self, column):
        self.boxes = {}
        self.places = []
        for name, rows, mode, height in (("List", FRUIT, Gtk.SelectionMode.SINGLE, 130),
                                         ("Multi", [f"{f} tree" for f in FRUIT], Gtk.SelectionMode.MULTIPLE, 130),
                                         ("Long", ROWS, Gtk.SelectionMode.SINGLE, 140)):
            self.listing(column, name, rows, mode, height)
        self.tree(column)

    def correct(self, column):
        def add(widget, name):
            column.append(named(widget, name))
            return widget

        # GTK 4.8 gives check boxes no action, so a switch springs back.
        self.corrections = Corrections(oracle, add, Gtk.Switch(halign=Gtk.Align.START))
        add(Canvas(), "Canvas")

    def scrolled(self, column, view, low, height):
        scrolled = Gtk.ScrolledWindow()
        scrolled.set_size_request(220, height)
        scrolled.set_child(view)
        adjustment = scrolled.get_vadjustment()
        adjustment.connect("value-changed", lambda a: oracle.say(low, "scrolled", a.get_value()))
        self.places.append(adjustment)
        column.append(scrolled)

    def listing(self, column, name, rows, mode, height):
        low = name.lower()
        box = named(Gtk.ListBox(selection_mode=mode, activate_on_single_click=False), name)
        for row in rows:
            box.append(Gtk.Label(label=row, xalign=0))

        def text(row):
            return row.get_child().get_text()

        box.connect("selected-rows-changed",
                    lambda b: oracle.say(low, "selected", [text(row) for row in b.get_selected_rows()]))
        box.connect("row-activated", lambda _b, row: oracle.say(low, "activated", text(row)))
        self.scrolled(column, box, low, height)
        self.boxes[name] = box

    def tree(self, column):
        roots = Gtk.StringList.new(list(ANIMALS))

        def below(item):
            kinds = ANIMALS.get(item.get_string())
            return Gtk.StringList.new(kinds) if kinds else None

        self.rows = Gtk.TreeListModel.new(roots, False, False, below)
        factory = Gtk.SignalListItemFactory()

        def setup(_factory, item):
            expander = Gtk.TreeExpander()
            expander.set_child(Gtk.Label(xalign=0))
            item.set_child(expander)

        def bind(_factory, item):
            row = item.get_item()
            item.get_child().set_list_row(row)
            item.get_child().get_child().set_text(row.get_item().get_string())
            if not hasattr(row, "heard"):
                row.heard = row.connect("notify::expanded", lambda r, _p: oracle.say(
                    "tree", "expanded", [r.get_item().get_string(), r.get_expanded()]))

        factory.connect("setup", setup)
        factory.connect("bind", bind)
        view = named(Gtk.ListView(model=Gtk.SingleSelection(model=self.rows), factory=factory), "Tree")
        self.scrolled(column, view, "tree", 120)

    def menus(self, app):
        model = Gio.Menu()
        actions = Gio.Menu()
        for label, name in (("Run job", "run"), ("Verbose", "verbose"), ("Not now", "notnow")):
            actions.append(label, f"win.{name}")
        model.append_submenu("Actions", actions)
        run = Gio.SimpleAction.new("run", None)
        run.connect("activate", lambda *_: oracle.say("runjob", "pressed"))
        self.verbose = Gio.SimpleAction.new_stateful("verbose", None, GLib.Variant.new_boolean(False))

        def verbose(action, _value):
            now = not action.get_state().get_boolean()
            action.set_state(GLib.Variant.new_boolean(now))
            oracle.say("verbose", "toggled", now)

        self.verbose.connect("activate", verbose)
        off = Gio.SimpleAction.new("notnow", None)
        off.set_enabled(False)
        for action in (run, self.verbose, off):
            self.add_action(action)
        bar = Gtk.PopoverMenuBar.new_from_model(model)
        inside = bar.get_first_child().get_first_child()
        while not isinstance(inside, Gtk.PopoverMenu):
            inside = inside.get_next_sibling()
        self.menu = inside
        self.menu.connect("map", lambda _w: oracle.say("actions", "opened"))
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
        dialog.get_content_area().append(Gtk.Label(label="Really continue?"))
        self.dialog = dialog

        def answered(_dialog, answer):
            oracle.say("ask", "answered", "yes" if answer == Gtk.ResponseType.OK else "no")
            self.dialog = None
            dialog.destroy()

        dialog.connect("response", answered)
        dialog.show()
        oracle.say("ask", "opened")

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
        for widget in (self.toggle, self.check, self.switch):
            widget.set_active(True)
        self.verbose.set_state(GLib.Variant.new_boolean(True))
        self.details.set_expanded(True)
        for number in reversed(range(self.rows.get_n_items())):
            self.rows.get_row(number).set_expanded(True)
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
        self.combo.popdown()
        self.pushes = 0
        self.counted.set_text("Pushes: 0")
        self.target.set_text("Drop target")
        self.slow.set_text("Slow: idle")
        self.vanish.show()
        for widget in (self.toggle, self.check, self.switch):
            widget.set_active(False)
        self.verbose.set_state(GLib.Variant.new_boolean(False))
        self.radios[0].set_active(True)
        for entry, text in ((self.entry, "start"), (self.fixed, "fixed text"), (self.secret, "")):
            entry.set_text(text)
            entry.set_position(-1)
        self.notes.get_buffer().set_text(NOTES)
        self.spin.set_value(10)
        self.slider.set_value(20)
        self.combo.set_active(0)
        self.editable.set_active(2)
        self.drop.set_selected(0)
        self.details.set_expanded(False)
        self.tabs.set_current_page(0)
        for box in self.boxes.values():
            box.unselect_all()
        for place in self.places:
            place.set_value(0)
        for number in reversed(range(self.rows.get_n_items())):
            row = self.rows.get_row(number)
            if row is not None:
                row.set_expanded(False)
        self.corrections.reset()
        self.set_focus(None)
        GLib.timeout_add(30, lambda: oracle.resume())


def main():
    app = Gtk.Application(application_id="org.example.Matrix4", flags=Gio.ApplicationFlags.NON_UNIQUE)

    def activate(app):
        window = Window(app)
        window.present()
        handlers = {"reset": window.reset, "ticks": window.ticks, "other": window.other, "ask": window.ask}
        GLib.io_add_watch(0, GLib.IO_IN | GLib.IO_HUP, lambda *_: commands(handlers))
        GLib.timeout_add(0, lambda: print("ready", flush=True))

    app.connect("activate", activate)
    app.run([])


if __name__ == "__main__":
    main()
