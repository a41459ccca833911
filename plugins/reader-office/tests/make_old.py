#!/usr/bin/env python3
"""Make the old documents and slides of the tests for unseen text: by python-docx and python-pptx, converted by LibreOffice.

    python3 make_old.py files

Text with PLANT is not seen, and text with SHOWN is.
"""

import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import olefile
from docx import Document
from docx.enum.style import WD_STYLE_TYPE
from docx.enum.text import WD_COLOR_INDEX, WD_LINE_SPACING
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from docx.shared import Pt, RGBColor
from pptx import Presentation
from pptx.dml.color import RGBColor as SlideColor
from pptx.util import Inches
from pptx.util import Pt as SlidePt

out = Path(sys.argv[1]).resolve()
WHITE, NAVY = RGBColor(255, 255, 255), RGBColor(0, 0, 128)
NAMES = " ".join(
    [
        nsdecls("w", "a"),
        'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"',
        'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"',
    ]
)


def shade(properties, fill):
    properties.append(parse_xml(f'<w:shd {nsdecls("w")} w:val="clear" w:color="auto" w:fill="{fill}"/>'))


def text_document(path):
    doc = Document()
    doc.add_paragraph("Pay 4,200 EUR.")

    def line(text, color=None, size=None, hidden=None, fill=None, style=None):
        paragraph = doc.add_paragraph(style=style)
        paragraph.add_run("Seen ")
        run = paragraph.add_run(text)
        run.font.hidden = hidden
        if color:
            run.font.color.rgb = color
        if size:
            run.font.size = Pt(size)
        if fill:
            shade(paragraph._p.get_or_add_pPr(), fill)
        return run

    line("PLANT hidden.", hidden=True)
    line("PLANT white.", WHITE)
    line("PLANT tiny.", size=1)
    line("PLANT navy.", NAVY, fill="000080")
    line("SHOWN dark.", WHITE, fill="000080")
    line("SHOWN marked.", WHITE).font.highlight_color = WD_COLOR_INDEX.DARK_BLUE
    line("SHOWN embossed.", WHITE).font.emboss = True
    pale = doc.styles.add_style("Pale", WD_STYLE_TYPE.PARAGRAPH)
    pale.base_style, pale.font.color.rgb = doc.styles["Normal"], WHITE
    paler = doc.styles.add_style("Paler", WD_STYLE_TYPE.PARAGRAPH)
    paler.base_style = pale
    doc.add_paragraph("PLANT style.", style="Paler")
    line("SHOWN style.", NAVY, style="Paler")
    gone = doc.styles.add_style("Gone", WD_STYLE_TYPE.CHARACTER)
    gone.font.hidden = True
    doc.add_paragraph("Seen ").add_run("PLANT character.", style="Gone")
    flat = doc.add_paragraph("PLANT flat.")
    flat.paragraph_format.line_spacing_rule = WD_LINE_SPACING.EXACTLY
    flat.paragraph_format.line_spacing = Pt(1)
    # A field whose instruction is hidden, as in an index.
    field = doc.add_paragraph("Entry")
    for kind in ["begin", "end"]:
        run = field.add_run()
        run.font.hidden = True
        run._r.append(parse_xml(f'<w:fldChar {nsdecls("w")} w:fldCharType="{kind}"/>'))
        if kind == "begin":
            run = field.add_run()
            run.font.hidden = True
            run._r.append(parse_xml(f'<w:instrText {nsdecls("w")}> XE "Entry" </w:instrText>'))
    table = doc.add_table(rows=1, cols=3)
    for cell, (text, fill) in zip(table.rows[0].cells, [("SHOWN cell.", "203040"), ("PLANT cell.", None), ("PLANT same.", "FFFFFF")]):
        cell.paragraphs[0].add_run(text).font.color.rgb = WHITE
        if fill:
            shade(cell._tc.get_or_add_tcPr(), fill)
    doc.add_paragraph("Paid.")
    header = doc.sections[0].header.paragraphs[0]
    header.add_run("ACME ")
    header.add_run("PLANT head.").font.color.rgb = WHITE
    doc.save(path)


