"""Text in either language becomes the terms that search compares: stems of Latin words, pairs of Hangul letters."""

import functools
import re
import unicodedata
from itertools import chain, pairwise

_RUN = re.compile(r"[a-z0-9]+|[가-힣](?:\s*[가-힣])*")
_WORD = re.compile(r"[a-z0-9]+|[가-힣]+")

# They say nothing about an incident, and would make every record a hit.
EMPTY = frozenset(
    _WORD.findall(
        "a about actually after all also always am an and any anyone are as at be because been before both but by can "
        "cannot could did do does due else ever every few for from get gets getting had has have how i if in into is "
        "it its just let look looks made make many may maybe me must my no not of on one or other others our out over "
        "please really s seems should since so some someone still such t than that the their them then there these "
        "they this through to too until up very want was we were what when where which while who why will with "
        "without would yet you your "
        "갑자기 같아요 같은 같은데 거 거의 건 건지 걸 것 게 경우 관련 그 그냥 그대로 그래서 그런 그런데 그렇게 "
        "그리고 근데 까지 나니 나니까 나서 나요 누가 다 다음 대한 대해 더 도중에 돼요 되나요 되는 됩니다 뒤 때 때가 "
        "때는 때마다 때문에 또 많이 매우 몇 모두 모아줘 무슨 뭐 뭐가 뭔가 바로 방법 법 보여줘 부터 사례 수 아까 아주 "
        "안 않아요 알려주세요 알려줘 어디 어떡해 어떤 어떻게 언제 얼마나 에서 왜 우리 위한 위해 으로 이 이나 이런 "
        "이렇게 이유 이후 인가요 인데 인지 있고 있나요 있는 있습니다 있어 있어요 있었나요 있음 자꾸 저 저희 전부 "
        "정도 조금 좀 중 찾아주세요 찾아줘 하고 하나 하나요 하는 하면 하죠 할까요 할지 합니다 해서 해요 했나요 "
        "했는데 했더니 후 "
        # it goes on and passes; one says so of any trouble
        "계속 내내 뚝 확 진짜 도대체 처음엔 지나 지나가면 지나고 지나니 지나니까 지나면 지나면서 지나서 지나자 지난 "
        "지났는데 "
        # what is counted after 한, 두, 세: 한 장, 두 번
        "개가 개를 개만 대가 대는 대도 대를 대만 명이 번만 번에 번은 번이 번째 장도 장만 장은 장을 장이"
    )
)
_ENDINGS = ("ings", "ing", "ions", "ion", "ed", "es", "s", "e")
_SHORTEST = 3  # letters of a stem
_SHORTEST_CORE = 2  # letters of a Hangul word without its particle

_PARTICLES = sorted(
    _WORD.findall(
        "가 과 까지 께서 끼리 는 도 들 들끼리 들도 들만 들은 들을 들의 들이 라고 라도 랑 로 로는 를 마다 만 만큼 "
        "밖에 보다 부터 에 에게 에는 에도 에만 에서 에서는 에서도 에서만 예요 와 요 으로 으로는 으로도 으로만 은 을 "
        "의 이 이고 이나 이라 이라고 이라도 이랑 이며 이면 이야 이에요 인데 입니다 조차 처럼"
    ),
    key=len,
    reverse=True,
)
_PARTICLE_SET = frozenset(_PARTICLES)
# Endings of verbs that no noun has at its end, or only a short one.
_VERB_ENDINGS = sorted(
    _WORD.findall(
        "거든요 고 네요 는데 는데요 니까 다 다가 더니 던 려고 면 면서 습니다 았습니다 어서 아서 어요 아요 었는데 "
        "었습니다 었어요 았어요 요 으니까 으면 으면서 자마자 지만"
    ),
    key=len,
    reverse=True,
)
# What makes a verb of a noun: 재부팅 + 됐습니다.
_VERBAL = re.compile(
    r"(?:했|하|해|돼|됐|되|된|될|할|한|합|됩|시켜|시킨|시켰|당해|당한|당했)"
    r"(?:거나|고|기|나|는|는데|니까|니다|다|다가|다는|대|대요|더니|던|도록|래|래요|려고|며|면|서|습니다|야|어요|었다|요|은데|음|자|지)?$"
)


def normal(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def split(text: str) -> list[str]:
    """Words as typed; where the script changes, a new word begins: `GPU가` are two."""
    return _WORD.findall(normal(text))


def is_hangul(word: str) -> bool:
    return word[0] >= "가"


def is_particle(word: str) -> bool:
    return word in _PARTICLE_SET


def terms(text: str) -> list[str]:
    """All terms of a record's text; Hangul pairs reach across spaces, so that spacing does not matter."""
    found = list[str]()
    for run in _RUN.findall(normal(text)):
        if run[0] >= "가":
            found += pairs("".join(run.split()))
        elif run not in EMPTY:
            found.append(stem(run))
    return found


def of_word(word: str) -> tuple[str, ...]:
    """The terms of one word of a query; none if it says nothing."""
    if word in EMPTY:
        return ()
    if not is_hangul(word):
        return (stem(word),)
    core = bare(word)
    return () if core in EMPTY else tuple(pairs(core))


def pairs(hangul: str) -> list[str]:
    return [one + next_ for one, next_ in pairwise(hangul)]


def bare(word: str) -> str:
    """A Hangul word without its particle, its ending or what makes a verb of it; at least two letters stay."""
    verbal = _VERBAL.search(word)
    if verbal and verbal.start() >= _SHORTEST_CORE:
        return word[: verbal.start()]
    for ending in chain(_PARTICLES, _VERB_ENDINGS):
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_CORE:
            return word.removesuffix(ending)
    return word


@functools.lru_cache(8192)
def stem(word: str) -> str:
    """Enough that drops, dropped and dropping meet; it need not be a word."""
    if not word.isalpha():
        return word[:-1] if word[-1] == "s" and word[-2:-1].isdigit() else word  # H100s
    if word.endswith("ss"):
        return word
    cut = next((word.removesuffix(end) for end in _ENDINGS if word.endswith(end)), word)
    if len(cut) < _SHORTEST:
        return word
    return cut[:-1] if cut[-1] == cut[-2] and len(cut) > _SHORTEST else cut
