"""HTTP answers inside a pasted text: a JSON body, a stream, a page, what ``curl -v`` prints."""
