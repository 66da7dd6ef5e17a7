#!/bin/sh
# Makes a virtual environment of a hashed lock, within the build: install.sh FOLDER LOCK
# INDEX and PADDLE_GPU_INDEX come from the build's arguments, the authorities from its secret `ca`.
set -eu
if [ -s /run/secrets/ca ]; then
  export SSL_CERT_FILE=/run/secrets/ca PIP_CERT=/run/secrets/ca
fi
if [ ! -x /opt/uv/bin/uv ]; then
  python3 -m venv /opt/uv
  /opt/uv/bin/pip install --quiet --index-url "$INDEX" --require-hashes --requirement bootstrap.lock
fi
PATH=/opt/uv/bin:$PATH
uv venv --quiet --python python3 "$1"
uv pip install --quiet --python "$1" --default-index "$INDEX" --compile-bytecode \
  --no-deps --require-hashes --requirement "$2"
if [ -n "$PADDLE_GPU_INDEX" ]; then
  version=$(uv pip show --quiet --python "$1" paddlepaddle | sed -n 's/^Version: //p')
  uv pip uninstall --quiet --python "$1" paddlepaddle
  uv pip install --quiet --python "$1" --index "$PADDLE_GPU_INDEX" --default-index "$INDEX" \
    --compile-bytecode "paddlepaddle-gpu==$version"
fi
