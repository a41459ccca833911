"""Makes the seeds of the fuzz targets: python3 make.py. Needs openssl."""

import pathlib
import subprocess
import tempfile

FOLDER = pathlib.Path(__file__).parent


def plain():
    """A document of which every object can be read as text."""
    objects = [
        "<</Type /Catalog /Pages 2 0 R /AcroForm 9 0 R /Outlines 14 0 R /PageLabels <</Nums [0 <</S /r>> 1 <</S /D /St 5>>]>> /Names <</Dests <</Names [(a) [3 0 R /Fit]]>> /EmbeddedFiles <</Names [(b.txt) 17 0 R]>>>>>>",
        "<</Type /Pages /Kids [3 0 R 19 0 R] /Count 2 /MediaBox [0 0 200 100] /Resources <</Font <</F1 5 0 R /F2 7 0 R>> /XObject <</X1 6 0 R /I1 16 0 R>>>>>>",
        "<</Type /Page /Parent 2 0 R /Contents [4 0 R] /Rotate 90 /Annots [10 0 R 11 0 R 12 0 R]>>",
        stream("", "q 1 0 0 1 5 5 cm BT /F1 12 Tf 10 50 Td 14 TL (the first 2024) Tj [(li) -20 (ne)] TJ (next) ' ET Q /X1 Do 20 0 0 20 5 5 cm /I1 Do BI /W 1 /H 1 /CS /G /BPC 8 ID x EI"),
        "<</Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding <</BaseEncoding /WinAnsiEncoding /Differences [65 /B /C]>>>>",
        stream("/Type /XObject /Subtype /Form /BBox [0 0 99 99] /Matrix [1 0 0 1 0 0] /Resources <</Font <</F1 5 0 R>> /XObject <</X1 6 0 R>>>>", "BT /F1 9 Tf 5 5 Td (the form) Tj ET /X1 Do"),
        "<</Type /Font /Subtype /Type0 /BaseFont /Song /Encoding /GBK2K-V /DescendantFonts [8 0 R]>>",
        "<</Type /Font /Subtype /CIDFontType2 /BaseFont /Song /DW 1000 /W [1 [500 600] 10 20 700] /CIDSystemInfo <</Registry (Adobe) /Ordering (GB1) /Supplement 2>>>>",
        "<</Fields [10 0 R 11 0 R 13 0 R] /DA (/F1 10 Tf 0 g) /DR <</Font <</F1 5 0 R>>>> /NeedAppearances true>>",
        "<</Type /Annot /Subtype /Widget /FT /Tx /T (name) /V (Ada) /MaxLen 9 /Rect [10 10 90 24] /P 3 0 R /DA (/F1 0 Tf) /AP <</N 6 0 R>>>>",
        "<</Type /Annot /Subtype /Widget /FT /Btn /T (box) /Rect [10 30 20 40] /AS /Off /MK <</CA (4)>> /AP <</N <</Yes 6 0 R /Off 6 0 R>>>> /Parent 13 0 R>>",
        "<</Type /Annot /Subtype /Link /Rect [0 0 9 9] /A <</S /GoTo /D (a)>> /Contents (the note)>>",
        "<</T (group) /Kids [11 0 R] /FT /Ch /Opt [(a) [(b) (B)]] /Ff 131072>>",
        "<</Type /Outlines /First 15 0 R /Last 15 0 R /Count 1>>",
        "<</Title (the start) /Parent 14 0 R /Dest [3 0 R /XYZ 0 99 null] /Next 15 0 R>>",
        stream("/Type /XObject /Subtype /Image /Width 2 /Height 2 /ColorSpace [/Indexed /DeviceRGB 1 <000000ffffff>] /BitsPerComponent 8 /Filter /ASCIIHexDecode", "00010001>"),
        "<</Type /Filespec /F (b.txt) /EF <</F 18 0 R>>>>",
        stream("/Type /EmbeddedFile /Params <</Size 3>>", "abc"),
        "<</Type /Page /Parent 2 0 R /CropBox [0 0 90 90] /Contents 20 0 R /Group <</S /Transparency>>>>",
        stream("/Filter [/ASCIIHexDecode /RunLengthDecode]", "2F4254202F46322031322054662035302039302054642028D6D0CEC429546A204554".lower() + ">"),
    ]
    out = "%PDF-1.7\n"
    for number, value in enumerate(objects, 1):
        out += f"{number} 0 obj\n{value}\nendobj\n"
    out += f"xref\n0 1\n0000000000 65535 f \ntrailer\n<</Root 1 0 R /Size {len(objects) + 1} /Info <</Title (the title)>>>>\nstartxref\n9\n%%EOF\n"
    # A later revision replaces a page.
    out += "19 0 obj\n<</Type /Page /Parent 2 0 R /Contents 20 0 R>>\nendobj\ntrailer\n<</Root 1 0 R /Prev 9>>\nstartxref\n9\n%%EOF\n"
    (FOLDER / "plain.pdf.txt").write_text(out, encoding="ascii")


def stream(extra, data):
    return f"<<{extra} /Length {len(data)}>>\nstream\n{data}\nendstream"


def signed():
    """A document signed by a person whose certificate comes from an authority."""
    with tempfile.TemporaryDirectory() as folder:
        def openssl(*arguments):
            subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)

        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=Authority", "-days", "36500")
        openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", "a.key", "-out", "a.csr", "-subj", "/C=CH/O=Mitt/CN=Ada")
        openssl("x509", "-req", "-in", "a.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-out", "a.pem", "-days", "36500")
        room = 8192
        head = "%PDF-1.7\n"
        places = []
        objects = [
            "<</Type /Catalog /Pages 2 0 R /AcroForm <</SigFlags 3 /Fields [5 0 R]>>>>",
            "<</Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 200 100]>>",
            "<</Type /Page /Parent 2 0 R /Contents 4 0 R /Annots [5 0 R] /Resources <<>>>>",
            stream("", "0 0 9 9 re f"),
            "<</Type /Annot /Subtype /Widget /FT /Sig /T (sign) /V 6 0 R /Rect [0 0 0 0]>>",
            f"<</Type /Sig /Filter /Adobe.PPKLite /SubFilter /adbe.pkcs7.detached /M (D:20260101000000Z) /ByteRange [{'*' * 40}] /Contents <{'0' * room}>>>",
        ]
        for number, value in enumerate(objects, 1):
            places.append(len(head))
            head += f"{number} 0 obj\n{value}\nendobj\n"
        start = len(head)
        head += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n" + "".join(f"{at:010} 00000 n \n" for at in places)
        head += f"trailer\n<</Root 1 0 R /Size {len(objects) + 1}>>\nstartxref\n{start}\n%%EOF\n"
        before = head.index("/Contents <") + len("/Contents ")
        after = before + room + 2
        ranges = f"0 {before} {after} {len(head) - after}"
        head = head.replace("*" * 40, ranges.ljust(40))
        path = pathlib.Path(folder)
        (path / "data").write_text(head[:before] + head[after:], encoding="ascii")
        openssl("cms", "-sign", "-binary", "-in", "data", "-signer", "a.pem", "-inkey", "a.key", "-certfile", "ca.pem", "-outform", "DER", "-out", "cms")
        contents = (path / "cms").read_bytes().hex()
        assert len(contents) <= room
        done = head[:before] + "<" + contents.ljust(room, "0") + ">" + head[after:]
        (FOLDER / "signed.pdf").write_text(done, encoding="ascii")
        (FOLDER / "authority.pem").write_bytes((path / "ca.pem").read_bytes())


plain()
signed()
