"""The examples of all docstrings, and that everything public has one."""

from __future__ import annotations

import doctest
import inspect

import numpy as np
import pytest

import extricate as ex


def documented() -> list[tuple[str, str]]:
    found = [("extricate", ex.__doc__ or "")]
    for name in ex.__all__:
        item = getattr(ex, name)
        found.append((name, item.__doc__ or ""))
        if inspect.isclass(item):
            for own, member in vars(item).items():
                text = getattr(member, "__doc__", None) or ""
                if not own.startswith("_") and (callable(member) or isinstance(member, (staticmethod, classmethod))):
                    found.append((f"{name}.{own}", text))
    return found


@pytest.mark.parametrize(("name", "text"), documented(), ids=lambda value: str(value).split("\n")[0][:40])
def test_an_example_prints_what_it_says(name: str, text: str) -> None:
    assert text.strip(), f"{name} has no documentation"
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    with np.printoptions(legacy=False):
        result = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test)
    assert result.failed == 0


def test_every_function_and_class_has_an_example() -> None:
    missing = [name for name, text in documented() if "." not in name and ">>>" not in text]
    assert not missing
