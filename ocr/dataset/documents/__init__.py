"""Lines of documents whose groups are given: equal ones are kept, and the groups part the splits.

- `groups`: which groups are copies of each other, and whose a row is
- `division`: where each row lies, and what its document takes with it
- `votes`: equal lines that are labelled otherwise
"""
