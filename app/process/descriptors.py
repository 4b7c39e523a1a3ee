"""How many files and connections this process may have open at once."""

import sys

if sys.platform == "win32":
    LIMITLESS = 8_192

    def descriptors() -> int:
        """There is no such limit to ask for."""
        return LIMITLESS

else:
    import resource

    ENOUGH = 65_536

    def descriptors() -> int:
        """The limit, raised first as far as this process may: a shell's default of 1,024 is too low for a server."""
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = ENOUGH if hard == resource.RLIM_INFINITY else min(hard, ENOUGH)
        if soft != resource.RLIM_INFINITY and soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            return wanted
        return ENOUGH if soft == resource.RLIM_INFINITY else soft
