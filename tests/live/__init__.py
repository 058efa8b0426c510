"""Tests against the real vLLM and the real LiteLLM proxy. Off unless asked for: see conftest.py."""
