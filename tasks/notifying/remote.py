"""What an automation of Prefect's gives to tell, in a flow run of its own."""

from configs.people.notifications import NotifyParams
from configs.settings import Settings
from tasks.notifying.notice import Notice
from tasks.notifying.notify import link_to, tell
from tasks.notifying.targets import read_targets


def tell_remotely(params: NotifyParams) -> list[str]:
    """Tell people, and wait until they are told; return who could not be.

    Args:
        params: What happened.
    """
    notice = Notice(
        kind=params.kind,
        model=params.model,
        id=f"{params.kind}:{params.event or params.run}",
        why=params.why,
        link=link_to(params.run),
    )
    return tell(notice, read_targets(Settings()))
