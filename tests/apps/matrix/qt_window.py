#!/usr/bin/python3
"""The Qt window of the action matrix: one of each widget. Signal handlers log every event.

    qt_window.py 5|6 LOG      then `reset`, `other`, `ticks` or `ask` on standard input
"""

import signal
import sys

sys.dont_write_bytecode = True
if sys.argv[1] == "5":
    from PyQt5.QtCore import QMimeData, QSocketNotifier, Qt, QTimer
    from PyQt5.QtGui import QDrag, QPainter
    from PyQt5.QtWidgets import *
    from PyQt5.QtWidgets import QAction
else:
    from PyQt6.QtCore import QMimeData, QSocketNotifier, Qt, QTimer
    from PyQt6.QtGui import QAction, QDrag, QPainter
    from PyQt6.QtWidgets import *

from oracle import ANIMALS, FRUIT, LANDS, NOTES, ROWS, SIZES, TABS, Oracle, commands  # noqa: E402
from qt_corrections import Corrections, Modes, Pages  # noqa: E402

oracle = Oracle(sys.argv[-1])


def named(widget, name):
    widget.setAccessibleName(name)
    return widget


class Switch(QAbstractButton):
    """A custom switch, since Qt has none."""

    def __init__(self):
        super().__init__()
        self.setCheckable(True)
        self.setFixedSize(44, 22)

    def paintEvent(self, _event):
        painter = QPainter(self)
        painter.drawRect(0, 0, 43, 21)
        painter.fillRect(22 if self.isChecked() else 2, 2, 20, 18, self.palette().highlight())


class Canvas(QAbstractButton):
    """A button that is only drawn: a click changes its picture and nothing in the tree."""

    def __init__(self):
        super().__init__()
        self.filled = False
        self.setFixedHeight(34)
        self.clicked.connect(self.press)

    def press(self):
        self.filled = not self.filled
        self.update()
        oracle.say("canvas", "pressed")

    def paintEvent(self, _event):
        palette = self.palette()
        QPainter(self).fillRect(self.rect(), palette.highlight() if self.filled else palette.mid())


class Source(QLabel):
    """The drag source."""

    def mouseMoveEvent(self, _event):
        data = QMimeData()
        data.setText("Source")
        drag = QDrag(self)
        drag.setMimeData(data)
        (drag.exec_ if hasattr(drag, "exec_") else drag.exec)(Qt.DropAction.CopyAction)


class Target(QLabel):
    """The drop target."""

    def __init__(self, text):
        super().__init__(text)
        self.setAcceptDrops(True)

    def dragEnterEvent(self, event):
        event.acceptProposedAction()

    def dropEvent(self, event):
        event.acceptProposedAction()
        oracle.say("target", "dropped", event.mimeData().text())
        self.setText("Dropped")


