#!/bin/sh
# An interpreter with Paddle Serving where there is no Python 3.9: a container of `make serving-image`.
# It is started as `python -u SERVICE MODEL SOCKET VERSION THREADS`, sees the folders of these three
# paths alone, has no network and no rights, and ends when its standard input does.
set -eu
service=$2 model=$3 socket=$4
exec docker run --interactive --rm --network none --read-only --tmpfs /tmp \
  --cap-drop ALL --security-opt no-new-privileges --user "$(id -u):$(id -g)" \
  --volume "$(dirname "$service"):$(dirname "$service"):ro" \
  --volume "$model:$model:ro" \
  --volume "$(dirname "$socket"):$(dirname "$socket")" \
  --env GLOG_minloglevel --env PYTHONDONTWRITEBYTECODE --env PYTHONWARNINGS \
  "${OCRLINE_PADDLE_SERVING_IMAGE:-ocrline-paddle-serving}" "$@"
