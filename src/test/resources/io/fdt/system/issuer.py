"""An issuer of tokens, and an authority of certificates, in the current directory.

    issuer.py keys ID                                  an issuer's key: ID.pem, and all public ones: jwks.json
    issuer.py certificate                              an authority and what it gave localhost: ca.pem, host.pem, host.key
    issuer.py pyjwt|scitokens ID AUDIENCE SECONDS SCOPE   prints a token, which expires after this time
"""

import datetime
import json
import os
import sys
import time

import jwt
import scitokens
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

ISSUER = "https://issuer.example.org/"
PRIVATE = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())


def replace(name, data):
    with open(os.open(name + ".new", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(data)
    os.replace(name + ".new", name)


def keys(identifier):
    key = ec.generate_private_key(ec.SECP256R1())
    replace(identifier + ".pem", key.private_bytes(*PRIVATE))
    public = json.loads(jwt.algorithms.ECAlgorithm.to_jwk(key.public_key()))
    public.update(kid=identifier, alg="ES256", use="sig")
    replace("jwks.json", json.dumps({"keys": [public]}).encode())


def certificate():
    now = datetime.datetime.now(datetime.timezone.utc)

    def signed(name, key, issuer, issuer_key, extension):
        builder = x509.CertificateBuilder(
            issuer_name=issuer,
            subject_name=name,
            public_key=key.public_key(),
            serial_number=x509.random_serial_number(),
            not_valid_before=now - datetime.timedelta(hours=1),
            not_valid_after=now + datetime.timedelta(days=1),
        )
        return builder.add_extension(extension, critical=False).sign(issuer_key, hashes.SHA256())

    def called(name):
        return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])

    authority, host = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    top = called("authority of a test")
    own = signed(top, authority, top, authority, x509.BasicConstraints(ca=True, path_length=None))
    given = signed(called("host"), host, top, authority, x509.SubjectAlternativeName([x509.DNSName("localhost")]))
    replace("ca.pem", own.public_bytes(serialization.Encoding.PEM))
    replace("host.key", host.private_bytes(*PRIVATE))
    replace("host.pem", given.public_bytes(serialization.Encoding.PEM))


def token(library, identifier, audience, seconds, scope):
    with open(identifier + ".pem") as file:
        key = file.read()
    now = int(time.time())
    if library == "pyjwt":
        claims = {"iss": ISSUER, "sub": "ana", "aud": audience, "iat": now - 300, "nbf": now - 300}
        claims.update({"exp": now + int(seconds), "scope": scope, "wlcg.ver": "1.0"})
        return jwt.encode(claims, key, "ES256", headers={"kid": identifier})
    private = serialization.load_pem_private_key(key.encode(), None)
    made = scitokens.SciToken(key=private, key_id=identifier, algorithm="ES256")
    made.update_claims({"sub": "ana", "aud": audience, "scope": scope, "ver": "scitokens:2.0"})
    return made.serialize(issuer=ISSUER, lifetime=int(seconds)).decode()


what, *words = sys.argv[1:]
if what == "keys":
    keys(*words)
elif what == "certificate":
    certificate()
else:
    print(token(what, *words))
