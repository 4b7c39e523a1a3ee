"""Who may call, and under which name this server is called, as its settings say."""

from app.http.origin import OriginRules
from app.settings import Settings


def origin_rules(settings: Settings) -> OriginRules:
    """For the middleware, and for the wire below it."""
    return OriginRules(settings.site_url, settings.own_url, settings.cors_origins)
