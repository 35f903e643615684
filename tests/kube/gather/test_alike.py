"""Parts in the same words are built once; what was lost of one is lost each time."""

from kubegap_mcp.kube.gather import alike
from kubegap_mcp.kube.gather.alike import Alike
from kubegap_mcp.kube.gather.lenient import Losses

BUILT: list[str] = []


def built(words: str, losses: Losses, *, lost: bool = False) -> list[str]:
    def build() -> list[str]:
        BUILT.append(words)
        if lost:
            losses.add()
        return [words]

    return PARTS.of(words, build, losses)


PARTS = Alike[list[str]]()


def test_the_same_words_are_one_object():
    BUILT.clear()
    losses = Losses()

    assert built("a", losses) is built("a", losses)
    assert built("b", losses) == ["b"]
    assert BUILT == ["a", "b"]


def test_one_of_which_something_was_lost_is_built_again_and_says_so():
    losses = Losses()
    built("c", losses, lost=True)
    built("c", losses, lost=True)

    assert losses.count == 2


def test_neither_large_parts_nor_many_are_kept():
    losses = Losses()
    large = "x" * (alike._LARGEST + 1)  # noqa: SLF001
    assert built(large, losses) is not built(large, losses)

    for number in range(alike._MOST + 2):  # noqa: SLF001
        built(str(number), losses)
    assert len(PARTS._built) <= alike._MOST  # noqa: SLF001
