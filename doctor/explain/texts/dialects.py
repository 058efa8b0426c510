"""Refusals of what a request holds: a history that does not fit, features, fields of a dialect.

The path, the key and the model are right where these come; the client, or a gateway that
translates, writes the request in a way that this server does not take.
"""

from __future__ import annotations

from doctor.explain.model import Cause, symptom
from doctor.text import _

_NEW_ONE = _("does a new conversation pass? Then what this one holds is at fault")

SYMPTOMS = (
    symptom(
        r"invalid [`'\"\\]*signature[`'\"\\]* in [`'\"\\]*thinking|thinking\.signature\b"
        r"|expected [`'\"\\]*thinking[`'\"\\]* or [`'\"\\]*redacted_thinking"
        r"|thinking[`'\"\\]*(?: or [`'\"\\]*redacted_thinking[`'\"\\]*)? blocks?[^\n]{0,80}"
        r"(?:cannot be modified|must remain|start with)"
        r"|must start with a thinking block"
        r"|reasoning_content[`'\"\\]* [^\n]{0,60}(?:must be passed|is missing|should be passed)"
        r"|missing (?:the )?[`'\"\\]*reasoning_content|missing a [`'\"\\]*thought_signature"
        r"|thought[_ ]signature[^\n]{0,40}(?:missing|invalid|not valid|required)"
        r"|encrypted content [^\n]{0,60}could not be (?:verified|decrypted)"
        r"|invalid_encrypted_content",
        _("the thinking of an earlier turn is not as this server wrote it"),
        Cause("KVD516", 0.75, _("was the model or the provider changed in this conversation?")),
        Cause("KVD214", 0.2, _("a gateway that translates may drop or change it on the way")),
    ),
    symptom(
        r"tool_calls?['\"`\\]* must be followed by|role ['\"`\\]*tool['\"`\\]* must be a response"
        r"|tool_call_ids? did not have response|insufficient tool messages"
        r"|tool_use['\"`\\]* ids? (?:was|were) found without|unexpected ['\"`\\]*tool_use_id"
        r"|tool_result['\"`\\]* block\(?s?\)? [^\n]{0,60}must have a corresponding"
        r"|no tool (?:call|output) found for function|tool_call_id [^\n]{0,40}(?:not found|is not)"
        r"|number of function (?:response|call) parts|function response turn comes immediately"
        r"|tool results are missing for tool calls|unexpected tool call id"
        r"|item with id ['\"`\\]*\w+['\"`\\]* not found|items are not persisted when",
        _("the conversation holds a call of a tool without its answer, or the reverse"),
        Cause("KVD516", 0.75, _NEW_ONE),
        Cause("KVD214", 0.15, _("a gateway that translates may lose one of the two")),
    ),
    symptom(
        r"(?:unexpected|invalid|unsupported|unknown) (?:message )?role\b"
        r"|system message must be (?:at the beginning|the first)"
        r"|role ['\"`\\]*\w+['\"`\\]* (?:is )?not supported|last message must (?:be|have)"
        r"|is not one of \[['\"]?system|unknown variant `(?:developer|tool|function|image_url|file"
        r"|input_text|input_image|thinking|tool_use|tool_result)`"
        r"|developer['\"`\\]* is not one of|assistant message prefill"
        r"|failed to deserialize the json body into the target type"
        r"|text content blocks must be non-empty|must (?:have|be) non-?empty content"
        r"|content must be a (?:non-empty )?string|content should be a (?:valid )?string"
        r"|invalid type: (?:sequence|map), expected a string",
        _("the server does not take a message of the request: its role, its order or its kind"),
        Cause("KVD516", 0.8, _("the text names the message; does the client have a plainer mode?")),
        Cause("KVD214", 0.15, _("or does a gateway translate from another API?")),
    ),
    symptom(
        r"invalid beta flag|anthropic-beta[^\n]{0,60}(?:invalid|unsupported|not supported)"
        r"|unexpected value\(s\)[^\n]{0,80}anthropic-beta",
        _("the server does not know a beta header that the client sends"),
        Cause("KVD516", 0.9, _("Claude Code: CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS=1")),
    ),
    symptom(
        r"no endpoints found that (?:can )?(?:support|handle)"
        r"|does(?: not|n't) support (?:the )?(?:tools?\b|tool[ _](?:use|call|choice)|functions?\b"
        r"|function[ _]call|images?\b|image input|vision|cache[ _]control|prompt caching|reasoning"
        r"|thinking|assistant message prefill|response_format|json[ _](?:schema|mode|object)"
        r"|structured output|system (?:prompt|message|role)|temperature|top_p|web[ _]search"
        r"|parallel[ _]tool|effort)"
        r"|(?:tool[ _](?:calling|use|choice)|function[ _]calling|adaptive thinking|image input"
        r"|images?|vision|thinking) (?:is |are )(?:currently )?not (?:supported|enabled)\b"
        r"|response_format type is unavailable|(?:unsupported|unknown) tool type"
        r"|tool type[^\n]{0,40}(?:unsupported|not supported)"
        r"|invalid schema for (?:function|response_format)"
        r"|input_schema[^\n]{0,60}(?:invalid|is not|does not)|json schema is invalid"
        r"|tools\.\d+\.[\w.]+: |invalid ['\"`\\]*tools?(?:\[\d+\]|\.\d+)"
        r"|temperature[`'\"\\]*[^\n]{0,30}(?:may )?only be set to 1"
        r"|temperature[`'\"\\]* and [`'\"\\]*top_p[`'\"\\]* cannot both"
        r"|store must be set to false|stream must be (?:set to )?true|instructions are (?:not valid"
        r"|required)|no images? (?:are |is )?(?:allowed|supported)"
        r"|不支持(?:工具|函数|图片|图像|思考|视觉)(?:调用|输入|模式)?",
        _("the server, or this model, does not take a feature that the client asks for"),
        Cause("KVD516", 0.85, _("the text names it: switch it off in the client's model settings")),
        Cause("KVD501", 0.1, _("or take a model that has it")),
    ),
)
