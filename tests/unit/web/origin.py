"""A site on loopback that answers as told, byte by byte, and keeps what it was asked."""

import socket
import ssl
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Event, Thread

Answer = bytes | Callable[["Visit"], None]


@dataclass(frozen=True, slots=True)
class Visit:
    """One connection: what was asked, and the socket to answer on."""

    socket: socket.socket
    request: bytes
    ended: Event


@dataclass(slots=True)
class Origin:
    """Answers by path; `requests` are the heads of what came, in order."""

    port: int
    answers: Mapping[str, Answer]
    requests: list[bytes] = field(default_factory=list[bytes])
    ended: Event = field(default_factory=Event)

    @property
    def paths(self) -> list[str]:
        return [request.split(b" ")[1].decode() for request in self.requests]

    def serve(self, visitor: socket.socket) -> None:
        with visitor, suppress(OSError):
            visitor.settimeout(5)
            request = b""
            while b"\r\n\r\n" not in request:
                received = visitor.recv(65536)
                if not received:
                    return
                request += received
            self.requests.append(request)
            answer = self.answers[request.split(b" ")[1].decode()]
            if callable(answer):
                answer(Visit(visitor, request, self.ended))
            else:
                visitor.sendall(answer)


@contextmanager
def origin(
    answers: Mapping[str, Answer], *, tls: ssl.SSLContext | None = None
) -> Generator[Origin]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        site = Origin(listener.getsockname()[1], answers)
        threads: list[Thread] = []

        def accept() -> None:
            with suppress(OSError):
                while True:
                    visitor, _ = listener.accept()
                    if site.ended.is_set():
                        visitor.close()
                        return
                    thread = Thread(target=_serve, args=(site, visitor, tls), daemon=True)
                    thread.start()
                    threads.append(thread)

        accepting = Thread(target=accept, daemon=True)
        accepting.start()
        try:
            yield site
        finally:
            site.ended.set()
            with suppress(OSError), socket.create_connection(("127.0.0.1", site.port), timeout=1):
                pass
            for thread in (accepting, *threads):
                thread.join(5)


def _serve(site: Origin, visitor: socket.socket, tls: ssl.SSLContext | None) -> None:
    if tls is None:
        site.serve(visitor)
        return
    try:
        secured = tls.wrap_socket(visitor, server_side=True)
    except OSError:
        visitor.close()
        return
    site.serve(secured)


def page(
    body: bytes, *headers: str, content_type: str = "text/plain", status: str = "200 OK"
) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {content_type}", *headers]
    if not any(line.lower().startswith(("content-length", "transfer-")) for line in headers):
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def moved(location: str, *, status: str = "302 Found") -> bytes:
    head = f"HTTP/1.1 {status}\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n"
    return head.encode("latin-1")
