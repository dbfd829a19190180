"""Widgets of the Qt matrix window that the app corrects. Only the state in which they settle is logged.

Also commands and pages that run only on a click: accessibility can change the state of their widgets
without them.
"""

import sys

if sys.argv[1] == "5":
    from PyQt5.QtCore import QTimer
    from PyQt5.QtWidgets import (QAction, QActionGroup, QCheckBox, QComboBox, QLabel, QLineEdit, QListWidget,
                                 QSpinBox, QStackedWidget)
else:
    from PyQt6.QtCore import QTimer
    from PyQt6.QtGui import QAction, QActionGroup
    from PyQt6.QtWidgets import QCheckBox, QComboBox, QLabel, QLineEdit, QListWidget, QSpinBox, QStackedWidget

from oracle import CLAMP, REFUSED, SPRING_MS, Settled, digits  # noqa: E402

MODES = ["Icon mode", "List mode"]
PAGES = ["General", "Network"]


class Corrections:
    """These widgets. `add` gives a widget a name and puts it into the window."""

    def __init__(self, oracle, add):
        self.oracle = oracle
        self.add = add
        self.all = []
        self.checks = [self.springing("Veto", 0), self.springing("Spring", SPRING_MS)]
        self.entries = [self.entry("Upper", self.upper), self.entry("Digits", self.digits)]
        self.clamp = self.clamped()
        self.combo = self.refusing()

    def settled(self, widget, event, read):
        self.all.append(Settled(self.oracle, QTimer.singleShot, widget, event, read))
        return self.all[-1]

    def springing(self, name, after_ms):
        check = self.add(QCheckBox(name), name)
        settled = self.settled(name.lower(), "toggled", check.isChecked)

        def toggled(now):
            settled.changed()
            if now:
                QTimer.singleShot(after_ms, lambda: check.setChecked(False))

        check.toggled.connect(toggled)
        return check

    def entry(self, name, correct):
        entry = self.add(QLineEdit(), name)
        entry.textChanged.connect(self.settled(name.lower(), "text", entry.text).changed)
        entry.textChanged.connect(lambda text: correct(entry, text))
        return entry

    @staticmethod
    def upper(entry, _text):
        def rewrite():
            if entry.text() != entry.text().upper():
                entry.setText(entry.text().upper())

        QTimer.singleShot(0, rewrite)

    @staticmethod
    def digits(entry, text):
        if digits(text) != text:
            entry.setText(digits(text))

    def clamped(self):
        spin = self.add(QSpinBox(), "Clamp")
        spin.setRange(0, 100)
        spin.valueChanged.connect(self.settled("clamp", "value", spin.value).changed)
        spin.valueChanged.connect(
            lambda _now: QTimer.singleShot(0, lambda: spin.setValue(min(spin.value(), CLAMP))))
        return spin

    def refusing(self):
        combo = self.add(QComboBox(), "Refuse")
        combo.addItems(REFUSED)
        combo.currentIndexChanged.connect(self.settled("refuse", "chosen", combo.currentText).changed)
        combo.currentIndexChanged.connect(lambda _now: QTimer.singleShot(0, lambda: combo.setCurrentIndex(0)))
        return combo

    def reset(self):
        for check in self.checks:
            check.setChecked(False)
        for entry in self.entries:
            entry.setText("")
        self.clamp.setValue(10)
        self.combo.hidePopup()
        self.combo.setCurrentIndex(0)
        for settled in self.all:
            settled.reset()


class Modes:
    """Exclusive modes in the toolbar and in a menu. Their command runs on `triggered`."""

    def __init__(self, oracle, window):
        self.group = QActionGroup(window)
        bar = window.addToolBar("Modes")
        menu = window.menuBar().addMenu("Modes")
        for name in MODES:
            action = QAction(name, window)
            action.setCheckable(True)
            action.triggered.connect(lambda _on, n=name: oracle.say("mode", "triggered", n))
            self.group.addAction(action)
            bar.addAction(action)
            menu.addAction(action)

    def reset(self):
        self.group.actions()[0].setChecked(True)


class Pages:
    """A list whose current row is the page on display."""

    def __init__(self, oracle, add):
        self.list = add(QListWidget(), "Pages")
        self.list.addItems(PAGES)
        self.list.setFixedHeight(60)
        stack = add(QStackedWidget(), "Stack")
        for name in PAGES:
            stack.addWidget(QLabel(f"Settings of {name}"))

        def switch(row):
            stack.setCurrentIndex(row)
            oracle.say("pages", "chosen", PAGES[row])

        self.list.currentRowChanged.connect(switch)

    def reset(self):
        self.list.setCurrentRow(0)
