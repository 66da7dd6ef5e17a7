"""The domain: samples, charset, metrics, gate, bundle, store and registry."""
