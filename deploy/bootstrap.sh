#!/usr/bin/env bash
# Makes .venv with the pinned uv in it: deploy/bootstrap.sh PYTHON
# Debian and Ubuntu split Python's venv off; pip or uv will do as well, and neither needs root.
set -euo pipefail
python=$1

if "$python" -c 'import ensurepip' 2>/dev/null; then
  "$python" -m venv .venv
  .venv/bin/pip install --quiet --require-hashes --requirement bootstrap.lock
elif "$python" -m pip --version >/dev/null 2>&1; then
  "$python" -m pip install --quiet --require-hashes --requirement bootstrap.lock --target .venv/bootstrap
  .venv/bootstrap/bin/uv venv --quiet --allow-existing --python "$python" .venv
  mv .venv/bootstrap/bin/uv .venv/bin/uv
  rm -r .venv/bootstrap
elif command -v uv >/dev/null; then
  uv venv --quiet --python "$python" .venv
  uv pip install --quiet --python .venv --require-hashes --requirement bootstrap.lock
else
  echo "error: $python has neither venv nor pip, and there is no uv; get one of them, on Debian and Ubuntu: apt install python3.11-venv" >&2
  exit 2
fi
