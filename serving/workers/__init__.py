"""Processes that read: crops of many requests together, pages one at a time.

1. `crew` – all of them: who hands them work has this. Start here.
2. `crop_queue` – the crops that wait, and which of them are read next
3. `crop_lane` – the way of crops to one of them, on the event loop
4. `page_lanes` – the way of pages to all of them, from threads
5. `worker` – one of them as the gateway sees it: started, given models and pages, killed
6. `faults` – what one of them could not do, as it is told
7. `child` – the process itself
8. `page_answer` – what it answers of a page
9. `model_files` – what it loads, and how
"""
