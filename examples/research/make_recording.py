"""Records recording.jsonl: `python make_recording.py [mitt]`, with the standard library alone.

The program runs the task with `--record` against a chat model that this script serves. What that model says is written here and in
the files beside it, but everything that it is told is real: its first script fails, and is repaired when it hears of that; facts
that it names have to be in what its tools gave; the numbers of its report come from what the scripts printed.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

here = Path(__file__).parent
RULES, LAB, TERMS, NOTES = "city-rules.html", "低温测试报告.docx", "warranty-terms.pdf", "visit-notes.md"


def step(id, title, kind, description, *needs):
    return {"id": id, "title": title, "description": description, "kind": kind, "needs": list(needs)}


STEPS = [
    step("rules", "What the city asks for", "research",
         f"Find in {RULES} what a new pack has to keep, how that is proved, and by when. Name the section of each."),
    step("risks", "Risks of contracts and suppliers", "research",
         f"Compare what the three warrant, what ends a warranty early and what late delivery costs them ({TERMS}), and which of that "
         f"concerns us, by what was seen at the visits ({NOTES}). Name page or heading of each."),
    step("cold", "Capacity in the cold", "research",
         f"Find in {LAB} what each supplier's packs give at the temperature of the city's rule. Name the section.", "rules"),
    step("ageing", "Ageing in our own fleet", "processing",
         "Compute from fleet-log.csv, with the rated capacity in offers.xlsx, how the packs of each supplier lose capacity over cycles: "
         "means for each hundred cycles, capacity after 600 cycles, cycles until 80%. Only readings that the city's rule counts.", "rules"),
    step("cost", "Cost per kilometre and deliveries", "processing",
         "Compute for 900 packs of each supplier price, change-over, cost per 1,000 km until 80% of capacity, and how past orders were "
         "delivered (offers.xlsx). Deliver the figures as an Excel workbook.", "cold", "ageing", "risks"),
]
PLAN = {
    "title": "Battery packs for Nordhaven",
    "thought": "The rules say which readings count and at which temperature, so they come first; contracts can be read at the same time. "
               "Costs need all of it.",
    "has_enough_context": False,
    "steps": STEPS,
}


def call(number, tool, /, **arguments):
    return {"id": f"call_{number}", "name": tool, "arguments": arguments}


def read(number, tool, /, **arguments):
    return call(number, f"document_tool__{tool}", **arguments)


def script(number, name):
    return call(number, "python__run", code=(here / name).read_text("utf-8"))


def calls(text, *made):
    return {"text": text, "calls": list(made)}


def says(text, *facts):
    """The last words of a step; each fact has to be in what its tools gave."""
    return {"text": text, "facts": facts}


RISKS_OF_CONTRACTS = f"""\
Warranty ({TERMS}, page 1, section 1): Hengchuan 3 years and 80 % after 600 cycles; Lumera 5 years and 80 % after 900 cycles; Voltjern 2 years \
and 70 % after 500 cycles, and pays a credit only.
Ends early (page 1, section 2): Hengchuan if a pack is opened; Lumera also if chargers are used that are not listed, such as our type C2; Voltjern \
if a pack was used below −10 °C.
Late delivery (page 2, section 3): Hengchuan pays 0.5 % a week, at most 5 %; Lumera 1 %, at most 10 %; Voltjern nothing."""

# For each step, and each attempt of it: what the model says, turn by turn.
TURNS = {
    "rules": [[
        calls("I look where the rules are.", read(1, "outline", name=RULES), read(2, "search", text="rated capacity", name=RULES)),
        calls("", read(3, "read_document", name=RULES)),
        says(f"""\
{RULES} (https://mobility.nordhaven.example/rental-bikes/batteries), valid from 1 April 2026:
- Section 2: at least 80 % of the rated capacity after 600 full cycles, measured at 15 °C to 25 °C; proved by a log of at least 50 packs, or by a laboratory.
- Section 3: at −15 °C at least 75 % of the rated capacity when new, at 0.5 C.
- Section 5: proof by 1 June 2026, new packs in service by 1 October 2026; EUR 40 a month for each pack without proof.""",
             "80 % of its rated capacity after 600 full cycles", "15 °C to 25 °C", "75 % of its rated capacity", "1 June 2026", "1 October 2026", "EUR 40"),
    ]],
    "risks": [
        [
            calls("", read(1, "outline", name=TERMS), read(2, "read_document", name=TERMS)),
            says(RISKS_OF_CONTRACTS, "80 % after 900 cycles", "70 % after 500 cycles", "below −10 °C", "at most 10 %"),
        ],
        [
            calls("The visits are missing.", read(1, "read_document", name=TERMS), read(2, "search", text="C2"), read(3, "read_document", name=NOTES)),
            says(f"""\
{RISKS_OF_CONTRACTS}
Concerns us: 14 of our 62 charging cabinets have chargers of type C2, EUR 350 each to replace ({NOTES}, Lumera, 9 December). Lumera's line is full \
until May; an order before 15 February is delivered in June. Voltjern needs an adapter for each bike, EUR 6.50, and did not show the test of the \
cells ({NOTES}, Voltjern, 16 December). Hengchuan has room for 900 packs, and its connector fits ({NOTES}, Hengchuan, 2 December).""",
                 "14 of our 62", "EUR 350", "before 15 February", "EUR 6.50", "80 % after 900 cycles"),
        ],
    ],
    "cold": [[
        calls("", read(1, "outline", name=LAB), read(2, "search", text="−15 ℃", name=LAB), read(3, "read_table", name=LAB)),
        says(f"""\
{LAB}, section 3.1 (means of eight new packs each, 0.5 C), at −15 ℃: 恒川 (Hengchuan) 79.4%, Lumera 83.1%, Voltjern 71.8% of the rated capacity. The \
city asks for 75%: none of the Voltjern packs reaches it (3.2: 69.9% to 73.6%). 3.3: Voltjern's packs charge at −5 ℃, which may damage the cells.""",
             "79.4%", "83.1%", "71.8%", "69.9% 至 73.6%"),
    ]],
    "ageing": [[
        calls("", script(1, "ageing_first.py")),
        calls("Readings that were broken off say `n/a`. I leave them out, and count them.", script(2, "ageing.py")),
        says("Done by a straight line through the readings that count. Lumera's cycles until 80% lie beyond what was seen."),
    ]],
    "cost": [[
        calls("", script(1, "cost.py")),
        says("The workbook battery-packs.xlsx has the decision, the capacity by cycles, and the deliveries."),
    ]],
}
LOOKS = {"risks": [{
    "feedback": f"The contracts are there with their pages. {NOTES} was not read: say which of the terms concern us, and what was seen at each supplier.",
    "passed": False,
}]}


