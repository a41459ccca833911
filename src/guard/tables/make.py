#!/usr/bin/env python3
"""Writes phones.tsv and ibans.tsv, out of what others keep up to date: `pip install phonenumbers schwifty regex`, then run this here.

phones.tsv, one calling code a line: the code; how many digits follow it; with which two digits these begin; countries that write them
behind a 0 among themselves, by ISO 3166; with which two digits their mobile phones begin, and how many
digits these have. Phones of persons and firms only: neither
free nor paid services.

ibans.tsv, one country a line: its code; what stands behind the two check digits, as lengths and kinds (`n` digits, `a` letters, `c`
both).
"""
import string

import phonenumbers
import regex
from phonenumbers import COUNTRY_CODE_TO_REGION_CODE, PhoneMetadata
from schwifty import registry
from schwifty.exceptions import InvalidCountryCode


def ranges(numbers, width=0):
    runs = []
    for number in sorted(numbers):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(f"{a:0{width}}" if a == b else f"{a:0{width}}-{b:0{width}}" for a, b in runs)


with open("phones.tsv", "w") as out:
    out.write(f"# libphonenumber {phonenumbers.__version__}, by make.py. Copyright The Libphonenumber Authors, Apache-2.0.\n")
    for code, regions in sorted(COUNTRY_CODE_TO_REGION_CODE.items()):
        lengths, starts, behind_zero, mobile, mobile_lengths = set(), set(), [], set(), set()
        for region in regions:
            data = PhoneMetadata.metadata_for_region(region)
            if data is None:
                continue
            if data.national_prefix == "0":
                behind_zero.append(region)
            for kind in (data.fixed_line, data.mobile, data.voip, data.personal_number):
                if kind is None or not kind.national_number_pattern:
                    continue
                lengths |= {length for length in kind.possible_length if length > 0}
                pattern = regex.compile(kind.national_number_pattern)
                begins = {n for n in range(100) if pattern.fullmatch(f"{n:02}", partial=True)}
                starts |= begins
                if kind is data.mobile and region in behind_zero:
                    mobile |= begins
                    mobile_lengths |= {length for length in kind.possible_length if length > 0}
        if lengths:
            out.write(f"{code}\t{ranges(lengths)}\t{ranges(starts, 2)}\t{','.join(sorted(behind_zero))}\t{ranges(mobile, 2)}\t{ranges(mobile_lengths)}\n")

with open("ibans.tsv", "w") as out:
    out.write("# The IBAN registry of SWIFT, as schwifty has it, by make.py.\n")
    letters = string.ascii_uppercase
    for country in (a + b for a in letters for b in letters):
        try:
            spec = registry.get_iban_spec(country)
        except InvalidCountryCode:
            continue
        if not spec.aspirational:
            out.write(f"{country}\t{spec.bban_spec.replace('!', '')}\n")
