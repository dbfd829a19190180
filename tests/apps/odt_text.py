#!/usr/bin/python3
"""Prints the text of an OpenDocument file: one line per paragraph, with tabs and repeated spaces.

    odt_text.py FILE
"""

import sys
import xml.etree.ElementTree
import zipfile

TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"


def text_of(element):
    if element.tag == TEXT + "tab":
        own = "\t"
    elif element.tag == TEXT + "line-break":
        own = "\n"
    elif element.tag == TEXT + "s":
        own = " " * int(element.get(TEXT + "c", "1"))
    else:
        own = element.text or ""
    return own + "".join(text_of(child) + (child.tail or "") for child in element)


with zipfile.ZipFile(sys.argv[1]) as archive:
    content = xml.etree.ElementTree.fromstring(archive.read("content.xml"))
body = content.find(f"{OFFICE}body/{OFFICE}text")
sys.stdout.write("\n".join(text_of(one) for one in body.iter(TEXT + "p")))
