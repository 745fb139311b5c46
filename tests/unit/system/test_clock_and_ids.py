"""The clock never goes back and never stands still; ids sort by time and are never the same."""

from __future__ import annotations

import asyncio
import time

import pytest

from sayso.core.moment import Moment
from sayso.system import clock as clock_module
from sayso.system.clock import SystemClock
from sayso.system.ids import SystemIds


class Machine:
    """A machine whose two clocks are set by the test, in seconds."""

    def __init__(self) -> None:
        self.wall = 1000.0
        self.ticks = 5.0

    def time_ns(self) -> int:
        return round(self.wall * 1e9)

    def monotonic_ns(self) -> int:
        return round(self.ticks * 1e9)

    def passes(self, seconds: float) -> None:
        self.wall += seconds
        self.ticks += seconds


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    machine = Machine()
    monkeypatch.setattr(clock_module, "time", machine)
    return machine


def test_the_clock_is_the_wall_clock(machine: Machine) -> None:
    clock = SystemClock()
    assert clock.now() == Moment(1_000_000_000)
    machine.passes(2.5)
    assert clock.now() == Moment(1_002_500_000)
    machine.wall += 3600  # the machine was set right, or slept
    assert clock.now() == Moment(4_602_500_000)


def test_a_clock_set_back_goes_on_slowly_until_it_has_caught_up(machine: Machine) -> None:
    clock = SystemClock()
    machine.wall -= 60
    assert clock.now() == Moment(1_000_000_000)
    machine.passes(10)
    assert clock.now() == Moment(1_005_000_000)
    machine.passes(100)
    assert clock.now() == Moment(1_055_000_000)
    machine.passes(20)
    assert clock.now() == Moment(1_070_000_000) == Moment(round(machine.wall * 1e6))


def test_the_real_clock_is_about_now_and_never_goes_back() -> None:
    clock = SystemClock()
    moments = [clock.now() for _ in range(1000)]
    assert moments == sorted(moments)
    assert abs(moments[-1] / 1e6 - time.time()) < 5


async def test_sleeping_takes_its_time() -> None:
    began = asyncio.get_running_loop().time()
    await SystemClock().sleep(0.02)
    assert asyncio.get_running_loop().time() - began >= 0.019


def test_ids_sort_by_time_and_differ() -> None:
    ids = SystemIds()
    made = [ids.new_id(Moment(1_700_000_000_000_000 + n * 1000)) for n in range(100)]
    assert made == sorted(made)
    assert len({ids.new_id(Moment(5)) for _ in range(100)}) == 100
    assert {len(name) for name in made} == {36}


def test_a_secret_has_32_bytes_of_chance() -> None:
    ids = SystemIds()
    assert len(ids.secret()) == 32
    assert ids.secret() != ids.secret()