def cells(table):
    """The rows of a table by their first cells."""
    head, _, *rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in table.strip().splitlines()]
    return {row[0]: dict(zip(head, row)) for row in rows}


def report(asked):
    """The report, with the tables and numbers that the scripts printed."""
    sections = {id: asked.split(f"### {id}: ")[1].split("\n### ")[0] for id in ("ageing", "cost")}
    tables = {id: re.findall(r"(?:^\|.*\n)+", section, re.M) for id, section in sections.items()}
    (ageing, bands), (cost, deliveries) = tables["ageing"], tables["cost"]
    counts = re.search(r"Readings: (\S+); without a capacity \(n/a\): (\S+); not at 15 to 25 °C: (\S+); counted: (\S+)", asked).groups()
    more, less = re.search(r"Lumera costs (EUR \S+) more than Hengchuan at once, and (\S+) less per km", asked).groups()
    names = {"ageing": ageing, "cost": cost, "deliveries": deliveries}
    texts = {
        "bands": bands, "difference": f"{more} more than those of Hengchuan, and {less} less per kilometre",
        "readings": "{} readings {} were broken off and {} were outside of that, so that {} count".format(*counts),
    } | names
    values = {name: cells(table) for name, table in names.items()}

    def filled(place):
        name = place.group(1)
        if name in texts:
            return texts[name].strip()
        table, supplier, column = name.split(".", 2)
        return values[table][supplier][column]

    text = re.sub(r"\{([^{}\n]+)\}", filled, (here / "report.md").read_text("utf-8"))
    return text.replace("EUR EUR", "EUR")


