"""Prefect's deployments in code: what there is to be, what there is, and how one becomes the other.

- `declaration` – what is said of one deployment
- `singles` – those that every machine has, one line each
- `project` – those of a project: its retraining, its smoke, its look for new data
- `memory` – the projects that were applied, and those that were refused, in a file
- `remembered` – which of them are there, and all deployments that follow from them
- `facts` – a deployment, declared or found, as names and values to compare
- `difference` – what an apply would do, as a person reads it
- `server` – reads what Prefect's server has
- `automations` – what starts a deployment by an event
- `form` – of one deployment, in which nothing that is said can be left empty
- `writing` – makes the server's deployments what is declared
- `apply` – all of it, one apply of a machine at a time
"""
