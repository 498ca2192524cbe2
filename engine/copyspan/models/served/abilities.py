"""What a server can do, and which strategies that is enough for. Pure."""

from dataclasses import dataclass

from copyspan.models.protocol import Adapter


@dataclass(frozen=True, slots=True)
class Abilities:
    """What was seen when the server was connected."""

    server: str
    """Its kind and version, such as "vLLM 0.32.0", for people."""
    context_size: int
    """The most tokens of prompt and answer."""
    scores_prompts: bool
    """Whether it tells how likely the tokens of a prompt are: what stays is then verified in large pieces, and other
    answers can be searched for. Without it everything is written by the server, token by token."""
    obeys_allowed: bool
    """Whether it can be told which tokens may come next, which programs need where the model wants another one."""
    keeps_prefixes: bool | None
    """Whether it keeps the keys and values of a prompt for the next one; None where it does not say."""
    adapter: Adapter | None = None
    """The adapter for programs that it serves beside the model."""

    @property
    def way(self) -> str:
        """How edits are made, in a sentence for people."""
        if self.scores_prompts:
            return "The server verifies what stays in large pieces, and writes what is new."
        return "The server tells no probabilities of given text, so that it writes everything anew."
