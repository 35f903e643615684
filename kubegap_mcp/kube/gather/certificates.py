"""When the authorities of a CA bundle begin and end; nothing else of them is kept."""

import base64

from kubegap_mcp.kube.wire.admission import Trust


def trust_in(bundle: str) -> Trust:
    """The certificate that ends last, or nothing where the bundle holds none that can be read."""
    # Loaded here and not with the module: it takes a tenth of a second, and most questions need no certificate.
    from cryptography import x509  # noqa: PLC0415

    try:
        certificates = x509.load_pem_x509_certificates(base64.b64decode(bundle))
        last = max(certificates, key=lambda certificate: certificate.not_valid_after_utc)
        return Trust(not_before=last.not_valid_before_utc, not_after=last.not_valid_after_utc)
    except (ValueError, x509.InvalidVersion):
        return Trust()
