"""What was told already: one empty file an event and target, made before it is sent."""

from hashlib import sha256
from pathlib import Path


def claim(home: Path, *, event: str, target: str) -> bool:
    """Say whether this event is the caller's to tell that target; of several, one hears yes.

    Args:
        home: Folder of this machine.
        event: Names the event.
        target: Whom to tell: its address, of which only the digest is kept.
    """
    digest = sha256(f"{event}\0{target}".encode()).hexdigest()
    path = home / "notifications" / "told" / digest[:2] / digest[2:]
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        path.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True
