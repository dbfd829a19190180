#!/usr/bin/python3
"""A Qt6 window with difficult widgets: a modal dialog, a password, a read-only field, a long table.

Two widgets open the dialog, which blocks until it is closed. For the button `Open dialog`, Qt answers the
accessibility call at once and presses 100 ms later. For the check box `Ask first`, Qt answers the call only
when the dialog is closed. Prints `ready`, then `dialog opened`, `dialog closed ok|cancel` and
`pressed Save` as they happen. Needs Debian's python3-pyqt6.

    qt6_dialog.py [ROWS]      default: 100000
"""

import signal
import sys

from PyQt6.QtCore import QAbstractTableModel, Qt, QTimer
from PyQt6.QtWidgets import (QApplication, QCheckBox, QDialog, QDialogButtonBox, QFormLayout, QLabel,
                             QLineEdit, QPushButton, QTableView, QVBoxLayout, QWidget)

SECRET = "hunter2-secret"


def say(line):
    print(line, flush=True)


class Rows(QAbstractTableModel):
    """A table that is computed on demand: a title and a number per row."""

    def __init__(self, count):
        super().__init__()
        self.count = count

    def rowCount(self, _parent=None):
        return self.count

    def columnCount(self, _parent=None):
        return 2

    def data(self, index, role=Qt.ItemDataRole.DisplayRole):
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        return f"Row {index.row()}" if index.column() == 0 else index.row()


class Window(QWidget):
    """The main window."""

    def __init__(self, rows):
        super().__init__()
        self.setWindowTitle("Qt6 dialog")
        form = QFormLayout()
        password = QLineEdit(SECRET)
        password.setEchoMode(QLineEdit.EchoMode.Password)
        form.addRow("Password", password)
        fixed = QLineEdit("fixed text")
        fixed.setReadOnly(True)
        form.addRow("Read only", fixed)
        form.addRow("Plain", QLineEdit("plain text"))
        opener = QPushButton("Open dialog")
        opener.clicked.connect(self.open_dialog)
        asker = QCheckBox("Ask first")
        asker.toggled.connect(self.open_dialog)
        other = QPushButton("Save")
        other.clicked.connect(lambda: say("pressed Save"))
        self.model = Rows(rows)
        table = QTableView()
        table.setAccessibleName("Rows")
        table.setModel(self.model)
        layout = QVBoxLayout(self)
        layout.addLayout(form)
        for widget in (opener, asker, other, table):
            layout.addWidget(widget)
        self.resize(600, 500)

    def open_dialog(self):
        dialog = QDialog(self)
        dialog.setWindowTitle("Question")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(dialog.accept)
        buttons.rejected.connect(dialog.reject)
        layout = QVBoxLayout(dialog)
        layout.addWidget(QLabel("Really continue?"))
        layout.addWidget(buttons)
        QTimer.singleShot(0, lambda: say("dialog opened"))
        accepted = dialog.exec()
        say(f"dialog closed {'ok' if accepted else 'cancel'}")


def main():
    # Qt's event loop does not run Python signal handlers, so the default handler must end the process.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    app = QApplication(sys.argv[:1])
    window = Window(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
    window.show()
    QTimer.singleShot(0, lambda: say("ready"))
    sys.exit(app.exec())


if __name__ == "__main__":
    main()
