"""Decoding what strangers send, in processes that can be killed and have nothing to lose.

- `page_feed` – pages for the engine, documents in fair turns
- `decoders` – all of them, for every thread of the gateway
- `decoder` – one of them as the gateway sees it: asked, timed, killed, replaced
- `child` – the process itself
- `confinement` – what that process cannot do
"""
