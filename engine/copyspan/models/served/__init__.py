"""A model behind an OpenAI-compatible server (vLLM first), as a strategy wants it: `protocol.LanguageModel`.

Text leaves this machine here and nowhere else. Only a tokenizer is needed locally; nothing in here imports torch.

    address     which servers may be talked to           link     requests: retries, deadlines, cancelling
    replies     what comes back, checked                 abilities what a server can do, asked when it is connected
    foresight   what is known of the text that follows   model    all of that as one model
    shared      what the models of several threads have in common
"""

from copyspan.models.served.address import Address, check_address
from copyspan.models.served.connect import connect
from copyspan.models.served.link import Link, Patience
from copyspan.models.served.model import ServedModel, Traffic
from copyspan.models.served.shared import shared_tokenizer

__all__ = ["Address", "Link", "Patience", "ServedModel", "Traffic", "check_address", "connect", "shared_tokenizer"]
