"""How a server is reached: whom TLS trusts, and what a proxy is told."""

import ssl
from typing import TYPE_CHECKING, cast
from urllib.parse import unquote, urlsplit

import urllib3
from urllib3.util import create_urllib3_context, make_headers

if TYPE_CHECKING:
    from collections.abc import Mapping


def tls_context(*, verify: bool = True, own_authority: bool) -> ssl.SSLContext:
    """Trust as kubectl has it: Python 3.13 would refuse the CA certificates that many clusters made for themselves.

    They lack extensions that RFC 5280 asks for (VERIFY_X509_STRICT): https://github.com/python/cpython/issues/107361
    With an authority of one's own, which the caller adds, those of the machine are not trusted.
    """
    context = create_urllib3_context(cert_reqs=ssl.CERT_REQUIRED if verify else ssl.CERT_NONE)
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    if verify and not own_authority:
        context.load_default_certs()
    if not verify:
        # Said by the person in the kubeconfig; a warning for each connection would tell them nothing new.
        urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
    return context


def proxy_headers(proxy: str) -> "Mapping[str, str] | None":
    """A proxy's user and password, which urllib3 leaves out of its URL's reading."""
    try:
        parts = urlsplit(proxy)
    except ValueError:
        return None  # refused where it is used
    if not parts.username:
        return None
    pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return cast("Mapping[str, str]", make_headers(proxy_basic_auth=pair))