def many_runs(path):
    """Make a text whose first deletion is on a page of properties with more than 64 runs."""
    doc = Document()
    term = doc.add_paragraph("SHOWN within ")
    ins = f'<w:ins {nsdecls("w")} w:id="1" w:author="A"><w:r><w:t>60</w:t></w:r></w:ins>'
    gone = f'<w:del {nsdecls("w")} w:id="2" w:author="A"><w:r><w:delText>PLANT30</w:delText></w:r></w:del>'
    for change in [gone, ins]:
        term._p.append(parse_xml(change))
    term.add_run(" days.")
    long = doc.add_paragraph()
    for index in range(150):
        long.add_run(f"run{index} ").bold = index % 2 == 0
    doc.save(path)


def shape(fill, text, behind, top, height):
    body = f'<wps:txbx><w:txbxContent><w:p><w:r><w:rPr><w:color w:val="FFFFFF"/></w:rPr><w:t>{text}</w:t></w:r></w:p></w:txbxContent></wps:txbx>' if text else ""
    paint = f'<a:solidFill><a:srgbClr val="{fill}"/></a:solidFill>' if fill else "<a:noFill/>"
    return parse_xml(
        f'<w:r {NAMES}><w:drawing><wp:anchor simplePos="0" relativeHeight="2" behindDoc="{behind}" locked="0" layoutInCell="1" allowOverlap="1" distT="0" distB="0" distL="0" distR="0"><wp:simplePos x="0" y="0"/><wp:positionH relativeFrom="column"><wp:posOffset>0</wp:posOffset></wp:positionH><wp:positionV relativeFrom="paragraph"><wp:posOffset>{top}</wp:posOffset></wp:positionV><wp:extent cx="5000000" cy="{height}"/><wp:wrapNone/><wp:docPr id="{top % 9_000 + 1}" name="s"/><a:graphic><a:graphicData uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><wps:wsp><wps:cNvSpPr/><wps:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="5000000" cy="{height}"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom>{paint}<a:ln><a:noFill/></a:ln></wps:spPr>{body}<wps:bodyPr/></wps:wsp></a:graphicData></a:graphic></wp:anchor></w:drawing></w:r>'
    )


def floating(path, shapes, text, header=None):
    doc = Document()
    first = doc.add_paragraph("Seen.")
    if header:
        line = doc.sections[0].header.paragraphs[0]
        line._p.append(shape("000080", None, 1, 0, 400_000))
        line.add_run(header).font.color.rgb = WHITE
    for number, (fill, inner, behind) in enumerate(shapes):
        first._p.append(shape(fill, inner, behind, 500_000 * number, 400_000))
    doc.add_paragraph().add_run(text).font.color.rgb = WHITE
    doc.save(path)


def slides(path):
    deck = Presentation()
    for layout in [it for it in deck.slide_layouts if it.name not in ("Blank", "Title and Content")]:
        deck.slide_layouts.remove(layout)
    white, navy = SlideColor(255, 255, 255), SlideColor(0, 0, 128)

    def box(slide, text, color=None, size=None, left=1, top=1, fill=None):
        made = slide.shapes.add_textbox(Inches(left), Inches(top), Inches(4), Inches(0.6))
        if fill:
            made.fill.solid()
            made.fill.fore_color.rgb = fill
        run = made.text_frame.paragraphs[0].add_run()
        run.text = text
        if color:
            run.font.color.rgb = color
        if size:
            run.font.size = SlidePt(size)
        return made

    def add(name):
        return deck.slides.add_slide(next(it for it in deck.slide_layouts if it.name == name))

    slide = add("Blank")
    box(slide, "Seen text.", top=0.2)
    box(slide, "PLANT white.", white, top=1)
    box(slide, "PLANT tiny.", size=1, top=2)
    box(slide, "SHOWN filled.", white, fill=navy, top=3)
    box(slide, "PLANT navy.", navy, fill=navy, top=4)
    box(slide, "PLANT off.", left=-8)
    rectangle = slide.shapes.add_shape(1, Inches(5), Inches(5), Inches(4.9), Inches(2))
    rectangle.fill.solid()
    rectangle.fill.fore_color.rgb = navy
    box(slide, "SHOWN over.", white, left=5.5, top=5.5)
    box(slide, "PLANT 文字。", white, top=5)
    slide = add("Blank")
    slide.background.fill.solid()
    slide.background.fill.fore_color.rgb = navy
    box(slide, "SHOWN background.", white)
    box(slide, "PLANT background.", navy, top=3)
    table = slide.shapes.add_table(1, 2, Inches(1), Inches(4), Inches(6), Inches(1)).table
    for cell, (text, fill) in zip(table.rows[0].cells, [("SHOWN cell.", navy), ("PLANT cell.", white)]):
        run = cell.text_frame.paragraphs[0].add_run()
        run.text, run.font.color.rgb = text, white
        cell.fill.solid()
        cell.fill.fore_color.rgb = fill
    slide = add("Title and Content")
    slide.shapes.title.text = "Title seen"
    slide.placeholders[1].text = "Body seen"
    run = slide.placeholders[1].text_frame.add_paragraph().add_run()
    run.text, run.font.color.rgb = "PLANT body.", white
    slide._element.set("show", "0")
    deck.save(path)


