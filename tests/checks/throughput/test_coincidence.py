"""What moved with throughput is ranked by how well onsets and recoveries coincide, and nothing else is."""

from collections.abc import Callable
from random import Random

import pytest

from kubegap_checks.throughput.coincidence import SCORE_TELLING, Coincident, Happening, Signal, coincident
from kubegap_checks.throughput.series import Series
from kubegap_checks.throughput.shape import shape_of

START = 1_760_000_000.0
STEP_S = 60
SIZE = 900
STORAGE = ((80, 12), (150, 25), (310, 8), (390, 18))  # (begin, length): data is fetched back from the slow tier
LOADER = ((520, 5), (590, 9), (640, 6), (700, 12), (735, 7), (790, 14), (835, 10), (870, 12))  # sharper and denser


def _series(value: Callable[[int], float], size: int = SIZE) -> Series:
    return Series(START, STEP_S, tuple(value(at) for at in range(size)))


def _throughput(*spells: tuple[tuple[tuple[int, int], ...], float], size: int = SIZE) -> Series:
    random = Random(7)  # noqa: S311 (drawn to be the same each time)
    left = {at: share for group, share in spells for begin, length in group for at in range(begin, begin + length)}
    return _series(lambda at: 13_800 * left.get(at, 1.0) * (1 + random.gauss(0, 0.01)), size)


def _times(share: Callable[[int], float]) -> Series:
    return Series(START, STEP_S, tuple((value or 0) * share(at) for at, value in enumerate(_throughput().values)))


def _spiking(spells: tuple[tuple[int, int], ...], lag: int = 0, seed: int = 1) -> Series:
    random = Random(seed)  # noqa: S311
    high = {at + lag for begin, length in spells for at in range(begin, begin + length)}
    return _series(lambda at: (0.004 if at in high else 0.0004) * random.uniform(0.6, 1.4))


def _random(seed: int = 2) -> Series:
    random = Random(seed)  # noqa: S311
    return _series(lambda _: random.random())


def _signal(name: str, series: Series) -> Signal:
    return Signal(name=name, subject="Node/gpu-0007", series=series)


def _names(found: tuple[Coincident, ...]) -> list[str]:
    return [one.signal for one in found]


def test_storage_collapses_rank_disk_read_latency_first():
    throughput = _throughput((STORAGE, 0.5))
    memory = _series(lambda at: 1e9 + at)
    signals = [
        _signal("link errors", _random()),
        _signal("shared memory", memory),
        _signal("disk read latency", _spiking(STORAGE)),
    ]
    found = coincident(throughput, shape_of(throughput), signals)
    assert found[0].signal == "disk read latency"
    assert found[0].score > 0.9
    assert (found[0].onset_lag_s, found[0].held, found[0].dips) == (0, 4, 4)


def test_sharper_collapses_with_clean_hardware_do_not_rank_storage():
    throughput = _throughput((LOADER, 0.2))
    signals = [
        _signal("disk read latency", _spiking(())),
        _signal("shared memory", _series(lambda at: 1e9 + 1e6 * max(0, at - 400))),
    ]
    assert _names(coincident(throughput, shape_of(throughput), signals)) == ["shared memory"]


def test_a_signal_that_explains_half_says_until_when_it_did():
    throughput = _throughput((STORAGE, 0.5), (LOADER, 0.2))
    [latency] = coincident(throughput, shape_of(throughput), [_signal("disk read latency", _spiking(STORAGE))])
    assert (latency.held, latency.dips) == (4, 12)
    assert latency.score < 0.9
    assert latency.last_held == START + (390 + 18) * STEP_S


@pytest.mark.parametrize("lag", [-5, 5])
def test_a_lag_is_the_signal_minus_the_throughput(lag: int):
    throughput = _throughput((STORAGE, 0.5))
    [found] = coincident(throughput, shape_of(throughput), [_signal("latency", _spiking(STORAGE, lag))])
    assert found.onset_lag_s == pytest.approx(lag * STEP_S, abs=2 * STEP_S)


def test_a_signal_that_falls_counts_like_one_that_rises():
    throughput = _throughput((STORAGE, 0.5))
    clocks = Series(START, STEP_S, tuple(2000 - 1e5 * (value or 0) for value in _spiking(STORAGE).values))
    assert coincident(throughput, shape_of(throughput), [_signal("GPU clocks", clocks)])[0].score > 0.9


