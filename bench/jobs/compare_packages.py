"""One metric, several packages, one embedding: the table of docs/benchmark.md, "Agreement".

compare_packages.py PACKAGE EMBEDDING.h5ad LABEL_KEY BATCH_KEY [LABELS.tsv] prints metric and value, one a line.
PACKAGE: scib_metrics or scib, in whose environment this runs. LABELS.tsv: the cluster labels that scvet wrote, so that
the agreement scores compare the formula and not the clustering.
"""

import sys
import warnings

import anndata
import numpy as np
import pandas as pd

warnings.filterwarnings("ignore")


def by_scib_metrics(x, labels, batches, clusters):
    import scib_metrics
    from scib_metrics.nearest_neighbors import NeighborsResults
    from sklearn.neighbors import NearestNeighbors

    def lists(k):
        distances, indices = NearestNeighbors(n_neighbors=min(k, len(x))).fit(x).kneighbors(x)
        return NeighborsResults(indices=indices, distances=distances)

    yield "ASW", 2 * float(scib_metrics.silhouette_label(x, labels)) - 1
    yield "cLISI", float(np.nanmedian(scib_metrics.clisi_knn(lists(90), labels)))
    yield "GC", float(scib_metrics.graph_connectivity(lists(15), labels))
    yield "iLISI", float(np.nanmedian(scib_metrics.ilisi_knn(lists(90), batches)))
    yield "kBET", float(scib_metrics.kbet_per_label(lists(50), batches, labels))
    yield "BRAS", float(scib_metrics.bras(x, labels, batches, between_cluster_distances="mean_other"))
    yield "isolated_asw", float(scib_metrics.isolated_labels(x, labels, batches))
    yield from agreement(labels, clusters)


def by_scib(data, clusters):
    import scanpy
    import scib

    scanpy.pp.neighbors(data, use_rep="X_emb", n_neighbors=15)
    yield "ASW", 2 * scib.me.silhouette(data, "label", "X_emb") - 1
    yield "GC", scib.me.graph_connectivity(data, "label")
    yield "isolated_asw", scib.me.isolated_labels_asw(data, "label", "batch", "X_emb", verbose=False)
    for name, function in (("cLISI", scib.me.clisi_graph), ("iLISI", scib.me.ilisi_graph)):
        key = {"label_key": "label"} if name == "cLISI" else {}
        try:
            yield name, function(data, batch_key="batch", type_="embed", use_rep="X_emb", **key)
        except Exception as fault:  # its compiled helper may not start here
            print(f"# {name}: {type(fault).__name__}: {str(fault)[:100]}", file=sys.stderr)
    if clusters is not None:
        data.obs["cluster"] = pd.Categorical(clusters)
        yield "NMI", scib.me.nmi(data, "cluster", "label")
        yield "ARI", scib.me.ari(data, "cluster", "label")


def agreement(labels, clusters):
    import sklearn.metrics

    if clusters is not None:
        yield "NMI", sklearn.metrics.normalized_mutual_info_score(labels, clusters)
        yield "ARI", sklearn.metrics.adjusted_rand_score(labels, clusters)


def main():
    package, path, label_key, batch_key = sys.argv[1:5]
    data = anndata.read_h5ad(path)
    labels, batches = data.obs[label_key].astype(str).to_numpy(), data.obs[batch_key].astype(str).to_numpy()
    clusters = None
    if len(sys.argv) > 5:
        table = pd.read_csv(sys.argv[5], sep="\t", dtype=str).set_index("barcode")
        clusters = table.iloc[:, -1].loc[data.obs_names].to_numpy()
    if package == "scib_metrics":
        values = by_scib_metrics(np.asarray(data.X, dtype=np.float64), labels, batches, clusters)
    else:
        plain = anndata.AnnData(np.zeros((data.n_obs, 1), np.float32), obsm={"X_emb": np.asarray(data.X)})
        plain.obs["label"], plain.obs["batch"] = pd.Categorical(labels), pd.Categorical(batches)
        values = by_scib(plain, clusters)
    for name, value in values:
        print(f"{package}\t{name}\t{value:.6f}", flush=True)


if __name__ == "__main__":
    main()
