"""What a deadline ends: a start that is under way too, from its first moment on."""

import threading

import pytest

from kubegap_mcp.transport.deadline import Deadline, DeadlineError


def test_an_abort_in_the_middle_of_a_start_stops_what_was_started():
    deadline = Deadline(10)
    begun, go_on, stopped = threading.Event(), threading.Event(), threading.Event()

    def start() -> threading.Event:
        begun.set()
        go_on.wait(5)
        return stopped

    def work() -> None:
        with deadline.starting(start, threading.Event.set):
            stopped.wait(5)

    worker = threading.Thread(target=work)
    ending = threading.Thread(target=deadline.abort)
    worker.start()
    assert begun.wait(5)
    ending.start()
    ending.join(0.05)
    assert ending.is_alive()  # who ends everything must not be gone before the start is known
    go_on.set()
    for thread in (ending, worker):
        thread.join(5)
    assert stopped.is_set()


def test_nothing_is_started_after_an_abort():
    deadline = Deadline(10)
    deadline.abort()
    with pytest.raises(DeadlineError), deadline.starting(lambda: pytest.fail("started"), lambda _: None):
        pass
