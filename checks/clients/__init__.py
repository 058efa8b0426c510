"""Area 4xx: what clients make of several logins, keys and settings."""
