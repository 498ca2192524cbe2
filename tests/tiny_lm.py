"""A language model with random weights and a byte-level tokenizer, small enough to build in a test."""

import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

from copyspan.models.tokenizer import ChatTokenizer
from copyspan.models.transformers import TransformersModel

_CORPUS = [
    "def total(items):\n    result = 0\n    for item in items:\n        result += item.price\n    return result\n",
    "class Shop:\n    def __init__(self, name):\n        self.name = name\n\n"
    "    def open(self):\n        return True\n",
    "The quick brown fox jumps over the lazy dog. Instruction: write the file after it.\n```py\n```\n",
]
_CHAT = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n"
    "{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{{ '<|im_start|>assistant\n' }}"
)


def tiny_tokenizer() -> PreTrainedTokenizerFast:
    """Byte-level BPE of about 400 tokens with the special tokens and the chat form of Qwen2.5."""
    backend = Tokenizer(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    backend.train_from_iterator(_CORPUS, trainer)
    names = ("<|im_start|>", "<|im_end|>", "<|endoftext|>")
    backend.add_special_tokens([AddedToken(name, special=True, normalized=False) for name in names])
    fast = PreTrainedTokenizerFast(tokenizer_object=backend, eos_token="<|im_end|>")
    fast.chat_template = _CHAT
    return fast


def tiny_qwen2(vocab_size: int, seed: int = 0) -> Qwen2ForCausalLM:
    """Two layers, grouped heads, float32. Random weights have no near-ties, so that greedy decoding is well defined."""
    torch.manual_seed(seed)
    config = Qwen2Config(
        vocab_size=vocab_size,
        hidden_size=48,
        intermediate_size=96,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=4096,
        initializer_range=0.3,
    )
    return Qwen2ForCausalLM(config).float().eval()


def tiny_model(seed: int = 0, context_size: int = 4096) -> TransformersModel:
    """The two together, behind the engine's protocol."""
    tokenizer = ChatTokenizer(tiny_tokenizer())
    return TransformersModel(tiny_qwen2(len(tokenizer.vocabulary), seed), tokenizer, "tiny", context_size)