def turn(messages):
    """What the model says next."""
    asked = next(it["content"] for it in messages if it["role"] == "user")
    answered = sum(it["role"] == "assistant" for it in messages)
    if asked.startswith("# Plan"):
        return says(json.dumps(PLAN))
    if asked.startswith("# Report"):
        return says(report(asked))
    title = asked.split("## Title\n\n")[1].split("\n")[0]
    id = next(step["id"] for step in STEPS if step["title"] == title)
    if asked.startswith("# Review"):
        looks = LOOKS.get(id, [])
        is_first = TURNS[id][0][-1]["text"].splitlines()[-1] == asked.rstrip("`\n").splitlines()[-1]
        return says(json.dumps(looks[0] if looks and is_first else {"feedback": "", "passed": True}))
    attempt = asked.count("### Attempt ")
    said = TURNS[id][attempt][answered]
    heard = "".join(it["content"] for it in messages if it["role"] == "tool")
    for fact in said.get("facts", ()):
        assert fact in heard, f"{id}: {fact} is in nothing that was read"
    return said


class Model(BaseHTTPRequestHandler):
    """Chat completions, as a stream."""

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        said = turn(asked["messages"])
        delta = {"role": "assistant", "content": said["text"]}
        if made := said.get("calls"):
            delta["tool_calls"] = [
                {"index": index, "id": one["id"], "type": "function",
                 "function": {"name": one["name"], "arguments": json.dumps(one["arguments"], ensure_ascii=False)}}
                for index, one in enumerate(made)
            ]
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for choice in ({"index": 0, "delta": delta}, {"index": 0, "delta": {}, "finish_reason": "tool_calls" if made else "stop"}):
            self.wfile.write(f"data: {json.dumps({'choices': [choice]})}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")

    def log_message(self, *_):
        pass


def head(to):
    """The line that names a conversation: what it is for, or the title of its step."""
    return to.split("\n\n## Description")[0] if "\n\n## Title" in to else to.split("\n")[0]


def shortened(turns):
    """Each conversation is named by the beginning of its first words that tells it apart, and not by all of them."""
    names, known = {}, {}
    for full in dict.fromkeys(turn["to"] for turn in turns):
        lines, before = full.splitlines(), known.setdefault(head(full), [])
        # A second attempt is told of the first one, and its result is another: up to the line that is.
        same = [next((at for at, pair in enumerate(zip(lines, other)) if pair[0] != pair[1]), min(len(lines), len(other))) for other in before]
        names[full] = "\n".join(lines[: max(same) + 2]) if same else head(full)
        before.append(lines)
    return [turn | {"to": names[turn["to"]]} for turn in turns]


def record(program):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    model = f"http://127.0.0.1:{server.server_port}/v1#scripted"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "recording.jsonl"
        arguments = ["run", str(here), "--model", model, "--record", str(file), "--no-log", "-o", folder]
        subprocess.run([program, *arguments], check=True)
        header, *turns = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    # The port is another one each time.
    header["model"] = "scripted"
    header["note"] = "Recorded by make_recording.py; `failed` names the call whose failure the turn answers to."
    # Which step was faster is chance.
    turns.sort(key=lambda turn: head(turn["to"]))
    lines = [json.dumps(line, ensure_ascii=False) for line in [header, *shortened(turns)]]
    (here / "recording.jsonl").write_text("\n".join(lines) + "\n", "utf-8")


record(sys.argv[1] if len(sys.argv) > 1 else shutil.which("mitt") or "mitt")
