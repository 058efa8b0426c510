"""Texts about processes, the installation and the machine (facts/vllm.md §5.4)."""

from __future__ import annotations

import re

from doctor.explain.model import Cause, symptom
from doctor.text import _


def _port(match: re.Match[str]) -> tuple[Cause, ...]:
    port = match["port"]
    if port is None:
        return (Cause("KVD912", 0.9, _("which program holds the port? 'ss -ltnp' names it")),)
    return (
        Cause(
            "KVD912",
            0.95,
            _("which program holds port {port}? 'ss -ltnp' names it", port=port),
            (f"--port {int(port) + 1}",),
        ),
    )


PORT = symptom(
    r"(?:eaddrinuse|address already in use|errno 98\b)(?:.{0,80}\bport[ :=]*(?P<port>\d+))?",
    _("the port is taken"),
    _port,
)

_WRITES = symptom(
    r"permission denied: b?['\"](?P<path>[^'\"]{1,200})",
    _("the user that the engine runs as may not use this file or folder"),
    lambda match: (
        Cause(
            "KVD915",
            0.85,
            _("{path}: chown it, or name folders that can be written", path=match["path"]),
            ("HOME", "HF_HOME", "VLLM_CACHE_ROOT"),
        ),
    ),
)

_DISK = symptom(
    r"^(?!.*/dev/shm).*(?:no space left on device|not enough free disk space)",
    _("the disk is full"),
    Cause("KVD913", 0.75, _("do the weights fit where HF_HOME points?"), ("HF_HOME",)),
    Cause("KVD915", 0.4, _("or is /tmp full, or the folder of compiled kernels?")),
)

_PACKAGE = symptom(
    r"please install (?P<name>[\w.\[\]-]{1,60})(?:[<>=!~]=?\S+)?[^\n]{0,40}`pip install"
    r"|importerror: [^\n]{0,80}please install (?P<other>[\w.\[\]-]{1,60})",
    _("a package that this takes is missing or too old"),
    lambda match: (
        Cause(
            "KVD922",
            0.95,
            _("install it into the environment of the engine"),
            (f"pip install --upgrade {(match['name'] or match['other']).rstrip('.')}",),
        ),
    ),
)

_VERSIONS = symptom(
    r"typeerror: (?:(?!EngineArgs|LLM\b)[\w.]+)(?:\.__init__)?\(\) got an unexpected keyword"
    r" argument '(?P<name>\w+)'|attributeerror: module '[\w.]+' has no attribute '\w+'"
    r"|(?:deepgemm|deep_gemm|flashinfer|flash[-_]attn|xformers) (?:backend )?is (?:not"
    r" available|unavailable|required)|no operator found for",
    _("two packages that belong together are of different versions"),
    Cause("KVD922", 0.7, _("install vLLM into a clean environment with what it asks for")),
)

_NO_PORT = symptom(
    r"could not find open port|port must be between",
    _("no port could be used"),
    Cause("KVD912", 0.7, _("which ports are in use? 'ss -ltnp' lists them")),
    Cause("KVD919", 0.5, _("or is VLLM_PORT, or --port, out of range?")),
)

# Only from an engine: elsewhere the same words are about something else.
HERE_ONLY = (PORT, _WRITES, _DISK, _PACKAGE, _VERSIONS, _NO_PORT)

