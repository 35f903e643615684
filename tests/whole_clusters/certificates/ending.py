"""A CA that is about to end."""

import base64
from datetime import timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from tests.whole_clusters.objects import NOW


def bundle() -> str:
    """As `caBundle` carries it: made a year ago, and with a week to go."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "webhook-ca")])
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    made = made.serial_number(1).not_valid_before(NOW - timedelta(days=358)).not_valid_after(NOW + timedelta(days=7))
    return base64.b64encode(made.sign(key, hashes.SHA256()).public_bytes(Encoding.PEM)).decode()
