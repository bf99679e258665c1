import { MOST_VALUES } from "./limits.ts";
import type { AttributeScan } from "./scan-attributes.ts";
import type { WireCursor } from "./wire-cursor.ts";
import { WireWriter } from "./wire-writer.ts";

const EMPTY = new Uint8Array(0);

/**
 * A resource or scope, which may come in several pieces between its spans. By the protobuf encoding, their concatenated
 * bytes are the merged message.
 */
export class MessagePieces {
	surplus = false;
	oversized = false;
	#attributes = 0;
	#values = 0;
	#first: Uint8Array | undefined;
	#joined: WireWriter | undefined;

	/** Adds the piece that the cursor has just passed, unless reading it failed. */
	add(cursor: WireCursor, scan: AttributeScan, start: number, end: number, attributes: number): void {
		this.#attributes += attributes;
		this.#values += scan.values;
		scan.count(this.#attributes);
		this.surplus ||= scan.surplus;
		this.oversized ||= scan.oversized;
		if (this.#values > MOST_VALUES) cursor.fail("too_many_values");
		if (cursor.pos !== end || start === end) return;
		const view = cursor.view(start, end);
		if (this.#first === undefined) this.#first = view;
		else {
			if (this.#joined === undefined) {
				this.#joined = new WireWriter();
				this.#joined.raw(this.#first);
			}
			this.#joined.raw(view);
		}
	}

	/** The merged message. */
	join(): Uint8Array {
		return this.#joined?.finish() ?? this.#first ?? EMPTY;
	}
}
