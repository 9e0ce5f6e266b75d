"""A standalone cluster of Spark on the loopback interface: a master and workers, each a process of its own."""

import contextlib
import ctypes
import io
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time
import urllib.request

import pyspark

HOME = pathlib.Path(pyspark.__file__).parent
HOST = "127.0.0.1"
# The driver tells executors which Python to start.
os.environ |= {"SPARK_LOCAL_IP": HOST, "PYSPARK_PYTHON": sys.executable}


LIBC = ctypes.CDLL(None)
PR_SET_PDEATHSIG = 1


def end_with_parent():
    """In a new process: it is killed if the test ends in a way that leaves no time to do so."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def free_port():
    with socket.socket() as one:
        one.bind((HOST, 0))
        return one.getsockname()[1]


def get(url):
    with urllib.request.urlopen(url, timeout=30) as answer:
        return answer.read()


def shown_by(web):
    """What the UI of the only application shows, and its REST interface."""
    (application,) = json.loads(get(f"{web}/api/v1/applications"))
    base = f"{web}/api/v1/applications/{application['id']}"
    for path in ("environment", "jobs", "stages?details=true", "allexecutors", "sql?details=true&planDescription=true"):
        yield get(f"{base}/{path}")
    for page in ("jobs", "environment", "SQL", "connect"):
        yield get(f"{web}/{page}/")


def wait_for(what, seconds=120):
    """What `what` returns, as soon as that is not false."""
    end = time.monotonic() + seconds
    while True:
        try:
            if found := what():
                return found
        except OSError:
            pass
        if time.monotonic() > end:
            raise TimeoutError(f"waited {seconds} s")
        time.sleep(0.1)


class Cluster:
    """Starts with a master. Everything that was started ends with the context."""

    def __init__(self, folder, settings=None):
        self.folder = pathlib.Path(folder)
        self.processes = {}
        self.settings = settings or {}
        self.properties = self.folder / "spark.properties"
        # No server for submissions, which is not used here.
        given = {"spark.master.rest.enabled": "false", **self.settings}
        self.properties.write_text("".join(f"{name} {value}\n" for name, value in given.items()))

    def __enter__(self):
        port, web = free_port(), free_port()
        self.url, self.web = f"spark://{HOST}:{port}", f"http://{HOST}:{web}"
        command = ["master.Master", "--host", HOST, "--port", str(port), "--webui-port", str(web)]
        self._start("master", [*command, "--properties-file", str(self.properties)], {})
        try:
            wait_for(lambda: get(f"{self.web}/json/"))
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for name in [*self.processes][::-1]:
            self.kill(name, signal.SIGTERM)

    def _start(self, name, command, environment):
        command = [str(HOME / "bin" / "spark-class"), "org.apache.spark.deploy." + command[0], *command[1:]]
        given = {"SPARK_DAEMON_MEMORY": "512m", "SPARK_LOCAL_DIRS": str(self.folder / "local")}
        log = (self.folder / f"{name}.log").open("ab")
        # A group of its own, in which its executors are too.
        self.processes[name] = subprocess.Popen(
            command,
            env={**os.environ, **given, **environment},
            stdout=log,
            stderr=log,
            start_new_session=True,
            preexec_fn=end_with_parent,
        )
        log.close()

    def add_worker(self, name, environment):
        """A worker with one core. Its executors have these environment variables too."""
        command = ["worker.Worker", "--cores", "1", "--memory", "1g", "--host", HOST]
        command += ["--webui-port", str(free_port()), "-d", str(self.folder / name)]
        before = self.alive()
        self._start(name, [*command, "--properties-file", str(self.properties), self.url], environment)
        wait_for(lambda: self.alive() > before)

    def add_connect_server(self, events):
        """A server of Spark Connect, which is the driver. Gives its address and that of its UI."""
        port = free_port()
        settings = self.settings_of_a_session(events) | {
            "spark.connect.grpc.binding.address": HOST,
            "spark.connect.grpc.binding.port": str(port),
        }
        file = self.folder / "connect.properties"
        file.write_text("".join(f"{name} {value}\n" for name, value in settings.items()))
        server = ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "spark-internal"]
        self._start("connect", ["SparkSubmit", "--properties-file", str(file), *server], {})
        wait_for(lambda: socket.create_connection((HOST, port), 1).close() is None)
        return f"sc://{HOST}:{port}", f"http://{HOST}:{settings['spark.ui.port']}"

    def alive(self):
        workers = json.loads(get(f"{self.web}/json/"))["workers"]
        return sum(worker["state"] == "ALIVE" for worker in workers)

    def kill(self, name, how=signal.SIGKILL):
        """Ends a process that was started here, and its executors."""
        process = self.processes.pop(name)
        for number in (how, signal.SIGKILL):
            try:
                os.killpg(process.pid, number)
                process.wait(20)
                break
            except ProcessLookupError:
                break
            except subprocess.TimeoutExpired:
                continue
        process.wait()

    def settings_of_a_session(self, events):
        """What a driver needs to use this cluster, and to keep a log of events that a test can read."""
        return {
            "spark.master": self.url,
            "spark.driver.host": HOST,
            "spark.driver.bindAddress": HOST,
            "spark.executor.memory": "512m",
            "spark.ui.port": str(free_port()),
            "spark.ui.showConsoleProgress": "false",
            "spark.eventLog.enabled": "true",
            "spark.eventLog.dir": pathlib.Path(events).as_uri(),
            "spark.eventLog.compress": "false",
            "spark.eventLog.rolling.enabled": "false",
            "spark.sql.session.timeZone": "UTC",
            **self.settings,
        }


@contextlib.contextmanager
def connect_server(folder, keys, settings=None):
    """A server of Spark Connect over two workers that find their keys in a folder: its address and that of its UI."""
    (folder / "events").mkdir()
    with Cluster(folder, settings) as cluster:
        for name in ("one", "two"):
            cluster.add_worker(name, {"KEYLANE_KEY_DIR": str(keys)})
        yield cluster.add_connect_server(folder / "events")


def written_of(query, spark, web, modes):
    """What Connect writes of a query: plans as the server explains them, the plan that the client sends, and the UI."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        for mode in modes:
            query.explain(mode=mode)
    sent = query._plan.to_proto(spark.client).SerializeToString()
    return [text.getvalue().encode(), sent, query._plan.print().encode(), *shown_by(web)]
