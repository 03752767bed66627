"""A service in a process of its own, on loopback: it says where it is, answers, and ends as the other commands do."""

import http.client
import json
import re
import signal
import socket
import subprocess
import sys

import numpy as np
import pytest

from novacula.cli.serve import needing_web
from novacula.errors import ParameterError
from novacula.linear import LinearRegression
from novacula.web.listening import address_of, is_loopback, known_hosts, open_socket


@pytest.fixture(scope="module")
def model_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "model.nova"
    X = np.arange(20.0)[:, None]
    LinearRegression().fit(X, 2.0 * X[:, 0]).save(path)
    return path


def serve(*arguments):
    command = [sys.executable, "-m", "novacula", "serve", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_a_service_answers_until_it_is_told_to_stop(model_file):
    process = serve(model_file, "--port", "0")
    try:
        said = process.stderr.readline()
        port = int(re.fullmatch(r"\w[\w ]* answers at http://127\.0\.0\.1:(\d+); Ctrl-C ends it\.\n", said)[1])
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        for k in range(20):  # on one connection
            connection.request("POST", "/predict", json.dumps({"x0": k}), {"content-type": "application/json"})
            answered = connection.getresponse()
            assert answered.status == 200
            assert json.loads(answered.read())["answers"][0]["prediction"] == pytest.approx(2.0 * k)
        connection.request("GET", "/health", headers={"host": "evil.example"})
        assert connection.getresponse().status == 403
        connection.close()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    finally:
        process.kill()
        process.communicate()
    assert (process.returncode, out, err) == (130, "", "novacula: stopped by Ctrl-C\n")


def test_a_port_in_use_is_one_sentence(model_file):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        process = serve(model_file, "--port", port)
        out, err = process.communicate(timeout=60)
    sentence = f"novacula: port {port} of 127.0.0.1 is in use: stop what uses it, or choose another with --port\n"
    assert (process.returncode, out, err) == (2, "", sentence)


@pytest.mark.parametrize("package", ["starlette", "uvicorn"])
def test_what_is_not_installed_is_named_with_the_way_to_it(package):
    sentence = rf"novacula serve needs {package}: pip install 'novacula\[web\]'"
    with pytest.raises(ParameterError, match=sentence), needing_web():
        raise ModuleNotFoundError(f"No module named {package!r}", name=package)
    with pytest.raises(ModuleNotFoundError), needing_web():
        raise ModuleNotFoundError("No module named 'other'", name="other")


def test_sockets_know_their_address_and_who_may_name_them():
    with open_socket("localhost", 0) as local:
        port = local.getsockname()[1]
        assert is_loopback(local)
        assert address_of(local).endswith(f":{port}")
        assert {f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}"} <= known_hosts(local)
    with open_socket("0.0.0.0", 0) as everywhere:
        assert not is_loopback(everywhere)
        assert known_hosts(everywhere) is None


@pytest.mark.parametrize("host", ["no such host", "256.1.1.1", "\0", "a" * 300])
def test_a_host_that_is_none_is_one_sentence(host):
    with pytest.raises(ParameterError, match="which is not an address"):
        open_socket(host, 0)


def test_an_address_of_another_machine_is_one_sentence():
    with pytest.raises(ParameterError, match=r"port 0 of 192\.0\.2\.1 cannot be opened"):
        open_socket("192.0.2.1", 0)
