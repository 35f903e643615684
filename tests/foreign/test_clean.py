import pytest

from kubegap_mcp.foreign.clean import CUT, Names, clean, sentence, short_hash, without_credentials


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        pytest.param("NVIDIA-H100-80GB-HBM3", "NVIDIA-H100-80GB-HBM3", id="plain text stays"),
        pytest.param("한글 이름", "한글 이름", id="Korean stays"),
        pytest.param("line one\r\nline\ttwo\u2028end", "line one  line two end", id="line ends become spaces"),
        pytest.param("\x1b[31mred\x1b[0m\x00\x07", "[31mred[0m", id="control characters go"),
        pytest.param("gpu\u202e-evil\u2066x\u2069", "gpu-evilx", id="bidirectional characters go"),
        pytest.param("a\u200bb\u200dc\ufeffd", "abcd", id="zero-width characters go"),
        pytest.param("a\u3164\u115fb\U000e0041\ufe0f\u034fc", "abc", id="letters that draw nothing go"),
        pytest.param("a\u00a0b\u3000c", "a b c", id="odd spaces become spaces"),
        pytest.param("\ud800x\ue000", "x", id="surrogates and private letters go"),
    ],
)
def test_only_what_is_seen_remains(text, cleaned):
    assert clean(text) == cleaned


def test_a_long_text_is_cut_and_shows_it():
    assert clean("x" * 10, 10) == "x" * 10
    assert clean("x" * 11, 10) == "x" * 9 + CUT


def test_a_text_with_much_that_is_not_seen_still_shows_that_it_was_cut():
    assert clean("\u200b" * 1_000_000 + "x", 10).endswith(CUT)


def test_a_hash_is_short_stable_and_stays_itself():
    hashed = short_hash("example-bucket")
    assert hashed == short_hash("example-bucket") != short_hash("other-bucket")
    assert len(hashed) == 9
    assert short_hash(hashed) == hashed


def test_hosts_and_credentials_in_urls_are_hidden_unless_names_are_shown():
    url = "s3://user:secret@example-bucket/data and gs://b"
    hidden = Names().without_authority(url)
    assert "example-bucket" not in hidden
    assert "secret" not in hidden
    assert hidden.startswith("s3://#")
    assert Names().without_authority(hidden) == hidden
    assert Names(shown=True).without_authority(url) == "s3://example-bucket/data and gs://b"


def test_what_follows_the_path_of_a_url_is_gone():
    url = "https://account.example/data/x?sv=1&sig=secret#part s3://b?token=secret and gs://b/d"
    for names in (Names(), Names(shown=True)):
        kept = names.without_authority(url)
        assert "secret" not in kept
        assert "/data/x s3://" in kept
        assert kept.endswith("/d")
        assert names.without_authority(kept) == kept


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param("kubelet is posting ready status", "kubelet is posting ready status", id="what says nothing"),
        pytest.param('secret "team" not found', 'secret "team" not found', id="a secret's name"),
        pytest.param(
            'Get "https://ann:pw@registry.example/v2/?token=t&x=1": EOF',
            'Get "https://…@registry.example/v2/?…": EOF',
            id="a URL with everything",
        ),
        pytest.param("redis://:pw@meta:6379/1 refused", "redis://…@meta:6379/1 refused", id="a password alone"),
        pytest.param("exec mount -o password=hunter2,ro", "exec mount -o password=…,ro", id="an option"),
        pytest.param('{"api_key": "abc", "x": 1}', '{"api_key": "…", "x": 1}', id="JSON stays JSON"),
        pytest.param("Authorization: Bearer abcdefgh.ijk", "Authorization: Bearer …", id="a bearer token"),
        pytest.param(
            "Authorization: Basic dXNlcjpwdw== refused", "Authorization: Basic … refused", id="a user and password"
        ),
        pytest.param("basic authentication failed", "basic authentication failed", id="words about them"),
        pytest.param("run mount --token abc --ro", "run mount --token … --ro", id="a flag"),
        pytest.param("needs --token --ro", "needs --token --ro", id="a flag without a value"),
        pytest.param("AWS_SECRET_ACCESS_KEY=abc exit 1", "AWS_SECRET_ACCESS_KEY=… exit 1", id="a variable"),
        pytest.param("is this ready? see https://x/y", "is this ready? see https://x/y", id="a question"),
    ],
)
def test_what_a_program_says_is_told_without_credentials(text, told):
    assert sentence(text) == told
    assert without_credentials(told) == told


def test_a_message_without_end_is_looked_at_in_part():
    assert len(sentence("://a:" + "b.-" * 500_000 + "@c")) == 300
    assert len(sentence("token=" + "a.b-" * 1_000_000)) <= 300
