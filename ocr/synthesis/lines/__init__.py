"""Text lines rendered from patterns or a corpus.

In the order to read:
- `render`: the line of an index
- `texts`: what lines say
- `prints`, `plates`: what they look like, besides `counters`
- `camera`: how a line is photographed
"""
