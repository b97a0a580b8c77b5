"""Any OpenAI-compatible server: vLLM, SGLang, llama.cpp, Ollama, TGI, hosted ones.

    model:
      backend: openai
      name: Qwen/Qwen3-8B            # as the server has it
      url: http://127.0.0.1:8000/v1  # with /v1: nothing is guessed
      api_key_env: MY_KEY            # name of the variable, never the key
      options: {dialect: vllm, concurrency: 32, timeout: 300}

A request with a prompt goes to `{url}/completions`, one with messages to `{url}/chat/completions`.
`model.options`:

    dialect         openai (default: standard parameters only), vllm (also SGLang), llamacpp, ollama
    concurrency     requests under way at once, 16
    timeout         seconds for a whole answer, 120; 10 of them for the connection
    option_scoring  echo, top_logprobs or auto (default: by dialect; `openai` tries echo first);
                    see `openai_options`
    limit_field     max_tokens (default) or max_completion_tokens (OpenAI's newer models)
    extra_body      more fields for every request, e.g. {cache_prompt: false}; in the engine's identity
    top_logprobs    how many of the likeliest tokens are asked for; by dialect 5 to 200, in chat 20
    proxy_from_env  true to go through the proxy that HTTP_PROXY, HTTPS_PROXY and NO_PROXY name. Off by
                    default: it would stand between a loopback server and us, and nothing would show it

One `ask` is one attempt; the runner repeats what `Failure.retryable` allows. (To score options an
attempt may take two requests: the prompt alone where it proves which tokens are the option's, or a
second way where the first is not offered.) Redirects are not followed: the key goes to `model.url` only.

`candidates` asks for the likeliest tokens at every step (`logprobs`, `top_logprobs`), at most as many as the dialect
shows (`top_logprobs` above). The whole distribution is nowhere to be had: an entropy is absent, and a probe gives bounds.

The notes of a Response: `candidates:5` (no more are shown), `path_shows:6_of_12_tokens` (llama.cpp makes one step of
the tokens that are one character together; its candidates are those of the last), `logprobs_perhaps_after_temperature` (this dialect does not
say whether they are those of temperature 1), `served_other_model`, `dialect_is:llamacpp` (say so in the options, else that
server samples with a top_k, top_p and min_p of its own), `option_scoring:echo` or `:top_logprobs`,
`reasoning_apart` (thoughts came beside the text), `refusal_field`, `null_content`, and
`parameter_ignored:max_new_tokens` or `:stop` where the reply itself shows it.
"""

from __future__ import annotations

from eyechart.backends.openai_server import VERSION, OpenAI, Settings, open_backend

__all__ = ["VERSION", "OpenAI", "Settings", "open_backend"]