SYMPTOMS = (
    symptom(
        r"error while attempting to bind on address \('[^']*', (?P<port>\d+)",
        _("the port is taken"),
        _port,
    ),
    symptom(
        r"failed to infer device type|no cuda gpus are available|no cuda-capable device is detected"
        r"|found no nvidia driver|libcuda\.so\.1: cannot open shared object file"
        r"|nvml shared library not found|could not select device driver",
        _("vLLM sees no GPU"),
        Cause(
            "KVD811",
            0.85,
            _("does nvidia-smi work in the same place? A container needs --gpus all"),
            ("--gpus all",),
        ),
        Cause("KVD917", 0.4, _("is CUDA_VISIBLE_DEVICES empty, or names what is not there?")),
        Cause("KVD922", 0.3, _("or is it the build of vLLM for CPUs?")),
    ),
    symptom(
        r"unsupported display driver / cuda driver combination|error 80[34]\b"
        r"|nvidia driver on your system is too old|provided ptx was compiled with an unsupported"
        r" toolchain|cuda driver version is insufficient|driver/library version mismatch"
        r"|forward compatibility was attempted on non supported hw"
        r"|unsatisfied condition: cuda\s?>=",
        _("the GPU's driver is older than what this vLLM was built for"),
        Cause(
            "KVD811",
            0.9,
            _("update the driver, or take a build for an older CUDA"),
            ("VLLM_ENABLE_CUDA_COMPATIBILITY=1",),
        ),
    ),
    symptom(
        r"'_C\w*' object has no attribute '\w*(?:marlin|gptq|awq|scaled_mm|scaled_fp[48]|int8_quant"
        r"|machete|cutlass|nvfp4|mxfp4|ggml)\w*'",
        _("this build of vLLM has no kernel for the model's quantization"),
        Cause("KVD907", 0.7, _("ROCm, CPU and old GPUs lack some: another format may do")),
        Cause("KVD922", 0.3, _("or is the build incomplete? Install into a clean environment")),
    ),
    symptom(
        r"undefined symbol: \S*|failed to import from vllm\._\w+|no module named 'vllm\._\w+'"
        r"|_c\.abi3\.so|lib(?:cudart|torch|c10|nccl|cublas|cudnn|nvrtc|cusparse\w*)\S*\.so\S*:"
        r" (?:cannot|version)"
        r"|has no attribute '_C'|cxxabi_\d+\S* not found|glibc\S* not found"
        r"|operator torchvision::nms does not exist|a module that was compiled using numpy 1"
        r"|numpy\.core\.multiarray failed to import|numpy\.dtype size changed",
        _("the compiled parts of vLLM and the installed torch or CUDA do not go together"),
        Cause(
            "KVD922",
            0.95,
            _("install vLLM into a clean environment, with the torch that it brings"),
        ),
    ),
    symptom(
        r"nvcc fatal|ninja: build stopped|ninja build failed|failed to find c compiler"
        r"|fatal error: \S+\.h: no such file|could not find nvcc|\bnvcc: (?:command )?not found"
        r"|cuda_home environment variable is not set"
        r"|calledprocesserror.{0,200}\b(?:gcc|cc|nvcc|ninja|cc1plus)\b",
        _("kernels are compiled when the engine starts, and the compiler failed or is missing"),
        Cause(
            "KVD922",
            0.9,
            _("it takes a C compiler with headers and the CUDA toolkit that torch was built for"),
            ("CUDA_HOME", "CC"),
        ),
    ),
    symptom(
        r"modulenotfounderror: no module named '(?P<name>[\w.]+)'|importerror: cannot import name",
        _("a package that is needed cannot be imported"),
        Cause("KVD922", 0.85, _("is vLLM installed in this environment, with what it asks for?")),
    ),
    symptom(
        # LiteLLM's own words.
        r"vllmexception - no module named '?vllm|litellm\.llms\.vllm\b.{0,20}no module named",
        _("the prefix vllm/ makes LiteLLM run the engine in its own process"),
        Cause("KVD506", 0.99, _("for a server write hosted_vllm/, or openai/ with its /v1")),
    ),
    symptom(
        r"cannot re-initialize cuda in forked subprocess",
        _("the GPU was touched before vLLM made its processes"),
        Cause(
            "KVD915",
            0.85,
            _("call nothing of torch.cuda first, or let vLLM spawn"),
            ("VLLM_WORKER_MULTIPROCESSING_METHOD=spawn",),
        ),
    ),
    symptom(
        r"before the\s+current process has finished its\s+bootstrapping phase",
        _("a script makes its processes while it is being imported"),
        Cause("KVD916", 0.9, _("put what it does below if __name__ == '__main__':")),
    ),
    symptom(
        r"can't start new thread|pthread_create failed",
        _("the system gives this process no more threads"),
        Cause(
            "KVD915",
            0.8,
            _("raise the limit of processes, of the account and of the container"),
            ("ulimit -u unlimited", "--pids-limit -1"),
        ),
    ),
    symptom(
        r"too many open files",
        _("the system gives this process no more files and connections"),
        Cause("KVD915", 0.8, _("raise the limit before the start"), ("ulimit -n 65535",)),
    ),
    symptom(
        r"timed out waiting for engine core processes to start",
        _("the engine needed longer to start than was allowed"),
        Cause(
            "KVD915",
            0.85,
            _("slow disk or a long compilation: does the log still move?"),
            ("VLLM_ENGINE_READY_TIMEOUT_S=1800",),
        ),
    ),
    symptom(
        r"(?:cannot allocate memory|std::bad_alloc|defaultcpuallocator: (?:can't|not enough)"
        r"|oom-?kill|oomkilled|out of memory: killed process|\bkilled\s*$"
        r"|exit ?code[: =]+(?:137|-9)\b|signal 9\b|sigkill)",
        _("the system ended the process: most often the machine's own memory was used up"),
        Cause(
            "KVD915",
            0.8,
            _("does dmesg name the process? Raise the container's memory limit"),
        ),
    ),
    symptom(
        # A kernel that looks up a position behind the end of the rotary embedding.
        r"index out of bounds: 0 <= tmp\d+ < (?P<limit>\d{4,})",
        _("a position was beyond what the model knows"),
        lambda match: (
            Cause(
                "KVD910",
                0.95,
                _("its limit is {limit}: is --max-model-len larger?", limit=match["limit"]),
                (f"--max-model-len {match['limit']}",),
            ),
        ),
    ),
    symptom(
        r"cuda error: (?:an illegal memory access|device-side assert|unspecified launch failure)"
        r"|xid \(?.{0,20}\)?: \d+|uncorrectable ecc error|gpu has fallen off the bus"
        r"|cuda error: .{0,40}hardware",
        _("the GPU stopped with an error of its own"),
        Cause(
            "KVD811", 0.6, _("does dmesg show an NVRM Xid? ECC errors and lost cards are 48, 79")
        ),
        Cause(
            "KVD915", 0.5, _("without one it is a fault in a kernel of vLLM: try a newer version")
        ),
    ),
    # Wrappers: the cause stands elsewhere in the log.
    symptom(
        r"engine core initialization failed|engine process failed to start"
        r"|workerproc initialization failed due to an exception|enginecore failed to start"
        r"|failed core proc\(s\)|error executing method|ray\.exceptions\.raytaskerror"
        r"|ray\.exceptions\.actor\w*error",
        _("the engine did not start; the cause stands in the lines above"),
        Cause("KVD915", 0.4, _("look for the first exception of an EngineCore or Worker process")),
        generic=True,
    ),
    symptom(
        r"enginecore encountered an issue|enginedeaderror|asyncenginedeaderror"
        r"|enginecore encountered a fatal error|background loop has errored"
        r"|(?:worker|engine core) proc \S+ died unexpectedly|worker \S+ pid \d+ died"
        r"|engine loop (?:is not running|has died)|mqengine|engine is dead",
        _("the engine died; the cause stands in the lines above"),
        Cause("KVD915", 0.4, _("without one: was the process killed? Does dmesg name it?")),
        generic=True,
    ),
    symptom(
        r"rpc call to (?P<call>\w+) timed out|executemodel timed out",
        _("a worker did not answer the engine in time"),
        Cause(
            "KVD915",
            0.5,
            _("does it hang in NCCL, or in a long compilation?"),
            ("VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS",),
        ),
        Cause("KVD923", 0.4, _("NCCL_DEBUG=INFO shows whether the ranks still talk")),
        generic=True,
    ),
)
