"""Decoding what strangers send, in processes that can be killed and have nothing to lose.

- `decoders` – all of them, for every thread of a process
- `decoder` – one of them as its owner sees it: asked, timed, killed
- `child` – the process itself
- `confinement` – what that process cannot do
"""
