"""What a gateway does when something goes wrong, under a light load that must not notice.

1. `table` – every fault, and what should happen. Start here.
2. `trial` – one fault under the steady load: what happened, what it cost, how long it took
3. `target` – the gateway, what it serves and its load
4. `processes` – a worker or the gateway is killed or hangs
5. `versions` – the store vanishes, a version is damaged, versions come and go
6. `clients` – clients that are slow, greedy, hostile or in a hurry
"""
