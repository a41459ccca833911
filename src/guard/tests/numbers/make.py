#!/usr/bin/env python3
"""Writes numbers.tsv: true numbers in the ways that people write them beside others, and figures that are none.

Each line: kind, what must be found (several divided by `|`; `-` for nothing), the text. All numbers are made up: random digits with
right check digits. The same seed gives the same file.
"""
import random

R = random.Random(20261125)


def digits(n):
    return "".join(R.choice("0123456789") for _ in range(n))


def phone():
    return "1" + R.choice("3456789") + digits(9)


def luhn(body):
    total = 0
    for place, digit in enumerate(reversed(body)):
        value = int(digit) * (2 if place % 2 == 0 else 1)
        total += value - 9 if value > 9 else value
    return body + str(-total % 10)


def card():
    prefix, length = R.choice(
        [("4", 16), ("51", 16), ("55", 16), ("62", 16), ("62", 19), ("37", 15), ("2221", 16), ("3528", 16), ("60", 16)]
    )
    return luhn(prefix + digits(length - 1 - len(prefix)))


def identity():
    region = R.choice("110105 310101 440305 510104 330106 620102 650103 820000".split())
    birthday = f"{R.randint(1930, 2019)}{R.randint(1, 12):02}{R.randint(1, 28):02}"
    body = region + birthday + digits(3)
    weights = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]
    return body + "10X98765432"[sum(int(d) * w for d, w in zip(body, weights)) % 11]


def cut(text, lengths, sep):
    parts, at = [], 0
    for length in lengths:
        parts.append(text[at : at + length])
        at += length
    return sep.join(parts)


SEPARATORS = [" ", "-", ".", "/", "_", "·", "\u00a0", "\u2011", "–", " - ", "\u200b-", "・"]
SCRIPTS = ["０１２３４５６７８９", "٠١٢٣٤٥٦٧٨٩", "۰۱۲۳۴۵۶۷۸۹", "०१२३४५६७८९", "๐๑๒๓๔๕๖๗๘๙", "𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗"]


def spelled(kind, number):
    """One of the ways to write a number."""
    sep = R.choice(SEPARATORS)
    way = R.random()
    if way < 0.3:
        text = number
    elif kind == "phone":
        text = cut(number, R.choice([(3, 4, 4), (3, 4, 4), (3, 8)]), sep)
    elif kind == "id-card":
        text = cut(number, R.choice([(6, 8, 4), (6, 4, 4, 4), (3, 3, 4, 4, 4)]), sep)
    elif len(number) == 15:
        text = cut(number, (4, 6, 5), sep)
    elif len(number) == 19:
        text = cut(number, R.choice([(4, 4, 4, 4, 3), (6, 13)]), sep)
    else:
        text = cut(number, R.choice([(4, 4, 4, 4), (4, 4, 4, 4), (6, 10)]), sep)
    if R.random() < 0.15:
        script = R.choice(SCRIPTS)
        text = "".join(script[int(c)] if c in "0123456789" else c for c in text)
    if kind == "phone" and R.random() < 0.2:
        text = R.choice(["86", "86 ", "86-", "0086 "]) + text
    return text


MAKERS = {"phone": phone, "id-card": identity, "bank-card": card}
BEFORE = ["", "", "电话：", "tel: ", "5 ", "12 ", "2024-05-06 ", "2024/05/06 ", "No. 7 - ", "第3条，", "1) ", "3. ", "99 88 77 ", "12:30 ", "￥500 ", "| 3 | "]
AFTER = ["", "", "。", ", thanks", " 5", " 12/27", " 2024-05-06", " - 7", "（办公室）", " 99 88 77", " |", "\n", " 123", "/2"]


def true_lines():
    for kind, make in MAKERS.items():
        for _ in range(120):
            shown = spelled(kind, make())
            yield kind, [shown], R.choice(BEFORE) + shown + R.choice(AFTER)
        for _ in range(30):
            pair = [spelled(kind, make()), spelled(kind, make())]
            yield kind, pair, R.choice(["", "a: "]) + R.choice([" ", "  ", ", ", "、", "/", "\t"]).join(pair)


