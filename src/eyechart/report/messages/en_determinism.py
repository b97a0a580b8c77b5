"""The words of a report in English: what repeats, which parameters are followed, and what helps."""

from __future__ import annotations

EN: dict[str, str] = {
    "determinism.title": "Does it say the same again?",
    "determinism.nothing": "Nothing could be compared: no condition could be tried, or every call failed.",
    "determinism.moves": "The same requests do not give the same to the bit, on {n} items: {settings}.",
    "determinism.quiet": "No answer of {n} items differed in {settings} settings. That is no proof: in each of them up to"
    " {upper} % of such items still might (95 %).",
    "determinism.sampled": "The study samples. What repeats here repeats by its seeds; what differs may be a seed that is"
    " not followed.",
    "determinism.noise": "Score noise of one pass with all as stated: SD {sd} points {ends}. Two scores of one pass each may"
    " differ by {swing} points by this alone (95 %, at the upper end).",
    "determinism.noise.unknown": "Score noise of one pass with all as stated is not known: {reason}.",
    "determinism.noise_settings": "With the settings tried here left open: SD {sd} points {ends}, and two scores may differ"
    " by {swing} points by this alone.",
    "determinism.noise_settings.unknown": "With the settings tried here left open it is not known: {reason}.",
    "determinism.setting": "{condition}: {setting}",
    "determinism.moved": "{setting} (another answer for {share} % of the items)",
    "determinism.set.stated": "as stated",
    "determinism.set.process": "another process",
    "determinism.set.batches": "batches of {n}",
    "determinism.set.threads": "{n} threads",
    "determinism.set.reversed": "reversed",
    "determinism.set.shuffled": "shuffled",
    "determinism.set.at_once": "{n} at once",
    "determinism.set.cache_on": "on",
    "determinism.set.cache_off": "off",
    "determinism.set.cache_own": "of its own",
    "determinism.table": "Every setting against the study as stated",
    "determinism.caption": "As stated the score is {score}. Each setting was really asked; an answer from a cache is none."
    " Shares are of items that differ in some pass, with exact 95 % intervals (over clusters where there are any). Noughts"
    " have an upper end. The largest difference is of one log-probability, in nats, before the texts part. Pace: calls a"
    " second over those of the pass as stated, in this run; how far that is noise of the machine shows in the row of again.",
    "determinism.untried": "Not tried: {condition}: {reason}.",
    "determinism.departures": "Where answers part",
    "determinism.departures.caption": "The earliest of each setting. Near: how much likelier the token taken as stated was"
    " than the other one, in nats; a small number is a near tie, which any change of rounding can turn.",
    "determinism.at.token": "token {at}",
    "determinism.at.character": "character {at}",
    "determinism.replicas": "What answered, as replies tell it",
    "determinism.replicas.caption": "Of pairs of answers to one request {same} of {pairs} differ from one name, and {across}"
    " of {others} from two names. Items that differ only across names: {items}. Servers that tell nothing may be many as"
    " well.",
    "determinism.no_item": "none",
    "determinism.untold": "not told",
    "determinism.parameters": "Which decoding parameters were followed",
    "determinism.parameters.caption": "{calls} calls; {open} prompts were open, that is, hot answers differed. Followed is"
    " said at p of at most 0.001 of a parameter that does nothing; ignored only of open prompts where more than half of the"
    " pairs that should be equal differ, or where what is shown rules chance out. All else cannot be told.",
    "determinism.obeyed_failed": "{n} of these calls failed and are left out.",
    "determinism.remedies": "What helps, for which versions, and what it costs",
    "determinism.environment": "Where it ran",
    "determinism.promise": "Temperature 0 promises the likeliest token of the numbers that were computed. It does not promise"
    " that the same numbers are computed again: batch size, cache, threads, kernels and replicas change the order of sums.",
    "determinism.of": "{n} of {all}",
    "determinism.failed": "{n}, {failed} failed",
    "determinism.change": "+{gained} −{lost}",
    "determinism.and": "{first}; {second}",
    "determinism.paced": "{setting}: {ratio} times the pace as stated, in this probe",
    "determinism.unseen": "the backend shows no log-probabilities here",
    "determinism.no_score": "no verdicts were compared",
    "determinism.no_pace": "a pass of an earlier process: its pace is not known",
    # Columns
    "determinism.col.setting": "Setting",
    "determinism.col.calls": "Answers",
    "determinism.col.texts": "Other answer, share of items",
    "determinism.col.bits": "Equal to the bit",
    "determinism.col.largest": "Largest difference",
    "determinism.col.verdicts": "Other verdict, share of items",
    "determinism.col.score": "Score",
    "determinism.col.change": "Verdicts gained and lost",
    "determinism.col.pace": "Pace",
    "determinism.col.item": "Item",
    "determinism.col.place": "Where",
    "determinism.col.stated": "As stated",
    "determinism.col.other": "Here",
    "determinism.col.near": "Near",
    "determinism.col.model": "Model",
    "determinism.col.fingerprint": "Fingerprint",
    "determinism.col.replies": "Replies",
    "determinism.col.parameter": "Parameter",
    "determinism.col.verdict": "Verdict",
    "determinism.col.evidence": "What was seen",
    "determinism.col.answers": "Answers",
    "determinism.col.p": "p",
    "determinism.col.state": "State",
    "determinism.col.helps": "Helps against",
    "determinism.col.holds": "Holds for",
    "determinism.col.cost": "Costs",
    "determinism.col.fact": "What",
    "determinism.col.value": "Is",
    # Conditions and verdicts
    "determinism.condition.again": "again",
    "determinism.condition.fresh": "fresh process",
    "determinism.condition.batch": "batch",
    "determinism.condition.threads": "threads",
    "determinism.condition.order": "order",
    "determinism.condition.concurrency": "concurrency",
    "determinism.condition.cache": "prefix cache",
    "determinism.verdict.obeyed": "followed",
    "determinism.verdict.ignored": "ignored",
    "determinism.verdict.cannot_tell": "cannot tell",
    "determinism.state.set": "set",
    "determinism.state.not_set": "not set",
    "determinism.state.unknown": "not visible from here",
    # Why not
    "determinism.lacks.compared": "nothing was compared",
    "determinism.lacks.passes": "no item has a score in every pass",
    "determinism.lacks.one_pass": "one pass shows no noise: ask again",
    "determinism.lacks.one_item": "one item says nothing about others",
    "determinism.untried.server_start": "the server is not ours to start anew; restart it and give the same command with one"
    " more of --repeats: the passes asked before are kept",
    "determinism.untried.server_batch": "requests go one by one to a server, which makes batches of those under way; see"
    " concurrency",
    "determinism.untried.one_call": "this backend is asked one call at a time",
    "determinism.untried.server_threads": "threads are set where the server is started",
    "determinism.untried.no_threads": "this backend does not say how many threads it has",
    "determinism.untried.keeps_nothing": "this backend keeps nothing of one call for the next",
    "determinism.untried.no_field": "this dialect has no field that turns the prefix cache of the server on or off",
    "determinism.untried.error": "{detail}",
    "determinism.untried.not_settable": "{detail}: this backend does not let it be set",
    # What was seen of parameters
    "determinism.said.unsent": "this backend does not send it",
    "determinism.said.too_few": "too few answers with a text came back",
    "determinism.said.pairs": "with {setting} {equal} of {pairs} pairs of answers are equal, with temperature {hot} and"
    " different seeds {drawn} of {others}",
    "determinism.said.something_else": "not every answer is the same, so something else moves them too",
    "determinism.said.greedy_only": "every hot answer is the greedy one, which draws would hardly ever give by the"
    " log-probabilities shown",
    "determinism.said.not_open": "no prompt was open: nothing is drawn here, or the model is sure of every word",
    "determinism.said.twins": "{equal} of {twins} pairs of answers with one seed are equal",
    "determinism.said.twins_other": "of pairs with different seeds {equal} of {pairs} are",
    "determinism.said.one_text": "answers with different seeds are all equal too",
    "determinism.said.one_stream": "yet they are not the text of temperature 0: they were drawn, with one seed for all",
    "determinism.said.nothing_drawn": "nothing seems to be drawn",
    "determinism.said.limit_ends": "with a limit of {limit} tokens {n} of {all} answers end where the longer one goes on",
    "determinism.said.limit_passed": "with a limit of {limit} tokens {n} of {all} answers are longer than that",
    "determinism.said.limit_own": "the others may have ended by themselves",
    "determinism.said.no_middle": "no answer has a word in its middle that could be a stop",
    "determinism.said.stop_passed": "{n} of {all} answers go on behind the stop",
    "determinism.said.stop_ends": "{n} of {all} answers end where the stop stands in the answer without it",
    "determinism.said.same_text": "temperature 0 and hot answers are the same texts: nothing is drawn, whatever is asked for",
    "determinism.said.cold_varies": "temperature 0 does not always give the same text here",
    # Remedies
    "determinism.helps.openvino_precision": "OpenVINO computes in bf16 where the processor can, unless its precision hint"
    " says f32; in bf16 the company in a batch moves answers, and calls are asked one by one",
    "determinism.holds.openvino_precision": "OpenVINO 2026.4 on x86-64 processors; where bf16 is not its default, nothing"
    " changes",
    "determinism.cost.openvino_precision": "prompts at about half the speed of bf16 (640 to 820 against 1,480 to 1,580 tokens a"
    " second: 135 million parameters, two shared cores)",
    "determinism.helps.threads": "sums are divided among threads, and another number may add in another order; the number is"
    " part of the identity of the engine here",
    "determinism.holds.threads": "all versions",
    "determinism.cost.threads": "none, if the number fits the machine",
    "determinism.helps.llamacpp_cache": "a prompt whose beginning is cached is computed in another batch size; that moves"
    " log-probabilities, and turns near ties",
    "determinism.holds.llamacpp_cache": "llama.cpp servers, where the cache is on by default; builds of 2024 to 2026",
    "determinism.cost.llamacpp_cache": "prompts are computed whole each time",
    "determinism.helps.llamacpp_alone": "requests under way at once share batches, whose size moves sums; one slot"
    " (--parallel 1) does it for all users of the server",
    "determinism.holds.llamacpp_alone": "all llama.cpp builds with continuous batching",
    "determinism.cost.llamacpp_alone": "the speed of batches",
    "determinism.helps.server_threads": "no difference between one and two threads was seen where it was measured; other"
    " builds may have other kernels",
    "determinism.holds.server_threads": "llama.cpp on a CPU",
    "determinism.cost.server_threads": "none",
    "determinism.helps.vllm_invariant": "answers no longer hang on the batch or on the order of requests; for a server the"
    " only way",
    "determinism.holds.vllm_invariant": "vLLM, in beta; at first compute capability 9.0, in 0.32 8.0 and some AMD and Intel"
    " devices; the same hardware and version only",
    "determinism.cost.vllm_invariant": "slower kernels, by its makers; not measured here",
    "determinism.helps.sglang": "the same for SGLang, with radix cache and sampling",
    "determinism.holds.sglang": "SGLang since September 2025, attention by FlashInfer, FlashAttention 3 or Triton",
    "determinism.cost.sglang": "slower, by its makers; not measured here",
    "determinism.helps.vllm_scheduling": "makes scheduling repeat in offline use; it does nothing for a server",
    "determinism.holds.vllm_scheduling": "vLLM, V1 engine",
    "determinism.cost.vllm_scheduling": "not measured here",
    "determinism.helps.vllm_cache": "whether a prefix is cached depends on who asked before; a cache salt of its own for each"
    " run keeps others out",
    "determinism.holds.vllm_cache": "vLLM, V1 engine, where prefix caching is on by default",
    "determinism.cost.vllm_cache": "shared prefixes are computed anew",
    "determinism.helps.ollama_options": "at the top level of the /api routes these are dropped without a word; the /v1 routes"
    " take them at the top level. A seed on /v1 once forced temperature 0",
    "determinism.holds.ollama_options": "Ollama; the last point until June 2024",
    "determinism.cost.ollama_options": "none",
    "determinism.helps.ollama_parallel": "shared batches move answers; so does the prompt cache, for which its makers plan no"
    " switch",
    "determinism.holds.ollama_parallel": "Ollama up to 2026",
    "determinism.cost.ollama_parallel": "the speed of batches",
    "determinism.helps.torch_flag": "refuses operations that differ from run to run; it makes nothing independent of the"
    " batch size",
    "determinism.holds.torch_flag": "torch 1.8 and later; on a CPU most operations of inference repeat without it",
    "determinism.cost.torch_flag": "slower operations, by its makers; not measured here",
    "determinism.helps.cublas": "one workspace for cuBLAS, so that it picks the same algorithm; to be set before the device is"
    " first used",
    "determinism.holds.cublas": "CUDA 10.2 and later; torch since late 2025 no longer insists on it",
    "determinism.cost.cublas": "memory for each handle; speed not measured here",
    "determinism.helps.torch_precision": "near ties are rarer in float32, not impossible",
    "determinism.holds.torch_precision": "all versions",
    "determinism.cost.torch_precision": "twice the memory of bf16; speed not measured here",
    "determinism.helps.alone": "your own requests no longer share batches; those of other users still do",
    "determinism.holds.alone": "servers that nobody else uses",
    "determinism.cost.alone": "requests wait for each other",
    "determinism.helps.hosted_seed": "a hosted service promises its best effort, while its system fingerprint stays the same;"
    " watch that",
    "determinism.holds.hosted_seed": "services that report a fingerprint",
    "determinism.cost.hosted_seed": "none",
    "determinism.helps.average": "does not remove noise but measures it; the mean of k passes has one part in the root of k"
    " of it",
    "determinism.holds.average": "every backend, also where nothing else can be set",
    "determinism.cost.average": "k times the calls",
}
