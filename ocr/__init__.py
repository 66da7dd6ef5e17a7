"""The domain of the line: samples, charset, metrics, gate, bundle, store and registry."""
