"""Asking a person before an accepted candidate goes online.

1. `approval` – what is asked, whether it was answered before, and what follows.
2. `pause` – the flow run waits in Prefect; a bad answer asks again.
3. `form` – what a person fills in.
4. `waiting` – what waits for an answer, and answering it without a browser.
5. `process` – whether somebody is still there to hear the answer.
"""
