"""How a project is operated, and the forms of what is done to models by hand.

- `cron` – a schedule in cron's five fields, refused early
- `project` – what a project's YAML file says under `operation`: schedule, triggers, when busy
- `smoke` – whether a short training must pass before a full one
- `promote`, `rollback`, `evaluate`, `batch`, `prune` – the forms of the flows that do these
- `watch` – the forms of the flows that look for new labelled data
"""
