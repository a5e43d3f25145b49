#!/usr/bin/env python3
"""Runs a BuildGrid server with workers for the tests of --executor, until standard input ends.

`--install DIR` installs BuildGrid into a virtual environment. Then DIR/bin/python runs this script, which prints the
address of the server. BuildGrid's scheduler needs PostgreSQL, and its workers are separate programs; the workers here
are threads that do the same: they stage input files, run the command, and upload the result.
"""

import hashlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from pathlib import Path

PACKAGES = ["buildgrid[database]==0.4.4", "setuptools<81"]
WORKERS = 2

# Number of an account without rights, for the database.
ACCOUNT = 65534

# Seconds after which a request for work returns without work.
POLL_SECONDS = 10

CONFIGURATION = """
server:
  - !channel
    address: "127.0.0.1:{port}"
    insecure-mode: true
authorization:
  method: none
connections:
  - !sql-connection &sql
    connection-string: "{database}"
storages:
  - !disk-storage &storage
    path: {storage}
caches:
  - !lru-action-cache &cache
    storage: *storage
    max-cached-refs: 256
    allow-updates: true
schedulers:
  - !sql-scheduler &scheduler
    sql: *sql
    storage: *storage
    action-cache: *cache
    assigners:
      - !priority-age-assigner
        count: 1
        interval: 0.1
instances:
  - name: ""
    services:
      - !action-cache
        cache: *cache
      - !execution
        scheduler: *scheduler
      - !cas
        storage: *storage
      - !bytestream
        storage: *storage
"""


def install(folder):
    """Installs BuildGrid into a virtual environment."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    pip = Path(folder) / "bin/pip"
    subprocess.run([pip, "install", "--quiet", *PACKAGES], check=True)


def find_postgres():
    """Returns the folder of PostgreSQL's programs."""
    found = [Path(place).parent for place in [shutil.which("initdb")] if place]
    found += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    if not found:
        sys.exit("PostgreSQL is not installed")
    return found[0]


