"""Texts about TLS: plain ports, names and dates, issuers, certificate files."""

from __future__ import annotations

from doctor.explain.model import Cause, symptom
from doctor.text import _

SYMPTOMS = (
    symptom(
        r"wrong[_ ]version[_ ]number|server gave http response to https client"
        r"|first record does not look like a tls handshake|unrecognized ssl message"
        r"|invalidcontenttype|rx_record_too_long|packet length too long|record layer failure"
        r"|http_request\b.{0,20}ssl|ssl_error_rx_record|err_ssl_protocol_error"
        r"|corrupt message of type invalidcontenttype|cannot determine the frame size"
        r"|not an ssl/tls record|illegal ssl record",
        _("https is spoken to a port that speaks plain http"),
        Cause("KVD207", 0.7, _("does http:// on the same port answer?")),
        Cause("KVD304", 0.2, _("or is a proxy variable https:// where the proxy is plain?")),
        Cause("KVD323", 0.1, _("or is the port another service's?")),
    ),
    symptom(
        r"plain http request was sent to https port|http request to an https server"
        r"|speaking plain http to an ssl-enabled|requires tls\.",
        _("http is spoken to a port that wants https"),
        Cause("KVD207", 0.95, _("write https:// in the base URL")),
    ),
    symptom(
        # OpenAI's words, also for a path that begins with two slashes.
        r"api can only be accessed over https",
        _("the request came as http, or by a path that the server does not know"),
        Cause("KVD207", 0.6, _("write https:// in the base URL")),
        Cause("KVD217", 0.4, _("or does the base URL end in a slash? Some clients double it")),
    ),
    symptom(
        r"certificate has expired|cert_has_expired|certificate is not yet valid"
        r"|hostname mismatch|altname_invalid|certificate is valid for|not valid for name"
        r"|does(?:n't| not) match (?:certificate's altnames|the (?:target )?host ?name)"
        r"|remotecertificatenamemismatch|nottimevalid|notvalidforname|certexpired"
        r"|certificate (?:is )?not valid for|no (?:subject )?alternative (?:dns )?names? "
        # curl with each of its TLS libraries, wget, Java, Firefox.
        r"|no (?:alternative certificate subject|certificate subject alternative) name"
        r"|subjectaltname does not match|sec_e_wrong_principal|target principal name is incorrect"
        r"|certificate common name .{1,100}(?:doesn't|does not) match|curl: \(51\)|curl error 51\b"
        r"|(?:subject|domain) name mismatch|ssl_error_bad_cert_domain|\bno name matching \S+ found"
        r"|hostname \S{1,200} not verified|sslpeerunverifiedexception"
        r"|certificate relies on legacy common name|certificate subject name .{0,80}not match"
        r"|err_cert_(?:date|common_name)_invalid|certificateexpiredexception"
        r"|certificate.{0,30}(?:已过期|过期)|证书.{0,10}(?:过期|不匹配)"
        r"|cannot validate certificate for [\d.:a-f]+ because it doesn't contain any ip sans",
        _("the certificate is for another name or another time"),
        Cause("KVD322", 0.95, _("check the host name and this machine's clock")),
    ),
    symptom(
        r"invalid path: .*(?:pem|crt|cert)|suitable tls ca certificate bundle|load_verify_locations"
        r"|ignoring extra certs from|\[x509\] pem lib|no certificate or crl found|no start line"
        r"|error setting certificate (?:file|verify locations)|curl: \(77\)|curl error 77"
        r"|problem with the ssl ca cert|trustanchors parameter must be non-empty",
        _("a variable names a certificate file that cannot be read"),
        Cause("KVD321", 0.9, _("does the path of SSL_CERT_FILE or REQUESTS_CA_BUNDLE exist?")),
    ),
    symptom(
        r"certificate_verify_failed|self[-_ ]signed[-_ ]cert"
        r"|unable[ _]to[ _](?:verify|get)[ _](?:(?:the )?first|(?:local[ _])?issuer|leaf)"
        r"|unable_to_(?:verify|get_issuer)|unknown authority|pkix path building failed"
        r"|unknownissuer|untrustedroot|partialchain|err_cert_authority_invalid"
        r"|certificate (?:verify failed|is not trusted|verification failed)|unknown ca\b"
        r"|cert(?:ificate)?[ _]signature[ _]failure|unable_to_decrypt_cert_signature"
        r"|cert_chain_too_long|\binvalid_ca\b|cert_(?:revoked|rejected)|certificate (?:is )?revoked"
        r"|(?:ee|ca)[ _](?:certificate )?(?:key|md)[ _]too[ _](?:weak|small)"
        r"|curl: \(60\)|curl error 60|tlsv1_alert_unknown_ca|certpathvalidatorexception"
        r"|trust anchor for certification path not found|cert_untrusted|depth_zero_self_signed"
        r"|不受信任的证书|证书(?:不受信任|验证失败|校验失败)",
        _("the certificate's issuer is not trusted by this program"),
        Cause("KVD320", 0.8, _("who is the issuer? A company's proxy signs with its own")),
        Cause("KVD321", 0.2, _("is the variable that names the CA the one of this runtime?")),
    ),
    symptom(
        r"sslhandshakeexception|the ssl connection could not be established|tls handshake failed"
        r"|ssl handshake failed|handshake_failure|sslv3_alert|curl: \(35\)|curl error 35",
        _("no TLS connection came about; what is behind it stands further on, if anywhere"),
        Cause("KVD320", 0.4, _("is the issuer's certificate one of this machine's?")),
        Cause("KVD207", 0.3, _("or does the port speak plain http?")),
        Cause("KVD307", 0.3, _("or does a proxy or firewall stand between?")),
        generic=True,
    ),
)
