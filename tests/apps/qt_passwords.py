#!/usr/bin/python3
"""A Qt window with secrets: a password field, a hidden field with another name, and a plain field.

    qt_passwords.py 5|6

The first two contain `hunter2-secret`, which no reader may show, not even after `Show` was checked, which
makes their text visible. Prints `ready` once the window is shown.
"""

import signal
import sys

if sys.argv[1] == "5":
    from PyQt5.QtCore import QTimer
    from PyQt5.QtWidgets import QApplication, QCheckBox, QFormLayout, QLineEdit, QWidget
else:
    from PyQt6.QtCore import QTimer
    from PyQt6.QtWidgets import QApplication, QCheckBox, QFormLayout, QLineEdit, QWidget

SECRET = "hunter2-secret"


def main():
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    app = QApplication(sys.argv)
    window = QWidget()
    window.setWindowTitle(f"Qt {sys.argv[1]} passwords")
    form = QFormLayout(window)
    fields = [QLineEdit(SECRET), QLineEdit(SECRET)]
    for field, name in zip(fields, ["Password", "Hidden entry"]):
        field.setAccessibleName(name)
        field.setEchoMode(QLineEdit.EchoMode.Password)
        form.addRow(name, field)
    form.addRow("Plain entry", QLineEdit("plain text"))
    show = QCheckBox("Show")

    def toggled(on):
        mode = QLineEdit.EchoMode.Normal if on else QLineEdit.EchoMode.Password
        for field in fields:
            field.setEchoMode(mode)

    show.toggled.connect(toggled)
    form.addRow(show)
    window.show()
    QTimer.singleShot(0, lambda: print("ready", flush=True))
    sys.exit(app.exec())


if __name__ == "__main__":
    main()
