"""Secrets of every kind, invented anew in each run from a seed: none stands in the repository.

`HARMLESS` are texts that look like one to a hasty reader.
"""

from __future__ import annotations

import base64
import json
import random
import string
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_WORD = string.ascii_letters + string.digits
_LOWER = string.ascii_lowercase + string.digits
_UPPER = string.ascii_uppercase + string.digits
_HEX = "0123456789abcdef"
_BASE = _WORD + "+/"
_URL = _WORD + "-_"
_TYPED = _WORD + "!$%"


class Maker:
    """Invents secrets. The same seed gives the same ones."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def text(self, letters: str, length: int) -> str:
        return "".join(self._random.choice(letters) for _ in range(length))

    def make(self, kind: str) -> str:
        """Give a secret of a kind, with what announces it where it needs that."""
        return KINDS[kind](self)

    def key_block(self, kind: str = "") -> str:
        body = base64.b64encode(self._random.randbytes(600)).decode()
        lines = "\n".join(body[at : at + 64] for at in range(0, len(body), 64))
        return f"-----BEGIN {kind}PRIVATE KEY-----\n{lines}\n-----END {kind}PRIVATE KEY-----"

    def web_token(self) -> str:
        parts = [{"alg": "HS256", "typ": "JWT"}, {"sub": self.text("23456789", 9), "iat": 1}]
        head = [
            base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=")
            for part in parts
        ]
        return ".".join([*head, self.text(_URL, 43)])


KINDS: Mapping[str, Callable[[Maker], str]] = {
    "aws id": lambda m: "AKIA" + m.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16),
    "aws secret": lambda m: "aws_secret_access_key = " + m.text(_BASE, 40),
    "github": lambda m: "ghp_" + m.text(_WORD, 36),
    "github fine-grained": lambda m: f"github_pat_{m.text(_WORD, 22)}_{m.text(_WORD, 59)}",
    "gitlab": lambda m: "glpat-" + m.text(_URL, 20),
    "slack": lambda m: (
        f"xoxb-{m.text('23456789', 12)}-{m.text('23456789', 12)}-{m.text(_WORD, 24)}"
    ),
    "slack webhook": lambda m: (
        "https://hooks.slack.com/services/"
        f"T{m.text(_UPPER, 8)}/B{m.text(_UPPER, 8)}/{m.text(_WORD, 24)}"
    ),
    "stripe": lambda m: "sk_live_" + m.text(_WORD, 24),
    "openai": lambda m: f"sk-proj-{m.text(_URL, 74)}T3BlbkFJ{m.text(_URL, 74)}",
    "anthropic": lambda m: f"sk-ant-api03-{m.text(_URL, 93)}AA",
    "google": lambda m: "AIza" + m.text(_URL, 35),
    "sendgrid": lambda m: f"SG.{m.text(_URL, 22)}.{m.text(_URL, 43)}",
    "twilio": lambda m: "SK" + m.text(_HEX, 32),
    "npm": lambda m: "npm_" + m.text(_WORD, 36),
    "pypi": lambda m: "pypi-AgEIcHlwaS5vcmc" + m.text(_URL, 150),
    "web token": Maker.web_token,
    "rsa key": lambda m: m.key_block("RSA "),
    "private key": Maker.key_block,
    "ssh key": lambda m: m.key_block("OPENSSH "),
    "azure": lambda m: f"DefaultEndpointsProtocol=https;AccountKey={m.text(_BASE, 86)}==",
    "digitalocean": lambda m: "dop_v1_" + m.text(_HEX, 64),
    "hugging face": lambda m: "hf_" + m.text(string.ascii_letters, 34),
    "telegram": lambda m: f"{m.text('123456789', 10)}:AA{m.text(_URL, 33)}",
    "shopify": lambda m: "shpat_" + m.text(_HEX, 32),
    "databricks": lambda m: "dapi" + m.text(_HEX, 32),
    "mailchimp": lambda m: m.text(_HEX, 32) + "-us12",
    "database url": lambda m: f"postgres://admin:{m.text(_WORD, 16)}@db.internal:5432/app",
    "url without a user": lambda m: f"redis://:{m.text(_WORD, 18)}@cache:6379/0",
    "weak password in a url": lambda m: (
        f"postgresql://root:correcthorse{m.text('23456789', 1)}@db/app"
    ),
    "assigned password": lambda m: f'password = "{m.text(_TYPED, 14)}"',
    "environment": lambda m: "DB_PASSWORD=" + m.text(_WORD, 16),
    "yaml": lambda m: f"password: {m.text(_TYPED, 16)}",
    "prose": lambda m: f"The admin password is {m.text(_TYPED, 16)} until Friday",
    "russian prose": lambda m: f"пароль от базы: {m.text(_TYPED, 16)}",
    "api key": lambda m: "api_key = " + m.text(_WORD, 32),
    "hexadecimal": lambda m: "client_secret: " + m.text(_HEX, 40),
    "bearer": lambda m: "Authorization: Bearer " + m.text(_URL, 40),
    "logon": lambda m: f"curl -u admin:{m.text(_WORD, 16)} https://api.acme.io",
    "option of a program": lambda m: f"mysql -u root -p{m.text(_WORD, 14)} shop",
    "option apart": lambda m: f"sshpass -p {m.text(_WORD, 14)} ssh deploy@gate",
    "long option": lambda m: f"deploy --db-password {m.text(_WORD, 14)} --dry-run",
    "attached logon": lambda m: f"curl -uadmin:{m.text(_WORD, 14)} https://api.acme.io",
    "logon alone": lambda m: f"`-u admin:{m.text(_WORD, 14)}`",
    "short name": lambda m: f"SMTP_PASS={m.text(_WORD, 14)}",
    "in XML": lambda m: f"<db:password>{m.text(_WORD, 14)}</db:password>",
    "named afterwards": lambda m: f"{m.text(_HEX, 64)} is the api key",
    "named afterwards too": lambda m: f"log on with {m.text(_WORD, 20)} as the admin password",
    "digits in prose": lambda m: f"the api key is {m.text(_HEX, 32)}",
    "random": lambda m: m.text(_BASE, 40),
    "vault": lambda m: "hvs." + m.text(_URL, 92),
    "in base64": lambda m: base64.b64encode(f"token ghp_{m.text(_WORD, 36)}".encode()).decode(),
}

_SHOWN_EVERYWHERE = (
    "eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ."
    "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c"
)

HARMLESS = (
    "Rotate the API keys every 90 days, and the secret access key of the deploy user too.",
    "The password has to have 12 characters; passwords are hashed with argon2id, tokens with sha256.",
    "commit 3f2a9c1be07d4458a6e1c0b7d9f2e8a4c5b6d7e8 broke it, reverted in da39a3ee5e6b4b0d3255bfef95601890afd80709",
    "request 550e8400-e29b-41d4-a716-446655440000 failed",
    "it listens on 10.0.0.1:8080 and 192.168.1.14, not on 127.0.0.1",
    "AKIAIOSFODNN7EXAMPLE with wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY is what the documentation says",
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "export GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "OPENAI_API_KEY=sk-your-key-here, or sk-... in .env",
    'password = os.environ["DB_PASSWORD"]; token = get_token(user)',
    "password: ${DB_PASSWORD}, secret: {{ vault.secret }}, api_key: <YOUR_API_KEY>",
    "postgres://user:password@localhost:5432/test and https://user:pass@example.com/",
    "https://user:${TOKEN}@github.com/acme/x.git",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    'integrity="sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg=="',
    "golang.org/x/net v0.1.0 h1:hZ/3BUoy5aId7sCpA/Tc5lt8DkFgdVS2onTpJsZ/fl0=",
    "dGhlIHF1aWNrIGJyb3duIGZveCBqdW1wcyBvdmVyIHRoZSBsYXp5IGRvZw== says the quick brown fox",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl ada@example.com",
    "/usr/local/lib/python3.11/site-packages/detect_secrets/plugins/high_entropy_strings.py",
    "src/main/java/com/acme/billing/InvoiceServiceImplTest.java:142",
    "at com.acme.Foo$$Lambda$14/0x0000000800066840.apply(Foo.java:12)\n    at java.base/Thread.run(Thread.java:829)",
    "https://github.com/acme/app/blob/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b/src/app.py#L10-L20",
    "https://docs.google.com/document/d/1aZ9bY8cX7dW6eV5fU4gT3hS2iR1jQ0kP9lO8mN7oM6n/edit",
    "TestShouldNotAcceptAnExpiredTokenFromAnotherTenantV2 and handleUserPasswordResetRequest2",
    "the token budget is o200k_base at 2000 tokens, see dec_r9m151bh",
    "Пароль нужно менять каждые 90 дней, ключ хранится в Vault (путь secret/data/app).",
    "密码必须每90天更换一次,密钥保存在保险库中。",
    "パスワードは90日ごとに変更してください。",
    "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ\n-----END CERTIFICATE-----",
    "a file that begins with -----BEGIN RSA PRIVATE KEY----- is a key and never committed",
    "secrets/api-key is mounted at /run/secrets/api-key (mode 0400)",
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9." + _SHOWN_EVERYWHERE,
    "topic_key: sdd/docker-e2e-linux/proposal, cache_key = users-v2",
    "mysql -h db -port3307 -uroot -p; docker login -u bob -p $REGISTRY_PASSWORD; docker run -p 8080:80 nginx1",
    "curl -u $USER:$PASS or -u user:password; docker run -u 1000:1000 and --user node:node; git push -u origin feature/x2",
    "docker build --secret id=npmrc1,src=/run/x . and --password-stdin; gh auth login --with-token < mytoken.txt",
    "--- PASS: TestS3GetV4Auth (0.01s); tests pass: 12 of 14 in py3.11; pass=3 fail=0; bypass=abc123",
    "<password>${db.password}</password> and <token>IDENT</token>; openssl -passin env:PASS1 or pass:changeit",
    "utf8mb4 is the password column's charset, RS256 is the token format, UserService2 is the auth token holder",
    "commit 3f2a9c1be07d4458a6e1c0b7d9f2e8a4c5b6d7e8 removed the api key, the secret went in 3f2a9c1be07d4458a6e1c0b7d9f2e8a4c5b6d7e8",
    "the hash of the token is sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "MUST-CHECK: the clock of the CI is UTC; v1.25.0-rc.1, 2026-11-30T19:31:39Z, +49 30 123456-78",
)