def test_what_moves_all_the_time_scores_low():
    throughput = _throughput((STORAGE, 0.5))
    random = Random(5)  # noqa: S311
    everywhere = tuple((begin, 10) for begin in range(10, SIZE, 35))
    walk = [0.0]
    for _ in range(SIZE):
        walk.append(walk[-1] + random.gauss(0, 1))
    signals = [
        _signal("noise", _random()),
        _signal("spikes", _spiking(tuple({*everywhere, *STORAGE}))),
        _signal("walk", _series(lambda at: walk[at])),
        _signal("nothing", _series(lambda _: 0.0)),
    ]
    assert all(one.score < 0.45 for one in coincident(throughput, shape_of(throughput), signals))


def test_a_step_asks_for_a_step_and_not_for_a_drift():
    values = _throughput().values
    throughput = Series(
        START, STEP_S, tuple(value and value * (0.8 if at >= 500 else 1) for at, value in enumerate(values))
    )
    clocks = _series(lambda at: 1980.0 if at < 501 else 1410.0)
    drift = _series(lambda at: 40 + at / 100)
    found = coincident(throughput, shape_of(throughput), [_signal("drift", drift), _signal("GPU clocks", clocks)])
    assert found[0].signal == "GPU clocks"
    assert found[0].score > 0.9
    assert all(one.score < 0.4 for one in found[1:])


def test_a_happening_at_the_onset_counts_and_a_frequent_one_does_not():
    values = _throughput().values
    throughput = Series(
        START, STEP_S, tuple(value and value * (0.8 if at >= 500 else 1) for at, value in enumerate(values))
    )
    onset = START + 500 * STEP_S
    found = coincident(
        throughput,
        shape_of(throughput),
        (),
        [
            Happening(name="node change", subject="Node/gpu-0007", times=(onset - 90,)),
            Happening(name="eviction", subject="team-a", times=tuple(START + 900 * n for n in range(60))),
            Happening(name="reboot", subject="Node/gpu-0001", times=(START + 100 * STEP_S,)),
        ],
    )
    assert _names(found) == ["node change"]
    assert found[0].onset_lag_s == pytest.approx(-90, abs=3 * STEP_S)


def test_what_only_drifts_beside_a_decay_counts_half_at_most():
    values = _throughput().values
    throughput = Series(
        START, STEP_S, tuple(value and value * (1 - 0.3 * at / SIZE) for at, value in enumerate(values))
    )
    assert shape_of(throughput).id == "slow_decay"
    [found] = coincident(throughput, shape_of(throughput), [_signal("memory", _series(float)), _signal("n", _random())])
    assert (found.signal, found.score, found.onset_lag_s) == ("memory", 0.5, None)


def test_another_step_and_another_start_are_lined_up_by_time():
    throughput = _throughput((STORAGE, 0.5))
    fine = _spiking(STORAGE).values
    coarse = Series(START - 3000, 120, (None,) * 25 + fine[::2])
    assert coincident(throughput, shape_of(throughput), [_signal("latency", coarse)])[0].score > 0.8


def test_few_points_score_low():
    throughput = _throughput((STORAGE, 0.5))
    sparse = Series(
        START, STEP_S, tuple(v if at in {85, 500, 700} else None for at, v in enumerate(_spiking(STORAGE).values))
    )
    assert coincident(throughput, shape_of(throughput), [_signal("latency", sparse)]) == ()


def test_a_steady_series_has_nothing_to_coincide_with():
    throughput = _throughput()
    assert coincident(throughput, shape_of(throughput), [_signal("latency", _spiking(STORAGE))]) == ()


def test_the_order_does_not_depend_on_the_order_asked():
    throughput = _throughput((STORAGE, 0.5))
    signals = [_signal("b", _spiking(STORAGE)), _signal("a", _spiking(STORAGE)), _signal("c", _spiking(STORAGE, 3))]
    shape = shape_of(throughput)
    assert coincident(throughput, shape, signals) == coincident(throughput, shape, signals[::-1])


def test_what_began_and_ended_with_a_fall_that_passed_ranks_before_what_only_drifts():
    throughput = _throughput((((300, 240),), 0.5))
    shape = shape_of(throughput)
    assert shape.id == "passing_fall"
    signals = [
        _signal("latency", _spiking(((300, 240),), 1)),
        _signal("slowly up and down", _series(lambda at: -abs(at - 420))),
        _signal("noise", _random()),
    ]
    found = coincident(throughput, shape, signals)
    assert found[0].signal == "latency"
    assert (found[0].score > 0.9, found[0].held, found[0].dips) == (True, 1, 1)
    assert all(one.score < SCORE_TELLING for one in found[1:])
