"""The metrics of several processes as one text."""

from appfunctions_mcp.server.worker_metrics import MetricsText

FIRST = """\
# HELP calls_total Calls.
# TYPE calls_total counter
calls_total{function="a b",outcome="success"} 3
calls_total{function="a b",outcome="error"} 1
# HELP running Calls that run.
# TYPE running gauge
running 2
# HELP seconds How long.
# TYPE seconds histogram
seconds_bucket{le="0.1"} 2
seconds_bucket{le="+Inf"} 4
seconds_sum 0.75
seconds_count 4
"""
SECOND = """\
# HELP calls_total Calls.
# TYPE calls_total counter
calls_total{function="c",outcome="success"} 5
calls_total{function="a b",outcome="success"} 4
# HELP running Calls that run.
# TYPE running gauge
running 1
# HELP seconds How long.
# TYPE seconds histogram
seconds_bucket{le="0.1"} 1
seconds_bucket{le="+Inf"} 1
seconds_sum 0.5
seconds_count 1
"""


def test_equal_series_are_added_up_and_each_head_stands_once() -> None:
    assert str(MetricsText(FIRST, SECOND)) == (
        "# HELP calls_total Calls.\n"
        "# TYPE calls_total counter\n"
        'calls_total{function="a b",outcome="success"} 7\n'
        'calls_total{function="a b",outcome="error"} 1\n'
        'calls_total{function="c",outcome="success"} 5\n'
        "# HELP running Calls that run.\n"
        "# TYPE running gauge\n"
        "running 3\n"
        "# HELP seconds How long.\n"
        "# TYPE seconds histogram\n"
        'seconds_bucket{le="0.1"} 3\n'
        'seconds_bucket{le="+Inf"} 5\n'
        "seconds_sum 1.25\n"
        "seconds_count 5\n"
    )


def test_of_a_process_that_has_ended_only_the_totals_remain() -> None:
    text = MetricsText()
    text.add(FIRST, totals_only=True)
    lines = str(text).splitlines()
    assert 'calls_total{function="a b",outcome="success"} 3' in lines
    assert "seconds_count 4" in lines
    assert not [line for line in lines if line.startswith("running")]


def test_one_text_comes_out_as_it_went_in() -> None:
    assert str(MetricsText(FIRST)) == FIRST
    assert str(MetricsText("", FIRST, "")) == FIRST
    assert str(MetricsText()) == ""