class Window(QMainWindow):
    """The window with its columns of widgets."""

    def __init__(self):
        super().__init__()
        self.setWindowTitle("Matrix Qt" + sys.argv[1])
        self.resize(1100, 800)
        self.pushes = 0
        self.dialog = None
        self.timer = QTimer(self)
        self.timer.timeout.connect(self.tick)
        inside = QWidget()
        columns = QHBoxLayout(inside)
        for fill in (self.buttons, self.fields, self.choices, self.lists, self.correct):
            column = QVBoxLayout()
            fill(column)
            column.addStretch(1)
            columns.addLayout(column, 1)
        self.setCentralWidget(inside)
        self.menus()
        self.modes = Modes(oracle, self)
        QApplication.instance().focusChanged.connect(self.on_focus)

    def on_focus(self, _old, now):
        if now is self.entry:
            oracle.say("Entry", "focused")

    def button(self, column, label, widget, then=None):
        button = QPushButton(label)

        def pressed():
            oracle.say(widget, "pressed")
            if then:
                then()

        button.clicked.connect(pressed)
        column.addWidget(button)
        return button

    def buttons(self, column):
        self.button(column, "Push", "push", self.count)
        self.counted = QLabel("Pushes: 0")
        column.addWidget(self.counted)
        self.button(column, "Idle", "idle")
        self.button(column, "Disabled", "disabled").setEnabled(False)
        self.toggle = QPushButton("Toggle")
        self.toggle.setCheckable(True)
        self.check = QCheckBox("Check")
        self.switch = named(Switch(), "Switch")
        for widget, name in ((self.toggle, "toggle"), (self.check, "check"), (self.switch, "switch")):
            widget.toggled.connect(lambda now, n=name: oracle.say(n, "toggled", now))
            column.addWidget(widget)
        self.radios = []
        for size in SIZES:
            radio = QRadioButton(size)
            radio.toggled.connect(lambda now, s=size: now and oracle.say("radio", "chosen", s))
            column.addWidget(radio)
            self.radios.append(radio)
        link = QCommandLinkButton("Website")
        link.clicked.connect(lambda: oracle.say("link", "pressed"))
        column.addWidget(link)
        self.button(column, "Ask", "ask", self.ask)
        self.vanish = self.button(column, "Vanish", "vanish", lambda: self.vanish.hide())
        self.button(column, "Slow", "slow", lambda: QTimer.singleShot(400, self.slow_done))
        self.slow = QLabel("Slow: idle")
        self.clock = QLabel("00:00")
        self.ticker = QLabel("0")
        column.addWidget(self.slow)
        self.button(column, "Beside clock", "besideclock")
        column.addWidget(self.clock)
        column.addWidget(self.ticker)

    def fields(self, column):
        self.entry = named(QLineEdit(), "Entry")
        self.fixed = named(QLineEdit(), "Fixed")
        self.fixed.setReadOnly(True)
        self.secret = named(QLineEdit(), "Secret")
        self.secret.setEchoMode(QLineEdit.EchoMode.Password)
        for widget, name in ((self.entry, "entry"), (self.fixed, "fixed"), (self.secret, "secret")):
            widget.textChanged.connect(lambda text, n=name: oracle.say(n, "text", text))
            column.addWidget(widget)
        self.entry.returnPressed.connect(lambda: oracle.say("entry", "activated", self.entry.text()))
        self.notes = named(QPlainTextEdit(), "Notes")
        self.notes.setFixedHeight(80)
        self.notes.textChanged.connect(lambda: oracle.say("notes", "text", self.notes.toPlainText()))
        self.spin = named(QSpinBox(), "Spin")
        self.spin.setRange(0, 100)
        self.slider = named(QSlider(Qt.Orientation.Horizontal), "Slider")
        self.slider.setRange(0, 100)
        self.progress = named(QProgressBar(), "Progress")
        self.progress.setValue(30)
        for widget, name in ((self.spin, "spin"), (self.slider, "slider"), (self.progress, "progress")):
            widget.valueChanged.connect(lambda now, n=name: oracle.say(n, "value", now))
        source, self.target = Source("Drag source"), Target("Drop target")
        for label in (source, self.target):
            label.setFixedHeight(34)
        for widget in (self.notes, self.spin, self.slider, self.progress, source, self.target):
            column.addWidget(widget)

    def choices(self, column):
        self.combo = named(QComboBox(), "Combo")
        self.editable = named(QComboBox(), "Editable")
        self.editable.setEditable(True)
        for combo in (self.combo, self.editable):
            combo.addItems(LANDS)
        self.combo.currentTextChanged.connect(lambda text: oracle.say("combo", "chosen", text))
        self.editable.editTextChanged.connect(lambda text: oracle.say("editable", "text", text))
        self.details = QGroupBox("Details")
        self.details.setCheckable(True)
        self.details.toggled.connect(lambda now: oracle.say("details", "expanded", now))
        QVBoxLayout(self.details).addWidget(QLabel("Inside details"))
        self.tabs = named(QTabWidget(), "Tabs")
        self.tabs.setMinimumWidth(280)
        for tab in TABS:
            self.tabs.addTab(QLabel(f"Inside {tab}"), tab)
        self.tabs.currentChanged.connect(lambda number: oracle.say("tabs", "chosen", TABS[number]))
        area = QPushButton("Context")
        area.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.context = QMenu(area)
        copy = QAction("Copy name", self.context)
        copy.triggered.connect(lambda: oracle.say("copyname", "pressed"))
        self.context.addAction(copy)
        self.context.aboutToShow.connect(lambda: oracle.say("context", "opened"))
        area.customContextMenuRequested.connect(lambda at: self.context.popup(area.mapToGlobal(at)))
        for widget in (self.combo, self.editable, self.details, self.tabs, area):
            column.addWidget(widget)

    def lists(self, column):
        single, several = (QAbstractItemView.SelectionMode.SingleSelection,
                           QAbstractItemView.SelectionMode.ExtendedSelection)
        self.views = {}
        for name, rows, mode, height in (("List", FRUIT, single, 120),
                                         ("Multi", [f"{f} tree" for f in FRUIT], several, 120),
                                         ("Long", ROWS, single, 140)):
            view = named(QListWidget(), name)
            view.addItems(rows)
            self.watch(view, name.lower(), mode, height, lambda item: item.text())
            column.addWidget(view)
        tree = named(QTreeWidget(), "Tree")
        tree.setHeaderHidden(True)
        for kind, kinds in ANIMALS.items():
            parent = QTreeWidgetItem(tree, [kind])
            for one in kinds:
                QTreeWidgetItem(parent, [one])
        self.watch(tree, "tree", single, 120, lambda item: item.text(0))
        tree.itemExpanded.connect(lambda item: oracle.say("tree", "expanded", [item.text(0), True]))
        tree.itemCollapsed.connect(lambda item: oracle.say("tree", "expanded", [item.text(0), False]))
        self.views["tree"] = tree
        column.addWidget(tree)

    def correct(self, column):
        def add(widget, name):
            column.addWidget(named(widget, name))
            return widget

        self.corrections = Corrections(oracle, add)
        self.pages = Pages(oracle, add)
        add(Canvas(), "Canvas")

    def watch(self, view, low, mode, height, text):
        view.setSelectionMode(mode)
        view.setFixedHeight(height)
        view.itemSelectionChanged.connect(
            lambda: oracle.say(low, "selected", sorted(text(item) for item in view.selectedItems())))
        view.itemDoubleClicked.connect(lambda item: oracle.say(low, "activated", text(item)))
        view.verticalScrollBar().valueChanged.connect(lambda now: oracle.say(low, "scrolled", now))
        self.views[low] = view

    def menus(self):
        menu = self.menuBar().addMenu("Actions")
        run = QAction("Run job", self)
        run.triggered.connect(lambda: oracle.say("runjob", "pressed"))
        self.verbose = QAction("Verbose", self)
        self.verbose.setCheckable(True)
        self.verbose.toggled.connect(lambda now: oracle.say("verbose", "toggled", now))
        off = QAction("Not now", self)
        off.setEnabled(False)
        off.triggered.connect(lambda: oracle.say("notnow", "pressed"))
        for action in (run, self.verbose, off):
            menu.addAction(action)
        menu.aboutToShow.connect(lambda: oracle.say("actions", "opened"))
        self.menu = menu

    def count(self):
        self.pushes += 1
        self.counted.setText(f"Pushes: {self.pushes}")

    def slow_done(self):
        self.slow.setText("Slow: done")
        oracle.say("slow", "finished")

    def ask(self):
        kinds = QDialogButtonBox.StandardButton
        self.dialog = QDialog(self)
        self.dialog.setWindowTitle("Question")
        buttons = QDialogButtonBox(kinds.Yes | kinds.No)
        buttons.accepted.connect(self.dialog.accept)
        buttons.rejected.connect(self.dialog.reject)
        layout = QVBoxLayout(self.dialog)
        layout.addWidget(QLabel("Really continue?"))
        layout.addWidget(buttons)
        QTimer.singleShot(0, lambda: oracle.say("ask", "opened"))
        accepted = self.dialog.exec()
        oracle.say("ask", "answered", "yes" if accepted else "no")
        self.dialog = None

    def tick(self):
        number = int(self.ticker.text()) + 1
        self.ticker.setText(str(number))
        if number % 20 == 0:
            self.clock.setText(f"00:{number // 20:02d}")

    def ticks(self):
        self.timer.start(50)

    def other(self):
        """Puts every widget with two states into its second state."""
        oracle.mute()
        for widget in (self.toggle, self.check, self.switch, self.verbose, self.details):
            widget.setChecked(True)
        self.views["tree"].expandAll()
        QTimer.singleShot(60, oracle.resume)

    def reset(self):
        oracle.mute()
        self.timer.stop()
        if self.dialog:
            self.dialog.reject()
        self.context.hide()
        self.menu.hide()
        self.combo.hidePopup()
        self.pushes = 0
        self.counted.setText("Pushes: 0")
        self.target.setText("Drop target")
        self.slow.setText("Slow: idle")
        self.vanish.show()
        for widget in (self.toggle, self.check, self.switch, self.verbose):
            widget.setChecked(False)
        self.radios[0].setChecked(True)
        for entry, text in ((self.entry, "start"), (self.fixed, "fixed text"), (self.secret, "")):
            entry.setText(text)
        self.notes.setPlainText(NOTES)
        self.spin.setValue(10)
        self.slider.setValue(20)
        self.combo.setCurrentIndex(0)
        self.editable.setCurrentIndex(2)
        self.editable.setEditText(LANDS[2])
        self.details.setChecked(False)
        self.tabs.setCurrentIndex(0)
        for view in self.views.values():
            view.clearSelection()
            view.setCurrentItem(None)
            view.verticalScrollBar().setValue(0)
        self.views["tree"].collapseAll()
        for part in (self.corrections, self.modes, self.pages):
            part.reset()
        focused = QApplication.focusWidget()
        if focused:
            focused.clearFocus()
        QTimer.singleShot(30, oracle.resume)


def main():
    # Qt's event loop does not run Python signal handlers, so the default handler must end the process.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    app = QApplication(sys.argv[:1])
    window = Window()
    window.show()
    handlers = {"reset": window.reset, "ticks": window.ticks, "other": window.other,
                "ask": lambda: QTimer.singleShot(0, window.ask)}
    heard = QSocketNotifier(0, QSocketNotifier.Type.Read)

    def hear(*_):
        if not commands(handlers):
            heard.setEnabled(False)

    heard.activated.connect(hear)
    QTimer.singleShot(0, lambda: print("ready", flush=True))
    sys.exit(app.exec())


if __name__ == "__main__":
    main()
