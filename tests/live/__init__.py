"""Tests against the real vLLM, the real LiteLLM proxy and the real client programs (conformance/).

Off unless asked for: see conftest.py.
"""
