"""The recipe of docs/PYTHON.md for Ray Data, with two workers."""

import os
import time

import pyarrow as pa
import pytest
from common import NAME, RAW, write_key

import keylane

ray = pytest.importorskip("ray")


def test_recipe(tmp_path):
    environment = {"KEYLANE_KEY_DIR": str(write_key(tmp_path / "keys"))}
    # Two for the actors, and two for tasks that feed them.
    ray.init(num_cpus=4, include_dashboard=False, runtime_env={"env_vars": environment}, logging_level="error")
    try:
        emails = [f"user{number}@example.com" if number % 7 else None for number in range(20_000)]
        table = pa.table({"id": range(20_000), "email": emails})
        dataset = ray.data.from_arrow(table).repartition(8)

        def tag(batch):
            return batch.append_column("tag", keylane.pseudonymize(batch["email"], NAME))

        class Tag:
            """The same in an actor, of which there are two."""

            def __call__(self, batch):
                # Ray chooses the actor with the least to do: always the first one if batches are short.
                time.sleep(0.5)
                batch = tag(batch)
                return batch.append_column("process", pa.array([os.getpid()] * len(batch)))

        expected = dict(enumerate(keylane.pseudonymize(table["email"], RAW).to_pylist()))
        rows = dataset.map_batches(tag, batch_format="pyarrow").take_all()
        assert {row["id"]: row["tag"] for row in rows} == expected
        # By default Ray begins with the first actor that has started.
        ray.data.DataContext.get_current().wait_for_min_actors_s = 300
        pool = ray.data.ActorPoolStrategy(size=2)
        rows = dataset.map_batches(Tag, batch_format="pyarrow", compute=pool).take_all()
        assert {row["id"]: row["tag"] for row in rows} == expected
        assert len({row["process"] for row in rows}) == 2
        with pytest.raises(Exception, match="no key is loaded under the name"):
            dataset.map_batches(
                lambda batch: batch.append_column("tag", keylane.hash_column(batch["email"], "nobody")), batch_format="pyarrow"
            ).take_all()
    finally:
        ray.shutdown()
