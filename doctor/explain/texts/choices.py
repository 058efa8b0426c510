"""Texts of programs that got something other than a completion (gateway-clients.md §2.3)."""

from __future__ import annotations

from doctor.explain.model import Cause, symptom
from doctor.text import _

_VERSION = _("does GET BASE/models answer JSON, or a web page?")


def _page(likelihood: float = 0.55) -> tuple[Cause, ...]:
    """A web page came back with status 200."""
    return (
        Cause("KVD201", likelihood, _VERSION),
        Cause("KVD202", 0.15, _("does this gateway serve under /api?")),
        Cause("KVD210", 0.15, _("the address may be the website's, not the API's")),
        Cause("KVD307", 0.1, _("a proxy or firewall may have answered instead")),
    )


_ERROR_BODY = Cause("KVD511", 0.4, _("print the whole body: does it hold an error?"))
_NO_CHOICES = Cause("KVD510", 0.3, _("print the whole body: is choices null, empty or missing?"))
_CHUNK = Cause("KVD512", 0.3, _("does it happen in a stream, at a chunk without choices?"))

SYMPTOMS = (
    symptom(
        r"'str' object has no attribute '(?:choices|_set_private_attributes|data|dict|json"
        r"|model_dump(?:_json)?|to_dict|usage|error|output(?:_text)?|parsed|_request_id|response_metadata)'"
        r"|unexpected response type from openai-compatible endpoint\. expected .* got str"
        r"|empty or invalid response from llm endpoint\. received: ['\"]?<",
        _("Python got text instead of JSON, almost always a web page"),
        *_page(0.6),
    ),
    symptom(
        # axum, with which DeepSeek and others answer (axum's JsonRejection).
        r"failed to parse the request body as json: "
        r"(?:expected|eof while parsing a) value at line 1 column [01]\b",
        _("the server got a request whose body is no JSON, or cut off"),
        Cause("KVD102", 0.5, _("does the key end in a line break? It ends the headers early")),
        Cause("KVD516", 0.2, _("print the body that the client sends")),
    ),
    symptom(
        r"unexpected token '?<'?|'<' is an invalid start of a value|unexpected character \('<'"
        r"|invalid character '<' looking for beginning of value|unexpected token at '<"
        r"|responses with content-type 'text/html|content[- ]?type:? \[?text/html"
        r"|unexpected mimetype: text/html"
        r"|(?<!request body as json: )expected value at line 1 column 1"
        r"|unrecognized token '<'|expected begin_object but was string at line 1 column 1"
        r"|is not valid json.{0,20}<!doctype|got html instead|返回(?:了)?(?:html|网页)",
        _("a web page came back where JSON is due"),
        *_page(),
    ),
    symptom(
        r"cannot read propert(?:y|ies)[^\n]*'choices'|evaluating '[^']*\.choices'"
        r"|can't access property \"choices\"",
        _("the program reads choices of an answer that is not there"),
        Cause("KVD511", 0.3, _("print the body: an error (quota, key) is read as an answer")),
        Cause("KVD510", 0.3, _("an empty body gives exactly this text in the Node SDK")),
        Cause("KVD201", 0.25, _VERSION),
        Cause("KVD330", 0.1, _("in a relay's own log: its upstream gave no answer")),
    ),
    symptom(
        r"cannot read properties of null \(reading '(?:0|choices)'\)"
        r"|'nonetype' object has no attribute 'choices'",
        _("the answer, or its choices, is null"),
        Cause("KVD510", 0.7, _("print the whole body")),
        Cause("KVD512", 0.3, _("does it happen in a stream?")),
    ),
    symptom(
        # Firefox: the answer is there, its choices is not.
        r"\.choices is (?:undefined|null)",
        _("the answer has no choices"),
        Cause("KVD511", 0.5, _("print the body: an error (quota, key) is read as an answer")),
        Cause("KVD201", 0.25, _VERSION),
        Cause("KVD510", 0.25, _("print the body: is choices missing?")),
    ),
    symptom(
        r"\(reading '0'\)|cannot read property '0' of undefined|evaluating '[^']*choices\[0\]'",
        _("the answer has no choices"),
        Cause("KVD201", 0.45, _VERSION),
        Cause("KVD511", 0.3, _("print the body: does it hold an error?")),
        Cause("KVD510", 0.15, _("print the body: is choices missing?")),
        Cause("KVD205", 0.1, _("does the base URL carry a query such as ?utm_source=…?")),
    ),
    symptom(
        r"\(reading '(?:message|delta|content|finish_reason)'\)"
        r"|index out of range \[0\] with length 0",
        _("choices is an empty list"),
        Cause("KVD512", 0.6, _("in a stream: the usage or filter chunk has no choices")),
        Cause("KVD510", 0.4, _("without a stream: the server sent an empty list")),
    ),
    symptom(
        r"'nonetype' object is not subscriptable",
        _("choices is null or missing where Python indexes it"),
        Cause("KVD511", 0.45, _("print the body: an error in a 200 gives exactly this")),
        Cause("KVD512", 0.3, _("does it happen in a stream, at a chunk whose choices is null?")),
        _NO_CHOICES,
    ),
    symptom(
        r"keyerror: ['\"]choices|response missing 'choices' key|missing field .?choices"
        r"|provider returned a response with no 'choices'|missing choices\b"
        r"|undefined (?:array key|index|property)\W{0,3}:?:?\$?choices"
        r"|keynotfound.{0,40}choices|no value (?:for|at) ['\"]?choices"
        r"|(?:missing|required) (?:property|creator property|key)[^\n]{0,12}choices"
        r"|(?:缺少|没有|未找到) ?['\"`]?choices",
        _("the body has no choices: usually it is an error that was not checked for"),
        Cause("KVD511", 0.6, _("print the status and the body before reading choices")),
        Cause("KVD510", 0.3, _("the server answers in another shape")),
        Cause("KVD201", 0.1, _VERSION),
    ),
    symptom(
        r"expected array, received (?P<got>undefined|null)[^\n]{0,80}"
        r"|\"path\":\[\"choices\"\][^\n]{0,80}received (?:undefined|null)",
        _("the AI SDK got a body or a chunk whose choices is missing"),
        Cause("KVD510", 0.4, _("the text quotes the value: is choices null or missing in it?")),
        Cause("KVD512", 0.3, _("is the value a chunk of a stream, usage alone for example?")),
        Cause("KVD511", 0.25, _("does the value hold an error?")),
    ),
    symptom(
        r"invalid response object\b(?! from api: '?404)",
        _("the body is no completion"),
        Cause("KVD511", 0.5, _("the text quotes the body: does it hold an error?")),
        Cause("KVD201", 0.3, _VERSION),
        Cause("KVD510", 0.2, _("the server answers in another shape")),
    ),
    symptom(
        r"choices (?:array |list )?(?:is|was) empty|empty choices|returned no choices"
        r"|(?:no|without|contains? no|has no|have no|had no) choices\b|choices (?:is |为)空",
        _("choices is an empty list"),
        Cause("KVD510", 0.55, _("print the whole body")),
        Cause("KVD512", 0.25, _("does it happen in a stream?")),
        Cause("KVD511", 0.2, _("does the body hold an error?")),
    ),
    symptom(
        r"'nonetype' object has no attribute '(?:content|message|delta|tool_calls)'",
        _("a choice has no message, or a chunk no delta"),
        Cause("KVD512", 0.5, _("does it happen in a stream?")),
        Cause("KVD510", 0.3, _("print the whole body")),
        Cause("KVD511", 0.2, _("does the body hold an error?")),
    ),
    symptom(
        r"(?:no|empty) (?:content|response|completion|message)"
        r"(?: (?:in|from|returned|received)\b.{0,40})?.{0,20}finish_?reason\W{1,4}length",
        _("the budget ended before the answer began"),
        Cause("KVD605", 0.6, _("does the model think? Then the thinking used max_tokens up")),
        Cause("KVD513", 0.4, _("print the message: which of its fields is filled?")),
    ),
    symptom(
        r"lengthfinishreasonerror|as the length limit was reached",
        _("the budget ended in the middle of the answer, so it could not be parsed"),
        Cause("KVD514", 0.55, _("raise max_tokens, or ask for less")),
        Cause("KVD605", 0.45, _("does the model think? Then the thinking used max_tokens up")),
    ),
    symptom(
        r"(?:no|empty) content (?:in|from|returned)|content is (?:empty|null|none)"
        r"|returned an? empty (?:response|message|content|completion)"
        r"|did not (?:provide|return) any (?:assistant )?(?:messages?|content|text)"
        r"|(?:model|provider|api) (?:returned|gave|sent) (?:no|an empty) (?:content|answer|text)"
        r"|(?:模型|接口|上游)?返回(?:内容|结果|消息)?为空(?!。请确认)|空(?:回复|响应|返回)",
        _("the answer has no content"),
        Cause("KVD513", 0.6, _("print the message: which of its fields is filled?")),
        Cause("KVD605", 0.4, _("is finish_reason length? Then thinking used max_tokens up")),
        generic=True,
    ),
    symptom(
        r"null value for [`'\"]?choices|[`'\"]choices[`'\"] that is not a list"
        r"|(?<![.\w])choices[`'\"]? (?:is|was|field is) (?:null|none|nil|undefined|missing)\b"
        r"|(?<![.\w])choices[`'\"]? (?:is|was|field is) not (?:a list|an array)",
        _("choices is null"),
        Cause("KVD510", 0.6, _("print the whole body")),
        Cause("KVD511", 0.4, _("does the body hold an error?")),
    ),
    symptom(
        # Go and Java name the index; that of the first choice is 0.
        r"^(?!.*(?:\bindex:? [1-9]\d* out of bounds|out of range \[[1-9])).*?"
        r"(?:indexerror: list index out of range|index was out of range\. must be non-negative"
        r"|index 0 out of bounds for length 0|index: 0, size: 0"
        r"|undefined (?:offset|array key):? 0\b|index out of range|\(reading 'index'\)"
        r"|slice index out of|array index out of bounds|indexoutofboundsexception)",
        _("choices is an empty list, if the failing line indexes it"),
        Cause("KVD512", 0.6, _("in a stream: the usage or filter chunk has no choices")),
        Cause("KVD510", 0.3, _("without a stream: the server sent an empty list")),
        generic=True,
    ),
    symptom(
        r"cannot read propert(?:y|ies) (?:'\w+' )?of (?:undefined|null)|undefined is not an object"
        r"|cannot use 'in' operator to search for|(?:undefined|null) is not iterable"
        r"|cannot destructure property|argument of type 'nonetype' is not iterable"
        r"|'nonetype' object is not iterable",
        _("the program reads a part of an answer that is not there"),
        Cause("KVD512", 0.4, _("does it happen in a stream, at its end?")),
        Cause("KVD510", 0.3, _("print the whole body: what is missing in it?")),
        Cause("KVD511", 0.2, _("does the body hold an error?")),
        generic=True,
    ),
    symptom(
        r"api returned an empty or malformed response \(http 200\)|non-sse response \(http 200",
        _("the client got a 200 that is no answer"),
        Cause("KVD210", 0.4, _("does the text name content type html? Then the path is wrong")),
        Cause("KVD202", 0.3, _("does this gateway serve under /api?")),
        Cause("KVD510", 0.3, _("print the whole body")),
    ),
    symptom(
        # Codex puts whatever ended the request behind these words.
        r"stream (?:disconnected before completion(?!: error sending)"
        r"(?!.{0,200}(?:os error|积极拒绝|econnrefused|connection refused))"
        r"|closed before response\.completed)"
        r"|stream ended without a finish reason"
        r"|no generation chunks were returned|incomplete chunked read|incompleteread"
        r"|stream error(?!.{0,80}\b[45]\d\d\b)|error in input stream"
        r"|server disconnected without sending|premature close|typeerror: terminated"
        r"|err_incomplete_chunked_encoding|stream idle timeout"
        r"|stream (?:was )?(?:closed|ended|interrupted|aborted)"
        # The SDKs for Node, of an event whose data is no JSON.
        r"|could not parse message into json"
        r"|unexpected eof|首(?:字|包).{0,6}超时|流式响应.{0,10}(?:中断|异常)",
        _("the stream ended before the answer did"),
        Cause("KVD515", 0.5, _("does the same request answer without stream?")),
        Cause("KVD210", 0.25, _("a web page or JSON in place of a stream gives the same text")),
        Cause("KVD330", 0.25, _("did the server behind the gateway end?")),
        generic=True,
    ),
    symptom(
        r"jsondecodeerror|expecting value: line 1 column 1|unexpected end of json input"
        r"|error decoding response body"
        r"|failed to (?:parse|decode|deserialize) (?:the )?(?:api )?(?:response|json)"
        r"|missing field `\w+`|unknown variant `\w*`, expected|invalid type: null, expected"
        r"|cannot unmarshal \w+ into go|could not be converted to [\w.]*chat"
        r"|mismatchedinputexception|jsonparseexception|unrecognizedpropertyexception"
        r"|unexpected non-whitespace character after json|invalid json response",
        _("the body is empty, cut or no JSON"),
        Cause("KVD510", 0.4, _("print the body: is it empty?")),
        Cause("KVD201", 0.35, _VERSION),
        Cause("KVD515", 0.15, _("is it cut in the middle?")),
        generic=True,
    ),
)
