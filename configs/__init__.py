"""Parameter models: the Prefect form, the YAML schema and the job contract."""
