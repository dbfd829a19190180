#!/usr/bin/python3
"""A Qt6 window that copies to and pastes from the clipboard.

Each line of standard input is a JSON command. The answer is one line of JSON. Needs Debian's
python3-pyqt6. Prints `ready` once the window is shown.

    {"do": "look"}              formats, text, HTML, URLs, and the size and two pixels of the image
    {"do": "set", "text": "…", "html": "…", "urls": ["…"], "forms": {"x/y": "…"}, "big": 5000000}
                                copy everything given; `big` is the length of a generated text
"""

import json
import signal
import sys
import threading

from PyQt6.QtCore import QMimeData, QObject, QTimer, QUrl, pyqtSignal
from PyQt6.QtGui import QColor, QImage
from PyQt6.QtWidgets import QApplication, QLabel


class Ear(QObject):
    """Passes commands from the reader thread to the thread that owns the clipboard."""

    heard = pyqtSignal(dict)


def answer(value):
    print(json.dumps(value), flush=True)


def pixel(image, x, y):
    return list(QColor(image.pixel(x, y)).getRgb()[:3])


def look(clipboard):
    data = clipboard.mimeData()
    told = {"forms": data.formats(), "text": data.text(), "html": data.html(),
            "urls": [url.toString() for url in data.urls()],
            "rtf": bytes(data.data("text/rtf")).decode()}
    image = QImage(data.imageData()) if data.hasImage() else QImage()
    if not image.isNull():
        width, height = image.width(), image.height()
        told["image"] = {"width": width, "height": height, "first": pixel(image, 0, 0),
                         "last": pixel(image, width - 1, height - 1)}
    return told


def copy(clipboard, command):
    data = QMimeData()
    if "text" in command:
        data.setText(command["text"])
    if "big" in command:
        data.setText("abcdefghij" * (command["big"] // 10))
    if "html" in command:
        data.setHtml(command["html"])
    if "urls" in command:
        data.setUrls([QUrl(url) for url in command["urls"]])
    if "image" in command:
        image = QImage(*command["image"], QImage.Format.Format_RGB32)
        image.fill(QColor("teal"))
        data.setImageData(image)
    for form, content in command.get("forms", {}).items():
        data.setData(form, content.encode())
    clipboard.setMimeData(data)
    return True


def main():
    # Qt's event loop does not run Python signal handlers, so the default handler must end the process.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    app = QApplication(sys.argv[:1])
    clipboard = app.clipboard()
    window = QLabel("A clipboard")
    window.setWindowTitle("Qt6 clipboard")
    window.resize(300, 100)
    window.show()
    ear = Ear()
    doings = {"look": lambda _: look(clipboard), "set": lambda command: copy(clipboard, command)}
    ear.heard.connect(lambda command: answer(doings[command["do"]](command)))

    def listen():
        for line in sys.stdin:
            ear.heard.emit(json.loads(line))

    threading.Thread(target=listen, daemon=True).start()
    QTimer.singleShot(0, lambda: print("ready", flush=True))
    sys.exit(app.exec())


if __name__ == "__main__":
    main()
