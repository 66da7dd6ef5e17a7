"""What a machine runs besides the command: services in the background, and Prefect's deployments.

- `stack`, `status` – the local stack as a whole: brought up and down; what of it is up
- `services` – each service of ours: Prefect's server, the worker behind its UI, the gateway
- `parts/` – Prefect's server, its database, MinIO
- `keeper` – brings back what ended
- `pool`, `worker`, `engine` – what runs at once; what starts the runs that the UI asks for; a run
- `deployments/` – what the UI offers and starts by itself, in code
- `keeping/` – backup and restore of database, store and home together
- `runs`, `automations/` – what runs and waits, and is told to stop; what ends runs that are dead
  and tells people of it
- `api`, `web` – asks Prefect's server over REST, and anybody whether he is there
- `background`, `ports` – a background process: started, remembered in a file, stopped by its id;
  where it listens
- `memory`, `password`, `keys` – what is kept from start to start; secrets; those of the store
- `bootstrap.sh`, `opencv-contrib-python/` – what `make setup` needs
"""
