"""Telling people what happened.

1. `notify` – tells everybody who wants to know, once, and never at the expense of a run.
2. `notice` – what is told, in words; `occasions`: what a judgement or a move of an alias gives.
3. `targets` – who is told: the file notifications.yaml.
4. `delivery` – apprise, with bounded tries.
5. `apart` – in a process of its own, which ends.
6. `masking` – what errors say, without the secrets of addresses.
7. `ledger` – what was told already.
8. `hooks` – what Prefect calls when a run fails.
9. `remote` – what an automation gives to tell; `examples`: a message of each kind.
"""
