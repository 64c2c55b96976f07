"""The rig's certificate authority and the identities it signs, made with the openssl command."""

import shutil
import subprocess
import tempfile
from datetime import datetime, timedelta, timezone
from pathlib import Path

from .errors import EXIT_UNAVAILABLE, RigError

SERVING_NAMES = (
    "DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc,"
    "DNS:kubernetes.default.svc.cluster.local,IP:127.0.0.1,IP:10.96.0.1"
)
CLIENT_EXTENSIONS = "extendedKeyUsage=clientAuth"
SERVING_EXTENSIONS = f"extendedKeyUsage=serverAuth\nsubjectAltName={SERVING_NAMES}"
VALID_DAYS = 365


def _openssl(*arguments: str) -> None:
    if not shutil.which("openssl"):
        raise RigError(
            "the openssl command is not installed, and the rig's certificates are made with it; install openssl",
            exit_code=EXIT_UNAVAILABLE,
        )
    ran = subprocess.run(["openssl", *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)
    if ran.returncode != 0:
        raise RigError(f"openssl {arguments[0]} failed", details=ran.stderr.strip().splitlines()[-5:])


def new_key(path: Path) -> None:
    # Elliptic curves: a key takes milliseconds to make, and all of Kubernetes accepts them.
    _openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", str(path))
    path.chmod(0o600)


def public_half(key: Path, path: Path) -> None:
    _openssl("pkey", "-in", str(key), "-pubout", "-out", str(path))


def new_authority(directory: Path, name: str, common_name: str) -> None:
    """Makes <name>.crt and <name>.key."""
    key = directory / f"{name}.key"
    new_key(key)
    _openssl(
        "req", "-x509", "-new", "-key", str(key), "-out", str(directory / f"{name}.crt"),
        "-days", str(VALID_DAYS), "-subj", f"/CN={common_name}",
        "-addext", "keyUsage=critical,digitalSignature,keyCertSign,cRLSign",
    )


def _escape(text: str) -> str:
    """openssl separates the parts of a subject with / and multi-valued parts with +."""
    return text.replace("\\", "\\\\").replace("/", "\\/").replace("+", "\\+")


def new_certificate(
    directory: Path, name: str, *, user: str, groups: list[str] = (), authority: Path,
    extensions: str = CLIENT_EXTENSIONS, days: int = VALID_DAYS, expired: bool = False,
) -> None:
    """Makes <name>.crt and <name>.key; `authority` is the signer's path without its suffix.

    Kubernetes reads the user from the common name and the groups from the organizations.
    """
    key, request, crt = (directory / f"{name}.{suffix}" for suffix in ("key", "csr", "crt"))
    subject = "".join(f"/O={_escape(group)}" for group in groups) + f"/CN={_escape(user)}"
    now = datetime.now(timezone.utc)
    # One hour in the past: clocks need not agree to the second.
    begin, end = now - timedelta(hours=1), now + timedelta(days=days)
    if expired:
        begin, end = now - timedelta(days=days + 1), now - timedelta(days=1)

    new_key(key)
    _openssl("req", "-new", "-key", str(key), "-subj", subject, "-out", str(request))
    # `openssl ca`, not `openssl x509`: only the former accepts both dates in every release since 1.1.
    with tempfile.TemporaryDirectory(dir=directory) as scratch:
        config = Path(scratch) / "ca.cnf"
        (Path(scratch) / "index").touch()
        config.write_text(
            "[ca]\ndefault_ca=signer\n[signer]\n"
            f"database={scratch}/index\nnew_certs_dir={scratch}\nrand_serial=yes\ndefault_md=sha256\n"
            "policy=any\nunique_subject=no\nx509_extensions=issued\n"
            "[any]\norganizationName=optional\ncommonName=supplied\n"
            f"[issued]\nbasicConstraints=critical,CA:false\nkeyUsage=critical,digitalSignature\n{extensions}\n"
        )
        _openssl(
            "ca", "-batch", "-notext", "-config", str(config), "-in", str(request), "-out", str(crt),
            "-cert", f"{authority}.crt", "-keyfile", f"{authority}.key",
            "-startdate", begin.strftime("%Y%m%d%H%M%SZ"), "-enddate", end.strftime("%Y%m%d%H%M%SZ"),
        )
    request.unlink()
