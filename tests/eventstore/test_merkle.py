"""Trees as RFC 6962 defines them; the known roots are those of the certificate-transparency reference tests."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore.checkpoints import merkle

INPUTS = [
    bytes.fromhex(text)
    for text in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]

hashes = st.lists(st.binary(min_size=32, max_size=32), min_size=1, max_size=40)


@pytest.mark.parametrize("size", range(9))
def test_known_roots(size):
    assert merkle.root(map(merkle.leaf_hash, INPUTS[:size])).hex() == ROOTS[size]


@given(hashes, st.data())
def test_every_leaf_is_proven_by_its_path(leaves, data):
    index = data.draw(st.integers(0, len(leaves) - 1))
    path = merkle.audit_path(leaves, index)
    assert len(path) <= len(leaves).bit_length()
    assert merkle.root_from_path(leaves[index], index, len(leaves), path) == merkle.root(leaves)


@given(hashes, st.data())
def test_another_leaf_is_not_proven(leaves, data):
    index = data.draw(st.integers(0, len(leaves) - 1))
    path = merkle.audit_path(leaves, index)
    forged = merkle.leaf_hash(b"forged")
    assert merkle.root_from_path(forged, index, len(leaves), path) != merkle.root(leaves)


def test_a_node_is_not_accepted_as_a_leaf():
    leaves = [merkle.leaf_hash(text) for text in (b"a", b"b")]
    assert merkle.leaf_hash(leaves[0] + leaves[1]) != merkle.root(leaves)


@pytest.mark.parametrize(
    ("index", "size", "steps"), [(-1, 2, 1), (2, 2, 1), (0, 1, 1), (0, 2, 0), (0, 2, 2), (0, 0, 0)]
)
def test_an_invalid_path_is_refused(index, size, steps):
    assert merkle.root_from_path(b"a" * 32, index, size, [b"b" * 32] * steps) is None


def test_there_is_no_path_to_a_missing_leaf():
    with pytest.raises(IndexError):
        merkle.audit_path([b"a" * 32], 1)
