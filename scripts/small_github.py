"""A fake GitHub with the API calls of a job that publishes the result for a failed push. It serves a repository on disk
and keeps what the job creates in memory. `scripts/try-action` uses it, where act runs the program. The tests of the
program have a more complete fake, which also checks the requests."""

import base64
import json
import re
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

BOT = {"login": "github-actions[bot]", "id": 41898282}


class SmallGithub(ThreadingHTTPServer):
    """Serves one repository under this name inside a `with` block."""

    def __init__(self, repository, name):
        super().__init__(("127.0.0.1", 0), Handler)
        self.repository, self.name = repository, name
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.branches = {"main": self.git("rev-parse", "HEAD")}
        self.commits, self.pulls, self.checks, self.odd = {}, [], [], []

    def git(self, *words):
        return self.bytes(*words).decode().strip()

    def bytes(self, *words):
        return subprocess.run(["git", "-C", self.repository, *words], check=True, capture_output=True).stdout

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()

    def answer(self, call, body):
        """Returns status and answer of a call such as `GET /pulls`; unknown calls are recorded in `odd`."""
        for pattern, answer in CALLS.items():
            match = re.fullmatch(pattern, call)
            if match:
                return answer(self, body, *match.groups())
        self.odd.append(call)
        return 404, {"message": "Not Found"}

    def commit(self, _, sha):
        if sha in self.commits:
            return 200, self.commits[sha]
        tree, parents, name, date = self.git("show", "-s", "--format=%T%n%P%n%an%n%aI", sha).split("\n")
        return 200, shown(sha, tree, self.git("show", "-s", "--format=%B", sha), parents.split(), (name, date))

    def compare(self, _, base, head):
        return 200, {"status": "identical" if base == head else "ahead", "commits": []}

    def tree(self, _, sha):
        lines = [line.split(None, 3) for line in self.git("ls-tree", sha).splitlines()]
        entries = [{"mode": mode, "type": kind, "sha": one, "path": path} for mode, kind, one, path in lines]
        return 200, {"sha": sha, "tree": entries, "truncated": False}

    def blob(self, _, sha):
        content = self.bytes("cat-file", "blob", sha)
        return 200, {"encoding": "base64", "content": base64.b64encode(content).decode()}

    def branch(self, _, name):
        if name in self.branches:
            return 200, {"object": {"sha": self.branches[name]}}
        return 404, {"message": "Not Found"}

    def make_branch(self, body):
        name = body["ref"].removeprefix("refs/heads/")
        self.branches[name] = body["sha"]
        return 201, self.branch(None, name)[1]

    def graphql(self, body):
        wanted = body["variables"]["input"]
        branch, parent = wanted["branch"]["branchName"], wanted["expectedHeadOid"]
        sha = f"{len(self.commits) + 1:040x}"
        message = f"{wanted['message']['headline']}\n\n{wanted['message']['body']}"
        self.commits[sha] = shown(sha, "0" * 40, message, [parent], (BOT["login"], "2026-01-01T00:00:00Z"))
        self.commits[sha]["changed"] = wanted["fileChanges"]
        self.branches[branch] = sha
        return 200, {"data": {"createCommitOnBranch": {"commit": {"oid": sha}}}}

    def make_pull(self, body):
        def end(branch):
            return {"ref": branch, "sha": self.branches[branch], "repo": {"full_name": self.name}}

        number = len(self.pulls) + 1
        pull = {"number": number, "state": "open", "title": body["title"], "body": body["body"], "merged_at": None,
                "html_url": f"{self.url}/{self.name}/pull/{number}", "user": BOT, "labels": [],
                "head": end(body["head"]), "base": end(body["base"])}
        self.pulls.append(pull)
        return 201, pull

    def pull(self, _, number):
        known = int(number) <= len(self.pulls)
        return (200, self.pulls[int(number) - 1]) if known else (404, {"message": "Not Found"})

    def change_pull(self, body, number):
        self.pulls[int(number) - 1].update(body)
        return 200, self.pulls[int(number) - 1]

    def label(self, body, number):
        self.pulls[int(number) - 1]["labels"] += [{"name": name} for name in body["labels"]]
        return 200, self.pulls[int(number) - 1]["labels"]

    def list_checks(self, _):
        return 200, {"total_count": len(self.checks), "check_runs": self.checks}

    def make_check(self, body):
        self.checks.append({"id": len(self.checks) + 1, "html_url": f"{self.url}/check", **body})
        return 201, self.checks[-1]


def shown(sha, tree, message, parents, author):
    name, date = author
    commit = {"message": message, "tree": {"sha": tree}, "author": {"name": name, "date": date},
              "verification": {"verified": True}}
    return {"sha": sha, "html_url": f"https://example.org/{sha}", "author": None, "commit": commit,
            "parents": [{"sha": one} for one in parents]}


CALLS = {
    "GET ": lambda github, _: (200, {"default_branch": "main", "html_url": f"{github.url}/{github.name}"}),
    r"GET /commits/([0-9a-f]{40})": SmallGithub.commit,
    r"GET /compare/([0-9a-f]{40})\.\.\.([0-9a-f]{40})": SmallGithub.compare,
    r"GET /commits/[0-9a-f]{40}/pulls": lambda *_: (200, []),
    r"GET /commits/[0-9a-f]{40}/check-runs": SmallGithub.list_checks,
    r"GET /git/trees/([0-9a-f]{40})": SmallGithub.tree,
    r"GET /git/blobs/([0-9a-f]{40})": SmallGithub.blob,
    r"GET /git/ref/heads/(.+)": SmallGithub.branch,
    r"POST /git/refs": SmallGithub.make_branch,
    r"POST /graphql": SmallGithub.graphql,
    r"GET /pulls": lambda github, _: (200, github.pulls),
    r"POST /pulls": SmallGithub.make_pull,
    r"GET /pulls/(\d+)": SmallGithub.pull,
    r"PATCH /pulls/(\d+)": SmallGithub.change_pull,
    r"GET /issues/comments": lambda *_: (200, []),
    r"POST /issues/(\d+)/labels": SmallGithub.label,
    r"POST /check-runs": SmallGithub.make_check,
}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        path = urlsplit(self.path).path.removeprefix(f"/repos/{self.server.name}")
        text = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        status, answer = self.server.answer(f"{self.command} {path}", json.loads(text) if text else None)
        content = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_POST = do_PATCH = do_DELETE = do_GET

    def log_message(self, *_):
        pass
