"""Feature hashing under a key, and a split that stays the same: with scikit-learn.

    KEYLANE_KEY_DIR=FOLDER python3 features.py

FOLDER holds the key `features`, as `keylane keygen -o FOLDER/features` makes it. Others can then neither choose words that
meet in one place, nor find words from a model. The model holds the name of the key, so it can be pickled and sent.
"""

import numpy as np
import pandas as pd
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.linear_model import SGDClassifier
from sklearn.pipeline import make_pipeline

import keylane


class KeyedHasher(TransformerMixin, BaseEstimator):
    """Columns of text as a sparse matrix: a tag chooses the place of a value, and its highest bit the sign."""

    def __init__(self, key, places=2**16):
        self.key = key
        self.places = places

    def fit(self, table, y=None):
        return self

    def transform(self, table):
        places, signs = [], []
        for name in table.columns:
            # A context for each column: the word `red` is another feature as a colour than as a surname.
            tags = keylane.hash_column(table[name].to_numpy(dtype=object), self.key, context=f"features.{name}")
            places.append((tags % self.places).astype("int64"))
            signs.append(1 - 2 * (tags >> 63).astype("int64"))
        rows = np.tile(np.arange(len(table)), len(places))
        shape = (len(table), self.places)
        return csr_matrix((np.concatenate(signs), (rows, np.concatenate(places))), shape=shape)


def main():
    key = keylane.KeyRef("features")
    random = np.random.default_rng(1)
    users = pd.DataFrame({"user": np.arange(4000) % 1000, "colour": random.choice(["red", "green", "blue"], 4000)})
    users["shape"] = random.choice(["round", "square"], 4000)
    likes = (users["colour"] == "red") ^ (users["shape"] == "round")
    users["pair"] = users["colour"] + " " + users["shape"]
    # All rows of a user are on one side, in this table and in every later one.
    test = keylane.sample(users["user"], key, 0.2, context="split")
    model = make_pipeline(KeyedHasher(key), SGDClassifier(random_state=1))
    columns = ["colour", "shape", "pair"]
    model.fit(users.loc[~test, columns], likes[~test])
    score = model.score(users.loc[test, columns], likes[test])
    print(f"{test.sum()} of {len(users)} rows are for the test; {score:.0%} of them are predicted right")
    return model, score


if __name__ == "__main__":
    main()
