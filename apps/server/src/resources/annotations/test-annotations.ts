import { type TestApp, text } from "#test-app.ts";

export const hex = (value: number, digits: number) => value.toString(16).padStart(digits, "0");
export const spanId = (span: number) => hex(span, 16);
export const traceId = (trace: number) => hex(trace, 32);

/** Sends spans 1 to `count`, one in each trace, of session `s`, each with two documents. */
export async function sendSpans(server: TestApp, count: number, project?: string): Promise<void> {
	const numbers = Array.from({ length: count }, (_, index) => index + 1);
	await server.send(
		numbers.map((number) => ({
			traceId: traceId(number),
			spanId: spanId(number),
			attributes: {
				"session.id": text("s"),
				"openinference.span.kind": text("RETRIEVER"),
				"retrieval.documents.0.document.content": text("first"),
				"retrieval.documents.1.document.content": text("second"),
			},
		})),
		project,
	);
}

/** An annotation of a span as clients send it. */
export function onSpan(span: number, rest: Readonly<Record<string, unknown>> = {}) {
	return { span_id: spanId(span), name: "quality", annotator_kind: "HUMAN", ...rest };
}
