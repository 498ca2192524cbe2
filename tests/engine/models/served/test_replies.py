"""What a server sends back: read where it is right, refused in words where it is not."""

import json

import pytest

from copyspan.errors import ServerMisfit, ServerUnreachable
from copyspan.models.served.replies import Prediction, read_completion, read_failure, read_models


def completion(**choice: object) -> bytes:
    return json.dumps({"choices": [{"finish_reason": "length", "token_ids": [5], **choice}]}).encode()


def test_of_equally_likely_tokens_the_lower_id_is_the_choice() -> None:
    assert Prediction.of({9: -0.5, 4: -0.5, 7: -2.0}).best == 4


def test_what_was_written_is_the_choice_whatever_rounding_says() -> None:
    reply = read_completion(
        completion(logprobs={"tokens": ["token_id:5"], "top_logprobs": [{"token_id:5": -0.7, "token_id:6": -0.6}]})
    )

    assert reply.written[0].best == 5


def test_ids_are_read_from_the_names_where_no_list_tells_them() -> None:
    reply = read_completion(completion(token_ids=None, logprobs={"tokens": ["token_id:5"], "top_logprobs": [{}]}))

    assert reply.tokens == (5,)


def test_of_tokens_that_are_named_by_their_text_the_written_ones_are_known() -> None:
    reply = read_completion(completion(logprobs={"tokens": ["the"], "token_logprobs": [-0.25]}))

    assert reply.written == (Prediction(((5, -0.25),)),)


@pytest.mark.parametrize(
    "choice",
    [
        {"token_ids": None},
        {"token_ids": None, "logprobs": {"tokens": ["the"], "top_logprobs": [{"the": -0.1}]}},
    ],
)
def test_text_without_ids_is_no_answer(choice: dict[str, object]) -> None:
    with pytest.raises(ServerMisfit, match="token"):
        _ = read_completion(completion(**choice)).tokens


@pytest.mark.parametrize(
    "logprobs",
    [
        None,
        {"tokens": ["token_id:5"]},
        {"tokens": ["token_id:5"], "top_logprobs": [None]},
        {"tokens": [], "top_logprobs": []},
        {"tokens": ["the"], "top_logprobs": [{"the": -0.1}]},
        {"tokens": ["the"], "token_logprobs": [None]},
    ],
)
def test_an_answer_without_probabilities_is_refused(logprobs: object) -> None:
    with pytest.raises(ServerMisfit):
        _ = read_completion(completion(logprobs=logprobs)).written


@pytest.mark.parametrize("data", [b"", b"<html>SECRET</html>", b"[]", b'{"choices": []}', b'{"choices": "SECRET"}'])
def test_another_kind_of_reply_is_refused_without_repeating_it(data: bytes) -> None:
    with pytest.raises(ServerMisfit, match="OpenAI-compatible") as caught:
        read_completion(data)

    assert "SECRET" not in str(caught.value)
    assert caught.value.__suppress_context__


def test_scores_of_another_prompt_are_refused() -> None:
    reply = read_completion(completion(prompt_logprobs=[None, {"5": {"logprob": -0.1, "rank": 1}}]))

    assert reply.prompt(2) == (None, Prediction(((5, -0.1),)))
    with pytest.raises(ServerMisfit, match="2 tokens of a prompt of 3"):
        reply.prompt(3)


def test_an_answer_that_the_server_gave_up_is_no_answer() -> None:
    with pytest.raises(ServerUnreachable, match="gave up"):
        _ = read_completion(completion(finish_reason="abort")).stopped_by_itself


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'{"error": {"message": "too long", "code": 400}}', "too long"),
        (b'{"error": "Unauthorized"}', "Unauthorized"),
        (b'{"message": "no such\\nmodel"}', "no such model"),
        (b'{"detail": "Not Found"}', "Not Found"),
        (b'{"detail": [{"input": "SECRET"}]}', ""),
        (b'{"error": {"message": "bad prompt [1, [2], 3] here"}}', "bad prompt [] here"),
        (b"<html>SECRET</html>", ""),
    ],
)
def test_what_a_server_says_is_told_without_what_it_was_sent(data: bytes, said: str) -> None:
    assert read_failure(data) == said


def test_a_list_of_models_needs_names() -> None:
    assert [card.id for card in read_models(b'{"data": [{"id": "a", "object": "model"}]}').data] == ["a"]
    with pytest.raises(ServerMisfit, match="data"):
        read_models(b'{"models": []}')
