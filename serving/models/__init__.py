"""The models in service: loaded, proved, and swapped when a champion moves.

- `live_model` – one loaded version of a recogniser or a pipeline
- `model_pool` – all of them, read by every request
- `loading` – how a version gets into service
- `champion_follower` – watches the registry, and has new champions loaded
"""
