"""Weka's M5P 3.6.14: model trees by M5' (Wang, Witten 1997), with the option -M 4."""

SETTINGS = {
    "search": "m5",
    "criterion": "sdr",
    "nominal": "binary",
    "missing": "majority",
    "min_split": 4.0,
    "leaf_model": "linear",
    "smooth": True,
}

PRUNING: tuple[str, dict[str, object]] = ("m5", {})
