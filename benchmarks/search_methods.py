"""Other ways to search the incident library, for benchmarks/search.py; each over the same texts and field weights."""

import importlib
import math
import re
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from kubegap_incidents import words
from kubegap_incidents.lexicon import Lexicon, lexicon
from kubegap_incidents.postings import WEIGHTS, Postings, fields
from kubegap_incidents.ranking import Ranking
from kubegap_incidents.record import Incident
from kubegap_incidents.vocabulary import vocabulary

Search = Callable[[str], Sequence[str]]
Tokens = Callable[[str], Iterable[str]]

_RUN = re.compile(r"[a-z0-9]+|[가-힣]+")
# Parts of speech that kiwi gives to words with a meaning of their own: nouns, verbs, roots, Latin, numbers.
_MEANS = ("N", "V", "XR", "SL", "SN")


class Method(NamedTuple):
    name: str
    build: Callable[[Sequence[Incident]], Search]


def _weighted(incident: Incident) -> list[tuple[str, float]]:
    return [
        (text, WEIGHTS[field])
        for field, said in fields(incident).items()
        for text in (*said.texts, *dict.fromkeys(said.names))
    ]


def _bm25(tokens: Tokens, saturation: float, length: float) -> Callable[[Sequence[Incident]], Search]:
    def build(incidents: Sequence[Incident]) -> Search:
        postings = defaultdict[str, dict[int, float]](dict)
        lengths = list[int]()
        for record, incident in enumerate(incidents):
            weights = defaultdict[str, float](float)
            for text, worth in _weighted(incident):
                for token in tokens(text):
                    weights[token] += worth
            lengths.append(len(weights))
            for token, weight in weights.items():
                postings[token][record] = weight
        mean = sum(lengths) / len(lengths)

        def search(query: str) -> list[str]:
            scores = defaultdict[int, float](float)
            for token in dict.fromkeys(tokens(query)):
                held = postings.get(token, {})
                rarity = math.log(1 + (len(incidents) - len(held) + 0.5) / (len(held) + 0.5))
                for record, weight in held.items():
                    held_back = saturation * (1 - length + length * lengths[record] / mean)
                    scores[record] += rarity * weight * (saturation + 1) / (weight + held_back)
            return [incidents[record].id for record in sorted(scores, key=lambda record: (-scores[record], record))]

        return search

    return build


def _ngrams(text: str, sizes: range) -> list[str]:
    runs = _RUN.findall(words.normal(text))
    return [run[at : at + size] for run in runs for size in sizes for at in range(len(run) - size + 1)]


def _kiwi(saturation: float, length: float) -> Callable[[Sequence[Incident]], Search]:
    def build(incidents: Sequence[Incident]) -> Search:
        kiwi: Any = importlib.import_module("kiwipiepy").Kiwi()

        def tokens(text: str) -> list[str]:
            said = [token for token in kiwi.tokenize(words.normal(text)) if token.tag.startswith(_MEANS)]
            return [words.stem(token.form) for token in said if token.form not in words.EMPTY]

        return _bm25(tokens, saturation, length)(incidents)

    return build


def _packaged(known: Lexicon) -> Callable[[Sequence[Incident]], Search]:
    def build(incidents: Sequence[Incident]) -> Search:
        ranking = Ranking(Postings(incidents), known)
        return lambda query: [incidents[record].id for record, _ in ranking.ranked(query, range(len(incidents)))]

    return build


def _tantivy(incidents: Sequence[Incident]) -> Search:
    tantivy: Any = importlib.import_module("tantivy")
    ngram = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.ngram(2, 3, prefix_only=False)).filter(
        tantivy.Filter.lowercase()
    )
    schema = tantivy.SchemaBuilder()
    schema.add_text_field("id", stored=True, tokenizer_name="raw")
    for field in WEIGHTS:
        schema.add_text_field(f"{field}_stem", tokenizer_name="en_stem")
        schema.add_text_field(f"{field}_ngram", tokenizer_name="ngram")
    index = tantivy.Index(schema.build())
    index.register_tokenizer("ngram", ngram.build())
    writer = index.writer()
    for incident in incidents:
        document = {"id": incident.id}
        for field, said in fields(incident).items():
            text = "\n".join((*said.texts, *dict.fromkeys(said.names)))
            document |= {f"{field}_stem": text, f"{field}_ngram": text}
        writer.add_document(tantivy.Document(**document))
    writer.commit()
    index.reload()
    searcher = index.searcher()
    worth = {f"{field}_{kind}": weight for field, weight in WEIGHTS.items() for kind in ("stem", "ngram")}

    def search(query: str) -> list[str]:
        said = " ".join(word for word in words.split(query) if word not in words.EMPTY)
        parsed, _ = index.parse_query_lenient(said, list(worth), field_boosts=worth)
        hits = searcher.search(parsed, len(incidents)).hits
        return [searcher.doc(address)["id"][0] for _, address in hits]

    return search


