"""Reads exported traces by the protocol's own definitions, and prints the name of every span.

The JSON form of the protocol writes ids in hexadecimal, where the general form of such
definitions expects base64. Otherwise that form is strict: it refuses a field that it does
not know.
"""
import base64
import json
import sys

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

SIZES = {"traceId": 16, "spanId": 8, "parentSpanId": 8}

for line in sys.stdin:
    request = json.loads(line)
    for span in request["resourceSpans"][0]["scopeSpans"][0]["spans"]:
        for key, size in SIZES.items():
            if key in span:
                raw = bytes.fromhex(span[key])
                assert len(raw) == size, span
                span[key] = base64.b64encode(raw).decode()
    parsed = json_format.ParseDict(request, ExportTraceServiceRequest())
    for span in parsed.resource_spans[0].scope_spans[0].spans:
        assert span.start_time_unix_nano <= span.end_time_unix_nano, span
        print(span.name)
