#!/usr/bin/env python3
"""Put the pages in place that `main_text.rs` measures with: `tests/sets.py <wcxb> <article-extraction-benchmark> <trafilatura> <corpora>`.

The first three are clones of public repositories, the last is the folder `shared/corpora` beside the project:

- Murrough-Foley/web-content-extraction-benchmark (CC BY 4.0): 2 008 pages of seven kinds, with texts that people have checked;
  1 497 to tune with (`dev`), 511 of other sites to measure with (`test`).
- scrapinghub/article-extraction-benchmark (MIT): 181 articles, with texts that people have marked; to measure with.
- adbar/trafilatura (Apache-2.0): 990 pages of its own tests, with pieces of text that must be found and pieces that must not.
"""

import gzip
import json
import sys
from pathlib import Path

wcxb, articles, trafilatura, corpora = map(Path, sys.argv[1:])


def put(name: str, page: bytes, text: str) -> None:
    path = corpora / "pages" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.with_suffix(".html").write_bytes(page)
    path.with_suffix(".txt").write_text(text, encoding="utf-8")


for split in ["dev", "test"]:
    for truth in sorted((wcxb / split / "ground-truth").glob("*.json")):
        data = json.loads(truth.read_text(encoding="utf-8"))
        kind = data["_internal"]["page_type"]["primary"].replace("category", "collection")
        page = gzip.decompress((wcxb / split / "html" / f"{truth.stem}.html.gz").read_bytes())
        put(f"wcxb-{split}/{kind}-{truth.stem}", page, data["ground_truth"].get("main_content") or "")

for name, data in json.loads((articles / "ground-truth.json").read_text(encoding="utf-8")).items():
    page = gzip.decompress((articles / "html" / f"{name}.html.gz").read_bytes())
    put(f"scrapinghub/article-{name[:16]}", page, data["articleBody"])

pieces = json.loads((trafilatura / "tests/evaldata.json").read_text(encoding="utf-8"))
for number, data in enumerate(pieces.values()):
    places = [trafilatura / "tests" / folder / data["file"] for folder in ["cache", "eval"]]
    page = next(it for it in places if it.is_file())
    path = corpora / "pages/trafilatura" / f"article-{number:03}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.with_suffix(".html").write_bytes(page.read_bytes())
    truth = {key: data[key] for key in ["with", "without"]}
    path.with_suffix(".json").write_text(json.dumps(truth, ensure_ascii=False), encoding="utf-8")