def _whoosh(incidents: Sequence[Incident]) -> Search:
    analysis: Any = importlib.import_module("whoosh.analysis")
    whoosh_fields: Any = importlib.import_module("whoosh.fields")
    qparser: Any = importlib.import_module("whoosh.qparser")
    create: Any = importlib.import_module("whoosh.index").create_in
    analyzer = analysis.StandardAnalyzer() | analysis.StemFilter() | analysis.NgramFilter(minsize=2, maxsize=4)
    schema = whoosh_fields.Schema(
        id=whoosh_fields.ID(stored=True),
        **{f"f_{field}": whoosh_fields.TEXT(analyzer, field_boost=worth) for field, worth in WEIGHTS.items()},
    )
    index = create(tempfile.mkdtemp(), schema)
    writer = index.writer()
    for incident in incidents:
        texts = {
            f"f_{field}": "\n".join((*said.texts, *dict.fromkeys(said.names)))
            for field, said in fields(incident).items()
        }
        writer.add_document(id=incident.id, **texts)
    writer.commit()
    searcher = index.searcher()
    parser = qparser.MultifieldParser([f"f_{field}" for field in WEIGHTS], schema, group=qparser.OrGroup)

    def search(query: str) -> list[str]:
        return [hit["id"] for hit in searcher.search(parser.parse(" ".join(words.split(query))), limit=None)]

    return search


def _rapidfuzz(incidents: Sequence[Incident]) -> Search:
    fuzz: Any = importlib.import_module("rapidfuzz.fuzz")
    texts = {
        incident.id: words.normal(
            " ".join(said for text in (incident.title, incident.gist, incident.symptom) for said in (text.en, text.ko))
        )
        for incident in incidents
    }

    def search(query: str) -> list[str]:
        asked = words.normal(query)
        scores = {record: fuzz.partial_token_set_ratio(asked, text) for record, text in texts.items()}
        closer = {record: fuzz.token_set_ratio(asked, text) for record, text in texts.items()}
        return sorted(texts, key=lambda record: (-scores[record], -closer[record]))

    return search


_BARE = Lexicon(vocabulary().model_copy(update={"synonyms": (), "organizations": {}}))
_NAMES = Lexicon(vocabulary().model_copy(update={"synonyms": ()}))

METHODS = (
    Method("stems and Hangul pairs, BM25 1.2/0.5 (the first version)", _bm25(words.terms, 1.2, 0.5)),
    Method("stems and Hangul pairs, BM25 8/0.75", _bm25(words.terms, 8, 0.75)),
    Method("n-grams of 2 to 4 letters, BM25 1.2/0.5", _bm25(lambda text: _ngrams(text, range(2, 5)), 1.2, 0.5)),
    Method("n-grams of 2 to 4 letters, BM25 8/0.75", _bm25(lambda text: _ngrams(text, range(2, 5)), 8, 0.75)),
    Method("kiwipiepy morphemes and stems, BM25 1.2/0.5", _kiwi(1.2, 0.5)),
    Method("kiwipiepy morphemes and stems, BM25 8/0.75", _kiwi(8, 0.75)),
    Method("tantivy, en_stem and n-grams of 2 to 3", _tantivy),
    Method("whoosh-reloaded, stems and n-grams of 2 to 4, BM25F", _whoosh),
    Method("rapidfuzz on title, gist and symptom", _rapidfuzz),
    Method("packaged, without synonyms and organizations", _packaged(_BARE)),
    Method("packaged, without synonyms", _packaged(_NAMES)),
    Method("packaged", _packaged(lexicon())),
)