def false_lines():
    for _ in range(60):
        year, month, day = R.randint(1990, 2039), R.randint(1, 12), R.randint(1, 28)
        sep = R.choice("-/._ ")
        first = f"{year}{sep}{month:02}{sep}{day:02}"
        last = f"{year + 1}{sep}{month:02}{sep}{day:02}"
        yield "date", R.choice(
            [first, f"{first} {R.randint(10, 23)}:{R.randint(10, 59)}:{R.randint(10, 59)}", f"{first} - {last}", f"{first}/{last}",
             f"{year}{month:02}{day:02}", f"{year}{month:02}{day:02} {year}{month:02}{day:02}", f"{day:02}/{month:02}/{year} {day:02}/{month:02}/{year + 1}",
             f"{R.randint(130, 199)} {year}{month:02}{day:02}"])
    for _ in range(30):
        yield "timestamp", R.choice(["1" + R.choice("67") + digits(8), "17" + digits(11), f"2024-05-{R.randint(10, 28)}T12:30:15.{digits(6)}", "2024" + digits(10)])
    for _ in range(40):
        yield "amount", R.choice(["￥", "$ ", "", "EUR "]) + R.choice(
            [f"{R.randint(1, 99)},{digits(3)},{digits(3)}.{digits(2)}", f"{R.randint(1, 199)} {digits(3)} {digits(3)} {digits(3)}", f"{R.randint(10**6, 10**10)}.{digits(2)}", f"0.{digits(11)}", f"1{R.choice('3456789')}.{digits(9)}"])
    for _ in range(40):
        yield "order", R.choice(["No. ", "订单号：", "PO-", ""]) + R.choice([f"2024{digits(8)}", f"SO{digits(11)}", f"{digits(5)}-{digits(6)}", f"10{digits(14)}", f"2024-{digits(5)}-{digits(3)}", f"{digits(8)}-{digits(4)}"])
    for _ in range(50):
        count = R.randint(3, 12)
        yield "figures", " ".join(str(R.randint(0, R.choice([99, 999, 9_999]))) for _ in range(count))
    for _ in range(20):
        yield "table", "| " + " | ".join(str(R.randint(100, 99_999)) for _ in range(6)) + " |"
    for _ in range(20):
        yield "years", " ".join(str(R.randint(1900, 2030)) for _ in range(R.randint(3, 9)))
    for _ in range(25):
        yield "isbn", R.choice(["978-7-", "978-3-16-", "979-10-90636-"]) + f"{digits(3)}-{digits(5)}-{digits(1)}"
        yield "version", ".".join(str(R.randint(0, 40)) for _ in range(R.randint(3, 6)))
        yield "address", ".".join(str(R.randint(0, 255)) for _ in range(4)) + R.choice(["", ":8080", "/24"])
    for _ in range(20):
        yield "landline", R.choice([f"010-{R.choice('68')}{digits(7)}", f"0755 {R.choice('28')}{digits(7)}", f"(415) 555-{digits(4)}", f"400-{digits(3)}-{digits(4)}", "12" + digits(9)])
    for kind, make in MAKERS.items():
        for _ in range(20):
            number = make()
            if kind == "phone":
                wrong = "12" + number[2:]
            else:
                wrong = number[:-1] + ("0" if number[-1] == "X" else str((int(number[-1]) + 1) % 10))
            yield f"no {kind}", spelled(kind, wrong)


with open("numbers.tsv", "w", encoding="utf-8") as out:
    for kind, covered, text in true_lines():
        shown = text.replace("\n", "\\n").replace("\t", "\\t")
        out.write("\t".join([kind, "|".join(covered), shown]) + "\n")
    for kind, text in false_lines():
        out.write("\t".join([kind, "-", text]) + "\n")
