"""The gateway beside other servers, in one run: the same net, the same images, one load generator.

- `servers` – each of them: started, and what it is asked
- `paddle_serving_pipeline` – Paddle Serving's own server over a recogniser, as its users write one
- `wrk` – the load generator, with `load.lua`
"""
