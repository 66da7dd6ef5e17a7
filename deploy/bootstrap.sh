#!/usr/bin/env bash
# Makes .venv with the pinned uv in it: deploy/bootstrap.sh PYTHON
# Debian and Ubuntu split venv's ensurepip and pip off their Python; no way here needs root.
set -euo pipefail
python=$1
pip_tag=25.3
pip_commit=a52069365063ea813fe3a3f8bac90397c9426d35

"$python" -m venv --without-pip .venv
if "$python" -c 'import ensurepip' 2>/dev/null; then
  .venv/bin/python -m ensurepip >/dev/null
  pip=(.venv/bin/python -m pip)
elif "$python" -m pip --version >/dev/null 2>&1; then
  pip=("$python" -m pip --python .venv/bin/python)
else
  # Nothing but Python and git: pip runs from its own source tree.
  source=.venv/pip-source
  git -c advice.detachedHead=false clone --quiet --depth 1 --branch "$pip_tag" \
    https://github.com/pypa/pip "$source" || {
    echo "error: $python has no pip, and its source cannot be fetched; on Debian and Ubuntu: apt install python3.11-venv" >&2
    exit 2
  }
  [ "$(git -C "$source" rev-parse HEAD)" = "$pip_commit" ] || {
    echo "error: pip $pip_tag is not commit $pip_commit; on Debian and Ubuntu: apt install python3.11-venv" >&2
    exit 2
  }
  pip=(.venv/bin/python "$source/src/pip")
fi
"${pip[@]}" install --quiet --disable-pip-version-check --require-hashes --requirement bootstrap.lock
rm -rf .venv/pip-source
