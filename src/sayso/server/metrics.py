"""The counts of this process in the words of Prometheus (AUD-5)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector

from sayso.broker.meter import WAITS, Meter

MEDIA_TYPE = CONTENT_TYPE_LATEST


class _Counts(Collector):
    def __init__(self, meter: Meter, pending: int) -> None:
        self._meter = meter
        self._pending = pending

    def collect(self) -> Iterator[Metric]:
        meter = self._meter
        checks = CounterMetricFamily(
            "sayso_checks", "Verdicts on calls.", labels=["effect", "reason"]
        )
        for (effect, reason), count in sorted(meter.checks.items()):
            checks.add_metric([effect, reason], count)
        yield checks
        resolutions = CounterMetricFamily(
            "sayso_resolutions", "How requests ended.", labels=["reason"]
        )
        for reason, count in sorted(meter.resolutions.items()):
            resolutions.add_metric([reason], count)
        yield resolutions
        steps = [*map(str, WAITS), "+Inf"]
        yield HistogramMetricFamily(
            "sayso_answer_seconds",
            "How long requests waited that a person answered.",
            buckets=list(zip(steps, accumulate(meter.waits), strict=True)),
            sum_value=meter.waited,
        )
        yield GaugeMetricFamily(
            "sayso_pending_requests", "Requests that wait for people now.", value=self._pending
        )


def exposition(meter: Meter, pending: int) -> bytes:
    """The text that Prometheus reads; `pending` is how many requests wait now."""
    registry = CollectorRegistry()
    registry.register(_Counts(meter, pending))
    return generate_latest(registry)
