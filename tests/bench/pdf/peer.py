"""Does one operation with one library, as a user's script would: peer.py LIBRARY OPERATION WORD.

Ends with 2 if the library cannot do the operation, or is not installed.
"""

import json
import pathlib
import sys

library, operation, word = sys.argv[1:]
folder = pathlib.Path(library)


def cannot():
    sys.exit(2)


def with_pikepdf():
    import pikepdf

    if operation == "merge":
        with pikepdf.new() as out:
            for _ in range(2):
                with pikepdf.open("report.pdf") as source:
                    out.pages.extend(source.pages)
            out.save(folder / "merged.pdf")
    elif operation == "split":
        with pikepdf.open("report.pdf") as source:
            for number in range(0, len(source.pages), 2):
                with pikepdf.new() as out:
                    out.pages.extend(source.pages[number : number + 2])
                    out.save(folder / "pages" / f"{number}.pdf")
    elif operation == "fill":
        from pikepdf.form import Form

        values = json.loads(pathlib.Path("values.json").read_text())
        with pikepdf.open("form.pdf") as source:
            form = Form(source)
            for name, value in values.items():
                form[name].value = value
            source.save(folder / "filled.pdf")
    else:
        cannot()


def with_pypdf():
    from pypdf import PdfReader, PdfWriter

    if operation == "merge":
        out = PdfWriter()
        for _ in range(2):
            out.append("report.pdf")
        out.write(folder / "merged.pdf")
    elif operation == "split":
        source = PdfReader("report.pdf")
        for number in range(0, len(source.pages), 2):
            out = PdfWriter()
            out.append(source, pages=(number, min(number + 2, len(source.pages))))
            out.write(folder / "pages" / f"{number}.pdf")
    elif operation == "fill":
        values = json.loads(pathlib.Path("values.json").read_text())
        out = PdfWriter(clone_from="form.pdf")
        for page in out.pages:
            out.update_page_form_field_values(page, values, auto_regenerate=False)
        out.write(folder / "filled.pdf")
    else:
        cannot()


def with_pymupdf():
    import pymupdf

    if operation == "merge":
        out = pymupdf.open()
        for _ in range(2):
            out.insert_pdf(pymupdf.open("report.pdf"))
        out.save(folder / "merged.pdf", garbage=3, deflate=True)
    elif operation == "split":
        source = pymupdf.open("report.pdf")
        for number in range(0, source.page_count, 2):
            out = pymupdf.open()
            out.insert_pdf(source, from_page=number, to_page=number + 1)
            out.save(folder / "pages" / f"{number}.pdf", garbage=3, deflate=True)
    elif operation == "fill":
        values = json.loads(pathlib.Path("values.json").read_text())
        source = pymupdf.open("form.pdf")
        for page in source:
            for field in page.widgets():
                field.field_value = values[field.field_name]
                field.update()
        source.save(folder / "filled.pdf", garbage=3, deflate=True)
    else:
        source = pymupdf.open("report.pdf")
        for page in source:
            for place in page.search_for(word):
                page.add_redact_annot(place)
            page.apply_redactions()
        source.save(folder / "redacted.pdf", garbage=3, deflate=True)


try:
    {"pikepdf": with_pikepdf, "pypdf": with_pypdf, "pymupdf": with_pymupdf}[library]()
except ImportError:
    cannot()
