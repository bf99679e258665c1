import { type EventReader, MAX_EVENT_BYTES, type StreamEvent, UnreadableEvent } from "./stream-events.ts";

/** Fields of the standard. It says to skip any other; here one is part of an event that was damaged on its way. */
const FIELDS: ReadonlySet<string> = new Set(["data", "event", "id", "retry"]);

/** https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream */
export class ServerSentEvents implements EventReader {
	readonly #decoder = new TextDecoder("utf-8", { fatal: true });
	readonly #encoder = new TextEncoder();
	/** Of the line that has no end yet. */
	#parts: string[] = [];
	#partsLength = 0;
	#lines: string[] = [];
	#linesLength = 0;

	*read(chunk: Uint8Array): Iterable<StreamEvent> {
		const text = this.#decode(chunk);
		// A return may be followed by the rest of the same end of a line.
		if (!/[\r\n]/.test(text) && this.#parts.at(-1)?.endsWith("\r") !== true) {
			this.#addPart(text);
			return;
		}
		const lines = (this.#parts.join("") + text).split(/\r\n|\n|\r(?!$)/);
		this.#parts = [];
		this.#partsLength = 0;
		const rest = lines.pop() ?? "";
		for (const line of lines) {
			if (line !== "") {
				this.#addLine(line);
				continue;
			}
			const event = this.#endEvent();
			if (event !== undefined) yield event;
		}
		this.#addPart(rest);
	}

	rest(): StreamEvent | "cut" | undefined {
		const left = this.#parts.join("");
		if (left !== "\r" && left !== "") this.#addLine(left.replace(/\r$/, ""));
		const event = this.#endEvent();
		// Some servers leave out the line after this one.
		return event === undefined || event.data === "[DONE]" || left === "\r" ? event : "cut";
	}

	#decode(chunk: Uint8Array): string {
		try {
			return this.#decoder.decode(chunk, { stream: true });
		} catch (error) {
			if (!(error instanceof TypeError)) throw error;
			throw new UnreadableEvent("it is not UTF-8", "");
		}
	}

	#addPart(text: string): void {
		this.#parts.push(text);
		this.#partsLength += text.length;
		this.#checkLength();
	}

	#addLine(line: string): void {
		if (line.startsWith(":")) return;
		const [field = ""] = line.split(":", 1);
		if (!FIELDS.has(field)) throw new UnreadableEvent("a line is not a field of an event", line);
		this.#lines.push(line);
		this.#linesLength += line.length;
		this.#checkLength();
	}

	#checkLength(): void {
		if (this.#partsLength + this.#linesLength <= MAX_EVENT_BYTES) return;
		throw new UnreadableEvent("one event is larger than 4 MiB", this.#lines[0] ?? this.#parts[0] ?? "");
	}

	#endEvent(): StreamEvent | undefined {
		const lines = this.#lines;
		this.#lines = [];
		this.#linesLength = 0;
		const data = valuesOf(lines, "data");
		if (data.length === 0) return;
		return {
			name: valuesOf(lines, "event").at(-1) ?? "",
			data: data.join("\n"),
			bytes: this.#encoder.encode(`${lines.join("\n")}\n\n`),
		};
	}
}

function valuesOf(lines: readonly string[], field: string): readonly string[] {
	return lines.flatMap((line) => {
		if (line === field) return [""];
		return line.startsWith(`${field}:`) ? [line.slice(field.length + 1).replace(/^ /, "")] : [];
	});
}
