#!/usr/bin/env python3
"""Writes international.tsv: phones of all countries, account numbers (IBAN) and numbers of social security, in the ways that people
write them beside others, and figures that are none. Lines are as those of numbers.tsv.

Phones are the examples of libphonenumber (`pip install phonenumbers`); all others are made up, with right check digits. The same seed
gives the same file.
"""
import pathlib
import random
import re

import phonenumbers
from phonenumbers import PhoneNumberFormat as Format
from phonenumbers import PhoneNumberType as Type

R = random.Random(20261126)
IBANS = pathlib.Path(__file__).parents[2] / "tables" / "ibans.tsv"
# Those of the rules in numbers.rs.
COUNTRIES = "US GB DE FR JP AU IN CH NL".split()

BEFORE = ["", "", "Tel: ", "call ", "电话：", "5 ", "2024-05-06 ", "No. 7, ", "| 3 | ", "("]
AFTER = ["", "", ".", ", thanks", " (office)", "。", " |", "\n", ")", "; 7"]


def digits(n):
    return "".join(R.choice("0123456789") for _ in range(n))


def phones():
    for region in sorted(phonenumbers.SUPPORTED_REGIONS):
        for kind in (Type.FIXED_LINE, Type.MOBILE):
            number = phonenumbers.example_number_for_type(region, kind)
            if number is None:
                continue
            e164 = phonenumbers.format_number(number, Format.E164)
            shown = phonenumbers.format_number(number, Format.INTERNATIONAL)
            yield R.choice([e164, shown, shown, re.sub("[ -]", R.choice(["-", "\u00a0", "\u2011"] + ["."] * (shown.count(" ") > 1)), shown), shown.replace("+", "＋")])
            if region == "GB":
                yield shown.replace("+44 ", "+44 (0)")
            if region in COUNTRIES:
                national = phonenumbers.format_number(number, Format.NATIONAL)
                if national.startswith("0") or region == "US":
                    yield national
                    yield national.replace(" ", "-") if region != "US" else re.sub(r"\D+", ".", national).strip(".")
                yield "00" + e164[1:]


def iban(country, form):
    body = ""
    for count, kind in re.findall(r"(\d+)([nac])", form):
        letters = {"n": "0123456789", "a": "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "c": "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"}[kind]
        body += "".join(R.choice(letters) for _ in range(int(count)))
    value = lambda text: int("".join(str(int(c, 36)) for c in text))
    return country + f"{98 - value(body + country + '00') % 97:02}" + body


def ibans():
    for line in IBANS.read_text().splitlines()[1:]:
        country, form = line.split("\t")
        for _ in range(2):
            number = iban(country, form)
            groups = " ".join(number[at : at + 4] for at in range(0, len(number), 4))
            yield R.choice([number, groups, groups, groups.replace(" ", "-"), groups.replace(" ", "\u00a0"), number.lower()])


def ssns():
    for _ in range(60):
        area = R.choice([n for n in range(1, 900) if n != 666])
        sep = R.choice(["-", "-", "-", "\u2011", "–"])
        yield f"{area:03}{sep}{R.randint(1, 99):02}{sep}{R.randint(1, 9999):04}"


def true_lines():
    for kind, numbers in (("phone", phones()), ("iban", ibans()), ("us-ssn", ssns())):
        for number in numbers:
            before = R.choice(BEFORE)
            # Two closing parentheses are no way to write.
            after = ")" if before == "(" else R.choice(AFTER)
            yield kind, [number.lstrip("(")], before + number + after


def false_lines():
    for line in IBANS.read_text().splitlines()[1:]:
        country, form = line.split("\t")
        number = iban(country, form)
        yield "no iban", number[:2] + f"{(int(number[2:4]) + R.randint(1, 95)) % 97 + 2:02}" + number[4:]
        yield "no iban", R.choice(["X" + number, number + "7", number[:-1]])
    for _ in range(60):
        yield "no us-ssn", R.choice(
            [f"{R.choice(['000', '666', '900', '987'])}-{R.randint(1, 99):02}-{digits(4)}", f"{R.randint(100, 899)}-00-{digits(4)}", f"{R.randint(100, 899)}-{R.randint(10, 99)}-0000",
             f"{R.randint(100, 899)} {R.randint(10, 99)} {R.randint(1000, 9999)}", digits(9), f"{digits(3)}-{digits(3)}-{digits(3)}", f"{digits(2)}-{digits(7)}"])
    for _ in range(60):
        yield "difference", R.choice(
            [f"+{R.randint(1, 99999)}", f"+{R.randint(1, 999)},{digits(3)},{digits(3)}", f"+{R.randint(1, 999)} {digits(3)} {digits(3)}", f"+{R.randint(1, 99)}.{digits(2)} %", f"1+{R.randint(1, 999)}",
             f"+{R.randint(1, 9)}.{digits(6)}", f"C++ {R.randint(11, 23)}", f"+{R.randint(1000000, 99999999)}", f"UTC+{R.randint(1, 12)}:00"])
    for _ in range(60):
        yield "zeros", R.choice([f"000{digits(6)}", f"No. 0{digits(5)}", f"0.{digits(9)}", f"0{R.randint(1, 9)}.0{R.randint(1, 9)}.2024", f"0{R.randint(1, 9)}:0{R.randint(1, 9)}:0{R.randint(1, 9)}",
                                 f"0{R.randint(1, 9)}/0{R.randint(1, 9)}/2024 1{R.randint(0, 9)}:30", f"007 {digits(2)}"])
    for _ in range(40):
        yield "word", R.choice(["de 12 3456", "it 39 was", "no 47 of", "at 43 and 1234 5678", "GB12 and DE34", "be 32 or 33", "is 354", "SE45 A4 B5"])


with open("international.tsv", "w", encoding="utf-8") as out:
    for kind, covered, text in true_lines():
        shown = text.replace("\n", "\\n").replace("\t", "\\t")
        out.write("\t".join([kind, "|".join(covered), shown]) + "\n")
    for kind, text in false_lines():
        out.write("\t".join([kind, "-", text]) + "\n")
