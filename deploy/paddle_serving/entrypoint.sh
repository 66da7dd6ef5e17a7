#!/bin/sh
# Within the container: runs Python, and ends it with standard input even where it hangs.
# The container lives as long as its first process, this one; no kill from outside reaches another.
exec 3<&0
# Of its own group, which Paddle Serving kills where a model does not load: group 1 would be all others.
setsid python "$@" <&3 &
python=$!
{ cat <&3 >/dev/null; kill -9 "$python"; } 2>/dev/null &
wait "$python"