def compound(streams):
    """Make a compound file of these streams, without the picture of the first slide, which would be most of it."""
    end, used, sector = 0xFFFFFFFE, 0xFFFFFFFF, 512
    chains, data, entries = [end], b"", []
    for name, content in streams.items():
        # Shorter streams would be in a stream of their own.
        content = content.ljust(4096, b"\0")
        count = -(-len(content) // sector)
        entries.append((name, 2, len(chains), len(content)))
        chains += [*range(len(chains) + 1, len(chains) + count), end]
        data += content.ljust(count * sector, b"\0")
    # The first sector is the directory, and the last one is the list of chains.
    chains.append(0xFFFFFFFD)
    assert len(chains) <= sector // 4
    directory = b""
    for index, (name, kind, start, size) in enumerate([("Root Entry", 5, end, 0), *entries]):
        child, right = (1, used) if index == 0 else (used, index + 1 if index < len(entries) else used)
        directory += struct.pack("<64sHBB3I16x4x16xIQ", name.encode("utf-16le"), 2 * len(name) + 2, kind, 1, used, right, child, start, size)
    directory = directory.ljust(sector, b"\0")
    head = struct.pack("<8s16x5H6x9I", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 0x3E, 3, 0xFFFE, 9, 6, 0, 1, 0, 0, 4096, end, 0, end, 0)
    head += struct.pack("<109I", len(chains) - 1, *[used] * 108)
    return head + directory + data + struct.pack(f"<{sector // 4}I", *chains, *[used] * (sector // 4 - len(chains)))


with tempfile.TemporaryDirectory() as folder:
    folder = Path(folder)
    text_document(folder / "unseen.docx")
    # Text boxes: on navy, and on nothing. White text on the page has a drawing behind it, or none.
    floating(folder / "boxes.docx", [("000080", "SHOWN box.", 0)], "PLANT page.")
    floating(folder / "clear_box.docx", [(None, "PLANT box.", 0)], "PLANT page.")
    floating(folder / "behind.docx", [("000080", None, 1)], "SHOWN page.")
    # A drawing in the page header is behind the header alone.
    floating(folder / "header.docx", [], "PLANT page.", "SHOWN header.")
    many_runs(folder / "many_runs.docx")
    slides(folder / "unseen.pptx")
    command = ["soffice", f"-env:UserInstallation=file://{folder}/profile", "--headless", "--convert-to"]
    for name in ["unseen", "boxes", "clear_box", "behind", "header", "many_runs"]:
        subprocess.run([*command, "doc:MS Word 97", "--outdir", out, folder / f"{name}.docx"], check=True, capture_output=True)
    subprocess.run([*command, "ppt", "--outdir", folder, folder / "unseen.pptx"], check=True, capture_output=True)
    with olefile.OleFileIO(folder / "unseen.ppt") as made:
        streams = {name: made.openstream(name).read() for name in ["Current User", "PowerPoint Document"]}
    (out / "unseen.ppt").write_bytes(compound(streams))
