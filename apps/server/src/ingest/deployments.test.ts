import { encodeTraceRequest, type KeyValue, type Span } from "@spanward/otlp";
import { expect, it } from "vitest";
import { SpanPrices } from "#pricing/price-of.ts";
import { createExportDecoder } from "./decode-export.ts";

const decode = createExportDecoder(
	{
		limits: { attributesPerSpan: 100, attributeBytes: 1_000, depth: 8 },
		maxInflatedBytes: 100_000,
		defaultProjectName: "default",
	},
	new SpanPrices(),
);

it("reads release and environment of spans from their resource and their attributes", () => {
	const resource = [text("service.version", "2.14.0"), text("openinference.project.name", "shop")];
	const spans = [span("01".repeat(8), []), span("02".repeat(8), [text("deployment.environment.name", "staging")])];
	const body = encodeTraceRequest([
		{
			resource: { attributes: resource, droppedAttributesCount: 0 },
			schemaUrl: "",
			scopeSpans: [
				{ scope: { name: "", version: "", attributes: [], droppedAttributesCount: 0 }, schemaUrl: "", spans },
			],
		},
	]);
	const decoded = decode({ signal: "traces", format: "protobuf", encoding: "identity", body: new Uint8Array(body) });
	if (!("spans" in decoded)) throw new Error("the export was refused");
	expect(decoded.spans.map(({ projectName }) => projectName)).toEqual(["shop", "shop"]);
	expect(decoded.spans.map(({ facts }) => [facts.release, facts.environment])).toEqual([
		["2.14.0", undefined],
		["2.14.0", "staging"],
	]);
});

function text(key: string, value: string): KeyValue {
	return { key, value: { type: "string", value } };
}

function span(spanId: string, attributes: KeyValue[]): Span {
	return {
		...{
			traceId: "ab".repeat(16),
			spanId,
			parentSpanId: "",
			traceState: "",
			flags: 0,
			name: "step",
			kind: 1,
			attributes,
		},
		...{ startTimeUnixNano: 1n, endTimeUnixNano: 2n, status: { code: 0, message: "" } },
		...{ events: [], links: [], droppedAttributesCount: 0, droppedEventsCount: 0, droppedLinksCount: 0 },
	};
}
