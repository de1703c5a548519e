"""A server of Rucio in the current directory, which has ca.pem, host.pem and host.key.

    rucio_server.py PORT ISSUER FDT_PORT FDT_COMMAND

Its database is new. The provider ISSUER says who somebody is; its subject "ana" is the account of that name. The RSE
"FDT" is a server of fdt at FDT_PORT. Clients find their configuration in rucio.cfg.
"""

import json
import os
import pathlib
import sys

HERE = pathlib.Path.cwd()
PORT, ISSUER, FDT_PORT, FDT_COMMAND = sys.argv[1:]
SCOPE = "storage.read:/rucio storage.modify:/rucio"
AUDIENCE = "fdt://dtn.example.org"

client = {
    "issuer": ISSUER,
    "client_id": "ana",
    "client_secret": "secret",
    "redirect_uris": [f"https://localhost:{PORT}/auth/oidc_code"],
    "id_token_signed_response_alg": "ES256",
}
(HERE / "idpsecrets.json").write_text(json.dumps({"provider": {**client, "SCIM": client}}))
(HERE / "rucio.cfg").write_text(f"""
[common]
logdir = {HERE}
[database]
default = sqlite:///{HERE}/rucio.db
[policy]
permission = generic
schema = generic
[oidc]
idpsecrets = {HERE}/idpsecrets.json
admin_issuer = provider
expected_audience = {AUDIENCE}
expected_scope = {SCOPE}
[client]
rucio_host = https://localhost:{PORT}
auth_host = https://localhost:{PORT}
ca_cert = {HERE}/ca.pem
auth_type = oidc
account = ana
oidc_scope = openid {SCOPE}
oidc_audience = {AUDIENCE}
oidc_polling = true
auth_token_file_path = {HERE}/token-of-rucio
""")
os.environ["RUCIO_CONFIG"] = str(HERE / "rucio.cfg")

# They read the configuration.
from rucio.common.types import InternalAccount, InternalScope  # noqa: E402
from rucio.core import account, account_limit, identity, rse, scope  # noqa: E402
from rucio.db.sqla import models, util  # noqa: E402
from rucio.db.sqla.constants import AccountType, DatabaseOperationType, IdentityType  # noqa: E402
from rucio.db.sqla.session import db_session, get_engine  # noqa: E402

models.register_models(get_engine())
util.create_base_vo()
util.create_root_account()
ana = InternalAccount("ana")
person = (f"SUB=ana, ISS={ISSUER}", IdentityType.OIDC)
operations = dict.fromkeys(("read", "write", "delete"), 1)
protocol = {
    "scheme": "fdt",
    "hostname": "localhost",
    "port": int(FDT_PORT),
    "prefix": "/rucio/",
    "impl": "fdt_client.rucio.Protocol",
    "domains": {"lan": operations, "wan": operations},
    "extended_attributes": {"fdt_command": FDT_COMMAND},
}
with db_session(DatabaseOperationType.WRITE) as session:
    account.add_account(ana, AccountType.USER, "ana@example.org", session=session)
    identity.add_identity(*person, "ana@example.org", session=session)
    identity.add_account_identity(*person, ana, "ana@example.org", default=True, session=session)
    # Rucio's generic policy lets nobody else register files at any RSE.
    account.add_account_attribute(ana, "admin", True, session=session)
    scope.add_scope(InternalScope("user.ana"), ana, session=session)
    place = rse.add_rse("FDT", session=session)
    rse.add_protocol(place, protocol, session=session)
    account_limit.set_local_account_limit(ana, place, 1 << 30, session=session)

from rucio.web.rest.main import application  # noqa: E402
from werkzeug.serving import run_simple  # noqa: E402

run_simple("localhost", int(PORT), application, ssl_context=("host.pem", "host.key"), threaded=True)
