"""What a machine runs besides the command: services in the background, and Prefect's deployments.

- `services` – Prefect's server, the worker behind its UI, and the gateway
- `background` – a background process: started, remembered in a file, stopped by its id
- `memory` – what a stack keeps from start to start
- `api` – asks Prefect's server over REST
- `owner` – whose a process is: its home and its store
- `password` – the password of the local Prefect server
- `pool`, `worker`, `engine` – what runs at once; what starts the runs that the UI asks for; a run
- `deployments/` – what the UI offers and starts by itself, in code
- `keeping/` – backup and restore of database, store and home together
- `bootstrap.sh`, `opencv-contrib-python/` – what `make setup` needs
"""
