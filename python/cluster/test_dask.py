"""The recipe of docs/PYTHON.md for Dask, with two workers."""

import pandas as pd
import pyarrow as pa
import pytest
from common import NAME, RAW, has_secret, write_key

import keylane

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")


def test_recipe(tmp_path):
    import dask.dataframe as dd

    environment = {"KEYLANE_KEY_DIR": str(write_key(tmp_path / "keys"))}
    emails = [f"user{number}@example.com" if number % 7 else None for number in range(20_000)]
    frame = pd.DataFrame({"id": range(20_000), "email": pd.array(emails, "string[pyarrow]")})
    settings = {"n_workers": 2, "threads_per_worker": 1, "env": environment, "dashboard_address": None}
    with distributed.LocalCluster(**settings, silence_logs=50) as cluster, cluster.get_client() as client:
        users = keylane.KeyRef(NAME)

        def tag(part):
            return part.assign(tag=keylane.pseudonymize(part["email"], users))

        lazy = dd.from_pandas(frame, npartitions=8).map_partitions(tag, meta={**frame.dtypes, "tag": "string[pyarrow]"})
        found = lazy.compute()
        expected = keylane.pseudonymize(pa.array(emails), RAW).to_pylist()
        assert [None if pd.isna(one) else one for one in found["tag"]] == expected
        processes = set(client.run(lambda: __import__("os").getpid()).values())
        assert len(processes) == 2
        assert not has_secret(str(lazy.dask).encode())
        wrong = dd.from_pandas(frame, npartitions=2)["email"].map_partitions(
            keylane.hash_column, "nobody", meta=("email", "UInt64")
        )
        with pytest.raises(KeyError, match="no key is loaded under the name"):
            wrong.compute()
