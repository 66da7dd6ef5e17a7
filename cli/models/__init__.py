"""The registry on the command line.

1. `app` – the commands: list, promote and roll back stand here.
2. `show` – one version and what it came from, as a `tree`.
3. `compare` – two versions beside each other.
4. `history` – all versions of a model, and the trend of their metrics.
5. `download` – a version as files, for other tools.
"""
