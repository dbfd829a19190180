#!/usr/bin/python3
"""A Qt window whose widgets react in ways that are easy to misread.

A dialog blocks its caller, a check box springs back, an entry rewrites its text, toolbar buttons and a
check box run their command only on a click, a list shows the page of its current row, and fields in a group
have labels that no relation connects with them. Every reaction is one line in `reactions.log` in the home folder. Prints `ready` once the window is shown.

    qt_reactions.py 5|6
"""

import signal
import sys
from pathlib import Path

if sys.argv[1] == "5":
    from PyQt5.QtCore import QTimer
    from PyQt5.QtWidgets import *
    from PyQt5.QtWidgets import QAction, QActionGroup
else:
    from PyQt6.QtCore import QTimer
    from PyQt6.QtGui import QAction, QActionGroup
    from PyQt6.QtWidgets import *

PAGES = ["General", "Downloads", "Network"]
VIEWS = ["Icon view", "List view", "Detail view"]


class Window(QMainWindow):
    """The window with its widgets."""

    def __init__(self, log):
        super().__init__()
        self.log = log
        self.setWindowTitle("Reactions")
        self.resize(560, 620)
        self.commands()
        inside = QWidget()
        column = QVBoxLayout(inside)
        for widget in (
            self.opener(),
            self.spring(),
            self.upper(),
            self.clicked(),
            self.pages(),
            self.paper(),
            self.idle(),
            self.notes(),
        ):
            column.addWidget(widget)
        self.setCentralWidget(inside)

    def say(self, line):
        print(line, file=self.log, flush=True)

    def commands(self):
        """Adds views to the toolbar and the menu, and one command only to the toolbar."""
        bar = self.addToolBar("Main")
        menu = self.menuBar().addMenu("View")
        group = QActionGroup(self)
        for name in VIEWS:
            action = self.command(name)
            group.addAction(action)
            bar.addAction(action)
            menu.addAction(action)
        bar.addAction(self.command("Lock"))

    def command(self, name):
        action = QAction(name, self)
        action.setCheckable(True)
        action.triggered.connect(lambda _now: self.say(f"triggered {name}"))
        action.toggled.connect(lambda now: self.say(f"toggled {name} {now}"))
        return action

    def opener(self):
        button = QPushButton("Open options")
        button.clicked.connect(self.ask)
        return button

    def ask(self):
        """Shows a dialog and waits for its answer in an event loop of its own."""
        dialog = QDialog(self)
        dialog.setWindowTitle("Choose options")
        accept = QPushButton("Accept")
        accept.clicked.connect(dialog.accept)
        layout = QVBoxLayout(dialog)
        layout.addWidget(QLabel("Some option"))
        layout.addWidget(accept)
        QTimer.singleShot(0, lambda: self.say("dialog opened"))
        self.say("dialog accepted" if dialog.exec() else "dialog cancelled")

    def spring(self):
        check = QCheckBox("Spring")

        def toggled(now):
            self.say(f"spring {now}")
            if now:
                QTimer.singleShot(10, lambda: check.setChecked(False))

        check.toggled.connect(toggled)
        return check

    def upper(self):
        entry = QLineEdit()
        entry.setAccessibleName("Upper")

        def rewrite():
            if entry.text() != entry.text().upper():
                entry.setText(entry.text().upper())
            self.say(f"upper {entry.text()}")

        entry.textChanged.connect(lambda _text: QTimer.singleShot(0, rewrite))
        return entry

    def clicked(self):
        check = QCheckBox("Remember")
        check.clicked.connect(lambda now: self.say(f"clicked Remember {now}"))
        return check

    def pages(self):
        names = QListWidget()
        names.setAccessibleName("Pages")
        names.addItems(PAGES)
        stack = QStackedWidget()
        for name in PAGES:
            stack.addWidget(QLabel(f"Settings of {name}"))
        names.setCurrentRow(0)
        names.currentRowChanged.connect(stack.setCurrentIndex)
        stack.currentChanged.connect(lambda row: self.say(f"page {PAGES[row]}"))
        both = QWidget()
        row = QHBoxLayout(both)
        row.addWidget(names)
        row.addWidget(stack)
        return both

    def paper(self):
        """Returns a group whose fields Qt names after the group."""
        group = QGroupBox("Paper")
        size = QComboBox()
        size.addItems(["A3", "A4", "A5"])
        size.activated.connect(lambda _row: self.say(f"size {size.currentText()}"))
        copies = QSpinBox()
        copies.valueChanged.connect(lambda now: self.say(f"copies {now}"))
        form = QGridLayout(group)
        for row, (label, field) in enumerate([("Paper size:", size), ("Number of copies:", copies)]):
            form.addWidget(QLabel(label), row, 0)
            form.addWidget(field, row, 1)
        return group

    def notes(self):
        """Returns a document, which takes the Tab key as text."""
        document = QTextEdit()
        document.setAccessibleName("Notes")
        document.textChanged.connect(lambda: self.say(f"notes {document.toPlainText()!r}"))
        return document

    def idle(self):
        button = QPushButton("Do nothing")
        button.clicked.connect(lambda: self.say("nothing done"))
        return button


def main():
    # Qt's event loop does not run Python signal handlers, so the default handler must end the process.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    app = QApplication(sys.argv[:1])
    with open(Path.home() / "reactions.log", "w", encoding="utf-8") as log:
        window = Window(log)
        window.show()
        QTimer.singleShot(0, lambda: print("ready", flush=True))
        sys.exit(app.exec())


if __name__ == "__main__":
    main()
