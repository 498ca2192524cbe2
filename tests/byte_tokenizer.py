"""A folder with the tokenizer of `copyspan.testing.ByteTokenizer`, as transformers reads it: one token a byte."""

from pathlib import Path

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from copyspan.models.token_bytes import _byte_of_character

_CHAT = "<|im_start|>{{ messages[0]['content'] }}{{ messages[1]['content'] }}<|assistant|>"


def write_byte_tokenizer(folder: Path) -> Path:
    """The folder, made."""
    backend = Tokenizer(models.BPE(vocab=dict(_byte_of_character()), merges=[]))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    # The ids 256, 257 and 258, in this order.
    names = ("<|im_start|>", "<|im_end|>", "<|assistant|>")
    backend.add_special_tokens([AddedToken(name, special=True, normalized=False) for name in names])
    fast = PreTrainedTokenizerFast(tokenizer_object=backend, eos_token="<|im_end|>")
    fast.chat_template = _CHAT
    folder.mkdir(parents=True, exist_ok=True)
    fast.save_pretrained(folder)
    return folder
