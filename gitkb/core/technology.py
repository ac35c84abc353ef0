"""The names of technologies, so that two people who mean one thing say one word.

1. A technology has one name, in lower case; other spellings lead to it.
2. A dependency of a manifest is a technology under its own name. Only where the package is called
   otherwise than the thing (``next`` is Next.js, ``psycopg2`` means PostgreSQL too) a table says so:
   to know one more is one line there.
3. A name that is also a word of English is taken for a technology only where its spelling says so.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SPELLINGS: Mapping[str, str] = {
    "py": "python", "python2": "python", "python3": "python", "cpython": "python",
    "js": "javascript", "ecmascript": "javascript", "ts": "typescript",
    "node": "nodejs", "node.js": "nodejs", "deno.js": "deno", "golang": "go",
    "c#": "csharp", "cs": "csharp", "f#": "fsharp", "c++": "cpp", "cxx": "cpp",
    ".net": "dotnet", "net core": "dotnet", ".net core": "dotnet", "asp.net": "aspnetcore",
    "asp.net core": "aspnetcore", "react.js": "react", "reactjs": "react", "vue.js": "vue",
    "vuejs": "vue", "next.js": "nextjs", "nuxt.js": "nuxt", "nuxtjs": "nuxt", "nest.js": "nestjs",
    "express.js": "express", "expressjs": "express", "angularjs": "angular", "svelte.js": "svelte",
    "three.js": "threejs", "postgres": "postgresql", "pg": "postgresql", "psql": "postgresql",
    "mongo": "mongodb", "mssql": "sqlserver", "sql server": "sqlserver", "sqlite3": "sqlite",
    "k8s": "kubernetes", "docker compose": "docker-compose", "ror": "rails",
    "ruby on rails": "rails", "ruby-on-rails": "rails", "springboot": "spring-boot",
    "spring boot": "spring-boot", "github actions": "github-actions", "gh-actions": "github-actions",
    "gitlab ci": "gitlab-ci", "gitlab-ci/cd": "gitlab-ci", "shell": "bash", "sh": "bash",
    "tailwind": "tailwindcss", "tailwind css": "tailwindcss", "tf": "terraform",
    "react native": "react-native", "claude code": "claude-code", "vs code": "vscode",
    "scikit learn": "scikit-learn", "sklearn": "scikit-learn", "torch": "pytorch",
}  # fmt: skip

# What a dependency says beside its own name: the technology as people call it, or one it stands for.
_DEPENDENCIES: Mapping[str, tuple[str, ...]] = {
    "next": ("nextjs", "react"), "@angular/core": ("angular",), "@nestjs/core": ("nestjs",),
    "@sveltejs/kit": ("sveltekit", "svelte"), "react-dom": ("react",), "@types/node": ("nodejs",),
    "@remix-run/react": ("remix", "react"), "@prisma/client": ("prisma",), "pg": ("postgresql",),
    "@playwright/test": ("playwright",), "@reduxjs/toolkit": ("redux",), "mysql2": ("mysql",),
    "@apollo/client": ("apollo", "graphql"), "@apollo/server": ("apollo", "graphql"),
    "@tanstack/react-query": ("react-query",), "ioredis": ("redis",), "mongoose": ("mongodb",),
    "better-sqlite3": ("sqlite",), "three": ("threejs",), "expo": ("react-native",),
    "psycopg": ("postgresql",), "psycopg2": ("postgresql",), "asyncpg": ("postgresql",),
    "psycopg2-binary": ("psycopg2", "postgresql"), "pymysql": ("mysql",), "mysqlclient": ("mysql",),
    "aiomysql": ("mysql",), "pymongo": ("mongodb",), "motor": ("mongodb",), "aiosqlite": ("sqlite",),
    "torch": ("pytorch",), "djangorestframework": ("django",), "flask-sqlalchemy": ("flask", "sqlalchemy"),
    "pytest-django": ("pytest", "django"), "drf-spectacular": ("django",), "sqlmodel": ("sqlalchemy",),
    "boto3": ("aws",), "aws-cdk-lib": ("aws",), "pygit2": ("libgit2",), "git2": ("libgit2",),
    "tokio-postgres": ("postgresql",), "rusqlite": ("sqlite",), "actix-web": ("actix",),
    "gin-gonic/gin": ("gin",), "labstack/echo": ("echo",), "gofiber/fiber": ("fiber",),
    "lib/pq": ("postgresql",), "jackc/pgx": ("postgresql", "pgx"), "k8s.io/client-go": ("kubernetes",),
    "spring-boot-starter-parent": ("spring-boot", "spring"), "spring-boot-starter": ("spring-boot", "spring"),
    "spring-boot-starter-web": ("spring-boot", "spring"), "org.springframework.boot": ("spring-boot", "spring"),
    "spring-core": ("spring",), "hibernate-core": ("hibernate",), "quarkus-core": ("quarkus",),
    "junit-jupiter": ("junit",), "junit-jupiter-api": ("junit",), "kotlin-stdlib": ("kotlin",),
    "org.jetbrains.kotlin.jvm": ("kotlin",), "com.android.application": ("android",),
    "com.android.library": ("android",), "scala-library": ("scala",),
    "laravel/framework": ("laravel",), "symfony/framework-bundle": ("symfony",), "symfony/symfony": ("symfony",),
    "phpunit/phpunit": ("phpunit",), "doctrine/orm": ("doctrine",),
    "microsoft.net.sdk.web": ("aspnetcore",), "microsoft.aspnetcore.app": ("aspnetcore",),
    "microsoft.entityframeworkcore": ("entity-framework",), "npgsql": ("postgresql",),
    "ecto_sql": ("ecto",), "postgrex": ("postgresql",), "phoenix_live_view": ("phoenix",),
}  # fmt: skip

# Languages, tools and services that no manifest names as a dependency, and the libraries of which
# people speak in projects that do not (yet) use them.
_TECHNOLOGIES = _words(
    """
    python javascript typescript nodejs deno bun go rust java kotlin scala groovy clojure ruby php
    csharp fsharp dotnet cpp swift dart elixir erlang haskell ocaml julia perl lua zig nim crystal r
    bash powershell sql css sass webassembly objective-c cobol fortran solidity
    django flask fastapi starlette tornado aiohttp sanic bottle falcon pyramid celery pydantic
    sqlalchemy alembic pymysql psycopg2 asyncpg aiomysql pytest unittest hypothesis numpy pandas polars
    scipy scikit-learn pytorch tensorflow keras jax transformers langchain jupyter streamlit mypy ruff
    pyright pylint uvicorn gunicorn asyncio httpx urllib3 scrapy selenium playwright pip poetry uv conda
    tox nox pygit2 jsonschema react vue angular svelte sveltekit nextjs nuxt remix astro gatsby redux
    jquery express nestjs fastify koa hono graphql apollo prisma typeorm sequelize drizzle mongoose
    webpack vite rollup esbuild parcel babel eslint prettier jest vitest mocha cypress storybook
    tailwindcss bootstrap electron react-native expo npm yarn pnpm threejs zod
    gin echo fiber gorm actix axum tokio serde rocket diesel cargo spring spring-boot hibernate quarkus
    micronaut junit mockito maven gradle ktor rails sinatra rspec sidekiq bundler laravel symfony
    phpunit composer wordpress drupal aspnetcore blazor entity-framework phoenix ecto flutter android
    ios swiftui postgresql mysql mariadb sqlite sqlserver oracle mongodb redis memcached cassandra
    elasticsearch opensearch clickhouse duckdb snowflake bigquery dynamodb neo4j kafka rabbitmq nats
    supabase firebase docker docker-compose podman kubernetes helm terraform pulumi ansible puppet
    vagrant nginx apache caddy envoy istio aws azure gcp cloudflare vercel netlify heroku lambda
    github gitlab bitbucket github-actions gitlab-ci jenkins circleci argocd prometheus grafana
    opentelemetry sentry datadog git svn make cmake bazel nix linux windows macos systemd cron
    grpc protobuf openapi oauth websocket claude-code vscode cursor copilot mcp codex
    """
)

# Also words of English (or names of other things): a small letter proves nothing.
_AMBIGUOUS = _words(
    """
    go rust swift dart crystal julia r nim spring express echo fiber rocket diesel gin phoenix flask
    bottle falcon pyramid celery hypothesis transformers requests click rich attrs react remix astro
    angular redux apollo prisma parcel mocha cypress jest storybook bootstrap electron expo fastify
    composer cargo maven poetry conda tox nox make nix windows apache caddy envoy oracle cursor
    copilot lambda cron bazel helm puppet vagrant snowflake bundler hono koa motor black dash
    ray play next node shell three pg sh cs py js ts tf net core uuid time log url config axum
    elm solid ember meteor sails hapi alpine lit yarn bun mcp lua groovy closure unittest drizzle hibernate nats cassandra sentry salt chef vercel
    """
)

_SEPARATORS = re.compile(r"[\s_]+")
_WORD = re.compile(r"(?<![\w@.+#-])(?:[.@])?[A-Za-z][\w+#]*(?:[./-][A-Za-z0-9][\w+#]*)*")
_QUOTES = ("`", "'", '"')
_SENTENCE_ENDS = (".", "!", "?", ":", "\n", "•", "*", "#")


def technology_name(text: str) -> str:
    """Give the one name of a technology: ``Node.js`` and ``node`` are ``nodejs``."""
    name = " ".join(text.lower().split())
    return _SPELLINGS.get(name, _SEPARATORS.sub("-", name))


def technology_names(texts: Iterable[str]) -> frozenset[str]:
    """Give the names of several; what is blank is none."""
    return frozenset(name for text in texts if (name := technology_name(text)))


def technologies_of(dependency: str) -> tuple[str, ...]:
    """Say what technologies a dependency means beside its own name."""
    name = dependency.lower()
    found = _DEPENDENCIES.get(name, ())
    spelt = technology_name(name)
    return (*found, spelt) if spelt in _TECHNOLOGIES and spelt not in found else found


def find_technologies(text: str, own: Collection[str] = ()) -> list[str]:
    """Find the technologies that a text speaks of, each once, in the order of the text.

    `own` are names (as `technology_name` gives them) that are known beside the table, such as the
    dependencies of a project. Cost: in proportion to the text.
    """
    found: dict[str, None] = {}
    words = [(at[0], at.start()) for at in _WORD.finditer(text)]
    skip = False
    for number, (word, start) in enumerate(words):
        if skip:
            skip = False
            continue
        # Two words first: "GitHub Actions" is not "GitHub".
        if number + 1 < len(words) and text[start + len(word) : words[number + 1][1]] == " ":
            pair = _SPELLINGS.get(f"{word} {words[number + 1][0]}".lower())
            if pair is not None:
                found[pair] = None
                skip = True
                continue
        name = _meaning(word, text, start, own)
        if name:
            found[name] = None
    return list(found)


def _meaning(word: str, text: str, start: int, own: Collection[str]) -> str:
    """The technology that a word means where it stands, or an empty text."""
    # `asyncio.to_thread` is about asyncio, and `Next.js` a name with a full stop in it.
    for candidate in (word, word.partition(".")[0] if not word.startswith(".") else word):
        name = technology_name(candidate)
        if name not in _TECHNOLOGIES and name not in own:
            continue
        is_plain = candidate.lower() not in _AMBIGUOUS and len(candidate) > 2
        if is_plain and (name in _TECHNOLOGIES or len(candidate) > 3):
            return name
        if _is_marked(candidate, text, start, name in own):
            return name
    return ""


def _is_marked(word: str, text: str, start: int, is_own: bool) -> bool:
    """Whether the spelling says that a word is a name: in code marks, or with a capital."""
    end = start + len(word)
    if text[max(start - 1, 0) : start] in _QUOTES and text[end : end + 1] in _QUOTES:
        return True
    if text.count("`", 0, start) % 2:
        return True
    if not word[:1].isupper():
        return False
    before = text[:start].rstrip(" \t(\"'")
    return is_own or (bool(before) and not before.endswith(_SENTENCE_ENDS))
