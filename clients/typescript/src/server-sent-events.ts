export interface ServerSentEvent {
	/** `message` when the server names none. */
	event: string;
	data: string;
	id?: string;
}

/** The events of a `text/event-stream` body (WHATWG HTML, 9.2.6); comments and `retry` are left out. */
export async function* readServerSentEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerSentEvent> {
	const reader = body.getReader();
	const decoder = new TextDecoder();
	let rest = "";
	try {
		for (;;) {
			const { done, value } = await reader.read();
			if (done) return;
			const blocks = (rest + decoder.decode(value, { stream: true })).replaceAll("\r\n", "\n").split("\n\n");
			rest = blocks.pop() ?? "";
			for (const block of blocks) {
				const event = toEvent(block);
				if (event !== undefined) yield event;
			}
		}
	} finally {
		await reader.cancel();
	}
}

function toEvent(block: string): ServerSentEvent | undefined {
	const data: string[] = [];
	let event = "message";
	let id: string | undefined;
	for (const line of block.split("\n")) {
		const colon = line.indexOf(":");
		const field = colon === -1 ? line : line.slice(0, colon);
		const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
		if (field === "data") data.push(value);
		else if (field === "event") event = value;
		else if (field === "id") id = value;
	}
	if (data.length === 0) return undefined;
	return { event, data: data.join("\n"), ...(id === undefined ? {} : { id }) };
}
