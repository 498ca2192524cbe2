"""Which servers a document may be sent to."""

import pytest

from copyspan.errors import UsageError
from copyspan.models.served import check_address


@pytest.mark.parametrize(
    ("url", "checked", "host"),
    [
        ("http://localhost:8000", "http://localhost:8000/v1", "localhost:8000"),
        ("http://127.0.0.1:8000/v1/", "http://127.0.0.1:8000/v1", "127.0.0.1:8000"),
        ("http://[::1]:8000/v1", "http://[::1]:8000/v1", "[::1]:8000"),
        (" https://llm.example.org/team/v1 ", "https://llm.example.org/team/v1", "llm.example.org"),
        ("https://LLM.example.org", "https://llm.example.org/v1", "llm.example.org"),
    ],
)
def test_an_address_is_checked_and_completed(url: str, checked: str, host: str) -> None:
    address = check_address(url)

    assert (address.url, address.host) == (checked, host)


@pytest.mark.parametrize("url", ["", "localhost:8000", "ftp://host/v1", "http://", "http://host:port/v1", "/v1"])
def test_what_is_no_url_is_refused_with_an_example(url: str) -> None:
    with pytest.raises(UsageError, match="http://localhost:8000/v1"):
        check_address(url)


@pytest.mark.parametrize("url", ["http://10.0.0.7:8000/v1", "http://gpu-box/v1", "http://localhost.example.org"])
def test_plain_http_to_another_machine_has_to_be_allowed(url: str) -> None:
    with pytest.raises(UsageError, match=r"not encrypted.*allowPlainHttp"):
        check_address(url)

    assert check_address(url, allow_plain_http=True).url.startswith("http://")


@pytest.mark.parametrize("url", ["https://me:secret@host/v1", "https://secret@host/v1"])
def test_a_password_in_the_url_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(UsageError, match="COPYSPAN_API_KEY") as caught:
        check_address(url)

    assert "secret" not in str(caught.value)


def test_a_part_after_the_path_is_refused() -> None:
    with pytest.raises(UsageError, match="after its path"):
        check_address("https://host/v1?key=secret")


def test_the_paths_beside_the_api_start_at_the_root() -> None:
    assert check_address("https://host/team/v1").root == "https://host/team"
