/** One event of a stream. */
export interface StreamEvent {
	/** Its name, where the protocol has one; `exception` of an event stream begins with `!`. */
	readonly name: string;
	readonly data: string;
	/** The event as it goes on to the library. */
	readonly bytes: Uint8Array;
}

/** What came is not a stream of events. */
export class UnreadableEvent extends Error {
	override readonly name = "UnreadableEvent";
	/** What it begins with. */
	readonly text: string;

	constructor(message: string, text: string) {
		super(message);
		this.text = text.slice(0, 4_096);
	}
}

/** Of one event, after inflating. */
export const MAX_EVENT_BYTES = 4 * 1_024 * 1_024;

/** Cuts the bytes of an answer into events. */
export interface EventReader {
	/** The events that end in this chunk. Throws {@link UnreadableEvent}, after those before it. */
	read(chunk: Uint8Array): Iterable<StreamEvent>;
	/** What was left when the stream ended: undefined when it ended after an event. */
	rest(): StreamEvent | "cut" | undefined;
}
