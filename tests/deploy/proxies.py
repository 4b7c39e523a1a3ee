"""The examples for proxies, with loopback addresses in place of what their reader puts in; and the real programs."""

import re
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.deploy.image import ROOT
from tests.processes import environment, stop, wait_for_port

NGINX = (ROOT / "deploy/nginx.conf").read_text(encoding="utf-8")
CADDY = (ROOT / "deploy/Caddyfile").read_text(encoding="utf-8")
NAME = "localhost"
"""By which the gateways are called from outside."""


def nginx_conf(folder: Path, port: int, upstreams: Sequence[int]) -> Path:
    """The example on this port, in front of these gateways."""
    hosts = "\n".join(f"server 127.0.0.1:{upstream} max_fails=1 fail_timeout=1s;" for upstream in upstreams)
    text = re.sub(r"server 127\.0\.0\.1:8000 [^;]*;", hosts, NGINX)
    text = text.replace("mcp.example.com", NAME).replace("listen 443 ssl", f"listen 127.0.0.1:{port} ssl")
    text = re.sub(r"    server \{\s+listen 80;.*?\n    \}\n", "", text, flags=re.DOTALL)
    text = re.sub(r"ssl_certificate(_key)? [^;]*;", rf"ssl_certificate\1 {folder}/both.pem;", text)
    text = text.replace("/run/nginx.pid", f"{folder}/nginx.pid").replace("/dev/stdout", f"{folder}/access.log")
    places = "".join(
        f"{kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    path = folder / "nginx.conf"
    path.write_text(
        text.replace("http {\n", f"http {{\n{places}", 1).replace("worker_processes auto", "worker_processes 1")
    )
    return path


def caddy_conf(folder: Path, port: int, upstreams: Sequence[int]) -> Path:
    """The same of the other example; certificates that no authority is asked for."""
    text = CADDY.replace(
        "{$SITE:mcp.example.com} {",
        f"https://{NAME}:{port} {{\n\tbind 127.0.0.1\n\ttls {folder}/both.pem {folder}/both.pem",
    )
    text = text.replace("{$UPSTREAMS:127.0.0.1:8000}", " ".join(f"127.0.0.1:{upstream}" for upstream in upstreams))
    path = folder / "Caddyfile"
    path.write_text(text.replace("{\n", "{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n", 1))
    return path


@contextmanager
def proxy(program: str, folder: Path, port: int, upstreams: Sequence[int]) -> Iterator[None]:
    """The program on this port until the context ends."""
    if program.endswith("nginx"):
        conf = nginx_conf(folder, port, upstreams)
        command = [program, "-c", str(conf), "-p", str(folder), "-e", f"{folder}/error.log", "-g", "daemon off;"]
    else:
        command = [program, "run", "--config", str(caddy_conf(folder, port, upstreams)), "--adapter", "caddyfile"]
    own = environment(HOME=str(folder), XDG_DATA_HOME=str(folder), XDG_CONFIG_HOME=str(folder))
    with (folder / "proxy.log").open("wb") as sink:
        process = subprocess.Popen(command, cwd=folder, env=own, stdout=sink, stderr=sink)
        try:
            wait_for_port(process, port, folder / "proxy.log")
            yield
        finally:
            stop(process)
