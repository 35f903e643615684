"""An authority of one's own, with a server certificate for loopback and a client certificate."""

import ssl
import tempfile
from datetime import UTC, datetime, timedelta
from functools import cache
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from fake_apiserver import Tls

SERVER_NAME = "kubernetes.test"


@cache
def made() -> Tls:
    """One for the whole run. The authority lacks extensions that a strict reading asks for, as real ones do."""
    authority_key = ec.generate_private_key(ec.SECP256R1())
    authority = _certificate("fake authority", authority_key, None, authority_key, ca=True)
    key = ec.generate_private_key(ec.SECP256R1())
    client_key = ec.generate_private_key(ec.SECP256R1())
    return Tls(
        authority=_pem(authority),
        certificate=_pem(_certificate("fake server", key, authority, authority_key, ca=False)),
        key=_key_pem(key),
        client_certificate=_pem(_certificate("engineer", client_key, authority, authority_key, ca=False)),
        client_key=_key_pem(client_key),
    )


def server_context(tls: Tls, *, client_certificates: bool) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.TemporaryDirectory() as directory:
        for name, content in (("server.crt", tls.certificate), ("server.key", tls.key)):
            Path(directory, name).write_bytes(content)
        context.load_cert_chain(f"{directory}/server.crt", f"{directory}/server.key")
    if client_certificates:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(cadata=tls.authority.decode())
    return context


def _certificate(
    name: str,
    key: ec.EllipticCurvePrivateKey,
    authority: x509.Certificate | None,
    authority_key: ec.EllipticCurvePrivateKey,
    *,
    ca: bool,
) -> x509.Certificate:
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    names = [x509.IPAddress(ip_address("127.0.0.1")), x509.DNSName("localhost"), x509.DNSName(SERVER_NAME)]
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(authority.subject if authority else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
    )
    if not ca:
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    return builder.sign(authority_key, hashes.SHA256())


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


def _key_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
