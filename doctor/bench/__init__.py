"""``kvdoctor bench``: how fast a server answers, up to where it no longer gets faster."""
