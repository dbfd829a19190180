#!/usr/bin/python3
"""A GTK4 window that copies to and pastes from the clipboard.

Each line of standard input is a JSON command. The answer is one line of JSON. Needs Debian's
gir1.2-gtk-4.0. Prints `ready` once the window is shown.

    {"do": "formats"}                       the available media types
    {"do": "text"}                          the text
    {"do": "texture"}                       width, height and two pixels of the image
    {"do": "files"}                         the paths of the files
    {"do": "bytes", "form": "text/html"}    one format: its length and SHA-256
    {"do": "set", "text": "…"}              copy text
    {"do": "set", "form": "…", "data": "…"} copy one format
"""

import hashlib
import json
import sys
import threading

import gi

gi.require_version("Gdk", "4.0")
gi.require_version("Gtk", "4.0")
from gi.repository import Gdk, GdkPixbuf, Gio, GLib, Gtk  # noqa: E402


def answer(value):
    print(json.dumps(value), flush=True)


def answered(finish):
    """Returns a callback that answers with the result of an asynchronous call."""

    def done(source, result, *_):
        try:
            answer(finish(source, result))
        except GLib.Error as error:
            answer({"error": error.message})

    return done


def picture(texture):
    stream = Gio.MemoryInputStream.new_from_bytes(texture.save_to_png_bytes())
    image = GdkPixbuf.Pixbuf.new_from_stream(stream, None)
    width, height, pixels = image.get_width(), image.get_height(), image.get_pixels()
    last = (height - 1) * image.get_rowstride() + (width - 1) * image.get_n_channels()
    return {"width": width, "height": height,
            "first": list(pixels[:3]), "last": list(pixels[last:last + 3])}


def read_bytes(clipboard, result):
    """Continues when the stream is open. The main loop delivers its data."""
    whole = Gio.MemoryOutputStream.new_resizable()

    def told(_stream, result):
        whole.splice_finish(result)
        data = whole.steal_as_bytes().get_data()
        return {"length": len(data), "sha256": hashlib.sha256(data).hexdigest()}

    try:
        stream, _form = clipboard.read_finish(result)
    except GLib.Error as error:
        answer({"error": error.message})
        return
    end = Gio.OutputStreamSpliceFlags.CLOSE_SOURCE | Gio.OutputStreamSpliceFlags.CLOSE_TARGET
    whole.splice_async(stream, end, 0, None, answered(told))


def act(clipboard, command):
    match command:
        case {"do": "formats"}:
            answer(clipboard.get_formats().get_mime_types())
        case {"do": "text"}:
            clipboard.read_text_async(None, answered(lambda c, r: c.read_text_finish(r)))
        case {"do": "texture"}:
            clipboard.read_texture_async(
                None, answered(lambda c, r: picture(c.read_texture_finish(r))))
        case {"do": "files"}:
            def paths(source, result):
                return [file.get_path() for file in source.read_value_finish(result).get_files()]
            clipboard.read_value_async(Gdk.FileList, 0, None, answered(paths))
        case {"do": "bytes", "form": form}:
            clipboard.read_async([form], 0, None, read_bytes)
        case {"do": "set", "text": text}:
            answer(clipboard.set_content(Gdk.ContentProvider.new_for_value(text)))
        case {"do": "set", "form": form, "data": data}:
            data = GLib.Bytes.new(data.encode())
            answer(clipboard.set_content(Gdk.ContentProvider.new_for_bytes(form, data)))
    return GLib.SOURCE_REMOVE


def listen(clipboard):
    for line in sys.stdin:
        GLib.idle_add(act, clipboard, json.loads(line))


def on_activate(app):
    window = Gtk.ApplicationWindow(application=app, title="GTK4 clipboard",
                                   child=Gtk.Label(label="A clipboard"), default_width=300)
    window.present()
    threading.Thread(target=listen, args=[window.get_clipboard()], daemon=True).start()
    GLib.timeout_add(0, lambda: print("ready", flush=True))


def main():
    flags = Gio.ApplicationFlags.NON_UNIQUE
    app = Gtk.Application(application_id="org.deskhand.Gtk4Clipboard", flags=flags)
    app.connect("activate", on_activate)
    app.run(None)


if __name__ == "__main__":
    main()
