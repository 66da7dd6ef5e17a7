"""What a machine runs besides the command: services in the background, and Prefect's deployments.

- `services` – Prefect's server, the runner behind its UI, and the gateway
- `background` – a background process: started, remembered in a file, stopped by its id
- `owner` – whose a process is: its home and its store
- `password` – the password of the local Prefect server
- `runner` – offers both flows in the Prefect UI
- `bootstrap.sh`, `opencv-contrib-python/` – what `make setup` needs
"""
