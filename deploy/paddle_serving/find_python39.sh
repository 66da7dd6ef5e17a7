#!/usr/bin/env bash
# Prints a Python 3.9 that runs: PYTHON39, python3.9, or one of pyenv's, whose shim may lead nowhere.
set -euo pipefail
shopt -s nullglob
for python in "${PYTHON39:-}" "$(command -v python3.9 || true)" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.9*/bin/python; do
  if [ -n "$python" ] && "$python" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 9))' 2>/dev/null; then
    "$python" -c 'import sys; print(sys.executable)'
    exit
  fi
done
echo "error: no Python 3.9 found, the last one that Paddle Serving 0.9 runs on; install one (pyenv install 3.9) or name it: make serving-runtime PYTHON39=/path/to/python3.9" >&2
exit 2
