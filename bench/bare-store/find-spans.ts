/** Field number << 3 | wire type 2, of the messages around a span and of its trace id. */
const RESOURCE_SPANS = 0x0a;
const SCOPE_SPANS = 0x12;
const SPAN = 0x12;
const TRACE_ID = 0x0a;
const TRACE_ID_BYTES = 16;

/**
 * The `Span` messages of an `ExportTraceServiceRequest`, by trace id (hex), as views of its bytes. Nothing else is read
 * or checked.
 * @throws RangeError when a length is beyond the bytes
 */
export function findSpans(request: Buffer): Map<string, Buffer[]> {
	const traces = new Map<string, Buffer[]>();
	eachField(request, 0, request.length, RESOURCE_SPANS, (groupStart, groupEnd) =>
		eachField(request, groupStart, groupEnd, SCOPE_SPANS, (scopeStart, scopeEnd) =>
			eachField(request, scopeStart, scopeEnd, SPAN, (start, end) => {
				eachField(request, start, end, TRACE_ID, (idStart, idEnd) => {
					if (idEnd - idStart !== TRACE_ID_BYTES) return;
					const traceId = request.toString("hex", idStart, idEnd);
					const spans = traces.get(traceId);
					const span = request.subarray(start, end);
					if (spans === undefined) traces.set(traceId, [span]);
					else spans.push(span);
				});
			}),
		),
	);
	return traces;
}

/** Calls `visit` with the payload of each field with this tag. */
function eachField(
	bytes: Buffer,
	start: number,
	end: number,
	tag: number,
	visit: (start: number, end: number) => void,
): void {
	let at = start;
	const varint = (): number => {
		let value = 0;
		for (let scale = 1; ; scale *= 128) {
			const byte = bytes.readUInt8(at++);
			value += (byte & 0x7f) * scale;
			if (byte < 0x80) return value;
		}
	};
	while (at < end) {
		const found = varint();
		switch (found & 7) {
			case 0:
				varint();
				break;
			case 1:
				at += 8;
				break;
			case 5:
				at += 4;
				break;
			default: {
				const length = varint();
				if (found === tag) visit(at, at + length);
				at += length;
			}
		}
	}
}
