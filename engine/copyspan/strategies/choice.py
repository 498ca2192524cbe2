"""Which strategy an edit gets where nobody has chosen one. Pure; what is known of each is in LOG.md."""

from copyspan.config import StrategyName


def choose(has_adapter: bool, is_served: bool) -> StrategyName:
    """The strategy that suits a model: `has_adapter` says whether it was taught to write programs, `is_served` whether
    a server runs it.

    Programs are asked for where rewriting is in doubt, and only in this process: a server is sent the document once
    more for every further judgement. Never does a program stand alone: it writes at a wrong place too often, and in
    long documents, where rewriting has no room, almost always.
    """
    return "ensemble" if has_adapter and not is_served else "verified"