def free_port():
    """Returns a port that no program uses."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_for_port(port, process):
    """Waits until a program listens on a port."""
    for _ in range(600):
        if process.poll() is not None:
            sys.exit(f"{process.args[0]} ended with code {process.returncode}")
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    sys.exit(f"{process.args[0]} does not listen")


def start_database(folder, port):
    """Starts a database; it refuses to run as root."""
    programs = find_postgres()
    data = folder / "database"
    data.mkdir()
    account = {}
    if os.geteuid() == 0:
        os.chown(data, ACCOUNT, ACCOUNT)
        folder.chmod(0o755)
        account = {"user": ACCOUNT, "group": ACCOUNT}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": data, **account}
    options = ["--username", "tests", "--auth", "trust", "--no-sync"]
    subprocess.run([programs / "initdb", "-D", data, *options], check=True, **quiet)
    settings = ["-c", "fsync=off", "-c", f"unix_socket_directories={data}"]
    command = [programs / "postgres", "-D", data, "-p", str(port), "-h", "127.0.0.1", *settings]
    process = subprocess.Popen(command, **quiet)
    wait_for_port(port, process)
    return process


def start_server(folder, port, database_port):
    """Creates the tables and starts the server."""
    configuration = folder / "server.yml"
    database = f"postgresql+psycopg2://tests@127.0.0.1:{database_port}/postgres"
    text = CONFIGURATION.format(port=port, database=database, storage=folder / "storage")
    configuration.write_text(text)
    program = Path(sys.executable).parent / "bgd"
    with open(folder / "server.log", "wb") as log:
        command = [program, "migrate", "apply", database]
        subprocess.run(command, check=True, stdout=log, stderr=log)
        process = subprocess.Popen(
            [program, "server", "start", configuration], stdout=log, stderr=log, cwd=folder
        )
    wait_for_port(port, process)
    return process


class Worker:
    """Worker that gets leases from the server."""

    def __init__(self, address, folder, number):
        import grpc
        from buildgrid._protos.build.bazel.remote.execution.v2 import remote_execution_pb2_grpc
        from buildgrid._protos.google.bytestream import bytestream_pb2_grpc
        from buildgrid._protos.google.devtools.remoteworkers.v1test2 import bots_pb2_grpc

        limits = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
        channel = grpc.insecure_channel(address, options=limits)
        self.bots = bots_pb2_grpc.BotsStub(channel)
        self.storage = remote_execution_pb2_grpc.ContentAddressableStorageStub(channel)
        self.streams = bytestream_pb2_grpc.ByteStreamStub(channel)
        self.cache = folder / "worker-cache"
        self.cache.mkdir(exist_ok=True)
        self.roots = folder / f"worker-{number}"
        self.name = f"worker-{number}"

    def serve(self):
        """Works until the process ends."""
        from buildgrid._protos.google.devtools.remoteworkers.v1test2 import bots_pb2

        session = bots_pb2.BotSession(bot_id=self.name, status=bots_pb2.OK)
        device = session.worker.devices.add(handle="machine")
        device.properties.add(key="OSFamily", value="Linux")
        request = bots_pb2.CreateBotSessionRequest(parent="", bot_session=session)
        session = self.bots.CreateBotSession(request, timeout=POLL_SECONDS)
        while True:
            for lease in session.leases:
                if lease.state == bots_pb2.PENDING:
                    lease.state = bots_pb2.ACTIVE
                elif lease.state == bots_pb2.ACTIVE:
                    self.work(lease)
                    lease.state = bots_pb2.COMPLETED
            request = bots_pb2.UpdateBotSessionRequest(name=session.name, bot_session=session)
            session = self.bots.UpdateBotSession(request, timeout=POLL_SECONDS)

    def work(self, lease):
        """Executes the action of a lease."""
        from buildgrid._protos.build.bazel.remote.execution.v2 import remote_execution_pb2

        action = remote_execution_pb2.Action()
        if not lease.payload.Unpack(action):
            digest = remote_execution_pb2.Digest()
            lease.payload.Unpack(digest)
            action.ParseFromString(self.read(digest))
        command = remote_execution_pb2.Command.FromString(self.read(action.command_digest))
        self.roots.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self.roots) as root:
            self.stage(action.input_root_digest, Path(root))
            done = subprocess.run(
                command.arguments,
                cwd=root,
                env={one.name: one.value for one in command.environment_variables},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                check=False,
            )
            result = remote_execution_pb2.ActionResult(
                exit_code=done.returncode, stderr_raw=done.stderr[-4000:]
            )
            for path in command.output_paths:
                output = Path(root) / path
                if output.is_file():
                    digest = self.write(output.read_bytes())
                    result.output_files.add(path=path, digest=digest)
        lease.result.Pack(result)
        lease.status.code = 0

    def read(self, digest):
        """Reads a blob."""
        from buildgrid._protos.google.bytestream import bytestream_pb2

        if digest.size_bytes == 0:
            return b""
        name = f"blobs/{digest.hash}/{digest.size_bytes}"
        parts = self.streams.Read(bytestream_pb2.ReadRequest(resource_name=name))
        return b"".join(part.data for part in parts)

    def write(self, content):
        """Writes a blob, and returns its digest."""
        from buildgrid._protos.build.bazel.remote.execution.v2 import remote_execution_pb2
        from buildgrid._protos.google.bytestream import bytestream_pb2

        digest = remote_execution_pb2.Digest(
            hash=hashlib.sha256(content).hexdigest(), size_bytes=len(content)
        )
        name = f"uploads/{uuid.uuid4()}/blobs/{digest.hash}/{digest.size_bytes}"

        def parts():
            size = 1 << 20
            for offset in range(0, len(content), size):
                yield bytestream_pb2.WriteRequest(
                    resource_name=name,
                    write_offset=offset,
                    data=content[offset : offset + size],
                    finish_write=offset + size >= len(content),
                )

        self.streams.Write(parts())
        return digest

    def cached_file(self, digest):
        """Returns a file with the content of a blob."""
        path = self.cache / digest.hash
        if not path.exists():
            temporary = self.cache / str(uuid.uuid4())
            temporary.write_bytes(self.read(digest))
            temporary.chmod(0o555)
            temporary.rename(path)
        return path

    def stage(self, digest, folder):
        """Creates an input root."""
        from buildgrid._protos.build.bazel.remote.execution.v2 import remote_execution_pb2

        content = self.cached_file(digest).read_bytes() if digest.size_bytes else b""
        message = remote_execution_pb2.Directory.FromString(content)
        folder.mkdir(exist_ok=True)
        for file in message.files:
            target = folder / file.name
            if file.digest.size_bytes == 0:
                target.touch()
            elif file.is_executable:
                os.link(self.cached_file(file.digest), target)
            else:
                shutil.copyfile(self.cached_file(file.digest), target)
        for link in message.symlinks:
            (folder / link.name).symlink_to(link.target)
        for below in message.directories:
            self.stage(below.digest, folder / below.name)


def start_workers(address, folder):
    """Starts the workers. A worker that fails ends the program."""

    def serve(number):
        try:
            Worker(address, folder, number).serve()
        except Exception as error:  # pylint: disable=broad-exception-caught
            print(f"worker {number} failed: {error}", file=sys.stderr, flush=True)
            os.kill(os.getpid(), signal.SIGTERM)

    for number in range(WORKERS):
        threading.Thread(target=serve, args=(number,), daemon=True).start()


def main():
    """Runs everything until standard input ends."""
    with tempfile.TemporaryDirectory() as name:
        folder, processes = Path(name), []
        signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))
        try:
            database_port, port = free_port(), free_port()
            processes.append(start_database(folder, database_port))
            processes.append(start_server(folder, port, database_port))
            address = f"127.0.0.1:{port}"
            start_workers(address, folder)
            print(f"grpc://{address}", flush=True)
            sys.stdin.read()
        finally:
            log = folder / "server.log"
            if os.environ.get("BUILDGRID_LOG") and log.exists():
                shutil.copyfile(log, os.environ["BUILDGRID_LOG"])
            for process in reversed(processes):
                process.terminate()
                process.wait()
    # Threads wait for answers of the stopped server.
    os._exit(0)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--install"]:
        install(sys.argv[2])
    else:
        main()
