"""The gateway beside other servers, in one run: the same net, the same images, one load generator.

- `servers` – each of them: started, and what it is asked
- `paddle_serving_pipeline` – Paddle Serving's own server over a recogniser, as its users write one
- `float32` – a model that is read in 8 bits, once more in float32, for the others
- `bare` – what is measured first: the engine without a server
- `wrk` – the load generator, with `load.lua`
"""
